"""Numbers in fields: a spreadsheet, n lines of n fields; and JSON, a list of n lists of n cells.

    5,3,,,7,,,,          [[5, 3, 0, 0, 7, 0, 0, 0, 0],
    6,,,1,9,5,,,          [6, null, "", "1", …
    …                     …

n is 4, 6, 8, 9, 16 or 25. Fields are separated by commas, semicolons or tabs, and may be quoted. A
blank is an empty field, in JSON null or "", or 0 if nothing is empty. The rows of a list may be
texts too; if the cells are signs, as in "53..7....", they are read as a grid. An error in JSON
names the line where the row begins.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.geometry import Geometry, usual_boxes
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.borders import boxes_of, choices
from pipeline.reading.formats.cells import (
    ALL_GEOMETRIES,
    BLANKS,
    Splitting,
    check_shape,
    in_rows,
    number_of,
    numbers_up_to,
    shape_in_words,
    written_cells,
)
from pipeline.reading.formats.grid import parse_grid
from pipeline.reading.formats.line import CSV
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import PIECE, Text, TextLine, Word, cells_of, either, quote
from pipeline.settings import Reading

_SEPARATORS = (",", ";", "\t")
_LARGEST = max(ALL_GEOMETRIES)
_SIDES = [n for n in range(min(ALL_GEOMETRIES), _LARGEST + 1) if usual_boxes(n).has_boxes]
"""The sides that are read; those without usual boxes, such as 12, if the boxes are declared."""

_MOST_ROWS = 2 * _LARGEST


def recognise_spreadsheet(text: Text) -> str | None:
    by = _fields_of(text)
    if by is None or len(text.lines) > _MOST_ROWS:
        return None
    rows = _lines_of(text)
    side = _side_meant(list(map(by.count, rows)))
    if side is None or len(rows) > 2 * side:
        return None
    said = [field.text for row in rows for field in by.parts(row)]
    cells = sum(not field or number_of(field, _LARGEST) is not None for field in said)
    if len(rows) == side and cells == len(said) == side * side:
        return f"{side} lines of {side} fields"
    return f"lines of {side} fields" if "" in said and cells * 4 > len(said) * 3 else None


def parse_spreadsheet(text: Text, reading: Reading) -> Parsed:
    rows, by = _lines_of(text), _fields_of(text) or _split_at(_SEPARATORS[0])
    side = _side_meant(list(map(by.count, rows))) or check_shape(text, rows, ALL_GEOMETRIES, by)
    fields = [field for row in rows[:side] for field in islice(by.parts(row), side)]
    has_empty = not all(field.text for field in fields)
    values = []
    for field in fields:
        value = number_of(field.text, side) if field.text else 0
        if value is None:
            raise text.at_word(field, f"a number from 1 to {side}, or an empty field")
        if not value and field.text and has_empty:  # it may be a value
            raise text.at_word(field, f"a number from 1 to {side}, as empty fields are the blanks")
        values.append(value)
    check_shape(text, rows, [side], by)
    return Parsed(Puzzle.of_values(_boxes_of(text, (), side, reading), values))


def _boxes_of(text: Text, lines: Sequence[TextLine], side: int, reading: Reading) -> Geometry:
    """The boxes of a grid of numbers. Raises InvalidPuzzle as `boxes_of`, and if none are usual."""
    if side not in ALL_GEOMETRIES and reading.box is None:
        raise text.error(None, None, f"{choices(side)} to say which boxes it has", f"{side} rows")
    return boxes_of(text, lines, side, reading)


def _fields_of(text: Text) -> Splitting | None:
    """How the first line is split into fields; None if it is a single field."""
    most = max(_SEPARATORS, key=text.lines[0].text.count)
    return _split_at(most) if most in text.lines[0].text else None


def _lines_of(text: Text) -> list[TextLine]:
    """The lines, up to one too many. Lines of mere tabs are rows too."""
    has_tabs = max(_SEPARATORS, key=text.lines[0].text.count) == "\t"
    lines = text.written() if has_tabs else text.lines
    return [*islice((line for line in lines if line.text.strip(" ")), _MOST_ROWS + 1)]


def _split_at(delimiter: str) -> Splitting:
    """Split into fields; valid ones hold at most a number, so quotes never hide a delimiter."""

    def fields(line: TextLine) -> list[Word]:
        found, column = [], 1
        for written in line.text.split(delimiter, _LARGEST + 1)[: _LARGEST + 1]:
            said = written.strip()
            quoted = len(said) > 1 and said[0] == said[-1] == '"'
            indent = len(written) - len(written.lstrip()) if said else 0
            found.append(Word(line.number, column + indent, said[1:-1].strip() if quoted else said))
            column += len(written) + 1
        return found

    return Splitting("field", lambda line: line.text.count(delimiter) + 1, fields)


def _side_meant(widths: Sequence[int]) -> int | None:
    """The side that at least half of the rows have."""
    for length, times in Counter(widths).most_common():
        if length in _SIDES and times * 2 >= len(widths):
            return length
    return None


def render_spreadsheet(puzzle: Puzzle, _notation: str) -> str:
    """Write n lines of n fields, with commas between. Raises ValueError with a noun."""
    return "".join(f"{','.join(row)}\n" for row in _number_rows(puzzle, ""))


def _number_rows(puzzle: Puzzle, blank: str) -> list[list[str]]:
    """The rows of numbers of a puzzle that has the usual boxes of its side."""
    side = puzzle.geometry.side
    if ALL_GEOMETRIES.get(side) != puzzle.geometry:
        raise ValueError(shape_in_words(puzzle.geometry))
    return in_rows(written_cells(puzzle, numbers_up_to(side), blank), side)


SPREADSHEET = Format(
    "spreadsheet", recognise_spreadsheet, parse_spreadsheet, render_spreadsheet, many=CSV
)


_JSON_BEGIN = re.compile(r'\[\s*(?:$|[\["\d]|null\b)')
_JSON_BEGINS = re.compile(r'\s*\[\s*(?:\[\s*(?:"?\d{1,2}"?|""|null)\s*[,\]]|"[0-9.*_x?]{4})')
_BETWEEN = re.compile(r"[\s,]*")
_EXPECTED = "a list of rows in JSON, '[[5, 3, 0, …'"
_SIGNS = frozenset(BLANKS) - {"0"}


class _JsonRow(NamedTuple):
    """The line where a row begins, its cells as texts, "" for null, and all of a row of text."""

    line: int
    cells: Sequence[str]
    text: str


def recognise_json(text: Text) -> str | None:
    first = text.lines[0].text.lstrip()
    return "it begins as a list in JSON" if _JSON_BEGIN.match(first) else None


def parse_json(text: Text, reading: Reading) -> Parsed:
    rows = _json_rows(text)
    if any(cell in _SIGNS for row in rows for cell in row.cells):
        return _signs(text, rows, reading)
    side = len(rows)
    if side not in _SIDES:
        raise text.error(None, None, f"{either(ALL_GEOMETRIES)} rows", counted(side, "row"))
    values: list[int] = []
    has_empty = any(not cell for row in rows for cell in row.cells)
    for row in rows:
        if len(row.cells) != side:
            found = counted(len(row.cells), "cell")
            raise text.error(row.line, None, f"a row of {side} cells", found)
        for cell in row.cells:
            value = number_of(cell, side) if cell else 0
            if value is None:
                expected = f"a number from 1 to {side}, or 0 or null for a blank"
                raise text.error(row.line, None, expected, quote(cell))
            if not value and cell and has_empty:
                raise text.error(row.line, None, "one kind of blank", "0 beside null or ''")
            values.append(value)
    drawn = [TextLine.of_text(row.line, row.text) for row in rows]
    return Parsed(Puzzle.of_values(_boxes_of(text, drawn, side, reading), values))


def _json_rows(text: Text) -> list[_JsonRow]:
    written = text.without_comments()
    rows = _loaded(text, written)
    found: list[_JsonRow] = []
    at = written.index("[") + 1
    for row in rows:
        between = _BETWEEN.match(written, at)
        at = between.end() if between else at
        line = written.count("\n", 0, at) + 1
        if type(row) not in (list, str) or type(row) is not type(rows[0]):
            expected = "a row: a list of cells, or a text, as the other rows are"
            raise text.error(line, None, expected, quote(written[at:]))
        cells = cells_of(row) if isinstance(row, str) else row
        for cell in cells:
            if type(cell) not in (int, str, type(None)):
                expected = "a cell: a number, a text, or null for a blank"
                raise text.error(line, None, expected, quote(json.dumps(cell)))
        texts = ["" if cell is None else str(cell).strip() for cell in cells]
        found.append(_JsonRow(line, texts, row if isinstance(row, str) else "".join(texts)))
        _, at = json.JSONDecoder().raw_decode(written, at)
    return found


def _loaded(text: Text, written: str) -> list[Any]:
    if len(written) > PIECE:
        raise text.error(None, None, f"at most {PIECE} characters", f"{len(written)}")
    try:
        rows = json.loads(written)
    except json.JSONDecodeError as error:
        rest = written[error.pos :].rstrip()
        found = quote(rest) if rest else "the end of the file"
        raise text.error(error.lineno, error.colno, _EXPECTED, found) from None
    except (RecursionError, ValueError):  # ValueError: a number of thousands of digits
        rows = None
    if not isinstance(rows, list) or not rows:
        raise text.at_line(text.lines[0], _EXPECTED)
    return rows


def _signs(text: Text, rows: Sequence[_JsonRow], reading: Reading) -> Parsed:
    """Read the puzzle whose cells are signs as a grid."""
    for row in rows:
        for cell in row.cells:
            if len(cell) != 1:
                raise text.error(row.line, None, "a digit or a sign for a blank", quote(cell))
    lines = [TextLine.of_text(row.line, row.text) for row in rows]
    rows_only = tuple(replace(line, is_border=False) for line in lines)
    try:
        return parse_grid(replace(text, lines=rows_only), reading)
    except InvalidPuzzle as error:
        error.column = None
        raise


def render_json(puzzle: Puzzle, _notation: str) -> str:
    """Write a list of n lists of n numbers, 0 for a blank. Raises ValueError with a noun."""
    rows = (f"[{', '.join(row)}]" for row in _number_rows(puzzle, "0"))
    return "[{}]\n".format(",\n ".join(rows))


JSON = Format("json", recognise_json, parse_json, render_json, begins=_JSON_BEGINS)
