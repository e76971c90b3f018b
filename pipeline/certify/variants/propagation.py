"""Propagators: each eliminates values that one kind of constraint excludes.

A propagator eliminates only values that no solution has in the current branch, so no solution is
lost. It returns False if it finds that the constraint cannot hold. When every cell of its scope has
one value, it decides exactly whether the constraint holds, so the search accepts no wrong grid. As
long as some cells have several values, it may miss eliminations. `layout` describes `state`,
`problem` and the numbers of each constraint.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import (
    assign,
    eliminate_from_peers,
    lowest_index,
    restrict,
    set_size,
)
from pipeline.certify.variants.equality_propagators import (
    propagate_count_of_equal,
    propagate_count_of_values,
    propagate_equal_to_any,
)
from pipeline.certify.variants.group_propagators import (
    propagate_automaton_of_peers,
    propagate_counts_itself,
    propagate_occurrences,
)
from pipeline.certify.variants.line_propagators import (
    propagate_segment_sums,
    propagate_sum_between,
)
from pipeline.certify.variants.part_propagators import propagate_min_counts
from pipeline.certify.variants.rank_propagators import propagate_increasing, propagate_ranked
from pipeline.certify.variants.region_propagators import (
    propagate_connected,
    propagate_different_pairs,
)
from pipeline.certify.variants.sum_propagators import propagate_one_of_sets, propagate_total
from pipeline.native import compiled

_CHUNK_MASK = (1 << L.CHUNK) - 1

_MAX_ROUNDS = 3
"""Maximum number of times that the constraints of an alternative are propagated. More rounds could
eliminate more values, but take more time."""


# Forward checking (R. Haralick, G. Elliott, 1980). Peers must differ, so they lose the value of a
# fixed cell. If two peers are fixed to the same value, one of them loses its last value;
# FAILED_CONSTRAINT then names this cell instead of a constraint.
@compiled()
def _propagate_fixed_cell(state, problem, cell):
    """Eliminate the value of a fixed cell from its peers. Returns False if a peer becomes empty."""
    mask = state[L.DOMAINS + cell]
    peers_of = problem[L.PEERS] + cell * problem[L.WORDS_PER_SET]
    for word in range(problem[L.WORDS_PER_SET]):
        peers = problem[peers_of + word]
        while peers:
            peer = word * L.CELLS_PER_WORD + lowest_index(problem, peers)
            peers &= peers - 1
            if state[L.DOMAINS + peer] & mask and not restrict(state, problem, peer, ~mask):
                state[L.FAILED_CONSTRAINT] = ~peer
                return False
    return True


# Naked pair. Two cells of a unit with the same two candidates hold both values, so common peers
# lose them. Larger naked subsets are left to branching; the matching of J.-C. Régin (1994) would
# find all of them.
@compiled()
def _eliminate_naked_pairs(state, problem, first, length):
    """Eliminate the two values of each naked pair of a unit from the common peers of its cells."""
    for i in range(first, first + length - 1):
        mask = state[L.DOMAINS + problem[i]]
        second = mask & (mask - 1)
        if second == 0 or second & (second - 1):
            continue
        for j in range(i + 1, first + length):
            if state[L.DOMAINS + problem[j]] == mask and not _eliminate_from_common_peers(
                state, problem, problem[i], problem[j], mask
            ):
                return False
    return True


@compiled()
def _eliminate_from_common_peers(state, problem, a, b, values):
    """Eliminate values from the common peers of two cells."""
    peers_of_a = problem[L.PEERS] + a * problem[L.WORDS_PER_SET]
    peers_of_b = problem[L.PEERS] + b * problem[L.WORDS_PER_SET]
    for word in range(problem[L.WORDS_PER_SET]):
        peers = problem[peers_of_a + word] & problem[peers_of_b + word]
        while peers:
            cell = word * L.CELLS_PER_WORD + lowest_index(problem, peers)
            peers &= peers - 1
            if state[L.DOMAINS + cell] & values and not restrict(state, problem, cell, ~values):
                return False
    return True


# A unit holds each value once, so it fails if a value has no place. A value with one place is
# assigned (hidden single). A value with two places is eliminated from the common peers of these
# places (locked candidate). Naked pairs come last. Locked candidates with three places are left to
# branching.
@compiled()
def _propagate_unit(state, problem, first, length, values):
    """Enforce that each of the values is in one of the cells."""
    at_least_1 = at_least_2 = at_least_3 = fixed = 0
    for i in range(first, first + length):
        mask = state[L.DOMAINS + problem[i]]
        at_least_3 |= at_least_2 & mask
        at_least_2 |= at_least_1 & mask
        at_least_1 |= mask
        if mask & (mask - 1) == 0:
            fixed |= mask
    if at_least_1 != values:
        return False
    if not assign(state, problem, first, length, at_least_1 & ~at_least_2 & ~fixed):
        return False
    if not eliminate_from_peers(state, problem, first, length, at_least_2 & ~at_least_3 & ~fixed):
        return False
    return _eliminate_naked_pairs(state, problem, first, length)


# This kind of constraint occurs only in alternatives: elsewhere, cells that must differ are peers.
# Fixed values are eliminated from the other cells until no further cell becomes fixed. The
# constraint fails if there are fewer values than cells (pigeonhole principle).
@compiled()
def _propagate_all_different(state, problem, first, length):
    """Enforce that the cells are all different."""
    is_changed = True
    while is_changed:
        is_changed = False
        fixed = union = 0
        for i in range(first, first + length):
            mask = state[L.DOMAINS + problem[i]]
            union |= mask
            if mask & (mask - 1) == 0:
                if fixed & mask:
                    return False
                fixed |= mask
        if set_size(problem, union) < length:
            return False
        for i in range(first, first + length):
            mask = state[L.DOMAINS + problem[i]]
            if mask & (mask - 1) and mask & fixed:
                if not restrict(state, problem, problem[i], ~fixed):
                    return False
                after = mask & ~fixed
                is_changed |= after & (after - 1) == 0
    return True


# Both parts hold the same values, so a value that one part cannot hold is eliminated from the
# other. The number of occurrences of a value is not checked: `unit_numbers` derives these
# constraints from two overlapping units (law of leftovers), and the constraints of these units
# limit the occurrences.
@compiled()
def _propagate_same_values(state, problem, first, length, first_length):
    """Enforce that the first `first_length` cells hold the same values as the other cells."""
    a = b = 0
    for i in range(first, first + first_length):
        a |= state[L.DOMAINS + problem[i]]
    for i in range(first + first_length, first + length):
        b |= state[L.DOMAINS + problem[i]]
    if a != b:
        for i in range(first, first + length):
            if not restrict(state, problem, problem[i], a & b):
                return False
    return True


@compiled(inline=True)
def _related_values(problem, table, mask):
    """Return the union of the values that a table relates to the values in a mask."""
    values = problem[table + (mask & _CHUNK_MASK)]
    while mask > _CHUNK_MASK:
        mask >>= L.CHUNK
        table += _CHUNK_MASK + 1
        values |= problem[table + (mask & _CHUNK_MASK)]
    return values


# Arc consistency of a binary constraint (A. Mackworth, 1977): a value remains if it is related to a
# value of the other cell. A table contains the result for each set of values, so one lookup
# suffices for up to ten values.
@compiled(inline=True)
def _propagate_pair(state, problem, first):
    """Enforce that the tables of the constraint relate the values of the two cells."""
    a, b = problem[first], problem[first + 1]
    return restrict(
        state, problem, b, _related_values(problem, problem[first + 2], state[L.DOMAINS + a])
    ) and restrict(
        state, problem, a, _related_values(problem, problem[first + 3], state[L.DOMAINS + b])
    )


# A part counts its cells whose value is in the mask. The common count is at least `low`, the
# maximum of the parts' minimums, and at most `high`, the minimum of their maximums. If only `low`
# cells of a part can have a value in the mask, they all must. If `high` cells of a part must have
# one, its other cells must not.
@compiled()
def _propagate_same_counts(state, problem, first, length):
    """Enforce that all parts have equally many cells with a value in the mask."""
    values, parts = problem[first + length], problem[first + length + 1]
    lengths = first + length + 2
    low, high = 0, length
    for turn in range(2):  # the first turn finds the bounds, the second uses them
        start = first
        for part in range(lengths, lengths + parts):
            max_count = min_count = 0
            for i in range(start, start + problem[part]):
                mask = state[L.DOMAINS + problem[i]]
                max_count += mask & values != 0
                min_count += mask & ~values == 0
            if turn == 0:
                low, high = max(low, min_count), min(high, max_count)
            elif max_count == low or min_count == high:
                kept = values if max_count == low else ~values
                for i in range(start, start + problem[part]):
                    mask = state[L.DOMAINS + problem[i]]
                    is_open = mask & values and mask & ~values
                    if is_open and not restrict(state, problem, problem[i], kept):
                        return False
            start += problem[part]
        if low > high:
            return False
    return True


# The regular constraint (G. Pesant, A regular language membership constraint, 2004), on the layered
# graph of the automaton. The forward pass marks the states that the cells can reach. The backward
# pass marks the reached states from which the accepting state can be reached. A value remains if it
# labels an edge between two states that both passes marked, so the cells become arc-consistent.
# Pesant keeps the marked graph between calls. Here each call marks it again, so backtracking need
# not restore it.
@compiled()
def _propagate_automaton(state, problem, first, length, automaton):
    """Enforce that an automaton accepts the values of the cells, in order."""
    states, marks = problem[automaton], problem[L.SCRATCH]  # 1: forward pass, 2: both passes
    for node in range(states):
        state[marks + node] = 0
    state[marks] = 1
    for index in range(length):
        mask, edges = state[L.DOMAINS + problem[first + index]], automaton + 1 + index
        for edge in range(automaton + problem[edges], automaton + problem[edges + 1], 3):
            if problem[edge + 2] & mask and state[marks + problem[edge]]:
                state[marks + problem[edge + 1]] = 1
    if not state[marks + states - 1]:
        return False
    state[marks + states - 1] = 2
    for index in range(length - 1, -1, -1):
        mask, edges = state[L.DOMAINS + problem[first + index]], automaton + 1 + index
        kept = 0
        for edge in range(automaton + problem[edges], automaton + problem[edges + 1], 3):
            values = problem[edge + 2] & mask
            is_reached = values and state[marks + problem[edge]]
            if is_reached and state[marks + problem[edge + 1]] == 2:
                state[marks + problem[edge]] = 2
                kept |= values
        if not restrict(state, problem, problem[first + index], kept):
            return False
    return True


@compiled()
def _propagate_constraint(state, problem, constraint):
    """Propagate one constraint, whose kind is not ANY_OF. Returns False if it cannot hold.

    `constraint` is its offset in `problem`.
    """
    kind, length = problem[constraint + L.CONSTRAINT_KIND], problem[constraint + L.SCOPE_LENGTH]
    first = constraint + L.SCOPE
    if kind == L.PAIR:
        return _propagate_pair(state, problem, first)
    if kind == L.UNIT:
        return _propagate_unit(state, problem, first, length, problem[first + length])
    if kind == L.TOTAL:
        return propagate_total(state, problem, first, length)
    if kind == L.SAME_VALUES:
        return _propagate_same_values(state, problem, first, length, problem[first + length])
    if kind == L.ONE_OF_SETS:
        data = first + length
        begin, end, context = problem[data], problem[data + 1], data + 2
        return propagate_one_of_sets(state, problem, first, length, begin, end, context)
    if kind == L.AUTOMATON:
        return _propagate_automaton(state, problem, first, length, problem[first + length])
    if kind == L.ONE_OF_VALUES:
        return restrict(state, problem, problem[first], problem[first + 1])
    if kind == L.ALL_DIFFERENT:
        return _propagate_all_different(state, problem, first, length)
    if kind == L.MIN_COUNTS:
        return propagate_min_counts(state, problem, first, length)
    if kind == L.SAME_COUNTS:
        return _propagate_same_counts(state, problem, first, length)
    if kind == L.CONNECTED:
        return propagate_connected(state, problem, first, length)
    if kind == L.DIFFERENT_PAIRS:
        return propagate_different_pairs(state, problem, first, length)
    if kind == L.COUNT_OF_EQUAL:
        return propagate_count_of_equal(state, problem, first, length)
    if kind == L.INCREASING:
        return propagate_increasing(state, problem, first, length)
    if kind == L.RANKED:
        return propagate_ranked(state, problem, first, length)
    if kind == L.EQUAL_TO_ANY:
        return propagate_equal_to_any(state, problem, first, length)
    if kind == L.COUNT_OF_VALUES:
        return propagate_count_of_values(state, problem, first, length, problem[first + length])
    if kind == L.OCCURRENCES:
        return propagate_occurrences(state, problem, first, length)
    if kind == L.COUNTS_ITSELF:
        return propagate_counts_itself(state, problem, first, length)
    if kind == L.AUTOMATON_OF_PEERS:
        return propagate_automaton_of_peers(state, problem, first, length, problem[first + length])
    if kind == L.SEGMENT_SUMS:
        return propagate_segment_sums(state, problem, first, length)
    if kind == L.SUM_BETWEEN:
        return propagate_sum_between(state, problem, first, length)
    return False


@compiled(inline=True)
def _propagate_alternative(state, problem, first, length):
    """Propagate the constraints of an alternative.

    Returns False if one of them is found to be impossible.
    """
    for _ in range(_MAX_ROUNDS):
        state[L.HAS_CHANGED] = 0
        for i in range(first, first + length):
            if not _propagate_constraint(state, problem, problem[L.CONSTRAINT_DATA] + problem[i]):
                return False
        if not state[L.HAS_CHANGED]:
            break
    return True


# Constructive disjunction (P. Van Hentenryck et al., 1995). Each alternative is propagated
# separately, starting from the current cells. A solution satisfies at least one alternative. So a
# value that remains in no alternative is eliminated. If no alternative can hold, the constraint
# fails. While IS_PROBING is set, propagators change only cells of their scope and schedule nothing,
# so only the scope must be restored.
@compiled()
def _propagate_any_of(state, problem, first, length):
    """Enforce that at least one of the alternatives holds."""
    probed = problem[L.PROBE_MASKS]
    for index in range(length):
        state[probed + 2 * index] = state[L.DOMAINS + problem[first + index]]
        state[probed + 2 * index + 1] = 0
    state[L.IS_PROBING] = 1
    alternative = first + length + 1
    for _ in range(problem[first + length]):
        can_hold = _propagate_alternative(state, problem, alternative + 1, problem[alternative])
        for index in range(length):
            cell = L.DOMAINS + problem[first + index]
            if can_hold:
                state[probed + 2 * index + 1] |= state[cell]
            state[cell] = state[probed + 2 * index]
        alternative += 1 + problem[alternative]
    state[L.IS_PROBING] = 0
    for index in range(length):
        union = state[probed + 2 * index + 1]
        if not restrict(state, problem, problem[first + index], union):
            return False
    return True


# Propagation to a fixed point as in AC-3, with queues of the constraints whose cells have changed
# (A. Mackworth, Consistency in networks of relations, 1977). The values of fixed cells are
# propagated before constraints, and cheap constraints before expensive ones. The order does not
# affect soundness.
@compiled()
def propagate_all(state, problem):
    """Propagate until nothing changes. Returns False if a constraint cannot hold."""
    while True:
        while state[L.FIXED_COUNT]:
            state[L.FIXED_COUNT] -= 1
            cell = state[problem[L.FIXED_STACK] + state[L.FIXED_COUNT]]
            state[L.LAST_FIXED] = cell
            if not _propagate_fixed_cell(state, problem, cell):
                return False
        queue = 0
        while queue < L.LATE and not state[L.QUEUE_LENGTH + queue]:
            queue += 1
        if not state[L.QUEUE_LENGTH + queue]:
            return True
        number = _pop_constraint(state, problem, queue)
        constraint = problem[problem[L.OFFSETS] + number]
        if problem[constraint + L.CONSTRAINT_KIND] == L.ANY_OF:
            length = problem[constraint + L.SCOPE_LENGTH]
            can_hold = _propagate_any_of(state, problem, constraint + L.SCOPE, length)
        else:
            can_hold = _propagate_constraint(state, problem, constraint)
        if not can_hold:
            state[L.FAILED_CONSTRAINT] = number
            return False


@compiled(inline=True)
def _pop_constraint(state, problem, queue):
    """Remove the first constraint from a queue, and return its number."""
    ring = problem[L.QUEUE_RINGS] + queue * problem[L.CONSTRAINT_COUNT]
    constraint = state[ring + state[L.QUEUE_FIRST + queue]]
    state[L.QUEUE_FIRST + queue] += 1
    if state[L.QUEUE_FIRST + queue] == problem[L.CONSTRAINT_COUNT]:
        state[L.QUEUE_FIRST + queue] = 0
    state[L.QUEUE_LENGTH + queue] -= 1
    state[problem[L.IS_QUEUED] + constraint] = 0
    return constraint


@compiled(inline=True)
def clear_queues(state, problem):
    """Empty the stack of fixed cells and all queues."""
    state[L.FIXED_COUNT] = 0
    for queue in range(L.QUEUES):
        while state[L.QUEUE_LENGTH + queue]:
            _pop_constraint(state, problem, queue)
