"""Nishio forcing chains of Sudoku Explainer 1.2.1 (rated 7.5, and more for long chains)."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer.hints import (
    BASE_NISHIO,
    CONTRADICTION_KIND,
    best_rating,
    conclude,
    has_hint,
    max_complexity,
    note_hint,
    precedes_best,
    start_choice,
)
from pipeline.steps.explainer.implications import (
    DYNAMIC,
    STOPS,
    UNIT_LINKS,
    cite_chain,
    count_nodes,
    derivation_of,
    follow_links,
)
from pipeline.steps.step_arrays import lowest_bit, reset_step

_MODE = UNIT_LINKS | STOPS | DYNAMIC


# If links of one digit lead from a candidate that is on to a contradiction, the candidate is false;
# if they lead from a candidate that is off to a contradiction, it is true. Dynamic links of a digit
# are its hidden singles. Placing these on bit masks shows whether there is a contradiction, in a
# tenth of the time of following links, but not which chain Sudoku Explainer finds.
@compiled()
def find_nishio(state, grid, tables, step, workspace):
    """Find the best Nishio forcing chain. Returns its rating in tenths, or 0."""
    start_choice(workspace)
    for candidate in range(L.SINGLES):
        mask = state[candidate // 9]
        for is_on in (1, 0):
            if (
                mask >> candidate % 9 & 1
                and mask & (mask - 1)
                and _is_refuted(state, grid, tables, candidate, is_on)
            ):
                _try_contradiction(state, grid, tables, workspace, 2 * candidate + is_on)
    if not has_hint(workspace):
        return 0
    reset_step(step)
    start = workspace[L.BEST_SOURCE]
    follow_links(state, grid, tables, workspace, L.SLOTS, start, L.NOTHING, L.SINGLES, _MODE)
    cite_chain(workspace, step, L.SLOTS, workspace[L.SLOTS + L.CONFLICT_DERIVATION])
    contrary = workspace[L.SLOTS + L.CONFLICT] ^ 1
    cite_chain(workspace, step, L.SLOTS, derivation_of(workspace, L.SLOTS, contrary))
    conclude(step, start ^ 1)
    return best_rating(workspace, tables)


@compiled()
def _try_contradiction(state, grid, tables, workspace, start):
    """Note the contradiction to which a signed node leads, if it is better than the best hint."""
    slot = L.SLOTS
    follow_links(state, grid, tables, workspace, slot, start, L.NOTHING, L.SINGLES, _MODE)
    conflict = workspace[slot + L.CONFLICT]
    if conflict == L.NOTHING:
        return
    limit = max_complexity(workspace, tables, BASE_NISHIO, CONTRADICTION_KIND)
    complexity = count_nodes(workspace, slot, workspace[slot + L.CONFLICT_DERIVATION], limit)
    contrary = derivation_of(workspace, slot, conflict ^ 1)
    complexity += count_nodes(workspace, slot, contrary, limit)
    if precedes_best(workspace, tables, BASE_NISHIO, complexity, CONTRADICTION_KIND):
        kind, none = CONTRADICTION_KIND, L.NOTHING
        note_hint(workspace, tables, BASE_NISHIO, complexity, kind, start, none, none)


@compiled()
def _is_refuted(state, rows, tables, candidate, is_on):
    """Whether hidden singles of its digit refute that a candidate is on, or off.

    `rows` gets a mask for each row: where the digit may be, apart from rows where it is placed.
    """
    digit, row, column = candidate % 9, candidate // 81, candidate // 9 % 9
    rows_left = columns_left = boxes_left = 0
    for k in range(9):
        rows[k] = state[L.UNIT_DIGITS + 9 * k + digit]
        values = L.VALUES + L.UNIT_DIGITS + 9 * k + digit
        rows_left |= (state[values] == 0) << k
        columns_left |= (state[values + 81] == 0) << k
        boxes_left |= (state[values + 162] == 0) << k
    if not is_on:
        rows[row] &= ~(1 << column)
        row = L.NOTHING
    while True:
        if row != L.NOTHING:
            rows[row] = 0
            for k in range(9):
                rows[k] &= ~(1 << column)
            for k in range(row // 3 * 3, row // 3 * 3 + 3):
                rows[k] &= ~(7 << column // 3 * 3)
            rows_left &= ~(1 << row)
            columns_left &= ~(1 << column)
            boxes_left &= ~(1 << (row // 3 * 3 + column // 3))
        row = L.NOTHING
        once = twice = 0
        for k in range(9):
            mask = rows[k]
            twice |= once & mask
            once |= mask
            if rows_left >> k & 1 and mask & (mask - 1) == 0:
                if mask == 0:
                    return True
                row, column = k, lowest_bit(tables, mask)
        if columns_left & ~once:
            return True
        if row == L.NOTHING and columns_left & ~twice:
            column = lowest_bit(tables, columns_left & ~twice)
            for k in range(9):
                if rows[k] >> column & 1:
                    row = k
        for box in range(9 if row == L.NOTHING else 0):
            if boxes_left >> box & 1:
                first, shift = box // 3 * 3, box % 3 * 3
                places = rows[first] >> shift & 7
                places |= (rows[first + 1] >> shift & 7) << 3 | (rows[first + 2] >> shift & 7) << 6
                if places & (places - 1) == 0:
                    if places == 0:
                        return True
                    position = lowest_bit(tables, places)
                    row, column = first + position // 3, shift + position % 3
        if row == L.NOTHING:
            return False
