"""How cells are written: the signs, alphabets and numbers that several formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from itertools import islice
from string import ascii_letters, ascii_uppercase, digits
from typing import NamedTuple, TypeVar, get_args

from pipeline.errors import counted
from pipeline.puzzle.geometry import Geometry, usual_boxes, values_of
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.borders import boxes_of
from pipeline.reading.formats.parsed import Parsed, Variant
from pipeline.reading.formats.text import Text, TextLine, Word, either, quote
from pipeline.settings import AlphabetChoice, Reading

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

_PLAIN_SIGNS = {1 << at: digit for at, digit in enumerate(DIGITS)} | {NINE.all_values: "."}

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


def check_characters(text: Text, lines: Sequence[TextLine]) -> None:
    """Raise InvalidPuzzle at the first character that is not a cell in any variant."""
    for line in lines:
        if not KNOWN.issuperset(line.cells):
            word = next(cell for cell in line.placed_cells() if cell.text not in KNOWN)
            marked = any({EVEN, ODD} <= set(line.cells) for line in lines)
            raise text.at_word(word, MARKED if marked else "a digit or a blank")


class Splitting(NamedTuple):
    """How lines are split: what the parts are called, their number, and where they stand."""

    noun: str
    count: Callable[[TextLine], int]
    parts: Callable[[TextLine], Iterable[Word]]


IN_CELLS = Splitting("cell", lambda line: len(line.cells), TextLine.placed_cells)


def check_shape(
    text: Text, rows: Sequence[TextLine], sides: Collection[int], by: Splitting = IN_CELLS
) -> int:
    """The side, one of `sides`. Raises InvalidPuzzle if these are not n rows of n parts."""
    side = side_of_rows([by.count(row) for row in rows], sides)
    if side is None:
        line = rows[0] if rows else text.lines[0]
        found = counted(by.count(line) if rows else 0, by.noun)
        raise text.error(line.number, 1, f"a row of {either(sides)} {by.noun}s", found)
    for index, row in enumerate(rows):
        count = by.count(row)
        columns = [part.column for part in islice(by.parts(row), side + 1)]
        if index == side:
            column, found = columns[0] if columns else 1, counted(len(rows), "row")
            raise text.error(row.number, column, f"{side} rows", found)
        if count != side:
            column = columns[side] if count > side else len(row.text) + 1
            expected, found = f"a row of {side} {by.noun}s", counted(count, by.noun)
            raise text.error(row.number, column, expected, found)
    if len(rows) < side:
        raise text.at_end(f"{side} rows", counted(len(rows), "row"))
    return side


def side_of_rows(lengths: Sequence[int], sides: Collection[int]) -> int | None:
    """The side that most rows have, or else the number of rows."""
    meant = [length for length, _ in Counter(lengths).most_common() if length in sides]
    return meant[0] if meant else len(lengths) if len(lengths) in sides else None


def puzzle_of(text: Text, lines: Sequence[TextLine], reading: Reading) -> Parsed:
    """The puzzle whose n² cells stand in these lines, perhaps among borders; n is 4, 6, 8 or 9.

    Raises InvalidPuzzle for a value above n, for blank symbols that do not go together, and as
    `boxes_of`.
    """
    rows = [line for line in lines if not line.is_border]
    characters = "".join(line.cells for line in rows)
    geometry = boxes_of(text, lines, round(len(characters) ** 0.5), reading)
    blanks = set(characters) - set(DIGITS)
    variant: Variant = "even-odd" if {EVEN, ODD} <= blanks else "classic"
    if reading.variant != "auto":
        variant = reading.variant
    signs = {digit: 1 << value for value, digit in enumerate(DIGITS[: geometry.side])}
    if variant == "even-odd":
        signs |= {EVEN: geometry.even_values, ODD: geometry.odd_values}
    elif len(blanks) == 1 or blanks == {EVEN, ODD}:
        signs |= dict.fromkeys(blanks, geometry.all_values)
    if not signs.keys() >= set(characters):
        placed = (cell for line in rows for cell in line.placed_cells())
        strange = [cell for cell in placed if cell.text not in signs]
        raise text.at_word(*_first_misfit(strange, geometry, variant))
    return Parsed(Puzzle(geometry, tuple(map(signs.__getitem__, characters))), variant=variant)


def _first_misfit(
    strange: Sequence[Word], geometry: Geometry, variant: Variant
) -> tuple[Word, str]:
    """The first of the strange cells that is wrong, and what is expected."""
    blank = strange[0].text  # without digits and marks, the first of several blanks is right
    for cell in strange:
        if cell.text in DIGITS:
            return cell, f"a value from 1 to {geometry.side} or a blank"
        if variant == "even-odd":
            return cell, MARKED
        if cell.text != blank:
            return cell, f"one symbol for all blanks, {quote(blank)} as before"
    raise AssertionError("called for cells that all fit")


def nine_of(text: Text, row: TextLine, expected: str, reading: Reading) -> Parsed:
    """The puzzle whose 81 cells stand in this line. Raises InvalidPuzzle."""
    check_characters(text, (row,))
    if len(row.cells) != 81:
        raise text.behind(row, expected, counted(len(row.cells), "cell"))
    return puzzle_of(text, (row,), reading)


def values_in(text: Text, words: Iterable[Word], signs: str, expected: str) -> list[int]:
    """The value that each sign stands for, 0 for a blank; blanks are all the same sign.

    `signs` are those of the values 1, 2, …; letters may be small. Raises InvalidPuzzle.
    """
    fold = str.upper if signs.isupper() else str
    values, blank = [], ""
    for word in words:
        sign = fold(word.text)
        value = signs.find(sign) + 1 if len(sign) == 1 else 0  # one sign may be two as capitals
        if not value:
            if sign not in {*(blank or fold(BLANKS))}:
                raise text.at_word(word, f"{expected} or {quote(blank) if blank else 'a blank'}")
            blank = sign
        values.append(value)
    return values


def number_of(word: str, side: int) -> int | None:
    """The value of a decimal number from 0 to the side; None for anything else."""
    if word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER:
        value = int(word)
        return value if value <= side else None
    return None


def written_cells(puzzle: Puzzle, signs: Sequence[str], blank: str) -> list[str]:
    """The n² cells of a classic puzzle, `signs` being those of the values 1 to n.

    Raises ValueError for rules, and cells that allow neither one value nor all: with a noun.
    """
    check_plain(puzzle)
    words = {1 << value: sign for value, sign in enumerate(signs)}
    words[puzzle.geometry.all_values] = blank
    try:
        return [words[mask] for mask in puzzle.cells]
    except KeyError:
        raise ValueError(_first_without(puzzle, words)) from None


def check_plain(puzzle: Puzzle) -> None:
    """Raise ValueError, which names what there is, for more than one grid and its values."""
    if puzzle.geometry.grids or puzzle.geometry.free:
        raise ValueError(shape_in_words(puzzle.geometry))
    if puzzle.rules:
        raise ValueError(puzzle.rules[0].describe(puzzle.geometry))


def shape_in_words(geometry: Geometry) -> str:
    """What people call a geometry: `boxes of 3×4 cells`."""
    if free := geometry.free:
        values = f"the values {geometry.lowest} to {geometry.values[-1]}"
        return f"a grid of {free.rows}×{free.columns} cells with {values}"
    if geometry.grids:
        return f"{len(geometry.grids)} grids that share boxes"
    if not geometry.has_boxes:
        return f"{geometry.side}×{geometry.side} cells without boxes"
    return f"boxes of {geometry.height}×{geometry.width} cells"


def cell_in_words(puzzle: Puzzle, cell: int) -> str:
    """A cell, and what it may hold: `the values 1 2 of r1c1`."""
    values = [*values_of(puzzle.cells[cell], puzzle.geometry.lowest)]
    noun = "the value" if len(values) == 1 else "the values"
    return f"{noun} {' '.join(map(str, values))} of {puzzle.geometry.name_of(cell)}"


def plain_cells(puzzle: Puzzle) -> str:
    """The 81 digits and blanks, `.`, of a classic puzzle of 9×9; empty for any other."""
    if puzzle.geometry != NINE or puzzle.rules:
        return ""
    try:
        return "".join(map(_PLAIN_SIGNS.__getitem__, puzzle.cells))
    except KeyError:
        return ""


def has_usual_boxes(geometry: Geometry) -> bool:
    """Whether a grid of that side has these boxes if nothing states others."""
    return geometry == usual_boxes(geometry.side)


def in_boxes(puzzle: Puzzle) -> str:
    """A puzzle in one line: height and width of a box, then all numbers, 0 for a blank.

    Empty for one that has rules, or cells that allow neither one value nor all.
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

    Raises ValueError for rules, a side other than 4, 6, 8 or 9, and for boxes of another shape. So
    it does for cells whose values are neither one, all, the even nor the odd ones, or blanks beside
    marks. It names what there is.
    """
    check_plain(puzzle)
    geometry = puzzle.geometry
    if GEOMETRIES.get(geometry.side) != geometry:
        raise ValueError(shape_in_words(geometry))
    signs = {1 << value: digit for value, digit in enumerate(DIGITS[: geometry.side])}
    marks = {geometry.even_values: EVEN, geometry.odd_values: ODD}
    signs |= marks if marks.keys() & set(puzzle.cells) else {geometry.all_values: ODD}
    try:
        return "".join(map(signs.__getitem__, puzzle.cells))
    except KeyError:
        raise ValueError(_first_without(puzzle, signs)) from None


def _first_without(puzzle: Puzzle, signs: Container[int]) -> str:
    """The first cell without a sign, in words."""
    cells = enumerate(puzzle.cells)
    return cell_in_words(puzzle, next(cell for cell, mask in cells if mask not in signs))


def check_unmarked(puzzle: Puzzle) -> None:
    """Raise ValueError, which names it, for a cell that is neither given nor blank."""
    written_cells(puzzle, numbers_up_to(puzzle.geometry.side), "")


def classic_cells(puzzle: Puzzle) -> str:
    """As `plain_cells`. Raises ValueError, with a noun for what is not classic."""
    if puzzle.geometry != NINE:
        raise ValueError(shape_in_words(puzzle.geometry))
    return "".join(written_cells(puzzle, DIGITS, "."))


def in_rows(cells: S, length: int) -> list[S]:
    """Split the cells, or parts of a row, into rows of that length."""
    return [cells[start : start + length] for start in range(0, len(cells), length)]


def in_lines(cells: str, length: int) -> str:
    """The cells in lines of that length."""
    return "".join(row + "\n" for row in in_rows(cells, length))
