"""The nodes that follow from an assumption, in slots that hints can extend.

Links have the same rules as in `explainer.implications`. In addition, a hint may eliminate
candidates, from which further nodes follow. A *slot* of `nest` has all nodes that follow from one
assumption, in the order in which Sudoku Explainer 1.2.1 finds them; `nested_layout` describes it.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer.implications import DYNAMIC
from pipeline.steps.step_arrays import candidate_at, eliminate, lowest_bit


@compiled(inline=True)
def slot_of(nest, slots, signed):
    """The slot of an assumption. `slots`: OUTER_SLOTS, or for a candidate on also INNER_SLOTS."""
    number = nest[N.SLOT_NUMBER + signed // 2]
    return slots + N.NEST_SLOT_SIZE * (number + (0 if signed & 1 else N.MAX_CANDIDATES))


@compiled()
def _start_slot(nest, slot, signed):
    """Start a slot with an assumption."""
    for k in range(nest[slot + L.ON_COUNT]):
        nest[slot + L.DERIVATION_AT + 2 * nest[slot + L.ON_ORDER + k] + 1] = 0
    for k in range(nest[slot + L.OFF_COUNT]):
        nest[slot + L.DERIVATION_AT + 2 * nest[slot + L.OFF_ORDER + k]] = 0
    nest[slot + L.ON_COUNT] = nest[slot + L.OFF_COUNT] = 0
    nest[slot + L.CONFLICT] = L.NOTHING
    nest[slot + L.DERIVATIONS_END] = N.NEST_DERIVATIONS
    reach(nest, slot, signed, L.NOTHING, 0)


@compiled(inline=True)
def _add_derivation(nest, slot, cause, minimum):
    """Add an derivation; its parents are added afterwards."""
    derivation = slot + nest[slot + L.DERIVATIONS_END]
    nest[derivation + L.PARENT_COUNT], nest[derivation + N.CAUSE] = 0, cause
    nest[derivation + N.MIN_COMPLEXITY] = minimum
    nest[slot + L.LAST_DERIVATION] = derivation
    nest[slot + L.DERIVATIONS_END] += L.FIRST_PARENT
    return derivation


@compiled(inline=True)
def add_derivation_parent(nest, slot, parent):
    """Add a parent to the last derivation."""
    nest[nest[slot + L.LAST_DERIVATION] + L.PARENT_COUNT] += 1
    nest[slot + nest[slot + L.DERIVATIONS_END]] = parent
    nest[slot + L.DERIVATIONS_END] += 1


@compiled(inline=True)
def reach(nest, slot, signed, cause, minimum):
    """Add a node to a slot. `minimum`: the highest MIN_COMPLEXITY of its parents."""
    nest[slot + L.DERIVATION_AT + signed] = _add_derivation(nest, slot, cause, minimum + 1)
    if signed & 1:
        nest[slot + L.ON_ORDER + nest[slot + L.ON_COUNT]] = signed // 2
        nest[slot + L.ON_COUNT] += 1
    else:
        nest[slot + L.OFF_ORDER + nest[slot + L.OFF_COUNT]] = signed // 2
        nest[slot + L.OFF_COUNT] += 1


@compiled(inline=True)
def _conflict(nest, slot, signed, cause, minimum):
    """Add the contradiction that a node and its contrary follow; arguments as for `reach`."""
    nest[slot + L.CONFLICT] = signed
    nest[slot + L.CONFLICT_DERIVATION] = _add_derivation(nest, slot, cause, minimum + 1)


@compiled(inline=True)
def min_complexity(nest, slot, signed):
    """A lower bound of the complexity of the chain to a node that is reached."""
    return nest[nest[slot + L.DERIVATION_AT + signed] + N.MIN_COMPLEXITY]


@compiled(inline=True)
def link_index(k):
    """The index in NODE_CONSTRAINTS of link k = 0 … 3: within the cell, then box, row, column.

    A node keeps the parents by which it is reached first, so the order decides complexities.
    """
    return (k + 1) % 3 if k else 3


@compiled()
def propagate_slot(state, grid, tables, nest, slot, on_head, off_head, mode):
    """Add all nodes that follow from the nodes of a slot.

    `on_head`, `off_head`: the number of nodes on and off that have been followed already. Stops at
    the first contradiction, which is CONFLICT. `grid` has the candidates that remain. In the mode
    DYNAMIC, nodes off are eliminated from it. A strong link that exists only after eliminations has
    the eliminated candidates of its constraint as further parents.
    """
    while True:
        if on_head < nest[slot + L.ON_COUNT]:
            node = nest[slot + L.ON_ORDER + on_head]
            on_head += 1
            if not _follow_on(grid, tables, nest, slot, node):
                return
        elif off_head < nest[slot + L.OFF_COUNT]:
            node = nest[slot + L.OFF_ORDER + off_head]
            off_head += 1
            if not _follow_off(state, grid, tables, nest, slot, node, mode):
                return
            if mode & DYNAMIC:
                eliminate(grid, tables, node)
        else:
            return


@compiled()
def _follow_on(grid, tables, nest, slot, node):
    """Add the nodes that a candidate implies if it is on. Returns False at a contradiction."""
    derivations = slot + L.DERIVATION_AT
    minimum = min_complexity(nest, slot, 2 * node + 1)
    for k in range(4):
        j = link_index(k)
        constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
        rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * node + j]
        while rest:
            other = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            is_conflict = nest[derivations + 2 * other + 1] != 0
            if not is_conflict and nest[derivations + 2 * other]:
                continue
            if is_conflict:
                _conflict(nest, slot, 2 * other, L.NOTHING, minimum)
            else:
                reach(nest, slot, 2 * other, L.NOTHING, minimum)
            add_derivation_parent(nest, slot, 2 * node + 1)
            if is_conflict:
                return False
    return True


@compiled()
def _follow_off(state, grid, tables, nest, slot, node, mode):
    """Add the nodes that a candidate implies if it is off. Returns False at a contradiction."""
    derivations = slot + L.DERIVATION_AT
    for k in range(4):
        j = link_index(k)
        constraint = tables[L.NODE_CONSTRAINTS + 4 * node + j]
        rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * node + j]
        if rest == 0 or rest & (rest - 1):
            continue
        other = candidate_at(tables, constraint, lowest_bit(tables, rest))
        is_conflict = nest[derivations + 2 * other] != 0
        if not is_conflict and nest[derivations + 2 * other + 1]:
            continue
        if is_conflict:
            _conflict(nest, slot, 2 * other + 1, constraint, 0)
        else:
            reach(nest, slot, 2 * other + 1, constraint, 0)
        minimum = min_complexity(nest, slot, 2 * node)
        add_derivation_parent(nest, slot, 2 * node)
        eliminated = state[constraint] & ~grid[constraint] if mode & DYNAMIC else 0
        while eliminated:
            parent = 2 * candidate_at(tables, constraint, lowest_bit(tables, eliminated))
            eliminated &= eliminated - 1
            minimum = max(minimum, min_complexity(nest, slot, parent))
            add_derivation_parent(nest, slot, parent)
        nest[nest[slot + L.LAST_DERIVATION] + N.MIN_COMPLEXITY] = minimum + 1
        if is_conflict:
            return False
    return True


@compiled()
def fill_slot(state, grid, tables, nest, slot, signed, mode):
    """Write the nodes that follow from a signed node to a slot; `mode` may have DYNAMIC."""
    _start_slot(nest, slot, signed)
    if mode & DYNAMIC:
        for k in range(L.CONSTRAINTS):
            grid[k] = state[k]
        propagate_slot(state, grid, tables, nest, slot, 0, 0, mode)
    else:
        propagate_slot(state, state, tables, nest, slot, 0, 0, mode)


@compiled()
def reduce_grid(state, grid, tables, nest, slot):
    """Write the candidates of `state` that a slot does not eliminate to `grid`."""
    for k in range(L.CONSTRAINTS):
        grid[k] = state[k]
    for k in range(nest[slot + N.OFF_HEAD]):
        eliminate(grid, tables, nest[slot + L.OFF_ORDER + k])


@compiled()
def revert_to_patterns(nest, slot):
    """Restore a slot to its content at the end of level 1, unless it has a contradiction."""
    if nest[slot + L.CONFLICT] == L.NOTHING:
        for k in range(nest[slot + N.PATTERNS_ON], nest[slot + L.ON_COUNT]):
            nest[slot + L.DERIVATION_AT + 2 * nest[slot + L.ON_ORDER + k] + 1] = 0
        for k in range(nest[slot + N.PATTERNS_OFF], nest[slot + L.OFF_COUNT]):
            nest[slot + L.DERIVATION_AT + 2 * nest[slot + L.OFF_ORDER + k]] = 0
        for part in (L.ON_COUNT, N.ON_HEAD):
            nest[slot + part] = nest[slot + N.PATTERNS_ON]
        for part in (L.OFF_COUNT, N.OFF_HEAD):
            nest[slot + part] = nest[slot + N.PATTERNS_OFF]
        nest[slot + L.DERIVATIONS_END] = nest[slot + N.PATTERNS_END]
        nest[slot + N.NEXT_MIN], nest[slot + N.DONE_LEVEL] = 0, 1


@compiled(inline=True)
def reached_node(nest, slot, k):
    """Node `k` of a slot: the nodes on, then the nodes off."""
    count = nest[slot + L.ON_COUNT]
    if k < count:
        return 2 * nest[slot + L.ON_ORDER + k] + 1
    return 2 * nest[slot + L.OFF_ORDER + k - count]
