"""Techniques that look for a pattern of cells: singles, subsets, fish, rectangles, BUG+1.

Each `find_` function writes its conclusions and citations to `step`, and returns whether it found
a step. `layout` describes the arrays. `certify.steps` checks the result.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import (
    add_eliminations,
    add_pattern_cells,
    add_seen_eliminations,
    append_new,
    apply_step,
    bit_count,
    candidate_at,
    cell_at,
    lowest_bit,
    reset_step,
    sees,
    sees_pattern,
    unit_of,
)

FULL_HOUSE, NAKED_SINGLE, IN_UNITS, IN_BOXES, IN_LINES = range(5)
"""Forms of singles. IN_UNITS, IN_BOXES and IN_LINES are hidden singles."""

POINTING, CLAIMING, DIRECT_POINTING, DIRECT_CLAIMING = range(4)
"""Forms of locked candidates."""

NAKED, LOCKED, HIDDEN, DIRECT, BASIC, FINNED, SASHIMI = range(7)
"""Forms of subsets and, from BASIC on, of fish. DIRECT is a hidden subset that leaves a single."""


# A constraint with one candidate left: a naked single if it is a cell, a hidden single if it is a
# digit in a unit. A full house is the last open cell of a unit.
@compiled()
def find_single(state, tables, step, form):
    """Find a single. Unless `form` limits the search, boxes come first, then rows and columns."""
    first = 0 if form == NAKED_SINGLE else 81 if form in (FULL_HOUSE, IN_LINES) else 243
    count = 81 if form in (NAKED_SINGLE, IN_BOXES) else 162 if form == IN_LINES else 243
    for k in range(first, first + count):
        constraint = k if k < L.CONSTRAINTS else k - 243
        if bit_count(tables, state[constraint]) == 1:
            is_last, unit = True, constraint // 9 * 9
            for other in range(unit, unit + 9 if form == FULL_HOUSE else unit):
                if state[L.VALUES + other] == 0 and other != constraint:
                    is_last = False
                    break
            if is_last:
                position = lowest_bit(tables, state[constraint])
                append_new(step, L.PLACED, candidate_at(tables, constraint, position))
                append_new(step, L.CITED, constraint)
                step[L.BASE_UNITS] = 1 << constraint // 9 - 9 if constraint >= L.UNIT_DIGITS else 0
                return 1
    return 0


# Locked candidates. All places of a digit in one unit are where a box meets a line, so they are
# also in a second unit. One of them holds the digit, so it is eliminated from the rest of the
# second unit. Pointing goes from a box to a line, claiming from a line to a box. In the direct form
# of Sudoku Explainer the eliminations leave a hidden single.
@compiled()
def find_locked_candidates(state, tables, step, scratch, form):
    """Find locked candidates that eliminate a candidate."""
    is_box = form in (POINTING, DIRECT_POINTING)
    for constraint in range(243 if is_box else 81, 324 if is_box else 243):
        unit, digit = constraint // 9 - 9, constraint % 9
        group = tables[L.SPOT_AT + 512 * unit + state[constraint]]
        if group >= 81:
            reset_step(step)
            add_pattern_cells(tables, step, unit, state[constraint])
            add_seen_eliminations(state, tables, step, 0, 1 << digit)
            append_new(step, L.CITED, constraint)
            step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = 1 << digit, 1 << unit
            step[L.COVER_UNITS] = 1 << unit_of(tables, group, 0 if is_box else 1)
            is_direct = form in (DIRECT_POINTING, DIRECT_CLAIMING)
            if step[L.ELIMINATED] and not (
                is_direct and not _leaves_single(state, tables, step, scratch)
            ):
                return 1
    return 0


@compiled()
def _leaves_single(state, tables, step, scratch):
    """Whether the eliminations leave a hidden single."""
    for k in range(L.STATE_SIZE):
        scratch[k] = state[k]
    apply_step(scratch, tables, step)
    for k in range(L.ELIMINATED + 1, L.ELIMINATED + 1 + step[L.ELIMINATED]):
        for unit in range(L.UNITS):
            if bit_count(tables, scratch[L.UNIT_DIGITS + 9 * unit + step[k] % 9]) == 1:
                return True
    return False


@compiled()
def _usable_rows(state, tables, max_bits):
    """The rows with two to `max_bits` columns in ROW_MASKS, as a mask."""
    usable = 0
    for row in range(9):
        if 1 < bit_count(tables, state[L.ROW_MASKS + row]) <= max_bits:
            usable |= 1 << row
    return usable


@compiled()
def next_set(state, tables, size, max_bits, usable, offset):
    """Find a set of `size` usable rows that together have `size` to `max_bits` columns.

    Searches SETS from `offset` on. Returns the offset of the set, or 0 if there is none.
    """
    if bit_count(tables, usable) < size:
        return 0
    while offset < tables[L.SETS + size + 1]:
        rows = tables[offset]
        if rows & ~usable == 0:
            columns = union_of_masks(state, tables, rows)
            if size <= bit_count(tables, columns) <= max_bits:
                return offset
        offset += 1
    return 0


@compiled()
def union_of_masks(state, tables, rows):
    """The union of the ROW_MASKS of these rows."""
    union = 0
    while rows:
        union |= state[L.ROW_MASKS + lowest_bit(tables, rows)]
        rows &= rows - 1
    return union


# A subset is k rows of a 9×9 table that together have only k columns: these rows need all of these
# columns, so other rows lose them. In a naked subset, rows are cells of a unit and columns are
# digits. In a hidden subset, rows are digits and columns are positions in a unit. In a fish
# (X-wing, swordfish, jellyfish), rows are lines and columns are the lines that cross them, for one
# digit. One search finds all three. A finned fish has more than k columns; the candidates in the
# extra columns are its fins.
@compiled()
def find_subset(state, tables, step, scratch, size, form):
    """Find a naked or hidden subset, or a fish."""
    max_bits = size + 3 if form in (FINNED, SASHIMI) else size
    for line in range(18 if form >= BASIC else L.UNITS):
        for row in range(9):
            state[L.ROW_MASKS + row] = state[_row_constraint(tables, line, row, form)]
        usable = _usable_rows(state, tables, max_bits)
        k = next_set(state, tables, size, max_bits, usable, tables[L.SETS + size])
        while k:
            rows, columns = tables[k], union_of_masks(state, tables, tables[k])
            if form < BASIC:
                is_found = _conclude_subset(state, tables, step, scratch, line, rows, columns, form)
            else:
                is_found = _try_fins(state, tables, step, line, rows, columns, size, form)
            if is_found:
                return 1
            k = next_set(state, tables, size, max_bits, usable, k + 1)
    return 0


@compiled(inline=True)
def _row_constraint(tables, line, row, form):
    """The constraint of a row of the table.

    `line`: a unit or, for a fish, 9 · (0 for rows, 1 for columns) + digit.
    """
    if form < HIDDEN:
        return cell_at(tables, line, row)
    return (
        L.UNIT_DIGITS + 9 * line + row
        if form < BASIC
        else L.UNIT_DIGITS + 9 * (line // 9 * 9 + row) + line % 9
    )


@compiled()
def _conclude_subset(state, tables, step, scratch, unit, rows, columns, form):
    """Write the conclusions of a subset of a unit. Returns whether it is a step of this form.

    A naked subset eliminates its digits from all cells that see its cells; a locked one does so in
    two units. A hidden subset eliminates all other digits from its cells; a direct one leaves a
    hidden single.
    """
    reset_step(step)
    places, digits = (rows, columns) if form < HIDDEN else (columns, rows)
    step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = digits, 1 << unit
    add_pattern_cells(tables, step, unit, places)
    for row in range(9):
        if rows >> row & 1:
            append_new(step, L.CITED, _row_constraint(tables, unit, row, form))
    if form < HIDDEN:
        add_seen_eliminations(state, tables, step, 0, digits)
    else:
        for k in range(L.PATTERN_CELLS + 1, L.PATTERN_CELLS + 1 + step[L.PATTERN_CELLS]):
            add_eliminations(state, tables, step, step[k], 511 & ~digits)
    return step[L.ELIMINATED] and (
        form in (NAKED, HIDDEN)
        or (
            form == LOCKED
            and _eliminates_in_both(tables, step, tables[L.SPOT_AT + 512 * unit + places])
        )
        or (form == DIRECT and _leaves_single(state, tables, step, scratch))
    )


@compiled()
def _eliminates_in_both(tables, step, group):
    """Whether a step eliminates both outside the line of a group and outside its box.

    False if `group` is no group.
    """
    line = box = False
    for k in range(L.ELIMINATED + 1, L.ELIMINATED + 1 + step[L.ELIMINATED] if group >= 81 else 0):
        cell = step[k] // 9
        line = line or unit_of(tables, group, 0) not in (
            unit_of(tables, cell, 0),
            unit_of(tables, cell, 1),
        )
        box = box or unit_of(tables, group, 1) != unit_of(tables, cell, 2)
    return line and box


@compiled()
def _try_fins(state, tables, step, line, rows, columns, size, form):
    """Try all sets of fins whose removal leaves a fish.

    The fins must be in three adjacent columns that cross the same boxes.
    """
    if form == BASIC:
        return _conclude_fish(state, tables, step, line, rows, columns, form)
    count = bit_count(tables, columns) - size
    for third in range(6, -1, -3):
        in_third = columns >> third & 7
        for fins in range(7 if count and bit_count(tables, in_third) >= count else 0, 0, -1):
            are_fins = fins & ~in_third == 0 and bit_count(tables, fins) == count
            if are_fins and _conclude_fish(
                state, tables, step, line, rows, columns & ~(fins << third), form
            ):
                return True
    return False


# In a finned fish either a fin holds the digit, or there is a fish without fins. In both cases the
# digit is eliminated from cells that are in a cover column and see all fins. A sashimi fish has a
# row with at most one place besides its fins.
@compiled()
def _conclude_fish(state, tables, step, line, rows, columns, form):
    """Write the conclusions of a fish. Returns whether it is a step of this form.

    Candidates that are in the rows and not in the columns are fins.
    """
    reset_step(step)
    base, digit = line // 9 * 9, line % 9
    fins, is_sashimi, remaining = 0, False, rows
    while remaining:
        row = lowest_bit(tables, remaining)
        columns_of_row = state[L.ROW_MASKS + row]
        if columns_of_row & ~columns:
            fins |= 1 << row
            add_pattern_cells(tables, step, base + row, columns_of_row & ~columns)
        is_sashimi = is_sashimi or bit_count(tables, columns_of_row & columns) < 2
        remaining &= remaining - 1
    is_near = fins & ~(7 << 3 * (lowest_bit(tables, fins) // 3)) == 0
    if form != BASIC and not (is_near and is_sashimi == (form == SASHIMI)):
        return False
    for row in range(9):
        remaining = 0 if rows >> row & 1 else columns & state[L.ROW_MASKS + row]
        while remaining:
            cell = cell_at(tables, base + row, lowest_bit(tables, remaining))
            if sees_pattern(tables, step, 0, cell):
                add_eliminations(state, tables, step, cell, 1 << digit)
            remaining &= remaining - 1
    for row in range(9 if step[L.ELIMINATED] else 0):
        if rows >> row & 1:
            append_new(step, L.CITED, _row_constraint(tables, line, row, form))
    step[L.PATTERN_DIGITS], step[L.BASE_UNITS], step[L.COVER_UNITS] = (
        1 << digit,
        rows << base,
        columns << (L.FIRST_COLUMN - base),
    )
    return step[L.ELIMINATED] > 0


# If the solution is unique, four cells in two rows, two columns and two boxes cannot hold only two
# digits, because these could be exchanged (see `certify.steps`). The cells with further candidates
# are the roof; one of them holds a further candidate.
# Type 1: the roof is one cell; both digits are eliminated from it.
# Types 2 and 5: all further candidates are the same digit, so one of the roof cells holds it.
# Type 3: the two roof cells act as one cell of a naked subset, with the further candidates.
# Type 4: in a unit, one of the two digits is possible only in the roof; the other digit is
# eliminated from the roof.
@compiled()
def find_unique_rectangle(state, tables, step, kind):
    """Find a unique rectangle of type `kind`, 1 to 5."""
    for corners in range(L.RECTANGLES, L.RECTANGLES + 4 * L.RECTANGLE_COUNT, 4):
        common = 511
        for k in range(corners, corners + 4):
            common &= state[L.ALLOWED + tables[k]] if state[tables[k]] else 0
        for k in range(corners, corners + 4):
            pair = state[tables[k]]
            if bit_count(tables, pair) == 2 and pair & ~common == 0:
                _rectangle_eliminations(state, tables, step, corners, pair, kind)
                if step[L.ELIMINATED]:
                    return 1
    return 0


@compiled()
def _rectangle_eliminations(state, tables, step, corners, pair, kind):
    """Write the conclusions of a rectangle whose four cells have the two digits of `pair`.

    `corners`: the offset of the cells in RECTANGLES.
    """
    reset_step(step)
    step[L.DEADLY], step[L.PATTERN_DIGITS] = L.DEADLY_RECTANGLE, pair
    roof = extras = 0
    for k in range(4):
        step[L.PATTERN_CELLS + 1 + k] = tables[corners + k]
        if state[tables[corners + k]] != pair:
            extras |= state[tables[corners + k]] & ~pair
            step[L.PATTERN_CELLS + 5 + roof] = tables[corners + k]
            roof += 1
    first_roof, second_roof = step[L.PATTERN_CELLS + 5], step[L.PATTERN_CELLS + 6]
    is_aligned = roof == 2 and sees(tables, first_roof, second_roof)
    if kind == 1 and roof == 1:
        add_eliminations(state, tables, step, first_roof, pair)
    elif kind == (2 if is_aligned else 5) and roof in (2, 3) and bit_count(tables, extras) == 1:
        step[L.PATTERN_CELLS] = 4 + roof
        add_seen_eliminations(state, tables, step, 4, extras)
    elif kind in (3, 4) and is_aligned:
        for k in range(3):
            unit = unit_of(tables, first_roof, k)
            roof_positions = (
                tables[L.NODE_MASKS + 36 * first_roof + k]
                | tables[L.NODE_MASKS + 36 * second_roof + k]
            )
            if unit == unit_of(tables, second_roof, k) and not step[L.ELIMINATED]:
                if kind == 4:
                    _conclude_type_4(state, tables, step, unit, roof_positions, pair)
                else:
                    _conclude_type_3(state, tables, step, unit, roof_positions, extras)
    step[L.PATTERN_CELLS] = 4


@compiled()
def _conclude_type_4(state, tables, step, unit, roof_positions, pair):
    """Eliminate one digit of the pair from the roof if the other is only there in `unit`."""
    for digit in range(8, -1, -1):
        if pair >> digit & 1 and state[L.UNIT_DIGITS + 9 * unit + digit] == roof_positions:
            add_eliminations(
                state,
                tables,
                step,
                cell_at(tables, unit, lowest_bit(tables, roof_positions)),
                pair & ~(1 << digit),
            )
            add_eliminations(
                state,
                tables,
                step,
                cell_at(tables, unit, lowest_bit(tables, roof_positions & (roof_positions - 1))),
                pair & ~(1 << digit),
            )
            append_new(step, L.CITED, L.UNIT_DIGITS + 9 * unit + digit)
            return


@compiled()
def _conclude_type_3(state, tables, step, unit, roof_positions, extras):
    """Eliminate the digits of a naked subset in which the roof acts as one cell."""
    for row in range(9):
        mask = 0 if roof_positions >> row & 1 else state[cell_at(tables, unit, row)]
        state[L.ROW_MASKS + row] = mask | extras if mask else 0
    for size in range(1, 4):
        usable = _usable_rows(state, tables, size + 1)
        k = next_set(state, tables, size, size + 1, usable, tables[L.SETS + size])
        while k:
            digits = union_of_masks(state, tables, tables[k])
            for position in range(9 if bit_count(tables, digits) == size + 1 else 0):
                if tables[k] >> position & 1:
                    append_new(step, L.CITED, cell_at(tables, unit, position))
                elif not roof_positions >> position & 1:
                    add_eliminations(state, tables, step, cell_at(tables, unit, position), digits)
            if step[L.ELIMINATED]:
                return
            step[L.CITED] = 0
            k = next_set(state, tables, size, size + 1, usable, k + 1)


# BUG+1 (see `certify.steps`): all open cells have two candidates, except one with three. Of these
# three, the candidate that has three places in its row, in its column and in its box holds.
@compiled()
def find_bug(state, tables, step):
    """Find a BUG+1: the only constraints with three candidates are the four of one candidate."""
    odd_constraints = 0
    for constraint in range(L.CONSTRAINTS):
        odd_constraints += bit_count(tables, state[constraint]) not in (0, 2)
    for candidate in range(L.SINGLES if odd_constraints == 4 else 0):
        count = state[candidate // 9] >> candidate % 9 & 1
        for k in range(4 * candidate, 4 * candidate + 4):
            count += bit_count(tables, state[tables[L.NODE_CONSTRAINTS + k]]) == 3
        if count == 5:
            append_new(step, L.PLACED, candidate)
            append_new(step, L.PATTERN_CELLS, candidate // 9)
            append_new(step, L.EXTRAS, candidate)
            step[L.DEADLY], step[L.PATTERN_DIGITS] = L.DEADLY_GRID, 1 << candidate % 9
            return 1
    return 0
