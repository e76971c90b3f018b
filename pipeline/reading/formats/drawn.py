"""Which boxes a grid has that does not name them: those declared, those drawn, or the usual ones.

A line is a bar between two cells of a row, or a border between two rows. Lines of one direction say
nothing if there are none, if they are everywhere, or if all are on borders of the usual boxes: then
people draw them as they like. Others have to cut the grid into boxes of as many cells as it has
values. Gaps count where they do that, but are no reason to refuse a grid.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, TextLine, cells_of, either

_DECLARED = re.compile(r"([1-9]\d{0,2})x([1-9]\d{0,2})", re.ASCII)
_SEGMENT = re.compile(r"[-=*]+")


class _Lines(NamedTuple):
    """Where lines of one direction are: the number of cells, or rows, before each."""

    drawn: frozenset[int]
    gaps: frozenset[int]


def declared_boxes(text: str) -> Geometry | None:
    """The boxes of `2x3`: rows × columns of one box. None if that names no boxes."""
    match = _DECLARED.fullmatch(text)
    height, width = map(int, match.groups()) if match else (1, 1)
    if min(height, width) == 1:
        return None
    try:
        return Geometry(height, width)
    except ValueError:
        return None


def with_boxes(parsed: Parsed, text: Text, boxes: str, *, assumed: bool) -> Parsed:
    """The puzzle with the boxes that are declared, or that are drawn if its own are `assumed`.

    Raises InvalidPuzzle if these do not fit it.
    """
    puzzle, own = parsed.puzzle, parsed.puzzle.geometry
    geometry = declared_boxes(boxes)
    if geometry is None:
        geometry = drawn_boxes(text, own) if assumed else None
    elif own.grids or own.free or own.side != geometry.side:
        rows, columns = own.extent
        expected = f"a grid of {geometry.side}×{geometry.side} cells, as --boxes {boxes} says"
        raise text.error(None, None, expected, f"{rows}×{columns} cells")
    elif not assumed and geometry != own:
        raise text.error(None, None, f"boxes of {boxes}, as --boxes says", _named(own))
    if geometry is None or geometry == own:
        return parsed
    return replace(parsed, puzzle=Puzzle(geometry, puzzle.cells, puzzle.rules))


def _named(geometry: Geometry) -> str:
    if not geometry.has_boxes:
        return "no boxes"
    return f"boxes of {geometry.height}x{geometry.width}"


def drawn_boxes(text: Text, usual: Geometry) -> Geometry | None:
    """The boxes that lines cut the grid into; None if these say nothing. Raises InvalidPuzzle."""
    side, rows = usual.side, text.rows
    if len(rows) != side or any(len(row.cells) != side for row in rows):
        return None  # its cells are in one line, or no single signs
    down, across = _between_cells(text, rows), _between_rows(text, rows)
    ways = (down, usual.width), (across, usual.height)
    for name in ("drawn", "gaps"):
        lines = [getattr(each, name) for each, _ in ways]
        says = [_says(cuts, size, side) for cuts, (_, size) in zip(lines, ways, strict=True)]
        if not any(says):
            continue
        if geometry := _cut(lines, says, side):
            return geometry
        if name == "drawn":
            raise text.error(rows[0].number, 1, _choices(usual), _found(lines))
    return None


def _says(cuts: frozenset[int], size: int, side: int) -> bool:
    """Whether lines at these places are neither everywhere nor all on borders of usual boxes."""
    return len(cuts) < side - 1 and any(cut % size for cut in cuts)


def _cut(lines: Sequence[frozenset[int]], says: Sequence[bool], side: int) -> Geometry | None:
    """The boxes of as many cells as the side between these lines, down and across; None if none."""
    width, height = (_size(cuts, side) if own else 0 for cuts, own in zip(lines, says, strict=True))
    width, height = width or side // (height or side), height or side // (width or side)
    if width * height != side or min(width, height) == 1:
        return None
    sizes = zip(lines, (width, height), strict=True)
    is_cut = any(_says(cuts, size, side) for cuts, size in sizes)  # through a box
    return None if is_cut else Geometry(height, width)


def _size(cuts: frozenset[int], side: int) -> int:
    """The size of the equal parts between the cuts; 1 if they are not equal."""
    size = min(cuts)
    return size if cuts == {*range(size, side, size)} and side % size == 0 else 1


def _between_cells(text: Text, rows: Sequence[TextLine]) -> _Lines:
    """The lines between columns: bars in any row, and the `+` of borders."""
    side = len(rows)
    bars = [[_between(row.text).get(cut, "") for cut in range(1, side)] for row in rows]
    counts = [max(between.count("|") for between in column) for column in zip(*bars, strict=True)]
    gaps = [min(map(len, column)) for column in zip(*bars, strict=True)]
    crossed = {cut for line in text.lines if line.is_border for cut in _crossed(line, rows[0])}
    drawn = _heaviest(counts) | {cut for cut in crossed if 0 < cut < side}
    return _Lines(drawn, _heaviest(gaps))


def _between(row: str) -> dict[int, str]:
    """What stands between the cells of a row, by the number of cells before it."""
    found: dict[int, str] = {}
    cells = 0
    for sign in row.strip():
        if cells_of(sign):
            cells += 1
        else:
            found[cells] = found.get(cells, "") + sign
    return found


def _crossed(border: TextLine, row: TextLine) -> list[int]:
    """The number of cells before each `+` of a border, if it has the columns of the row."""
    places = [place for place, sign in enumerate(border.text) if sign == "+"]
    if any(cells_of(row.text[place : place + 1]) for place in places):
        segments = [len(found) for found in _SEGMENT.findall(border.text)]
        if sum(segments) != len(row.cells):
            return []
        return [sum(segments[:count]) for count in range(1, len(segments))]
    return [len(cells_of(row.text[:place])) for place in places]


def _between_rows(text: Text, rows: Sequence[TextLine]) -> _Lines:
    """The lines between rows: borders, and empty lines."""
    borders = [line for line in text.lines if line.is_border]
    weights, gaps = [], []
    for above, below in pairwise(rows):
        inner = [line for line in borders if above.number < line.number < below.number]
        weights.append(sum(2 if "=" in line.text else 1 for line in inner))
        gaps.append(below.number - above.number - len(inner))
    return _Lines(_heaviest(weights), _heaviest(gaps))


def _heaviest(weights: Sequence[int]) -> frozenset[int]:
    """The places of lines by their weights; where lines are everywhere, of the heavier ones."""
    least = min(weights)
    return frozenset(cut for cut, weight in enumerate(weights, 1) if weight > least)


def options_for(side: int, first: int = 0) -> str:
    """The options that say which boxes a grid has; those of the height `first` come first."""
    heights = [height for height in range(2, side) if side % height == 0 and height * 2 <= side]
    heights.sort(key=lambda height: height != first)
    return either(f"--boxes {height}x{side // height}" for height in heights)


def _choices(usual: Geometry) -> str:
    side, options = usual.side, options_for(usual.side, usual.height)
    return f"lines around the boxes of a grid of {side}×{side} cells, or {options}"


def _found(lines: Sequence[frozenset[int]]) -> str:
    told = [
        f"after {name}{'s' * (len(cuts) > 1)} {', '.join(map(str, sorted(cuts)))}"
        for name, cuts in zip(("column", "row"), lines, strict=True)
        if cuts
    ]
    return f"lines {' and '.join(told)}"
