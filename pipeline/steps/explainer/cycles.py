"""Bidirectional cycles and forcing chains of Sudoku Explainer 1.2.1 (6.5, 6.6, 7.0 and more)."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer.closure import (
    OFF_CONTRADICTED,
    ON_CONTRADICTED,
    close_links,
    has_node,
    row_of,
)
from pipeline.steps.explainer.hints import (
    BASE_CHAIN,
    BASE_CYCLE,
    BASE_X_CHAIN,
    MIXED_KIND,
    X_KIND,
    Y_KIND,
    best_rating,
    changes_candidates,
    conclude,
    has_hint,
    max_complexity,
    note_hint,
    precedes_best,
    rating_rank,
    start_choice,
)
from pipeline.steps.explainer.implications import (
    BY_LEVEL,
    CELL_LINKS,
    MIXED_LINKS,
    UNIT_LINKS,
    cite_chain,
    derivation_of,
    follow_links,
    unit_constraint,
)
from pipeline.steps.step_arrays import (
    append_new,
    bit_count,
    candidate_at,
    lowest_bit,
    reset_step,
    sees,
)


# Three searches: chains of one digit (X), of cells with two candidates (Y), and mixed. In a cycle,
# exactly one of each two neighbours holds, so a candidate that sees a node on and a node off of its
# digit is false. A chain from a node to its contrary refutes the node.
#
# The closure of all links shows which nodes imply their contrary. Only these start a chain, and
# only these are eliminated by a cycle. Proof: if such a candidate holds, it excludes a node that
# the cycle has on, so around the cycle each node takes its other state. Then the node off that the
# candidate sees is on, and excludes the candidate.
#
# Sudoku Explainer tries cycles and chains candidate by candidate. Here chains come first, as they
# limit the length of cycles. Of equal hints the one that Sudoku Explainer finds first is taken.
@compiled()
def find_cycle_or_chain(state, tables, step, workspace, graph):
    """Find the best cycle or forcing chain. Returns its rating in tenths, or 0."""
    close_links(state, tables, graph)
    if not graph[L.IS_CONTRADICTED]:
        return 0
    start_choice(workspace)
    for links in (UNIT_LINKS, CELL_LINKS, MIXED_LINKS):
        for node in range(graph[L.NODE_COUNT] if links != CELL_LINKS else 0):
            candidate = graph[L.NODE_CANDIDATES + node]
            if graph[L.CONTRADICTED + node] & ON_CONTRADICTED:
                _try_chain(state, tables, workspace, 2 * candidate + 1, links)
            if graph[L.CONTRADICTED + node] & OFF_CONTRADICTED:
                _try_chain(state, tables, workspace, 2 * candidate, links)
        for node in range(graph[L.NODE_COUNT]):
            mask = state[graph[L.NODE_CANDIDATES + node] // 9]
            is_pair = bit_count(tables, mask) == 2
            if (is_pair or links != CELL_LINKS) and _may_be_in_cycle(graph, node, links):
                _find_cycles(state, tables, workspace, graph, node, links)
    if not has_hint(workspace):
        return 0
    reset_step(step)
    source, conclusion = workspace[L.BEST_SOURCE], workspace[L.BEST_CONCLUSION]
    links, rating = workspace[L.BEST_LINKS], best_rating(workspace, tables)
    if conclusion == L.NOTHING:
        start_choice(workspace)
        _find_cycles(state, tables, workspace, graph, graph[L.NODE_AT + source], links)
        count = _read_cycle(workspace, workspace[L.CYCLE_END], workspace[L.CYCLE_END_OFF])
        _eliminate_by_cycle(tables, step, workspace, graph, count)
        _cite_cycle(state, tables, step, workspace, count)
        return rating
    mode = links | BY_LEVEL
    follow_links(state, state, tables, workspace, L.SLOTS, source, conclusion, L.SINGLES, mode)
    cite_chain(workspace, step, L.SLOTS, derivation_of(workspace, L.SLOTS, conclusion))
    conclude(step, conclusion)
    return rating


@compiled()
def _precedes(workspace, tables, base, complexity, kind, order):
    """Whether a hint precedes the best one so far; `order`: its place in the order of search."""
    if precedes_best(workspace, tables, base, complexity, kind):
        return True
    is_equal = (
        complexity == workspace[L.BEST_COMPLEXITY]
        and kind == workspace[L.BEST_KIND]
        and rating_rank(tables, base, complexity) == workspace[L.BEST_RANK]
    )
    return is_equal and order < workspace[L.BEST_ORDER]


@compiled()
def _try_chain(state, tables, workspace, source, links):
    """Note the first chain from a signed node to its contrary, if it is the best so far."""
    base = BASE_CHAIN if links == MIXED_LINKS else BASE_X_CHAIN
    kind = MIXED_KIND if links == MIXED_LINKS else X_KIND
    goal, mode = source ^ 1, links | BY_LEVEL
    max_levels = max_complexity(workspace, tables, base, kind)
    if max_levels == 0 or not changes_candidates(state, goal):
        return
    follow_links(state, state, tables, workspace, L.SLOTS, source, goal, max_levels, mode)
    derivation = derivation_of(workspace, L.SLOTS, goal)
    if derivation:
        complexity = workspace[L.SLOTS + derivation + L.NODE_DEPTH]
        order = 3 * (source // 2) + 2 - (source & 1)
        if _precedes(workspace, tables, base, complexity, kind, order):
            note_hint(workspace, tables, base, complexity, kind, source, goal, links)
            workspace[L.BEST_ORDER] = order


@compiled(inline=True)
def _may_be_in_cycle(graph, node, links):
    """Whether a node has a strong link, and excludes a node that a cycle may eliminate."""
    if not graph[L.STRONG_LINKS + node] & links:
        return False
    row = row_of(graph, L.OFF_ROWS, node)
    for k in range(graph[L.REFUTED_COUNT]):
        if has_node(graph, row, graph[L.REFUTED + k]):
            return True
    return False


# Level by level: all nodes on, then all nodes off. A node off is followed each time it is reached,
# unless it is an ancestor of itself, and a node on only once. So each node on determines its path:
# ON_PARENT_OFF is the node off that implies it, and ON_PARENT the node on that implies this node
# off. The search stops when a cycle of the next length could not become the best hint. Nodes on
# that do not imply the start are in no cycle, and are left out.
@compiled()
def _find_cycles(state, tables, workspace, graph, start_node, links):
    """Note the best cycle from a candidate, if it is better than the best hint so far."""
    base = BASE_CHAIN if links == MIXED_LINKS else BASE_CYCLE
    kind = MIXED_KIND if links == MIXED_LINKS else Y_KIND if links == CELL_LINKS else X_KIND
    start = graph[L.NODE_CANDIDATES + start_node]
    for k in range(L.SINGLES):
        workspace[L.ON_PARENT + k] = L.NOTHING
    workspace[L.ON_PARENT + start], workspace[L.ON_PARENT_OFF + start] = start, L.NOTHING
    workspace[L.QUEUE_ON] = start
    head, tail, length = 0, 1, 2
    max_length = max_complexity(workspace, tables, base, kind)
    while head < tail and max(length, 4) <= max_length:
        level_end, pending = tail, 0
        while head < level_end:
            on = workspace[L.QUEUE_ON + head]
            head += 1
            pending = _add_pending(state, tables, workspace, graph, start, on, links, pending)
        for n in range(pending):
            off, on = workspace[L.PENDING + 2 * n], workspace[L.PENDING + 2 * n + 1]
            for k in range(0 if links & CELL_LINKS else 1, 4 if links & UNIT_LINKS else 1):
                constraint = off // 9 if k == 0 else unit_constraint(tables, off, k - 1)
                rest = state[constraint]
                if bit_count(tables, rest) != 2:
                    continue
                other = candidate_at(tables, constraint, lowest_bit(tables, rest))
                if other == off:
                    other = candidate_at(tables, constraint, lowest_bit(tables, rest & (rest - 1)))
                if other == start:
                    if (
                        length >= 4
                        and _precedes(workspace, tables, base, length, kind, 3 * start)
                        and _eliminates(tables, workspace, graph, on, off)
                    ):
                        nothing = L.NOTHING
                        note_hint(workspace, tables, base, length, kind, start, nothing, links)
                        workspace[L.BEST_ORDER] = 3 * start
                        workspace[L.CYCLE_END], workspace[L.CYCLE_END_OFF] = on, off
                elif workspace[L.ON_PARENT + other] == L.NOTHING and has_node(
                    graph, row_of(graph, L.ON_ROWS, graph[L.NODE_AT + other]), start_node
                ):
                    workspace[L.ON_PARENT + other], workspace[L.ON_PARENT_OFF + other] = on, off
                    workspace[L.QUEUE_ON + tail] = other
                    tail += 1
        length += 2
        max_length = max_complexity(workspace, tables, base, kind)


@compiled()
def _add_pending(state, tables, workspace, graph, start, on, links, pending):
    """Append the nodes off that a candidate on implies to PENDING. Returns the number of pairs."""
    for k in range(0 if links & CELL_LINKS else 1, 4):
        constraint = on // 9 if k == 0 else unit_constraint(tables, on, k - 1)
        rest = state[constraint]
        while rest:
            off = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            if (
                off != on
                and graph[L.STRONG_LINKS + graph[L.NODE_AT + off]] & links
                and not (k > 1 and _share_earlier_unit(tables, on, off, k - 1))
                and not _is_ancestor(workspace, start, on, off)
            ):
                workspace[L.PENDING + 2 * pending] = off
                workspace[L.PENDING + 2 * pending + 1] = on
                pending += 1
    return pending


@compiled(inline=True)
def _share_earlier_unit(tables, candidate, other, k):
    """Whether two candidates share one of the first `k` units: box, column, row."""
    for earlier in range(k):
        if unit_constraint(tables, candidate, earlier) == unit_constraint(tables, other, earlier):
            return True
    return False


@compiled(inline=True)
def _is_ancestor(workspace, start, on, off):
    """Whether a node off is an ancestor of a node on."""
    while on != start:
        if workspace[L.ON_PARENT_OFF + on] == off:
            return True
        on = workspace[L.ON_PARENT + on]
    return False


@compiled()
def _read_cycle(workspace, on, off):
    """Write a cycle to CYCLE from its end: off, on, off, on, … Returns the number of nodes."""
    count = 0
    while off != L.NOTHING:
        workspace[L.CYCLE + count], workspace[L.CYCLE + count + 1] = 2 * off, 2 * on + 1
        off, on = workspace[L.ON_PARENT_OFF + on], workspace[L.ON_PARENT + on]
        count += 2
    return count


@compiled()
def _eliminates(tables, workspace, graph, on, off):
    """Whether a cycle eliminates anything."""
    count, k = _read_cycle(workspace, on, off), 0
    while k < graph[L.REFUTED_COUNT]:
        candidate = graph[L.NODE_CANDIDATES + graph[L.REFUTED + k]]
        if _is_eliminated(tables, workspace, candidate, count):
            return True
        k += 1
    return False


@compiled()
def _is_eliminated(tables, workspace, candidate, count):
    """Whether a candidate, in no cell of the cycle, sees a node on and a node off of its digit."""
    sees_on = sees_off = False
    for k in range(count):
        node = workspace[L.CYCLE + k] // 2
        if node // 9 == candidate // 9:
            return False
        if (node - candidate) % 9 == 0 and sees(tables, node // 9, candidate // 9):
            if workspace[L.CYCLE + k] & 1:
                sees_on = True
            else:
                sees_off = True
    return sees_on and sees_off


@compiled()
def _eliminate_by_cycle(tables, step, workspace, graph, count):
    """Write the eliminations of a cycle to the step."""
    for k in range(graph[L.REFUTED_COUNT]):
        candidate = graph[L.NODE_CANDIDATES + graph[L.REFUTED + k]]
        if _is_eliminated(tables, workspace, candidate, count):
            append_new(step, L.ELIMINATED, candidate)


@compiled()
def _cite_cycle(state, tables, step, workspace, count):
    """Cite the strong links. In CYCLE, a node off comes just after the node on that it implies."""
    for k in range(0, count, 2):
        off = workspace[L.CYCLE + k] // 2
        on = workspace[L.CYCLE + (k - 1 if k else count - 1)] // 2
        for j in range(4 * off, 4 * off + 4):
            constraint = tables[L.NODE_CONSTRAINTS + j]
            is_shared = False
            for i in range(4 * on, 4 * on + 4):
                is_shared = is_shared or tables[L.NODE_CONSTRAINTS + i] == constraint
            if is_shared and bit_count(tables, state[constraint]) == 2:
                append_new(step, L.CITED, constraint)
                break
