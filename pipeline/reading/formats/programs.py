"""Files of HoDoKu, SadMan Sudoku and SudoCue.

A file of HoDoKu has one or more library lines: `:0000:x:`, 81 cells, and further fields.

    :0000:x:..7+3..5…:314 916::

`+d` is a digit that was placed in play, not a given, so its cell is blank in the puzzle. The next
field lists eliminated candidates, as digit, row and column. Placed digits and eliminations should
follow from the givens, so they are not part of the puzzle. They become its `GameProgress`, from
which a hint starts.

The `.sdk` files of SadMan Sudoku and SudoCue have a grid:

    #AWho made it
    [Puzzle]
    .234..8..
    …
    [State]
    …

Lines beginning with `#` are comments. The section [Puzzle] has the grid, and [Jigsaw] or [Regions]
has a map of regions. Sections with the state of play, pencil marks, colours and remarks are
skipped. Other sections are errors. A file without sections is read as a grid. The format is
described at sadmansoftware.com/sudoku/faq19.php.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.around import chunk_may_name_rule
from pipeline.reading.formats.base import Format, ManyFormat, SourceHead
from pipeline.reading.formats.cells import check_unmarked, classic_cells
from pipeline.reading.formats.frames import puzzle_of_81_cells
from pipeline.reading.formats.grid import parse_grid, render_grid
from pipeline.reading.formats.parsed import Entry, GameProgress, Parsed, TextChunk
from pipeline.reading.formats.records import (
    PLAIN,
    Reader,
    cut_lines,
    entries_of_lines,
    is_text,
    plain_entry,
)
from pipeline.reading.formats.region_maps import puzzle_with_map
from pipeline.reading.formats.text import Text, TextLine
from pipeline.settings import Reading

_HODOKU_BEGINS = re.compile(r"\s*:[0-9A-Za-z-]*:[^:\n]*:[-+0-9.]{4}")
_FIELDS_BEFORE_CELLS = re.compile(r"\s*:[0-9A-Za-z-]*:[^:]*:")
_PLACED_DIGIT = re.compile(r"\+[1-9]")
_CELL = re.compile(r"\+[1-9]|[0-9.]")
_ELIMINATED = re.compile(r"[1-9]{3}")
"""Matches an eliminated candidate: its digit, row and column."""

_PLAYED = re.compile(r"\s*+(?:\+?[1-9]|[.0]){81}\s*+")
_LIBRARY_LINE = re.compile(r"\s*:[^:]*:[^:]*:[-+0-9.]{16,}:.*")
_PLAIN_LINE = re.compile(rf":[0-9A-Za-z-]*:[^:]*:({PLAIN}):")


def givens_of(line: str) -> str | None:
    """Replace all but the cells of a library line by spaces; None for any other line.

    So the cells keep their columns. `+` and a placed digit become a space and a blank, which is `0`
    or `.` as in the rest of the line.
    """
    match = _FIELDS_BEFORE_CELLS.match(line)
    start = match.end() if match else 0
    if not match and not _is_played(line):
        return None
    cells = line[start:].partition(":")[0]
    blank = " 0" if "0" in cells else " ."
    return " " * start + _PLACED_DIGIT.sub(blank, cells)


def _is_played(line: str) -> bool:
    """Whether a line is 81 cells and some of their digits were placed in play."""
    return "+" in line and _PLAYED.fullmatch(line) is not None


def recognise_hodoku(text: Text) -> str | None:
    if len(text.lines) == 1 and _is_played(text.lines[0].text):
        return "81 cells, some after '+', placed in play"
    return "it begins with a colon" if text.lines[0].text.lstrip().startswith(":") else None


def parse_hodoku(text: Text, reading: Reading) -> Parsed:
    line = text.single_line()
    cells = givens_of(line.text)
    if cells is None:
        raise text.at_line(line, "a line of HoDoKu's library, ':0000:x:' and 81 cells")
    parsed = puzzle_of_81_cells(text, TextLine.of_text(line.number, cells), "81 cells", reading)
    placed = _PLACED_DIGIT.search(line.text)
    if placed and not any(parsed.puzzle.givens()):
        expected = "a given digit (those after '+' were placed in play)"
        raise text.error(line.number, placed.start() + 1, expected, "none")
    return replace(parsed, progress=_progress_of(line.text))


def _progress_of(line: str) -> GameProgress:
    """The digits of a line that were placed in play, and its eliminated candidates."""
    match = _FIELDS_BEFORE_CELLS.match(line)
    cells, _, rest = line[match.end() if match else 0 :].partition(":")
    signs = _CELL.findall(cells)
    placed = tuple((cell, int(sign[1])) for cell, sign in enumerate(signs) if len(sign) == 2)
    words = rest.partition(":")[0].split() if match else []
    triples = (map(int, word) for word in words if _ELIMINATED.fullmatch(word))
    eliminated = tuple((9 * row + column - 10, value) for value, row, column in triples)
    return GameProgress(placed, eliminated)


def recognise_library(head: SourceHead) -> tuple[None, str] | None:
    count = sum(
        _LIBRARY_LINE.fullmatch(line) is not None or _is_played(line) for line in head.lines
    )
    if count >= 2 and count * 2 > len(head.lines):
        return None, "its lines form a HoDoKu library"
    return None


def library_entries(chunk: TextChunk, _layout: None, reader: Reader) -> list[Entry]:
    has_rules = chunk_may_name_rule(chunk.data)
    return entries_of_lines(chunk, reader, partial(_library_entry, has_rules))


def _library_entry(has_rules: bool, line: str, number: int, reader: Reader) -> Entry:
    plain = None if has_rules else _PLAIN_LINE.match(line)
    if plain and reader.takes_plain and is_text(line):
        return plain_entry(number, plain[1])
    return reader.read(line, (number,))


def library_line(cells: str) -> str:
    """Write a library line, given the 81 digits and blanks of a puzzle."""
    return f":0000:x:{cells}:::\n"


def render_hodoku(puzzle: Puzzle, _notation: str) -> str:
    return library_line(classic_cells(puzzle))


LIBRARY = ManyFormat("hodoku", recognise_library, cut_lines, library_entries)
HODOKU = Format(
    "hodoku",
    recognise_hodoku,
    parse_hodoku,
    render_hodoku,
    begins=_HODOKU_BEGINS,
    many=LIBRARY,
    has_other_text=True,
)


_SADMAN_BEGINS = re.compile(r"(?i)\s*\[\s*(?:puzzle|state)\s*\]")
_HEADING = re.compile(r"\[([A-Za-z ]+)\]")
_SIMILAR_TO_HEADING = re.compile(r"\s*\[\s*[A-Za-z]")
_PUZZLE = "[Puzzle]"
_SKIPPED_SECTIONS = {
    *("state", "pencilmarks", "colours", "colors"),
    *("author", "comment", "description", "date", "source", "level", "url"),
}
"""Sections that do not change the puzzle. Sections that may change it are refused."""

_MAP_SECTIONS = ("jigsaw", "regions")
"""Sections with a map of regions."""


def _is_heading(line: TextLine) -> bool:
    """Whether a line begins with `[`: it is the heading of a section, even if it is damaged."""
    return line.text.lstrip().startswith("[")


def recognise_sadman(text: Text) -> str | None:
    first = next((line for line in text.lines if _SIMILAR_TO_HEADING.match(line.text)), None)
    return f"line {first.number} is the heading of a section" if first else None


def parse_sadman(text: Text, reading: Reading) -> Parsed:
    rows, maps = _puzzle_rows(text)
    _check_sections(text)
    text = replace(text, lines=rows)
    if region_map := [word for line in maps if not line.is_border for word in line.placed_cells()]:
        return puzzle_with_map(text, text.rows, region_map, reading)
    return parse_grid(text, reading)


def _check_sections(text: Text) -> None:
    """Raise InvalidPuzzle if a section that may change the puzzle is not empty."""
    heading, may_change = None, False
    for line in text.lines:
        if _is_heading(line):
            name = line.text.strip(" []").lower().replace(" ", "")
            heading, may_change = line, name not in _SKIPPED_SECTIONS | {"puzzle", *_MAP_SECTIONS}
        elif heading and may_change:
            expected = f"{_PUZZLE}, [Jigsaw], or a section that can be skipped, such as [State]"
            raise text.at_line(heading, expected)


def _puzzle_rows(text: Text) -> tuple[tuple[TextLine, ...], list[TextLine]]:
    """The lines of the puzzle, and the lines of the region map. Raises InvalidPuzzle.

    The puzzle is in the section [Puzzle] or, if that is missing, before the first section.
    """
    sections: dict[str, list[TextLine]] = {"": []}
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
                raise text.at_line(line, "a single puzzle", f"a second {_PUZZLE}")
            heading = line
        lines = sections.setdefault(name, [])
    maps = [line for name in _MAP_SECTIONS for line in sections.get(name, ())]
    before, rows = sections[""], sections.get("puzzle", [])
    if heading is None and not before:
        raise text.at_end(f"a section {_PUZZLE}", "none")
    if heading is None:
        return tuple(before), maps
    if before:
        raise text.at_line(before[0], f"only comments before the section {_PUZZLE}")
    if not rows:
        raise text.at_line(heading, f"the rows of the puzzle under {_PUZZLE}", "none")
    return tuple(rows), maps


def render_sadman(puzzle: Puzzle, _notation: str) -> str:
    check_unmarked(puzzle)
    return f"{_PUZZLE}\n{render_grid(puzzle, '')}"


SADMAN = Format(
    "sadman",
    recognise_sadman,
    parse_sadman,
    render_sadman,
    begins=_SADMAN_BEGINS,
    has_other_text=True,
)
