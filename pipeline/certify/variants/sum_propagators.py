"""Propagators of sums and of sets of values.

Like the propagators in `propagation`, each is exact when all cells of its scope have one value.
`layout` describes `state` and `problem`. A sum adds up indices of values instead of values:
`constraint_numbers` adapts its total.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import (
    assign,
    eliminate_from_peers,
    highest_index,
    lowest_index,
    restrict,
    set_size,
)
from pipeline.native import compiled


# By Hall's theorem (1935), the cells can hold the values if any k of the values have at least k
# cells, and any k cells have at least k values. Only conditions that need no matching are checked.
# They suffice for up to four cells with as many values. For more cells, an impossible set of values
# may be accepted. Accepting it is sound: fewer values are eliminated.
@compiled()
def may_hold(state, problem, first, length, values):
    """Whether the cells may hold exactly these values. The caller ensures that each has a place.

    Checks that each cell can hold one of the values, that no two cells have the same single value,
    and that no cell is the only place of two values.
    """
    at_least_1 = at_least_2 = single = conflict = 0
    for i in range(first, first + length):
        mask = state[L.DOMAINS + problem[i]] & values
        if mask == 0:
            return False
        if mask & (mask - 1) == 0:
            conflict |= single & mask
            single |= mask
        at_least_2 |= at_least_1 & mask
        at_least_1 |= mask
    if set_size(problem, values) < length:
        return True
    if conflict:
        return False
    for i in range(first, first + length):
        mask = state[L.DOMAINS + problem[i]] & values & ~at_least_2
        if mask & (mask - 1):
            return False
    return True


# Cage combinations, as in every solver of killer Sudoku. A set is possible if it contains the
# values of the fixed cells, if the cells can hold it (`may_hold`), and if it contains all values
# that no other cell of a surrounding unit can hold. The cells are restricted to the union
# of the possible sets. They must hold the values that all possible sets contain. This gives hidden
# singles in the scope, and locked candidates for common peers.
@compiled()
def propagate_one_of_sets(state, problem, first, length, begin, end, context):
    """Enforce that the cells hold exactly the values of one of the sets from `begin` to `end`.

    `begin` and `end` are offsets in `problem`. `context` is the offset of the context of the cells
    (see `layout`).
    """
    union = fixed = 0
    for i in range(first, first + length):
        mask = state[L.DOMAINS + problem[i]]
        union |= mask
        if mask & (mask - 1) == 0:
            fixed |= mask
    must = fixed
    for _ in range(problem[context]):
        context += 1
        rest = 0
        for i in range(context + 1, context + 1 + problem[context]):
            rest |= state[L.DOMAINS + problem[i]]
        must |= ((1 << problem[L.VALUE_COUNT]) - 1) & ~rest
        context += problem[context]
    possible, required = 0, L.NONE
    for i in range(begin, end):
        values = problem[i]
        fits_bounds = values & ~union == 0 and must & ~values == 0
        if fits_bounds and may_hold(state, problem, first, length, values):
            possible |= values
            required &= values
    if possible == 0:
        return False
    at_least_1 = at_least_2 = 0
    for i in range(first, first + length):
        if not restrict(state, problem, problem[i], possible):
            return False
        mask = state[L.DOMAINS + problem[i]]
        at_least_2 |= at_least_1 & mask
        at_least_1 |= mask
    if required & ~at_least_1 or not assign(state, problem, first, length, required & ~at_least_2):
        return False
    return state[L.IS_PROBING] != 0 or eliminate_from_peers(
        state, problem, first, length, required & at_least_2 & ~fixed
    )


# Both functions bound the sum of cells that must differ. For the lower bound, each cell in turn
# takes its lowest candidate or the next higher value that no earlier cell took, even if this value
# is not a candidate; for the upper bound, the reverse. An exact bound would need a matching of
# minimum weight.
@compiled()
def _min_sum(state, problem, first, length, skipped):
    """Return a lower bound of the sum of cells that must differ, without the cell at `skipped`.

    If no value is available, a cell takes a bit above all values. If the machine word has no more
    bits, the bound is less tight, but still valid.
    """
    taken = total = 0
    for i in range(first, first + length):
        if i != skipped:
            mask = state[L.DOMAINS + problem[i]]
            available = ~taken & -(mask & -mask)
            taken |= available & -available
            total += lowest_index(problem, available)
    return total


@compiled()
def _max_sum(state, problem, first, length, skipped):
    """Return an upper bound of the sum of cells that must differ, without the cell at `skipped`.

    Returns NONE if no value is available for some cell: the cells then cannot all differ.
    """
    taken = total = 0
    for i in range(first, first + length):
        if i != skipped:
            mask = state[L.DOMAINS + problem[i]]
            available = ~taken & ((2 << highest_index(problem, mask)) - 1)
            if available == 0:
                return L.NONE
            value = highest_index(problem, available)
            taken |= 1 << value
            total += value
    return total


@compiled(inline=True)
def _sum_bounds(state, problem, first, length):
    """Return a lower and an upper bound of the sum of a group of cells, which must differ."""
    if length == 1:
        mask = state[L.DOMAINS + problem[first]]
        return lowest_index(problem, mask), highest_index(problem, mask)
    return (
        _min_sum(state, problem, first, length, L.NONE),
        _max_sum(state, problem, first, length, L.NONE),
    )


# Two or three open cells have few combinations of values, so all combinations are tried. The values
# that occur in a combination with the right sum remain. Two open cells that are peers must also
# differ.
@compiled()
def _restrict_last_two(state, problem, a, weight_a, b, weight_b, total):
    """Restrict two cells to the values with which their weighted sum can be `total`."""
    kept_a = kept_b = 0
    mask, mask_b = state[L.DOMAINS + a], state[L.DOMAINS + b]
    peers = problem[problem[L.PEERS] + a * problem[L.WORDS_PER_SET] + b // L.CELLS_PER_WORD]
    are_peers = peers >> b % L.CELLS_PER_WORD & 1
    while mask:
        bit_a = mask & -mask
        mask ^= bit_a
        rest = total - weight_a * lowest_index(problem, bit_a)
        value = rest // weight_b
        if value * weight_b == rest and 0 <= value < problem[L.VALUE_COUNT]:
            bit_b = 1 << value
            if mask_b & bit_b and not (are_peers and bit_a == bit_b):
                kept_a |= bit_a
                kept_b |= bit_b
    return restrict(state, problem, a, kept_a) and restrict(state, problem, b, kept_b)


# This works like `_restrict_last_two`, except that peers may be equal.
@compiled()
def _restrict_last_three(state, problem, a, weight_a, b, weight_b, c, weight_c, total):
    """Restrict three cells to the values with which their weighted sum can be `total`."""
    kept_a = kept_b = kept_c = 0
    mask, mask_c = state[L.DOMAINS + a], state[L.DOMAINS + c]
    while mask:
        bit_a = mask & -mask
        mask ^= bit_a
        mask_b = state[L.DOMAINS + b]
        while mask_b:
            bit_b = mask_b & -mask_b
            mask_b ^= bit_b
            rest = total - weight_a * lowest_index(problem, bit_a)
            rest -= weight_b * lowest_index(problem, bit_b)
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


# Bounds consistency of a linear equation: each group is bounded by the total and the bounds of all
# other groups. The cells of a group must differ, so the bounds of a group are much tighter than the
# sum of the bounds of its cells. `constraint_numbers` chooses the groups.
@compiled()
def propagate_total(state, problem, first, length):
    """Enforce that the sum of weight × index over all cells of all groups is the total."""
    data = first + length
    total, groups = problem[data], problem[data + 1]
    low = high = open_cells = 0
    rest = total  # the total of the open cells, which have several candidates
    a = b = c = weight_a = weight_b = weight_c = 0
    start, group = first, data + 2
    for _ in range(groups):
        size, weight = problem[group], problem[group + 1]
        minimum, maximum = _sum_bounds(state, problem, start, size)
        if minimum > maximum:
            return False
        low += weight * (minimum if weight > 0 else maximum)
        high += weight * (maximum if weight > 0 else minimum)
        for i in range(start, start + size):
            mask = state[L.DOMAINS + problem[i]]
            if mask & (mask - 1) == 0:
                rest -= weight * lowest_index(problem, mask)
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
        return _restrict_last_two(state, problem, a, weight_a, b, weight_b, rest)
    if open_cells == 3 and not _restrict_last_three(
        state, problem, a, weight_a, b, weight_b, c, weight_c, rest
    ):
        return False
    below, above = total - high, total - low
    start, group = first, data + 2
    context = data + 2 + 3 * groups
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


# Within a group, each cell is bounded by the bounds of the other cells. These bounds are computed
# only for a cell whose candidates span more than the slack of the group. No other cell can lose a
# value.
@compiled()
def _bound_group(state, problem, first, length, weight, has_sets, below, above, context):
    """Restrict the cells of a group to the values that the bounds of the total allow.

    The weighted sum of the group is at most its minimum plus `above`, and at least its maximum plus
    `below`, which is at most 0.
    """
    minimum, maximum = _sum_bounds(state, problem, first, length)
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
            mask = state[L.DOMAINS + problem[i]]
            if mask & (mask - 1):
                bottom, top = lowest_index(problem, mask), highest_index(problem, mask)
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
        return propagate_one_of_sets(state, problem, first, length, begin, end, context)
    return True
