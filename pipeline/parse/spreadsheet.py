"""Spreadsheet: n lines of n fields, as spreadsheets save them; an empty field is an empty cell.

    5,3,,,7,,,,
    6,,,1,9,5,,,
    …

Fields are separated by commas, semicolons or tabs, may be quoted, and hold numbers; n is 4, 6, 8,
9, 16 or 25. Where no field is empty, 0 is the blank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from pipeline.errors import counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import ALL_GEOMETRIES, number_of, written_numbers
from pipeline.parse.text import Line, Text, either, quote
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

_DELIMITERS = {"": ",", "semicolon": ";", "tab": "\t"}
_LARGEST = max(ALL_GEOMETRIES)
_MOST_ROWS = 2 * _LARGEST


class _Field(NamedTuple):
    column: int
    text: str

    @property
    def is_cell(self) -> bool:
        return not self.text or number_of(self.text, _LARGEST) is not None


class _Row(NamedTuple):
    """A line, how many fields it has, and no more of these than the widest row."""

    line: Line
    width: int
    fields: list[_Field]


def recognise_spreadsheet(text: Text) -> str | None:
    notation = _notation(text)
    if notation is None or len(text.lines) > _MOST_ROWS:
        return None
    rows = _rows(text, notation)
    side = _side_meant(rows)
    if side is None or len(rows) > 2 * side:
        return None
    fields = [field for row in rows for field in row.fields]
    cells = sum(field.is_cell for field in fields)
    if len(rows) == side and cells == len(fields) == side * side:
        return f"{side} lines of {side} fields"
    has_empty = any(not field.text for field in fields)
    return f"lines of {side} fields" if has_empty and cells * 4 > len(fields) * 3 else None


def parse_spreadsheet(text: Text, _reading: Reading) -> Found:
    notation = _notation(text) or ""
    rows = _rows(text, notation)
    side = _side_meant(rows) or len(rows)
    if side not in ALL_GEOMETRIES:
        expected = f"a row of {either(ALL_GEOMETRIES)} fields"
        line, width = (rows[0].line, rows[0].width) if rows else (text.lines[0], 0)
        raise text.error(line.number, 1, expected, counted(width, "field"), truncated=True)
    values = [value for index, row in enumerate(rows) for value in _values(text, rows, index, side)]
    if len(rows) < side:
        raise text.at_end(f"{side} rows", counted(len(rows), "row"))
    _check_zeros(text, rows, side)
    return Found(Puzzle.of_values(ALL_GEOMETRIES[side], values), notation=notation)


def _notation(text: Text) -> str | None:
    """The name of what separates the fields of the first line; None if there is only one."""
    first = text.lines[0].text
    counts = {name: first.count(sign) for name, sign in _DELIMITERS.items()}
    most = max(counts, key=lambda name: counts[name])
    return most if counts[most] else None


def _rows(text: Text, notation: str) -> list[_Row]:
    """The lines with their fields, up to one too many. Lines of tabs alone are rows too."""
    delimiter = _DELIMITERS[notation]
    lines = text.written() if delimiter == "\t" else text.lines
    rows = (line for line in lines if delimiter in line.text or line.text.strip())
    return [
        _Row(line, line.text.count(delimiter) + 1, _fields(line.text, delimiter))
        for line in islice(rows, _MOST_ROWS + 1)
    ]


def _fields(line: str, delimiter: str) -> list[_Field]:
    """The fields; those that are meant hold a number at most, so no quotes hide a delimiter."""
    fields, column = [], 1
    for written in line.split(delimiter, _LARGEST + 1)[: _LARGEST + 1]:
        said = written.strip()
        quoted = len(said) > 1 and said[0] == said[-1] == '"'
        indent = len(written) - len(written.lstrip()) if said else 0
        fields.append(_Field(column + indent, said[1:-1].strip() if quoted else said))
        column += len(written) + 1
    return fields


def _side_meant(rows: Sequence[_Row]) -> int | None:
    """The side that at least half of the rows have."""
    for length, times in Counter(row.width for row in rows).most_common():
        if length in ALL_GEOMETRIES and times * 2 >= len(rows):
            return length
    return None


def _values(text: Text, rows: Sequence[_Row], index: int, side: int) -> list[int]:
    """The values of a row, 0 for a blank."""
    line, width, fields = rows[index]
    if index == side:
        found = counted(len(rows), "row") if len(rows) <= _MOST_ROWS else "more"
        expected = f"{side} rows"
        raise text.error(line.number, 1, expected, found)
    values = []
    for column, said in fields[:side]:
        value = number_of(said, side) if said else 0
        if value is None:
            expected = f"a number from 1 to {side}, or an empty field"
            begun = len(rows) == 1  # of a row that is longer, perhaps
            raise text.error(line.number, column, expected, quote(said), truncated=begun)
        values.append(value)
    if width != side:
        column = fields[side].column if width > side else len(line.text) + 1
        cut_off = index == len(rows) - 1 and width < side
        expected, found = f"a row of {side} fields", counted(width, "field")
        raise text.error(line.number, column, expected, found, truncated=cut_off)
    return values


def _check_zeros(text: Text, rows: Sequence[_Row], side: int) -> None:
    """Raise InvalidPuzzle for a 0 beside empty fields: it may be a value."""
    zero = None
    has_empty = False
    for line, _, fields in rows:
        for column, said in fields:
            has_empty = has_empty or not said
            if said and not said.strip("0"):
                zero = zero or (line.number, column, quote(said))
    if zero and has_empty:
        number, column, found = zero
        expected = f"a number from 1 to {side}, as empty fields are the blanks"
        raise text.error(number, column, expected, found)


def render_as(puzzle: Puzzle, notation: str) -> str:
    """N lines of n fields, empty for a blank.

    Raises ValueError for other boxes than the usual ones, and for cells that allow neither one
    value nor all.
    """
    delimiter = _DELIMITERS[notation]
    return "".join(delimiter.join(row) + "\n" for row in written_numbers(puzzle, ""))


def render_spreadsheet(puzzle: Puzzle) -> str:
    """The same with commas."""
    return render_as(puzzle, "")


SPREADSHEET = Format(
    "spreadsheet", recognise_spreadsheet, parse_spreadsheet, render_spreadsheet, render_as
)
