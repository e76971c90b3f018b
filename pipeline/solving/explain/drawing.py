"""Puzzles and lines of files in plain text, with cells or a column marked."""

from __future__ import annotations

import codecs
import io
from collections.abc import Collection, Sequence
from itertools import islice, pairwise

from pipeline.errors import printable
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle

_EVEN, _ODD, _OTHER = "*", ".", "?"
_NARROWEST = 20
_CUT = "…"


def marked_grid(puzzle: Puzzle, cells: Collection[tuple[int, int]]) -> str:
    """Draw the puzzle between box lines, with these cells (row, column from 1) in brackets.

    Even marks are `*` and odd ones `.`, as in files. Blanks are `.`, or `_` among marks. No
    newline at the end.
    """
    geometry = puzzle.geometry
    n = geometry.side
    signs = {1 << value - 1: str(value) for value in range(1, n + 1)}
    marks = {geometry.even_values: _EVEN, geometry.odd_values: _ODD}
    marks = {mask: sign for mask, sign in marks.items() if mask not in signs}
    signs |= marks
    blank = "." if {*puzzle.cells} <= signs.keys() - marks.keys() | {geometry.all_values} else "_"
    signs[geometry.all_values] = blank
    shown = [signs.get(mask, _OTHER) for mask in puzzle.cells]
    marked = frozenset(geometry.cell_at(row, column) for row, column in cells)
    return _between_lines(geometry, shown, len(str(n)), marked)


def boxed_grid(grid: Grid, signs: str = "") -> str:
    """Draw the grid between box lines; `signs` are those of the values 1, 2, … if not numbers.

    No newline at the end.
    """
    shown = [signs[value - 1 : value] or str(value) for value in grid.values]
    return _between_lines(grid.geometry, shown, max(map(len, shown)))


def _between_lines(
    geometry: Geometry,
    shown: Sequence[str],
    size: int,
    marked: Collection[int | None] = frozenset(),
) -> str:
    """Draw cells of that size between box lines, the marked ones in brackets.

    Boxes of one row or column have no lines; between several grids there is room.
    """
    rows, columns = geometry.extent
    height, width = _box(geometry)
    starts = range(1, columns + 1, width)
    lines: list[str] = []
    before: list[str] = []
    for row in range(1, rows + 1):
        pieces = []
        for start in starts:
            cells = [geometry.cell_at(row, column) for column in range(start, start + width)]
            pieces.append("".join(_in_cell(cell, shown, size, marked) for cell in cells))
        if before and row % height == 1:
            dashes = ("".join(pair).strip() for pair in zip(before, pieces, strict=True))
            between = ["-" * ((size + 2) * width) if each else "" for each in dashes]
            lines.append(_joined(between, (size + 2) * width, "+"))
        lines.append(_joined(pieces, (size + 2) * width, "|"))
        before = pieces
    return "\n".join(lines)


def _box(geometry: Geometry) -> tuple[int, int]:
    """Rows and columns between the lines; all of them if they would not be those of the boxes."""
    height, width = geometry.height, geometry.width
    in_step = all(top % height == 0 == left % width for top, left in geometry.grids)
    return (height, width) if geometry.has_boxes and in_step else geometry.extent


def _in_cell(
    cell: int | None, shown: Sequence[str], size: int, marked: Collection[int | None]
) -> str:
    if cell is None:
        return " " * (size + 2)
    return f"[{shown[cell]:>{size}}]" if cell in marked else f" {shown[cell]:>{size}} "


def _joined(pieces: Sequence[str], size: int, sign: str) -> str:
    """Pieces of a line of that size, with a sign between two unless both are empty."""
    line = pieces[0].ljust(size)
    for one, other in pairwise(pieces):
        line += (sign if one.strip() or other.strip() else " ") + other.ljust(size)
    return line.rstrip()


LARGEST_SHOWN = 1024 * 1024
"""Bytes of the largest source of which a line is shown."""


def line_at(data: bytes, number: int) -> str | None:
    """A line (from 1) of a source's bytes, numbered as in InvalidPuzzle; None if it has fewer.

    Also None for more than LARGEST_SHOWN bytes. What is not UTF-8 becomes U+FFFD.
    """
    if len(data) > LARGEST_SHOWN:
        return None
    text = data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    line = next(islice(io.StringIO(text, newline=None), number - 1, None), None)
    return None if line is None else line.rstrip("\n")


def caret(line: str, column: int, width: int = 100) -> str:
    """The line, and below it a caret under its column (from 1; one past the end is allowed).

    At most `width` (at least 20) characters are shown: text far from the caret is replaced by
    `…`. A tab is one space, and unprintable characters are escaped. No newline at the end.
    """
    width = max(width, _NARROWEST)
    line = line.rstrip("\r\n").replace("\t", " ")
    at = min(max(column, 1), len(line) + 1) - 1
    before = printable(line[max(0, at - width) : at])
    here = printable(line[at : at + 1])
    after = printable(line[at + 1 : at + 1 + width])
    room = width - max(1, len(here))
    if len(before) + len(after) > room:
        room -= 2 * len(_CUT)
        on_the_right = min(len(after), room // 2)
        on_the_left = min(len(before), room - on_the_right)
        if on_the_left < len(before):
            before = _CUT + before[len(before) - on_the_left :]
        if room - on_the_left < len(after):
            after = after[: room - on_the_left] + _CUT
    return f"{before}{here}{after}\n{' ' * len(before)}^"
