"""Techniques of two or three strong links: skyscraper, kite, empty rectangle and the wings.

These techniques are short chains, but HoDoKu looks for each as a separate pattern, and takes the
first that eliminates a candidate. `links` explains strong links, and `layout` the arrays.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import (
    add_eliminations,
    add_seen_eliminations,
    append_new,
    bit_count,
    cell_at,
    lowest_bit,
    reset_step,
    sees,
    unit_of,
)

SKYSCRAPER, KITE, EMPTY_RECTANGLE, W_WING, XY_WING, XYZ_WING = range(6)
"""Forms of techniques."""


@compiled()
def find_short_chain(state, tables, step, form):
    """Find a technique of one of the forms."""
    if form == SKYSCRAPER:
        return _find_skyscraper(state, tables, step)
    if form == KITE:
        return _find_kite(state, tables, step)
    if form == EMPTY_RECTANGLE:
        return _find_empty_rectangle(state, tables, step)
    if form == W_WING:
        return _find_w_wing(state, tables, step)
    if form == XY_WING:
        return _find_xy_wing(state, tables, step)
    return _find_xyz_wing(state, tables, step)


@compiled(inline=True)
def _end_cell(state, tables, unit, digit, k):
    """The first (k = 0) or second (k = 1) place of a digit in a unit with two places."""
    places = state[L.UNIT_DIGITS + 9 * unit + digit]
    return cell_at(tables, unit, lowest_bit(tables, places & (places - 1) if k else places))


@compiled()
def _conclude_two_links(state, tables, step, digit, units, ends, inner):
    """Eliminate a digit from the cells that see both ends of two linked units.

    `units`, `ends`, `inner`: the two units, their ends that may hold the digit, and their ends that
    exclude each other.
    """
    reset_step(step)
    step[L.PATTERN_CELLS] = 2
    step[L.PATTERN_CELLS + 1], step[L.PATTERN_CELLS + 2] = ends
    add_seen_eliminations(state, tables, step, 0, 1 << digit)
    step[L.PATTERN_CELLS] = 4
    step[L.PATTERN_CELLS + 2], step[L.PATTERN_CELLS + 3] = inner
    step[L.PATTERN_CELLS + 4] = ends[1]
    step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = 1 << digit, 1 << units[0] | 1 << units[1]
    append_new(step, L.CITED, L.UNIT_DIGITS + 9 * units[0] + digit)
    append_new(step, L.CITED, L.UNIT_DIGITS + 9 * units[1] + digit)
    return step[L.ELIMINATED] > 0


# Skyscraper. Two parallel lines each have two places for a digit, and one place of each is in the
# same crossing line. These two exclude each other, so one of the other two places holds the digit.
@compiled()
def _find_skyscraper(state, tables, step):
    """Find a skyscraper: rows come first, then the digit, then pairs of lines."""
    for k in range(18):
        base, digit = k // 9 * 9, k % 9
        for first in range(base, base + 8):
            a = state[L.UNIT_DIGITS + 9 * first + digit]
            for second in range(first + 1, base + 9 if bit_count(tables, a) == 2 else 0):
                b = state[L.UNIT_DIGITS + 9 * second + digit]
                if bit_count(tables, b) != 2 or bit_count(tables, a & b) != 1:
                    continue
                for shared in range(2):
                    p = _end_cell(state, tables, first, digit, shared)
                    q = _end_cell(state, tables, second, digit, shared)
                    if unit_of(tables, p, 1 - base // 9) != unit_of(tables, q, 1 - base // 9):
                        continue
                    ends = (
                        _end_cell(state, tables, first, digit, 1 - shared),
                        _end_cell(state, tables, second, digit, 1 - shared),
                    )
                    if _conclude_two_links(
                        state, tables, step, digit, (first, second), ends, (p, q)
                    ):
                        return 1
    return 0


# 2-string kite. A row and a column each have two places for a digit, and one place of each is in
# the same box. One of the other two places holds the digit.
@compiled()
def _find_kite(state, tables, step):
    """Find a 2-string kite."""
    for k in range(729):
        digit, row, column = k // 81, k // 9 % 9, L.FIRST_COLUMN + k % 9
        places = state[L.UNIT_DIGITS + 9 * row + digit]
        if bit_count(tables, places) != 2:
            continue
        if bit_count(tables, state[L.UNIT_DIGITS + 9 * column + digit]) != 2:
            continue
        for pair in range(4):
            i, j = pair // 2, pair % 2
            p = _end_cell(state, tables, row, digit, i)
            q = _end_cell(state, tables, column, digit, j)
            r = _end_cell(state, tables, row, digit, 1 - i)
            s = _end_cell(state, tables, column, digit, 1 - j)
            are_different = p not in (q, s) and r not in (q, s)
            if not are_different or unit_of(tables, p, 2) != unit_of(tables, q, 2):
                continue
            if _conclude_two_links(state, tables, step, digit, (row, column), (r, s), (p, q)):
                return 1
    return 0


# Empty rectangle. All places of a digit in a box are in one row and one column of the box, so it is
# in that row or in that column. If a column outside of the box has two places, one in that row, the
# digit is either in the column of the box or at the other place: it is eliminated from the cell
# that sees both. The same with row and column exchanged.
@compiled()
def _find_empty_rectangle(state, tables, step):
    """Find an empty rectangle: digit, box, then the crossing from the lower right corner."""
    for k in range(729):
        digit, box, crossing = k // 81, k // 9 % 9, 8 - k % 9
        places = state[L.UNIT_DIGITS + 9 * (L.FIRST_BOX + box) + digit]
        in_row, in_column = 7 << crossing // 3 * 3, 0b1001001 << crossing % 3
        if not 2 <= bit_count(tables, places) <= 5 or places & ~(in_row | in_column):
            continue
        if not places & in_row & ~in_column or not places & in_column & ~in_row:
            continue
        if max(bit_count(tables, places & in_row), bit_count(tables, places & in_column)) < 2:
            continue
        row = box // 3 * 3 + crossing // 3
        column = L.FIRST_COLUMN + box % 3 * 3 + crossing % 3
        if _follow_arm(state, tables, step, digit, L.FIRST_BOX + box, row, column):
            return 1
        if _follow_arm(state, tables, step, digit, L.FIRST_BOX + box, column, row):
            return 1
    return 0


@compiled()
def _follow_arm(state, tables, step, digit, box, arm, other_arm):
    """Look along one arm of an empty rectangle for a crossing line with two places."""
    places = state[L.UNIT_DIGITS + 9 * arm + digit]
    while places:
        near = cell_at(tables, arm, lowest_bit(tables, places))
        places &= places - 1
        line = unit_of(tables, near, 1 if arm < L.FIRST_COLUMN else 0)
        is_link = bit_count(tables, state[L.UNIT_DIGITS + 9 * line + digit]) == 2
        if unit_of(tables, near, 2) == box or not is_link:
            continue
        far = _end_cell(state, tables, line, digit, 0)
        if far == near:
            far = _end_cell(state, tables, line, digit, 1)
        far_row, far_column = far // 9 * 9, far % 9
        if arm < L.FIRST_COLUMN:
            target = far_row + other_arm - L.FIRST_COLUMN
        else:
            target = 9 * other_arm + far_column
        if unit_of(tables, target, 2) != box and state[target] >> digit & 1:
            reset_step(step)
            add_eliminations(state, tables, step, target, 1 << digit)
            append_new(step, L.PATTERN_CELLS, near)
            append_new(step, L.PATTERN_CELLS, far)
            append_new(step, L.CITED, L.UNIT_DIGITS + 9 * box + digit)
            append_new(step, L.CITED, L.UNIT_DIGITS + 9 * line + digit)
            step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = 1 << digit, 1 << box | 1 << line
            return True
    return False


# W-wing. Two cells have the same two candidates x and y. A unit has two places for y, each of which
# sees one of the cells, so one of the cells lacks y and holds x.
@compiled()
def _find_w_wing(state, tables, step):
    """Find a W-wing."""
    for first in range(81):
        pair = state[first]
        for second in range(first + 1, 81 if bit_count(tables, pair) == 2 else 0):
            if state[second] != pair:
                continue
            for x in (lowest_bit(tables, pair), lowest_bit(tables, pair & (pair - 1))):
                reset_step(step)
                append_new(step, L.PATTERN_CELLS, first)
                append_new(step, L.PATTERN_CELLS, second)
                add_seen_eliminations(state, tables, step, 0, 1 << x)
                y = lowest_bit(tables, pair & ~(1 << x))
                link = _linking_unit(state, tables, y, first, second) if step[L.ELIMINATED] else -1
                if link >= 0:
                    append_new(step, L.CITED, first)
                    append_new(step, L.CITED, L.UNIT_DIGITS + 9 * link + y)
                    append_new(step, L.CITED, second)
                    step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = pair, 1 << link
                    return 1
    return 0


@compiled()
def _linking_unit(state, tables, digit, first, second):
    """A unit with two places of a digit, of which one sees each of two cells, or NOTHING."""
    for unit in range(L.UNITS):
        if bit_count(tables, state[L.UNIT_DIGITS + 9 * unit + digit]) == 2:
            p = _end_cell(state, tables, unit, digit, 0)
            q = _end_cell(state, tables, unit, digit, 1)
            if first in (p, q) or second in (p, q):
                continue
            if sees(tables, p, first) and sees(tables, q, second):
                return unit
            if sees(tables, p, second) and sees(tables, q, first):
                return unit
    return L.NOTHING


# XY-wing. The pivot has the candidates x and y, and sees a cell with x and z and one with y and z:
# one of the two holds z.
@compiled()
def _find_xy_wing(state, tables, step):
    """Find an XY-wing: three cells with two candidates each, then the pivot among them."""
    for i in range(79):
        for j in range(i + 1, 80 if bit_count(tables, state[i]) == 2 else 0):
            union = state[i] | state[j]
            if bit_count(tables, state[j]) != 2 or bit_count(tables, union) != 3:
                continue
            third = union & ~(state[i] & state[j])
            for k in range(j + 1, 81):
                if state[k] != third:
                    continue
                for a, b, c in ((i, j, k), (j, i, k), (k, i, j)):
                    if _conclude_wing(state, tables, step, a, b, c, 0):
                        return 1
    return 0


# XYZ-wing. The same, but the pivot has the candidates x, y and z: one of the three cells holds z.
@compiled()
def _find_xyz_wing(state, tables, step):
    """Find an XYZ-wing: the pivot, then its wings."""
    for pivot in range(81):
        union = state[pivot]
        for j in range(80 if bit_count(tables, union) == 3 else 0):
            if bit_count(tables, state[j]) != 2 or state[j] & ~union:
                continue
            for k in range(j + 1, 81 if sees(tables, pivot, j) else 0):
                is_wing = bit_count(tables, state[k]) == 2 and state[j] | state[k] == union
                if is_wing and _conclude_wing(state, tables, step, pivot, j, k, 1):
                    return 1
    return 0


@compiled()
def _conclude_wing(state, tables, step, pivot, first, second, has_pivot):
    """Eliminate the digit that two wings share from the cells that see both.

    If `has_pivot`, the cells must also see the pivot.
    """
    if not sees(tables, pivot, first) or not sees(tables, pivot, second):
        return False
    reset_step(step)
    for cell in (pivot, first, second):
        append_new(step, L.PATTERN_CELLS, cell)
        append_new(step, L.CITED, cell)
    shared = state[first] & state[second]
    add_seen_eliminations(state, tables, step, 1 - has_pivot, shared)
    step[L.PATTERN_DIGITS] = state[pivot] | shared
    return step[L.ELIMINATED] > 0
