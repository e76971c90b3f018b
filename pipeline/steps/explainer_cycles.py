"""Bidirectional cycles and forcing chains of Sudoku Explainer 1.2.1 (6.5, 6.6, 7.0 and more)."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer_hints import (
    BASE_CHAIN,
    BASE_CYCLE,
    BASE_X_CHAIN,
    MIXED_KIND,
    X_KIND,
    Y_KIND,
    best_rating,
    changes_state,
    conclude,
    forget_hints,
    has_hint,
    is_better,
    max_complexity,
    note_hint,
)
from pipeline.steps.explainer_implications import (
    BY_LEVEL,
    CELL_LINKS,
    MAX_NODES,
    UNIT_LINKS,
    cite_chain,
    count_nodes,
    derivation_of,
    follow,
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

MIXED_LINKS = UNIT_LINKS | CELL_LINKS
"""Links in a unit and in a cell."""


# Three searches: chains of one digit (X), of cells with two candidates (Y), and mixed. In a cycle,
# exactly one of each two neighbours holds, so what sees a node on and a node off of its digit is
# false. A chain from a node to its contrary refutes the node.
@compiled()
def find_chain(state, tables, step, workspace):
    """Find the best cycle or forcing chain. Returns its rating in tenths, or 0."""
    forget_hints(workspace)
    for links in (UNIT_LINKS, CELL_LINKS, MIXED_LINKS):
        for start in range(L.SINGLES):
            mask = state[start // 9]
            if not mask >> start % 9 & 1 or mask & (mask - 1) == 0:
                continue
            if links != CELL_LINKS or bit_count(tables, mask) == 2:
                _find_cycles(state, tables, step, workspace, start, links)
            if links != CELL_LINKS:
                _try_chain(state, tables, workspace, 2 * start + 1, links)
                _try_chain(state, tables, workspace, 2 * start, links)
    if not has_hint(workspace):
        return 0
    source, conclusion = workspace[L.BEST_SOURCE], workspace[L.BEST_CONCLUSION]
    links = workspace[L.BEST_LINKS]
    if conclusion == L.NOTHING:
        rating = best_rating(workspace, tables)
        forget_hints(workspace)
        _find_cycles(state, tables, step, workspace, source, links)
        reset_step(step)
        on, off = workspace[L.CYCLE_END], workspace[L.CYCLE_END_OFF]
        count = _read_cycle(workspace, on, off)
        _eliminate_by_cycle(state, tables, step, workspace, count)
        _cite_cycle(state, tables, step, workspace, count)
        return rating
    reset_step(step)
    mode = links | BY_LEVEL
    follow(state, state, tables, workspace, L.SLOTS, source, conclusion, L.SINGLES, mode)
    cite_chain(workspace, step, L.SLOTS, derivation_of(workspace, L.SLOTS, conclusion))
    conclude(step, conclusion)
    return best_rating(workspace, tables)


@compiled()
def _try_chain(state, tables, workspace, source, links):
    """Note the first chain from a signed node to its contrary, if it is the best so far."""
    base = BASE_CHAIN if links == MIXED_LINKS else BASE_X_CHAIN
    kind = MIXED_KIND if links == MIXED_LINKS else X_KIND
    goal, mode = source ^ 1, links | BY_LEVEL
    max_levels = max_complexity(workspace, tables, base, kind)
    follow(state, state, tables, workspace, L.SLOTS, source, goal, max_levels, mode)
    derivation = derivation_of(workspace, L.SLOTS, goal)
    if derivation and changes_state(state, goal):
        complexity = count_nodes(workspace, L.SLOTS, derivation, MAX_NODES)
        if is_better(workspace, tables, base, complexity, kind):
            note_hint(workspace, tables, base, complexity, kind, source, goal, links)


# Level by level: all nodes on, then all nodes off. A node off is followed each time it is reached,
# unless it is an ancestor of itself, and a node on only once. So a path is known by its nodes on:
# for each the node off that implies it, and the node on before that. The length of a cycle is that
# of the path, so the search stops when a longer cycle is not the best.
@compiled()
def _find_cycles(state, tables, step, workspace, start, links):
    """Note the best cycle from a candidate, if it is better than the best hint so far."""
    base = BASE_CHAIN if links == MIXED_LINKS else BASE_CYCLE
    kind = MIXED_KIND if links == MIXED_LINKS else Y_KIND if links == CELL_LINKS else X_KIND
    for k in range(L.SINGLES):
        workspace[L.ON_PARENT + k] = L.NOTHING
    workspace[L.ON_PARENT + start], workspace[L.ON_PARENT_OFF + start] = start, L.NOTHING
    workspace[L.QUEUE_ON] = start
    head, tail, length = 0, 1, 0
    while head < tail:
        length += 2
        if not is_better(workspace, tables, base, max(length, 4), kind):
            return
        level_end, pending = tail, 0
        while head < level_end:
            on = workspace[L.QUEUE_ON + head]
            head += 1
            pending = _add_pending(state, tables, workspace, start, on, links, pending)
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
                if other == start and length >= 4:
                    if is_better(workspace, tables, base, length, kind):
                        reset_step(step)
                        count = _read_cycle(workspace, on, off)
                        _eliminate_by_cycle(state, tables, step, workspace, count)
                        if step[L.ELIMINATED]:
                            note_hint(
                                workspace, tables, base, length, kind, start, L.NOTHING, links
                            )
                            workspace[L.CYCLE_END], workspace[L.CYCLE_END_OFF] = on, off
                elif workspace[L.ON_PARENT + other] == L.NOTHING:
                    workspace[L.ON_PARENT + other], workspace[L.ON_PARENT_OFF + other] = on, off
                    workspace[L.QUEUE_ON + tail] = other
                    tail += 1


@compiled()
def _add_pending(state, tables, workspace, start, on, links, pending):
    """Append to PENDING what a candidate on excludes. Returns the new number of pairs."""
    for k in range(0 if links & CELL_LINKS else 1, 4):
        constraint = on // 9 if k == 0 else unit_constraint(tables, on, k - 1)
        rest = state[constraint]
        while rest:
            off = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            if (
                off != on
                and not (k > 1 and _share_earlier_unit(tables, on, off, k - 1))
                and _has_strong_link(state, tables, off, links)
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


@compiled()
def _has_strong_link(state, tables, candidate, links):
    """Whether a candidate has a strong link of the search."""
    if links & CELL_LINKS and bit_count(tables, state[candidate // 9]) == 2:
        return True
    for k in range(3 if links & UNIT_LINKS else 0):
        if bit_count(tables, state[tables[L.NODE_CONSTRAINTS + 4 * candidate + k]]) == 2:
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
def _eliminate_by_cycle(state, tables, step, workspace, count):
    """Eliminate, outside the cells of the cycle, what sees a node on and a node off."""
    for cell in range(81):
        mask = state[cell]
        for k in range(count if mask else 0):
            if workspace[L.CYCLE + k] // 18 == cell:
                mask = 0
        ons = offs = 0
        for k in range(count if mask else 0):
            signed = workspace[L.CYCLE + k]
            digit = signed // 2 % 9
            if mask >> digit & 1 and sees(tables, signed // 18, cell):
                if signed & 1:
                    ons |= 1 << digit
                else:
                    offs |= 1 << digit
        mask &= ons & offs
        while mask:
            append_new(step, L.ELIMINATED, 9 * cell + lowest_bit(tables, mask))
            mask &= mask - 1


@compiled()
def _cite_cycle(state, tables, step, workspace, count):
    """Cite the strong links: from each node off to the node on before it in CYCLE."""
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
