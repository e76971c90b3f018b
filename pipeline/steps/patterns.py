"""Techniques that look for a pattern of cells: singles, subsets, fish, rectangles, BUG+1."""

from __future__ import annotations

from pipeline.certify.steps import (
    ALLOWED, BASE, CITED, COVER, DEADLY, DIGITS, MARKS, PLACED, STRUCK, VALUES,
)  # fmt: skip
from pipeline.native import compiled
from pipeline.steps.board import (
    COLUMNS, CORNERS, NODE_MASKS, NODE_REASONS, PLACES, REASONS, RECTANGLES, ROW_MASKS, SETS,
    SINGLES, SPOT_AT, STATE, UNITS, adds, apply, begin, candidate_at, cell_at, lowest, marks,
    number, sees, sees_marks, strikes, strikes_seen, unit_of,
)  # fmt: skip

FULL_HOUSE, NAKED_SINGLE, EVERYWHERE, IN_BOXES, IN_LINES = range(5)
POINTING, CLAIMING, DIRECT_POINTING, DIRECT_CLAIMING = range(4)
NAKED, LOCKED, HIDDEN, DIRECT, BASIC, FINNED, SASHIMI = range(7)
"""Forms of singles, the last three hidden ones; of locked candidates; of subsets and fish."""


@compiled()
def single(s, t, o, form):
    """A cell with one candidate, or a digit with one place in a unit: the boxes first.

    In a full house that is the last open cell of the unit.
    """
    first = 0 if form == NAKED_SINGLE else 81 if form in (FULL_HOUSE, IN_LINES) else 243
    count = 81 if form in (NAKED_SINGLE, IN_BOXES) else 162 if form == IN_LINES else 243
    for k in range(first, first + count):
        reason = k if k < REASONS else k - 243
        if number(t, s[reason]) == 1:
            is_last, unit = True, reason // 9 * 9
            for other in range(unit, unit + 9 if form == FULL_HOUSE else unit):
                if s[VALUES + other] == 0 and other != reason:
                    is_last = False
                    break
            if is_last:
                adds(o, PLACED, candidate_at(t, reason, lowest(t, s[reason])))
                adds(o, CITED, reason)
                o[BASE] = 1 << reason // 9 - 9 if reason >= PLACES else 0
                return 1
    return 0


@compiled()
def locked(s, t, o, u, form):
    """A digit of one unit only where it meets another, of which the rest loses it.

    A direct one leaves a hidden single of the digit.
    """
    is_box = form in (POINTING, DIRECT_POINTING)
    for reason in range(243 if is_box else 81, 324 if is_box else 243):
        unit, digit = reason // 9 - 9, reason % 9
        group = t[SPOT_AT + 512 * unit + s[reason]]
        if group >= 81:
            begin(o)
            marks(t, o, unit, s[reason])
            strikes_seen(s, t, o, 0, 1 << digit)
            adds(o, CITED, reason)
            o[DIGITS], o[BASE] = 1 << digit, 1 << unit
            o[COVER] = 1 << unit_of(t, group, 0 if is_box else 1)
            if o[STRUCK] and (form in (POINTING, CLAIMING) or _leaves_single(s, t, o, u)):
                return 1
    return 0


@compiled()
def _leaves_single(s, t, o, u):
    """Whether a digit that is struck has a single place in a unit then; `u` is a scratch state."""
    for k in range(STATE):
        u[k] = s[k]
    apply(u, t, o)
    for k in range(STRUCK + 1, STRUCK + 1 + o[STRUCK]):
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
def subset(s, t, o, u, size, form):
    """Rows, of nine, that have as many columns together.

    In a naked subset these are cells and candidates of a unit, in a hidden one digits and places,
    in a fish lines and crossing lines for a digit. A fish may have columns that are too many, its
    fins, if these are in one box.
    """
    most = size + 3 if form in (FINNED, SASHIMI) else size
    for at in range(18 if form >= BASIC else UNITS):
        for row in range(9):
            s[ROW_MASKS + row] = s[_reason(t, at, row, form)]
        able = _able(s, t, most)
        k = _next(s, t, size, most, able, t[SETS + size])
        while k:
            rows, columns = t[k], _union(s, t, t[k])
            if form < BASIC:
                is_found = _subset(s, t, o, u, at, rows, columns, form)
            else:
                is_found = _finned(s, t, o, at, rows, columns, size, form)
            if is_found:
                return 1
            k = _next(s, t, size, most, able, k + 1)
    return 0


@compiled(inline=True)
def _reason(t, at, row, form):
    """A row: of unit `at`, or of a fish in rows or columns, at 9 k + digit."""
    if form < HIDDEN:
        return cell_at(t, at, row)
    return PLACES + 9 * at + row if form < BASIC else PLACES + 9 * (at // 9 * 9 + row) + at % 9


@compiled()
def _subset(s, t, o, u, unit, rows, columns, form):
    """Naked: what sees all the cells loses these candidates. A locked one strikes in two units.

    Hidden: the places hold no other digit. A direct one leaves a hidden single of what it strikes.
    """
    begin(o)
    places, digits = (rows, columns) if form < HIDDEN else (columns, rows)
    o[DIGITS], o[BASE] = digits, 1 << unit
    marks(t, o, unit, places)
    for row in range(9):
        if rows >> row & 1:
            adds(o, CITED, _reason(t, unit, row, form))
    if form < HIDDEN:
        strikes_seen(s, t, o, 0, digits)
    else:
        for k in range(MARKS + 1, MARKS + 1 + o[MARKS]):
            strikes(s, t, o, o[k], 511 & ~digits)
    return o[STRUCK] and (
        form in (NAKED, HIDDEN)
        or (form == LOCKED and _strikes_in_both(t, o, t[SPOT_AT + 512 * unit + places]))
        or (form == DIRECT and _leaves_single(s, t, o, u))
    )


@compiled()
def _strikes_in_both(t, o, group):
    """Whether a step strikes both outside of the line and outside of the box of a group."""
    line = box = False
    for k in range(STRUCK + 1, STRUCK + 1 + o[STRUCK] if group >= 81 else 0):
        cell = o[k] // 9
        line = line or unit_of(t, group, 0) not in (unit_of(t, cell, 0), unit_of(t, cell, 1))
        box = box or unit_of(t, group, 1) != unit_of(t, cell, 2)
    return line and box


@compiled()
def _finned(s, t, o, at, rows, columns, size, form):
    """Try all that is too much for a fish, if it is in a third of the columns, as its fins."""
    if form == BASIC:
        return _fish(s, t, o, at, rows, columns, form)
    count = number(t, columns) - size
    for third in range(6, -1, -3):
        here = columns >> third & 7
        for fins in range(7 if count and number(t, here) >= count else 0, 0, -1):
            are_fins = fins & ~here == 0 and number(t, fins) == count
            if are_fins and _fish(s, t, o, at, rows, columns & ~(fins << third), form):
                return True
    return False


@compiled()
def _fish(s, t, o, at, rows, columns, form):
    """The columns lose the digit in other rows, if these see all fins.

    In a sashimi fish a row has a single place, or none, without its fins.
    """
    begin(o)
    base, digit = at // 9 * 9, at % 9
    fins, is_sashimi, rest = 0, False, rows
    while rest:
        row = lowest(t, rest)
        here = s[ROW_MASKS + row]
        if here & ~columns:
            fins |= 1 << row
            marks(t, o, base + row, here & ~columns)
        is_sashimi = is_sashimi or number(t, here & columns) < 2
        rest &= rest - 1
    is_near = fins & ~(7 << 3 * (lowest(t, fins) // 3)) == 0
    if form != BASIC and not (is_near and is_sashimi == (form == SASHIMI)):
        return False
    for row in range(9):
        rest = 0 if rows >> row & 1 else columns & s[ROW_MASKS + row]
        while rest:
            cell = cell_at(t, base + row, lowest(t, rest))
            if sees_marks(t, o, 0, cell):
                strikes(s, t, o, cell, 1 << digit)
            rest &= rest - 1
    for row in range(9 if o[STRUCK] else 0):
        if rows >> row & 1:
            adds(o, CITED, _reason(t, at, row, form))
    o[DIGITS], o[BASE], o[COVER] = 1 << digit, rows << base, columns << (COLUMNS - base)
    return o[STRUCK] > 0


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
            common &= s[ALLOWED + t[k]] if s[t[k]] else 0
        for k in range(at, at + 4):
            pair = s[t[k]]
            if number(t, pair) == 2 and pair & ~common == 0:
                _unique(s, t, o, at, pair, kind)
                if o[STRUCK]:
                    return 1
    return 0


@compiled()
def _unique(s, t, o, at, pair, kind):
    """As `unique_rectangle`, for four cells and two digits; the roof is those that have more."""
    begin(o)
    o[DEADLY], o[DIGITS] = 1, pair
    roof = extras = 0
    for k in range(4):
        o[MARKS + 1 + k] = t[at + k]
        if s[t[at + k]] != pair:
            extras |= s[t[at + k]] & ~pair
            o[MARKS + 5 + roof] = t[at + k]
            roof += 1
    one, other = o[MARKS + 5], o[MARKS + 6]
    is_aligned = roof == 2 and sees(t, one, other)
    if kind == 1 and roof == 1:
        strikes(s, t, o, one, pair)
    elif kind == (2 if is_aligned else 5) and roof in (2, 3) and number(t, extras) == 1:
        o[MARKS] = 4 + roof
        strikes_seen(s, t, o, 4, extras)
    elif kind in (3, 4) and is_aligned:
        for k in range(3):
            unit = unit_of(t, one, k)
            both = t[NODE_MASKS + 36 * one + k] | t[NODE_MASKS + 36 * other + k]
            if unit == unit_of(t, other, k) and not o[STRUCK]:
                if kind == 4:
                    _confined(s, t, o, unit, both, pair)
                else:
                    _with_subset(s, t, o, unit, both, extras)
    o[MARKS] = 4


@compiled()
def _confined(s, t, o, unit, both, pair):
    """Strike one digit of the pair in both cells if the other has no other place in the unit."""
    for digit in range(8, -1, -1):
        if pair >> digit & 1 and s[PLACES + 9 * unit + digit] == both:
            strikes(s, t, o, cell_at(t, unit, lowest(t, both)), pair & ~(1 << digit))
            strikes(s, t, o, cell_at(t, unit, lowest(t, both & (both - 1))), pair & ~(1 << digit))
            adds(o, CITED, PLACES + 9 * unit + digit)
            return


@compiled()
def _with_subset(s, t, o, unit, both, extras):
    """Strike the candidates of a subset that has one cell more: one of the two cells."""
    for row in range(9):
        mask = 0 if both >> row & 1 else s[cell_at(t, unit, row)]
        s[ROW_MASKS + row] = mask | extras if mask else 0
    for size in range(1, 4):
        able = _able(s, t, size + 1)
        k = _next(s, t, size, size + 1, able, t[SETS + size])
        while k:
            digits = _union(s, t, t[k])
            for place in range(9 if number(t, digits) == size + 1 else 0):
                if t[k] >> place & 1:
                    adds(o, CITED, cell_at(t, unit, place))
                elif not both >> place & 1:
                    strikes(s, t, o, cell_at(t, unit, place), digits)
            if o[STRUCK]:
                return
            o[CITED] = 0
            k = _next(s, t, size, size + 1, able, k + 1)


@compiled()
def bug(s, t, o):
    """All open cells have two candidates, and each digit two places or none in each unit, but one.

    That cell holds the candidate that is too many: without it there would be no solution, or two.
    """
    odd = 0
    for reason in range(REASONS):
        odd += number(t, s[reason]) not in (0, 2)
    for candidate in range(SINGLES if odd == 4 else 0):
        count = s[candidate // 9] >> candidate % 9 & 1
        for k in range(4 * candidate, 4 * candidate + 4):
            count += number(t, s[t[NODE_REASONS + k]]) == 3
        if count == 5:
            adds(o, PLACED, candidate)
            adds(o, MARKS, candidate // 9)
            o[DEADLY], o[DIGITS] = 2, 1 << candidate % 9
            return 1
    return 0
