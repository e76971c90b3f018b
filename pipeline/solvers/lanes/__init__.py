"""Lanes: many puzzles of one geometry solved at once, one bit for each in every machine word.

Unit propagation on all puzzles together, in numpy, and a complete search (DPLL) over what that
leaves open. numpy is slow to load: a caller that may have only single puzzles imports this late.
"""

from __future__ import annotations

from pipeline.solvers.lanes.search import Found, solve_lanes

__all__ = ["Found", "solve_lanes"]
