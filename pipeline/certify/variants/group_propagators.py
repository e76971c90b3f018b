"""Propagators for constraints that count how often cells hold a value.

A cover divides the cells of a constraint into groups of cells that differ. A group holds a value
once at most, so a value that is in k cells is in k groups of each cover.

Like the propagators in `propagation`, they are exact when every cell of their scope has one value.
`layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import (
    eliminate_from_peers,
    lowest_index,
    restrict,
    set_size,
)
from pipeline.native import compiled

_NUMBERS_PER_STATE = 3
PEERS_SCRATCH = 2 * _NUMBERS_PER_STATE
"""Length of the working memory for each state of an automaton of peers: three numbers for the paths
from the start, and three for the paths to the end. They are the values on all paths, the values on
some path, and the number of the latter, or NONE until it is counted."""


# In a group that must hold the value, a single place is a hidden single, and several places are
# locked candidates: their common peers lose the value. If the last candidate was eliminated after
# the groups were counted, nothing is done, because that has scheduled the constraint again.
@compiled()
def _place_in_group(state, problem, first, length, bit):
    """Enforce that one of the cells of a group holds the value `bit`."""
    count, place = 0, L.NONE
    for i in range(first, first + length):
        if state[L.DOMAINS + problem[i]] & bit:
            count += 1
            place = problem[i]
    if count == 1:
        return restrict(state, problem, place, bit)
    if count > 1 and not state[L.IS_PROBING]:
        return eliminate_from_peers(state, problem, first, length, bit)
    return True


# A group holds the value once at most, so at least `minimum` groups must be able to hold it. If
# exactly `minimum` can, each of them does. These are the upper bounds of global cardinality (J.-C.
# Régin, 1996), with groups counted instead of cells, as in a cardinality matrix (J.-C. Régin, C.
# Gomes, 2004), which has a 0-1 entry for each group and value. Régin and Gomes compute a flow for
# all values together; here each value is counted alone, in several covers.
@compiled()
def _place_in_groups(state, problem, covers, bit, minimum):
    """Enforce that at least `minimum` groups of each cover hold the value `bit`."""
    cover = covers + 1
    for _ in range(problem[covers]):
        possible, group = 0, cover + 1
        for _ in range(problem[cover]):
            end = group + 1 + problem[group]
            for i in range(group + 1, end):
                if state[L.DOMAINS + problem[i]] & bit:
                    possible += 1
                    break
            group = end
        if possible < minimum:
            return False
        if possible == minimum:
            end, group = group, cover + 1
            while group < end:
                if not _place_in_group(state, problem, group + 1, problem[group], bit):
                    return False
                group += 1 + problem[group]
        cover = group
    return True


@compiled()
def _eliminate_unless_fixed(state, problem, first, length, bit):
    """Eliminate a value from the cells of a scope that are not fixed to it."""
    for i in range(first, first + length):
        mask = state[L.DOMAINS + problem[i]]
        if mask & bit and mask != bit and not restrict(state, problem, problem[i], ~bit):
            return False
    return True


@compiled()
def _propagate_count(state, problem, first, length, covers, bit, fixed, minimum, maximum):
    """Enforce that `minimum` to `maximum` cells hold the value `bit`; `fixed` cells do already."""
    if fixed > maximum:
        return False
    if fixed == maximum:
        return _eliminate_unless_fixed(state, problem, first, length, bit)
    if fixed >= minimum:
        return True
    if not _place_in_groups(state, problem, covers, bit, minimum):
        return False
    if fixed == 0 and not state[L.IS_PROBING]:
        return eliminate_from_peers(state, problem, first, length, bit)
    return True


@compiled()
def propagate_occurrences(state, problem, first, length):
    """Enforce that from `minimum` to `maximum` cells hold the value `bit`."""
    data, fixed = first + length, 0
    bit = problem[data]
    for i in range(first, data):
        fixed += state[L.DOMAINS + problem[i]] == bit
    minimum, maximum, covers = problem[data + 1], problem[data + 2], problem[data + 3]
    return _propagate_count(state, problem, first, length, covers, bit, fixed, minimum, maximum)


# A group holds a value once at most, so a value is in at most as many cells as groups can hold it.
# The tightest of these bounds is the minimum over all covers.
@compiled()
def _count_groups(state, problem, covers, groups, counts):
    """Write the maximum number of cells that can hold each value, at offset `groups` of `state`.

    `counts`: the offset of working memory, a number for each value.
    """
    values = problem[L.VALUE_COUNT]
    cover = covers + 1
    for number in range(problem[covers]):
        for value in range(values):
            state[counts + value] = 0
        group = cover + 1
        for _ in range(problem[cover]):
            union, end = 0, group + 1 + problem[group]
            for i in range(group + 1, end):
                union |= state[L.DOMAINS + problem[i]]
            while union:
                state[counts + lowest_index(problem, union)] += 1
                union &= union - 1
            group = end
        for value in range(values):
            if number == 0 or state[counts + value] < state[groups + value]:
                state[groups + value] = state[counts + value]
        cover = group


# The cells hold the values of one of the listed sets, whose sum is the number of cells. A value v
# is impossible if it is 0, if fewer than v groups can hold it, or if more than v cells are fixed to
# it. A set is possible if it contains all fixed values and no impossible value. Values in no
# possible set are eliminated; a value v in all possible sets is in exactly v cells.
@compiled()
def propagate_counts_itself(state, problem, first, length):
    """Enforce that each value v that the cells hold is in exactly v of them."""
    data, values = first + length, problem[L.VALUE_COUNT]
    lowest, begin, end, covers = (
        problem[data],
        problem[data + 1],
        problem[data + 2],
        problem[data + 3],
    )
    fixed = problem[L.SCRATCH]
    groups = fixed + values
    for value in range(values):
        state[fixed + value] = 0
    held = impossible = 0
    for i in range(first, data):
        mask = state[L.DOMAINS + problem[i]]
        if mask & (mask - 1) == 0:
            held |= mask
            state[fixed + lowest_index(problem, mask)] += 1
    _count_groups(state, problem, covers, groups, groups + values)
    for value in range(values):
        count = lowest + value
        if count == 0 or state[groups + value] < count or state[fixed + value] > count:
            impossible |= 1 << value
    if held & impossible:
        return False
    possible, required = ((1 << values) - 1) & ~impossible, held
    if begin != L.NONE:
        possible, required = 0, L.NONE
        for index in range(begin, end):
            if problem[index] & impossible == 0 and held & ~problem[index] == 0:
                possible |= problem[index]
                required &= problem[index]
        if possible == 0:
            return False
    for i in range(first, data):
        if not restrict(state, problem, problem[i], possible):
            return False
    while required:
        value = lowest_index(problem, required)
        required &= required - 1
        count = lowest + value
        if not _propagate_count(
            state, problem, first, length, covers, 1 << value, state[fixed + value], count, count
        ):
            return False
    return True


# The regular constraint (see `propagation`), on a graph that is also filtered by "all different"
# (H. Andersen, T. Hadzic, J. Hooker, P. Tiedemann, A constraint store based on multivalued decision
# diagrams, 2007). For each state, the values on all paths and the values on some path are computed,
# for the paths from the start and for the paths to the end. An edge is ignored in four cases,
# because no path of different values uses it:
#
# - Its value is on all paths on one side of it.
# - Its value is on some path on one side, and these paths have only as many values as cells. So
#   each of them that repeats no value has all of these values.
# - A value is on all paths on both sides.
# - The paths through the edge have fewer values in all than there are cells.
#
# All paths of different values remain, so no solution is lost. Without the last case, one puzzle
# took 70 nodes instead of 18.
@compiled()
def propagate_automaton_of_peers(state, problem, first, length, automaton):
    """Enforce that an automaton accepts the values of the cells in order. The cells are peers."""
    down = problem[L.SCRATCH]
    up = down + _NUMBERS_PER_STATE * problem[automaton]
    last = up - _NUMBERS_PER_STATE
    for node in range(down, up + up - down, _NUMBERS_PER_STATE):
        state[node] = state[node + 2] = L.NONE
        state[node + 1] = 0
    state[down] = state[last + up - down] = 0
    for index in range(length):
        mask, edges = state[L.DOMAINS + problem[first + index]], automaton + 1 + index
        for edge in range(automaton + problem[edges], automaton + problem[edges + 1], 3):
            values, node = problem[edge + 2] & mask, down + _NUMBERS_PER_STATE * problem[edge]
            if values and state[node] != L.NONE:
                values &= ~_used_values(state, problem, node, index)
                after = down + _NUMBERS_PER_STATE * problem[edge + 1]
                if values:
                    _add_path(state, node, values, after)
    if state[last] == L.NONE:
        return False
    for index in range(length - 1, -1, -1):
        mask, edges = state[L.DOMAINS + problem[first + index]], automaton + 1 + index
        kept = 0
        for edge in range(automaton + problem[edges], automaton + problem[edges + 1], 3):
            values, node = problem[edge + 2] & mask, down + _NUMBERS_PER_STATE * problem[edge]
            after = up + _NUMBERS_PER_STATE * problem[edge + 1]
            if not values or state[after] == L.NONE or state[node] == L.NONE:
                continue
            values &= ~_used_values(state, problem, node, index)
            values &= ~_used_values(state, problem, after, length - 1 - index)
            some = state[node + 1] | values | state[after + 1]
            if values and not state[node] & state[after] and set_size(problem, some) >= length:
                kept |= values
                _add_path(state, after, values, node + up - down)
        if not restrict(state, problem, problem[first + index], kept):
            return False
    return True


@compiled(inline=True)
def _used_values(state, problem, node, cells):
    """Return the values that every path of `cells` different values to a node has.

    They cannot follow the node. Returns all bits if there is no such path.
    """
    if state[node + 2] == L.NONE:
        state[node + 2] = set_size(problem, state[node + 1])
    if state[node + 2] < cells:
        return L.NONE
    return state[node + 1] if state[node + 2] == cells else state[node]


@compiled(inline=True)
def _add_path(state, node, values, after):
    """Add the paths to a node, followed by one of the values, to the paths to the next node."""
    on_all = state[node]
    if values & (values - 1) == 0:
        on_all |= values
    state[after] &= on_all
    state[after + 1] |= state[node + 1] | values
