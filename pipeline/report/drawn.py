"""What is published, and the original of it → the boards that show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pipeline.errors import PipelineError
from pipeline.files import read_regular
from pipeline.parse import Parsed, parse_source, signs_of
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.report.board import LARGEST_DRAWN, Board
from pipeline.report.originals import MOST_BYTES
from pipeline.report.records import Job
from pipeline.report.tables import Row
from pipeline.settings import Reading

_NAMED = re.compile(r"\brow (\d{1,2}), column (\d{1,2})\b", re.ASCII)
"""Cells in a message: a table says there, and nowhere else, which are in conflict."""

_BOXES = {6: (2, 3), 8: (2, 4), 10: (2, 5), 12: (3, 4), 15: (3, 5), 20: (4, 5), 24: (4, 6)}
_BOXES |= {n * n: (n, n) for n in range(2, 6)}


def board_of_job(job: Job, folder: Path, original: bytes | None) -> Board | None:
    """The board of a job of one puzzle; `folder` holds its files. None if there is none."""
    if job.format == "cnf" or (job.box and job.box[0] * job.box[1] > LARGEST_DRAWN):
        return None
    read = _read(original, job.reading) if original is not None else None
    solution = f"{job.stem}_1.solution"
    filled = _read(_published(folder / solution), job.reading) if solution in job.files else None
    return _board(read, filled, job.conflict, job.difference)


def board_of_row(row: Row, reading: Reading) -> Board | None:
    """The board of a puzzle of a collection, read as its source was; None if there is none."""
    if row.status in ("invalid", "unreadable"):
        return None
    one = reading._replace(format="auto")
    read, filled, other = (_line_read(text, one) for text in (row.puzzle, row.solution, row.other))
    difference: list[tuple[int, int]] = []
    first, second = (_grid(each) for each in (filled, other))
    if first and second and first.geometry == second.geometry:
        pairs = enumerate(zip(first.values, second.values, strict=True))
        difference = [first.geometry.place(cell) for cell, (a, b) in pairs if a != b]
    named = _NAMED.findall(row.message) if row.status == "unsolvable" else ()
    return _board(read, filled, [(int(r), int(c)) for r, c in named], difference)


def _board(
    read: Parsed | None,
    filled: Parsed | None,
    conflict: Sequence[tuple[int, int]],
    difference: Sequence[tuple[int, int]],
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
    if not text:
        return None
    words = text.split()
    if len(words) == 1:
        return _read(text.encode(errors="replace"), reading)
    side = round(len(words) ** 0.5)
    if side not in _BOXES or not all(word.isdecimal() and len(word) < 3 for word in words):
        return None
    values = [*map(int, words)]
    if side * side != len(values) or max(values) > side:
        return None
    return Parsed(Puzzle.of_values(Geometry(*_BOXES[side]), values), "boxes", "", "classic")
