"""The choice among hints, as Sudoku Explainer 1.2.1 makes it.

Each technique finds all its hints, and takes the first one by rating, then by complexity, then by
kind. Complexity is the number of nodes of all chains of the hint. The rating is one of ten base
ratings, plus tenths that grow with the complexity. `workspace` has only the best hint so far, with
the arguments that find it again.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer.implications import ANY_COMPLEXITY
from pipeline.steps.step_arrays import append_new

(
    BASE_CYCLE, BASE_X_CHAIN, BASE_CHAIN, BASE_NISHIO, BASE_MULTIPLE, BASE_DYNAMIC, BASE_PLUS,
    BASE_NESTED_2, BASE_NESTED_3, BASE_NESTED_4,
) = range(10)  # fmt: skip
"""Indices of base ratings in `step_arrays.BASE_RATINGS`."""

DOUBLE_KIND, X_KIND, Y_KIND, MIXED_KIND, CELL_KIND, REGION_KIND, CONTRADICTION_KIND = range(1, 8)
"""Kinds of hints. Strong links are in units (X), in bivalue cells (Y), or in both (MIXED). Of hints
with equal rating and complexity, the lowest kind is taken."""


@compiled(inline=True)
def start_choice(workspace):
    """Start a choice: there is no hint yet."""
    workspace[L.BEST_RANK] = L.NOTHING


@compiled(inline=True)
def has_hint(workspace):
    """Whether any hint was noted."""
    return workspace[L.BEST_RANK] != L.NOTHING


@compiled(inline=True)
def added_tenths(tables, complexity):
    """The tenths that a complexity adds to a rating."""
    added = 0
    while complexity > tables[L.COMPLEXITIES + added]:
        added += 1
    return added


@compiled(inline=True)
def rating_rank(tables, base, complexity):
    """The rank of the rating of a hint among all ratings of chains."""
    return tables[L.RANKS + 32 * base + added_tenths(tables, complexity)]


@compiled()
def precedes_best(workspace, tables, base, complexity, kind):
    """Whether a hint precedes the best one so far."""
    if not has_hint(workspace):
        return True
    rank = rating_rank(tables, base, complexity)
    if rank != workspace[L.BEST_RANK]:
        return rank < workspace[L.BEST_RANK]
    if complexity != workspace[L.BEST_COMPLEXITY]:
        return complexity < workspace[L.BEST_COMPLEXITY]
    return kind < workspace[L.BEST_KIND]


@compiled()
def max_complexity(workspace, tables, base, kind):
    """The highest complexity with which a hint may precede the best one so far.

    A hint of exactly this complexity may equal the best one. It then precedes that one only if the
    search finds it earlier.
    """
    if not has_hint(workspace):
        return ANY_COMPLEXITY
    complexity = 0
    for added in range(16):
        rank = tables[L.RANKS + 32 * base + added]
        if rank < workspace[L.BEST_RANK]:
            complexity = tables[L.COMPLEXITIES + added]
        elif rank == workspace[L.BEST_RANK]:
            limit = workspace[L.BEST_COMPLEXITY] - (kind > workspace[L.BEST_KIND])
            complexity = max(complexity, min(limit, tables[L.COMPLEXITIES + added]))
    return complexity


@compiled()
def note_hint(workspace, tables, base, complexity, kind, source, conclusion, links):
    """Note a hint as the best so far.

    `source`, `conclusion` and `links` are the arguments with which its technique finds it again.
    """
    workspace[L.BEST_RANK] = rating_rank(tables, base, complexity)
    workspace[L.BEST_BASE], workspace[L.BEST_COMPLEXITY] = base, complexity
    workspace[L.BEST_KIND], workspace[L.BEST_LINKS] = kind, links
    workspace[L.BEST_SOURCE], workspace[L.BEST_CONCLUSION] = source, conclusion


@compiled()
def best_rating(workspace, tables):
    """The rating of the best hint in tenths."""
    base = tables[L.BASE_TENTHS + workspace[L.BEST_BASE]]
    return base + added_tenths(tables, workspace[L.BEST_COMPLEXITY])


@compiled(inline=True)
def changes_candidates(state, signed):
    """Whether a conclusion changes the candidates. Placing a cell's only candidate does not."""
    mask = state[signed // 18]
    return not signed & 1 or mask & (mask - 1) != 0


@compiled()
def conclude(step, signed):
    """Write a signed node to the step: place its candidate, or eliminate it."""
    append_new(step, L.PLACED if signed & 1 else L.ELIMINATED, signed // 2)
