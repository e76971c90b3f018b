"""Propagators of cells that are equal, and of the number of different values in some cells.

Like the propagators in `propagation`, each is exact when all cells of its scope have one value.
`layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import highest_index, lowest_index, restrict, set_size
from pipeline.native import compiled


# The disjunction of n equalities, arc-consistent: for the first cell, the union of the other cells;
# for the other cells, only the last that can be equal is restricted, because otherwise each has the
# choice to differ. As ANY_OF of n pairs it took 10 to 35 % more time, with the same eliminations.
@compiled()
def propagate_equal_to_any(state, problem, first, length):
    """Enforce that the first cell equals at least one of the others."""
    mask = state[L.DOMAINS + problem[first]]
    union, candidates, last = 0, 0, first
    for i in range(first + 1, first + length):
        shared = state[L.DOMAINS + problem[i]] & mask
        if shared:
            union |= shared
            candidates += 1
            last = i
    if candidates == 1 and not restrict(state, problem, problem[last], mask):
        return False
    return restrict(state, problem, problem[first], union)


# Bounds of the number of values (N. Beldiceanu, Pruning for the minimum constraint family and for
# the number of distinct values constraint family, 2001; C. Bessiere et al., Filtering algorithms
# for the NValue constraint, 2006). Cells whose candidates are disjoint hold different values; here
# they are chosen greedily, fixed cells first, then the others in order. The number of values is at
# most the number of fixed values plus the number of other cells, and of values in the union.
#
# If there can be only as many values as disjoint cells, each value is a candidate of one of these.
# If there must be as many new values as cells that are not fixed, none takes a fixed value. If each
# value of the union must be there, one with a single place is assigned.
#
# An automaton over sets of values is exact, but it has 224,000 edges for some lines of 9 values;
# marking them takes 20 times as long as this.
@compiled()
def propagate_count_of_values(state, problem, first, length, lowest):
    """Enforce that the first cell is the number of different values in the others.

    `lowest` is the lowest value of the puzzle.
    """
    fixed = union = once = twice = 0
    free = 0
    for i in range(first + 1, first + length):
        mask = state[L.DOMAINS + problem[i]]
        union |= mask
        twice |= once & mask
        once |= mask
        if mask & (mask - 1):
            free += 1
        else:
            fixed |= mask
    disjoint = fixed
    fixed_values = set_size(problem, fixed)
    low = fixed_values
    for i in range(first + 1, first + length):
        mask = state[L.DOMAINS + problem[i]]
        if mask & disjoint == 0:
            disjoint |= mask
            low += 1
    high = min(fixed_values + free, set_size(problem, union))
    counter = 0
    for count in range(max(low, lowest), min(high, lowest + problem[L.VALUE_COUNT] - 1) + 1):
        counter |= 1 << (count - lowest)
    if not restrict(state, problem, problem[first], counter):
        return False
    counter = state[L.DOMAINS + problem[first]]
    minimum = lowest + lowest_index(problem, counter)
    maximum = lowest + highest_index(problem, counter)
    for i in range(first + 1, first + length):
        mask = state[L.DOMAINS + problem[i]]
        if mask & (mask - 1) == 0:
            continue
        kept = mask
        if maximum == low:
            kept &= disjoint
        if minimum == fixed_values + free:
            kept &= ~fixed
        if minimum == set_size(problem, union):
            single = mask & once & ~twice
            if single & (single - 1):
                return False
            if single:
                kept &= single
        if not restrict(state, problem, problem[i], kept):
            return False
    return True
