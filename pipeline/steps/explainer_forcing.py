"""Multiple forcing chains of Sudoku Explainer 1.2.1 (8.0)."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer_closure import close_links, have_common_consequence
from pipeline.steps.explainer_hints import (
    BASE_MULTIPLE,
    CELL_KIND,
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
    MAX_NODES,
    STOPS,
    UNIT_LINKS,
    cite_chain,
    derivation_of,
    follow,
    slot_of,
    unit_constraint,
)
from pipeline.steps.step_arrays import append_new, bit_count, candidate_at, lowest_bit, reset_step

MULTIPLE_MODE = UNIT_LINKS | CELL_LINKS | STOPS
"""How multiple forcing chains follow an assumption; see `follow`."""


# Whichever candidate of a cell, or place of a digit in a unit, holds: what all of them imply is so.
# Sudoku Explainer tries a unit only from its first place, and only if the cell of this place has at
# least three candidates, as other cells that it tries.
@compiled()
def find_multiple(state, tables, step, workspace, graph):
    """Find the best multiple forcing chain. Returns its rating in tenths, or 0."""
    forget_hints(workspace)
    for candidate in range(L.SINGLES):
        workspace[L.IS_FOLLOWED + candidate] = 0
    close_links(state, tables, graph)
    for cell in range(81):
        if bit_count(tables, state[cell]) < 3:
            continue
        digits = state[cell]
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
    _conclude_constraint(state, tables, step, workspace)
    return best_rating(workspace, tables)


@compiled()
def _follow_once(state, tables, workspace, candidate):
    """Write what follows from a candidate on to its slot, unless it is there. Returns the slot."""
    slot = slot_of(candidate)
    if not workspace[L.IS_FOLLOWED + candidate]:
        workspace[L.IS_FOLLOWED + candidate] = 1
        start = 2 * candidate + 1
        follow(state, state, tables, workspace, slot, start, L.NOTHING, L.SINGLES, MULTIPLE_MODE)
    return slot


@compiled(inline=True)
def _max_nodes(workspace):
    """The highest complexity that a hint may have to be the best, of hints with the same base."""
    return workspace[L.BEST_COMPLEXITY] if has_hint(workspace) else MAX_NODES


@compiled(inline=True)
def _reached_node(workspace, slot, k):
    """Signed node `k` of a slot: the nodes on, then the nodes off, as they were reached."""
    count = workspace[slot + L.ON_COUNT]
    if k < count:
        return 2 * workspace[slot + L.ON_ORDER + k] + 1
    return 2 * workspace[slot + L.OFF_ORDER + k - count]


# If no candidate implies its contrary, the closure of all links tells which constraints have a
# common consequence. Each node has one parent, so its depth is the number of nodes of its chain.
@compiled()
def _try_constraint(state, tables, workspace, graph, constraint):
    """Note what all candidates of a constraint imply."""
    is_closed = not graph[L.IS_CONTRADICTED]
    if is_closed and not have_common_consequence(state, tables, graph, constraint):
        return
    mask = state[constraint]
    kind = CELL_KIND if constraint < L.UNIT_DIGITS else REGION_KIND
    rest = mask
    while rest:
        candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
        _follow_once(state, tables, workspace, candidate)
        rest &= rest - 1
    first = slot_of(candidate_at(tables, constraint, lowest_bit(tables, mask)))
    for k in range(workspace[first + L.ON_COUNT] + workspace[first + L.OFF_COUNT]):
        signed = _reached_node(workspace, first, k)
        is_common, max_nodes, nodes = changes_state(state, signed), _max_nodes(workspace), 0
        rest = mask
        while rest and is_common:
            slot = slot_of(candidate_at(tables, constraint, lowest_bit(tables, rest)))
            derivation = derivation_of(workspace, slot, signed)
            nodes += workspace[slot + derivation + L.NODE_DEPTH]
            is_common = derivation != 0 and nodes <= max_nodes
            rest &= rest - 1
        if not is_common:
            continue
        if is_better(workspace, tables, BASE_MULTIPLE, nodes, kind):
            note_hint(workspace, tables, BASE_MULTIPLE, nodes, kind, constraint, signed, L.NOTHING)


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
