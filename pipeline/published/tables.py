"""The tables beside the records: what each column means, how rows are written and read.

A row's class has a field for each column, in order. In a table every field is text; fields that
hold a comma or a quote are quoted (RFC 4180), and lines end with LF.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, TypeVar

from msgspec import Struct
from msgspec.structs import astuple
from msgspec.structs import fields as fields_of

from pipeline.errors import InputError, in_words
from pipeline.files import descriptor_of
from pipeline.published.schema import about

LONGEST_LINE: Final = 1024 * 1024
_LONGEST_NUMBER = 18
R = TypeVar("R", bound=Struct)


class PuzzleRow(Struct, frozen=True):
    """A puzzle of a collection: a row of `top.csv`."""

    index: Annotated[str, about("its number in the collection, from 1")]
    line: Annotated[str, about("the line on which it begins, from 1")]
    puzzle: Annotated[str, about("what stands there, in one line")]
    status: Annotated[str, about("its result, see *Statuses*")]
    solutions: Annotated[str, about("how many solutions are published")]
    complete: Annotated[
        str, about("`true` if these are all there are, else `false`; empty if not asked")
    ]
    solution: Annotated[str, about("the first solution, as in `top_1.solution`")]
    message: Annotated[str, about("a message for people")]
    disagreement: Annotated[
        str | None, about("what is wrong with the solution that the file gives beside it, if any")
    ] = None


class MemberRow(Struct, frozen=True):
    """A member of an archive: a row of `set.csv`."""

    member: Annotated[str, about("its path in the archive")]
    format: Annotated[str, about("the format that it was read as")]
    status: Annotated[str, about("its result, see *Statuses*")]
    solutions: Annotated[
        str, about("how many solutions are published; of a collection, how many were solved")
    ]
    complete: Annotated[
        str, about("`true` if these are all there are, else `false`; empty if not asked")
    ]
    message: Annotated[str, about("a message for people")]


class ProofRow(Struct, frozen=True):
    """Where a puzzle's proof lies in `top.proofs.xz`: a row of `top.proofs.csv`."""

    index: Annotated[int, about("the number of the puzzle in the collection, from 1")]
    offset: Annotated[int, about("the byte at which its stream of xz begins")]
    start: Annotated[int, about("where in that stream, unpacked, the proof begins")]
    length: Annotated[int, about("how many characters the proof has")]
    solver: Annotated[str, about("what found the proof")]
    steps: Annotated[int, about("how many steps the proof has")]


TABLES: Final = (PuzzleRow, MemberRow, ProofRow)


def columns(kind: type[Struct]) -> list[str]:
    """The names of a table's columns."""
    return [*kind.__struct_fields__]


def header(kind: type[Struct]) -> bytes:
    """The first line of a table."""
    return (",".join(kind.__struct_fields__) + "\n").encode("ascii")


def csv_line(row: Struct) -> bytes:
    """A row as a line of CSV."""
    fields = (quoted("" if each is None else str(each)) for each in astuple(row))
    return (",".join(fields) + "\n").encode(errors="surrogateescape")


def quoted(text: str) -> str:
    """A field of CSV."""
    if any(sign in text for sign in ',"'):
        return '"' + text.replace('"', '""') + '"'
    return text


def yes_or_no(value: bool | None) -> str:
    """The form in a table; empty for None."""
    return "" if value is None else "true" if value else "false"


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file, without their ends; the last one must have an end too.

    Raises InputError.
    """
    try:
        with os.fdopen(descriptor_of(path), "rb") as file:
            while line := file.readline(LONGEST_LINE):
                if not line.endswith(b"\n"):
                    raise InputError(f"{path.name}: a line is too long, or has no end")
                if line.endswith(b"\r\n"):
                    raise InputError(f"{path.name}: a line ends with CR and LF, not with LF")
                yield line[:-1].decode(errors="surrogateescape")
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read: {in_words(error)}") from error


def is_header(found: list[str], kind: type[Struct]) -> bool:
    """Whether these are the columns of a table; the last ones, if optional, may be missing.

    Earlier versions did not write those that have defaults.
    """
    least = sum(field.required for field in fields_of(kind))
    return len(found) >= least and found == columns(kind)[: len(found)]


def rows_in(path: Path, kind: type[R]) -> Iterator[R]:
    """The rows of a table. Raises InputError if it is not such a table."""
    numbers = [at for at, field in enumerate(fields_of(kind)) if _is_number(field.type)]
    rows = csv.reader(lines_of(path), strict=True)
    try:
        found = next(rows, [])
        if not is_header(found, kind):
            expected = ",".join(columns(kind))
            raise InputError(f"{path.name}: the first line is not {expected!r}")
        for row in rows:
            if len(row) != len(found):
                where = f"{path.name}: line {rows.line_num}"
                raise InputError(f"{where} has {len(row)} fields, not {len(found)}")
            yield kind(*(_with_numbers(path.name, row, numbers) if numbers else row))
    except csv.Error as error:
        raise InputError(f"{path.name}: line {rows.line_num}: {error}") from error


def _is_number(annotation: object) -> bool:
    return getattr(annotation, "__origin__", annotation) is int


def _with_numbers(name: str, row: list[str], places: list[int]) -> list[int | str]:
    """Convert some fields of a row to whole numbers. Raises InputError."""
    numbers = [row[at] for at in places]
    if not all(number.isascii() and number.isdecimal() for number in numbers):
        raise InputError(f"{name}: expected numbers, found {','.join(row)[:60]!r}")
    if max(map(len, numbers)) > _LONGEST_NUMBER:
        raise InputError(f"{name}: a number is too large: {','.join(row)[:60]!r}")
    return [int(each) if at in places else each for at, each in enumerate(row)]
