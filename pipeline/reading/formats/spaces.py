"""Spaces: n rows of up to n characters, in which a space is a blank, for n = 4, 6, 8, 9.

    53  7
    6  195
     98    6
    …

Editors strip trailing spaces, so a row without digits may be an empty line. The cells may also be
in every second column, as in `5 3     7`, if all digits are in odd columns. To avoid guesses, there
must be digits in the first column, in the last column, and in each column that could be a gap
between boxes. If a row is an empty line, no other empty lines are allowed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle
from pipeline.reading.formats.alphabets import numbers
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import DIGITS, GEOMETRIES
from pipeline.reading.formats.frames import Frame, TokenRow, frame_of_rows, parser
from pipeline.reading.formats.grid import recognise_grid
from pipeline.reading.formats.text import Text, TextLine, Word, decode_text, join_with_or

_CHARACTERS = frozenset(DIGITS + " ")
_DIGITS_AS_DOTS = str.maketrans(DIGITS, "." * len(DIGITS))
_GAP = "   "
"""Spaces with at least one blank cell among them, if cells are in every second column."""

_MIN_LINES = 3
"""Minimum number of lines of a grid in which rows are missing."""

_MAX_SIDE = max(GEOMETRIES)


class _SpacedGrid(NamedTuple):
    """The layout of a grid.

    - `side`: the number of cells that each row should have.
    - `step`: the number of columns from one cell to the next, 1 or 2.
    - `is_certain`: whether the digits exclude that the cells are in other columns.
    """

    rows: Sequence[TextLine]
    side: int
    step: int
    is_certain: bool


def recognise_spaces(text: Text) -> str | None:
    if not any(" " in line.text for line in text.lines) or recognise_grid(text):
        return None
    layout = _find_layout(text)
    if layout is None or not layout.is_certain:
        return None
    if len(layout.rows) != layout.side and len(text.lines) < _MIN_LINES:
        return None
    return f"{layout.side} rows in which a space is a blank"


def is_in_spaces(data: bytes) -> bool:
    """Whether a source is a grid with spaces as blanks, even if rows are missing or added."""
    try:
        return recognise_spaces(decode_text(data, "")) is not None
    except InvalidPuzzle:
        return False


def _frame(text: Text) -> Frame:
    layout = _find_layout(text)
    if layout is None:
        raise text.at_line(text.lines[0], f"{join_with_or(GEOMETRIES)} rows of digits and spaces")
    rows = [_row(line, layout.side, layout.step) for line in layout.rows]
    borders = [line for line in text.lines if line.is_border]
    lines = sorted((*layout.rows, *borders), key=lambda line: line.number)
    frame = frame_of_rows(text, [row.tokens for row in rows], lambda: rows, [layout.side], lines)
    has_spaces = any(" " in line.text.rstrip() for line in layout.rows)
    if has_spaces and not (layout.is_certain or frame.fault):
        found = "spaces that may be blanks, or separate cells"
        fault = text.error(None, None, "a character such as '.' for the blanks", found)
        return frame._replace(fault=fault)
    return frame


def _row(line: TextLine, side: int, step: int) -> TokenRow:
    """The cells of a line, followed by the characters that are not spaces in other columns.

    These make the row too long, which is an error.
    """
    end, placed = side * step, enumerate(line.text.ljust(side * step), 1)
    words = [Word(line.number, column, character) for column, character in placed]
    extra_words = [*(words[1:end:step] if step > 1 else ()), *words[end:]]
    strays = (word for word in extra_words if word.text != " ")
    return TokenRow.of_words((*words[:end:step], *strays), line)


def _find_layout(text: Text) -> _SpacedGrid | None:
    """The layout of the lines; None unless most of them are digits and spaces.

    The cells are in every second column if all digits are in odd columns and the rows are longer
    than the side. The side is the number of rows, because rows may lack trailing blanks. If a row
    has more cells than there are rows, or a digit is larger than their number, rows are missing.
    """
    lines = [line for line in text.uncommented_lines() if not line.is_border]
    filled = [line for line in lines if line.text.strip()]
    clean = [line.text.rstrip() for line in filled if _CHARACTERS.issuperset(line.text.rstrip())]
    if len(clean) * 4 < max(1, len(filled)) * 3:
        return None
    width = _width(clean)
    likely_side = len(filled) if len(filled) in GEOMETRIES else _MAX_SIDE
    is_spaced = not any(row[1::2].strip() for row in clean)
    step = 2 if is_spaced and width > likely_side else 1
    columns = (width + step - 1) // step
    min_side = max(columns, *map(int, "".join(clean).replace(" ", "")))
    rows = _rows_among(lines, min_side)
    side = len(rows) if len(rows) in GEOMETRIES and len(rows) >= min_side else columns
    if side not in GEOMETRIES:
        return None
    are_all_rows = len(rows) == len(lines) or all(row.text.strip() for row in rows)
    if step == 2:
        shows_step = any(_GAP in row for row in clean)
    else:
        shows_step = not is_spaced and " " in "".join(clean)
    too_long = sum(len(line.text) > side * step for line in filled)
    is_certain = are_all_rows and shows_step and too_long * 4 <= len(filled)
    is_certain = is_certain and _fills_all_columns(clean, side, step)
    return _SpacedGrid(rows, side, step, is_certain)


def _width(rows: Sequence[str]) -> int:
    """The estimated length of a full row.

    Usually, the longest row is a full row. If it is longer than any side, at most a quarter of the
    rows may be longer than the estimated length.
    """
    lengths = sorted(map(len, rows))
    return lengths[len(lengths) * 3 // 4] if lengths[-1] > _MAX_SIDE else lengths[-1]


def _fills_all_columns(rows: Sequence[str], side: int, step: int) -> bool:
    """Whether the rows span all columns, and no spaces separate boxes.

    Rows that do not span all columns may be indented, or lack columns. Spaces separate boxes in two
    cases: most rows have spaces in the same columns, as in `123 456`; or a column without digits
    follows the first box. A smaller grid with gaps may be as wide as this grid, so its boxes are
    considered too.
    """
    last = (side - 1) * step
    has_first = any(row[0] != " " for row in rows)
    has_last = any(len(row) == last + 1 for row in rows)
    geometries = (g for n, g in GEOMETRIES.items() if side in (n, n + n // g.width - 1))
    gaps = {geometry.width * step for geometry in geometries}
    has_no_gap = all(any(row[gap : gap + 1].strip() for row in rows) for gap in gaps)
    shapes = Counter(row.translate(_DIGITS_AS_DOTS) for row in rows)
    have_same_shape = shapes.most_common(1)[0][1] * 2 > len(rows) > 1
    return has_first and has_last and has_no_gap and not have_same_shape


def _rows_among(lines: Sequence[TextLine], min_side: int) -> Sequence[TextLine]:
    """Find the rows: the lines from the first to the last filled one, and empty lines if needed.

    Empty lines around the rows are added if the rows are fewer than `min_side`, or if their number
    is not a side. If all lines together are as many as a side, all are added. If the first line is
    filled, empty lines after the rows are added. Otherwise none are added, because it is unknown
    which of them are rows.
    """
    filled = [index for index, line in enumerate(lines) if line.text.strip()]
    first, stop = filled[0], filled[-1] + 1
    sides = [side for side in GEOMETRIES if side >= max(min_side, stop - first)]
    if stop - first in sides:
        return lines[first:stop]
    for side in sides:
        if len(lines) == side or (first == 0 and len(lines) > side):
            return lines[:side]
    return lines[first:stop]


SPACES = Format("spaces", recognise_spaces, parser(_frame, numbers(" ", ", or a space")))
