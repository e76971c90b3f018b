"""The canonical form of 9×9 puzzles with one solution, one after the other, compiled.

As in `abreast.py`; but a candidate is dropped at the first cell in which it is not the lowest.

`building.py` makes machine code of this.
"""

from __future__ import annotations

from numba import int64, njit, uint8

from pipeline.catalogue.compiled.state import BOX, CELLS, SIDE
from pipeline.catalogue.openings import NO_ROW

compiled = njit(nogil=True, error_model="numpy", boundscheck=False, forceinline=True)
apart = njit(nogil=True, error_model="numpy", boundscheck=False)

_HIGHER, _SAME, _LOWER = range(3)


@compiled
def _load(room, solutions, puzzle):
    """Note a solution, and that transposed, and where the values of each row are."""
    for row in range(SIDE):
        for column in range(SIDE):
            value = solutions[puzzle, SIDE * row + column]
            room.grids[0, SIDE * row + column] = value
            room.grids[1, SIDE * column + row] = value
            room.columns[0, row, value] = column
            room.columns[1, column, value] = row


@compiled
def _key(room, tables, lying, first, second):
    """The key of a second row; negative if it is none."""
    key = int64(0)
    for stack in range(BOX):
        place = int64(0)
        for column in range(BOX * stack, BOX * stack + BOX):
            value = room.grids[lying, SIDE * second + column]
            place = place * SIDE + int64(room.columns[lying, first, value])
        key += tables.codes[stack, place]
    return key


@compiled
def _rank_pairs(room, tables):
    """Note the keys of all pairs of rows; give the lowest rank of them."""
    lowest, pair = int64(NO_ROW), 0
    for lying in range(2):
        for first in range(SIDE):
            band = first - first % BOX
            for second in range(band, band + BOX):
                if second != first:
                    key = _key(room, tables, lying, first, second)
                    room.keys[pair] = key
                    pair += 1
                    if key >= 0:
                        lowest = min(lowest, int64(tables.ranks[key]))
    return lowest


@compiled
def _place(room, tables, lying, first, second, order):
    """Note the labels of a candidate, and the order of its rows."""
    grids, labels, begins, rows = room.grids, room.labels, room.begins, room.rows
    for column in range(SIDE):
        value = grids[lying, SIDE * first + tables.lines[order, column]]
        labels[value] = uint8(column + 1)
    left = int64(tables.lines[order, 0])
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


@compiled
def _sort_band(rows, begins, to, start):
    a, b, c = start, start + 1, start + 2
    if begins[b] < begins[a]:
        a, b = b, a
    if begins[c] < begins[b]:
        b, c = c, b
        if begins[b] < begins[a]:
            a, b = b, a
    rows[to], rows[to + 1], rows[to + 2] = a, b, c


@compiled
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


@compiled
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


@compiled
def _draw(room, tables, puzzles, puzzle, tie):
    """Note the image of a puzzle by a symmetry."""
    lying, order = room.tied[tie, 0], room.tied[tie, 3]
    _place(room, tables, lying, room.tied[tie, 1], room.tied[tie, 2], order)
    room.labels[0] = 0
    for row in range(SIDE):
        for column in range(SIDE):
            here, across = room.rows[row], int64(tables.lines[order, column])
            cell = SIDE * across + here if lying else SIDE * here + across
            room.image[SIDE * row + column] = room.labels[puzzles[puzzle, cell]]


@apart
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
