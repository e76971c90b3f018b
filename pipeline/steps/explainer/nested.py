"""The dynamic forcing chains of Sudoku Explainer 1.2.1, on five levels.

When links imply no further node, hints among the remaining candidates eliminate some of them:

| level | base rating | hints |
|---|---|---|
| 0 | 8.5 | none |
| 1 | 9.0 | patterns: locked candidates, pairs, X-wings |
| 2 | 9.5 | patterns; then cycles and forcing chains |
| 3 | 10.0 | the same; then multiple forcing chains |
| 4 | 10.5 | patterns; then dynamic forcing chains |

A level is searched only if no lower level has a chain. So the search continues with the slots of
the level below; level 4 continues with those of level 1.
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
from pipeline.steps.explainer.implications import (
    ANY_COMPLEXITY,
    DYNAMIC_LINKS,
    STATIC_LINKS,
    reached_node,
)
from pipeline.steps.explainer.nested_chains import record_chains
from pipeline.steps.explainer.nested_hints import (
    cite,
    clear_citations,
    collect_citations,
    count_branches,
    count_two_chains,
    forget_numbered_hints,
)
from pipeline.steps.explainer.nested_multiple import record_multiple
from pipeline.steps.explainer.nested_patterns import use_patterns
from pipeline.steps.explainer.nested_records import start_records, use_records
from pipeline.steps.explainer.nested_slots import (
    fill_slot,
    min_complexity,
    propagate_slot,
    reduce_grid,
    revert_to_patterns,
    slot_of,
)
from pipeline.steps.step_arrays import append_new, bit_count, candidate_at, lowest_bit, reset_step

SEARCH_PAUSED = -1
"""The result of `find_dynamic` if the search is not finished."""


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
        if nest[N.LIMIT] == ANY_COMPLEXITY:
            nest[N.PAUSED_LEVEL] = 0
            nest[N.READY_LEVEL] = level if level < 4 else L.NOTHING
            return 0
        _start_pass(nest, nest[N.LIMIT] + nest[N.LIMIT] // 4 if nest[N.IS_CUT] else ANY_COMPLEXITY)


@compiled()
def _start_level(state, grid, inner_grid, tables, graph, nest, level):
    """Start a level. First completes the lower levels, if they were not searched."""
    if nest[N.READY_LEVEL] >= level:
        nest[N.READY_LEVEL] = L.NOTHING
    if nest[N.READY_LEVEL] == L.NOTHING:
        _start_state(state, nest)
    for lower in range(nest[N.READY_LEVEL] + 1, 2 if level == 4 else level):
        _start_pass(nest, ANY_COMPLEXITY)
        for signed in range(2 * L.SINGLES):
            if nest[N.SLOT_NUMBER + signed // 2] != L.NOTHING:
                _extend_slot(state, grid, inner_grid, tables, graph, nest, signed, lower)
    for signed in range(2 * L.SINGLES if level == 4 else 0):
        if nest[N.SLOT_NUMBER + signed // 2] != L.NOTHING:
            revert_to_patterns(nest, slot_of(nest, N.OUTER_SLOTS, signed))
    _start_pass(nest, N.FIRST_LIMIT if level >= 2 else ANY_COMPLEXITY)
    nest[N.PAUSED_LEVEL] = level + 1


@compiled()
def _start_pass(nest, limit):
    """Start a pass: a search of all hints up to a limit of complexity."""
    nest[N.PASS] += 1
    nest[N.NEXT_CANDIDATE] = nest[N.IS_CUT] = 0
    nest[N.LIMIT] = limit
    nest[L.BEST_COMPLEXITY], nest[L.BEST_KIND] = limit + 1, 0
    nest[L.BEST_SOURCE] = L.NOTHING


@compiled()
def _start_state(state, nest):
    """Start with a new state: give slots to the candidates of open cells, and forget all hints.

    With more than MAX_CANDIDATES candidates, none gets slots, so that no chain is found.
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
    """Mark all nodes of a slot as followed."""
    nest[slot + N.ON_HEAD] = nest[slot + L.ON_COUNT]
    nest[slot + N.OFF_HEAD] = nest[slot + L.OFF_COUNT]


@compiled()
def _extend_slots_for(state, grid, inner_grid, tables, graph, nest, node, level):
    """Extend the slots of all hints that `_try_candidate` tries. Returns False for a pause."""
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


# Each node that follows from the hints of a round is at least as complex as the simplest of their
# eliminations. So if that elimination is above the limit, the slot is cut, and continues in a pass
# with a higher limit. This saves most of the work when chains are short, above all at level 4. It
# does not change the result, because a hint above the limit is more complex than the best.
@compiled()
def _extend_slot(state, grid, inner_grid, tables, graph, nest, signed, level):
    """Extend a slot to the end of a level, or until all further nodes are above the limit."""
    slot = slot_of(nest, N.OUTER_SLOTS, signed)
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
    is_unchanged = nest[slot + N.NEXT_MIN] == 0
    while True:
        if nest[slot + N.OFF_HEAD] == nest[slot + L.OFF_COUNT]:
            # the end of a lower level has no pattern left
            has_hint = (level == 1 or not is_unchanged) and use_patterns(
                state, grid, tables, nest, slot
            )
            if not has_hint and level >= 2:
                nest[N.WORK_DONE] += N.NESTED_WORK
                start_records(nest)
                if level < 4 and close_on(grid, tables, graph):
                    record_chains(grid, tables, graph, nest)
                    has_hint = use_records(state, grid, tables, nest, slot)
                if not has_hint and level >= 3:
                    if level == 3:
                        close_off(graph)
                    mode = DYNAMIC_LINKS if level == 4 else STATIC_LINKS
                    record_multiple(grid, inner_grid, tables, graph, nest, mode)
                    use_records(state, grid, tables, nest, slot)
            is_unchanged = False
            if nest[slot + N.OFF_HEAD] == nest[slot + L.OFF_COUNT]:
                nest[slot + N.NEXT_MIN] = 0
                break
            minimum = ANY_COMPLEXITY
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
    """Try the hints of a candidate, in the order of Sudoku Explainer."""
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
    slot = slot_of(nest, N.OUTER_SLOTS, start)
    conflict = nest[slot + L.CONFLICT]
    if conflict == L.NOTHING:
        return
    first = nest[slot + L.CONFLICT_DERIVATION]
    second = nest[slot + L.DERIVATION_AT + (conflict ^ 1)]
    complexity = count_two_chains(nest, slot, first, slot, second, nest[L.BEST_COMPLEXITY])
    if _is_better(nest, complexity, CONTRADICTION_KIND):
        _note_hint(nest, complexity, CONTRADICTION_KIND, start, conflict)


@compiled()
def _try_double(state, nest, candidate):
    """Note the nodes that a candidate implies both on and off, if one is the best hint."""
    on_slot = slot_of(nest, N.OUTER_SLOTS, 2 * candidate + 1)
    off_slot = slot_of(nest, N.OUTER_SLOTS, 2 * candidate)
    for k in range(nest[on_slot + L.ON_COUNT] + nest[on_slot + L.OFF_COUNT]):
        signed = reached_node(nest, on_slot, k)
        first = nest[on_slot + L.DERIVATION_AT + signed]
        second = nest[off_slot + L.DERIVATION_AT + signed]
        if second == 0 or not changes_candidates(state, signed):
            continue
        complexity = count_two_chains(
            nest, on_slot, first, off_slot, second, nest[L.BEST_COMPLEXITY]
        )
        if _is_better(nest, complexity, DOUBLE_KIND):
            _note_hint(nest, complexity, DOUBLE_KIND, candidate, signed)


@compiled()
def _try_constraint(state, tables, nest, constraint):
    """Note the nodes that all candidates of a constraint imply, if one is the best hint."""
    kind = CELL_KIND if constraint < L.UNIT_DIGITS else REGION_KIND
    rest = state[constraint]
    first = candidate_at(tables, constraint, lowest_bit(tables, rest))
    while rest:
        candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
        rest &= rest - 1
        if nest[N.SLOT_NUMBER + candidate] == L.NOTHING:
            return
    slots, slot = N.OUTER_SLOTS, slot_of(nest, N.OUTER_SLOTS, 2 * first + 1)
    for k in range(nest[slot + L.ON_COUNT] + nest[slot + L.OFF_COUNT]):
        signed = reached_node(nest, slot, k)
        if changes_candidates(state, signed):
            complexity = count_branches(
                state, tables, nest, slots, constraint, signed, nest[L.BEST_COMPLEXITY]
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
        slot = slot_of(nest, N.OUTER_SLOTS, source)
        collect_citations(nest, slot, signed, nest[slot + L.CONFLICT_DERIVATION])
        collect_citations(nest, slot, signed ^ 1, nest[slot + L.DERIVATION_AT + (signed ^ 1)])
        signed = source ^ 1
    elif kind == DOUBLE_KIND:
        cite(nest, source // 9)
        for start in (2 * source, 2 * source + 1):
            slot = slot_of(nest, N.OUTER_SLOTS, start)
            collect_citations(nest, slot, signed, nest[slot + L.DERIVATION_AT + signed])
    else:
        cite(nest, source)
        rest = state[source]
        while rest:
            candidate = candidate_at(tables, source, lowest_bit(tables, rest))
            rest &= rest - 1
            slot = slot_of(nest, N.OUTER_SLOTS, 2 * candidate + 1)
            collect_citations(nest, slot, signed, nest[slot + L.DERIVATION_AT + signed])
    for constraint in range(L.CONSTRAINTS):
        if nest[N.CITED_SET + constraint // N.CITED_BITS] >> constraint % N.CITED_BITS & 1:
            append_new(step, L.CITED, constraint)
    append_new(step, L.PLACED if signed & 1 else L.ELIMINATED, signed // 2)
