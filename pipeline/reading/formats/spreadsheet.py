"""Spreadsheet: n lines of n fields; and csv: a puzzle in one of the columns of each record.

    5,3,,,7,,,,          quizzes,solutions
    6,,,1,9,5,,,         004300209005009001…,864371259325849761…
    …                    …

Fields are separated by commas, semicolons or tabs, and may be quoted. The fields of a spreadsheet
hold numbers. A blank is an empty field, or 0 if no field is empty; n is 4, 6, 8, 9, 16 or 25. In
csv bars may separate fields too, a header may say which column holds the puzzles, a record is one
line, and the solution beside a puzzle is taken for a claim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from pipeline.errors import counted
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import Format, Head, ManyFormat, Parsed
from pipeline.reading.formats.cells import ALL_GEOMETRIES, number_of
from pipeline.reading.formats.line import (
    DELIMITERS,
    Fields,
    entries_of_lines,
    find_fields,
    judge,
    may_be_sixteen,
    survey,
    texts_in,
)
from pipeline.reading.formats.records import cut_lines, side_of
from pipeline.reading.formats.text import NEWLINE, Line, Text, Word, either
from pipeline.reading.formats.variants import count_variants
from pipeline.settings import Reading

_SEPARATORS = (",", ";", "\t")
_LARGEST = max(ALL_GEOMETRIES)
_MOST_ROWS = 2 * _LARGEST
_PUZZLES = frozenset(("puzzle", "puzzles", "quiz", "quizzes", "question", "questions"))
_SOLUTIONS = frozenset(("solution", "solutions"))
_NAME = re.compile(r"(?=.{1,40}\Z)[^\W\d]\w*(?:[ .-]\w+)*")


class _Record(NamedTuple):
    """A line, its number of fields, and the fields, no more than the widest row can have."""

    line: Line
    width: int
    fields: list[Word]


def recognise_spreadsheet(text: Text) -> str | None:
    delimiter = _delimiter(text)
    if delimiter is None or len(text.lines) > _MOST_ROWS:
        return None
    rows = _rows(text, delimiter)
    side = _side_meant(rows)
    if side is None or len(rows) > 2 * side:
        return None
    said = [field.text for row in rows for field in row.fields]
    cells = sum(not field or number_of(field, _LARGEST) is not None for field in said)
    if len(rows) == side and cells == len(said) == side * side:
        return f"{side} lines of {side} fields"
    return f"lines of {side} fields" if "" in said and cells * 4 > len(said) * 3 else None


def parse_spreadsheet(text: Text, _reading: Reading) -> Parsed:
    rows = _rows(text, _delimiter(text) or _SEPARATORS[0])
    side = _side_meant(rows) or len(rows)
    if side not in ALL_GEOMETRIES:
        expected = f"a row of {either(ALL_GEOMETRIES)} fields"
        line, width = (rows[0].line, rows[0].width) if rows else (text.lines[0], 0)
        raise text.error(line.number, 1, expected, counted(width, "field"), truncated=True)
    values = [value for index, row in enumerate(rows) for value in _values(text, rows, index, side)]
    if len(rows) < side:
        raise text.at_end(f"{side} rows", counted(len(rows), "row"))
    fields = [field for row in rows for field in row.fields]
    zero = next((field for field in fields if field.text and not field.text.strip("0")), None)
    if zero and not all(field.text for field in fields):  # it may be a value
        raise text.at_word(zero, f"a number from 1 to {side}, as empty fields are the blanks")
    return Parsed(Puzzle.of_values(ALL_GEOMETRIES[side], values))


def _delimiter(text: Text) -> str | None:
    """The separator of the fields of the first line; None if there is only one field."""
    most = max(_SEPARATORS, key=text.lines[0].text.count)
    return most if most in text.lines[0].text else None


def _rows(text: Text, delimiter: str) -> list[_Record]:
    """The lines with their fields, up to one too many. Lines of mere tabs are rows too."""
    lines = text.written() if delimiter == "\t" else text.lines
    rows = (line for line in lines if delimiter in line.text or line.text.strip())
    return [
        _Record(line, line.text.count(delimiter) + 1, _fields(line, delimiter))
        for line in islice(rows, _MOST_ROWS + 1)
    ]


def _fields(line: Line, delimiter: str) -> list[Word]:
    """Split into fields; valid ones hold at most a number, so quotes never hide a delimiter."""
    fields, column = [], 1
    for written in line.text.split(delimiter, _LARGEST + 1)[: _LARGEST + 1]:
        said = written.strip()
        quoted = len(said) > 1 and said[0] == said[-1] == '"'
        indent = len(written) - len(written.lstrip()) if said else 0
        fields.append(Word(line.number, column + indent, said[1:-1].strip() if quoted else said))
        column += len(written) + 1
    return fields


def _side_meant(rows: Sequence[_Record]) -> int | None:
    """The side that at least half of the rows have."""
    for length, times in Counter(row.width for row in rows).most_common():
        if length in ALL_GEOMETRIES and times * 2 >= len(rows):
            return length
    return None


def _values(text: Text, rows: Sequence[_Record], index: int, side: int) -> list[int]:
    line, width, fields = rows[index]
    if index == side:
        found = counted(len(rows), "row") if len(rows) <= _MOST_ROWS else "more"
        raise text.error(line.number, 1, f"{side} rows", found)
    values = []
    for field in fields[:side]:
        value = number_of(field.text, side) if field.text else 0
        if value is None:
            expected = f"a number from 1 to {side}, or an empty field"
            raise text.at_word(field, expected, truncated=len(rows) == 1)  # of a longer row
        values.append(value)
    if width != side:
        column = fields[side].column if width > side else len(line.text) + 1
        cut_off = index == len(rows) - 1 and width < side
        expected, found = f"a row of {side} fields", counted(width, "field")
        raise text.error(line.number, column, expected, found, truncated=cut_off)
    return values


def recognise_csv(head: Head) -> tuple[Fields, str] | None:
    text = head.sample.decode("utf-8-sig", errors="replace")
    lines = enumerate(NEWLINE.split(text), 1)  # a header may begin like a comment
    number, header = next(((at, line) for at, line in lines if line.strip()), (1, ""))
    for delimiter in DELIMITERS:
        found = _with_header(head, header, Fields(delimiter, header=number))
        if found:
            return found
    if head.is_single:
        return None
    finding = find_fields(head)
    fields = finding.fields
    if fields.delimiter is not None and (finding.is_collection(head.least) or head.declared):
        return fields, f"field {(fields.column or 0) + 1} of its records is a puzzle"
    return (Fields(","), "it is declared") if head.declared else None


def _with_header(head: Head, header: str, way: Fields) -> tuple[Fields, str] | None:
    names = [name.lower() for name in _texts(header, way)]
    column = next((at for at, name in enumerate(names) if name in _PUZZLES), None)
    if column is None and (len(names) < 2 or not all(map(_NAME.fullmatch, names))):
        return None
    rows = [_texts(line, way) for line in head.lines if line.strip() != header.strip()]
    if column is None:  # other names, as many as most records have fields
        found = survey(rows, way)
        full = sum(len(row) == len(names) for row in rows)
        reason = f"it has a header, and field {(found.fields.column or 0) + 1} is a puzzle"
        return (
            (found.fields, reason)
            if found.is_collection(head.least) and full * 2 > len(rows)
            else None
        )
    claim = next((at for at, name in enumerate(names) if name in _SOLUTIONS), None)
    texts = [row[column] for row in rows if column < len(row)]
    may_be_grid = max(map(len, rows), default=0) == 1 and may_be_sixteen(texts, whole=head.is_whole)
    found = judge(replace(way, column=column, claim=claim), texts, len(rows))
    ruled = count_variants(text for text in texts if not side_of(text))
    found = replace(found, good=found.good + ruled)
    if head.declared or (found.is_collection(head.least) and not may_be_grid):
        return found.fields, f"its header names the column {names[column]!r}"
    return None


def _texts(line: str, way: Fields) -> list[str]:
    return [text.lstrip("#").strip() for text in texts_in(line, way)]


CSV = ManyFormat("csv", recognise_csv, cut_lines, entries_of_lines)
SPREADSHEET = Format("spreadsheet", recognise_spreadsheet, parse_spreadsheet, many=CSV)
