"""The nodes that follow from an assumption, in the order of Sudoku Explainer 1.2.1.

An assumption is a candidate that is *on* (it holds) or *off* (it does not). A node on implies nodes
off by weak links, a node off implies nodes on by strong links. Dynamically, each node off is
eliminated from a copy of the candidates, so that later strong links may depend on several nodes.

`follow_links` writes these nodes to a *slot* of `workspace`, each with a derivation that lists its
parents. All parents together imply the node. The functions with a parameter `slots` work on
`workspace` and on `nest`. `layout` describes the arrays; a signed node is
2 · candidate + 1 for on, 2 · candidate for off.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import append_new, candidate_at, eliminate, lowest_bit

UNIT_LINKS, CELL_LINKS, BY_LEVEL, STOPS, DYNAMIC = 1, 2, 4, 8, 16
"""Bits of the mode in which an assumption is followed.

- UNIT_LINKS: a digit with two places in a unit is a strong link.
- CELL_LINKS: a cell with two candidates is a strong link, and a node on implies that the other
  candidates of its cell are off.
- BY_LEVEL: follow all nodes on, then all nodes off, and so on. Without it, follow a node off only
  if no node on is left.
- STOPS: stop at the first contradiction.
- DYNAMIC: eliminate the nodes that are off.
"""

MIXED_LINKS = UNIT_LINKS | CELL_LINKS
STATIC_LINKS, DYNAMIC_LINKS = MIXED_LINKS | STOPS, MIXED_LINKS | STOPS | DYNAMIC
"""Modes with the strong links of units and of cells."""

ANY_COMPLEXITY = 1 << 20
"""More nodes than any hint has."""


@compiled(inline=True)
def candidate_slot(candidate):
    """The offset of the slot for a candidate that is on. The slot at L.SLOTS is for all others."""
    return L.SLOTS + L.SLOT_SIZE * (candidate + 1)


@compiled(inline=True)
def derivation_of(slots, slot, signed):
    """The derivation of a signed node: an offset in the slot, 0 if the node is not reached."""
    return slots[slot + L.DERIVATION_AT + signed]


@compiled(inline=True)
def reached_node(slots, slot, k):
    """Node `k` of a slot: the nodes on, then the nodes off."""
    count = slots[slot + L.ON_COUNT]
    if k < count:
        return 2 * slots[slot + L.ON_ORDER + k] + 1
    return 2 * slots[slot + L.OFF_ORDER + k - count]


@compiled(inline=True)
def link_index(k):
    """The index in NODE_CONSTRAINTS of link k = 0 … 3: within the cell, then box, column, row."""
    return (k + 1) % 3 if k else 3


@compiled(inline=True)
def unit_constraint(tables, candidate, k):
    """The digit of a candidate in its box, column or row, for `k` = 0, 1, 2."""
    return tables[L.NODE_CONSTRAINTS + 4 * candidate + (k + 2) % 3]


# Sudoku Explainer follows links within the cell first, then those in box, column and row. A node
# keeps the parents by which it is reached first, so this order decides the length of chains.
@compiled()
def follow_links(state, grid, tables, workspace, slot, start, goal, max_levels, mode):
    """Write the nodes that follow from the signed node `start` to the slot at offset `slot`.

    Stops when the signed node `goal` is reached, unless it is NOTHING, and in the mode BY_LEVEL
    after `max_levels` levels of links. In the mode DYNAMIC, the remaining candidates are
    written to `grid` (CONSTRAINTS masks). If a node and its contrary follow, CONFLICT of the slot
    is the later one of the two, else NOTHING.
    """
    for k in range(slot, slot + L.ON_ORDER):
        workspace[k] = 0
    workspace[slot + L.CONFLICT] = L.NOTHING
    workspace[slot + L.DERIVATIONS_END] = L.DERIVATIONS
    if mode & DYNAMIC:
        for k in range(L.CONSTRAINTS):
            grid[k] = state[k]
    else:
        grid = state
    reach(workspace, slot, start, L.NOTHING)
    on_head = off_head = 0
    is_on_level = True
    while True:
        has_on = on_head < workspace[slot + L.ON_COUNT]
        has_off = off_head < workspace[slot + L.OFF_COUNT]
        if not has_on and not has_off:
            return
        if mode & BY_LEVEL:
            was_on_level = is_on_level
            is_on_level = has_on if is_on_level else not has_off
            max_levels -= was_on_level != is_on_level
            if max_levels < 0:
                return
        else:
            is_on_level = has_on
        if is_on_level:
            candidate = workspace[slot + L.ON_ORDER + on_head]
            on_head += 1
            if not follow_on(grid, tables, workspace, slot, candidate, mode):
                return
        else:
            candidate = workspace[slot + L.OFF_ORDER + off_head]
            off_head += 1
            if not follow_off(state, grid, tables, workspace, slot, candidate, mode):
                return
            if mode & DYNAMIC:
                eliminate(grid, tables, candidate)
        if goal != L.NOTHING and derivation_of(workspace, slot, goal):
            return


@compiled()
def follow_on(grid, tables, slots, slot, candidate, mode):
    """Add the nodes that a candidate implies if it is on. Returns False at a contradiction."""
    for k in range(0 if mode & CELL_LINKS else 1, 4):
        j = link_index(k)
        constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + j]
        rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * candidate + j]
        while rest:
            other = candidate_at(tables, constraint, lowest_bit(tables, rest))
            rest &= rest - 1
            if mode & STOPS and derivation_of(slots, slot, 2 * other + 1):
                _contradict(slots, slot, 2 * other, L.NOTHING)
                add_parent(slots, slot, 2 * candidate + 1)
                return False
            if not derivation_of(slots, slot, 2 * other):
                reach(slots, slot, 2 * other, L.NOTHING)
                add_parent(slots, slot, 2 * candidate + 1)
    return True


@compiled()
def follow_off(state, grid, tables, slots, slot, candidate, mode):
    """Add the nodes that a candidate implies if it is off. Returns False at a contradiction."""
    for k in range(0 if mode & CELL_LINKS else 1, 4 if mode & UNIT_LINKS else 1):
        j = link_index(k)
        constraint = tables[L.NODE_CONSTRAINTS + 4 * candidate + j]
        rest = grid[constraint] & ~tables[L.NODE_MASKS + 4 * candidate + j]
        if rest == 0 or rest & (rest - 1):
            continue
        other = candidate_at(tables, constraint, lowest_bit(tables, rest))
        is_conflict = mode & STOPS != 0 and derivation_of(slots, slot, 2 * other) != 0
        if is_conflict:
            _contradict(slots, slot, 2 * other + 1, constraint)
        elif derivation_of(slots, slot, 2 * other + 1):
            continue
        else:
            reach(slots, slot, 2 * other + 1, constraint)
        add_parent(slots, slot, 2 * candidate)
        eliminated = state[constraint] & ~grid[constraint] if mode & DYNAMIC else 0
        while eliminated:
            parent = candidate_at(tables, constraint, lowest_bit(tables, eliminated))
            add_parent(slots, slot, 2 * parent)
            eliminated &= eliminated - 1
        if is_conflict:
            return False
    return True


@compiled(inline=True)
def reach(slots, slot, signed, cause):
    """Add a node. `cause`: the constraint of the strong link by which it is reached, else NOTHING.

    `add_parent` appends its parents afterwards.
    """
    slots[slot + L.DERIVATION_AT + signed] = _derive(slots, slot, cause)
    if signed & 1:
        slots[slot + L.ON_ORDER + slots[slot + L.ON_COUNT]] = signed // 2
        slots[slot + L.ON_COUNT] += 1
    else:
        slots[slot + L.OFF_ORDER + slots[slot + L.OFF_COUNT]] = signed // 2
        slots[slot + L.OFF_COUNT] += 1


@compiled(inline=True)
def _contradict(slots, slot, signed, cause):
    """Record a node whose contrary is already reached; arguments as for `reach`."""
    slots[slot + L.CONFLICT_DERIVATION] = _derive(slots, slot, cause)
    slots[slot + L.CONFLICT] = signed


@compiled(inline=True)
def _derive(slots, slot, cause):
    """Begin a derivation without parents, and return its offset in the slot."""
    derivation = slots[slot + L.DERIVATIONS_END]
    slots[slot + derivation + L.PARENT_COUNT] = 0
    slots[slot + derivation + L.STRONG_LINK] = cause
    slots[slot + derivation + L.NODE_DEPTH] = 1
    slots[slot + L.LAST_DERIVATION] = derivation
    slots[slot + L.DERIVATIONS_END] = derivation + L.FIRST_PARENT
    return derivation


@compiled(inline=True)
def add_parent(slots, slot, parent):
    """Append a parent to the last derivation."""
    last, end = slot + slots[slot + L.LAST_DERIVATION], slots[slot + L.DERIVATIONS_END]
    depth = slots[slot + derivation_of(slots, slot, parent) + L.NODE_DEPTH] + 1
    slots[last + L.PARENT_COUNT] += 1
    slots[last + L.NODE_DEPTH] = max(slots[last + L.NODE_DEPTH], depth)
    slots[slot + end] = parent
    slots[slot + L.DERIVATIONS_END] = end + 1


@compiled()
def count_nodes(workspace, slot, derivation, max_nodes):
    """The number of nodes of a chain: the node with this derivation, and all its ancestors.

    Stops counting above `max_nodes`. Each ancestor gets the stamp of this count in STAMPS.
    """
    workspace[L.STAMP] += 1
    if workspace[L.STAMP] == 32767:  # the numbers of `workspace` have 16 bits
        for k in range(2 * L.SINGLES):
            workspace[L.STAMPS + k] = 0
        workspace[L.STAMP] = 1
    stamp, count, depth = workspace[L.STAMP], 1, 0
    while True:
        first = slot + derivation + L.FIRST_PARENT
        for k in range(first, first + workspace[slot + derivation + L.PARENT_COUNT]):
            parent = workspace[k]
            if workspace[L.STAMPS + parent] != stamp:
                workspace[L.STAMPS + parent] = stamp
                workspace[L.STACK + depth] = derivation_of(workspace, slot, parent)
                depth += 1
                count += 1
        if depth == 0 or count > max_nodes:
            return count
        depth -= 1
        derivation = workspace[L.STACK + depth]


@compiled()
def cite_chain(workspace, step, slot, derivation):
    """Cite the strong links of a chain, which ends at the node with this derivation."""
    count_nodes(workspace, slot, derivation, ANY_COMPLEXITY)
    _cite_link(workspace, step, slot, derivation)
    for signed in range(2 * L.SINGLES):
        if workspace[L.STAMPS + signed] == workspace[L.STAMP]:
            _cite_link(workspace, step, slot, derivation_of(workspace, slot, signed))


@compiled(inline=True)
def _cite_link(workspace, step, slot, derivation):
    """Cite the constraint of the strong link of a derivation, if it has one."""
    if workspace[slot + derivation + L.STRONG_LINK] != L.NOTHING:
        append_new(step, L.CITED, workspace[slot + derivation + L.STRONG_LINK])
