"""Nice loops and alternating inference chains. `layout` describes the arrays.

A nice loop is a chain from a candidate back to its cell. A chain from "a does not hold" to "b
holds" is an alternating inference chain (AIC): a or b holds. A grouped chain has a node that is a
group or, if its form is WITH_SETS, a digit in an almost locked set. As in HoDoKu, only the shortest
chain from each candidate to each node counts, and the step is the chain that eliminates most.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.eliminations import (
    add_new_elimination,
    beats_best,
    clear_eliminations,
    elimination_count,
    elimination_key,
    keep_best,
    write_eliminations,
)
from pipeline.steps.hodoku.links import (
    ARE_LINKED,
    CANDIDATE_LINKS,
    GROUPED_LINKS,
    NO_LIMIT,
    add_seen_by_both,
    append_path,
    is_simple,
    link_state,
    mark_cells,
    read_path,
    search_links,
)
from pipeline.steps.hodoku.set_links import add_set_links, cite_set, link_sets
from pipeline.steps.step_arrays import lowest_bit, reset_step, sees

CANDIDATES_ONLY, WITH_GROUPS, WITH_SETS = range(3)
"""Forms of chains: without groups, with a group, with a digit in an almost locked set."""


@compiled()
def find_loop(state, tables, step, graph, form):
    """Find the nice loop or AIC of a form that eliminates most. Returns whether there is one."""
    link_state(state, tables, graph)
    if form == WITH_SETS:
        link_sets(state, tables, graph)
        add_set_links(tables, graph)
    _try_loops(state, tables, step, graph, form)
    if form == WITH_SETS:
        graph[L.IS_KNOWN] &= ~ARE_LINKED  # other techniques follow no links of sets
    if not graph[L.BEST_KEY]:
        return 0
    write_eliminations(tables, step, graph, L.BEST_ELIMINATIONS)
    return 1


@compiled()
def _try_loops(state, tables, step, graph, form):
    """Try the chains from each candidate, and keep the best."""
    is_grouped = form != CANDIDATES_ONLY
    graph[L.BEST_KEY] = 0
    for start in range(L.SINGLES):
        if graph[L.DIRECT_AT + 6 * start] < graph[L.DIRECT_AT + 6 * start + 1 + is_grouped]:
            _try_chains(state, tables, step, graph, 2 * start, form)
    # A chain from a candidate that holds eliminates only that candidate. So these chains are tried
    # in the order of their keys, and only if no other chain eliminates more.
    if elimination_count(graph[L.BEST_KEY]) < 2:
        _try_contradictions(state, tables, step, graph, form)


# A chain from "a does not hold" leads to
# - "a holds": a holds, so all other candidates of the cell are eliminated;
# - "b does not hold" in the cell: b is eliminated, because a excludes it, too;
# - "b holds" in the cell: a continuous loop;
# - "b holds" elsewhere: an AIC. If a and b are the same digit, the cells that see both lose it;
#   HoDoKu wants two such cells at least. If not, and the cells see each other, each loses the digit
#   of the other; HoDoKu wants both eliminations.
@compiled()
def _try_chains(state, tables, step, graph, start, form):
    """Try all chains from a candidate that does not hold."""
    tail = search_links(state, tables, graph, start, _links_of(form), NO_LIMIT)
    cell, digit = start // 18, start // 2 % 9
    for k in range(1, tail):
        signed = graph[L.CHAIN_QUEUE + k]
        length, other, other_digit = (
            graph[L.CHAIN_DISTANCE + signed] + 1,
            signed // 18,
            signed // 2 % 9,
        )
        if length < 3 or other >= 81:
            continue
        is_loop = other == cell
        is_continuous = is_loop and signed & 1 == 1 and other_digit != digit
        is_cross = not is_loop and other_digit != digit
        if not is_loop and not signed & 1:
            continue
        if is_cross and not (sees(tables, cell, other) and _can_cross(state, start, signed)):
            continue
        if not is_continuous:
            clear_eliminations(graph)
            if is_cross:
                add_new_elimination(graph, 9 * cell + other_digit)
                add_new_elimination(graph, 9 * other + digit)
            elif not is_loop:
                add_seen_by_both(tables, graph, digit, cell, other)
            else:
                mask = state[cell] & ~(1 << digit) if other_digit == digit else 1 << other_digit
                while mask:
                    add_new_elimination(graph, 9 * cell + lowest_bit(tables, mask))
                    mask &= mask - 1
            key = elimination_key(tables, graph)
            if not beats_best(graph, key, length) or (not is_loop and elimination_count(key) < 2):
                continue
        read_path(graph, signed)
        if not _is_valid(state, tables, graph, is_loop, form):
            continue
        if is_continuous:
            _conclude_continuous(state, tables, graph)
        _keep_if_better(state, tables, step, graph)


@compiled(inline=True)
def _links_of(form):
    """The links that a search for chains of a form follows."""
    return CANDIDATE_LINKS if form == CANDIDATES_ONLY else GROUPED_LINKS


@compiled(inline=True)
def _can_cross(state, start, end):
    """Whether the cell of each of two signed candidates has the digit of the other."""
    return state[start // 18] >> end // 2 % 9 & state[end // 18] >> start // 2 % 9 & 1


@compiled()
def _try_contradictions(state, tables, step, graph, form):
    """Try the chains from a candidate to its contrary, or to another candidate of its cell."""
    for total in range(91):
        for cell in range(max(total - 9, 0), min(total, 81)):
            digit = total - cell - 1
            if not state[cell] >> digit & 1:
                continue
            start = 2 * (9 * cell + digit) + 1
            clear_eliminations(graph)
            add_new_elimination(graph, start // 2)
            if elimination_key(tables, graph) < graph[L.BEST_KEY]:
                return
            tail = search_links(state, tables, graph, start, _links_of(form), NO_LIMIT)
            for k in range(1, tail):
                signed = graph[L.CHAIN_QUEUE + k]
                is_end = signed & 1 == 1 or signed == start - 1
                if signed // 18 == cell and is_end and graph[L.CHAIN_DISTANCE + signed] > 1:
                    read_path(graph, signed)
                    if _is_valid(state, tables, graph, True, form):
                        graph[L.BEST_KEY] = 0  # HoDoKu finds these chains before the others
                        _keep_if_better(state, tables, step, graph)
                        return


@compiled()
def _is_valid(state, tables, graph, is_loop, form):
    """Whether PATH is a chain of HoDoKu.

    The first and the last link of a loop lead out of its cell, no cell is entered again, and the
    chain has a node as its form says.
    """
    length = graph[L.PATH]
    cell = graph[L.PATH + 1] // 18
    if is_loop and cell in (graph[L.PATH + 2] // 18, graph[L.PATH + length - 1] // 18):
        return False
    highest = 0
    for k in range(L.PATH + 1, L.PATH + 1 + length):
        highest = max(highest, graph[k] // 2)
    path_form = WITH_GROUPS if highest >= L.SINGLES else CANDIDATES_ONLY
    if highest >= L.ALL_NODES:
        path_form = WITH_SETS
    return path_form == form and is_simple(state, tables, graph, is_loop)


# Of two neighbours in a continuous loop, exactly one holds. So a candidate that sees both ends of a
# weak link is eliminated. A cell that the loop enters and leaves by strong links holds one of its
# two candidates in the loop.
@compiled()
def _conclude_continuous(state, tables, graph):
    """Write the eliminations of the continuous loop PATH to NEW_ELIMINATIONS."""
    length = graph[L.PATH]
    clear_eliminations(graph)
    for k in range(1, 1 + length):
        signed, implied = graph[L.PATH + k], graph[L.PATH + k % length + 1]
        if signed & 1 and signed // 18 != implied // 18:
            add_seen_by_both(tables, graph, signed // 2 % 9, signed // 18, implied // 18)
    graph[L.SEARCH] += 1  # a new number, for MARKS
    for k in range(1, 1 + length):
        mark_cells(state, tables, graph, graph[L.PATH + k] // 2, graph[L.SEARCH])
    for cell in range(81):
        for digit in range(9 if graph[L.MARKS + cell] == graph[L.SEARCH] else 0):
            graph[L.NEW_ELIMINATIONS + L.BANDS * digit + cell // 27] &= ~(1 << cell % 27)
    for k in range(1, 1 + length):
        signed, implied = graph[L.PATH + k], graph[L.PATH + k % length + 1]
        cell = signed // 18
        if signed & 1 and cell == implied // 18:
            before = graph[L.PATH + (k + length - 2) % length + 1]
            after = graph[L.PATH + (k + 1) % length + 1]
            kept = 1 << signed // 2 % 9 | 1 << implied // 2 % 9
            remaining = state[cell] & ~kept if cell not in (before // 18, after // 18) else 0
            while remaining:
                add_new_elimination(graph, 9 * cell + lowest_bit(tables, remaining))
                remaining &= remaining - 1


@compiled()
def _keep_if_better(state, tables, step, graph):
    """Write PATH to a step and keep NEW_ELIMINATIONS, if they are the best so far."""
    key, length = elimination_key(tables, graph), graph[L.PATH]
    if beats_best(graph, key, length):
        keep_best(graph, key, length)
        reset_step(step)
        append_path(state, tables, step, graph, False)
        for k in range(L.PATH + 1, L.PATH + 1 + length):
            if graph[k] >= 2 * L.ALL_NODES:
                cite_set(tables, step, graph, graph[k] // 18 - L.SPOTS)
