"""Simple colouring and multi-colouring. `layout` describes the arrays.

Strong links of one digit join its places to *components*. The places of a component get two colours
alternately: either all places of one colour hold, or all of the other colour.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.eliminations import (
    clear_eliminations,
    elimination_key,
    write_eliminations,
)
from pipeline.steps.hodoku.links import link_state, strong_constraint
from pipeline.steps.step_arrays import append_new, reset_step

SIMPLE, MULTI = range(2)
"""Forms of colouring, for `find_colours`."""


@compiled()
def find_colours(state, tables, step, graph, form):
    """Find the first step of simple colouring or multi-colouring. Returns whether there is one."""
    link_state(state, tables, graph)
    for digit in range(9):
        count = _colour(tables, graph, digit)
        for a in range(count):
            if form == SIMPLE:
                clear_eliminations(graph)
                _conclude_simple(graph, digit, 2 * a)
                if elimination_key(tables, graph):
                    return _write_step(state, tables, step, graph, digit, a, a)
            for b in range(count if form == MULTI else 0):
                clear_eliminations(graph)
                if a != b and _conclude_multi(graph, digit, 2 * a, 2 * b):
                    return _write_step(state, tables, step, graph, digit, a, b)
    return 0


@compiled()
def _colour(tables, graph, digit):
    """Find the components of a digit with two places or more. Returns their number.

    CHAIN_QUEUE contains their places as signed nodes: on for the first colour, off for the second.
    """
    graph[L.SEARCH] += 1
    count = end = head = 0
    for start in range(digit, L.SINGLES, 9):
        is_linked = graph[L.DIRECT_AT + 6 * start] < graph[L.DIRECT_AT + 6 * start + 1]
        if not is_linked or graph[L.CHAIN_START + 2 * start] == graph[L.SEARCH]:
            continue
        for k in range(2 * L.BANDS):
            graph[L.COLOURS + 2 * L.BANDS * count + k] = 0
            graph[L.SEEN_BY + 2 * L.BANDS * count + k] = 0
        graph[L.COLOUR_AT + count] = end
        graph[L.CHAIN_QUEUE + end], graph[L.CHAIN_START + 2 * start] = (
            2 * start + 1,
            graph[L.SEARCH],
        )
        end += 1
        while head < end:
            signed = graph[L.CHAIN_QUEUE + head]
            node, cell = signed // 2, signed // 18
            colour = 2 * count + 1 - (signed & 1)
            graph[L.COLOURS + L.BANDS * colour + cell // 27] |= 1 << cell % 27
            for band in range(L.BANDS):
                seen = tables[L.SEEN + L.BANDS * cell + band]
                graph[L.SEEN_BY + L.BANDS * colour + band] |= seen
            for k in range(graph[L.DIRECT_AT + 6 * node], graph[L.DIRECT_AT + 6 * node + 1]):
                other = graph[k] // 2
                is_new = graph[L.CHAIN_START + 2 * other] != graph[L.SEARCH]
                if other % 9 == digit and is_new:
                    graph[L.CHAIN_START + 2 * other] = graph[L.SEARCH]
                    graph[L.CHAIN_PARENT + 2 * other] = 2 * node
                    graph[L.CHAIN_QUEUE + end] = 2 * other + 1 - (signed & 1)
                    end += 1
            head += 1
        if end > graph[L.COLOUR_AT + count] + 1:
            count += 1
        else:
            end = head = graph[L.COLOUR_AT + count]
    graph[L.COLOUR_AT + count] = end
    return count


@compiled(inline=True)
def _sees(graph, a, b):
    """Whether a place of colour `a` sees one of colour `b`."""
    common = 0
    for band in range(L.BANDS):
        common |= graph[L.SEEN_BY + L.BANDS * a + band] & graph[L.COLOURS + L.BANDS * b + band]
    return common != 0


@compiled()
def _add_seen(graph, digit, a, b):
    """Add the places of a digit that see both colours to NEW_ELIMINATIONS."""
    for band in range(L.BANDS):
        word = graph[L.PLACES + L.BANDS * digit + band]
        word &= graph[L.SEEN_BY + L.BANDS * a + band] & graph[L.SEEN_BY + L.BANDS * b + band]
        graph[L.NEW_ELIMINATIONS + L.BANDS * digit + band] |= word


@compiled()
def _add_colour(graph, digit, colour):
    """Add the places of a colour to NEW_ELIMINATIONS."""
    for band in range(L.BANDS):
        word = graph[L.COLOURS + L.BANDS * colour + band]
        graph[L.NEW_ELIMINATIONS + L.BANDS * digit + band] |= word


# If two places of one colour see each other, that colour is false (colour wrap). Otherwise a place
# that sees both colours is false (colour trap).
@compiled()
def _conclude_simple(graph, digit, colour):
    """Write what `colour` and the other colour of its component eliminate to NEW_ELIMINATIONS."""
    for own in (colour, colour + 1):
        if _sees(graph, own, own):
            _add_colour(graph, digit, own)
            return
    _add_seen(graph, digit, colour, colour + 1)


# A colour that sees both colours of another component is false. If two colours of different
# components see each other, one of them is false, so one of their opposites is true, and a place
# that sees both opposites is false.
@compiled()
def _conclude_multi(graph, digit, a, b):
    """Write what two components eliminate to NEW_ELIMINATIONS. Returns whether there is any."""
    is_found = False
    for own in (a, a + 1):
        if _sees(graph, own, b) and _sees(graph, own, b + 1):
            _add_colour(graph, digit, own)
            is_found = True
    if is_found:
        return True
    for own in (a, a + 1):
        for other in (b, b + 1):
            if _sees(graph, own, other):
                _add_seen(graph, digit, own ^ 1, other ^ 1)
    for band in range(L.BANDS):
        is_found = is_found or graph[L.NEW_ELIMINATIONS + L.BANDS * digit + band] != 0
    return is_found


@compiled()
def _write_step(state, tables, step, graph, digit, a, b):
    """Write NEW_ELIMINATIONS and the places of one or two components to a step. Returns 1."""
    reset_step(step)
    write_eliminations(tables, step, graph, L.NEW_ELIMINATIONS)
    step[L.PATTERN_DIGITS] = 1 << digit
    for component in (a, b):
        first, end = graph[L.COLOUR_AT + component], graph[L.COLOUR_AT + component + 1]
        for k in range(first, end):
            signed = graph[L.CHAIN_QUEUE + k]
            append_new(step, L.CHAIN_NODES, signed)
            if k > first:
                parent = graph[L.CHAIN_PARENT + (signed & ~1)]
                append_new(
                    step, L.CITED, strong_constraint(state, tables, parent // 2, signed // 2)
                )
    return 1
