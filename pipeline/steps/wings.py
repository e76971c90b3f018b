"""Techniques whose pattern is a few cells or links: wings, single-digit patterns, uniqueness."""

from __future__ import annotations

from pipeline.certify.steps import BASE, CELLS, DEADLY, DIGITS
from pipeline.native import compiled
from pipeline.steps.board import (
    BOXES,
    CELL_UNITS,
    COLUMNS,
    CORNERS,
    OPEN,
    PLACES,
    RECTANGLES,
    SETS,
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
    strikes_all,
)

SKYSCRAPER, KITE, TURBOT = range(3)


@compiled()
def _strike_common(s, t, o, one, other, digit):
    """Strike a digit in all cells that see both."""
    for cell in range(81):
        if s[CELLS + cell] >> digit & 1 and sees(t, cell, one) and sees(t, cell, other):
            strikes(s, o, cell, digit)


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
                    for ends in range(4):
                        if _two_links(s, t, o, (digit, one, other, ends), kind):
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
def _two_links(s, t, o, of, kind):
    digit, one, other, ends = of
    a, b = _ends(s, t, one, digit, ends & 1)
    c, e = _ends(s, t, other, digit, ends >> 1)
    if a in (c, e) or b in (c, e) or not sees(t, b, c):
        return False
    in_box = t[CELL_UNITS + 3 * b + 2] == t[CELL_UNITS + 3 * c + 2]
    if kind == SKYSCRAPER and in_box:
        return False
    if kind == KITE and not in_box:
        return False
    begin(o)
    _strike_common(s, t, o, a, e, digit)
    if not concludes(o):
        return False
    cites_unit(o, one, digit)
    cites_unit(o, other, digit)
    marks(o, a)
    marks(o, b)
    marks(o, c)
    marks(o, e)
    o[DIGITS], o[BASE] = 1 << digit, 1 << one | 1 << other
    return True


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
def empty_rectangle(s, t, o):
    """A box that has a digit in one row and one column only, and a line with two places for it.

    If the line's place in that row does not hold it, its other place does; else the box has it in
    the column. So the cell where that place sees the column does not.
    """
    for digit in range(9):
        for box in range(BOXES, UNITS):
            if number(t, s[PLACES + 9 * box + digit]) < 2:
                continue
            corner = cell_at(t, box, 0)
            for r in range(3):
                for c in range(3):
                    row, column = corner // 9 + r, corner % 9 + c
                    if _is_cross(s[PLACES + 9 * box + digit], r, c) and (
                        _rectangle(s, t, o, (digit, box, row, COLUMNS + column))
                        or _rectangle(s, t, o, (digit, box, COLUMNS + column, row))
                    ):
                        return 1
    return 0


@compiled()
def _is_cross(places, row, column):
    """Whether places of a box are in its row and its column, and in neither alone."""
    in_row, in_column = 7 << 3 * row, 73 << column
    return not places & ~(in_row | in_column) and places & ~in_row and places & ~in_column


@compiled()
def _rectangle(s, t, o, of):
    digit, box, line, crossing = of
    for place in range(9):
        near = cell_at(t, line, place)
        if t[CELL_UNITS + 3 * near + 2] == box or not s[CELLS + near] >> digit & 1:
            continue
        link = t[CELL_UNITS + 3 * near + (1 if line < COLUMNS else 0)]
        if number(t, s[PLACES + 9 * link + digit]) != 2:
            continue
        _, far = _ends(s, t, link, digit, 0)
        if far == near:
            far, _ = _ends(s, t, link, digit, 0)
        if t[CELL_UNITS + 3 * far + 2] == box:
            continue
        struck = far // 9 * 9 + crossing - COLUMNS if line < COLUMNS else 9 * crossing + far % 9
        if t[CELL_UNITS + 3 * struck + 2] == box or not s[CELLS + struck] >> digit & 1:
            continue
        begin(o)
        strikes(s, o, struck, digit)
        cites_unit(o, box, digit)
        cites_unit(o, link, digit)
        marks(o, near)
        marks(o, far)
        o[DIGITS], o[BASE] = 1 << digit, 1 << box | 1 << link
        return True
    return False


@compiled()
def w_wing(s, t, o):
    """Two cells with the same two candidates, and a unit in whose two places of one see them."""
    for one in range(81):
        pair = s[CELLS + one]
        if number(t, pair) != 2:
            continue
        for other in range(one + 1, 81):
            if s[CELLS + other] != pair or sees(t, one, other):
                continue
            for turn in range(2):
                digit = lowest(t, pair) if turn else lowest(t, pair & (pair - 1))
                for unit in range(UNITS):
                    if number(t, s[PLACES + 9 * unit + digit]) != 2:
                        continue
                    a, b = _ends(s, t, unit, digit, 0)
                    if a in (one, other) or b in (one, other):
                        continue
                    if (sees(t, a, one) and sees(t, b, other)) or (
                        sees(t, a, other) and sees(t, b, one)
                    ):
                        begin(o)
                        _strike_common(s, t, o, one, other, lowest(t, pair & ~(1 << digit)))
                        if concludes(o):
                            cites_cell(o, one)
                            cites_cell(o, other)
                            cites_unit(o, unit, digit)
                            marks(o, one)
                            marks(o, other)
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
        if number(t, mask) != size:
            continue
        for one in range(81):
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
                digit = lowest(t, shared)
                for cell in range(81):
                    is_seen = size == 2 or sees(t, cell, pivot)
                    if is_seen and sees(t, cell, one) and sees(t, cell, other):
                        strikes(s, o, cell, digit)
                if concludes(o):
                    cites_cell(o, pivot)
                    cites_cell(o, one)
                    cites_cell(o, other)
                    marks(o, pivot)
                    marks(o, one)
                    marks(o, other)
                    o[DIGITS] = mask | shared
                    return 1
    return 0


@compiled()
def unique_rectangle(s, t, o, kind):
    """Four open cells in two rows, columns and boxes that all have two digits.

    If they held these alone, the two could be exchanged, and the puzzle had another solution.
    Kind 1: three hold nothing else. 2 and 5: the others have one more candidate, the same. 3: with
    cells of a unit of both they are a subset. 4: one of the digits has no other place there.
    """
    for at in range(RECTANGLES, RECTANGLES + 4 * CORNERS, 4):
        common = 511
        for k in range(at, at + 4):
            common &= s[CELLS + t[k]]
        if number(t, common) < 2:
            continue
        for a in range(9):
            for b in range(a + 1, 9):
                pair = 1 << a | 1 << b
                if common & pair == pair and _unique(s, t, o, at, pair, kind):
                    return 1
    return 0


@compiled()
def _unique(s, t, o, at, pair, kind):
    """As `unique_rectangle`, for four cells and two digits."""
    roof_count, extras, one, other = 0, 0, -1, -1
    for k in range(at, at + 4):
        if s[CELLS + t[k]] != pair:
            roof_count += 1
            extras |= s[CELLS + t[k]]
            one, other = other, t[k]
    extras &= ~pair
    begin(o)
    o[DEADLY], o[DIGITS] = 1, pair
    for k in range(at, at + 4):
        marks(o, t[k])
    if kind == 1:
        if roof_count == 1:
            strikes_all(s, t, o, other, pair)
        return concludes(o) > 0
    if kind in (2, 5):
        if number(t, extras) == 1 and roof_count in (2, 3):
            near = roof_count == 2 and sees(t, one, other)
            if near == (kind == 2):
                _strike_seen_by_roof(s, t, o, at, pair, lowest(t, extras))
        return concludes(o) > 0
    if roof_count != 2 or not sees(t, one, other):
        return False
    for k in range(3):
        unit = t[CELL_UNITS + 3 * one + k]
        if unit == t[CELL_UNITS + 3 * other + k]:
            if kind == 4:
                _confined(s, t, o, (unit, one, other), pair)
            else:
                _with_subset(s, t, o, (unit, one, other), extras)
            if concludes(o):
                return True
    return False


@compiled()
def _strike_seen_by_roof(s, t, o, at, pair, digit):
    for cell in range(81):
        if s[CELLS + cell] >> digit & 1:
            is_seen = True
            for k in range(at, at + 4):
                if s[CELLS + t[k]] != pair and not sees(t, cell, t[k]):
                    is_seen = False
            if is_seen:
                strikes(s, o, cell, digit)


@compiled()
def _confined(s, t, o, roof, pair):
    """Strike one digit of the pair in both cells where the other has no other place in the unit."""
    unit, one, other = roof
    for turn in range(2):
        digit = lowest(t, pair) if turn else lowest(t, pair & (pair - 1))
        if number(t, s[PLACES + 9 * unit + digit]) == 2:
            strikes(s, o, one, lowest(t, pair & ~(1 << digit)))
            strikes(s, o, other, lowest(t, pair & ~(1 << digit)))
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
                if cell not in (one, other) and not t[k] >> place & 1:
                    strikes_all(s, t, o, cell, s[CELLS + cell] & digits)
            if concludes(o):
                places = t[k]
                while places:
                    cites_cell(o, cell_at(t, unit, lowest(t, places)))
                    places &= places - 1
                return


@compiled()
def bug(s, t, o):
    """All open cells have two candidates, and each digit two places or none in each unit, but one.

    That cell holds the candidate that is too many: without it there would be no solution, or two.
    """
    odd = -1
    for cell in range(81):
        count = number(t, s[CELLS + cell])
        if count == 3 and odd < 0:
            odd = cell
        elif count not in (0, 2):
            return 0
    if odd < 0:
        return 0
    too_many = -1
    for digit in range(9):
        for unit in range(UNITS):
            count = number(t, s[PLACES + 9 * unit + digit])
            if count == 3 and too_many in (-1, digit) and s[CELLS + odd] >> digit & 1:
                too_many = digit
            elif count not in (0, 2):
                return 0
    if too_many < 0 or s[OPEN] == 0:
        return 0
    begin(o)
    fills(o, odd, too_many)
    marks(o, odd)
    o[DEADLY], o[DIGITS] = 2, 1 << too_many
    return 1
