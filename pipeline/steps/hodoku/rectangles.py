"""Unique, hidden and avoidable rectangles. `layout` describes the arrays.

If the solution is unique, the four cells in two rows, two columns and two boxes cannot hold only
two digits a and b, because these could be exchanged (see `certify.steps`). Cells of the rectangle
with no candidates but a and b are its floor, the others its roof. One of the roof cells holds
another digit.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.patterns import next_cells
from pipeline.steps.step_arrays import (
    add_eliminations,
    add_seen_eliminations,
    append_new,
    bit_count,
    cell_at,
    eliminate_rest,
    lowest_bit,
    reset_step,
    sees,
    unit_of,
)

HIDDEN_RECTANGLE, AVOIDABLE_1, AVOIDABLE_2 = 7, 8, 9
"""Forms of rectangles; 1 to 6 are the types of unique rectangles."""


# HoDoKu walks through the rectangles that start at a cell of two candidates, and takes the first
# that gives a step of the type. It identifies a rectangle by a sum of its cells, and so overlooks a
# few; we do the same. Candidates that earlier steps eliminated count as present, because the
# argument depends only on the digits that the puzzle allows.
@compiled()
def find_rectangle(state, tables, step, graph, form):
    """Find a rectangle of a form."""
    graph[L.TRIED_COUNT] = 0
    for start in range(81):
        if not _is_start(state, tables, start, form):
            continue
        box = unit_of(tables, start, 2)
        for position in range(9):
            second = cell_at(tables, box, position)
            is_row = start // 9 == second // 9
            if second == start or not (is_row or start % 9 == second % 9):
                continue
            if not _is_second(state, tables, start, second, form):
                continue
            for line in range(9):
                if line // 3 == (start // 27 if is_row else start % 9 // 3):
                    continue
                if is_row:
                    third, fourth = 9 * line + start % 9, 9 * line + second % 9
                else:
                    third, fourth = start // 9 * 9 + line, second // 9 * 9 + line
                reset_step(step)
                step[L.PATTERN_CELLS + 1], step[L.PATTERN_CELLS + 2] = start, second
                step[L.PATTERN_CELLS + 3], step[L.PATTERN_CELLS + 4] = fourth, third
                if form < AVOIDABLE_1:
                    _try_unique(state, tables, step, graph, form)
                else:
                    _try_avoidable(state, tables, step, form)
                if step[L.ELIMINATED]:
                    step[L.DEADLY], step[L.PATTERN_CELLS] = L.DEADLY_RECTANGLE, 4
                    return 1
    return 0


@compiled()
def _is_start(state, tables, cell, form):
    """Whether a rectangle may start at a cell: two candidates, or placed and not given."""
    if form < AVOIDABLE_1:
        return bit_count(tables, state[cell]) == 2
    return _is_placed(state, tables, cell)


@compiled()
def _is_second(state, tables, start, cell, form):
    """Whether a cell may be the second of a rectangle."""
    if form < AVOIDABLE_1:
        low, high = (
            lowest_bit(tables, state[start]),
            lowest_bit(tables, state[start] & (state[start] - 1)),
        )
        return _may_hold(state, tables, cell, low) and _may_hold(state, tables, cell, high)
    return _is_placed(state, tables, cell)


@compiled()
def _is_placed(state, tables, cell):
    """Whether a cell was placed by a step: it is filled, and the puzzle allowed several digits."""
    return state[L.VALUES + cell] and bit_count(tables, state[L.ALLOWED + cell]) > 1


@compiled()
def _may_hold(state, tables, cell, digit):
    """Whether a cell is open, may hold a digit in the puzzle, and no filled peer has the digit."""
    if not state[cell] or not state[L.ALLOWED + cell] >> digit & 1:
        return False
    for k in range(36 * cell + 4 * digit, 36 * cell + 4 * digit + 3):
        if state[L.VALUES + tables[L.NODE_CONSTRAINTS + k]]:
            return False
    return True


@compiled()
def _is_new(graph, step):
    """Whether no rectangle with the same sum was tried in this walk."""
    key = 0
    for k in range(L.PATTERN_CELLS + 1, L.PATTERN_CELLS + 5):
        weight = 1000
        for n in range(L.PATTERN_CELLS + 1, L.PATTERN_CELLS + 5):
            if step[n] < step[k]:
                weight //= 10
        key += weight * step[k]
    for k in range(L.TRIED, L.TRIED + graph[L.TRIED_COUNT]):
        if graph[k] == key:
            return False
    graph[L.TRIED + graph[L.TRIED_COUNT]] = key
    graph[L.TRIED_COUNT] = min(graph[L.TRIED_COUNT] + 1, L.MAX_TRIED - 1)
    return True


@compiled()
def _try_unique(state, tables, step, graph, form):
    """Write the conclusions of a rectangle, if it is a unique or hidden rectangle of the form.

    The four cells follow PATTERN_CELLS, in the order of a walk around the rectangle.
    """
    pair = state[step[L.PATTERN_CELLS + 1]]
    low, high = lowest_bit(tables, pair), lowest_bit(tables, pair & (pair - 1))
    fourth, third = step[L.PATTERN_CELLS + 3], step[L.PATTERN_CELLS + 4]
    if not state[L.ALLOWED + third] >> high & 1:  # the digits cannot be exchanged
        return
    if not _may_hold(state, tables, third, low) or not _may_hold(state, tables, fourth, low):
        return
    if not _may_hold(state, tables, fourth, high) or not _is_new(graph, step):
        return
    roof = extras = 0
    for k in range(L.PATTERN_CELLS + 1, L.PATTERN_CELLS + 5):
        if state[step[k]] & ~pair:
            extras |= state[step[k]]
            step[L.PATTERN_CELLS + 5 + roof] = step[k]
            roof += 1
    extras &= ~pair
    step[L.PATTERN_DIGITS] = pair
    first_roof, second_roof = step[L.PATTERN_CELLS + 5], step[L.PATTERN_CELLS + 6]
    is_aligned = roof == 2 and sees(tables, first_roof, second_roof)
    if form == HIDDEN_RECTANGLE and (roof == 3 or (roof == 2 and not is_aligned)):
        _conclude_hidden(state, tables, step, low, high)
    elif form == 1 and roof == 1:
        add_eliminations(state, tables, step, first_roof, pair)
    elif form == (2 if is_aligned else 5) and roof in (2, 3) and bit_count(tables, extras) == 1:
        step[L.PATTERN_CELLS] = 4 + roof
        add_seen_eliminations(state, tables, step, 4, extras)
    elif form == 3 and is_aligned:
        for k in range(3):
            unit = unit_of(tables, first_roof, k)
            if unit == unit_of(tables, second_roof, k) and not step[L.ELIMINATED]:
                _conclude_type_3(state, tables, step, graph, unit, extras)
    elif form in (4, 6) and roof == 2 and is_aligned == (form == 4):
        _conclude_by_places(state, tables, step, low, high, form)
        if not step[L.ELIMINATED]:
            _conclude_by_places(state, tables, step, high, low, form)


# Type 1: the roof is one cell; both digits are eliminated from it.
# Types 2 and 5: all further candidates are one digit, so one of the roof cells holds it. In type 2
# the roof is two cells in a line.
# Type 3: the two roof cells, in a unit, act as one cell of a naked subset, with the further
# candidates. If the subset is in a line and in a box, it eliminates from both.
@compiled()
def _conclude_type_3(state, tables, step, graph, unit, extras):
    """Eliminate the digits of a naked subset in which the roof acts as one cell.

    Sets of cells of the unit that have neither digit of the pair are tried depth first.
    """
    first_roof, second_roof = step[L.PATTERN_CELLS + 5], step[L.PATTERN_CELLS + 6]
    excluded = 0
    for position in range(9):
        cell = cell_at(tables, unit, position)
        if cell in (first_roof, second_roof) or state[cell] & step[L.PATTERN_DIGITS]:
            excluded |= 1 << position
    graph[L.UNIONS], size = extras, 0
    while True:
        size = next_cells(state, tables, graph, unit, excluded, L.PICKS, size)
        digits = graph[L.UNIONS + size]
        if not size:
            return
        if bit_count(tables, digits) != size + 1:
            continue
        for k in range(size):
            cell = cell_at(tables, unit, graph[L.PICKS + k])
            step[L.CITED + 1 + k] = step[L.PATTERN_CELLS + 7 + k] = cell
        step[L.CITED], step[L.PATTERN_CELLS] = size, 6 + size
        line, box = _common_units(tables, step, first_roof, second_roof)
        if unit < L.FIRST_BOX or line == L.NOTHING:
            eliminate_rest(state, tables, step, unit, digits)
            if unit < L.FIRST_BOX and box != L.NOTHING:
                eliminate_rest(state, tables, step, box, digits)
        if step[L.ELIMINATED]:
            return
        step[L.CITED] = 0


@compiled()
def _common_units(tables, step, first_roof, second_roof):
    """The line and the box that contain the roof and all cited cells, or NOTHING."""
    line = box = L.NOTHING
    for k in range(3):
        unit = unit_of(tables, first_roof, k)
        is_common = unit_of(tables, second_roof, k) == unit
        for n in range(L.CITED + 1, L.CITED + 1 + step[L.CITED]):
            is_common = is_common and unit_of(tables, step[n], k) == unit
        if is_common and k < 2:
            line = unit
        elif is_common:
            box = unit
    return line, box


# Type 4: in the units of both roof cells, one of the two digits has no other place, so the roof
# holds it: the other digit is eliminated from the roof.
# Type 6: the roof cells are opposite corners. In their rows and columns, one of the two digits is
# only in the rectangle, so it is in both roof cells or in both floor cells. If it were in the roof,
# the floor would hold the other digit twice. So it is eliminated from the roof.
@compiled()
def _conclude_by_places(state, tables, step, digit, other, form):
    """Write the conclusions of type 4 or 6, if `digit` has no further places."""
    first_roof, second_roof = step[L.PATTERN_CELLS + 5], step[L.PATTERN_CELLS + 6]
    step[L.CITED] = 0
    for k in range(3 if form == 4 else 2):
        for roof in (first_roof, second_roof):
            unit = unit_of(tables, roof, k)
            if form == 4 and unit_of(tables, first_roof, k) != unit_of(tables, second_roof, k):
                continue
            if not _is_only_in_rectangle(state, tables, step, unit, digit):
                return
            if k == 0 or form == 4:
                append_new(step, L.CITED, L.UNIT_DIGITS + 9 * unit + digit)
    eliminated = 1 << (other if form == 4 else digit)
    add_eliminations(state, tables, step, first_roof, eliminated)
    add_eliminations(state, tables, step, second_roof, eliminated)


@compiled()
def _is_only_in_rectangle(state, tables, step, unit, digit):
    """Whether all places of a digit in a unit are cells of the rectangle."""
    remaining = state[L.UNIT_DIGITS + 9 * unit + digit]
    while remaining:
        cell = cell_at(tables, unit, lowest_bit(tables, remaining))
        remaining &= remaining - 1
        is_corner = False
        for k in range(L.PATTERN_CELLS + 1, L.PATTERN_CELLS + 5):
            is_corner = is_corner or step[k] == cell
        if not is_corner:
            return False
    return True


# Hidden rectangle. In the row and the column of the corner opposite to a floor cell, the digit a
# has no place outside of the rectangle. If the corner held b, its two neighbours would hold a, and
# the floor cell b.
@compiled()
def _conclude_hidden(state, tables, step, low, high):
    """Write the conclusions of a hidden rectangle."""
    for k in range(4):
        floor = step[L.PATTERN_CELLS + 1 + k]
        corner = step[L.PATTERN_CELLS + 1 + (k + 2) % 4]
        if state[floor] & ~step[L.PATTERN_DIGITS]:
            continue
        row, column = corner // 9, L.FIRST_COLUMN + corner % 9
        for digit, other in ((low, high), (high, low)):
            if (
                state[corner] >> other & 1
                and _is_only_in_rectangle(state, tables, step, row, digit)
                and _is_only_in_rectangle(state, tables, step, column, digit)
            ):
                add_eliminations(state, tables, step, corner, 1 << other)
                append_new(step, L.CITED, L.UNIT_DIGITS + 9 * row + digit)
                append_new(step, L.CITED, L.UNIT_DIGITS + 9 * column + digit)
                return


# Avoidable rectangle. Cells that steps have filled can be exchanged like open ones. Type 1: three
# cells are filled with a, b and a, and the fourth has two candidates, one of them b: it is
# eliminated. Type 2: two cells are filled, and both others have the missing digit and the same
# further candidate, which one of them holds.
@compiled()
def _try_avoidable(state, tables, step, form):
    """Write the conclusions of a rectangle, if it is an avoidable rectangle of the form."""
    first, second = step[L.PATTERN_CELLS + 1], step[L.PATTERN_CELLS + 2]
    fourth, third = step[L.PATTERN_CELLS + 3], step[L.PATTERN_CELLS + 4]
    in_first, in_second = 1 << state[L.VALUES + first] - 1, 1 << state[L.VALUES + second] - 1
    step[L.PATTERN_DIGITS] = in_first | in_second
    if form == AVOIDABLE_1:
        if _is_placed(state, tables, third) and 1 << state[L.VALUES + third] - 1 == in_second:
            if bit_count(tables, state[fourth]) == 2:
                add_eliminations(state, tables, step, fourth, in_first)
        elif (
            _is_placed(state, tables, fourth)
            and 1 << state[L.VALUES + fourth] - 1 == in_first
            and bit_count(tables, state[third]) == 2
        ):
            add_eliminations(state, tables, step, third, in_second)
        return
    shared = state[third] & state[fourth]
    if (
        bit_count(tables, shared) == 1
        and state[third] == shared | in_second
        and state[fourth] == shared | in_first
        and not shared & (in_first | in_second)
    ):
        step[L.PATTERN_CELLS], step[L.PATTERN_CELLS + 5] = 6, third
        step[L.PATTERN_CELLS + 6] = fourth
        add_seen_eliminations(state, tables, step, 4, shared)
