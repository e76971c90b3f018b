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
def find_unique_loop(state, tables, step, web):
    """Find the unique loop with the lowest rating, 4.5 to 5.3, and of these the lowest type."""
    best = _search_loops(state, tables, step, web, L.NOTHING)
    if not best:
        return 0
    _search_loops(state, tables, step, web, best)
    return best // 8


@compiled()
def _search_loops(state, tables, step, web, wanted):
    """Search all loops. Returns 8 · rating + type of the best step; stops at the first `wanted`."""
    best = 0
    for start in range(81):
        pair = state[start]
        if bit_count(tables, pair) != 2:
            continue
        # a depth-first search: at each depth a cell, the kind of unit and position to try next
        web[L.LOOP_CELLS], web[L.LOOP_NEXT] = start, 0
        web[L.LOOP_KINDS], web[L.LOOP_EXTRAS], web[L.LOOP_ROOF] = 3, 0, 0
        depth = 0
        while depth >= 0:
            next_one = web[L.LOOP_NEXT + depth]
            if next_one == 27:
                depth -= 1
                continue
            web[L.LOOP_NEXT + depth] = next_one + 1
            kind = (next_one // 9 + 2) % 3  # box, row, column
            if kind == web[L.LOOP_KINDS + depth]:
                web[L.LOOP_NEXT + depth] = next_one // 9 * 9 + 9
                continue
            cell = cell_at(tables, unit_of(tables, web[L.LOOP_CELLS + depth], kind), next_one % 9)
            if cell == start and depth >= 3:
                if _is_valid_loop(tables, web, depth + 1):
                    found = _conclude_loop(state, tables, step, web, depth + 1, pair, wanted)
                    if wanted != L.NOTHING and found == wanted:
                        return found
                    if found and (best == 0 or found < best):
                        best = found
                continue
            if pair & ~state[cell] or depth + 1 == MAX_LOOP or _is_on_path(web, depth, cell):
                continue
            extras = web[L.LOOP_EXTRAS + depth] | (state[cell] & ~pair)
            roof = web[L.LOOP_ROOF + depth]
            if state[cell] != pair and bit_count(tables, extras) != 1 and roof >= 2:
                continue
            depth += 1
            web[L.LOOP_CELLS + depth], web[L.LOOP_NEXT + depth] = cell, 0
            web[L.LOOP_KINDS + depth], web[L.LOOP_EXTRAS + depth] = kind, extras
            web[L.LOOP_ROOF + depth] = roof + (state[cell] != pair)
    return best


@compiled(inline=True)
def _is_on_path(web, depth, cell):
    """Whether the path has a cell already."""
    for k in range(depth + 1):
        if web[L.LOOP_CELLS + k] == cell:
            return True
    return False


@compiled()
def _is_valid_loop(tables, web, size):
    """Whether each unit has no cell of the loop, or one at an odd and one at an even position."""
    odd = even = 0
    for k in range(size):
        for kind in range(3):
            bit = 1 << unit_of(tables, web[L.LOOP_CELLS + k], kind)
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
def _begin_loop(step, web, size, pair):
    """Write the cells of a loop to the step."""
    reset_step(step)
    step[L.DEADLY], step[L.PATTERN_DIGITS], step[L.PATTERN_CELLS] = size, pair, size
    for k in range(size):
        step[L.PATTERN_CELLS + 1 + k] = web[L.LOOP_CELLS + k]


@compiled()
def _conclude_loop(state, tables, step, web, size, pair, wanted):
    """Find the best step of a loop, or the one that is wanted. Returns 8 · rating + type, or 0."""
    base = 45 if size == 4 else 46 if size == 6 else 47 if size == 8 else 50
    roof = first = second = extras = 0
    common = 511
    for k in range(size):
        cell = web[L.LOOP_CELLS + k]
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
        _begin_loop(step, web, size, pair)
        add_eliminations(state, tables, step, first, pair)
        return 8 * base + 1
    best = 0
    if roof > 2 or bit_count(tables, extras) == 1:
        _begin_loop(step, web, size, pair)
        for cell in range(81):
            is_seen = state[cell] & extras != 0
            for k in range(size if is_seen else 0):
                other = web[L.LOOP_CELLS + k]
                is_seen = is_seen and (state[other] == pair or sees(tables, other, cell))
            if is_seen:
                add_eliminations(state, tables, step, cell, extras)
        if step[L.ELIMINATED]:
            best = 8 * base + 2
            if best == wanted:
                return best
    elif roof == 2:
        best = _conclude_type_3(
            state, tables, step, web, size, pair, first, second, extras, common, base, wanted
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
                    _begin_loop(step, web, size, pair)
                    append_new(step, L.CITED, constraint)
                    for cell in (first, second):
                        add_eliminations(state, tables, step, cell, pair & ~(1 << digit))
                    if step[L.ELIMINATED]:
                        return 8 * base + 4
    return best


@compiled()
def _conclude_type_3(
    state, tables, step, web, size, pair, first, second, extras, common, base, wanted
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
                    _begin_loop(step, web, size, pair)
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
                    _begin_loop(step, web, size, pair)
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
def find_aligned(state, tables, step, size):
    """Find aligned pair (6.2) or triplet exclusion (7.5)."""
    for second in range(81):
        if not _is_base(state, tables, second, size):
            continue
        for first in range(second):
            if not _is_base(state, tables, first, size):
                continue
            for k in range(1 if size == 2 else 162):
                third = k % 81
                if size == 3 and (
                    third in (first, second)
                    or not _is_excluder(state, tables, first if k < 81 else second, third, size)
                    or not _is_base(state, tables, third, size)
                ):
                    continue
                cells = first, second, third if size == 3 else second
                if _conclude_aligned(state, tables, step, cells, size):
                    return 62 if size == 2 else 75
    return 0


@compiled(inline=True)
def _is_excluder(state, tables, cell, other, size):
    """Whether a cell sees another one with two to `size` candidates."""
    return sees(tables, cell, other) and 1 < bit_count(tables, state[other]) <= size


@compiled()
def _is_base(state, tables, cell, size):
    """Whether a cell has two candidates or more, an excluder, and no peer with one candidate."""
    found = False
    for other in range(81 if bit_count(tables, state[cell]) > 1 else 0):
        if sees(tables, cell, other):
            if bit_count(tables, state[other]) == 1:
                return False
            found = found or _is_excluder(state, tables, cell, other, size)
    return found


@compiled()
def _conclude_aligned(state, tables, step, cells, size):
    """Eliminate the candidates that are in no allowed combination. Returns whether there are any."""
    a, b, c = cells
    reset_step(step)
    for other in range(81):
        if _is_excluder(state, tables, a, other, size) and sees(tables, b, other):
            if size == 2 or sees(tables, c, other):
                append_new(step, L.CITED, other)
    if step[L.CITED] < 2:
        return False
    allowed_a = allowed_b = allowed_c = 0
    for k in range(729 if size == 3 else 81):
        in_a, in_b, in_c = 1 << k % 9, 1 << k // 9 % 9, 1 << k // 81
        if size == 2:
            in_c = in_b
        if not state[a] & in_a or not state[b] & in_b or not state[c] & in_c:
            continue
        if (in_a == in_b and sees(tables, a, b)) or (
            size == 3
            and ((in_a == in_c and sees(tables, a, c)) or (in_b == in_c and sees(tables, b, c)))
        ):
            continue
        is_allowed = True
        for n in range(L.CITED + 1, L.CITED + 1 + step[L.CITED]):
            is_allowed = is_allowed and state[step[n]] & ~(in_a | in_b | in_c) != 0
        if is_allowed:
            allowed_a |= in_a
            allowed_b |= in_b
            allowed_c |= in_c
    add_eliminations(state, tables, step, a, 511 & ~allowed_a)
    add_eliminations(state, tables, step, b, 511 & ~allowed_b)
    if size == 3:
        add_eliminations(state, tables, step, c, 511 & ~allowed_c)
    if step[L.ELIMINATED] == 0:
        return False
    for k in range(size):
        cell = a if k == 0 else b if k == 1 else c
        append_new(step, L.CITED, cell)
        append_new(step, L.PATTERN_CELLS, cell)
    return True
