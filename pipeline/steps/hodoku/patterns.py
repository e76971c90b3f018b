"""Techniques that look for a pattern of cells: locked candidates, subsets, fish, BUG+1.

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
    bit_count,
    cell_at,
    eliminate_rest,
    lowest_bit,
    reset_step,
    sees_pattern,
    unit_of,
)

POINTING, CLAIMING = range(2)
"""Forms of locked candidates."""

NAKED, LOCKED, HIDDEN, BASIC, FINNED, SASHIMI = range(6)
"""Forms of subsets and, from BASIC on, of fish."""

NO_SASHIMI = 1 << 8
"""Shifted by a size: the bit of IS_KNOWN that says that there is no sashimi fish of that size."""

MAX_FINS = 5
"""Maximum number of fins of a fish."""


# Locked candidates. All places of a digit in one unit are where a box meets a line, so they are
# also in a second unit. One of them holds the digit, so it is eliminated from the rest of the
# second unit. Pointing goes from a box to a line, claiming from a line to a box.
@compiled()
def find_locked_candidates(state, tables, step, form):
    """Find locked candidates that eliminate a candidate."""
    is_box = form == POINTING
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
            if step[L.ELIMINATED]:
                return 1
    return 0


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


@compiled()
def next_rows(state, tables, graph, usable, size, max_bits):
    """Find the next set of `size` usable rows that together have at most `max_bits` columns.

    The sets come in lexicographic order, from the start that `start_rows` writes to ROW_DEPTH and
    PICKS. Returns the rows as a mask, or 0 at the end; the columns are in UNIONS.
    """
    depth = graph[L.ROW_DEPTH]
    while depth >= 0:
        graph[L.PICKS + depth] += 1
        row = graph[L.PICKS + depth]
        if row > 9 - size + depth:
            depth -= 1
            continue
        columns = graph[L.UNIONS + depth] | state[L.ROW_MASKS + row]
        if not usable >> row & 1 or bit_count(tables, columns) > max_bits:
            continue
        graph[L.UNIONS + depth + 1] = columns
        if depth + 1 == size:
            graph[L.ROW_DEPTH] = depth
            return picked_mask(graph, L.PICKS, size)
        depth += 1
        graph[L.PICKS + depth] = row
    return 0


@compiled()
def start_rows(state, tables, graph, min_bits, max_bits):
    """Prepare `next_rows`. Returns the rows with `min_bits` to `max_bits` columns, as a mask."""
    graph[L.ROW_DEPTH], graph[L.PICKS], graph[L.UNIONS] = 0, -1, 0
    usable = 0
    for row in range(9):
        if min_bits <= bit_count(tables, state[L.ROW_MASKS + row]) <= max_bits:
            usable |= 1 << row
    return usable


@compiled()
def next_cells(state, tables, graph, unit, excluded, picks, size):
    """Find the next set of open cells of a unit. Returns its size, or 0 at the end.

    A set comes before the sets that extend it: positions {0}, {0, 1}, {0, 1, 2}, …, {0, 2}, … The
    positions are in PICKS. UNIONS has, at index k, the union of the first k masks; to start, write
    to it at index 0, and call with size 0.

    - `excluded`: a mask of the positions that no set has.
    - `picks`: PICKS or, for a search inside another, BOX_PICKS.
    - `size`: the size of the last set.
    """
    unions = picks + L.UNIONS - L.PICKS
    if size == 0:
        graph[picks] = -1
    while size >= 0:
        graph[picks + size] += 1
        position = graph[picks + size]
        if position > 8:
            size -= 1
            continue
        mask = state[cell_at(tables, unit, position)]
        if mask and not excluded >> position & 1:
            graph[unions + size + 1] = graph[unions + size] | mask
            graph[picks + size + 1] = position
            return size + 1
    return 0


@compiled()
def picked_mask(graph, picks, size):
    """The mask of the first `size` of the PICKS."""
    mask = 0
    for k in range(picks, picks + size):
        mask |= 1 << graph[k]
    return mask


# A subset is k rows of a 9×9 table that together have only k columns: these rows need all of these
# columns, so other rows lose them. In a naked subset, rows are cells of a unit and columns are
# digits. In a hidden subset, rows are digits and columns are positions in a unit. In a fish
# (X-wing, swordfish, jellyfish), rows are lines and columns are the lines that cross them, for one
# digit. One search finds all three. The first in lexicographic order is taken, as in HoDoKu.
@compiled()
def find_subset(state, tables, step, graph, size, form):
    """Find a naked or hidden subset: boxes come first, then rows and columns."""
    for k in range(9 if form == LOCKED else L.UNITS):
        unit = (k + L.FIRST_BOX) % L.UNITS
        for row in range(9):
            constraint = _row_constraint(tables, unit, row, form)
            state[L.ROW_MASKS + row] = state[constraint]
        usable = start_rows(state, tables, graph, 1, size)
        if bit_count(tables, usable) < size:
            continue
        rows = next_rows(state, tables, graph, usable, size, size)
        while rows:
            columns = graph[L.UNIONS + size]
            is_subset = bit_count(tables, columns) == size
            if is_subset and _conclude_subset(state, tables, step, unit, rows, columns, form):
                return 1
            rows = next_rows(state, tables, graph, usable, size, size)
    return 0


@compiled(inline=True)
def _row_constraint(tables, unit, row, form):
    """The constraint of a row of the table of a unit."""
    return L.UNIT_DIGITS + 9 * unit + row if form == HIDDEN else cell_at(tables, unit, row)


@compiled()
def _conclude_subset(state, tables, step, unit, rows, columns, form):
    """Write the conclusions of a subset of a unit. Returns whether it is a step of this form.

    A naked subset eliminates its digits from all units that contain its cells; a locked one does so
    in a line and in a box. A hidden subset eliminates all other digits from its cells.
    """
    reset_step(step)
    places, digits = (columns, rows) if form == HIDDEN else (rows, columns)
    group = tables[L.SPOT_AT + 512 * unit + places]
    if form == LOCKED and group < 81:
        return False
    step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = digits, 1 << unit
    add_pattern_cells(tables, step, unit, places)
    if form == HIDDEN:
        for k in range(L.PATTERN_CELLS + 1, L.PATTERN_CELLS + 1 + step[L.PATTERN_CELLS]):
            add_eliminations(state, tables, step, step[k], 511 & ~digits)
    elif group >= 81:  # the cells are in a line and in a box, and the line comes first
        eliminate_rest(state, tables, step, unit_of(tables, group, 0), digits)
        in_line = step[L.ELIMINATED]
        eliminate_rest(state, tables, step, unit_of(tables, group, 1), digits)
        if form == LOCKED and in_line in (0, step[L.ELIMINATED]):
            return False
    else:
        eliminate_rest(state, tables, step, unit, digits)
    for row in range(9):
        if rows >> row & 1:
            append_new(step, L.CITED, _row_constraint(tables, unit, row, form))
    return step[L.ELIMINATED] > 0


# A finned fish has more than k columns; the candidates in the extra columns are its fins.
@compiled()
def find_fish(state, tables, step, graph, size, form):
    """Find a fish, digit by digit: the base lines are rows, then columns."""
    if form == SASHIMI and graph[L.IS_KNOWN] & NO_SASHIMI << size:
        return 0
    max_bits, has_other = size if form == BASIC else size + 3, 0
    for k in range(18):
        digit, base = k // 2, L.FIRST_COLUMN * (k % 2)
        for row in range(9):
            state[L.ROW_MASKS + row] = state[L.UNIT_DIGITS + 9 * (base + row) + digit]
        usable = start_rows(state, tables, graph, 1, max_bits)
        if bit_count(tables, usable) < size:
            continue
        rows = next_rows(state, tables, graph, usable, size, max_bits)
        while rows:
            columns = graph[L.UNIONS + size]
            fish_form = _try_fins(state, tables, step, digit, base, rows, columns, size, form)
            if fish_form == form:
                return 1
            has_other |= fish_form
            rows = next_rows(state, tables, graph, usable, size, max_bits)
    if form == FINNED and not has_other:
        graph[L.IS_KNOWN] |= NO_SASHIMI << size
    return 0


@compiled()
def _try_fins(state, tables, step, digit, base, rows, columns, size, form):
    """Try all sets of fins whose removal leaves a fish, in the order of the remaining columns.

    The fins must be in three adjacent columns that cross the same boxes. Returns `form` if a fish
    of that form is found; else the form of another fish, or 0 if there is no fish.
    """
    if form == BASIC:
        if bit_count(tables, columns) != size:
            return 0
        return _conclude_fish(state, tables, step, digit, base, rows, columns, form)
    count, other = bit_count(tables, columns) - size, 0
    for third in range(6, -1, -3):
        in_third = columns >> third & 7
        for fins in range(7 if count > 0 and bit_count(tables, in_third) >= count else 0, 0, -1):
            if fins & ~in_third or bit_count(tables, fins) != count:
                continue
            covers = columns & ~(fins << third)
            fish_form = _conclude_fish(state, tables, step, digit, base, rows, covers, form)
            if fish_form == form:
                return form
            other |= fish_form
    return other


# If no fin of a finned fish holds the digit, it is a fish without fins. So a cell of a cover column
# that sees all fins loses the digit in any case. A sashimi fish has a row with at most one place
# besides its fins.
@compiled()
def _conclude_fish(state, tables, step, digit, base, rows, columns, form):
    """Write the conclusions of a fish. Returns its form; 0 if it eliminates nothing.

    Candidates that are in the rows and not in the columns are fins.
    """
    reset_step(step)
    fins, is_sashimi, remaining = 0, False, rows
    while remaining:
        row = lowest_bit(tables, remaining)
        columns_of_row = state[L.ROW_MASKS + row]
        if columns_of_row & ~columns:
            fins |= 1 << row
            add_pattern_cells(tables, step, base + row, columns_of_row & ~columns)
        is_sashimi = is_sashimi or bit_count(tables, columns_of_row & columns) < 2
        remaining &= remaining - 1
    are_fins_in_box = fins & ~(7 << 3 * (lowest_bit(tables, fins) // 3)) == 0
    are_fins_in_box = are_fins_in_box and step[L.PATTERN_CELLS] <= MAX_FINS
    if form != BASIC and (not are_fins_in_box or (form == SASHIMI and not is_sashimi)):
        return 0
    for cell in range(81):
        row, column = (cell % 9, cell // 9) if base else (cell // 9, cell % 9)
        is_cover = columns >> column & 1 and not rows >> row & 1
        if is_cover and state[cell] >> digit & 1 and sees_pattern(tables, step, 0, cell):
            add_eliminations(state, tables, step, cell, 1 << digit)
    for row in range(9 if step[L.ELIMINATED] else 0):
        if rows >> row & 1:
            append_new(step, L.CITED, L.UNIT_DIGITS + 9 * (base + row) + digit)
    step[L.PATTERN_DIGITS], step[L.BASE_UNITS], step[L.COVER_UNITS] = (
        1 << digit,
        rows << base,
        columns << (L.FIRST_COLUMN - base),
    )
    if not step[L.ELIMINATED]:
        return 0
    return BASIC if form == BASIC else SASHIMI if is_sashimi else FINNED


# BUG+1 (see `certify.steps`): all open cells have two candidates, except one with three. Of these
# three, the candidate that has three places in its row, in its column and in its box holds. HoDoKu
# eliminates the other two, and leaves a naked single.
@compiled()
def find_bug_plus_one(state, tables, step):
    """Find a BUG+1: exactly four constraints have three candidates, and share one of them."""
    odd_constraints = 0
    for constraint in range(L.CONSTRAINTS):
        odd_constraints += bit_count(tables, state[constraint]) not in (0, 2)
        if odd_constraints > 4:
            return 0
    for candidate in range(L.SINGLES if odd_constraints == 4 else 0):
        count = state[candidate // 9] >> candidate % 9 & 1
        for k in range(4 * candidate, 4 * candidate + 4):
            count += bit_count(tables, state[tables[L.NODE_CONSTRAINTS + k]]) == 3
        if count == 5:
            add_eliminations(state, tables, step, candidate // 9, 511 & ~(1 << candidate % 9))
            append_new(step, L.PATTERN_CELLS, candidate // 9)
            append_new(step, L.EXTRAS, candidate)
            step[L.DEADLY], step[L.PATTERN_DIGITS] = L.DEADLY_GRID, 1 << candidate % 9
            return 1
    return 0
