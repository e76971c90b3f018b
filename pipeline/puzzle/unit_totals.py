"""Redundant sums for solvers: innies and outies, the cells by which cages miss or overlap units.

The sum of one or several whole units is known. Subtract the sums of all cages that are mostly
inside: what is left is the sum of the few cells inside that no such cage covers (innies), minus the
sum of their cells outside (outies).

The exhaustive search has such sums too (`certify.variants.innies`). It shares no code with this
module, because search and solver check each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

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

_MAX_CAGES = 8192
"""Maximum number of cages for which the bands around them are cached."""

_Sum = tuple[int, int]
"""A bit mask of cells, and the sum of their values."""


def unit_totals(
    constraints: Sequence[Constraint],
    units: Sequence[int],
    values: range,
    peers: Sequence[int],
) -> Iterator[Constraint]:
    """Yield innies and outies: sums that follow from units and from the cages.

    - `constraints`: may have the sums of cages.
    - `units`: masks of groups of cells that hold different values.
    - `peers`: for each cell, a bit mask of the cells in its units, itself included.
    """
    cages = _disjoint_cages(constraints)
    if not cages:
        return
    bands = _bands(tuple([unit for unit in units if unit.bit_count() == len(values)]))
    covered = [0] * len(bands.cells)
    totals = [count * sum(values) for count in bands.unit_counts]
    for cage, cage_total in cages:
        for index in bands.around(cage):
            covered[index] |= cage
            totals[index] -= cage_total
    seen = {cage for cage, _ in cages}
    for band, caged, total in zip(bands.cells, covered, totals, strict=True):
        rest = band ^ caged
        if not caged or not rest or rest in seen:
            continue
        innies = rest & band
        is_set = (not innies or innies == rest) and _are_peers(rest, peers)
        if is_set and rest & (rest - 1):
            seen.add(rest)
            yield SetTotal(tuple(indices_of(rest)), total if innies else -total, values)
        elif rest.bit_count() <= _MAX_CELLS:
            seen.add(rest)
            cells = indices_of(rest)
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


def _are_peers(cells: int, peers: Sequence[int]) -> bool:
    """Whether each two of the cells are in a group together."""
    for cell in indices_of(cells):  # noqa: SIM110 - faster than `all`: one cell often decides
        if peers[cell] & cells != cells:
            return False
    return True


@dataclass(frozen=True, slots=True, eq=False)
class _BandIndex:
    """Each unit, and each band of consecutive units without common cells, smaller ones first.

    - `cells`: the mask of each band.
    - `unit_counts`: the number of its units.
    """

    cells: tuple[int, ...]
    unit_counts: tuple[int, ...]
    _around: dict[int, list[int]] = field(init=False, default_factory=dict)

    def around(self, cage: int) -> list[int]:
        """The indices of the bands that contain more than half of a cage.

        Cached, because killers share many cages: a 9×9 grid has 4,733 connected sets of two to five
        cells. A full cache is emptied.
        """
        indices = self._around.get(cage)
        if indices is None:
            half = cage.bit_count() // 2
            indices = [
                index for index, band in enumerate(self.cells) if (cage & band).bit_count() > half
            ]
            if len(self._around) >= _MAX_CAGES:
                self._around.clear()
            self._around[cage] = indices
        return indices


@lru_cache(maxsize=16)
def _bands(units: tuple[int, ...]) -> _BandIndex:
    """The bands of these units, given as masks."""
    layers = disjoint_layers(units)
    bands = [
        (sum(layer[start : start + count]), count)
        for count in range(1, _MAX_UNITS + 1)
        for layer in layers
        for start in range(len(layer) - count + 1)
    ]
    return _BandIndex(*zip(*bands, strict=True)) if bands else _BandIndex((), ())
