"""Singles in the order of HoDoKu, from two queues that are updated from the first given on.

HoDoKu appends a single to a queue when the elimination of a candidate leaves it. The order in which
candidates are eliminated therefore decides which single comes next, and thus the score of a puzzle.
The functions here replace `step_arrays.eliminate`, `fill` and `apply_step` in walks that need the
queues. `layout` describes the arrays; the queues are in `graph`.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import append_new, bit_count, candidate_at, lowest_bit

FULL_HOUSE, NAKED_SINGLE, HIDDEN_SINGLE = range(3)
"""Forms of singles."""


@compiled()
def set_up_queues(state, tables, graph):
    """Set up a state from CELLS, as `step_arrays.set_up` does, and its queues.

    The givens are placed one after another on an empty grid. Then candidates that the puzzle
    excludes are eliminated.
    """
    state[L.OPEN] = 81
    for unit in range(L.UNITS):
        state[L.OPEN_CELLS + unit] = 9
    graph[L.NAKED_FIRST] = graph[L.NAKED_END] = L.NAKED_QUEUE
    graph[L.HIDDEN_FIRST] = graph[L.HIDDEN_END] = L.HIDDEN_QUEUE
    for cell in range(81):
        state[L.ALLOWED + cell] = state[L.CELLS + cell]
    for constraint in range(L.CONSTRAINTS):
        state[constraint], state[L.VALUES + constraint] = 511, 0
    for cell in range(81):
        mask = state[L.ALLOWED + cell]
        if bit_count(tables, mask) == 1:
            place_queued(state, tables, graph, 9 * cell + lowest_bit(tables, mask))
    for cell in range(81):
        mask = state[L.CELLS + cell] & ~state[L.ALLOWED + cell]
        while mask:
            eliminate_queued(state, tables, graph, 9 * cell + lowest_bit(tables, mask))
            mask &= mask - 1


@compiled()
def eliminate_queued(state, tables, graph, candidate):
    """Eliminate a candidate, and append the singles that this leaves in its cell and units."""
    cell, digit = candidate // 9, candidate % 9
    if not state[L.CELLS + cell] >> digit & 1:
        return
    state[L.CELLS + cell] &= ~(1 << digit)
    mask = state[L.CELLS + cell]
    if mask and mask & (mask - 1) == 0:
        graph[graph[L.NAKED_END]] = 9 * cell + lowest_bit(tables, mask)
        graph[L.NAKED_END] += 1
    for k in range(4 * candidate, 4 * candidate + 3):
        constraint = tables[L.NODE_CONSTRAINTS + k]
        state[constraint] &= ~tables[L.NODE_MASKS + k]
        if state[constraint] & (state[constraint] - 1) == 0:
            _append_hidden(state, tables, graph, constraint)


@compiled()
def _append_hidden(state, tables, graph, constraint):
    """Append the only place of a digit in a unit to the hidden singles.

    While a digit is being placed, the masks of its units still contain its cell, which is ignored.
    """
    mask = state[constraint]
    if not mask:
        return
    single = candidate_at(tables, constraint, lowest_bit(tables, mask))
    if state[L.CELLS + single // 9] >> single % 9 & 1:
        graph[graph[L.HIDDEN_END]] = single
        graph[L.HIDDEN_END] += 1


@compiled()
def place_queued(state, tables, graph, candidate):
    """Place a candidate: eliminate it from the peers, then the other candidates of its cell."""
    cell = candidate // 9
    remaining = state[L.CELLS + cell]
    state[L.CELLS + cell] = 0
    state[L.OPEN] -= 1
    for k in range(4 * candidate, 4 * candidate + 4):
        constraint = tables[L.NODE_CONSTRAINTS + k]
        state[L.VALUES + constraint] = lowest_bit(tables, tables[L.NODE_MASKS + k]) + 1
        if constraint >= L.UNIT_DIGITS:
            state[L.OPEN_CELLS + constraint // 9 - 9] -= 1
    # the nodes that a candidate excludes start with 8 candidates of its cell and its 20 peers
    first = tables[L.EXCLUDED_FIRST + candidate] + 8
    for k in range(first, first + 20):
        eliminate_queued(state, tables, graph, tables[k])
    while remaining:
        other = 9 * cell + lowest_bit(tables, remaining)
        for k in range(4 * other, 4 * other + 3):
            constraint = tables[L.NODE_CONSTRAINTS + k]
            state[constraint] &= ~tables[L.NODE_MASKS + k]
            if state[constraint] & (state[constraint] - 1) == 0 and other != candidate:
                _append_hidden(state, tables, graph, constraint)
        remaining &= remaining - 1


@compiled()
def apply_queued(state, tables, graph, step):
    """Apply the conclusions of a step, in the order in which it lists them."""
    for k in range(L.ELIMINATED + 1, L.ELIMINATED + 1 + step[L.ELIMINATED]):
        eliminate_queued(state, tables, graph, step[k])
    for k in range(L.PLACED + 1, L.PLACED + 1 + step[L.PLACED]):
        place_queued(state, tables, graph, step[k])


# A constraint with one candidate left: a naked single if it is a cell, a hidden single if it is a
# digit in a unit. A full house is the last open cell of a unit.
@compiled()
def find_single(state, tables, step, graph, form):
    """Find the first single of a form in the queues.

    Naked and hidden singles are removed from their queue, and so are those before them whose cells
    are filled. A full house remains in the queue of naked singles.
    """
    if form == FULL_HOUSE:
        for k in range(graph[L.NAKED_FIRST], graph[L.NAKED_END]):
            unit_digit = _full_house(state, tables, graph[k])
            if unit_digit:
                return _write_single(step, graph[k], unit_digit)
        return 0
    queue = L.NAKED_FIRST if form == NAKED_SINGLE else L.HIDDEN_FIRST
    end = L.NAKED_END if form == NAKED_SINGLE else L.HIDDEN_END
    while graph[queue] < graph[end]:
        candidate = graph[graph[queue]]
        graph[queue] += 1
        if not state[L.CELLS + candidate // 9]:
            continue
        if form == NAKED_SINGLE:
            return _write_single(step, candidate, candidate // 9)
        for k in (4 * candidate + 2, 4 * candidate, 4 * candidate + 1):  # the box first
            constraint = tables[L.NODE_CONSTRAINTS + k]
            if state[constraint] == tables[L.NODE_MASKS + k]:
                return _write_single(step, candidate, constraint)
    return 0


@compiled()
def _full_house(state, tables, candidate):
    """The digit in a unit without other open cells, or 0: the row first, then column and box."""
    for k in range(4 * candidate, 4 * candidate + 3 if state[L.CELLS + candidate // 9] else 0):
        constraint = tables[L.NODE_CONSTRAINTS + k]
        unit_digits, is_last = constraint // 9 * 9, True
        for other in range(unit_digits, unit_digits + 9):
            if state[other] and other != constraint:
                is_last = False
                break
        if is_last:
            return constraint
    return 0


@compiled()
def _write_single(step, candidate, constraint):
    """Place the only candidate of a constraint."""
    append_new(step, L.PLACED, candidate)
    append_new(step, L.CITED, constraint)
    step[L.BASE_UNITS] = 1 << constraint // 9 - 9 if constraint >= L.UNIT_DIGITS else 0
    return 1
