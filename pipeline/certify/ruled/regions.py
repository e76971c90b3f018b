"""Regions that are to be found, what is counted in them, and ranks of lines strike values.

Each function is right about cells with one value: it then returns whether its constraint holds.
`layout` says what `w` and `d` are.
"""

from __future__ import annotations

from pipeline.certify.ruled.cells import highest, keep, lowest
from pipeline.certify.ruled.layout import CELLS, MARKS, VALUES
from pipeline.native import compiled

MARKS_OF_CONNECTED = 9
"""Numbers that `connected` notes of each cell."""


@compiled()
def connected(w, d, first, length):
    """The cells that hold values in a mask are one region, of a size if that is not 0.

    From a cell that is inside, it may grow only as far as its size allows (see `_grown`).
    """
    numbers = first + length
    inside, size = d[numbers], d[numbers + 1]
    can = must = 0
    root = -1
    for index in range(length):
        mask = w[CELLS + d[first + index]]
        if mask & inside:
            can += 1
            if mask & ~inside == 0:
                must += 1
                root = index
    if can == 0 or can < size or (size and must > size):
        return False
    if root < 0 and can > max(size, 1):
        return size < 2 or _large_enough(w, d, first, length, size)
    if root < 0 or can == size:
        for at in range(first, numbers):
            if w[CELLS + d[at]] & inside and not keep(w, d, d[at], inside):
                return False
        for index in range(length):
            if w[CELLS + d[first + index]] & inside:
                root = index
        must = can
    reached = _grown(w, d, first, length, root, must, size - must if size else length)
    if reached < 0 or reached < size:
        return False
    seen = d[MARKS]
    for index in range(length):
        cell = d[first + index]
        mask = w[CELLS + cell]
        if mask & inside and not w[seen + index] and not keep(w, d, cell, ~inside):
            return False
        if reached == size and w[seen + index] and not keep(w, d, cell, inside):
            return False
    return reached in (size, must) or _keep_bridges(w, d, first, length, root, reached)


@compiled()
def _large_enough(w, d, first, length, size):
    """Strike the values from cells that hang together in fewer than `size`; some are left."""
    numbers = first + length
    inside, begins = d[numbers], numbers + 2
    seen, queue = d[MARKS], d[MARKS] + length
    for index in range(length):
        w[seen + index] = 0
    some = False
    for start in range(length):
        if w[seen + start] or not w[CELLS + d[first + start]] & inside:
            continue
        w[queue] = start
        w[seen + start] = 1
        end, at = 1, 0
        while at < end:
            index = w[queue + at]
            at += 1
            for place in range(begins + d[begins + index], begins + d[begins + index + 1]):
                near = d[place]
                if not w[seen + near] and w[CELLS + d[first + near]] & inside:
                    w[seen + near] = 1
                    w[queue + end] = near
                    end += 1
        some |= end >= size
        if end < size:
            for at in range(end):
                if not keep(w, d, d[first + w[queue + at]], ~inside):
                    return False
    return some


@compiled()
def _grown(w, d, first, length, root, must, budget):
    """Mark the cells that a region can reach, and count them; -1 if not all that it has to.

    It grows from its root, and takes `budget` cells at most besides those that must be inside.
    """
    numbers = first + length
    inside, begins = d[numbers], numbers + 2
    seen = d[MARKS]
    here, later = seen + length, seen + 2 * length
    for index in range(length):
        w[seen + index] = 0
    w[seen + root] = 1
    w[here] = root
    reached = here_end = 1
    reached_must = 1
    while here_end:
        at = later_end = 0
        while at < here_end:
            index = w[here + at]
            at += 1
            for place in range(begins + d[begins + index], begins + d[begins + index + 1]):
                near = d[place]
                mask = w[CELLS + d[first + near]]
                if w[seen + near] or not mask & inside:
                    continue
                if mask & ~inside == 0:
                    w[here + here_end] = near
                    here_end += 1
                    reached_must += 1
                elif budget > 0:
                    w[later + later_end] = near
                    later_end += 1
                else:
                    continue
                w[seen + near] = 1
                reached += 1
        budget -= 1
        here, later = later, here
        here_end = later_end
    return reached if reached_must == must else -1


@compiled()
def _keep_bridges(w, d, first, length, root, reached):
    """Put inside each cell without which those that must be inside, or enough, do not connect.

    A walk over the cells marked as reached finds what each one cuts off from the root (R. Tarjan,
    Depth-first search and linear graph algorithms, 1972).
    """
    numbers = first + length
    inside, size, begins = d[numbers], d[numbers + 1], numbers + 2
    seen = d[MARKS]
    order, low, parent = seen + length, seen + 2 * length, seen + 3 * length
    edge, members, needed = seen + 4 * length, seen + 5 * length, seen + 6 * length
    cut, bridge = seen + 7 * length, seen + 8 * length
    for index in range(length):
        w[order + index] = 0
    index, time = root, 0
    w[parent + root] = -1
    while index >= 0:
        if not w[order + index]:
            time += 1
            w[order + index] = w[low + index] = time
            w[edge + index] = begins + d[begins + index]
            w[members + index] = 1
            w[needed + index] = w[CELLS + d[first + index]] & ~inside == 0
            w[cut + index] = w[bridge + index] = 0
        if w[edge + index] < begins + d[begins + index + 1]:
            near = d[w[edge + index]]
            w[edge + index] += 1
            if not w[seen + near]:
                continue
            if not w[order + near]:
                w[parent + near] = index
                index = near
            elif near != w[parent + index]:
                w[low + index] = min(w[low + index], w[order + near])
            continue
        above = w[parent + index]
        if above >= 0:
            w[low + above] = min(w[low + above], w[low + index])
            w[members + above] += w[members + index]
            w[needed + above] += w[needed + index]
            if w[low + index] >= w[order + above]:
                w[cut + above] += w[members + index]
                w[bridge + above] |= w[needed + index] > 0
            is_needed = w[bridge + index] or reached - 1 - w[cut + index] < size
            if is_needed and not keep(w, d, d[first + index], inside):
                return False
        index = above
    return True


@compiled()
def different_pairs(w, d, first, length):
    """No two pairs of cells hold the same two values; each two are there if there are so many."""
    full = (1 << d[VALUES]) - 1
    has_all = length == 2 * d[VALUES] * d[VALUES]
    for index in range(d[VALUES]):
        bit = 1 << index
        taken = once = twice = 0
        for at in range(first, first + length, 2):
            there = w[CELLS + d[at + 1]]
            if there & bit:
                mask = w[CELLS + d[at]]
                twice |= once & mask
                once |= mask
                if there == bit and mask & (mask - 1) == 0:
                    if taken & mask:
                        return False
                    taken |= mask
        if has_all and once != full:
            return False
        single = once & ~twice & ~taken if has_all else 0
        if taken == 0 and single == 0:
            continue
        for at in range(first, first + length, 2):
            a, b = d[at], d[at + 1]
            there, mask = w[CELLS + b], w[CELLS + a]
            if not there & bit:
                continue
            if mask & single:
                if not (keep(w, d, a, mask & single) and keep(w, d, b, bit)):
                    return False
            elif mask & taken:
                if there == bit:
                    if mask & (mask - 1) and not keep(w, d, a, ~taken):
                        return False
                elif mask & ~taken == 0 and not keep(w, d, b, ~bit):
                    return False
    return True


@compiled(inline=True)
def _between(d, mask, low, high):
    """The bits of a mask from one place to another; both may be outside of it."""
    low, high = max(low, 0), min(high, d[VALUES] - 1)
    return mask & ((2 << high) - (1 << low)) if low <= high else 0


@compiled()
def _arm(w, d, first, length, bit, unbroken):
    """How many cells of an arm hold a value at least and at most."""
    low = high = 0
    for at in range(first, first + length):
        mask = w[CELLS + d[at]]
        if unbroken:
            if mask == bit and low == at - first:
                low += 1
            if not mask & bit:
                break
            high += 1
        else:
            low += mask == bit
            high += mask & bit != 0
    return low, high


@compiled()
def count_of_equal(w, d, first, length):
    """A counter tells how many cells of arms are equal to a start; see `layout`."""
    numbers = first + length
    shift, unbroken, arms = d[numbers], d[numbers + 1], d[numbers + 2]
    counter, start, kept = d[first], d[first + 1], d[MARKS]
    for index in range(length):
        w[kept + index] = 0
    told, starts = w[CELLS + counter], w[CELLS + start]
    while starts:
        bit = starts & -starts
        starts ^= bit
        low = high = 1 - shift
        at = first + 2
        for arm in range(numbers + 3, numbers + 3 + arms):
            least, most = _arm(w, d, at, d[arm], bit, unbroken)
            low += least
            high += most
            at += d[arm]
        counts = _between(d, told, low, high)
        if counts == 0:
            continue
        w[kept] |= counts
        w[kept + 1] |= bit
        more, fewer = _between(d, counts, low + 1, high), _between(d, counts, low, high - 1)
        at = first + 2
        for arm in range(numbers + 3, numbers + 3 + arms):
            if unbroken:
                _along(w, d, first, at, d[arm], bit, counts, low, high)
            else:
                for each in range(at, at + d[arm]):
                    mask = w[CELLS + d[each]]
                    if mask == bit or not mask & bit:
                        w[kept + each - first] |= mask
                    else:
                        w[kept + each - first] |= bit if more else 0
                        w[kept + each - first] |= mask & ~bit if fewer else 0
            at += d[arm]
    for index in range(length):
        if not keep(w, d, d[first + index], w[kept + index]):
            return False
    return True


@compiled()
def _along(w, d, first, at, length, bit, counts, low, high):
    """Note what the cells of an arm may hold, if those before the first without the bit count."""
    kept = d[MARKS] + at - first
    least, most = _arm(w, d, at, length, bit, True)
    farthest, is_passed = -1, False
    for index in range(most, least - 1, -1):
        mask = w[CELLS + d[at + index]] if index < length else 0
        if mask != bit and _between(d, counts, low - least + index, high - most + index):
            farthest = max(farthest, index)
    for index in range(length):
        mask = w[CELLS + d[at + index]]
        ends = (
            least <= index <= most
            and mask != bit
            and _between(d, counts, low - least + index, high - most + index) != 0
        )
        if is_passed:
            w[kept + index] |= mask
        if ends:
            w[kept + index] |= mask & ~bit
            is_passed = True
        if index < farthest:
            w[kept + index] |= mask & bit


@compiled()
def _compared(w, d, line, other, length):
    """Whether another line may be less than, equal to, greater than a line: bits 1, 2, 4.

    Both begin with the same value, which is not looked at.
    """
    found = 0
    for index in range(1, length):
        here, there = d[line + index], d[other + index]
        if here == there:
            continue
        own, its = w[CELLS + here], w[CELLS + there]
        if lowest(d, its) < highest(d, own):
            found |= 1
        if highest(d, its) > lowest(d, own):
            found |= 4
        if not own & its:
            return found
    return found | 2


@compiled()
def _ordered(w, d, small, large, length):
    """One line is not greater than another: their first cells that may differ say so."""
    for index in range(1, length):
        a, b = d[small + index], d[large + index]
        low, high = w[CELLS + a], w[CELLS + b]
        if a == b or (low == high and low & (low - 1) == 0):
            continue
        return keep(w, d, a, (2 << highest(d, high)) - 1) and keep(w, d, b, -(low & -low))
    return True


@compiled()
def ranked(w, d, first, length):
    """So many of the other lines that begin with a value are less than the first one."""
    numbers = first + length
    bit, smaller, tied, each = d[numbers], d[numbers + 1], d[numbers + 2], d[numbers + 3]
    if not keep(w, d, d[first], bit):
        return False
    can = must = 0
    for other in range(first + each, numbers, each):
        begins = w[CELLS + d[other]]
        if begins & bit:
            how = _compared(w, d, first, other, each)
            can += how & 1
            must += begins == bit and how == 1
            if begins == bit and how == 2 and not tied:
                return False
    if not must <= smaller <= can:
        return False
    if can > smaller > must:
        return True
    for other in range(first + each, numbers, each):
        begins = w[CELLS + d[other]]
        if not begins & bit:
            continue
        how = _compared(w, d, first, other, each)
        if can == smaller and how & 1:
            if not (keep(w, d, d[other], bit) and _ordered(w, d, other, first, each)):
                return False
        elif begins != bit:
            if (how == 1 or (how == 2 and not tied)) and not keep(w, d, d[other], ~bit):
                return False
        elif how != 1 and not _ordered(w, d, first, other, each):
            return False
    return True
