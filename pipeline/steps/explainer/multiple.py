"""Multiple forcing chains of Sudoku Explainer 1.2.1 (rated 8.0, and more for long chains)."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer.closure import close_links, have_common_consequence
from pipeline.steps.explainer.hints import (
    BASE_MULTIPLE,
    CELL_KIND,
    REGION_KIND,
    best_rating,
    changes_candidates,
    conclude,
    has_hint,
    note_hint,
    precedes_best,
    start_choice,
)
from pipeline.steps.explainer.implications import (
    STATIC_LINKS,
    candidate_slot,
    cite_chain,
    derivation_of,
    follow_links,
    reached_node,
    unit_constraint,
)
from pipeline.steps.step_arrays import append_new, bit_count, candidate_at, lowest_bit, reset_step


# One candidate of a cell holds, and one place of a digit in a unit. So a node holds if all of them
# imply it. Sudoku Explainer tries cells with three candidates or more, and units whose first place
# is in such a cell. It follows a candidate up to the first contradiction. If there is no forcing
# chain, no candidate implies a contradiction, and the closure of links shows which cells and units
# have a hint.
@compiled()
def find_multiple(state, tables, step, workspace, graph):
    """Find the best multiple forcing chain. Returns its rating in tenths, or 0."""
    close_links(state, tables, graph)
    start_choice(workspace)
    for candidate in range(L.SINGLES):
        workspace[L.IS_FOLLOWED + candidate] = 0
    for cell in range(81):
        digits = state[cell]
        if bit_count(tables, digits) < 3:
            continue
        while digits:
            candidate = 9 * cell + lowest_bit(tables, digits)
            digits &= digits - 1
            for k in range(3):
                constraint = unit_constraint(tables, candidate, k)
                mask = state[constraint]
                first = candidate_at(tables, constraint, lowest_bit(tables, mask))
                if first == candidate and mask & (mask - 1):
                    _try_constraint(state, tables, workspace, graph, constraint)
        _try_constraint(state, tables, workspace, graph, cell)
    if not has_hint(workspace):
        return 0
    reset_step(step)
    constraint, conclusion = workspace[L.BEST_SOURCE], workspace[L.BEST_CONCLUSION]
    conclude(step, conclusion)
    append_new(step, L.CITED, constraint)
    rest = state[constraint]
    while rest:
        slot = candidate_slot(candidate_at(tables, constraint, lowest_bit(tables, rest)))
        cite_chain(workspace, step, slot, derivation_of(workspace, slot, conclusion))
        rest &= rest - 1
    return best_rating(workspace, tables)


@compiled()
def _try_constraint(state, tables, workspace, graph, constraint):
    """Note the nodes that all candidates of a constraint imply, if one is the best hint."""
    if not graph[L.IS_CONTRADICTED] and not have_common_consequence(
        state, tables, graph, constraint
    ):
        return
    mask = state[constraint]
    kind = CELL_KIND if constraint < L.UNIT_DIGITS else REGION_KIND
    rest = mask
    while rest:
        candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
        _follow_once(state, tables, workspace, candidate)
        rest &= rest - 1
    first = candidate_slot(candidate_at(tables, constraint, lowest_bit(tables, mask)))
    for k in range(workspace[first + L.ON_COUNT] + workspace[first + L.OFF_COUNT]):
        signed = reached_node(workspace, first, k)
        complexity = _count_branches(state, tables, workspace, constraint, signed)
        if (
            complexity
            and changes_candidates(state, signed)
            and precedes_best(workspace, tables, BASE_MULTIPLE, complexity, kind)
        ):
            note_hint(
                workspace, tables, BASE_MULTIPLE, complexity, kind, constraint, signed, L.NOTHING
            )


@compiled()
def _follow_once(state, tables, workspace, candidate):
    """Fill the slot of a candidate on, unless that was done for this state."""
    if not workspace[L.IS_FOLLOWED + candidate]:
        workspace[L.IS_FOLLOWED + candidate] = 1
        start, slot = 2 * candidate + 1, candidate_slot(candidate)
        follow_links(
            state, state, tables, workspace, slot, start, L.NOTHING, L.SINGLES, STATIC_LINKS
        )


@compiled()
def _count_branches(state, tables, workspace, constraint, signed):
    """The number of nodes of the chains from all candidates of a constraint to a node.

    Returns 0 if not all imply the node. Each node has one parent, so NODE_DEPTH counts the nodes.
    """
    complexity, rest = 0, state[constraint]
    while rest:
        slot = candidate_slot(candidate_at(tables, constraint, lowest_bit(tables, rest)))
        derivation = derivation_of(workspace, slot, signed)
        if derivation == 0:
            return 0
        complexity += workspace[slot + derivation + L.NODE_DEPTH]
        rest &= rest - 1
    return complexity
