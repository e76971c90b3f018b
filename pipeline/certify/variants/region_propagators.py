"""Propagators of regions that the solution defines, and of pairs that differ.

Like the propagators in `propagation`, each is exact when all cells of its scope have one value.
`layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import restrict
from pipeline.native import compiled

CONNECTED_SCRATCH = 9
"""Numbers of SCRATCH that `propagate_connected` needs for each cell of its scope."""


# Possible cells can be inside the region; members must be inside. Without members, the region may
# be in any connected component of possible cells that is large enough. With members, cells that the
# region cannot reach from a member are outside (`_mark_reachable`). Cells without which the region
# would fall apart or be too small are inside (`_force_cut_cells`). If the number of possible cells
# equals the size of the region, all of them are inside.
@compiled()
def _propagate_connected(state, problem, first, length):
    """Eliminate as `propagate_connected` does, even if it has seen the same cells before."""
    data = first + length
    inside, size = problem[data], problem[data + 1]
    possible = members = 0
    root = -1
    for index in range(length):
        mask = state[L.DOMAINS + problem[first + index]]
        if mask & inside:
            possible += 1
            if mask & ~inside == 0:
                members += 1
                root = index
    if possible == 0 or possible < size or (size and members > size):
        return False
    if root < 0 and possible > max(size, 1):
        return size < 2 or _eliminate_small_components(state, problem, first, length, size)
    if root < 0 or possible == size:
        for i in range(first, data):
            if state[L.DOMAINS + problem[i]] & inside and not restrict(
                state, problem, problem[i], inside
            ):
                return False
        for index in range(length):
            if state[L.DOMAINS + problem[first + index]] & inside:
                root = index
        members = possible
    reached = _mark_reachable(
        state, problem, first, length, root, members, size - members if size else length
    )
    if reached < 0 or reached < size:
        return False
    seen = problem[L.SCRATCH]
    for index in range(length):
        cell = problem[first + index]
        mask = state[L.DOMAINS + cell]
        is_outside = mask & inside and not state[seen + index]
        if is_outside and not restrict(state, problem, cell, ~inside):
            return False
        if reached == size and state[seen + index] and not restrict(state, problem, cell, inside):
            return False
    return reached in (size, members) or _force_cut_cells(
        state, problem, first, length, root, reached
    )


# The result depends only on which cells are possible and which are members. So a call that changed
# nothing is remembered by these two sets, and the next call with the same sets is skipped: a change
# of a cell schedules the constraints of all labels, but often concerns only a few of them.
@compiled()
def propagate_connected(state, problem, first, length):
    """Enforce that the cells with a value in a mask form one connected region.

    If `size` is not 0, the region has exactly this size.
    """
    data = first + length
    inside, neighbours = problem[data], data + 2 + problem[data + 2 + length]
    memory = problem[L.MEMORY] + problem[neighbours + length]
    is_known = True
    for start in range(0, length, L.CELLS_PER_WORD):
        possible = members = 0
        bit = 1
        for i in range(first + start, first + min(length, start + L.CELLS_PER_WORD)):
            mask = state[L.DOMAINS + problem[i]]
            if mask & inside:
                possible |= bit
                if mask & ~inside == 0:
                    members |= bit
            bit <<= 1
        is_known &= state[memory] == possible and state[memory + 1] == ~members
        state[memory] = possible
        state[memory + 1] = ~members
        memory += 2
    if is_known:
        return True
    had_changed = state[L.HAS_CHANGED]
    state[L.HAS_CHANGED] = 0
    can_hold = _propagate_connected(state, problem, first, length)
    if not can_hold or state[L.HAS_CHANGED]:
        state[memory - 1] = 0  # no complement of a set
    state[L.HAS_CHANGED] |= had_changed
    return can_hold


# The region is connected, so it lies within one connected component of possible cells. A component
# with fewer cells than the region cannot contain it.
@compiled()
def _eliminate_small_components(state, problem, first, length, size):
    """Eliminate the values `inside` from connected components of fewer than `size` cells.

    Returns False if all components are too small, or if a cell has no value left.
    """
    data = first + length
    inside, offsets = problem[data], data + 2
    seen, queue = problem[L.SCRATCH], problem[L.SCRATCH] + length
    for index in range(length):
        state[seen + index] = 0
    is_possible = False
    for start in range(length):
        if state[seen + start] or not state[L.DOMAINS + problem[first + start]] & inside:
            continue
        state[queue] = start
        state[seen + start] = 1
        end, head = 1, 0
        while head < end:
            index = state[queue + head]
            head += 1
            for edge in range(
                offsets + problem[offsets + index], offsets + problem[offsets + index + 1]
            ):
                neighbour = problem[edge]
                if (
                    not state[seen + neighbour]
                    and state[L.DOMAINS + problem[first + neighbour]] & inside
                ):
                    state[seen + neighbour] = 1
                    state[queue + end] = neighbour
                    end += 1
        is_possible |= end >= size
        if end < size:
            for head in range(end):
                if not restrict(state, problem, problem[first + state[queue + head]], ~inside):
                    return False
    return is_possible


# A search by increasing cost, with a list of cells for each cost (R. Dial, Algorithm 360, 1969).
# Members cost 0. Other cells cost 1, or for cells that are equal by rule, the number of these that
# are not members: all of them are inside, or none. Each cell on a path from a member to a cell of
# the region is inside, so cells that cost more than `budget` are outside. The search continues from
# all equal cells at once, which underestimates the cost of cells beyond them, so it is sound.
@compiled()
def _mark_reachable(state, problem, first, length, root, members, budget):
    """Mark the cells that the region can reach from its root. Returns the number of these cells.

    `budget` is the number of cells that the region can have besides its members. Returns -1 if
    some members cannot be reached.
    """
    data = first + length
    inside, offsets = problem[data], data + 2
    equal = offsets + problem[offsets + length]
    seen, following, lists = (
        problem[L.SCRATCH],
        problem[L.SCRATCH] + length,
        problem[L.SCRATCH] + 2 * length,
    )
    for index in range(length):
        state[seen + index] = 0
    for cost in range(budget + 1):
        state[lists + cost] = -1
    state[seen + root] = 1
    state[lists] = root
    state[following + root] = -1
    reached = reached_members = 1
    for cost in range(budget + 1):
        while state[lists + cost] >= 0:
            index = state[lists + cost]
            state[lists + cost] = state[following + index]
            for edge in range(
                offsets + problem[offsets + index], offsets + problem[offsets + index + 1]
            ):
                neighbour = problem[edge]
                mask = state[L.DOMAINS + problem[first + neighbour]]
                if state[seen + neighbour] or not mask & inside:
                    continue
                if mask & ~inside == 0:
                    state[seen + neighbour] = 1
                    state[following + neighbour] = state[lists + cost]
                    state[lists + cost] = neighbour
                    reached += 1
                    reached_members += 1
                    continue
                new_cost = cost + _cost_of_equal(state, problem, first, inside, equal, neighbour)
                if new_cost > budget:
                    continue
                index = neighbour
                while True:
                    mask = state[L.DOMAINS + problem[first + index]]
                    if not state[seen + index] and mask & ~inside:
                        state[seen + index] = 1
                        state[following + index] = state[lists + new_cost]
                        state[lists + new_cost] = index
                        reached += 1
                    index = problem[equal + index]
                    if index == neighbour:
                        break
    return reached if reached_members == members else -1


@compiled(inline=True)
def _cost_of_equal(state, problem, first, inside, equal, start):
    """Return the number of cells, equal to a cell that is not a member, that would join the region.

    It is greater than any budget if one of them cannot.
    """
    cost, index = 1, problem[equal + start]
    while index != start:
        mask = state[L.DOMAINS + problem[first + index]]
        if mask & inside == 0:
            return L.MAX_COST
        cost += mask & ~inside != 0
        index = problem[equal + index]
    return cost


# Articulation points are found by a depth-first search from the root (R. Tarjan, Depth-first search
# and linear graph algorithms, 1972), here as a loop. Removing an articulation point cuts off the
# subtrees below it whose lowpoint is not above it. If one of these subtrees has a member, or if too
# few cells would remain, the region needs the cell.
#
# Each array below is a part of SCRATCH with one number for each cell:
#
# order      number of the visit to the cell, from 1; 0 if it was not visited
# low        lowpoint: the earliest visit to which the subtree has an edge
# parent     the cell from which the search came to this cell
# edge       the offset of the next edge to follow
# subtree    number of cells in the subtree
# needed     number of members in the subtree
# cut        number of cells in the subtrees that the cell cuts off
# separates  whether one of these subtrees has a member
@compiled()
def _force_cut_cells(state, problem, first, length, root, reached):
    """Restrict each cell that the region needs to the values `inside`.

    The region needs a cell if it would fall apart or be too small without this cell. Returns False
    if a cell has no value left.
    """
    data = first + length
    inside, size, offsets = problem[data], problem[data + 1], data + 2
    seen = problem[L.SCRATCH]
    order, low, parent = seen + length, seen + 2 * length, seen + 3 * length
    edge, subtree, needed = seen + 4 * length, seen + 5 * length, seen + 6 * length
    cut, separates = seen + 7 * length, seen + 8 * length
    for node in range(length):
        state[order + node] = 0
    node, clock = root, 0
    state[parent + root] = -1
    while node >= 0:
        if not state[order + node]:
            clock += 1
            state[order + node] = state[low + node] = clock
            state[edge + node] = offsets + problem[offsets + node]
            state[subtree + node] = 1
            state[needed + node] = state[L.DOMAINS + problem[first + node]] & ~inside == 0
            state[cut + node] = state[separates + node] = 0
        if state[edge + node] < offsets + problem[offsets + node + 1]:
            neighbour = problem[state[edge + node]]
            state[edge + node] += 1
            if not state[seen + neighbour]:
                continue
            if not state[order + neighbour]:
                state[parent + neighbour] = node
                node = neighbour
            elif neighbour != state[parent + node]:
                state[low + node] = min(state[low + node], state[order + neighbour])
            continue
        upper = state[parent + node]
        if upper >= 0:
            state[low + upper] = min(state[low + upper], state[low + node])
            state[subtree + upper] += state[subtree + node]
            state[needed + upper] += state[needed + node]
            if state[low + node] >= state[order + upper]:
                state[cut + upper] += state[subtree + node]
                state[separates + upper] |= state[needed + node] > 0
            is_needed = state[separates + node] or reached - 1 - state[cut + node] < size
            if is_needed and not restrict(state, problem, problem[first + node], inside):
                return False
        node = upper
    return True


# A pair is a first and a second cell. Each value of the second cells is handled separately. If a
# pair with this second value is fixed, its first value is eliminated from the other pairs with this
# second value. If there are as many pairs as combinations of values, each combination occurs
# (orthogonal Latin squares). So a combination that only one pair can have is assigned to this pair.
@compiled()
def propagate_different_pairs(state, problem, first, length):
    """Enforce that no two pairs of cells hold the same two values in the same order."""
    full = (1 << problem[L.VALUE_COUNT]) - 1
    is_complete = length == 2 * problem[L.VALUE_COUNT] * problem[L.VALUE_COUNT]
    for index in range(problem[L.VALUE_COUNT]):
        bit = 1 << index
        taken = at_least_1 = at_least_2 = 0
        for i in range(first, first + length, 2):
            second = state[L.DOMAINS + problem[i + 1]]
            if second & bit:
                mask = state[L.DOMAINS + problem[i]]
                at_least_2 |= at_least_1 & mask
                at_least_1 |= mask
                if second == bit and mask & (mask - 1) == 0:
                    if taken & mask:
                        return False
                    taken |= mask
        if is_complete and at_least_1 != full:
            return False
        single = at_least_1 & ~at_least_2 & ~taken if is_complete else 0
        if taken == 0 and single == 0:
            continue
        for i in range(first, first + length, 2):
            first_cell, second_cell = problem[i], problem[i + 1]
            second, mask = state[L.DOMAINS + second_cell], state[L.DOMAINS + first_cell]
            if not second & bit:
                continue
            if mask & single:
                if not (
                    restrict(state, problem, first_cell, mask & single)
                    and restrict(state, problem, second_cell, bit)
                ):
                    return False
            elif mask & taken:
                if second == bit:
                    if mask & (mask - 1) and not restrict(state, problem, first_cell, ~taken):
                        return False
                elif mask & ~taken == 0 and not restrict(state, problem, second_cell, ~bit):
                    return False
    return True
