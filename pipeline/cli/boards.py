"""Draw puzzles and solutions on standard output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.cli.messages import has_colours
from pipeline.puzzle.puzzle import Grid
from pipeline.reading.formats import symbols_of
from pipeline.service.log import can_encode
from pipeline.solving.drawing import (
    BoardStyle,
    boards_per_row,
    different_cells,
    grid_board,
    join_boards,
    puzzle_board,
)
from pipeline.solving.problem import PuzzleProblem

if TYPE_CHECKING:
    from pipeline.solving.explain import Conflict


def solution_boards(problem: PuzzleProblem, grids: Sequence[Grid]) -> str:
    """Draw a puzzle and its solutions as text, side by side if they fit.

    Givens are bold on a terminal, and cells in which the solutions differ are marked. The puzzle of
    a variant is left out; of its rules, regions and cages are drawn.
    """
    puzzle, symbols, style = problem.puzzle, symbols_of(problem.format), terminal_style()
    columns = shutil.get_terminal_size().columns
    givens, marked = {cell for cell, _ in puzzle.givens()}, different_cells(grids)
    if puzzle.rules:
        from pipeline.steps.presentation.solution_board import (  # noqa: PLC0415 - loads numpy
            has_areas,
            solution_board,
        )

        if has_areas(puzzle):
            boards = [solution_board(puzzle, grid, symbols, style, marked=marked) for grid in grids]
            return join_boards(boards, columns)
    boards = [grid_board(grid, symbols, style, givens=givens, marked=marked) for grid in grids]
    with_puzzle = [puzzle_board(puzzle, symbols, style), *boards]
    if not puzzle.rules and boards_per_row(with_puzzle, columns) >= len(with_puzzle):
        boards = with_puzzle
    return join_boards(boards, columns)


def conflict_board(problem: PuzzleProblem, conflict: Conflict) -> str:
    """Draw a puzzle without a solution, with the cells of a conflict marked."""
    geometry = problem.puzzle.geometry
    marked = geometry.cells_at(*conflict.places())
    return puzzle_board(problem.puzzle, symbols_of(problem.format), terminal_style(), marked=marked)


def terminal_style() -> BoardStyle:
    """How boards are drawn on standard output."""
    return BoardStyle(has_colours(), is_ascii=not can_encode("─┃", sys.stdout))
