"""Files that programs write: HoDoKu, SadMan Sudoku and SudoCue.

HoDoKu has a line of its library, `:0000:x:` and 81 cells, then further fields; or many lines.

    :0000:x:..7+3..5…:314 916::

`+d` is a digit that was placed in play, not a given: its cell is blank in the puzzle. The
candidates that the next field removes are ignored: they follow from the givens, or should.

SadMan's and SudoCue's `.sdk` files have a grid:

    #AWho made it
    [Puzzle]
    .234..8..
    …
    [State]
    …

Lines beginning with `#` are about the puzzle. The section [Puzzle] holds the grid; other sections
(the state of play, pencil marks, colours) are not part of the puzzle. A file without sections is a
plain grid. The format: sadmansoftware.com/sudoku/faq19.php.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pipeline.errors import InvalidPuzzle, counted
from pipeline.reading.formats.base import Entry, Format, Head, ManyFormat, Parsed, Piece
from pipeline.reading.formats.cells import nine_of
from pipeline.reading.formats.grid import parse_grid
from pipeline.reading.formats.records import (
    PLAIN,
    Reader,
    cut_lines,
    is_text,
    is_too_long,
    plain_entry,
    text_of,
)
from pipeline.reading.formats.text import NEWLINE, Line, Text, says_something
from pipeline.settings import Reading

_HODOKU_BEGINS = re.compile(r"\s*:[0-9A-Za-z-]*:[^:\n]*:[-+0-9.]{4}")
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


def parse_hodoku(text: Text, reading: Reading) -> Parsed:
    first, *others = text.lines
    if others:
        found = counted(len(text.lines), "line")
        raise text.at_line(others[0], "a single puzzle", found, may_go_on=False)
    cells = givens_of(first.text)
    if cells is None:
        raise text.at_line(first, "a line of HoDoKu's library, ':0000:x:' and 81 cells")
    row = Line.of_text(first.number, cells)
    try:
        return nine_of(text, row, "81 cells", reading.variant)
    except InvalidPuzzle as error:
        cut_off = first.text.count(":") == 3 and len(row.cells) <= 81
        raise replace(error, truncated=cut_off) from None


def recognise_library(head: Head) -> tuple[None, str] | None:
    library = sum(_LIBRARY_LINE.fullmatch(line) is not None for line in head.lines)
    if library >= 2 and library * 2 > len(head.lines):
        return None, "its lines are those of a HoDoKu library"
    return None


def library_entries(piece: Piece, _layout: None, reader: Reader) -> list[Entry]:
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


LIBRARY = ManyFormat("hodoku", recognise_library, cut_lines, library_entries)
HODOKU = Format(
    "hodoku",
    recognise_hodoku,
    parse_hodoku,
    begins=_HODOKU_BEGINS,
    many=LIBRARY,
)


_SADMAN_BEGINS = re.compile(r"(?i)\s*\[\s*(?:puzzle|state)\s*\]")
_HEADING = re.compile(r"\[([A-Za-z ]+)\]")
_PUZZLE = "[Puzzle]"


def _is_heading(line: Line) -> bool:
    return line.text.lstrip().startswith("[")


def recognise_sadman(text: Text) -> str | None:
    first = next((line for line in text.lines if _is_heading(line)), None)
    return f"line {first.number} is the heading of a section" if first else None


def parse_sadman(text: Text, reading: Reading) -> Parsed:
    rows = _puzzle_rows(text)
    try:
        return parse_grid(replace(text, lines=rows), reading)
    except InvalidPuzzle as error:
        ended = rows[-1] is not text.lines[-1]
        raise replace(error, truncated=error.truncated and not ended) from None


def _puzzle_rows(text: Text) -> tuple[Line, ...]:
    """The lines of the section [Puzzle]; without it, the lines before the first section."""
    sections: dict[str, list[Line]] = {"": []}
    lines = sections[""]
    heading = None
    for line in text.lines:
        if not _is_heading(line):
            lines.append(line)
            continue
        match = _HEADING.fullmatch(line.text.strip())
        if not match:
            raise text.at_line(line, f"the heading of a section, such as {_PUZZLE}")
        name = match[1].strip().lower()
        if name == "puzzle":
            if heading:
                again = f"a second {_PUZZLE}"
                raise text.at_line(line, "a single puzzle", again, may_go_on=False)
            heading = line
        lines = sections.setdefault(name, [])
    before, rows = sections[""], sections.get("puzzle", [])
    if heading is None and not before:
        raise text.at_end(f"a section {_PUZZLE}", "none")
    if heading is None:
        return tuple(before)
    if before:
        raise text.at_line(before[0], f"only comments before the section {_PUZZLE}")
    if not rows:
        raise text.at_line(heading, f"the rows of the puzzle under {_PUZZLE}", "none")
    return tuple(rows)


SADMAN = Format("sadman", recognise_sadman, parse_sadman, begins=_SADMAN_BEGINS)
