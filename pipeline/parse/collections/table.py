"""CSV: a puzzle in one of the columns, with a header that says in which or without.

    quizzes,solutions
    004300209005009001…,864371259325849761…

Delimiters are commas, semicolons, tabs or bars. A record is one line. The solution beside a
puzzle is taken for a claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pipeline.parse.collections.base import NEWLINE, CollectionFormat, Head
from pipeline.parse.collections.columns import (
    DELIMITERS,
    find_fields,
    judge,
    may_be_sixteen,
    survey_rows,
)
from pipeline.parse.collections.fields import Fields, UnreadableError, entries, pieces, split

_PUZZLES = frozenset(("puzzle", "puzzles", "quiz", "quizzes", "question", "questions"))
_SOLUTIONS = frozenset(("solution", "solutions"))
_NAME = re.compile(r"(?=.{1,40}\Z)[^\W\d]\w*(?:[ .-]\w+)*")


def recognise_csv(head: Head) -> tuple[Fields, str] | None:
    number, line = _first_line(head)
    for delimiter in DELIMITERS:
        found = _with_header(head, line, Fields(delimiter, header=number))
        if found:
            return found
    return _without_header(head)


def _with_header(head: Head, header: str, way: Fields) -> tuple[Fields, str] | None:
    """The columns, if the first line names them."""
    delimiter = way.delimiter or ","
    names = [name.lower() for name in _split(header, delimiter)]
    column = next((at for at, name in enumerate(names) if name in _PUZZLES), None)
    if column is None and (len(names) < 2 or not all(map(_NAME.fullmatch, names))):
        return None
    rows = [_split(line, delimiter) for line in head.lines if line.strip() != header.strip()]
    if column is None:
        return _by_columns(rows, way, len(names))
    claim = next((at for at, name in enumerate(names) if name in _SOLUTIONS), None)
    texts = [row[column] for row in rows if column < len(row)]
    may_be_grid = max(map(len, rows), default=0) == 1 and may_be_sixteen(texts, whole=head.is_whole)
    found = judge(replace(way, column=column, claim=claim), texts, len(rows))
    if head.declared or (found.is_collection and not may_be_grid):
        return found.fields, f"its header names the column {names[column]!r}"
    return None


def _by_columns(
    rows: Sequence[Sequence[str]], way: Fields, width: int
) -> tuple[Fields, str] | None:
    """The columns under other names, as many as most records have fields."""
    found = survey_rows(rows, way)
    full = sum(len(row) == width for row in rows)
    if not found.is_collection or full * 2 <= len(rows):
        return None
    return found.fields, f"it has a header, and field {(found.fields.column or 0) + 1} is a puzzle"


def _without_header(head: Head) -> tuple[Fields, str] | None:
    if head.is_single:
        return None
    fields = (found := find_fields(head)).fields
    if fields.delimiter is not None and (found.is_collection or head.declared):
        return fields, f"field {(fields.column or 0) + 1} of its records is a puzzle"
    return (Fields(","), "it is declared") if head.declared else None


def _first_line(head: Head) -> tuple[int, str]:
    """The first line that is not empty, and its number. It may begin like a comment."""
    text = head.sample.decode("utf-8-sig", errors="replace")
    lines = enumerate(NEWLINE.split(text), 1)
    return next(((number, line) for number, line in lines if line.strip()), (1, ""))


def _split(line: str, delimiter: str) -> list[str]:
    try:
        return [text.lstrip("#").strip() for _, text in split(line, Fields(delimiter))]
    except UnreadableError:
        return []


CSV = CollectionFormat("csv", recognise_csv, pieces, entries)
