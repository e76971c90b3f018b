"""Spaces: n rows of up to n characters, in which a space is an empty cell, for n = 4, 6, 8, 9.

    53  7
    6  195
     98    6
    …

Editors strip the spaces at the end of a line, and so leave empty lines for empty rows. The cells
may also stand in every second column, `5 3     7`. The columns of the digits show which way it is.
Nothing is guessed: a digit has to stand in the first column, another in the last, and one where a
gap between boxes would be. If rows are empty there may be no other empty lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import Format, Parsed
from pipeline.reading.formats.cells import DIGITS, GEOMETRIES, number_of
from pipeline.reading.formats.grid import recognise_grid
from pipeline.reading.formats.text import Line, Text, decode_text, either, quote
from pipeline.settings import Reading

_SIGNS = frozenset(DIGITS + " ")
_GAP = "   "
"""Two neighbouring cells never have this between them."""

_FEWEST = 3


class _SpacedGrid(NamedTuple):
    """The rows, the number of cells they should have, and the step from column to column.

    `is_sure` says that no other columns can be meant.
    """

    rows: Sequence[Line]
    side: int
    step: int
    is_sure: bool


def recognise_spaces(text: Text) -> str | None:
    if not any(" " in line.text for line in text.lines) or recognise_grid(text):
        return None
    layout = _layout(text)
    if layout is None or not layout.is_sure:
        return None
    if len(layout.rows) != layout.side and len(text.lines) < _FEWEST:
        return None
    return f"{layout.side} rows in which a space is a blank"


def is_in_spaces(data: bytes) -> bool:
    """Whether a source is such a grid, even one with a few rows too many or too few."""
    try:
        return recognise_spaces(decode_text(data, "")) is not None
    except InvalidPuzzle:
        return False


def parse_spaces(text: Text, _reading: Reading) -> Parsed:
    layout = _layout(text)
    if layout is None:
        first = text.lines[0]
        raise text.at_line(first, f"{either(GEOMETRIES)} rows of digits and spaces")
    rows, side = layout.rows, layout.side
    values = [value for index in range(len(rows)) for value in _values(text, layout, index)]
    if len(rows) < side:
        raise text.at_end(f"{side} rows", counted(len(rows), "row"))
    if not layout.is_sure and " " in "".join(row.text.rstrip() for row in rows):
        expected = "a sign such as '.' for the blanks"
        raise text.error(None, None, expected, "spaces that may be blanks or lie between cells")
    return Parsed(Puzzle.of_values(GEOMETRIES[side], values))


def _layout(text: Text) -> _SpacedGrid | None:
    """The layout of most of the lines; None if they are not digits and spaces."""
    lines = [line for line in text.written() if not line.is_border]
    filled = [line for line in lines if line.text.strip()]
    clean = [line.text.rstrip() for line in filled if _SIGNS.issuperset(line.text.rstrip())]
    if len(clean) * 4 < max(1, len(filled)) * 3:
        return None
    step = _step(clean, len(filled))
    columns = (_width(clean) + step - 1) // step
    largest = max(map(int, filter(str.isdigit, "".join(clean))))
    rows = _rows(lines, max(columns, largest))
    side = _side(len(rows), columns, largest)
    if side not in GEOMETRIES:
        return None
    are_all = len(rows) == len(lines) or all(row.text.strip() for row in rows)
    is_sure = are_all and _is_sure(clean, step) and _is_in_place(filled, clean, side, step)
    return _SpacedGrid(rows, side, step, is_sure)


def _width(rows: Sequence[str]) -> int:
    """The number of characters of a full row, as far as the rows show it.

    Usually it is the length of the longest row: a row is shorter only by the blanks at its end.
    If that is more than a row of single characters can have, the longest may have something
    extra. Then it is the length that at most a quarter of the rows exceed.
    """
    lengths = sorted(map(len, rows))
    return lengths[len(lengths) * 3 // 4] if lengths[-1] > max(GEOMETRIES) else lengths[-1]


def _step(rows: Sequence[str], count: int) -> int:
    """The distance between cells: 2 if they have a space between them, else 1.

    Digits in odd columns alone do not show it, as those between may be blanks. Rows wider than
    the number of rows do: a grid is square. If the number of rows is not a side, some are
    missing, and only more columns than the largest side has tell.
    """
    side = count if count in GEOMETRIES else max(GEOMETRIES)
    return 2 if _are_in_odd_columns(rows) and _width(rows) > side else 1


def _side(count: int, columns: int, largest: int) -> int:
    """The side of the grid: the number of rows, as a row may lack the blanks at its end.

    But rows that have more cells, and a digit that needs more, show that rows are missing.
    """
    is_cut_off = count < min(columns, largest)
    return count if count in GEOMETRIES and not is_cut_off else columns


def _is_sure(rows: Sequence[str], step: int) -> bool:
    """Whether no other columns can be meant.

    Three spaces cannot lie between neighbours, so one of them is a cell. A digit in an even
    column shows that cells are side by side. Either way the spaces may still only separate the
    boxes, if they are in the same columns everywhere.
    """
    if step == 2:
        shown = any(_GAP in row for row in rows)
    else:
        shown = not _are_in_odd_columns(rows) and any(" " in row for row in rows)
    return shown and not _are_alike(rows)


def _is_in_place(lines: Sequence[Line], rows: Sequence[str], side: int, step: int) -> bool:
    """Whether the rows are as wide as the grid has columns, from the first to the last.

    Otherwise they may be indented, belong to smaller grids or lack columns. And if no digit
    stands in the column after the first box, a gap between boxes may be there: of this grid, or
    of a smaller one that is as wide with its gaps.
    """
    last = (side - 1) * step
    is_from_first_to_last = any(row[0] != " " for row in rows) and any(
        len(row) == last + 1 for row in rows
    )
    wider = sum(len(line.text) > side * step for line in lines)
    likely = (g for n, g in GEOMETRIES.items() if side in (n, n + n // g.width - 1))
    gaps = {geometry.width * step for geometry in likely}
    has_no_gap = all(any(row[gap : gap + 1].strip() for row in rows) for gap in gaps)
    return is_from_first_to_last and has_no_gap and wider * 4 <= len(lines)


def _are_in_odd_columns(rows: Sequence[str]) -> bool:
    """Whether every digit is in the first, third, fifth … column."""
    return not any(row[1::2].strip() for row in rows)


def _are_alike(rows: Sequence[str]) -> bool:
    """Whether most rows have their spaces in the same columns: `123 456`, between boxes."""
    shapes = Counter(tuple(sign == " " for sign in row) for row in rows)
    return shapes.most_common(1)[0][1] * 2 > len(rows) > 1


def _rows(lines: Sequence[Line], least: int) -> Sequence[Line]:
    """The lines from the first that is not empty to the last, and empty ones that are rows too.

    There are at least `least` rows, if possible. Empty lines are rows if a grid needs them: all
    of them if there are as many lines as rows, and those at the end if the grid begins in the
    first line. Elsewhere nothing shows which of them are rows.
    """
    filled = [index for index, line in enumerate(lines) if line.text.strip()]
    first, stop = filled[0], filled[-1] + 1
    sides = [side for side in GEOMETRIES if side >= max(least, stop - first)]
    if stop - first in sides:
        return lines[first:stop]
    for side in sides:
        if len(lines) == side or (first == 0 and len(lines) > side):
            return lines[:side]
    return lines[first:stop]


def _values(text: Text, layout: _SpacedGrid, index: int) -> list[int]:
    line, side = layout.rows[index], layout.side
    if index == side:
        found = counted(len(layout.rows), "row")
        raise text.error(line.number, 1, f"{side} rows", found)
    values = [0] * side
    for at, sign in enumerate(line.text):
        if sign == " ":
            continue
        cell, between = divmod(at, layout.step)
        if cell >= side:
            found = counted(cell + 1, "cell")
            raise text.error(line.number, at + 1, f"a row of at most {side} cells", found)
        value = number_of(sign, side)
        if between:
            raise text.error(line.number, at + 1, "a space between cells", quote(sign))
        if not value:
            expected = f"a digit from 1 to {side}, or a space"
            raise text.error(line.number, at + 1, expected, quote(sign))
        values[cell] = value
    return values


SPACES = Format("spaces", recognise_spaces, parse_spaces)
