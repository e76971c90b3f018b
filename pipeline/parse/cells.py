"""Cells written as single characters: what grids and lines share."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

from pipeline.errors import InvalidPuzzle
from pipeline.parse.base import Found, Variant
from pipeline.parse.text import Line, Text, quote
from pipeline.puzzle import Geometry, Puzzle
from pipeline.settings import VariantChoice

GEOMETRIES = {4: Geometry(2, 2), 6: Geometry(2, 3), 8: Geometry(2, 4), 9: Geometry(3, 3)}
"""The boxes that are meant where a text does not name them, by side."""

ALL_GEOMETRIES = GEOMETRIES | {16: Geometry(4, 4), 25: Geometry(5, 5)}
"""The same where cells are numbers, or letters."""

DIGITS = "123456789"
BLANKS = ".0_-x?*"
EVEN, ODD = "*", "."
MARKED = "a digit, '*' or '.'"
"""What an even/odd puzzle's cells are."""

_KNOWN = frozenset(DIGITS + BLANKS)
_IN_LARGER = frozenset(DIGITS + BLANKS + ascii_letters)
_LONGEST_LINE = 625
_LONGEST_NUMBER = 9


def check_characters(text: Text, lines: Sequence[Line]) -> None:
    """Raise InvalidPuzzle at the first character that is no cell in any variant.

    A single line with letters may be the beginning of a puzzle of 16×16 or 25×25 characters.
    """
    for line in lines:
        if _KNOWN.issuperset(line.cells):
            continue
        column, character = next(
            (column, character)
            for column, character in line.placed_cells()
            if character not in _KNOWN
        )
        marked = any({EVEN, ODD} <= set(line.cells) for line in lines)
        expected = MARKED if marked else "a digit or a blank"
        may_go_on = len(lines) == 1 and len(line.cells) < _LONGEST_LINE
        cut_off = may_go_on and _IN_LARGER.issuperset(line.cells)
        raise text.error(line.number, column, expected, quote(character), truncated=cut_off)


def puzzle_of(text: Text, lines: Sequence[Line], wanted: VariantChoice) -> Found:
    """The puzzle whose n² cells stand in these lines, n being 4, 6, 8 or 9.

    Raises InvalidPuzzle for a value above n and for blank symbols that do not go together.
    """
    characters = "".join(line.cells for line in lines)
    geometry = GEOMETRIES[round(len(characters) ** 0.5)]
    blanks = set(characters) - set(DIGITS)
    variant = _variant(blanks, wanted)
    signs = _signs(geometry, blanks, variant)
    if not signs.keys() >= set(characters):
        raise _first_misfit(text, lines, geometry, variant, signs)
    return Found(Puzzle(geometry, tuple(map(signs.__getitem__, characters))), variant)


def _variant(blanks: set[str], wanted: VariantChoice) -> Variant:
    if wanted != "auto":
        return wanted
    return "even-odd" if {EVEN, ODD} <= blanks else "classic"


def _signs(geometry: Geometry, blanks: set[str], variant: Variant) -> dict[str, int]:
    """The mask that each permitted character stands for."""
    signs = {digit: 1 << value for value, digit in enumerate(DIGITS[: geometry.side])}
    if variant == "even-odd":
        return signs | {EVEN: geometry.even_values, ODD: geometry.odd_values}
    if len(blanks) == 1 or blanks == {EVEN, ODD}:
        return signs | dict.fromkeys(blanks, geometry.all_values)
    return signs


def _first_misfit(
    text: Text, lines: Sequence[Line], geometry: Geometry, variant: Variant, signs: dict[str, int]
) -> InvalidPuzzle:
    """The error for the first cell that has no meaning in this variant."""
    first_blank = ""
    for line in lines:
        for column, character in line.placed_cells():
            if character in signs:
                continue
            if character in DIGITS:
                expected = f"a value from 1 to {geometry.side} or a blank"
            elif variant == "even-odd":
                expected = MARKED
            elif first_blank in ("", character):
                first_blank = character
                continue
            else:
                expected = f"one symbol for all blanks, {quote(first_blank)} as before"
            return text.error(line.number, column, expected, quote(character))
    raise AssertionError("called for cells that all fit")


def written_cells(puzzle: Puzzle, signs: Sequence[str], blank: str) -> list[str]:
    """The n² cells of a classic puzzle, `signs` being those of the values 1 to n.

    Raises ValueError for cells that allow neither one value nor all: there is no sign for them.
    """
    words = {1 << value: sign for value, sign in enumerate(signs)}
    words[puzzle.geometry.all_values] = blank
    try:
        return [words[mask] for mask in puzzle.cells]
    except KeyError:
        raise ValueError("a cell's values are neither one nor all") from None


def number_of(word: str, side: int) -> int | None:
    """The value that a decimal number says, 0 to the side; None for what says none."""
    if word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER:
        value = int(word)
        return value if value <= side else None
    return None


def written_numbers(puzzle: Puzzle, blank: str) -> list[list[str]]:
    """The n rows of a classic puzzle, each cell a number or the blank.

    Raises ValueError for boxes that are not the usual ones of that side, and as `written_cells`.
    """
    geometry, n = puzzle.geometry, puzzle.geometry.side
    if ALL_GEOMETRIES.get(n) != geometry:
        raise ValueError(f"no notation for boxes of {geometry.height}×{geometry.width}")
    cells = written_cells(puzzle, [str(value) for value in range(1, n + 1)], blank)
    return [cells[start : start + n] for start in range(0, n * n, n)]


def render_cells(puzzle: Puzzle) -> str:
    """The n² characters of a puzzle, in one string.

    Raises ValueError where it has no such notation: a side other than 4, 6, 8 or 9 or boxes
    of another shape, and cells whose values are neither one, all, the even nor the odd ones,
    or blanks beside marks.
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
