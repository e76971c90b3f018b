"""Jobs → what the page shows of each: its boards, its facts, links to its files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path, PurePosixPath

from pipeline.published import ENDING
from pipeline.published.names import MOST_LIKELY, stems_for
from pipeline.report.board import LARGEST_DRAWN, Board, board_svg
from pipeline.report.charts import duration
from pipeline.report.drawn import board_of_job, board_of_row
from pipeline.report.links import Links, encoded, links_of
from pipeline.report.originals import Originals
from pipeline.report.records import NOT_WELL, STATUSES, Job, is_within, read_job, shortened
from pipeline.report.tables import MemberRow, Row, sample_archive, sample_collection

MOST_BOARDS = 1_000
MOST_ROWS = 200
PAGE = 24
_WIDE = 10
_FEWEST_ROWS = 4
_NO_LINKS = Links()
_NO_ROOM = "There is no room for its board on this page."
_ESCAPED = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5}|U0010[0-9a-f]{4})")


@dataclass(frozen=True, slots=True)
class Drawn:
    """One puzzle: its board, or in words why there is none; and what else is to be said of it."""

    name: str
    status: str
    svg: str
    message: str
    facts: Sequence[str] = ()
    links: Links = _NO_LINKS
    is_wide: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A job with its links and puzzles; those of a collection in pages, `of` being all."""

    job: Job
    links: Links
    puzzles: Sequence[Drawn] = ()
    of: int = 1

    @property
    def name(self) -> str:
        return shortened(self.job.source)

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many of its puzzles have which status."""
        totals = self.job.totals
        return [(status, totals[status]) for status in STATUSES if status in totals]

    @property
    def pages(self) -> list[Sequence[Drawn]]:
        return [self.puzzles[at : at + PAGE] for at in range(0, len(self.puzzles), PAGE)]


@dataclass(slots=True)
class Shower:
    """Draws the jobs of an outbox one by one, until the page has as many boards as it may.

    `prefix` leads from the page to the outbox, percent-encoded. Of collections and archives
    `left` puzzles more may have a board, of other jobs `singles`; `is_full` once one was refused.
    """

    outbox: Path
    prefix: str
    originals: Originals
    left: int = MOST_BOARDS
    singles: int = MOST_BOARDS
    is_full: bool = False
    _keys: Iterator[int] = field(default_factory=count)

    def show(self, job: Job) -> Shown:
        """The job, with as many of its boards as there is still room for."""
        links = links_of(job, self.outbox, self.prefix)
        if not job.is_many:
            board: Board | str = _NO_ROOM
            if self._has_room(self.singles):
                board = _board(job, self.outbox, self.originals.of(job))
                self.singles -= isinstance(board, Board)
            return Shown(job, links, [self._drawn_job(job, board, links)])
        most = max(_FEWEST_ROWS, min(MOST_ROWS, -(-self.left // 2)))
        try:
            if job.status == "archive":
                puzzles, of = self._members(job, most)
            else:
                puzzles, of = self._rows(job, self.outbox, "", most)
        except (OSError, ValueError):
            return Shown(job, links, (), job.puzzles)
        return Shown(job, links, puzzles, of)

    def _has_room(self, left: int) -> bool:
        self.is_full = self.is_full or left <= 0
        return left > 0

    def _rows(self, job: Job, folder: Path, before: str, most: int) -> tuple[list[Drawn], int]:
        """Some puzzles of a collection, and how many it has. Raises OSError."""
        second = f"{job.stem}_2.solution"
        others = folder / second if second in job.files else None
        sample = sample_collection(folder / f"{job.stem}.csv", others, most)
        return [self._drawn_row(job, row, before) for row in sample.rows], sample.of

    def _drawn_row(self, job: Job, row: Row, before: str) -> Drawn:
        board: Board | str = "" if row.status in NOT_WELL else _NO_ROOM
        if self._has_room(self.left):
            board = board_of_row(row, job.reading) or ""
            self.left -= 1
        name = f"{before}puzzle {row.index}"
        facts = [f"line {row.line}"] if row.line else []
        if row.status == "multiple":
            facts.append(f"{row.solutions} solutions found")
        return self._drawn(name, row.status, board, row.message, facts)

    def _members(self, job: Job, most: int) -> tuple[list[Drawn], int]:
        """Some puzzles of an archive, and how many members it has. Raises OSError."""
        sample = sample_archive(self.outbox / f"{job.stem}.csv", most)
        found = [(row, *self._record_of(job, row)) for row in sample.rows]
        found.sort(key=lambda each: _urgency(each[0], each[2]))
        wanted = {m.sha256 for _, _, m in found if m and not m.is_many and m.sha256}
        originals = self.originals.members_of(job, wanted if self.left > 0 else ())
        puzzles: list[Drawn] = []
        for number, (row, folder, member) in enumerate(found, 1):
            room = most - len(puzzles)
            if room <= 0:
                break
            if member is not None and member.is_many:
                share = room if number == len(found) else -(-room // 2)
                puzzles += self._rows_within(row, folder, member, share)
            else:
                original = originals.get(member.sha256 or "") if member else None
                puzzles.append(self._drawn_member(row, folder, member, original))
        return puzzles, max(job.puzzles, len(puzzles))

    def _rows_within(self, row: MemberRow, folder: Path, member: Job, most: int) -> list[Drawn]:
        """Some puzzles of a collection in an archive."""
        name = shortened(row.name)
        try:
            return self._rows(member, folder, f"{name}, ", most)[0]
        except (OSError, ValueError):
            return [self._drawn(name, row.status, "Its table cannot be read.", row.message, ())]

    def _drawn_member(
        self, row: MemberRow, folder: Path, member: Job | None, original: bytes | None
    ) -> Drawn:
        name = shortened(row.name)
        if member is None:
            why = "" if row.status in NOT_WELL else "Its record was not found."
            return self._drawn(name, row.status, why, row.message, ())
        board: Board | str = _NO_ROOM
        if self._has_room(self.left):
            board = _board(member, folder, original)
            self.left -= 1
        return self._drawn_job(member, board, links_of(member, folder, self._within(folder)), name)

    def _record_of(self, job: Job, row: MemberRow) -> tuple[Path, Job | None]:
        """The record of a member, and the folder in which it lies."""
        tree = self.outbox / job.stem
        for name in dict.fromkeys((row.name, unescaped(row.name))):
            path = PurePosixPath(name)
            folder = tree / path.parent
            if ".." in path.parts or not path.name or not is_within(folder, self.outbox):
                continue
            for stem in islice(stems_for(path.name), MOST_LIKELY):
                member = read_job(folder / f"{stem}{ENDING}")
                if member is not None and member.member == row.number:
                    return folder, member
        return tree, None

    def _drawn_job(self, job: Job, board: Board | str, links: Links, name: str = "") -> Drawn:
        facts = [job.format] if job.format else []
        by = f" by {job.solver}" if job.solver else ""
        if "batch" in job.seconds:
            facts.append(f"with others in {duration(job.seconds['batch'])}{by}")
        elif "solve" in job.seconds:
            facts.append(f"{duration(job.seconds['solve'])}{by}")
        if job.status == "multiple":
            all_of = "all " if job.complete else ""
            facts.append(f"{all_of}{job.solutions} solutions")
        if job.evidence == "proved" and job.complete:
            facts.append("proved")
        name = name or shortened(job.source)
        return self._drawn(name, job.status, board, job.message, facts, links)

    def _drawn(
        self,
        name: str,
        status: str,
        board: Board | str,
        message: str,
        facts: Sequence[str],
        links: Links = _NO_LINKS,
    ) -> Drawn:
        if isinstance(board, str):
            return Drawn(name, status, "", message, facts, links, words=board)
        svg = board_svg(board, f"{name}: {status}", f"b{next(self._keys)}")
        return Drawn(name, status, svg, message, facts, links, board.geometry.side >= _WIDE)

    def _within(self, folder: Path) -> str:
        """How the page finds a folder in the outbox."""
        return self.prefix + encoded(str(folder.relative_to(self.outbox))) + "/"


def shares(jobs: Sequence[Job]) -> tuple[int, int]:
    """How many boards collections and archives may have, and how many the other jobs."""
    singles = sum(not job.is_many for job in jobs)
    most = MOST_BOARDS if singles == len(jobs) else MOST_BOARDS * 3 // 4
    return MOST_BOARDS - min(singles, most), min(singles, most)


def _urgency(row: MemberRow, member: Job | None) -> int:
    """Failures first, then collections that hold some, collections that hold none last."""
    if row.status in NOT_WELL:
        return 0
    if member and member.is_many:
        return 3 if member.is_well else 1
    return 2


def unescaped(name: str) -> str:
    """The name that was made printable in this way."""
    return _ESCAPED.sub(lambda found: found[0].encode().decode("unicode_escape"), name)


def _board(job: Job, folder: Path, original: bytes | None) -> Board | str:
    """The board of a job of one puzzle, or in words why there is none."""
    board = board_of_job(job, folder, original)
    if board is not None:
        return board
    if job.format == "cnf":
        return "A formula, which has no board."
    if job.box and job.box[0] * job.box[1] > LARGEST_DRAWN:
        n, (height, width) = job.box[0] * job.box[1], job.box
        most = f"{LARGEST_DRAWN}×{LARGEST_DRAWN}"
        return f"{n}×{n} cells in boxes of {height}×{width}. Up to {most} are drawn."
    if original is None and job.box:
        return "Neither a solution nor the original was found."
    return ""
