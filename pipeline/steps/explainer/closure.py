"""The nodes that each candidate implies by links within cells and units, as sets.

A node is one of the candidates that are left. A node that is on implies nodes off by weak links, a
node that is off implies nodes on by strong links. The closure of a node is the set of all nodes
that it implies. A closure has no chains, and the choice of Sudoku Explainer depends on the length
of chains and on the order of search. So it does not replace a search. But most searches find
nothing, and closures show in a fraction of the time which searches can be left out.

Links are symmetric: if x implies y, the contrary of y implies the contrary of x.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import bit_count, candidate_at, lowest_bit

ON_CONTRADICTED, OFF_CONTRADICTED = 1, 2
"""Bits of CONTRADICTED: the candidate implies its contrary if it is on, or if it is off."""


@compiled(inline=True)
def row_of(graph, first, node):
    """The offset of the set of a node. `first`: a part of `graph`, such as L.ON_ROWS."""
    return first + graph[L.ROW_WORDS] * node


@compiled(inline=True)
def has_node(graph, row, node):
    """Whether a set of nodes has a node."""
    return graph[row + node // L.BITS] >> (node % L.BITS) & 1


@compiled(inline=True)
def _add_node(graph, row, node):
    """Add a node to a set."""
    graph[row + node // L.BITS] |= 1 << (node % L.BITS)


@compiled()
def _next_node(graph, row, node):
    """The first node of a set from `node` on, or NOTHING."""
    word, end = node // L.BITS, graph[L.ROW_WORDS]
    if word == end:
        return L.NOTHING
    rest = graph[row + word] >> node % L.BITS
    while rest == 0:
        word += 1
        if word == end:
            return L.NOTHING
        node, rest = L.BITS * word, graph[row + word]
    while rest & 255 == 0:
        node, rest = node + 8, rest >> 8
    while rest & 1 == 0:
        node, rest = node + 1, rest >> 1
    return node


@compiled()
def close_links(state, tables, graph):
    """Compute the parts of `graph` from HAS_CLOSURE on, unless they are known."""
    if graph[L.HAS_CLOSURE]:
        return
    graph[L.IS_CONTRADICTED] = close_on(state, tables, graph)
    close_off(graph)
    graph[L.HAS_CLOSURE], graph[L.REFUTED_COUNT] = 1, 0
    for node in range(graph[L.NODE_COUNT]):
        if graph[L.CONTRADICTED + node]:
            graph[L.REFUTED + graph[L.REFUTED_COUNT]] = node
            graph[L.REFUTED_COUNT] += 1
        if _is_implied_off(state, tables, graph, node):
            graph[L.CONTRADICTED + node] |= OFF_CONTRADICTED
            graph[L.IS_CONTRADICTED] = 1


# The closure of an earlier node is complete, so it is added as a whole, and its members are not
# followed again. The transitive closure of S. Warshall (1962) was used before, and took longer: it
# looks at all pairs of nodes, most of which do not imply each other.
@compiled()
def close_on(grid, tables, graph):
    """Compute the parts of `graph` from NODE_COUNT to ON_ROWS for the candidates of `grid`.

    The set of a node in ON_ROWS contains the node itself only if a cycle implies it. CONTRADICTED
    has only the bits ON_CONTRADICTED. Returns whether any node has this bit. Overwrites the closure
    of any other grid.
    """
    graph[L.HAS_CLOSURE] = 0
    _link_nodes(grid, tables, graph)
    words, is_contradicted = graph[L.ROW_WORDS], 0
    for node in range(graph[L.NODE_COUNT]):
        row, weak = row_of(graph, L.ON_ROWS, node), row_of(graph, L.WEAK_ROWS, node)
        for k in range(words):
            graph[L.PENDING_ROW + k] = graph[row + k]
        via = _next_node(graph, L.PENDING_ROW, 0)
        while via != L.NOTHING:
            graph[L.PENDING_ROW + via // L.BITS] &= ~(1 << via % L.BITS)
            other = row_of(graph, L.ON_ROWS, via)
            for k in range(words):
                added = graph[other + k] & ~graph[row + k]
                graph[row + k] |= added
                graph[L.PENDING_ROW + k] |= added if via >= node else 0
            via = _next_node(graph, L.PENDING_ROW, 0)
        graph[L.CONTRADICTED + node] = 0
        for k in range(words):
            if graph[row + k] & graph[weak + k]:
                graph[L.CONTRADICTED + node] = is_contradicted = ON_CONTRADICTED
    return is_contradicted


@compiled()
def _link_nodes(grid, tables, graph):
    """Number the nodes. Compute WEAK_ROWS, STRONG_LINKS, and in ON_ROWS what two links imply."""
    count = 0
    for cell in range(81):
        digits = grid[cell]
        while digits:
            candidate = 9 * cell + lowest_bit(tables, digits)
            digits &= digits - 1
            graph[L.NODE_CANDIDATES + count], graph[L.NODE_AT + candidate] = candidate, count
            count += 1
    graph[L.NODE_COUNT], graph[L.ROW_WORDS] = count, (count + L.BITS - 1) // L.BITS
    for first in (L.WEAK_ROWS, L.ON_ROWS):
        for k in range(first, row_of(graph, first, count)):
            graph[k] = 0
    for node in range(count):
        candidate, weak = graph[L.NODE_CANDIDATES + node], row_of(graph, L.WEAK_ROWS, node)
        links = strong_count = 0
        for j in range(4):
            constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + j]
            rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * candidate + j]
            is_strong = rest != 0 and rest & (rest - 1) == 0
            while rest:
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                rest &= rest - 1
                _add_node(graph, weak, graph[L.NODE_AT + other])
                if is_strong:
                    graph[L.STRONG_NODES + strong_count] = graph[L.NODE_AT + other]
                    strong_count += 1
                    links |= 2 if j == 3 else 1
        graph[L.STRONG_LINKS + node] = links
        source = _next_node(graph, weak, 0) if links else L.NOTHING
        while source != L.NOTHING:
            for k in range(strong_count):
                _add_node(graph, row_of(graph, L.ON_ROWS, source), graph[L.STRONG_NODES + k])
            source = _next_node(graph, weak, source + 1)


@compiled()
def close_off(graph):
    """Compute OFF_ROWS from ON_ROWS and WEAK_ROWS, and add each node to its own set in ON_ROWS."""
    words = graph[L.ROW_WORDS]
    for node in range(graph[L.NODE_COUNT]):
        on_row, off_row = row_of(graph, L.ON_ROWS, node), row_of(graph, L.OFF_ROWS, node)
        _add_node(graph, on_row, node)
        for k in range(words):
            graph[off_row + k] = 0
        on = _next_node(graph, on_row, 0)
        while on != L.NOTHING:
            weak = row_of(graph, L.WEAK_ROWS, on)
            for k in range(words):
                graph[off_row + k] |= graph[weak + k]
            on = _next_node(graph, on_row, on + 1)


@compiled()
def _is_implied_off(state, tables, graph, node):
    """Whether a node that is off implies that it is on."""
    candidate = graph[L.NODE_CANDIDATES + node]
    for j in range(4 if graph[L.STRONG_LINKS + node] else 0):
        constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + j]
        rest = state[constraint] & ~tables[L.NODE_MASKS + 4 * candidate + j]
        if rest and rest & (rest - 1) == 0:
            other = graph[L.NODE_AT + candidate_at(tables, constraint, lowest_bit(tables, rest))]
            if has_node(graph, row_of(graph, L.ON_ROWS, other), node):
                return True
    return False


@compiled()
def have_common_consequence(grid, tables, graph, constraint):
    """Whether all candidates of a constraint imply the same change of the candidates."""
    for k in range(graph[L.ROW_WORDS]):
        on, off, rest = -1, -1, grid[constraint]
        while rest and on | off:
            candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            node = graph[L.NODE_AT + candidate]
            on &= graph[row_of(graph, L.ON_ROWS, node) + k]
            off &= graph[row_of(graph, L.OFF_ROWS, node) + k]
        if off:
            return True
        node = L.BITS * k
        while on:
            if on & 1 and bit_count(tables, grid[graph[L.NODE_CANDIDATES + node] // 9]) > 1:
                return True
            node, on = node + 1, on >> 1
    return False
