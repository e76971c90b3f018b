"""Draw boards, and lines of a file with a caret, as text for a terminal."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Collection, Sequence
from itertools import islice, pairwise

from pipeline.errors import printable
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle

_EVEN, _ODD, _OTHER_MARK = "*", ".", "?"
"""The characters for even, odd and other marks."""

_GAP, _MAX_WIDTH = 4, 100
"""Number of spaces between two boards; maximum width of two boards side by side."""

_ESCAPE = re.compile(r"\x1b\[\dm")
"""An escape sequence for bold text."""

_MIN_LINE_WIDTH = 20
"""Minimum width of a line that is shown above a caret."""

_ELLIPSIS = "…"
"""The character for text of a line that is left out."""

MAX_SHOWN_BYTES = 1024 * 1024
"""Maximum size of a file of which a line is shown."""


def marked_grid(puzzle: Puzzle, cells: Collection[tuple[int, int]], symbols: str = "") -> str:
    """Draw a puzzle with lines between boxes. Returns text without a newline at the end.

    - `cells`: cells to put in brackets, as (row, column), counted from 1.
    - `symbols`: the characters of the values 1, 2, …; empty for numbers.

    Even marks are `*`, odd marks are `.`, and other marks are `?`. Blanks are `.`, or `_` if there
    are marks.
    """
    geometry = puzzle.geometry
    text_of_mask = {
        1 << bit: _value_text(value, symbols) for bit, value in enumerate(geometry.values)
    }
    width = max(map(len, text_of_mask.values()))
    marks = {geometry.even_values: _EVEN, geometry.odd_values: _ODD}
    marks = {mask: mark for mask, mark in marks.items() if mask not in text_of_mask}
    text_of_mask |= marks
    blank = (
        "."
        if {*puzzle.cells} <= text_of_mask.keys() - marks.keys() | {geometry.all_values}
        else "_"
    )
    text_of_mask[geometry.all_values] = blank
    texts = [text_of_mask.get(mask, _OTHER_MARK) for mask in puzzle.cells]
    marked = frozenset(geometry.cell_at(row, column) for row, column in cells)
    return _lined_grid(geometry, texts, width, marked)


def boxed_grid(
    grid: Grid,
    symbols: str = "",
    bold: Collection[int] = frozenset(),
    marked: Collection[int | None] = frozenset(),
) -> str:
    """Draw a grid with lines between boxes. Returns text without a newline at the end.

    - `symbols`: the characters of the values 1, 2, …; empty for numbers.
    - `bold`: cells to draw in bold, with escape sequences.
    - `marked`: cells to put in brackets.
    """
    texts = [_value_text(value, symbols) for value in grid.values]
    width = max(map(len, texts))
    for cell in bold:
        texts[cell] = f"\x1b[1m{texts[cell]:>{width}}\x1b[0m"
    return _lined_grid(grid.geometry, texts, width, marked)


def _value_text(value: int, symbols: str) -> str:
    """The symbol of a value, or the number if `symbols` is empty."""
    return symbols[value - 1 : value] or str(value)


def side_by_side(first: Grid, second: Grid, symbols: str = "") -> str:
    """Draw two grids of one geometry as `boxed_grid` does, with differing cells in brackets.

    Large grids are drawn one below the other.
    """
    pairs = enumerate(zip(first.values, second.values, strict=True))
    marked = frozenset(cell for cell, (a, b) in pairs if a != b)
    boards = [boxed_grid(grid, symbols, marked=marked) for grid in (first, second)]
    return join_boards(boards, _MAX_WIDTH)


def join_boards(boards: Sequence[str], columns: int) -> str:
    """Put boards of one geometry side by side, as many as fit into `columns`, the rest below."""
    lines, width = [board.splitlines() for board in boards], _text_width(boards[0]) + _GAP
    count = boards_per_row(boards[0], columns)
    blocks = []
    for start in range(0, len(lines), count):
        rows = zip(*lines[start : start + count], strict=True)
        padded = ("".join(line + " " * (width - _text_width(line)) for line in row) for row in rows)
        blocks.append("\n".join(line.rstrip() for line in padded))
    return "\n\n".join(blocks)


def boards_per_row(board: str, columns: int) -> int:
    """The number of boards like `board` that `join_boards` puts side by side, at least 1."""
    return max(1, (columns + _GAP) // (_text_width(board) + _GAP))


def _text_width(board: str) -> int:
    """The width of a board or line, without escape sequences."""
    return max(map(len, _ESCAPE.sub("", board).splitlines()), default=0)


def _lined_grid(
    geometry: Geometry,
    texts: Sequence[str],
    cell_width: int,
    marked: Collection[int | None] = frozenset(),
) -> str:
    """Draw the texts of cells with lines between boxes, and the marked cells in brackets.

    Boxes of a single row or column have no lines between them. Gaps between overlapping grids stay
    empty.
    """
    rows, columns = geometry.extent
    height, width = _box_size(geometry)
    starts = range(1, columns + 1, width)
    lines: list[str] = []
    segments_above: list[str] = []
    box_width = (cell_width + 2) * width
    for row in range(1, rows + 1):
        segments = []
        for start in starts:
            cells = [geometry.cell_at(row, column) for column in range(start, start + width)]
            segments.append("".join(_cell_text(cell, texts, cell_width, marked) for cell in cells))
        if segments_above and row % height == 1:
            pairs = zip(segments_above, segments, strict=True)
            dashes = ["-" * box_width if "".join(pair).strip() else "" for pair in pairs]
            lines.append(_join_segments(dashes, box_width, "+"))
        lines.append(_join_segments(segments, box_width, "|"))
        segments_above = segments
    return "\n".join(lines)


def _box_size(geometry: Geometry) -> tuple[int, int]:
    """The numbers of rows and columns between lines, or of the whole board if it has no lines."""
    height, width = geometry.height, geometry.width
    is_aligned = all(top % height == 0 == left % width for top, left in geometry.grids)
    return (height, width) if geometry.has_boxes and is_aligned else geometry.extent


def _cell_text(
    cell: int | None, texts: Sequence[str], width: int, marked: Collection[int | None]
) -> str:
    """The text of a cell, in brackets if it is marked; spaces for None."""
    if cell is None:
        return " " * (width + 2)
    return f"[{texts[cell]:>{width}}]" if cell in marked else f" {texts[cell]:>{width}} "


def _join_segments(segments: Sequence[str], width: int, separator: str) -> str:
    """Pad segments to `width`, and join them with `separator`, or a space if both are empty."""
    line = segments[0].ljust(width)
    for segment, following in pairwise(segments):
        line += (separator if segment.strip() or following.strip() else " ") + following.ljust(
            width
        )
    return line.rstrip()


def line_at(data: bytes, number: int) -> str | None:
    """The line of a file with this number, counted from 1, as in InvalidPuzzle.

    `data`: the content of the file. Returns None if there is no such line, or if the file is larger
    than MAX_SHOWN_BYTES. Invalid UTF-8 becomes U+FFFD.
    """
    if len(data) > MAX_SHOWN_BYTES:
        return None
    text = data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    line = next(islice(io.StringIO(text, newline=None), number - 1, None), None)
    return None if line is None else line.rstrip("\n")


def with_caret(line: str, column: int, width: int = 100) -> str:
    """A line of a file, and below it a line with a caret under `column`.

    Columns are counted from 1; the caret may be one past the end of the line. A line longer than
    `width` characters (at least 20) is shortened: `…` replaces text far from the caret. Tabs become
    one space, and unprintable characters are escaped. There is no newline at the end.
    """
    width = max(width, _MIN_LINE_WIDTH)
    line = line.rstrip("\r\n").replace("\t", " ")
    index = min(max(column, 1), len(line) + 1) - 1
    left = printable(line[max(0, index - width) : index])
    marked = printable(line[index : index + 1])
    right = printable(line[index + 1 : index + 1 + width])
    room = width - max(1, len(marked))
    if len(left) + len(right) > room:
        room -= 2 * len(_ELLIPSIS)
        right_width = min(len(right), room // 2)
        left_width = min(len(left), room - right_width)
        if left_width < len(left):
            left = _ELLIPSIS + left[len(left) - left_width :]
        if room - left_width < len(right):
            right = right[: room - left_width] + _ELLIPSIS
    return f"{left}{marked}{right}\n{' ' * len(left)}^"
