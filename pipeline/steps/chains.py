"""Techniques that follow links between candidates: wings, colours, chains, forcing chains and nets.

A strong link says that one of two nodes holds, because a cell or a unit has no other candidate
left; a weak link that not both do. A *signed* node, 2 n + 1 or 2 n, holds or does not. `g` is the
graph of a state; implications are followed breadth first, so chains are as short as can be.
"""

from __future__ import annotations

from itertools import accumulate

from pipeline.certify.steps import (
    BASE, CITED, DIGITS, MARKS, NODES, PLACED, STRUCK, VALUES,
)  # fmt: skip
from pipeline.native import compiled
from pipeline.steps.board import (
    ALL_NODES, EXCLUDED_FIRST, NODE_MASKS, NODE_REASONS, NOTHING, PLACES, REASONS, SINGLES, SPOT_AT,
    STATE, adds, begin, candidate_at, fill, lowest, number, sees, strikes, unit_of,
)  # fmt: skip

WORDS, BITS = 12, 63
(
    IS_KNOWN, HAS_TURBOT, SEARCH, FROM, IS_NODE, STRONG_FIRST, WEAK_FIRST, LIVE_FIRST, STRONG,
    REASON, WEAK, LIVE, PARENT, BY, DISTANCE, REACHED, QUEUE, MARKED, SHARED, FOLLOWED, IMPLIED,
    GRAPH,
) = accumulate(
    (0, 1, 1, 1, 1, *4 * (ALL_NODES + 1,), 6000, 6000, 39000, 39000, 1, 1, 1, 8 * ALL_NODES,
     2 * ALL_NODES, ALL_NODES, WORDS, SINGLES, WORDS * SINGLES)
)  # fmt: skip
"""In `g`: whether the links are those of the state; whether these have a turbot fish, or NOTHING;
the number of the last search; the candidate that a net is tried from first. Whether each node is
there; where its links begin: strong links, each with its reason; weak links; those of them to nodes
with strong links. In four numbers for each signed node, the one that implies it, by which reason or
NOTHING, over how many links, and in which search it was reached. The queue; what each node is
marked with. What all candidates of a reason exclude, as WORDS of BITS; of which candidates it is
known what they exclude, and that; the length."""

CELL, ROW, COLUMN, LINE, BOX, UNIT, ANY = 1, 2, 4, 6, 8, 14, 15
(
    EMPTY_RECTANGLE, SKYSCRAPER, KITE, TURBOT, X_CHAIN, COLOURS, W_WING, XY_WING, XYZ_WING,
    XY_CHAIN, AIC, GROUPED,
) = range(12)  # fmt: skip
_REASONS = (
    (LINE, BOX, 0, 0),  # EMPTY_RECTANGLE, which may have groups
    (LINE, LINE, 0, 0),  # SKYSCRAPER, whose weak link is in a line alone
    (ROW, COLUMN, 0, 0),  # KITE, whose weak link is in a box
    (UNIT, UNIT, 0, 0),  # TURBOT
    (UNIT, UNIT, UNIT, UNIT),  # X_CHAIN
    (UNIT, UNIT, UNIT, UNIT),  # COLOURS, with strong links alone
    (CELL, UNIT, CELL, 0),  # W_WING
    (CELL, CELL, CELL, 0),  # XY_WING
    (CELL, 0, 0, 0),  # XYZ_WING, from each candidate of its pivot
    (CELL, CELL, CELL, CELL),  # XY_CHAIN
    (ANY, ANY, ANY, ANY),  # AIC
    (ANY, ANY, ANY, ANY),  # GROUPED, which may have groups
)
STRONG_LINKS = tuple(a | b << 4 | c << 8 | d << 12 for a, b, c, d in _REASONS)
"""Kinds of chains, and for each the reasons of its first, second, third and further strong links.
Until COLOURS all nodes are of one digit."""

LONGEST, FARTHEST = 63, 160
"""Links of a chain, and of an implication, at most; nine of these have room in a step."""


@compiled()
def graph(s, t, g):
    """Find all links of a state, unless they are known."""
    if g[IS_KNOWN]:
        return
    g[IS_KNOWN], g[HAS_TURBOT] = 1, NOTHING
    for node in range(ALL_NODES):
        g[MARKED + node] = NOTHING
        places = s[t[NODE_REASONS + 4 * node]] & t[NODE_MASKS + 4 * node]
        g[IS_NODE + node] = number(t, places) > (0 if node < SINGLES else 1)
    strong = weak = live = 0
    for node in range(ALL_NODES):
        g[STRONG_FIRST + node] = strong
        count = 0 if not g[IS_NODE + node] else 4 if node < SINGLES else 2
        for k in range(4 * node, 4 * node + count):
            reason = t[NODE_REASONS + k]
            rest = s[reason] & ~t[NODE_MASKS + k]
            spot = t[SPOT_AT + 512 * (reason // 9 - 9) + rest] if reason >= PLACES else NOTHING
            if number(t, rest) == 1 or spot != NOTHING:
                single = candidate_at(t, reason, lowest(t, rest))
                g[STRONG + strong] = single if number(t, rest) == 1 else 9 * spot + node % 9
                g[REASON + strong] = reason
                strong += 1
    g[STRONG_FIRST + ALL_NODES] = strong
    for node in range(ALL_NODES):
        g[WEAK_FIRST + node], g[LIVE_FIRST + node] = weak, live
        first = t[EXCLUDED_FIRST + node]
        for k in range(first, t[EXCLUDED_FIRST + node + 1] if g[IS_NODE + node] else first):
            if g[IS_NODE + t[k]]:
                g[WEAK + weak] = g[LIVE + live] = t[k]
                weak += 1
                live += g[STRONG_FIRST + t[k]] < g[STRONG_FIRST + t[k] + 1]
    g[WEAK_FIRST + ALL_NODES], g[LIVE_FIRST + ALL_NODES] = weak, live


@compiled()
def _search(t, g, start, kind, most):
    """Follow all that a signed node implies, over so many links at most; return the queue's end."""
    g[SEARCH] += 1
    search = g[SEARCH]
    g[QUEUE], g[PARENT + 4 * start], g[DISTANCE + 4 * start] = start, NOTHING, 0
    g[REACHED + 4 * start], g[BY + 4 * start] = search, NOTHING
    weak = (WEAK_FIRST, WEAK) if start & 1 else (LIVE_FIRST, LIVE)
    has_groups = kind in (EMPTY_RECTANGLE, GROUPED)
    head, tail = 0, 1
    while head < tail and g[DISTANCE + 4 * g[QUEUE + head]] < most:
        signed = g[QUEUE + head]
        head += 1
        node, distance = signed // 2, g[DISTANCE + 4 * signed]
        is_weak = signed & 1 == 1 and kind != COLOURS
        first, link = weak if is_weak else (STRONG_FIRST, STRONG)
        for k in range(g[first + node], g[first + node + 1]):
            other = g[link + k]
            then = 2 * other + 1 - (signed & 1)
            if is_weak and other >= SINGLES and not has_groups:
                break  # groups come behind all candidates
            if g[REACHED + 4 * then] == search or (other >= SINGLES and not has_groups):
                continue
            reason = NOTHING if is_weak else g[REASON + k]
            if kind < AIC and not _is_of(t, kind, start // 2, node, other, reason, distance // 2):
                continue
            g[REACHED + 4 * then], g[DISTANCE + 4 * then] = search, distance + 1
            g[PARENT + 4 * then], g[BY + 4 * then] = signed, reason
            g[QUEUE + tail] = then
            tail += 1
    return tail


@compiled(inline=True)
def _is_of(t, kind, start, node, other, reason, links):
    """Whether a chain of a kind may go on by a strong link, behind so many, or by a weak link."""
    if kind <= COLOURS and other % 9 != start % 9:
        return False
    if reason != NOTHING:
        return STRONG_LINKS[kind] >> 4 * min(links, 3) + reason // 81 & 1 == 1
    is_in_box = unit_of(t, node // 9, 2) == unit_of(t, other // 9, 2)
    return kind not in (SKYSCRAPER, KITE) or is_in_box == (kind == KITE)


@compiled()
def chain(s, t, o, g, kind):
    """The shortest chain of a kind: if its first node does not hold, its last one does.

    So one of both holds, and what neither allows is struck. In a loop, where the last also excludes
    the first, each weak link becomes a strong one. A pattern of two or three strong links is no
    loop, and is told by its cells.
    """
    graph(s, t, g)
    if kind in (SKYSCRAPER, KITE, TURBOT):  # all three are turbot fish
        if g[HAS_TURBOT] == NOTHING:
            g[HAS_TURBOT] = _shortest(s, t, o, g, TURBOT)
            begin(o)
        if not g[HAS_TURBOT]:
            return 0
    return _shortest(s, t, o, g, kind)


@compiled()
def _shortest(s, t, o, g, kind):
    """As `chain`, by a search from each node."""
    links = STRONG_LINKS[kind]
    best = (LONGEST if links >> 12 else 5 if links >> 8 else 3) + 1
    best_start = best_end = NOTHING
    for start in range(ALL_NODES if kind == GROUPED else SINGLES):
        if g[STRONG_FIRST + start] == g[STRONG_FIRST + start + 1]:
            continue
        tail = _search(t, g, 2 * start, kind, best - 1)
        for k in range(g[WEAK_FIRST + start], g[WEAK_FIRST + start + 1] if tail > 3 else 0):
            g[MARKED + g[WEAK + k]] = start
        for k in range(3, tail):
            signed = g[QUEUE + k]
            end = signed // 2
            is_end = signed & 1 and g[DISTANCE + 4 * signed] > 2
            is_new = end >= start or kind < TURBOT  # not another chain backwards
            is_likely = is_end and is_new and _may_conclude(g, start, end)
            if is_likely and _conclude(s, t, o, g, start, end, kind):
                best, best_start, best_end = g[DISTANCE + 4 * signed], start, end
                begin(o)
                break
    if best_start == NOTHING:
        return 0
    _search(t, g, 2 * best_start, kind, best)
    _conclude(s, t, o, g, best_start, best_end, kind)
    _trace(o, g, 2 * best_end + 1)
    if not links >> 12:
        _show_cells(o, kind)
    return 1


@compiled()
def _show_cells(o, kind):
    """Tell a pattern by its units and cells in place of a chain."""
    for k in range(NODES + o[NODES], NODES + (2 if kind == EMPTY_RECTANGLE else 0), -1):
        o[DIGITS] |= 1 << o[k] // 2 % 9
        if kind < COLOURS:
            adds(o, MARKS, o[k] // 18)
    for k in range(CITED + o[CITED], CITED, -1):
        if o[k] < PLACES:
            adds(o, MARKS, o[k])
        else:
            o[BASE] |= 1 << o[k] // 9 - 9
    o[NODES] = 0


@compiled()
def _conclude(s, t, o, g, start, end, kind):
    """Note what a chain between two nodes says; return whether that is anything."""
    is_pattern = not STRONG_LINKS[kind] >> 12
    if start == end:
        if start < SINGLES and not is_pattern:
            adds(o, PLACED, start)
    elif kind >= AIC or start % 9 == end % 9:
        is_loop = _exclude_each_other(g, start, end)
        if is_loop and kind == EMPTY_RECTANGLE:
            return False
        _strike_between(s, t, o, g, start, end)
        signed = g[PARENT + 4 * (2 * end + 1)] if is_loop and not is_pattern else 2 * start
        while signed != 2 * start:
            before = g[PARENT + 4 * signed]
            _strike_between(s, t, o, g, before // 2, signed // 2)
            signed = g[PARENT + 4 * before]
    return o[PLACED] + o[STRUCK] > 0


@compiled(inline=True)
def _may_conclude(g, start, end):
    """Whether a node excludes what another, which has marked that, excludes too, or that node."""
    for k in range(g[WEAK_FIRST + end], g[WEAK_FIRST + end + 1]):
        node = g[WEAK + k]
        if node == start or (node < SINGLES and g[MARKED + node] == start):
            return True
    return start == end


@compiled(inline=True)
def _exclude_each_other(g, one, other):
    for k in range(g[WEAK_FIRST + one], g[WEAK_FIRST + one + 1]):
        if g[WEAK + k] == other:
            return True
    return False


@compiled()
def _strike_between(s, t, o, g, one, other):
    """Strike what both exclude."""
    for k in range(g[WEAK_FIRST + one], g[WEAK_FIRST + one + 1]):
        node = g[WEAK + k]
        if node < SINGLES and _exclude_each_other(g, node, other):
            strikes(s, t, o, node // 9, 1 << node % 9)


@compiled()
def _trace(o, g, signed):
    """Note the nodes of a chain, from its end, and cite its strong links."""
    while signed != NOTHING:
        o[NODES] += 1
        o[NODES + o[NODES]] = signed
        if g[BY + 4 * signed] != NOTHING:
            adds(o, CITED, g[BY + 4 * signed])
        signed = g[PARENT + 4 * signed]


@compiled()
def colours(s, t, o, g):
    """Candidates of a digit joined by units with two places: all of one colour hold, or the other.

    A colour that would be twice in a unit is struck; so is what sees both.
    """
    graph(s, t, g)
    earlier = g[SEARCH]
    for start in range(SINGLES):
        if max(g[REACHED + 8 * start], g[REACHED + 8 * start + 4]) > earlier:
            continue
        size = _search(t, g, 2 * start, COLOURS, FARTHEST)
        if size < 4:
            continue
        begin(o)
        _strike_by_colours(s, t, o, g, size, start % 9)
        if o[STRUCK]:
            o[DIGITS], o[NODES] = 1 << start % 9, size
            for k in range(size):
                signed = g[QUEUE + k]
                o[NODES + 1 + k] = signed
                if k:
                    adds(o, CITED, g[BY + 4 * signed])
            return 1
    return 0


@compiled()
def _strike_by_colours(s, t, o, g, size, digit):
    for k in range(size * size):
        one, other = g[QUEUE + k // size], g[QUEUE + k % size]
        if (one ^ other) & 1 == 0 and sees(t, one // 18, other // 18):
            for n in range(size):
                if (one ^ g[QUEUE + n]) & 1 == 0:
                    strikes(s, t, o, g[QUEUE + n] // 18, 1 << digit)
            return
    for cell in range(81):
        seen = 0
        for k in range(size if s[cell] >> digit & 1 else 0):
            if sees(t, g[QUEUE + k] // 18, cell):
                seen |= 1 << (g[QUEUE + k] & 1)
        if seen == 3:
            strikes(s, t, o, cell, 1 << digit)


@compiled()
def verity(s, t, o, g, kind):
    """What all candidates of a cell, or of a digit in a unit, exclude.

    In an XYZ-wing that is what a cell with three candidates, and two cells that it sees, share.
    """
    graph(s, t, g)
    for candidate in range(SINGLES):
        g[FOLLOWED + candidate] = 0
    for reason in range(PLACES if kind == XYZ_WING else REASONS):
        count = number(t, s[reason])
        if count == 3 or (count > 3 and kind != XYZ_WING):
            begin(o)
            _exclude(s, t, o, g, reason, kind)
            if o[STRUCK]:
                _explain(s, t, o, g, reason, kind)
                return 1
    return 0


@compiled()
def _exclude(s, t, o, g, reason, kind):
    """Strike what all candidates of a reason exclude."""
    for word in range(WORDS):
        g[SHARED + word] = -1
    for place in range(9):
        if s[reason] >> place & 1:
            candidate = candidate_at(t, reason, place)
            _follow(t, g, candidate, kind)
            for word in range(WORDS):
                g[SHARED + word] &= g[IMPLIED + WORDS * candidate + word]
    for word in range(WORDS):
        for bit in range(BITS if g[SHARED + word] else 0):
            cell, digit = (BITS * word + bit) // 9, (BITS * word + bit) % 9
            is_seen = sees(t, reason, cell) and s[reason] >> digit & 1 if reason < PLACES else False
            if g[SHARED + word] >> bit & 1 and (is_seen or kind != XYZ_WING):
                adds(o, STRUCK, 9 * cell + digit)


@compiled()
def _follow(t, g, candidate, kind):
    """Note what a candidate excludes, unless that is known."""
    if g[FOLLOWED + candidate]:
        return
    g[FOLLOWED + candidate] = 1
    for word in range(WORDS):
        g[IMPLIED + WORDS * candidate + word] = 0
    for k in range(_search(t, g, 2 * candidate + 1, kind, FARTHEST)):
        node = g[QUEUE + k] // 2
        if node < SINGLES and g[QUEUE + k] & 1 == 0:
            g[IMPLIED + WORDS * candidate + node // BITS] |= 1 << node % BITS


@compiled()
def _explain(s, t, o, g, reason, kind):
    """Cite how all candidates of a reason exclude what is struck; note how the first of that."""
    adds(o, CITED, reason)
    if reason < PLACES:
        adds(o, MARKS, reason)
        o[DIGITS] = s[reason]
    else:
        o[DIGITS], o[BASE] = 1 << reason % 9, 1 << reason // 9 - 9
    for place in range(9):
        if s[reason] >> place & 1:
            _search(t, g, 2 * candidate_at(t, reason, place) + 1, kind, FARTHEST)
            for k in range(o[STRUCK], 0, -1):
                noted = o[NODES]
                _trace(o, g, 2 * o[STRUCK + k])
                o[NODES] = o[NODES] if k == 1 else noted
    if kind == XYZ_WING:
        _show_cells(o, kind)


@compiled()
def forcing_net(s, t, o, g, u):
    """A candidate from which singles alone come to a contradiction.

    The search goes on where the last one was found: what was tried before is tried last.
    """
    for k in range(SINGLES):
        candidate = (g[FROM] + k) % SINGLES
        if s[candidate // 9] >> candidate % 9 & 1:
            begin(o)
            if _contradicts(s, t, o, u, candidate):
                adds(o, STRUCK, candidate)
                o[NODES], o[NODES + 1] = 1, 2 * candidate + 1
                g[FROM] = candidate // 9 * 9
                return 1
    return 0


@compiled()
def _contradicts(s, t, o, u, candidate):
    """Fill a cell in a copy, follow singles, cite them; whether a cell or unit has nothing left."""
    for k in range(STATE):
        u[k] = s[k]
    fill(u, t, candidate)
    is_changed = True
    while is_changed:
        is_changed = False
        for reason in range(REASONS):
            if not u[VALUES + reason] and u[reason] & (u[reason] - 1) == 0:
                o[CITED] += 1
                o[CITED + o[CITED]] = reason
                if not u[reason]:
                    return True
                fill(u, t, candidate_at(t, reason, lowest(t, u[reason])))
                is_changed = True
    return False
