"""Redundant sums for solvers: innies and outies, the cells by which cages miss or overlap units.

The sum of one or several whole units is known. Subtract the sums of all cages that are mostly
inside: what is left is the sum of the few cells inside that no such cage covers (innies), minus the
sum of their cells outside (outies).

The exhaustive search has such sums too (`certify.variants.innies`). It shares no code with this
module, because search and solver check each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.puzzle.constraints import Constraint
from pipeline.puzzle.geometry import bits_of, indices_of
from pipeline.puzzle.joined_totals import disjoint_layers
from pipeline.puzzle.sums import SetTotal, Total

# With innies and outies of up to so many cells, 20 killers that glucose4 finds hard needed this
# share of conflicts and clauses (geometric means): 2 0.30, 1.00; 3 0.25, 1.03; 4 0.22, 1.28. With
# bands of up to 3 units: 0.38, 1.06; of up to 6: as with 4. Dropped: variables for the pairs of
# values of cages of two cells, and clauses that exclude them around; 3 % more clauses, 2 % fewer
# conflicts.
_MAX_CELLS = 3
"""Maximum number of cells of a sum. Cells of one sign in one unit may be more: they hold a set."""

_MAX_UNITS = 4
"""Maximum number of units in a band."""

_Sum = tuple[int, int]
"""A bit mask of cells, and the sum of their values."""


def unit_totals(
    constraints: Sequence[Constraint],
    units: Sequence[Sequence[int]],
    values: range,
    peers: Sequence[int],
) -> Iterator[Constraint]:
    """Yield innies and outies: sums that follow from units and from the cages.

    - `constraints`: may have the sums of cages.
    - `units`: groups of cells that hold different values.
    - `peers`: for each cell, a bit mask of the cells in its units, itself included.
    """
    cages = _disjoint_cages(constraints)
    whole = [bits_of(unit) for unit in units if len(unit) == len(values)]
    seen = {cage for cage, _ in cages}
    for band, band_total in _bands(whole, sum(values)) if cages else ():
        covered, total = 0, band_total
        for cage, cage_total in cages:
            if 2 * (cage & band).bit_count() > cage.bit_count():
                covered |= cage
                total -= cage_total
        innies, outies = band & ~covered, covered & ~band
        rest = innies | outies
        if not covered or not rest or rest in seen:
            continue
        cells = tuple(indices_of(rest))
        is_set = not (innies and outies) and all(peers[cell] & rest == rest for cell in cells)
        if is_set and len(cells) > 1:
            seen.add(rest)
            yield SetTotal(cells, total if innies else -total, values)
        elif len(cells) <= _MAX_CELLS:
            seen.add(rest)
            yield Total(tuple((cell, 1 if innies >> cell & 1 else -1) for cell in cells), total)


def _disjoint_cages(constraints: Sequence[Constraint]) -> list[_Sum]:
    """The sums of sets of cells, without those that overlap smaller ones."""
    cages, used = list[_Sum](), 0
    sums = [(bits_of(part.cells), part.total) for part in constraints if isinstance(part, SetTotal)]
    for cells, total in sorted(sums, key=lambda cage: cage[0].bit_count()):
        if not cells & used:
            used |= cells
            cages.append((cells, total))
    return cages


def _bands(units: Sequence[int], unit_total: int) -> Iterator[_Sum]:
    """Yield each unit and each band of consecutive units without common cells, smaller ones first.

    `units`: the mask of each unit.
    """
    layers = disjoint_layers(units)
    for count in range(1, _MAX_UNITS + 1):
        for layer in layers:
            for start in range(len(layer) - count + 1):
                yield sum(layer[start : start + count]), count * unit_total
