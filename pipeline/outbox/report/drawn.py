"""The original of a puzzle, and what is published of it → the board that shows it."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from pipeline.certify import clashing_givens
from pipeline.errors import PipelineError
from pipeline.files import read_regular
from pipeline.outbox.names import Originals
from pipeline.outbox.report.board import LARGEST_DRAWN, Board
from pipeline.outbox.report.records import Job
from pipeline.outbox.tables import PuzzleRow
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.puzzle.shapes import Place
from pipeline.reading.archives.limits import Room, UnpackError
from pipeline.reading.archives.walk import kind_of, opened, walk
from pipeline.reading.formats import (
    Parsed,
    is_written_as_values,
    parse_source,
    read_values,
    signs_of,
)
from pipeline.settings import Reading

_MOST_BYTES = 64 * 1024
"""The largest source that is drawn; 25×25 cells take no more than some 4 KiB."""

_PACKED = ("gzip", "bzip2", "xz")
_MOST_UNPACKED = Room(total_bytes=64 * 2**20, members=20_000)

_BOXES = {6: (2, 3), 8: (2, 4), 10: (2, 5), 12: (3, 4), 15: (3, 5), 20: (4, 5), 24: (4, 6)}
_BOXES |= {n * n: (n, n) for n in range(2, 6)}


def board_of_job(job: Job, folder: Path, original: bytes | None) -> Board | str:
    """The board of a job of one puzzle, whose files are in `folder`, or why there is none."""
    if job.format == "cnf":
        return "A formula, which has no board."
    height, width = job.box or (0, 0)
    if (n := height * width) > LARGEST_DRAWN:
        most = f"{LARGEST_DRAWN}×{LARGEST_DRAWN}"
        return f"{n}×{n} cells in boxes of {height}×{width}. Up to {most} are drawn."
    solution = f"{job.stem}_1.solution"
    read = _read(original, job.reading)
    data = _published(folder / solution) if solution in job.files else None
    in_any_format = job.reading._replace(format="auto")
    filled = _values_read(data, read) if _has_values(read) else _read(data, in_any_format)
    board = _board(read, filled, job.conflict, job.difference, job.rules_in_conflict)
    if board is None:
        missed = original is None and job.box
        return "Neither a solution nor the original was found." if missed else ""
    return board


def board_of_row(row: PuzzleRow, other: str, reading: Reading) -> Board | None:
    """The board of a puzzle of a collection, read as its source was; None if there is none.

    `other` is its second solution, if one is known.
    """
    if row.status in ("invalid", "unreadable"):
        return None
    one = reading._replace(format="auto")
    read = _line_read(row.puzzle, one)
    filled, second = (_solution_read(text, read, one) for text in (row.solution, other))
    difference: list[Place] = []
    grid, another = _grid(filled), _grid(second)
    if grid and another and grid.geometry == another.geometry:
        pairs = enumerate(zip(grid.values, another.values, strict=True))
        difference = [grid.geometry.place(cell) for cell, (a, b) in pairs if a != b]
    clash = clashing_givens(read.puzzle) if read and row.status == "unsolvable" else None
    return _board(read, filled, clash.cells if clash else (), difference)


def _board(
    read: Parsed | None,
    filled: Parsed | None,
    conflict: Sequence[Place],
    difference: Sequence[Place],
    rules: Sequence[int] = (),
) -> Board | None:
    """Combine a puzzle and its solution, as far as they match."""
    grid = _grid(filled)
    puzzle = read.puzzle if read else None
    if puzzle and grid and puzzle.geometry != grid.geometry:
        grid = None
    if puzzle is None and grid is None:
        return None
    told = read or filled
    signs = signs_of(told.format) if told else ""
    unread = read.unread if read else ()
    board = Board(puzzle, grid, conflict, difference, signs, rules, unread)
    return board if board.is_drawable else None


def _read(data: bytes | None, reading: Reading) -> Parsed | None:
    if data is None or len(data) > _MOST_BYTES:
        return None
    try:
        return parse_source(data, "", *reading)
    except (PipelineError, ValueError, RecursionError):
        return None


def _published(path: Path) -> bytes | None:
    try:
        return read_regular(path, _MOST_BYTES)
    except (OSError, ValueError):
        return None


def _grid(filled: Parsed | None) -> Grid | None:
    """The grid in a filled puzzle; None if a cell is blank."""
    if filled is None:
        return None
    puzzle = filled.puzzle
    values = tuple(value for _, value in puzzle.givens())
    return Grid(puzzle.geometry, values) if len(values) == len(puzzle.cells) else None


def _has_values(read: Parsed | None) -> bool:
    """Whether the solutions of a puzzle are no filled puzzles in its notation."""
    return read is not None and is_written_as_values(read.format, read.puzzle)


def _values_read(data: bytes | None, read: Parsed | None) -> Parsed | None:
    """Read a solution that is published of a puzzle with rules."""
    if data is None or read is None:
        return None
    try:
        grid = read_values(data, "", read.puzzle.geometry)
    except (PipelineError, ValueError, RecursionError):
        return None
    return replace(read, puzzle=Puzzle.of_values(grid.geometry, grid.values))


def _line_read(text: str, reading: Reading) -> Parsed | None:
    """Read a puzzle in one line: of characters, or of numbers with spaces between."""
    words = text.split()
    values = [int(word) for word in words if word.isdecimal() and len(word) < 3]
    side = round(len(words) ** 0.5)
    if len(words) < 2 or len(values) < len(words):
        return _read(text.encode(errors="replace"), reading) if words else None
    if side not in _BOXES or side * side != len(values) or max(values) > side:
        return None
    return Parsed(Puzzle.of_values(Geometry(*_BOXES[side]), values), "boxes", "", "classic")


def _solution_read(text: str, read: Parsed | None, reading: Reading) -> Parsed | None:
    """Read a solution in one line: the value of each cell, unless it is as a filled puzzle is."""
    if read is None or not _has_values(read):
        return _line_read(text, reading)
    words = text.split() if " " in text else [*text]
    geometry = read.puzzle.geometry
    values = [int(word) for word in words if word.isdecimal() and len(word) < 4]
    if len(values) != geometry.size or not all(0 < value <= geometry.side for value in values):
        return None
    return replace(read, puzzle=Puzzle.of_values(geometry, values))


def original_of(job: Job, originals: Originals) -> bytes | None:
    """The bytes that a record is about; None if they are gone, or too many."""
    for path in originals.named(job.source) if job.sha256 else ():
        for data in _contents(path):
            if sha256(data).hexdigest() == job.sha256:
                return data
    return None


def members_of(
    job: Job, originals: Originals, wanted: Collection[str], allowed: Iterator[int]
) -> Generator[str, None, dict[str, bytes]]:
    """Find the members of an archive or folder with these hashes, yielding after each.

    `allowed` has a number for each member that may still be read.
    """
    found: dict[str, bytes] = {}
    for path in originals.named(job.source) if wanted else ():
        with suppress(OSError, UnpackError, ValueError):
            for _, data in zip(allowed, _members_in(path), strict=False):
                hashed = sha256(data).hexdigest()
                if hashed in wanted:
                    found[hashed] = data
                if len(found) == len(wanted):
                    return found
                yield ""
    return found


def _contents(path: Path) -> Iterator[bytes]:
    """A file's bytes, and its unpacked content if compressed; nothing of a large one."""
    try:
        data = read_regular(path, _MOST_BYTES)
        if len(data) <= _MOST_BYTES:
            yield data
        if kind_of(path) in _PACKED:
            with opened(path, _MOST_UNPACKED) as stream:
                yield stream.read(_MOST_BYTES + 1)
    except (OSError, UnpackError):
        return


def _members_in(path: Path) -> Iterator[bytes]:
    """The bytes of each member that is small enough, with those of nested archives."""
    for member in walk(path, _MOST_UNPACKED):
        if member.stream is not None:
            with suppress(OSError, UnpackError):
                data = member.stream.read(_MOST_BYTES + 1)
                if len(data) <= _MOST_BYTES:
                    yield data
