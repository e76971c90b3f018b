"""The original of a puzzle, and what is published of it → the board that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pipeline.certify import clashing_givens
from pipeline.errors import PipelineError
from pipeline.files import read_regular
from pipeline.outbox.originals import SMALL, Originals, members_of, small_original
from pipeline.outbox.report.board import LARGEST_DRAWN, Board
from pipeline.outbox.report.records import JobSummary, job_of_member
from pipeline.outbox.tables import MemberRow, PuzzleRow, grid_in
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.shapes import Place
from pipeline.reading.formats import (
    Parsed,
    is_written_as_values,
    parse_source,
    read_values,
    signs_of,
)
from pipeline.settings import Reading


class FoundMember(NamedTuple):
    """A member of an archive: the folder of its record, its job, its original if it is a puzzle."""

    row: MemberRow
    folder: Path
    job: JobSummary | None
    original: bytes | None


_BOXES = {6: (2, 3), 8: (2, 4), 10: (2, 5), 12: (3, 4), 15: (3, 5), 20: (4, 5), 24: (4, 6)}
_BOXES |= {n * n: (n, n) for n in range(2, 6)}


def board_of_job(job: JobSummary, folder: Path, original: bytes | None) -> Board | str:
    """The board of a job of one puzzle, whose files are in `folder`, or why it has no board."""
    if job.format == "cnf":
        return "A formula, which has no board."
    height, width = job.box or (0, 0)
    if (n := height * width) > LARGEST_DRAWN:
        most = f"{LARGEST_DRAWN}×{LARGEST_DRAWN}"
        return f"{n}×{n} cells in boxes of {height}×{width}. Up to {most} are drawn."
    read, solution = _read(original, job.reading), f"{job.stem}_1.solution"
    grid, signs = None, ""
    if solution in job.files:
        boxes = f"{height}x{width}" if read is None and min(height, width) > 1 else "auto"
        reading = job.reading._replace(format="auto", boxes=boxes)
        grid, signs = _solution(folder / solution, read, reading)
    board = _board(read, grid, job.conflict, job.difference, job.rules_in_conflict, signs)
    if board is None:
        missed = original is None and job.box
        return "Neither a solution nor the original was found." if missed else ""
    return board


def board_of_row(row: PuzzleRow, other: str, reading: Reading) -> Board | None:
    """The board of a puzzle of a collection, read as its source was; None if it cannot be drawn.

    `other` is its second solution, if one is known.
    """
    if row.status in ("invalid", "unreadable"):
        return None
    read = _line_read(row.puzzle, reading._replace(format="auto"))
    if read is None:
        return None
    geometry, signs = read.puzzle.geometry, signs_of(read.format)
    grid, another = (grid_in(text, signs, geometry) for text in (row.solution, other))
    difference: list[Place] = []
    if grid and another:
        pairs = enumerate(zip(grid.values, another.values, strict=True))
        difference = [geometry.place(cell) for cell, (a, b) in pairs if a != b]
    clash = clashing_givens(read.puzzle) if row.status == "unsolvable" else None
    return _board(read, grid, clash.cells if clash else (), difference)


def _board(
    read: Parsed | None,
    grid: Grid | None,
    conflict: Sequence[Place],
    difference: Sequence[Place],
    rules: Sequence[int] = (),
    signs: str = "",
) -> Board | None:
    """Combine a puzzle and its solution, as far as they match."""
    puzzle = read.puzzle if read else None
    if puzzle and grid and puzzle.geometry != grid.geometry:
        grid = None
    if puzzle is None and grid is None:
        return None
    signs = signs_of(read.format) if read else signs
    unread = read.unread if read else ()
    board = Board(puzzle, grid, conflict, difference, signs, rules, unread)
    return board if board.is_drawable else None


def _read(data: bytes | None, reading: Reading) -> Parsed | None:
    if data is None or len(data) > SMALL:
        return None
    try:
        return parse_source(data, "", reading)
    except (PipelineError, ValueError, RecursionError):
        return None


def _solution(path: Path, read: Parsed | None, reading: Reading) -> tuple[Grid | None, str]:
    """The grid in a solution file, if there is one, and the signs of its values."""
    try:
        data = read_regular(path, SMALL)
        if read is not None and is_written_as_values(read.format, read.puzzle):
            return read_values(data, "", read.puzzle.geometry), ""
    except (OSError, PipelineError, ValueError, RecursionError):
        return None, ""
    filled = _read(data, reading)
    if filled is None:
        return None, ""
    values, geometry = [value for _, value in filled.puzzle.givens()], filled.puzzle.geometry
    grid = Grid(geometry, tuple(values)) if len(values) == geometry.size else None
    return grid, signs_of(filled.format)


def _line_read(text: str, reading: Reading) -> Parsed | None:
    """Read a puzzle in one line: of characters, or of numbers with spaces between."""
    words = text.split()
    values = [int(word) for word in words if word.isdecimal() and len(word) < 3]
    side = round(len(words) ** 0.5)
    if len(words) < 2 or len(values) < len(words):
        return _read(text.encode(errors="replace"), reading) if words else None
    if side * side != len(values):  # its first numbers are the size of a box
        return _read(text.encode(), reading)
    if side not in _BOXES or max(values) > side:
        return None
    return Parsed(Puzzle.of_values(Geometry(*_BOXES[side]), values), "boxes", "", "classic")


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds the originals of puzzles.

    `allowed` has a number for each member of an archive or folder that may still be read.
    """

    originals: Originals
    allowed: Iterator[int]

    def of_job(self, job: JobSummary) -> bytes | None:
        """The bytes that a record is about; None if they are gone, or too many."""
        return small_original(self.originals, job.source, job.sha256) if job.sha256 else None

    def of_member(self, job: JobSummary, archive: str) -> bytes | None:
        """The bytes of a member of the archive of that name."""
        wanted = job.sha256 or ""
        found = members_of(self.originals, archive, {wanted} - {""}, self.allowed)
        return found.get(wanted)

    def members(
        self, rows: Iterable[tuple[int, MemberRow]], archive: JobSummary, outbox: Path
    ) -> list[FoundMember]:
        """The members of an archive in these rows, which count from 0."""
        found = [(row, *job_of_member(outbox, archive, place, row)) for place, row in rows]
        own = (job for *_, job in found if job and not job.is_many and job.status != "other")
        wanted = {job.sha256 for job in own if job.sha256}
        data = members_of(self.originals, archive.source, wanted, self.allowed)
        return [
            FoundMember(row, folder, job, data.get(job.sha256 or "") if job else None)
            for row, folder, job in found
        ]
