"""Redundant sums for solvers: sums of several rules added up, if they nearly fill whole units.

For example, four neighbouring diagonals with 32 cells contain eight cells of one box. The sum of
the box is known, so these eight are a known sum minus one cell. With such sums, solvers refute some
little killers in a tenth of a second. Without them, none did so in 40 seconds, with running sums,
trees of partial sums, or shared sums of groups of cells.

The search adds up sums too (`certify.variants.joint`), by the slack of their bounds. It shares no
code with this module, because search and solver check each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.puzzle.geometry import bits_of
from pipeline.puzzle.sums import Total

_MAX_TOTALS = 12
"""Maximum number of sums that are considered. Further ones are left out."""

_MAX_JOINED = 4
"""Maximum number of sums that are added up."""

_MIN_CELLS = 5
"""Minimum number of cells of a sum that is considered."""

_MAX_REST = 0.6
"""Maximum share of the cells of a joined sum that are left after whole units are subtracted. With
0.5, the solvers took 50 times as long for the little killers that were tried."""


def joined_totals(
    totals: Sequence[Total], units: Sequence[Sequence[int]], values: range
) -> Iterator[Total]:
    """Yield sums of three or more of the totals that nearly fill whole units.

    `units`: the cells of each unit, which hold different values.
    """
    plain = [t for t in totals if len(t.terms) >= _MIN_CELLS and _is_plain(t)][:_MAX_TOTALS]
    masks = [bits_of(cell for cell, _ in total.terms) for total in plain]
    if len(plain) < 3:
        return
    layers = disjoint_layers([bits_of(unit) for unit in units if len(unit) == len(values)])
    found: set[int] = set()
    for start in range(len(plain)):
        chosen, cells = [start], masks[start]
        while len(chosen) < _MAX_JOINED:
            rests = [
                (_rest(cells | mask, layers, len(values)), index)
                for index, mask in enumerate(masks)
                if not mask & cells
            ]
            if not rests:
                break
            rest, best = min(rests)
            chosen, cells = [*chosen, best], cells | masks[best]
            if len(chosen) > 2 and rest <= _MAX_REST * cells.bit_count() and cells not in found:
                found.add(cells)
                parts = [plain[index] for index in chosen]
                terms = tuple(term for part in parts for term in part.terms)
                yield Total(terms, sum(part.total for part in parts))


def _is_plain(total: Total) -> bool:
    """Whether the total is the sum of distinct cells."""
    weights = total.weights()
    return len(weights) == len(total.terms) and {*weights.values()} == {1}


def disjoint_layers(units: Sequence[int]) -> list[list[int]]:
    """Divide masks of units, in order, into layers of units without common cells."""
    layers: list[list[int]] = []
    covered = 0
    for unit in units:
        if not layers or unit & covered:
            layers.append([])
            covered = 0
        layers[-1].append(unit)
        covered |= unit
    return layers


def _rest(cells: int, layers: Sequence[Sequence[int]], side: int) -> int:
    """The minimum number of cells that are left if units of one layer are subtracted."""
    minimum = cells.bit_count()
    for layer in layers:
        inside = [(cells & unit).bit_count() for unit in layer]
        saved = sum(max(0, 2 * count - side) for count in inside)
        minimum = min(minimum, cells.bit_count() - saved)
    return minimum
