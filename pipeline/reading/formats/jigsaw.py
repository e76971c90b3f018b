"""Jigsaw: the cells of a puzzle, then for each the sign of its region, which takes the box's place.

    1.........3..4..AABBAABBCCDDCCDD

Cells and regions stand in one line, with or without white space between, or in two lines. Any n
signs but `~`, which constraint texts have, name the n regions of n cells. Up to side 9 the values
are digits, above that letters: A is 1.

A line of 162 cells may also be a puzzle and its solution. There equal signs are never neighbours;
in regions they nearly always are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from string import ascii_uppercase

from pipeline.errors import counted
from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.reading.formats.base import Format, Parsed
from pipeline.reading.formats.cells import BLANKS, DIGITS, in_rows
from pipeline.reading.formats.ruled import first_misfit, region_rules
from pipeline.reading.formats.text import Text, Word, quote
from pipeline.settings import Reading

SIDES = range(4, 26)
"""The sides of jigsaws that are read."""

_LENGTHS = {2 * side * side: side for side in SIDES}
_EXPECTED = "the cells of a puzzle and as many regions, as 81 and 81 characters"
_SIGN = re.compile(r"\S")


def recognise_jigsaw(text: Text) -> str | None:
    if len(text.lines) > 2 or len(text.data) > 2 * max(_LENGTHS):
        return None
    signs = "".join("".join(line.text.split()) for line in text.lines)
    side = _LENGTHS.get(len(signs))
    if side is None or "~" in signs or not _are_regions(signs[side * side :], side):
        return None
    return f"{side * side} cells, then {side} regions"


def _are_regions(signs: str, side: int) -> bool:
    """Whether these may be regions, even damaged ones: half of the steps lead to an equal sign."""
    if max(Counter(signs).values()) > side + 1:
        return False
    rows = in_rows(signs, side)
    right = sum(a == b for row in rows for a, b in pairwise(row))
    down: int = sum(a == b for column in zip(*rows, strict=True) for a, b in pairwise(column))
    return right + down >= side * (side - 1) // 2


def parse_jigsaw(text: Text, _reading: Reading) -> Parsed:
    if len(text.lines) > 2:
        found = counted(len(text.lines), "line")
        raise text.at_line(text.lines[2], "a single puzzle", found, may_go_on=False)
    signs = [sign for line in text.lines for sign in line.words(_SIGN)]
    side = _LENGTHS.get(len(signs))
    if side is None:
        found = counted(len(signs), "character")
        raise text.at_end(_EXPECTED, found)
    cells, regions = signs[: side * side], signs[side * side :]
    values = _values(text, cells, side)
    names = [sign.text for sign in regions]
    misfit = first_misfit(names)
    if misfit:
        at, expected = misfit
        raise text.at_word(regions[at], expected)
    puzzle = Puzzle.of_values(Geometry(1, side), values, region_rules(names))
    return Parsed(puzzle, variant="rules")


def _values(text: Text, cells: Sequence[Word], side: int) -> list[int]:
    """The value in each cell, 0 for a blank."""
    letters = side > len(DIGITS)
    signs = ascii_uppercase[:side] if letters else DIGITS[:side]
    values, blank = [], ""
    for cell in cells:
        sign = cell.text.upper() if letters else cell.text
        if sign not in signs or len(sign) > 1:  # one sign may be two in upper case
            known = blank or BLANKS
            if sign not in known.upper():
                told = f"one of {signs[0]} to {signs[-1]}"
                raise text.at_word(cell, f"{told} or {quote(blank) if blank else 'a blank'}")
            blank = sign
        values.append(signs.find(sign) + 1)
    return values


JIGSAW = Format("jigsaw", recognise_jigsaw, parse_jigsaw)
