"""Jigsaws: a collection of grids and region maps, as `jigsaw-grid` has one of them.

    ..2..4          ..2..4 AABBCC
    ...6..          ...6.. AABBCC
    …               …
    AABBCC          .6..5. ABBCCC
    AABBCC          …
    …

A record is 2n rows of n signs, or n rows of 2n, with the text above them. Rows are counted, and a
missing row spoils all later jigsaws.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, islice
from string import ascii_letters, ascii_uppercase
from typing import BinaryIO, NamedTuple

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import ManyFormat, SourceHead
from pipeline.reading.formats.board_collections import (
    MARK,
    TITLE,
    cut_boards,
    entries_of_boards,
    records_of,
    split_record,
)
from pipeline.reading.formats.cage_maps import KILLER_GRID
from pipeline.reading.formats.cells import BLANKS, DIGITS
from pipeline.reading.formats.jigsaws import JIGSAW_SIDES, find_region_map
from pipeline.reading.formats.parsed import Entry, TextChunk
from pipeline.reading.formats.records import Reader
from pipeline.reading.formats.region_maps import HEADINGS
from pipeline.reading.formats.text import Text, TextLine, cells_of, is_significant

_MAX_RECORDS = 16
_BLANKS = frozenset(BLANKS)
_SIGNS = frozenset(DIGITS + ascii_letters + BLANKS)
_SECTION = re.compile(r"\s{0,9}\[\s*\w+\s*\]\s*")
_NAMES = ascii_letters + DIGITS


class Jigsaws(NamedTuple):
    """The layout of a source: the number of rows of a record, and of signs in a row.

    `place` is the first row and column of the map in each record, from 0; None if they may differ.
    """

    side: int
    width: int
    place: tuple[int, int] | None = None

    @property
    def reason(self) -> str:
        return f"grids and region maps of {self.side} rows"

    def is_between(self, _line: str) -> bool:
        return False

    def expected_of(self, lines: Sequence[str]) -> str:
        rows = [cells_of(line) for line in lines if self.is_row(line)]
        found = find_region_map(rows)
        if self.place is None or found is None or found[:2] == self.place:
            return ""
        return "the map and the grid in the order of the first jigsaws"

    def is_row(self, line: str) -> bool:
        """Whether a line is a row, perhaps a damaged one."""
        cells = cells_of(line)
        unknown = sum(sign not in _SIGNS for sign in cells)
        if len(cells) != self.width or unknown * 4 > self.width or not is_significant(line):
            return False
        if (title := TITLE.match(line)) and title[1].lower() in HEADINGS:
            return False
        return len({*map(len, line.replace("|", " ").replace(",", " ").split())}) == 1

    def is_text(self, line: str) -> bool:
        return bool(TITLE.match(line) or MARK.fullmatch(line)) and not self.is_row(line)


def recognise_jigsaws(head: SourceHead) -> tuple[Jigsaws, str] | None:
    if any(map(_SECTION.fullmatch, head.lines)):
        return None  # sections of SadMan's files say what their rows are
    widths = Counter(len(cells_of(line)) for line in head.lines)
    for width, times in widths.most_common(2):
        for rows in (2 * width, width // 2 if width % 2 == 0 else 0):
            is_side = min(width, rows) in JIGSAW_SIDES
            if (
                is_side
                and times >= 2 * rows
                and times * 2 > len(head.lines)
                and not _has_cages(head)
            ):
                jigsaws = Jigsaws(rows, width)
                if place := _place_of_maps(head, jigsaws):
                    return jigsaws._replace(place=place), jigsaws.reason
    jigsaws = Jigsaws(18, 9)
    return (jigsaws, "it is declared") if head.is_declared else None


def _has_cages(head: SourceHead) -> bool:
    lines = tuple(map(TextLine.of_text, count(1), head.lines))
    return KILLER_GRID.recognise(Text("", lines, head.sample)) is not None


def _place_of_maps(head: SourceHead, jigsaws: Jigsaws) -> tuple[int, int] | None:
    """Where most of the first records, and at least two, have a region map."""
    records = [*islice(records_of(TextChunk(1, head.sample), jigsaws), _MAX_RECORDS)]
    is_whole = head.is_complete and head.sample == head.data and len(records) < _MAX_RECORDS
    places = Counter[tuple[int, int]]()
    total = 0
    for _, text in records if is_whole else records[:-1]:
        _, body, _ = split_record(text, 1, jigsaws)
        rows = [cells_of(line) for _, line in body if jigsaws.is_row(line)]
        total += bool(rows)
        has_blanks = not _BLANKS.isdisjoint("".join(rows))
        found = find_region_map(rows) if has_blanks and len(rows) == jigsaws.side else None
        if found and found.side == min(jigsaws.side, jigsaws.width):
            places[found[:2]] += 1
    for place, times in places.most_common(1):
        if times > 1 and times * 2 > total:
            return place
    return None


def _chunks(stream: BinaryIO, jigsaws: Jigsaws, size: int) -> Iterator[TextChunk]:
    return cut_boards(stream, jigsaws, size)


def _entries(chunk: TextChunk, jigsaws: Jigsaws, reader: Reader) -> list[Entry]:
    entries = []
    for entry in entries_of_boards(chunk, jigsaws, reader):
        line = _in_one_line(entry.puzzle) if entry.puzzle else entry.text
        if line:
            entries.append(entry._replace(text=line))
        else:
            expected = "a grid and a map of its regions"
            entries.append(reader.refuse(entry.line, 1, expected, "another puzzle", entry.text))
    return entries


def _in_one_line(puzzle: Puzzle) -> str:
    """The cells and the name of the region of each, as `jigsaw` has them; empty if it is none."""
    from pipeline.puzzle.rules.regions import Region  # noqa: PLC0415 - with all rules

    side, givens = puzzle.geometry.side, dict(puzzle.givens())
    signs = DIGITS if side <= len(DIGITS) else ascii_uppercase
    names = dict[int, str]()
    for rule, name in zip(puzzle.rules, _NAMES, strict=False):
        names |= dict.fromkeys(rule.cells(puzzle.geometry), name)
    if {rule.name for rule in puzzle.rules} != {Region.name} or len(names) != side * side:
        return ""
    cells = [signs[givens[cell] - 1] if cell in givens else "." for cell in range(side * side)]
    return "".join((*cells, *(names[cell] for cell in range(side * side))))


JIGSAWS = ManyFormat("jigsaws", recognise_jigsaws, _chunks, _entries, has_variants=True)
