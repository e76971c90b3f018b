"""Techniques that follow links between candidates: colours, chains, forcing chains and nets.

A *node* is a digit in a spot: a candidate, 81 d + c, or a group, 729 + 54 d + its place among the
groups, with two or three places. A strong link says that one of two nodes holds, because a cell or
a unit has no other candidate left; a weak link that not both do. `g` is the graph of a state;
implications are followed breadth first, so chains are as short as can be.
"""

from __future__ import annotations

from pipeline.certify.steps import (
    BASE,
    CELLS,
    DIGITS,
    PLACED,
    PLACED_COUNT,
    STRUCK,
    STRUCK_COUNT,
    VALUES,
)
from pipeline.native import compiled
from pipeline.steps.board import (
    NEAR_FIRST,
    NOTHING,
    PLACES,
    SPOT_AT,
    SPOT_MASKS,
    SPOT_UNITS,
    SPOTS,
    STATE,
    UNITS,
    begin,
    cell_at,
    cites_cell,
    cites_unit,
    concludes,
    fill,
    fills,
    links,
    lowest,
    marks,
    number,
    sees,
    strikes,
)

SINGLES, ALL_NODES = 729, 9 * SPOTS
WORDS, BITS = 24, 62
"""Enough for all signs of the candidates."""

(
    IS_KNOWN, SEARCH, FROM, MARKED, IS_NODE, STRONG_FIRST, WEAK_FIRST, LIVE_FIRST, PARENT, DISTANCE,
    REACHED, QUEUE, IMPLIED, FOLLOWED, SHARED, STRONG, WEAK, LIVE, GRAPH,
) = (
    0, 1, 2, 10, 800, 2100, 3400, 4700, 6000, 8500, 11000, 13500, 16000, 33500, 34300, 34400, 46400,
    85400, 124400,
)  # fmt: skip
"""In `g`: whether the links are those of the state; the number of the last search; the cell that a
net is tried from first; marks of candidates; whether each node is there; where the links of each
node begin; of each node with its sign, 2 n + holds, the one that implies it, how many links that
took, and in which search it was reached; the queue; what each candidate implies, as WORDS of BITS,
whether that is known, and what several do; strong links, each with its reason; weak links, and
those of them to nodes with strong links; the length."""

X_CHAIN, XY_CHAIN, AIC, GROUPED = range(4)
"""Kinds of chains: of one digit; of cells with two candidates; of candidates; and of groups."""

LONGEST, FARTHEST = 64, 400
"""Links of a chain, and of an implication, at most."""


@compiled(inline=True)
def node_at(digit, spot):
    return 81 * digit + spot if spot < 81 else SINGLES + (SPOTS - 81) * digit + spot - 81


@compiled(inline=True)
def digit_of(node):
    return node // 81 if node < SINGLES else (node - SINGLES) // (SPOTS - 81)


@compiled(inline=True)
def spot_of(node):
    return node % 81 if node < SINGLES else 81 + (node - SINGLES) % (SPOTS - 81)


@compiled()
def _is_node(s, t, digit, spot):
    if spot < 81:
        return s[CELLS + spot] >> digit & 1
    unit, mask = t[SPOT_UNITS + 3 * spot], t[SPOT_MASKS + 3 * spot]
    return int(number(t, s[PLACES + 9 * unit + digit] & mask) > 1)


@compiled()
def graph(s, t, g):
    """Find all links of a state, unless they are known."""
    if g[IS_KNOWN]:
        return
    g[IS_KNOWN] = 1
    at = 0
    for node in range(ALL_NODES):
        g[STRONG_FIRST + node] = at
        g[IS_NODE + node] = _is_node(s, t, digit_of(node), spot_of(node))
        if g[IS_NODE + node]:
            at = _strong(s, t, g, at, node)
    g[STRONG_FIRST + ALL_NODES] = at
    weak = live = 0
    for node in range(ALL_NODES):
        g[WEAK_FIRST + node], g[LIVE_FIRST + node] = weak, live
        if g[IS_NODE + node]:
            weak = _weak(s, t, g, weak, node)
            for k in range(g[WEAK_FIRST + node], weak):
                g[LIVE + live] = g[WEAK + k]
                live += g[STRONG_FIRST + g[WEAK + k]] < g[STRONG_FIRST + g[WEAK + k] + 1]
    g[WEAK_FIRST + ALL_NODES], g[LIVE_FIRST + ALL_NODES] = weak, live


@compiled()
def _strong(s, t, g, at, node):
    """Add the nodes that the rest of a cell or a unit is, each with this reason."""
    digit, spot = digit_of(node), spot_of(node)
    if spot < 81 and number(t, s[CELLS + spot]) == 2:
        other = lowest(t, s[CELLS + spot] & ~(1 << digit))
        g[STRONG + 2 * at], g[STRONG + 2 * at + 1] = node_at(other, spot), spot
        at += 1
    for k in range(3 * spot, 3 * spot + (3 if spot < 81 else 2)):
        unit = t[SPOT_UNITS + k]
        rest = s[PLACES + 9 * unit + digit] & ~t[SPOT_MASKS + k]
        other = t[SPOT_AT + 512 * unit + rest]
        if other != NOTHING:
            g[STRONG + 2 * at] = node_at(digit, other)
            g[STRONG + 2 * at + 1] = 81 + 9 * unit + digit
            at += 1
    return at


@compiled()
def _weak(s, t, g, at, node):
    """Add the nodes that cannot hold with a node."""
    digit, spot = digit_of(node), spot_of(node)
    rest = s[CELLS + spot] & ~(1 << digit) if spot < 81 else 0
    while rest:
        g[WEAK + at] = node_at(lowest(t, rest), spot)
        at += 1
        rest &= rest - 1
    for k in range(t[NEAR_FIRST + spot], t[NEAR_FIRST + spot + 1]):
        other = node_at(digit, t[k])
        if g[IS_NODE + other]:
            g[WEAK + at] = other
            at += 1
    return at


@compiled()
def _search(g, start, holds, kind, most):
    """Follow all that `start` implies, over so many links at most; return the end of the queue.

    Chains begin with a node that does not hold, and do not see nodes that lead to nothing.
    """
    g[SEARCH] += 1
    search, digit = g[SEARCH], digit_of(start)
    first, weak = (WEAK_FIRST, WEAK) if holds else (LIVE_FIRST, LIVE)
    g[QUEUE] = 2 * start + holds
    g[PARENT + g[QUEUE]], g[DISTANCE + g[QUEUE]] = NOTHING, 0
    g[REACHED + g[QUEUE]] = search
    head, tail = 0, 1
    while head < tail:
        signed = g[QUEUE + head]
        head += 1
        if g[DISTANCE + signed] == most:
            break
        node = signed // 2
        if signed & 1:
            for k in range(g[first + node], g[first + node + 1]):
                then = 2 * g[weak + k]
                if g[REACHED + then] != search and _is_allowed(g[weak + k], digit, kind):
                    tail = _reach(g, signed, then, tail)
        else:
            for k in range(g[STRONG_FIRST + node], g[STRONG_FIRST + node + 1]):
                then = 2 * g[STRONG + 2 * k] + 1
                if (
                    g[REACHED + then] != search
                    and (kind != XY_CHAIN or g[STRONG + 2 * k + 1] < 81)
                    and _is_allowed(then // 2, digit, kind)
                ):
                    tail = _reach(g, signed, then, tail)
    return tail


@compiled(inline=True)
def _is_allowed(node, digit, kind):
    if kind == GROUPED:
        return True
    return node < SINGLES and (kind != X_CHAIN or digit_of(node) == digit)


@compiled(inline=True)
def _reach(g, signed, then, tail):
    g[REACHED + then] = g[SEARCH]
    g[PARENT + then], g[DISTANCE + then] = signed, g[DISTANCE + signed] + 1
    g[QUEUE + tail] = then
    return tail + 1


@compiled()
def chain(s, t, o, g, kind):
    """The shortest chain: if its first node does not hold, its last one does.

    So one of both holds, and what neither allows is struck. In a loop, where the last also excludes
    the first, each weak link becomes a strong one.
    """
    graph(s, t, g)
    best, best_start, best_end = LONGEST, NOTHING, NOTHING
    for start in range(ALL_NODES if kind == GROUPED else SINGLES):
        if g[STRONG_FIRST + start] == g[STRONG_FIRST + start + 1]:
            continue
        tail = _search(g, start, 0, kind, best - 1)
        if tail < 4:
            continue
        for k in range(g[WEAK_FIRST + start], g[WEAK_FIRST + start + 1]):
            if g[WEAK + k] < SINGLES:
                g[MARKED + g[WEAK + k]] = g[SEARCH]
        for k in range(1, tail):
            signed = g[QUEUE + k]
            if signed & 1 and g[DISTANCE + signed] > 2:
                if g[DISTANCE + signed] >= best:
                    break
                if _may_conclude(g, start, signed // 2) and _conclude(
                    s, t, o, g, start, signed // 2, kind
                ):
                    best, best_start, best_end = g[DISTANCE + signed], start, signed // 2
                    break
    if best_start == NOTHING:
        return 0
    _search(g, best_start, 0, kind, best)
    _conclude(s, t, o, g, best_start, best_end, kind)
    _trace(o, g, 2 * best_end + 1)
    return 1


@compiled()
def _may_conclude(g, start, end):
    """Whether both ends exclude a candidate, or each other, or are the same; see MARKED."""
    for k in range(g[WEAK_FIRST + end], g[WEAK_FIRST + end + 1]):
        node = g[WEAK + k]
        if node == start or (node < SINGLES and g[MARKED + node] == g[SEARCH]):
            return True
    return start == end


@compiled()
def _conclude(s, t, o, g, start, end, kind):
    """Note what a chain between two nodes says; return whether that is anything."""
    begin(o)
    if start == end:
        if start < SINGLES:
            fills(o, start % 81, start // 81)
        return start < SINGLES
    if kind == XY_CHAIN and digit_of(start) != digit_of(end):
        return False
    if _strike_between(s, t, o, g, start, end):
        signed = 2 * end + 1
        while g[PARENT + signed] != NOTHING:
            before = g[PARENT + signed]
            if before & 1:
                _strike_between(s, t, o, g, before // 2, signed // 2)
            signed = before
    return concludes(o) > 0


@compiled()
def _strike_between(s, t, o, g, one, other):
    """Strike what both exclude; return whether they exclude each other."""
    exclude_each_other = False
    for k in range(g[WEAK_FIRST + one], g[WEAK_FIRST + one + 1]):
        node = g[WEAK + k]
        exclude_each_other = exclude_each_other or node == other
        if node < SINGLES and node != other:
            for m in range(g[WEAK_FIRST + other], g[WEAK_FIRST + other + 1]):
                if g[WEAK + m] == node:
                    strikes(s, t, o, node % 81, 1 << node // 81)
                    break
    return exclude_each_other


@compiled()
def _trace(o, g, signed):
    """Note the nodes of a chain, from its end, and cite its strong links."""
    while signed != NOTHING:
        before = g[PARENT + signed]
        links(o, signed)
        if before != NOTHING and signed & 1:
            node = before // 2
            for k in range(g[STRONG_FIRST + node], g[STRONG_FIRST + node + 1]):
                if g[STRONG + 2 * k] == signed // 2:
                    _cite(o, g[STRONG + 2 * k + 1])
                    break
        signed = before


@compiled(inline=True)
def _cite(o, reason):
    if reason < 81:
        cites_cell(o, reason)
    else:
        cites_unit(o, (reason - 81) // 9, (reason - 81) % 9)


@compiled()
def colours(s, t, o, g):
    """Candidates of a digit joined by units with two places: all of one colour hold, or the other.

    A colour that would be twice in a unit is struck; so is what sees both.
    """
    for digit in range(9):
        for cell in range(81):
            g[MARKED + cell] = 0
        for first in range(81):
            if not s[CELLS + first] >> digit & 1 or g[MARKED + first]:
                continue
            begin(o)
            size = _colour(s, t, o, g, first, digit)
            if size < 4:
                continue
            _strike_by_colours(s, t, o, g, size, digit)
            if concludes(o):
                for k in range(size):
                    links(o, 2 * (81 * digit + g[QUEUE + k]) + (g[MARKED + g[QUEUE + k]] > 0))
                o[DIGITS] = 1 << digit
                return 1
    return 0


@compiled()
def _colour(s, t, o, g, first, digit):
    """Colour all that is joined with a cell, 1 and -1; return how many that are."""
    g[QUEUE], g[MARKED + first] = first, 1
    head, tail = 0, 1
    while head < tail:
        cell = g[QUEUE + head]
        head += 1
        for k in range(3 * cell, 3 * cell + 3):
            unit = t[SPOT_UNITS + k]
            places = s[PLACES + 9 * unit + digit]
            if number(t, places) == 2:
                other = cell_at(t, unit, lowest(t, places & ~t[SPOT_MASKS + k]))
                cites_unit(o, unit, digit)
                if not g[MARKED + other]:
                    g[MARKED + other] = -g[MARKED + cell]
                    g[QUEUE + tail] = other
                    tail += 1
    return tail


@compiled()
def _strike_by_colours(s, t, o, g, size, digit):
    for k in range(size * size):
        one, other = g[QUEUE + k // size], g[QUEUE + k % size]
        if g[MARKED + one] == g[MARKED + other] and sees(t, one, other):
            for n in range(size):
                if g[MARKED + g[QUEUE + n]] == g[MARKED + one]:
                    strikes(s, t, o, g[QUEUE + n], 1 << digit)
            return
    for cell in range(81):
        one = other = False
        for k in range(size if s[CELLS + cell] >> digit & 1 else 0):
            if sees(t, cell, g[QUEUE + k]):
                one = one or g[MARKED + g[QUEUE + k]] > 0
                other = other or g[MARKED + g[QUEUE + k]] < 0
        if one and other:
            strikes(s, t, o, cell, 1 << digit)


@compiled()
def verity(s, t, o, g, kind):
    """What all candidates of a cell, or of a digit in a unit, imply."""
    graph(s, t, g)
    for node in range(SINGLES):
        g[FOLLOWED + node] = 0
    for reason in range(81 + 9 * UNITS):
        cases = number(t, s[CELLS + reason] if reason < 81 else s[PLACES + reason - 81])
        if cases > 2 and _verity(s, t, o, g, (reason, cases, kind)):
            return 1
    return 0


@compiled()
def _follow(g, node, kind):
    """Note what a candidate implies, if that is not known."""
    if g[FOLLOWED + node]:
        return
    g[FOLLOWED + node] = 1
    first = IMPLIED + WORDS * node
    for word in range(WORDS):
        g[first + word] = 0
    for k in range(_search(g, node, 1, kind, FARTHEST)):
        signed = g[QUEUE + k]
        if signed < 2 * SINGLES:
            g[first + signed // BITS] |= 1 << signed % BITS


@compiled()
def _verity(s, t, o, g, of):
    """The step of what all cases of a cell or a unit imply: candidates that do not hold, or one."""
    reason, cases, kind = of
    begin(o)
    for k in range(cases):
        node = _case(s, t, reason, k)
        _follow(g, node, kind)
        for word in range(WORDS):
            g[SHARED + word] = g[IMPLIED + WORDS * node + word] & (g[SHARED + word] if k else -1)
    for word in range(WORDS):
        implied, signed = g[SHARED + word], BITS * word
        while implied:
            node = signed // 2
            if implied & 1 and signed & 1 == 0:
                strikes(s, t, o, node % 81, 1 << node // 81)
            elif implied & 1 and not o[PLACED_COUNT]:
                fills(o, node % 81, node // 81)
            implied >>= 1
            signed += 1
    if not concludes(o):
        return False
    if o[STRUCK_COUNT]:
        o[PLACED_COUNT] = 0
    _cite(o, reason)
    if reason < 81:
        marks(o, reason)
        o[DIGITS] = s[CELLS + reason]
    else:
        o[DIGITS], o[BASE] = 1 << (reason - 81) % 9, 1 << (reason - 81) // 9
    for k in range(cases):
        _search(g, _case(s, t, reason, k), 1, kind, FARTHEST)
        for m in range(STRUCK, STRUCK + o[STRUCK_COUNT]):
            _trace(o, g, 2 * (81 * (o[m] % 9) + o[m] // 9))
        for m in range(PLACED, PLACED + o[PLACED_COUNT]):
            _trace(o, g, 2 * (81 * (o[m] % 9) + o[m] // 9) + 1)
    return True


@compiled()
def _case(s, t, reason, k):
    """Candidate k of a cell, or of a digit in a unit, as a node."""
    mask = s[CELLS + reason] if reason < 81 else s[PLACES + reason - 81]
    for _ in range(k):
        mask &= mask - 1
    if reason < 81:
        return 81 * lowest(t, mask) + reason
    return 81 * ((reason - 81) % 9) + cell_at(t, (reason - 81) // 9, lowest(t, mask))


@compiled()
def forcing_net(s, t, o, g, u):
    """A candidate from which singles alone come to a contradiction.

    The search goes on where the last one was found: what was tried before is tried last.
    """
    for k in range(81):
        cell = (g[FROM] + k) % 81
        mask = s[CELLS + cell]
        while mask:
            digit = lowest(t, mask)
            begin(o)
            if _try(s, t, o, u, cell, digit):
                strikes(s, t, o, cell, 1 << digit)
                links(o, 2 * (81 * digit + cell) + 1)
                g[FROM] = cell
                return 1
            mask &= mask - 1
    return 0


@compiled()
def _try(s, t, o, u, cell, digit):
    """Fill a cell in a copy, follow singles, cite them; whether a cell or unit has nothing left."""
    for k in range(STATE):
        u[k] = s[k]
    fill(u, t, cell, digit)
    while True:
        is_changed = False
        for other in range(81):
            mask = u[CELLS + other]
            if not u[VALUES + other] and mask & (mask - 1) == 0:
                cites_cell(o, other)
                if not mask:
                    return True
                fill(u, t, other, lowest(t, mask))
                is_changed = True
        for place in range(9 * UNITS):
            here = u[PLACES + place]
            if s[PLACES + place] and here & (here - 1) == 0:
                unit, digit = place // 9, place % 9
                if here:
                    cites_unit(o, unit, digit)
                    fill(u, t, cell_at(t, unit, lowest(t, here)), digit)
                    is_changed = True
                elif not _is_filled(u, t, unit, digit):
                    cites_unit(o, unit, digit)
                    return True
        if not is_changed:
            return False


@compiled()
def _is_filled(u, t, unit, digit):
    count = 0
    for place in range(9):
        count += u[VALUES + cell_at(t, unit, place)] == digit + 1
    return count > 0
