"""Characters: 16 rows of 16, or 25 rows of 25, a character for each cell; or all in one line.

    .2..5..89.B..E..     as 0-F, where 0 is the least value
    .3..6..9A.C..F..     as 1-G
    .C..F..IJ.L..O..     as A-P

The same puzzle is written in several alphabets, and nothing in a file says which. So the
characters that occur have to decide: of these three G excludes the first, a digit the last, and 0
beside another blank all but the first. Where they fit several alphabets the reading has to be
declared; it is never guessed. Capitals and small letters do not mix. Spaces, commas, bars and
border lines may stand between, as in grids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import ascii_letters, ascii_uppercase, digits
from typing import get_args

from pipeline.errors import InvalidPuzzle, counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import BLANKS, EVEN, ODD, written_cells
from pipeline.parse.grid import check_shape, rows_of
from pipeline.parse.text import Line, Text, decode_text, either, quote
from pipeline.puzzle import Geometry, Puzzle
from pipeline.settings import AlphabetChoice, Reading

GEOMETRIES = {16: Geometry(4, 4), 25: Geometry(5, 5)}

_IN_ORDER = digits + ascii_uppercase


def _signs(name: str) -> str:
    """The signs of the values 1, 2, … in the alphabet of that name, `0-F`."""
    first, last = map(_IN_ORDER.index, name.split("-"))
    return _IN_ORDER[first : last + 1]


NAMES = tuple(name for name in get_args(AlphabetChoice) if name != "auto")
"""The alphabets that can be declared; each is known in small letters too."""

ALPHABETS = {name: _signs(name) for name in NAMES}
ALPHABETS |= {name.lower(): signs.lower() for name, signs in ALPHABETS.items()}

_LINE = " line"
"""What the notation of a puzzle in one line has behind the alphabet's name."""

_BLANKS = frozenset(BLANKS)
_LETTERS = frozenset(ascii_letters) - _BLANKS
_SMALL = frozenset("1234") | _BLANKS
_LENGTHS = {side * side: side for side in GEOMETRIES}


def recognise_characters(text: Text) -> str | None:
    rows = rows_of(text)
    lengths = [len(row.cells) for row in rows]
    if len(rows) == 1 and lengths[0] in _LENGTHS:
        return f"one line of {lengths[0]} characters"
    side = lengths[0] if lengths else 0
    if side not in GEOMETRIES or 2 * lengths.count(side) < len(rows):
        return None
    whole = len(rows) == side == lengths.count(side)
    if whole or _may_be_either(rows):
        return None if _is_small_even_odd(rows) else f"{len(rows)} rows of {side} characters"
    begins = 1 < len(rows) <= 2 * side and not rows[0].text.lstrip().startswith("c")
    if begins and (side == 25 or _occurring(rows) & _LETTERS):
        return f"rows of {side} characters"
    return None


def parse_characters(text: Text, reading: Reading) -> Found:
    wanted = [name for name in ALPHABETS if reading.alphabet in ("auto", name.upper())]
    sides = sorted({len(ALPHABETS[name]) for name in wanted})
    rows = rows_of(text)
    if reading.format == "auto" and _may_be_either(rows):
        expected = (
            f"--format lines for {len(rows)} puzzles of 4×4, or --format stacked for "
            f"{len(rows) // 16} of 16×16"
        )
        raise text.error(None, None, expected, f"{len(rows)} ambiguous lines of 16 characters")
    in_line = len(rows) == 1 and len(rows[0].cells) > max(sides)
    side = _check_line(text, rows[0], sides) if in_line else check_shape(text, rows, sides)
    names = [name for name in wanted if len(ALPHABETS[name]) == side]
    try:
        _check_variant(text, rows, reading)
        name = _decide(text, rows, names, reading)
    except InvalidPuzzle as error:  # a longer line of a larger puzzle, perhaps
        raise replace(error, truncated=in_line and side < max(sides)) from None
    full = GEOMETRIES[side].all_values
    masks = {sign: 1 << value for value, sign in enumerate(ALPHABETS[name])}
    cells = tuple(masks.get(sign, full) for _, _, sign in _cells(rows))
    return Found(Puzzle(GEOMETRIES[side], cells), notation=name + _LINE * in_line)


def _may_be_either(rows: Sequence[Line]) -> bool:
    """Whether these may be several puzzles of 16×16, or puzzles of 4×4 in a line each."""
    several = len(rows) > 16 and len(rows) % 16 == 0 and all(len(row.cells) == 16 for row in rows)
    return several and _occurring(rows) <= _SMALL and not _is_small_even_odd(rows)


def _is_small_even_odd(rows: Sequence[Line]) -> bool:
    """Whether these are even/odd puzzles of 4×4, in a line each."""
    occurring = _occurring(rows)
    return len(rows[0].cells) == 16 and occurring <= _SMALL and {EVEN, ODD} <= occurring


def _occurring(rows: Sequence[Line]) -> set[str]:
    return set().union(*(row.cells for row in rows))


def _check_line(text: Text, row: Line, sides: Sequence[int]) -> int:
    """The side of the puzzle in a single line."""
    count = len(row.cells)
    side = _LENGTHS.get(count, 0)
    if side in sides:
        return side
    expected = f"a line of {either(side * side for side in sides)} characters"
    cut_off = count < max(sides) ** 2
    found = counted(count, "character")
    raise text.error(row.number, len(row.text) + 1, expected, found, truncated=cut_off)


def _decide(text: Text, rows: Sequence[Line], names: Sequence[str], reading: Reading) -> str:
    """The one alphabet that the cells can be of; raises InvalidPuzzle if there are several."""
    fitting = _fitting(text, rows, names)
    fitting = [name for name in fitting if name.isupper() or name.upper() not in fitting]
    if len(fitting) == 1:
        return fitting[0]
    filled = [name for name in fitting if _is_filled(rows, ALPHABETS[name])]
    if len(filled) == 1:
        return filled[0]
    alphabets = [name.upper() for name in fitting]
    characters = {*"".join(row.cells for row in rows)}
    if len(rows) == 16 and characters <= _SMALL and reading.format == "auto":
        raise text.error(
            None,
            None,
            f"--format lines for 16 puzzles of 4×4, or --alphabet {either(alphabets)} for one of "
            "16×16",
            "16 ambiguous lines of 16 characters",
        )
    raise text.error(
        None,
        None,
        f"--alphabet {either(alphabets)} to say what the characters stand for",
        "ambiguous characters: they fit each of these",
    )


def _fitting(text: Text, rows: Sequence[Line], names: Sequence[str]) -> Sequence[str]:
    """The alphabets that the cells can be of; raises InvalidPuzzle at the first cell of none."""
    seen: set[str] = set()
    for line, column, character in _cells(rows):
        if character in seen:
            continue
        seen.add(character)
        left = [name for name in names if _fits(seen, ALPHABETS[name])]
        if not left:
            signs = either(dict.fromkeys(name.upper() for name in names))
            expected = f"a sign of {signs}, or one symbol for all blanks"
            raise text.error(line, column, expected, quote(character))
        names = left
    return names


def _fits(characters: set[str], signs: str) -> bool:
    """Whether these are signs, and at most one symbol for blanks."""
    others = characters.difference(signs)
    return len(others) <= 1 and others <= _BLANKS


def _is_filled(rows: Sequence[Line], signs: str) -> bool:
    """Whether every row holds every value, as in a solution: then 0 is a sign, not a blank."""
    cells, side = "".join(row.cells for row in rows), len(signs)
    values = set(signs)
    return all({*cells[start : start + side]} == values for start in range(0, len(cells), side))


def _cells(rows: Sequence[Line]) -> Iterator[tuple[int, int, str]]:
    """(line, column, character) of each cell."""
    return (
        (row.number, column, character) for row in rows for column, character in row.placed_cells()
    )


def _check_variant(text: Text, rows: Sequence[Line], reading: Reading) -> None:
    """Raise InvalidPuzzle for cells that the variant asked for would make even or odd."""
    if reading.variant != "even-odd":
        return
    for line, column, character in _cells(rows):
        if character in (EVEN, ODD):
            expected = "no even or odd cells beside letters"
            raise text.error(line, column, expected, quote(character))


def render_as(puzzle: Puzzle, notation: str) -> str:
    """N lines of n characters, or one line, in the alphabet that the notation names.

    Raises ValueError for other sides than the alphabet's, and for cells that allow neither one
    value nor all.
    """
    name = notation.removesuffix(_LINE)
    signs = ALPHABETS[name]
    n = len(signs)
    if puzzle.geometry != GEOMETRIES[n]:
        raise ValueError(f"the alphabet {name} is for {n}×{n} cells in square boxes")
    cells = "".join(written_cells(puzzle, signs, "."))
    step = n * n if notation.endswith(_LINE) else n
    return "".join(cells[start : start + step] + "\n" for start in range(0, n * n, step))


def signs_of(format_name: str) -> str:
    """The signs of the values 1, 2, … in a notation that `Parsed.format` names, if it has any."""
    _, _, notation = format_name.partition(" ")
    return ALPHABETS.get(notation.removesuffix(_LINE), "")


def render_characters(puzzle: Puzzle) -> str:
    """N lines of n characters, in the first alphabet that they decide.

    Raises ValueError if there is none.
    """
    for name in NAMES:
        if puzzle.geometry == GEOMETRIES[len(ALPHABETS[name])]:
            written = render_as(puzzle, name)
            try:
                parse_characters(decode_text(written.encode(), "puzzle"), Reading())
            except InvalidPuzzle:
                continue
            return written
    raise ValueError("no alphabet in which its characters would decide which it is")


CHARACTERS = Format(
    "characters", recognise_characters, parse_characters, render_characters, render_as
)
