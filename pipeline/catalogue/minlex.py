"""Canonical forms of 9×9 puzzles with one solution, from the lowest image of that solution.

Order the columns of a solution and relabel its values, so that its first row is 1, 2, … 9. The
second row is then a permutation p of the columns: its value in column c is the value of the first
row in column p(c). Column p(c) is in another stack than c. Permuting the columns by s turns p into
s⁻¹ps. For each of the 12,096 possible p, a table lists the lowest second row that permutations of
the columns can produce, and the orders of columns that produce it. The images with the lowest
second row are compared cell by cell, and each is dropped at the first cell where another image is
lower. Few symmetries remain, usually one. They are applied to the puzzle, and its lowest image is
the form. The search runs as machine code or in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.puzzle_arrays import Indices, ValueArray, line_orders
from pipeline.native import Program, ProgramLoader, compiled

CALL_PUZZLES = 4096
"""Number of puzzles per call of machine code. A call takes a few milliseconds and delays
signals."""

_PYTHON_SECONDS = 0.02
"""Seconds that plain Python takes for a puzzle."""

PROGRAM = Program(
    "forms", "write_forms", ("pipeline.catalogue.minlex",), "pipeline.catalogue.minlex.try_forms"
)
loader = ProgramLoader(PROGRAM)

_HIGHER, _SAME, _LOWER = range(3)
"""Results of comparing an image of the solution with the lowest image so far."""

BOX, SIDE, _CELLS = 3, 9, 81
PAIRS = 36
"""Number of ordered pairs of two rows of a band (18) or two columns of a stack (18)."""

MAX_TIED = PAIRS * 18
"""Maximum number of symmetries with the lowest image: each pair has at most 18 orders of
columns."""

NO_ROW = 2**30
"""The rank of a key that belongs to no second row."""

_NO_CODE = -(2**24)
"""The code of columns that no second row has in a stack. It makes the sum of the codes negative."""


class Tables(NamedTuple):
    """The lowest image of each second row, and the orders of columns that produce this image.

    Each second row has a key from 0 to K - 1.
    """

    codes: NDArray[np.int32]
    """(3, 729): a code for each stack and its columns p(c), read as digits to base 9. The sum of
    the codes of the three stacks is the key of a row. It is negative if no second row has these
    columns.
    """
    ranks: NDArray[np.int32]
    """(K,): the rank of the lowest image of the row with this key; NO_ROW if there is no row."""
    starts: NDArray[np.int32]
    """(K,): the index in `orders` of the first order that produces the lowest image."""
    order_counts: NDArray[np.int32]
    """(K,): the number of orders that produce the lowest image."""
    orders: NDArray[np.int32]
    """Indices in `lines`: the orders of columns of all keys, one key after another."""
    lines: NDArray[np.uint8]
    """(1296, 9): all orders of columns."""


class Scratch(NamedTuple):
    """Working memory for one puzzle."""

    grids: NDArray[np.uint8]
    """(2, 81): the solution of the puzzle, and its transpose."""
    columns: NDArray[np.uint8]
    """(2, 9, 10): the column of each value in each row of `grids`."""
    keys: NDArray[np.int64]
    """(PAIRS,): the keys of second rows."""
    labels: NDArray[np.uint8]
    """(10,): the new label of each value under the current symmetry."""
    rows: NDArray[np.int64]
    """(9,): the order of rows of the current symmetry."""
    first_labels: NDArray[np.int64]
    """(9,): the first label of each row under the current symmetry."""
    best: NDArray[np.uint8]
    """(81,): the lowest image of the solution so far."""
    tied: NDArray[np.int64]
    """(MAX_TIED, 4): the symmetries that map the solution to `best`: whether they transpose, their
    first row, second row, and order of columns.
    """
    image: NDArray[np.uint8]
    """(81,): the image of the puzzle under one of the symmetries in `tied`."""


@lru_cache
def tables() -> Tables:
    """Compute the tables of second rows, which takes a few tenths of a second, and cache them."""
    codes, keys = _compute_codes()
    ranks, starts, order_counts = (np.full(keys, value, np.int32) for value in (NO_ROW, 0, 0))
    classes: list[tuple[list[int], Indices, Indices]] = []
    rows = _second_rows()
    for row, key in zip(rows, _keys(codes, rows).tolist(), strict=True):
        if ranks[key] == NO_ROW:
            classes.append(_find_class(row, codes))
            ranks[classes[-1][1]] = 0
    orders: list[Indices] = []
    start = 0
    for rank, (_, reached, leading) in enumerate(
        sorted(classes, key=lambda row_class: row_class[0])
    ):
        ranks[reached], order_counts[reached] = rank, leading.shape[1]
        starts[reached] = start + np.arange(len(reached)) * leading.shape[1]
        start += leading.size
        orders.append(leading.ravel())
    all_orders = np.concatenate(orders).astype(np.int32)
    return Tables(codes, ranks, starts, order_counts, all_orders, line_orders(BOX).astype(np.uint8))


def _keys(codes: NDArray[np.int32], rows: Indices) -> Indices:
    """Return the keys (R,) of second rows (R, 9)."""
    places = rows.reshape(-1, BOX, BOX) @ SIDE ** np.arange(BOX - 1, -1, -1)
    keys: Indices = codes[np.arange(BOX), places].sum(axis=1, dtype=np.intp)
    return keys


def _compute_codes() -> tuple[NDArray[np.int32], int]:
    """Return the codes (see `Tables`), and the number of keys.

    The first two stacks determine which columns remain for the last stack, so the code of the last
    stack only encodes their order.
    """
    within = list(permutations(range(BOX)))
    codes, keys = np.full((BOX, SIDE**BOX), _NO_CODE, np.int32), 1
    for stack in range(BOX - 1, -1, -1):
        own_columns = range(stack * BOX, stack * BOX + BOX)
        parts = [
            part for part in permutations(range(SIDE), BOX) if set(part).isdisjoint(own_columns)
        ]
        ranks: list[int] = list(range(len(parts)))
        if stack == BOX - 1:
            ranks = [within.index(tuple(map(sorted(part).index, part))) for part in parts]
        digits = SIDE ** np.arange(BOX - 1, -1, -1)
        codes[stack, np.array(parts) @ digits] = np.array(ranks) * keys
        keys *= max(ranks) + 1
    return codes, keys


def _second_rows() -> Indices:
    """Return all second rows: each p(c) is in another stack than c, and no column repeats."""
    parts = np.array(list(permutations(range(SIDE), BOX)), np.intp)
    bits = np.bitwise_or.reduce(1 << parts, axis=1)
    rows, taken = np.zeros((1, 0), np.intp), np.zeros(1, np.intp)
    for stack in range(BOX):
        outside = np.flatnonzero((parts // BOX != stack).all(axis=1))
        row_index, part = np.nonzero(taken[:, None] & bits[outside] == 0)
        rows = np.concatenate((rows[row_index], parts[outside[part]]), axis=1)
        taken = taken[row_index] | bits[outside[part]]
    return rows


def _find_class(row: Indices, codes: NDArray[np.int32]) -> tuple[list[int], Indices, Indices]:
    """Find the rows that permutations of the columns make from a second row.

    Returns the lowest of these rows, the keys of all of them, and for each key the indices (in
    `line_orders`) of the orders of columns that turn its row into the lowest row.
    """
    orders = line_orders(BOX)
    back = np.argsort(orders, axis=1)
    images = np.take_along_axis(back, row[orders], axis=1)
    lowest = images[np.lexsort(images.T[::-1])[0]]
    to_lowest = orders[(images == lowest).all(axis=1)]
    reached, first = np.unique(_keys(codes, images), return_index=True)
    leading = back[first][:, to_lowest]  # undo the order that made this row, then apply `to_lowest`
    digits = SIDE ** np.arange(SIDE)
    order_keys = orders @ digits
    sorted_orders = np.argsort(order_keys)
    places = sorted_orders[np.searchsorted(order_keys, leading @ digits, sorter=sorted_orders)]
    return lowest.tolist(), reached, places


def new_scratch() -> Scratch:
    """Allocate working memory."""
    return Scratch(
        np.zeros((2, _CELLS), np.uint8),
        np.zeros((2, SIDE, SIDE + 1), np.uint8),
        np.zeros(PAIRS, np.int64),
        np.zeros(SIDE + 1, np.uint8),
        np.zeros(SIDE, np.int64),
        np.zeros(SIDE, np.int64),
        np.zeros(_CELLS, np.uint8),
        np.zeros((MAX_TIED, 4), np.int64),
        np.zeros(_CELLS, np.uint8),
    )


def forms_of_unique(puzzles: ValueArray, solutions: ValueArray) -> ValueArray:
    """Return the canonical forms (P, 81) of puzzles with one solution; see `canonical`."""
    write = loader.get(len(puzzles) * _PYTHON_SECONDS)
    return compute_forms(write or write_forms, puzzles, solutions)


def compute_forms(
    write: Callable[..., int], puzzles: ValueArray, solutions: ValueArray
) -> ValueArray:
    """Compute the forms of `forms_of_unique` with `write`: `write_forms`, or its machine code."""
    forms = np.zeros_like(puzzles, order="C")
    scratch = new_scratch()
    for start in range(0, len(puzzles), CALL_PUZZLES):
        chunk = slice(start, start + CALL_PUZZLES)
        cells = (np.ascontiguousarray(grids[chunk], np.uint8) for grids in (puzzles, solutions))
        write(tables(), scratch, *cells, forms[chunk])
    return forms


def try_forms(write: Callable[..., int]) -> None:
    """Compute the form of the lowest grid of all, rotated by a quarter turn.

    Raises RuntimeError unless the form is that lowest grid.
    """
    lowest = np.array(
        [[(3 * r + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], np.uint8
    )
    turned = np.rot90(lowest).reshape(1, _CELLS)
    if compute_forms(write, turned, turned).reshape(SIDE, SIDE).tolist() != lowest.tolist():
        raise RuntimeError("self-test of the compiled code failed: wrong canonical form")


@compiled(inline=True)
def _load_solution(scratch, solutions, puzzle):
    """Write a solution and its transpose to `grids`, and the column of each value to `columns`."""
    for row in range(SIDE):
        for column in range(SIDE):
            value = solutions[puzzle, SIDE * row + column]
            scratch.grids[0, SIDE * row + column] = value
            scratch.grids[1, SIDE * column + row] = value
            scratch.columns[0, row, value] = column
            scratch.columns[1, column, value] = row


@compiled(inline=True)
def _row_key(scratch, tables, transposed, first, second):
    """Return the key of row `second` if row `first` comes first; negative if it has none."""
    key = np.int64(0)
    for stack in range(BOX):
        position = np.int64(0)
        for column in range(BOX * stack, BOX * stack + BOX):
            value = scratch.grids[transposed, SIDE * second + column]
            position = position * SIDE + np.int64(scratch.columns[transposed, first, value])
        key += tables.codes[stack, position]
    return key


@compiled(inline=True)
def _rank_pairs(scratch, tables):
    """Write the keys of all pairs of rows. Returns the lowest rank of any pair."""
    lowest_rank, pair = np.int64(NO_ROW), 0
    for transposed in range(2):
        for first in range(SIDE):
            band = first - first % BOX
            for second in range(band, band + BOX):
                if second != first:
                    key = _row_key(scratch, tables, transposed, first, second)
                    scratch.keys[pair] = key
                    pair += 1
                    if key >= 0:
                        lowest_rank = min(lowest_rank, np.int64(tables.ranks[key]))
    return lowest_rank


# The first row and the order of columns determine the labels. All labels in the first column
# differ. So the lowest image sorts the rows of a band by their label in this column, and the bands
# by the label of their first row.
@compiled(inline=True)
def _write_symmetry(scratch, tables, transposed, first, second, order):
    """Write the labels and the order of rows of a symmetry to `scratch`."""
    grids, labels, first_labels, rows = (
        scratch.grids,
        scratch.labels,
        scratch.first_labels,
        scratch.rows,
    )
    for column in range(SIDE):
        value = grids[transposed, SIDE * first + tables.lines[order, column]]
        labels[value] = np.uint8(column + 1)
    first_column = np.int64(tables.lines[order, 0])
    for row in range(SIDE):
        first_labels[row] = labels[grids[transposed, SIDE * row + first_column]]
    band = first // BOX
    rows[0], rows[1], rows[2] = first, second, 3 * BOX * band + 3 - first - second
    band_1, band_2 = (band + 1) % BOX, (band + 2) % BOX
    _sort_band(rows, first_labels, 3, BOX * band_1)
    _sort_band(rows, first_labels, 6, BOX * band_2)
    if first_labels[rows[6]] < first_labels[rows[3]]:
        for row in range(3, 6):
            rows[row], rows[row + 3] = rows[row + 3], rows[row]


@compiled(inline=True)
def _sort_band(rows, first_labels, target, start):
    """Write the row numbers `start` to `start` + 2 to `rows[target:]`, sorted by first label."""
    a, b, c = start, start + 1, start + 2
    if first_labels[b] < first_labels[a]:
        a, b = b, a
    if first_labels[c] < first_labels[b]:
        b, c = c, b
        if first_labels[b] < first_labels[a]:
            a, b = b, a
    rows[target], rows[target + 1], rows[target + 2] = a, b, c


@compiled(inline=True)
def _compare_with_best(scratch, tables, transposed, order, is_first):
    """Compare the image of the solution with `best`, and copy it there if it is lower.

    Returns _HIGHER, _SAME or _LOWER. If `is_first`, there is no `best` yet.
    """
    state = _LOWER if is_first else _SAME
    for row in range(2, SIDE):
        start = SIDE * scratch.rows[row]
        for column in range(SIDE):
            value = scratch.grids[transposed, start + tables.lines[order, column]]
            label, cell = scratch.labels[value], SIDE * row + column
            if state == _SAME:
                if label > scratch.best[cell]:
                    return _HIGHER
                if label < scratch.best[cell]:
                    state = _LOWER
            scratch.best[cell] = label
    return state


# Only symmetries whose second row has the lowest rank can produce the lowest image.
# `_compare_with_best` drops a symmetry at the first cell where its image is higher than the best
# one.
@compiled(inline=True)
def _find_tied(scratch, tables, lowest_rank):
    """Write the symmetries with the lowest image of the solution. Returns their number."""
    count, pair, tied = 0, 0, scratch.tied
    for transposed in range(2):
        for first in range(SIDE):
            band = first - first % BOX
            for second in range(band, band + BOX):
                if second == first:
                    continue
                key = scratch.keys[pair]
                pair += 1
                if key < 0 or tables.ranks[key] != lowest_rank:
                    continue
                start = tables.starts[key]
                for i in range(start, start + tables.order_counts[key]):
                    order = tables.orders[i]
                    _write_symmetry(scratch, tables, transposed, first, second, order)
                    comparison = _compare_with_best(scratch, tables, transposed, order, count == 0)
                    if comparison == _HIGHER:
                        continue
                    if comparison == _LOWER:
                        count = 0
                    tied[count, 0], tied[count, 1] = transposed, first
                    tied[count, 2], tied[count, 3] = second, order
                    count += 1
    return count


@compiled(inline=True)
def _write_image(scratch, tables, puzzles, puzzle, tie):
    """Write the image of a puzzle under the symmetry `tied[tie]` to `scratch.image`."""
    transposed, order = scratch.tied[tie, 0], scratch.tied[tie, 3]
    _write_symmetry(scratch, tables, transposed, scratch.tied[tie, 1], scratch.tied[tie, 2], order)
    scratch.labels[0] = 0
    for row in range(SIDE):
        for column in range(SIDE):
            row_of_grid, column_of_grid = scratch.rows[row], np.int64(tables.lines[order, column])
            cell = (
                SIDE * column_of_grid + row_of_grid
                if transposed
                else SIDE * row_of_grid + column_of_grid
            )
            scratch.image[SIDE * row + column] = scratch.labels[puzzles[puzzle, cell]]


@compiled()
def write_forms(tables, scratch, puzzles, solutions, forms):
    """Write the canonical forms of puzzles to `forms` (P, 81).

    `puzzles` (P, 81) contains values 0 to 9, and `solutions` (P, 81) contains 1 to 9. If a solution
    has no valid second row, no form is written.
    """
    for puzzle in range(len(puzzles)):
        _load_solution(scratch, solutions, puzzle)
        count = _find_tied(scratch, tables, _rank_pairs(scratch, tables))
        for tie in range(count):
            _write_image(scratch, tables, puzzles, puzzle, tie)
            is_lower = tie == 0
            for cell in range(_CELLS):
                if scratch.image[cell] != forms[puzzle, cell]:
                    is_lower = is_lower or scratch.image[cell] < forms[puzzle, cell]
                    break
            if is_lower:
                for cell in range(_CELLS):
                    forms[puzzle, cell] = scratch.image[cell]
    return True
