"""Turbot fish, X-chains, XY-chains and remote pairs: chains of one kind of link.

Such a chain starts and ends with a strong link, and both its ends have the same digit. If its first
node does not hold, its last node does. So the digit is eliminated from the cells that see both. The
step is the chain that eliminates most, see `eliminations.elimination_key`. `layout` describes the
arrays.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.eliminations import (
    beats_best,
    clear_eliminations,
    elimination_key,
    keep_best,
    write_eliminations,
)
from pipeline.steps.hodoku.links import (
    MAX_BRANCHES,
    X_LINKS,
    XY_LINKS,
    add_seen_by_both,
    append_path,
    find_simple_path,
    link_state,
    read_path,
    search_links,
)
from pipeline.steps.step_arrays import append_new, bit_count, lowest_bit, reset_step, sees

TURBOT, X_CHAIN, XY_CHAIN = range(3)
"""Kinds of chains for `find_simple_chain`."""

MAX_PAIR_CELLS, MAX_CHAIN_LINKS, TURBOT_LINKS = 10, 19, 3
"""Limits on the cells of a remote pair and on the links of a chain, and the links of a turbot fish.

HoDoKu stops at 20 links. A chain that ends with a strong link has an odd number of links.
"""


# HoDoKu tries all paths that pass no cell twice. The eliminations depend only on the ends of a
# chain, so the shortest chain between two ends is enough. All paths are tried only if that chain
# passes a cell twice. A chain and its reverse eliminate the same, so only chains whose end comes
# after their start are tried.
@compiled()
def find_simple_chain(state, tables, step, graph, kind):
    """Find the chain of a kind that eliminates most. Returns whether there is one."""
    link_state(state, tables, graph)
    links = XY_LINKS if kind == XY_CHAIN else X_LINKS
    max_links = TURBOT_LINKS if kind == TURBOT else MAX_CHAIN_LINKS
    graph[L.BEST_KEY] = 0
    for start in range(L.SINGLES):
        if graph[L.DIRECT_AT + 6 * start] == graph[L.DIRECT_AT + 6 * start + 1]:
            continue
        if links == XY_LINKS and bit_count(tables, state[start // 9]) != 2:
            continue
        tail, k = search_links(state, tables, graph, 2 * start, links, max_links), 0
        while k < tail:
            signed = graph[L.CHAIN_QUEUE + k]
            length, end = graph[L.CHAIN_DISTANCE + signed] + 1, signed // 2
            k += 1
            if not signed & 1 or length < 4 or end < start or end % 9 != start % 9:
                continue
            if end == start and links == XY_LINKS:
                continue
            clear_eliminations(graph)
            if not add_seen_by_both(tables, graph, start % 9, start // 9, end // 9):
                continue
            key = elimination_key(tables, graph)
            if not beats_best(graph, key, length):
                continue
            read_path(graph, signed)
            if not _passes_once(graph):
                is_found = find_simple_path(
                    state, tables, graph, 2 * start, signed, links, max_links
                )
                length = graph[L.PATH]
                search_links(state, tables, graph, 2 * start, links, max_links)
                if not is_found or not beats_best(graph, key, length):
                    continue
            keep_best(graph, key, length)
            reset_step(step)
            append_path(state, tables, step, graph, False)
    if not graph[L.BEST_KEY]:
        return 0
    write_eliminations(tables, step, graph, L.BEST_ELIMINATIONS)
    return 1


@compiled()
def _passes_once(graph):
    """Whether PATH passes no cell twice. Its end may be its first cell."""
    graph[L.SEARCH] += 1  # a new number, for MARKS
    length, last = graph[L.PATH], L.NOTHING
    for k in range(1, length + 1):
        cell = graph[L.PATH + k] // 18
        if cell != last and graph[L.MARKS + cell] == graph[L.SEARCH]:
            return k == length and cell == graph[L.PATH + 1] // 18
        graph[L.MARKS + cell] = graph[L.SEARCH]
        last = cell
    return True


# Remote pair: a chain of cells with the same two candidates, which alternate. Cells with an odd
# number of links between them have different digits, so both digits are eliminated from cells that
# see two such cells. Cells next to each other are a naked pair, which is simpler.
@compiled()
def find_remote_pair(state, tables, step, graph):
    """Find the remote pair that eliminates most. Returns whether there is one."""
    link_state(state, tables, graph)
    graph[L.BEST_KEY] = 0
    for start in range(81):
        if bit_count(tables, state[start]) == 2:
            _extend_pairs(state, tables, step, graph, start)
    if not graph[L.BEST_KEY]:
        return 0
    write_eliminations(tables, step, graph, L.BEST_ELIMINATIONS)
    return 1


@compiled()
def _extend_pairs(state, tables, step, graph, start):
    """Try all remote pairs from a cell. PATH contains their cells."""
    graph[L.SEARCH] += 1
    mark, pair = graph[L.SEARCH], state[start]
    length, branches = 1, 0
    graph[L.PATH + 1], graph[L.BRANCH + 1], graph[L.MARKS + start] = start, 0, mark
    while length and branches < MAX_BRANCHES:
        last, cell = graph[L.PATH + length], graph[L.BRANCH + length]
        if cell == 81 or length == MAX_PAIR_CELLS:
            graph[L.MARKS + last] = 0
            length -= 1
            continue
        graph[L.BRANCH + length] += 1
        if state[cell] != pair or graph[L.MARKS + cell] == mark or not sees(tables, last, cell):
            continue
        length, branches = length + 1, branches + 1
        graph[L.PATH + length], graph[L.BRANCH + length], graph[L.MARKS + cell] = cell, 0, mark
        if length < 4 or length & 1:
            continue
        clear_eliminations(graph)
        for a in range(1, length - 2):
            for b in range(a + 3, length + 1, 2):
                for digit in range(9):
                    if pair >> digit & 1:
                        one, other = graph[L.PATH + a], graph[L.PATH + b]
                        add_seen_by_both(tables, graph, digit, one, other)
        key = elimination_key(tables, graph)
        if beats_best(graph, key, length):
            keep_best(graph, key, length)
            _write_pair(tables, step, graph, pair, length)


@compiled()
def _write_pair(tables, step, graph, pair, length):
    """Write the cells of a remote pair, its digits and the nodes of its chain to a step."""
    reset_step(step)
    step[L.PATTERN_DIGITS] = pair
    digits = lowest_bit(tables, pair), lowest_bit(tables, pair & (pair - 1))
    for k in range(1, length + 1):
        append_new(step, L.CITED, graph[L.PATH + k])
        append_new(step, L.PATTERN_CELLS, graph[L.PATH + k])
    for k in range(length, 0, -1):  # two nodes for each cell, from the last node
        off, on = (digits[0], digits[1]) if k & 1 else (digits[1], digits[0])
        for signed in (2 * (9 * graph[L.PATH + k] + on) + 1, 2 * (9 * graph[L.PATH + k] + off)):
            step[L.CHAIN_NODES] += 1
            step[L.CHAIN_NODES + step[L.CHAIN_NODES]] = signed
