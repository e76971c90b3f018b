"""Whether anything in a source looks like a puzzle; if not, that is no error in an archive.

This is not parsing: a grid with a wrong sign looks like a puzzle. In case of doubt a source does
look like one. What no format can express, such as `nan` for a blank, does not.

Single lines of digits are common in any text, so lines among other text have to meet more than
lines that stand alone: the cells of a whole puzzle in one line, or rows that could be those of one
grid.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_letters, ascii_uppercase

from pipeline.reading.formats.cells import (
    ALL_GEOMETRIES,
    BLANKS,
    DIGITS,
    EVEN,
    KNOWN,
    ODD,
    number_of,
)
from pipeline.reading.formats.detect import FORMATS
from pipeline.reading.formats.formula import looks_like_cnf
from pipeline.reading.formats.spaces import is_in_spaces
from pipeline.reading.formats.text import NEWLINE, is_border, says_something

NO_PUZZLE = "nothing in it looks like a puzzle"
"""What a message adds for such a source in an archive, after the error from reading it."""

_SAMPLE = 64 * 1024
_WORD = re.compile(r"[^\s,;|]+")
_CLOSE_WORD = re.compile(r"[^\s,;:|\"'\[\]]+")
_FIELD = re.compile(r"[,;\t]")
_AROUND = " []\"'"
_LETTERS = re.compile(r"[0-9A-Y.*_?-]+|[0-9a-y.*_?-]+")
_ROWS_IN_LETTERS = (range(15, 18), range(24, 27))
_PUZZLES_IN_LETTERS = (range(250, 262), range(620, 631))
"""Approximate numbers of characters of puzzles that are written in letters."""

_SHORTEST_ROW, _LONGEST_ROW, _SHORTEST_PUZZLE = 4, 26, 15
_FEWEST_CELLS = min(ALL_GEOMETRIES) ** 2
_ENOUGH_ROWS = 4
_Row = Sequence[str]


def looks_like_no_puzzle(data: bytes) -> bool:
    """Whether nothing in a source looks like the beginning of a puzzle in any format.

    Its first 64 KiB decide. Something does if a format's own words are there, if a whole puzzle
    stands anywhere, or if a quarter of the lines, or the first two, may be rows or whole puzzles,
    even damaged ones.
    """
    lines = [line for line in NEWLINE.split(_text(data[:_SAMPLE])) if says_something(line)]
    text = "\n".join(lines)
    begun = any(known.begins is not None and known.begins.match(text) for known in FORMATS)
    if begun or looks_like_cnf(data) or _holds_a_puzzle(lines) or is_in_spaces(data[:_SAMPLE]):
        return False
    told = [line for line in lines if any(sign.isalnum() or sign == "." for sign in line)]
    if not told:
        return not any(map(is_border, lines))
    rows = [_is_row(line) or _is_puzzle(line) for line in told]
    return not all(rows[:2]) and sum(rows) * 4 < len(rows)


def _text(data: bytes) -> str:
    """The bytes as text, whatever they are."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    return data.decode("utf-8-sig", errors="replace")


def _is_row(line: str) -> bool:
    """Whether a line may be a row of cells."""
    if _FIELD.search(line):
        return _are_cells([field.strip().strip('"') for field in _FIELD.split(line)])
    words = line.replace("|", " ").split()
    if len(words) > 1:
        joined = "".join(words)
        in_groups = len({*map(len, words[:-1])}) == 1 or joined.isdigit()
        return _are_cells(words) or (in_groups and _may_be_row(joined))
    return bool(words) and _may_be_row(words[0])


def _are_cells(words: Sequence[str]) -> bool:
    """Whether most of the words are single signs, small numbers or nothing."""
    single = sum(len(word) <= 1 or (len(word) < 4 and word.isdigit()) for word in words)
    known = any(KNOWN.issuperset(word) for word in words if word)
    return len(words) >= _SHORTEST_ROW and known and single * 4 >= len(words) * 3


def _may_be_row(cells: str) -> bool:
    """Whether these signs may be a row, in digits or in letters."""
    if not _SHORTEST_ROW <= len(cells) <= _LONGEST_ROW:
        return False
    if any(len(cells) in lengths for lengths in _ROWS_IN_LETTERS) and _LETTERS.fullmatch(cells):
        return len({*cells}) == len(cells) or sum(map(str.isalpha, cells)) * 4 < len(cells) * 3
    return _is_known(cells, 3, 4)


def _is_puzzle(line: str) -> bool:
    """Whether one of the words in a line may be a whole puzzle."""
    words = [word.strip("\"'") for word in _WORD.findall(line)]
    long = [word for word in words if len(word) >= _SHORTEST_PUZZLE]
    return any(_is_known(word, 7, 8) or _is_whole_in_letters(word) for word in long)


def _is_whole_in_letters(cells: str) -> bool:
    fits = any(len(cells) in lengths for lengths in _PUZZLES_IN_LETTERS)
    return fits and _LETTERS.fullmatch(cells) is not None


def _is_known(cells: str, part: int, whole: int) -> bool:
    """Whether at least part/whole of the signs are digits and blanks, and not only strokes."""
    known = sum(sign in KNOWN for sign in cells)
    drawn = not any(sign.isdigit() or sign == "." for sign in cells)
    return known * whole >= len(cells) * part and not drawn


def _holds_a_puzzle(lines: Sequence[str]) -> bool:
    """Whether a line holds a whole puzzle, or lines hold the rows of one, one below the other.

    Either may be damaged: an eighth of the signs in a line; all but four rows of a grid, one row
    of a grid of 4×4.
    """
    if any(map(_is_whole, lines)):
        return True
    rows = [
        [cells for cells in _ways(line) if len(cells) in ALL_GEOMETRIES]
        for line in lines
        if not is_border(line)
    ]
    return any(_is_grid(rows, side) for side in ALL_GEOMETRIES)


def _is_whole(line: str) -> bool:
    """Whether a line, or a word in it, has the cells of a puzzle, give or take a few."""
    words = _CLOSE_WORD.findall(line)
    if len({*map(len, words)}) == 1 and (len(words[0]) == 1 or len(words) == len(words[0]) > 4):
        words = ["".join(words)]  # single cells, or rows; but not years and the like
    return any(len(word) >= _FEWEST_CELLS and _has_cells(word) for word in words)


def _has_cells(word: str) -> bool:
    placed = word.replace("+", "")  # HoDoKu's mark for a digit that is not given
    for side in ALL_GEOMETRIES:
        if abs(len(placed) - side**2) <= (side - 1) // 4:  # none for 4×4: addresses have 15
            values = [sign for sign in placed if sign in _values(side)]
            others = Counter(sign for sign in placed if sign in BLANKS and sign not in values)
            blanks = max(others[EVEN] + others[ODD], *others.values(), 0)
            known = (len(values) + blanks) * 8 >= len(placed) * 7
            return known and blanks * 8 >= len(placed) and _is_varied(values, side)
    return False


def _values(side: int) -> str:
    """The signs for values; for large sides letters too."""
    letters = ascii_uppercase[:side]
    return DIGITS[:side] if side <= len(DIGITS) else DIGITS + letters + letters.lower()


def _is_varied(values: Iterable[str], side: int) -> bool:
    """Whether more than half of the values occur; with two missing no solution is unique."""
    return len({*values}) * 2 > side


def _ways(line: str) -> Iterator[_Row]:
    """The cells that a line may have, for each way of separating them."""
    body = line.strip().rstrip(",").strip(_AROUND)
    if _FIELD.search(body):  # a comma at the end precedes an empty field, or separates rows
        for fields in (line.strip("[] \r\n"), body):
            yield [field.strip(_AROUND) for field in _FIELD.split(fields)]
        return
    words = body.replace("|", " ").split()
    yield words
    if len({*map(len, words)}) == 1:
        yield "".join(words)


def _is_grid(lines: Sequence[Sequence[_Row]], side: int) -> bool:
    """Whether enough of `side` consecutive lines are rows of one grid."""
    rows = [next((row for row in found if _is_sound(row, side)), None) for found in lines]
    needed = min(_ENOUGH_ROWS, side - 1)
    return any(
        row is not None and _fitting(rows[at : at + side], side) >= needed
        for at, row in enumerate(rows)
    )


def _is_sound(row: _Row, side: int) -> bool:
    """Whether the cells are values and one kind of blank, and no value occurs twice.

    This distinguishes rows from years, dates and other numbers.
    """
    if len(row) != side:
        return False
    values = [cell for cell in row if _is_value(cell, side)]
    others = [cell for cell in row if not _is_value(cell, side)]
    blanks = {cell[:1] for cell in others}
    alike = all(cell == cell[:1] * len(cell) for cell in others)
    one_kind = len(blanks) <= 1 or blanks == {EVEN, ODD}
    return alike and one_kind and blanks <= {"", *BLANKS} and len({*values}) == len(values)


def _is_value(cell: str, side: int) -> bool:
    if cell.isdigit():
        return bool(number_of(cell, side))
    return side > len(DIGITS) and len(cell) == 1 and cell in ascii_letters


def _fitting(rows: Sequence[_Row | None], side: int) -> int:
    """How many of these rows repeat no value in a column; 0 if they have too few values."""
    seen: set[tuple[int, str]] = set()
    count = 0
    for row in filter(None, rows):
        given = {(column, cell) for column, cell in enumerate(row) if _is_value(cell, side)}
        if seen.isdisjoint(given):
            seen |= given
            count += 1
    return count if _is_varied((value for _, value in seen), side) else 0
