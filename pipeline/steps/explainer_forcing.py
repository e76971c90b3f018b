"""Multiple and dynamic forcing chains of Sudoku Explainer 1.2.1 (8.0, 8.5 and more)."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer_closure import close_links, have_common_consequence
from pipeline.steps.explainer_hints import (
    BASE_MULTIPLE,
    CELL_KIND,
    CONTRADICTION,
    DOUBLE,
    REGION_KIND,
    best_rating,
    changes_state,
    conclude,
    forget_hints,
    has_hint,
    is_better,
    note_hint,
)
from pipeline.steps.explainer_implications import (
    CELL_LINKS,
    DYNAMIC,
    MAX_NODES,
    STOPS,
    UNIT_LINKS,
    cite_chain,
    count_nodes,
    derivation_of,
    follow,
    slot_of,
    unit_constraint,
)
from pipeline.steps.step_arrays import append_new, bit_count, candidate_at, lowest_bit, reset_step

MULTIPLE_MODE = UNIT_LINKS | CELL_LINKS | STOPS
"""How multiple forcing chains follow an assumption; see `follow`."""


# Whichever candidate of a cell, or place of a digit in a unit, holds: what all of them imply is so.
# Dynamically also: what implies a contradiction is not so, and what a candidate on and off both
# imply is so. Sudoku Explainer tries a unit only from its first place, and cells with two
# candidates only dynamically.
@compiled()
def find_multiple(state, grid, tables, step, workspace, graph, base):
    """Find the best multiple (8.0) or dynamic forcing chain (8.5), as `base` says.

    `base` is BASE_MULTIPLE or BASE_DYNAMIC. Returns the rating in tenths, or 0.
    """
    forget_hints(workspace)
    mode = MULTIPLE_MODE if base == BASE_MULTIPLE else MULTIPLE_MODE | DYNAMIC
    for candidate in range(L.SINGLES):
        workspace[L.IS_FOLLOWED + candidate] = 0
    close_links(state, tables, graph)
    is_closed = not mode & DYNAMIC and not graph[L.IS_CONTRADICTED]
    for cell in range(81):
        count, digits = bit_count(tables, state[cell]), state[cell]
        if count < (2 if mode & DYNAMIC else 3):
            continue
        while digits:
            candidate = 9 * cell + lowest_bit(tables, digits)
            digits &= digits - 1
            if mode & DYNAMIC:
                _try_candidate(state, grid, tables, workspace, candidate, mode, base)
            for k in range(3):
                constraint = unit_constraint(tables, candidate, k)
                mask = state[constraint]
                first = candidate_at(tables, constraint, lowest_bit(tables, mask))
                if (
                    first == candidate
                    and mask & (mask - 1)
                    and not (
                        is_closed and not have_common_consequence(state, tables, graph, constraint)
                    )
                ):
                    _try_constraint(state, grid, tables, workspace, constraint, mode, base)
        if not (is_closed and not have_common_consequence(state, tables, graph, cell)):
            _try_constraint(state, grid, tables, workspace, cell, mode, base)
    if not has_hint(workspace):
        return 0
    reset_step(step)
    if workspace[L.BEST_KIND] == CONTRADICTION:
        _conclude_contradiction(state, grid, tables, step, workspace, mode)
    elif workspace[L.BEST_KIND] == DOUBLE:
        _conclude_double(state, grid, tables, step, workspace, mode)
    else:
        _conclude_constraint(state, tables, step, workspace)
    return best_rating(workspace, tables)


@compiled(inline=True)
def _follow_first(state, grid, tables, workspace, start, mode):
    """Write what follows from a signed node to the first slot."""
    follow(state, grid, tables, workspace, L.SLOTS, start, L.NOTHING, L.SINGLES, mode)


@compiled()
def _follow_once(state, grid, tables, workspace, candidate, mode):
    """Write what follows from a candidate on to its slot, unless it is there. Returns the slot."""
    slot = slot_of(candidate)
    if not workspace[L.IS_FOLLOWED + candidate]:
        workspace[L.IS_FOLLOWED + candidate] = 1
        start = 2 * candidate + 1
        follow(state, grid, tables, workspace, slot, start, L.NOTHING, L.SINGLES, mode)
    return slot


@compiled(inline=True)
def _max_nodes(workspace):
    """The highest complexity that a hint may have to be the best, of hints with the same base."""
    return workspace[L.BEST_COMPLEXITY] if has_hint(workspace) else MAX_NODES


@compiled()
def _try_contradiction(tables, workspace, slot, base, start):
    """Note the contradiction of a slot, if there is one and it is better than the best hint."""
    conflict = workspace[slot + L.CONFLICT]
    if conflict == L.NOTHING:
        return
    max_nodes = _max_nodes(workspace)
    complexity = count_nodes(workspace, slot, workspace[slot + L.CONFLICT_DERIVATION], max_nodes)
    contrary = derivation_of(workspace, slot, conflict ^ 1)
    complexity += count_nodes(workspace, slot, contrary, max_nodes)
    if is_better(workspace, tables, base, complexity, CONTRADICTION):
        note_hint(workspace, tables, base, complexity, CONTRADICTION, start, L.NOTHING, L.NOTHING)


@compiled()
def _conclude_contradiction(state, grid, tables, step, workspace, mode):
    """Refute an assumption."""
    start = workspace[L.BEST_SOURCE]
    _follow_first(state, grid, tables, workspace, start, mode)
    cite_chain(workspace, step, L.SLOTS, workspace[L.SLOTS + L.CONFLICT_DERIVATION])
    contrary = workspace[L.SLOTS + L.CONFLICT] ^ 1
    cite_chain(workspace, step, L.SLOTS, derivation_of(workspace, L.SLOTS, contrary))
    conclude(step, start ^ 1)


@compiled()
def _try_candidate(state, grid, tables, workspace, candidate, mode, base):
    """Note what a candidate implies, on and off: contradictions, and what both imply."""
    on = _follow_once(state, grid, tables, workspace, candidate, mode)
    _try_contradiction(tables, workspace, on, base, 2 * candidate + 1)
    off = L.SLOTS
    _follow_first(state, grid, tables, workspace, 2 * candidate, mode)
    _try_contradiction(tables, workspace, off, base, 2 * candidate)
    if bit_count(tables, state[candidate // 9]) < 3:  # what the other candidate implies on
        return
    for k in range(workspace[on + L.ON_COUNT] + workspace[on + L.OFF_COUNT]):
        signed = _reached_node(workspace, on, k)
        by_on, by_off = derivation_of(workspace, on, signed), derivation_of(workspace, off, signed)
        if not by_off or not changes_state(state, signed):
            continue
        max_nodes = _max_nodes(workspace)
        if (
            workspace[on + by_on + L.NODE_DEPTH] + workspace[off + by_off + L.NODE_DEPTH]
            > max_nodes
        ):
            continue
        complexity = count_nodes(workspace, on, by_on, max_nodes)
        if complexity <= max_nodes:
            complexity += count_nodes(workspace, off, by_off, max_nodes - complexity)
        if is_better(workspace, tables, base, complexity, DOUBLE):
            source = 2 * candidate
            note_hint(workspace, tables, base, complexity, DOUBLE, source, signed, L.NOTHING)


@compiled()
def _conclude_double(state, grid, tables, step, workspace, mode):
    """Conclude what a candidate implies on and off."""
    source, conclusion = workspace[L.BEST_SOURCE], workspace[L.BEST_CONCLUSION]
    conclude(step, conclusion)
    append_new(step, L.CITED, source // 18)
    for is_on in (0, 1):
        _follow_first(state, grid, tables, workspace, source + is_on, mode)
        cite_chain(workspace, step, L.SLOTS, derivation_of(workspace, L.SLOTS, conclusion))


@compiled(inline=True)
def _reached_node(workspace, slot, k):
    """Signed node `k` of a slot: the nodes on, then the nodes off, as they were reached."""
    count = workspace[slot + L.ON_COUNT]
    if k < count:
        return 2 * workspace[slot + L.ON_ORDER + k] + 1
    return 2 * workspace[slot + L.OFF_ORDER + k - count]


# The depth of a node, the length of its longest path, is less work to find than its number of
# ancestors, and never more. So most hints that are too long are not counted.
@compiled()
def _try_constraint(state, grid, tables, workspace, constraint, mode, base):
    """Note what all candidates of a constraint imply."""
    mask = state[constraint]
    kind = CELL_KIND if constraint < L.UNIT_DIGITS else REGION_KIND
    rest = mask
    while rest:
        candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
        _follow_once(state, grid, tables, workspace, candidate, mode)
        rest &= rest - 1
    first = slot_of(candidate_at(tables, constraint, lowest_bit(tables, mask)))
    for k in range(workspace[first + L.ON_COUNT] + workspace[first + L.OFF_COUNT]):
        signed = _reached_node(workspace, first, k)
        is_common, max_nodes, min_nodes = changes_state(state, signed), _max_nodes(workspace), 0
        rest = mask
        while rest and is_common:
            slot = slot_of(candidate_at(tables, constraint, lowest_bit(tables, rest)))
            derivation = derivation_of(workspace, slot, signed)
            min_nodes += workspace[slot + derivation + L.NODE_DEPTH]
            is_common = derivation != 0 and min_nodes <= max_nodes
            rest &= rest - 1
        if not is_common:
            continue
        complexity, rest = 0, mask
        if not mode & DYNAMIC:  # each node has one parent, so its depth is the number of nodes
            complexity, rest = min_nodes, 0
        while rest and complexity <= max_nodes:
            slot = slot_of(candidate_at(tables, constraint, lowest_bit(tables, rest)))
            derivation = derivation_of(workspace, slot, signed)
            complexity += count_nodes(workspace, slot, derivation, max_nodes - complexity)
            rest &= rest - 1
        if not rest and is_better(workspace, tables, base, complexity, kind):
            note_hint(workspace, tables, base, complexity, kind, constraint, signed, L.NOTHING)


@compiled()
def _conclude_constraint(state, tables, step, workspace):
    """Conclude what all candidates of a constraint imply."""
    constraint, conclusion = workspace[L.BEST_SOURCE], workspace[L.BEST_CONCLUSION]
    conclude(step, conclusion)
    append_new(step, L.CITED, constraint)
    rest = state[constraint]
    while rest:
        slot = slot_of(candidate_at(tables, constraint, lowest_bit(tables, rest)))
        cite_chain(workspace, step, slot, derivation_of(workspace, slot, conclusion))
        rest &= rest - 1
