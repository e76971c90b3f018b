"""Innies and outies: sums that follow from the totals of units and of the cages in them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pipeline.certify.variants.simplify import SimplifiedConstraints
from pipeline.certify.variants.unit_numbers import Unit
from pipeline.puzzle.geometry import Geometry, bits_of, indices_of
from pipeline.puzzle.sums import Total

_MIN_CAGES, _MAX_INNIES = 4, 5
"""Innies and outies are computed if there are at least _MIN_CAGES cages. A band of several lines
may have at most _MAX_INNIES of them."""

Terms = dict[int, int]
"""The weight of each cell of a sum."""


# Each unit, and each band of adjacent lines, has a known total. Subtract the totals of the cages
# that have more than half of their cells inside. The result is the total of the inside cells that
# these cages miss (innies), minus the total of the cages' cells outside (outies). A cage that
# overlaps a smaller cage is skipped, so no cell counts twice.
def innies(
    simplified: SimplifiedConstraints, units: tuple[Unit, ...]
) -> Iterator[tuple[Terms, int]]:
    """Yield innies and outies: sums of the few cells by which cages miss or overlap whole units.

    A sum consists of the weights of its cells and its total.
    """
    cages, used = list[tuple[int, int, int]](), 0
    totals = (
        (constraint.weights(), constraint.total)
        for constraint in simplified.constraints
        if isinstance(constraint, Total)
    )
    sums = [(bits_of(terms), total) for terms, total in totals if {*terms.values()} == {1}]
    for cells, total in sorted(sums, key=lambda cage: cage[0].bit_count()):
        if not cells & used:
            used |= cells
            cages.append((cells, cells.bit_count() // 2, total))
    if len(cages) < _MIN_CAGES:
        return
    for band in _bands(simplified.geometry, units, simplified.values):
        inside, total = 0, band.total
        for cage, half, cage_total in cages:
            if (cage & band.cells).bit_count() > half:
                inside |= cage
                total -= cage_total
        missed, outside = band.cells & ~inside, inside & ~band.cells
        if 0 < (missed | outside).bit_count() <= band.max_innies:
            positive = dict.fromkeys(indices_of(missed), 1)
            yield positive | dict.fromkeys(indices_of(outside), -1), total


class _Band(NamedTuple):
    """A unit or adjacent lines: its cells as bits, its total, and the maximum number of innies."""

    cells: int
    total: int
    max_innies: int


@lru_cache(maxsize=16)
def _bands(geometry: Geometry, units: tuple[Unit, ...], values: range) -> list[_Band]:
    """Return the units, and the bands of adjacent lines that are units."""
    totals = {
        bits_of(unit.cells): sum([values[index] for index in indices_of(unit.values)])
        for unit in units
    }
    bands = [_Band(cells, total, cells.bit_count() - 2) for cells, total in totals.items()]
    for lines in (tuple(geometry.rows()), tuple(geometry.columns())):
        length = len(lines) if geometry.free_grid else geometry.side
        for start in range(0, len(lines), length):
            grid = [bits_of(line) for line in lines[start : start + length]]
            for first, line in enumerate(grid):
                cells = total = 0
                for last in grid[first : first + geometry.side - 1]:
                    if last not in totals:
                        break
                    cells, total = cells | last, total + totals[last]
                    if last != line:
                        bands.append(_Band(cells, total, _MAX_INNIES))
    return bands
