"""The format jigsaws: a collection of jigsaws, each a grid and a map of its regions.

    ..2..4          ..2..4 AABBCC
    ...6..          ...6.. AABBCC
    …               …
    AABBCC          .6..5. ABBCCC
    AABBCC          …
    …

Each jigsaw is written as in the format jigsaw-grid. A record is 2n rows of n signs, or n rows of 2n
signs, and the text above these rows. Records are found by counting rows, so a missing row makes all
later records invalid.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import count
from string import ascii_letters, ascii_uppercase
from typing import NamedTuple

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import ManyFormat, SourceHead
from pipeline.reading.formats.board_collections import (
    SEPARATOR_LINE,
    TITLE,
    cut_boards,
    entries_of_boards,
    first_records,
    split_record,
)
from pipeline.reading.formats.cage_maps import KILLER_GRID
from pipeline.reading.formats.cells import BLANKS, DIGITS
from pipeline.reading.formats.jigsaws import JIGSAW_SIDES, find_region_map
from pipeline.reading.formats.parsed import Entry, TextChunk
from pipeline.reading.formats.records import Reader
from pipeline.reading.formats.region_maps import HEADINGS
from pipeline.reading.formats.text import Text, TextLine, cells_of, is_significant

_BLANK_SIGNS = frozenset(BLANKS)
_ROW_SIGNS = frozenset(DIGITS + ascii_letters + BLANKS)
"""The signs in the rows of grids and maps."""

_SECTION = re.compile(r"\s{0,9}\[\s*\w+\s*\]\s*")
"""The heading of a section in a file of SadMan Sudoku."""

_REGION_NAMES = ascii_letters + DIGITS
"""The names of regions in entries, in this order."""


class JigsawLayout(NamedTuple):
    """The layout of a source.

    - `row_count`: the number of rows in a record, 2n or n.
    - `width`: the number of signs in a row, n or 2n.
    - `map_position`: the first row and column of each map in its record, from 0; None if maps may
      have different positions.
    """

    row_count: int
    width: int
    map_position: tuple[int, int] | None = None

    @property
    def reason(self) -> str:
        return f"grids and region maps of {self.row_count} rows"

    @property
    def side(self) -> int:
        """The side n of the grids."""
        return min(self.row_count, self.width)

    def is_separator(self, _line: str) -> bool:
        """Return False: only the number of rows separates records."""
        return False

    def expectation(self, lines: Sequence[str]) -> str:
        """The expected order, for an error; empty if the map is at `map_position`."""
        rows = [cells_of(line) for line in lines if self.is_row(line)]
        region_map = find_region_map(rows)
        if self.map_position is None or region_map is None or region_map[:2] == self.map_position:
            return ""
        return "the map and the grid in the order of the first jigsaws"

    def is_row(self, line: str) -> bool:
        """Whether a line is a row of a grid, of a map or of both, even a damaged row."""
        cells = cells_of(line)
        unknown = sum(sign not in _ROW_SIGNS for sign in cells)
        if len(cells) != self.width or unknown * 4 > self.width or not is_significant(line):
            return False
        if (title := TITLE.match(line)) and title[1].lower() in HEADINGS:
            return False
        return len({*map(len, line.replace("|", " ").replace(",", " ").split())}) == 1

    def is_text(self, line: str) -> bool:
        """Whether a line is a title, a heading or a line such as `---`."""
        return bool(TITLE.match(line) or SEPARATOR_LINE.fullmatch(line)) and not self.is_row(line)


def recognise_jigsaws(head: SourceHead) -> tuple[JigsawLayout, str] | None:
    """Return the layout of a collection of jigsaws and the reason for it, or None."""
    if any(map(_SECTION.fullmatch, head.lines)):
        return None  # a file of SadMan Sudoku has one puzzle
    widths = Counter(len(cells_of(line)) for line in head.lines)
    for width, times in widths.most_common(2):
        for row_count in (2 * width, width // 2 if width % 2 == 0 else 0):
            layout = JigsawLayout(row_count, width)
            has_enough_rows = times >= 2 * row_count and times * 2 > len(head.lines)
            if layout.side not in JIGSAW_SIDES or not has_enough_rows or _has_cages(head):
                continue
            if position := _position_of_maps(head, layout):
                return layout._replace(map_position=position), layout.reason
    return (JigsawLayout(18, 9), "the format was specified") if head.is_declared else None


def _has_cages(head: SourceHead) -> bool:
    """Whether a source begins with a killer."""
    lines = tuple(map(TextLine.of_text, count(1), head.lines))
    return KILLER_GRID.recognise(Text("", lines, head.sample)) is not None


def _position_of_maps(head: SourceHead, layout: JigsawLayout) -> tuple[int, int] | None:
    """Return the position of the map in most of the first records; None if fewer than two agree."""
    positions = Counter[tuple[int, int]]()
    record_count = 0
    for text in first_records(head, layout):
        _, body, _ = split_record(text, 1, layout)
        rows = [cells_of(line) for _, line in body if layout.is_row(line)]
        record_count += bool(rows)
        has_blanks = not _BLANK_SIGNS.isdisjoint("".join(rows))
        is_whole_jigsaw = has_blanks and len(rows) == layout.row_count
        region_map = find_region_map(rows) if is_whole_jigsaw else None
        if region_map and region_map.side == layout.side:
            positions[region_map[:2]] += 1
    for position, times in positions.most_common(1):
        if times > 1 and times * 2 > record_count:
            return position
    return None


def _entries_of_jigsaws(chunk: TextChunk, layout: JigsawLayout, reader: Reader) -> list[Entry]:
    """Read the jigsaws of a chunk; any other puzzle is an error."""
    entries = []
    for entry in entries_of_boards(chunk, layout, reader):
        line = _one_line(entry.puzzle) if entry.puzzle else entry.text
        if line:
            entries.append(entry._replace(text=line))
        else:
            expected = "a grid and a map of its regions"
            entries.append(reader.refuse(entry.line, 1, expected, "another puzzle", entry.text))
    return entries


def _one_line(puzzle: Puzzle) -> str:
    """Write a jigsaw in one line, in the format jigsaw; empty if the puzzle is not a jigsaw."""
    from pipeline.puzzle.rules.regions import Region  # noqa: PLC0415 - with all rules

    side, givens = puzzle.geometry.side, dict(puzzle.givens())
    signs = DIGITS if side <= len(DIGITS) else ascii_uppercase
    names = dict[int, str]()
    for rule, name in zip(puzzle.rules, _REGION_NAMES, strict=False):
        names |= dict.fromkeys(rule.scope(puzzle.geometry), name)
    if {rule.name for rule in puzzle.rules} != {Region.name} or len(names) != side * side:
        return ""
    cells = [signs[givens[cell] - 1] if cell in givens else "." for cell in range(side * side)]
    return "".join((*cells, *(names[cell] for cell in range(side * side))))


JIGSAWS = ManyFormat(
    "jigsaws", recognise_jigsaws, cut_boards, _entries_of_jigsaws, has_variants=True
)
