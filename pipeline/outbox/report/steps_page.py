"""Pages of the steps through puzzles: a hint in three levels, then all steps, folded.

Nothing of the solution is visible until somebody unfolds it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pipeline.errors import InputError, UsageError, printable
from pipeline.files import write_text_atomically
from pipeline.outbox import RECORD_SUFFIX
from pipeline.outbox.names import STEPS_ENDING
from pipeline.outbox.originals import Originals
from pipeline.outbox.report.assets import content_policy, read_asset, template
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.published_jobs import read_job, shorten
from pipeline.outbox.report.published_puzzles import puzzles_at
from pipeline.outbox.report.rule_shapes import BOARD_STYLE, SHAPES_STYLE
from pipeline.outbox.report.step_shapes import STEP_STYLE, legend_svg
from pipeline.outbox.report.views import may_have_steps, url_path
from pipeline.outbox.report.worked import Panel, PanelLine, guide_of, worked_of
from pipeline.version import __version__, build

_MAX_SECONDS, _MAX_PAGE_SECONDS, _MAX_BYTES = 60.0, 20.0, 20_000_000
"""Maximum time for all pages of a call, maximum time for the steps of a page, and size of all pages
from which on no further page is made. A page is only started if its time is left."""

_PAGE_NAME = re.compile(r"[0-9a-f]{20}\.html")
"""Matches the name of a page of steps: the beginning of a hash, as in `StepPages.address`."""


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A paragraph of a step with the paragraphs that are nested in it."""

    text: str
    entries: Sequence[TextEntry]


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
    return _page_of(shorten(puzzle.title or puzzle.name), puzzle.board, puzzle.status)


def _page_of(
    name: str,
    board: Board,
    status: str,
    report: str = "/",
    has_time: Callable[[], bool] = lambda: True,
) -> str:
    """The page of the steps through the puzzle of a board, with a link to the report.

    `has_time` as for `worked_of`.
    """
    worked = worked_of(board, status, has_time)
    panels = [*worked.panels]
    start = Board(board.puzzle, symbols=board.symbols, unread=board.unread)
    style = (
        BOARD_STYLE + SHAPES_STYLE + STEP_STYLE + read_asset("page.css") + read_asset("steps.css")
    )
    page: Any = template("steps.html.j2")
    text: str = page.render(
        policy=content_policy(style),
        style=style,
        version=__version__,
        name=name,
        report=report,
        board=board_svg(start, "The puzzle", "p"),
        is_wide=max(board.geometry.extent) > 9,
        legend=legend_svg(),
        panels=panels,
        hint=worked.hint,
        note=worked.note,
        guide=guide_of([worked]) if panels else [],
        entries_of=entries_of,
    )
    return text


def entries_of(panel: Panel) -> list[TextEntry]:
    """The paragraphs of a panel as a tree."""
    return _nest([*panel.lines], 0)[0]


def _nest(lines: Sequence[PanelLine], depth: int) -> tuple[list[TextEntry], Sequence[PanelLine]]:
    """Nest lines from the first one on, while they are as deep as `depth`; returns the rest."""
    entries: list[TextEntry] = []
    while lines and lines[0].depth >= depth:
        first, rest = lines[0], lines[1:]
        inner, lines = _nest(rest, first.depth + 1)
        entries.append(TextEntry(first.text, inner))
    return entries, lines


class StepPages:
    """The pages of steps beside a report, in the folder `report-steps` beside `report.html`.

    A page is named by a hash of its puzzle and this build, so an existing page is up to date.

    - `count`: the number of puzzles on the report whose steps are linked.
    - `omitted`: the number of other puzzles on the report with one solution.
    - `max_pages`: maximum number of pages.
    """

    max_pages = 100

    def __init__(
        self,
        report: Path,
        *,
        makes_pages: bool,
        track: Callable[[int], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare to link pages.

        - `makes_pages`: make missing pages, as long as the limits allow that.
        - `track`: called before a page is made, with the number of pages made so far.
        - `clock`: returns the time in seconds.

        Raises UsageError if pages are to be made, and the folder is a link or no folder.
        """
        self._report, self._makes_pages = report, makes_pages
        self._track, self._clock = track, clock
        self._folder = folder_of_steps(report)
        self._linked = set[str]()
        self._end: float | None = None
        self._bytes_left, self._made_count = _MAX_BYTES, 0
        self.omitted = 0
        # an earlier version could publish an archive under this name: its folder is left alone
        is_ours = not self._folder.with_name(self._folder.name + RECORD_SUFFIX).exists()
        is_folder = self._folder.is_dir() and not self._folder.is_symlink()
        if makes_pages and is_ours and not is_folder and os.path.lexists(self._folder):
            kind = "a link" if self._folder.is_symlink() else "not a folder"
            raise UsageError(
                f"{printable(str(self._folder))} is {kind}, so no pages of steps are written; "
                "remove it, or name another report with --output"
            )
        self._is_used = is_ours and (makes_pages or is_folder)

    @property
    def count(self) -> int:
        return len(self._linked)

    def address(self, name: str, board: Board) -> str:
        """The address of the page of a puzzle with one solution, relative to the report.

        Empty if there is no page.

        `name`: the name of the puzzle, which is the title of the page. Raises OSError if the page
        cannot be written.
        """
        if not (self._is_used and board.puzzle and board.grid):
            return ""
        content = (build(), name, self._report.name, board.puzzle, board.grid, board.symbols)
        digest = sha256(repr((*content, board.unread)).encode(errors="backslashreplace"))
        path = self._folder / f"{digest.hexdigest()[:20]}.html"
        if path.name not in self._linked and not self._has_page(path, name, board):
            self.omitted += 1
            return ""
        self._linked.add(path.name)
        return url_path(f"{self._folder.name}/{path.name}")

    def _has_page(self, path: Path, name: str, board: Board) -> bool:
        """Whether a page exists, or was made."""
        if not self._makes_pages:
            return path.is_file()
        if len(self._linked) >= self.max_pages or self._bytes_left <= 0:
            return False
        if not path.is_file():
            now = self._clock()
            self._end = self._end or now + _MAX_SECONDS
            page_end = now + _MAX_PAGE_SECONDS
            if page_end > self._end:
                return False
            self._track(self._made_count)
            report = url_path(f"../{self._report.name}")
            page = _page_of(name, board, "unique", report, lambda: self._clock() < page_end)
            self._folder.mkdir(exist_ok=True)
            write_text_atomically(path, [page])
            self._made_count += 1
        self._bytes_left -= path.stat().st_size
        return True

    def remove_others(self) -> None:
        """Remove the pages that the report does not link to. Raises OSError."""
        if not (self._makes_pages and self._is_used and self._folder.is_dir()):
            return
        for path in self._folder.iterdir():
            if _PAGE_NAME.fullmatch(path.name) and path.name not in self._linked:
                path.unlink()


def folder_of_steps(report: Path) -> Path:
    """The folder of the pages of steps beside a report."""
    return report.with_name(f"{report.stem}{STEPS_ENDING}")
