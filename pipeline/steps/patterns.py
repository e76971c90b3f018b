"""Techniques that look for subsets: singles, locked candidates, naked and hidden subsets, fish."""

from __future__ import annotations

from pipeline.certify.steps import BASE, CELLS, COVER, DIGITS, MARK_COUNT, STRUCK, STRUCK_COUNT
from pipeline.native import compiled
from pipeline.steps.board import (
    BOXES,
    COLUMNS,
    PLACES,
    ROW_MASKS,
    ROWS,
    SETS,
    SPOT_AT,
    SPOT_UNITS,
    STATE,
    UNITS,
    apply,
    begin,
    cell_at,
    cites_cell,
    cites_unit,
    concludes,
    fills,
    lowest,
    marks_places,
    number,
    sees_marks,
    strikes,
    strikes_seen,
)

EVERYWHERE, IN_BOXES, IN_LINES = range(3)
POINTING, CLAIMING = range(2)
NAKED_SET, LOCKED_SET, HIDDEN_SET, DIRECT_SET = range(4)
BASIC, FINNED, SASHIMI = range(3)


@compiled()
def full_house(s, t, o):
    """The last open cell of a unit."""
    for unit in range(UNITS):
        places = digits = 0
        for digit in range(9):
            if s[PLACES + 9 * unit + digit]:
                places |= s[PLACES + 9 * unit + digit]
                digits |= 1 << digit
        if number(t, places) == 1 and number(t, digits) == 1:
            return _single(t, o, unit, lowest(t, places), lowest(t, digits))
    return 0


@compiled()
def naked_single(s, t, o):
    """A cell with one candidate."""
    for cell in range(81):
        mask = s[CELLS + cell]
        if mask and mask & (mask - 1) == 0:
            begin(o)
            fills(o, cell, lowest(t, mask))
            cites_cell(o, cell)
            return 1
    return 0


@compiled()
def hidden_single(s, t, o, where):
    """A digit with one place in a unit: the boxes first."""
    for k in range(9 if where == IN_LINES else 0, 9 if where == IN_BOXES else UNITS):
        unit = (k + BOXES) % UNITS
        for digit in range(9):
            if number(t, s[PLACES + 9 * unit + digit]) == 1:
                return _single(t, o, unit, lowest(t, s[PLACES + 9 * unit + digit]), digit)
    return 0


@compiled()
def _single(t, o, unit, place, digit):
    begin(o)
    fills(o, cell_at(t, unit, place), digit)
    cites_unit(o, unit, digit)
    o[BASE] = 1 << unit
    return 1


@compiled()
def locked(s, t, o, u, kind, is_direct):
    """A digit of one unit only where it meets another, of which the rest loses it.

    A direct one leaves a hidden single of the digit.
    """
    for unit in range(BOXES if kind == POINTING else ROWS, UNITS if kind == POINTING else BOXES):
        for digit in range(9):
            places = s[PLACES + 9 * unit + digit]
            group = t[SPOT_AT + 512 * unit + places]
            if group < 81:
                continue
            begin(o)
            marks_places(t, o, unit, places)
            strikes_seen(s, t, o, 0, 1 << digit)
            if concludes(o) and (not is_direct or _leaves_single(s, t, o, u)):
                cites_unit(o, unit, digit)
                other = t[SPOT_UNITS + 3 * group + (0 if kind == POINTING else 1)]
                o[DIGITS], o[BASE], o[COVER] = 1 << digit, 1 << unit, 1 << other
                return 1
    return 0


@compiled()
def _leaves_single(s, t, o, u):
    """Whether a digit that is struck has a single place in a unit then; `u` is a scratch state."""
    for k in range(STATE):
        u[k] = s[k]
    apply(u, t, o)
    for k in range(STRUCK, STRUCK + o[STRUCK_COUNT]):
        for unit in range(UNITS):
            if number(t, u[PLACES + 9 * unit + o[k] % 9]) == 1:
                return True
    return False


@compiled()
def _able(s, t, most):
    """The rows that may be in a subset: with two to `most` bits in their ROW_MASKS."""
    able = 0
    for row in range(9):
        if 1 < number(t, s[ROW_MASKS + row]) <= most:
            able |= 1 << row
    return able


@compiled()
def _next(s, t, size, most, able, k):
    """The first set of rows, from k on, whose ROW_MASKS have size to `most` bits together; or 0."""
    if number(t, able) < size:
        return 0
    while k < t[SETS + size + 1]:
        if t[k] & ~able == 0 and size <= number(t, _union(s, t, t[k])) <= most:
            return k
        k += 1
    return 0


@compiled()
def _union(s, t, rows):
    together = 0
    while rows:
        together |= s[ROW_MASKS + lowest(t, rows)]
        rows &= rows - 1
    return together


@compiled()
def subset(s, t, o, u, size, kind):
    """Cells of a unit that have as many candidates together, or digits that have as many places.

    Naked: what sees all the cells loses these candidates. A locked one strikes in two units.
    Hidden: the places hold no other digit. A direct one leaves a hidden single of what it strikes.
    """
    is_naked = kind in (NAKED_SET, LOCKED_SET)
    for unit in range(UNITS):
        for row in range(9):
            mask = s[CELLS + cell_at(t, unit, row)] if is_naked else s[PLACES + 9 * unit + row]
            s[ROW_MASKS + row] = mask
        able = _able(s, t, size)
        k = _next(s, t, size, size, able, t[SETS + size])
        while k:
            begin(o)
            if is_naked:
                places, digits = t[k], _union(s, t, t[k])
                _naked(s, t, o, unit, places, digits)
            else:
                places, digits = _union(s, t, t[k]), t[k]
                _hidden(s, t, o, unit, places, digits)
            if concludes(o) and (
                kind in (NAKED_SET, HIDDEN_SET)
                or (kind == LOCKED_SET and _strikes_in_both(t, o, unit, places))
                or (kind == DIRECT_SET and _leaves_single(s, t, o, u))
            ):
                o[DIGITS], o[BASE] = digits, 1 << unit
                return 1
            k = _next(s, t, size, size, able, k + 1)
    return 0


@compiled()
def _naked(s, t, o, unit, places, digits):
    marks_places(t, o, unit, places)
    strikes_seen(s, t, o, 0, digits)
    while places:
        cites_cell(o, cell_at(t, unit, lowest(t, places)))
        places &= places - 1


@compiled()
def _hidden(s, t, o, unit, places, digits):
    marks_places(t, o, unit, places)
    while places:
        strikes(s, t, o, cell_at(t, unit, lowest(t, places)), 511 & ~digits)
        places &= places - 1
    while digits:
        cites_unit(o, unit, lowest(t, digits))
        digits &= digits - 1


@compiled()
def _strikes_in_both(t, o, unit, places):
    """Whether places are a group, and the step strikes outside of its line and outside its box."""
    group = t[SPOT_AT + 512 * unit + places]
    line = box = False
    for k in range(STRUCK, STRUCK + o[STRUCK_COUNT]):
        at = SPOT_UNITS + 3 * (o[k] // 9)
        units = t[at], t[at + 1], t[at + 2]
        line = line or t[SPOT_UNITS + 3 * group] not in units
        box = box or t[SPOT_UNITS + 3 * group + 1] not in units
    return group >= 81 and line and box


@compiled()
def fish(s, t, o, size, kind):
    """A digit that lines, the base, have in as many crossing lines only, the cover, or in fins.

    The cells of the cover outside of the base that see all fins lose it. In a sashimi fish a line
    of the base has a single place, or none, without its fins.
    """
    most = size if kind == BASIC else size + 3
    for base in (ROWS, COLUMNS):
        for digit in range(9):
            for line in range(9):
                s[ROW_MASKS + line] = s[PLACES + 9 * (base + line) + digit]
            able = _able(s, t, most)
            k = _next(s, t, size, most, able, t[SETS + size])
            while k:
                places = _union(s, t, t[k])
                if kind == BASIC:
                    if _fish(s, t, o, (base, digit, t[k]), places, kind):
                        return 1
                elif _finned(s, t, o, (base, digit, t[k]), places, size, kind):
                    return 1
                k = _next(s, t, size, most, able, k + 1)
    return 0


@compiled()
def _finned(s, t, o, of, places, size, kind):
    """Try all that is too much for a fish, if it is in a third of the places, as its fins."""
    count = number(t, places) - size
    for third in range(6, -1, -3):
        here = places >> third & 7
        for fins in range(7 if count and number(t, here) >= count else 0, 0, -1):
            if fins & ~here == 0 and number(t, fins) == count:
                cover = places & ~(fins << third)
                if _fish(s, t, o, of, cover, kind):
                    return True
    return False


@compiled()
def _fish(s, t, o, of, cover, kind):
    base, digit, lines = of
    begin(o)
    fins, is_sashimi, rest = 0, False, lines
    while rest:
        line = lowest(t, rest)
        here = s[ROW_MASKS + line]
        if here & ~cover:
            fins |= 1 << line
            marks_places(t, o, base + line, here & ~cover)
        is_sashimi = is_sashimi or number(t, here & cover) < 2
        rest &= rest - 1
    is_near = fins & ~(7 << 3 * (lowest(t, fins) // 3)) == 0
    if kind != BASIC and not (is_near and is_sashimi == (kind == SASHIMI)):
        return False
    for line in range(9):
        rest = 0 if lines >> line & 1 else cover & s[ROW_MASKS + line]
        while rest:
            cell = cell_at(t, base + line, lowest(t, rest))
            if o[MARK_COUNT] == 0 or sees_marks(t, o, 0, cell):
                strikes(s, t, o, cell, 1 << digit)
            rest &= rest - 1
    if not concludes(o):
        return False
    rest = lines
    while rest:
        cites_unit(o, base + lowest(t, rest), digit)
        rest &= rest - 1
    o[DIGITS], o[BASE], o[COVER] = 1 << digit, lines << base, cover << (COLUMNS - base)
    return True
