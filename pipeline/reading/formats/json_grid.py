"""JSON: a list of n lists of n cells, or of n texts of n characters.

    [[5, 3, 0, 0, 7, 0, 0, 0, 0],
     [6, null, "", "1", …

A cell is a number, or a text with one in it; blanks are 0, null or "", but 0 not together with the
others. If the cells are signs, as in "53..7....", they are read as a grid. An error names the line
where the row begins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import Format, Parsed
from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, number_of
from pipeline.reading.formats.grid import parse_grid
from pipeline.reading.formats.text import PIECE, Line, Text, cells_of, either, quote
from pipeline.settings import Reading

_BEGIN = re.compile(r'\[\s*(?:$|[\["\d]|null\b)')
_BEGINS = re.compile(r'\s*\[\s*(?:\[\s*(?:"?\d{1,2}"?|""|null)\s*[,\]]|"[0-9.*_x?]{4})')
_BETWEEN = re.compile(r"[\s,]*")
_EXPECTED = "a list of rows in JSON, '[[5, 3, 0, …'"
_SIGNS = frozenset(BLANKS) - {"0"}


class _JsonRow(NamedTuple):
    """The line where a row begins, and its cells as texts; "" for null."""

    line: int
    cells: Sequence[str]


def recognise_json(text: Text) -> str | None:
    return "it begins as a list in JSON" if _BEGIN.match(text.lines[0].text.lstrip()) else None


def parse_json(text: Text, reading: Reading) -> Parsed:
    rows = _rows(text)
    if any(cell in _SIGNS for row in rows for cell in row.cells):
        return _signs(text, rows, reading)
    side = len(rows)
    if side not in ALL_GEOMETRIES:
        raise text.error(None, None, f"{either(ALL_GEOMETRIES)} rows", counted(side, "row"))
    values: list[int] = []
    blank = None
    for row in rows:
        if len(row.cells) != side:
            found = counted(len(row.cells), "cell")
            raise text.error(row.line, None, f"a row of {side} cells", found)
        for cell in row.cells:
            value = number_of(cell, side) if cell else 0
            if value is None:
                expected = f"a number from 1 to {side}, or 0 or null for a blank"
                raise text.error(row.line, None, expected, quote(cell))
            if not value and blank not in (None, bool(cell)):
                raise text.error(row.line, None, "one kind of blank", "0 beside null or ''")
            blank = blank if value else bool(cell)
            values.append(value)
    return Parsed(Puzzle.of_values(ALL_GEOMETRIES[side], values))


def _rows(text: Text) -> list[_JsonRow]:
    said = {line.number: line.text for line in text.lines}
    written = "\n".join(said.get(number, "") for number in range(1, text.lines[-1].number + 1))
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
        found.append(_JsonRow(line, ["" if cell is None else str(cell).strip() for cell in cells]))
        _, at = json.JSONDecoder().raw_decode(written, at)
    return found


def _loaded(text: Text, written: str) -> list[Any]:
    if len(written) > PIECE:
        raise text.error(None, None, f"at most {PIECE} characters", f"{len(written)}")
    try:
        rows = json.loads(written)
    except json.JSONDecodeError as error:
        end = len(written.rstrip())
        found = "the end of the file" if error.pos >= end else quote(written[error.pos :])
        cut_off = error.pos >= end or not written[:end].endswith("]")
        raise text.error(error.lineno, error.colno, _EXPECTED, found, truncated=cut_off) from None
    except (RecursionError, ValueError):  # ValueError: a number of thousands of digits
        raise text.at_line(text.lines[0], _EXPECTED, may_go_on=False) from None
    if not isinstance(rows, list) or not rows:
        raise text.at_line(text.lines[0], _EXPECTED, may_go_on=False)
    return rows


def _signs(text: Text, rows: Sequence[_JsonRow], reading: Reading) -> Parsed:
    """Read the puzzle whose cells are signs as a grid."""
    lines = []
    for row in rows:
        if any(len(cell) != 1 for cell in row.cells):
            found = quote(next(cell for cell in row.cells if len(cell) != 1))
            raise text.error(row.line, None, "a digit or a sign for a blank", found)
        line = Line.of_text(row.line, "".join(row.cells))
        lines.append(replace(line, is_border=False))
    try:
        return parse_grid(replace(text, lines=tuple(lines)), reading)
    except InvalidPuzzle as error:  # the list has come to its end, so nothing is cut off
        raise replace(error, column=None, truncated=False) from None


JSON = Format("json", recognise_json, parse_json, begins=_BEGINS)
