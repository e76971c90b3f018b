"""Forcing chains: assume a candidate or its contrary, and refute it. `layout` describes the arrays.

HoDoKu takes the placement in the lowest cell or, if there is none, the lowest elimination.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.links import (
    GROUPED_LINKS,
    NO_LIMIT,
    append_path,
    link_state,
    read_path,
    search_links,
)
from pipeline.steps.step_arrays import append_new, candidate_at, reset_step


# Each implication also holds backwards, between the contraries. If an assumption implies that all
# candidates of a cell or unit are false, then each of these candidates implies the contrary of the
# assumption (a verity). Likewise, if a candidate and its contrary have a common consequence, the
# contrary of that consequence implies both, and is refuted. So one search from each assumption
# finds all conclusions of HoDoKu: refutations and verities.
@compiled()
def find_forcing_chain(state, tables, step, graph):
    """Find an assumption that chains refute. Returns whether there is one."""
    link_state(state, tables, graph)
    for is_on in range(2):
        for candidate in range(L.SINGLES):
            signed = 2 * candidate + is_on
            has_links = graph[L.DIRECT_AT + 3 * signed] < graph[L.DIRECT_AT + 3 * signed + 2]
            if has_links and _refute(state, tables, step, graph, signed):
                append_new(step, L.ELIMINATED if is_on else L.PLACED, candidate)
                return 1
    return 0


@compiled()
def _refute(state, tables, step, graph, start):
    """Refute a signed candidate, and write the chains of the refutation to a step.

    Returns whether it is refuted.
    """
    tail = search_links(state, tables, graph, start, GROUPED_LINKS, NO_LIMIT)
    number = graph[L.SEARCH]
    if graph[L.CHAIN_START + (start ^ 1)] == number:
        reset_step(step)
        read_path(graph, start ^ 1)
        append_path(state, tables, step, graph, False)
        return True
    for k in range(tail):
        signed = graph[L.CHAIN_QUEUE + k]
        if signed & 1 or signed >= 2 * L.SINGLES:
            continue
        for n in range(2 * signed, 2 * signed + 4):
            constraint, bit = tables[L.NODE_CONSTRAINTS + n], tables[L.NODE_MASKS + n]
            if state[constraint] == bit:
                continue  # a single: it excludes the assumption by itself, without cases
            if state[constraint] & (bit - 1):
                continue  # the first candidate of the constraint looks at all
            if _is_refuted(state, tables, graph, constraint, number):
                _write_verity(state, tables, step, graph, constraint)
                return True
    return False


@compiled(inline=True)
def _is_refuted(state, tables, graph, constraint, number):
    """Whether the last search reached the contraries of all candidates of a constraint."""
    for position in range(9):
        if state[constraint] >> position & 1:
            signed = 2 * candidate_at(tables, constraint, position)
            if graph[L.CHAIN_START + signed] != number:
                return False
    return True


@compiled()
def _write_verity(state, tables, step, graph, constraint):
    """Write the chains from each candidate of a constraint to the contrary of the assumption."""
    reset_step(step)
    append_new(step, L.CITED, constraint)
    if constraint < L.UNIT_DIGITS:
        append_new(step, L.PATTERN_CELLS, constraint)
        step[L.PATTERN_DIGITS] = state[constraint]
    else:
        step[L.PATTERN_DIGITS], step[L.BASE_UNITS] = 1 << constraint % 9, 1 << constraint // 9 - 9
    for position in range(9):
        if state[constraint] >> position & 1:
            read_path(graph, 2 * candidate_at(tables, constraint, position))
            append_path(state, tables, step, graph, True)
