"""Line: a whole puzzle in one line of 16, 36, 64 or 81 cells, alone in its file."""

from __future__ import annotations

from dataclasses import replace

from pipeline.errors import InvalidPuzzle, counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import GEOMETRIES, check_characters, puzzle_of, render_cells
from pipeline.parse.text import Text
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

LENGTHS = tuple(side * side for side in GEOMETRIES)
_EXPECTED = "a line of 16, 36, 64 or 81 cells"
_LONGEST_ROW = max(GEOMETRIES)


def recognise_line(text: Text) -> str | None:
    lengths = [len(line.cells) for line in text.lines if not line.is_border]
    if len(lengths) == 1 and lengths[0] > _LONGEST_ROW:
        return f"one line of {lengths[0]} cells"
    if sum(length in LENGTHS for length in lengths) > len(lengths) / 2:
        return "whole puzzles in single lines"
    return None


def parse_line(text: Text, reading: Reading) -> Found:
    lines = tuple(line for line in text.lines if not line.is_border) or text.lines
    if len(lines) > 1:
        second = lines[1]
        raise text.error(
            second.number,
            1,
            "a single puzzle (`run` and `watch` read files of many)",
            f"{len(lines)} lines",
        )
    first = lines[0]
    check_characters(text, lines)
    count = len(first.cells)
    if count not in LENGTHS:
        raise text.error(
            first.number,
            len(first.text) + 1,
            _EXPECTED,
            counted(count, "cell"),
            truncated=count < max(LENGTHS),
        )
    try:
        return puzzle_of(text, lines, reading.variant)
    except InvalidPuzzle as error:  # a longer line of a larger puzzle, perhaps
        raise replace(error, truncated=count < max(LENGTHS)) from None


def render_line(puzzle: Puzzle) -> str:
    """One line of n² characters."""
    return render_cells(puzzle) + "\n"


LINE = Format("line", recognise_line, parse_line, render_line)
