"""Innies and outies: sums that follow from the totals of units and of the cages in them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.variants.simplify import SimplifiedConstraints
from pipeline.certify.variants.unit_numbers import Unit
from pipeline.puzzle.geometry import Geometry, bits_of, indices_of
from pipeline.puzzle.sums import Total

_MIN_CAGES, _MAX_INNIES = 4, 5
"""Innies and outies are computed if there are at least _MIN_CAGES cages. A band of several lines
may have at most _MAX_INNIES innies and outies."""

Terms = tuple[tuple[int, int], ...]
"""The cells of a sum, ascending, each with its weight."""


# Each unit, and each band of adjacent lines, has a known total. Subtract the totals of the cages
# that have more than half of their cells inside. The result is the total of the inside cells that
# these cages miss (innies), minus the total of the cages' cells outside (outies). A cage that
# overlaps a smaller cage is skipped, so no cell counts twice.
def innies(
    simplified: SimplifiedConstraints, units: tuple[Unit, ...]
) -> Iterator[tuple[Terms, int]]:
    """Yield innies and outies: sums of the few cells by which cages miss or overlap whole units.

    A sum consists of its terms and its total.
    """
    totals = (
        (constraint.weights(), constraint.total)
        for constraint in simplified.constraints
        if isinstance(constraint, Total)
    )
    sums = [([*terms], total) for terms, total in totals if {*terms.values()} == {1}]
    cages, used = list[tuple[list[int], int]](), set[int]()
    for cells, total in sorted(sums, key=lambda cage: len(cage[0])):
        if used.isdisjoint(cells):
            used.update(cells)
            cages.append((cells, total))
    if len(cages) < _MIN_CAGES:
        return
    bands = _bands(simplified.geometry, units, simplified.values)
    in_cage = np.zeros((len(cages), simplified.geometry.size), np.float32)
    cage_of_cell = np.repeat(np.arange(len(cages)), [len(cells) for cells, _ in cages])
    in_cage[cage_of_cell, [cell for cells, _ in cages for cell in cells]] = 1
    is_subtracted = bands.has_cell @ in_cage.T > in_cage.sum(axis=1) // 2
    inside = is_subtracted @ in_cage
    differ = inside != bands.has_cell
    counts = differ.sum(axis=1)
    rests = bands.totals - is_subtracted @ np.array([total for _, total in cages], np.int64)
    chosen = np.flatnonzero((counts > 0) & (counts <= bands.max_innies))
    rows, columns = np.nonzero(differ[chosen])
    weights = np.where(inside[chosen[rows], columns] > 0, -1, 1).tolist()
    terms, end = [*zip(columns.tolist(), weights, strict=True)], 0
    for count, rest in zip(counts[chosen].tolist(), rests[chosen].tolist(), strict=True):
        start, end = end, end + count
        yield tuple(terms[start:end]), rest


class _Bands(NamedTuple):
    """Units, and bands of adjacent lines that are units.

    - `has_cell`: a row for each band, 1 for its cells, and 0 for the other cells of the grid.
    - `totals`: the sum of the values of each band.
    - `max_innies`: the maximum number of innies and outies of each band.
    """

    has_cell: NDArray[np.float32]
    totals: NDArray[np.int64]
    max_innies: NDArray[np.int64]


@lru_cache(maxsize=16)
def _bands(geometry: Geometry, units: tuple[Unit, ...], values: range) -> _Bands:
    """Return the units, and the bands of adjacent lines that are units."""
    totals = {
        bits_of(unit.cells): sum([values[index] for index in indices_of(unit.values)])
        for unit in units
    }
    bands = [(cells, total, cells.bit_count() - 2) for cells, total in totals.items()]
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
                        bands.append((cells, total, _MAX_INNIES))
    has_cell = np.zeros((len(bands), geometry.size), np.float32)
    for row, (cells, _, _) in zip(has_cell, bands, strict=True):
        row[[*indices_of(cells)]] = 1
    band_totals, max_innies = np.array([band[1:] for band in bands], np.int64).reshape(-1, 2).T
    return _Bands(has_cell, band_totals, max_innies)
