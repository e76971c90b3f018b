"""Draw steps: on a terminal as text, and to files as SVG, PNG or PDF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pipeline.cli.boards import terminal_style
from pipeline.cli.file_access import check_ending
from pipeline.cli.results import draw, write_drawings
from pipeline.errors import InputError
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import symbols_of
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result
from pipeline.steps.presentation.picture import Picture, Role, picture_of
from pipeline.steps.presentation.step_objects import place_of
from pipeline.steps.presentation.text_board import text_board
from pipeline.steps.step import Step

HintLevel = Literal["technique", "where", "step"]

_ENDINGS = (".svg", ".png", ".pdf")
"""The extensions of drawings."""


def hint_picture(step: Step, level: HintLevel) -> Picture:
    """What to draw of a step without more than a hint tells: the candidates, and its place."""
    if level == "step":
        return picture_of(step)
    units, cells = place_of(step) if level == "where" else ((), ())
    place = {*cells, *(cell for unit in units for cell in step.before.units[unit])}
    roles = {(cell, value): Role.PLACE for cell in place for value in step.before.values_in(cell)}
    return Picture(step.before, roles, (), frozenset(), ())


def print_board(picture: Picture, puzzle: Puzzle) -> None:
    """Print a picture of a step through a puzzle, with colours on a terminal."""
    print(text_board(picture, puzzle.rules, terminal_style()))


def check_drawing(option: str, target: Path) -> None:
    """Raise UsageError for an unexpected extension, or if the extra for PNG and PDF is missing."""
    from pipeline.outbox.report import check_typst  # noqa: PLC0415 - slow to load

    check_ending(option, target, _ENDINGS)
    if target.suffix.lower() in (".png", ".pdf"):
        check_typst()


def draw_result(
    target: Path, name: str, result: Result[Any], steps: Sequence[Step] = (), *, puzzle_only: bool
) -> None:
    """Draw the puzzle of a result: its steps if there are any, else as `draw` does.

    `name`: the name of the puzzle, for the title and messages.
    """
    problem = result.problem
    if steps and isinstance(problem, PuzzleProblem):
        draw_steps(target, name, problem.puzzle, steps, symbols_of(problem.format))
    else:
        draw(target, name, result, puzzle_only=puzzle_only)


def draw_steps(
    target: Path, name: str, puzzle: Puzzle, steps: Sequence[Step], symbols: str
) -> None:
    """Draw steps to a file, several singles on one board. In a PDF, each board has its own page.

    `steps` must not be empty. Raises InputError for a puzzle that is too large.
    """
    from pipeline.outbox.report import TOO_LARGE, Board  # noqa: PLC0415 - slow to load
    from pipeline.outbox.report.panel_drawing import panels_svg  # noqa: PLC0415
    from pipeline.outbox.report.worked import panels_of  # noqa: PLC0415

    if not Board(puzzle).is_drawable:
        raise InputError(f"{name}: {TOO_LARGE}")
    panels = [*panels_of(puzzle, steps, symbols)]
    is_paged = target.suffix.lower() == ".pdf"
    pages = [[panel] for panel in panels] if is_paged else [panels]
    write_drawings(target, [panels_svg(page, name) for page in pages])
