"""Propagators of sums and of sets of values.

As in `propagation`, each is exact once all cells of its scope have one value. `layout`
describes `state` and `problem`. Sums add the indices of values; `arrays` adapts the total.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import (
    assign,
    bit_count,
    eliminate_from_peers,
    highest_bit,
    lowest_bit,
    restrict,
)
from pipeline.native import compiled


# By Hall's theorem a set of values fits if any k of its values have k cells, and any k cells have k
# values. Only a few of these conditions are checked, none of which needs a matching. They suffice
# for up to four cells with as many values. For more cells, sets that do not fit may be accepted:
# then too little is eliminated, never too much.
@compiled()
def _fits(state, problem, first, length, values):
    """Whether the cells may hold exactly these values. The caller knows that each has a place.

    Checks that each cell can hold one of the values, that no two cells can hold only the same one,
    and that no cell is the only place of two values.
    """
    at_least_1 = at_least_2 = single = clash = 0
    for i in range(first, first + length):
        mask = state[L.CELLS + problem[i]] & values
        if mask == 0:
            return False
        if mask & (mask - 1) == 0:
            clash |= single & mask
            single |= mask
        at_least_2 |= at_least_1 & mask
        at_least_1 |= mask
    if bit_count(problem, values) < length:
        return True
    if clash:
        return False
    for i in range(first, first + length):
        mask = state[L.CELLS + problem[i]] & values & ~at_least_2
        if mask & (mask - 1):
            return False
    return True


# Cage combinations, as every killer solver lists them. The cells are restricted to the union of the
# sets that still fit. They must hold the intersection: this gives hidden singles inside, and locked
# candidates outside. Only sets that contain all fixed values, and all values that the rest of a
# unit around the cells cannot hold, are considered.
@compiled()
def one_of_sets(state, problem, first, length, begin, end, context):
    """The cells hold exactly one of the sets from `begin` to `end`; `context` is as in `layout`."""
    union = fixed = 0
    for i in range(first, first + length):
        mask = state[L.CELLS + problem[i]]
        union |= mask
        if mask & (mask - 1) == 0:
            fixed |= mask
    must = fixed
    for _ in range(problem[context]):
        context += 1
        rest = 0
        for i in range(context + 1, context + 1 + problem[context]):
            rest |= state[L.CELLS + problem[i]]
        must |= ((1 << problem[L.VALUE_COUNT]) - 1) & ~rest
        context += problem[context]
    possible, required = 0, L.NOTHING
    for i in range(begin, end):
        values = problem[i]
        is_between = values & ~union == 0 and must & ~values == 0
        if is_between and _fits(state, problem, first, length, values):
            possible |= values
            required &= values
    if possible == 0:
        return False
    at_least_1 = at_least_2 = 0
    for i in range(first, first + length):
        if not restrict(state, problem, problem[i], possible):
            return False
        mask = state[L.CELLS + problem[i]]
        at_least_2 |= at_least_1 & mask
        at_least_1 |= mask
    if required & ~at_least_1 or not assign(state, problem, first, length, required & ~at_least_2):
        return False
    return state[L.PROBING] != 0 or eliminate_from_peers(
        state, problem, first, length, required & at_least_2 & ~fixed
    )


# Both bounds relax the sum of different values. The cells in turn take their lowest (highest)
# value, or the next free one above (below) it, even if that is no candidate. An exact bound would
# need a matching of minimum weight.
@compiled()
def _min_sum(state, problem, first, length, skipped):
    """Lower bound of the sum of different cells, without one of them.

    If no value is free, a cell takes a bit above all values. If the machine word has no more bits,
    the bound is less tight, but still valid.
    """
    taken = total = 0
    for i in range(first, first + length):
        if i != skipped:
            mask = state[L.CELLS + problem[i]]
            free = ~taken & -(mask & -mask)
            taken |= free & -free
            total += lowest_bit(problem, free)
    return total


@compiled()
def _max_sum(state, problem, first, length, skipped):
    """Upper bound of the sum of different cells, without one of them.

    NOTHING if some cell has no free value: then the cells cannot all differ.
    """
    taken = total = 0
    for i in range(first, first + length):
        if i != skipped:
            mask = state[L.CELLS + problem[i]]
            free = ~taken & ((2 << highest_bit(problem, mask)) - 1)
            if free == 0:
                return L.NOTHING
            value = highest_bit(problem, free)
            taken |= 1 << value
            total += value
    return total


@compiled(inline=True)
def _bounds(state, problem, first, length):
    """Lower and upper bound of the sum of a group of different cells."""
    if length == 1:
        mask = state[L.CELLS + problem[first]]
        return lowest_bit(problem, mask), highest_bit(problem, mask)
    return (
        _min_sum(state, problem, first, length, L.NOTHING),
        _max_sum(state, problem, first, length, L.NOTHING),
    )


# Two or three open cells have few combinations. All are tried, so exactly the values that occur in
# some solution of the sum are left. If two cells are peers, they must also differ.
@compiled()
def _last_two(state, problem, a, weight_a, b, weight_b, total):
    """Restrict two cells to the values with this weighted sum."""
    kept_a = kept_b = 0
    mask, mask_b = state[L.CELLS + a], state[L.CELLS + b]
    peers = problem[problem[L.PEERS] + a * problem[L.SET_WORDS] + b // L.CELLS_IN_WORD]
    are_peers = peers >> b % L.CELLS_IN_WORD & 1
    while mask:
        bit_a = mask & -mask
        mask ^= bit_a
        rest = total - weight_a * lowest_bit(problem, bit_a)
        value = rest // weight_b
        if value * weight_b == rest and 0 <= value < problem[L.VALUE_COUNT]:
            bit_b = 1 << value
            if mask_b & bit_b and not (are_peers and bit_a == bit_b):
                kept_a |= bit_a
                kept_b |= bit_b
    return restrict(state, problem, a, kept_a) and restrict(state, problem, b, kept_b)


@compiled()
def _last_three(state, problem, a, weight_a, b, weight_b, c, weight_c, total):
    """Restrict three cells to the values with this weighted sum."""
    kept_a = kept_b = kept_c = 0
    mask, mask_c = state[L.CELLS + a], state[L.CELLS + c]
    while mask:
        bit_a = mask & -mask
        mask ^= bit_a
        mask_b = state[L.CELLS + b]
        while mask_b:
            bit_b = mask_b & -mask_b
            mask_b ^= bit_b
            rest = total - weight_a * lowest_bit(problem, bit_a)
            rest -= weight_b * lowest_bit(problem, bit_b)
            value = rest // weight_c
            is_value = value * weight_c == rest and 0 <= value < problem[L.VALUE_COUNT]
            if is_value and mask_c >> value & 1:
                kept_a |= bit_a
                kept_b |= bit_b
                kept_c |= 1 << value
    return (
        restrict(state, problem, a, kept_a)
        and restrict(state, problem, b, kept_b)
        and restrict(state, problem, c, kept_c)
    )


# Bounds consistency of a linear equation: the bounds of all other groups bound each group. The
# cells of a group differ, which makes its bounds much tighter than the sum of bounds of single
# cells. `arrays` chooses the groups.
@compiled()
def weighted_sum(state, problem, first, length):
    """The sum of weight × index over all groups is the total."""
    own = first + length
    total, groups = problem[own], problem[own + 1]
    low = high = open_cells = 0
    rest = total  # of the open cells: those with several candidates
    a = b = c = weight_a = weight_b = weight_c = 0
    start, group = first, own + 2
    for _ in range(groups):
        size, weight = problem[group], problem[group + 1]
        minimum, maximum = _bounds(state, problem, start, size)
        if minimum > maximum:
            return False
        low += weight * (minimum if weight > 0 else maximum)
        high += weight * (maximum if weight > 0 else minimum)
        for i in range(start, start + size):
            mask = state[L.CELLS + problem[i]]
            if mask & (mask - 1) == 0:
                rest -= weight * lowest_bit(problem, mask)
                continue
            if open_cells == 0:
                a, weight_a = problem[i], weight
            elif open_cells == 1:
                b, weight_b = problem[i], weight
            elif open_cells == 2:
                c, weight_c = problem[i], weight
            open_cells += 1
        start += size
        group += 3
    if total < low or total > high:
        return False
    if open_cells == 0:
        return rest == 0
    if open_cells == 1:
        value = rest // weight_a
        is_value = value * weight_a == rest and 0 <= value < problem[L.VALUE_COUNT]
        return is_value and restrict(state, problem, a, 1 << value)
    if open_cells == 2:
        return _last_two(state, problem, a, weight_a, b, weight_b, rest)
    if open_cells == 3 and not _last_three(
        state, problem, a, weight_a, b, weight_b, c, weight_c, rest
    ):
        return False
    below, above = total - high, total - low
    start, group = first, own + 2
    context = own + 2 + 3 * groups
    for _ in range(groups):
        size, weight, has_sets = problem[group], problem[group + 1], problem[group + 2]
        if not _bound_group(state, problem, start, size, weight, has_sets, below, above, context):
            return False
        start += size
        group += 3
        for _ in range(problem[context]):
            context += 1 + problem[context + 1]
        context += 1
    return True


# The bounds of the other cells bound each cell of the group. They are computed only for cells whose
# values span more than the slack of the group; others would lose no value.
@compiled()
def _bound_group(state, problem, first, length, weight, has_sets, below, above, context):
    """Restrict the cells of a group to the sums that the other groups leave it.

    Its weighted sum is at most its minimum plus `above`, and at least its maximum plus `below`,
    which is not positive.
    """
    minimum, maximum = _bounds(state, problem, first, length)
    if weight > 0:
        low, high = maximum + -(-below // weight), minimum + above // weight
    else:
        low, high = maximum + -(above // -weight), minimum + -below // -weight
    low, high = max(low, minimum), min(high, maximum)
    if low > high:
        return False
    if length == 1:
        return restrict(state, problem, problem[first], (2 << high) - (1 << low))
    if low > minimum or high < maximum:
        for i in range(first, first + length):
            mask = state[L.CELLS + problem[i]]
            if mask & (mask - 1):
                bottom, top = lowest_bit(problem, mask), highest_bit(problem, mask)
                span = top - bottom
                if span > high - minimum:
                    top = min(top, high - _min_sum(state, problem, first, length, i))
                if span > maximum - low:
                    bottom = max(bottom, low - _max_sum(state, problem, first, length, i))
                if top < bottom or not restrict(
                    state, problem, problem[i], (2 << top) - (1 << bottom)
                ):
                    return False
    elif low < high:
        return True
    if has_sets:
        row = problem[L.SETS_BY_SUM] + length * problem[L.SETS_STRIDE]
        begin, end = problem[row + low], problem[row + high + 1]
        return one_of_sets(state, problem, first, length, begin, end, context)
    return True
