"""Grid: n rows of n cells for n = 4, 6, 8, 9, as people draw them.

    53..7....        2.*.*.47.         | 5 3 . | . 7 . | . . . |
    6..195...        7**..**..         |-------+-------+-------|
    …                …                 …

Blanks are one of `. 0 _ - x ? *`; with both `*` and `.` they mark even and odd cells. Spaces,
commas, bars and border lines may stand between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice

from pipeline.errors import counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import GEOMETRIES, check_characters, puzzle_of, render_cells
from pipeline.parse.text import Line, Text, either
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

_DRAWN = frozenset("*-=")


def rows_of(text: Text) -> tuple[Line, ...]:
    """The lines that are not borders."""
    return tuple(line for line in text.lines if not line.is_border)


def recognise_grid(text: Text) -> str | None:
    rows = rows_of(text)
    side = len(rows)
    if side in GEOMETRIES and all(len(row.cells) == side for row in rows):
        return f"{side} rows of {side} cells"
    return None


def parse_grid(text: Text, reading: Reading) -> Found:
    rows = rows_of(text)
    check_characters(text, rows)
    check_shape(text, rows, GEOMETRIES)
    return puzzle_of(text, rows, reading.variant)


def check_shape(text: Text, rows: Sequence[Line], sides: Collection[int]) -> int:
    """The side, one of `sides`; raises InvalidPuzzle where these are not n rows of n cells."""
    side = _side_meant(rows, sides)
    if side is None:
        line, length = (rows[0].number, len(rows[0].cells)) if rows else (text.lines[0].number, 0)
        found = counted(length, "cell")
        raise text.error(line, 1, f"a row of {either(sides)} cells", found, truncated=True)
    for index, row in enumerate(rows):
        length = len(row.cells)
        if index == side:
            column, _ = next(row.placed_cells(), (1, ""))
            found = counted(len(rows), "row")
            begun = row is text.lines[-1] and _DRAWN.issuperset(row.cells)  # a border, perhaps
            raise text.error(row.number, column, f"{side} rows", found, truncated=begun)
        if length != side:
            column, _ = next(islice(row.placed_cells(), side, None), (len(row.text) + 1, ""))
            cut_off = index == len(rows) - 1 and length < side
            expected, found = f"a row of {side} cells", counted(length, "cell")
            raise text.error(row.number, column, expected, found, truncated=cut_off)
    if len(rows) < side:
        raise text.at_end(f"{side} rows", counted(len(rows), "row"))
    return side


def _side_meant(rows: Sequence[Line], sides: Collection[int]) -> int | None:
    """The side that most rows have; failing that the one that the number of rows tells."""
    lengths = Counter(len(row.cells) for row in rows)
    meant = [length for length, _ in lengths.most_common() if length in sides]
    return meant[0] if meant else len(rows) if len(rows) in sides else None


def render_grid(puzzle: Puzzle) -> str:
    """N lines of n characters."""
    cells, n = render_cells(puzzle), puzzle.geometry.side
    return "".join(cells[start : start + n] + "\n" for start in range(0, n * n, n))


GRID = Format("grid", recognise_grid, parse_grid, render_grid)
