"""Unique loops and rectangles, as Sudoku Explainer 1.2.1 finds them (4.5 and more)."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import (
    add_eliminations,
    append_new,
    bit_count,
    cell_at,
    lowest_bit,
    reset_step,
    sees,
    unit_of,
)


# The cells of a unique loop take two digits in turn. If all of them held one of the two, exchanging
# the digits would give another solution (see `certify.steps`). The *roof* is the cells with other
# candidates.
@compiled()
def find_unique_loop(state, tables, step, workspace):
    """Find the unique loop with the lowest rating, 4.5 to 5.3, and of these the lowest type."""
    best = _search_loops(state, tables, step, workspace, L.NOTHING)
    if best:
        _search_loops(state, tables, step, workspace, best)  # again: `step` has the last one found
    return best // 8


@compiled()
def _search_loops(state, tables, step, workspace, wanted):
    """Search all loops. Returns 8 · rating + type of the best step; stops at the first `wanted`."""
    best = 0
    for start in range(81):
        pair = state[start]
        if bit_count(tables, pair) != 2:
            continue
        if not _find_places(state, tables, workspace, start):
            continue
        # a depth-first search: at each depth a cell, the kind of unit and the positions to try next
        workspace[L.LOOP_CELLS], workspace[L.LOOP_NEXT], workspace[L.LOOP_REST] = start, 0, 0
        workspace[L.LOOP_KINDS], workspace[L.LOOP_EXTRAS], workspace[L.LOOP_ROOF] = 3, 0, 0
        depth = 0
        while depth >= 0:
            rest, k = workspace[L.LOOP_REST + depth], workspace[L.LOOP_NEXT + depth]
            if rest == 0 and k == 3:
                depth -= 1
                continue
            kind = (k + 2) % 3 if rest == 0 else (k + 1) % 3  # box, row, column
            unit = unit_of(tables, workspace[L.LOOP_CELLS + depth], kind)
            if rest == 0:
                workspace[L.LOOP_NEXT + depth] = k + 1
                if kind != workspace[L.LOOP_KINDS + depth]:
                    workspace[L.LOOP_REST + depth] = workspace[L.LOOP_PLACES + unit]
                continue
            workspace[L.LOOP_REST + depth] = rest & (rest - 1)
            cell = cell_at(tables, unit, lowest_bit(tables, rest))
            if cell == start and depth >= 3:
                if _is_valid_loop(tables, workspace, depth + 1):
                    result = _conclude_loop(state, tables, step, workspace, depth + 1, pair)
                    if wanted != L.NOTHING and result == wanted:
                        return result
                    if result and (best == 0 or result < best):
                        best = result
                continue
            if not _fits_path(tables, workspace, depth, cell):
                continue
            extras = workspace[L.LOOP_EXTRAS + depth] | (state[cell] & ~pair)
            roof = workspace[L.LOOP_ROOF + depth]
            if state[cell] != pair and bit_count(tables, extras) != 1 and roof >= 2:
                continue
            depth += 1
            workspace[L.LOOP_CELLS + depth] = cell
            workspace[L.LOOP_NEXT + depth] = workspace[L.LOOP_REST + depth] = 0
            workspace[L.LOOP_KINDS + depth], workspace[L.LOOP_EXTRAS + depth] = kind, extras
            workspace[L.LOOP_ROOF + depth] = roof + (state[cell] != pair)
    return best


# Each unit of a loop has two of its cells, one at an odd position and one at an even one. So a cell
# is in no loop if it is alone in a unit, and not on a path if it sees a cell at a position of the
# same parity. Without these tests, the number of paths grows exponentially.
@compiled()
def _find_places(state, tables, workspace, start):
    """Write to LOOP_PLACES the cells with both digits that may be in a loop from `start`.

    Excludes loops with an earlier start. Returns whether the start itself remains.
    """
    first = L.UNIT_DIGITS + lowest_bit(tables, state[start])
    second = L.UNIT_DIGITS + lowest_bit(tables, state[start] & (state[start] - 1))
    for unit in range(27):
        workspace[L.LOOP_PLACES + unit] = state[first + 9 * unit] & state[second + 9 * unit]
    is_changed = True
    while is_changed:
        is_changed = False
        for row in range(9):
            rest = workspace[L.LOOP_PLACES + row]
            while rest:
                cell = cell_at(tables, row, lowest_bit(tables, rest))
                rest &= rest - 1
                is_left = cell >= start or state[cell] != state[start]
                for kind in range(3):
                    places = workspace[L.LOOP_PLACES + unit_of(tables, cell, kind)]
                    is_left = is_left and places & (places - 1) != 0
                if not is_left:
                    is_changed = True
                    for kind in range(3):
                        constraint = tables[L.NODE_CONSTRAINTS + 36 * cell + kind]
                        bit = tables[L.NODE_MASKS + 36 * cell + kind]
                        workspace[L.LOOP_PLACES + constraint // 9 - 9] &= ~bit
                    if cell == start:
                        return False
    return True


@compiled()
def _fits_path(tables, workspace, depth, cell):
    """Whether a cell is not on the path, and sees no cell at a position of its own parity."""
    for k in range(depth + 1):
        other = workspace[L.LOOP_CELLS + k]
        if other == cell or ((depth + 1 - k) & 1 == 0 and sees(tables, other, cell)):
            return False
    return True


@compiled()
def _is_valid_loop(tables, workspace, size):
    """Whether each unit has no cell of the loop, or one at an odd and one at an even position."""
    odd = even = 0
    for k in range(size):
        for kind in range(3):
            bit = 1 << unit_of(tables, workspace[L.LOOP_CELLS + k], kind)
            if k & 1:
                if odd & bit:
                    return False
                odd |= bit
            else:
                if even & bit:
                    return False
                even |= bit
    return odd == even


@compiled()
def _conclude_loop(state, tables, step, workspace, size, pair):
    """Write the best step of a loop. Returns 8 · rating + type, or 0."""
    reset_step(step)
    step[L.DEADLY], step[L.PATTERN_DIGITS], step[L.PATTERN_CELLS] = size, pair, size
    roof_size = first = second = extras = 0
    for k in range(size):
        cell = workspace[L.LOOP_CELLS + k]
        step[L.PATTERN_CELLS + 1 + k] = cell
        if state[cell] != pair:
            first, second = (cell, 0) if roof_size == 0 else (first, cell)
            roof_size += 1
            extras |= state[cell] & ~pair
    base = 45 if size == 4 else 46 if size == 6 else 47 if size == 8 else 50
    if roof_size == 1:
        add_eliminations(state, tables, step, first, pair)
        return 8 * base + 1
    if (roof_size > 2 or bit_count(tables, extras) == 1) and _find_type_2(
        state, tables, step, size, pair, extras
    ):
        return 8 * base + 2
    if roof_size != 2:
        return 0
    added = 0
    if bit_count(tables, extras) > 1:
        added = _find_type_3(state, tables, step, pair, first, second)
    if (added == 0 or added > 1) and _find_type_4(state, tables, step, pair, first, second):
        return 8 * base + 4
    return 8 * (base + added - 1) + 3 if added else 0


@compiled(inline=True)
def _clear_conclusions(step):
    """Clear the conclusions and citations of a step, but not its pattern."""
    step[L.ELIMINATED] = step[L.CITED] = 0


# Some roof cell holds the only other digit, so a cell that sees all roof cells cannot hold it.
@compiled()
def _find_type_2(state, tables, step, size, pair, extras):
    """Eliminate the other digit of the roof. Returns whether that eliminates anything."""
    for cell in range(81):
        is_seen = state[cell] & extras != 0
        for k in range(1, size + 1 if is_seen else 0):
            other = step[L.PATTERN_CELLS + k]
            is_seen = is_seen and (state[other] == pair or sees(tables, other, cell))
        if is_seen:
            add_eliminations(state, tables, step, cell, extras)
    return step[L.ELIMINATED] != 0


# One of the two roof cells holds a digit outside the pair. So the two act as one cell whose
# candidates are the digits outside the pair of both: it may be part of a naked set. As it holds no
# digit of the pair, it may also be part of a hidden set.
@compiled()
def _find_type_3(state, tables, step, pair, first, second):
    """Find a set with the roof in a unit. Returns 1 + the tenths it adds to the rating, or 0."""
    for degree in range(2, 8):
        for k in range(3):
            unit = unit_of(tables, first, (k + 2) % 3)
            if unit != unit_of(tables, second, (k + 2) % 3):
                continue
            open_cells = state[L.OPEN_CELLS + unit]
            if 2 * degree <= open_cells and _find_naked_roof(
                state, tables, step, unit, degree, pair, first, second
            ):
                return degree
            if 2 * degree < open_cells and _find_hidden_roof(
                state, tables, step, unit, degree, pair, first, second
            ):
                return degree - 1
    return 0


@compiled()
def _find_naked_roof(state, tables, step, unit, degree, pair, first, second):
    """Find `degree` - 1 cells that share `degree` digits with the roof; eliminate the digits."""
    extras, common = (state[first] | state[second]) & ~pair, state[first] & state[second] & ~pair
    open_positions = 0
    for position in range(9):
        cell = cell_at(tables, unit, position)
        if cell not in (first, second) and bit_count(tables, state[cell]) > 1:
            open_positions |= 1 << position
    if bit_count(tables, extras) > degree:
        return False
    for offset in range(tables[L.SETS + degree - 1], tables[L.SETS + degree]):
        positions, digits = tables[offset], 0
        if positions & ~open_positions:
            continue
        for position in range(9):
            if positions >> position & 1:
                digits |= state[cell_at(tables, unit, position)]
        if (
            bit_count(tables, digits | extras) != degree
            or bit_count(tables, digits | common) != degree
        ):
            continue
        _clear_conclusions(step)
        for position in range(9):
            cell = cell_at(tables, unit, position)
            if positions >> position & 1:
                append_new(step, L.CITED, cell)
            elif cell not in (first, second):
                add_eliminations(state, tables, step, cell, digits | extras)
        if step[L.ELIMINATED]:
            return True
    return False


@compiled()
def _find_hidden_roof(state, tables, step, unit, degree, pair, first, second):
    """Find `degree` digits, with the pair, whose places are the roof and `degree` - 1 cells.

    Eliminates all other digits from these cells.
    """
    extras = (state[first] | state[second]) & ~pair
    for offset in range(tables[L.SETS + degree - 2], tables[L.SETS + degree - 1]):
        digits, places, is_open = tables[offset] | pair, 0, True
        if tables[offset] & (extras | pair):
            continue
        for digit in range(9):
            if digits >> digit & 1:
                is_open = is_open and state[L.UNIT_DIGITS + 9 * unit + digit] != 0
                places |= state[L.UNIT_DIGITS + 9 * unit + digit]
        for position in range(9):
            if cell_at(tables, unit, position) == second:
                places &= ~(1 << position)
        if not is_open or bit_count(tables, places) != degree:
            continue
        _clear_conclusions(step)
        for position in range(9):
            cell = cell_at(tables, unit, position)
            if places >> position & 1 and cell not in (first, second):
                add_eliminations(state, tables, step, cell, 511 & ~digits)
        if step[L.ELIMINATED]:
            for digit in range(9):
                if digits >> digit & 1:
                    append_new(step, L.CITED, L.UNIT_DIGITS + 9 * unit + digit)
            return True
    return False


# In a unit, only the two roof cells can hold one digit of the pair. So one of them holds it. If the
# other held the other digit of the pair, the roof would hold only the pair.
@compiled()
def _find_type_4(state, tables, step, pair, first, second):
    """Eliminate a digit of the pair from the roof. Returns whether type 4 applies."""
    for k in range(3):
        unit = unit_of(tables, first, (k + 2) % 3)
        digits = pair if unit == unit_of(tables, second, (k + 2) % 3) else 0
        while digits:
            digit = lowest_bit(tables, digits)
            digits &= digits - 1
            constraint = L.UNIT_DIGITS + 9 * unit + digit
            if bit_count(tables, state[constraint]) == 2:
                _clear_conclusions(step)
                append_new(step, L.CITED, constraint)
                add_eliminations(state, tables, step, first, pair & ~(1 << digit))
                add_eliminations(state, tables, step, second, pair & ~(1 << digit))
                return True
    return False
