"""The boxes of a grid that does not state their size: declared, drawn by lines, or the usual ones.

Lines are bars between the cells of a row, and borders between rows. Lines between columns and lines
between rows are examined separately. A direction is neutral if it has no lines, equal lines between
all cells, or lines only at the ends of the usual boxes. If there are lines between all cells, only
those that are drawn differently from most count, such as `||` or `===`. All other lines must divide
the whole grid into boxes, or the grid is refused. If one direction is neutral, the other determines
the boxes. For sides without usual boxes, such as 12, the boxes must be declared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.errors import listed
from pipeline.puzzle.geometry import Geometry, default_geometry
from pipeline.reading.formats.cells import ALL_GEOMETRIES
from pipeline.reading.formats.text import Text, TextLine, cells_of, join_with_or
from pipeline.settings import Reading

_BAR = "|"

_CROSSING = re.compile(r"[+*|]")
"""A crossing of lines in a border."""

_LINE_CHARACTERS = frozenset("|+*")
"""A text without any of these characters has no lines."""

_DIGITS_AS_DOTS = str.maketrans("123456789", "." * 9)

_REPEATED = re.compile(r"(.)\1+")
"""A character and its repetitions."""

_Positions = frozenset[int]
"""The rows or columns, from 1, after which lines are drawn."""


class _Direction(NamedTuple):
    """The lines of one direction.

    - `is_unusual`: some lines are not at the ends of the usual boxes.
    - `is_uniform`: no line is unusual, or each line of text shows the same lines.
    - `text_line`: the index of the first line of text that shows an unusual line, or None.
    """

    positions: _Positions = frozenset()
    is_unusual: bool = False
    is_uniform: bool = True
    text_line: int | None = None


def boxes_of(
    text: Text,
    lines: Sequence[TextLine],
    side: int,
    reading: Reading,
    stated_geometry: Geometry | None = None,
) -> Geometry:
    """The boxes of a grid of this side, given its rows and borders, or one line with all rows.

    Raises InvalidPuzzle if the declared boxes have another side, if the lines do not draw boxes or
    contradict the boxes of `stated_geometry`, or if the side has no usual boxes.
    """
    usual_geometry, box = default_geometry(side), reading.box
    if box and not stated_geometry:
        if box[0] * box[1] != side:
            expected = f"{box[0] * box[1]} rows and columns, as --boxes {reading.boxes} says"
            raise text.error(None, None, expected, f"{side}", code="wrong-shape")
        return Geometry(*box)
    columns, rows = _find_lines(lines, usual_geometry)
    if not stated_geometry and side not in ALL_GEOMETRIES:
        return _drawn_boxes(text, columns, rows, side)
    geometry = stated_geometry or usual_geometry
    if not stated_geometry and (columns.is_unusual or rows.is_unusual):
        height, width = _box_size(rows, side), _box_size(columns, side)
        height, width = height or side // max(1, width), width or side // max(1, height)
        geometry = (
            Geometry(height, width) if 1 < height < side == height * width else usual_geometry
        )
    if not (_fit_boxes(rows, geometry.height, side) and _fit_boxes(columns, geometry.width, side)):
        text_lines = [direction.text_line for direction in (columns, rows)]
        indices = [index for index in text_lines if index is not None]
        first = min((lines[index].number for index in indices), default=None)
        boxes = f"lines around boxes of {geometry.height}×{geometry.width} cells, the stated size"
        if not stated_geometry:
            size = f"{usual_geometry.height}×{usual_geometry.width}"
            boxes = f"lines around the usual boxes of {size} cells"
            boxes += f", or {boxes_options(side)} to declare others"
        raise text.error(first, None, boxes, _lines_in_words(columns, rows), code="wrong-shape")
    return geometry


def _drawn_boxes(text: Text, columns: _Direction, rows: _Direction, side: int) -> Geometry:
    """The boxes that lines draw in a grid without usual boxes; lines of one direction suffice."""
    height, width = min(rows.positions, default=0), min(columns.positions, default=0)
    height, width = height or side // max(1, width), width or side // max(1, height)
    are_drawn = all(
        direction.positions in (_Positions(), _multiples(size, side)) and direction.is_uniform
        for direction, size in ((columns, width), (rows, height))
    )
    has_lines = bool(columns.positions or rows.positions)
    if has_lines and are_drawn and height * width == side and min(height, width) > 1:
        return Geometry(height, width)
    expected, found = f"{boxes_options(side)} to say which boxes it has", f"{side} rows"
    if has_lines:
        expected, found = f"lines around boxes, or {expected}", _lines_in_words(columns, rows)
    raise text.error(None, None, expected, found, code="ambiguous")


def draws_usual_boxes(text: str, side: int) -> bool:
    """Whether the lines in the text of a grid, if any, are consistent with the usual boxes."""
    if not _LINE_CHARACTERS.intersection(text):
        return True
    columns, rows = _lines_in_drawing(text.translate(_DIGITS_AS_DOTS), default_geometry(side))
    return not (columns.is_unusual or rows.is_unusual)


def boxes_options(side: int) -> str:
    """The options that declare the boxes of a side: `--boxes 2x3 or 3x2`."""
    heights = (height for height in range(2, side // 2 + 1) if side % height == 0)
    return f"--boxes {join_with_or(f'{height}x{side // height}' for height in heights)}"


def _find_lines(
    lines: Sequence[TextLine], usual_geometry: Geometry
) -> tuple[_Direction, _Direction]:
    """The lines between columns, and the lines between rows."""
    if not any(line.is_border or _BAR in line.text for line in lines):  # most grids have no lines
        return _Direction(), _Direction()
    drawing = "\n".join(line.text for line in lines)
    return _lines_in_drawing(drawing.translate(_DIGITS_AS_DOTS), usual_geometry)


@lru_cache(maxsize=16)  # most grids of a source have the same lines
def _lines_in_drawing(drawing: str, usual_geometry: Geometry) -> tuple[_Direction, _Direction]:
    lines = [TextLine.of_text(index, line) for index, line in enumerate(drawing.split("\n"))]
    return _column_lines(lines, usual_geometry), _row_lines(lines, usual_geometry)


def _column_lines(lines: Sequence[TextLine], usual_geometry: Geometry) -> _Direction:
    """The lines between columns: the bars in rows or, without bars, the crossings in borders."""
    bars = [
        (line.number, _positions_in(gaps))
        for line, gaps in _bars_between_cells(lines, usual_geometry.side)
    ]
    if any(positions for _, positions in bars):
        return _direction_of(bars, usual_geometry.width, usual_geometry.side)
    borders = (line for line in lines if line.is_border)
    crossed = [
        (line.number, _positions_in(_crossings(line.text, usual_geometry.side))) for line in borders
    ]
    return _direction_of(
        [crossing for crossing in crossed if crossing[1]], usual_geometry.width, usual_geometry.side
    )


def _row_lines(lines: Sequence[TextLine], usual_geometry: Geometry) -> _Direction:
    """The lines between rows: borders or, if all cells are in one line, bars after each row."""
    side = usual_geometry.side
    gaps, numbers = [""] * (side + 1), [0] * (side + 1)
    row = 0
    for line in lines:
        if line.is_border:
            signature = "".join(line.text.split()).strip("+|*")
            gaps[row] += _REPEATED.sub(r"\1", signature) or "-"
            numbers[row] = line.number
        elif row < side:
            row += 1
    if row == 1 and len(lines[0].cells) > side:
        gaps = _bars_around_cells(lines[0].text, side * side)[::side]
        numbers = [lines[0].number] * (side + 1)
    positions = _positions_in(gaps[1:side])
    first = next(
        (numbers[position] for position in sorted(positions) if position % usual_geometry.height), 0
    )
    return _direction_of([(first, positions)], usual_geometry.height, side)


def _bars_between_cells(
    lines: Sequence[TextLine], side: int
) -> Iterator[tuple[TextLine, list[str]]]:
    """Yield each row and the bars between its cells; the row may be a part of its line."""
    for line in lines:
        if line.is_border:
            continue
        count = len(line.cells) if len(line.cells) == side * side else side
        gaps = _bars_around_cells(line.text, count)
        for start in range(0, count, side):
            yield line, gaps[start + 1 : start + side]


def _bars_around_cells(text: str, count: int) -> list[str]:
    """The bars before each of `count` cells, and after the last cell."""
    gaps, cells = [""] * (count + 1), 0
    for part in text.split(_BAR)[:-1]:
        cells += len(cells_of(part))
        gaps[min(cells, count)] += _BAR
    return gaps


def _crossings(text: str, side: int) -> list[str]:
    """The crossings in a border at each gap between columns; the border spans all columns."""
    gaps, drawn = [""] * (side + 1), text.strip(" \t|+*")
    for match in _CROSSING.finditer(drawn):
        gaps[round((match.start() + 0.5) * side / len(drawn))] += match[0]
    return gaps[1:side]


def _positions_in(gaps: Sequence[str]) -> _Positions:
    """The positions with lines or, if all have lines, those whose lines differ from most."""
    positions = {position for position, drawn in enumerate(gaps, 1) if drawn}
    if len(positions) == len(gaps):
        light = Counter(gaps).most_common(1)[0][0]
        positions = {position for position in positions if gaps[position - 1] != light}
    return frozenset(positions)


def _direction_of(
    line_positions: Sequence[tuple[int, _Positions]], size: int, side: int
) -> _Direction:
    """Combine the lines of one direction.

    - `line_positions`: the index of each line of text, and the positions of lines that it shows.
    - `size`: the height or the width of the usual boxes.
    """
    usual_positions = _multiples(size, side)
    unusual_lines = [
        number for number, positions in line_positions if not positions <= usual_positions
    ]
    positions = frozenset[int]().union(*(positions for _, positions in line_positions))
    is_uniform = not unusual_lines or len({positions for _, positions in line_positions}) == 1
    first = unusual_lines[0] if unusual_lines else None
    return _Direction(positions, bool(unusual_lines), is_uniform, first)


def _multiples(size: int, side: int) -> _Positions:
    """The positions between boxes of this size."""
    return frozenset(range(size, side, size))


def _box_size(direction: _Direction, side: int) -> int:
    """The size of the boxes that unusual lines draw; 0 if no line is unusual or no box fits."""
    if not direction.is_unusual:
        return 0
    size = min(direction.positions)
    return size if side % size == 0 else 0


def _fit_boxes(direction: _Direction, size: int, side: int) -> bool:
    """Whether the lines are at ends of boxes of this size, and at all ends if any is unusual."""
    expected = _multiples(size, side)
    if direction.is_unusual:
        return direction.is_uniform and direction.positions == expected
    return direction.positions <= expected


def _lines_in_words(columns: _Direction, rows: _Direction) -> str:
    """The lines in words: `lines after columns 2 and 4, row 3`."""
    phrases = []
    for noun, direction in (("column", columns), ("row", rows)):
        numbers = sorted(direction.positions)
        if numbers:
            partly = "" if direction.is_uniform else " of some rows"
            phrases.append(f"{noun}{'s' * (len(numbers) > 1)} {listed(numbers)}{partly}")
    return f"lines after {', '.join(phrases)}"
