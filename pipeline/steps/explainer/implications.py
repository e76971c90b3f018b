"""The nodes that follow from an assumption, in the order of Sudoku Explainer 1.2.1.

An assumption is a candidate that is *on* (it holds) or *off* (it does not). A node on implies nodes
off by weak links, a node off implies nodes on by strong links. Dynamically, each node off is
eliminated from a copy of the candidates, so that later strong links may depend on several nodes.

`follow_links` writes these nodes to a *slot* of `workspace`, each with a derivation that lists its
parents. All parents together imply the node. `layout` describes the arrays; a signed node is
2 · candidate + 1 for on, 2 · candidate for off.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import append_new, bit_count, candidate_at, lowest_bit

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
DYNAMIC_LINKS = MIXED_LINKS | DYNAMIC
"""Modes with the strong links of units and of cells; dynamic, as explained above."""

ANY_COMPLEXITY = 1 << 20
"""More nodes than any hint has."""


@compiled(inline=True)
def slot_of(candidate):
    """The offset of the slot for a candidate that is on. The slot at L.SLOTS is for all others."""
    return L.SLOTS + L.SLOT_SIZE * (candidate + 1)


@compiled(inline=True)
def derivation_of(workspace, slot, signed):
    """The derivation of a signed node: an offset in the slot, 0 if the node is not reached."""
    return workspace[slot + L.DERIVATION_AT + signed]


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
    after `max_levels` levels of links. In the mode DYNAMIC, `grid` (CONSTRAINTS numbers) becomes
    the remaining candidates. If a node and its contrary follow, CONFLICT of the slot is the later
    one of the two, else NOTHING.
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
    _reach(workspace, slot, start, L.NOTHING)
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
            if not _follow_on(grid, tables, workspace, slot, candidate, mode):
                return
        else:
            candidate = workspace[slot + L.OFF_ORDER + off_head]
            off_head += 1
            if not _follow_off(state, grid, tables, workspace, slot, candidate, mode):
                return
            if mode & DYNAMIC:
                for k in range(4 * candidate, 4 * candidate + 4):
                    grid[tables[L.NODE_CONSTRAINTS + k]] &= ~tables[L.NODE_MASKS + k]
        if goal != L.NOTHING and derivation_of(workspace, slot, goal):
            return


@compiled()
def _follow_on(grid, tables, workspace, slot, candidate, mode):
    """Add the nodes that a candidate implies if it is on. Returns False at a contradiction."""
    if mode & CELL_LINKS and not _imply_off(
        grid, tables, workspace, slot, candidate, candidate // 9, mode
    ):
        return False
    for k in range(3):
        constraint = unit_constraint(tables, candidate, k)
        if not _imply_off(grid, tables, workspace, slot, candidate, constraint, mode):
            return False
    return True


@compiled()
def _follow_off(state, grid, tables, workspace, slot, candidate, mode):
    """Add the nodes that a candidate implies if it is off. Returns False at a contradiction."""
    if mode & CELL_LINKS and not _imply_on(
        state, grid, tables, workspace, slot, candidate, candidate // 9, mode
    ):
        return False
    for k in range(3 if mode & UNIT_LINKS else 0):
        constraint = unit_constraint(tables, candidate, k)
        if not _imply_on(state, grid, tables, workspace, slot, candidate, constraint, mode):
            return False
    return True


@compiled()
def _imply_off(grid, tables, workspace, slot, candidate, constraint, mode):
    """Add the other candidates of a constraint as off. Returns False at a contradiction."""
    rest = grid[constraint]
    while rest:
        other = candidate_at(tables, constraint, lowest_bit(tables, rest))
        rest &= rest - 1
        if other == candidate:
            continue
        is_conflict = mode & STOPS and derivation_of(workspace, slot, 2 * other + 1)
        if not is_conflict and derivation_of(workspace, slot, 2 * other):
            continue
        if is_conflict:
            _contradict(workspace, slot, 2 * other, L.NOTHING)
        else:
            _reach(workspace, slot, 2 * other, L.NOTHING)
        _add_parent(workspace, slot, 2 * candidate + 1)
        if is_conflict:
            return False
    return True


@compiled()
def _imply_on(state, grid, tables, workspace, slot, candidate, constraint, mode):
    """Add the other candidate of a strong link as on. Returns False at a contradiction."""
    if bit_count(tables, grid[constraint]) != 2:
        return True
    rest = grid[constraint]
    other = candidate_at(tables, constraint, lowest_bit(tables, rest))
    if other == candidate:
        other = candidate_at(tables, constraint, lowest_bit(tables, rest & (rest - 1)))
    is_conflict = mode & STOPS and derivation_of(workspace, slot, 2 * other)
    if not is_conflict and derivation_of(workspace, slot, 2 * other + 1):
        return True
    if is_conflict:
        _contradict(workspace, slot, 2 * other + 1, constraint)
    else:
        _reach(workspace, slot, 2 * other + 1, constraint)
    _add_parent(workspace, slot, 2 * candidate)
    eliminated = state[constraint] & ~grid[constraint]
    while eliminated:
        parent = candidate_at(tables, constraint, lowest_bit(tables, eliminated))
        _add_parent(workspace, slot, 2 * parent)
        eliminated &= eliminated - 1
    return not is_conflict


@compiled()
def _reach(workspace, slot, signed, constraint):
    """Add a node. `constraint`: that of the strong link by which it is reached, else NOTHING.

    `_add_parent` appends its parents afterwards.
    """
    workspace[slot + L.DERIVATION_AT + signed] = _derive(workspace, slot, constraint)
    if signed & 1:
        workspace[slot + L.ON_ORDER + workspace[slot + L.ON_COUNT]] = signed // 2
        workspace[slot + L.ON_COUNT] += 1
    else:
        workspace[slot + L.OFF_ORDER + workspace[slot + L.OFF_COUNT]] = signed // 2
        workspace[slot + L.OFF_COUNT] += 1


@compiled()
def _contradict(workspace, slot, signed, constraint):
    """Add the contradiction that a node and its contrary follow; arguments as for `_reach`."""
    workspace[slot + L.CONFLICT_DERIVATION] = _derive(workspace, slot, constraint)
    workspace[slot + L.CONFLICT] = signed


@compiled(inline=True)
def _derive(workspace, slot, constraint):
    """Begin a derivation without parents, and return its offset in the slot."""
    derivation = workspace[slot + L.DERIVATIONS_END]
    workspace[slot + derivation + L.PARENT_COUNT] = 0
    workspace[slot + derivation + L.STRONG_LINK] = constraint
    workspace[slot + derivation + L.NODE_DEPTH] = 1
    workspace[slot + L.LAST_DERIVATION] = derivation
    workspace[slot + L.DERIVATIONS_END] = derivation + L.FIRST_PARENT
    return derivation


@compiled(inline=True)
def _add_parent(workspace, slot, parent):
    """Append a parent to the last derivation."""
    last, end = slot + workspace[slot + L.LAST_DERIVATION], workspace[slot + L.DERIVATIONS_END]
    depth = workspace[slot + derivation_of(workspace, slot, parent) + L.NODE_DEPTH] + 1
    workspace[last + L.PARENT_COUNT] += 1
    workspace[last + L.NODE_DEPTH] = max(workspace[last + L.NODE_DEPTH], depth)
    workspace[slot + end] = parent
    workspace[slot + L.DERIVATIONS_END] = end + 1


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
    """Cite the constraint of a strong link, if the derivation is one."""
    if workspace[slot + derivation + L.STRONG_LINK] != L.NOTHING:
        append_new(step, L.CITED, workspace[slot + derivation + L.STRONG_LINK])
