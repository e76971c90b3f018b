"""Techniques that follow links between candidates: wings, colours, chains and forcing chains.

Two nodes have a *strong link* if at least one of them holds, because a constraint has no other
candidates. They have a *weak link* if they cannot both hold. A chain alternates strong and weak
links: if a node does not hold, the next node by a strong link holds, and the next one by a weak
link does not. Searches are breadth-first and therefore find the shortest chains. `layout` describes
the arrays.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import (
    add_eliminations,
    append_new,
    bit_count,
    candidate_at,
    lowest_bit,
    reset_step,
    sees,
    unit_of,
)

BY_CELL, BY_ROW, BY_COLUMN, BY_LINE, BY_BOX, BY_UNIT, BY_ANY = 1, 2, 4, 6, 8, 14, 15
"""Sets of kinds of constraints, as bits: the kinds that a strong link may use."""

(
    EMPTY_RECTANGLE, SKYSCRAPER, KITE, TURBOT, X_CHAIN, COLOURS, W_WING, XY_WING, XYZ_WING,
    XY_CHAIN, AIC, GROUPED,
) = range(12)  # fmt: skip
"""Kinds of chains. Up to COLOURS all nodes of a chain have the same digit."""

_STRONG_LINKS_OF = (
    (BY_LINE, BY_BOX, 0, 0),  # EMPTY_RECTANGLE; nodes may be groups
    (BY_LINE, BY_LINE, 0, 0),  # SKYSCRAPER; the weak link is in a line, not in a box
    (BY_ROW, BY_COLUMN, 0, 0),  # KITE; the weak link is in a box
    (BY_UNIT, BY_UNIT, 0, 0),  # TURBOT
    (BY_UNIT, BY_UNIT, BY_UNIT, BY_UNIT),  # X_CHAIN
    (BY_UNIT, BY_UNIT, BY_UNIT, BY_UNIT),  # COLOURS; no weak links
    (BY_CELL, BY_UNIT, BY_CELL, 0),  # W_WING
    (BY_CELL, BY_CELL, BY_CELL, 0),  # XY_WING
    (BY_CELL, 0, 0, 0),  # XYZ_WING; a chain starts at each candidate of the pivot
    (BY_CELL, BY_CELL, BY_CELL, BY_CELL),  # XY_CHAIN
    (BY_ANY, BY_ANY, BY_ANY, BY_ANY),  # AIC
    (BY_ANY, BY_ANY, BY_ANY, BY_ANY),  # GROUPED; nodes may be groups
)
STRONG_LINKS = tuple(a | b << 4 | c << 8 | d << 12 for a, b, c, d in _STRONG_LINKS_OF)
"""For each kind of chain, the kinds of constraints that its first, second, third and further strong
links may use, in 4 bits each.
"""

MAX_LINKS, MAX_IMPLICATION_LINKS = 63, 160
"""Maximum number of links of a chain, and of each of the up to nine chains of a forcing chain."""


@compiled()
def link_graph(state, tables, graph):
    """Write the links of a state to `graph`, unless IS_KNOWN says that they are there."""
    if graph[L.IS_KNOWN] & 1:
        return
    graph[L.IS_KNOWN] |= 1
    graph[L.HAS_TURBOT] = L.NOTHING
    for node in range(L.ALL_NODES):
        graph[L.EXCLUDED_BY + node] = L.NOTHING
        places = state[tables[L.NODE_CONSTRAINTS + 4 * node]] & tables[L.NODE_MASKS + 4 * node]
        graph[L.IS_NODE + node] = bit_count(tables, places) > (0 if node < L.SINGLES else 1)
    strong = weak = live = 0
    for node in range(L.ALL_NODES):
        graph[L.STRONG_FIRST + node] = strong
        count = 0 if not graph[L.IS_NODE + node] else 4 if node < L.SINGLES else 2
        for k in range(4 * node, 4 * node + count):
            constraint = tables[L.NODE_CONSTRAINTS + k]
            remaining = state[constraint] & ~tables[L.NODE_MASKS + k]
            spot, is_single = L.NOTHING, bit_count(tables, remaining) == 1
            if constraint >= L.UNIT_DIGITS:
                spot = tables[L.SPOT_AT + 512 * (constraint // 9 - 9) + remaining]
            if is_single or spot != L.NOTHING:
                single = candidate_at(tables, constraint, lowest_bit(tables, remaining))
                graph[L.STRONG + strong] = single if is_single else 9 * spot + node % 9
                graph[L.LINK_CONSTRAINT + strong] = constraint
                strong += 1
    graph[L.STRONG_FIRST + L.ALL_NODES] = strong
    for node in range(L.ALL_NODES):
        graph[L.WEAK_FIRST + node], graph[L.LIVE_FIRST + node] = weak, live
        first, end = tables[L.EXCLUDED_FIRST + node], tables[L.EXCLUDED_FIRST + node + 1]
        for k in range(first, end if graph[L.IS_NODE + node] else first):
            if graph[L.IS_NODE + tables[k]]:
                graph[L.WEAK + weak] = graph[L.LIVE + live] = tables[k]
                weak += 1
                live += graph[L.STRONG_FIRST + tables[k]] < graph[L.STRONG_FIRST + tables[k] + 1]
    graph[L.WEAK_FIRST + L.ALL_NODES], graph[L.LIVE_FIRST + L.ALL_NODES] = weak, live


# Breadth-first search in the implication graph. Weak links lead from a node that holds to nodes
# that do not; strong links lead from a node that does not hold to nodes that do. If the start does
# not hold, the search follows weak links only to nodes with strong links (LIVE): a chain must end
# with a strong link.
@compiled()
def _search(tables, graph, start, kind, max_links):
    """Find what a signed node implies over at most `max_links`. Returns the length of QUEUE."""
    graph[L.SEARCH] += 1
    search = graph[L.SEARCH]
    graph[L.QUEUE], graph[L.PARENT + 4 * start], graph[L.DISTANCE + 4 * start] = start, L.NOTHING, 0
    graph[L.REACHED + 4 * start], graph[L.PARENT_CONSTRAINT + 4 * start] = search, L.NOTHING
    weak = (L.WEAK_FIRST, L.WEAK) if start & 1 else (L.LIVE_FIRST, L.LIVE)
    has_groups = kind in (EMPTY_RECTANGLE, GROUPED)
    head, tail = 0, 1
    while head < tail and graph[L.DISTANCE + 4 * graph[L.QUEUE + head]] < max_links:
        signed = graph[L.QUEUE + head]
        head += 1
        node, distance = signed // 2, graph[L.DISTANCE + 4 * signed]
        is_weak = signed & 1 == 1 and kind != COLOURS
        first, link = weak if is_weak else (L.STRONG_FIRST, L.STRONG)
        for k in range(graph[first + node], graph[first + node + 1]):
            other = graph[link + k]
            implied = 2 * other + 1 - (signed & 1)
            if is_weak and other >= L.SINGLES and not has_groups:
                break  # candidates come first, so all further nodes are groups
            if graph[L.REACHED + 4 * implied] == search or (other >= L.SINGLES and not has_groups):
                continue
            constraint = L.NOTHING if is_weak else graph[L.LINK_CONSTRAINT + k]
            if kind < AIC and not _is_allowed(
                tables, kind, start // 2, node, other, constraint, distance // 2
            ):
                continue
            graph[L.REACHED + 4 * implied], graph[L.DISTANCE + 4 * implied] = search, distance + 1
            graph[L.PARENT + 4 * implied] = signed
            graph[L.PARENT_CONSTRAINT + 4 * implied] = constraint
            graph[L.QUEUE + tail] = implied
            tail += 1
    return tail


@compiled(inline=True)
def _is_allowed(tables, kind, start, node, other, constraint, links):
    """Whether the next link of a chain may lead from `node` to `other`.

    `constraint`: that of a strong link, NOTHING for a weak one. `links`: the number of strong links
    before this link.
    """
    if kind <= COLOURS and other % 9 != start % 9:
        return False
    if constraint != L.NOTHING:
        return STRONG_LINKS[kind] >> 4 * min(links, 3) + constraint // 81 & 1 == 1
    is_in_box = unit_of(tables, node // 9, 2) == unit_of(tables, other // 9, 2)
    return kind not in (SKYSCRAPER, KITE) or is_in_box == (kind == KITE)


# Alternating inference chain. It starts and ends with a strong link, so if its first node does not
# hold, its last node does. Therefore one of these two holds, and a candidate that both exclude is
# eliminated. If the last node also excludes the first, the chain is a loop (continuous nice loop).
# In a loop exactly one of any two neighbours holds, so candidates that both ends of a weak link
# exclude are eliminated too. Skyscraper, 2-string kite, empty rectangle, W-wing and XY-wing are
# chains of two or three strong links with constraints of given kinds. They are never treated as
# loops, and the step shows their cells instead of their nodes.
@compiled()
def find_chain(state, tables, step, graph, kind):
    """Find the shortest chain of a kind."""
    link_graph(state, tables, graph)
    if kind in (SKYSCRAPER, KITE, TURBOT):  # special cases of the turbot fish
        if graph[L.HAS_TURBOT] == L.NOTHING:
            graph[L.HAS_TURBOT] = _find_shortest(state, tables, step, graph, TURBOT)
            reset_step(step)
        if not graph[L.HAS_TURBOT]:
            return 0
    return _find_shortest(state, tables, step, graph, kind)


@compiled()
def _find_shortest(state, tables, step, graph, kind):
    """Find the shortest chain of a kind by a search from each node."""
    links = STRONG_LINKS[kind]
    best = (MAX_LINKS if links >> 12 else 5 if links >> 8 else 3) + 1
    best_start = best_end = L.NOTHING
    for start in range(L.ALL_NODES if kind == GROUPED else L.SINGLES):
        if graph[L.STRONG_FIRST + start] == graph[L.STRONG_FIRST + start + 1]:
            continue
        tail = _search(tables, graph, 2 * start, kind, best - 1)
        first, end_of_links = graph[L.WEAK_FIRST + start], graph[L.WEAK_FIRST + start + 1]
        for k in range(first, end_of_links if tail > 3 else 0):
            graph[L.EXCLUDED_BY + graph[L.WEAK + k]] = start
        for k in range(3, tail):
            signed = graph[L.QUEUE + k]
            end = signed // 2
            is_end = signed & 1 and graph[L.DISTANCE + 4 * signed] > 2
            is_new = (
                end >= start or kind < TURBOT
            )  # otherwise a search from `end` found the same chain
            is_likely = is_end and is_new and _can_conclude(graph, start, end)
            if is_likely and _conclude(state, tables, step, graph, start, end, kind):
                best, best_start, best_end = graph[L.DISTANCE + 4 * signed], start, end
                reset_step(step)
                break
    if best_start == L.NOTHING:
        return 0
    _search(tables, graph, 2 * best_start, kind, best)
    _conclude(state, tables, step, graph, best_start, best_end, kind)
    _append_chain(step, graph, 2 * best_end + 1)
    if not links >> 12:
        _show_as_pattern(step, kind)
    return 1


@compiled()
def _show_as_pattern(step, kind):
    """Replace the nodes of a chain by its units and cells."""
    for k in range(
        L.CHAIN_NODES + step[L.CHAIN_NODES],
        L.CHAIN_NODES + (2 if kind == EMPTY_RECTANGLE else 0),
        -1,
    ):
        step[L.PATTERN_DIGITS] |= 1 << step[k] // 2 % 9
        if kind < COLOURS:
            append_new(step, L.PATTERN_CELLS, step[k] // 18)
    for k in range(L.CITED + step[L.CITED], L.CITED, -1):
        if step[k] < L.UNIT_DIGITS:
            append_new(step, L.PATTERN_CELLS, step[k])
        else:
            step[L.BASE_UNITS] |= 1 << step[k] // 9 - 9
    step[L.CHAIN_NODES] = 0


@compiled()
def _conclude(state, tables, step, graph, start, end, kind):
    """Write the conclusions of a chain from `start` to `end`. Returns whether there are any."""
    is_pattern = not STRONG_LINKS[kind] >> 12
    if start == end:
        if start < L.SINGLES and not is_pattern:
            append_new(step, L.PLACED, start)
    elif kind >= AIC or start % 9 == end % 9:
        is_loop = _is_weak_link(graph, start, end)
        if is_loop and kind == EMPTY_RECTANGLE:
            return False
        _eliminate_between(state, tables, step, graph, start, end)
        signed = graph[L.PARENT + 4 * (2 * end + 1)] if is_loop and not is_pattern else 2 * start
        while signed != 2 * start:
            parent = graph[L.PARENT + 4 * signed]
            _eliminate_between(state, tables, step, graph, parent // 2, signed // 2)
            signed = graph[L.PARENT + 4 * parent]
    return step[L.PLACED] + step[L.ELIMINATED] > 0


@compiled(inline=True)
def _can_conclude(graph, start, end):
    """Whether `end` is `start`, excludes it, or excludes a candidate that `start` also excludes."""
    for k in range(graph[L.WEAK_FIRST + end], graph[L.WEAK_FIRST + end + 1]):
        node = graph[L.WEAK + k]
        if node == start or (node < L.SINGLES and graph[L.EXCLUDED_BY + node] == start):
            return True
    return start == end


@compiled(inline=True)
def _is_weak_link(graph, a, b):
    """Whether two nodes exclude each other."""
    for k in range(graph[L.WEAK_FIRST + a], graph[L.WEAK_FIRST + a + 1]):
        if graph[L.WEAK + k] == b:
            return True
    return False


@compiled()
def _eliminate_between(state, tables, step, graph, a, b):
    """Eliminate the candidates that both nodes exclude."""
    for k in range(graph[L.WEAK_FIRST + a], graph[L.WEAK_FIRST + a + 1]):
        node = graph[L.WEAK + k]
        if node < L.SINGLES and _is_weak_link(graph, node, b):
            add_eliminations(state, tables, step, node // 9, 1 << node % 9)


@compiled()
def _append_chain(step, graph, signed):
    """Append the nodes of a chain to CHAIN_NODES, from its end, and cite its strong links."""
    while signed != L.NOTHING:
        step[L.CHAIN_NODES] += 1
        step[L.CHAIN_NODES + step[L.CHAIN_NODES]] = signed
        if graph[L.PARENT_CONSTRAINT + 4 * signed] != L.NOTHING:
            append_new(step, L.CITED, graph[L.PARENT_CONSTRAINT + 4 * signed])
        signed = graph[L.PARENT + 4 * signed]


# Simple colouring. Candidates that strong links of one digit connect get two colours alternately:
# either all candidates of one colour hold, or all of the other colour. If two candidates of one
# colour see each other, that colour is false (colour wrap). Otherwise a candidate that sees both
# colours is false (colour trap).
@compiled()
def find_colours(state, tables, step, graph):
    """Find a step of simple colouring."""
    link_graph(state, tables, graph)
    searches_before = graph[L.SEARCH]
    for start in range(L.SINGLES):
        if max(graph[L.REACHED + 8 * start], graph[L.REACHED + 8 * start + 4]) > searches_before:
            continue
        size = _search(tables, graph, 2 * start, COLOURS, MAX_IMPLICATION_LINKS)
        if size < 4:
            continue
        reset_step(step)
        _colour_eliminations(state, tables, step, graph, size, start % 9)
        if step[L.ELIMINATED]:
            step[L.PATTERN_DIGITS], step[L.CHAIN_NODES] = 1 << start % 9, size
            for k in range(size):
                signed = graph[L.QUEUE + k]
                step[L.CHAIN_NODES + 1 + k] = signed
                if k:
                    append_new(step, L.CITED, graph[L.PARENT_CONSTRAINT + 4 * signed])
            return 1
    return 0


@compiled()
def _colour_eliminations(state, tables, step, graph, size, digit):
    """Eliminate a digit by the two colours of the nodes in QUEUE."""
    for k in range(size * size):
        a, b = graph[L.QUEUE + k // size], graph[L.QUEUE + k % size]
        if (a ^ b) & 1 == 0 and sees(tables, a // 18, b // 18):
            for n in range(size):
                if (a ^ graph[L.QUEUE + n]) & 1 == 0:
                    add_eliminations(state, tables, step, graph[L.QUEUE + n] // 18, 1 << digit)
            return
    for cell in range(81):
        seen_colours = 0
        for k in range(size if state[cell] >> digit & 1 else 0):
            if sees(tables, graph[L.QUEUE + k] // 18, cell):
                seen_colours |= 1 << (graph[L.QUEUE + k] & 1)
        if seen_colours == 3:
            add_eliminations(state, tables, step, cell, 1 << digit)


# Cell and unit forcing chains; HoDoKu calls their result a verity. One candidate of a constraint
# holds, so a candidate that all of these exclude is eliminated. In an XYZ-wing the constraint is a
# cell with three candidates, the pivot, and the eliminations are in cells that see it. EXCLUSIONS
# are computed once per state for each candidate.
@compiled()
def find_verity(state, tables, step, graph, kind):
    """Find candidates that every candidate of some constraint excludes."""
    link_graph(state, tables, graph)
    for candidate in range(L.SINGLES):
        graph[L.HAS_EXCLUSIONS + candidate] = 0
    for constraint in range(L.UNIT_DIGITS if kind == XYZ_WING else L.CONSTRAINTS):
        count = bit_count(tables, state[constraint])
        if count == 3 or (count > 3 and kind != XYZ_WING):
            reset_step(step)
            _eliminate_common(state, tables, step, graph, constraint, kind)
            if step[L.ELIMINATED]:
                _cite_chains(state, tables, step, graph, constraint, kind)
                return 1
    return 0


@compiled()
def _eliminate_common(state, tables, step, graph, constraint, kind):
    """Eliminate the candidates that every candidate of a constraint excludes."""
    for word in range(L.WORDS):
        graph[L.COMMON + word] = -1
    for position in range(9):
        if state[constraint] >> position & 1:
            candidate = candidate_at(tables, constraint, position)
            _find_exclusions(tables, graph, candidate, kind)
            for word in range(L.WORDS):
                graph[L.COMMON + word] &= graph[L.EXCLUSIONS + L.WORDS * candidate + word]
    for word in range(L.WORDS):
        for bit in range(L.BITS if graph[L.COMMON + word] else 0):
            cell, digit = (L.BITS * word + bit) // 9, (L.BITS * word + bit) % 9
            is_excluded = graph[L.COMMON + word] >> bit & 1
            if is_excluded and kind == XYZ_WING:  # only in cells that see the pivot
                is_excluded = sees(tables, constraint, cell) and state[constraint] >> digit & 1
            if is_excluded:
                append_new(step, L.ELIMINATED, 9 * cell + digit)


@compiled()
def _find_exclusions(tables, graph, candidate, kind):
    """Write the candidates that a candidate excludes to EXCLUSIONS, unless they are known."""
    if graph[L.HAS_EXCLUSIONS + candidate]:
        return
    graph[L.HAS_EXCLUSIONS + candidate] = 1
    for word in range(L.WORDS):
        graph[L.EXCLUSIONS + L.WORDS * candidate + word] = 0
    for k in range(_search(tables, graph, 2 * candidate + 1, kind, MAX_IMPLICATION_LINKS)):
        node = graph[L.QUEUE + k] // 2
        if node < L.SINGLES and graph[L.QUEUE + k] & 1 == 0:
            graph[L.EXCLUSIONS + L.WORDS * candidate + node // L.BITS] |= 1 << node % L.BITS


@compiled()
def _cite_chains(state, tables, step, graph, constraint, kind):
    """Cite the chains from each candidate of a constraint to each elimination.

    CHAIN_NODES keeps only the chains to the first elimination.
    """
    append_new(step, L.CITED, constraint)
    if constraint < L.UNIT_DIGITS:
        append_new(step, L.PATTERN_CELLS, constraint)
        step[L.PATTERN_DIGITS] = state[constraint]
    else:
        step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = 1 << constraint % 9, 1 << constraint // 9 - 9
    for position in range(9):
        if state[constraint] >> position & 1:
            start = 2 * candidate_at(tables, constraint, position) + 1
            _search(tables, graph, start, kind, MAX_IMPLICATION_LINKS)
            for k in range(step[L.ELIMINATED], 0, -1):
                length = step[L.CHAIN_NODES]
                _append_chain(step, graph, 2 * step[L.ELIMINATED + k])
                step[L.CHAIN_NODES] = step[L.CHAIN_NODES] if k == 1 else length
    if kind == XYZ_WING:
        _show_as_pattern(step, kind)
