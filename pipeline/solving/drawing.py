"""Draw boards, and lines of a source with a caret, as text for a terminal."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Collection, Sequence
from itertools import islice, pairwise

from pipeline.errors import printable
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle

_EVEN, _ODD, _OTHER = "*", ".", "?"
_GAP, _WIDEST = 4, 100
"""Columns between two boards, and of a line with two boards."""

_ESCAPE = re.compile(r"\x1b\[\dm")

_NARROWEST = 20
_CUT = "…"

MAX_SHOWN_BYTES = 1024 * 1024
"""Size in bytes of the largest source of which a line is shown."""


def marked_grid(puzzle: Puzzle, cells: Collection[tuple[int, int]], signs: str = "") -> str:
    """Draw the puzzle with lines between boxes and these cells (row, column from 1) in brackets.

    Even marks are `*` and odd ones `.`, as in files. Blanks are `.`, or `_` if there are marks.
    `signs` are the letters of the values 1, 2, … if they are not numbers. No newline at the end.
    """
    geometry = puzzle.geometry
    text_of_mask = {1 << bit: _sign(value, signs) for bit, value in enumerate(geometry.values)}
    size = max(map(len, text_of_mask.values()))
    marks = {geometry.even_values: _EVEN, geometry.odd_values: _ODD}
    marks = {mask: sign for mask, sign in marks.items() if mask not in text_of_mask}
    text_of_mask |= marks
    blank = (
        "."
        if {*puzzle.cells} <= text_of_mask.keys() - marks.keys() | {geometry.all_values}
        else "_"
    )
    text_of_mask[geometry.all_values] = blank
    texts = [text_of_mask.get(mask, _OTHER) for mask in puzzle.cells]
    marked = frozenset(geometry.cell_at(row, column) for row, column in cells)
    return _lined_grid(geometry, texts, size, marked)


def boxed_grid(
    grid: Grid,
    signs: str = "",
    bold: Collection[int] = frozenset(),
    marked: Collection[int | None] = frozenset(),
) -> str:
    """Draw the grid with lines between boxes, `bold` cells with escapes, `marked` ones in brackets.

    `signs` are the letters of the values 1, 2, … if they are not numbers. No newline at the end.
    """
    texts = [_sign(value, signs) for value in grid.values]
    size = max(map(len, texts))
    for cell in bold:
        texts[cell] = f"\x1b[1m{texts[cell]:>{size}}\x1b[0m"
    return _lined_grid(grid.geometry, texts, size, marked)


def _sign(value: int, signs: str) -> str:
    return signs[value - 1 : value] or str(value)


def side_by_side(one: Grid, other: Grid, signs: str = "") -> str:
    """Draw two grids of one geometry as `boxed_grid` does, with differing cells in brackets.

    Large grids are drawn one below the other.
    """
    pairs = enumerate(zip(one.values, other.values, strict=True))
    marked = frozenset(cell for cell, (a, b) in pairs if a != b)
    return join_boards([boxed_grid(grid, signs, marked=marked) for grid in (one, other)], _WIDEST)


def join_boards(boards: Sequence[str], columns: int) -> str:
    """Put boards of one geometry side by side, as many per row as fit into `columns`."""
    lines, width = [board.splitlines() for board in boards], _text_width(boards[0]) + _GAP
    count = boards_per_row(boards[0], columns)
    blocks = []
    for start in range(0, len(lines), count):
        rows = zip(*lines[start : start + count], strict=True)
        padded = ("".join(line + " " * (width - _text_width(line)) for line in row) for row in rows)
        blocks.append("\n".join(line.rstrip() for line in padded))
    return "\n\n".join(blocks)


def boards_per_row(board: str, columns: int) -> int:
    """The number of boards of this size that `join_boards` puts in a row, at least 1."""
    return max(1, (columns + _GAP) // (_text_width(board) + _GAP))


def _text_width(board: str) -> int:
    """The width of a board or line without its escapes."""
    return max(map(len, _ESCAPE.sub("", board).splitlines()), default=0)


def _lined_grid(
    geometry: Geometry,
    texts: Sequence[str],
    size: int,
    marked: Collection[int | None] = frozenset(),
) -> str:
    """Draw cells of `size` columns with lines between boxes, and the marked ones in brackets.

    Boxes of one row or column have no lines. Gaps between several grids stay empty.
    """
    rows, columns = geometry.extent
    height, width = _box_size(geometry)
    starts = range(1, columns + 1, width)
    lines: list[str] = []
    before: list[str] = []
    for row in range(1, rows + 1):
        segments = []
        for start in starts:
            cells = [geometry.cell_at(row, column) for column in range(start, start + width)]
            segments.append("".join(_cell_text(cell, texts, size, marked) for cell in cells))
        if before and row % height == 1:
            dashes = ("".join(pair).strip() for pair in zip(before, segments, strict=True))
            between = ["-" * ((size + 2) * width) if drawn else "" for drawn in dashes]
            lines.append(_join_segments(between, (size + 2) * width, "+"))
        lines.append(_join_segments(segments, (size + 2) * width, "|"))
        before = segments
    return "\n".join(lines)


def _box_size(geometry: Geometry) -> tuple[int, int]:
    """Rows and columns between lines; the whole extent if lines cannot follow the boxes."""
    height, width = geometry.height, geometry.width
    is_aligned = all(top % height == 0 == left % width for top, left in geometry.grids)
    return (height, width) if geometry.has_boxes and is_aligned else geometry.extent


def _cell_text(
    cell: int | None, texts: Sequence[str], size: int, marked: Collection[int | None]
) -> str:
    if cell is None:
        return " " * (size + 2)
    return f"[{texts[cell]:>{size}}]" if cell in marked else f" {texts[cell]:>{size}} "


def _join_segments(segments: Sequence[str], size: int, sign: str) -> str:
    """Join segments of `size` columns with `sign`, or a space between two empty ones."""
    line = segments[0].ljust(size)
    for one, other in pairwise(segments):
        line += (sign if one.strip() or other.strip() else " ") + other.ljust(size)
    return line.rstrip()


def line_at(data: bytes, number: int) -> str | None:
    """A line of a source, from 1, numbered as in InvalidPuzzle; None if there is no such line.

    Also None for more than MAX_SHOWN_BYTES. Invalid UTF-8 becomes U+FFFD.
    """
    if len(data) > MAX_SHOWN_BYTES:
        return None
    text = data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    line = next(islice(io.StringIO(text, newline=None), number - 1, None), None)
    return None if line is None else line.rstrip("\n")


def caret(line: str, column: int, width: int = 100) -> str:
    """The line, and a second one with a caret under `column` (from 1, up to one past the end).

    Shows at most `width` characters, 20 or more, and replaces text far from the caret by `…`. Tabs
    become one space, and unprintable characters are escaped. No newline at the end.
    """
    width = max(width, _NARROWEST)
    line = line.rstrip("\r\n").replace("\t", " ")
    index = min(max(column, 1), len(line) + 1) - 1
    before = printable(line[max(0, index - width) : index])
    here = printable(line[index : index + 1])
    after = printable(line[index + 1 : index + 1 + width])
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
