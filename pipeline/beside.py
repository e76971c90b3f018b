"""The solution that stands beside a puzzle in its source, against the puzzle and what was found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pipeline.certify import certify_grid
from pipeline.parse import signs_of
from pipeline.problem import PuzzleProblem
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.result import Result

_IS_NONE = "the solution beside it is none"
_NOT_FOUND = "the solution beside it was not found"


def grid_of(line: str, geometry: Geometry, signs: str = "") -> Grid:
    """The grid that a line stands for: digits, numbers, or `signs` of the values 1, 2, ….

    Raises ValueError if it is none.
    """
    if signs:
        values = [signs.find(sign) + 1 for sign in line]
    else:
        values = [int(word) for word in (line.split() if " " in line else line)]
    return Grid(geometry, tuple(values))


def disagreement(
    claimed: str, puzzle: Puzzle, signs: str, found: Collection[Grid], *, complete: bool | None
) -> str | None:
    """What is wrong with a given solution; `complete` says that those found are all there are."""
    try:
        grid = grid_of(claimed, puzzle.geometry, signs)
    except ValueError:
        return _IS_NONE
    if grid in found:
        return None
    if certify_grid(puzzle, grid):
        return _IS_NONE
    return _NOT_FOUND if complete else None


def compared(result: Result) -> Result:
    """The result with what is wrong with the solution that stands beside the puzzle."""
    problem = result.problem
    if not isinstance(problem, PuzzleProblem) or result.status == "failed":
        return result
    parsed = problem.parsed
    if parsed.claimed is None:
        return result
    signs, found = signs_of(parsed.format), result.solutions
    why = disagreement(parsed.claimed, parsed.puzzle, signs, found, complete=result.complete)
    return replace(result, disagreement=why) if why else result
