"""Links between the nodes of a state, and searches for chains.

A link is a *direct* implication between signed nodes. By a weak link, a node does not hold if
another one holds. By a strong link, a node holds if the only other node of a cell or a unit does
not. A *chain* is a path of links. `layout` describes the arrays.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import (
    append_new,
    bit_count,
    candidate_at,
    cell_at,
    lowest_bit,
    unit_of,
)

X_LINKS, XY_LINKS, CANDIDATE_LINKS, GROUPED_LINKS = range(4)
"""The links that a search follows.

- X_LINKS: those of one digit.
- XY_LINKS: strong links in cells with two candidates, weak links between such cells.
- CANDIDATE_LINKS: all links between candidates.
- GROUPED_LINKS: all links in DIRECT.
"""

ARE_LINKED = 1
"""The bit of IS_KNOWN that says whether DIRECT is known."""

NO_LIMIT = 1 << 20
"""More links than any chain has."""

MAX_BRANCHES = 20_000
"""`find_simple_path` gives up after this number of nodes."""


# The direct implications are in the order of HoDoKu, as the first parent of a node decides which of
# several shortest chains the search returns.
@compiled()
def link_state(state, tables, graph):
    """Write the direct implications of a state to DIRECT, unless they are known.

    The list of a node has candidates by cell, row, column and box, then groups in rows, then groups
    in columns.
    """
    if graph[L.IS_KNOWN] & ARE_LINKED:
        return
    graph[L.IS_KNOWN] |= ARE_LINKED
    for digit in range(9):
        for band in range(L.BANDS):
            word = 0
            for row in range(3):
                word |= state[L.UNIT_DIGITS + 27 * band + 9 * row + digit] << 9 * row
            graph[L.PLACES + L.BANDS * digit + band] = word
    for node in range(L.ALL_NODES):
        places = state[tables[L.NODE_CONSTRAINTS + 4 * node]] & tables[L.NODE_MASKS + 4 * node]
        graph[L.IS_NODE + node] = bit_count(tables, places) > (0 if node < L.SINGLES else 1)
    end = L.DIRECT
    for node in range(L.ALL_NODES):
        first = L.DIRECT_AT + 6 * node
        graph[first] = end
        if graph[L.IS_NODE + node]:
            end = _append_implied(state, tables, graph, node, end, 0)
        graph[first + 1] = end
        if graph[L.IS_NODE + node]:
            end = _append_implied(state, tables, graph, node, end, 1)
        graph[first + 2] = graph[first + 3] = end
        if graph[L.IS_NODE + node]:
            end = _append_excluded(state, tables, graph, node, end)
        graph[first + 4] = end
        if graph[L.IS_NODE + node]:
            end = _append_excluded_groups(tables, graph, node, end)
        graph[first + 5] = end


@compiled()
def _append_implied(state, tables, graph, node, end, are_groups):
    """Append the nodes that hold if `node` does not: candidates or, if `are_groups`, groups.

    Returns the new end of DIRECT.
    """
    first = end
    cell, digit = node // 9, node % 9
    if not are_groups and cell < 81 and bit_count(tables, state[cell]) == 2:
        graph[end] = 2 * (9 * cell + lowest_bit(tables, state[cell] & ~(1 << digit))) + 1
        end += 1
    for n in range(3 if cell < 81 else 2):
        k = 4 * node + (n if cell < 81 else 1 - n)
        constraint = tables[L.NODE_CONSTRAINTS + k]
        remaining = state[constraint] & ~tables[L.NODE_MASKS + k]
        other = L.NOTHING
        if are_groups:
            spot = tables[L.SPOT_AT + 512 * (constraint // 9 - 9) + remaining]
            other = 9 * spot + digit if spot >= 81 else L.NOTHING
        elif bit_count(tables, remaining) == 1:
            other = candidate_at(tables, constraint, lowest_bit(tables, remaining))
        is_new = other != L.NOTHING
        for m in range(first, end):
            is_new = is_new and graph[m] != 2 * other + 1
        if is_new:
            graph[end] = 2 * other + 1
            end += 1
    return end


@compiled()
def _append_excluded(state, tables, graph, node, end):
    """Append the candidates that do not hold if `node` holds. Returns the new end of DIRECT."""
    cell, digit = node // 9, node % 9
    if cell >= 81:
        for k in range(tables[L.EXCLUDED_FIRST + node], tables[L.EXCLUDED_FIRST + node + 1]):
            if tables[k] < L.SINGLES and graph[L.IS_NODE + tables[k]]:
                graph[end] = 2 * tables[k]
                end += 1
        return end
    remaining = state[cell] & ~(1 << digit)
    while remaining:
        graph[end] = 2 * (9 * cell + lowest_bit(tables, remaining))
        end += 1
        remaining &= remaining - 1
    for k in range(3):
        constraint = tables[L.NODE_CONSTRAINTS + 4 * node + k]
        remaining = state[constraint] & ~tables[L.NODE_MASKS + 4 * node + k]
        while remaining:
            other = candidate_at(tables, constraint, lowest_bit(tables, remaining))
            if k < 2 or not _share_line(tables, cell, other // 9):
                graph[end] = 2 * other
                end += 1
            remaining &= remaining - 1
    return end


@compiled()
def _append_excluded_groups(tables, graph, node, end):
    """Append the groups that do not hold if `node` holds. Returns the new end of DIRECT."""
    spot, digit = node // 9, node % 9
    first, last = tables[L.EXCLUDED_FIRST + node], tables[L.EXCLUDED_FIRST + node + 1]
    for kind in range(2):
        for k in range(first, last):
            other = tables[k]
            is_open = other >= L.SINGLES and graph[L.IS_NODE + other]
            if is_open and unit_of(tables, other // 9, 0) // 9 == kind:
                graph[end] = 2 * other
                end += 1
        # groups in a row and a column of a box exclude each other if they share no candidate
        for k in range(6 if spot >= 81 else 0):
            other = (81 + (spot - 81) // 6 * 6 + k) * 9 + digit
            line, own_line = unit_of(tables, other // 9, 0), unit_of(tables, spot, 0)
            if line // 9 == kind != own_line // 9 and graph[L.IS_NODE + other]:
                row, column = (own_line, line - 9) if kind else (line, own_line - 9)
                if not graph[L.IS_NODE + 9 * (9 * row + column) + digit]:
                    graph[end] = 2 * other
                    end += 1
    return end


@compiled(inline=True)
def _share_line(tables, a, b):
    """Whether two cells are in the same row or column."""
    return unit_of(tables, a, 0) == unit_of(tables, b, 0) or unit_of(tables, a, 1) == unit_of(
        tables, b, 1
    )


@compiled(inline=True)
def _is_followed(state, tables, signed, implied, links):
    """Whether a search of X_LINKS or XY_LINKS follows a direct implication."""
    node, other = signed // 2, implied // 2
    if links == X_LINKS:
        if other % 9 != node % 9:
            return False
        for k in range(0 if signed & 1 else 2):  # not two places of a box, but more of a line
            if unit_of(tables, node // 9, k) == unit_of(tables, other // 9, k):
                places = state[tables[L.NODE_CONSTRAINTS + 4 * node + k]]
                return bit_count(tables, places) == 2
        return True
    if signed & 1:
        return other % 9 == node % 9 and bit_count(tables, state[other // 9]) == 2
    return other // 9 == node // 9


# A candidate replaces a group or set as the parent of a node at the same distance.
@compiled()
def search_links(state, tables, graph, start, links, max_links):
    """Find the signed nodes that chains of at most `max_links` links from a signed node reach.

    Writes them to CHAIN_QUEUE, and CHAIN_DISTANCE and CHAIN_PARENT for each. Returns their number.
    """
    graph[L.SEARCH] += 1
    number = graph[L.SEARCH]
    graph[L.CHAIN_QUEUE], graph[L.CHAIN_PARENT + start] = start, L.NOTHING
    graph[L.CHAIN_START + start], graph[L.CHAIN_DISTANCE + start] = number, 0
    last = 2 if links == GROUPED_LINKS else 1
    head, tail = 0, 1
    while head < tail:
        signed = graph[L.CHAIN_QUEUE + head]
        distance = graph[L.CHAIN_DISTANCE + signed] + 1
        if distance > max_links:
            break
        head += 1
        for k in range(graph[L.DIRECT_AT + 3 * signed], graph[L.DIRECT_AT + 3 * signed + last]):
            implied = graph[k]
            if graph[L.CHAIN_START + implied] != number:
                if links < CANDIDATE_LINKS and not _is_followed(
                    state, tables, signed, implied, links
                ):
                    continue
                graph[L.CHAIN_START + implied] = number
                graph[L.CHAIN_DISTANCE + implied] = distance
                graph[L.CHAIN_PARENT + implied] = signed
                graph[L.CHAIN_QUEUE + tail] = implied
                tail += 1
            elif (
                1 < distance == graph[L.CHAIN_DISTANCE + implied]
                and signed < 2 * L.SINGLES <= graph[L.CHAIN_PARENT + implied]
            ):
                graph[L.CHAIN_PARENT + implied] = signed
    return tail


@compiled()
def read_path(graph, end):
    """Write the chain from the start of the last search to a signed node to PATH."""
    length = graph[L.CHAIN_DISTANCE + end] + 1
    graph[L.PATH] = length
    for k in range(length, 0, -1):
        graph[L.PATH + k] = end
        end = graph[L.CHAIN_PARENT + end]


@compiled()
def node_places(state, tables, graph, node):
    """The places of a node: a constraint, and their positions in it."""
    if node < L.ALL_NODES:
        constraint = tables[L.NODE_CONSTRAINTS + 4 * node]
        return constraint, state[constraint] & tables[L.NODE_MASKS + 4 * node]
    number, places = node // 9 - L.SPOTS, 0
    unit = graph[L.ALS_UNIT + number]
    for position in range(9):
        cell = cell_at(tables, unit, position)
        word = graph[L.ALS_PLACES + L.BANDS * (9 * number + node % 9) + cell // 27]
        places |= (word >> cell % 27 & 1) << position
    return L.UNIT_DIGITS + 9 * unit + node % 9, places


@compiled()
def first_cell(state, tables, graph, node):
    """The first place of a node."""
    if node < L.SINGLES:
        return node // 9
    constraint, places = node_places(state, tables, graph, node)
    return candidate_at(tables, constraint, lowest_bit(tables, places)) // 9


@compiled()
def mark_cells(state, tables, graph, node, mark):
    """Set the MARKS of the places of a node."""
    constraint, places = node_places(state, tables, graph, node)
    while places:
        cell = candidate_at(tables, constraint, lowest_bit(tables, places)) // 9
        graph[L.MARKS + cell] = mark
        places &= places - 1


@compiled()
def is_simple(state, tables, graph, may_return):
    """Whether PATH enters no cell that it has left; if `may_return`, except its first cell.

    A group or set is entered at its first place, and all its places are left.
    """
    graph[L.SEARCH] += 1  # a new number, for MARKS
    number = graph[L.SEARCH]
    first, last = graph[L.PATH + 1] // 18, L.NOTHING
    for k in range(1, 1 + graph[L.PATH]):
        node = graph[L.PATH + k] // 2
        if graph[L.MARKS + first_cell(state, tables, graph, node)] == number:
            return False
        if last != L.NOTHING and not (may_return and last // 9 == first):
            mark_cells(state, tables, graph, last, number)
        last = node
    return True


# The shortest chain may pass a cell twice where a longer one does not, so all paths are tried. A
# path is cut off if the rest is too long: the distance from a node to the end is the distance from
# the contrary of the end to the contrary of the node.
@compiled()
def find_simple_path(state, tables, graph, start, end, links, max_links):
    """Find a path that passes no cell twice; its end may be its first cell. Write it to PATH.

    `links`: X_LINKS or XY_LINKS. Returns whether there is a path within MAX_BRANCHES nodes.
    """
    search_links(state, tables, graph, end ^ 1, links, max_links)
    graph[L.SEARCH] += 1  # `number` are the distances to the end, `number + 1` the MARKS
    number = graph[L.SEARCH] - 1
    length, branches = 1, 0
    graph[L.PATH + 1] = start
    graph[L.BRANCH + 1] = graph[L.DIRECT_AT + 3 * start]
    graph[L.MARKS + start // 18] = number + 1
    while length and branches < MAX_BRANCHES:
        signed = graph[L.PATH + length]
        k = graph[L.BRANCH + length]
        if k == graph[L.DIRECT_AT + 3 * signed + 1]:
            length -= 1
            if length and graph[L.PATH + length] // 18 != signed // 18 != start // 18:
                graph[L.MARKS + signed // 18] = 0
            continue
        graph[L.BRANCH + length] += 1
        implied, cell = graph[k], graph[k] // 18
        is_near = graph[L.CHAIN_START + (implied ^ 1)] == number
        if not is_near or length + graph[L.CHAIN_DISTANCE + (implied ^ 1)] > max_links:
            continue
        if not _is_followed(state, tables, signed, implied, links):
            continue
        branches += 1
        is_end = implied == end
        if is_end or cell == signed // 18 or graph[L.MARKS + cell] != number + 1:
            length += 1
            graph[L.PATH + length] = implied
            if is_end:
                graph[L.PATH] = length
                return True
            graph[L.BRANCH + length] = graph[L.DIRECT_AT + 3 * implied]
            graph[L.MARKS + cell] = number + 1
    return False


@compiled()
def strong_constraint(state, tables, a, b):
    """The constraint that has only the candidates of two nodes, or NOTHING."""
    for k in range(4 * a, 4 * a + (4 if a < L.SINGLES else 2)):
        constraint = tables[L.NODE_CONSTRAINTS + k]
        for m in range(4 * b, 4 * b + (4 if b < L.SINGLES else 2)):
            both = tables[L.NODE_MASKS + k] | tables[L.NODE_MASKS + m]
            if tables[L.NODE_CONSTRAINTS + m] == constraint and state[constraint] & ~both == 0:
                return constraint
    return L.NOTHING


@compiled()
def append_path(state, tables, step, graph, is_contrary):
    """Append PATH to CHAIN_NODES, its end first, and cite its strong links outside of sets.

    If `is_contrary`, append the contraposition: the contraries of the nodes, the start first.
    """
    length = graph[L.PATH]
    for n in range(length):
        signed = graph[L.PATH + (1 + n if is_contrary else length - n)]
        if signed >= 2 * L.ALL_NODES:
            constraint, places = node_places(state, tables, graph, signed // 2)
            spot = L.SPOTS + 512 * (constraint // 9 - 9) + places
            signed = 2 * (9 * spot + constraint % 9) + signed % 2
        step[L.CHAIN_NODES] += 1
        step[L.CHAIN_NODES + step[L.CHAIN_NODES]] = signed ^ 1 if is_contrary else signed
    for k in range(L.PATH + 1, L.PATH + length):
        if graph[k + 1] & 1 and graph[k + 1] < 2 * L.ALL_NODES:
            constraint = strong_constraint(state, tables, graph[k] // 2, graph[k + 1] // 2)
            append_new(step, L.CITED, constraint)


@compiled(inline=True)
def _seen(tables, graph, spot, digit, band):
    """A word of the cells that see a spot or, of a set, all its places for a digit."""
    if spot < L.SPOTS:
        return tables[L.SEEN + L.BANDS * spot + band]
    return graph[L.ALS_SEEN + L.BANDS * (9 * (spot - L.SPOTS) + digit) + band]


@compiled()
def add_seen_by_both(tables, graph, digit, a, b):
    """Add the places of a digit that see two spots to NEW_ELIMINATIONS.

    Returns whether there are any.
    """
    any_word = 0
    for band in range(L.BANDS):
        word = graph[L.PLACES + L.BANDS * digit + band]
        word &= _seen(tables, graph, a, digit, band) & _seen(tables, graph, b, digit, band)
        graph[L.NEW_ELIMINATIONS + L.BANDS * digit + band] |= word
        any_word |= word
    return any_word != 0
