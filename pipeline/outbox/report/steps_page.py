"""The page of the steps through a published puzzle: a hint in three levels, then all steps, folded.

Nothing of the solution is visible until somebody unfolds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import InputError, printable
from pipeline.outbox.originals import Originals
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.page import content_policy, read_asset, template
from pipeline.outbox.report.published_jobs import read_job, shorten
from pipeline.outbox.report.published_puzzles import puzzles_at
from pipeline.outbox.report.rule_shapes import BOARD_STYLE, SHAPES_STYLE
from pipeline.outbox.report.step_shapes import STEP_STYLE, legend_svg
from pipeline.outbox.report.views import may_have_steps
from pipeline.outbox.report.worked import Line, Panel, guide_of, worked_of
from pipeline.version import __version__


@dataclass(frozen=True, slots=True)
class Entry:
    """A paragraph of a step with the paragraphs that are nested in it."""

    text: str
    entries: Sequence[Entry]


def steps_page(record: Path, inbox_done: Path) -> str:
    """The page of the steps through the puzzle of a record, as HTML.

    - `record`: the path of the record of a single puzzle.
    - `inbox_done`: the folder of the originals.

    Raises InputError if there is no such puzzle.
    """
    job = read_job(record)
    if job is None or not may_have_steps(job):
        raise InputError(f"{printable(record.name)}: not the record of a puzzle with one solution")
    (puzzle,) = puzzles_at(record, Originals.of([inbox_done]))
    if isinstance(puzzle, InputError):
        raise puzzle
    worked = worked_of(puzzle.board, puzzle.status)
    panels = [*worked.panels]
    board = Board(puzzle.board.puzzle, symbols=puzzle.board.symbols, unread=puzzle.board.unread)
    style = (
        BOARD_STYLE + SHAPES_STYLE + STEP_STYLE + read_asset("page.css") + read_asset("steps.css")
    )
    page: Any = template("steps.html.j2")
    text: str = page.render(
        policy=content_policy(style),
        style=style,
        version=__version__,
        name=shorten(puzzle.title or puzzle.name),
        board=board_svg(board, "The puzzle", "p"),
        is_wide=max(board.geometry.extent) > 9,
        legend=legend_svg(),
        panels=panels,
        hint=worked.hint,
        note=worked.note,
        guide=guide_of([worked]) if panels else [],
        entries_of=entries_of,
    )
    return text


def entries_of(panel: Panel) -> list[Entry]:
    """The paragraphs of a panel as a tree."""
    return _nest([*panel.lines], 0)[0]


def _nest(lines: Sequence[Line], depth: int) -> tuple[list[Entry], Sequence[Line]]:
    """Nest lines from the first one on, while they are as deep as `depth`; returns the rest."""
    entries: list[Entry] = []
    while lines and lines[0].depth >= depth:
        first, rest = lines[0], lines[1:]
        inner, lines = _nest(rest, first.depth + 1)
        entries.append(Entry(first.text, inner))
    return entries, lines
