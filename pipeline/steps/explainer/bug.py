"""Bivalue universal graves (BUG), as Sudoku Explainer 1.2.1 finds them (5.6 to 6.2).

A grid in which each open cell has two candidates, and each digit two places or none in each unit,
has no solution or at least two (see `certify.steps`). If removing some extra candidates turns a
grid with a unique solution into such a grid, one of the extra candidates holds. A *BUG cell* is a
cell with extra candidates; their digits are *BUG digits*.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import (
    add_eliminations,
    append_new,
    bit_count,
    cell_at,
    eliminate,
    lowest_bit,
    sees,
    unit_of,
)


@compiled(inline=True)
def _kind_at(k):
    """The kind of unit to try: box, row, column."""
    return (k + 2) % 3


# Types 1 and 2 (one BUG cell, one BUG digit) occur in puzzles of all levels, type 3 and 4 in few.
@compiled()
def find_bivalue_grave(state, grid, tables, step):
    """Find a BUG. Returns its rating in tenths, or 0. `grid` gets the state without extras."""
    for k in range(L.CONSTRAINTS):
        grid[k] = state[k]
    if not _remove_extras(state, grid, tables):
        return 0
    count = digits = 0
    for cell in range(81):
        extras = state[cell] & ~grid[cell]
        digits |= extras
        count += extras != 0
        if extras:
            append_new(step, L.PATTERN_CELLS, cell)
        while extras:
            append_new(step, L.EXTRAS, 9 * cell + lowest_bit(tables, extras))
            extras &= extras - 1
    step[L.DEADLY], step[L.PATTERN_DIGITS] = L.DEADLY_GRID, digits
    if count == 1:
        cell = step[L.PATTERN_CELLS + 1]
        add_eliminations(state, tables, step, cell, grid[cell])
        return 56
    if bit_count(tables, digits) == 1:
        for cell in range(81):
            if state[cell] & digits and _sees_all(tables, step, count, cell):
                add_eliminations(state, tables, step, cell, digits)
        if step[L.ELIMINATED]:
            return 57
    elif not _have_common_peer(tables, step, count):
        return 0
    if count == 2 and _find_pair(state, grid, tables, step, digits):
        return 57
    return _find_set(state, tables, step, count, digits) if digits & (digits - 1) else 0


@compiled()
def _remove_extras(state, grid, tables):
    """Remove the extra candidates from `grid`. Returns whether there are any, and a BUG remains.

    If the number of places of a digit in a unit is not two, and only one of them is in a cell with
    more than two candidates, this candidate is extra. If only one digit has such places, all of
    them are extra.
    """
    digits = 0
    for is_second in range(2):
        for k in range(27):
            for digit in range(9):
                unit = k % 9 + 9 * _kind_at(k // 9)
                places = state[L.UNIT_DIGITS + 9 * unit + digit]
                if bit_count(tables, places) in (0, 2):
                    continue
                digits |= 1 << digit
                extra, count = 0, 0
                while places:
                    cell = cell_at(tables, unit, lowest_bit(tables, places))
                    places &= places - 1
                    if bit_count(tables, state[cell]) > 2:
                        extra, count = 9 * cell + digit, count + 1
                        if is_second:
                            eliminate(grid, tables, extra)
                if count == 0:
                    return False
                if count == 1:
                    eliminate(grid, tables, extra)
        if bit_count(tables, digits) != 1:
            break
    for constraint in range(L.CONSTRAINTS if digits else 0):
        if bit_count(tables, grid[constraint]) not in (0, 2):
            return False
    return digits != 0


@compiled()
def _sees_all(tables, step, count, cell):
    """Whether a cell sees the first `count` pattern cells."""
    k = 0
    while k < count and sees(tables, step[L.PATTERN_CELLS + 1 + k], cell):
        k += 1
    return k == count


@compiled()
def _have_common_peer(tables, step, count):
    """Whether any cell sees all BUG cells."""
    cell = 0
    while cell < 81 and not _sees_all(tables, step, count, cell):
        cell += 1
    return cell < 81


# Type 4. The two BUG cells are the only places of a digit in a unit, so one of them holds it, and
# the other one holds an extra candidate.
@compiled()
def _find_pair(state, grid, tables, step, digits):
    """Find type 4: keep only the extra candidates and the common digit of the two BUG cells."""
    first, second = step[L.PATTERN_CELLS + 1], step[L.PATTERN_CELLS + 2]
    common = state[first] & state[second] & ~digits
    if bit_count(tables, common) != 1:
        return False
    for k in range(3):
        unit = unit_of(tables, first, _kind_at(k))
        if unit == unit_of(tables, second, _kind_at(k)):
            append_new(step, L.CITED, L.UNIT_DIGITS + 9 * unit + lowest_bit(tables, common))
            add_eliminations(state, tables, step, first, grid[first] & ~common)
            add_eliminations(state, tables, step, second, grid[second] & ~common)
            return True
    return False


# Type 3. One of the BUG cells holds a BUG digit. If d - 1 other cells of their unit have d digits,
# the BUG digits included, these cells and that BUG cell hold all d digits.
@compiled()
def _find_set(state, tables, step, count, digits):
    """Find a naked set of the BUG digits and other cells. Returns the rating in tenths, or 0."""
    for degree in range(2, 7):
        for k in range(3):
            unit = unit_of(tables, step[L.PATTERN_CELLS + 1], _kind_at(k))
            peers = 0
            for position in range(9):
                cell = cell_at(tables, unit, position)
                peers |= (state[cell] != 0 and _sees_all(tables, step, count, cell)) << position
            is_shared = True
            for j in range(1, count + 1):
                cell = step[L.PATTERN_CELLS + j]
                is_shared = is_shared and unit_of(tables, cell, _kind_at(k)) == unit
            if not is_shared:
                continue
            for offset in range(tables[L.SETS + degree - 1], tables[L.SETS + degree]):
                positions, held = tables[offset], 0
                if positions & ~peers:
                    continue
                for position in range(9):
                    if positions >> position & 1:
                        held |= state[cell_at(tables, unit, position)]
                if bit_count(tables, held) != degree or digits & ~held:
                    continue
                for position in range(9):
                    cell = cell_at(tables, unit, position)
                    if peers >> position & 1 and not positions >> position & 1:
                        add_eliminations(state, tables, step, cell, held)
                if step[L.ELIMINATED]:
                    for position in range(9):
                        if positions >> position & 1:
                            append_new(step, L.CITED, cell_at(tables, unit, position))
                    step[L.BASE_UNITS] = 1 << unit
                    return 57 + degree - 1
    return 0
