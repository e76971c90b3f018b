"""Make the boards of jobs, rows and members from records, tables and originals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.certify import clashing_givens
from pipeline.errors import PipelineError
from pipeline.files import read_regular
from pipeline.outbox.originals import MAX_SMALL_BYTES, SmallOriginals
from pipeline.outbox.report.board import MAX_DRAWN_SIDE, Board
from pipeline.outbox.report.published_jobs import PublishedJob, job_of_member, places_of
from pipeline.outbox.schema import or_none
from pipeline.outbox.tables import MemberRow, PuzzleRow, parse_grid_line
from pipeline.puzzle.geometry import MAX_SIDE, MIN_SIDE, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.shapes import Place
from pipeline.reading.formats import (
    Parsed,
    filled_grid,
    is_written_as_values,
    parse_source,
    read_values,
    symbols_of,
)
from pipeline.reading.formats.dimacs import CNF_FORMAT
from pipeline.settings import Reading


class MemberJob(NamedTuple):
    """A member of an archive: its row, its job, and its content if it is a single puzzle."""

    row: MemberRow
    job: PublishedJob | None
    original: bytes | None


_BOX_SIZES = {6: (2, 3), 8: (2, 4), 10: (2, 5), 12: (3, 4), 15: (3, 5), 20: (4, 5), 24: (4, 6)}
_BOX_SIZES |= {n * n: (n, n) for n in range(2, 6)}
"""Maps the number of values to the height and width of a usual box."""


def board_of_job(job: PublishedJob, original: bytes | None) -> Board | str:
    """Make the board of a job of one puzzle.

    If there is no board, returns a sentence that says why, or an empty text.
    """
    if job.puzzle is None or job.puzzle.format == CNF_FORMAT:
        return "A formula has no board."
    record = job.puzzle
    height, width = record.box or (0, 0)
    if not MIN_SIDE <= height * width <= MAX_SIDE:
        height = width = 0
    if (n := height * width) > MAX_DRAWN_SIDE:
        limit = f"{MAX_DRAWN_SIDE}×{MAX_DRAWN_SIDE}"
        return f"{n}×{n} cells in boxes of {height}×{width}. Only boards up to {limit} are drawn."
    parsed, solution = _parse_small(original, job.reading), f"{job.stem}_1.solution"
    grid, symbols = None, ""
    if solution in job.files:
        boxes = f"{height}x{width}" if parsed is None and min(height, width) > 1 else "auto"
        reading = job.reading._replace(format="auto", boxes=boxes)
        grid, symbols = _read_solution(job.sibling(solution), parsed, reading)
    difference = or_none(record.difference)
    conflict_and_difference = (
        places_of(or_none(record.conflict) or ()),
        places_of(difference.cells if difference else ()),
    )
    rules_in_conflict = [rule.number - 1 for rule in or_none(record.conflict_rules) or ()]
    board = _make_board(parsed, grid, *conflict_and_difference, rules_in_conflict, symbols)
    if board is None:
        is_missing = original is None and height
        return "Neither a solution nor the original was found." if is_missing else ""
    return board


def board_of_row(row: PuzzleRow, second_solution: str, reading: Reading) -> Board | None:
    """Make the board of a row of a collection. Returns None if it cannot be drawn.

    `second_solution`: empty if it is unknown. `reading`: the options with which the collection was
    read.
    """
    if row.status in ("invalid", "unreadable"):
        return None
    parsed = _parse_line(row.puzzle, reading._replace(format="auto"))
    if parsed is None:
        return None
    geometry, symbols = parsed.puzzle.geometry, symbols_of(parsed.format)
    grid, second_grid = (
        parse_grid_line(text, symbols, geometry) for text in (row.solution, second_solution)
    )
    difference: list[Place] = []
    if grid and second_grid:
        pairs = enumerate(zip(grid.values, second_grid.values, strict=True))
        difference = [geometry.place(cell) for cell, (a, b) in pairs if a != b]
    conflict = clashing_givens(parsed.puzzle) if row.status == "unsolvable" else None
    return _make_board(parsed, grid, conflict.cells if conflict else (), difference)


def _make_board(
    parsed: Parsed | None,
    grid: Grid | None,
    conflict: Sequence[Place],
    difference: Sequence[Place],
    rules_in_conflict: Sequence[int] = (),
    symbols: str = "",
) -> Board | None:
    """Make a board of a puzzle and, if it has the same geometry, a solution.

    Returns None if both are missing, or if the board is too large.
    """
    puzzle = parsed.puzzle if parsed else None
    if puzzle and grid and puzzle.geometry != grid.geometry:
        grid = None
    if puzzle is None and grid is None:
        return None
    symbols = symbols_of(parsed.format) if parsed else symbols
    unread = parsed.unread if parsed else ()
    board = Board(puzzle, grid, conflict, difference, symbols, rules_in_conflict, unread)
    return board if board.is_drawable else None


def _parse_small(data: bytes | None, reading: Reading) -> Parsed | None:
    """Parse a puzzle of at most MAX_SMALL_BYTES. Returns None if this fails."""
    if data is None or len(data) > MAX_SMALL_BYTES:
        return None
    try:
        return parse_source(data, "", reading)
    except (PipelineError, ValueError, RecursionError):
        return None


def _read_solution(path: Path, parsed: Parsed | None, reading: Reading) -> tuple[Grid | None, str]:
    """Read a solution file. Returns its grid, and the characters of the grid's values.

    The grid is None if the file cannot be read.
    """
    try:
        data = read_regular(path, MAX_SMALL_BYTES)
        if parsed is not None and is_written_as_values(parsed.format, parsed.puzzle):
            return read_values(data, "", parsed.puzzle.geometry), ""
        if filled := _parse_small(data, reading):
            return filled_grid(filled.puzzle, path.name), symbols_of(filled.format)
    except (OSError, PipelineError, ValueError, RecursionError):
        pass
    return None, ""


def _parse_line(text: str, reading: Reading) -> Parsed | None:
    """Parse a puzzle in one line of characters or of numbers separated by spaces."""
    words = text.split()
    values = [int(word) for word in words if word.isdecimal() and len(word) < 3]
    side = round(len(words) ** 0.5)
    if len(words) < 2 or len(values) < len(words):
        return _parse_small(text.encode(errors="replace"), reading) if words else None
    if side * side != len(values):  # the first numbers are the height and width of a box
        return _parse_small(text.encode(), reading)
    if side not in _BOX_SIZES or max(values) > side:
        return None
    return Parsed(Puzzle.of_values(Geometry(*_BOX_SIZES[side]), values), "boxes", "", "classic")


def find_members(
    archive: PublishedJob, rows: Iterable[tuple[int, MemberRow]], originals: SmallOriginals
) -> list[MemberJob]:
    """Find the jobs and the contents of members of an archive.

    `rows`: rows of the archive's table, each with its index from 0.
    """
    jobs = [(row, job_of_member(archive, index, row)) for index, row in rows]
    records = (job.puzzle for _, job in jobs if job and job.status != "other")
    hashes = {record.sha256 for record in records if record and record.sha256}
    contents = originals.find_members(archive.source, hashes)
    return [
        MemberJob(row, job, contents.get(job.record.sha256 or "") if job else None)
        for row, job in jobs
    ]
