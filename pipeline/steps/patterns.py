"""Techniques whose pattern is in one or two units: singles, locked candidates, subsets."""

from __future__ import annotations

from pipeline.certify.steps import BASE, CELLS, COVER, DIGITS, STRUCK, STRUCK_COUNT
from pipeline.native import compiled
from pipeline.steps.board import (
    BOXES,
    CELL_UNITS,
    COLUMNS,
    PLACES,
    ROWS,
    SETS,
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
    marks,
    number,
    sees,
    strikes,
    strikes_all,
)

EVERYWHERE, IN_BOXES, IN_LINES = range(3)
POINTING, CLAIMING = range(2)


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
    if where != IN_LINES:
        for unit in range(BOXES, UNITS):
            for digit in range(9):
                if number(t, s[PLACES + 9 * unit + digit]) == 1:
                    return _single(t, o, unit, lowest(t, s[PLACES + 9 * unit + digit]), digit)
    if where != IN_BOXES:
        for unit in range(BOXES):
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
    first, end = (BOXES, UNITS) if kind == POINTING else (ROWS, BOXES)
    for unit in range(first, end):
        for digit in range(9):
            places = s[PLACES + 9 * unit + digit]
            if number(t, places) < 2:
                continue
            cell = cell_at(t, unit, lowest(t, places))
            for k in range(3 * cell, 3 * cell + 3):
                other = t[CELL_UNITS + k]
                if (other < BOXES) == (kind == POINTING) and _is_within(t, unit, places, other):
                    begin(o)
                    _strike_beside(s, t, o, unit, other, digit)
                    if concludes(o) and (not is_direct or _leaves_single(s, t, o, u)):
                        _note(t, o, unit, places)
                        cites_unit(o, unit, digit)
                        o[DIGITS], o[BASE], o[COVER] = 1 << digit, 1 << unit, 1 << other
                        return 1
    return 0


@compiled()
def _is_within(t, unit, places, other):
    """Whether these places of a unit are all in another unit."""
    while places:
        cell = cell_at(t, unit, lowest(t, places))
        if (
            t[CELL_UNITS + 3 * cell] != other
            and t[CELL_UNITS + 3 * cell + 1] != other
            and t[CELL_UNITS + 3 * cell + 2] != other
        ):
            return False
        places &= places - 1
    return True


@compiled()
def _strike_beside(s, t, o, unit, other, digit):
    """Strike a digit in the cells of the other unit that are not in the first."""
    for place in range(9):
        cell = cell_at(t, other, place)
        if not _is_within(t, other, 1 << place, unit):
            strikes(s, o, cell, digit)


@compiled()
def _note(t, o, unit, places):
    while places:
        marks(o, cell_at(t, unit, lowest(t, places)))
        places &= places - 1


@compiled()
def naked_subset(s, t, o, size, is_locked):
    """Cells of a unit that have as many candidates together: no other cell of it has these.

    A locked one is in two units, and strikes in both.
    """
    for unit in range(UNITS):
        for k in range(t[SETS + size], t[SETS + size + 1]):
            digits = _candidates(s, t, unit, t[k], size)
            if number(t, digits) != size:
                continue
            begin(o)
            _note(t, o, unit, t[k])
            _strike_seen(s, t, o, unit, t[k], digits)
            if not concludes(o):
                continue
            both = _second(t, unit, t[k])
            if is_locked and not (both >= 0 and _strikes_in(t, o, unit, both)):
                continue
            places = t[k]
            while places:
                cites_cell(o, cell_at(t, unit, lowest(t, places)))
                places &= places - 1
            o[DIGITS], o[BASE] = digits, 1 << unit
            return 1
    return 0


@compiled()
def _candidates(s, t, unit, places, most):
    """The candidates of open cells together; all digits if one has fewer than 2 or too many."""
    digits = 0
    while places:
        mask = s[CELLS + cell_at(t, unit, lowest(t, places))]
        if not 2 <= number(t, mask) <= most:
            return 511
        digits |= mask
        if number(t, digits) > most:
            return 511
        places &= places - 1
    return digits


@compiled()
def _strike_seen(s, t, o, unit, places, digits):
    """Strike digits in all cells that see each of these places."""
    for cell in range(81):
        if s[CELLS + cell] & digits:
            rest = places
            while rest and sees(t, cell, cell_at(t, unit, lowest(t, rest))):
                rest &= rest - 1
            if not rest:
                strikes_all(s, t, o, cell, digits)


@compiled()
def _second(t, unit, places):
    """The other unit that these places are in; -1 if there is none."""
    cell = cell_at(t, unit, lowest(t, places))
    for k in range(3 * cell, 3 * cell + 3):
        if t[CELL_UNITS + k] != unit and _is_within(t, unit, places, t[CELL_UNITS + k]):
            return t[CELL_UNITS + k]
    return -1


@compiled()
def _strikes_in(t, o, one, other):
    """Whether a step strikes in both units."""
    here = there = False
    for k in range(STRUCK, STRUCK + o[STRUCK_COUNT]):
        cell = o[k] // 9
        in_one = in_other = False
        for unit in range(3 * cell, 3 * cell + 3):
            in_one = in_one or t[CELL_UNITS + unit] == one
            in_other = in_other or t[CELL_UNITS + unit] == other
        here = here or (in_one and not in_other)
        there = there or (in_other and not in_one)
    return here and there


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
def hidden_subset(s, t, o, u, size, is_direct):
    """Digits of a unit that have as many places together: these hold no other digit.

    A direct one leaves a hidden single of a digit that it strikes.
    """
    for unit in range(UNITS):
        for k in range(t[SETS + size], t[SETS + size + 1]):
            digits, places = t[k], 0
            while digits:
                here = s[PLACES + 9 * unit + lowest(t, digits)]
                if not 2 <= number(t, here) <= size:
                    break
                places |= here
                digits &= digits - 1
            if digits or number(t, places) != size:
                continue
            begin(o)
            rest = places
            while rest:
                strikes_all(s, t, o, cell_at(t, unit, lowest(t, rest)), 511 & ~t[k])
                rest &= rest - 1
            if concludes(o) and (not is_direct or _leaves_single(s, t, o, u)):
                digits = t[k]
                while digits:
                    cites_unit(o, unit, lowest(t, digits))
                    digits &= digits - 1
                _note(t, o, unit, places)
                o[DIGITS], o[BASE] = t[k], 1 << unit
                return 1
    return 0


BASIC, FINNED, SASHIMI = range(3)


@compiled()
def fish(s, t, o, size, kind):
    """A digit that lines, the base, have in as many crossing lines only, the cover, or in fins.

    The cells of the cover outside of the base that see all fins lose it. In a sashimi fish a line
    of the base has a single place, or none, without its fins.
    """
    for base in (ROWS, COLUMNS):
        for digit in range(9):
            able = 0
            for line in range(9):
                if number(t, s[PLACES + 9 * (base + line) + digit]) > 1:
                    able |= 1 << line
            for k in range(t[SETS + size], t[SETS + size + 1]):
                if t[k] & ~able:
                    continue
                places = _covered(s, t, base, digit, t[k])
                if kind == BASIC:
                    if number(t, places) == size and _fish(
                        s, t, o, (base, digit, t[k]), places, kind
                    ):
                        return 1
                elif size < number(t, places) <= size + 3:
                    for c in range(t[SETS + size], t[SETS + size + 1]):
                        if (
                            t[c] & ~places == 0
                            and _are_near(t, places & ~t[c])
                            and _fish(s, t, o, (base, digit, t[k]), t[c], kind)
                        ):
                            return 1
    return 0


@compiled()
def _covered(s, t, base, digit, lines):
    """The places of a digit in lines together."""
    places = 0
    while lines:
        places |= s[PLACES + 9 * (base + lowest(t, lines)) + digit]
        lines &= lines - 1
    return places


@compiled(inline=True)
def _are_near(t, places):
    """Whether places are in one third of a line."""
    third = 7 << 3 * (lowest(t, places) // 3)
    return places & ~third == 0


@compiled()
def _fish(s, t, o, of, cover, kind):
    base, digit, lines = of
    begin(o)
    fins, is_sashimi, rest = 0, False, lines
    while rest:
        line = lowest(t, rest)
        here = s[PLACES + 9 * (base + line) + digit]
        if here & ~cover:
            fins |= 1 << line
        is_sashimi = is_sashimi or number(t, here & cover) < 2
        rest &= rest - 1
    if kind != BASIC and not (_are_near(t, fins) and is_sashimi == (kind == SASHIMI)):
        return False
    rest = cover
    while rest:
        place = lowest(t, rest)
        for line in range(9):
            cell = cell_at(t, base + line, place)
            if not lines >> line & 1 and s[CELLS + cell] >> digit & 1:
                is_seen = True
                at = fins
                while at:
                    beyond = s[PLACES + 9 * (base + lowest(t, at)) + digit] & ~cover
                    while beyond:
                        fin = cell_at(t, base + lowest(t, at), lowest(t, beyond))
                        is_seen = is_seen and sees(t, cell, fin) == 1
                        beyond &= beyond - 1
                    at &= at - 1
                if is_seen:
                    strikes(s, o, cell, digit)
        rest &= rest - 1
    if not concludes(o):
        return False
    rest = lines
    while rest:
        cites_unit(o, base + lowest(t, rest), digit)
        beyond = s[PLACES + 9 * (base + lowest(t, rest)) + digit] & ~cover
        _note(t, o, base + lowest(t, rest), beyond)
        rest &= rest - 1
    o[DIGITS], o[BASE], o[COVER] = 1 << digit, lines << base, cover << (COLUMNS - base)
    return True
