"""The canonical form of 9×9 puzzles with one solution: the minlex image of that solution.

Let the first row of a solution be 1, 2, … 9, after its columns were ordered and its values
relabelled. The second row is then a permutation of the columns: column c has the value that the
first row has in column p(c), which lies in another stack. Another order s of the columns makes
s⁻¹ps of it. So a table holds, for each of the 12,096 possible p, how low the second row can become,
and by which orders. Each symmetry that leads to the lowest second row is followed row by row, and
dropped at the first cell in which it is not the lowest. Few remain, mostly one, and they are
applied to the puzzle. Machine code does it, if it is there, else plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.puzzles import Indices, ValueArray, line_orders
from pipeline.native import Loaded, Program, compiled

AT_ONCE = 4096
"""Puzzles between two looks at signals: some milliseconds of machine code."""

OTHERWISE = 0.02
"""Seconds that plain Python takes for a puzzle."""

PROGRAM = Program(
    "forms", "write_forms", ("pipeline.catalogue.minlex",), "pipeline.catalogue.minlex.try_forms"
)
loaded = Loaded(PROGRAM)

_HIGHER, _SAME, _LOWER = range(3)

BOX, SIDE, CELLS = 3, 9, 81
PAIRS = 36
"""Ordered pairs of rows in a band, or of columns in a stack."""

MOST_TIED = PAIRS * 18
"""Symmetries that lead to the lowest form; no row has more than 18 orders to its lowest."""

NO_ROW = 2**30
"""The rank of what cannot be a second row."""

_NO_PART = -(2**24)
"""Added to any keys, it makes them negative."""


class Tables(NamedTuple):
    """How low each second row can become, and by which orders of the columns.

    codes: (3, 729) for a stack, and the columns p(c) in it as digits to base 9, a number. The sum
    over the stacks is the row's key; it is negative if this cannot be a second row. ranks: (keys,)
    the lower, the lower is the lowest row that can be reached. starts, how_many: (keys,) where the
    orders that lead to it stand in `orders`, as places in `lines`, (1296, 9) all orders of columns.
    """

    codes: NDArray[np.int32]
    ranks: NDArray[np.int32]
    starts: NDArray[np.int32]
    how_many: NDArray[np.int32]
    orders: NDArray[np.int32]
    lines: NDArray[np.uint8]


class Room(NamedTuple):
    """Room for the work on one puzzle.

    grids: (2, 81) its solution, and that transposed. columns: (2, 9, 10) the column of each value
    in each of their rows. keys: (PAIRS,) of the second rows. labels: (10,), rows: (9,) and begins:
    (9,) of the symmetry that is being tried. best: (81,) the lowest solution yet. tied:
    (MOST_TIED, 4) the symmetries that lead to it: transposed, two rows, and an order of columns.
    image: (81,).
    """

    grids: NDArray[np.uint8]
    columns: NDArray[np.uint8]
    keys: NDArray[np.int64]
    labels: NDArray[np.uint8]
    rows: NDArray[np.int64]
    begins: NDArray[np.int64]
    best: NDArray[np.uint8]
    tied: NDArray[np.int64]
    image: NDArray[np.uint8]


@lru_cache
def tables() -> Tables:
    """The tables of second rows; they take some tenths of a second to make."""
    codes, keys = _codes()
    ranks, starts, how_many = (np.full(keys, value, np.int32) for value in (NO_ROW, 0, 0))
    found: list[tuple[list[int], Indices, Indices]] = []
    rows = _second_rows()
    for row, key in zip(rows, _keys(codes, rows).tolist(), strict=True):
        if ranks[key] == NO_ROW:
            found.append(_class_of(row, codes))
            ranks[found[-1][1]] = 0
    orders: list[Indices] = []
    start = 0
    for rank, (_, reached, leading) in enumerate(sorted(found, key=lambda each: each[0])):
        ranks[reached], how_many[reached] = rank, leading.shape[1]
        starts[reached] = start + np.arange(len(reached)) * leading.shape[1]
        start += leading.size
        orders.append(leading.ravel())
    placed = np.concatenate(orders).astype(np.int32)
    return Tables(codes, ranks, starts, how_many, placed, line_orders(BOX).astype(np.uint8))


def _keys(codes: NDArray[np.int32], rows: Indices) -> Indices:
    """The keys of second rows (R, 9)."""
    places = rows.reshape(-1, BOX, BOX) @ SIDE ** np.arange(BOX - 1, -1, -1)
    keys: Indices = codes[np.arange(BOX), places].sum(axis=1, dtype=np.intp)
    return keys


def _codes() -> tuple[NDArray[np.int32], int]:
    """See `Tables`, and the number of keys.

    For the last stack only the order counts: its columns are those that are left.
    """
    within = list(permutations(range(BOX)))
    codes, keys = np.full((BOX, SIDE**BOX), _NO_PART, np.int32), 1
    for stack in range(BOX - 1, -1, -1):
        own = range(stack * BOX, stack * BOX + BOX)
        parts = [part for part in permutations(range(SIDE), BOX) if set(part).isdisjoint(own)]
        ranks: list[int] = list(range(len(parts)))
        if stack == BOX - 1:
            ranks = [within.index(tuple(map(sorted(part).index, part))) for part in parts]
        digits = SIDE ** np.arange(BOX - 1, -1, -1)
        codes[stack, np.array(parts) @ digits] = np.array(ranks) * keys
        keys *= max(ranks) + 1
    return codes, keys


def _second_rows() -> Indices:
    """All second rows: stack by stack the columns outside of it that were not yet taken."""
    parts = np.array(list(permutations(range(SIDE), BOX)), np.intp)
    bits = np.bitwise_or.reduce(1 << parts, axis=1)
    rows, taken = np.zeros((1, 0), np.intp), np.zeros(1, np.intp)
    for stack in range(BOX):
        outside = np.flatnonzero((parts // BOX != stack).all(axis=1))
        at, part = np.nonzero(taken[:, None] & bits[outside] == 0)
        rows = np.concatenate((rows[at], parts[outside[part]]), axis=1)
        taken = taken[at] | bits[outside[part]]
    return rows


def _class_of(row: Indices, codes: NDArray[np.int32]) -> tuple[list[int], Indices, Indices]:
    """The lowest row that this one can become, all that can, as keys, and their orders to it."""
    orders = line_orders(BOX)
    back = np.argsort(orders, axis=1)
    images = np.take_along_axis(back, row[orders], axis=1)
    lowest = images[np.lexsort(images.T[::-1])[0]]
    to_lowest = orders[(images == lowest).all(axis=1)]
    reached, first = np.unique(_keys(codes, images), return_index=True)
    leading = back[first][:, to_lowest]  # what comes after the order that led to the image
    digits = SIDE ** np.arange(SIDE)
    known = orders @ digits
    rising = np.argsort(known)
    places = rising[np.searchsorted(known, leading @ digits, sorter=rising)]
    return lowest.tolist(), reached, places


def new_room() -> Room:
    return Room(
        np.zeros((2, CELLS), np.uint8),
        np.zeros((2, SIDE, SIDE + 1), np.uint8),
        np.zeros(PAIRS, np.int64),
        np.zeros(SIDE + 1, np.uint8),
        np.zeros(SIDE, np.int64),
        np.zeros(SIDE, np.int64),
        np.zeros(CELLS, np.uint8),
        np.zeros((MOST_TIED, 4), np.int64),
        np.zeros(CELLS, np.uint8),
    )


def forms_through(puzzles: ValueArray, solutions: ValueArray) -> ValueArray:
    """The canonical forms (P, 81) of puzzles with these solutions; see `canonical`."""
    step = loaded.get(len(puzzles) * OTHERWISE)
    return forms_by(step or write_forms, puzzles, solutions)


def forms_by(step: Callable[..., int], puzzles: ValueArray, solutions: ValueArray) -> ValueArray:
    """The canonical forms (P, 81) of puzzles with these solutions; see `canonical`."""
    forms = np.zeros_like(puzzles, order="C")
    room = new_room()
    for start in range(0, len(puzzles), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        cells = (np.ascontiguousarray(each[some], np.uint8) for each in (puzzles, solutions))
        step(tables(), room, *cells, forms[some])
    return forms


def try_forms(step: Callable[..., int]) -> None:
    """Give it a grid, turned by a quarter, and that without its first row.

    Raises RuntimeError if it does not give the grid back as it was: it is the lowest there is.
    """
    lowest = np.array(
        [[(3 * r + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], np.uint8
    )
    turned = np.rot90(lowest).reshape(1, CELLS)
    if forms_by(step, turned, turned).reshape(SIDE, SIDE).tolist() != lowest.tolist():
        raise RuntimeError("the machine code finds no canonical form")


@compiled(inline=True)
def _load(room, solutions, puzzle):
    """Note a solution, and that transposed, and where the values of each row are."""
    for row in range(SIDE):
        for column in range(SIDE):
            value = solutions[puzzle, SIDE * row + column]
            room.grids[0, SIDE * row + column] = value
            room.grids[1, SIDE * column + row] = value
            room.columns[0, row, value] = column
            room.columns[1, column, value] = row


@compiled(inline=True)
def _key(room, tables, lying, first, second):
    """The key of a second row; negative if it cannot be one."""
    key = np.int64(0)
    for stack in range(BOX):
        place = np.int64(0)
        for column in range(BOX * stack, BOX * stack + BOX):
            value = room.grids[lying, SIDE * second + column]
            place = place * SIDE + np.int64(room.columns[lying, first, value])
        key += tables.codes[stack, place]
    return key


@compiled(inline=True)
def _rank_pairs(room, tables):
    """Note the keys of all pairs of rows; give the lowest rank of them."""
    lowest, pair = np.int64(NO_ROW), 0
    for lying in range(2):
        for first in range(SIDE):
            band = first - first % BOX
            for second in range(band, band + BOX):
                if second != first:
                    key = _key(room, tables, lying, first, second)
                    room.keys[pair] = key
                    pair += 1
                    if key >= 0:
                        lowest = min(lowest, np.int64(tables.ranks[key]))
    return lowest


@compiled(inline=True)
def _place(room, tables, lying, first, second, order):
    """Note the labels of a candidate, and the order of its rows."""
    grids, labels, begins, rows = room.grids, room.labels, room.begins, room.rows
    for column in range(SIDE):
        value = grids[lying, SIDE * first + tables.lines[order, column]]
        labels[value] = np.uint8(column + 1)
    left = np.int64(tables.lines[order, 0])
    for row in range(SIDE):
        begins[row] = labels[grids[lying, SIDE * row + left]]
    band = first // BOX
    rows[0], rows[1], rows[2] = first, second, 3 * BOX * band + 3 - first - second
    one, other = (band + 1) % BOX, (band + 2) % BOX
    _sort_band(rows, begins, 3, BOX * one)
    _sort_band(rows, begins, 6, BOX * other)
    if begins[rows[6]] < begins[rows[3]]:
        for row in range(3, 6):
            rows[row], rows[row + 3] = rows[row + 3], rows[row]


@compiled(inline=True)
def _sort_band(rows, begins, to, start):
    a, b, c = start, start + 1, start + 2
    if begins[b] < begins[a]:
        a, b = b, a
    if begins[c] < begins[b]:
        b, c = c, b
        if begins[b] < begins[a]:
            a, b = b, a
    rows[to], rows[to + 1], rows[to + 2] = a, b, c


@compiled(inline=True)
def _compare(room, tables, lying, order, is_first):
    """Whether a candidate is lower than the best, which it then becomes."""
    state = _LOWER if is_first else _SAME
    for row in range(2, SIDE):
        start = SIDE * room.rows[row]
        for column in range(SIDE):
            value = room.grids[lying, start + tables.lines[order, column]]
            label, cell = room.labels[value], SIDE * row + column
            if state == _SAME:
                if label > room.best[cell]:
                    return _HIGHER
                if label < room.best[cell]:
                    state = _LOWER
            room.best[cell] = label
    return state


@compiled(inline=True)
def _find_tied(room, tables, lowest):
    """Note the symmetries that make the solution lowest; give how many there are."""
    count, pair, tied = 0, 0, room.tied
    for lying in range(2):
        for first in range(SIDE):
            band = first - first % BOX
            for second in range(band, band + BOX):
                if second == first:
                    continue
                key = room.keys[pair]
                pair += 1
                if key < 0 or tables.ranks[key] != lowest:
                    continue
                start = tables.starts[key]
                for at in range(start, start + tables.how_many[key]):
                    order = tables.orders[at]
                    _place(room, tables, lying, first, second, order)
                    found = _compare(room, tables, lying, order, count == 0)
                    if found == _HIGHER:
                        continue
                    if found == _LOWER:
                        count = 0
                    tied[count, 0], tied[count, 1] = lying, first
                    tied[count, 2], tied[count, 3] = second, order
                    count += 1
    return count


@compiled(inline=True)
def _draw(room, tables, puzzles, puzzle, tie):
    """Note the image of a puzzle by a symmetry."""
    lying, order = room.tied[tie, 0], room.tied[tie, 3]
    _place(room, tables, lying, room.tied[tie, 1], room.tied[tie, 2], order)
    room.labels[0] = 0
    for row in range(SIDE):
        for column in range(SIDE):
            here, across = room.rows[row], np.int64(tables.lines[order, column])
            cell = SIDE * across + here if lying else SIDE * here + across
            room.image[SIDE * row + column] = room.labels[puzzles[puzzle, cell]]


@compiled()
def write_forms(tables, room, puzzles, solutions, forms):
    """Write the form (P, 81) of each puzzle; nothing for what has no second row.

    `puzzles` and `solutions` (P, 81) are 0 to 9, and 1 to 9.
    """
    for puzzle in range(len(puzzles)):
        _load(room, solutions, puzzle)
        count = _find_tied(room, tables, _rank_pairs(room, tables))
        for tie in range(count):
            _draw(room, tables, puzzles, puzzle, tie)
            is_lower = tie == 0
            for cell in range(CELLS):
                if room.image[cell] != forms[puzzle, cell]:
                    is_lower = is_lower or room.image[cell] < forms[puzzle, cell]
                    break
            if is_lower:
                for cell in range(CELLS):
                    forms[puzzle, cell] = room.image[cell]
    return True
