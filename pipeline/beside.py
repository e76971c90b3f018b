"""Compare the solution that a source gives beside a puzzle with the puzzle and what was found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pipeline.certify import certify_grid
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.result import Result

_IS_NONE = "the solution beside it is none"
_NOT_FOUND = "the solution beside it was not found"


def grid_of(line: str, geometry: Geometry, signs: str = "") -> Grid:
    """Read a grid from one line: digits, numbers, or `signs` of the values 1, 2, ….

    Raises ValueError if the line is not a grid.
    """
    if signs:
        values = [signs.find(sign) + 1 for sign in line]
    else:
        values = [int(word) for word in (line.split() if " " in line else line)]
    return Grid(geometry, tuple(values))


def disagreement(
    claimed: str, puzzle: Puzzle, signs: str, found: Collection[Grid], *, complete: bool | None
) -> str | None:
    """What is wrong with a given solution; `complete` says that `found` are all there are."""
    try:
        grid = grid_of(claimed, puzzle.geometry, signs)
    except ValueError:
        return _IS_NONE
    if grid in found:
        return None
    if certify_grid(puzzle, grid):
        return _IS_NONE
    return _NOT_FOUND if complete else None


def compared(result: Result, puzzle: Puzzle, claimed: str | None, signs: str) -> Result:
    """Add what is wrong with the solution beside the puzzle, if there is one and anything is."""
    if claimed is None or result.status == "failed":
        return result
    why = disagreement(claimed, puzzle, signs, result.solutions, complete=result.complete)
    return replace(result, disagreement=why) if why else result
