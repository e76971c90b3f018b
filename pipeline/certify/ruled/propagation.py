"""What follows from constraints, each alone, about the values that cells may hold.

These functions work on arrays as machine code, and on lists as plain Python. Each is right about
cells with one value: it then returns whether the constraint holds. `layout` says what `w` and `d`
are.
"""

from __future__ import annotations

from pipeline.certify.ruled.layout import (
    ALLOWED,
    APART,
    AT_LEAST,
    BLAMED,
    CELLS,
    CELLS_IN_WORD,
    CHANGED,
    CHUNK,
    CONSTRAINTS,
    COUNTS,
    DISTINCT,
    EITHER,
    FIRST,
    FIXED,
    HIGHEST,
    KEPT,
    KIND,
    LATE,
    LENGTH,
    LOWEST,
    MODULUS,
    NOTHING,
    NUMBER,
    ONE_SET,
    PAIR,
    PATHS,
    PLACES,
    PRIORITIES,
    QUEUED,
    QUEUES,
    QUIET,
    RINGS,
    SAME,
    SCOPE,
    SETS,
    STACK,
    STATED,
    STATES,
    TOTAL,
    UNIT,
    VALUES,
    WAITING,
    WIDTH,
    WOKEN,
    WORDS,
)
from pipeline.native import compiled

_CHUNK = (1 << CHUNK) - 1
_ROUNDS = 3
"""The most that the constraints of an alternative are gone through."""


@compiled(inline=True)
def lowest(d, mask):
    """The index of the lowest bit."""
    return d[LOWEST + (mask & -mask) % MODULUS]


@compiled(inline=True)
def highest(d, mask):
    """The index of the highest bit."""
    above = 0
    while mask > _CHUNK:
        mask >>= CHUNK
        above += CHUNK
    return above + d[HIGHEST + mask]


@compiled(inline=True)
def number(d, mask):
    """The number of bits."""
    found = d[NUMBER + (mask & _CHUNK)]
    while mask > _CHUNK:
        mask >>= CHUNK
        found += d[NUMBER + (mask & _CHUNK)]
    return found


@compiled(inline=True)
def wake(w, d, constraint):
    """Put a constraint into its queue."""
    if not w[d[QUEUED] + constraint]:
        w[d[QUEUED] + constraint] = 1
        queue, room = d[d[PRIORITIES] + constraint], d[CONSTRAINTS]
        place = w[FIRST + queue] + w[WAITING + queue]
        if place >= room:
            place -= room
        w[d[RINGS] + queue * room + place] = constraint
        w[WAITING + queue] += 1


@compiled()
def keep(w, d, cell, mask):
    """Leave a cell only values in the mask; whether it may still hold one."""
    before = w[CELLS + cell]
    left = before & mask
    if left == before:
        return True
    w[CELLS + cell] = left
    if left == 0:
        return False
    w[CHANGED] = 1
    if w[QUIET]:
        return True
    woken = d[WOKEN] + 2 * cell
    end = d[woken + 1]
    if left & (left - 1) == 0:
        w[d[STACK] + w[FIXED]] = cell
        w[FIXED] += 1
        end = d[woken + 2]
    for place in range(d[woken], end):
        wake(w, d, d[place])
    return True


@compiled()
def _separate(w, d, cell):
    """Strike the one value of a cell from all cells that hold another."""
    mask = w[CELLS + cell]
    place = d[APART] + cell * d[WORDS]
    for word in range(d[WORDS]):
        others = d[place + word]
        while others:
            other = word * CELLS_IN_WORD + lowest(d, others)
            others &= others - 1
            if w[CELLS + other] & mask and not keep(w, d, other, ~mask):
                return False
    return True


@compiled()
def _place(w, d, first, length, values):
    """Give values to the only cells that may hold them."""
    if values:
        for at in range(first, first + length):
            held = w[CELLS + d[at]] & values
            if held and (held & (held - 1) or not keep(w, d, d[at], held)):
                return False
    return True


@compiled()
def _strike_outside(w, d, first, length, values):
    """Strike values that some of the cells must hold from all that differ from these cells."""
    while values:
        bit = values & -values
        values ^= bit
        for word in range(d[WORDS]):
            others = NOTHING
            for at in range(first, first + length):
                if w[CELLS + d[at]] & bit:
                    others &= d[d[APART] + d[at] * d[WORDS] + word]
            while others > 0:
                other = word * CELLS_IN_WORD + lowest(d, others)
                others &= others - 1
                if w[CELLS + other] & bit and not keep(w, d, other, ~bit):
                    return False
    return True


@compiled()
def _unit(w, d, first, length):
    once = twice = fixed = 0
    for at in range(first, first + length):
        mask = w[CELLS + d[at]]
        twice |= once & mask
        once |= mask
        if mask & (mask - 1) == 0:
            fixed |= mask
    if once != (1 << d[VALUES]) - 1:
        return False
    return _place(w, d, first, length, once & ~twice & ~fixed)


@compiled()
def _distinct(w, d, first, length):
    again = True
    while again:
        again = False
        fixed = union = 0
        for at in range(first, first + length):
            mask = w[CELLS + d[at]]
            union |= mask
            if mask & (mask - 1) == 0:
                if fixed & mask:
                    return False
                fixed |= mask
        if number(d, union) < length:
            return False
        for at in range(first, first + length):
            mask = w[CELLS + d[at]]
            if mask & (mask - 1) and mask & fixed:
                if not keep(w, d, d[at], ~fixed):
                    return False
                left = mask & ~fixed
                again |= left & (left - 1) == 0
    return True


@compiled()
def _same(w, d, first, length, middle):
    one = other = 0
    for at in range(first, first + middle):
        one |= w[CELLS + d[at]]
    for at in range(first + middle, first + length):
        other |= w[CELLS + d[at]]
    if one != other:
        for at in range(first, first + length):
            if not keep(w, d, d[at], one & other):
                return False
    return True


@compiled(inline=True)
def _related(d, table, mask):
    """The values that a relation's table has for any of those in the mask."""
    found = d[table + (mask & _CHUNK)]
    while mask > _CHUNK:
        mask >>= CHUNK
        table += _CHUNK + 1
        found |= d[table + (mask & _CHUNK)]
    return found


@compiled(inline=True)
def _pair(w, d, first):
    a, b = d[first], d[first + 1]
    return keep(w, d, b, _related(d, d[first + 2], w[CELLS + a])) and keep(
        w, d, a, _related(d, d[first + 3], w[CELLS + b])
    )


@compiled()
def _least_sum(w, d, first, length, skipped):
    """A sum that different values for these cells, except one, cannot go below.

    Each cell in turn takes the lowest value from its own on that is not taken.
    """
    taken = least = 0
    for at in range(first, first + length):
        if at != skipped:
            mask = w[CELLS + d[at]]
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
            free = ~taken & ((2 << highest(d, w[CELLS + d[at]])) - 1)
            if free == 0:
                return NOTHING
            top = highest(d, free)
            taken |= 1 << top
            greatest += top
    return greatest


@compiled(inline=True)
def _bounds(w, d, first, length):
    """The least and the greatest sum of a group of different cells."""
    if length == 1:
        mask = w[CELLS + d[first]]
        return lowest(d, mask), highest(d, mask)
    return (
        _least_sum(w, d, first, length, NOTHING),
        _greatest_sum(w, d, first, length, NOTHING),
    )


@compiled()
def _last_two(w, d, a, by_a, b, by_b, total):
    """Leave two cells the values whose weighted sum is the total."""
    left_a = left_b = 0
    mask, there = w[CELLS + a], w[CELLS + b]
    apart = d[d[APART] + a * d[WORDS] + b // CELLS_IN_WORD] >> b % CELLS_IN_WORD & 1
    while mask:
        bit = mask & -mask
        mask ^= bit
        rest = total - by_a * lowest(d, bit)
        value = rest // by_b
        if value * by_b == rest and 0 <= value < d[VALUES]:
            other = 1 << value
            if there & other and not (apart and bit == other):
                left_a |= bit
                left_b |= other
    return keep(w, d, a, left_a) and keep(w, d, b, left_b)


@compiled()
def _last_three(w, d, a, by_a, b, by_b, c, by_c, total):
    """Leave three cells the values whose weighted sum is the total."""
    left_a = left_b = left_c = 0
    mask, there = w[CELLS + a], w[CELLS + c]
    while mask:
        bit = mask & -mask
        mask ^= bit
        beside = w[CELLS + b]
        while beside:
            other = beside & -beside
            beside ^= other
            rest = total - by_a * lowest(d, bit) - by_b * lowest(d, other)
            value = rest // by_c
            if value * by_c == rest and 0 <= value < d[VALUES] and there >> value & 1:
                left_a |= bit
                left_b |= other
                left_c |= 1 << value
    return keep(w, d, a, left_a) and keep(w, d, b, left_b) and keep(w, d, c, left_c)


@compiled()
def _total(w, d, first, length):
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
            mask = w[CELLS + d[each]]
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
        is_whole = value * by_a == rest and 0 <= value < d[VALUES]
        return is_whole and keep(w, d, a, 1 << value)
    if count == 2:
        return _last_two(w, d, a, by_a, b, by_b, rest)
    if count == 3 and not _last_three(w, d, a, by_a, b, by_b, c, by_c, rest):
        return False
    at, group = first, numbers + 2
    for _ in range(groups):
        size, weight = d[group], d[group + 1]
        if not _within(w, d, at, size, weight, d[group + 2], total - high, total - low):
            return False
        at += size
        group += 3
    return True


@compiled()
def _within(w, d, first, length, weight, has_sets, least_more, most_more):
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
            mask = w[CELLS + d[at]]
            if mask & (mask - 1):
                top = min(high - _least_sum(w, d, first, length, at), d[VALUES] - 1)
                bottom = max(low - _greatest_sum(w, d, first, length, at), 0)
                if top < bottom or not keep(w, d, d[at], (2 << top) - (1 << bottom)):
                    return False
    elif low < high:
        return True
    if has_sets:
        row = d[SETS] + length * d[WIDTH]
        return _one_set(w, d, first, length, d[row + low], d[row + high + 1])
    return True


@compiled()
def _one_set(w, d, first, length, begin, end):
    """The values held by the cells are one of the sets that stand from `begin` to `end`."""
    union = fixed = 0
    for at in range(first, first + length):
        mask = w[CELLS + d[at]]
        union |= mask
        if mask & (mask - 1) == 0:
            fixed |= mask
    possible, required = 0, NOTHING
    for at in range(begin, end):
        values = d[at]
        if values & ~union == 0 and fixed & ~values == 0:
            possible |= values
            required &= values
    if possible == 0:
        return False
    once = twice = 0
    for at in range(first, first + length):
        if not keep(w, d, d[at], possible):
            return False
        mask = w[CELLS + d[at]]
        twice |= once & mask
        once |= mask
    if required & ~once or not _place(w, d, first, length, required & ~twice):
        return False
    return w[QUIET] != 0 or _strike_outside(w, d, first, length, required & twice & ~fixed)


@compiled()
def _at_least(w, d, first, length):
    bit, times = d[first + length], d[first + length + 1]
    can = must = 0
    for at in range(first, first + length):
        mask = w[CELLS + d[at]]
        can += mask & bit != 0
        must += mask == bit
    if can < times:
        return False
    if can == times:
        for at in range(first, first + length):
            if w[CELLS + d[at]] & bit and not keep(w, d, d[at], bit):
                return False
    if must == 0 and times > 0 and not w[QUIET]:
        return _strike_outside(w, d, first, length, bit)
    return True


@compiled()
def _counts(w, d, first, length):
    values, parts = d[first + length], d[first + length + 1]
    lengths = first + length + 2
    low, high = 0, length
    for turn in range(2):
        at = first
        for part in range(lengths, lengths + parts):
            can = must = 0
            for each in range(at, at + d[part]):
                mask = w[CELLS + d[each]]
                can += mask & values != 0
                must += mask & ~values == 0
            if turn == 0:
                low, high = max(low, must), min(high, can)
            elif can == low or must == high:
                for each in range(at, at + d[part]):
                    mask = w[CELLS + d[each]]
                    if mask & values and mask & ~values:
                        if not keep(w, d, d[each], values if can == low else ~values):
                            return False
            at += d[part]
        if low > high:
            return False
    return True


@compiled()
def _paths(w, d, first, length, automaton):
    states, marks = d[automaton], d[STATES]
    for state in range(states):
        w[marks + state] = 0
    w[marks] = 1
    for index in range(length):
        mask, edges = w[CELLS + d[first + index]], automaton + 1 + index
        for edge in range(automaton + d[edges], automaton + d[edges + 1], 3):
            if d[edge + 2] & mask and w[marks + d[edge]]:
                w[marks + d[edge + 1]] = 1
    if not w[marks + states - 1]:
        return False
    w[marks + states - 1] = 2
    for index in range(length - 1, -1, -1):
        mask, edges, left = w[CELLS + d[first + index]], automaton + 1 + index, 0
        for edge in range(automaton + d[edges], automaton + d[edges + 1], 3):
            values = d[edge + 2] & mask
            if values and w[marks + d[edge]] and w[marks + d[edge + 1]] == 2:
                w[marks + d[edge]] = 2
                left |= values
        if not keep(w, d, d[first + index], left):
            return False
    return True


@compiled()
def _holds(w, d, place):
    """Strike what one constraint, which has no alternatives, excludes; whether it can hold."""
    kind, length, first = d[place + KIND], d[place + LENGTH], place + SCOPE
    if kind == PAIR:
        return _pair(w, d, first)
    if kind == UNIT:
        return _unit(w, d, first, length)
    if kind == TOTAL:
        return _total(w, d, first, length)
    if kind == SAME:
        return _same(w, d, first, length, d[first + length])
    if kind == ONE_SET:
        return _one_set(w, d, first, length, d[first + length], d[first + length + 1])
    if kind == PATHS:
        return _paths(w, d, first, length, d[first + length])
    if kind == ALLOWED:
        return keep(w, d, d[first], d[first + 1])
    if kind == DISTINCT:
        return _distinct(w, d, first, length)
    if kind == AT_LEAST:
        return _at_least(w, d, first, length)
    if kind == COUNTS:
        return _counts(w, d, first, length)
    return False


@compiled(inline=True)
def _all_hold(w, d, first, number_of):
    """Whether all constraints of an alternative can hold; strikes what they exclude."""
    for _ in range(_ROUNDS):
        w[CHANGED] = 0
        for at in range(first, first + number_of):
            if not _holds(w, d, d[STATED] + d[at]):
                return False
        if not w[CHANGED]:
            break
    return True


@compiled()
def _either(w, d, first, length):
    """Leave each cell the values that it has in some alternative."""
    kept = d[KEPT]
    for index in range(length):
        w[kept + 2 * index] = w[CELLS + d[first + index]]
        w[kept + 2 * index + 1] = 0
    w[QUIET] = 1
    at = first + length + 1
    for _ in range(d[first + length]):
        can_hold = _all_hold(w, d, at + 1, d[at])
        for index in range(length):
            cell = CELLS + d[first + index]
            if can_hold:
                w[kept + 2 * index + 1] |= w[cell]
            w[cell] = w[kept + 2 * index]
        at += 1 + d[at]
    w[QUIET] = 0
    for index in range(length):
        if not keep(w, d, d[first + index], w[kept + 2 * index + 1]):
            return False
    return True


@compiled()
def propagate(w, d):
    """Strike values until nothing more follows; False if something cannot hold."""
    while True:
        while w[FIXED]:
            w[FIXED] -= 1
            if not _separate(w, d, w[d[STACK] + w[FIXED]]):
                w[BLAMED] = NOTHING
                return False
        queue = 0
        while queue < LATE and not w[WAITING + queue]:
            queue += 1
        if not w[WAITING + queue]:
            return True
        constraint = next_of(w, d, queue)
        place = d[d[PLACES] + constraint]
        if d[place + KIND] == EITHER:
            can_hold = _either(w, d, place + SCOPE, d[place + LENGTH])
        else:
            can_hold = _holds(w, d, place)
        if not can_hold:
            w[BLAMED] = constraint
            return False


@compiled(inline=True)
def next_of(w, d, queue):
    """Take the first constraint from a queue."""
    constraint = w[d[RINGS] + queue * d[CONSTRAINTS] + w[FIRST + queue]]
    w[FIRST + queue] += 1
    if w[FIRST + queue] == d[CONSTRAINTS]:
        w[FIRST + queue] = 0
    w[WAITING + queue] -= 1
    w[d[QUEUED] + constraint] = 0
    return constraint


@compiled(inline=True)
def forget(w, d):
    """Empty the stack and the queues."""
    w[FIXED] = 0
    for queue in range(QUEUES):
        while w[WAITING + queue]:
            next_of(w, d, queue)
