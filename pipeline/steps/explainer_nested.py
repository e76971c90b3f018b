"""The dynamic chains of Sudoku Explainer 1.2.1, and the steps that they may use: levels 0 to 4.

At level 0 a chain is dynamic only. At level 1, where nothing more follows, patterns that stand on
the reduced candidates eliminate further candidates; at level 2 also cycles and forcing chains, at
level 3 also multiple forcing chains, at level 4 instead of these dynamic forcing chains.

What follows from an assumption is kept in a *slot* of `net`. Each level continues where the level
before ended, because a level is only asked if the level before found nothing; only level 4
continues level 1. `net_layout` describes the array.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps import net_layout as N
from pipeline.steps.step_arrays import (
    append_new,
    bit_count,
    candidate_at,
    cell_at,
    lowest_bit,
    reset_step,
)

UNIT_LINKS, CELL_LINKS, DYNAMIC = 1, 2, 4
STATIC_LINKS, DYNAMIC_LINKS = UNIT_LINKS | CELL_LINKS, UNIT_LINKS | CELL_LINKS | DYNAMIC

DOUBLE, X_KIND, Y_KIND, MIXED_KIND, CELL_KIND, REGION_KIND, CONTRADICTION = range(1, 8)
"""Kinds of hints; of equal ones, the first kind is taken."""

BASE_OF_X_CYCLE, BASE_OF_X_CHAIN, BASE_OF_CHAIN, BASE_OF_NISHIO, BASE_OF_MULTIPLE = range(5)
BASE_OF_DYNAMIC = 5

PAUSED = -1

MOST = 1 << 20
"""More nodes than any hint has."""


# -- following -------------------------------------------------------------------------------------


@compiled()
def _begin(net, at, signed):
    """Start a slot with an assumption."""
    for k in range(net[at + N.ON_COUNT]):
        net[at + N.PARENTS_AT + 2 * net[at + N.ON_ORDER + k] + 1] = 0
    for k in range(net[at + N.OFF_COUNT]):
        net[at + N.PARENTS_AT + 2 * net[at + N.OFF_ORDER + k]] = 0
    net[at + N.ON_COUNT] = net[at + N.OFF_COUNT] = 0
    net[at + N.CONFLICT] = L.NOTHING
    net[at + N.POOL_SIZE] = N.POOL
    _reach(net, at, signed, L.NOTHING, 0)


@compiled(inline=True)
def _reach(net, at, signed, cause, least):
    """Enter a node; its parents are appended afterwards."""
    pool = at + net[at + N.POOL_SIZE]
    net[at + N.PARENTS_AT + signed] = pool
    net[pool], net[pool + 1], net[pool + 2] = 0, cause, least + 1
    net[at + N.POOL_SIZE] += 3
    if signed & 1:
        net[at + N.ON_ORDER + net[at + N.ON_COUNT]] = signed // 2
        net[at + N.ON_COUNT] += 1
    else:
        net[at + N.OFF_ORDER + net[at + N.OFF_COUNT]] = signed // 2
        net[at + N.OFF_COUNT] += 1


@compiled(inline=True)
def _conflict(net, at, signed, cause, least):
    """Enter a node whose contrary is reached."""
    pool = at + net[at + N.POOL_SIZE]
    net[at + N.CONFLICT], net[at + N.CONFLICT_AT] = signed, pool
    net[pool], net[pool + 1], net[pool + 2] = 0, cause, least + 1
    net[at + N.POOL_SIZE] += 3


@compiled(inline=True)
def _least(net, at, signed):
    """A lower bound of the complexity of the chain to a node that is reached."""
    return net[net[at + N.PARENTS_AT + signed] + 2]


@compiled()
def _propagate(state, grid, tables, net, at, on_head, off_head, how):
    """Follow all nodes from two heads on, until nothing more follows, or up to a contradiction."""
    parents = at + N.PARENTS_AT
    while True:
        if on_head < net[at + N.ON_COUNT]:
            node = net[at + N.ON_ORDER + on_head]
            on_head += 1
            least = net[net[parents + 2 * node + 1] + 2]
            for k in range(4):
                j = (k + 1) % 3 if k else 3
                constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
                rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * node + j]
                while rest:
                    other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                    rest &= rest - 1
                    is_conflict = net[parents + 2 * other + 1] != 0
                    if not is_conflict and net[parents + 2 * other]:
                        continue
                    pool = at + net[at + N.POOL_SIZE]
                    if is_conflict:
                        _conflict(net, at, 2 * other, L.NOTHING, least)
                    else:
                        _reach(net, at, 2 * other, L.NOTHING, least)
                    net[pool], net[pool + 3] = 1, 2 * node + 1
                    net[at + N.POOL_SIZE] += 1
                    if is_conflict:
                        return
        elif off_head < net[at + N.OFF_COUNT]:
            node = net[at + N.OFF_ORDER + off_head]
            off_head += 1
            for k in range(4):
                j = (k + 1) % 3 if k else 3
                constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
                rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * node + j]
                if rest == 0 or rest & (rest - 1):
                    continue
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                is_conflict = net[parents + 2 * other] != 0
                if not is_conflict and net[parents + 2 * other + 1]:
                    continue
                least = net[net[parents + 2 * node] + 2]
                pool = at + net[at + N.POOL_SIZE]
                if is_conflict:
                    _conflict(net, at, 2 * other + 1, constraint, least)
                else:
                    _reach(net, at, 2 * other + 1, constraint, least)
                net[pool + 3] = 2 * node
                size = 1
                struck = state[constraint] & ~grid[constraint] if how & DYNAMIC else 0
                while struck:
                    parent = 2 * candidate_at(tables, constraint, lowest_bit(tables, struck))
                    struck &= struck - 1
                    least = max(least, net[net[parents + parent] + 2])
                    net[pool + 3 + size] = parent
                    size += 1
                net[pool], net[pool + 2] = size, least + 1
                net[at + N.POOL_SIZE] += size
                if is_conflict:
                    return
            if how & DYNAMIC:
                _strike(grid, tables, node)
        else:
            return


@compiled(inline=True)
def _strike(grid, tables, node):
    for k in range(4 * node, 4 * node + 4):
        grid[tables[L.NODE_CONSTRAINTS + k]] &= ~tables[L.NODE_MASKS + k]


@compiled()
def _follow(state, grid, tables, net, at, signed, how):
    """Write what follows from a signed node to a slot, dynamically or not."""
    _begin(net, at, signed)
    if how & DYNAMIC:
        for k in range(L.CONSTRAINTS):
            grid[k] = state[k]
        _propagate(state, grid, tables, net, at, 0, 0, how)
    else:
        _propagate(state, state, tables, net, at, 0, 0, how)


@compiled()
def _reduce(state, grid, tables, net, at):
    """Strike from a copy of the candidates what is off in a slot."""
    for k in range(L.CONSTRAINTS):
        grid[k] = state[k]
    for k in range(net[at + N.OFF_HEAD]):
        _strike(grid, tables, net[at + N.OFF_ORDER + k])


@compiled()
def _cut(net, at):
    """Take a slot back to the end of level 1."""
    if net[at + N.CONFLICT] == L.NOTHING:
        for k in range(net[at + N.SAVED_ON], net[at + N.ON_COUNT]):
            net[at + N.PARENTS_AT + 2 * net[at + N.ON_ORDER + k] + 1] = 0
        for k in range(net[at + N.SAVED_OFF], net[at + N.OFF_COUNT]):
            net[at + N.PARENTS_AT + 2 * net[at + N.OFF_ORDER + k]] = 0
        net[at + N.ON_COUNT], net[at + N.OFF_COUNT] = net[at + N.SAVED_ON], net[at + N.SAVED_OFF]
        net[at + N.POOL_SIZE] = net[at + N.SAVED_POOL]
        net[at + N.ON_HEAD], net[at + N.OFF_HEAD] = net[at + N.SAVED_ON], net[at + N.SAVED_OFF]
        net[at + N.NEXT_LEAST] = 0
        net[at + N.DONE_LEVEL] = 1


# -- counting --------------------------------------------------------------------------------------


@compiled()
def _count(net, at, pool, most):
    """The number of nodes of a chain, and the complexity of the hints in it that are not stamped.

    Stops counting above `most`.
    """
    net[N.STAMP] += 1
    stamp, count, depth = net[N.STAMP], 1, 0
    while True:
        if net[pool + 1] < L.NOTHING:
            hint = N.HINTS + N.HINT_SIZE * (-2 - net[pool + 1])
            if net[hint + N.HINT_STAMP] != net[N.OUTER_STAMP]:
                net[hint + N.HINT_STAMP] = net[N.OUTER_STAMP]
                count += net[hint + N.HINT_COMPLEXITY]
        for k in range(pool + 3, pool + 3 + net[pool]):
            parent = net[k]
            if net[N.STAMPS + parent] != stamp:
                net[N.STAMPS + parent] = stamp
                net[N.STACK + depth] = net[at + N.PARENTS_AT + parent]
                depth += 1
                count += 1
        if depth == 0 or count > most:
            return count
        depth -= 1
        pool = net[N.STACK + depth]


@compiled(inline=True)
def _mix(number):
    """Scatter a number over 60 bits."""
    number = (number + 1) * 0x1E3779B97F4A7C15 & N.HASH_MASK
    return (number ^ number >> 29) * 0x3F58476D1CE4E5B & N.HASH_MASK


@compiled()
def _clear_cites(net):
    for k in range(N.CITE_WORDS):
        net[N.CITES + k] = 0


@compiled(inline=True)
def _cite(net, constraint):
    net[N.CITES + constraint // 30] |= 1 << constraint % 30


@compiled()
def _cite_chain(net, at, signed, pool):
    """Add to CITES what a chain and the hints in it cite. Returns a hash of the chain's nodes."""
    net[N.STAMP] += 1
    stamp, depth, digest = net[N.STAMP], 0, _mix(signed)
    while True:
        cause = net[pool + 1]
        if cause < L.NOTHING:
            hint = N.HINTS + N.HINT_SIZE * (-2 - cause)
            for k in range(N.CITE_WORDS):
                net[N.CITES + k] |= net[hint + N.HINT_CITES + k]
        elif cause != L.NOTHING:
            _cite(net, cause)
        for k in range(pool + 3, pool + 3 + net[pool]):
            parent = net[k]
            if net[N.STAMPS + parent] != stamp:
                net[N.STAMPS + parent] = stamp
                digest += _mix(parent)
                net[N.STACK + depth] = net[at + N.PARENTS_AT + parent]
                depth += 1
        if depth == 0:
            return _mix((digest ^ signed) & N.HASH_MASK)
        depth -= 1
        pool = net[N.STACK + depth]


@compiled()
def _intern(net, complexity, digest):
    """The number of a hint with the citations of CITES: a new one, or one that equals it."""
    low, high = digest & (1 << 30) - 1, digest >> 30 & (1 << 30) - 1
    place = low % N.INDEX_SIZE
    while True:
        number = net[N.INDEX + place] - 1
        if number < 0:
            break
        hint = N.HINTS + N.HINT_SIZE * number
        if net[hint + N.HINT_LOW] == low and net[hint + N.HINT_HIGH] == high:
            return number
        place = (place + 1) % N.INDEX_SIZE
    number = net[N.HINT_COUNT]
    if number == N.MAX_HINTS:
        return L.NOTHING
    net[N.HINT_COUNT] += 1
    net[N.INDEX + place] = number + 1
    hint = N.HINTS + N.HINT_SIZE * number
    net[hint + N.HINT_COMPLEXITY], net[hint + N.HINT_STAMP] = complexity, 0
    net[hint + N.HINT_LOW], net[hint + N.HINT_HIGH] = low, high
    for k in range(N.CITE_WORDS):
        net[hint + N.HINT_CITES + k] = net[N.CITES + k]
    return number


@compiled()
def _forget_hints(net):
    """Forget all hints that are numbered."""
    for k in range(N.INDEX_SIZE if net[N.HINT_COUNT] else 0):
        net[N.INDEX + k] = 0
    net[N.HINT_COUNT] = 0


# -- eliminations within a following ---------------------------------------------------------------


@compiled(inline=True)
def _add_strike(net, node):
    net[N.STRIKES + net[N.STRIKE_COUNT]] = node
    net[N.STRIKE_COUNT] += 1


@compiled(inline=True)
def _add_parent(net, at, node):
    """Add a node off to the parents, unless it is one of them."""
    if net[N.STAMPS + 2 * node] != net[N.STAMP]:
        net[N.STAMPS + 2 * node] = net[N.STAMP]
        net[N.PARENTS + net[N.PARENT_COUNT]] = 2 * node
        net[N.PARENT_COUNT] += 1


@compiled()
def _new_parents(net):
    net[N.STAMP] += 1
    net[N.PARENT_COUNT] = net[N.STRIKE_COUNT] = 0


@compiled()
def _add_struck(state, grid, tables, net, at, constraint):
    """Add to the parents all candidates of a constraint that are struck."""
    struck = state[constraint] & ~grid[constraint]
    while struck:
        _add_parent(net, at, candidate_at(tables, constraint, lowest_bit(tables, struck)))
        struck &= struck - 1


@compiled()
def _enter_strikes(net, at, complexity, digest):
    """Enter the eliminations of a hint, with its parents. A hint without parents is an old one.

    Sudoku Explainer keeps eliminations by cell in a hash table, which decides their order.
    """
    if net[N.PARENT_COUNT] == 0:
        return
    hint, cells, last, least = L.NOTHING, 0, L.NOTHING, 0
    for k in range(net[N.STRIKE_COUNT]):
        cells += net[N.STRIKES + k] // 9 != last
        last = net[N.STRIKES + k] // 9
    modulus = 32 if cells > 12 else 16
    for place in range(modulus):
        for k in range(net[N.STRIKE_COUNT]):
            node = net[N.STRIKES + k]
            if node // 9 % modulus != place or net[at + N.PARENTS_AT + 2 * node]:
                continue
            if hint == L.NOTHING:
                hint = _intern(net, complexity, digest)
            if hint == L.NOTHING or net[at + N.POOL_SIZE] > N.POOL_LIMIT:
                return
            pool = at + net[at + N.POOL_SIZE]
            _reach(net, at, 2 * node, -2 - hint, 0)
            for j in range(net[N.PARENT_COUNT]):
                net[pool + 3 + j] = net[N.PARENTS + j]
            net[pool] = net[N.PARENT_COUNT]
            net[at + N.POOL_SIZE] += net[N.PARENT_COUNT]
            if least == 0:
                net[N.OUTER_STAMP] += 1
                least = _count(net, at, pool, MOST)
            net[pool + 2] = least


@compiled(inline=True)
def _places(grid, unit, digit):
    return grid[L.UNIT_DIGITS + 9 * unit + digit]


@compiled(inline=True)
def _unit_of(tables, cell, kind):
    return tables[L.NODE_CONSTRAINTS + 36 * cell + kind] // 9 - 9


@compiled()
def _add_strikes_in(grid, tables, net, unit, digit, positions):
    """Add the eliminations of a digit at some positions of a unit."""
    rest = _places(grid, unit, digit) & positions
    while rest:
        _add_strike(net, 9 * cell_at(tables, unit, lowest_bit(tables, rest)) + digit)
        rest &= rest - 1


# Level 1: of the first of four patterns that stands anywhere, all eliminations.
@compiled()
def _use_patterns(state, grid, tables, net, at):
    """Enter what patterns eliminate. Returns whether there is any pattern."""
    return (
        _use_locked(state, grid, tables, net, at)
        or _use_hidden_pairs(state, grid, tables, net, at)
        or _use_naked_pairs(state, grid, tables, net, at)
        or _use_x_wings(state, grid, tables, net, at)
    )


@compiled()
def _use_locked(state, grid, tables, net, at):
    found = False
    for k in range(324):
        kinds, digit, index = k // 81, k // 9 % 9, k % 9
        unit = (L.FIRST_BOX if kinds < 2 else L.FIRST_COLUMN if kinds == 2 else L.FIRST_ROW) + index
        places = _places(grid, unit, digit)
        group = tables[L.SPOT_AT + 512 * unit + places]
        if group < 81:
            continue
        other = tables[L.NODE_CONSTRAINTS + 36 * group + (kinds >= 2)] // 9 - 9
        if kinds < 2 and (other < L.FIRST_COLUMN) != (kinds == 1):
            continue
        others = _places(grid, other, digit)
        if bit_count(tables, others) == bit_count(tables, places):
            continue
        found = True
        _new_parents(net)
        struck = _places(state, unit, digit) & ~places
        while struck:
            cell = cell_at(tables, unit, lowest_bit(tables, struck))
            struck &= struck - 1
            if _unit_of(tables, cell, other // 9) != other:
                _add_parent(net, at, 9 * cell + digit)
        while others:
            cell = cell_at(tables, other, lowest_bit(tables, others))
            others &= others - 1
            if _unit_of(tables, cell, unit // 9) != unit:
                _add_strike(net, 9 * cell + digit)
        _clear_cites(net)
        _cite(net, L.UNIT_DIGITS + 9 * unit + digit)
        _enter_strikes(net, at, 0, _mix(L.UNIT_DIGITS + 9 * unit + digit))
    return found


@compiled(inline=True)
def _unit_in_order(k):
    """The units in the order boxes, columns, rows."""
    return k + L.FIRST_BOX if k < 9 else k if k < 18 else k - 18


@compiled()
def _count_open(state, tables, unit):
    count = 0
    for position in range(9):
        count += state[cell_at(tables, unit, position)] != 0
    return count


@compiled()
def _use_hidden_pairs(state, grid, tables, net, at):
    found = False
    for k in range(27):
        unit = _unit_in_order(k)
        if _count_open(state, tables, unit) <= 4:
            continue
        for second in range(1, 9):
            places = _places(grid, unit, second)
            for first in range(second if bit_count(tables, places) == 2 else 0):
                if _places(grid, unit, first) != places:
                    continue
                a = L.UNIT_DIGITS + 9 * unit + first
                _begin_pattern(state, grid, tables, net, at, a, a + second - first)
                rest = places
                while rest:
                    cell = cell_at(tables, unit, lowest_bit(tables, rest))
                    rest &= rest - 1
                    _add_strikes_of_cell(grid, tables, net, cell, ~(1 << first | 1 << second))
                found = found or net[N.STRIKE_COUNT] > 0
                _enter_strikes(net, at, 0, _mix(1000 * a + second))
    return found


@compiled()
def _add_strikes_of_cell(grid, tables, net, cell, digits):
    """Add the eliminations of some digits of a cell."""
    rest = grid[cell] & digits
    while rest:
        _add_strike(net, 9 * cell + lowest_bit(tables, rest))
        rest &= rest - 1


@compiled()
def _begin_pattern(state, grid, tables, net, at, a, b):
    """Begin a pattern of two constraints."""
    _new_parents(net)
    _clear_cites(net)
    for constraint in (a, b):
        _add_struck(state, grid, tables, net, at, constraint)
        _cite(net, constraint)


@compiled()
def _use_naked_pairs(state, grid, tables, net, at):
    found = False
    for k in range(27):
        unit = _unit_in_order(k)
        if _count_open(state, tables, unit) < 4:
            continue
        for second in range(1, 9):
            b = cell_at(tables, unit, second)
            for first in range(second if bit_count(tables, grid[b]) == 2 else 0):
                a = cell_at(tables, unit, first)
                if grid[a] != grid[b]:
                    continue
                _begin_pattern(state, grid, tables, net, at, a, b)
                for position in range(9):
                    if position not in (first, second):
                        cell = cell_at(tables, unit, position)
                        _add_strikes_of_cell(grid, tables, net, cell, grid[a])
                found = found or net[N.STRIKE_COUNT] > 0
                _enter_strikes(net, at, 0, _mix(1000 * a + b))
    return found


@compiled()
def _use_x_wings(state, grid, tables, net, at):
    found = False
    for base in (L.FIRST_COLUMN, L.FIRST_ROW):
        crossing = L.FIRST_COLUMN - base
        for second in range(base + 1, base + 9):
            for first in range(base, second):
                for digit in range(9):
                    places = _places(grid, first, digit)
                    if bit_count(tables, places) != 2 or places != _places(grid, second, digit):
                        continue
                    placed = 0
                    for line in range(9):
                        placed += state[L.VALUES + L.UNIT_DIGITS + 9 * line + digit] != 0
                    if placed > 5:
                        continue
                    a = L.UNIT_DIGITS + 9 * first + digit
                    b = L.UNIT_DIGITS + 9 * second + digit
                    _begin_pattern(state, grid, tables, net, at, a, b)
                    outside = 511 & ~(1 << first % 9 | 1 << second % 9)
                    rest = places
                    while rest:
                        line = crossing + lowest_bit(tables, rest)
                        rest &= rest - 1
                        _add_strikes_in(grid, tables, net, line, digit, outside)
                    found = found or net[N.STRIKE_COUNT] > 0
                    _enter_strikes(net, at, 0, _mix(1000 * a + b))
    return found


# -- nested hints ----------------------------------------------------------------------------------
# Of all hints on the reduced candidates only those matter that are the first, in Sudoku Explainer's
# order, to eliminate a candidate. NESTED_BEST knows for each candidate the record of that hint.


@compiled(inline=True)
def _added(tables, complexity):
    """The tenths that a complexity adds to a rating."""
    added = 0
    while complexity > tables[L.COMPLEXITIES + added]:
        added += 1
    return added


@compiled(inline=True)
def _nested_key(tables, base, complexity, kind):
    """A number that orders hints by rating, complexity and kind."""
    rank = tables[L.RANKS + 32 * base + _added(tables, complexity)]
    return (rank * 4096 + complexity) * 8 + kind


@compiled()
def _begin_nested(net):
    for k in range(L.SINGLES):
        net[N.NESTED_BEST + k] = L.NOTHING
    net[N.RECORD_COUNT] = 0


@compiled(inline=True)
def _is_first(net, node, key):
    """Whether a hint is the first one to eliminate a candidate, so far."""
    record = net[N.NESTED_BEST + node]
    return record == L.NOTHING or key < net[N.RECORDS + N.RECORD_SIZE * record + N.RECORD_KEY]


@compiled()
def _is_wanted(grid, tables, net, signed, key):
    """Whether a hint that concludes a signed node is the first one for some elimination."""
    if not signed & 1:
        return _is_first(net, signed // 2, key)
    cell = signed // 18
    rest = grid[cell] & ~(1 << signed // 2 % 9)
    while rest:
        if _is_first(net, 9 * cell + lowest_bit(tables, rest), key):
            return True
        rest &= rest - 1
    return False


@compiled()
def _most_wanted(grid, tables, net, signed):
    """The highest complexity with which a hint of the same base may be wanted."""
    if not signed & 1:
        record = net[N.NESTED_BEST + signed // 2]
        if record == L.NOTHING:
            return MOST
        return net[N.RECORDS + N.RECORD_SIZE * record + N.RECORD_COMPLEXITY]
    most, cell = 0, signed // 18
    rest = grid[cell] & ~(1 << signed // 2 % 9)
    while rest:
        record = net[N.NESTED_BEST + 9 * cell + lowest_bit(tables, rest)]
        rest &= rest - 1
        if record == L.NOTHING:
            return MOST
        most = max(most, net[N.RECORDS + N.RECORD_SIZE * record + N.RECORD_COMPLEXITY])
    return most


@compiled()
def _record(net, key, complexity, signed, digest):
    """Record a hint with the citations of CITES. Returns its number or NOTHING."""
    number = net[N.RECORD_COUNT]
    if number == N.MAX_RECORDS:
        return L.NOTHING
    net[N.RECORD_COUNT] += 1
    record = N.RECORDS + N.RECORD_SIZE * number
    net[record + N.RECORD_KEY], net[record + N.RECORD_COMPLEXITY] = key, complexity
    net[record + N.RECORD_SIGNED], net[record + N.RECORD_WINS] = signed, 0
    net[record + N.RECORD_LOW] = digest & (1 << 30) - 1
    net[record + N.RECORD_HIGH] = digest >> 30 & (1 << 30) - 1
    for k in range(N.CITE_WORDS):
        net[record + N.RECORD_CITES + k] = net[N.CITES + k]
    return number


@compiled()
def _record_node(grid, tables, net, key, complexity, signed, digest):
    """Record a hint that concludes a signed node."""
    number = _record(net, key, complexity, signed, digest)
    if number == L.NOTHING:
        return
    if not signed & 1:
        net[N.NESTED_BEST + signed // 2] = number
        return
    cell = signed // 18
    rest = grid[cell] & ~(1 << signed // 2 % 9)
    while rest:
        node = 9 * cell + lowest_bit(tables, rest)
        rest &= rest - 1
        if _is_first(net, node, key):
            net[N.NESTED_BEST + node] = number


@compiled()
def _enter_nested(state, grid, tables, net, at):
    """Enter what the recorded hints eliminate, in their order. Returns whether there are any."""
    count = 0
    for node in range(L.SINGLES):
        number = net[N.NESTED_BEST + node]
        if number == L.NOTHING:
            continue
        record = N.RECORDS + N.RECORD_SIZE * number
        if net[record + N.RECORD_WINS]:
            continue
        net[record + N.RECORD_WINS] = 1
        place, key = count, net[record + N.RECORD_KEY]
        while place:
            other = net[N.SORTED + place - 1]
            other_key = net[N.RECORDS + N.RECORD_SIZE * other + N.RECORD_KEY]
            if other_key < key or (other_key == key and other < number):
                break
            net[N.SORTED + place] = net[N.SORTED + place - 1]
            place -= 1
        net[N.SORTED + place] = number
        count += 1
    for k in range(count):
        record = N.RECORDS + N.RECORD_SIZE * net[N.SORTED + k]
        _new_parents(net)
        for word in range(N.CITE_WORDS):
            cited = net[record + N.RECORD_CITES + word]
            net[N.CITES + word] = cited
            constraint = 30 * word
            while cited:
                if cited & 1:
                    _add_struck(state, grid, tables, net, at, constraint)
                cited >>= 1
                constraint += 1
        signed = net[record + N.RECORD_SIGNED]
        if signed == L.NOTHING:
            for j in range(net[record + N.RECORD_STRIKE_COUNT]):
                _add_strike(net, net[record + N.RECORD_STRIKES + j])
        elif signed & 1:
            _add_strikes_of_cell(grid, tables, net, signed // 18, ~(1 << signed // 2 % 9))
        else:
            _add_strike(net, signed // 2)
        digest = net[record + N.RECORD_LOW] + (net[record + N.RECORD_HIGH] << 30)
        _enter_strikes(net, at, net[record + N.RECORD_COMPLEXITY], digest)
    return count > 0


# Most reduced grids have no hint. Static links are symmetric: if a implies b, not b implies not a.
# So a candidate that any chain or cycle eliminates implies its own contrary by a chain that starts
# with it on. It is enough to know for each candidate which candidates on it implies.
@compiled()
def _imply(grid, tables, net, inner):
    """Find what each candidate on implies by static links. Returns whether any implies its contrary.

    Writes IMPLIED_ON, the candidates on, and EXCLUDED, the candidates off by one link, to `inner`.
    """
    count = 0
    for cell in range(81):
        mask = grid[cell]
        while mask:
            node = 9 * cell + lowest_bit(tables, mask)
            mask &= mask - 1
            if count == N.MAX_CANDIDATES:
                return True
            net[N.LEFT + count], net[N.INDEX_OF + node] = node, count
            count += 1
    net[N.LEFT_COUNT] = count
    words = (count + N.SET_BITS - 1) // N.SET_BITS
    for k in range(count * N.SET_WORDS):
        inner[N.EXCLUDED + k] = inner[N.STEPS_ON + k] = 0
    for index in range(count):
        node = net[N.LEFT + index]
        strong = 0
        for j in range(4):
            constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
            rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * node + j]
            if rest and rest & (rest - 1) == 0:
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                net[N.STRIKES + strong] = net[N.INDEX_OF + other]
                strong += 1
            while rest:
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                rest &= rest - 1
                i = net[N.INDEX_OF + other]
                inner[N.EXCLUDED + N.SET_WORDS * index + i // N.SET_BITS] |= 1 << i % N.SET_BITS
        if strong == 0:
            continue
        for word in range(words):
            rest_of_set = inner[N.EXCLUDED + N.SET_WORDS * index + word]
            i = N.SET_BITS * word
            while rest_of_set:
                while rest_of_set & 255 == 0:
                    rest_of_set >>= 8
                    i += 8
                if rest_of_set & 1:
                    for k in range(strong):
                        j = net[N.STRIKES + k]
                        inner[N.STEPS_ON + N.SET_WORDS * i + j // N.SET_BITS] |= 1 << j % N.SET_BITS
                rest_of_set >>= 1
                i += 1
    has_contrary = False
    for index in range(count):
        node = net[N.LEFT + index]
        at = N.IMPLIED_ON + N.SET_WORDS * index
        for word in range(words):
            inner[at + word] = inner[N.STEPS_ON + N.SET_WORDS * index + word]
        depth = 0
        for word in range(words):
            rest_of_set = inner[at + word]
            i = N.SET_BITS * word
            while rest_of_set:
                while rest_of_set & 255 == 0:
                    rest_of_set >>= 8
                    i += 8
                if rest_of_set & 1:
                    net[N.STACK + depth] = i
                    depth += 1
                rest_of_set >>= 1
                i += 1
        while depth:
            depth -= 1
            via = net[N.STACK + depth]
            is_known = via < index
            source = (N.IMPLIED_ON if is_known else N.STEPS_ON) + N.SET_WORDS * via
            for word in range(words):
                added = inner[source + word] & ~inner[at + word]
                if added == 0:
                    continue
                inner[at + word] |= added
                i = N.SET_BITS * word
                while added and not is_known:
                    while added & 255 == 0:
                        added >>= 8
                        i += 8
                    if added & 1:
                        net[N.STACK + depth] = i
                        depth += 1
                    added >>= 1
                    i += 1
        net[N.HAS_CONTRARY + node] = 0
        for word in range(words):
            if inner[at + word] & inner[N.EXCLUDED + N.SET_WORDS * index + word]:
                net[N.HAS_CONTRARY + node] = 1
                has_contrary = True
        net[N.IN_CYCLE + node] = inner[at + index // N.SET_BITS] >> index % N.SET_BITS & 1
    return has_contrary


# Where no chain is, a static following has no contradiction, so what it implies is known without
# following it: all that is on, and what this excludes.
@compiled()
def _imply_off(net, inner):
    """Find the candidates off that each candidate on implies: IMPLIED_OFF; complete IMPLIED_ON."""
    count = net[N.LEFT_COUNT]
    words = (count + N.SET_BITS - 1) // N.SET_BITS
    for index in range(count):
        at = N.SET_WORDS * index
        inner[N.IMPLIED_ON + at + index // N.SET_BITS] |= 1 << index % N.SET_BITS
        for word in range(words):
            inner[N.IMPLIED_OFF + at + word] = 0
        for word in range(words):
            rest = inner[N.IMPLIED_ON + at + word]
            i = N.SET_BITS * word
            while rest:
                while rest & 255 == 0:
                    rest >>= 8
                    i += 8
                if rest & 1:
                    for k in range(words):
                        inner[N.IMPLIED_OFF + at + k] |= inner[N.EXCLUDED + N.SET_WORDS * i + k]
                rest >>= 1
                i += 1


@compiled()
def _have_common(grid, tables, net, inner, constraint):
    """Whether all candidates of a constraint imply the same node, except one that is known."""
    words = (net[N.LEFT_COUNT] + N.SET_BITS - 1) // N.SET_BITS
    for word in range(words):
        rest = grid[constraint]
        on = off = (1 << N.SET_BITS) - 1
        while rest and on | off:
            node = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            at = N.SET_WORDS * net[N.INDEX_OF + node] + word
            on &= inner[N.IMPLIED_ON + at]
            off &= inner[N.IMPLIED_OFF + at]
        if off:
            return True
        i = N.SET_BITS * word
        while on:
            if on & 1 and _is_worth(grid, 2 * net[N.LEFT + i] + 1):
                return True
            on >>= 1
            i += 1
    return False


# Level 2: cycles and forcing chains, in which each node has one parent.
@compiled()
def _link(grid, tables, net):
    """List the links of all candidates."""
    strong = weak = 0
    for node in range(L.SINGLES):
        net[N.STRONG_FIRST + node] = strong
        net[N.STRONG_UNITS + node] = strong
        if not grid[node // 9] >> node % 9 & 1:
            continue
        for k in range(4):
            j = (k + 1) % 3 if k else 3
            constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
            rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * node + j]
            if rest and rest & (rest - 1) == 0:
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                is_new = True
                for i in range(net[N.STRONG_UNITS + node], strong):
                    is_new = is_new and net[N.STRONG + 2 * i] != other
                if is_new:
                    net[N.STRONG + 2 * strong], net[N.STRONG + 2 * strong + 1] = other, constraint
                    strong += 1
            if k == 0:
                net[N.STRONG_UNITS + node] = strong
    net[N.STRONG_FIRST + L.SINGLES] = strong
    for node in range(L.SINGLES):
        net[N.WEAK_FIRST + node] = net[N.WEAK_UNITS + node] = weak
        if not grid[node // 9] >> node % 9 & 1:
            continue
        for k in range(4):
            j = (k + 1) % 3 if k else 3
            constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
            rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * node + j]
            while rest:
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                rest &= rest - 1
                if (
                    k > 1
                    and other // 9 // 27 == node // 9 // 27
                    and (other // 9 % 9 // 3 == node // 9 % 9 // 3)
                ):
                    continue  # it is in the box
                if net[N.STRONG_FIRST + other] < net[N.STRONG_FIRST + other + 1]:
                    net[N.WEAK + weak] = other
                    weak += 1
            if k == 0:
                net[N.WEAK_UNITS + node] = weak
    net[N.WEAK_FIRST + L.SINGLES] = weak


@compiled()
def _record_chains(grid, tables, net):
    """Record cycles and forcing chains."""
    _link(grid, tables, net)
    for passing in range(1, 4):
        kind = X_KIND + passing - 1
        for start in range(L.SINGLES):
            mask = grid[start // 9]
            if not mask >> start % 9 & 1 or mask & (mask - 1) == 0:
                continue
            if passing != CELL_LINKS or bit_count(tables, mask) == 2:
                if net[N.IN_CYCLE + start]:
                    _record_cycles(grid, tables, net, start, passing, kind)
            if passing != CELL_LINKS:
                base = BASE_OF_CHAIN if passing == 3 else BASE_OF_X_CHAIN
                if net[N.HAS_CONTRARY + start]:
                    _record_chain(grid, tables, net, 2 * start + 1, passing, base, kind)
                rest, may_hold = mask & ~(1 << start % 9), True
                while rest:
                    other = start // 9 * 9 + lowest_bit(tables, rest)
                    rest &= rest - 1
                    may_hold = may_hold and net[N.HAS_CONTRARY + other] != 0
                if may_hold:
                    _record_chain(grid, tables, net, 2 * start, passing, base, kind)


@compiled()
def _record_chain(grid, tables, net, source, passing, base, kind):
    """Record the shortest chain from a signed node to its contrary."""
    goal = source ^ 1
    most = L.SINGLES
    if not _is_wanted(grid, tables, net, goal, _nested_key(tables, base, 4, kind)):
        return
    net[N.STAMP] += 1
    stamp = net[N.STAMP]
    head, tail = 0, 1
    net[N.QUEUE], net[N.STAMPS + source] = source, stamp
    net[N.TREE + 3 * source], net[N.TREE + 3 * source + 1] = L.NOTHING, L.NOTHING
    net[N.TREE + 3 * source + 2] = 1
    while head < tail and net[N.STAMPS + goal] != stamp:
        signed = net[N.QUEUE + head]
        head += 1
        node = signed // 2
        depth = net[N.TREE + 3 * signed + 2] + 1
        if depth > most:
            return
        if signed & 1:
            first = net[(N.WEAK_FIRST if passing & CELL_LINKS else N.WEAK_UNITS) + node]
            for k in range(first, net[N.WEAK_FIRST + node + 1]):
                other = 2 * net[N.WEAK + k]
                if net[N.STAMPS + other] != stamp:
                    net[N.STAMPS + other] = stamp
                    net[N.TREE + 3 * other] = signed
                    net[N.TREE + 3 * other + 1], net[N.TREE + 3 * other + 2] = L.NOTHING, depth
                    net[N.QUEUE + tail] = other
                    tail += 1
            if net[N.STAMPS + goal] != stamp and not goal & 1:
                # the goal may have no strong links, so it is not in the list
                if _has_weak(tables, node, goal // 2, passing):
                    net[N.STAMPS + goal] = stamp
                    net[N.TREE + 3 * goal] = signed
                    net[N.TREE + 3 * goal + 1], net[N.TREE + 3 * goal + 2] = L.NOTHING, depth
        else:
            first = net[(N.STRONG_FIRST if passing & CELL_LINKS else N.STRONG_UNITS) + node]
            for k in range(first, net[N.STRONG_FIRST + node + 1]):
                other = 2 * net[N.STRONG + 2 * k] + 1
                if net[N.STAMPS + other] != stamp:
                    net[N.STAMPS + other] = stamp
                    net[N.TREE + 3 * other] = signed
                    net[N.TREE + 3 * other + 1] = net[N.STRONG + 2 * k + 1]
                    net[N.TREE + 3 * other + 2] = depth
                    net[N.QUEUE + tail] = other
                    tail += 1
    if net[N.STAMPS + goal] != stamp:
        return
    complexity = net[N.TREE + 3 * goal + 2]
    key = _nested_key(tables, base, complexity, kind)
    if not _is_wanted(grid, tables, net, goal, key):
        return
    _clear_cites(net)
    digest, signed = 0, goal
    while signed != L.NOTHING:
        digest += _mix(signed)
        if net[N.TREE + 3 * signed + 1] != L.NOTHING:
            _cite(net, net[N.TREE + 3 * signed + 1])
        signed = net[N.TREE + 3 * signed]
    digest = _mix((digest ^ goal) & N.HASH_MASK)
    _record_node(grid, tables, net, key, complexity, goal, digest)


@compiled(inline=True)
def _has_weak(tables, node, other, passing):
    """Whether two candidates exclude each other, by links of the pass."""
    if node // 9 == other // 9:
        return node != other and passing & CELL_LINKS != 0
    return node % 9 == other % 9 and tables[L.SEES + 81 * (node // 9) + other // 9] != 0


# A node on is followed once; a node off also if it was reached before, but not by its descendants.
# So it is enough to know for each node on the node off that implies it, and the node on before that.
@compiled()
def _record_cycles(grid, tables, net, start, passing, kind):
    """Record the cycles from a candidate."""
    base = BASE_OF_CHAIN if passing == 3 else BASE_OF_X_CYCLE
    net[N.STAMP] += 1
    stamp = net[N.STAMP]
    net[N.STAMPS + 2 * start + 1] = stamp
    net[N.ON_VIA + start], net[N.ON_PARENT + start] = L.NOTHING, start
    net[N.QUEUE] = start
    head, tail, level_end, length = 0, 1, 1, 2
    while head < tail:
        if head == level_end:
            level_end, length = tail, length + 2
        on = net[N.QUEUE + head]
        head += 1
        first = net[(N.WEAK_FIRST if passing & CELL_LINKS else N.WEAK_UNITS) + on]
        for k in range(first, net[N.WEAK_FIRST + on + 1]):
            off = net[N.WEAK + k]
            first_strong = net[(N.STRONG_FIRST if passing & CELL_LINKS else N.STRONG_UNITS) + off]
            end_strong = net[(N.STRONG_FIRST + 1 if passing & UNIT_LINKS else N.STRONG_UNITS) + off]
            if first_strong == end_strong:
                continue
            ancestor = on
            while ancestor != start and net[N.ON_VIA + ancestor] != off:
                ancestor = net[N.ON_PARENT + ancestor]
            if ancestor != start:
                continue
            for j in range(first_strong, end_strong):
                other = net[N.STRONG + 2 * j]
                if other == start and length >= 4:
                    net[N.LAST_CONSTRAINT] = net[N.STRONG + 2 * j + 1]
                    _record_cycle(grid, tables, net, on, off, length, base, kind)
                elif net[N.STAMPS + 2 * other + 1] != stamp:
                    net[N.STAMPS + 2 * other + 1] = stamp
                    net[N.ON_PARENT + other], net[N.ON_VIA + other] = on, off
                    net[N.ON_CONSTRAINT + other] = net[N.STRONG + 2 * j + 1]
                    net[N.QUEUE + tail] = other
                    tail += 1


@compiled()
def _record_cycle(grid, tables, net, on, off, length, base, kind):
    """Record a cycle: what sees a node on and a node off of its digit, outside its cells."""
    key = _nested_key(tables, base, length, kind)
    net[N.MARK] += 3
    mark = net[N.MARK]
    _clear_cites(net)
    _cite(net, net[N.LAST_CONSTRAINT])
    digest, node, via = 0, on, off
    while via != L.NOTHING:
        net[N.CELL_MARKS + node // 9] = net[N.CELL_MARKS + via // 9] = mark
        digest += _mix(2 * via) + _mix(2 * node + 1)
        first = tables[L.EXCLUDED_FIRST + node] + 8
        for k in range(first, first + 20):
            net[N.NODE_MARKS + tables[k]] = mark
        via = net[N.ON_VIA + node]
        if via != L.NOTHING:
            _cite(net, net[N.ON_CONSTRAINT + node])
            node = net[N.ON_PARENT + node]
    count, is_wanted = 0, False
    node, via = on, off
    while via != L.NOTHING:
        first = tables[L.EXCLUDED_FIRST + via] + 8
        for k in range(first, first + 20):
            other = tables[k]
            if (
                net[N.NODE_MARKS + other] == mark
                and grid[other // 9] >> other % 9 & 1
                and net[N.CELL_MARKS + other // 9] != mark
            ):
                net[N.NODE_MARKS + other] = mark + 1
                is_wanted = is_wanted or _is_first(net, other, key)
                net[N.STRIKES + count] = other
                count += 1
        via = net[N.ON_VIA + node]
        node = net[N.ON_PARENT + node]
    if not is_wanted:
        return
    number = _record(net, key, length, L.NOTHING, _mix((digest ^ 5) & N.HASH_MASK))
    if number == L.NOTHING:
        return
    record = N.RECORDS + N.RECORD_SIZE * number
    # ascending, by insertion
    count = min(count, N.MAX_STRIKES)
    for k in range(count):
        node = net[N.STRIKES + k]
        if _is_first(net, node, key):
            net[N.NESTED_BEST + node] = number
        place = k
        while place and net[record + N.RECORD_STRIKES + place - 1] > node:
            net[record + N.RECORD_STRIKES + place] = net[record + N.RECORD_STRIKES + place - 1]
            place -= 1
        net[record + N.RECORD_STRIKES + place] = node
    net[record + N.RECORD_STRIKE_COUNT] = count


# Levels 3 and 4: multiple forcing chains, static or dynamic.
@compiled()
def _inner_slot(grid, inner, tables, net, node, how):
    """The slot of what follows on the reduced candidates if a candidate is on."""
    at = N.INNER_SLOTS + N.SLOT_SIZE * net[N.NUMBER + node]
    if net[N.INNER_FOLLOWED + node] != net[N.INNER_ROUND]:
        net[N.INNER_FOLLOWED + node] = net[N.INNER_ROUND]
        _follow(grid, inner, tables, net, at, 2 * node + 1, how)
    return at


@compiled()
def _record_multiple(grid, inner, tables, net, how, limit):
    """Record multiple (level 3) or dynamic forcing chains (level 4)."""
    base = BASE_OF_DYNAMIC if how & DYNAMIC else BASE_OF_MULTIPLE
    net[N.INNER_ROUND] += 1
    off_at = N.INNER_SLOTS + N.SLOT_SIZE * N.MAX_CANDIDATES
    for cell in range(81):
        count = bit_count(tables, grid[cell])
        if count < (2 if how & DYNAMIC else 3):
            continue
        digits = grid[cell]
        while digits:
            node = 9 * cell + lowest_bit(tables, digits)
            digits &= digits - 1
            if how & DYNAMIC:
                at = _inner_slot(grid, inner, tables, net, node, how)
                _record_contradiction(grid, tables, net, at, 2 * node + 1, base, limit)
                _follow(grid, inner, tables, net, off_at, 2 * node, how)
                _record_contradiction(grid, tables, net, off_at, 2 * node, base, limit)
                if count > 2:
                    _record_double(grid, tables, net, at, off_at, base, limit)
            for k in range(3):
                constraint = tables[L.NODE_CONSTRAINTS + 4 * node + (k + 2) % 3]
                mask = grid[constraint]
                first = candidate_at(tables, constraint, lowest_bit(tables, mask))
                if first == node and mask & (mask - 1):
                    _record_all(grid, inner, tables, net, constraint, how, base, limit)
        _record_all(grid, inner, tables, net, cell, how, base, limit)


@compiled()
def _record_contradiction(grid, tables, net, at, start, base, limit):
    """Record the contradiction of a slot."""
    conflict = net[at + N.CONFLICT]
    if conflict == L.NOTHING:
        return
    first, second = net[at + N.CONFLICT_AT], net[at + N.PARENTS_AT + (conflict ^ 1)]
    most = min(_most_wanted(grid, tables, net, start ^ 1), limit)
    if net[first + 2] + net[second + 2] > most:
        return
    complexity = _count(net, at, first, most) + _count(net, at, second, most)
    if complexity > most:
        return
    key = _nested_key(tables, base, complexity, CONTRADICTION)
    if _is_wanted(grid, tables, net, start ^ 1, key):
        _clear_cites(net)
        digest = _cite_chain(net, at, conflict, first)
        digest = digest * 3 + _cite_chain(net, at, conflict ^ 1, second)
        _record_node(grid, tables, net, key, complexity, start ^ 1, digest & N.HASH_MASK)


@compiled(inline=True)
def _reached(net, at, k):
    """Node `k` of a slot: the nodes on, then the nodes off."""
    count = net[at + N.ON_COUNT]
    if k < count:
        return 2 * net[at + N.ON_ORDER + k] + 1
    return 2 * net[at + N.OFF_ORDER + k - count]


@compiled(inline=True)
def _is_worth(grid, signed):
    """Whether a conclusion changes the candidates."""
    mask = grid[signed // 18]
    return not signed & 1 or mask & (mask - 1) != 0


@compiled()
def _record_double(grid, tables, net, on_at, off_at, base, limit):
    """Record what a candidate implies on and off."""
    for k in range(net[on_at + N.ON_COUNT] + net[on_at + N.OFF_COUNT]):
        signed = _reached(net, on_at, k)
        second = net[off_at + N.PARENTS_AT + signed]
        if second == 0 or not _is_worth(grid, signed):
            continue
        first = net[on_at + N.PARENTS_AT + signed]
        most = min(_most_wanted(grid, tables, net, signed), limit)
        if net[first + 2] + net[second + 2] > most:
            continue
        complexity = _count(net, on_at, first, most)
        complexity += _count(net, off_at, second, most - complexity)
        if complexity > most:
            continue
        key = _nested_key(tables, base, complexity, DOUBLE)
        if _is_wanted(grid, tables, net, signed, key):
            _clear_cites(net)
            digest = _cite_chain(net, on_at, signed, first)
            digest = digest * 3 + _cite_chain(net, off_at, signed, second)
            _record_node(grid, tables, net, key, complexity, signed, digest & N.HASH_MASK)


@compiled()
def _record_all(grid, inner, tables, net, constraint, how, base, limit):
    """Record what all candidates of a constraint imply."""
    if not how & DYNAMIC and not _have_common(grid, tables, net, inner, constraint):
        return
    kind = CELL_KIND if constraint < L.UNIT_DIGITS else REGION_KIND
    mask = grid[constraint]
    rest = mask
    while rest:
        node = candidate_at(tables, constraint, lowest_bit(tables, rest))
        rest &= rest - 1
        _inner_slot(grid, inner, tables, net, node, how)
    first = candidate_at(tables, constraint, lowest_bit(tables, mask))
    first_at = N.INNER_SLOTS + N.SLOT_SIZE * net[N.NUMBER + first]
    for k in range(net[first_at + N.ON_COUNT] + net[first_at + N.OFF_COUNT]):
        signed = _reached(net, first_at, k)
        rest = mask & (mask - 1)
        is_common = True
        least = _least(net, first_at, signed)
        while rest and is_common:
            node = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            pool = net[N.INNER_SLOTS + N.SLOT_SIZE * net[N.NUMBER + node] + N.PARENTS_AT + signed]
            is_common = pool != 0
            least += net[pool + 2]
        if not is_common or not _is_worth(grid, signed):
            continue
        most = min(_most_wanted(grid, tables, net, signed), limit)
        if least > most:
            continue
        complexity, rest = 0, mask
        while rest and complexity <= most:
            node = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            at = N.INNER_SLOTS + N.SLOT_SIZE * net[N.NUMBER + node]
            complexity += _count(net, at, net[at + N.PARENTS_AT + signed], most - complexity)
        if complexity > most:
            continue
        key = _nested_key(tables, base, complexity, kind)
        if not _is_wanted(grid, tables, net, signed, key):
            continue
        _clear_cites(net)
        _cite(net, constraint)
        digest, rest = 0, mask
        while rest:
            node = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            at = N.INNER_SLOTS + N.SLOT_SIZE * net[N.NUMBER + node]
            digest = digest * 3 + _cite_chain(net, at, signed, net[at + N.PARENTS_AT + signed])
            digest &= N.HASH_MASK
        _record_node(grid, tables, net, key, complexity, signed, digest)


# -- the producers ---------------------------------------------------------------------------------


@compiled(inline=True)
def _slot(net, signed):
    """The slot of an assumption."""
    return N.OUTER_SLOTS + N.SLOT_SIZE * (2 * net[N.NUMBER + signed // 2] + (signed & 1))


@compiled()
def _extend(state, grid, inner, tables, net, signed, level):
    """Continue a slot up to the end of a level, or to where all nodes are too complex."""
    at = _slot(net, signed)
    net[N.EXTENDED + signed] = net[N.PASS]
    if level == 0:
        _follow(state, grid, tables, net, at, signed, DYNAMIC_LINKS)
        net[at + N.ON_HEAD], net[at + N.OFF_HEAD] = net[at + N.ON_COUNT], net[at + N.OFF_COUNT]
        net[at + N.NEXT_LEAST] = net[at + N.DONE_LEVEL] = 0
        return
    if net[at + N.CONFLICT] != L.NOTHING or net[at + N.DONE_LEVEL] >= level:
        return
    if net[at + N.NEXT_LEAST] >= net[N.BEST_COMPLEXITY]:
        net[N.IS_CUT] = 1
        return
    _reduce(state, grid, tables, net, at)
    is_old = net[at + N.NEXT_LEAST] == 0
    while True:
        if net[at + N.OFF_HEAD] == net[at + N.OFF_COUNT]:
            # a level before found no pattern where it ended
            found = (level == 1 or not is_old) and _use_patterns(state, grid, tables, net, at)
            if not found and level >= 2:
                net[N.WORK] += 1
                _begin_nested(net)
                if level < 4 and _imply(grid, tables, net, inner):
                    _record_chains(grid, tables, net)
                    found = _enter_nested(state, grid, tables, net, at)
                if not found and level >= 3:
                    if level == 3:
                        _imply_off(net, inner)
                    how = DYNAMIC_LINKS if level == 4 else STATIC_LINKS
                    _record_multiple(grid, inner, tables, net, how, MOST)
                    _enter_nested(state, grid, tables, net, at)
            is_old = False
            if net[at + N.OFF_HEAD] == net[at + N.OFF_COUNT]:
                net[at + N.NEXT_LEAST] = 0
                break
            least = MOST
            for k in range(net[at + N.OFF_HEAD], net[at + N.OFF_COUNT]):
                least = min(least, _least(net, at, 2 * net[at + N.OFF_ORDER + k]))
            net[at + N.NEXT_LEAST] = least
            if least >= net[N.BEST_COMPLEXITY]:
                net[N.IS_CUT] = 1
                return
        on_head, off_head = net[at + N.ON_HEAD], net[at + N.OFF_HEAD]
        _propagate(state, grid, tables, net, at, on_head, off_head, DYNAMIC_LINKS)
        if net[at + N.CONFLICT] != L.NOTHING:
            return
        net[at + N.ON_HEAD], net[at + N.OFF_HEAD] = net[at + N.ON_COUNT], net[at + N.OFF_COUNT]
        if net[at + N.POOL_SIZE] > N.POOL_LIMIT:
            break
    net[at + N.DONE_LEVEL] = level
    if level == 1:
        net[at + N.SAVED_ON], net[at + N.SAVED_OFF] = net[at + N.ON_COUNT], net[at + N.OFF_COUNT]
        net[at + N.SAVED_POOL] = net[at + N.POOL_SIZE]


@compiled()
def _number_candidates(state, tables, net):
    """Number the candidates that may start. Returns whether there are few enough."""
    count = 0
    for node in range(L.SINGLES):
        mask = state[node // 9]
        net[N.EXTENDED + node] = net[N.EXTENDED + L.SINGLES + node] = L.NOTHING
        net[N.NUMBER + node] = L.NOTHING
        if mask >> node % 9 & 1 and mask & (mask - 1):
            if count == N.MAX_CANDIDATES:
                return False
            net[N.NUMBER + node] = count
            count += 1
    return True


@compiled()
def find_dynamic(state, grid, inner, tables, step, net, level):
    """Find the best dynamic forcing chain of a level.

    Returns its rating in tenths, 0 if there is none, or PAUSED: the search goes on where it was
    left if the function is called again.
    """
    if net[N.PAUSED_LEVEL] != level + 1:
        net[N.PAUSED_LEVEL] = level + 1
        if level == 0 and not _number_candidates(state, tables, net):
            return 0
        if level == 1:
            _forget_hints(net)
        if level == 4:
            for signed in range(2 * L.SINGLES):
                if net[N.NUMBER + signed // 2] != L.NOTHING:
                    _cut(net, _slot(net, signed))
        _start_pass(net, N.FIRST_LIMIT if level >= 2 else MOST)
    net[N.WORK] = 0
    while True:
        for node in range(net[N.NEXT], L.SINGLES):
            net[N.NEXT] = node
            if net[N.NUMBER + node] == L.NOTHING:
                continue
            if not _extend_all(state, grid, inner, tables, net, node, level):
                return PAUSED
            _try_candidate(state, tables, net, node)
        if net[N.BEST_SOURCE] != L.NOTHING:
            net[N.PAUSED_LEVEL] = 0
            _conclude(state, tables, step, net)
            added = _added(tables, net[N.BEST_COMPLEXITY])
            return tables[L.BASE_TENTHS + BASE_OF_DYNAMIC + level] + added
        if net[N.LIMIT] == MOST:
            net[N.PAUSED_LEVEL] = 0
            return 0
        _start_pass(net, net[N.LIMIT] + net[N.LIMIT] // 4 if net[N.IS_CUT] else MOST)


@compiled()
def _start_pass(net, limit):
    """Start to search all hints up to a limit of complexity."""
    net[N.PASS] += 1
    net[N.NEXT] = net[N.IS_CUT] = 0
    net[N.LIMIT] = limit
    net[N.BEST_COMPLEXITY], net[N.BEST_KIND] = limit + 1, 0
    net[N.BEST_SOURCE] = L.NOTHING


@compiled()
def _extend_all(state, grid, inner, tables, net, node, level):
    """Extend all slots that a candidate needs. Returns False if it is time for a pause."""
    for signed in (2 * node + 1, 2 * node):
        if net[N.EXTENDED + signed] != net[N.PASS]:
            if net[N.WORK] >= N.MAX_WORK:
                return False
            _extend(state, grid, inner, tables, net, signed, level)
    for k in range(3):
        constraint = tables[L.NODE_CONSTRAINTS + 4 * node + (k + 2) % 3]
        rest = state[constraint]
        if candidate_at(tables, constraint, lowest_bit(tables, rest)) != node:
            continue
        while rest:
            other = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            if net[N.NUMBER + other] != L.NOTHING and (
                net[N.EXTENDED + 2 * other + 1] != net[N.PASS]
            ):
                if net[N.WORK] >= N.MAX_WORK:
                    return False
                _extend(state, grid, inner, tables, net, 2 * other + 1, level)
    return True


@compiled()
def _try_candidate(state, tables, net, node):
    """Try all hints that Sudoku Explainer finds when it comes to a candidate."""
    cell = node // 9
    mask = state[cell]
    _try_contradiction(net, 2 * node + 1)
    _try_contradiction(net, 2 * node)
    if bit_count(tables, mask) > 2:
        _try_double(state, net, node)
    for k in range(3):
        constraint = tables[L.NODE_CONSTRAINTS + 4 * node + (k + 2) % 3]
        places = state[constraint]
        first = candidate_at(tables, constraint, lowest_bit(tables, places))
        if first == node and places & (places - 1):
            _try_all(state, tables, net, constraint)
    if mask >> node % 9 == 1:
        _try_all(state, tables, net, cell)


@compiled(inline=True)
def _is_better(net, complexity, kind):
    """Whether a hint precedes the best one so far."""
    if complexity != net[N.BEST_COMPLEXITY]:
        return complexity < net[N.BEST_COMPLEXITY]
    return kind < net[N.BEST_KIND]


@compiled(inline=True)
def _note(net, complexity, kind, a, signed):
    """Note a hint as the best so far."""
    net[N.BEST_COMPLEXITY], net[N.BEST_KIND] = complexity, kind
    net[N.BEST_SOURCE], net[N.BEST_SIGNED] = a, signed


@compiled()
def _try_contradiction(net, start):
    """Note the contradiction that an assumption leads to, if it is the best hint."""
    at = _slot(net, start)
    conflict = net[at + N.CONFLICT]
    if conflict == L.NOTHING:
        return
    first, second = net[at + N.CONFLICT_AT], net[at + N.PARENTS_AT + (conflict ^ 1)]
    most = net[N.BEST_COMPLEXITY]
    if max(net[first + 2], net[second + 2]) + 1 > most:
        return
    net[N.OUTER_STAMP] += 1
    complexity = _count(net, at, first, most)
    complexity += _count(net, at, second, most - complexity)
    if _is_better(net, complexity, CONTRADICTION):
        _note(net, complexity, CONTRADICTION, start, conflict)


@compiled()
def _try_double(state, net, node):
    """Note what a candidate implies on and off, if it is the best hint."""
    on_at, off_at = _slot(net, 2 * node + 1), _slot(net, 2 * node)
    for k in range(net[on_at + N.ON_COUNT] + net[on_at + N.OFF_COUNT]):
        signed = _reached(net, on_at, k)
        second = net[off_at + N.PARENTS_AT + signed]
        if second == 0 or not _is_worth(state, signed):
            continue
        first, most = net[on_at + N.PARENTS_AT + signed], net[N.BEST_COMPLEXITY]
        if max(net[first + 2], net[second + 2]) + 1 > most:
            continue
        net[N.OUTER_STAMP] += 1
        complexity = _count(net, on_at, first, most)
        complexity += _count(net, off_at, second, most - complexity)
        if _is_better(net, complexity, DOUBLE):
            _note(net, complexity, DOUBLE, node, signed)


@compiled()
def _try_all(state, tables, net, constraint):
    """Note what all candidates of a constraint imply, if it is the best hint."""
    kind = CELL_KIND if constraint < L.UNIT_DIGITS else REGION_KIND
    mask = state[constraint]
    rest = mask
    while rest:
        node = candidate_at(tables, constraint, lowest_bit(tables, rest))
        rest &= rest - 1
        if net[N.NUMBER + node] == L.NOTHING:
            return
    first_at = _slot(net, 2 * candidate_at(tables, constraint, lowest_bit(tables, mask)) + 1)
    for k in range(net[first_at + N.ON_COUNT] + net[first_at + N.OFF_COUNT]):
        signed = _reached(net, first_at, k)
        if not _is_worth(state, signed):
            continue
        most = net[N.BEST_COMPLEXITY]
        rest, longest, is_common = mask, 0, True
        while rest and is_common:
            node = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            pool = net[_slot(net, 2 * node + 1) + N.PARENTS_AT + signed]
            is_common = pool != 0
            longest = max(longest, net[pool + 2])
        if not is_common or longest + bit_count(tables, mask) - 1 > most:
            continue
        net[N.OUTER_STAMP] += 1
        complexity, rest = 0, mask
        while rest and complexity <= most:
            node = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            at = _slot(net, 2 * node + 1)
            complexity += _count(net, at, net[at + N.PARENTS_AT + signed], most - complexity)
        if _is_better(net, complexity, kind):
            _note(net, complexity, kind, constraint, signed)


@compiled()
def _conclude(state, tables, step, net):
    """Write the best hint to the step."""
    reset_step(step)
    source, signed, kind = net[N.BEST_SOURCE], net[N.BEST_SIGNED], net[N.BEST_KIND]
    _clear_cites(net)
    if kind == CONTRADICTION:
        at = _slot(net, source)
        _cite_chain(net, at, signed, net[at + N.CONFLICT_AT])
        _cite_chain(net, at, signed ^ 1, net[at + N.PARENTS_AT + (signed ^ 1)])
        signed = source ^ 1
    elif kind == DOUBLE:
        _cite(net, source // 9)
        for start in (2 * source, 2 * source + 1):
            at = _slot(net, start)
            _cite_chain(net, at, signed, net[at + N.PARENTS_AT + signed])
    else:
        _cite(net, source)
        rest = state[source]
        while rest:
            at = _slot(net, 2 * candidate_at(tables, source, lowest_bit(tables, rest)) + 1)
            rest &= rest - 1
            _cite_chain(net, at, signed, net[at + N.PARENTS_AT + signed])
    for constraint in range(L.CONSTRAINTS):
        if net[N.CITES + constraint // 30] >> constraint % 30 & 1:
            append_new(step, L.CITED, constraint)
    append_new(step, L.PLACED if signed & 1 else L.ELIMINATED, signed // 2)
