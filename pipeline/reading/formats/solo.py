"""Solo: the game ids of Simon Tatham's Solo.

    3x3:b8d7_4…                  boxes 3 high, 3 wide; then the grid
    3x3xk:zzzc,a__b…,d13c…       with diagonals and cages: the grid, the cages, their sums
    4j:1j2a3b,b__cd__a___b_      a jigsaw of side 4: the grid, the blocks

The letters `a` to `z` in a grid are 1 to 26 blanks, and `_` separates two numbers. Blocks and cages
are given by their borders: between the cells of each row, then between the cells of each column,
then one for the end. `a` to `y` are 1 to 25 steps without a border and then one, `_` is a border,
`z` are 26 steps without one. Anything else before the colon, such as the difficulty, is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase, digits
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.puzzle import Geometry, Puzzle, Rule
from pipeline.reading.formats.base import Format, Parsed
from pipeline.reading.formats.ruled import (
    cages_of,
    diagonals,
    first_misfit,
    region_rules,
    single_line,
    variant_of,
)
from pipeline.reading.formats.text import Line, Text, quote
from pipeline.settings import Reading

_LARGEST_SIDE = 31
"""As in Solo."""

_PARAMS = re.compile(r"\s*([0-9]{1,2})(?:x([0-9]{1,2}))?([a-z0-9]*):")
_BEGINS = re.compile(r"\s*[0-9]{1,2}(?:x[0-9]{1,2}|j)[a-z0-9]*:(?:[a-z0-9_]|$)")
_WHOLE = re.compile(rf"{_BEGINS.pattern}[a-z0-9_]*(?:,[a-z0-9_]*)*\s*")
_SKIPPED = re.compile(r"d[tbiaeu]?|(?:md|[rma])[0-9]*")
"""The difficulty and the symmetry."""

_IN_GRID = re.compile(r"[0-9]+|.")
_LARGEST_SUM = 9999
_LONGEST_NUMBER = len(str(_LARGEST_SUM))


class _Params(NamedTuple):
    geometry: Geometry
    is_jigsaw: bool
    has_diagonals: bool
    has_cages: bool


class _Field(NamedTuple):
    """A field of the line, and the number of characters before it."""

    text: str
    start: int


def recognise_solo(text: Text) -> str | None:
    if len(text.lines) > 1 or not _WHOLE.fullmatch(text.lines[0].text):
        return None
    return f"it begins with {quote(text.lines[0].text.partition(':')[0].strip() + ':')}"


def parse_solo(text: Text, _reading: Reading) -> Parsed:
    line = single_line(text)
    header = _PARAMS.match(line.text)
    params = _params(header) if header else None
    if header is None or params is None:
        expected = f"sizes such as '3x3:' or '9j:', of side 2 to {_LARGEST_SIDE}"
        raise text.at_line(line, expected)
    reader = _SoloFields(text, line, params.geometry.side, _fields(line, header.end()))
    wanted = 1 + params.is_jigsaw + 2 * params.has_cages
    if len(reader.fields) != wanted:
        raise reader.error(None, counted(wanted, "field"), counted(len(reader.fields), "field"))
    values = reader.numbers(0, params.geometry.side)
    rules: list[Rule] = []
    if params.is_jigsaw:
        blocks = reader.blocks(1)
        if misfit := first_misfit(blocks):
            raise reader.error(1, misfit[1], "others")
        rules += region_rules(blocks)
    rules += diagonals() if params.has_diagonals else ()
    if params.has_cages:
        rules += reader.cages(wanted - 2)
    puzzle = Puzzle.of_values(params.geometry, values, tuple(rules))
    return Parsed(puzzle, variant=variant_of(puzzle))


def _params(header: re.Match[str]) -> _Params | None:
    """The parameters before the colon; None for a size that there is not."""
    flags = _SKIPPED.sub("", header[3])
    height, width = int(header[1]), int(header[2] or 1)
    is_jigsaw = "j" in flags
    if not 2 <= height * width <= _LARGEST_SIDE or not (is_jigsaw or header[2]):
        return None
    boxes = (1, height * width) if is_jigsaw else (height, width)
    return _Params(Geometry(*boxes), is_jigsaw, "x" in flags, "k" in flags)


def _fields(line: Line, start: int) -> list[_Field]:
    fields = []
    for text in line.text[start:].rstrip().split(","):
        fields.append(_Field(text, start))
        start += len(text) + 1
    return fields


class _SoloFields(NamedTuple):
    """The fields of a line, to be read one by one, in a grid of that side."""

    text: Text
    line: Line
    side: int
    fields: Sequence[_Field]

    def error(self, at: int | None, expected: str, found: str) -> InvalidPuzzle:
        """The error for the end of a field, or of the line; only the last may go on."""
        last = len(self.fields) - 1
        text, start = self.fields[last if at is None else at]
        column = start + len(text) + 1
        cut_off = at in (None, last)
        return self.text.error(self.line.number, column, expected, found, truncated=cut_off)

    def at_sign(self, at: int, place: int, expected: str) -> InvalidPuzzle:
        """The error for something in a field; the last sign of the line may go on."""
        text, start = self.fields[at]
        found = quote(text[place:])
        return self.text.error(self.line.number, start + place + 1, expected, found)

    def numbers(self, at: int, most: int) -> list[int]:
        """The number in each cell, 0 for a blank."""
        values: list[int] = []
        for match in _IN_GRID.finditer(self.fields[at].text):
            sign = match[0]
            if sign in ascii_lowercase:
                values += [0] * (ascii_lowercase.index(sign) + 1)
            elif sign[0] in digits and len(sign) <= _LONGEST_NUMBER and 0 < int(sign) <= most:
                values.append(int(sign))
            elif sign != "_":
                expected = f"a number from 1 to {most}, a letter for blanks or '_'"
                raise self.at_sign(at, match.start(), expected)
            if len(values) > self.side**2:
                raise self.at_sign(at, match.start(), f"at most {self.side**2} cells")
        if len(values) < self.side**2:
            raise self.error(at, f"{self.side**2} cells", counted(len(values), "cell"))
        return values

    def blocks(self, at: int) -> list[int]:
        """For each cell the first cell of its block."""
        n = self.side
        steps = 2 * n * (n - 1)
        first = [*range(n * n)]
        done = 0
        for place, sign in enumerate(self.fields[at].text):
            if sign not in ascii_lowercase + "_":
                raise self.at_sign(at, place, "a letter or '_'")
            open_steps = ascii_lowercase.find(sign) + 1
            if done + open_steps > steps or done > steps:
                raise self.at_sign(at, place, f"the end after {steps} steps and a border")
            for step in range(done, done + open_steps):
                _join(first, *_ends(step, n))
            done += open_steps + (sign != "z")
        if done <= steps:
            raise self.error(at, f"{steps} steps and a border", counted(done, "step"))
        return [_first_of(first, cell) for cell in range(n * n)]

    def cages(self, at: int) -> list[Rule]:
        """The cages in a field, with the sums in the next; each has a sum, in one of its cells."""
        blocks = self.blocks(at)
        totals = self.numbers(at + 1, _LARGEST_SUM)
        members: dict[int, list[int]] = {}
        sums: dict[int, int] = {}
        for cell, (block, total) in enumerate(zip(blocks, totals, strict=True)):
            members.setdefault(block, []).append(cell)
            if total and sums.get(block):
                raise self.error(at + 1, "one sum for each cage", "several in one")
            sums[block] = total or sums.get(block, 0)
        return [*cages_of(members, sums)]


def _ends(step: int, n: int) -> tuple[int, int]:
    """The two cells of a step: along the rows first, then along the columns."""
    line, place = divmod(step, n - 1)
    if line < n:
        return line * n + place, line * n + place + 1
    return place * n + line - n, (place + 1) * n + line - n


def _first_of(first: list[int], cell: int) -> int:
    while first[cell] != cell:
        first[cell] = first[first[cell]]
        cell = first[cell]
    return cell


def _join(first: list[int], one: int, other: int) -> None:
    one, other = _first_of(first, one), _first_of(first, other)
    first[max(one, other)] = min(one, other)


SOLO = Format("solo", recognise_solo, parse_solo, begins=_BEGINS)
