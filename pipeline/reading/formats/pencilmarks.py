"""Pencil marks: n characters for the candidates of each cell, all in one line.

    1...56.89.2.......12.45.7.9…

The k-th character of a cell is the digit k if k is a candidate, else `.` or `0`. n is 6, 8 or 9,
so there are 216, 512 or 729 characters. 4×4 puzzles are not recognised, because 64 characters may
also be the cells of an 8×8 puzzle.
"""

from __future__ import annotations

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.borders import boxes_of
from pipeline.reading.formats.cells import GEOMETRIES, check_plain, shape_in_words
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, join_with_or
from pipeline.reading.formats.variants import variant_of
from pipeline.settings import Reading

_SIDES = {side**3: side for side in GEOMETRIES if side > 4}
"""Number of characters → side."""

_CHARACTERS = frozenset("0123456789.")
_ABSENT = ".0"


def recognise_pencil_marks(text: Text) -> str | None:
    """Recognise a single line of n³ characters. Nine lines of 81 characters are nine puzzles."""
    characters = text.lines[0].text.strip()
    side = _SIDES.get(len(characters))
    if len(text.lines) > 1 or side is None or not _CHARACTERS.issuperset(characters):
        return None
    return f"{side} characters for each of {side * side} cells"


def parse_pencil_marks(text: Text, reading: Reading) -> Parsed:
    line = text.single_line()
    begin = len(line.text) - len(line.text.lstrip())
    characters = line.text.strip()
    side = _SIDES.get(len(characters))
    if side is None:
        expected = f"{join_with_or(_SIDES)} characters in one line, n for each of n² cells"
        raise text.at_line(line, expected, f"{len(characters)} characters")
    masks = [0] * side**2
    for index, character in enumerate(characters):
        cell, value = divmod(index, side)
        if character == str(value + 1):
            masks[cell] |= 1 << value
        elif character not in _ABSENT:
            raise text.error(
                line.number,
                begin + index + 1,
                f"'{value + 1}' or '.' as character {index + 1}",
                repr(character),
            )
    if 0 in masks:
        index = side * masks.index(0)
        raise text.error(
            line.number,
            begin + index + 1,
            "a cell with at least one value",
            "a cell without values",
        )
    puzzle = Puzzle(boxes_of(text, (), side, reading), tuple(masks))
    return Parsed(puzzle, variant=variant_of(puzzle))


def render_pencil_marks(puzzle: Puzzle, _notation: str) -> str:
    """Write n characters for each cell in one line.

    Raises ValueError with a noun phrase for the first property that the format cannot express.
    """
    check_plain(puzzle)
    side = puzzle.geometry.side
    if side**3 not in _SIDES or puzzle.geometry != GEOMETRIES[side]:
        raise ValueError(shape_in_words(puzzle.geometry))
    characters = (
        str(value) if mask >> value - 1 & 1 else "."
        for mask in puzzle.cells
        for value in puzzle.geometry.values
    )
    return "".join(characters) + "\n"


PENCIL_MARKS = Format(
    "pencil-marks", recognise_pencil_marks, parse_pencil_marks, render_pencil_marks
)
