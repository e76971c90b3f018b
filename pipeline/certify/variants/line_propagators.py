"""The propagators of sum lines, and of sandwiches and lunchboxes.

Like the propagators in `propagation`, each is exact when every cell of its scope has one value.
`layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import highest_index, lowest_index, restrict, set_size
from pipeline.certify.variants.sum_propagators import may_hold
from pipeline.native import compiled

MAX_SEGMENT_TOTAL = 60
"""Maximum total of the segments of a sum line: a set of partial sums must fit into a number."""


# Arc consistency by dynamic programming, forwards and backwards (M. Trick, A dynamic programming
# approach for consistency and propagation for knapsack constraints, 2003), as for an automaton
# whose states are the partial sums of a segment. A set of partial sums is one number with bit s for
# the sum s, so a value is a shift, and a complete segment turns the bit of the total into bit 0.
# An AUTOMATON with these states eliminates the same values, and takes several times as long.
#
# A loop may begin within a segment, with any partial sum, and must end with the same one. For each
# partial sum, the loop is a line, and the values that some line supports are kept (constructive
# disjunction). A loop that is not all zeros completes a segment before it returns to its first
# partial sum. An ANY_OF of rotations, one for each cell with which a segment may begin, eliminates
# only some zeros more, and is ten times as slow.
@compiled()
def propagate_segment_sums(state, problem, first, length):
    """Enforce that the cells can be divided into consecutive segments that each sum to the total.

    The segments of a loop may begin anywhere. A loop has at least one segment.
    """
    data = first + length
    total, is_loop = problem[data], problem[data + 1]
    kept = problem[L.SCRATCH]
    for i in range(length):
        state[kept + i] = 0
    if is_loop:
        for partial in range(total):
            is_supported = _add_supports(state, problem, first, length, 1 << partial)
            if is_supported and _is_all_kept(state, problem, first, length):
                break
        if problem[data + 2] == 0 and not _exclude_all_zeros(state, problem, first, length):
            return False
    elif not _add_supports(state, problem, first, length, 1):
        return False
    for i in range(length):
        if not restrict(state, problem, problem[first + i], state[kept + i]):
            return False
    return True


@compiled()
def _add_supports(state, problem, first, length, border):
    """Add to SCRATCH the values of all lines that begin and end with the partial sum of `border`.

    `border` has one bit, that of the partial sum. Returns False if there is no such line.
    """
    data = first + length
    total, lowest = problem[data], problem[data + 2]
    kept, before = problem[L.SCRATCH], problem[L.SCRATCH] + length
    sums = border  # the partial sums that the cells can reach
    for i in range(length):
        state[before + i] = sums
        mask, reached = state[L.DOMAINS + problem[first + i]], 0
        while mask:
            reached |= sums << lowest + lowest_index(problem, mask)
            mask &= mask - 1
        sums = (reached | reached >> total & 1) & ((1 << total) - 1)
        if sums == 0:
            return False
    sums &= border
    if sums == 0:
        return False
    for i in range(length - 1, -1, -1):
        # backwards: `sums` are the partial sums after cell i that can reach the end
        mask, ends, usable = state[L.DOMAINS + problem[first + i]], sums | (sums & 1) << total, 0
        while mask:
            starts = state[before + i] & ends >> lowest + lowest_index(problem, mask)
            if starts:
                usable |= starts
                state[kept + i] |= mask & -mask
            mask &= mask - 1
        sums = usable
    return True


@compiled()
def _is_all_kept(state, problem, first, length):
    """Whether SCRATCH contains all candidates of the cells."""
    kept = problem[L.SCRATCH]
    for i in range(length):
        if state[L.DOMAINS + problem[first + i]] & ~state[kept + i]:
            return False
    return True


# A loop of zeros returns to its partial sum without a complete segment.
@compiled()
def _exclude_all_zeros(state, problem, first, length):
    """Enforce that the value of index 0 is not in all cells. Returns False if it must be."""
    positive, last = 0, first
    for i in range(first, first + length):
        if state[L.DOMAINS + problem[i]] != 1:
            positive, last = positive + 1, i
    return positive > 1 or (positive == 1 and restrict(state, problem, problem[last], ~1))


# Constructive disjunction: a case consists of the places of the smallest and of the largest value,
# and the set of values between them. Each solution belongs to a case, and no case eliminates a
# value that its solutions need. So the union of the cases loses no solution.
#
# An AUTOMATON that adds up the values treats the cells as if they could repeat a value: a puzzle of
# a few sandwiches took 40 times as many nodes. An ANY_OF of all places, each with its order and its
# sum, took 6 times as many nodes for lunchboxes, and 10 times as long.
@compiled()
def propagate_sum_between(state, problem, first, length):
    """Enforce that the values between the smallest and the largest one sum to the total.

    The values of the cells must differ: other constraints enforce that.
    """
    kept = problem[L.SCRATCH]
    for i in range(length):
        state[kept + i] = 0
    for low in range(length):
        for high in range(length):
            is_possible = low != high and _add_ends(state, problem, first, length, low, high)
            if is_possible and _is_all_kept(state, problem, first, length):
                return True
    for i in range(length):
        if not restrict(state, problem, problem[first + i], state[kept + i]):
            return False
    return True


# The cell `low` holds the smallest value, and the cell `high` the largest. So all other cells hold
# values above the least candidate of `low` and below the greatest candidate of `high`. The cells
# between the two hold the values of one set with the right sum; the cells outside hold none of
# these. If there are as many cells as values, all values occur, so the set contains each value that
# no outside cell can hold. Tried and dropped: to reject sets that leave two outside cells the same
# single value. This saves nothing, because it is found when the cells are fixed.
@compiled()
def _add_ends(state, problem, first, length, low, high):
    """Add to SCRATCH the values of the cells if the extreme values are in the cells low and high.

    `low` and `high` are positions in the scope. Returns False if the extremes cannot be there.
    """
    kept, data, count = problem[L.SCRATCH], first + length, problem[L.VALUE_COUNT]
    left, right = min(low, high), max(low, high)
    size = right - left - 1
    total = problem[data] - problem[data + 1] * size
    if total < 0 or total > problem[L.SETS_STRIDE] - 2:
        return False
    smallest = state[L.DOMAINS + problem[first + low]]
    largest = state[L.DOMAINS + problem[first + high]]
    is_whole = length == count
    if is_whole and not (smallest & 1 and largest >> count - 1):
        return False
    between = ((1 << highest_index(problem, largest)) - 1) & -2 * (smallest & -smallest)
    inside = outside = fixed_inside = fixed_outside = 0
    # the smallest value is less than `min_high`, and the largest one greater than `max_low`
    min_high, max_low = highest_index(problem, largest), lowest_index(problem, smallest)
    for i in range(length):
        if i in (low, high):
            continue
        mask = state[L.DOMAINS + problem[first + i]] & between
        if mask == 0:
            return False
        fixed = mask if mask & (mask - 1) == 0 else 0
        if fixed & (fixed_inside | fixed_outside):  # two cells of one value
            return False
        if left < i < right:
            inside, fixed_inside = inside | mask, fixed_inside | fixed
        else:
            outside, fixed_outside = outside | mask, fixed_outside | fixed
        min_high = min(min_high, highest_index(problem, mask))
        max_low = max(max_low, lowest_index(problem, mask))
    possible = inside & ~fixed_outside
    required = fixed_inside | (between & ~outside if is_whole else 0)
    if required & ~possible:
        return False
    row = problem[L.SETS_BY_SUM] + size * problem[L.SETS_STRIDE] + total
    union, common, max_least, min_greatest = 0, L.NONE, -1, count
    for i in range(problem[row], problem[row + 1]):
        values = problem[i]
        if (
            values & ~possible == 0
            and required & ~values == 0
            and set_size(problem, outside & ~values) >= length - size - 2
            and may_hold(state, problem, first + left + 1, size, values)
            and _may_hold_outside(state, problem, first, length, left, right, between & ~values)
        ):
            union |= values
            common &= values
            if size:
                max_least = max(max_least, lowest_index(problem, values))
                min_greatest = min(min_greatest, highest_index(problem, values))
    if common == L.NONE:
        return False
    if size:
        min_high, max_low = min(min_high, max_least), max(max_low, min_greatest)
    smallest, largest = smallest & ((1 << min_high) - 1), largest & -(2 << max_low)
    if smallest == 0 or largest == 0:
        return False
    state[kept + low] |= smallest
    state[kept + high] |= largest
    for i in range(length):
        if i not in (low, high):
            values = union if left < i < right else between & ~common
            state[kept + i] |= state[L.DOMAINS + problem[first + i]] & values
    return True


@compiled()
def _may_hold_outside(state, problem, first, length, left, right, values):
    """Whether each cell before position `left` or after `right` can hold one of the values."""
    for i in range(length):
        if (i < left or i > right) and state[L.DOMAINS + problem[first + i]] & values == 0:
            return False
    return True
