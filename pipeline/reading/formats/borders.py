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

from pipeline.puzzle.geometry import Geometry, default_geometry
from pipeline.reading.formats.cells import ALL_GEOMETRIES
from pipeline.reading.formats.text import Text, TextLine, cells_of, either
from pipeline.settings import Reading

_BAR = "|"
_CROSSING = re.compile(r"[+*|]")
_LINE_SIGNS = frozenset("|+*")
_DIGITS_AS_DOTS = str.maketrans("123456789", "." * 9)
_REPEATED = re.compile(r"(.)\1+")

_Cuts = frozenset[int]
"""The rows or columns, from 1, after which lines are drawn."""


class _Direction(NamedTuple):
    """The lines of one direction.

    - `is_unusual`: some lines are not at the ends of the usual boxes.
    - `is_uniform`: the lines are the same across the grid.
    - `line`: the index of the first line of text that shows an unusual line, or None.
    """

    cuts: _Cuts = frozenset()
    is_unusual: bool = False
    is_uniform: bool = True
    line: int | None = None


def boxes_of(
    text: Text,
    lines: Sequence[TextLine],
    side: int,
    reading: Reading,
    stated_geometry: Geometry | None = None,
) -> Geometry:
    """The boxes of a grid of this side, given its rows and borders, or one line with all rows.

    Raises InvalidPuzzle if the declared boxes have another side, if the lines do not draw boxes or
    contradict the `stated_geometry` ones, or if the side has no usual boxes.
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
    if not (_fits(rows, geometry.height, side) and _fits(columns, geometry.width, side)):
        indices = [direction.line for direction in (columns, rows) if direction.line is not None]
        first = min((lines[index].number for index in indices), default=None)
        boxes = f"lines around boxes of {geometry.height}×{geometry.width} cells, the stated size"
        if not stated_geometry:
            size = f"{usual_geometry.height}×{usual_geometry.width}"
            boxes = f"lines around the usual boxes of {size} cells"
            boxes += f", or {choices(side)} to declare others"
        raise text.error(first, None, boxes, _in_words(columns, rows), code="wrong-shape")
    return geometry


def _drawn_boxes(text: Text, columns: _Direction, rows: _Direction, side: int) -> Geometry:
    """The boxes that the lines draw around a grid without usual boxes; one direction suffices."""
    height, width = min(rows.cuts, default=0), min(columns.cuts, default=0)
    height, width = height or side // max(1, width), width or side // max(1, height)
    are_drawn = all(
        direction.cuts in (_Cuts(), _multiples(size, side)) and direction.is_uniform
        for direction, size in ((columns, width), (rows, height))
    )
    has_lines = bool(columns.cuts or rows.cuts)
    if has_lines and are_drawn and height * width == side and min(height, width) > 1:
        return Geometry(height, width)
    expected, found = f"{choices(side)} to say which boxes it has", f"{side} rows"
    if has_lines:
        expected, found = f"lines around boxes, or {expected}", _in_words(columns, rows)
    raise text.error(None, None, expected, found, code="ambiguous")


def draws_usual_boxes(text: str, side: int) -> bool:
    """Whether the lines in the text of a grid, if any, are consistent with the usual boxes."""
    if not _LINE_SIGNS.intersection(text):
        return True
    columns, rows = _lines_in_drawing(text.translate(_DIGITS_AS_DOTS), default_geometry(side))
    return not (columns.is_unusual or rows.is_unusual)


def choices(side: int) -> str:
    """The options that declare the boxes of a side: `--boxes 2x3 or 3x2`."""
    heights = (height for height in range(2, side // 2 + 1) if side % height == 0)
    return f"--boxes {either(f'{height}x{side // height}' for height in heights)}"


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
        (line.number, _cuts_in(gaps))
        for line, gaps in _bars_between_cells(lines, usual_geometry.side)
    ]
    if any(cuts for _, cuts in bars):
        return _direction_of(bars, usual_geometry.width, usual_geometry.side)
    borders = (line for line in lines if line.is_border)
    crossed = [
        (line.number, _cuts_in(_crossings(line.text, usual_geometry.side))) for line in borders
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
    cuts = _cuts_in(gaps[1:side])
    first = next((numbers[cut] for cut in sorted(cuts) if cut % usual_geometry.height), 0)
    return _direction_of([(first, cuts)], usual_geometry.height, side)


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


def _cuts_in(gaps: Sequence[str]) -> _Cuts:
    """The gaps with lines or, if all gaps have lines, the gaps whose lines differ from most."""
    cuts = {cut for cut, drawn in enumerate(gaps, 1) if drawn}
    if len(cuts) == len(gaps):
        light = Counter(gaps).most_common(1)[0][0]
        cuts = {cut for cut in cuts if gaps[cut - 1] != light}
    return frozenset(cuts)


def _direction_of(line_cuts: Sequence[tuple[int, _Cuts]], size: int, side: int) -> _Direction:
    """The direction of cuts with the index of their line; `size` is that of the usual boxes."""
    usual_cuts = _multiples(size, side)
    unusual_lines = [number for number, cuts in line_cuts if not cuts <= usual_cuts]
    cuts = frozenset[int]().union(*(cuts for _, cuts in line_cuts))
    is_uniform = not unusual_lines or len({cuts for _, cuts in line_cuts}) == 1
    first = unusual_lines[0] if unusual_lines else None
    return _Direction(cuts, bool(unusual_lines), is_uniform, first)


def _multiples(size: int, side: int) -> _Cuts:
    return frozenset(range(size, side, size))


def _box_size(direction: _Direction, side: int) -> int:
    """The size of the boxes that unusual lines draw; 0 without such lines or boxes."""
    return min(direction.cuts) if direction.is_unusual and side % min(direction.cuts) == 0 else 0


def _fits(direction: _Direction, size: int, side: int) -> bool:
    """Whether the lines are borders of boxes of this size; unusual ones must be all borders."""
    expected = _multiples(size, side)
    if direction.is_unusual:
        return direction.is_uniform and direction.cuts == expected
    return direction.cuts <= expected


def _in_words(columns: _Direction, rows: _Direction) -> str:
    """The lines in words: `lines after columns 2 and 4, row 3`."""
    phrases = []
    for noun, direction in (("column", columns), ("row", rows)):
        numbers = [*map(str, sorted(direction.cuts))]
        if numbers:
            *rest, last = numbers
            listed = f"{', '.join(rest)} and {last}" if rest else last
            partly = "" if direction.is_uniform else " of some rows"
            phrases.append(f"{noun}{'s' * (len(numbers) > 1)} {listed}{partly}")
    return f"lines after {', '.join(phrases)}"
