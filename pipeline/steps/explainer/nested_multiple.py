"""Levels 3 and 4: all multiple or dynamic forcing chains among the remaining candidates."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer.closure import have_common_consequence
from pipeline.steps.explainer.hints import (
    BASE_DYNAMIC,
    BASE_MULTIPLE,
    CELL_KIND,
    CONTRADICTION_KIND,
    DOUBLE_KIND,
    REGION_KIND,
    changes_candidates,
)
from pipeline.steps.explainer.implications import DYNAMIC, reached_node
from pipeline.steps.explainer.nested_hints import (
    cite,
    clear_citations,
    collect_citations,
    count_branches,
    count_two_chains,
)
from pipeline.steps.explainer.nested_records import (
    is_useful,
    max_useful_complexity,
    record_conclusion,
    sort_key,
)
from pipeline.steps.explainer.nested_slots import fill_slot, min_complexity, slot_of
from pipeline.steps.step_arrays import bit_count, candidate_at, lowest_bit


@compiled()
def record_multiple(grid, inner_grid, tables, graph, nest, mode):
    """Record multiple (level 3) or, if `mode` has DYNAMIC, dynamic forcing chains (level 4).

    `grid` has the remaining candidates. At level 3, call `close_off` before.
    """
    base = BASE_DYNAMIC if mode & DYNAMIC else BASE_MULTIPLE
    nest[N.INNER_ROUND] += 1
    off_slot = N.INNER_SLOTS + N.NEST_SLOT_SIZE * N.MAX_CANDIDATES
    for cell in range(81):
        count = bit_count(tables, grid[cell])
        if count < (2 if mode & DYNAMIC else 3):
            continue
        digits = grid[cell]
        while digits:
            node = 9 * cell + lowest_bit(tables, digits)
            digits &= digits - 1
            if mode & DYNAMIC:
                slot = _follow_once(grid, inner_grid, tables, nest, node, mode)
                _record_contradiction(grid, tables, nest, slot, 2 * node + 1, base)
                fill_slot(grid, inner_grid, tables, nest, off_slot, 2 * node, mode)
                _record_contradiction(grid, tables, nest, off_slot, 2 * node, base)
                if count > 2:
                    _record_double(grid, tables, nest, slot, off_slot, base)
            for k in range(3):
                constraint = tables[L.NODE_CONSTRAINTS + 4 * node + (k + 2) % 3]
                mask = grid[constraint]
                first = candidate_at(tables, constraint, lowest_bit(tables, mask))
                if first == node and mask & (mask - 1):
                    _record_constraint(
                        grid, inner_grid, tables, graph, nest, constraint, mode, base
                    )
        _record_constraint(grid, inner_grid, tables, graph, nest, cell, mode, base)


@compiled()
def _follow_once(grid, inner_grid, tables, nest, node, mode):
    """Follow a candidate on, unless this search has done so. Returns its slot."""
    slot = slot_of(nest, N.INNER_SLOTS, 2 * node + 1)
    if nest[N.INNER_FOLLOWED + node] != nest[N.INNER_ROUND]:
        nest[N.INNER_FOLLOWED + node] = nest[N.INNER_ROUND]
        fill_slot(grid, inner_grid, tables, nest, slot, 2 * node + 1, mode)
    return slot


@compiled()
def _record_contradiction(grid, tables, nest, slot, start, base):
    """Record the contradiction of a slot."""
    conflict = nest[slot + L.CONFLICT]
    if conflict != L.NOTHING:
        first = nest[slot + L.CONFLICT_DERIVATION]
        second = nest[slot + L.DERIVATION_AT + (conflict ^ 1)]
        max_nodes = max_useful_complexity(grid, tables, nest, start ^ 1)
        if (
            nest[slot + first + N.MIN_COMPLEXITY] + nest[slot + second + N.MIN_COMPLEXITY]
            > max_nodes
        ):
            return
        complexity = count_two_chains(nest, slot, first, slot, second, max_nodes)
        if complexity > max_nodes:
            return
        key = sort_key(tables, base, complexity, CONTRADICTION_KIND)
        if is_useful(grid, tables, nest, start ^ 1, key):
            clear_citations(nest)
            digest = 3 * collect_citations(nest, slot, conflict, first)
            digest += collect_citations(nest, slot, conflict ^ 1, second)
            record_conclusion(grid, tables, nest, key, complexity, start ^ 1, digest & N.HASH_MASK)


@compiled()
def _record_double(grid, tables, nest, on_slot, off_slot, base):
    """Record the nodes that a candidate implies both on and off."""
    for k in range(nest[on_slot + L.ON_COUNT] + nest[on_slot + L.OFF_COUNT]):
        signed = reached_node(nest, on_slot, k)
        first = nest[on_slot + L.DERIVATION_AT + signed]
        second = nest[off_slot + L.DERIVATION_AT + signed]
        if second == 0 or not changes_candidates(grid, signed):
            continue
        max_nodes = max_useful_complexity(grid, tables, nest, signed)
        if (
            min_complexity(nest, on_slot, signed) + min_complexity(nest, off_slot, signed)
            > max_nodes
        ):
            continue
        complexity = count_two_chains(nest, on_slot, first, off_slot, second, max_nodes)
        if complexity > max_nodes:
            continue
        key = sort_key(tables, base, complexity, DOUBLE_KIND)
        if is_useful(grid, tables, nest, signed, key):
            clear_citations(nest)
            digest = 3 * collect_citations(nest, on_slot, signed, first)
            digest += collect_citations(nest, off_slot, signed, second)
            record_conclusion(grid, tables, nest, key, complexity, signed, digest & N.HASH_MASK)


@compiled()
def _record_constraint(grid, inner_grid, tables, graph, nest, constraint, mode, base):
    """Record the nodes that all candidates of a constraint imply."""
    if not mode & DYNAMIC and not have_common_consequence(grid, tables, graph, constraint):
        return
    kind = CELL_KIND if constraint < L.UNIT_DIGITS else REGION_KIND
    mask = grid[constraint]
    rest = mask
    while rest:
        node = candidate_at(tables, constraint, lowest_bit(tables, rest))
        rest &= rest - 1
        _follow_once(grid, inner_grid, tables, nest, node, mode)
    first = candidate_at(tables, constraint, lowest_bit(tables, mask))
    first_slot = slot_of(nest, N.INNER_SLOTS, 2 * first + 1)
    for k in range(nest[first_slot + L.ON_COUNT] + nest[first_slot + L.OFF_COUNT]):
        signed = reached_node(nest, first_slot, k)
        if not changes_candidates(grid, signed):
            continue
        max_nodes = max_useful_complexity(grid, tables, nest, signed)
        complexity = count_branches(
            grid, tables, nest, N.INNER_SLOTS, constraint, signed, max_nodes
        )
        if complexity > max_nodes:
            continue
        key = sort_key(tables, base, complexity, kind)
        if not is_useful(grid, tables, nest, signed, key):
            continue
        clear_citations(nest)
        cite(nest, constraint)
        digest, rest = 0, mask
        while rest:
            node = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            slot = slot_of(nest, N.INNER_SLOTS, 2 * node + 1)
            digest = digest * 3 + collect_citations(
                nest, slot, signed, nest[slot + L.DERIVATION_AT + signed]
            )
            digest &= N.HASH_MASK
        record_conclusion(grid, tables, nest, key, complexity, signed, digest)
