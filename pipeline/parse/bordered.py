"""Bordered: decimal numbers between borders, under the size of a box, for sides of 2 to 256.

    experiment: 2x2
    puzzle size: 2x2
    +-----+-----+
    | 1 _ | _ _ |
    | _ _ | 3 _ |
    +-----+-----+
    …

Lines `name: value` come first, the last being `puzzle size: HxW`, height and width of a box.
Blanks are underscores. A stray 0 is one too, if a value n shows that values count from 1.
The format of farif/SATSudoku, whose puzzles have sides up to 225.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipeline.errors import InvalidPuzzle, counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import in_rows, number_of, numbers_up_to, written_cells
from pipeline.parse.text import Line, Text
from pipeline.puzzle import MAX_SIDE, MIN_SIDE, Geometry, Puzzle
from pipeline.settings import Reading

_BEGINS = re.compile(r"(?i)(?:\s*[a-z][a-z ]*:.*\n){0,9}\s*puzzle size\s*:")
_SIZE = re.compile(r"puzzle size\s*:\s*([0-9]{1,3})\s*x\s*([0-9]{1,3})", re.IGNORECASE)
_ANY_SIZE = re.compile(r"puzzle size\s*:", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z][A-Za-z ]*:")
_NAMES = ("experiment:", "number of tasks:", "task:", "puzzle size:")
_EXPECTED_SIZE = f"'puzzle size: HxW', the size of a box, H · W being {MIN_SIDE} to {MAX_SIDE}"
_WORD = re.compile(r"\||[^\s|]+")


def recognise_bordered(text: Text) -> str | None:
    first = text.lines[0].text.strip().lower()
    name = next((name for name in _NAMES if first.startswith(name)), None)
    if name is not None:
        return f"it begins with '{name}'"
    if len(text.lines) == 1 and any(name.startswith(first) for name in _NAMES):
        return "it begins as if with 'puzzle size:' or the like"
    return None


def parse_bordered(text: Text, _reading: Reading) -> Found:
    geometry, lines = _size(text)
    n, band = geometry.side, geometry.height + 1
    masks = {number: 1 << value for value, number in enumerate(numbers_up_to(n))}
    masks["_" * len(str(n))] = geometry.all_values
    count = geometry.width * band + 1
    cells: list[int] = []
    for index, line in enumerate(lines[:count]):
        if index % band == 0:
            _check_border(text, line, geometry)
        else:
            cells += _row(text, line, geometry, masks)
    if len(lines) < count:
        raise text.at_end(f"{n} rows and their borders", f"the end after {len(cells) // n} rows")
    if len(lines) > count:
        expected = f"the end after {n} rows and their borders"
        raise text.at_line(lines[count], expected, may_go_on=False)
    if 1 << (n - 1) not in cells:
        _check_zeros(text, lines, n)
    return Found(Puzzle(geometry, tuple(cells)))


def _size(text: Text) -> tuple[Geometry, tuple[Line, ...]]:
    """The geometry that the first lines give, and the lines after them."""
    for index, line in enumerate(text.lines):
        said = line.text.strip()
        if match := _SIZE.fullmatch(said):
            try:
                geometry = Geometry(int(match[1]), int(match[2]))
            except ValueError:
                raise text.at_line(line, _EXPECTED_SIZE) from None
            return geometry, text.lines[index + 1 :]
        if _ANY_SIZE.match(said) or not _NAME.match(said):
            raise text.at_line(line, _EXPECTED_SIZE)
    raise text.at_end(_EXPECTED_SIZE, "the end of the file")


def _check_border(text: Text, line: Line, geometry: Geometry) -> None:
    drawn = line.text.strip()
    if not line.is_border or drawn.count("+") != geometry.height + 1 or drawn[-1] != "+":
        raise text.at_line(line, f"a border with {geometry.height + 1} '+'")


def _row(text: Text, line: Line, geometry: Geometry, masks: Mapping[str, int]) -> list[int]:
    """The masks of a row `| 1 _ | _ 3 |`."""
    step = geometry.width + 1
    count = geometry.height * step + 1
    words = line.text.replace("|", " | ").split(None, count)
    bars = words[::step]
    if len(words) == count and bars.count("|") == len(bars):
        del words[::step]
        cells = [masks.get(word) or _mask(word, geometry) for word in words]
        if all(cells):
            return cells
    raise _misplaced(text, line, geometry)


def _mask(word: str, geometry: Geometry) -> int:
    """The mask of one cell, 0 for what is neither a number up to the side nor a blank."""
    if not word.strip("_"):
        return geometry.all_values
    value = number_of(word, geometry.side)
    if value is None:
        return 0
    return 1 << (value - 1) if value else geometry.all_values


def _check_zeros(text: Text, lines: Sequence[Line], side: int) -> None:
    """Raise InvalidPuzzle for a 0 if n does not occur: the values may be 0 to n - 1."""
    for word in (word for line in lines for word in line.words(_WORD)):
        if not word.text.strip("0"):
            expected = f"a number from 1 to {side}, or __ for a blank, as {side} does not occur"
            raise text.at_word(word, expected)


def _misplaced(text: Text, line: Line, geometry: Geometry) -> InvalidPuzzle:
    """The error for the first misplaced word."""
    n, step = geometry.side, geometry.width + 1
    for place, word in enumerate(line.words(_WORD)):
        if place > geometry.height * step:
            return text.at_word(word, f"the end of a row of {n} cells")
        if place % step == 0:
            if word.text != "|":
                return text.at_word(word, f"'|' around every {counted(geometry.width, 'cell')}")
        elif not _mask(word.text, geometry):
            return text.at_word(word, f"a number from 1 to {n}, or __ for a blank")
    end, cut_off = len(line.text) + 1, line is text.lines[-1]
    expected = f"a row of {n} cells with '|' around every {geometry.width}"
    return text.error(line.number, end, expected, "the end of the line", truncated=cut_off)


def render_bordered(puzzle: Puzzle) -> str:
    """Write the size of a box, and n rows between borders.

    Raises ValueError for cells that allow neither one value nor all: they have no sign.
    """
    height, width, n = puzzle.geometry.height, puzzle.geometry.width, puzzle.geometry.side
    digits = len(str(n))
    signs = [number.rjust(digits) for number in numbers_up_to(n)]
    cells = written_cells(puzzle, signs, "_" * digits)
    parts = [" ".join(part) for part in in_rows(cells, width)]
    rows = [f"| {' | '.join(row)} |\n" for row in in_rows(parts, height)]
    border = "+" + ("-" * (len(parts[0]) + 2) + "+") * height + "\n"
    bands = ["".join(band) for band in in_rows(rows, height)]
    return f"puzzle size: {height}x{width}\n{border}{border.join(bands)}{border}"


BORDERED = Format("bordered", recognise_bordered, parse_bordered, render_bordered, begins=_BEGINS)
