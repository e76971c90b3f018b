"""Line: a whole puzzle in one line of 16, 36, 64 or 81 cells, alone in its file."""

from __future__ import annotations

from pipeline.parse.base import Format, Variant, WantedVariant
from pipeline.parse.cells import GEOMETRIES, check_characters, puzzle_of, render_cells
from pipeline.parse.text import Text
from pipeline.puzzle import Puzzle

LENGTHS = tuple(side * side for side in GEOMETRIES)
_EXPECTED = "a line of 16, 36, 64 or 81 cells"
_LONGEST_ROW = max(GEOMETRIES)


def recognise_line(text: Text) -> str | None:
    lengths = [len(line.cells) for line in text.lines]
    if len(lengths) == 1 and lengths[0] > _LONGEST_ROW and not text.lines[0].is_border:
        return f"one line of {lengths[0]} cells"
    if sum(length in LENGTHS for length in lengths) > len(lengths) / 2:
        return "whole puzzles in single lines"
    return None


def parse_line(text: Text, wanted: WantedVariant) -> tuple[Puzzle, Variant]:
    first = text.lines[0]
    if len(text.lines) > 1:
        second = text.lines[1]
        raise text.error(
            second.number,
            1,
            "a single puzzle (a collection, one puzzle a line, is not read yet)",
            f"{len(text.lines)} lines",
        )
    check_characters(text, text.lines)
    count = len(first.cells)
    if count not in LENGTHS:
        raise text.error(
            first.number,
            len(first.text) + 1,
            _EXPECTED,
            f"{count} cells",
            truncated=count < max(LENGTHS),
        )
    return puzzle_of(text, text.lines, wanted)


def render_line(puzzle: Puzzle) -> str:
    """One line of n² characters."""
    return render_cells(puzzle) + "\n"


LINE = Format("line", recognise_line, parse_line, render_line)
