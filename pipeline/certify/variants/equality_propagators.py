"""Propagators of cells that are equal, and of counts of equal cells or of different values.

Like the propagators in `propagation`, each is exact when all cells of its scope have one value.
`layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import highest_index, lowest_index, restrict, set_size
from pipeline.native import compiled


# The disjunction of n equalities, arc-consistent. The first cell is restricted to the union of the
# others. Another cell is restricted only if no other one can be equal; else it may differ. An
# ANY_OF of n pairs eliminates the same values, in 10 to 35 % more time.
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
# most the number of fixed values plus the number of other cells, and at most the number of values
# in the union of all candidates.
#
# If the counter allows only as many values as disjoint cells, these cells hold all values, so each
# value is a candidate of one of them. If each cell that is not fixed must add a new value, none
# holds a fixed value. If each value of the union must occur, a value with a single place is there.
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


@compiled(inline=True)
def _bits_between(problem, mask, low, high):
    """Return the bits `low` to `high` of a mask of values. These bounds may be out of range."""
    low, high = max(low, 0), min(high, problem[L.VALUE_COUNT] - 1)
    return mask & ((2 << high) - (1 << low)) if low <= high else 0


# A cell that is fixed to the value counts, and a cell that has the value as a candidate may count.
# In an unbroken arm, only the leading run of such cells counts.
@compiled()
def _arm_bounds(state, problem, first, length, bit, is_unbroken):
    """Return the minimum and the maximum number of cells of an arm that hold the value `bit`."""
    low = high = 0
    for i in range(first, first + length):
        mask = state[L.DOMAINS + problem[i]]
        if is_unbroken:
            if mask == bit and low == i - first:
                low += 1
            if not mask & bit:
                break
            high += 1
        else:
            low += mask == bit
            high += mask & bit != 0
    return low, high


# Constructive disjunction over the values of the start: each value is tried separately, and all
# cells are restricted to the union of the results. For one value, the arms give a minimum and a
# maximum of the count. An undecided cell may hold the value if the count can exceed its minimum,
# and another value if the count can be less than its maximum.
@compiled()
def propagate_count_of_equal(state, problem, first, length):
    """Enforce that the counter is the number of cells of the arms that equal the start, plus 1."""
    data = first + length
    offset, is_unbroken, arms = problem[data], problem[data + 1], problem[data + 2]
    counter, start, kept = problem[first], problem[first + 1], problem[L.SCRATCH]
    for i in range(length):
        state[kept + i] = 0
    counter_mask, start_mask = state[L.DOMAINS + counter], state[L.DOMAINS + start]
    while start_mask:
        bit = start_mask & -start_mask
        start_mask ^= bit
        low = high = 1 - offset
        arm_start = first + 2
        for arm in range(data + 3, data + 3 + arms):
            arm_low, arm_high = _arm_bounds(
                state, problem, arm_start, problem[arm], bit, is_unbroken
            )
            low += arm_low
            high += arm_high
            arm_start += problem[arm]
        counts = _bits_between(problem, counter_mask, low, high)
        if counts == 0:
            continue
        state[kept] |= counts
        state[kept + 1] |= bit
        can_exceed, can_be_less = (
            _bits_between(problem, counts, low + 1, high),
            _bits_between(problem, counts, low, high - 1),
        )
        arm_start = first + 2
        for arm in range(data + 3, data + 3 + arms):
            if is_unbroken:
                _add_unbroken_arm(
                    state, problem, first, arm_start, problem[arm], bit, counts, low, high
                )
            else:
                for i in range(arm_start, arm_start + problem[arm]):
                    mask = state[L.DOMAINS + problem[i]]
                    if mask == bit or not mask & bit:
                        state[kept + i - first] |= mask
                    else:
                        state[kept + i - first] |= bit if can_exceed else 0
                        state[kept + i - first] |= mask & ~bit if can_be_less else 0
            arm_start += problem[arm]
    for i in range(length):
        if not restrict(state, problem, problem[first + i], state[kept + i]):
            return False
    return True


# Only the leading run of cells with the value counts. Each length of the run that the counter
# allows is one case: the cells of the run hold the value, the next cell does not, and later cells
# may hold any candidate.
@compiled()
def _add_unbroken_arm(state, problem, first, arm_start, length, bit, counts, low, high):
    """Add to SCRATCH the values that the cells of an unbroken arm can hold."""
    kept = problem[L.SCRATCH] + arm_start - first
    arm_low, arm_high = _arm_bounds(state, problem, arm_start, length, bit, True)
    farthest, is_passed = -1, False
    for index in range(arm_high, arm_low - 1, -1):
        mask = state[L.DOMAINS + problem[arm_start + index]] if index < length else 0
        if mask != bit and _bits_between(
            problem, counts, low - arm_low + index, high - arm_high + index
        ):
            farthest = max(farthest, index)
    for index in range(length):
        mask = state[L.DOMAINS + problem[arm_start + index]]
        can_end = (
            arm_low <= index <= arm_high
            and mask != bit
            and _bits_between(problem, counts, low - arm_low + index, high - arm_high + index) != 0
        )
        if is_passed:
            state[kept + index] |= mask
        if can_end:
            state[kept + index] |= mask & ~bit
            is_passed = True
        if index < farthest:
            state[kept + index] |= mask & bit
