"""Make the boards, facts and links to files that the report shows for each job."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
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
    sample_table,
    shorten,
)
from pipeline.outbox.report.survey import PageBounds
from pipeline.outbox.schema import PROVED, UNVERIFIED, PuzzleRecord, or_none
from pipeline.outbox.tables import MemberRow, PuzzleRow
from pipeline.solving import LEVELS

PAGE_CARDS = 24
"""Number of cards on a page of a job."""

_WIDE_SIDE = 10
"""The number of rows or columns of the smallest boards on wide cards."""

_MIN_ROWS = 4
"""The limit on the puzzles of a collection or archive is at least this number."""

_MAX_REASON_CHARACTERS, _MAX_NUMBER_CHARACTERS = 200, 20
_MAX_LINKS = 6
"""Maximum number of links to files of a job."""

_LINK_TEXTS = {".json": "record", ".log": "log", ".csv": "table", ".proofs.xz": "proofs"}
_NO_ROOM = "Not drawn: this page has enough boards."


@dataclass(frozen=True, slots=True)
class Links:
    """Links to files of a job: addresses and texts of `shown` links, and the number of `more`."""

    shown: Sequence[tuple[str, str]] = ()
    more: int = 0


_NO_LINKS = Links()


@dataclass(frozen=True, slots=True)
class Card:
    """A puzzle with its texts, and its board as SVG or a `placeholder`, which says why not."""

    name: str
    status: str
    svg: str
    message: str
    facts: Sequence[str] = ()
    links: Links = _NO_LINKS
    is_wide: bool = False
    placeholder: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """A job with its links and cards.

    - `number`: the index of the job on the page.
    - `cards`: the cards of some of its puzzles.
    - `total`: the number of all its puzzles.
    - `levels`: the levels of difficulty of all its rated puzzles.
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
        """The format without its notation."""
        return shorten(self.job.format.partition(" ")[0], 40)

    @property
    def statuses(self) -> list[str]:
        """The statuses of the job and of its puzzles."""
        return [*{self.job.status: 1, **self.job.totals}]

    @property
    def counts(self) -> list[tuple[str, int]]:
        """The numbers of its puzzles by status, in display order."""
        totals = self.job.totals
        return [(status, totals[status]) for status in STATUSES if status in totals]

    @property
    def completeness(self) -> list[str]:
        """The numbers of its complete results that are proved and not verified, in words."""
        words = {PROVED: "proved", UNVERIFIED: "not verified"}
        return [
            f"{n:,} {words[how]}" for how, n in self.job.record.completeness_counts.items() if n
        ]

    @property
    def reason(self) -> str:
        """The text below the status: the message or else the rating of a puzzle.

        For a collection or archive, it is the numbers of failures and the message.
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
        """The cards, in pages of PAGE_CARDS."""
        starts = range(0, len(self.cards), PAGE_CARDS)
        return [self.cards[start : start + PAGE_CARDS] for start in starts]


def sorted_statuses(totals: Mapping[str, int]) -> list[tuple[str, int]]:
    """Statuses with their numbers of puzzles, in display order."""
    order = (*STATUSES, *sorted(totals.keys() - {*STATUSES}))
    return [(status, totals[status]) for status in order if totals.get(status)]


class Viewer:
    """Makes views of the jobs of an outbox, in order, with boards while there is room for them.

    - `singles_left`: the number of single puzzles that may still have a board.
    - `rows_left`: the number of puzzles of collections and archives that may still have a board.
    - `characters_left`: the number of characters that all further boards may have.
    - `is_full`: whether a board was omitted.
    - `keys`: numbers for the ids of boards.
    """

    def __init__(
        self,
        jobs: Sequence[PublishedJob],
        outbox: Path,
        prefix: str,
        inbox: Path,
        bounds: PageBounds,
    ) -> None:
        """`prefix` is the percent-encoded path from the page to the outbox.

        Single puzzles leave at least a quarter of the boards to collections and archives.
        """
        self._outbox, self._prefix, self._bounds = outbox, prefix, bounds
        try:
            originals = Originals.of([inbox / DONE])
        except OSError:
            originals = Originals(())
        self._originals = SmallOriginals(originals, iter(range(bounds.members)))
        singles = sum(not job.has_many_puzzles for job in jobs)
        max_boards = bounds.boards if singles == len(jobs) else bounds.boards * 3 // 4
        self.singles_left = min(singles, max_boards)
        self.rows_left = bounds.boards - self.singles_left
        self.characters_left = bounds.drawn
        self.is_full = False
        self._levels: set[str] = set()
        self.keys: Iterator[int] = count()

    def view(self, number: int, job: PublishedJob) -> View:
        """The view of a job, with as many of its boards as there is room for."""
        self._levels.clear()
        view = self._view(number, job)
        return replace(view, levels=[level for level in LEVELS if level in self._levels])

    def _view(self, number: int, job: PublishedJob) -> View:
        links = _links(job, self._prefix)
        if job.puzzle is not None:
            self._levels.add(job.rating_text.partition(",")[0])
            board: Board | str = _NO_ROOM
            if self._has_room(self.singles_left):
                board = board_of_job(job, self._originals.content_of(job.record))
                self.singles_left -= isinstance(board, Board)
            return View(number, job, links, [self._job_card(job, job.puzzle, board, links)])
        max_rows = max(_MIN_ROWS, min(self._bounds.rows, -(-self.rows_left // 2)))
        try:
            if job.status == "archive":
                cards, total = self._members(job, max_rows)
            else:
                cards, total = self._rows(job, "", max_rows)
        except (InputError, ValueError):
            return View(number, job, links, (), job.puzzles)
        return View(number, job, links, cards, total)

    def _has_room(self, boards_left: int) -> bool:
        """Whether a board may be drawn; `boards_left` is the limit for its kind."""
        has_room = boards_left > 0 and self.characters_left > 0
        self.is_full = self.is_full or not has_room
        return has_room

    def _rows(self, job: PublishedJob, prefix: str, max_rows: int) -> tuple[list[Card], int]:
        """Cards of some puzzles of a collection, and the number of all its puzzles.

        Raises InputError.
        """
        second = job.sibling(f"{job.stem}_2.solution")
        solutions = second if second.name in job.files else None
        table, schema = job.path.with_suffix(".csv"), job.record.schema
        sample = sample_table(table, PuzzleRow, max_rows, solutions, schema=schema)
        self._levels |= sample.levels
        cards = [self._row_card(job, row, other, prefix) for _, row, other in sample.rows]
        return cards, sample.count

    def _row_card(self, job: PublishedJob, row: PuzzleRow, other: str, prefix: str) -> Card:
        board: Board | str = "" if row.status in ERROR_STATUSES else _NO_ROOM
        if self._has_room(self.rows_left):
            board = board_of_row(row, other, job.reading) or ""
            self.rows_left -= 1
        index, line, solutions = (
            shorten(number, _MAX_NUMBER_CHARACTERS)
            for number in (row.index, row.line, row.solutions)
        )
        facts = [f"line {line}"] if line else []
        facts += [f"{solutions} solutions found"] if row.status == "multiple" else []
        how_hard = rating_text(getattr(row, "level", ""), getattr(row, "rating", ""))
        facts += filter(None, [how_hard])
        card = self._card(f"{prefix}puzzle {index}", row.status, board, row.message, facts)
        return replace(card, level=how_hard.partition(",")[0])

    def _members(self, job: PublishedJob, max_rows: int) -> tuple[list[Card], int]:
        """Cards of some puzzles of an archive, and the number of all its puzzles.

        Raises InputError.
        """
        table, schema = job.path.with_suffix(".csv"), job.record.schema
        sample = sample_table(table, MemberRow, max_rows, schema=schema)
        self._levels |= sample.levels
        originals = (
            self._originals if self.rows_left > 0 else replace(self._originals, budget=iter(()))
        )
        rows = [(index, row) for index, row, _ in sample.rows]
        members = sorted(find_members(job, rows, originals), key=_sort_key)
        cards: list[Card] = []
        for number, member in enumerate(members, 1):
            remaining = max_rows - len(cards)
            if remaining <= 0:
                break
            if member.job is not None and member.job.has_many_puzzles:
                share = remaining if number == len(members) else -(-remaining // 2)
                name = shorten(member.row.member)
                try:
                    cards += self._rows(member.job, f"{name}, ", share)[0]
                except (InputError, ValueError):
                    placeholder = "The table cannot be read."
                    cards.append(
                        self._card(name, member.row.status, placeholder, member.row.message)
                    )
            else:
                cards.append(self._member_card(member))
        return cards, max(job.puzzles, len(cards))

    def _member_card(self, matched: MemberJob) -> Card:
        row, member, original = matched
        name = shorten(row.member)
        if member is None or member.puzzle is None:
            placeholder = "" if row.status in ERROR_STATUSES else "The record was not found."
            return self._card(name, row.status, placeholder, row.message)
        board: Board | str = _NO_ROOM
        if self._has_room(self.rows_left):
            board = board_of_job(member, original)
            self.rows_left -= 1
        inside = member.path.parent.relative_to(self._outbox)
        links = _links(member, f"{self._prefix}{url_path(str(inside))}/")
        return self._job_card(member, member.puzzle, board, links, name)

    def _job_card(
        self,
        job: PublishedJob,
        record: PuzzleRecord,
        board: Board | str,
        links: Links,
        name: str = "",
    ) -> Card:
        facts = [job.format] if job.format else []
        used, certificate = record.solver, or_none(record.certificate)
        by = f" by {display_text(used.name)}" if used else ""
        for stage, how in (("batch", "with others in "), ("solve", "")):
            if stage in job.seconds:
                facts.append(f"{how}{duration(job.seconds[stage])}{by}")
                break
        if job.status == "multiple":
            all_of = "all " if record.complete else ""
            facts.append(f"{all_of}{record.solutions} solutions")
        if certificate and certificate.complete and record.complete:
            by = f" by {display_text(certificate.by)}" if certificate.by else ""
            facts.append(f"proved{by}" if certificate.complete == PROVED else "not verified")
        facts += filter(None, [job.rating_text])
        name = name or shorten(job.source)
        card = self._card(name, job.status, board, job.message, facts, links)
        return replace(card, level=job.rating_text.partition(",")[0])

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
            return Card(name, status, "", message, facts, links, placeholder=_NO_ROOM)
        self.characters_left -= len(svg)
        return Card(
            name, status, svg, message, facts, links, max(board.geometry.extent) >= _WIDE_SIDE
        )


def _sort_key(member: MemberJob) -> int:
    """The order of members: failures, collections with failures, puzzles, other collections."""
    if member.row.status in ERROR_STATUSES:
        return 0
    if member.job and member.job.has_many_puzzles:
        return 3 if member.job.has_no_failures else 1
    return 2


def _links(job: PublishedJob, prefix: str) -> Links:
    """Links to at most _MAX_LINKS of the listed files that exist, always with log and record."""
    last = [f"{job.stem}.log", f"{job.stem}{RECORD_SUFFIX}"]
    listed = [name for name in file_names(job.record) if name not in last]
    listed.sort(key=lambda name: (not name.endswith(".solution"), len(name), name))
    last = [name for name in last if name in job.files or name.endswith(RECORD_SUFFIX)]
    names = [*listed[: _MAX_LINKS - len(last)], *last]
    existing = [name for name in names if _exists(job.sibling(name))]
    links = [(prefix + url_path(name), _link_text(name, job.stem)) for name in existing]
    return Links(links, len(listed) + len(last) - len(names))


def url_path(path: str) -> str:
    """A path as part of a URL."""
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
