"""Jobs → what the page shows of each: its boards, its facts, links to its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path, PurePosixPath

from pipeline.dropbox.names import MOST_LIKELY, stems_for
from pipeline.report.board import LARGEST_DRAWN, Board, board_svg
from pipeline.report.charts import duration
from pipeline.report.drawn import board_of_job, board_of_row
from pipeline.report.links import Links, encoded, links_of
from pipeline.report.originals import Originals
from pipeline.report.records import ENDING, STATUSES, Job, read_job, shortened
from pipeline.report.tables import MemberRow, Row, sample_archive, sample_collection

MOST_BOARDS = 1_000
MOST_ROWS = 200
PAGE = 24
_WIDE = 16
_NO_LINKS = Links()


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

    `prefix` leads from the page to the outbox, percent-encoded.
    """

    outbox: Path
    prefix: str
    originals: Originals
    left: int = MOST_BOARDS
    _keys: Iterator[int] = field(default_factory=count)

    def show(self, job: Job) -> Shown:
        """The job, with as many of its boards as there is still room for."""
        links = links_of(job, self.outbox, self.prefix)
        if not job.is_many:
            original = self.originals.of(job) if self.left else None
            board = board_of_job(job, self.outbox, original) if self.left else None
            return Shown(job, links, [self._drawn_job(job, board, links)])
        most = min(MOST_ROWS, -(-self.left // 2))
        try:
            if job.status == "archive":
                puzzles, of = self._members(job, most)
            else:
                puzzles, of = self._rows(job, self.outbox, "", most)
        except (OSError, ValueError):
            return Shown(job, links, (), job.puzzles)
        return Shown(job, links, puzzles, of)

    def _rows(self, job: Job, folder: Path, before: str, most: int) -> tuple[list[Drawn], int]:
        """Some puzzles of a collection, and how many it has. Raises OSError."""
        second = f"{job.stem}_2.solution"
        others = folder / second if second in job.files else None
        sample = sample_collection(folder / f"{job.stem}.csv", others, most)
        return [self._drawn_row(job, row, before) for row in sample.rows], sample.of

    def _drawn_row(self, job: Job, row: Row, before: str) -> Drawn:
        board = board_of_row(row, job.reading) if self.left else None
        name = f"{before}puzzle {row.index}"
        facts = [f"line {row.line}"] if row.line else []
        if row.status == "multiple":
            facts.append(f"{row.solutions} solutions found")
        return self._drawn(name, row.status, board, row.message, facts)

    def _members(self, job: Job, most: int) -> tuple[list[Drawn], int]:
        """Some puzzles of an archive, and how many members it has. Raises OSError."""
        sample = sample_archive(self.outbox / f"{job.stem}.csv", most)
        found = [(row, *self._record_of(job, row)) for row in sample.rows]
        wanted = {m.sha256 for _, _, m in found if m and not m.is_many and m.sha256}
        originals = self.originals.members_of(job, wanted)
        puzzles: list[Drawn] = []
        for row, folder, member in found:
            room = most - len(puzzles)
            if room <= 0:
                break
            name = shortened(row.name)
            if member is None:
                puzzles.append(self._drawn(name, row.status, None, row.message, ()))
            elif member.is_many:
                puzzles += self._rows(member, folder, f"{name}, ", room)[0]
            else:
                original = originals.get(member.sha256 or "")
                board = board_of_job(member, folder, original) if self.left else None
                links = links_of(member, folder, self._within(folder))
                puzzles.append(self._drawn_job(member, board, links, name))
        return puzzles, max(job.puzzles, len(puzzles))

    def _record_of(self, job: Job, row: MemberRow) -> tuple[Path, Job | None]:
        """The record of a member, and the folder in which it lies."""
        path = PurePosixPath(row.name)
        tree = self.outbox / job.stem
        if path.is_absolute() or ".." in path.parts or not path.name:
            return tree, None
        folder = tree / path.parent
        for stem in islice(stems_for(path.name), MOST_LIKELY):
            member = read_job(folder / f"{stem}{ENDING}")
            if member is not None and member.member == row.number:
                return folder, member
        return folder, None

    def _drawn_job(self, job: Job, board: Board | None, links: Links, name: str = "") -> Drawn:
        facts = [job.format] if job.format else []
        if "solve" in job.seconds:
            by = f" by {job.solver}" if job.solver else ""
            facts.append(f"{duration(job.seconds['solve'])}{by}")
        if job.status == "multiple":
            all_of = "all " if job.complete else ""
            facts.append(f"{all_of}{job.solutions} solutions")
        if job.evidence == "proved" and job.complete:
            facts.append("proved")
        drawn = self._drawn(
            name or shortened(job.source), job.status, board, job.message, facts, links
        )
        return replace(drawn, words=_why_undrawn(job)) if board is None else drawn

    def _drawn(
        self,
        name: str,
        status: str,
        board: Board | None,
        message: str,
        facts: Sequence[str],
        links: Links = _NO_LINKS,
    ) -> Drawn:
        svg = ""
        if board is not None:
            self.left -= 1
            svg = board_svg(board, f"{name}: {status}", f"b{next(self._keys)}")
        is_wide = board is not None and board.geometry.side >= _WIDE
        return Drawn(name, status, svg, message, facts, links, is_wide)

    def _within(self, folder: Path) -> str:
        """How the page finds a folder in the outbox."""
        return self.prefix + encoded(str(folder.relative_to(self.outbox))) + "/"


def _why_undrawn(job: Job) -> str:
    """Why a job has no board, where that is for what it is."""
    if job.format == "cnf":
        return "A formula, which has no board."
    if job.box and job.box[0] * job.box[1] > LARGEST_DRAWN:
        n, (height, width) = job.box[0] * job.box[1], job.box
        most = f"{LARGEST_DRAWN}×{LARGEST_DRAWN}"
        return f"{n}×{n} cells in boxes of {height}×{width}. Up to {most} are drawn."
    return ""
