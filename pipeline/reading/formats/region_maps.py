"""Jigsaws as people draw them: a grid, and a map of its regions above, below or beside it.

    ..2..4          ..2..4 AABBCC
    ...6..          ...6.. AABBCC
    …               …
                    ..3.1. DDEEFF
    AABBCC
    AABBCC
    …

The map has a letter or a digit for each cell, the name of its region; each of the n regions has n
connected cells. A map of digits cannot be a puzzle, because in a puzzle equal digits are never
neighbours. The grid or the map may also be one line of n² characters. Regions replace the boxes.
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
from pipeline.reading.formats.alphabets import digits_or_letters
from pipeline.reading.formats.around import is_note, title_and_unread
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import DIGITS, split_into_rows
from pipeline.reading.formats.frames import Frame, frame_of_cells, puzzle_of_frame
from pipeline.reading.formats.jigsaws import (
    JIGSAW_HINT,
    JIGSAW_SIDES,
    RegionMap,
    connected_parts,
    find_region_map,
    map_cells,
)
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.records import is_damaged_row, is_row
from pipeline.reading.formats.text import Text, TextLine, Word, quote
from pipeline.reading.formats.variants import groups_of, region_rules
from pipeline.settings import Reading

_MAX_ROWS = 100
"""Maximum number of rows in which to look for a damaged map."""

_DOUBLE_SIDES = frozenset(2 * side for side in JIGSAW_SIDES)
"""Sides of squares that two jigsaws form, with each map beside its grid."""

_NAMES = frozenset(ascii_letters + DIGITS)
HEADINGS = frozenset(
    ("puzzle", "grid", "givens", "clues", "regions", "region", "jigsaw", "map", "layout", "areas")
)
"""Headings of grids and maps in lower case, which are not titles."""


def find_map(rows: Sequence[str]) -> RegionMap | None:
    """The region map among rows of cells, even a damaged one; None if there is no map."""
    return find_region_map(rows) or _find_damaged_map(rows) if len(rows) > 1 else None


def _find_damaged_map(rows: Sequence[str]) -> RegionMap | None:
    """Find a map in which some characters are wrong, missing or additional.

    In a grid, equal values are never neighbours. In a map, a region of n cells has at least n - 1
    pairs of equal neighbours; in a damaged map, at least two thirds of these pairs must be left.
    """
    count, side = len(rows), len(rows[0])
    if (count == side == len(rows[-1]) and side not in _DOUBLE_SIDES) or count > _MAX_ROWS:
        return None  # a quick test for grids without a map
    widths = Counter(filter(None, map(len, rows)))
    if not widths:
        return None
    side, row_count = widths.most_common(1)[0]
    if region_map := _find_damaged_half(rows, side // 2):
        return region_map
    if side not in JIGSAW_SIDES or row_count < side - 1:
        return None
    for index, row in enumerate(rows):
        if abs(len(row) - side**2) < 2 and _has_regions([row], side):
            return RegionMap(index, 0, side)
    starts = range(count - side + 1 if count > 2 * side - 2 else 0)
    blocks = [rows[start : start + side] for start in starts]
    best = max(blocks, key=lambda block: _count_equal_neighbours(block, side), default=())
    return RegionMap(blocks.index(best), 0, side) if best and _has_regions(best, side) else None


def _find_damaged_half(rows: Sequence[str], side: int) -> RegionMap | None:
    """Find damaged maps in the left or the right halves of the rows that have 2n characters.

    There must be at least n such rows. Returns a map that begins in the first of them.
    """
    wide = [index for index, row in enumerate(rows) if len(row) == 2 * side]
    if side not in JIGSAW_SIDES or len(wide) < side:
        return None
    halves = ["".join(rows[index][start : start + side] for index in wide) for start in (0, side)]
    for index, (half, other) in enumerate(zip(halves, halves[::-1], strict=True)):
        names = split_into_rows(half, side)
        may_be_map = half.isalnum() and not other.isalnum() and len({*names}) > 1
        if may_be_map and _has_regions(names, side):
            return RegionMap(wide[0], index * side, side)
    return None


def _has_regions(block: Sequence[str], side: int) -> bool:
    """Whether the rows may be damaged maps.

    At least two thirds of the characters are region names, more than n/2 names are different, and
    enough neighbours are equal.
    """
    characters = "".join(block)
    names = [character for character in characters if character in _NAMES]
    if len(names) * 3 < len(characters) * 2 or len({*names}) * 2 <= side:
        return False
    maps = max(1, len(characters) // side**2)
    return _count_equal_neighbours(block, side) * 3 >= maps * side * (side - 1) * 2


def _count_equal_neighbours(block: Sequence[str], side: int) -> int:
    """Count the pairs of neighbours with the same region name.

    `block`: rows of n characters, or a single row of n² characters.
    """
    rows = split_into_rows(block[0], side) if len(block) == 1 else block
    beside = chain.from_iterable(map(pairwise, rows))
    above = chain.from_iterable(zip(*pair, strict=False) for pair in pairwise(rows))
    return sum(one == other and one in _NAMES for one, other in chain(beside, above))


def misfit_of(names: Sequence[object], side: int) -> tuple[int, str, str] | None:
    """Check that the region names of all cells form n connected regions of n cells.

    Returns None if they do. Otherwise returns the cell at fault, and two texts for a message: the
    expected regions, and the fault that was found.
    """
    groups = groups_of(names)
    cells = (min if len(groups) > side else max)(groups, key=len)
    if len(groups) != side or len(cells) != side:
        found = f"region {quote(str(names[cells[0]]))} of {counted(len(cells), 'cell')}"
        found = f"{counted(len(groups), 'region')}, {found}" if len(groups) != side else found
        *_, smallest = sorted(connected_parts(cells, side), key=len, reverse=True)
        return smallest[min(side, len(smallest) - 1)], f"{side} regions of {side} cells", found
    for cells in groups:
        parts = connected_parts(cells, side)
        if len(parts) > 1:
            expected = "connected regions (unconnected ones only in one line, with --format jigsaw)"
            found = f"region {quote(str(names[cells[0]]))} in {len(parts)} parts"
            return parts[1][0], expected, found
    return None


def puzzle_with_map(
    text: Text,
    grid: Sequence[TextLine],
    region_map: Sequence[Word],
    reading: Reading,
    alternative: str = "",
) -> Parsed:
    """Make a jigsaw of a grid, in n lines or in one, and of the region name of each cell.

    Raises InvalidPuzzle. If the names do not form regions, its message says that n regions,
    followed by `alternative`, were expected.
    """
    side = isqrt(len(grid[0].cells)) if len(grid) == 1 else 0
    if side in JIGSAW_SIDES and side**2 == len(grid[0].cells):
        frame = Frame.of_words([*grid[0].placed_cells()], Geometry(1, side))
    else:
        frame = frame_of_cells(text, grid, JIGSAW_SIDES, ())
    side, fault, names = frame.side, frame.fault, [word.text for word in region_map]
    map_rows = groups_of(word.line for word in region_map)
    if not fault and len(names) != side**2 and len(map_rows) == side:
        wrong = next(row for row in map_rows if len(row) != side)
        expected, found = f"a row of {side} region names", counted(len(wrong), "character")
        fault = text.at_word(region_map[wrong[-1]], expected, found)
    elif not fault and len(names) != side**2:
        expected = f"a map of {side} rows of {side} region names"
        fault = text.at_word(region_map[-1], expected, counted(len(names), "character"))
    if not fault and (misfit := misfit_of(names, side)):
        cell, expected, found = misfit
        fault = text.at_word(region_map[cell], expected + alternative, found)
    rules = [] if fault else region_rules(names)
    frame = frame._replace(geometry=Geometry(1, side), fault=fault, rules=rules)
    return puzzle_of_frame(text, frame, digits_or_letters, reading)


def recognise_jigsaw_grid(text: Text) -> str | None:
    found_map = find_map([map_cells(row.text) for row in text.rows])
    return f"{found_map.side} regions around a grid" if found_map else None


def parse_jigsaw_grid(text: Text, reading: Reading) -> Parsed:
    rows = text.rows
    found_map = find_map([map_cells(row.text) for row in rows])
    if found_map is None:
        expected = "a grid, and a map of n connected regions of n cells in letters or digits"
        raise text.at_line(text.lines[0], expected)
    start, first, side = found_map
    map_rows = rows[start : start + (1 if len(rows[start].cells) > 2 * side else side)]
    is_beside = {len(row.cells) for row in map_rows} == {2 * side}
    if is_beside:
        grid = [half_row(row, side - first) for row in map_rows]
        region_map = [word for row in map_rows for word in half_row(row, first).placed_cells()]
    else:
        grid = _grid_among([row for row in rows if row not in map_rows], side)
        if grid and grid[0].number < map_rows[0].number < grid[-1].number:
            grid = []
        region_map = [word for row in map_rows for word in row.placed_cells()]
    used_lines = [*map_rows, *grid]
    other_rows = _other_rows(text, used_lines)
    has_other_map = sum(_may_be_map_row(row, side) for row in other_rows) * 2 > side
    if not grid or has_other_map or any(_may_be_row(row, side) for row in other_rows):
        expected = f"one grid of {side} rows of {side} cells and one map of its regions"
        count = sum(len(row.cells) == side for row in rows if row not in map_rows)
        found_rows = f"a region map and {counted(count, 'row')} of {side} cells"
        word = region_map[0]
        raise text.error(word.line, word.column, f"{expected} (or {JIGSAW_HINT})", found_rows)
    may_be_grid = not is_beside and all(word.text.isdecimal() for word in region_map)
    alternative = ", or --format stacked for two grids" if may_be_grid else ""
    parsed = puzzle_with_map(text, grid, region_map, reading, alternative)
    return parsed.with_text(*text_around(text, used_lines, side, parsed.puzzle.rules))


def text_around(
    text: Text, used_lines: Sequence[TextLine], side: int, rules: Sequence[Rule]
) -> tuple[str, tuple[str, ...]]:
    """Read the lines that are not in `used_lines`. Returns a title and unread texts.

    Raises InvalidPuzzle for a line that may be a row of cells.
    """
    other_rows = _other_rows(text, used_lines)
    if wrong := next((row for row in other_rows if _may_be_row(row, side)), None):
        raise text.at_line(wrong, f"{side} rows, and no other line of cells")
    first = min(row.number for row in used_lines)
    lines = [(row.number, row.text) for row in other_rows if not _is_heading(row)]
    above = [line for line in lines if line[0] < first]
    return title_and_unread(above, lines[len(above) :], rules)


def _other_rows(text: Text, used_lines: Sequence[TextLine]) -> list[TextLine]:
    numbers = {row.number for row in used_lines}
    return [row for row in text.rows if row.number not in numbers]


def half_row(row: TextLine, first: int) -> TextLine:
    """Half of a row, from cell `first` on. Spaces before it keep the columns of the cells."""
    words = [*row.placed_cells()]
    half = words[first : first + len(words) // 2]
    start = half[0].column - 1
    return TextLine.of_text(row.number, " " * start + row.text[start : half[-1].column])


def _grid_among(rows: Sequence[TextLine], side: int) -> list[TextLine]:
    """The only grid: n successive rows of n cells, or one row of n² cells. Empty if not unique."""
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
    """Whether a line may be a row of the grid, alone or beside the map, even a damaged one."""
    parts, width = [row.text], len(row.cells)
    if abs(width - 2 * side) < 2:
        parts += [row.cells[:side], row.cells[-side:]]
    is_cells = any(is_row(part, side) or is_damaged_row(part, side) for part in parts)
    return is_cells and not is_note(row.text.strip())


def _may_be_map_row(row: TextLine, side: int) -> bool:
    """Whether a line is a single word of n names."""
    return len(row.cells) == side and row.text.strip().isalnum()


def _is_heading(row: TextLine) -> bool:
    return row.text.strip(" \t[]():=-*").lower() in HEADINGS


JIGSAW_GRID = Format("jigsaw-grid", recognise_jigsaw_grid, parse_jigsaw_grid)
