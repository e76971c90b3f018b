"""Killers as people draw or list them, with or without a grid of givens.

    53..7.... aabbccdde    a map of cages beside or below the grid, and the sum of each
    6..195... ffgghhiij
    …
    a=8 b=10 c=15 …

    8 = R1C1 R1C2          one cage per line: its sum and its cells, or its cells and its sum
    r1c3,r1c4: 10

    | 8|< |10|< |15|…      a sum in one cell of each cage; in its other cells, steps to the sum

In a map, `.`, `-`, `_`, `*` and `0` are cells without a cage. `killers.py` describes steps.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from pipeline.errors import counted
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.reading.formats.alphabets import digits_or_letters
from pipeline.reading.formats.around import is_note
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.borders import boxes_of
from pipeline.reading.formats.cells import CELL_CHARACTERS, GEOMETRIES, number_of
from pipeline.reading.formats.frames import frame_of_cells, frame_of_numbers, puzzle_of_frame
from pipeline.reading.formats.jigsaws import connected_parts, map_cells
from pipeline.reading.formats.killers import STEPS, end_of_steps
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.region_maps import find_map, half_row, text_around
from pipeline.reading.formats.text import Text, TextLine, Word, quote
from pipeline.reading.formats.variants import cages_of, groups_of
from pipeline.settings import Reading

_SUM = re.compile(r"(?<![^\s,;])([^\W_])\s*+[=:]\s*+([0-9]{1,3})(?![0-9])[\s,;]*+")
"""The name and the sum of a cage, such as `a=8`."""

_LINE_OF_SUMS = re.compile(rf"\s*+(?:{_SUM.pattern})++")
"""A line of sums only."""

_ARROWS = frozenset("<>^v")
_MIN_SUMS = 4
"""Minimum number of sums beside a map of cages."""

_MAX_SUM = 999
"""The largest sum between bars."""

_TITLE = re.compile(r".*\w\s+\w")
"""A line of several words."""

_MIN_ROWS = min(GEOMETRIES)
"""Minimum number of rows of a grid."""

_MIN_MAP_ROWS = 2
"""Minimum number of rows that may name cages, for a text to have a map."""

_NO_CAGE = frozenset(".-_*0")
"""The characters in a map for cells without a cage."""

_CELL = re.compile(r"[rR]([1-9][0-9]?)[cC]([1-9][0-9]?)(?![0-9])")
"""A cell, with its row and column in groups."""

_CELLS = r"(?:[rR][1-9][0-9]?[cC][1-9][0-9]?[\s,;+&]*+)++"
"""A list of cells."""

_LISTED_CAGE = re.compile(
    rf"\s*+(?:([0-9]{{1,3}})\s*+[=:]\s*+{_CELLS}|{_CELLS}[=:]\s*+([0-9]{{1,3}})\s*+)"
)
"""A line with the sum and the cells of a cage, in either order."""

_PART_OF_LISTED_CAGE = re.compile(r"\b[rR][0-9]|^\s*+[0-9]{1,3}\s*+[=:]|[=:]\s*+[0-9]{1,3}\s*\Z")
"""A cell, a sum at the beginning of a line, or a sum at the end of it."""

_KILLER_BEGINS = re.compile(
    rf"\s*+(?:[0-9]{{1,3}}\s*+[=:]\s*+{_CELLS}(?:\n|\Z)|{_CELLS}[=:]"
    r"|\|\s*+[0-9]{1,3}\s*+\|[^\n]*[<>^v])"
    rf"|(?s:.){{,4000}}?(?:{_SUM.pattern}){{{_MIN_SUMS}}}"
)
"""A line of a cage, a row with a sum between bars, or a text with some sums."""

_BARRED_ROW = re.compile(r"\s*+\|(?:\s*+(?:[0-9]{1,3}|[<>^v`',.])\s*+\|){4,}+\s*+")
"""A row of sums and steps between bars."""


def recognise_killer_grid(text: Text) -> str | None:
    has_sums = b"=" in text.data or b":" in text.data
    if not (has_sums or b"|" in text.data):
        return None
    if _has_steps(text):
        return "sums and steps between bars"
    if not has_sums:
        return None
    if any(_LISTED_CAGE.fullmatch(line.text) for line in text.lines):
        return "a line with the sum and the cells of a cage"
    lines = _lines_of_sums(text)
    rows = _rows_except(text.rows, lines)
    count = sum(len(_SUM.findall(line.text)) for line in lines)
    if count >= _MIN_SUMS and sum(map(_may_name_cages, rows)) >= _MIN_MAP_ROWS:
        return f"{count} sums of cages, and rows that name cages"
    return None


def _has_steps(text: Text) -> bool:
    """Whether a text has rows of sums and steps between bars."""
    rows = [row.text for row in text.rows if row.text.lstrip().startswith("|")]
    are_drawn = len(rows) >= _MIN_ROWS and all(map(_BARRED_ROW.fullmatch, rows[:2]))
    return are_drawn and not _ARROWS.isdisjoint("".join(rows))


def _lines_of_sums(text: Text) -> list[TextLine]:
    """The lines with sums of cages, perhaps damaged ones."""
    return [
        row
        for row in text.rows
        if _LINE_OF_SUMS.fullmatch(row.text) or len(_SUM.findall(row.text)) >= _MIN_SUMS
    ]


def _rows_except(rows: Iterable[TextLine], lines: Iterable[TextLine]) -> list[TextLine]:
    """The rows without those in `lines`."""
    numbers = {line.number for line in lines}
    return [row for row in rows if row.number not in numbers]


def _may_name_cages(row: TextLine) -> bool:
    """Whether at least a quarter of the cells are letters.

    A map may name cages by digits too, and a grid may be beside it in the same row.
    """
    return sum(map(str.isalpha, row.cells)) * 4 >= len(row.cells)


def parse_killer_grid(text: Text, reading: Reading) -> Parsed:
    if _has_steps(text):
        return _parse_steps(text, reading)
    if any(_LISTED_CAGE.fullmatch(line.text) for line in text.lines):
        return _parse_list(text, reading)
    return _parse_map(text, reading)


def _parse_steps(text: Text, reading: Reading) -> Parsed:
    """Parse rows of sums and steps between bars."""
    lines = [line for line in text.lines if line.is_border or line.text.lstrip().startswith("|")]
    frame = frame_of_numbers(text, lines, GEOMETRIES)
    words = [*frame.words()]
    for word in words:
        if word.text not in STEPS and number_of(word.text, _MAX_SUM) is None:
            raise text.at_word(word, "a sum, 0 for none, or a step, one of <>^v`',.")
    if frame.fault:
        raise frame.fault
    geometry = boxes_of(text, frame.lines, frame.side, reading)
    ends = [end_of_steps(cell, text, words, geometry) for cell in range(geometry.size)]
    members = {ends[cells[0]]: cells for cells in groups_of(ends)}
    rules = cages_of(members, {end: int(words[end].text) for end in members})
    return _add_text_around(
        text, lines, Parsed(Puzzle.empty(geometry, tuple(rules)), variant="rules")
    )


def _may_be_listed_cage(text: str) -> bool:
    """Whether a line may be a damaged line of a cage: it has a part of one, and is not a note."""
    return _PART_OF_LISTED_CAGE.search(text) is not None and not is_note(text.strip())


class _Cage(NamedTuple):
    """A cage in a list: its sum, and its cells as words."""

    total: int
    cells: list[Word]


def _parse_list(text: Text, reading: Reading) -> Parsed:
    """Parse lines with the sum and the cells of a cage, and the grid of givens if there is one."""
    lines, cages = list[TextLine](), list[_Cage]()
    for line in text.lines:
        if match := _LISTED_CAGE.fullmatch(line.text):
            lines.append(line)
            cages.append(_Cage(int(match[1] or match[2]), [*line.words(_CELL)]))
    rows = _rows_except(text.lines, lines)
    if wrong := next((line for line in rows if _may_be_listed_cage(line.text)), None):
        raise text.at_line(wrong, "the sum and the cells of a cage, such as 8 = R1C1 R1C2")
    drawn = [row for row in rows if not row.is_border]
    if region_map := find_map([map_cells(row.text) for row in drawn]):
        expected = "cages without a map of regions (f-puzzles documents can have both)"
        raise text.at_line(drawn[region_map.row], expected, code="region-map")
    grid = _find_grid(text, rows)
    places = [place for cage in cages for place in map(_row_and_column, cage.cells)]
    side = len([row for row in grid if not row.is_border]) or _side_of(places)
    if not side:
        expected = "a grid above the cages, or cages for all cells, to show the number of rows"
        raise text.at_end(expected, f"cages of {counted(len({*places}), 'cell')}")
    seen = set[tuple[int, int]]()
    members, sums = dict[int, list[int]](), dict[int, int]()
    for index, cage in enumerate(cages):
        sums[index], members[index] = cage.total, []
        for word in cage.cells:
            row, column = place = _row_and_column(word)
            if max(place) > side:
                raise text.at_word(word, f"a cell of a grid of {side} rows and columns")
            if place in seen:
                raise text.at_word(word, "each cell in at most one cage")
            seen.add(place)
            members[index].append((row - 1) * side + column - 1)
    rules = cages_of(members, sums)
    puzzle_of = _puzzle_with_givens if grid else _puzzle_without_givens
    return _add_text_around(text, [*lines, *grid], puzzle_of(text, grid, side, rules, reading))


def _row_and_column(word: Word) -> tuple[int, int]:
    """The row and column of a cell written as `R1C2`."""
    row, column = _CELL.findall(word.text)[0]
    return int(row), int(column)


def _side_of(places: Sequence[tuple[int, int]]) -> int:
    """The side of a grid, given the cells of all cages; 0 if they do not show it.

    The side is 9 if a cell is in the ninth row or column; otherwise the cages must cover the grid.
    """
    side = max(chain.from_iterable(places))
    is_covered = len({*places}) == side * side
    return side if side == max(GEOMETRIES) or (side in GEOMETRIES and is_covered) else 0


def _find_grid(text: Text, rows: Sequence[TextLine]) -> list[TextLine]:
    """The n rows of n cells among these lines, and the borders between them; empty without a grid.

    Raises InvalidPuzzle for more than n rows.
    """
    widths = Counter(len(row.cells) for row in rows if not row.is_border)
    for side in GEOMETRIES:
        if widths[side] >= side:
            fitting = [row for row in rows if not row.is_border and len(row.cells) == side]
            grid = [row for row in fitting if CELL_CHARACTERS.issuperset(row.cells)] or fitting
            if len(grid) != side:
                raise text.at_line(grid[0], f"{side} rows", counted(len(grid), "row"))
            first, last = grid[0].number, grid[-1].number
            numbers = {row.number for row in grid}
            return [
                row
                for row in rows
                if row.number in numbers or (row.is_border and first < row.number < last)
            ]
    return []


def _parse_map(text: Text, reading: Reading) -> Parsed:
    """Parse a map of cages, their sums, and the grid of givens if there is one."""
    lines = _lines_of_sums(text)
    if wrong := next((line for line in lines if not _LINE_OF_SUMS.fullmatch(line.text)), None):
        sums = _LINE_OF_SUMS.match(wrong.text)
        rest = Word(wrong.number, sums.end() + 1, wrong.text[sums.end() :]) if sums else None
        expected = "only names and sums of cages in this line, such as a=8 b=10"
        raise text.at_word(rest, expected) if rest else text.at_line(wrong, expected)
    rows = _rows_except(text.rows, lines)
    map_rows = [row for row in rows if _may_name_cages(row) and not _TITLE.match(row.text)]
    if lines and map_rows and map_rows[0].number < lines[0].number < map_rows[-1].number:
        next_map = next(row for row in map_rows if row.number > lines[0].number)
        expected = "one killer in a file"
        raise text.at_line(next_map, expected, "a second map of cages", code="several-puzzles")
    widths = Counter(len(row.cells) for row in rows)
    width = max(widths, key=lambda width: widths[width] * (width >= _MIN_ROWS), default=0)
    drawn = [row for row in rows if len(row.cells) == width]
    side = min(width, len(drawn))
    shapes = {(side, side), (side, 2 * side), (2 * side, side)}
    if side not in GEOMETRIES or (width, len(drawn)) not in shapes:
        expected = "n rows that name a cage for each cell, beside or below n rows of a grid"
        first = rows[0] if rows else text.lines[0]
        found = f"{counted(len(drawn), 'row')} of {counted(width, 'character')}"
        raise text.at_line(first, expected, found)
    if width == 2 * side:
        blocks = [[half_row(row, start) for row in drawn] for start in (0, side)]
    else:
        blocks = [drawn[start : start + side] for start in range(0, len(drawn), side)]
    maps = [block for block in blocks if not all(map(_may_be_grid_row, block))]
    if len(maps) != 1:
        expected = "one map of cages, in letters, and one grid of digits and blanks"
        raise text.at_line(drawn[0], expected, f"{counted(len(maps), 'map')}")
    (cage_map,) = maps
    grid = [row for block in blocks if block is not cage_map for row in block] or cage_map
    numbers = range(grid[0].number, grid[-1].number)
    borders = [line for line in text.lines if line.is_border and line.number in numbers]
    cages = _cages_in_map(
        text, [word for row in cage_map for word in row.placed_cells()], lines, side
    )
    with_borders = sorted([*grid, *borders], key=lambda line: line.number)
    puzzle_of = _puzzle_without_givens if grid is cage_map else _puzzle_with_givens
    return _add_text_around(
        text, [*lines, *drawn], puzzle_of(text, with_borders, side, cages, reading)
    )


def _may_be_grid_row(row: TextLine) -> bool:
    return CELL_CHARACTERS.issuperset(row.cells)


def _cages_in_map(
    text: Text, names: Sequence[Word], lines: Sequence[TextLine], side: int
) -> list[Rule]:
    """The cages of a map, given the name in each cell and the lines of sums.

    Raises InvalidPuzzle for a name without a sum, or a sum without a cage.
    """
    sums = dict[str, int]()
    stated_sums = [
        (Word(line.number, match.start() + 1, match[1]), int(match[2]))
        for line in lines
        for match in _SUM.finditer(line.text)
    ]
    used_names = {word.text for word in names}
    for word, total in stated_sums:
        if word.text not in used_names:
            raise text.at_word(word, "the name of a cage in the map")
        if sums.setdefault(word.text, total) != total:
            raise text.at_word(
                word, f"one sum of cage {quote(word.text)}", f"a second sum, {total}"
            )
    for word in names:
        if word.text not in sums and word.text not in _NO_CAGE:
            raise text.at_word(word, f"a sum for each cage, such as {word.text}=12")
    members: Mapping[int, Sequence[int]] = {
        cells[0]: cells
        for cells in groups_of(word.text for word in names)
        if names[cells[0]].text in sums
    }
    for first, cells in members.items():
        parts = connected_parts(cells, side)
        if len(parts) > 1:
            found = f"cage {quote(names[first].text)} in {len(parts)} parts"
            raise text.at_word(names[parts[1][0]], "connected cages, each with its own name", found)
    return cages_of(members, {first: sums[names[first].text] for first in members})


def _puzzle_with_givens(
    text: Text, grid: Sequence[TextLine], side: int, cages: Sequence[Rule], reading: Reading
) -> Parsed:
    rows = [row for row in grid if not row.is_border]
    frame = frame_of_cells(text, rows, {side}, grid)._replace(rules=cages)
    return puzzle_of_frame(text, frame, digits_or_letters, reading)


def _puzzle_without_givens(
    text: Text, lines: Sequence[TextLine], side: int, cages: Sequence[Rule], reading: Reading
) -> Parsed:
    """The puzzle of cages without givens; `lines` may draw boxes."""
    geometry = boxes_of(text, lines, side, reading)
    return Parsed(Puzzle.empty(geometry, tuple(cages)), variant="rules")


def _add_text_around(text: Text, used_lines: Sequence[TextLine], parsed: Parsed) -> Parsed:
    """Add the title and the unread lines, which are outside `used_lines`."""
    side = parsed.puzzle.geometry.side
    return parsed.with_text(*text_around(text, used_lines, side, parsed.puzzle.rules))


KILLER_GRID = Format("killer-grid", recognise_killer_grid, parse_killer_grid, begins=_KILLER_BEGINS)
