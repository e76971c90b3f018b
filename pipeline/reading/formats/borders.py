"""The boxes of a grid that does not state their size: declared, drawn by lines, or the usual ones.

Lines are bars between the cells of a row, and borders between rows. Rows and columns are judged
separately. Lines nowhere, between all cells, or only where the usual boxes end say nothing; among
lines between all cells, those drawn differently count, `||` or `===`. Any other lines must cut the
whole grid into boxes, or the grid is refused. A direction that says nothing follows from the other.
Sides that have no usual boxes, such as 12, need a declaration, or lines between boxes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.puzzle.geometry import Geometry, usual_boxes
from pipeline.reading.formats.cells import ALL_GEOMETRIES
from pipeline.reading.formats.text import Text, TextLine, cells_of, either
from pipeline.settings import Reading

_BAR = "|"
_CROSSING = re.compile(r"[+*|]")
_DRAWN = frozenset("|+*")
_DIGITS_AS_DOTS = str.maketrans("123456789", "." * 9)
_REPEATED = re.compile(r"(.)\1+")

_Cuts = frozenset[int]
"""The rows or columns, from 1, after which lines are drawn."""


class _Direction(NamedTuple):
    """The lines of one direction; `speaks` if some are not lines of the usual boxes.

    `is_whole`: they are the same across the grid. `line` is the index of the first line of text
    that shows one.
    """

    cuts: _Cuts = frozenset()
    speaks: bool = False
    is_whole: bool = True
    line: int | None = None


def boxes_of(
    text: Text,
    lines: Sequence[TextLine],
    side: int,
    reading: Reading,
    stated: Geometry | None = None,
) -> Geometry:
    """The boxes of a grid of that side, given its lines: rows and borders.

    A single line may contain all rows. Raises InvalidPuzzle if the declared boxes do not fit, if
    the lines draw no boxes or contradict the `stated` ones, or if the side has no usual boxes.
    """
    usual, box = usual_boxes(side), reading.box
    if box and not stated:
        if box[0] * box[1] != side:
            expected = f"{box[0] * box[1]} rows and columns, as --boxes {reading.boxes} says"
            raise text.error(None, None, expected, f"{side}", code="wrong-shape")
        return Geometry(*box)
    columns, rows = _judge(lines, usual)
    if not stated and side not in ALL_GEOMETRIES:
        return _drawn_boxes(text, columns, rows, side)
    geometry = stated or usual
    if not stated and (columns.speaks or rows.speaks):
        height, width = _smallest(rows, side), _smallest(columns, side)
        height, width = height or side // max(1, width), width or side // max(1, height)
        geometry = Geometry(height, width) if 1 < height < side == height * width else usual
    if not (_fits(rows, geometry.height, side) and _fits(columns, geometry.width, side)):
        odd = [lines[way.line].number for way in (columns, rows) if way.line is not None]
        first = min(odd, default=None)
        boxes = f"lines around boxes of {geometry.height}×{geometry.width} cells, as the size says"
        if not stated:
            boxes = f"lines around the usual boxes of {usual.height}×{usual.width} cells"
            boxes += f", or {choices(side)} to say which are meant"
        raise text.error(first, None, boxes, _in_words(columns, rows), code="wrong-shape")
    return geometry


def _drawn_boxes(text: Text, columns: _Direction, rows: _Direction, side: int) -> Geometry:
    """The boxes that the lines draw around a grid without usual boxes; one direction suffices."""
    height, width = min(rows.cuts, default=0), min(columns.cuts, default=0)
    height, width = height or side // max(1, width), width or side // max(1, height)
    are_drawn = all(
        direction.cuts in (_Cuts(), _multiples(size, side)) and direction.is_whole
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
    """Whether the lines around the cells of a grid of digits and blanks say nothing."""
    if not _DRAWN.intersection(text):
        return True
    columns, rows = _judge_drawing(text.translate(_DIGITS_AS_DOTS), usual_boxes(side))
    return not (columns.speaks or rows.speaks)


def choices(side: int) -> str:
    """The options that declare the boxes of a side: `--boxes 2x3 or 3x2`."""
    heights = (height for height in range(2, side // 2 + 1) if side % height == 0)
    return f"--boxes {either(f'{height}x{side // height}' for height in heights)}"


def _judge(lines: Sequence[TextLine], usual: Geometry) -> tuple[_Direction, _Direction]:
    """The lines between columns, and those between rows."""
    if not any(line.is_border or _BAR in line.text for line in lines):  # as most grids
        return _Direction(), _Direction()
    drawing = "\n".join(line.text for line in lines)
    return _judge_drawing(drawing.translate(_DIGITS_AS_DOTS), usual)


@lru_cache(maxsize=16)  # most grids are drawn like the last one
def _judge_drawing(drawing: str, usual: Geometry) -> tuple[_Direction, _Direction]:
    lines = [TextLine.of_text(index, line) for index, line in enumerate(drawing.split("\n"))]
    return _columns(lines, usual), _rows(lines, usual)


def _columns(lines: Sequence[TextLine], usual: Geometry) -> _Direction:
    """The lines between columns: bars, or else where borders cross them."""
    bars = [(line.number, _heavier(gaps)) for line, gaps in _barred(lines, usual.side)]
    if any(cuts for _, cuts in bars):
        return _judged(bars, usual.width, usual.side)
    borders = (line for line in lines if line.is_border)
    crossed = [(line.number, _heavier(_crossings(line.text, usual.side))) for line in borders]
    return _judged([crossing for crossing in crossed if crossing[1]], usual.width, usual.side)


def _rows(lines: Sequence[TextLine], usual: Geometry) -> _Direction:
    """The lines between rows: borders, or in a single line of cells the bars after its rows."""
    side = usual.side
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
        gaps = _bars(lines[0].text, side * side)[::side]
        numbers = [lines[0].number] * (side + 1)
    cuts = _heavier(gaps[1:side])
    first = next((numbers[cut] for cut in sorted(cuts) if cut % usual.height), 0)
    return _judged([(first, cuts)], usual.height, side)


def _barred(lines: Sequence[TextLine], side: int) -> Iterator[tuple[TextLine, list[str]]]:
    """The bars between the cells of each row."""
    for line in lines:
        if line.is_border:
            continue
        count = len(line.cells) if len(line.cells) == side * side else side
        gaps = _bars(line.text, count)
        for start in range(0, count, side):
            yield line, gaps[start + 1 : start + side]


def _bars(text: str, count: int) -> list[str]:
    """The bars before each of `count` cells, and after the last."""
    gaps, cells = [""] * (count + 1), 0
    for part in text.split(_BAR)[:-1]:
        cells += len(cells_of(part))
        gaps[min(cells, count)] += _BAR
    return gaps


def _crossings(text: str, side: int) -> list[str]:
    """The crossings of a border, by the gap between columns; the border spans all columns."""
    gaps, drawn = [""] * (side + 1), text.strip(" \t|+*")
    for match in _CROSSING.finditer(drawn):
        gaps[round((match.start() + 0.5) * side / len(drawn))] += match[0]
    return gaps[1:side]


def _heavier(gaps: Sequence[str]) -> _Cuts:
    """The gaps with lines; if all have one, those with an unusual line."""
    cuts = {cut for cut, drawn in enumerate(gaps, 1) if drawn}
    if len(cuts) == len(gaps):
        light = Counter(gaps).most_common(1)[0][0]
        cuts = {cut for cut in cuts if gaps[cut - 1] != light}
    return frozenset(cuts)


def _judged(line_cuts: Sequence[tuple[int, _Cuts]], size: int, side: int) -> _Direction:
    """Judge the cuts that each line of text shows, by the size of the usual boxes."""
    usual = _multiples(size, side)
    odd = [number for number, cuts in line_cuts if not cuts <= usual]
    cuts = frozenset[int]().union(*(cuts for _, cuts in line_cuts))
    is_whole = not odd or len({cuts for _, cuts in line_cuts}) == 1
    return _Direction(cuts, bool(odd), is_whole, odd[0] if odd else None)


def _multiples(size: int, side: int) -> _Cuts:
    return frozenset(range(size, side, size))


def _smallest(direction: _Direction, side: int) -> int:
    """The size of the boxes that the lines cut; 0 if they are silent, or cut none."""
    return min(direction.cuts) if direction.speaks and side % min(direction.cuts) == 0 else 0


def _fits(direction: _Direction, size: int, side: int) -> bool:
    """Whether the lines are borders of boxes of that size; all borders, if `speaks`."""
    expected = _multiples(size, side)
    if direction.speaks:
        return direction.is_whole and direction.cuts == expected
    return direction.cuts <= expected


def _in_words(columns: _Direction, rows: _Direction) -> str:
    """What is drawn: `lines after columns 2 and 4, row 3`."""
    phrases = []
    for noun, direction in (("column", columns), ("row", rows)):
        numbers = [*map(str, sorted(direction.cuts))]
        if numbers:
            *rest, last = numbers
            listed = f"{', '.join(rest)} and {last}" if rest else last
            partly = "" if direction.is_whole else " of some rows"
            phrases.append(f"{noun}{'s' * (len(numbers) > 1)} {listed}{partly}")
    return f"lines after {', '.join(phrases)}"
