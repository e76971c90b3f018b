"""SumoCue: givens, cages and the regions of jigsaws in one line.

    SumoCueV1=0J0=8J0+1J0…    `=8` opens a cage of sum 8, `+1` joins that of cell 1, from 0

A sum of 0 is none, and a cage of one cell is a given. `J0` is the number of the cell's region; with
regions there are no boxes. `SumoCueV1D` has diagonals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.puzzle import Geometry, Puzzle, Rule
from pipeline.reading.formats.base import Format, Found
from pipeline.reading.formats.cells import ALL_GEOMETRIES
from pipeline.reading.formats.jigsaw import SIDES
from pipeline.reading.formats.ruled import (
    cages_of,
    diagonals,
    first_misfit,
    region_rules,
    single_line,
    variant_of,
    words_of,
)
from pipeline.reading.formats.text import Text, Word, quote
from pipeline.settings import Reading

_HEADER = re.compile(r"\s*SumoCueV1(D?)")
_BEGINS = re.compile(r"\s*SumoCue")
_PARTS = re.compile(r"[=+][^=+]*|[^=+]+")
_PART = re.compile(r"([=+])([0-9]{1,4})(?:J([0-9]{1,3}))?")
_EXPECTED = "'=' and a sum or '+' and the number of a cell"
_BOXES = {geometry.size: geometry for geometry in ALL_GEOMETRIES.values()}
_JIGSAWS = {side * side: side for side in SIDES}


class _Part(NamedTuple):
    """What is said of a cell: a sum, or the number of the cell whose cage it joins."""

    word: Word
    opens: bool
    number: int
    region: str | None


def recognise_sumocue(text: Text) -> str | None:
    begins = _BEGINS.match(text.lines[0].text)
    return f"it begins with {quote(begins[0].strip())}" if begins else None


def parse_sumocue(text: Text, _reading: Reading) -> Found:
    line = single_line(text)
    header = _HEADER.match(line.text)
    if not header:
        raise text.at_line(line, "'SumoCueV1' or 'SumoCueV1D' and a part for each cell")
    parts = _parts(text, words_of(line, _PARTS, header.end()))
    geometry, rules = _board(text, parts)
    members = _members(text, parts)
    sums = {cell: parts[cell].number for cell in members}
    values = [0] * len(parts)
    for cell in [first for first, cells in members.items() if len(cells) == 1]:
        if sums[cell] <= geometry.side:
            values[cell] = sums[cell]
            del members[cell]
    rules += diagonals() if header[1] else ()
    puzzle = Puzzle.of_values(geometry, values, (*rules, *cages_of(members, sums)))
    return Found(puzzle, variant_of(puzzle))


def _parts(text: Text, words: Sequence[Word]) -> list[_Part]:
    """The parts; all have a region, or none."""
    parts: list[_Part] = []
    for word in words:
        match = _PART.fullmatch(word.text)
        in_regions = parts[0].region is not None if parts else None
        if match is None or in_regions not in (None, match[3] is not None):
            region = ", then 'J' and the number of its region" if in_regions else ""
            may_go_on = word is words[-1]
            raise text.at_word(word, _EXPECTED + region, truncated=may_go_on)
        parts.append(_Part(word, match[1] == "=", int(match[2]), match[3]))
    return parts


def _board(text: Text, parts: Sequence[_Part]) -> tuple[Geometry, tuple[Rule, ...]]:
    """The geometry, and the rules of the regions if there are any."""
    regions = [part.region for part in parts]
    if regions and regions[0] is not None:
        side = _JIGSAWS.get(len(parts))
        if side is not None:
            if misfit := first_misfit(regions):
                raise _at_part(text, parts, misfit[0], misfit[1])
            return Geometry(1, side), region_rules(regions)
    elif len(parts) in _BOXES:
        return _BOXES[len(parts)], ()
    raise _of_another_size(text, len(parts))


def _at_part(text: Text, parts: Sequence[_Part], cell: int, expected: str) -> InvalidPuzzle:
    """The error for what is said of a cell; more parts would be a larger puzzle."""
    return text.at_word(parts[cell].word, expected, truncated=len(parts) < max(_BOXES))


def _of_another_size(text: Text, count: int) -> InvalidPuzzle:
    line, found = text.lines[0], counted(count, "part")
    may_go_on, at = count < max(_BOXES), len(line.text.rstrip()) + 1
    return text.error(line.number, at, "a part for each of 81 cells", found, truncated=may_go_on)


def _members(text: Text, parts: Sequence[_Part]) -> dict[int, list[int]]:
    """The cells of each cage, by the one that opens it."""
    members: dict[int, list[int]] = {}
    for cell, part in enumerate(parts):
        opener = cell if part.opens else part.number
        if opener >= len(parts) or not parts[opener].opens:
            expected = "the number of a cell that opens a cage, from 0"
            raise _at_part(text, parts, cell, expected)
        members.setdefault(opener, []).append(cell)
    return members


SUMOCUE = Format("sumocue", recognise_sumocue, parse_sumocue, begins=_BEGINS)
