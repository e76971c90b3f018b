"""Lanes: many puzzles of one geometry solved at once, a bit for each in every machine word.

Unit propagation on all puzzles together, in numpy, and a complete search (DPLL) over what that
leaves open. numpy is slow to load: who may have single puzzles only to solve imports this late.
"""

from __future__ import annotations

from pipeline.solvers.lanes.search import Found, solve_lanes

__all__ = ["Found", "solve_lanes"]
