"""Search depth-first for all solutions: propagate, then branch on a value of a cell.

`layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import restrict, schedule, set_size
from pipeline.certify.variants.propagation import clear_queues, propagate_all
from pipeline.certify.variants.rank_propagators import choose_at_edge
from pipeline.native import compiled

_FAILURE_WEIGHT = 8.0
"""Weight that a failure distributes equally among the cells of the failed constraint."""

_DECAY_INTERVAL = 1024
"""Number of failures between two halvings of all weights, so that recent failures count more."""


@compiled()
def _schedule_all(state, problem):
    """Schedule all constraints, and push all fixed cells on their stack."""
    for constraint in range(problem[L.CONSTRAINT_COUNT]):
        schedule(state, problem, constraint)
    for cell in range(problem[L.CELL_COUNT]):
        mask = state[L.DOMAINS + cell]
        if mask & (mask - 1) == 0:
            state[problem[L.FIXED_STACK] + state[L.FIXED_COUNT]] = cell
            state[L.FIXED_COUNT] += 1


# Heuristic "dom/wdeg": constraints that fail often are in the hard part of the puzzle, so the
# search branches early on their cells (F. Boussemart et al., Boosting systematic search by
# weighting constraints, 2004). Here the weights belong to cells. The cell of the last branch also
# gets weight, and so does the cell that was fixed last: it is often where the conflict is. Weights
# affect only the order of branches, not which solutions are found.
@compiled()
def _add_failure(state, problem, weights):
    """Increase the weights of the cells that this failure involves.

    They are the cell of the last branch, the cell that was fixed last, and the cells of the failed
    constraint. If FAILED_CONSTRAINT is ~cell, no constraint failed: the peers of that cell left it
    no value, so it gets the weight.
    """
    if state[L.FAILED_CONSTRAINT] < 0:
        weights[~state[L.FAILED_CONSTRAINT]] += 1.0
    else:
        constraint = problem[problem[L.OFFSETS] + state[L.FAILED_CONSTRAINT]]
        length = problem[constraint + L.SCOPE_LENGTH]
        for i in range(constraint + L.SCOPE, constraint + L.SCOPE + length):
            weights[problem[i]] += _FAILURE_WEIGHT / length
    if state[L.DEPTH]:
        weights[state[problem[L.DECISIONS] + 2 * state[L.DEPTH] - 2]] += 1.0
        weights[state[L.LAST_FIXED]] += 1.0
    state[L.FAILURES] += 1
    if state[L.FAILURES] % _DECAY_INTERVAL == 0:
        for cell in range(problem[L.CELL_COUNT]):
            weights[cell] = max(1.0, weights[cell] / 2)


# Fail first (R. Haralick, G. Elliott, 1980): branch on the cell with the fewest candidates relative
# to its weight. If this cell has more than two candidates, also consider the values with two places
# in a unit: each of these places counts like a cell with two candidates. Any choice is sound.
@compiled()
def _choose_branch(state, problem, weights):
    """Return a cell, and the bit of a value, to branch on. The cell is NONE if all are fixed."""
    chosen, bit, lowest_score = L.NONE, 0, 1e300
    for cell in range(problem[L.CELL_COUNT]):
        mask = state[L.DOMAINS + cell]
        if mask & (mask - 1):
            score = set_size(problem, mask) / weights[cell]
            if score < lowest_score:
                chosen, bit, lowest_score = cell, mask & -mask, score
    if chosen == L.NONE or set_size(problem, state[L.DOMAINS + chosen]) == 2:
        return choose_at_edge(state, problem, weights, chosen, bit, lowest_score)
    for unit in range(problem[L.UNIT_COUNT]):
        constraint = problem[problem[L.OFFSETS] + unit]
        at_least_1 = at_least_2 = at_least_3 = 0
        first = constraint + L.SCOPE
        end = first + problem[constraint + L.SCOPE_LENGTH]
        for i in range(first, end):
            mask = state[L.DOMAINS + problem[i]]
            at_least_3 |= at_least_2 & mask
            at_least_2 |= at_least_1 & mask
            at_least_1 |= mask
        exactly_2 = at_least_2 & ~at_least_3
        if exactly_2:
            for i in range(first, end):
                mask = state[L.DOMAINS + problem[i]] & exactly_2
                if mask and 2 / weights[problem[i]] < lowest_score:
                    chosen, bit, lowest_score = problem[i], mask & -mask, 2 / weights[problem[i]]
    return choose_at_edge(state, problem, weights, chosen, bit, lowest_score)


# Branches are binary: in the first branch the cell has the value, in the second it does not. Each
# solution is in exactly one of the two branches, so it is found once.
@compiled()
def _branch(state, problem, cell, bit):
    """Save the candidates of all cells, and assign the value `bit` to `cell`."""
    depth = state[L.DEPTH]
    state[L.DEPTH] = depth + 1
    saved = problem[L.SAVED_CELLS] + depth * problem[L.CELL_COUNT]
    for i in range(problem[L.CELL_COUNT]):
        state[saved + i] = state[L.DOMAINS + i]
    state[problem[L.DECISIONS] + 2 * depth] = cell
    state[problem[L.DECISIONS] + 2 * depth + 1] = bit
    restrict(state, problem, cell, bit)


@compiled()
def _backtrack(state, problem):
    """Undo the last branch, and eliminate its value from its cell."""
    depth = state[L.DEPTH] - 1
    state[L.DEPTH] = depth
    clear_queues(state, problem)
    saved = problem[L.SAVED_CELLS] + depth * problem[L.CELL_COUNT]
    for i in range(problem[L.CELL_COUNT]):
        state[L.DOMAINS + i] = state[saved + i]
    decision = problem[L.DECISIONS] + 2 * depth
    restrict(state, problem, state[decision], ~state[decision + 1])


# Tried and dropped: restarts. A search for all solutions must refute every branch, and without
# nogoods it refutes many of them again after a restart. On 14 hard puzzles, restarts after 1,000,
# 2,000, 4,000, … failures took a third more nodes.
@compiled()
def search(state, problem, weights, max_nodes):
    """Search for the next solution, with at most `max_nodes` branches.

    Returns SOLUTION, COMPLETE or LIMIT_REACHED. `weights` contains a float of at least 1 for each
    cell; the search branches early on cells with large weights.
    """
    last_node = state[L.NODES] + max_nodes
    if state[L.PHASE] == L.BEGIN:
        _schedule_all(state, problem)
        state[L.PHASE] = L.FORWARD
    while True:
        if state[L.PHASE] == L.BACK:
            if not state[L.DEPTH]:
                return L.COMPLETE
            _backtrack(state, problem)
            state[L.PHASE] = L.FORWARD
        if not propagate_all(state, problem):
            _add_failure(state, problem, weights)
            state[L.PHASE] = L.BACK
            continue
        cell, bit = _choose_branch(state, problem, weights)
        if cell == L.NONE:
            state[L.PHASE] = L.BACK
            return L.SOLUTION
        if state[L.NODES] >= last_node:
            return L.LIMIT_REACHED
        state[L.NODES] += 1
        _branch(state, problem, cell, bit)
