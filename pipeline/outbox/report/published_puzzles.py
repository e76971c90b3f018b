"""Read the puzzles of an outbox, a record or a table in order, to print them on sheets.

Their published solutions are certified again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pipeline.certify import certify_grid
from pipeline.errors import InputError, printable
from pipeline.outbox import RECORD_SUFFIX, file_hashes, read_record
from pipeline.outbox.archive_rows import archive_table, member_summaries
from pipeline.outbox.names import REPORT, STEPS_FOLDER
from pipeline.outbox.originals import Originals, SmallOriginals, enclosing_archive
from pipeline.outbox.report.board import Board
from pipeline.outbox.report.job_boards import board_of_job, board_of_row, find_members
from pipeline.outbox.report.published_jobs import (
    ERROR_STATUSES,
    UNRECOGNISED,
    PublishedJob,
    display_text,
    read_job,
    shorten,
)
from pipeline.outbox.report.sheet import SheetPuzzle
from pipeline.outbox.report.survey import is_record
from pipeline.outbox.schema import ARCHIVE, PuzzleRecord, or_none
from pipeline.outbox.tables import rows_with_solutions
from pipeline.reading.formats.dimacs import CNF_FORMAT, FORMULA_REFUSED

_TABLE_SUFFIX = ".csv"
_UNDRAWN_STATUSES = ERROR_STATUSES - {"unknown"} | {UNRECOGNISED}
"""The statuses of puzzles that are not printed."""

_BATCH_MEMBERS = 1_000
"""Number of archive members whose originals are searched for together."""

_MAX_MEMBERS = 50_000
"""Maximum number of archive members that are read to find originals."""

_MAX_NUMBER_CHARACTERS = 20


def is_published(path: Path) -> bool:
    """Whether a path is an outbox, a record, or a table that a record lists. Raises OSError.

    A folder that contains only a report is an outbox too: `prune` removed all of its jobs.
    """
    if path.is_dir():
        names = {entry.name for entry in path.iterdir() if not entry.name.startswith(".")}
        return names - {STEPS_FOLDER} == {REPORT} or any(
            read_record(entry) for entry in _records_in(path)
        )
    if path.suffix == RECORD_SUFFIX:
        return read_record(path) is not None
    record = read_record(path.with_suffix(RECORD_SUFFIX)) if path.suffix == _TABLE_SUFFIX else None
    return record is not None and path.name in file_hashes(record)


def puzzles_at(path: Path, originals: Originals) -> Iterator[SheetPuzzle | InputError]:
    """Yield the puzzles of an outbox, a record or a table: a path that `is_published` accepts.

    For each puzzle that cannot be drawn, yields an InputError. Raises OSError if an outbox cannot
    be read.
    """
    small_originals = SmallOriginals(originals, iter(range(_MAX_MEMBERS)))
    for record in _records_in(path) if path.is_dir() else (path.with_suffix(RECORD_SUFFIX),):
        yield from _puzzles_of_record(record, small_originals)


def _records_in(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if is_record(entry.name))
    return (folder / name for name in names)


def _puzzles_of_record(
    record: Path, small_originals: SmallOriginals
) -> Iterator[SheetPuzzle | InputError]:
    """Yield the puzzles of the job with this record."""
    job = read_job(record)
    if job is None:
        yield InputError(f"{printable(record.name)}: no such record")
    elif job.status == ARCHIVE:
        yield from _puzzles_of_archive(job, small_originals)
    elif job.has_many_puzzles or or_none(job.record.member) is None:
        yield from _puzzles_of_job(job, job.source, small_originals.content_of(job.record))
    else:
        archive = enclosing_archive(record)
        original = None
        if archive and (hashed := job.record.sha256):
            original = small_originals.find_members(archive[1].source, {hashed}).get(hashed)
        yield from _puzzles_of_job(job, job.source, original)


def _puzzles_of_archive(
    archive: PublishedJob, small_originals: SmallOriginals
) -> Iterator[SheetPuzzle | InputError]:
    try:
        table = archive_table(archive.path.with_suffix(_TABLE_SUFFIX), archive.record.schema)
        numbered = enumerate(member_summaries(table))
        while batch := [*islice(numbered, _BATCH_MEMBERS)]:
            for row, job, original in find_members(archive, batch, small_originals):
                where = f"{archive.source}/{row.member}"
                if job is not None:
                    yield from _puzzles_of_job(job, where, original)
                elif row.status in _UNDRAWN_STATUSES:
                    yield _undrawn_error(where, row.status, row.message)
                elif row.status != "other":
                    yield _undrawn_error(where, "not drawn", "its record was not found")
    except InputError as error:
        yield error


def _puzzles_of_job(
    job: PublishedJob, where: str, original: bytes | None
) -> Iterator[SheetPuzzle | InputError]:
    """Yield the puzzles of a job. `where`: the job's source, for messages."""
    if job.puzzle is None:
        yield from _puzzles_of_collection(job, where)
    elif job.status != "other":
        yield _single_puzzle(job, job.puzzle, where, original)


def _single_puzzle(
    job: PublishedJob, record: PuzzleRecord, where: str, original: bytes | None
) -> SheetPuzzle | InputError:
    if record.format == CNF_FORMAT:
        return InputError(f"{printable(where)}: {FORMULA_REFUSED}")
    if job.status in _UNDRAWN_STATUSES:
        return _undrawn_error(where, job.status, job.message)
    board = board_of_job(job, original)
    if isinstance(board, Board) and board.puzzle:
        title = display_text(or_none(record.title))
        return _check_solution(
            SheetPuzzle(job.source, board, job.status, job.message, where, title=title)
        )
    if original is None:
        reason = "its original was not found; give the inbox with --inbox"
    else:
        reason = board if isinstance(board, str) and board else "its original cannot be read"
    return _undrawn_error(where, "not drawn", reason)


def _puzzles_of_collection(job: PublishedJob, where: str) -> Iterator[SheetPuzzle | InputError]:
    second = f"{job.stem}_2.solution"
    names = [second] if second in job.files else []
    try:
        rows = rows_with_solutions(job.path.parent, job.stem, names, job.record.schema)
        for row, solutions in rows:
            line = shorten(row.line, _MAX_NUMBER_CHARACTERS)
            row_name = f"{where}:{line}"
            message = "; ".join(filter(None, (row.message, row.disagreement)))
            if row.status in _UNDRAWN_STATUSES:
                yield _undrawn_error(row_name, row.status, row.message)
            elif (
                board := board_of_row(row, solutions.get(second, ""), job.reading)
            ) and board.puzzle:
                name = f"{job.source}, line {line}"
                yield _check_solution(
                    SheetPuzzle(name, board, row.status, message, row_name, title=row.title)
                )
            else:
                yield _undrawn_error(row_name, "not drawn", "the table's puzzle cannot be drawn")
    except InputError as error:
        yield InputError(f"{printable(where)}: {error}")


def _undrawn_error(where: str, status: str, reason: str) -> InputError:
    return InputError(f"{printable(where)}: {shorten(status)}: {shorten(reason)}")


def _check_solution(puzzle: SheetPuzzle) -> SheetPuzzle | InputError:
    """Return the puzzle, or an error if its published solution is wrong.

    Other programs can write to an outbox, so solutions are not trusted. A solved puzzle whose
    solution is missing gets the status `unknown`.
    """
    board = puzzle.board
    if board.puzzle and board.grid and (fault := certify_grid(board.puzzle, board.grid)):
        return _undrawn_error(
            puzzle.where, "BAD", f"its published solution breaks the rules: {fault[0]}"
        )
    if board.grid is None and puzzle.status in ("unique", "multiple"):
        return replace(puzzle, status="unknown", message="its published solution cannot be read")
    return puzzle
