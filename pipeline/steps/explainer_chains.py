"""The chains of Sudoku Explainer 1.2.1: cycles, forcing chains, Nishio, multiple and dynamic ones.

All hints of a producer are found, and the one with the lowest rating is taken, then the shortest.
A chain starts with an assumption: a candidate is *on* (it holds) or *off* (it does not). A node on
implies nodes off by weak links, a node off implies nodes on by strong links. Dynamically, each node
off is struck from a copy of the candidates, so that later strong links may depend on several nodes.

What follows from an assumption is written to a *slot* of `web`: the nodes in the order in which
they are reached, and for each its parents, all of which together imply it. `layout` describes the
arrays; a signed node is 2 · candidate + 1 for on, 2 · candidate for off.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import (
    append_new,
    bit_count,
    candidate_at,
    lowest_bit,
    reset_step,
    sees,
)

UNIT_LINKS, CELL_LINKS, BY_LEVELS, STOPS, DYNAMIC = 1, 2, 4, 8, 16
"""How to follow an assumption, as bits.

- UNIT_LINKS: a digit with two places in a unit is a strong link.
- CELL_LINKS: a cell with two candidates is a strong link; a node on implies that the other
  candidates of its cell are off.
- BY_LEVELS: all nodes on are followed, then all nodes off; else nodes on come first.
- STOPS: stop at the first contradiction.
- DYNAMIC: strike the nodes that are off.
"""

MULTIPLE = UNIT_LINKS | CELL_LINKS | STOPS
"""How multiple forcing chains follow an assumption."""

DOUBLE, X_KIND, Y_KIND, MIXED_KIND, CELL_KIND, REGION_KIND, CONTRADICTION = range(1, 8)
"""Kinds of hints; of equal ones, the first kind is taken."""

MAX_PARENTS = 9


@compiled()
def follow(state, scratch, tables, web, slot, start, goal, most, how):
    """Write what follows from a signed node to a slot, up to `goal` or, BY_LEVELS, `most` levels.

    CONFLICT of the slot is the node that contradicts another one, or NOTHING.
    """
    at = L.SLOTS + L.SLOT_SIZE * slot
    for k in range(at, at + L.ON_ORDER):
        web[k] = 0
    web[at + L.CONFLICT] = L.NOTHING
    grid = scratch if how & DYNAMIC else state
    for k in range(L.CONSTRAINTS if how & DYNAMIC else 0):
        grid[k] = state[k]
    web[at + L.POOL_SIZE] = 1
    _reach(web, at, start, L.NOTHING)
    on_head = off_head = 0
    is_on_phase = True
    while True:
        has_on, has_off = on_head < web[at + L.ON_COUNT], off_head < web[at + L.OFF_COUNT]
        if not has_on and not has_off:
            return
        if how & BY_LEVELS:
            was_on_phase = is_on_phase
            is_on_phase = has_on if is_on_phase else not has_off
            most -= was_on_phase != is_on_phase
            if most < 0:
                return
        else:
            is_on_phase = has_on
        if is_on_phase:
            candidate = web[at + L.ON_ORDER + on_head]
            on_head += 1
            if how & CELL_LINKS and not _imply_off(
                grid, tables, web, at, candidate, candidate // 9, how
            ):
                return
            for k in range(3):
                constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + (k + 2) % 3]
                if not _imply_off(grid, tables, web, at, candidate, constraint, how):
                    return
        else:
            candidate = web[at + L.OFF_ORDER + off_head]
            off_head += 1
            if how & CELL_LINKS and not _imply_on(
                state, grid, tables, web, at, candidate, candidate // 9, how
            ):
                return
            for k in range(3 if how & UNIT_LINKS else 0):
                constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + (k + 2) % 3]
                if not _imply_on(state, grid, tables, web, at, candidate, constraint, how):
                    return
            if how & DYNAMIC:
                for k in range(4 * candidate, 4 * candidate + 4):
                    grid[tables[L.NODE_CONSTRAINTS + k]] &= ~tables[L.NODE_MASKS + k]
        if goal != L.NOTHING and web[at + L.PARENTS_AT + goal]:
            return


@compiled()
def _reach(web, at, signed, constraint):
    """Enter a node that is reached; its parents are appended to the pool afterwards."""
    pool = web[at + L.POOL_SIZE]
    web[at + L.PARENTS_AT + signed] = pool
    web[at + L.POOL + pool], web[at + L.POOL + pool + 1] = 0, constraint
    web[at + L.POOL + pool + 2] = 1
    web[at + L.POOL_SIZE] = pool + 3
    order, count = (L.ON_ORDER, L.ON_COUNT) if signed & 1 else (L.OFF_ORDER, L.OFF_COUNT)
    web[at + order + web[at + count]] = signed // 2
    web[at + count] += 1


@compiled()
def _conflict(web, at, signed, constraint):
    """Enter a node whose contrary is reached."""
    pool = web[at + L.POOL_SIZE]
    web[at + L.CONFLICT], web[at + L.CONFLICT_AT] = signed, pool
    web[at + L.POOL + pool], web[at + L.POOL + pool + 1] = 0, constraint
    web[at + L.POOL + pool + 2] = 1
    web[at + L.POOL_SIZE] = pool + 3


@compiled(inline=True)
def _add_parent(web, at, parent):
    """Append a parent to the node that was entered last."""
    last, pool = web[at + L.LAST], web[at + L.POOL_SIZE]
    depth = web[at + L.POOL + web[at + L.PARENTS_AT + parent] + 2] + 1
    web[at + L.POOL + last] += 1
    web[at + L.POOL + last + 2] = max(web[at + L.POOL + last + 2], depth)
    web[at + L.POOL + pool] = parent
    web[at + L.POOL_SIZE] = pool + 1


@compiled()
def _imply_off(grid, tables, web, at, candidate, constraint, how):
    """Enter the other candidates of a constraint as off. Returns False at a contradiction."""
    rest = grid[constraint]
    while rest:
        other = candidate_at(tables, constraint, lowest_bit(tables, rest))
        rest &= rest - 1
        if other == candidate:
            continue
        is_conflict = how & STOPS and web[at + L.PARENTS_AT + 2 * other + 1]
        if not is_conflict and web[at + L.PARENTS_AT + 2 * other]:
            continue
        web[at + L.LAST] = web[at + L.POOL_SIZE]
        if is_conflict:
            _conflict(web, at, 2 * other, L.NOTHING)
        else:
            _reach(web, at, 2 * other, L.NOTHING)
        _add_parent(web, at, 2 * candidate + 1)
        if is_conflict:
            return False
    return True


@compiled()
def _imply_on(state, grid, tables, web, at, candidate, constraint, how):
    """Enter the other one of two candidates of a constraint as on. Returns False at a contradiction."""
    if bit_count(tables, grid[constraint]) != 2:
        return True
    rest = grid[constraint]
    other = candidate_at(tables, constraint, lowest_bit(tables, rest))
    if other == candidate:
        other = candidate_at(tables, constraint, lowest_bit(tables, rest & (rest - 1)))
    is_conflict = how & STOPS and web[at + L.PARENTS_AT + 2 * other]
    if not is_conflict and web[at + L.PARENTS_AT + 2 * other + 1]:
        return True
    web[at + L.LAST] = web[at + L.POOL_SIZE]
    if is_conflict:
        _conflict(web, at, 2 * other + 1, constraint)
    else:
        _reach(web, at, 2 * other + 1, constraint)
    _add_parent(web, at, 2 * candidate)
    struck = state[constraint] & ~grid[constraint]
    while struck:
        _add_parent(web, at, 2 * candidate_at(tables, constraint, lowest_bit(tables, struck)))
        struck &= struck - 1
    return not is_conflict


@compiled()
def count_nodes(web, at, pool, most):
    """The number of nodes of a chain: one whose parents are at `pool`, and all its ancestors.

    Stops counting above `most`.
    """
    web[L.STAMP] += 1
    if web[L.STAMP] == 32767:
        for k in range(2 * L.SINGLES):
            web[L.STAMPS + k] = 0
        web[L.STAMP] = 1
    stamp, count, depth = web[L.STAMP], 1, 0
    while True:
        for k in range(pool + 3, pool + 3 + web[at + L.POOL + pool]):
            parent = web[at + L.POOL + k]
            if web[L.STAMPS + parent] != stamp:
                web[L.STAMPS + parent] = stamp
                web[L.STACK + depth] = web[at + L.PARENTS_AT + parent]
                depth += 1
                count += 1
        if depth == 0 or count > most:
            return count
        depth -= 1
        pool = web[L.STACK + depth]


@compiled()
def cite(web, step, at, pool):
    """Cite the strong links of a chain."""
    most = 4 * L.SINGLES
    count_nodes(web, at, pool, most)
    constraint = web[at + L.POOL + pool + 1]
    if constraint != L.NOTHING:
        append_new(step, L.CITED, constraint)
    for signed in range(2 * L.SINGLES):
        if web[L.STAMPS + signed] == web[L.STAMP] and web[at + L.PARENTS_AT + signed]:
            constraint = web[at + L.POOL + web[at + L.PARENTS_AT + signed] + 1]
            if constraint != L.NOTHING:
                append_new(step, L.CITED, constraint)


@compiled(inline=True)
def _added(tables, complexity):
    """The tenths that a complexity adds to a rating."""
    added = 0
    while complexity > tables[L.COMPLEXITIES + added]:
        added += 1
    return added


@compiled()
def _is_better(web, tables, base, complexity, kind):
    """Whether a hint precedes the best one so far; then it is noted as the best."""
    rank = tables[L.RANKS + 32 * base + _added(tables, complexity)]
    if web[L.BEST_RANK] == L.NOTHING or rank != web[L.BEST_RANK]:
        return web[L.BEST_RANK] == L.NOTHING or rank < web[L.BEST_RANK]
    if complexity != web[L.BEST_COMPLEXITY]:
        return complexity < web[L.BEST_COMPLEXITY]
    return kind < web[L.BEST_KIND]


@compiled()
def _longest(web, tables, base, kind):
    """The highest complexity of a hint that is better than the best one so far."""
    if web[L.BEST_RANK] == L.NOTHING:
        return 2 * L.SINGLES
    complexity = 0
    for added in range(16):  # within one rating, the best complexity decides
        if tables[L.RANKS + 32 * base + added] < web[L.BEST_RANK]:
            complexity = tables[L.COMPLEXITIES + added]
        elif tables[L.RANKS + 32 * base + added] == web[L.BEST_RANK]:
            same = web[L.BEST_COMPLEXITY] - (kind >= web[L.BEST_KIND])
            complexity = max(complexity, min(same, tables[L.COMPLEXITIES + added]))
    return complexity


@compiled()
def _note(web, tables, base, complexity, kind, a, b, c):
    """Note a hint as the best so far, with three numbers to find it again."""
    web[L.BEST_RANK] = tables[L.RANKS + 32 * base + _added(tables, complexity)]
    web[L.BEST_COMPLEXITY], web[L.BEST_KIND], web[L.BEST_BASE] = complexity, kind, base
    web[L.BEST_A], web[L.BEST_B], web[L.BEST_C] = a, b, c


@compiled()
def _conclude_node(state, step, signed):
    """Conclude that a signed node is so. Returns whether that changes the state."""
    candidate = signed // 2
    if signed & 1:
        append_new(step, L.PLACED, candidate)
        return state[candidate // 9] & (state[candidate // 9] - 1) != 0
    append_new(step, L.ELIMINATED, candidate)
    return True


# Producer 21. A cycle of alternating links, in which of each two neighbours exactly one holds: what
# sees a node on and a node off of its digit is struck. Or a chain from a node to its contrary.
BASE_OF_X_CYCLE, BASE_OF_X_CHAIN, BASE_OF_CHAIN, BASE_OF_NISHIO, BASE_OF_MULTIPLE = range(5)
BASE_OF_DYNAMIC, BASE_OF_PLUS, BASE_OF_NESTED_2, BASE_OF_NESTED_3, BASE_OF_NESTED_4 = range(5, 10)


@compiled()
def find_chain(state, tables, step, web):
    """Find the best cycle or forcing chain: 6.5, 6.6 or 7.0 and its length."""
    web[L.BEST_RANK] = L.NOTHING
    for passing in range(1, 4):
        kind = X_KIND + passing - 1
        cycle_base = BASE_OF_CHAIN if passing == 3 else BASE_OF_X_CYCLE
        chain_base = BASE_OF_CHAIN if passing == 3 else BASE_OF_X_CHAIN
        for start in range(L.SINGLES):
            mask = state[start // 9]
            if not mask >> start % 9 & 1 or mask & (mask - 1) == 0:
                continue
            if passing != 2 or bit_count(tables, mask) == 2:
                _find_cycles(state, tables, step, web, start, passing, cycle_base, kind)
            if passing == 2:
                continue
            for is_on in (1, 0):
                source = 2 * start + is_on
                goal = 2 * start + 1 - is_on
                most = _longest(web, tables, chain_base, kind)
                follow(state, state, tables, web, 0, source, goal, most, passing | BY_LEVELS)
                pool = web[L.SLOTS + L.PARENTS_AT + goal]
                if pool:
                    complexity = count_nodes(web, L.SLOTS, pool, 2 * L.SINGLES)
                    if _is_better(web, tables, chain_base, complexity, kind):
                        reset_step(step)
                        if _conclude_node(state, step, goal):
                            _note(web, tables, chain_base, complexity, kind, source, goal, passing)
    if web[L.BEST_RANK] == L.NOTHING:
        return 0
    reset_step(step)
    source, goal, passing = web[L.BEST_A], web[L.BEST_B], web[L.BEST_C]
    if goal == L.NOTHING:
        web[L.BEST_RANK] = L.NOTHING
        base, kind = web[L.BEST_BASE], web[L.BEST_KIND]
        complexity = web[L.BEST_COMPLEXITY]
        _find_cycles(state, tables, step, web, source, passing, base, kind)
        if web[L.BEST_COMPLEXITY] != complexity:
            return 0
        _conclude_cycle(state, tables, step, web, web[L.CYCLE_END], web[L.CYCLE_VIA], passing)
    else:
        follow(state, state, tables, web, 0, source, goal, L.SINGLES, passing | BY_LEVELS)
        cite(web, step, L.SLOTS, web[L.SLOTS + L.PARENTS_AT + goal])
        _conclude_node(state, step, goal)
    return rating_of(web, tables)


@compiled()
def rating_of(web, tables):
    """The rating in tenths of the best hint."""
    return tables[L.BASE_TENTHS + web[L.BEST_BASE]] + _added(tables, web[L.BEST_COMPLEXITY])


# A node on is followed once; a node off also if it was reached before, but not by its descendants.
# So it is enough to know for each node on the node off that implies it, and the node on before that.
@compiled()
def _find_cycles(state, tables, step, web, start, passing, base, kind):
    """Note the best cycle from a candidate, if it is better than the best hint so far."""
    for k in range(L.SINGLES):
        web[L.ON_PARENT + k] = L.NOTHING
    web[L.ON_PARENT + start], web[L.ON_VIA + start] = start, L.NOTHING
    web[L.QUEUE_ON] = start
    head, tail, length = 0, 1, 0
    while head < tail:
        length += 2
        if not _is_better(web, tables, base, max(length, 4), kind):
            return
        level_end = tail
        pending = 0
        while head < level_end:
            on = web[L.QUEUE_ON + head]
            head += 1
            for k in range(0 if passing & CELL_LINKS else 1, 4):
                constraint = on // 9
                if k:
                    constraint = tables[L.NODE_CONSTRAINTS + 4 * on + (k + 1) % 3]
                rest = state[constraint]
                while rest:
                    off = candidate_at(tables, constraint, lowest_bit(tables, rest))
                    rest &= rest - 1
                    if off == on or (k > 1 and _is_before(tables, on, off, k)):
                        continue
                    if not _has_strong(state, tables, off, passing) or _is_ancestor(
                        web, start, on, off
                    ):
                        continue
                    web[L.PENDING + 2 * pending], web[L.PENDING + 2 * pending + 1] = off, on
                    pending += 1
        for n in range(pending):
            off, on = web[L.PENDING + 2 * n], web[L.PENDING + 2 * n + 1]
            for k in range(0 if passing & CELL_LINKS else 1, 4 if passing & UNIT_LINKS else 1):
                constraint = off // 9
                if k:
                    constraint = tables[L.NODE_CONSTRAINTS + 4 * off + (k + 1) % 3]
                rest = state[constraint]
                if bit_count(tables, rest) != 2:
                    continue
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                if other == off:
                    other = candidate_at(tables, constraint, lowest_bit(tables, rest & (rest - 1)))
                if other == start and length >= 4:
                    if _is_better(web, tables, base, length, kind):
                        reset_step(step)
                        if _conclude_cycle(state, tables, step, web, on, off, passing):
                            _note(web, tables, base, length, kind, start, L.NOTHING, passing)
                            web[L.CYCLE_END], web[L.CYCLE_VIA] = on, off
                elif web[L.ON_PARENT + other] == L.NOTHING:
                    web[L.ON_PARENT + other], web[L.ON_VIA + other] = on, off
                    web[L.QUEUE_ON + tail] = other
                    tail += 1


@compiled(inline=True)
def _is_before(tables, on, off, k):
    """Whether a link of a cell was found in an earlier unit: box, column, row for k = 1, 2, 3."""
    for earlier in range(1, k):
        if (
            tables[L.NODE_CONSTRAINTS + 4 * on + (earlier + 1) % 3]
            == tables[L.NODE_CONSTRAINTS + 4 * off + (earlier + 1) % 3]
        ):
            return True
    return False


@compiled()
def _has_strong(state, tables, candidate, passing):
    """Whether a candidate has a strong link of the pass."""
    if passing & CELL_LINKS and bit_count(tables, state[candidate // 9]) == 2:
        return True
    for k in range(3 if passing & UNIT_LINKS else 0):
        if bit_count(tables, state[tables[L.NODE_CONSTRAINTS + 4 * candidate + k]]) == 2:
            return True
    return False


@compiled(inline=True)
def _is_ancestor(web, start, on, off):
    """Whether a node off is an ancestor of a node on."""
    while on != start:
        if web[L.ON_VIA + on] == off:
            return True
        on = web[L.ON_PARENT + on]
    return False


@compiled()
def _conclude_cycle(state, tables, step, web, on, off, passing):
    """Strike what sees a node on and a node off of its digit, outside the cells of the cycle."""
    count = 0
    web[L.CYCLE], web[L.CYCLE + 1] = 2 * off, 2 * on + 1
    count = 2
    while web[L.ON_VIA + on] != L.NOTHING:
        web[L.CYCLE + count], web[L.CYCLE + count + 1] = (
            2 * web[L.ON_VIA + on],
            2 * web[L.ON_PARENT + on] + 1,
        )
        on = web[L.ON_PARENT + on]
        count += 2
    for cell in range(81):
        mask = state[cell]
        for k in range(count if mask else 0):
            if web[L.CYCLE + k] // 18 == cell:
                mask = 0
        ons = offs = 0
        for k in range(count if mask else 0):
            digit = web[L.CYCLE + k] // 2 % 9
            if mask >> digit & 1 and sees(tables, web[L.CYCLE + k] // 18, cell):
                if web[L.CYCLE + k] & 1:
                    ons |= 1 << digit
                else:
                    offs |= 1 << digit
        mask &= ons & offs
        while mask:
            append_new(step, L.ELIMINATED, 9 * cell + lowest_bit(tables, mask))
            mask &= mask - 1
    if step[L.ELIMINATED] == 0:
        return False
    # strong links: from each node off to the node on that follows it, which is before it in CYCLE
    for k in range(0, count, 2):
        other = web[L.CYCLE + (k - 1 if k else count - 1)] // 2
        node = web[L.CYCLE + k] // 2
        for j in range(4):
            constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
            is_shared = False
            for i in range(4):
                is_shared = is_shared or tables[L.NODE_CONSTRAINTS + 4 * other + i] == constraint
            if is_shared and bit_count(tables, state[constraint]) == 2:
                append_new(step, L.CITED, constraint)
                break
    return True


# Producer 23. Links of one digit, but dynamically; only contradictions count.
@compiled()
def find_nishio(state, grid, tables, step, web):
    """Find the shortest contradiction by strong links of one digit: 7.5 and its length."""
    web[L.BEST_RANK] = L.NOTHING
    how = UNIT_LINKS | STOPS | DYNAMIC
    for signed in range(2 * L.SINGLES - 1, -1, -1):
        start = (L.SINGLES - 1 - signed // 2) * 2 + (signed & 1)
        if _may_start(state, tables, start // 2, 2):
            follow(state, grid, tables, web, 0, start, L.NOTHING, 0, how)
            _try_contradiction(state, tables, web, L.SLOTS, BASE_OF_NISHIO, start)
    if web[L.BEST_RANK] == L.NOTHING:
        return 0
    follow(state, grid, tables, web, 0, web[L.BEST_A], L.NOTHING, 0, how)
    reset_step(step)
    _conclude_contradiction(state, step, web, L.SLOTS, web[L.BEST_A])
    return rating_of(web, tables)


@compiled(inline=True)
def _may_start(state, tables, candidate, fewest):
    """Whether a candidate is left in a cell with at least so many candidates."""
    mask = state[candidate // 9]
    return mask >> candidate % 9 & 1 and bit_count(tables, mask) >= fewest


@compiled()
def _try_contradiction(state, tables, web, at, base, start):
    """Note the contradiction of a slot, if there is one and it is better than the best hint."""
    conflict = web[at + L.CONFLICT]
    if conflict == L.NOTHING:
        return
    complexity = count_nodes(web, at, web[at + L.CONFLICT_AT], 2 * L.SINGLES)
    complexity += count_nodes(web, at, web[at + L.PARENTS_AT + (conflict ^ 1)], 2 * L.SINGLES)
    if _is_better(web, tables, base, complexity, CONTRADICTION):
        _note(web, tables, base, complexity, CONTRADICTION, start, L.NOTHING, L.NOTHING)


@compiled()
def _conclude_contradiction(state, step, web, at, start):
    """Refute the start of a slot."""
    cite(web, step, at, web[at + L.CONFLICT_AT])
    cite(web, step, at, web[at + L.PARENTS_AT + (web[at + L.CONFLICT] ^ 1)])
    _conclude_node(state, step, start ^ 1)


@compiled()
def _followed(state, grid, tables, web, candidate, how):
    """The slot of what follows if a candidate is on."""
    slot = candidate + 2
    if not web[L.IS_FOLLOWED + candidate]:
        web[L.IS_FOLLOWED + candidate] = 1
        follow(state, grid, tables, web, slot, 2 * candidate + 1, L.NOTHING, 0, how)
    return L.SLOTS + L.SLOT_SIZE * slot


# Producers 24 and 25. Whichever candidate of a cell, or place of a digit in a unit, is on: what all
# of them imply is so. Dynamically also: what contradicts itself is not so, and what a candidate on
# and off implies is so.
@compiled()
def find_multiple(state, grid, tables, step, web, base):
    """Find the best multiple (8.0) or dynamic forcing chain (8.5), by BASE_OF_… ."""
    web[L.BEST_RANK] = L.NOTHING
    how = MULTIPLE if base == BASE_OF_MULTIPLE else MULTIPLE | DYNAMIC
    for candidate in range(L.SINGLES):
        web[L.IS_FOLLOWED + candidate] = 0
    for cell in range(81):
        count = bit_count(tables, state[cell])
        if count < (2 if how & DYNAMIC else 3):
            continue
        digits = state[cell]
        while digits:
            digit = lowest_bit(tables, digits)
            digits &= digits - 1
            candidate = 9 * cell + digit
            if how & DYNAMIC:
                at = _followed(state, grid, tables, web, candidate, how)
                _try_contradiction(state, tables, web, at, base, 2 * candidate + 1)
                follow(state, grid, tables, web, 0, 2 * candidate, L.NOTHING, 0, how)
                _try_contradiction(state, tables, web, L.SLOTS, base, 2 * candidate)
                if count > 2:
                    _try_double(state, tables, web, at, base, candidate)
            for k in range(3):
                constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + (k + 2) % 3]
                mask = state[constraint]
                first = candidate_at(tables, constraint, lowest_bit(tables, mask))
                if first == candidate and mask & (mask - 1):
                    _try_all(state, grid, tables, web, constraint, how, base)
        _try_all(state, grid, tables, web, cell, how, base)
    if web[L.BEST_RANK] == L.NOTHING:
        return 0
    _conclude_multiple(state, grid, tables, step, web, how)
    return rating_of(web, tables)


@compiled(inline=True)
def _most(web):
    """The highest complexity that a hint of the same base may have to be the best."""
    return 4 * L.SINGLES if web[L.BEST_RANK] == L.NOTHING else web[L.BEST_COMPLEXITY]


@compiled()
def _try_double(state, tables, web, at, base, candidate):
    """Note what a candidate implies on and off; the latter is in slot 0."""
    for k in range(web[at + L.ON_COUNT] + web[at + L.OFF_COUNT]):
        signed = _reached(web, at, k)
        other = web[L.SLOTS + L.PARENTS_AT + signed]
        if other and _is_worth(state, signed):
            most = _most(web)
            pool = web[at + L.PARENTS_AT + signed]
            if web[at + L.POOL + pool + 2] + web[L.SLOTS + L.POOL + other + 2] > most:
                continue
            complexity = count_nodes(web, at, pool, most)
            if complexity < most:
                complexity += count_nodes(web, L.SLOTS, other, most - complexity)
            if _is_better(web, tables, base, complexity, DOUBLE):
                _note(web, tables, base, complexity, DOUBLE, 2 * candidate, signed, L.NOTHING)


@compiled(inline=True)
def _reached(web, at, k):
    """Node `k` of a slot: the nodes on, then the nodes off."""
    count = web[at + L.ON_COUNT]
    if k < count:
        return 2 * web[at + L.ON_ORDER + k] + 1
    return 2 * web[at + L.OFF_ORDER + k - count]


@compiled(inline=True)
def _is_worth(state, signed):
    """Whether a conclusion changes the state."""
    mask = state[signed // 18]
    return not signed & 1 or mask & (mask - 1) != 0


@compiled()
def _try_all(state, grid, tables, web, constraint, how, base):
    """Note what all candidates of a constraint imply."""
    mask = state[constraint]
    kind = CELL_KIND if constraint < L.UNIT_DIGITS else REGION_KIND
    first = _followed(
        state, grid, tables, web, candidate_at(tables, constraint, lowest_bit(tables, mask)), how
    )
    rest = mask & (mask - 1)
    while rest:
        _followed(
            state,
            grid,
            tables,
            web,
            candidate_at(tables, constraint, lowest_bit(tables, rest)),
            how,
        )
        rest &= rest - 1
    for k in range(web[first + L.ON_COUNT] + web[first + L.OFF_COUNT]):
        signed = _reached(web, first, k)
        rest = mask & (mask - 1)
        is_common = _is_worth(state, signed)
        most = _most(web)
        least = web[first + L.POOL + web[first + L.PARENTS_AT + signed] + 2]
        while rest and is_common:
            candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
            at = L.SLOTS + L.SLOT_SIZE * (candidate + 2)
            pool = web[at + L.PARENTS_AT + signed]
            least += web[at + L.POOL + pool + 2]
            is_common = pool != 0 and least <= most
            rest &= rest - 1
        if not is_common:
            continue
        complexity, rest = 0, mask
        while rest and complexity <= most:
            candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
            at = L.SLOTS + L.SLOT_SIZE * (candidate + 2)
            complexity += count_nodes(web, at, web[at + L.PARENTS_AT + signed], most - complexity)
            rest &= rest - 1
        if not rest and _is_better(web, tables, base, complexity, kind):
            _note(web, tables, base, complexity, kind, constraint, signed, L.NOTHING)


@compiled()
def _conclude_multiple(state, grid, tables, step, web, how):
    """Write the best hint to the step."""
    reset_step(step)
    a, signed, kind = web[L.BEST_A], web[L.BEST_B], web[L.BEST_KIND]
    if kind == CONTRADICTION:
        follow(state, grid, tables, web, 0, a, L.NOTHING, 0, how)
        _conclude_contradiction(state, step, web, L.SLOTS, a)
        return
    _conclude_node(state, step, signed)
    if kind == DOUBLE:
        append_new(step, L.CITED, a // 18)
        for is_on in (0, 1):
            follow(state, grid, tables, web, 0, a + is_on, L.NOTHING, 0, how)
            cite(web, step, L.SLOTS, web[L.SLOTS + L.PARENTS_AT + signed])
        return
    append_new(step, L.CITED, a)
    rest = state[a]
    while rest:
        candidate = candidate_at(tables, a, lowest_bit(tables, rest))
        rest &= rest - 1
        at = L.SLOTS + L.SLOT_SIZE * (candidate + 2)
        cite(web, step, at, web[at + L.PARENTS_AT + signed])
