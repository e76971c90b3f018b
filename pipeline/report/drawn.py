"""What is published of a puzzle, and the original of it → the board that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipeline.certify import clashing_givens
from pipeline.errors import PipelineError
from pipeline.files import read_regular
from pipeline.parse import Parsed, parse_source
from pipeline.parse.characters import signs_of
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.report.board import LARGEST_DRAWN, Board, Place
from pipeline.report.originals import MOST_BYTES
from pipeline.report.records import Job
from pipeline.report.tables import Row
from pipeline.settings import Reading

_BOXES = {6: (2, 3), 8: (2, 4), 10: (2, 5), 12: (3, 4), 15: (3, 5), 20: (4, 5), 24: (4, 6)}
_BOXES |= {n * n: (n, n) for n in range(2, 6)}


def board_of_job(job: Job, folder: Path, original: bytes | None) -> Board | str:
    """The board of a job of one puzzle, whose files are in `folder`, or in words why not."""
    if job.format == "cnf":
        return "A formula, which has no board."
    height, width = job.box or (0, 0)
    if (n := height * width) > LARGEST_DRAWN:
        most = f"{LARGEST_DRAWN}×{LARGEST_DRAWN}"
        return f"{n}×{n} cells in boxes of {height}×{width}. Up to {most} are drawn."
    solution = f"{job.stem}_1.solution"
    read = _read(original, job.reading)
    filled = _read(_published(folder / solution), job.reading) if solution in job.files else None
    board = _board(read, filled, job.conflict, job.difference)
    if board is None:
        missed = original is None and job.box
        return "Neither a solution nor the original was found." if missed else ""
    return board


def board_of_row(row: Row, reading: Reading) -> Board | None:
    """The board of a puzzle of a collection, read as its source was; None if there is none."""
    if row.status in ("invalid", "unreadable"):
        return None
    one = reading._replace(format="auto")
    read, filled, other = (_line_read(text, one) for text in (row.puzzle, row.solution, row.other))
    difference: list[Place] = []
    first, second = (_grid(each) for each in (filled, other))
    if first and second and first.geometry == second.geometry:
        pairs = enumerate(zip(first.values, second.values, strict=True))
        difference = [first.geometry.place(cell) for cell, (a, b) in pairs if a != b]
    clash = clashing_givens(read.puzzle) if read and row.status == "unsolvable" else None
    return _board(read, filled, clash.cells if clash else (), difference)


def _board(
    read: Parsed | None,
    filled: Parsed | None,
    conflict: Sequence[Place],
    difference: Sequence[Place],
) -> Board | None:
    """What was read of a puzzle and its solution, as far as the two fit."""
    grid = _grid(filled)
    puzzle = read.puzzle if read else None
    if puzzle and grid and puzzle.geometry != grid.geometry:
        grid = None
    if puzzle is None and grid is None:
        return None
    told = read or filled
    board = Board(puzzle, grid, conflict, difference, signs_of(told.format) if told else "")
    return board if board.is_drawable else None


def _read(data: bytes | None, reading: Reading) -> Parsed | None:
    if data is None or len(data) > MOST_BYTES:
        return None
    try:
        return parse_source(data, "", *reading)
    except (PipelineError, ValueError, RecursionError):
        return None


def _published(path: Path) -> bytes | None:
    try:
        return read_regular(path, MOST_BYTES)
    except (OSError, ValueError):
        return None


def _grid(filled: Parsed | None) -> Grid | None:
    """The grid in a filled puzzle; None where a cell is left."""
    if filled is None:
        return None
    puzzle = filled.puzzle
    values = tuple(value for _, value in puzzle.givens())
    return Grid(puzzle.geometry, values) if len(values) == len(puzzle.cells) else None


def _line_read(text: str, reading: Reading) -> Parsed | None:
    """A puzzle in one line: of characters, or of numbers with spaces between."""
    words = text.split()
    if len(words) < 2:
        return _read(text.encode(errors="replace"), reading) if words else None
    side = round(len(words) ** 0.5)
    if side not in _BOXES or not all(word.isdecimal() and len(word) < 3 for word in words):
        return None
    values = [*map(int, words)]
    if side * side != len(values) or max(values) > side:
        return None
    return Parsed(Puzzle.of_values(Geometry(*_BOXES[side]), values), "boxes", "", "classic")
