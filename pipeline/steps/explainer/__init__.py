"""Techniques in the order of Sudoku Explainer 1.2.1, and how it finds and rates each of them.

The modules are compiled to machine code.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps.explainer import (
    aligned,
    bug,
    cycles,
    loops,
    multiple,
    nested,
    nishio,
    patterns,
)

FIRST_KIND = 100
"""The kinds from this number on are those of Sudoku Explainer."""

(
    SINGLE_IN_UNIT, INTERSECTION, SINGLE_IN_CELL, HIDDEN_SET, NAKED_SET, BASIC_FISH, WING,
    UNIQUE_LOOP, BUG, ALIGNED, CYCLE_OR_CHAIN, NISHIO, MULTIPLE, DYNAMIC_OR_NESTED,
) = range(FIRST_KIND, FIRST_KIND + 14)  # fmt: skip
"""Kinds of techniques: `find` calls a function for each."""


@compiled()
def find(kind, form, size, state, tables, step, graph, scratch, workspace, grid, nest):
    """Find a step of a kind and write it to `step`.

    Returns 0 if no step is found. Otherwise returns the rating of the step in tenths, or 1 if all
    steps of the technique have the same rating.
    """
    if kind == SINGLE_IN_UNIT:
        return patterns.find_hidden_single_by_unit(state, tables, step, form)
    if kind == INTERSECTION:
        return patterns.find_pointing_or_claiming(state, tables, step, form, size)
    if kind == SINGLE_IN_CELL:
        return patterns.find_first_naked_single(state, tables, step)
    if kind == HIDDEN_SET:
        return patterns.find_hidden_set(state, tables, step, size, form)
    if kind == NAKED_SET:
        return patterns.find_naked_set(state, tables, step, size)
    if kind == BASIC_FISH:
        return patterns.find_fish_without_fins(state, tables, step, size)
    if kind == WING:
        return patterns.find_xy_or_xyz_wing(state, tables, step, size)
    if kind == UNIQUE_LOOP:
        return loops.find_unique_loop(state, tables, step, workspace)
    if kind == BUG:
        return bug.find_bivalue_grave(state, scratch, tables, step)
    if kind == ALIGNED:
        return aligned.find_aligned(state, tables, step, scratch, size)
    if kind == CYCLE_OR_CHAIN:
        return cycles.find_cycle_or_chain(state, tables, step, workspace, graph)
    if kind == NISHIO:
        return nishio.find_nishio(state, scratch, tables, step, workspace)
    if kind == MULTIPLE:
        return multiple.find_multiple(state, tables, step, workspace, graph)
    return nested.find_dynamic(state, scratch, grid, tables, step, graph, nest, form)
