"""Techniques whose pattern is a few cells or links: wings, single-digit patterns, uniqueness."""

from __future__ import annotations

from pipeline.certify.steps import (
    ALLOWED,
    BASE,
    CELL_COUNT,
    CELLS,
    DEADLY,
    DIGITS,
    MARK_COUNT,
    MARKS,
)
from pipeline.native import compiled
from pipeline.steps.board import (
    BOXES,
    COLUMNS,
    CORNERS,
    PLACES,
    RECTANGLES,
    SETS,
    SPOT_AT,
    SPOT_UNITS,
    UNITS,
    begin,
    cell_at,
    cites_cell,
    cites_unit,
    concludes,
    fills,
    lowest,
    marks,
    number,
    sees,
    strikes,
    strikes_seen,
)

SKYSCRAPER, KITE, TURBOT = range(3)


@compiled()
def two_links(s, t, o, kind):
    """Two units with two places each for a digit, of which one of each see each other.

    One of the other two holds it. A skyscraper has two rows or two columns, a kite a row and a
    column that meet in a box; a turbot fish has any units.
    """
    for digit in range(9):
        for one in range(UNITS):
            if number(t, s[PLACES + 9 * one + digit]) != 2:
                continue
            for other in range(one + 1, UNITS):
                if number(t, s[PLACES + 9 * other + digit]) == 2 and _are_of(kind, one, other):
                    for turn in range(4):
                        a, b = _ends(s, t, one, digit, turn & 1)
                        c, e = _ends(s, t, other, digit, turn >> 1)
                        if (
                            a not in (c, e)
                            and b not in (c, e)
                            and (kind == TURBOT or _share_box(t, b, c) == (kind == KITE))
                            and _linked(s, t, o, (digit, one, other), a, b, c, e)
                        ):
                            return 1
    return 0


@compiled(inline=True)
def _are_of(kind, one, other):
    if kind == SKYSCRAPER:
        return one // 9 == other // 9 and other < BOXES
    if kind == KITE:
        return one < COLUMNS <= other < BOXES
    return True


@compiled()
def empty_rectangle(s, t, o):
    """A box that has a digit in one row and one column only, and a line with two places for it.

    If the line's place in that row does not hold it, its other place does; else the box has it in
    the column. So the cell where that place sees the column does not.
    """
    for digit in range(9):
        for box in range(BOXES, UNITS):
            places = s[PLACES + 9 * box + digit]
            for k in range(9):
                row, column = 7 << 3 * (k // 3), 73 << k % 3
                if places & ~(row | column) or not places & ~row or not places & ~column:
                    continue
                a, b = t[SPOT_AT + 512 * box + row], t[SPOT_AT + 512 * box + column]
                for turn in range(36):
                    line, is_turned = turn // 2 % 9, turn < 18
                    line += COLUMNS if is_turned else 0
                    if number(t, s[PLACES + 9 * line + digit]) == 2:
                        c, e = _ends(s, t, line, digit, turn & 1)
                        near, far = (a, b) if is_turned else (b, a)
                        is_beside = t[SPOT_UNITS + 3 * c + 2] != box != t[SPOT_UNITS + 3 * e + 2]
                        if is_beside and _linked(s, t, o, (digit, box, line), far, near, c, e):
                            return 1
    return 0


@compiled()
def _linked(s, t, o, of, a, b, c, e):
    """The step of two links a=b and c=e in units where spot b sees cell c: a or e holds."""
    digit, one, other = of
    if not sees(t, b, c):
        return False
    begin(o)
    marks(o, a)
    marks(o, e)
    strikes_seen(s, t, o, 0, 1 << digit)
    if not concludes(o):
        return False
    o[MARK_COUNT] = 0
    if a < 81:
        marks(o, a)
        marks(o, b)
    marks(o, c)
    marks(o, e)
    cites_unit(o, one, digit)
    cites_unit(o, other, digit)
    o[DIGITS], o[BASE] = 1 << digit, 1 << one | 1 << other
    return True


@compiled(inline=True)
def _share_box(t, one, other):
    return t[SPOT_UNITS + 3 * one + 2] == t[SPOT_UNITS + 3 * other + 2]


@compiled()
def _ends(s, t, unit, digit, is_turned):
    """The two cells of a digit in a unit."""
    places = s[PLACES + 9 * unit + digit]
    first = cell_at(t, unit, lowest(t, places))
    second = cell_at(t, unit, lowest(t, places & (places - 1)))
    if is_turned:
        return second, first
    return first, second


@compiled()
def w_wing(s, t, o):
    """Two cells with the same two candidates, and a unit in whose two places of one see them."""
    for one in range(81):
        pair = s[CELLS + one]
        for other in range(one + 1, 81 if number(t, pair) == 2 else 0):
            if s[CELLS + other] != pair or sees(t, one, other):
                continue
            for turn in range(2 * UNITS):
                digit = lowest(t, pair & (pair - 1)) if turn < UNITS else lowest(t, pair)
                unit = turn % UNITS
                if number(t, s[PLACES + 9 * unit + digit]) != 2:
                    continue
                a, b = _ends(s, t, unit, digit, 0)
                if not (sees(t, a, one) and sees(t, b, other)):
                    a, b = b, a
                if sees(t, a, one) and sees(t, b, other):
                    begin(o)
                    marks(o, one)
                    marks(o, other)
                    strikes_seen(s, t, o, 0, pair & ~(1 << digit))
                    if concludes(o):
                        cites_cell(o, one)
                        cites_cell(o, other)
                        cites_unit(o, unit, digit)
                        o[DIGITS], o[BASE] = pair, 1 << unit
                        return 1
    return 0


@compiled()
def xy_wing(s, t, o, size):
    """A pivot with two or three candidates, and two cells that it sees, with two each.

    Whichever the pivot holds, one of the three holds the candidate that they share.
    """
    for pivot in range(81):
        mask = s[CELLS + pivot]
        for one in range(81 if number(t, mask) == size else 0):
            first = s[CELLS + one]
            if number(t, first) != 2 or not sees(t, pivot, one) or first == mask:
                continue
            for other in range(one + 1, 81):
                second = s[CELLS + other]
                shared = first & second
                if (
                    number(t, second) != 2
                    or not sees(t, pivot, other)
                    or number(t, shared) != 1
                    or (first | second) & ~shared != mask & ~shared
                    or (size == 2) == (mask & shared != 0)
                ):
                    continue
                begin(o)
                marks(o, pivot)
                marks(o, one)
                marks(o, other)
                strikes_seen(s, t, o, 1 if size == 2 else 0, shared)
                if concludes(o):
                    cites_cell(o, pivot)
                    cites_cell(o, one)
                    cites_cell(o, other)
                    o[DIGITS] = mask | shared
                    return 1
    return 0


@compiled()
def unique_rectangle(s, t, o, kind):
    """Four open cells in two rows, columns and boxes of which one has two candidates.

    If all held these, the two could be exchanged, and the puzzle had another solution.
    Kind 1: three hold nothing else. 2 and 5: the others have one more candidate, the same. 3: with
    cells of a unit of both they are a subset. 4: one of the digits has no other place there.
    """
    for at in range(RECTANGLES, RECTANGLES + 4 * CORNERS, 4):
        common = 511
        for k in range(at, at + 4):
            common &= s[ALLOWED + t[k]] if s[CELLS + t[k]] else 0
        for k in range(at, at + 4):
            pair = s[CELLS + t[k]]
            is_pair = number(t, pair) == 2 and pair & ~common == 0
            if is_pair and _unique(s, t, o, at, pair, kind):
                return 1
    return 0


@compiled()
def _unique(s, t, o, at, pair, kind):
    """As `unique_rectangle`, for four cells and two digits; the roof is those that have more."""
    begin(o)
    o[DEADLY], o[DIGITS] = 1, pair
    for k in range(at, at + 4):
        marks(o, t[k])
    extras = 0
    for k in range(at, at + 4):
        if s[CELLS + t[k]] != pair:
            extras |= s[CELLS + t[k]] & ~pair
            marks(o, t[k])
    roof = o[MARK_COUNT] - 4
    one, other = o[MARKS + 4], o[MARKS + 5]
    if kind == 1 and roof == 1:
        strikes(s, t, o, one, pair)
    elif roof == 2 and sees(t, one, other):
        if kind == 2 and number(t, extras) == 1:
            strikes_seen(s, t, o, 4, extras)
        for k in range(3):
            unit = t[SPOT_UNITS + 3 * one + k]
            if unit == t[SPOT_UNITS + 3 * other + k] and not concludes(o):
                if kind == 4:
                    _confined(s, t, o, (unit, one, other), pair)
                elif kind == 3:
                    _with_subset(s, t, o, (unit, one, other), extras)
    elif kind == 5 and roof in (2, 3) and number(t, extras) == 1:
        strikes_seen(s, t, o, 4, extras)
    o[MARK_COUNT] = 4
    return concludes(o) > 0


@compiled()
def _confined(s, t, o, roof, pair):
    """Strike one digit of the pair in both cells where the other has no other place in the unit."""
    unit, one, other = roof
    for turn in range(2):
        digit = lowest(t, pair) if turn else lowest(t, pair & (pair - 1))
        both = s[CELLS + one] & s[CELLS + other]
        if number(t, s[PLACES + 9 * unit + digit]) == 2 and both >> digit & 1:
            strikes(s, t, o, one, pair & ~(1 << digit))
            strikes(s, t, o, other, pair & ~(1 << digit))
            cites_unit(o, unit, digit)
            return


@compiled()
def _with_subset(s, t, o, roof, extras):
    """Strike the candidates of a subset that has one cell more: one of the two cells."""
    unit, one, other = roof
    for size in range(max(number(t, extras) - 1, 1), 4):
        for k in range(t[SETS + size], t[SETS + size + 1]):
            digits, places = extras, t[k]
            while places:
                cell = cell_at(t, unit, lowest(t, places))
                if cell in (one, other) or not s[CELLS + cell]:
                    break
                digits |= s[CELLS + cell]
                places &= places - 1
            if places or number(t, digits) != size + 1:
                continue
            for place in range(9):
                cell = cell_at(t, unit, place)
                if t[k] >> place & 1:
                    cites_cell(o, cell)
                elif cell not in (one, other):
                    strikes(s, t, o, cell, digits)
            if concludes(o):
                return
            o[CELL_COUNT] = 0


@compiled()
def bug(s, t, o):
    """All open cells have two candidates, and each digit two places or none in each unit, but one.

    That cell holds the candidate that is too many: without it there would be no solution, or two.
    """
    odd = too_many = -1
    for cell in range(81):
        count = number(t, s[CELLS + cell])
        if count == 3 and odd < 0:
            odd = cell
        elif count not in (0, 2):
            return 0
    for at in range(9 * UNITS if odd >= 0 else 0):
        digit, count = at % 9, number(t, s[PLACES + at])
        if count == 3 and too_many in (-1, digit) and s[CELLS + odd] >> digit & 1:
            too_many = digit
        elif count not in (0, 2):
            return 0
    if too_many < 0:
        return 0
    begin(o)
    fills(o, odd, too_many)
    marks(o, odd)
    o[DEADLY], o[DIGITS] = 2, 1 << too_many
    return 1
