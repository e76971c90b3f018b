"""Jigsaws as people draw them: a grid and, above, below or beside it, a map of its regions.

    ..2..4          ..2..4 AABBCC
    ...6..          ...6.. AABBCC
    …               …
                    ..3.1. DDEEFF
    AABBCC
    AABBCC
    …

The map has a letter or a digit for each cell: n names, each of n connected cells. So a map of
digits is never a puzzle: equal digits are neighbours. The grid or the map may also be one line of
n² signs. Regions replace the boxes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from math import isqrt
from string import ascii_letters

from pipeline.errors import counted
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.reading.formats.alphabets import signs
from pipeline.reading.formats.around import is_note, title_and_unread
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import DIGITS, in_rows
from pipeline.reading.formats.frames import Frame, frame_of_cells, puzzle_of_frame
from pipeline.reading.formats.jigsaws import (
    AS_JIGSAW,
    JIGSAW_SIDES,
    RegionMap,
    find_region_map,
    parts_of,
)
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.records import is_damaged_row, is_row
from pipeline.reading.formats.text import Text, TextLine, Word, quote
from pipeline.reading.formats.variants import groups_of, region_rules
from pipeline.settings import Reading

_MOST_ROWS = 100
"""Maximum number of rows among which a damaged map is looked for."""

_NAMES = frozenset(ascii_letters + DIGITS)
_HEADINGS = frozenset(
    ("puzzle", "grid", "givens", "clues", "regions", "region", "jigsaw", "map", "layout", "areas")
)
"""Lines above a grid or a map that say only what it is."""


def find_map(rows: Sequence[str]) -> RegionMap | None:
    """The region map among rows of cells, perhaps a damaged one."""
    return find_region_map(rows) or _find_damaged_map(rows) if len(rows) > 1 else None


def _find_damaged_map(rows: Sequence[str]) -> RegionMap | None:
    """A map with some wrong, missing or additional signs, and enough rows for a grid.

    In a grid equal values are never neighbours. A region of n cells has n - 1 pairs of neighbours
    or more; two thirds of these are left.
    """
    count, side = len(rows), len(rows[0])
    if count == side == len(rows[-1]) or count > _MOST_ROWS:  # as most
        return None
    side, times = Counter(map(len, rows)).most_common(1)[0]
    if side == 2 * times == 2 * count:
        return _find_damaged_half(rows)
    if side not in JIGSAW_SIDES or times < side - 1:
        return None
    for at, row in enumerate(rows):
        if abs(len(row) - side**2) < 2 and _has_regions([row], side):
            return RegionMap(at, 0, side)
    blocks = [rows[at : at + side] for at in range(count - side + 1 if count > 2 * side - 2 else 0)]
    best = max(blocks, key=lambda block: _equal_neighbours(block, side), default=())
    return RegionMap(blocks.index(best), 0, side) if best and _has_regions(best, side) else None


def _find_damaged_half(rows: Sequence[str]) -> RegionMap | None:
    """The same in n rows of 2n signs."""
    side = len(rows)
    halves = ["".join(row[start : start + side] for row in rows) for start in (0, side)]
    for index, (half, other) in enumerate(zip(halves, halves[::-1], strict=True)):
        if half.isalnum() and not other.isalnum() and _has_regions([half], side):
            return RegionMap(0, index * side, side) if side in JIGSAW_SIDES else None
    return None


def _has_regions(block: Sequence[str], side: int) -> bool:
    names = sum(map(_NAMES.__contains__, chain.from_iterable(block)))
    is_filled = names * 3 >= side**2 * 2  # a region may be called 0
    return is_filled and _equal_neighbours(block, side) * 3 >= side * (side - 1) * 2


def _equal_neighbours(block: Sequence[str], side: int) -> int:
    """The number of equal neighbours that are no blanks, in rows of n signs, or in one row."""
    rows = in_rows(block[0], side) if len(block) == 1 else block
    beside = chain.from_iterable(map(pairwise, rows))
    above = chain.from_iterable(zip(*pair, strict=False) for pair in pairwise(rows))
    return sum(one == other and one in _NAMES for one, other in chain(beside, above))


def misfit_of(names: Sequence[object], side: int) -> tuple[int, str, str] | None:
    """The cell, the expectation and the finding for names that are not n connected regions."""
    groups = groups_of(names)
    cells = (min if len(groups) > side else max)(groups, key=len)
    if len(groups) != side or len(cells) != side:
        found = f"region {quote(str(names[cells[0]]))} of {counted(len(cells), 'cell')}"
        found = f"{counted(len(groups), 'region')}, {found}" if len(groups) != side else found
        *_, least = sorted(parts_of(cells, side), key=len, reverse=True)
        return least[min(side, len(least) - 1)], f"{side} regions of {side} cells", found
    for cells in groups:
        parts = parts_of(cells, side)
        if len(parts) > 1:
            expected = "connected regions (others only in one line, with --format jigsaw)"
            return (
                parts[1][0],
                expected,
                f"region {quote(str(names[cells[0]]))} in {len(parts)} parts",
            )
    return None


def puzzle_with_map(
    text: Text,
    grid: Sequence[TextLine],
    region_map: Sequence[Word],
    reading: Reading,
    otherwise: str = "",
) -> Parsed:
    """The jigsaw of a grid, in n lines or in one, and the signs of its regions, row by row.

    Raises InvalidPuzzle; `otherwise` is what the signs may be if they are no regions.
    """
    side = isqrt(len(grid[0].cells)) if len(grid) == 1 else 0
    if side in JIGSAW_SIDES and side**2 == len(grid[0].cells):
        frame = Frame.of_words([*grid[0].placed_cells()], Geometry(1, side))
    else:
        frame = frame_of_cells(text, grid, JIGSAW_SIDES, ())
    side, fault, names = frame.side, frame.fault, [word.text for word in region_map]
    drawn = groups_of(word.line for word in region_map)
    if not fault and len(names) != side**2 and len(drawn) == side:
        wrong = next(row for row in drawn if len(row) != side)
        expected, found = f"a row of {side} regions", counted(len(wrong), "character")
        fault = text.at_word(region_map[wrong[-1]], expected, found)
    elif not fault and len(names) != side**2:
        expected = f"a map of {side} rows of {side} regions"
        fault = text.at_word(region_map[-1], expected, counted(len(names), "character"))
    if not fault and (misfit := misfit_of(names, side)):
        cell, expected, found = misfit
        fault = text.at_word(region_map[cell], expected + otherwise, found)
    rules = [] if fault else region_rules(names)
    frame = frame._replace(geometry=Geometry(1, side), fault=fault, rules=rules)
    return puzzle_of_frame(text, frame, signs, reading)


def recognise_jigsaw_grid(text: Text) -> str | None:
    found = find_map([row.cells for row in text.rows])
    return f"{found.side} regions around a grid" if found else None


def parse_jigsaw_grid(text: Text, reading: Reading) -> Parsed:
    rows = text.rows
    found = find_map([row.cells for row in rows])
    if found is None:
        expected = "a grid, and n connected regions of n cells as letters or digits around it"
        raise text.at_line(text.lines[0], expected)
    at, first, side = found
    drawn = rows[at : at + (1 if len(rows[at].cells) > 2 * side else side)]
    is_beside = {len(row.cells) for row in drawn} == {2 * side}
    if is_beside:
        grid = [half_row(row, side - first) for row in drawn]
        region_map = [word for row in drawn for word in half_row(row, first).placed_cells()]
    else:
        grid = _grid_among([row for row in rows if row not in drawn], side)
        if grid and grid[0].number < drawn[0].number < grid[-1].number:
            grid = []
        region_map = [word for row in drawn for word in row.placed_cells()]
    used = [*drawn, *grid]
    if not grid or any(_may_be_row(row, side) for row in _others(text, used)):
        expected = f"one grid of {side} rows of {side} cells and one map of its regions"
        count = sum(len(row.cells) == side for row in rows if row not in drawn)
        found_there = f"a region map and {counted(count, 'row')} of {side} cells"
        word = region_map[0]
        raise text.error(word.line, word.column, f"{expected} (or {AS_JIGSAW})", found_there)
    may_be_grid = not is_beside and all(word.text.isdecimal() for word in region_map)
    otherwise = ", or --format stacked for two grids" if may_be_grid else ""
    parsed = puzzle_with_map(text, grid, region_map, reading, otherwise)
    return parsed.with_text(*text_around(text, used, side, parsed.puzzle.rules))


def text_around(
    text: Text, used: Sequence[TextLine], side: int, rules: Sequence[Rule]
) -> tuple[str, tuple[str, ...]]:
    """The title in the lines that were not used, and the unread lines.

    Raises InvalidPuzzle for a line that may be a row.
    """
    others = _others(text, used)
    if wrong := next((row for row in others if _may_be_row(row, side)), None):
        raise text.at_line(wrong, f"{side} rows, and no other line of cells")
    first = min(row.number for row in used)
    lines = [(row.number, row.text) for row in others if not _is_heading(row)]
    above = [line for line in lines if line[0] < first]
    return title_and_unread(above, lines[len(above) :], rules)


def _others(text: Text, used: Sequence[TextLine]) -> list[TextLine]:
    numbers = {row.number for row in used}
    return [row for row in text.rows if row.number not in numbers]


def half_row(row: TextLine, first: int) -> TextLine:
    """Half of a row, at its place."""
    words = [*row.placed_cells()]
    half = words[first : first + len(words) // 2]
    start = half[0].column - 1
    return TextLine.of_text(row.number, " " * start + row.text[start : half[-1].column])


def _grid_among(rows: Sequence[TextLine], side: int) -> list[TextLine]:
    """The n successive rows of n cells, or the one row of n²; empty if there are others too."""
    whole = [row for row in rows if len(row.cells) == side**2]
    short = [row for row in rows if len(row.cells) == side]
    if len(short) != side:
        short = [row for row in short if is_row(row.text, side)]
    if len(whole) + len(short) // side != 1 or (not whole and len(short) != side):
        return []
    grid = whole or short
    start = rows.index(grid[0])
    return grid if [*rows[start : start + len(grid)]] == grid else []


def _may_be_row(row: TextLine, side: int) -> bool:
    is_cells = is_row(row.text, side) or is_damaged_row(row.text, side)
    return is_cells and not is_note(row.text.strip())


def _is_heading(row: TextLine) -> bool:
    return row.text.strip(" \t[]():=-*").lower() in _HEADINGS


JIGSAW_GRID = Format("jigsaw-grid", recognise_jigsaw_grid, parse_jigsaw_grid)
