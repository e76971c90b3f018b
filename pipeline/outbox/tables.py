"""Define the columns of tables, and write and read their rows.

A row class has a field for each column, in order. Fields with a comma or a quote are quoted
(RFC 4180). No field contains a line break, and lines end with LF. A field that a spreadsheet might
read as a formula is written with a leading apostrophe.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Generic, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from pipeline.errors import InputError, in_words, printable
from pipeline.files import descriptor_of
from pipeline.outbox.schema import PROVED, SCHEMA, UNVERIFIED, PuzzleRecord, or_none
from pipeline.outbox.schema1 import upgrade_row
from pipeline.outbox.traits import (
    FORMER_RATING,
    TABLE_TRAITS,
    TRUTH,
    WHOLE,
    WORD,
    record_fields,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid
from pipeline.solving import Count, about

MAX_LINE_BYTES: Final = 1024 * 1024
"""Maximum length of a line that is read."""

_R = TypeVar("_R", bound=Struct)

_TITLE_COLUMN = "title"
"""The name of the column that tables of earlier versions lack."""

_TO_DIGITS = bytes(ord("0") + value for value in range(10)) + bytes(246)
"""A translation table that maps the values 0 to 9 to digits."""

_SPREADSHEET_FORMULA = re.compile("'*[=+@-]")
"""Matches a field that a spreadsheet might read as a formula, with or without leading apostrophes.
Such a field is written with one more apostrophe."""

_FIRST_FIELD = re.compile(r'("(?:[^"]|"")*"|[^",]*),')
"""Matches the first field of a line of CSV, and the comma after it."""

_COMPLETE = about(
    "`true` if all solutions are published, else `false`; empty if that was not determined"
)
_CERTIFICATE = about(
    "for complete results, how completeness was verified: `exhaustive-search`, `lrat` (`drat` in "
    "earlier versions) or `unverified`, see *What is proved*"
)
_SOURCE = Annotated[str, about("the file; for an archive, with the path of the member"), WORD]


class PuzzleRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A row about one puzzle of a collection, as in `top.csv`."""

    index: Annotated[str, about("the number in the collection, from 1"), WHOLE]
    line: Annotated[str, about("the line where the puzzle begins, from 1"), WHOLE]
    puzzle: Annotated[
        str,
        about(
            "the puzzle in one line; blank cells are `.`, or 0 if values are numbers; variants are "
            "as in the source; if the boxes are unusual, their height and width come first; empty "
            "if no notation can express the puzzle"
        ),
    ]
    status: Annotated[str, about("the result, see *Statuses*"), WORD]
    solutions: Annotated[str, about("number of published solutions"), WHOLE]
    complete: Annotated[str, _COMPLETE, TRUTH]
    certificate: Annotated[str, _CERTIFICATE, WORD]
    solution: Annotated[str, about("the first solution, as in `top_1.solution`")]
    message: Annotated[str, about("a message for people")]
    disagreement: Annotated[
        str, about("what is wrong with the solution in the file; empty if nothing is")
    ]
    title: Annotated[str, about("the title of the puzzle in the file; empty without one")]


def _prefixed_row(name: str, doc: str, column: str, column_type: Any) -> type[Struct]:
    """Make a row class with one more column before the columns of PuzzleRow."""
    fields = ((field.name, field.type) for field in msgspec.structs.fields(PuzzleRow))
    return msgspec.defstruct(
        name,
        [(column, column_type), *fields],
        namespace={"__doc__": doc},
        frozen=True,
        array_like=True,
        forbid_unknown_fields=True,
    )


SourcedRow = _prefixed_row(
    "SourcedRow", "A row of `solve --table` for several files or an archive.", "source", _SOURCE
)
ArchiveRow = _prefixed_row(
    "ArchiveRow",
    "A row about one puzzle of an archive, as in `set.csv`. `index` and `line` are those in the "
    "member. A member that is not a collection has one row, with the index 1.",
    "member",
    Annotated[str, about("the path in the archive"), WORD],
)


class MemberRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A row about one member of an archive, as in `set.csv` of versions before 1.0."""

    member: Annotated[str, about("the path in the archive")]
    format: Annotated[str, about("the input format"), WORD]
    status: Annotated[str, about("the result, see *Statuses*"), WORD]
    solutions: Annotated[
        str, about("number of published solutions; for a collection, of solved puzzles"), WHOLE
    ]
    complete: Annotated[str, _COMPLETE, TRUTH]
    certificate: Annotated[str, _CERTIFICATE, WORD]
    message: Annotated[str, about("a message for people")]


class CopyRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A row of `dedupe` about a puzzle that is equivalent to an earlier or known puzzle."""

    source: _SOURCE
    line: Annotated[
        str, about("the line where the puzzle begins; empty if the file is one puzzle"), WHOLE
    ]
    first_source: Annotated[
        str,
        about(
            "the file of the first equivalent puzzle; with `--against`, possibly a file of that "
            "source"
        ),
        WORD,
    ]
    first_line: Annotated[
        str, about("the line where the first puzzle begins; empty if the file is one puzzle"), WHOLE
    ]


class GeneratedRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A row of `generate` about a new puzzle and its certificate."""

    index: Annotated[
        Count,
        about("the number of the puzzle, and its line in the collection, from 1"),
        WHOLE,
    ]
    solution: Annotated[str, about("the unique solution")]
    certificate: Annotated[
        str, about("how uniqueness was verified: `exhaustive-search`, see *What is proved*"), WORD
    ]
    nodes: Annotated[Count, about("branches of the exhaustive search"), WHOLE]


class RatedRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A row of `generate -o NAME.csv` or `NAME.parquet` about a new puzzle."""

    puzzle: Annotated[
        str, about("the puzzle in one line, with `.` for blank cells; with even/odd marks in ISS")
    ]
    givens: Annotated[Count, about("number of givens"), WHOLE]
    level: Annotated[
        str,
        about(
            "`easy`, `medium`, `hard`, `unfair` or `extreme`, as in HoDoKu; empty without a rating"
        ),
        WORD,
    ]
    score: Annotated[
        Count | None,
        about(
            "the sum of HoDoKu's scores of the steps that solve it; empty if they do not solve it"
        ),
        WHOLE,
    ]


TABLES: Final = (PuzzleRow, SourcedRow, ArchiveRow, MemberRow, CopyRow, GeneratedRow, RatedRow)
"""The row classes of all tables."""


def columns(row_class: type[Struct], trait_names: Iterable[str] = ()) -> list[str]:
    """The column names of a table that has the columns of these traits."""
    return [*row_class.__struct_fields__, *trait_columns(trait_names)]


def trait_columns(trait_names: Iterable[str]) -> list[str]:
    """The names of the columns of these traits, in order."""
    return [name for trait in trait_names for name in TABLE_TRAITS[trait].__struct_fields__]


def column_types(row_class: type[Struct], trait_names: Iterable[str] = ()) -> dict[str, str]:
    """Map each column to its type: WHOLE, NUMBER, WORD, TRUTH or `text`."""
    classes = row_class, *(TABLE_TRAITS[name] for name in trait_names)
    declared = (field for fields in classes for field in msgspec.structs.fields(fields))
    return {
        field.encode_name: next((x for x in field.type.__metadata__ if isinstance(x, str)), "text")
        for field in declared
    }


@cache
def extended_row(row_class: type[_R], trait_names: tuple[str, ...]) -> type[_R]:
    """Extend a row class by the columns of these traits, in the given order."""
    fields: list[Any] = [(name, str) for name in trait_columns(trait_names)]
    row: Any = msgspec.defstruct(
        row_class.__name__,
        fields,
        bases=(row_class,),
        frozen=True,
        array_like=True,
        forbid_unknown_fields=True,
    )
    return row if trait_names else row_class


def traits_in(first_line: str, row_class: type[Struct]) -> tuple[str, ...] | None:
    """Find the traits whose columns are in the first line of a table.

    Returns None if no table of `row_class` has this first line. Only tables of puzzles and of
    members have trait columns. Tables of earlier versions may lack the column `title`, and may have
    the columns of FORMER_RATING.
    """
    named, trait_names = first_line.split(","), tuple[str, ...]()
    if issubclass(row_class, (PuzzleRow, SourcedRow, ArchiveRow, MemberRow)):
        present = [name for name in TABLE_TRAITS if {*named} >= {*trait_columns([name])}]
        if {"rating", FORMER_RATING} <= {*present}:  # its columns are a subset of those of rating
            present.remove(FORMER_RATING)
        trait_names = tuple(present)
    whole = columns(row_class, trait_names)
    return (
        trait_names if named in (whole, [name for name in whole if name != _TITLE_COLUMN]) else None
    )


def header(row_class: type[Struct], trait_names: Iterable[str] = ()) -> bytes:
    """The first line of a table: its column names."""
    return (",".join(columns(row_class, trait_names)) + "\n").encode("ascii")


def csv_line(fields: Struct | Iterable[object]) -> bytes:
    """Format a row as a line of CSV. None becomes an empty field."""
    values = astuple(fields) if isinstance(fields, Struct) else fields
    texts = (csv_field("" if value is None else str(value)) for value in values)
    return (",".join(texts) + "\n").encode(errors="surrogateescape")


def csv_field(text: str) -> str:
    """Format a field of CSV so that no spreadsheet reads it as a formula."""
    if _SPREADSHEET_FORMULA.match(text):
        text = f"'{text}"
    if any(character in text for character in ',"'):
        return '"' + text.replace('"', '""') + '"'
    return text


def one_line(values: Sequence[int], symbols: str = "") -> str:
    """Write a grid of any size in one line.

    `symbols`: the characters of the values 1, 2, …. If it is empty, values are digits up to 9×9 and
    numbers separated by spaces in larger grids.
    """
    if symbols:
        return "".join([symbols[value - 1] for value in values])
    if len(values) <= 81:
        return bytes(values).translate(_TO_DIGITS).decode("ascii")
    return " ".join(map(str, values))


def parse_grid_line(line: str, symbols: str, geometry: Geometry) -> Grid | None:
    """Read a grid from a line that `one_line` wrote. Returns None if the line is invalid.

    Without `symbols`, a line of digits is accepted for grids of any size.
    """
    if not line.isascii():
        return None
    if symbols:
        values = [symbols.find(character) + 1 for character in line]
    elif line.isdecimal():
        values = [*map(int, line)]
    elif all(word.isdecimal() and len(word) < 4 for word in line.split(" ")):
        values = [*map(int, line.split(" "))]
    else:
        return None
    try:
        return Grid(geometry, tuple(values))
    except ValueError:
        return None


def yes_or_no(value: bool | None) -> str:
    """Format a truth value for a table: `true` or `false`; empty for None."""
    return "" if value is None else "true" if value else "false"


def unproved_reason(complete: str | None, reason: str | None) -> str | None:
    """The part of a message that says why completeness is unverified or why no proof is published.

    `complete` and `reason` are fields of a certificate. Returns None if there is nothing to say.
    """
    label = {UNVERIFIED: UNVERIFIED, PROVED: "no proof to publish"}.get(complete or "")
    return f"{label}: {reason}" if label and reason else None


def member_fields(record: PuzzleRecord, trait_names: Iterable[str]) -> list[str]:
    """Make the fields of a MemberRow after `member` from the record of a puzzle."""
    certificate = or_none(record.certificate)
    unproved = unproved_reason(certificate.complete, certificate.reason) if certificate else None
    verification = yes_or_no(record.complete), record.certificate_label
    message = printable("; ".join(filter(None, (record.message, unproved))))
    result = record.status, str(record.solutions), *verification, message
    return [record.format or "", *result, *record_fields(record, trait_names)]


def lines_of(path: Path, *, truncates: bool = False) -> Iterator[str]:
    """Yield the lines of a file without their line ends. Each line must end with LF.

    `truncates`: also accept CR and LF as line ends, accept a last line without line end, and yield
    only the first MAX_LINE_BYTES bytes of a longer line. Raises InputError.
    """
    try:
        with os.fdopen(descriptor_of(path), "rb") as file:
            while line := file.readline(MAX_LINE_BYTES):
                is_whole = line.endswith(b"\n")
                if not (is_whole or truncates):
                    raise InputError(
                        f"{path.name}: a line is too long, or does not end with a newline"
                    )
                if line.endswith(b"\r\n") and not truncates:
                    raise InputError(f"{path.name}: a line ends with CR and LF, not with LF")
                yield line.rstrip(b"\r\n").decode(errors="surrogateescape")
                while not is_whole and (rest := file.readline(MAX_LINE_BYTES)):
                    is_whole = rest.endswith(b"\n")
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read: {in_words(error)}") from error


class Table(Generic[_R]):
    """A published table. Iteration yields its lines after the first, converted to schema SCHEMA.

    - `trait_names`: the traits whose columns the table has.
    - `trait_columns`: the names of these columns.
    - `row_class`: the row class with these columns.
    - `is_current`: whether the table has schema SCHEMA and the columns of this version.

    `schema`: the schema of the record that lists the table. For `truncates`, see `lines_of`. The
    constructor and iteration raise InputError.
    """

    def __init__(
        self, path: Path, row_class: type[_R], schema: int = SCHEMA, *, truncates: bool = False
    ) -> None:
        self._lines = lines_of(path, truncates=truncates)
        first = next(self._lines, "")
        trait_names = traits_in(first, row_class)
        if trait_names is None:
            raise InputError(f"{path.name}: the first line is not {','.join(columns(row_class))!r}")
        self.trait_names, self.trait_columns = trait_names, trait_columns(trait_names)
        self.row_class: type[_R] = extended_row(row_class, trait_names)
        self._has_title = (_TITLE_COLUMN in columns(row_class)) == (
            _TITLE_COLUMN in first.split(",")
        )
        self._schema = schema
        has_former = FORMER_RATING in trait_names
        self.is_current = self._has_title and schema == SCHEMA and not has_former

    def __iter__(self) -> Iterator[str]:
        lines = self._lines if self._has_title else map(self._add_title, self._lines)
        return lines if self._schema == SCHEMA else (upgrade_row(x, self.row_class) for x in lines)

    def _add_title(self, line: str) -> str:
        head, *tail = line.rsplit(",", len(self.trait_columns))
        return ",".join((head, "", *tail))

    def row(self, line: str) -> _R:
        """Parse a line of this table. Raises ValueError if the line is malformed."""
        return parse_row(line, self.row_class)


def read_rows(path: Path, row_class: type[_R], schema: int = SCHEMA) -> Iterator[_R]:
    """Yield the rows of a table. Raises InputError if the file is not a table of `row_class`."""
    table = Table(path, row_class, schema)
    for number, line in enumerate(table, 2):
        try:
            yield table.row(line)
        except ValueError as error:
            raise InputError(f"{path.name}: line {number}: {error}") from error


def rows_with_solutions(
    folder: Path, stem: str, names: Iterable[str], schema: int = SCHEMA
) -> Iterator[tuple[PuzzleRow, dict[str, str]]]:
    """Yield the rows of a collection's table, each with its solutions.

    `names` are solution files. The solutions of a row are a map from the names of the files that
    have one to their lines. Raises InputError.
    """
    files = {name: lines_of(folder / name) for name in names}
    for row in read_rows(folder / f"{stem}.csv", PuzzleRow, schema):
        lines = {name: next(file, "") for name, file in files.items()}
        yield row, {name: line for name, line in lines.items() if line.strip(".")}


def parse_row(line: str, row_class: type[_R]) -> _R:
    """Parse a line of CSV. Raises ValueError if the line is malformed."""
    fields = line.split(",")
    if '"' in line:
        try:
            (fields,) = csv.reader([line], strict=True)
        except csv.Error as error:
            raise ValueError(str(error)) from error
    if "'" in line:
        fields = [_without_apostrophe(text) for text in fields]
    return msgspec.convert(fields, row_class, strict=False)


def _without_apostrophe(field: str) -> str:
    """Remove the apostrophe that `csv_field` put before a field."""
    return field[field[:1] == "'" and bool(_SPREADSHEET_FORMULA.match(field)) :]


def split_first_field(line: str) -> tuple[str, str]:
    """Split a line of CSV into the text of its first field, and the rest after the comma.

    Raises ValueError if the line is malformed.
    """
    match = _FIRST_FIELD.match(line)
    if match is None:
        raise ValueError("expected a field and a comma")
    field = match[1]
    if field.startswith('"'):
        field = field[1:-1].replace('""', '"')
    return _without_apostrophe(field), line[match.end() :]
