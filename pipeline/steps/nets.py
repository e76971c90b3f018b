"""Forcing nets: assume a candidate, and refute it by singles. `layout` describes the arrays."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import append_new, candidate_at, fill, lowest_bit, reset_step


# A candidate is false if assuming it leads to a contradiction by singles alone. In SAT this is a
# failed literal. The search starts at the cell of the last net, so candidates that it could not
# refute then are tried last.
@compiled()
def find_forcing_net(state, tables, step, graph, scratch):
    """Find a candidate that singles refute."""
    for k in range(L.SINGLES):
        candidate = (graph[L.NET_START] + k) % L.SINGLES
        if state[candidate // 9] >> candidate % 9 & 1:
            reset_step(step)
            if _contradicts(state, tables, step, scratch, candidate):
                append_new(step, L.ELIMINATED, candidate)
                step[L.CHAIN_NODES], step[L.CHAIN_NODES + 1] = 1, 2 * candidate + 1
                graph[L.NET_START] = candidate // 9 * 9
                return 1
    return 0


@compiled()
def _contradicts(state, tables, step, scratch, candidate):
    """Assume a candidate in a copy of the state, and place and cite all singles that follow.

    Returns whether a constraint has no candidate left.
    """
    for k in range(L.STATE_SIZE):
        scratch[k] = state[k]
    fill(scratch, tables, candidate)
    is_changed = True
    while is_changed:
        is_changed = False
        for constraint in range(L.CONSTRAINTS):
            mask = scratch[constraint]
            if not scratch[L.VALUES + constraint] and mask & (mask - 1) == 0:
                step[L.CITED] += 1
                step[L.CITED + step[L.CITED]] = constraint
                if not mask:
                    return True
                position = lowest_bit(tables, mask)
                fill(scratch, tables, candidate_at(tables, constraint, position))
                is_changed = True
    return False
