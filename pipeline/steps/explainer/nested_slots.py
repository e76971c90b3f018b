"""The nodes that follow from an assumption, in slots that hints can extend.

Links have the same rules as in `explainer.implications`. In addition, a hint may eliminate
candidates, from which further nodes follow. A *slot* of `nest` has all nodes that follow from one
assumption, in the order in which Sudoku Explainer 1.2.1 finds them; `nested_layout` describes it.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer.implications import DYNAMIC, follow_off, follow_on, reach
from pipeline.steps.step_arrays import eliminate


@compiled(inline=True)
def slot_of(nest, slots, signed):
    """The slot of an assumption. `slots`: OUTER_SLOTS; INNER_SLOTS only for candidates on."""
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
    reach(nest, slot, signed, L.NOTHING)


@compiled(inline=True)
def min_complexity(nest, slot, signed):
    """A lower bound of the complexity of the chain to a node that is reached."""
    return nest[slot + nest[slot + L.DERIVATION_AT + signed] + N.MIN_COMPLEXITY]


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
            if not follow_on(grid, tables, nest, slot, node, mode):
                return
        elif off_head < nest[slot + L.OFF_COUNT]:
            node = nest[slot + L.OFF_ORDER + off_head]
            off_head += 1
            if not follow_off(state, grid, tables, nest, slot, node, mode):
                return
            if mode & DYNAMIC:
                eliminate(grid, tables, node)
        else:
            return


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
