"""The canonical form of classic 9×9 puzzles: one for each class that symmetries make of a puzzle.

Symmetries permute bands, rows in a band, stacks and columns in a stack, transpose, and relabel. Of
two grids the lower is that with the lower value in the first cell, row by row, in which they
differ; a blank is lower than any value.

- A puzzle with one solution: among the symmetries that make its solution the lowest it can become,
  the lowest image of the puzzle.
- Any other: the lowest image of the puzzle under all symmetries.

So a form is an image of its puzzle, and puzzles are equivalent exactly if their forms are equal.
The second kind is found here by brute force. Its image is built row by row from the top, for all
orders of the columns side by side. Equal lines are not told apart, so that few givens do not make
many candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.minlex import BOX, CELLS, SIDE, forms_through
from pipeline.catalogue.puzzles import Flags, Indices, ValueArray, line_orders


def canonical_forms(puzzles: ValueArray, unique: Flags, solutions: ValueArray) -> ValueArray:
    """The canonical forms (P, 81) of classic puzzles (P, 81), 0 for a blank.

    A puzzle that is `unique` (P,) gets its form through its solution, (P, 81); the solutions of
    others are ignored. Raises ValueError for other shapes, and for values and solutions that cannot
    be.
    """
    if puzzles.shape != solutions.shape or puzzles.shape[1:] != (CELLS,):
        raise ValueError(f"puzzles of shape {puzzles.shape}, solutions of {solutions.shape}")
    _check(puzzles, solutions[unique])
    forms = np.empty(puzzles.shape, np.uint8)
    forms[unique] = forms_through(puzzles[unique], solutions[unique])
    for place in np.flatnonzero(~unique).tolist():
        forms[place] = lowest_form(puzzles[place], BOX)
    return forms


def _check(puzzles: ValueArray, solutions: ValueArray) -> None:
    if puzzles.dtype != np.uint8 or solutions.dtype != np.uint8 or (puzzles > SIDE).any():
        raise ValueError(f"expected values of 0 to {SIDE} as bytes")
    bits = np.left_shift(1, solutions, dtype=np.int32).reshape(-1, BOX, BOX, BOX, BOX)
    units = (np.bitwise_or.reduce(bits, axis=axes) for axes in ((3, 4), (1, 2), (2, 4)))
    if not all((each == 2 ** (SIDE + 1) - 2).all() for each in units):
        raise ValueError("a grid given as the solution breaks the rules")


def lowest_form(puzzle: ValueArray, box: int) -> ValueArray:
    """The lowest image (n²,) of a puzzle (n²,) under all symmetries; blanks come before values."""
    grid = puzzle.reshape(box * box, -1)
    return min((_lowest(each, box) for each in (grid, grid.T)), key=bytes)


@dataclass(frozen=True, slots=True)
class _Partial:
    """The first rows of images that may become the lowest.

    grids: (C, n, n) with ordered columns and the rows as they were. rows: (C, k) the rows taken.
    labels: (C, n + 1) of the values met, 0 for others. used: (C,) how many values were met.
    """

    grids: ValueArray
    rows: Indices
    labels: ValueArray
    used: NDArray[np.uint8]


def _lowest(grid: ValueArray, box: int) -> ValueArray:
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


def _different_orders(grid: ValueArray, box: int) -> Indices:
    """Orders of the columns that make grids of all looks, each once."""
    orders, kinds = line_orders(box), _kinds(grid.T)
    looks = kinds[orders] @ len(grid) ** np.arange(len(grid))
    different: Indices = orders[np.unique(looks, return_index=True)[1]]
    return different


def _kinds(grid: ValueArray) -> Indices:
    """The first row with the same cells, for each row."""
    first: Indices = (grid[:, None] == grid[None]).all(axis=2).argmax(axis=1)
    return first


def _band_kinds(grid: ValueArray, box: int) -> Indices:
    """The first band with the same rows, in any order, for each band."""
    bands = np.sort(_kinds(grid).reshape(-1, box), axis=1)
    return _kinds(bands.astype(np.uint8))


def _repeats(grid: ValueArray) -> bool:
    """Whether a row has a value twice."""
    return any(np.bincount(row[row > 0]).max(initial=0) > 1 for row in grid)


def _with_lowest_blanks(rows: ValueArray) -> Indices:
    """The places of rows (C, n) with the first blanks: of those without repetitions the lowest."""
    codes = (rows > 0) @ (1 << np.arange(rows.shape[1] - 1, -1, -1))
    return np.flatnonzero(codes == codes.min())


def _extended(left: _Partial, at: Indices, row: Indices) -> tuple[_Partial, ValueArray]:
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


def _choices(
    rows: Indices, kinds: tuple[Indices, Indices], side: int, box: int
) -> tuple[Indices, Indices]:
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
