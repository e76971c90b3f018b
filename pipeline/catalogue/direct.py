"""The canonical form of a puzzle that has no solution, or several: its lowest image.

It is built row by row from the top, for all orders of the columns side by side. Lines that look
the same are not told apart, so that few givens do not make many candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.symmetries import Cells, Lines, line_orders


def lowest_form(puzzle: Cells, box: int) -> Cells:
    """The lowest image (n²,) of a puzzle (n²,) under all symmetries; blanks come before values."""
    grid = puzzle.reshape(box * box, -1)
    return min((_lowest(each, box) for each in (grid, grid.T)), key=bytes)


@dataclass(frozen=True, slots=True)
class _Partial:
    """The first rows of images that may become the lowest.

    grids: (C, n, n) with ordered columns and the rows as they were. rows: (C, k) those taken.
    labels: (C, n + 1) of the values met, 0 of others. used: (C,) how many were met.
    """

    grids: Cells
    rows: Lines
    labels: Cells
    used: NDArray[np.uint8]


def _lowest(grid: Cells, box: int) -> Cells:
    side = len(grid)
    orders = _different_orders(grid, box)
    left = _Partial(
        np.ascontiguousarray(grid[:, orders].swapaxes(0, 1)),
        np.zeros((len(orders), 0), np.intp),
        np.zeros((len(orders), side + 1), np.uint8),
        np.zeros(len(orders), np.uint8),
    )
    kinds = _kinds(grid), _band_kinds(grid, box)
    form = np.empty((side, side), np.uint8)
    for number in range(side):
        at, row = _choices(left.rows, kinds, side, box)
        if not number and not _repeats(grid):
            few = _with_lowest_blanks(left.grids[at, row])
            at, row = at[few], row[few]
        left, form[number] = _extended(left, at, row)
    return form.ravel()


def _different_orders(grid: Cells, box: int) -> Lines:
    """Orders of the columns that make grids of all looks, each once."""
    orders, kinds = line_orders(box), _kinds(grid.T)
    looks = kinds[orders] @ len(grid) ** np.arange(len(grid))
    different: Lines = orders[np.unique(looks, return_index=True)[1]]
    return different


def _kinds(grid: Cells) -> Lines:
    """For each row the first one that has the same cells."""
    first: Lines = (grid[:, None] == grid[None]).all(axis=2).argmax(axis=1)
    return first


def _band_kinds(grid: Cells, box: int) -> Lines:
    """For each band the first one that has the same rows, in any order."""
    bands = np.sort(_kinds(grid).reshape(-1, box), axis=1)
    return _kinds(bands.astype(np.uint8))


def _repeats(grid: Cells) -> bool:
    """Whether a row has a value twice."""
    return any(np.bincount(row[row > 0]).max(initial=0) > 1 for row in grid)


def _with_lowest_blanks(rows: Cells) -> Lines:
    """The places of rows (C, n) with the first blanks: of those without repetitions the lowest."""
    codes = (rows > 0) @ (1 << np.arange(rows.shape[1] - 1, -1, -1))
    return np.flatnonzero(codes == codes.min())


def _extended(left: _Partial, at: Lines, row: Lines) -> tuple[_Partial, Cells]:
    """The candidates with the lowest next row, and that row, of these candidates and rows."""
    side = left.grids.shape[1]
    values = left.grids[at, row]
    labels, used = left.labels[at], left.used[at].copy()
    each, image = np.arange(len(at)), np.zeros_like(values)
    for column in range(side):
        value = values[:, column]
        is_new = (value > 0) & (labels[each, value] == 0)
        used += is_new
        labels[each[is_new], value[is_new]] = used[is_new]
        image[:, column] = labels[each, value]
    codes = image @ (np.int64(side + 1) ** np.arange(side - 1, -1, -1))
    best = np.flatnonzero(codes == codes.min())
    rows = np.concatenate((left.rows[at[best]], row[best, None]), axis=1)
    return _Partial(left.grids[at[best]], rows, labels[best], used[best]), image[best[0]]


def _choices(rows: Lines, kinds: tuple[Lines, Lines], side: int, box: int) -> tuple[Lines, Lines]:
    """The rows that may come next, each with its candidate: of equal rows, or bands, the first."""
    count, taken = rows.shape
    each = np.arange(count)[:, None]
    is_free = np.ones((count, side), np.bool_)
    is_free[each, rows] = False
    kind, band_kind = kinds
    if taken % box:
        is_free &= np.arange(side) // box == rows[:, -1:] // box
    else:
        band_free = np.logical_and.reduce(is_free.reshape(count, box, box), axis=2)
        for band in range(box):
            for earlier in range(band):
                if band_kind[band] == band_kind[earlier]:
                    band_free[:, band] &= ~band_free[:, earlier]
        is_free &= band_free.repeat(box, axis=1)
    for row in range(side):
        for earlier in range(row // box * box, row):
            if kind[row] == kind[earlier]:
                is_free[:, row] &= ~is_free[:, earlier]
    candidates, chosen = np.nonzero(is_free)
    return candidates, chosen
