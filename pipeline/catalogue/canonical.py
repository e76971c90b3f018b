"""Canonical forms of classic 9×9 puzzles: one representative of each class of equivalent puzzles.

Symmetries permute bands, rows within bands, stacks and columns within stacks, transpose, and
relabel. Grids are compared cell by cell in reading order; a blank is lower than any value.

- The form of a puzzle with one solution is the lowest image of the puzzle under those symmetries
  that map its solution to the lowest possible grid.
- The form of any other puzzle is its lowest image under all symmetries.

A form is therefore an image of its puzzle, and puzzles are equivalent if and only if their forms
are equal. `minlex` computes forms of the first kind. This module finds forms of the second kind by
brute force: it builds the image row by row from the top, for all orders of columns at once. Equal
lines are interchangeable, so only one of their orders is tried. Puzzles with few givens have many
equal lines, and thus few candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.minlex import BOX, SIDE, forms_of_unique
from pipeline.catalogue.puzzle_arrays import Flags, Indices, ValueArray, line_orders
from pipeline.puzzle.geometry import NINE_BY_NINE


def canonical_forms(puzzles: ValueArray, unique: Flags, solutions: ValueArray) -> ValueArray:
    """Return the canonical forms (P, 81) of classic puzzles (P, 81); 0 is a blank.

    `unique` (P,) flags the puzzles with one solution. Row p of `solutions` (P, 81) is the solution
    of puzzle p if the puzzle is unique, and is ignored otherwise. Raises ValueError for other
    shapes and types, for values above 9, and for solutions that break the rules.
    """
    if puzzles.shape != solutions.shape or puzzles.shape[1:] != (NINE_BY_NINE.size,):
        found = f"puzzles of {puzzles.shape}, solutions of {solutions.shape}"
        raise ValueError(f"expected two arrays of shape (P, 81), found {found}")
    _check(puzzles, solutions[unique])
    forms = np.empty(puzzles.shape, np.uint8)
    forms[unique] = forms_of_unique(puzzles[unique], solutions[unique])
    for index in np.flatnonzero(~unique).tolist():
        forms[index] = lowest_form(puzzles[index], BOX)
    return forms


def _check(puzzles: ValueArray, solutions: ValueArray) -> None:
    """Raise ValueError for other types, values above 9, and solutions that break the rules."""
    if puzzles.dtype != np.uint8 or solutions.dtype != np.uint8 or (puzzles > SIDE).any():
        raise ValueError(f"expected values of 0 to {SIDE} as bytes")
    bits = np.left_shift(1, solutions, dtype=np.int32).reshape(-1, BOX, BOX, BOX, BOX)
    units = (np.bitwise_or.reduce(bits, axis=axes) for axes in ((3, 4), (1, 2), (2, 4)))
    if not all((values == 2 ** (SIDE + 1) - 2).all() for values in units):
        raise ValueError("a solution breaks the rules")


def lowest_form(puzzle: ValueArray, box: int) -> ValueArray:
    """Return the lowest image (n²,) of a puzzle (n²,) under all symmetries. `box` is √n."""
    grid = puzzle.reshape(box * box, -1)
    return min((_lowest_image(rows, box) for rows in (grid, grid.T)), key=bytes)


@dataclass(frozen=True, slots=True)
class _PartialImages:
    """C candidates for the lowest image, of which the first k rows are chosen.

    | array | shape | contents |
    |---|---|---|
    | `grids` | (C, n, n) | the puzzle with permuted columns and its rows in the original order |
    | `rows` | (C, k) | the rows of `grids` that are the first k rows of the image |
    | `labels` | (C, n + 1) | the new label of each value in these rows, 0 for other values |
    | `label_counts` | (C,) | the number of values in these rows |
    """

    grids: ValueArray
    rows: Indices
    labels: ValueArray
    label_counts: NDArray[np.uint8]


def _lowest_image(grid: ValueArray, box: int) -> ValueArray:
    """Return the lowest image (n²,) of a grid (n, n) under all symmetries that do not transpose."""
    side = len(grid)
    orders = _distinct_orders(grid, box)
    candidates = _PartialImages(
        np.ascontiguousarray(grid[:, orders].swapaxes(0, 1)),
        np.zeros((len(orders), 0), np.intp),
        np.zeros((len(orders), side + 1), np.uint8),
        np.zeros(len(orders), np.uint8),
    )
    kinds = _first_equal_rows(grid), _first_equal_bands(grid, box)
    form = np.empty((side, side), np.uint8)
    for index in range(side):
        indices, row = _possible_next_rows(candidates.rows, kinds, side, box)
        if not index and not _has_repeats(grid):
            lowest = _lowest_blank_patterns(candidates.grids[indices, row])
            indices, row = indices[lowest], row[lowest]
        candidates, form[index] = _extend_by_lowest_row(candidates, indices, row)
    return form.ravel()


def _distinct_orders(grid: ValueArray, box: int) -> Indices:
    """Return orders (O, n) of the columns: one order for each grid that an order can produce."""
    orders, kinds = line_orders(box), _first_equal_rows(grid.T)
    images = kinds[orders] @ len(grid) ** np.arange(len(grid))
    distinct: Indices = orders[np.unique(images, return_index=True)[1]]
    return distinct


def _first_equal_rows(grid: ValueArray) -> Indices:
    """Return, for each row, the index of the first row that equals it."""
    first: Indices = (grid[:, None] == grid[None]).all(axis=2).argmax(axis=1)
    return first


def _first_equal_bands(grid: ValueArray, box: int) -> Indices:
    """Return, for each band, the index of the first band that has the same rows in any order."""
    bands = np.sort(_first_equal_rows(grid).reshape(-1, box), axis=1)
    return _first_equal_rows(bands.astype(np.uint8))


def _has_repeats(grid: ValueArray) -> bool:
    """Whether any row has a value twice."""
    return any(np.bincount(row[row > 0]).max(initial=0) > 1 for row in grid)


def _lowest_blank_patterns(rows: ValueArray) -> Indices:
    """Return the indices of the rows (C, n) whose pattern of blanks is lowest.

    If no row has a value twice, the row with the lowest image is one of these rows.
    """
    codes = (rows > 0) @ (1 << np.arange(rows.shape[1] - 1, -1, -1))
    return np.flatnonzero(codes == codes.min())


def _extend_by_lowest_row(
    candidates: _PartialImages, indices: Indices, row: Indices
) -> tuple[_PartialImages, ValueArray]:
    """Extend candidates by the lowest next row. Returns the extended candidates and that row.

    There are K choices: the next row of candidate `indices[k]` may be row `row[k]` of its grid.
    """
    side = candidates.grids.shape[1]
    values = candidates.grids[indices, row]
    labels, label_counts = candidates.labels[indices], candidates.label_counts[indices].copy()
    choices, image = np.arange(len(indices)), np.zeros_like(values)
    for column in range(side):
        value = values[:, column]
        is_new = (value > 0) & (labels[choices, value] == 0)
        label_counts += is_new
        labels[choices[is_new], value[is_new]] = label_counts[is_new]
        image[:, column] = labels[choices, value]
    codes = image @ (np.int64(side + 1) ** np.arange(side - 1, -1, -1))
    best = np.flatnonzero(codes == codes.min())
    rows = np.concatenate((candidates.rows[indices[best]], row[best, None]), axis=1)
    extended = _PartialImages(
        candidates.grids[indices[best]], rows, labels[best], label_counts[best]
    )
    return extended, image[best[0]]


def _possible_next_rows(
    rows: Indices, kinds: tuple[Indices, Indices], side: int, box: int
) -> tuple[Indices, Indices]:
    """Return the possible next rows: arrays (K,) of candidates, and of rows of their grids.

    `kinds`: for each row, and for each band, the index of the first row or band that equals it. Of
    several equal rows in a band, only the first remaining row is possible. Of several equal
    bands, only the first remaining band is possible.
    """
    count, chosen_count = rows.shape
    candidate = np.arange(count)[:, None]
    is_allowed = np.ones((count, side), np.bool_)
    is_allowed[candidate, rows] = False
    kind, band_kind = kinds
    if chosen_count % box:
        is_allowed &= np.arange(side) // box == rows[:, -1:] // box
    else:
        band_allowed = np.logical_and.reduce(is_allowed.reshape(count, box, box), axis=2)
        for band in range(box):
            for earlier in range(band):
                if band_kind[band] == band_kind[earlier]:
                    band_allowed[:, band] &= ~band_allowed[:, earlier]
        is_allowed &= band_allowed.repeat(box, axis=1)
    for row in range(side):
        for earlier in range(row // box * box, row):
            if kind[row] == kind[earlier]:
                is_allowed[:, row] &= ~is_allowed[:, earlier]
    candidates, chosen = np.nonzero(is_allowed)
    return candidates, chosen
