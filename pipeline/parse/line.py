"""Line: a whole puzzle in one line of 16, 36, 64 or 81 cells; and lines: many of them.

    # easy
    53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
    53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79 1.2 name

A collection may have more fields after the puzzle, or a hash before it. Fields are separated by
white space, commas, semicolons or bars. 162 characters are a puzzle and its solution.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.errors import InvalidPuzzle, counted
from pipeline.parse.base import Collection, Format, Found, Head
from pipeline.parse.cells import GEOMETRIES, check_characters, puzzle_of, render_cells
from pipeline.parse.cutting import cut_lines
from pipeline.parse.fields import Fields, entries, find_fields
from pipeline.parse.text import Text
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

_LENGTHS = tuple(side * side for side in GEOMETRIES)
_EXPECTED = "a line of 16, 36, 64 or 81 cells"
_LONGEST_ROW = max(GEOMETRIES)


def recognise_line(text: Text) -> str | None:
    lengths = [len(row.cells) for row in text.rows]
    if len(lengths) == 1 and lengths[0] > _LONGEST_ROW:
        return f"one line of {lengths[0]} cells"
    if sum(length in _LENGTHS for length in lengths) > len(lengths) / 2:
        return "whole puzzles in single lines"
    return None


def parse_line(text: Text, reading: Reading) -> Found:
    lines = text.rows or text.lines
    if len(lines) > 1:
        expected = "a single puzzle (`run` and `watch` read files of many)"
        raise text.error(lines[1].number, 1, expected, f"{len(lines)} lines")
    first = lines[0]
    check_characters(text, lines)
    count = len(first.cells)
    may_go_on = count < max(_LENGTHS)
    if count not in _LENGTHS:
        end, found = len(first.text) + 1, counted(count, "cell")
        raise text.error(first.number, end, _EXPECTED, found, truncated=may_go_on)
    try:
        return puzzle_of(text, lines, reading.variant)
    except InvalidPuzzle as error:  # a longer line of a larger puzzle, perhaps
        raise replace(error, truncated=may_go_on) from None


def render_line(puzzle: Puzzle) -> str:
    return render_cells(puzzle) + "\n"


def recognise_lines(head: Head) -> tuple[Fields, str] | None:
    if head.is_single:
        return None
    found = find_fields(head)
    fields = found.fields
    if head.declared:
        return (fields if found.good and not fields.delimiter else Fields()), "it is declared"
    if not found.is_collection or fields.delimiter is not None:
        return None
    where = f"in field {fields.column + 1} of each line" if fields.column else "in single lines"
    return fields, f"whole puzzles {where}"


LINES = Collection("lines", recognise_lines, cut_lines, entries)
LINE = Format("line", recognise_line, parse_line, render_line, many=LINES)
