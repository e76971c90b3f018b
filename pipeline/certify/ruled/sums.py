"""Sums and sets of values strike values from cells.

Each function is right about cells with one value: it then returns whether its constraint holds.
`layout` says what `w` and `d` are.
"""

from __future__ import annotations

from pipeline.certify.ruled import layout as L
from pipeline.certify.ruled.cells import highest, keep, lowest, number, place, strike_outside
from pipeline.native import compiled


@compiled()
def _fits(w, d, first, length, values):
    """Whether the cells may hold all these values and no others. Each value has a cell for it.

    It is exact for up to four cells and as many values: each cell may hold one of these, no two
    only the same one, and no cell is the only place of two. Otherwise it may be wrongly true.
    """
    once = twice = alone = clash = 0
    for at in range(first, first + length):
        mask = w[L.CELLS + d[at]] & values
        if mask == 0:
            return False
        if mask & (mask - 1) == 0:
            clash |= alone & mask
            alone |= mask
        twice |= once & mask
        once |= mask
    if number(d, values) < length:
        return True
    if clash:
        return False
    for at in range(first, first + length):
        mask = w[L.CELLS + d[at]] & values & ~twice
        if mask & (mask - 1):
            return False
    return True


@compiled()
def one_of_sets(w, d, first, length, begin, end, beside):
    """The values held by the cells are one of the sets that stand from `begin` to `end`.

    beside: where the rest of each unit is that they are in, which needs the values not in a set.
    """
    union = fixed = 0
    for at in range(first, first + length):
        mask = w[L.CELLS + d[at]]
        union |= mask
        if mask & (mask - 1) == 0:
            fixed |= mask
    must = fixed
    for _ in range(d[beside]):
        beside += 1
        others = 0
        for at in range(beside + 1, beside + 1 + d[beside]):
            others |= w[L.CELLS + d[at]]
        must |= ((1 << d[L.VALUES]) - 1) & ~others
        beside += d[beside]
    possible, required = 0, L.NOTHING
    for at in range(begin, end):
        values = d[at]
        is_between = values & ~union == 0 and must & ~values == 0
        if is_between and _fits(w, d, first, length, values):
            possible |= values
            required &= values
    if possible == 0:
        return False
    once = twice = 0
    for at in range(first, first + length):
        if not keep(w, d, d[at], possible):
            return False
        mask = w[L.CELLS + d[at]]
        twice |= once & mask
        once |= mask
    if required & ~once or not place(w, d, first, length, required & ~twice):
        return False
    return w[L.QUIET] != 0 or strike_outside(w, d, first, length, required & twice & ~fixed)


@compiled()
def _least_sum(w, d, first, length, skipped):
    """A sum that different values for these cells, except one, cannot go below.

    Each cell in turn takes the lowest value from its own on that is not taken. If the values run
    out, it takes bits beyond them; if the bits of a word do, the sum is too low, never too high.
    """
    taken = least = 0
    for at in range(first, first + length):
        if at != skipped:
            mask = w[L.CELLS + d[at]]
            free = ~taken & -(mask & -mask)
            taken |= free & -free
            least += lowest(d, free)
    return least


@compiled()
def _greatest_sum(w, d, first, length, skipped):
    """A sum that different values for these cells, except one, cannot exceed.

    Negative where the values run out, which cannot be with a solution.
    """
    taken = greatest = 0
    for at in range(first, first + length):
        if at != skipped:
            free = ~taken & ((2 << highest(d, w[L.CELLS + d[at]])) - 1)
            if free == 0:
                return L.NOTHING
            top = highest(d, free)
            taken |= 1 << top
            greatest += top
    return greatest


@compiled(inline=True)
def _bounds(w, d, first, length):
    """The least and the greatest sum of a group of different cells."""
    if length == 1:
        mask = w[L.CELLS + d[first]]
        return lowest(d, mask), highest(d, mask)
    return (
        _least_sum(w, d, first, length, L.NOTHING),
        _greatest_sum(w, d, first, length, L.NOTHING),
    )


@compiled()
def _last_two(w, d, a, by_a, b, by_b, total):
    """Leave two cells the values whose weighted sum is the total."""
    left_a = left_b = 0
    mask, there = w[L.CELLS + a], w[L.CELLS + b]
    apart = d[d[L.APART] + a * d[L.WORDS] + b // L.CELLS_IN_WORD] >> b % L.CELLS_IN_WORD & 1
    while mask:
        bit = mask & -mask
        mask ^= bit
        rest = total - by_a * lowest(d, bit)
        value = rest // by_b
        if value * by_b == rest and 0 <= value < d[L.VALUES]:
            other = 1 << value
            if there & other and not (apart and bit == other):
                left_a |= bit
                left_b |= other
    return keep(w, d, a, left_a) and keep(w, d, b, left_b)


@compiled()
def _last_three(w, d, a, by_a, b, by_b, c, by_c, total):
    """Leave three cells the values whose weighted sum is the total."""
    left_a = left_b = left_c = 0
    mask, there = w[L.CELLS + a], w[L.CELLS + c]
    while mask:
        bit = mask & -mask
        mask ^= bit
        beside = w[L.CELLS + b]
        while beside:
            other = beside & -beside
            beside ^= other
            rest = total - by_a * lowest(d, bit) - by_b * lowest(d, other)
            value = rest // by_c
            if value * by_c == rest and 0 <= value < d[L.VALUES] and there >> value & 1:
                left_a |= bit
                left_b |= other
                left_c |= 1 << value
    return keep(w, d, a, left_a) and keep(w, d, b, left_b) and keep(w, d, c, left_c)


@compiled()
def weighted_sum(w, d, first, length):
    numbers = first + length
    total, groups = d[numbers], d[numbers + 1]
    low = high = count = 0
    rest = total  # without the cells that have one value
    a = b = c = by_a = by_b = by_c = 0
    at, group = first, numbers + 2
    for _ in range(groups):
        size, weight = d[group], d[group + 1]
        least, greatest = _bounds(w, d, at, size)
        if least > greatest:
            return False
        low += weight * (least if weight > 0 else greatest)
        high += weight * (greatest if weight > 0 else least)
        for each in range(at, at + size):
            mask = w[L.CELLS + d[each]]
            if mask & (mask - 1) == 0:
                rest -= weight * lowest(d, mask)
                continue
            if count == 0:
                a, by_a = d[each], weight
            elif count == 1:
                b, by_b = d[each], weight
            elif count == 2:
                c, by_c = d[each], weight
            count += 1
        at += size
        group += 3
    if total < low or total > high:
        return False
    if count == 0:
        return rest == 0
    if count == 1:
        value = rest // by_a
        is_whole = value * by_a == rest and 0 <= value < d[L.VALUES]
        return is_whole and keep(w, d, a, 1 << value)
    if count == 2:
        return _last_two(w, d, a, by_a, b, by_b, rest)
    if count == 3 and not _last_three(w, d, a, by_a, b, by_b, c, by_c, rest):
        return False
    at, group = first, numbers + 2
    beside = numbers + 2 + 3 * groups
    for _ in range(groups):
        size, weight = d[group], d[group + 1]
        if not _within(w, d, at, size, weight, d[group + 2], total - high, total - low, beside):
            return False
        at += size
        group += 3
        for _ in range(d[beside]):
            beside += 1 + d[beside + 1]
        beside += 1
    return True


@compiled()
def _within(w, d, first, length, weight, has_sets, least_more, most_more, beside):
    """Leave the cells of a group what its sum can be.

    Its weighted sum exceeds its lowest one by `most_more` at most, and its highest one by
    `least_more`, which is negative, at least.
    """
    least, greatest = _bounds(w, d, first, length)
    if weight > 0:
        low, high = greatest + -(-least_more // weight), least + most_more // weight
    else:
        low, high = greatest + -(most_more // -weight), least + -least_more // -weight
    low, high = max(low, least), min(high, greatest)
    if low > high:
        return False
    if length == 1:
        return keep(w, d, d[first], (2 << high) - (1 << low))
    if low > least or high < greatest:
        for at in range(first, first + length):
            mask = w[L.CELLS + d[at]]
            if mask & (mask - 1):
                bottom, top = lowest(d, mask), highest(d, mask)
                span = top - bottom
                if span > high - least:
                    top = min(top, high - _least_sum(w, d, first, length, at))
                if span > greatest - low:
                    bottom = max(bottom, low - _greatest_sum(w, d, first, length, at))
                if top < bottom or not keep(w, d, d[at], (2 << top) - (1 << bottom)):
                    return False
    elif low < high:
        return True
    if has_sets:
        row = d[L.SETS] + length * d[L.WIDTH]
        return one_of_sets(w, d, first, length, d[row + low], d[row + high + 1], beside)
    return True
