"""The patterns of Sudoku Explainer 1.2.1, in its order.

Each `find_` function writes the first step of a technique, with its conclusions and citations, to
`step`, and returns 1, or 0 if there is none. The order of search matters, because the first step
decides which steps follow. Units are searched by kind (boxes, columns, rows), sets of positions or
digits in the order of their masks. `layout` describes the arrays.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.patterns import next_set, union_of_masks
from pipeline.steps.step_arrays import (
    add_eliminations,
    add_pattern_cells,
    append_new,
    bit_count,
    candidate_at,
    cell_at,
    lowest_bit,
    reset_step,
    sees,
)


@compiled(inline=True)
def unit_in_order(k):
    """Unit `k` in the order boxes, columns, rows."""
    return k % 9 + L.FIRST_BOX - k // 9 * 9


@compiled(inline=True)
def places_of_digit(state, unit, digit):
    """The positions of a digit in a unit."""
    return state[L.UNIT_DIGITS + 9 * unit + digit]


@compiled()
def _place_in(tables, step, unit, digit, places):
    """Place a digit at its only position in a unit."""
    constraint = L.UNIT_DIGITS + 9 * unit + digit
    append_new(step, L.PLACED, candidate_at(tables, constraint, lowest_bit(tables, places)))
    append_new(step, L.CITED, constraint)


LAST_CELL, IN_BOX, IN_LINE = range(3)
"""Forms of hidden singles: in the last open cell of a unit, in a box, in a column or a row."""


@compiled()
def find_hidden_single_by_unit(state, tables, step, form):
    """Find a hidden single: the last open cell of a unit (1.0), in a box (1.2), in a line (1.5)."""
    for k in range(9 if form == IN_LINE else 0, 9 if form == IN_BOX else 27):
        unit = unit_in_order(k)
        if form == LAST_CELL and state[L.OPEN_CELLS + unit] != 1:
            continue
        for digit in range(9):
            if bit_count(tables, places_of_digit(state, unit, digit)) == 1:
                _place_in(tables, step, unit, digit, places_of_digit(state, unit, digit))
                step[L.BASE_UNITS] = 1 << unit
                return 1
    return 0


@compiled()
def find_first_naked_single(state, tables, step):
    """Find a naked single."""
    for cell in range(81):
        if bit_count(tables, state[cell]) == 1:
            append_new(step, L.PLACED, 9 * cell + lowest_bit(tables, state[cell]))
            append_new(step, L.CITED, cell)
            return 1
    return 0


# All places of a digit in unit a are in unit b, too; one of the two is a box. So it is eliminated
# from the rest of b. Directly, this leaves it a single place in another unit that crosses b and is
# of the kind of a. Sudoku Explainer also has direct claiming (1.9), which never comes to pass: if
# claiming in box b left the digit a single place in a line x, the third box of the band would have
# all its places in the third line y, so direct pointing would find that place first.
@compiled()
def find_pointing_or_claiming(state, tables, step, is_claiming, is_direct):
    """Find pointing (2.6, directly 1.7) or claiming (2.8, directly 1.9)."""
    for is_row in range(2):
        line = L.FIRST_ROW if is_row else L.FIRST_COLUMN
        first, crossing = (line, L.FIRST_BOX) if is_claiming else (L.FIRST_BOX, line)
        for k in range(81):
            digit, unit = k // 9, first + k % 9
            places = places_of_digit(state, unit, digit)
            if bit_count(tables, places) < 2:
                continue
            group = tables[L.SPOT_AT + 512 * unit + places]
            if group < 81:
                continue
            # a group knows its line and its box
            other = tables[L.NODE_CONSTRAINTS + 36 * group + is_claiming] // 9 - 9
            if not crossing <= other < crossing + 9:
                continue
            reset_step(step)
            step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = 1 << digit, 1 << unit
            step[L.COVER_UNITS] = 1 << other
            append_new(step, L.CITED, L.UNIT_DIGITS + 9 * unit + digit)
            add_pattern_cells(tables, step, unit, places)
            if is_direct:
                if _leaves_a_place(state, tables, step, first, unit, other, digit):
                    return 1
            else:
                _eliminate_outside(state, tables, step, other, unit, digit)
                if step[L.ELIMINATED]:
                    return 1
    return 0


@compiled(inline=True)
def _is_in(tables, cell, unit):
    """Whether a cell is in a unit."""
    kind = unit // 9
    return tables[L.NODE_CONSTRAINTS + 36 * cell + kind] // 9 - 9 == unit


@compiled()
def _eliminate_outside(state, tables, step, unit, other, digit):
    """Eliminate a digit from the cells of a unit that are not in another unit."""
    for position in range(9):
        cell = cell_at(tables, unit, position)
        if not _is_in(tables, cell, other):
            add_eliminations(state, tables, step, cell, 1 << digit)


@compiled()
def _leaves_a_place(state, tables, step, first, unit, other, digit):
    """Place a digit in a unit of the kind of `unit` with one place outside of unit `other`."""
    for parallel in range(first, first + 9):
        places = places_of_digit(state, parallel, digit)
        if parallel == unit or bit_count(tables, places) < 2:
            continue
        outside = 0
        for position in range(9):
            if places >> position & 1 and not _is_in(
                tables, cell_at(tables, parallel, position), other
            ):
                outside |= 1 << position
        if outside != places and bit_count(tables, outside) == 1:
            _place_in(tables, step, parallel, digit, outside)
            return True
    return False


# n digits of a unit have only n places, so these hold no other digit. Directly, this leaves another
# digit a single place in the unit.
@compiled()
def find_hidden_set(state, tables, step, size, is_direct):
    """Find a hidden set: 3.4, 4.0, 5.4; directly 2.0, 2.5."""
    for k in range(27):
        unit = unit_in_order(k)
        usable = 0
        for digit in range(9):
            places = places_of_digit(state, unit, digit)
            state[L.ROW_MASKS + digit] = places
            if 1 < bit_count(tables, places) <= size:
                usable |= 1 << digit
        if bit_count(tables, usable) < size or state[L.OPEN_CELLS + unit] <= (
            size if is_direct else 2 * size
        ):
            continue
        offset = next_set(state, tables, size, size, usable, tables[L.SETS + size])
        while offset:
            digits = tables[offset]
            places = union_of_masks(state, tables, digits)
            reset_step(step)
            if is_direct:
                _place_outside(state, tables, step, unit, digits, places)
            else:
                for position in range(9):
                    if places >> position & 1:
                        cell = cell_at(tables, unit, position)
                        add_eliminations(state, tables, step, cell, 511 & ~digits)
            if step[L.PLACED] or step[L.ELIMINATED]:
                step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = digits, 1 << unit
                add_pattern_cells(tables, step, unit, places)
                for digit in range(9):
                    if digits >> digit & 1:
                        append_new(step, L.CITED, L.UNIT_DIGITS + 9 * unit + digit)
                return 1
            offset = next_set(state, tables, size, size, usable, offset + 1)
    return 0


@compiled()
def _place_outside(state, tables, step, unit, digits, places):
    """Place the lowest digit that has several places in a unit, one of them outside `places`."""
    for digit in range(9):
        rest = places_of_digit(state, unit, digit)
        if (
            not digits >> digit & 1
            and bit_count(tables, rest) > 1
            and bit_count(tables, rest & ~places) == 1
        ):
            _place_in(tables, step, unit, digit, rest & ~places)
            return


# n cells of a unit have only n digits, so no other cell of the unit has them.
@compiled()
def find_naked_set(state, tables, step, size):
    """Find a naked set: 3.0, 3.6, 5.0."""
    for k in range(27):
        unit = unit_in_order(k)
        usable = 0
        for position in range(9):
            mask = state[cell_at(tables, unit, position)]
            state[L.ROW_MASKS + position] = mask
            if 1 < bit_count(tables, mask) <= size:
                usable |= 1 << position
        if bit_count(tables, usable) < size or state[L.OPEN_CELLS + unit] < 2 * size:
            continue
        offset = next_set(state, tables, size, size, usable, tables[L.SETS + size])
        while offset:
            positions = tables[offset]
            digits = union_of_masks(state, tables, positions)
            reset_step(step)
            for position in range(9):
                if not positions >> position & 1:
                    add_eliminations(state, tables, step, cell_at(tables, unit, position), digits)
            if step[L.ELIMINATED]:
                step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = digits, 1 << unit
                add_pattern_cells(tables, step, unit, positions)
                for position in range(9):
                    if positions >> position & 1:
                        append_new(step, L.CITED, cell_at(tables, unit, position))
                return 1
            offset = next_set(state, tables, size, size, usable, offset + 1)
    return 0


# The places of a digit in n lines are in n lines that cross them, so no other cell of these has it.
@compiled()
def find_fish_without_fins(state, tables, step, size):
    """Find a fish without fins: X-wing (3.2), swordfish (3.8), jellyfish (5.2)."""
    for base in (L.FIRST_COLUMN, L.FIRST_ROW):
        for line in range(9):
            state[L.ROW_MASKS + line] = 0
        for digit in range(9):  # for each line, the digits of which it may be a base line
            usable = placed = 0
            for line in range(9):
                if 1 < bit_count(tables, places_of_digit(state, base + line, digit)) <= size:
                    usable |= 1 << line
                placed += state[L.VALUES + L.UNIT_DIGITS + 9 * (base + line) + digit] != 0
            if bit_count(tables, usable) >= size and placed <= 9 - 2 * size:
                while usable:
                    state[L.ROW_MASKS + lowest_bit(tables, usable)] |= 1 << digit
                    usable &= usable - 1
        for offset in range(tables[L.SETS + size], tables[L.SETS + size + 1]):
            digits, rest = 511, tables[offset]
            while rest and digits:
                digits &= state[L.ROW_MASKS + lowest_bit(tables, rest)]
                rest &= rest - 1
            while digits:
                digit = lowest_bit(tables, digits)
                digits &= digits - 1
                _conclude_fish(state, tables, step, base, tables[offset], digit, size)
                if step[L.ELIMINATED]:
                    return 1
    return 0


@compiled()
def _conclude_fish(state, tables, step, base, lines, digit, size):
    """Eliminate a digit from the lines that cross a fish, if `size` lines cross it."""
    reset_step(step)
    columns, rest = 0, lines
    while rest:
        columns |= places_of_digit(state, base + lowest_bit(tables, rest), digit)
        rest &= rest - 1
    if bit_count(tables, columns) != size:
        return
    for line in range(9):
        if lines >> line & 1:
            append_new(step, L.CITED, L.UNIT_DIGITS + 9 * (base + line) + digit)
            continue
        rest = columns & places_of_digit(state, base + line, digit)
        while rest:
            cell = cell_at(tables, base + line, lowest_bit(tables, rest))
            add_eliminations(state, tables, step, cell, 1 << digit)
            rest &= rest - 1
    step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = 1 << digit, lines << base
    step[L.COVER_UNITS] = columns << L.FIRST_COLUMN - base


# The pivot has two digits x, y (XYZ-wing: and z); the wings, which it sees, x, z and y, z. Whatever
# the pivot holds, one of the three holds z.
@compiled()
def find_xy_or_xyz_wing(state, tables, step, size):
    """Find an XY-wing (4.2) or, with three digits in the pivot, an XYZ-wing (4.4)."""
    for pivot in range(81):
        if bit_count(tables, state[pivot]) != size:
            continue
        for first in range(81):
            if (
                bit_count(tables, state[first]) != 2
                or not sees(tables, pivot, first)
                or bit_count(tables, state[pivot] & ~state[first]) != 1
            ):
                continue
            for second in range(81):
                both = state[first] & state[second]
                if (
                    bit_count(tables, state[second]) != 2
                    or not sees(tables, pivot, second)
                    or bit_count(tables, state[pivot] | state[first] | state[second]) != 3
                    or bit_count(tables, both & state[pivot]) != size - 2
                    or bit_count(tables, both) != 1
                ):
                    continue
                reset_step(step)
                for cell in range(81):
                    if (
                        sees(tables, first, cell)
                        and sees(tables, second, cell)
                        and (size == 2 or sees(tables, pivot, cell))
                    ):
                        add_eliminations(state, tables, step, cell, both)
                if step[L.ELIMINATED]:
                    for cell in (pivot, first, second):
                        append_new(step, L.CITED, cell)
                        append_new(step, L.PATTERN_CELLS, cell)
                    step[L.PATTERN_DIGITS] = both
                    return 1
    return 0
