"""Forcing nets, in which links and singles together lead from an assumption; and brute force.

`layout` describes the arrays. A set of signed candidates is 2 · WORDS words: the eliminated
candidates, then the placed ones. A word has BITS bits, 9 for each of seven cells.
"""

from __future__ import annotations

from pipeline.certify.steps import follows
from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.links import link_state, strong_constraint
from pipeline.steps.step_arrays import (
    append_new,
    bit_count,
    candidate_at,
    eliminate,
    lowest_bit,
    reset_step,
)

MAX_SHOWN_NODES = L.PATTERN_CELLS - L.CHAIN_NODES - 1
"""Maximum number of nodes that a step shows; more are left out."""

TRIAL_ROUNDS = 4
"""The number of times that a trial places all singles."""

SET_SIZE, MASKS_PER_WORD = 2 * L.WORDS, L.BITS // 9
"""The number of words of a set; the number of cells whose candidates are in a word."""


# HoDoKu draws the same conclusions as for forcing chains, in the same order. A net is the closure
# of an assumption under the trials of its candidates, the links of groups, and constraints with one
# candidate left. An assumption is refuted if its net contains a candidate and its contrary. Unlike
# chains, nets do not hold backwards, so verities need a search of their own: conclusions that the
# nets of all candidates of a constraint have in common.
@compiled()
def find_forcing_net(state, tables, step, graph, scratch):
    """Find a conclusion of nets: an assumption is refuted, or all nets of a constraint agree.

    Returns whether there is one. The placement in the lowest cell comes first, then the lowest
    candidate to eliminate.
    """
    link_state(state, tables, graph)
    for signed in range(2 * L.SINGLES):
        if graph[L.IS_NODE + signed // 2]:
            count = _run_trial(state, tables, graph, scratch, signed)
            _keep_trial(state, graph, scratch, signed, count)
    for k in range(SET_SIZE):
        graph[L.NET_CONCLUSIONS + k] = 0
    for signed in range(2 * L.SINGLES):
        if graph[L.IS_NODE + signed // 2]:
            _close(state, tables, graph, signed)
            if _is_inconsistent(graph):
                _add(graph, L.NET_CONCLUSIONS, signed ^ 1)
            for k in range(SET_SIZE):
                graph[L.NETS + SET_SIZE * signed + k] = graph[L.NET + k]
    for constraint in range(L.CONSTRAINTS):
        if state[constraint] & (state[constraint] - 1):  # a single has no cases
            _intersect(state, tables, graph, constraint)
            for k in range(SET_SIZE):
                graph[L.NET_CONCLUSIONS + k] |= graph[L.NET + k]
    for candidate in range(L.SINGLES):
        if graph[L.IS_NODE + candidate]:
            _intersect_contraries(graph, candidate)
            for k in range(SET_SIZE):
                graph[L.NET_CONCLUSIONS + k] |= graph[L.NET + k]
    for is_on in (1, 0):
        for candidate in range(L.SINGLES):
            if graph[L.IS_NODE + candidate] and _has(
                graph, L.NET_CONCLUSIONS, 2 * candidate + is_on
            ):
                reset_step(step)
                append_new(step, L.PLACED if is_on else L.ELIMINATED, candidate)
                _prove(state, tables, step, graph, scratch, 2 * candidate + is_on)
                return 1
    return 0


@compiled(inline=True)
def _has(graph, first, signed):
    """Whether a set contains a signed candidate."""
    cell, digit = signed // 18, signed // 2 % 9
    word = graph[first + L.WORDS * (signed & 1) + cell // MASKS_PER_WORD]
    return word >> 9 * (cell % MASKS_PER_WORD) + digit & 1


@compiled(inline=True)
def _add(graph, first, signed):
    """Add a signed candidate to a set."""
    cell, digit = signed // 18, signed // 2 % 9
    word = first + L.WORDS * (signed & 1) + cell // MASKS_PER_WORD
    graph[word] |= 1 << 9 * (cell % MASKS_PER_WORD) + digit


@compiled()
def _run_trial(state, tables, graph, scratch, signed):
    """Place or eliminate a candidate in a copy of the state, then place all singles.

    Singles are placed in TRIAL_ROUNDS rounds. Returns the number of placements in TRIAL_PLACED.
    """
    candidate, count = signed // 2, 1
    for k in range(L.STATE_SIZE):
        scratch[k] = state[k]
    graph[L.TRIAL_PLACED], graph[L.TRIAL_CITED] = candidate, L.NOTHING
    if signed & 1:
        _place(tables, graph, scratch, 0)
    else:
        eliminate(scratch, tables, candidate)
        graph[L.ELIMINATED_BY + candidate] = 0
    for _ in range(TRIAL_ROUNDS):
        first, end = count, count
        for constraint in range(L.CONSTRAINTS):
            mask = scratch[constraint]
            if mask and mask & (mask - 1) == 0:
                single = candidate_at(tables, constraint, lowest_bit(tables, mask))
                graph[L.TRIAL_PLACED + end], graph[L.TRIAL_CITED + end] = single, constraint
                end += 1
        for k in range(first, end):
            single = graph[L.TRIAL_PLACED + k]
            if scratch[single // 9] >> single % 9 & 1:
                graph[L.TRIAL_PLACED + count] = single
                graph[L.TRIAL_CITED + count] = graph[L.TRIAL_CITED + k]
                _place(tables, graph, scratch, count)
                count += 1
    return count


@compiled()
def _place(tables, graph, scratch, index):
    """Place the candidate at `index` of TRIAL_PLACED in the copy of the state."""
    candidate = graph[L.TRIAL_PLACED + index]
    for k in range(4 * candidate, 4 * candidate + 4):
        constraint = tables[L.NODE_CONSTRAINTS + k]
        remaining = scratch[constraint]
        while remaining:
            other = candidate_at(tables, constraint, lowest_bit(tables, remaining))
            eliminate(scratch, tables, other)
            graph[L.ELIMINATED_BY + other] = index
            remaining &= remaining - 1


@compiled()
def _keep_trial(state, graph, scratch, signed, count):
    """Write the eliminations and the `count` placements of the last trial to TRIALS."""
    first = L.TRIALS + SET_SIZE * signed
    for k in range(SET_SIZE):
        graph[first + k] = 0
    for cell in range(81):
        eliminated = (state[cell] & ~scratch[cell]) << 9 * (cell % MASKS_PER_WORD)
        graph[first + cell // MASKS_PER_WORD] |= eliminated
    for k in range(1 - (signed & 1), count):
        placed = graph[L.TRIAL_PLACED + k]
        cell, bit = placed // 9, 1 << 9 * (placed // 9 % MASKS_PER_WORD) + placed % 9
        graph[first + cell // MASKS_PER_WORD] &= ~bit
        graph[first + L.WORDS + cell // MASKS_PER_WORD] |= bit


@compiled()
def _close(state, tables, graph, start):
    """Find the net of an assumption. Returns the number of its signed nodes.

    NET contains the candidates of the net, CHAIN_QUEUE all its signed nodes, and CHAIN_PARENT what
    implies each: a signed node, or constraint k as -2 - k.
    """
    graph[L.SEARCH] += 1
    for k in range(SET_SIZE):
        graph[L.NET + k] = 0
    tail, head = _append(graph, start, L.NOTHING, 0), 0
    while head < tail:
        while head < tail:
            signed = graph[L.CHAIN_QUEUE + head]
            head += 1
            is_candidate = signed < 2 * L.SINGLES
            first = L.DIRECT_AT + 3 * signed + (1 if is_candidate else 0)
            for k in range(graph[first], graph[L.DIRECT_AT + 3 * signed + 2]):
                tail = _append(graph, graph[k], signed, tail)
            if is_candidate:
                tail = _append_trial(tables, graph, signed, tail)
        for constraint in range(L.CONSTRAINTS):
            if bit_count(tables, state[constraint]) > 2:
                tail = _append_last(state, tables, graph, constraint, tail)
    return tail


@compiled(inline=True)
def _append(graph, signed, parent, tail):
    """Append a signed node to CHAIN_QUEUE if it is new. Returns the new length of the queue."""
    if graph[L.CHAIN_START + signed] == graph[L.SEARCH]:
        return tail
    graph[L.CHAIN_START + signed], graph[L.CHAIN_PARENT + signed] = graph[L.SEARCH], parent
    graph[L.CHAIN_QUEUE + tail] = signed
    if signed < 2 * L.SINGLES:
        _add(graph, L.NET, signed)
    return tail + 1


@compiled()
def _append_trial(tables, graph, signed, tail):
    """Append the eliminations and placements of the trial of a signed candidate."""
    for k in range(SET_SIZE):
        new = graph[L.TRIALS + SET_SIZE * signed + k] & ~graph[L.NET + k]
        for n in range(MASKS_PER_WORD if new else 0):
            cell, bits = k % L.WORDS * MASKS_PER_WORD + n, new >> 9 * n & 511
            while bits:
                implied = 2 * (9 * cell + lowest_bit(tables, bits)) + k // L.WORDS
                tail = _append(graph, implied, signed, tail)
                bits &= bits - 1
    return tail


@compiled()
def _append_last(state, tables, graph, constraint, tail):
    """Append the last candidate or group of a constraint, or all candidates if none is left."""
    mask, left = state[constraint], 0
    for position in range(9):
        if mask >> position & 1:
            signed = 2 * candidate_at(tables, constraint, position)
            if graph[L.CHAIN_START + signed] != graph[L.SEARCH]:
                left |= 1 << position
    last = mask if not left else left if left & (left - 1) == 0 else 0
    while last:
        node = candidate_at(tables, constraint, lowest_bit(tables, last))
        tail = _append(graph, 2 * node + 1, -2 - constraint, tail)
        last &= last - 1
    if constraint >= L.UNIT_DIGITS:
        spot = tables[L.SPOT_AT + 512 * (constraint // 9 - 9) + left]
        if spot >= 81:
            tail = _append(graph, 2 * (9 * spot + constraint % 9) + 1, -2 - constraint, tail)
    return tail


@compiled()
def _is_inconsistent(graph):
    """Whether NET contains a candidate and its contrary."""
    for word in range(L.WORDS):
        if graph[L.NET + word] & graph[L.NET + L.WORDS + word]:
            return True
    return False


@compiled()
def _intersect(state, tables, graph, constraint):
    """Write the common part of the nets of all candidates of a constraint to NET."""
    for k in range(SET_SIZE):
        graph[L.NET + k] = (1 << L.BITS) - 1
    for position in range(9):
        if state[constraint] >> position & 1:
            first = L.NETS + SET_SIZE * (2 * candidate_at(tables, constraint, position) + 1)
            for k in range(SET_SIZE):
                graph[L.NET + k] &= graph[first + k]


@compiled()
def _intersect_contraries(graph, candidate):
    """Write the common part of the nets of a candidate and its contrary to NET.

    Candidates of its cell are left out.
    """
    first = L.NETS + 2 * SET_SIZE * candidate
    for k in range(SET_SIZE):
        graph[L.NET + k] = graph[first + k] & graph[first + SET_SIZE + k]
    cell = candidate // 9
    for word in range(cell // MASKS_PER_WORD, SET_SIZE, L.WORDS):
        graph[L.NET + word] &= ~(511 << 9 * (cell % MASKS_PER_WORD))


@compiled()
def _prove(state, tables, step, graph, scratch, conclusion):
    """Cite the constraints that prove a conclusion: by the net of its contrary, or by a verity."""
    tail = _close(state, tables, graph, conclusion ^ 1)
    if _is_inconsistent(graph):
        _cite_net(state, tables, step, graph, scratch, tail, L.NOTHING)
        return
    for constraint in range(L.CONSTRAINTS):
        if state[constraint] & (state[constraint] - 1):  # a single has no cases
            _intersect(state, tables, graph, constraint)
            if _has(graph, L.NET, conclusion):
                _cite_verity(state, tables, step, graph, scratch, constraint, conclusion)
                return
    for candidate in range(L.SINGLES):
        if graph[L.IS_NODE + candidate]:
            _intersect_contraries(graph, candidate)
            if _has(graph, L.NET, conclusion):
                append_new(step, L.PATTERN_CELLS, candidate // 9)
                step[L.PATTERN_DIGITS] = 1 << candidate % 9
                for signed in (2 * candidate, 2 * candidate + 1):
                    tail = _close(state, tables, graph, signed)
                    _cite_net(state, tables, step, graph, scratch, tail, conclusion)
                return


@compiled()
def _cite_verity(state, tables, step, graph, scratch, constraint, conclusion):
    """Cite a constraint and the nets of its candidates, which all imply a conclusion."""
    append_new(step, L.CITED, constraint)
    if constraint < L.UNIT_DIGITS:
        append_new(step, L.PATTERN_CELLS, constraint)
        step[L.PATTERN_DIGITS] = state[constraint]
    else:
        step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = 1 << constraint % 9, 1 << constraint // 9 - 9
    for position in range(9):
        if state[constraint] >> position & 1:
            signed = 2 * candidate_at(tables, constraint, position) + 1
            tail = _close(state, tables, graph, signed)
            if _is_inconsistent(graph):
                _cite_net(state, tables, step, graph, scratch, tail, L.NOTHING)
            else:
                _cite_net(state, tables, step, graph, scratch, tail, conclusion)


# A conclusion depends on its parents, and so on back to the assumption. Parents come before their
# children in CHAIN_QUEUE. CHAIN_DISTANCE is 1 for the nodes on which the conclusion depends.
@compiled()
def _cite_net(state, tables, step, graph, scratch, tail, conclusion):
    """Cite the constraints by which the last net implies a conclusion.

    Appends the nodes that lead to the conclusion to CHAIN_NODES, the last first.

    - `tail`: the number of nodes of the net.
    - `conclusion`: a signed candidate, or NOTHING for a contradiction.
    """
    for k in range(tail):
        graph[L.CHAIN_DISTANCE + graph[L.CHAIN_QUEUE + k]] = 0
    if conclusion == L.NOTHING:
        for k in range(tail):
            signed = graph[L.CHAIN_QUEUE + k]
            if signed < 2 * L.SINGLES and graph[L.CHAIN_START + (signed ^ 1)] == graph[L.SEARCH]:
                graph[L.CHAIN_DISTANCE + signed] = graph[L.CHAIN_DISTANCE + (signed ^ 1)] = 1
                break
    else:
        graph[L.CHAIN_DISTANCE + conclusion] = 1
    for k in range(tail - 1, -1, -1):
        signed = graph[L.CHAIN_QUEUE + k]
        if graph[L.CHAIN_DISTANCE + signed]:
            if step[L.CHAIN_NODES] < MAX_SHOWN_NODES:
                append_new(step, L.CHAIN_NODES, signed)
            parent = graph[L.CHAIN_PARENT + signed]
            if parent < L.NOTHING:
                _cite_last(state, tables, step, graph, -2 - parent, signed)
            elif parent >= 0:
                graph[L.CHAIN_DISTANCE + parent] = 1
                if max(signed, parent) < 2 * L.SINGLES:
                    _cite_trial(state, tables, step, graph, scratch, parent, signed)
                elif signed & 1:
                    constraint = strong_constraint(state, tables, parent // 2, signed // 2)
                    append_new(step, L.CITED, constraint)


@compiled()
def _cite_last(state, tables, step, graph, constraint, signed):
    """Cite a constraint with one candidate left, and mark the other candidates as needed."""
    append_new(step, L.CITED, constraint)
    for position in range(9):
        other = 2 * candidate_at(tables, constraint, position)
        is_other = state[constraint] >> position & 1 == 1 and other != signed - 1
        if is_other and graph[L.CHAIN_START + other] == graph[L.SEARCH]:
            graph[L.CHAIN_DISTANCE + other] = 1


@compiled()
def _cite_trial(state, tables, step, graph, scratch, start, conclusion):
    """Cite the singles by which the trial of a signed candidate leads to a conclusion."""
    count = _run_trial(state, tables, graph, scratch, start)
    for k in range(count):
        is_placed = graph[L.TRIAL_PLACED + k] == conclusion // 2
        graph[L.IS_NEEDED + k] = k if conclusion & 1 and is_placed else 0
    if not conclusion & 1:
        graph[L.IS_NEEDED + graph[L.ELIMINATED_BY + conclusion // 2]] = 1
    for k in range(count - 1, 0, -1):
        if graph[L.IS_NEEDED + k]:
            constraint = graph[L.TRIAL_CITED + k]
            append_new(step, L.CITED, constraint)
            for position in range(9):
                other = candidate_at(tables, constraint, position)
                if state[constraint] >> position & 1 and other != graph[L.TRIAL_PLACED + k]:
                    graph[L.IS_NEEDED + graph[L.ELIMINATED_BY + other]] = 1


# HoDoKu's last resort takes a digit from the solution. Here an exhaustive search of all constraints
# refutes the other digits. It counts for HoDoKu's score, but is no logical step.
@compiled()
def find_by_brute_force(state, step, stack):
    """Place the middle one of the open cells. Returns 0 if the search gives up, else 1."""
    reset_step(step)
    middle, count = L.NOTHING, 0
    for cell in range(81):
        if state[cell]:
            middle = cell if count == state[L.OPEN] // 2 else middle
            count += 1
    for constraint in range(L.CONSTRAINTS):
        if state[constraint]:
            append_new(step, L.CITED, constraint)
    for digit in range(9):
        if middle != L.NOTHING and state[middle] >> digit & 1:
            step[L.PLACED], step[L.PLACED + 1] = 1, 9 * middle + digit
            if follows(state, step, stack, False):
                return 1
    return 0
