"""Unique loops, BUG and aligned exclusion, as Sudoku Explainer 1.2.1 finds them."""

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

MAX_LOOP = 18
"""The maximum number of cells of a loop: two in each of nine rows."""


# A unique loop alternates cells for two digits. If none of its cells held another digit, the two
# could be exchanged, and the solution would not be unique (see `certify.steps`). The roof is the
# cells with other candidates.
@compiled()
def find_unique_loop(state, tables, step, workspace):
    """Find the unique loop with the lowest rating, 4.5 to 5.3, and of these the lowest type."""
    best = _search_loops(state, tables, step, workspace, L.NOTHING)
    if not best:
        return 0
    _search_loops(state, tables, step, workspace, best)
    return best // 8


@compiled()
def _search_loops(state, tables, step, workspace, wanted):
    """Search all loops. Returns 8 · rating + type of the best step; stops at the first `wanted`."""
    best = 0
    for start in range(81):
        pair = state[start]
        if bit_count(tables, pair) != 2:
            continue
        # a depth-first search: at each depth a cell, the kind of unit and position to try next
        workspace[L.LOOP_CELLS], workspace[L.LOOP_NEXT] = start, 0
        workspace[L.LOOP_KINDS], workspace[L.LOOP_EXTRAS], workspace[L.LOOP_ROOF] = 3, 0, 0
        depth = 0
        while depth >= 0:
            next_one = workspace[L.LOOP_NEXT + depth]
            if next_one == 27:
                depth -= 1
                continue
            workspace[L.LOOP_NEXT + depth] = next_one + 1
            kind = (next_one // 9 + 2) % 3  # box, row, column
            if kind == workspace[L.LOOP_KINDS + depth]:
                workspace[L.LOOP_NEXT + depth] = next_one // 9 * 9 + 9
                continue
            cell = cell_at(
                tables, unit_of(tables, workspace[L.LOOP_CELLS + depth], kind), next_one % 9
            )
            if cell == start and depth >= 3:
                if _is_valid_loop(tables, workspace, depth + 1):
                    found = _conclude_loop(state, tables, step, workspace, depth + 1, pair, wanted)
                    if wanted != L.NOTHING and found == wanted:
                        return found
                    if found and (best == 0 or found < best):
                        best = found
                continue
            if pair & ~state[cell] or depth + 1 == MAX_LOOP or _is_on_path(workspace, depth, cell):
                continue
            extras = workspace[L.LOOP_EXTRAS + depth] | (state[cell] & ~pair)
            roof = workspace[L.LOOP_ROOF + depth]
            if state[cell] != pair and bit_count(tables, extras) != 1 and roof >= 2:
                continue
            depth += 1
            workspace[L.LOOP_CELLS + depth], workspace[L.LOOP_NEXT + depth] = cell, 0
            workspace[L.LOOP_KINDS + depth], workspace[L.LOOP_EXTRAS + depth] = kind, extras
            workspace[L.LOOP_ROOF + depth] = roof + (state[cell] != pair)
    return best


@compiled(inline=True)
def _is_on_path(workspace, depth, cell):
    """Whether the path has a cell already."""
    for k in range(depth + 1):
        if workspace[L.LOOP_CELLS + k] == cell:
            return True
    return False


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


@compiled(inline=True)
def _begin_loop(step, workspace, size, pair):
    """Write the cells of a loop to the step."""
    reset_step(step)
    step[L.DEADLY], step[L.PATTERN_DIGITS], step[L.PATTERN_CELLS] = size, pair, size
    for k in range(size):
        step[L.PATTERN_CELLS + 1 + k] = workspace[L.LOOP_CELLS + k]


@compiled()
def _conclude_loop(state, tables, step, workspace, size, pair, wanted):
    """Find the best step of a loop, or the one that is wanted. Returns 8 · rating + type, or 0."""
    base = 45 if size == 4 else 46 if size == 6 else 47 if size == 8 else 50
    roof = first = second = extras = 0
    common = 511
    for k in range(size):
        cell = workspace[L.LOOP_CELLS + k]
        if state[cell] != pair:
            if roof == 0:
                first = cell
            elif roof == 1:
                second = cell
            roof += 1
            extras |= state[cell] & ~pair
            common &= state[cell] & ~pair
    if roof == 0:
        return 0
    if roof == 1:
        _begin_loop(step, workspace, size, pair)
        add_eliminations(state, tables, step, first, pair)
        return 8 * base + 1
    best = 0
    if roof > 2 or bit_count(tables, extras) == 1:
        _begin_loop(step, workspace, size, pair)
        for cell in range(81):
            is_seen = state[cell] & extras != 0
            for k in range(size if is_seen else 0):
                other = workspace[L.LOOP_CELLS + k]
                is_seen = is_seen and (state[other] == pair or sees(tables, other, cell))
            if is_seen:
                add_eliminations(state, tables, step, cell, extras)
        if step[L.ELIMINATED]:
            best = 8 * base + 2
            if best == wanted:
                return best
    elif roof == 2:
        best = _conclude_type_3(
            state, tables, step, workspace, size, pair, first, second, extras, common, base, wanted
        )
        if best and best == wanted:
            return best
    if roof == 2 and (best == 0 or best > 8 * base + 4):
        for kind in range(3):
            unit = unit_of(tables, first, (kind + 2) % 3)
            if unit != unit_of(tables, second, (kind + 2) % 3):
                continue
            digits = pair
            while digits:
                digit = lowest_bit(tables, digits)
                digits &= digits - 1
                constraint = L.UNIT_DIGITS + 9 * unit + digit
                if bit_count(tables, state[constraint]) == 2:
                    _begin_loop(step, workspace, size, pair)
                    append_new(step, L.CITED, constraint)
                    for cell in (first, second):
                        add_eliminations(state, tables, step, cell, pair & ~(1 << digit))
                    if step[L.ELIMINATED]:
                        return 8 * base + 4
    return best


@compiled()
def _conclude_type_3(
    state, tables, step, workspace, size, pair, first, second, extras, common, base, wanted
):
    """Find a set in a unit of both roof cells, which act as one cell with the extra digits."""
    for degree in range(2, 8):
        for kind in range(3):
            unit = unit_of(tables, first, (kind + 2) % 3)
            if unit != unit_of(tables, second, (kind + 2) % 3):
                continue
            open_cells = others = 0
            for position in range(9):
                cell = cell_at(tables, unit, position)
                open_cells += state[cell] != 0
                if cell not in (first, second) and bit_count(tables, state[cell]) > 1:
                    others |= 1 << position
            if 2 * degree <= open_cells and degree >= bit_count(tables, extras):
                for k in range(tables[L.SETS + degree - 1], tables[L.SETS + degree]):
                    positions, digits = tables[k], 0
                    if positions & ~others:
                        continue
                    for position in range(9):
                        if positions >> position & 1:
                            digits |= state[cell_at(tables, unit, position)]
                    if (
                        bit_count(tables, digits | extras) != degree
                        or bit_count(tables, digits | common) != degree
                    ):
                        continue
                    _begin_loop(step, workspace, size, pair)
                    for position in range(9):
                        cell = cell_at(tables, unit, position)
                        if positions >> position & 1:
                            append_new(step, L.CITED, cell)
                        elif cell not in (first, second):
                            add_eliminations(state, tables, step, cell, digits | extras)
                    if step[L.ELIMINATED]:
                        return 8 * (base + degree - 1) + 3
            if 2 * degree < open_cells:
                for k in range(tables[L.SETS + degree - 2], tables[L.SETS + degree - 1]):
                    more = tables[k]
                    if more & (extras | pair):
                        continue
                    digits, places, is_open = more | pair, 0, True
                    for digit in range(9):
                        if digits >> digit & 1:
                            is_open = is_open and state[L.UNIT_DIGITS + 9 * unit + digit] != 0
                            places |= state[L.UNIT_DIGITS + 9 * unit + digit]
                    for position in range(9):
                        if cell_at(tables, unit, position) == second:
                            places &= ~(1 << position)
                    if not is_open or bit_count(tables, places) != degree:
                        continue
                    _begin_loop(step, workspace, size, pair)
                    for digit in range(9):
                        if digits >> digit & 1:
                            append_new(step, L.CITED, L.UNIT_DIGITS + 9 * unit + digit)
                    for position in range(9):
                        cell = cell_at(tables, unit, position)
                        if places >> position & 1 and cell not in (first, second):
                            add_eliminations(state, tables, step, cell, 511 & ~digits)
                    if step[L.ELIMINATED]:
                        return 8 * (base + degree - 2) + 3
    return 0


# The digits of two or three cells cannot be the same where these see each other, nor be all
# candidates of another cell that they all see, an excluder. A candidate that is in no combination
# left is eliminated.
@compiled()
def find_aligned(state, tables, step, scratch, size):
    """Find aligned pair (6.2) or triplet exclusion (7.5).

    `scratch` gets two masks for each cell: its excluders among cells 0 to 40, and among the others.
    """
    for cell in range(81):
        scratch[cell] = scratch[81 + cell] = 0
        is_base = bit_count(tables, state[cell]) > 1
        for other in range(81 if is_base else 0):
            if sees(tables, cell, other):
                count = bit_count(tables, state[other])
                is_base = is_base and count != 1
                if 1 < count <= size:
                    scratch[cell + 81 * (other > 40)] |= 1 << (other - 41 * (other > 40))
        if not is_base:
            scratch[cell] = scratch[81 + cell] = 0
    for second in range(81):
        for first in range(second):
            if not _has_two(
                scratch[first] & scratch[second], scratch[81 + first] & scratch[81 + second]
            ):
                continue
            if size == 2:
                if _conclude_aligned(state, tables, step, scratch, first, second, second):
                    return 62
                continue
            for k in range(162):
                third = k % 81
                near = first if k < 81 else second
                high = third > 40
                if (
                    scratch[near + 81 * high] >> (third - 41 * high) & 1
                    and third not in (first, second)
                    and _has_two(
                        scratch[first] & scratch[second] & scratch[third],
                        scratch[81 + first] & scratch[81 + second] & scratch[81 + third],
                    )
                    and _conclude_aligned(state, tables, step, scratch, first, second, third)
                ):
                    return 75
    return 0


@compiled(inline=True)
def _has_two(low, high):
    """Whether two masks have at least two bits together."""
    return low & (low - 1) != 0 or high & (high - 1) != 0 or (low != 0 and high != 0)


@compiled()
def _conclude_aligned(state, tables, step, scratch, a, b, c):
    """Eliminate what is in no allowed combination of three cells, or of two if `c` is `b`.

    Returns whether there is anything to eliminate.
    """
    allowed_a = allowed_b = allowed_c = 0
    rest_a = state[a]
    while rest_a:
        in_a = rest_a & -rest_a
        rest_a &= rest_a - 1
        rest_b = state[b]
        if sees(tables, a, b):
            rest_b &= ~in_a
        while rest_b:
            in_b = rest_b & -rest_b
            rest_b &= rest_b - 1
            rest_c = state[c] if c != b else in_b
            if c != b and sees(tables, a, c):
                rest_c &= ~in_a
            if c != b and sees(tables, b, c):
                rest_c &= ~in_b
            while rest_c:
                in_c = rest_c & -rest_c
                rest_c &= rest_c - 1
                is_new = (in_a & ~allowed_a) | (in_b & ~allowed_b) | (in_c & ~allowed_c)
                if is_new and _is_allowed(state, scratch, a, b, c, in_a | in_b | in_c):
                    allowed_a |= in_a
                    allowed_b |= in_b
                    allowed_c |= in_c
    if allowed_a == state[a] and allowed_b == state[b] and allowed_c == state[c]:
        return False
    reset_step(step)
    add_eliminations(state, tables, step, a, 511 & ~allowed_a)
    add_eliminations(state, tables, step, b, 511 & ~allowed_b)
    add_eliminations(state, tables, step, c, 511 & ~allowed_c)
    for other in range(81):
        part, bit = 81 * (other > 40), 1 << (other - 41 * (other > 40))
        if scratch[a + part] & scratch[b + part] & scratch[c + part] & bit:
            append_new(step, L.CITED, other)
    for cell in (a, b, c):
        append_new(step, L.CITED, cell)
        append_new(step, L.PATTERN_CELLS, cell)
    return True


@compiled()
def _is_allowed(state, scratch, a, b, c, digits):
    """Whether these digits leave each common excluder a candidate."""
    for part in range(2):
        rest = scratch[a + 81 * part] & scratch[b + 81 * part] & scratch[c + 81 * part]
        other = 41 * part
        while rest:
            if rest & 1 and state[other] & ~digits == 0:
                return False
            rest >>= 1
            other += 1
    return True
