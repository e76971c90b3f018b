"""Restrict the domains of cells, and schedule the constraints of cells that change.

`state` and `problem`, which `layout` describes, are int64 arrays when compiled, and lists when run
as plain Python.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.native import compiled

_CHUNK_MASK = (1 << L.CHUNK) - 1


# These functions also run as plain Python, so they look up bits in tables instead of using
# processor instructions. Powers of 2 are distinct modulo 67, so the table at `bit % 67` gives the
# index of a bit.
@compiled(inline=True)
def lowest_index(problem, mask):
    """Return the index of the lowest set bit."""
    return problem[L.LOWEST_BITS + (mask & -mask) % L.MODULUS]


@compiled(inline=True)
def highest_index(problem, mask):
    """Return the index of the highest set bit."""
    shift = 0
    while mask > _CHUNK_MASK:
        mask >>= L.CHUNK
        shift += L.CHUNK
    return shift + problem[L.HIGHEST_BITS + mask]


@compiled(inline=True)
def set_size(problem, mask):
    """Return the number of set bits."""
    count = problem[L.BIT_COUNTS + (mask & _CHUNK_MASK)]
    while mask > _CHUNK_MASK:
        mask >>= L.CHUNK
        count += problem[L.BIT_COUNTS + (mask & _CHUNK_MASK)]
    return count


@compiled(inline=True)
def schedule(state, problem, constraint):
    """Append a constraint to its queue, unless the queue contains it already."""
    if not state[problem[L.IS_QUEUED] + constraint]:
        state[problem[L.IS_QUEUED] + constraint] = 1
        queue, capacity = problem[problem[L.QUEUES_OF] + constraint], problem[L.CONSTRAINT_COUNT]
        position = state[L.QUEUE_FIRST + queue] + state[L.QUEUE_LENGTH + queue]
        if position >= capacity:
            position -= capacity
        state[problem[L.QUEUE_RINGS] + queue * capacity + position] = constraint
        state[L.QUEUE_LENGTH + queue] += 1


@compiled()
def restrict(state, problem, cell, mask):
    """Restrict a cell to the values in a mask. Returns False if no value remains.

    If the cell changes, its constraints are scheduled. If it becomes fixed, its LATE constraints
    are scheduled too, and it is pushed on the stack of fixed cells. While IS_PROBING is set,
    nothing is scheduled or pushed.
    """
    before = state[L.DOMAINS + cell]
    after = before & mask
    if after == before:
        return True
    state[L.DOMAINS + cell] = after
    if after == 0:
        return False
    state[L.HAS_CHANGED] = 1
    if state[L.IS_PROBING]:
        return True
    watchers = problem[L.WATCHERS] + 2 * cell
    end = problem[watchers + 1]
    if after & (after - 1) == 0:
        state[problem[L.FIXED_STACK] + state[L.FIXED_COUNT]] = cell
        state[L.FIXED_COUNT] += 1
        end = problem[watchers + 2]
    for i in range(problem[watchers], end):
        schedule(state, problem, problem[i])
    return True


# Hidden single. The caller ensures that the cells must hold each value, and that only one of them
# can. So a cell that must hold two of the values is a contradiction.
@compiled()
def assign(state, problem, first, length, values):
    """Assign each value to the only cell of a scope that can hold it.

    Returns False after a contradiction.
    """
    if values:
        for i in range(first, first + length):
            held = state[L.DOMAINS + problem[i]] & values
            if held and (held & (held - 1) or not restrict(state, problem, problem[i], held)):
                return False
    return True


# The caller ensures that the scope holds each of the values. So a cell that is a peer of all cells
# that can hold a value cannot hold this value itself. In units, these eliminations are locked
# candidates (pointing and claiming). For cages, the caller passes the values that every combination
# of the cage contains.
@compiled()
def eliminate_from_peers(state, problem, first, length, values):
    """Eliminate each value from the common peers of all cells of a scope that can hold it.

    Returns False if a cell has no value left.
    """
    while values:
        bit = values & -values
        values ^= bit
        for word in range(problem[L.WORDS_PER_SET]):
            peers = L.NONE
            for i in range(first, first + length):
                if state[L.DOMAINS + problem[i]] & bit:
                    peers &= problem[
                        problem[L.PEERS] + problem[i] * problem[L.WORDS_PER_SET] + word
                    ]
            while peers > 0:
                peer = word * L.CELLS_PER_WORD + lowest_index(problem, peers)
                peers &= peers - 1
                if state[L.DOMAINS + peer] & bit and not restrict(state, problem, peer, ~bit):
                    return False
    return True
