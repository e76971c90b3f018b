"""An outbox, a record or a table → its puzzles in order, each with its board, to be printed.

Every published solution is certified again before it is given.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice, repeat
from pathlib import Path

from pipeline.certify import certify_grid
from pipeline.errors import InputError, printable
from pipeline.outbox import ENDING, hashes_in, read_record
from pipeline.outbox.originals import Originals, archive_above, members_of
from pipeline.outbox.report.board import Board
from pipeline.outbox.report.drawn import board_of_job, board_of_row, members_at, original_of
from pipeline.outbox.report.records import (
    NOT_WELL,
    UNRECOGNISED,
    JobSummary,
    read_job,
    shortened,
)
from pipeline.outbox.report.sheet import Printed
from pipeline.outbox.report.survey import is_record
from pipeline.outbox.schema import ARCHIVE
from pipeline.outbox.tables import MemberRow, PuzzleRow, lines_of, rows_in
from pipeline.reading.formats.formula import CNF_FORMAT

_TABLE = ".csv"
_UNDRAWN = NOT_WELL - {"unknown"} | {UNRECOGNISED}
_MEMBERS_AT_ONCE = 1_000
_MOST_MEMBERS = 50_000
"""Members of originals that are read."""

_LONGEST_NUMBER = 20


def is_published(path: Path) -> bool:
    """Whether this is an outbox, a record, or a table with its record. Raises OSError."""
    if path.is_dir():
        return any(read_record(each) for each in _records_in(path))
    if path.suffix == ENDING:
        return read_record(path) is not None
    record = read_record(path.with_suffix(ENDING)) if path.suffix == _TABLE else None
    return record is not None and path.name in hashes_in(record)


def puzzles_at(path: Path, originals: Originals) -> Iterator[Printed | InputError]:
    """The puzzles of what `is_published`; an error in the place of each that cannot be drawn.

    Raises OSError if an outbox cannot be read.
    """
    finder = _Finder(originals)
    if path.is_dir():
        for record in _records_in(path):
            yield from finder.puzzles_of_record(record)
    else:
        yield from finder.puzzles_of_record(path.with_suffix(ENDING))


def _records_in(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if is_record(entry.name))
    return (folder / name for name in names)


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds the puzzles of jobs; `allowed` has a number for each member that may be read yet."""

    originals: Originals
    allowed: Iterator[int] = field(default_factory=lambda: iter(range(_MOST_MEMBERS)))

    def puzzles_of_record(self, record: Path) -> Iterator[Printed | InputError]:
        job = read_job(record)
        if job is None:
            yield InputError(f"{printable(record.name)}: there is no such record")
        elif job.status == ARCHIVE:
            yield from self._members(job, record.parent)
        else:
            original = None if job.is_many else self._original(job, record)
            yield from _puzzles_of(job, record.parent, job.source, original)

    def _original(self, job: JobSummary, record: Path) -> bytes | None:
        if job.member is None:
            return original_of(job, self.originals)
        above = archive_above(record)
        if above is None or not job.sha256:
            return None
        wanted = {job.sha256}
        return members_of(self.originals, above[1].source, wanted, self.allowed).get(job.sha256)

    def _members(self, archive: JobSummary, outbox: Path) -> Iterator[Printed | InputError]:
        try:
            rows = rows_in(outbox / f"{archive.stem}{_TABLE}", MemberRow)
            numbered = enumerate(rows)
            while some := [*islice(numbered, _MEMBERS_AT_ONCE)]:
                yield from self._some_members(archive, outbox, some)
        except InputError as error:
            yield error

    def _some_members(
        self, archive: JobSummary, outbox: Path, rows: list[tuple[int, MemberRow]]
    ) -> Iterator[Printed | InputError]:
        for row, folder, job, original in members_at(
            rows, archive, outbox, self.originals, self.allowed
        ):
            where = f"{archive.source}/{row.member}"
            if job is not None:
                yield from _puzzles_of(job, folder, where, original)
            elif row.status in _UNDRAWN:
                yield _undrawn(where, row.status, row.message)
            elif row.status != "other":
                yield _undrawn(where, "not drawn", "its record was not found")


def _puzzles_of(
    job: JobSummary, folder: Path, where: str, original: bytes | None
) -> Iterator[Printed | InputError]:
    """The puzzle of a job, or those of a collection, whose files are in `folder`."""
    if job.is_many:
        yield from _rows(job, folder, where)
    elif job.status != "other":
        yield _single(job, folder, where, original)


def _single(
    job: JobSummary, folder: Path, where: str, original: bytes | None
) -> Printed | InputError:
    if job.format == CNF_FORMAT:
        return _undrawn(where, "not drawn", "a formula has no board")
    if job.status in _UNDRAWN:
        return _undrawn(where, job.status, job.message)
    board = board_of_job(job, folder, original)
    if isinstance(board, Board) and board.puzzle:
        return _certified(Printed(job.source, board, job.status, job.message, where))
    if original is None:
        why = "its original was not found; --inbox names the folder where it was dropped"
    else:
        why = board if isinstance(board, str) and board else "its original cannot be read"
    return _undrawn(where, "not drawn", why)


def _rows(job: JobSummary, folder: Path, where: str) -> Iterator[Printed | InputError]:
    second = f"{job.stem}_2.solution"
    others = lines_of(folder / second) if second in job.files else iter(())
    try:
        rows = rows_in(folder / f"{job.stem}{_TABLE}", PuzzleRow)
        for row, other in zip(rows, chain(others, repeat("")), strict=False):
            line = shortened(row.line, _LONGEST_NUMBER)
            yield _of_row(row, other.strip("."), job, line, f"{where}:{line}")
    except InputError as error:
        yield InputError(f"{printable(where)}: {error}")


def _of_row(
    row: PuzzleRow, other: str, job: JobSummary, line: str, where: str
) -> Printed | InputError:
    if row.status in _UNDRAWN:
        return _undrawn(where, row.status, row.message)
    board = board_of_row(row, other, job.reading)
    if board is None or board.puzzle is None:
        return _undrawn(where, "not drawn", "the table's puzzle cannot be drawn")
    said = "; ".join(filter(None, (row.message, row.disagreement)))
    return _certified(Printed(f"{job.source}, line {line}", board, row.status, said, where))


def _undrawn(where: str, what: str, why: str) -> InputError:
    return InputError(f"{printable(where)}: {shortened(what)}: {shortened(why)}")


def _certified(printed: Printed) -> Printed | InputError:
    """The puzzle, if its solution is one: an outbox is open to others."""
    board = printed.board
    if board.puzzle and board.grid and (found := certify_grid(board.puzzle, board.grid)):
        return _undrawn(
            printed.where, "BAD", f"its published solution breaks the rules: {found[0]}"
        )
    if board.grid is None and printed.status in ("unique", "multiple"):
        return replace(printed, status="unknown", message="its published solution cannot be read")
    return printed
