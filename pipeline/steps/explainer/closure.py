"""What the candidates of a state imply by links within cells and units, all at once.

A node is a candidate that is left. From a node on, a weak link leads to nodes off; from a node off,
a strong link leads to a node on. The closure is the set of all nodes that a node on implies, as
bits. It has no chains, so it does not replace a search: Sudoku Explainer's choice depends on the
length of chains and on the order of search. But it shows which searches can find anything, and most
cannot.

Links are symmetric: if x implies y, the contrary of y implies the contrary of x.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import bit_count, candidate_at, lowest_bit

ON_CONTRADICTED, OFF_CONTRADICTED = 1, 2
"""Bits of CONTRADICTED: the candidate implies, on or off, its contrary."""


@compiled(inline=True)
def row_of(graph, first, node):
    """Where the set of a node begins in one of the parts …_ROWS of `graph`."""
    return first + graph[L.ROW_WORDS] * node


@compiled(inline=True)
def has_node(graph, row, node):
    """Whether a set of nodes has a node."""
    return graph[row + node // L.BITS] >> (node % L.BITS) & 1


@compiled(inline=True)
def _add_node(graph, row, node):
    """Add a node to a set."""
    graph[row + node // L.BITS] |= 1 << (node % L.BITS)


@compiled(inline=True)
def _add_row(graph, row, other):
    """Add all nodes of another set to a set."""
    for k in range(graph[L.ROW_WORDS]):
        graph[row + k] |= graph[other + k]


@compiled()
def close_links(state, tables, graph):
    """Compute the parts of `graph` from HAS_CLOSURE on, unless they are known."""
    if graph[L.HAS_CLOSURE]:
        return
    graph[L.HAS_CLOSURE] = 1
    count = 0
    for candidate in range(L.SINGLES):
        if state[candidate // 9] >> candidate % 9 & 1:
            graph[L.NODE_CANDIDATES + count], graph[L.NODE_AT + candidate] = candidate, count
            count += 1
    graph[L.NODE_COUNT] = count
    graph[L.ROW_WORDS] = (count + L.BITS - 1) // L.BITS
    for first in (L.WEAK_ROWS, L.STRONG_ROWS, L.ON_ROWS, L.OFF_ROWS):
        for k in range(first, row_of(graph, first, count)):
            graph[k] = 0
    for node in range(count):
        _link(state, tables, graph, node)
    for node in range(count):
        _imply_by_one(state, tables, graph, node)
    _close(graph, count)
    for node in range(count):
        _add_node(graph, row_of(graph, L.ON_ROWS, node), node)
    graph[L.IS_CONTRADICTED] = graph[L.REFUTED_COUNT] = 0
    for node in range(count):
        _note_contradictions(state, tables, graph, node)


@compiled()
def _link(state, tables, graph, node):
    """Compute WEAK_ROWS, STRONG_ROWS and STRONG_LINKS of a node."""
    candidate, links = graph[L.NODE_CANDIDATES + node], 0
    for k in range(4):
        constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + k]
        rest = state[constraint]
        is_strong = bit_count(tables, rest) == 2
        if is_strong:
            links |= 2 if k == 3 else 1
        while rest:
            other = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            if other != candidate:
                other_node = graph[L.NODE_AT + other]
                _add_node(graph, row_of(graph, L.WEAK_ROWS, node), other_node)
                if is_strong:
                    _add_node(graph, row_of(graph, L.STRONG_ROWS, node), other_node)
    graph[L.STRONG_LINKS + node] = links


@compiled()
def _imply_by_one(state, tables, graph, node):
    """Add to ON_ROWS what a node implies by a weak link and a strong link."""
    candidate, row = graph[L.NODE_CANDIDATES + node], row_of(graph, L.ON_ROWS, node)
    for k in range(4):
        constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + k]
        rest = state[constraint]
        while rest:
            other = graph[L.NODE_AT + candidate_at(tables, constraint, lowest_bit(tables, rest))]
            rest &= rest - 1
            if other != node and graph[L.STRONG_LINKS + other]:
                _add_row(graph, row, row_of(graph, L.STRONG_ROWS, other))


# Transitive closure of a relation of sets (S. Warshall, 1962). Only nodes with strong links are
# between others.
@compiled()
def _close(graph, count):
    """Complete ON_ROWS and compute OFF_ROWS."""
    for between in range(count):
        if graph[L.STRONG_LINKS + between]:
            row = row_of(graph, L.ON_ROWS, between)
            for node in range(count):
                node_row = row_of(graph, L.ON_ROWS, node)
                if has_node(graph, node_row, between) and node != between:
                    _add_row(graph, node_row, row)
    for node in range(count):
        _add_row(graph, row_of(graph, L.OFF_ROWS, node), row_of(graph, L.WEAK_ROWS, node))
    for between in range(count):
        if graph[L.STRONG_LINKS + between]:
            row = row_of(graph, L.WEAK_ROWS, between)
            for node in range(count):
                if has_node(graph, row_of(graph, L.ON_ROWS, node), between):
                    _add_row(graph, row_of(graph, L.OFF_ROWS, node), row)


@compiled()
def _note_contradictions(state, tables, graph, node):
    """Compute CONTRADICTED of a node."""
    candidate = graph[L.NODE_CANDIDATES + node]
    contradicted = ON_CONTRADICTED * has_node(graph, row_of(graph, L.OFF_ROWS, node), node)
    for k in range(4 if graph[L.STRONG_LINKS + node] else 0):
        constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + k]
        rest = state[constraint] if bit_count(tables, state[constraint]) == 2 else 0
        while rest:
            other = graph[L.NODE_AT + candidate_at(tables, constraint, lowest_bit(tables, rest))]
            rest &= rest - 1
            if other != node and has_node(graph, row_of(graph, L.ON_ROWS, other), node):
                contradicted |= OFF_CONTRADICTED
    graph[L.CONTRADICTED + node] = contradicted
    graph[L.IS_CONTRADICTED] |= contradicted
    if contradicted & ON_CONTRADICTED:
        graph[L.REFUTED + graph[L.REFUTED_COUNT]] = node
        graph[L.REFUTED_COUNT] += 1


@compiled()
def have_common_consequence(state, tables, graph, constraint):
    """Whether all candidates of a constraint imply the same node, on or off."""
    for first in (L.ON_ROWS, L.OFF_ROWS):
        for k in range(graph[L.ROW_WORDS]):
            common, rest = -1, state[constraint]
            while rest and common:
                candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
                common &= graph[row_of(graph, first, graph[L.NODE_AT + candidate]) + k]
                rest &= rest - 1
            if common:
                return True
    return False
