"""Notations of cells that several formats share: characters, alphabets and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_letters, ascii_uppercase, digits
from typing import TypeVar, get_args

from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry, default_geometry, values_of
from pipeline.puzzle.puzzle import Puzzle
from pipeline.settings import AlphabetChoice

GEOMETRIES = {4: Geometry(2, 2), 6: Geometry(2, 3), 8: Geometry(2, 4), 9: Geometry(3, 3)}
"""Side → default boxes, for sources that do not state them."""

LARGER_GEOMETRIES = {16: Geometry(4, 4), 25: Geometry(5, 5)}
"""Side → default boxes, for formats in which cells are letters."""

ALL_GEOMETRIES = GEOMETRIES | LARGER_GEOMETRIES
"""Side → default boxes, for formats in which cells are numbers or letters."""

DIGITS = "123456789"
BLANKS = ".0_-xX?*"
"""The characters that may be blanks."""

EVEN, ODD = "*", "."
"""The marks of even and odd cells. In a puzzle with only one of these characters, the character
is the blank."""

_PLAIN_CHARACTERS = {1 << index: digit for index, digit in enumerate(DIGITS)} | {
    NINE_BY_NINE.all_values: "."
}
"""Mask → character, for the givens and blanks of 9×9 puzzles."""

CELL_CHARACTERS = frozenset(DIGITS + BLANKS)
"""The characters of cells for sides up to 9."""

LARGER_CELL_CHARACTERS = CELL_CHARACTERS | frozenset(ascii_letters)
"""The characters of cells for larger sides."""

SIDES_WITH_BOXES = [
    side
    for side in range(min(ALL_GEOMETRIES), max(ALL_GEOMETRIES) + 1)
    if default_geometry(side).has_boxes
]
"""The sides of tables and lists: those from 4 to 25 for which boxes exist. If a side is not in
ALL_GEOMETRIES, its boxes must be declared."""

SIDES = {side * side: side for side in ALL_GEOMETRIES}
"""Number of cells → side."""

_Cells = TypeVar("_Cells", str, list[str])
"""Cells as a string or as a list of strings."""

_MAX_NUMBER_DIGITS = 9
_VALUE_CHARACTERS = digits + ascii_uppercase


def _characters_of_alphabet(name: str) -> str:
    """The characters of the values 1, 2, … in the alphabet with a name such as `0-F`."""
    first, last = map(_VALUE_CHARACTERS.index, name.split("-"))
    return _VALUE_CHARACTERS[first : last + 1]


ALPHABET_NAMES = tuple(name for name in get_args(AlphabetChoice) if name != "auto")
"""The names of the alphabets that can be declared; each also exists in lower case."""

ALPHABETS = {name: _characters_of_alphabet(name) for name in ALPHABET_NAMES}
ALPHABETS |= {name.lower(): characters.lower() for name, characters in ALPHABETS.items()}
"""Name → the characters of the values 1, 2, …; for names in lower case, letters in lower case."""

LINE_SUFFIX = " line"
"""The suffix of a notation, after the name of the alphabet, if the puzzle is in one line."""


def symbols_of(format_name: str) -> str:
    """The characters of the values 1, 2, … in a format; empty if values are numbers.

    `format_name`: the format as in `Parsed.format`.
    """
    name, _, notation = format_name.partition(" ")
    alphabet = notation.removesuffix(LINE_SUFFIX)
    return alphabet if name == "wordoku" else ALPHABETS.get(alphabet, "")


def number_of(word: str, side: int) -> int | None:
    """The value of a decimal number from 0 to `side`; None for anything else."""
    if word.isascii() and word.isdigit() and len(word) <= _MAX_NUMBER_DIGITS:
        value = int(word)
        return value if value <= side else None
    return None


def written_cells(puzzle: Puzzle, value_tokens: Sequence[str], blank: str) -> list[str]:
    """Write the n² cells of a classic puzzle, with `value_tokens` for the values 1 to n.

    Raises ValueError naming the first rule, or the first cell that is neither given nor blank.
    """
    check_plain(puzzle)
    tokens = {1 << index: token for index, token in enumerate(value_tokens)}
    return _tokens_of_cells(puzzle, tokens | {puzzle.geometry.all_values: blank})


def check_plain(puzzle: Puzzle) -> None:
    """Raise ValueError for rules, for several grids and for a free geometry.

    The message is a noun phrase for the first property that the format cannot express.
    """
    if puzzle.geometry.grids or puzzle.geometry.free_grid:
        raise ValueError(shape_in_words(puzzle.geometry))
    if puzzle.rules:
        raise ValueError(puzzle.rules[0].describe(puzzle.geometry))


def shape_in_words(geometry: Geometry) -> str:
    """A geometry as messages describe it: `boxes of 3×4 cells`."""
    if free := geometry.free_grid:
        values = f"the values {geometry.lowest} to {geometry.values[-1]}"
        return f"a grid of {free.rows}×{free.columns} cells with {values}"
    if geometry.grids:
        return f"{len(geometry.grids)} grids that share boxes"
    if not geometry.has_boxes:
        return f"{geometry.side}×{geometry.side} cells without boxes"
    return f"boxes of {geometry.height}×{geometry.width} cells"


def cell_in_words(puzzle: Puzzle, cell: int) -> str:
    """A cell and its candidates as messages describe them: `the values 1 2 of r1c1`."""
    values = [*values_of(puzzle.cells[cell], puzzle.geometry.lowest)]
    noun = "the value" if len(values) == 1 else "the values"
    return f"{noun} {' '.join(map(str, values))} of {puzzle.geometry.name_of(cell)}"


def plain_cells(puzzle: Puzzle) -> str:
    """A classic 9×9 puzzle as 81 digits and dots; empty for any other puzzle."""
    if puzzle.geometry != NINE_BY_NINE or puzzle.rules:
        return ""
    try:
        return "".join(map(_PLAIN_CHARACTERS.__getitem__, puzzle.cells))
    except KeyError:
        return ""


def has_default_boxes(geometry: Geometry) -> bool:
    """Whether the geometry has the default boxes of its side."""
    return geometry == default_geometry(geometry.side)


def line_with_box_size(puzzle: Puzzle) -> str:
    """A puzzle in one line: the height and the width of a box, then n² numbers, 0 for a blank.

    Empty if the puzzle has rules, or a cell that is neither given nor blank.
    """
    try:
        cells = written_cells(puzzle, numbers_up_to(puzzle.geometry.side), "0")
    except ValueError:
        return ""
    return f"{puzzle.geometry.height} {puzzle.geometry.width} {' '.join(cells)}"


def numbers_up_to(side: int) -> list[str]:
    return [str(value) for value in range(1, side + 1)]


def render_cells(puzzle: Puzzle) -> str:
    """The n² characters of a puzzle, in one string.

    The side must be 4, 6, 8 or 9, with the usual boxes and without rules. Each cell must be given,
    blank, even or odd, and a puzzle with marks must have no blanks. Otherwise raises ValueError,
    whose message names the part that the format cannot express.
    """
    check_plain(puzzle)
    geometry = puzzle.geometry
    if GEOMETRIES.get(geometry.side) != geometry:
        raise ValueError(shape_in_words(geometry))
    tokens = {1 << index: digit for index, digit in enumerate(DIGITS[: geometry.side])}
    marks = {geometry.even_values: EVEN, geometry.odd_values: ODD}
    tokens |= marks if marks.keys() & set(puzzle.cells) else {geometry.all_values: ODD}
    return "".join(_tokens_of_cells(puzzle, tokens))


def _tokens_of_cells(puzzle: Puzzle, tokens: Mapping[int, str]) -> list[str]:
    """The token of each cell, given the token of each mask.

    Raises ValueError naming the first cell that has no token.
    """
    try:
        return [tokens[mask] for mask in puzzle.cells]
    except KeyError:
        cells = enumerate(puzzle.cells)
        missing = next(cell for cell, mask in cells if mask not in tokens)
        raise ValueError(cell_in_words(puzzle, missing)) from None


def check_unmarked(puzzle: Puzzle) -> None:
    """Raise ValueError for rules, and for a cell that is neither given nor blank."""
    written_cells(puzzle, numbers_up_to(puzzle.geometry.side), "")


def classic_cells(puzzle: Puzzle) -> str:
    """Like `plain_cells`, but raises ValueError if the puzzle is not a classic 9×9 puzzle."""
    if puzzle.geometry != NINE_BY_NINE:
        raise ValueError(shape_in_words(puzzle.geometry))
    return "".join(written_cells(puzzle, DIGITS, "."))


def split_into_rows(cells: _Cells, length: int) -> list[_Cells]:
    """Split a sequence into parts of the same length, such as cells into rows."""
    return [cells[start : start + length] for start in range(0, len(cells), length)]


def text_in_lines(cells: str, length: int) -> str:
    """The cells in lines of the same length."""
    return "".join(row + "\n" for row in split_into_rows(cells, length))
