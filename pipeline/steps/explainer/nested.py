"""The dynamic forcing chains of Sudoku Explainer 1.2.1, on five levels.

At level 0 (8.5) a chain is only dynamic. Where nothing more follows, further candidates are
eliminated at level 1 (9.0) by patterns, at level 2 (9.5) also by cycles and forcing chains, at
level 3 (10.0) also by multiple forcing chains, at level 4 (10.5) by patterns and dynamic forcing
chains.

A level is only asked if the levels before found nothing. So what follows from an assumption at one
level continues what followed at the level before; level 4 continues level 1.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer.closure import close_off, close_on
from pipeline.steps.explainer.hints import (
    BASE_DYNAMIC,
    CELL_KIND,
    CONTRADICTION_KIND,
    DOUBLE_KIND,
    REGION_KIND,
    added_tenths,
    changes_candidates,
)
from pipeline.steps.explainer.implications import DYNAMIC_LINKS, MIXED_LINKS
from pipeline.steps.explainer.nested_chains import record_chains
from pipeline.steps.explainer.nested_hints import (
    cite,
    clear_citations,
    collect_citations,
    count_complexity,
    forget_numbered_hints,
)
from pipeline.steps.explainer.nested_multiple import record_multiple
from pipeline.steps.explainer.nested_patterns import use_patterns
from pipeline.steps.explainer.nested_records import start_records, use_records
from pipeline.steps.explainer.nested_slots import (
    NO_LIMIT,
    fill_slot,
    min_complexity,
    propagate_slot,
    reached_node,
    reduce_grid,
    revert_to_patterns,
)
from pipeline.steps.step_arrays import append_new, bit_count, candidate_at, lowest_bit, reset_step

SEARCH_PAUSED = -1
"""What `find_dynamic` returns if it has more to search."""


@compiled()
def find_dynamic(state, grid, inner_grid, tables, step, graph, nest, level):
    """Find the best dynamic forcing chain of a level.

    Returns its rating in tenths, or 0 if there is none. Returns SEARCH_PAUSED after MAX_WORK units
    of work; the next call continues the search.
    """
    if nest[N.PAUSED_LEVEL] != level + 1:
        _start_level(state, grid, inner_grid, tables, graph, nest, level)
    nest[N.WORK_DONE] = 0
    while True:
        for node in range(nest[N.NEXT_CANDIDATE], L.SINGLES):
            nest[N.NEXT_CANDIDATE] = node
            if nest[N.SLOT_NUMBER + node] == L.NOTHING:
                continue
            if not _extend_slots_for(state, grid, inner_grid, tables, graph, nest, node, level):
                return SEARCH_PAUSED
            _try_candidate(state, tables, nest, node)
        if nest[L.BEST_SOURCE] != L.NOTHING:
            nest[N.PAUSED_LEVEL], nest[N.READY_LEVEL] = 0, L.NOTHING
            _conclude(state, tables, step, nest)
            added = added_tenths(tables, nest[L.BEST_COMPLEXITY])
            return tables[L.BASE_TENTHS + BASE_DYNAMIC + level] + added
        if nest[N.LIMIT] == NO_LIMIT:
            nest[N.PAUSED_LEVEL] = 0
            nest[N.READY_LEVEL] = level if level < 4 else L.NOTHING
            return 0
        _start_pass(nest, nest[N.LIMIT] + nest[N.LIMIT] // 4 if nest[N.IS_CUT] else NO_LIMIT)


@compiled()
def _start_level(state, grid, inner_grid, tables, graph, nest, level):
    """Start a level: complete the levels before it, if they were not asked."""
    if nest[N.READY_LEVEL] >= level:
        nest[N.READY_LEVEL] = L.NOTHING
    if nest[N.READY_LEVEL] == L.NOTHING:
        _start_state(state, nest)
    for lower in range(nest[N.READY_LEVEL] + 1, 2 if level == 4 else level):
        _start_pass(nest, NO_LIMIT)
        for signed in range(2 * L.SINGLES):
            if nest[N.SLOT_NUMBER + signed // 2] != L.NOTHING:
                _extend_slot(state, grid, inner_grid, tables, graph, nest, signed, lower)
    for signed in range(2 * L.SINGLES if level == 4 else 0):
        if nest[N.SLOT_NUMBER + signed // 2] != L.NOTHING:
            revert_to_patterns(nest, _slot_of(nest, signed))
    _start_pass(nest, N.FIRST_LIMIT if level >= 2 else NO_LIMIT)
    nest[N.PAUSED_LEVEL] = level + 1


@compiled()
def _start_pass(nest, limit):
    """Start to search all hints up to a limit of complexity."""
    nest[N.PASS] += 1
    nest[N.NEXT_CANDIDATE] = nest[N.IS_CUT] = 0
    nest[N.LIMIT] = limit
    nest[L.BEST_COMPLEXITY], nest[L.BEST_KIND] = limit + 1, 0
    nest[L.BEST_SOURCE] = L.NOTHING


@compiled()
def _start_state(state, nest):
    """Start with a new state: number the candidates that may start; forget all hints.

    If there are too many candidates, none of them is numbered.
    """
    if max(nest[L.STAMP], nest[N.CYCLE_MARK], nest[N.INNER_ROUND], nest[N.PASS]) > N.MAX_STAMP:
        nest[L.STAMP] = nest[N.CYCLE_MARK] = nest[N.INNER_ROUND] = nest[N.PASS] = 0
        for k in range(2 * L.SINGLES):
            nest[L.STAMPS + k] = 0
        for node in range(L.SINGLES):
            nest[N.NODE_MARKS + node] = nest[N.INNER_FOLLOWED + node] = 0
        for cell in range(81):
            nest[N.CELL_MARKS + cell] = 0
    forget_numbered_hints(nest)
    count = 0
    for node in range(L.SINGLES):
        mask = state[node // 9]
        nest[N.EXTENDED + 2 * node] = nest[N.EXTENDED + 2 * node + 1] = 0
        nest[N.SLOT_NUMBER + node] = L.NOTHING
        if mask >> node % 9 & 1 and mask & (mask - 1):
            nest[N.SLOT_NUMBER + node] = count
            count += 1
    for node in range(L.SINGLES if count > N.MAX_CANDIDATES else 0):
        nest[N.SLOT_NUMBER + node] = L.NOTHING


@compiled(inline=True)
def _note_followed(nest, slot):
    """Note that all nodes of a slot have been followed."""
    nest[slot + N.ON_HEAD] = nest[slot + L.ON_COUNT]
    nest[slot + N.OFF_HEAD] = nest[slot + L.OFF_COUNT]


@compiled(inline=True)
def _slot_of(nest, signed):
    """The slot of an assumption."""
    return N.OUTER_SLOTS + N.NEST_SLOT_SIZE * (2 * nest[N.SLOT_NUMBER + signed // 2] + (signed & 1))


@compiled()
def _extend_slots_for(state, grid, inner_grid, tables, graph, nest, node, level):
    """Extend all slots that a candidate needs. Returns False if it is time for a pause."""
    for signed in (2 * node + 1, 2 * node):
        if nest[N.EXTENDED + signed] != nest[N.PASS]:
            if nest[N.WORK_DONE] >= N.MAX_WORK:
                return False
            _extend_slot(state, grid, inner_grid, tables, graph, nest, signed, level)
    for k in range(3):
        constraint = tables[L.NODE_CONSTRAINTS + 4 * node + (k + 2) % 3]
        rest = state[constraint]
        if candidate_at(tables, constraint, lowest_bit(tables, rest)) != node:
            continue
        while rest:
            other = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            if nest[N.SLOT_NUMBER + other] != L.NOTHING and (
                nest[N.EXTENDED + 2 * other + 1] != nest[N.PASS]
            ):
                if nest[N.WORK_DONE] >= N.MAX_WORK:
                    return False
                _extend_slot(state, grid, inner_grid, tables, graph, nest, 2 * other + 1, level)
    return True


# What the hints of a round eliminate, and all that follows from it, is at least as complex as the
# simplest of these eliminations. So if that is too complex, the slot is cut; it continues in a pass
# with a higher limit. The shortest chains are found with little of the work, which matters most at
# level 4. The order of hints does not depend on it: whatever a limit leaves out is no better.
@compiled()
def _extend_slot(state, grid, inner_grid, tables, graph, nest, signed, level):
    """Continue a slot up to the end of a level, or to where all nodes are too complex."""
    slot = _slot_of(nest, signed)
    nest[N.EXTENDED + signed] = nest[N.PASS]
    nest[N.WORK_DONE] += 1
    if level == 0:
        fill_slot(state, grid, tables, nest, slot, signed, DYNAMIC_LINKS)
        _note_followed(nest, slot)
        nest[slot + N.NEXT_MIN] = nest[slot + N.DONE_LEVEL] = 0
        return
    if nest[slot + L.CONFLICT] != L.NOTHING or nest[slot + N.DONE_LEVEL] >= level:
        return
    if nest[slot + N.NEXT_MIN] >= nest[L.BEST_COMPLEXITY]:
        nest[N.IS_CUT] = 1
        return
    reduce_grid(state, grid, tables, nest, slot)
    is_old = nest[slot + N.NEXT_MIN] == 0
    while True:
        if nest[slot + N.OFF_HEAD] == nest[slot + L.OFF_COUNT]:
            # a level before found no pattern where it ended
            found = (level == 1 or not is_old) and use_patterns(state, grid, tables, nest, slot)
            if not found and level >= 2:
                nest[N.WORK_DONE] += N.NESTED_WORK
                start_records(nest)
                if level < 4 and close_on(grid, tables, graph):
                    record_chains(grid, tables, graph, nest)
                    found = use_records(state, grid, tables, nest, slot)
                if not found and level >= 3:
                    if level == 3:
                        close_off(graph)
                    mode = DYNAMIC_LINKS if level == 4 else MIXED_LINKS
                    record_multiple(grid, inner_grid, tables, graph, nest, mode)
                    use_records(state, grid, tables, nest, slot)
            is_old = False
            if nest[slot + N.OFF_HEAD] == nest[slot + L.OFF_COUNT]:
                nest[slot + N.NEXT_MIN] = 0
                break
            minimum = NO_LIMIT
            for k in range(nest[slot + N.OFF_HEAD], nest[slot + L.OFF_COUNT]):
                minimum = min(minimum, min_complexity(nest, slot, 2 * nest[slot + L.OFF_ORDER + k]))
            nest[slot + N.NEXT_MIN] = minimum
            if minimum >= nest[L.BEST_COMPLEXITY]:
                nest[N.IS_CUT] = 1
                return
        on_head, off_head = nest[slot + N.ON_HEAD], nest[slot + N.OFF_HEAD]
        propagate_slot(state, grid, tables, nest, slot, on_head, off_head, DYNAMIC_LINKS)
        if nest[slot + L.CONFLICT] != L.NOTHING:
            return
        _note_followed(nest, slot)
        if nest[slot + L.DERIVATIONS_END] > N.MAX_DERIVATIONS_END:
            break
    nest[slot + N.DONE_LEVEL] = level
    if level == 1:
        nest[slot + N.PATTERNS_ON] = nest[slot + L.ON_COUNT]
        nest[slot + N.PATTERNS_OFF] = nest[slot + L.OFF_COUNT]
        nest[slot + N.PATTERNS_END] = nest[slot + L.DERIVATIONS_END]


@compiled()
def _try_candidate(state, tables, nest, node):
    """Try all hints that Sudoku Explainer finds when it comes to a candidate."""
    cell = node // 9
    mask = state[cell]
    _try_contradiction(nest, 2 * node + 1)
    _try_contradiction(nest, 2 * node)
    if bit_count(tables, mask) > 2:
        _try_double(state, nest, node)
    for k in range(3):
        constraint = tables[L.NODE_CONSTRAINTS + 4 * node + (k + 2) % 3]
        places = state[constraint]
        first = candidate_at(tables, constraint, lowest_bit(tables, places))
        if first == node and places & (places - 1):
            _try_constraint(state, tables, nest, constraint)
    if mask >> node % 9 == 1:
        _try_constraint(state, tables, nest, cell)


@compiled(inline=True)
def _is_better(nest, complexity, kind):
    """Whether a hint precedes the best one so far."""
    if complexity != nest[L.BEST_COMPLEXITY]:
        return complexity < nest[L.BEST_COMPLEXITY]
    return kind < nest[L.BEST_KIND]


@compiled(inline=True)
def _note_hint(nest, complexity, kind, source, signed):
    """Note a hint as the best so far."""
    nest[L.BEST_COMPLEXITY], nest[L.BEST_KIND] = complexity, kind
    nest[L.BEST_SOURCE], nest[L.BEST_CONCLUSION] = source, signed


@compiled()
def _try_contradiction(nest, start):
    """Note the contradiction that an assumption leads to, if it is the best hint."""
    slot = _slot_of(nest, start)
    conflict = nest[slot + L.CONFLICT]
    if conflict == L.NOTHING:
        return
    first, second = (
        nest[slot + L.CONFLICT_DERIVATION],
        nest[slot + L.DERIVATION_AT + (conflict ^ 1)],
    )
    max_nodes = nest[L.BEST_COMPLEXITY]
    if max(nest[first + N.MIN_COMPLEXITY], nest[second + N.MIN_COMPLEXITY]) + 1 > max_nodes:
        return
    nest[N.COUNT_NUMBER] += 1
    complexity = count_complexity(nest, slot, first, max_nodes)
    complexity += count_complexity(nest, slot, second, max_nodes - complexity)
    if _is_better(nest, complexity, CONTRADICTION_KIND):
        _note_hint(nest, complexity, CONTRADICTION_KIND, start, conflict)


@compiled()
def _try_double(state, nest, node):
    """Note what a candidate implies on and off, if it is the best hint."""
    on_slot, off_slot = _slot_of(nest, 2 * node + 1), _slot_of(nest, 2 * node)
    for k in range(nest[on_slot + L.ON_COUNT] + nest[on_slot + L.OFF_COUNT]):
        signed = reached_node(nest, on_slot, k)
        second = nest[off_slot + L.DERIVATION_AT + signed]
        if second == 0 or not changes_candidates(state, signed):
            continue
        first, max_nodes = nest[on_slot + L.DERIVATION_AT + signed], nest[L.BEST_COMPLEXITY]
        if max(nest[first + N.MIN_COMPLEXITY], nest[second + N.MIN_COMPLEXITY]) + 1 > max_nodes:
            continue
        nest[N.COUNT_NUMBER] += 1
        complexity = count_complexity(nest, on_slot, first, max_nodes)
        complexity += count_complexity(nest, off_slot, second, max_nodes - complexity)
        if _is_better(nest, complexity, DOUBLE_KIND):
            _note_hint(nest, complexity, DOUBLE_KIND, node, signed)


@compiled()
def _try_constraint(state, tables, nest, constraint):
    """Note what all candidates of a constraint imply, if it is the best hint."""
    kind = CELL_KIND if constraint < L.UNIT_DIGITS else REGION_KIND
    mask = state[constraint]
    rest = mask
    while rest:
        node = candidate_at(tables, constraint, lowest_bit(tables, rest))
        rest &= rest - 1
        if nest[N.SLOT_NUMBER + node] == L.NOTHING:
            return
    first_slot = _slot_of(nest, 2 * candidate_at(tables, constraint, lowest_bit(tables, mask)) + 1)
    for k in range(nest[first_slot + L.ON_COUNT] + nest[first_slot + L.OFF_COUNT]):
        signed = reached_node(nest, first_slot, k)
        if not changes_candidates(state, signed):
            continue
        max_nodes = nest[L.BEST_COMPLEXITY]
        rest, longest, is_common = mask, 0, True
        while rest and is_common:
            node = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            derivation = nest[_slot_of(nest, 2 * node + 1) + L.DERIVATION_AT + signed]
            is_common = derivation != 0
            longest = max(longest, nest[derivation + N.MIN_COMPLEXITY])
        if not is_common or longest + bit_count(tables, mask) - 1 > max_nodes:
            continue
        nest[N.COUNT_NUMBER] += 1
        complexity, rest = 0, mask
        while rest and complexity <= max_nodes:
            node = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            slot = _slot_of(nest, 2 * node + 1)
            complexity += count_complexity(
                nest, slot, nest[slot + L.DERIVATION_AT + signed], max_nodes - complexity
            )
        if _is_better(nest, complexity, kind):
            _note_hint(nest, complexity, kind, constraint, signed)


@compiled()
def _conclude(state, tables, step, nest):
    """Write the best hint to the step."""
    reset_step(step)
    source, signed, kind = nest[L.BEST_SOURCE], nest[L.BEST_CONCLUSION], nest[L.BEST_KIND]
    clear_citations(nest)
    if kind == CONTRADICTION_KIND:
        slot = _slot_of(nest, source)
        collect_citations(nest, slot, signed, nest[slot + L.CONFLICT_DERIVATION])
        collect_citations(nest, slot, signed ^ 1, nest[slot + L.DERIVATION_AT + (signed ^ 1)])
        signed = source ^ 1
    elif kind == DOUBLE_KIND:
        cite(nest, source // 9)
        for start in (2 * source, 2 * source + 1):
            slot = _slot_of(nest, start)
            collect_citations(nest, slot, signed, nest[slot + L.DERIVATION_AT + signed])
    else:
        cite(nest, source)
        rest = state[source]
        while rest:
            slot = _slot_of(nest, 2 * candidate_at(tables, source, lowest_bit(tables, rest)) + 1)
            rest &= rest - 1
            collect_citations(nest, slot, signed, nest[slot + L.DERIVATION_AT + signed])
    for constraint in range(L.CONSTRAINTS):
        if nest[N.CITED_SET + constraint // N.CITED_BITS] >> constraint % N.CITED_BITS & 1:
            append_new(step, L.CITED, constraint)
    append_new(step, L.PLACED if signed & 1 else L.ELIMINATED, signed // 2)
