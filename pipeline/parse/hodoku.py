"""HoDoKu: a line of its library, `:0000:x:` and 81 cells, then further fields; or many lines.

    :0000:x:..7+3..5…:314 916::

`+d` is a digit that was placed in play, not a given: its cell is blank in the puzzle. The
candidates that the next field removes are ignored: they follow from the givens, or should.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pipeline.errors import InvalidPuzzle, counted
from pipeline.parse.base import Collection, Entry, Format, Found, Head, Piece
from pipeline.parse.cells import DIGITS, NINE, check_characters, puzzle_of, written_cells
from pipeline.parse.records import (
    PLAIN,
    Reader,
    cut_lines,
    is_text,
    is_too_long,
    plain_entry,
    text_of,
)
from pipeline.parse.text import NEWLINE, Line, Text, says_something
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

_BEGINS = re.compile(r"\s*:[0-9A-Za-z-]*:[^:\n]*:[-+0-9.]{4}")
_BEFORE = re.compile(r"\s*:[0-9A-Za-z-]*:[^:]*:")
_PLACED = re.compile(r"\+[1-9]")
_LIBRARY_LINE = re.compile(r"\s*:[^:]*:[^:]*:[-+0-9.]{16,}:.*")
_PLAIN_LINE = re.compile(rf":[0-9A-Za-z-]*:[^:]*:({PLAIN}):")


def givens_of(line: str) -> str | None:
    """Replace all of a library line but its givens and blanks by spaces, which keeps the columns.

    A placed digit becomes a blank, in the sign this line uses for blanks. None for a line of
    another kind.
    """
    match = _BEFORE.match(line)
    if not match:
        return None
    cells = line[match.end() :].partition(":")[0]
    blank = " 0" if "0" in cells else " ."
    return " " * match.end() + _PLACED.sub(blank, cells)


def recognise_hodoku(text: Text) -> str | None:
    return "it begins with a colon" if text.lines[0].text.lstrip().startswith(":") else None


def parse_hodoku(text: Text, reading: Reading) -> Found:
    first, *others = text.lines
    if others:
        found = counted(len(text.lines), "line")
        raise text.at_line(others[0], "a single puzzle", found, may_go_on=False)
    cells = givens_of(first.text)
    if cells is None:
        raise text.at_line(first, "a line of HoDoKu's library, ':0000:x:' and 81 cells")
    row = Line.of_text(first.number, cells)
    try:
        check_characters(text, (row,))
        if len(row.cells) != 81:
            found = counted(len(row.cells), "cell")
            raise text.error(row.number, len(cells) + 1, "81 cells", found)
        return puzzle_of(text, (row,), reading.variant)
    except InvalidPuzzle as error:
        cut_off = first.text.count(":") == 3 and len(row.cells) <= 81
        raise replace(error, truncated=cut_off) from None


def render_hodoku(puzzle: Puzzle) -> str:
    """One line of the library; raises ValueError for other sides than 9."""
    if puzzle.geometry != NINE:
        raise ValueError("HoDoKu has 9 rows of 9 cells")
    return f":0000:x:{''.join(written_cells(puzzle, DIGITS, '.'))}:::\n"


def recognise_library(head: Head) -> tuple[None, str] | None:
    library = sum(_LIBRARY_LINE.fullmatch(line) is not None for line in head.lines)
    if library >= 2 and library * 2 > len(head.lines):
        return None, "its lines are those of a HoDoKu library"
    return None


def entries(piece: Piece, _layout: None, reader: Reader) -> list[Entry]:
    lines = NEWLINE.split(text_of(piece.data, piece.first_line))
    numbered = enumerate(lines, piece.first_line)
    return [_entry(line, number, reader) for number, line in numbered if says_something(line)]


def _entry(line: str, number: int, reader: Reader) -> Entry:
    if is_too_long(line):
        return reader.too_long(number, line)
    plain = _PLAIN_LINE.match(line)
    if plain and reader.takes_plain and is_text(line):
        return plain_entry(number, plain[1])
    return reader.read(line, (number,))


LIBRARY = Collection("hodoku", recognise_library, cut_lines, entries)
HODOKU = Format(
    "hodoku",
    recognise_hodoku,
    parse_hodoku,
    render_hodoku,
    begins=_BEGINS,
    many=LIBRARY,
)
