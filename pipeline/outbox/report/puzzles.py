"""An outbox, a record or a table → its puzzles in order, each with its board, to be printed.

Every published solution is certified again before it is given.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pipeline.certify import certify_grid
from pipeline.errors import InputError, printable
from pipeline.outbox import ENDING, file_hashes, read_record
from pipeline.outbox.names import REPORT
from pipeline.outbox.originals import Originals, SmallOriginals, archive_above
from pipeline.outbox.report.board import Board
from pipeline.outbox.report.drawn import board_of_job, board_of_row, members_in
from pipeline.outbox.report.records import (
    NOT_WELL,
    UNRECOGNISED,
    Job,
    read_job,
    shortened,
    shown,
)
from pipeline.outbox.report.sheet import SheetPuzzle
from pipeline.outbox.report.survey import is_record
from pipeline.outbox.schema import ARCHIVE, PuzzleRecord, or_none
from pipeline.outbox.tables import MemberRow, rows_in, rows_with_solutions
from pipeline.reading.formats.formula import CNF_FORMAT, FORMULA_REFUSED

_TABLE = ".csv"
_UNDRAWN = NOT_WELL - {"unknown"} | {UNRECOGNISED}
_MEMBERS_AT_ONCE = 1_000
_MOST_MEMBERS = 50_000
"""Members of originals that are read."""

_LONGEST_NUMBER = 20


def is_published(path: Path) -> bool:
    """Whether this is an outbox, a record, or a table with its record. Raises OSError.

    A folder with only a report is an outbox whose jobs were all pruned.
    """
    if path.is_dir():
        names = {entry.name for entry in path.iterdir() if not entry.name.startswith(".")}
        return names == {REPORT} or any(read_record(entry) for entry in _records_in(path))
    if path.suffix == ENDING:
        return read_record(path) is not None
    record = read_record(path.with_suffix(ENDING)) if path.suffix == _TABLE else None
    return record is not None and path.name in file_hashes(record)


def puzzles_at(path: Path, originals: Originals) -> Iterator[SheetPuzzle | InputError]:
    """The puzzles of what `is_published`; an error in the place of each that cannot be drawn.

    Raises OSError if an outbox cannot be read.
    """
    small = SmallOriginals(originals, iter(range(_MOST_MEMBERS)))
    for record in _records_in(path) if path.is_dir() else (path.with_suffix(ENDING),):
        yield from _of_record(record, small)


def _records_in(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if is_record(entry.name))
    return (folder / name for name in names)


def _of_record(record: Path, small: SmallOriginals) -> Iterator[SheetPuzzle | InputError]:
    job = read_job(record)
    if job is None:
        yield InputError(f"{printable(record.name)}: there is no such record")
    elif job.status == ARCHIVE:
        yield from _members(job, small)
    elif job.is_many or or_none(job.record.member) is None:
        yield from _puzzles_of(job, job.source, small.content_of(job.record))
    else:
        above = archive_above(record)
        original = None
        if above and (hashed := job.record.sha256):
            original = small.in_archive(above[1].source, {hashed}).get(hashed)
        yield from _puzzles_of(job, job.source, original)


def _members(archive: Job, small: SmallOriginals) -> Iterator[SheetPuzzle | InputError]:
    try:
        rows = rows_in(archive.path.with_suffix(_TABLE), MemberRow, archive.record.schema)
        numbered = enumerate(rows)
        while batch := [*islice(numbered, _MEMBERS_AT_ONCE)]:
            for row, job, original in members_in(archive, batch, small):
                where = f"{archive.source}/{row.member}"
                if job is not None:
                    yield from _puzzles_of(job, where, original)
                elif row.status in _UNDRAWN:
                    yield _undrawn(where, row.status, row.message)
                elif row.status != "other":
                    yield _undrawn(where, "not drawn", "its record was not found")
    except InputError as error:
        yield error


def _puzzles_of(job: Job, where: str, original: bytes | None) -> Iterator[SheetPuzzle | InputError]:
    """The puzzles of a job."""
    if job.puzzle is None:
        yield from _rows(job, where)
    elif job.status != "other":
        yield _single(job, job.puzzle, where, original)


def _single(
    job: Job, record: PuzzleRecord, where: str, original: bytes | None
) -> SheetPuzzle | InputError:
    if record.format == CNF_FORMAT:
        return InputError(f"{printable(where)}: {FORMULA_REFUSED}")
    if job.status in _UNDRAWN:
        return _undrawn(where, job.status, job.message)
    board = board_of_job(job, original)
    if isinstance(board, Board) and board.puzzle:
        title = shown(or_none(record.title))
        return _certified(
            SheetPuzzle(job.source, board, job.status, job.message, where, title=title)
        )
    if original is None:
        why = "its original was not found; --inbox names the folder where it was dropped"
    else:
        why = board if isinstance(board, str) and board else "its original cannot be read"
    return _undrawn(where, "not drawn", why)


def _rows(job: Job, where: str) -> Iterator[SheetPuzzle | InputError]:
    second = f"{job.stem}_2.solution"
    names = [second] if second in job.files else []
    try:
        rows = rows_with_solutions(job.path.parent, job.stem, names, job.record.schema)
        for row, solutions in rows:
            line = shortened(row.line, _LONGEST_NUMBER)
            here, message = (
                f"{where}:{line}",
                "; ".join(filter(None, (row.message, row.disagreement))),
            )
            if row.status in _UNDRAWN:
                yield _undrawn(here, row.status, row.message)
            elif (
                board := board_of_row(row, solutions.get(second, ""), job.reading)
            ) and board.puzzle:
                name = f"{job.source}, line {line}"
                yield _certified(
                    SheetPuzzle(name, board, row.status, message, here, title=row.title)
                )
            else:
                yield _undrawn(here, "not drawn", "the table's puzzle cannot be drawn")
    except InputError as error:
        yield InputError(f"{printable(where)}: {error}")


def _undrawn(where: str, subject: str, why: str) -> InputError:
    return InputError(f"{printable(where)}: {shortened(subject)}: {shortened(why)}")


def _certified(printed: SheetPuzzle) -> SheetPuzzle | InputError:
    """The puzzle, if its solution is one: an outbox is open to others."""
    board = printed.board
    if board.puzzle and board.grid and (fault := certify_grid(board.puzzle, board.grid)):
        return _undrawn(
            printed.where, "BAD", f"its published solution breaks the rules: {fault[0]}"
        )
    if board.grid is None and printed.status in ("unique", "multiple"):
        return replace(printed, status="unknown", message="its published solution cannot be read")
    return printed
