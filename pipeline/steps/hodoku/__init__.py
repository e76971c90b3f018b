"""Techniques in the order of HoDoKu 2.2, and how it finds each of them.

The modules are compiled to machine code.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps.hodoku import (
    almost_locked_sets,
    chains,
    colours,
    forcing,
    loops,
    nets,
    patterns,
    rectangles,
    singles,
    sue_de_coq,
    wings,
)

(
    SINGLE, LOCKED_CANDIDATES, SUBSET, FISH, UNIQUE_RECTANGLE, BUG_PLUS_ONE, SHORT_CHAIN,
    SUE_DE_COQ, ALMOST_LOCKED_SETS, COLOURING, SIMPLE_CHAIN, REMOTE_PAIR, INFERENCE_CHAIN,
    FORCING_CHAIN, FORCING_NET, BRUTE_FORCE,
) = range(16)  # fmt: skip
"""Kinds of techniques: `find` calls a function for each."""


@compiled()
def find(kind, form, size, state, tables, step, graph, scratch, stack):
    """Find a step of a kind and write it to `step`. Returns whether there is one."""
    if kind == SINGLE:
        return singles.find_single(state, tables, step, graph, form)
    if kind == LOCKED_CANDIDATES:
        return patterns.find_locked_candidates(state, tables, step, form)
    if kind == SUBSET:
        return patterns.find_subset(state, tables, step, graph, size, form)
    if kind == FISH:
        return patterns.find_fish(state, tables, step, graph, size, form)
    if kind == UNIQUE_RECTANGLE:
        return rectangles.find_rectangle(state, tables, step, graph, form)
    if kind == BUG_PLUS_ONE:
        return patterns.find_bug_plus_one(state, tables, step)
    if kind == SHORT_CHAIN:
        return wings.find_short_chain(state, tables, step, form)
    if kind == SUE_DE_COQ:
        return sue_de_coq.find_sue_de_coq(state, tables, step, graph)
    if kind == ALMOST_LOCKED_SETS:
        return almost_locked_sets.find_almost_locked_sets(state, tables, step, graph, form)
    if kind == COLOURING:
        return colours.find_colours(state, tables, step, graph, form)
    if kind == SIMPLE_CHAIN:
        return chains.find_simple_chain(state, tables, step, graph, form)
    if kind == REMOTE_PAIR:
        return chains.find_remote_pair(state, tables, step, graph)
    if kind == INFERENCE_CHAIN:
        return loops.find_loop(state, tables, step, graph, form)
    if kind == FORCING_CHAIN:
        return forcing.find_forcing_chain(state, tables, step, graph)
    if kind == FORCING_NET:
        return nets.find_forcing_net(state, tables, step, graph, scratch)
    return nets.find_by_brute_force(state, step, stack)
