"""Domains of cells, and the constraints to schedule when they change.

Like the propagators and `search`, these functions work on arrays in machine code and on lists in
plain Python. `layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.native import compiled

_CHUNK_MASK = (1 << L.CHUNK) - 1


# These functions also run as plain Python, so bits are counted by tables, not by instructions.
# Powers of 2 are distinct modulo 67, which turns a bit into its index by one lookup.
@compiled(inline=True)
def lowest_bit(problem, mask):
    """Index of the lowest bit."""
    return problem[L.LOWEST_BIT + (mask & -mask) % L.MODULUS]


@compiled(inline=True)
def highest_bit(problem, mask):
    """Index of the highest bit."""
    shift = 0
    while mask > _CHUNK_MASK:
        mask >>= L.CHUNK
        shift += L.CHUNK
    return shift + problem[L.HIGHEST_BIT + mask]


@compiled(inline=True)
def bit_count(problem, mask):
    """Number of bits."""
    count = problem[L.BIT_COUNT + (mask & _CHUNK_MASK)]
    while mask > _CHUNK_MASK:
        mask >>= L.CHUNK
        count += problem[L.BIT_COUNT + (mask & _CHUNK_MASK)]
    return count


@compiled(inline=True)
def schedule(state, problem, constraint):
    """Append a constraint to its queue, unless it waits there already."""
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
    """Restrict a cell to the values in a mask; False if it has none left.

    Schedules the constraints on a cell that changes. A cell that becomes fixed also goes on the
    stack, and schedules its LATE constraints.
    """
    before = state[L.CELLS + cell]
    after = before & mask
    if after == before:
        return True
    state[L.CELLS + cell] = after
    if after == 0:
        return False
    state[L.HAS_CHANGED] = 1
    if state[L.PROBING]:
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


# Hidden single. The caller knows that each of the values must be in one of these cells, and that
# only one cell can hold it. If two of the values have the same cell, that fails.
@compiled()
def assign(state, problem, first, length, values):
    """Assign values to the only cells of a scope that can hold them."""
    if values:
        for i in range(first, first + length):
            held = state[L.CELLS + problem[i]] & values
            if held and (held & (held - 1) or not restrict(state, problem, problem[i], held)):
                return False
    return True


# The caller knows that one of these cells holds the value, so a common peer of all its places
# cannot hold it. For units, these are the locked candidates (pointing and claiming); for cages,
# cells that see all places of a value that the cage needs.
@compiled()
def eliminate_from_peers(state, problem, first, length, values):
    """Eliminate values that the scope must hold from the common peers of their places."""
    while values:
        bit = values & -values
        values ^= bit
        for word in range(problem[L.SET_WORDS]):
            peers = L.NOTHING
            for i in range(first, first + length):
                if state[L.CELLS + problem[i]] & bit:
                    peers &= problem[problem[L.PEERS] + problem[i] * problem[L.SET_WORDS] + word]
            while peers > 0:
                peer = word * L.CELLS_IN_WORD + lowest_bit(problem, peers)
                peers &= peers - 1
                if state[L.CELLS + peer] & bit and not restrict(state, problem, peer, ~bit):
                    return False
    return True
