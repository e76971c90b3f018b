"""Pages of the steps through puzzles: a hint in three levels, then all steps, folded.

Nothing of the solution is visible until somebody unfolds it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
from pipeline.outbox.report.published_jobs import rating_text, read_job, shorten
from pipeline.outbox.report.published_puzzles import puzzles_at
from pipeline.outbox.report.rule_shapes import BOARD_STYLE, SHAPES_STYLE
from pipeline.outbox.report.sheet import SheetPuzzle
from pipeline.outbox.report.step_shapes import STEP_STYLE, legend_svg
from pipeline.outbox.report.views import may_have_steps, url_path
from pipeline.outbox.report.worked import Panel, PanelLine, Worked, guide_of, worked_of
from pipeline.version import __version__, build

MAX_PAGE_SECONDS = 20.0
"""Maximum time for the steps of a page."""

_MAX_RATING_SECONDS = 5.0
"""Maximum time for the level of a puzzle."""

_MAX_SECONDS, _MAX_BYTES = 60.0, 20_000_000
"""Limits for all pages of a call. A page is begun only if MAX_PAGE_SECONDS are left, and if the
earlier pages have fewer than _MAX_BYTES."""

_Pages = Sequence[tuple[str, str]]
"""The addresses and names of other pages."""

_SERVED_PAGES: _Pages = ("/", "Solve"), ("/report", "Report")
"""The other pages of `serve`."""

_PAGE_NAME = re.compile(r"[0-9a-f]{20}\.html")
"""Matches the name of a page of steps: the beginning of a hash, as in `StepPages.address`."""


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A paragraph of a step with the paragraphs that are nested in it."""

    text: str
    entries: Sequence[TextEntry]


def steps_page(record: Path, inbox_done: Path, clock: Callable[[], float] = time.monotonic) -> str:
    """The page of the steps through the puzzle of a record, as HTML.

    - `record`: the path of the record of a single puzzle.
    - `inbox_done`: the folder of the originals.
    - `clock`: returns the time in seconds; the search for steps ends after MAX_PAGE_SECONDS.

    Raises InputError if there is no such puzzle.
    """
    job = read_job(record)
    if job is None or not may_have_steps(job):
        raise InputError(f"{printable(record.name)}: not the record of a puzzle with one solution")
    puzzle, end = _puzzle_of(record, inbox_done), clock() + MAX_PAGE_SECONDS
    name = shorten(puzzle.title or puzzle.name)
    return _page_of(name, puzzle.board, puzzle.status, _SERVED_PAGES, lambda: clock() < end)


def published_level(record: Path, inbox_done: Path) -> str:
    """The level and score of the puzzle of a record in words; empty if it is not rated in time.

    Only 9×9 puzzles without extra rules and with one solution are rated. Arguments and errors are
    as for `steps_page`.
    """
    from pipeline.steps import ratings  # noqa: PLC0415 - loads numpy

    entry = _puzzle_of(record, inbox_done)
    puzzle = entry.board.puzzle
    if not (puzzle and puzzle.is_classic and entry.status == "unique"):
        return ""
    (rating,) = ratings([puzzle.cells], _MAX_RATING_SECONDS, has_se=False)
    return rating_text(rating.level or "", str(rating.score)) if rating.solved else ""


def published_picture(record: Path, inbox_done: Path) -> str:
    """The drawing of the puzzle of a record with its solution, as the content of an SVG file.

    Arguments as for `steps_page`. Raises InputError if it cannot be drawn.
    """
    puzzle = _puzzle_of(record, inbox_done)
    return board_svg(puzzle.board, shorten(puzzle.title or puzzle.name), "b", standalone=True)


def _puzzle_of(record: Path, inbox_done: Path) -> SheetPuzzle:
    """The puzzle of the record of a single puzzle. Raises InputError."""
    job = read_job(record) if record.suffix == RECORD_SUFFIX else None
    if job is None or job.has_many_puzzles:
        raise InputError(f"{printable(record.name)}: not the record of a single puzzle")
    puzzles = [*puzzles_at(record, Originals.of([inbox_done]))]
    if not puzzles:
        raise InputError(f"{printable(record.name)}: this result has no board")
    if isinstance(puzzles[0], InputError):
        raise puzzles[0]
    return puzzles[0]


def _page_of(
    name: str, board: Board, status: str, pages: _Pages, has_time: Callable[[], bool]
) -> str:
    """The page of the steps through the puzzle of a board.

    `pages`: the addresses and names of other pages. `has_time` as for `worked_of`.
    """
    worked = worked_of(board, status, has_time)
    panels = [*worked.panels]
    start = Board(board.puzzle, symbols=board.symbols, unread=board.unread)
    style = BOARD_STYLE + SHAPES_STYLE + STEP_STYLE
    style += read_asset("page.css") + read_asset("steps.css")
    script = read_asset("steps.js")
    page: Any = template("steps.html.j2")
    text: str = page.render(
        policy=content_policy(style, script),
        style=style,
        script=script,
        version=__version__,
        name=name,
        pages=pages,
        board=board_svg(start, "The puzzle", "p"),
        is_wide=max(board.geometry.extent) > 9,
        legend=legend_svg(columns=2),
        panels=panels,
        hint=worked.hint,
        candidates=_candidates_svg(worked, board),
        solution=board_svg(board, "The solution", "z") if panels else "",
        level=worked.level,
        note=worked.note,
        guide=guide_of([worked]) if panels else [],
        entries_of=entries_of,
    )
    return text


def _candidates_svg(worked: Worked, board: Board) -> str:
    """Draw a puzzle with all candidates; empty without a first step."""
    first = worked.hint.panel.board if worked.hint else None
    if not (first and first.step):
        return ""
    step = replace(first.step, roles={}, links=(), cells=frozenset(), units=())
    shown = Board(board.puzzle, symbols=board.symbols, unread=board.unread, step=step)
    return board_svg(shown, "The puzzle with its candidates", "c")


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
            page_end = now + MAX_PAGE_SECONDS
            if page_end > self._end:
                return False
            self._track(self._made_count)
            pages = [(url_path(f"../{self._report.name}"), "All results")]
            page = _page_of(name, board, "unique", pages, lambda: self._clock() < page_end)
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
