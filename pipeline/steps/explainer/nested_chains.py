"""Level 2: all cycles and forcing chains among the remaining candidates."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer.closure import has_node, row_of
from pipeline.steps.explainer.hints import BASE_CHAIN, BASE_CYCLE, BASE_X_CHAIN, X_KIND
from pipeline.steps.explainer.implications import CELL_LINKS, UNIT_LINKS, link_index
from pipeline.steps.explainer.nested_hints import cite, clear_citations, mix
from pipeline.steps.explainer.nested_records import (
    add_record,
    is_first_to_eliminate,
    is_useful,
    record_conclusion,
    sort_key,
)
from pipeline.steps.step_arrays import bit_count, candidate_at, lowest_bit


@compiled()
def record_chains(grid, tables, graph, nest):
    """Record cycles and forcing chains; `close_on` must precede."""
    _list_links(grid, tables, nest)
    for links in range(1, 4):
        kind = X_KIND + links - 1
        for node in range(graph[L.NODE_COUNT]):
            start = graph[L.NODE_CANDIDATES + node]
            mask = grid[start // 9]
            if mask & (mask - 1) == 0:
                continue
            is_in_cycle = has_node(graph, row_of(graph, L.ON_ROWS, node), node)
            if is_in_cycle and (links != CELL_LINKS or bit_count(tables, mask) == 2):
                _record_cycles(grid, tables, nest, start, links, kind)
            if links != CELL_LINKS:
                base = BASE_CHAIN if links == 3 else BASE_X_CHAIN
                if graph[L.CONTRADICTED + node]:
                    _record_chain(grid, tables, nest, 2 * start + 1, links, base, kind)
                rest, may_hold = mask & ~(1 << start % 9), True
                while rest:
                    other = start // 9 * 9 + lowest_bit(tables, rest)
                    rest &= rest - 1
                    may_hold = may_hold and graph[L.CONTRADICTED + graph[L.NODE_AT + other]] != 0
                if may_hold:
                    _record_chain(grid, tables, nest, 2 * start, links, base, kind)


@compiled()
def _list_links(grid, tables, nest):
    """List the links of all candidates, in the order in which they are followed.

    A weak link to a candidate without strong links leads nowhere and is left out.
    """
    strong = weak = 0
    for node in range(L.SINGLES):
        nest[N.STRONG_FIRST + node] = strong
        nest[N.STRONG_UNITS + node] = strong
        if not grid[node // 9] >> node % 9 & 1:
            continue
        for k in range(4):
            j = link_index(k)
            constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
            rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * node + j]
            if rest and rest & (rest - 1) == 0:
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                is_new = True
                for i in range(nest[N.STRONG_UNITS + node], strong):
                    is_new = is_new and nest[N.STRONG + 2 * i] != other
                if is_new:
                    nest[N.STRONG + 2 * strong], nest[N.STRONG + 2 * strong + 1] = other, constraint
                    strong += 1
            if k == 0:
                nest[N.STRONG_UNITS + node] = strong
    nest[N.STRONG_FIRST + L.SINGLES] = strong
    for node in range(L.SINGLES):
        nest[N.WEAK_FIRST + node] = nest[N.WEAK_UNITS + node] = weak
        if not grid[node // 9] >> node % 9 & 1:
            continue
        for k in range(4):
            j = link_index(k)
            constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
            rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * node + j]
            while rest:
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                rest &= rest - 1
                is_in_box = other // 243 == node // 243 and other // 27 % 3 == node // 27 % 3
                if k > 1 and is_in_box:
                    continue  # it is in the list already
                if nest[N.STRONG_FIRST + other] < nest[N.STRONG_FIRST + other + 1]:
                    nest[N.WEAK + weak] = other
                    weak += 1
            if k == 0:
                nest[N.WEAK_UNITS + node] = weak
    nest[N.WEAK_FIRST + L.SINGLES] = weak


@compiled()
def _record_chain(grid, tables, nest, source, links, base, kind):
    """Record the shortest chain from a signed node to its contrary."""
    goal = source ^ 1
    if not is_useful(grid, tables, nest, goal, sort_key(tables, base, 4, kind)):
        return
    nest[L.STAMP] += 1
    stamp = nest[L.STAMP]
    head, tail = 0, _reach_once(nest, source, L.NOTHING, L.NOTHING, 1, 0)
    while head < tail and nest[L.STAMPS + goal] != stamp:
        signed = nest[N.QUEUE + head]
        head += 1
        node = signed // 2
        depth = nest[N.LINK_DEPTH + signed] + 1
        if signed & 1:
            first = nest[(N.WEAK_FIRST if links & CELL_LINKS else N.WEAK_UNITS) + node]
            for k in range(first, nest[N.WEAK_FIRST + node + 1]):
                other = 2 * nest[N.WEAK + k]
                tail += _reach_once(nest, other, signed, L.NOTHING, depth, tail)
            # the goal may have no strong links; then it is not in the list
            if not goal & 1 and _has_weak_link(tables, node, goal // 2, links):
                _reach_once(nest, goal, signed, L.NOTHING, depth, tail)
        else:
            first = nest[(N.STRONG_FIRST if links & CELL_LINKS else N.STRONG_UNITS) + node]
            for k in range(first, nest[N.STRONG_FIRST + node + 1]):
                other = 2 * nest[N.STRONG + 2 * k] + 1
                constraint = nest[N.STRONG + 2 * k + 1]
                tail += _reach_once(nest, other, signed, constraint, depth, tail)
    if nest[L.STAMPS + goal] != stamp:
        return
    complexity = nest[N.LINK_DEPTH + goal]
    key = sort_key(tables, base, complexity, kind)
    if not is_useful(grid, tables, nest, goal, key):
        return
    clear_citations(nest)
    digest, signed = 0, goal
    while signed != L.NOTHING:
        digest += mix(signed)
        if nest[N.LINK_CONSTRAINT + signed] != L.NOTHING:
            cite(nest, nest[N.LINK_CONSTRAINT + signed])
        signed = nest[N.LINK_PARENT + signed]
    digest = mix((digest ^ goal) & N.HASH_MASK)
    record_conclusion(grid, tables, nest, key, complexity, goal, digest)


@compiled(inline=True)
def _reach_once(nest, signed, parent, constraint, depth, tail):
    """Append a node to the queue, unless it is reached. Returns the number of nodes appended."""
    if nest[L.STAMPS + signed] == nest[L.STAMP]:
        return 0
    nest[L.STAMPS + signed] = nest[L.STAMP]
    nest[N.LINK_PARENT + signed], nest[N.LINK_CONSTRAINT + signed] = parent, constraint
    nest[N.LINK_DEPTH + signed], nest[N.QUEUE + tail] = depth, signed
    return 1


@compiled(inline=True)
def _has_weak_link(tables, node, other, links):
    """Whether two candidates exclude each other, by links of the pass."""
    if node // 9 == other // 9:
        return node != other and links & CELL_LINKS != 0
    return node % 9 == other % 9 and tables[L.SEES + 81 * (node // 9) + other // 9] != 0


# A node on is followed once. A node off is followed each time that it is reached, unless it is an
# ancestor of itself. So each node on determines its path: CYCLE_PARENT_OFF is the node off that
# implies it, CYCLE_PARENT the node on before that.
@compiled()
def _record_cycles(grid, tables, nest, start, links, kind):
    """Record the cycles from a candidate."""
    base = BASE_CHAIN if links == 3 else BASE_CYCLE
    nest[L.STAMP] += 1
    stamp = nest[L.STAMP]
    nest[L.STAMPS + 2 * start + 1] = stamp
    nest[N.CYCLE_PARENT_OFF + start], nest[N.CYCLE_PARENT + start] = L.NOTHING, start
    nest[N.QUEUE] = start
    head, tail, level_end, length = 0, 1, 1, 2
    while head < tail:
        if head == level_end:
            level_end, length = tail, length + 2
        on = nest[N.QUEUE + head]
        head += 1
        first = nest[(N.WEAK_FIRST if links & CELL_LINKS else N.WEAK_UNITS) + on]
        for k in range(first, nest[N.WEAK_FIRST + on + 1]):
            off = nest[N.WEAK + k]
            first_strong = nest[(N.STRONG_FIRST if links & CELL_LINKS else N.STRONG_UNITS) + off]
            end_strong = nest[(N.STRONG_FIRST + 1 if links & UNIT_LINKS else N.STRONG_UNITS) + off]
            if first_strong == end_strong:
                continue
            ancestor = on
            while ancestor != start and nest[N.CYCLE_PARENT_OFF + ancestor] != off:
                ancestor = nest[N.CYCLE_PARENT + ancestor]
            if ancestor != start:
                continue
            for j in range(first_strong, end_strong):
                other = nest[N.STRONG + 2 * j]
                if other == start and length >= 4:
                    nest[N.CLOSING_CONSTRAINT] = nest[N.STRONG + 2 * j + 1]
                    _record_cycle(grid, tables, nest, on, off, length, base, kind)
                elif nest[L.STAMPS + 2 * other + 1] != stamp:
                    nest[L.STAMPS + 2 * other + 1] = stamp
                    nest[N.CYCLE_PARENT + other], nest[N.CYCLE_PARENT_OFF + other] = on, off
                    nest[N.CYCLE_CONSTRAINT + other] = nest[N.STRONG + 2 * j + 1]
                    nest[N.QUEUE + tail] = other
                    tail += 1


@compiled()
def _record_cycle(grid, tables, nest, on, off, length, base, kind):
    """Record a cycle, if it is the first hint for any of its eliminations.

    A cycle eliminates the candidates, outside its cells, that see a node on and a node off.
    """
    key = sort_key(tables, base, length, kind)
    nest[N.CYCLE_MARK] += 2
    mark = nest[N.CYCLE_MARK]
    clear_citations(nest)
    cite(nest, nest[N.CLOSING_CONSTRAINT])
    digest, node, via = 0, on, off
    while via != L.NOTHING:
        nest[N.CELL_MARKS + node // 9] = nest[N.CELL_MARKS + via // 9] = mark
        digest += mix(2 * via) + mix(2 * node + 1)
        first = tables[L.EXCLUDED_FIRST + node] + 8
        for k in range(first, first + 20):
            nest[N.NODE_MARKS + tables[k]] = mark
        via = nest[N.CYCLE_PARENT_OFF + node]
        if via != L.NOTHING:
            cite(nest, nest[N.CYCLE_CONSTRAINT + node])
            node = nest[N.CYCLE_PARENT + node]
    count, is_first = 0, False
    node, via = on, off
    while via != L.NOTHING:
        first = tables[L.EXCLUDED_FIRST + via] + 8
        for k in range(first, first + 20):
            other = tables[k]
            if (
                nest[N.NODE_MARKS + other] == mark
                and grid[other // 9] >> other % 9 & 1
                and nest[N.CELL_MARKS + other // 9] != mark
            ):
                nest[N.NODE_MARKS + other] = mark + 1
                is_first = is_first or is_first_to_eliminate(nest, other, key)
                nest[N.ELIMINATIONS + count] = other
                count += 1
        via = nest[N.CYCLE_PARENT_OFF + node]
        node = nest[N.CYCLE_PARENT + node]
    if not is_first:
        return
    number = add_record(nest, key, length, L.NOTHING, mix((digest ^ 5) & N.HASH_MASK))
    if number == L.NOTHING:
        return
    record = N.HINT_RECORDS + N.RECORD_SIZE * number
    # ascending, by insertion
    count = min(count, N.MAX_ELIMINATIONS)
    for k in range(count):
        node = nest[N.ELIMINATIONS + k]
        if is_first_to_eliminate(nest, node, key):
            nest[N.FIRST_RECORD + node] = number
        place = k
        while place and nest[record + N.RECORD_ELIMINATIONS + place - 1] > node:
            nest[record + N.RECORD_ELIMINATIONS + place] = nest[
                record + N.RECORD_ELIMINATIONS + place - 1
            ]
            place -= 1
        nest[record + N.RECORD_ELIMINATIONS + place] = node
    nest[record + N.RECORD_ELIMINATION_COUNT] = count
