"""Make the content that the report shows for each job: boards, facts, and links to files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from pipeline.errors import InputError, duration
from pipeline.outbox import RECORD_SUFFIX, file_names
from pipeline.outbox.names import DONE
from pipeline.outbox.originals import Originals, SmallOriginals
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.job_boards import MemberJob, board_of_job, board_of_row, find_members
from pipeline.outbox.report.published_jobs import (
    ERROR_STATUSES,
    STATUSES,
    PublishedJob,
    display_text,
    rating_text,
    sample_members,
    sample_table,
    shorten,
)
from pipeline.outbox.report.survey import PageBounds
from pipeline.outbox.schema import PROVED, UNVERIFIED, PuzzleRecord, or_none
from pipeline.outbox.tables import PuzzleRow
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.dimacs import CNF_FORMAT
from pipeline.solving import LEVELS

if TYPE_CHECKING:
    from pipeline.outbox.report.steps_page import StepPages

PAGE_CARDS = 24
"""Number of cards on a page of a job."""

_MIN_WIDE_SIDE = 10
"""Boards with at least this number of rows or columns are shown on wide cards."""

_MIN_ROWS = 4
"""Minimum number of puzzles to show of each collection or archive."""

_MAX_REASON_CHARACTERS, _MAX_NUMBER_CHARACTERS = 200, 20
"""Maximum lengths of reasons, and of numbers in a table."""

_MAX_LINKS = 6
"""Maximum number of links to files of a job."""

_LINK_TEXTS = {
    ".json": "record",
    ".log": "log",
    ".csv": "table",
    ".parquet": "Parquet",
    ".proofs.xz": "proofs",
}
"""Part of a file name after the stem → text of the link to the file."""

STEPS_ADDRESS, PICTURE_ADDRESS = "steps?record=", "picture?record="
"""Addresses in `serve` of the steps and the drawing of a job; the name of its record follows."""

_LINK_NOTATIONS = {"sudokupad-link": "SudokuPad", "f-puzzles-link": "f-puzzles"}
"""Notations that are links to other pages → text of the link."""

_PROOF_WORDS = {
    "exhaustive-search": "exhaustive search",
    "lrat": "a checked LRAT proof",
    "drat": "a checked DRAT proof",
}
"""Field `by` of a certificate → words."""

_PAGE_IS_FULL = "Not drawn: this page has enough boards."


@dataclass(frozen=True, slots=True)
class Links:
    """Links to files of a job.

    - `shown`: the address and text of each link that is shown.
    - `hidden`: the number of further files.
    """

    shown: Sequence[tuple[str, str]] = ()
    hidden: int = 0

    def followed_by(self, links: Iterable[tuple[str, str]]) -> Links:
        """Append links to those that are shown."""
        return Links([*self.shown, *links], self.hidden)


_NO_LINKS = Links()


@dataclass(frozen=True, slots=True)
class Card:
    """The content of a card: a puzzle with its texts and its board.

    - `svg`: the board; empty if it is not drawn.
    - `placeholder`: why the board is not drawn.
    - `verdict`: the number of solutions, and how it was proved.
    - `facts`: short texts below the board.
    - `level`: the level of difficulty, by which the page can filter; empty if it is unknown.
    """

    name: str
    status: str
    svg: str
    message: str
    facts: Sequence[str] = ()
    links: Links = _NO_LINKS
    is_wide: bool = False
    placeholder: str = ""
    level: str = ""
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """A job with its links and cards.

    - `number`: the index of the job on the page.
    - `cards`: the cards of some of the job's puzzles.
    - `total`: the number of all puzzles of the job.
    - `levels`: the levels of difficulty of all rated puzzles of the job.
    """

    number: int
    job: PublishedJob
    links: Links
    cards: Sequence[Card] = ()
    total: int = 1
    levels: Sequence[str] = ()

    @property
    def name(self) -> str:
        return shorten(self.job.source)

    @property
    def kind(self) -> str:
        """The first word of the format, without the notation that may follow."""
        return shorten(self.job.format.partition(" ")[0], 40)

    @property
    def statuses(self) -> list[str]:
        """The statuses of the job and of its puzzles."""
        return [*{self.job.status: 1, **self.job.totals}]

    @property
    def counts(self) -> list[tuple[str, int]]:
        """The numbers of the job's puzzles by status, in display order."""
        totals = self.job.totals
        return [(status, totals[status]) for status in STATUSES if status in totals]

    @property
    def completeness(self) -> list[str]:
        """The numbers of complete results that are proved, and of unverified ones, in words."""
        counts = self.job.record.completeness_counts
        return [f"{n:,} {name}" for name, n in counts.items() if n]

    @property
    def reason(self) -> str:
        """The text below the status.

        For a puzzle: the message or, if it has no message, the rating. For a collection or archive:
        the numbers of failures, and the message.
        """
        message = shorten(self.job.message, _MAX_REASON_CHARACTERS) or self.job.rating_text
        if not self.job.has_many_puzzles:
            return message
        failures = (f"{n:,} {status}" for status, n in self.counts if status in ERROR_STATUSES)
        return "; ".join(filter(None, (", ".join(failures), message)))

    @property
    def seconds(self) -> float | None:
        """The seconds that the job took; None if it was solved in a batch."""
        return None if "batch" in self.job.seconds else self.job.seconds.get("total")

    @property
    def pages(self) -> list[Sequence[Card]]:
        """The cards, divided into pages of PAGE_CARDS."""
        starts = range(0, len(self.cards), PAGE_CARDS)
        return [self.cards[start : start + PAGE_CARDS] for start in starts]


def sorted_statuses(totals: Mapping[str, int]) -> list[tuple[str, int]]:
    """Pairs of a status and its number of puzzles, in display order, without numbers of 0."""
    order = (*STATUSES, *sorted(totals.keys() - {*STATUSES}))
    return [(status, totals[status]) for status in order if totals.get(status)]


class Viewer:
    """Makes views of the jobs of an outbox, one after the other, until the page has enough boards.

    - `single_boards_left`: how many more boards of single puzzles may be drawn.
    - `row_boards_left`: how many more boards of puzzles in collections and archives may be drawn.
    - `characters_left`: how many characters all further boards may have in total.
    - `is_full`: whether a board was omitted.
    - `keys`: an iterator over the numbers in the ids of boards.
    - `step_pages`: the pages of steps to which boards link; None for none.
    - `has_notation_links`: whether boards link to the puzzle in other programs.
    """

    def __init__(
        self,
        jobs: Sequence[PublishedJob],
        outbox: Path,
        prefix: str,
        inbox: Path,
        bounds: PageBounds,
        *,
        is_served: bool = False,
    ) -> None:
        """`prefix`: the percent-encoded path from the page to the outbox.

        `is_served`: whether `serve` shows the page, which then links to the steps of puzzles.

        If there are collections or archives, at least a quarter of the boards is for them.
        """
        self._outbox, self._prefix, self._bounds = outbox, prefix, bounds
        self._is_served = is_served
        try:
            originals = Originals.of([inbox / DONE])
        except OSError:
            originals = Originals(())
        self._originals = SmallOriginals(originals, iter(range(bounds.read_members)))
        single_count = sum(not job.has_many_puzzles for job in jobs)
        max_boards = bounds.boards if single_count == len(jobs) else bounds.boards * 3 // 4
        self.single_boards_left = min(single_count, max_boards)
        self.row_boards_left = bounds.boards - self.single_boards_left
        self.characters_left = bounds.board_characters
        self.is_full = False
        self._levels: set[str] = set()
        self.keys: Iterator[int] = count()
        self.step_pages: StepPages | None = None
        self.has_notation_links = False

    def view(self, number: int, job: PublishedJob) -> View:
        """Make the view of a job, with boards until the page has enough of them."""
        self._levels.clear()
        view = self._view(number, job)
        return replace(view, levels=[level for level in LEVELS if level in self._levels])

    def _view(self, number: int, job: PublishedJob) -> View:
        links = _links(job, self._prefix)
        if job.puzzle is not None:
            self._levels.add(job.rating_text.partition(",")[0])
            board: Board | str = _PAGE_IS_FULL
            if self._has_room(self.single_boards_left):
                board = board_of_job(job, self._originals.content_of(job.record))
                self.single_boards_left -= isinstance(board, Board)
            if self._is_served and isinstance(board, Board) and board.puzzle:
                links = _add_served_links(links, job)
                if self.has_notation_links and not board.unread:
                    links = links.followed_by(_notation_links(board.puzzle))
            return View(number, job, links, [self._job_card(job, job.puzzle, board, links)])
        max_rows = max(_MIN_ROWS, min(self._bounds.boards_per_job, -(-self.row_boards_left // 2)))
        try:
            if job.status == "archive":
                cards, total = self._member_cards(job, max_rows)
            else:
                cards, total = self._row_cards(job, "", max_rows)
        except (InputError, ValueError):
            return View(number, job, links, (), job.puzzles)
        return View(number, job, links, cards, total)

    def _has_room(self, boards_left: int) -> bool:
        """Whether one more board may be drawn. `boards_left`: the limit for puzzles of its kind."""
        has_room = boards_left > 0 and self.characters_left > 0
        self.is_full = self.is_full or not has_room
        return has_room

    def _row_cards(self, job: PublishedJob, prefix: str, max_rows: int) -> tuple[list[Card], int]:
        """Make cards of some puzzles of a collection. `prefix` is the beginning of their names.

        Returns the cards, and the number of all puzzles. Raises InputError.
        """
        second_path = job.sibling(f"{job.stem}_2.solution")
        second_file = second_path if second_path.name in job.files else None
        table, schema = job.path.with_suffix(".csv"), job.record.schema
        sample = sample_table(table, max_rows, second_file, schema=schema)
        self._levels |= sample.levels
        cards = [self._row_card(job, row, second, prefix) for _, row, second in sample.rows]
        return cards, sample.count

    def _row_card(
        self, job: PublishedJob, row: PuzzleRow, second_solution: str, prefix: str
    ) -> Card:
        board: Board | str = "" if row.status in ERROR_STATUSES else _PAGE_IS_FULL
        if self._has_room(self.row_boards_left):
            board = board_of_row(row, second_solution, job.reading) or ""
            self.row_boards_left -= 1
        index, line, solutions = (
            shorten(number, _MAX_NUMBER_CHARACTERS)
            for number in (row.index, row.line, row.solutions)
        )
        facts = [f"line {line}"] if line else []
        facts += [f"{solutions} solutions found"] if row.status == "multiple" else []
        rating = rating_text(getattr(row, "level", ""), getattr(row, "rating", ""))
        facts += filter(None, [rating])
        links = self._add_steps(_NO_LINKS, f"{job.source}, puzzle {index}", row.status, board)
        card = self._card(f"{prefix}puzzle {index}", row.status, board, row.message, facts, links)
        return replace(card, level=rating.partition(",")[0])

    def _member_cards(self, job: PublishedJob, max_rows: int) -> tuple[list[Card], int]:
        """Make cards of some puzzles of an archive.

        Returns the cards, and the number of all puzzles. Raises InputError.
        """
        table, schema = job.path.with_suffix(".csv"), job.record.schema
        rows, levels = sample_members(table, max_rows, schema=schema)
        self._levels |= levels
        originals = (
            self._originals
            if self.row_boards_left > 0
            else replace(self._originals, budget=iter(()))
        )
        members = sorted(find_members(job, rows, originals), key=_member_sort_key)
        cards: list[Card] = []
        for number, member in enumerate(members, 1):
            remaining = max_rows - len(cards)
            if remaining <= 0:
                break
            if member.job is not None and member.job.has_many_puzzles:
                share = remaining if number == len(members) else -(-remaining // 2)
                name = shorten(member.row.member)
                try:
                    cards += self._row_cards(member.job, f"{name}, ", share)[0]
                except (InputError, ValueError):
                    placeholder = "The table cannot be read."
                    cards.append(
                        self._card(name, member.row.status, placeholder, member.row.message)
                    )
            else:
                cards.append(self._member_card(member))
        return cards, max(job.puzzles, len(cards))

    def _member_card(self, member_job: MemberJob) -> Card:
        row, member, original = member_job
        name = shorten(row.member)
        if member is None or member.puzzle is None:
            placeholder = "" if row.status in ERROR_STATUSES else "The record was not found."
            return self._card(name, row.status, placeholder, row.message)
        board: Board | str = _PAGE_IS_FULL
        if self._has_room(self.row_boards_left):
            board = board_of_job(member, original)
            self.row_boards_left -= 1
        folder = member.path.parent.relative_to(self._outbox)
        links = _links(member, f"{self._prefix}{url_path(str(folder))}/")
        return self._job_card(member, member.puzzle, board, links, name)

    def _job_card(
        self,
        job: PublishedJob,
        record: PuzzleRecord,
        board: Board | str,
        links: Links,
        name: str = "",
    ) -> Card:
        facts = [*filter(None, (display_text(or_none(record.title)), job.format))]
        used = record.solver
        by = f" by {display_text(used.name)}" if used else ""
        for stage, before in (("batch", "with others in "), ("solve", "")):
            if stage in job.seconds:
                facts.append(f"{before}{duration(job.seconds[stage])}{by}")
                break
        facts += filter(None, [job.rating_text])
        name = name or shorten(job.source)
        links = self._add_steps(links, job.source, job.status, board)
        card = self._card(name, job.status, board, job.message, facts, links)
        level = job.rating_text.partition(",")[0]
        return replace(card, level=level, verdict=_verdict(job.status, record))

    def _add_steps(self, links: Links, name: str, status: str, board: Board | str) -> Links:
        """Add a link to the steps of a puzzle if the page of steps exists, or can be made."""
        if self.step_pages is None or status != "unique" or isinstance(board, str):
            return links
        address = self.step_pages.address(shorten(name), board)
        return links.followed_by([(address, "steps and hints")]) if address else links

    def _card(
        self,
        name: str,
        status: str,
        board: Board | str,
        message: str,
        facts: Sequence[str] = (),
        links: Links = _NO_LINKS,
    ) -> Card:
        if isinstance(board, str):
            return Card(name, status, "", message, facts, links, placeholder=board)
        svg = board_svg(board, f"{name}: {status}", f"b{next(self.keys)}")
        if len(svg) > self.characters_left:
            self.characters_left, self.is_full = 0, True
            return Card(name, status, "", message, facts, links, placeholder=_PAGE_IS_FULL)
        self.characters_left -= len(svg)
        return Card(
            name, status, svg, message, facts, links, max(board.geometry.extent) >= _MIN_WIDE_SIDE
        )


def _verdict(status: str, record: PuzzleRecord) -> str:
    """The number of solutions of a puzzle, and how it was proved."""
    words = [_completeness_text(record)]
    if status == "multiple":
        bound = "exactly" if record.complete else "at least"
        words = [f"{bound} {record.solutions} solutions", *words]
    return ", ".join(filter(None, words))


def _completeness_text(record: PuzzleRecord) -> str:
    """How completeness was proved, in words; empty if the record is not complete."""
    certificate = or_none(record.certificate)
    if not (certificate and certificate.complete and record.complete):
        return ""
    if certificate.complete != PROVED:
        return display_text(": ".join(filter(None, (UNVERIFIED, certificate.reason))))
    by = display_text(certificate.by)
    return f"proved by {_PROOF_WORDS.get(by, by)}" if by else "proved"


def _add_served_links(links: Links, job: PublishedJob) -> Links:
    """Add links to the pages that `serve` makes for a job of one puzzle."""
    name = url_path(job.path.name)
    steps = [(STEPS_ADDRESS + name, "steps and hints")] if may_have_steps(job) else []
    return Links([*steps, *links.shown, (PICTURE_ADDRESS + name, "picture")], links.hidden)


def _notation_links(puzzle: Puzzle) -> Iterator[tuple[str, str]]:
    """Yield links that open a puzzle in other programs: addresses and texts."""
    from pipeline.reading.formats.targets import item_text  # noqa: PLC0415 - loads all formats

    for notation, text in _LINK_NOTATIONS.items():
        with suppress(ValueError):
            yield item_text(puzzle, notation).strip(), text


def may_have_steps(job: PublishedJob) -> bool:
    """Whether a job is of a single puzzle with one solution."""
    is_formula = job.puzzle is not None and job.puzzle.format == CNF_FORMAT
    return job.puzzle is not None and not is_formula and job.status == "unique"


def _member_sort_key(member: MemberJob) -> int:
    """The sort key of members: failures, collections with failures, puzzles, other collections."""
    if member.row.status in ERROR_STATUSES:
        return 0
    if member.job and member.job.has_many_puzzles:
        return 3 if member.job.has_no_failures else 1
    return 2


def _links(job: PublishedJob, prefix: str) -> Links:
    """Make links to at most _MAX_LINKS existing files of a job. The last are log and record."""
    last = [f"{job.stem}.log", f"{job.stem}{RECORD_SUFFIX}"]
    listed = [name for name in file_names(job.record) if name not in last]
    listed.sort(key=lambda name: (not name.endswith(".solution"), len(name), name))
    last = [name for name in last if name in job.files or name.endswith(RECORD_SUFFIX)]
    names = [*listed[: _MAX_LINKS - len(last)], *last]
    existing = [name for name in names if _exists(job.sibling(name))]
    links = [(prefix + url_path(name), _link_text(name, job.stem)) for name in existing]
    return Links(links, len(listed) + len(last) - len(names))


def url_path(path: str) -> str:
    """Percent-encode a path for a URL."""
    return quote(os.fsencode(path))


def _exists(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def _link_text(name: str, stem: str) -> str:
    ending = name.removeprefix(stem)
    if ending.startswith("_") and ending.endswith(".solution"):
        return shorten(f"solution {ending[1:-9]}", 30)
    return _LINK_TEXTS.get(ending) or shorten(ending.lstrip("._"), 30)
