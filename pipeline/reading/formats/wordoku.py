"""Wordoku: a grid of letters instead of digits, in n rows of n for n = 4, 6, 8, 9, or in one line.

    EC..G....
    F..AIE...
    …

The letters are the values in alphabetical order. If all are among the first n of the alphabet, A is
1, B is 2, and so on, even if some do not occur. Otherwise, if fewer than n letters occur, the
missing letters are unknown, and solutions have digits instead: the values may be `AEGIMNRS9`. Upper
and lower case must not be mixed. X is a blank if there is no other blank and the grid is not full.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from string import ascii_lowercase, ascii_uppercase

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.alphabets import Alphabet
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import (
    BLANKS,
    DIGITS,
    EVEN,
    GEOMETRIES,
    LINE_SUFFIX,
    ODD,
    SIDES,
    shape_in_words,
    text_in_lines,
    written_cells,
)
from pipeline.reading.formats.frames import frame_of_cells, frame_of_line, puzzle_of_frame
from pipeline.reading.formats.jigsaws import is_region_map
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.region_maps import text_around
from pipeline.reading.formats.text import Text, TextLine, decode_text
from pipeline.settings import Reading

_BLANKS = frozenset(BLANKS.lower().replace("x", ""))
_BLANK_LETTERS = "xX"
_MIN_LETTERS = 2
"""Minimum number of different letters in a puzzle."""

_MAX_ROWS = 40
"""Maximum number of lines, including titles."""

_ROW = r"(?=[^\n]*[.?*_0-])(?:[ |,]*+[A-Za-z.?*_0-]){%d}+[ |,]*+(?:\n|\Z)"
_BEGINS = re.compile("|".join(rf"(?:{_ROW % side}){{2}}" for side in GEOMETRIES))
"""Two rows of letters and blanks, the first of which has a blank."""


def recognise_wordoku(text: Text) -> str | None:
    rows = _grid_rows(text)
    lengths = [len(row.cells) for row in rows]
    side = lengths[0] if len(lengths) > 1 else SIDES.get(sum(lengths), 0)
    cells = "".join(row.cells for row in rows) if len(lengths) <= side in GEOMETRIES else ""
    if cells.lower() == cells.upper():  # a quick test for puzzles without letters
        return None
    symbols, blank = _symbols_in(cells, side)
    letters = {symbol for symbol in cells if symbol.isalpha()} - {blank}
    extra_characters = {*cells} - {*(symbols if _is_full(cells, side) else letters), blank}
    if not cells.isascii() or len(letters) < _MIN_LETTERS or not extra_characters <= _BLANKS:
        return None
    if len(cells) != side**2:
        are_rows = lengths[:-1] == [side] * (len(lengths) - 1) and lengths[-1] <= side
        may_be_cut_off = are_rows and len(letters) <= side
        return f"rows of {side} letters" if may_be_cut_off else None
    if {*lengths} not in ({side}, {side**2}):
        return None
    if blank or (_is_full(cells, side) and not is_region_map(cells)):
        return f"{len(letters)} letters{' and blanks' if blank else ''}"
    return None


def _grid_rows(text: Text) -> Sequence[TextLine]:
    """Find n successive rows of n characters. Returns all rows if there is no such grid."""
    rows = text.rows
    if len(rows) not in range(2, _MAX_ROWS) or len(rows[0].cells) == len(rows) in GEOMETRIES:
        return rows
    width, count = Counter(len(row.cells) for row in rows).most_common(1)[0]
    fitting = [row for row in rows if len(row.cells) == width]
    first = rows.index(fitting[0])
    is_grid = width == count in GEOMETRIES and [*rows[first : first + count]] == fitting
    return fitting if is_grid else rows


def _is_full(cells: Sequence[str], side: int) -> bool:
    """Whether the cells have n different characters, each of them n times."""
    return [*Counter(cells).values()] == [side] * side


def _symbols_in(cells: Sequence[str], side: int) -> tuple[str, str]:
    """The characters of the values 1, 2, … in one string, and the character of blanks or "".

    In an invalid puzzle, there may be more of these characters than values, and cells with
    other characters.
    """
    used = {*cells}
    letters = {symbol for symbol in used if symbol.isascii() and symbol.isalpha()}
    blank = next((symbol for symbol in cells if symbol in _BLANKS), "")
    if not blank and not _is_full(cells, side):
        blank = next((symbol for symbol in _BLANK_LETTERS if symbol in letters), "")
        letters.discard(blank)
    for alphabet in (ascii_uppercase[:side], ascii_lowercase[:side]):
        if letters <= {*alphabet}:
            return alphabet, blank
    return "".join(sorted(letters)) + DIGITS[len(letters) : side], blank


def parse_wordoku(text: Text, reading: Reading) -> Parsed:
    rows = _grid_rows(text)
    if in_line := len(rows) == 1 and len(rows[0].cells) > max(GEOMETRIES):
        expected = "a line of 16, 36, 64 or 81 letters and blanks"
        frame = frame_of_line(text, rows[0], GEOMETRIES, expected)
    else:
        numbers = range(rows[0].number, rows[-1].number + 1) if rows else ()
        lines = [line for line in text.lines if line.number in numbers]
        frame = frame_of_cells(text, rows, GEOMETRIES, lines)
    symbols, blank = _symbols_in(frame.tokens, frame.side)
    if reading.variant == "even-odd":
        for word in frame.words():
            if word.text in (EVEN, ODD):
                raise text.at_word(word, "a puzzle of letters without even or odd marks")
    allowed = list[str]()
    for word in frame.words():
        symbol = word.text
        if symbol in symbols and symbol.isalpha() and symbol not in allowed:
            allowed.append(symbol)
            if len(allowed) > frame.side:
                expected = f"at most {frame.side} letters and one blank"
                raise text.at_word(word, expected, f"a further letter, {symbol!r}")
            if symbol.isupper() != allowed[0].isupper():
                raise text.at_word(word, "letters in either upper or lower case, not both")
    is_full = _is_full(frame.tokens, frame.side)
    masks = {
        symbol: 1 << index for index, symbol in enumerate(symbols) if is_full or symbol.isalpha()
    }
    blanks = frozenset((*_BLANKS, blank)) - {""}
    alphabet = Alphabet(masks, blanks, "a letter or one symbol for all blanks", name=symbols)
    parsed = puzzle_of_frame(text, frame, lambda *_: [alphabet], reading)
    parsed = replace(parsed, format=parsed.format + LINE_SUFFIX * in_line)
    return parsed.with_text(*text_around(text, rows, frame.side, ()))


def render_wordoku(puzzle: Puzzle, notation: str) -> str:
    """Write n lines of n letters, or one line; by default A is 1, B is 2, and so on.

    Raises ValueError with a noun phrase if the text could not be read as letters.
    """
    geometry = puzzle.geometry
    if GEOMETRIES.get(geometry.side) != geometry:
        raise ValueError(shape_in_words(geometry))
    in_line = f" {notation}".endswith(LINE_SUFFIX)
    symbols = f" {notation}".removesuffix(LINE_SUFFIX).strip() or ascii_uppercase[: geometry.side]
    if len(symbols) != geometry.side:
        raise ValueError(f"{geometry.side} values in the letters {symbols}")
    cells = "".join(written_cells(puzzle, symbols, "."))
    text = text_in_lines(cells, geometry.size if in_line else geometry.side)
    if not notation and recognise_wordoku(decode_text(text.encode(), "puzzle")) is None:
        raise ValueError("fewer than two letters, or a full grid without each letter in each row")
    return text


WORDOKU = Format(
    "wordoku",
    recognise_wordoku,
    parse_wordoku,
    render_wordoku,
    begins=_BEGINS,
    has_solutions=True,
)
