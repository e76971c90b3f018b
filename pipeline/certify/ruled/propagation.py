"""Constraints strike values from cells, each by itself.

Each is right about cells with one value: it then returns whether the constraint holds. `layout`
says what `w` and `d` are.
"""

from __future__ import annotations

from pipeline.certify.ruled import layout as L
from pipeline.certify.ruled.cells import keep, lowest, number, place, strike_outside
from pipeline.certify.ruled.regions import (
    connected,
    count_of_equal,
    different_pairs,
    ranked,
)
from pipeline.certify.ruled.sums import one_of_sets, weighted_sum
from pipeline.native import compiled

_CHUNK = (1 << L.CHUNK) - 1
_ROUNDS = 3
"""The most that the constraints of an alternative are gone through."""


@compiled()
def _separate(w, d, cell):
    """Strike the one value of a cell from all cells that hold another."""
    mask = w[L.CELLS + cell]
    place = d[L.APART] + cell * d[L.WORDS]
    for word in range(d[L.WORDS]):
        others = d[place + word]
        while others:
            other = word * L.CELLS_IN_WORD + lowest(d, others)
            others &= others - 1
            if w[L.CELLS + other] & mask and not keep(w, d, other, ~mask):
                w[L.BLAMED] = ~other
                return False
    return True


@compiled()
def _strike_pairs(w, d, first, length):
    """Two cells with the same two values hold both: strike them from all that differ from both."""
    for at in range(first, first + length - 1):
        mask = w[L.CELLS + d[at]]
        other = mask & (mask - 1)
        if other == 0 or other & (other - 1):
            continue
        for also in range(at + 1, first + length):
            if w[L.CELLS + d[also]] == mask and not _strike_beside(w, d, d[at], d[also], mask):
                return False
    return True


@compiled()
def _strike_beside(w, d, one, other, values):
    for word in range(d[L.WORDS]):
        cells = d[d[L.APART] + one * d[L.WORDS] + word] & d[d[L.APART] + other * d[L.WORDS] + word]
        while cells:
            cell = word * L.CELLS_IN_WORD + lowest(d, cells)
            cells &= cells - 1
            if w[L.CELLS + cell] & values and not keep(w, d, cell, ~values):
                return False
    return True


@compiled()
def _unit(w, d, first, length):
    once = twice = thrice = fixed = 0
    for at in range(first, first + length):
        mask = w[L.CELLS + d[at]]
        thrice |= twice & mask
        twice |= once & mask
        once |= mask
        if mask & (mask - 1) == 0:
            fixed |= mask
    if once != (1 << d[L.VALUES]) - 1:
        return False
    if not place(w, d, first, length, once & ~twice & ~fixed):
        return False
    if not strike_outside(w, d, first, length, twice & ~thrice & ~fixed):
        return False
    return _strike_pairs(w, d, first, length)


@compiled()
def _distinct(w, d, first, length):
    again = True
    while again:
        again = False
        fixed = union = 0
        for at in range(first, first + length):
            mask = w[L.CELLS + d[at]]
            union |= mask
            if mask & (mask - 1) == 0:
                if fixed & mask:
                    return False
                fixed |= mask
        if number(d, union) < length:
            return False
        for at in range(first, first + length):
            mask = w[L.CELLS + d[at]]
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
        one |= w[L.CELLS + d[at]]
    for at in range(first + middle, first + length):
        other |= w[L.CELLS + d[at]]
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
        mask >>= L.CHUNK
        table += _CHUNK + 1
        found |= d[table + (mask & _CHUNK)]
    return found


@compiled(inline=True)
def _pair(w, d, first):
    a, b = d[first], d[first + 1]
    return keep(w, d, b, _related(d, d[first + 2], w[L.CELLS + a])) and keep(
        w, d, a, _related(d, d[first + 3], w[L.CELLS + b])
    )


@compiled()
def _at_least(w, d, first, length):
    bit, times = d[first + length], d[first + length + 1]
    can = must = 0
    for at in range(first, first + length):
        mask = w[L.CELLS + d[at]]
        can += mask & bit != 0
        must += mask == bit
    if can < times:
        return False
    if can == times:
        for at in range(first, first + length):
            if w[L.CELLS + d[at]] & bit and not keep(w, d, d[at], bit):
                return False
    if must == 0 and times > 0 and not w[L.QUIET]:
        return strike_outside(w, d, first, length, bit)
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
                mask = w[L.CELLS + d[each]]
                can += mask & values != 0
                must += mask & ~values == 0
            if turn == 0:
                low, high = max(low, must), min(high, can)
            elif can == low or must == high:
                left = values if can == low else ~values
                for each in range(at, at + d[part]):
                    mask = w[L.CELLS + d[each]]
                    if mask & values and mask & ~values and not keep(w, d, d[each], left):
                        return False
            at += d[part]
        if low > high:
            return False
    return True


@compiled()
def _paths(w, d, first, length, automaton):
    states, marks = d[automaton], d[L.MARKS]
    for state in range(states):
        w[marks + state] = 0
    w[marks] = 1
    for index in range(length):
        mask, edges = w[L.CELLS + d[first + index]], automaton + 1 + index
        for edge in range(automaton + d[edges], automaton + d[edges + 1], 3):
            if d[edge + 2] & mask and w[marks + d[edge]]:
                w[marks + d[edge + 1]] = 1
    if not w[marks + states - 1]:
        return False
    w[marks + states - 1] = 2
    for index in range(length - 1, -1, -1):
        mask, edges, left = w[L.CELLS + d[first + index]], automaton + 1 + index, 0
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
    kind, length, first = d[place + L.KIND], d[place + L.LENGTH], place + L.SCOPE
    if kind == L.PAIR:
        return _pair(w, d, first)
    if kind == L.UNIT:
        return _unit(w, d, first, length)
    if kind == L.TOTAL:
        return weighted_sum(w, d, first, length)
    if kind == L.SAME:
        return _same(w, d, first, length, d[first + length])
    if kind == L.ONE_SET:
        at = first + length
        return one_of_sets(w, d, first, length, d[at], d[at + 1], at + 2)
    if kind == L.PATHS:
        return _paths(w, d, first, length, d[first + length])
    if kind == L.ALLOWED:
        return keep(w, d, d[first], d[first + 1])
    if kind == L.DISTINCT:
        return _distinct(w, d, first, length)
    if kind == L.AT_LEAST:
        return _at_least(w, d, first, length)
    if kind == L.COUNTS:
        return _counts(w, d, first, length)
    if kind == L.CONNECTED:
        return connected(w, d, first, length)
    if kind == L.DIFFERENT_PAIRS:
        return different_pairs(w, d, first, length)
    if kind == L.COUNT_OF_EQUAL:
        return count_of_equal(w, d, first, length)
    if kind == L.RANKED:
        return ranked(w, d, first, length)
    return False


@compiled(inline=True)
def _all_hold(w, d, first, number_of):
    """Whether all constraints of an alternative can hold; strikes what they exclude."""
    for _ in range(_ROUNDS):
        w[L.CHANGED] = 0
        for at in range(first, first + number_of):
            if not _holds(w, d, d[L.STATED] + d[at]):
                return False
        if not w[L.CHANGED]:
            break
    return True


@compiled()
def _either(w, d, first, length):
    """Leave each cell the values that it has in some alternative."""
    kept = d[L.KEPT]
    for index in range(length):
        w[kept + 2 * index] = w[L.CELLS + d[first + index]]
        w[kept + 2 * index + 1] = 0
    w[L.QUIET] = 1
    at = first + length + 1
    for _ in range(d[first + length]):
        can_hold = _all_hold(w, d, at + 1, d[at])
        for index in range(length):
            cell = L.CELLS + d[first + index]
            if can_hold:
                w[kept + 2 * index + 1] |= w[cell]
            w[cell] = w[kept + 2 * index]
        at += 1 + d[at]
    w[L.QUIET] = 0
    for index in range(length):
        if not keep(w, d, d[first + index], w[kept + 2 * index + 1]):
            return False
    return True


@compiled()
def propagate(w, d):
    """Strike values until nothing more follows; False if something cannot hold."""
    while True:
        while w[L.FIXED]:
            w[L.FIXED] -= 1
            if not _separate(w, d, w[d[L.STACK] + w[L.FIXED]]):
                return False
        queue = 0
        while queue < L.LATE and not w[L.WAITING + queue]:
            queue += 1
        if not w[L.WAITING + queue]:
            return True
        constraint = next_of(w, d, queue)
        place = d[d[L.PLACES] + constraint]
        if d[place + L.KIND] == L.EITHER:
            can_hold = _either(w, d, place + L.SCOPE, d[place + L.LENGTH])
        else:
            can_hold = _holds(w, d, place)
        if not can_hold:
            w[L.BLAMED] = constraint
            return False


@compiled(inline=True)
def next_of(w, d, queue):
    """Take the first constraint from a queue."""
    constraint = w[d[L.RINGS] + queue * d[L.CONSTRAINTS] + w[L.FIRST + queue]]
    w[L.FIRST + queue] += 1
    if w[L.FIRST + queue] == d[L.CONSTRAINTS]:
        w[L.FIRST + queue] = 0
    w[L.WAITING + queue] -= 1
    w[d[L.QUEUED] + constraint] = 0
    return constraint


@compiled(inline=True)
def forget(w, d):
    """Empty the stack and the queues."""
    w[L.FIXED] = 0
    for queue in range(L.QUEUES):
        while w[L.WAITING + queue]:
            next_of(w, d, queue)
