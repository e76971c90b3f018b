"""How cells are written: the signs, alphabets and numbers that several formats share."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters, ascii_uppercase, digits
from typing import TypeVar, get_args

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.reading.formats.base import Parsed, Variant
from pipeline.reading.formats.text import Line, Text, quote
from pipeline.settings import AlphabetChoice, VariantChoice

GEOMETRIES = {4: Geometry(2, 2), 6: Geometry(2, 3), 8: Geometry(2, 4), 9: Geometry(3, 3)}
"""The boxes that are meant if a text does not name them, by side."""

LARGER_GEOMETRIES = {16: Geometry(4, 4), 25: Geometry(5, 5)}
ALL_GEOMETRIES = GEOMETRIES | LARGER_GEOMETRIES
"""The same for cells that are numbers or letters."""

NINE = GEOMETRIES[9]
DIGITS = "123456789"
BLANKS = ".0_-x?*"
EVEN, ODD = "*", "."
MARKED = "a digit, '*' or '.'"
"""The cells of an even/odd puzzle."""

KNOWN = frozenset(DIGITS + BLANKS)
IN_LARGER = KNOWN | frozenset(ascii_letters)
"""The signs of cells, for sides up to 9 and above."""

SIDES = {side * side: side for side in ALL_GEOMETRIES}
"""The sides of puzzles by the number of their cells."""

S = TypeVar("S", str, list[str])

_LONGEST_NUMBER = 9
_IN_ORDER = digits + ascii_uppercase


def _signs_in(name: str) -> str:
    """The signs of the values 1, 2, … in the alphabet of that name, `0-F`."""
    first, last = map(_IN_ORDER.index, name.split("-"))
    return _IN_ORDER[first : last + 1]


ALPHABET_NAMES = tuple(name for name in get_args(AlphabetChoice) if name != "auto")
"""The alphabets that can be declared; each is known in lower case too."""

ALPHABETS = {name: _signs_in(name) for name in ALPHABET_NAMES}
ALPHABETS |= {name.lower(): signs.lower() for name, signs in ALPHABETS.items()}

IN_LINE = " line"
"""What follows the alphabet's name in the notation of a puzzle in one line."""


def signs_of(format_name: str) -> str:
    """The signs of the values 1, 2, … in a notation that `Parsed.format` names, if it has any."""
    _, _, notation = format_name.partition(" ")
    return ALPHABETS.get(notation.removesuffix(IN_LINE), "")


def check_characters(text: Text, lines: Sequence[Line]) -> None:
    """Raise InvalidPuzzle at the first character that is not a cell in any variant.

    A single line with letters may be the beginning of a puzzle of 16×16 or 25×25 characters.
    """
    for line in lines:
        if KNOWN.issuperset(line.cells):
            continue
        word = next(cell for cell in line.placed_cells() if cell.text not in KNOWN)
        marked = any({EVEN, ODD} <= set(line.cells) for line in lines)
        expected = MARKED if marked else "a digit or a blank"
        may_go_on = len(lines) == 1 and len(line.cells) < max(SIDES)
        raise text.at_word(word, expected, truncated=may_go_on and IN_LARGER.issuperset(line.cells))


def puzzle_of(text: Text, lines: Sequence[Line], wanted: VariantChoice) -> Parsed:
    """The puzzle whose n² cells stand in these lines, n being 4, 6, 8 or 9.

    Raises InvalidPuzzle for a value above n and for blank symbols that do not go together.
    """
    characters = "".join(line.cells for line in lines)
    geometry = GEOMETRIES[round(len(characters) ** 0.5)]
    blanks = set(characters) - set(DIGITS)
    variant: Variant = "even-odd" if {EVEN, ODD} <= blanks else "classic"
    if wanted != "auto":
        variant = wanted
    signs = {digit: 1 << value for value, digit in enumerate(DIGITS[: geometry.side])}
    if variant == "even-odd":
        signs |= {EVEN: geometry.even_values, ODD: geometry.odd_values}
    elif len(blanks) == 1 or blanks == {EVEN, ODD}:
        signs |= dict.fromkeys(blanks, geometry.all_values)
    if not signs.keys() >= set(characters):
        raise _first_misfit(text, lines, geometry, variant, signs)
    return Parsed(Puzzle(geometry, tuple(map(signs.__getitem__, characters))), variant=variant)


def nine_of(text: Text, row: Line, expected: str, wanted: VariantChoice) -> Parsed:
    """The puzzle whose 81 cells stand in this line. Raises InvalidPuzzle."""
    check_characters(text, (row,))
    if len(row.cells) != 81:
        found = counted(len(row.cells), "cell")
        raise text.error(row.number, len(row.text) + 1, expected, found)
    return puzzle_of(text, (row,), wanted)


def _first_misfit(
    text: Text, lines: Sequence[Line], geometry: Geometry, variant: Variant, signs: dict[str, int]
) -> InvalidPuzzle:
    """The error for the first cell that has no meaning in this variant."""
    first_blank = ""
    for cell in (cell for line in lines for cell in line.placed_cells()):
        if cell.text in signs:
            continue
        if cell.text in DIGITS:
            return text.at_word(cell, f"a value from 1 to {geometry.side} or a blank")
        if variant == "even-odd":
            return text.at_word(cell, MARKED)
        if first_blank not in ("", cell.text):
            return text.at_word(cell, f"one symbol for all blanks, {quote(first_blank)} as before")
        first_blank = cell.text
    raise AssertionError("called for cells that all fit")


def number_of(word: str, side: int) -> int | None:
    """The value of a decimal number from 0 to the side; None for anything else."""
    if word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER:
        value = int(word)
        return value if value <= side else None
    return None


def written_cells(puzzle: Puzzle, signs: Sequence[str], blank: str) -> list[str]:
    """The n² cells of a classic puzzle, `signs` being those of the values 1 to n.

    Raises ValueError for cells that allow neither one value nor all: they have no sign.
    """
    words = {1 << value: sign for value, sign in enumerate(signs)}
    words[puzzle.geometry.all_values] = blank
    try:
        return [words[mask] for mask in puzzle.cells]
    except KeyError:
        raise ValueError("a cell's values are neither one nor all") from None


def numbers_up_to(side: int) -> list[str]:
    return [str(value) for value in range(1, side + 1)]


def render_cells(puzzle: Puzzle) -> str:
    """The n² characters of a puzzle, in one string.

    Raises ValueError for a side other than 4, 6, 8 or 9, for boxes of another shape, and for
    cells whose values are neither one, all, the even nor the odd ones, or blanks beside marks.
    """
    geometry = puzzle.geometry
    if GEOMETRIES.get(geometry.side) != geometry:
        raise ValueError(f"no notation for boxes of {geometry.height}×{geometry.width}")
    signs = {1 << value: digit for value, digit in enumerate(DIGITS[: geometry.side])}
    marks = {geometry.even_values: EVEN, geometry.odd_values: ODD}
    signs |= marks if marks.keys() & set(puzzle.cells) else {geometry.all_values: ODD}
    try:
        return "".join(map(signs.__getitem__, puzzle.cells))
    except KeyError:
        raise ValueError("a cell's values are not a digit, a blank or a parity mark") from None


def in_rows(cells: S, length: int) -> list[S]:
    """Split the cells, or parts of a row, into rows of that length."""
    return [cells[start : start + length] for start in range(0, len(cells), length)]


def in_lines(cells: str, length: int) -> str:
    """The cells in lines of that length."""
    return "".join(row + "\n" for row in in_rows(cells, length))
