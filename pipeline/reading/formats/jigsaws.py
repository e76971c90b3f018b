"""Puzzles with regions or cages in one line: jigsaws, and the game ids of Simon Tatham's Solo.

A jigsaw has regions instead of boxes. Its line has all cells, and then the region of each cell:

    1.........3..4..AABBAABBCCDDCCDD

Cells and regions are in one line, with or without white space between them, or in two lines. Any n
characters except `~`, which occurs in constraint strings, name the n regions of n cells. Up to side
9 the values are digits, for larger sides letters from A. A line of 162 cells may also be a puzzle
and its solution. In a solution, neighbours always differ; in a region map, at least half of the
pairs of neighbours are equal.

`find_region_map` finds region maps in several lines, around grids, and `region_maps.py` reads them.
Other formats refuse them, because a grid without its regions is a different puzzle.

An id of Solo:

    3x3:b8d7_4…                  boxes 3 high, 3 wide; then the grid
    3x3xk:zzzc,a__b…,d13c…       with diagonals and cages: the grid, the cages, their sums
    4j:1j2a3b,b__cd__a___b_      a jigsaw of side 4: the grid, the blocks

The letters `a` to `z` in a grid are 1 to 26 blanks, and `_` separates two numbers. Blocks and cages
are described by the borders between neighbouring cells: in each row, then in each column, and one
at the end. `_` is a border, `a` to `y` are 1 to 25 pairs of cells without a border and then a
border, and `z` is 26 pairs without a border. The difficulty and the symmetry before the colon are
ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import isqrt
from string import ascii_lowercase
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.reading.formats.alphabets import digits_or_letters
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import number_of, split_into_rows
from pipeline.reading.formats.frames import Frame, parser
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, Word, cells_of, quote
from pipeline.reading.formats.variants import (
    cages_of,
    diagonal_rules,
    first_misfit,
    groups_of,
    region_rules,
    variant_of,
)
from pipeline.settings import Reading

JIGSAW_SIDES = range(4, 26)
"""The supported sides of jigsaws."""

_SIDES_BY_LENGTH = {2 * side * side: side for side in JIGSAW_SIDES}
"""Number of characters of cells and regions → side."""

_CHARACTER = re.compile(r"\S")
_DELIMITER = re.compile(r"[,\t]")
_MAX_FIELD = 2
"""Maximum length of a field of a spreadsheet in which each field is a cell."""

_MAX_LENGTH = 1000
"""Maximum length of a line in which to look for empty fields."""


def recognise_jigsaw(text: Text) -> str | None:
    if len(text.lines) > 2 or len(text.data) > 2 * max(_SIDES_BY_LENGTH):
        return None
    characters = "".join("".join(line.text.split()) for line in text.lines)
    side = _SIDES_BY_LENGTH.get(len(characters))
    if characters[:1] in ("{", "["):  # JSON
        return None
    if side is None or "~" in characters or not _may_be_region_map(characters[side * side :], side):
        return None
    return f"{side * side} cells, then {side} regions"


def _may_be_region_map(characters: str, side: int) -> bool:
    """Whether characters may be a region map, even a damaged one.

    At least a quarter of the pairs of neighbours must be equal, and no character may occur more
    than n + 1 times.
    """
    if max(Counter(characters).values()) > side + 1:
        return False
    rows = split_into_rows(characters, side)
    lines = [*rows, *map("".join, zip(*rows, strict=True))]
    return sum(a == b for line in lines for a, b in pairwise(line)) >= side * (side - 1) // 2


JIGSAW_HINT = "write the jigsaw in one line: all cells, then the region of each"
"""The advice in errors for region maps around a grid."""

NO_REGION_MAP = f"a grid without a separate region map ({JIGSAW_HINT})"


class RegionMap(NamedTuple):
    """A region map: the index of its first row, its first column from 0, and its side."""

    row: int
    column: int
    side: int


def is_region_map(characters: str) -> bool:
    """Whether n² letters or digits form n connected regions of n cells; a solution never does."""
    side = isqrt(len(characters))
    if side not in JIGSAW_SIDES or side * side != len(characters) or not characters.isalnum():
        return False
    has_equal_neighbour = characters[0] in (characters[1], characters[side])
    if not has_equal_neighbour or first_misfit(characters):
        return False
    return all(len(connected_parts(group, side)) == 1 for group in groups_of(characters))


def connected_parts(cells: Sequence[int], side: int) -> list[list[int]]:
    """The connected parts of a set of cells, in a grid with this side."""
    remaining, parts = {*cells}, list[list[int]]()
    while remaining:
        remaining.remove(start := min(remaining))
        parts.append(reached := [start])
        for cell in reached:
            column = cell % side
            around = {cell - side, cell + side, cell - (column > 0), cell + (column < side - 1)}
            remaining -= (neighbours := around & remaining)
            reached += neighbours
    return parts


def map_cells(line: str) -> str:
    """Return the cells of a line that may be a row of a region map.

    The result is empty for a line of a spreadsheet with empty fields: these are cells too, and
    without them the others are in wrong columns.
    """
    if len(line) > _MAX_LENGTH or not _DELIMITER.search(line):
        return cells_of(line)
    fields = [field.strip() for field in _DELIMITER.split(line)]
    has_empty_fields = len(fields) >= min(JIGSAW_SIDES) and "" in fields
    return "" if has_empty_fields and max(map(len, fields)) <= _MAX_FIELD else cells_of(line)


def find_region_map(rows: Sequence[str]) -> RegionMap | None:
    """Find a region map among other rows: n rows of letters or digits, or one row of n².

    The map may be the left or the right half of n rows, also if more such rows follow, because two
    jigsaws of side n are a square of side 2n. A map without other rows is not found, because it is
    a grid that breaks the rules.
    """
    return _find_region_map(tuple(rows)) if len(rows) > 1 else None


@lru_cache(maxsize=1)  # several recognisers and checks call it for the same text
def _find_region_map(rows: tuple[str, ...]) -> RegionMap | None:
    widths = Counter(map(len, rows))
    middle = len(rows) // 2
    # Try the second half of 2n rows first: the last row of a grid and the map below it, without the
    # last row of the map, could also look like a map.
    may_be_halves = len(rows) == 2 * len(rows[middle])
    for index in [middle] * may_be_halves + [*range(len(rows))]:
        width = len(row := rows[index])
        if widths[side := isqrt(width)] >= side and is_region_map(row):
            return RegionMap(index, 0, side)
        half = width // 2
        candidates = [(width, 0)] if width in JIGSAW_SIDES and width < len(rows) else []
        if half in JIGSAW_SIDES and width == 2 * half and widths[width] >= half:
            candidates += [(half, 0), (half, half)]
        for side, first in candidates:
            block = rows[index : index + side]
            parts = [line[first : first + side] for line in block if len(line) == width]
            are_columns = len({*parts}) == 1  # rows of a larger grid may be alike
            if len(parts) != side or (are_columns and side == half < widths[width]):
                continue
            if is_region_map("".join(parts)):
                return RegionMap(index, first, side)
    return None


def check_no_region_map(text: Text) -> None:
    """Raise InvalidPuzzle for a region map around a grid."""
    rows = text.rows
    if region_map := find_region_map([map_cells(row.text) for row in rows]):
        row = rows[region_map.row]
        column = [*row.placed_cells()][region_map.column].column
        found = f"{region_map.side} regions"
        raise text.error(row.number, column, NO_REGION_MAP, found, code="region-map")


def _jigsaw_frame(text: Text) -> Frame:
    if len(text.lines) > 2:
        raise text.at_line(text.lines[2], "a single puzzle", counted(len(text.lines), "line"))
    words = [word for line in text.lines for word in line.words(_CHARACTER)]
    side = _SIDES_BY_LENGTH.get(len(words))
    if side is None:
        expected = "n² cells and the region of each, for example 81 and 81 characters"
        raise text.at_end(expected, counted(len(words), "character"))
    cells, regions = words[: side * side], words[side * side :]
    names = [word.text for word in regions]
    misfit = first_misfit(names)
    fault = text.at_word(regions[misfit[0]], misfit[1]) if misfit else None
    frame = Frame.of_words(cells, Geometry(1, side), fault)
    return frame if fault else frame._replace(rules=region_rules(names))


JIGSAW = Format("jigsaw", recognise_jigsaw, parser(_jigsaw_frame, digits_or_letters))


_MAX_SOLO_SIDE = 31
"""The largest side in Solo."""

_SOLO_HEADER = re.compile(r"\s*([0-9]{1,2})(?:x([0-9]{1,2}))?([a-z0-9]*):")
"""The height and the width of a box (or the side of a jigsaw), and the flags."""

_SOLO_BEGINS = re.compile(r"\s*[0-9]{1,2}(?:x[0-9]{1,2}|j)[a-z0-9]*:(?:[a-z0-9_]|$)")
"""The sizes and flags before the colon, and the first character after it."""

_WHOLE_SOLO = re.compile(rf"{_SOLO_BEGINS.pattern}[a-z0-9_]*(?:,[a-z0-9_]*)*\s*")
_IGNORED_FLAGS = re.compile(r"d[tbiaeu]?|(?:md|[rma])[0-9]*")
"""The flags for the difficulty and the symmetry."""

_SOLO_TOKEN = re.compile(r"[0-9]+|.")
"""A number, or any other character."""

_MAX_SUM = 9999
"""The largest sum of a cage that is read."""


def recognise_solo(text: Text) -> str | None:
    if len(text.lines) > 1 or not _WHOLE_SOLO.fullmatch(text.lines[0].text):
        return None
    return f"it begins with {quote(text.lines[0].text.partition(':')[0].strip() + ':')}"


def parse_solo(text: Text, _reading: Reading) -> Parsed:
    line = text.single_line()
    header = _SOLO_HEADER.match(line.text)
    flags = _IGNORED_FLAGS.sub("", header[3]) if header else ""
    is_jigsaw, has_cages = "j" in flags, "k" in flags
    height, width = (int(header[1]), int(header[2] or 1)) if header else (0, 0)
    has_size = header is not None and (is_jigsaw or header[2])
    if header is None or not has_size or not 2 <= height * width <= _MAX_SOLO_SIDE:
        expected = f"sizes such as '3x3:' or '9j:', of side 2 to {_MAX_SOLO_SIDE}"
        raise text.at_line(line, expected)
    geometry = Geometry(1, height * width) if is_jigsaw else Geometry(height, width)
    fields, start = [], header.end()
    for part in line.text[start:].rstrip().split(","):
        fields.append(_SoloField(text, Word(line.number, start + 1, part), geometry.side))
        start += len(part) + 1
    field_count = 1 + is_jigsaw + 2 * has_cages
    if len(fields) != field_count:
        raise fields[-1].at_end(counted(field_count, "field"), counted(len(fields), "field"))
    values = fields[0].numbers(geometry.side)
    rules: list[Rule] = []
    if is_jigsaw:
        blocks = fields[1].blocks()
        if misfit := first_misfit(blocks):
            sizes = [*map(len, groups_of(blocks))]
            is_oversized = len(sizes) <= geometry.side
            found = f"one of {max(sizes)} cells" if is_oversized else f"{len(sizes)} regions"
            raise fields[1].at_end(misfit[1], found)
        rules += region_rules(blocks)
    rules += diagonal_rules() if "x" in flags else ()
    if has_cages:
        rules += _cages(fields[-2].blocks(), fields[-1])
    puzzle = Puzzle.of_values(geometry, values, tuple(rules))
    return Parsed(puzzle, variant=variant_of(puzzle))


class _SoloField(NamedTuple):
    """A field of a game id, and the side of the grid."""

    text: Text
    word: Word
    side: int

    def at_end(self, expected: str, found: str) -> InvalidPuzzle:
        """The error for something missing at the end of the field."""
        line, column, field = self.word
        return self.text.error(line, column + len(field), expected, found)

    def at_character(self, index: int, expected: str) -> InvalidPuzzle:
        line, column, field = self.word
        return self.text.at_word(Word(line, column + index, field[index:]), expected)

    def numbers(self, maximum: int) -> list[int]:
        """The number in each cell, 0 for a blank."""
        values: list[int] = []
        for match in _SOLO_TOKEN.finditer(self.word.text):
            if match[0] in ascii_lowercase:
                values += [0] * (ascii_lowercase.index(match[0]) + 1)
            elif number := number_of(match[0], maximum):
                values.append(number)
            elif match[0] != "_":
                expected = f"a number from 1 to {maximum}, a letter for blanks or '_'"
                raise self.at_character(match.start(), expected)
            if len(values) > self.side**2:
                raise self.at_character(match.start(), f"at most {self.side**2} cells")
        if len(values) < self.side**2:
            raise self.at_end(f"{self.side**2} cells", counted(len(values), "cell"))
        return values

    def blocks(self) -> list[int]:
        """The number of the block of each cell: the same number for all cells of a block."""
        n = self.side
        pair_count = 2 * n * (n - 1)
        block = [*range(n * n)]
        pairs_done = 0
        for index, character in enumerate(self.word.text):
            if character not in ascii_lowercase + "_":
                raise self.at_character(index, "a letter or '_'")
            open_pairs = ascii_lowercase.find(character) + 1
            if pairs_done + open_pairs > pair_count or pairs_done > pair_count:
                expected = f"the end after {pair_count} pairs of cells and a border"
                raise self.at_character(index, expected)
            for pair in range(pairs_done, pairs_done + open_pairs):
                first, second = (block[cell] for cell in _cells_of_pair(pair, n))
                block = [first if number == second else number for number in block]
            pairs_done += open_pairs + (character != "z")
        if pairs_done <= pair_count:
            expected = f"{pair_count} pairs of cells and a border"
            raise self.at_end(expected, counted(pairs_done, "pair"))
        return block


def _cells_of_pair(pair: int, n: int) -> tuple[int, int]:
    """The cells of a pair of neighbours; pairs are numbered in each row, then in each column."""
    line, index = divmod(pair, n - 1)
    if line < n:
        return line * n + index, line * n + index + 1
    return index * n + line - n, (index + 1) * n + line - n


def _cages(blocks: Sequence[int], field: _SoloField) -> list[Rule]:
    """The cages with these blocks; `field` states the sum of each cage in one of its cells."""
    totals = field.numbers(_MAX_SUM)
    cages = groups_of(blocks)
    sums = [[totals[cell] for cell in cage if totals[cell]] for cage in cages]
    if any(len(numbers) > 1 for numbers in sums):
        raise field.at_end("one sum for each cage", "several sums in one cage")
    return cages_of(
        dict(enumerate(cages)), {index: sum(numbers) for index, numbers in enumerate(sums)}
    )


SOLO = Format("solo", recognise_solo, parse_solo, begins=_SOLO_BEGINS)
