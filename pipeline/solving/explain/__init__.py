"""Why a puzzle has no solution or several, and how to show where: for people, not for proof."""

from __future__ import annotations

from pipeline.solving.explain.conflict import Clue, Conflict, explain_conflict
from pipeline.solving.explain.difference import Difference, explain_difference
from pipeline.solving.explain.drawing import boxed_grid, caret, line_at, marked_grid

__all__ = [
    "Clue",
    "Conflict",
    "Difference",
    "boxed_grid",
    "caret",
    "explain_conflict",
    "explain_difference",
    "line_at",
    "marked_grid",
]
