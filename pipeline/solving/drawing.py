"""Draw boards, and lines of a file with a caret, as text for a terminal."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from pipeline.errors import printable
from pipeline.puzzle.boards import value_text
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.shapes import Place

_EVEN, _ODD, _OTHER_MARK = "*", ".", "?"
"""The characters for even, odd and other marks."""

_GAP = 2
"""Number of spaces between two boards."""

_ESCAPE = re.compile(r"\x1b\[[\d;]+m")
"""An escape sequence for bold or reverse text."""

_JUNCTIONS = " ╶╴─╷┌┐┬╵└┘┴│├┤┼"
"""The characters where borders meet. The index is the sum of 8 for a border above, 4 for one below,
2 for one on the left and 1 for one on the right."""

_TO_ASCII = str.maketrans({**dict.fromkeys(_JUNCTIONS[1:], "+"), "─": "-", "│": "|"})

_MIN_LINE_WIDTH = 20
"""Minimum width of a line that is shown above a caret."""

_ELLIPSIS = "…"
"""The character for text of a line that is left out."""

MAX_SHOWN_BYTES = 1024 * 1024
"""Maximum size of a file of which a line is shown."""


@dataclass(frozen=True, slots=True)
class BoardStyle:
    """How boards are drawn on a terminal.

    - `has_colours`: use escape sequences, for givens in bold, and for marked cells in reverse video
      instead of brackets.
    - `is_ascii`: draw borders without box-drawing characters.
    """

    has_colours: bool = False
    is_ascii: bool = False

    def cell_text(self, text: str, *, is_given: bool, is_marked: bool) -> str:
        """The text of a cell, bold or in reverse video if there are colours."""
        codes = ["1"] * is_given + ["7"] * is_marked
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes and self.has_colours else text


PLAIN_BOARD = BoardStyle()
"""Box-drawing characters without colours."""


def puzzle_board(
    puzzle: Puzzle,
    symbols: str = "",
    style: BoardStyle = PLAIN_BOARD,
    *,
    marked: Collection[int] = frozenset(),
) -> str:
    """Draw a puzzle with borders around boxes. Returns text without a newline at the end.

    - `symbols`: the characters of the values 1, 2, …; empty for numbers.
    - `marked`: cells to mark.

    Even marks are `*`, odd marks are `.`, and other marks are `?`. Blanks are `.`, or `_` if there
    are marks.
    """
    geometry = puzzle.geometry
    text_of_mask = {
        1 << bit: value_text(value, symbols) for bit, value in enumerate(geometry.values)
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
    return _bordered_grid(geometry, texts, width, style, frozenset(), marked)


def grid_board(
    grid: Grid,
    symbols: str = "",
    style: BoardStyle = PLAIN_BOARD,
    *,
    givens: Collection[int] = frozenset(),
    marked: Collection[int] = frozenset(),
) -> str:
    """Draw a grid as `puzzle_board` draws a puzzle. `givens`: the cells in bold."""
    texts = [value_text(value, symbols) for value in grid.values]
    return _bordered_grid(grid.geometry, texts, max(map(len, texts)), style, givens, marked)


def different_cells(grids: Sequence[Grid]) -> frozenset[int]:
    """The cells in which grids of one geometry differ."""
    columns = enumerate(zip(*(grid.values for grid in grids), strict=True))
    return frozenset(cell for cell, values in columns if len({*values}) > 1)


def join_boards(boards: Sequence[str], columns: int) -> str:
    """Put boards of one geometry side by side, as many as fit into `columns`, the rest below."""
    lines = [board.splitlines() for board in boards]
    width = max(map(_text_width, boards)) + _GAP
    count = boards_per_row(boards, columns)
    blocks = []
    for start in range(0, len(lines), count):
        rows = zip(*lines[start : start + count], strict=True)
        padded = ("".join(line + " " * (width - _text_width(line)) for line in row) for row in rows)
        blocks.append("\n".join(line.rstrip() for line in padded))
    return "\n\n".join(blocks)


def boards_per_row(boards: Sequence[str], columns: int) -> int:
    """The number of boards that `join_boards` puts side by side, at least 1."""
    return max(1, (columns + _GAP) // (max(map(_text_width, boards)) + _GAP))


def _text_width(board: str) -> int:
    """The width of a board or line, without escape sequences."""
    return max(map(len, _ESCAPE.sub("", board).splitlines()), default=0)


def _bordered_grid(
    geometry: Geometry,
    texts: Sequence[str],
    cell_width: int,
    style: BoardStyle,
    givens: Collection[int],
    marked: Collection[int],
) -> str:
    """Draw the texts of cells, with borders around boxes.

    Cells have a column of space between them, or two if marked cells need brackets. Boxes of a
    single row or column have no borders. Gaps between overlapping grids stay empty.
    """
    rows, columns = geometry.extent
    height, width = _box_size(geometry)
    has_brackets = bool(marked) and not style.has_colours
    box_width = width * (cell_width + 2) if has_brackets else width * (cell_width + 1) + 1
    places = (geometry.place(cell) for cell in range(geometry.size))
    boxes = {((row - 1) // height, (column - 1) // width) for row, column in places}
    box_columns = columns // width

    def cell_text(cell: int | None) -> str:
        text = f"{'' if cell is None else texts[cell]:>{cell_width}}"
        text = style.cell_text(text, is_given=cell in givens, is_marked=cell in marked)
        if has_brackets:
            return f"[{text}]" if cell in marked else f" {text} "
        return text

    def row_text(row: int, box_column: int) -> str:
        first = box_column * width + 1
        cells = (geometry.cell_at(row, column) for column in range(first, first + width))
        texts = [*map(cell_text, cells)]
        return "".join(texts) if has_brackets else f" {' '.join(texts)} "

    lines = [_border_line(boxes, 0, box_columns, box_width)]
    for row in range(1, rows + 1):
        box_row = (row - 1) // height
        line = ""
        for box_column in range(box_columns):
            border = "│" if _has_border_left(boxes, box_row, box_column) else " "
            line += border + row_text(row, box_column)
        lines.append(line + "│" * _has_border_left(boxes, box_row, box_columns))
        if row % height == 0:
            lines.append(_border_line(boxes, box_row + 1, box_columns, box_width))
    text = "\n".join(map(str.rstrip, lines))
    return text.translate(_TO_ASCII) if style.is_ascii else text


def _border_line(boxes: AbstractSet[Place], box_row: int, box_columns: int, width: int) -> str:
    """The borders above a row of boxes, each `width` characters wide.

    `boxes`: the row and column of each box, counted from 0.
    """
    line = ""
    for column in range(box_columns + 1):
        above = _has_border_left(boxes, box_row - 1, column)
        below = _has_border_left(boxes, box_row, column)
        left = _has_border_above(boxes, box_row, column - 1)
        right = _has_border_above(boxes, box_row, column)
        line += _JUNCTIONS[8 * above + 4 * below + 2 * left + right] + "─ "[not right] * width
    return line


def _has_border_above(boxes: AbstractSet[Place], row: int, column: int) -> bool:
    return (row - 1, column) in boxes or (row, column) in boxes


def _has_border_left(boxes: AbstractSet[Place], row: int, column: int) -> bool:
    return (row, column - 1) in boxes or (row, column) in boxes


def _box_size(geometry: Geometry) -> tuple[int, int]:
    """The numbers of rows and columns of a box, or of the whole board if it has no boxes."""
    height, width = geometry.height, geometry.width
    is_aligned = all(top % height == 0 == left % width for top, left in geometry.grids)
    return (height, width) if geometry.has_boxes and is_aligned else geometry.extent


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
