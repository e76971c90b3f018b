"""The tables beside the records: what each column means, how rows are written and read.

A row's class has a field for each column, in order. Fields that hold a comma or a quote are quoted
(RFC 4180); none holds the end of a line, and lines end with LF.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from pipeline.errors import InputError, in_words
from pipeline.files import descriptor_of
from pipeline.published.schema import CLAIMED, PROVED, Count, about

LONGEST_LINE: Final = 1024 * 1024
R = TypeVar("R", bound=Struct)


class PuzzleRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A puzzle of a collection: a row of `top.csv`."""

    index: Annotated[str, about("its number in the collection, from 1")]
    line: Annotated[str, about("the line on which it begins, from 1")]
    puzzle: Annotated[str, about("what stands there, in one line")]
    status: Annotated[str, about("its result, see *Statuses*")]
    solutions: Annotated[str, about("how many solutions are published")]
    complete: Annotated[
        str, about("`true` if these are all there are, else `false`; empty if not asked")
    ]
    certificate: Annotated[
        str,
        about(
            "if these are all, how that is known: `exhaustion`, `drat` or `claimed`, see "
            "*What is proved*"
        ),
    ]
    solution: Annotated[str, about("the first solution, as in `top_1.solution`")]
    message: Annotated[str, about("a message for people")]
    disagreement: Annotated[
        str, about("what is wrong with the solution that the file gives beside it, if any")
    ]


class MemberRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
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
    certificate: Annotated[
        str,
        about(
            "if these are all, how that is known: `exhaustion`, `drat` or `claimed`, see "
            "*What is proved*"
        ),
    ]
    message: Annotated[str, about("a message for people")]


class ProofRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Where a puzzle's proof lies in `top.proofs.xz`: a row of `top.proofs.csv`."""

    index: Annotated[Count, about("the number of the puzzle in the collection, from 1")]
    offset: Annotated[Count, about("the byte at which its stream of xz begins")]
    start: Annotated[Count, about("where in that stream, unpacked, the proof begins")]
    length: Annotated[Count, about("how many characters the proof has")]
    solver: Annotated[str, about("what found the proof")]
    steps: Annotated[Count, about("how many steps the proof has")]


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


def unproved(complete: str | None, reason: str | None) -> str | None:
    """What a message says of the reason in a certificate; None if it has none."""
    said = {CLAIMED: CLAIMED, PROVED: "no proof to publish"}.get(complete or "")
    return f"{said}: {reason}" if said and reason else None


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


def rows_in(path: Path, kind: type[R]) -> Iterator[R]:
    """The rows of a table. Raises InputError if it is not such a table."""
    lines = lines_of(path)
    expected = ",".join(columns(kind))
    if next(lines, None) != expected:
        raise InputError(f"{path.name}: the first line is not {expected!r}")
    for number, line in enumerate(lines, 2):
        try:
            yield row_of(line, kind)
        except ValueError as error:
            raise InputError(f"{path.name}: line {number}: {error}") from error


def row_of(line: str, kind: type[R]) -> R:
    """The row in a line. Raises ValueError if it is none."""
    fields = line.split(",")
    if '"' in line:
        try:
            (fields,) = csv.reader([line], strict=True)
        except csv.Error as error:
            raise ValueError(str(error)) from error
    return msgspec.convert(fields, kind, strict=False)
