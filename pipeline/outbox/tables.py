"""The tables beside the records: what each column means, how rows are written and read.

A row's class has a field for each column, in order. Fields that hold a comma or a quote are quoted
(RFC 4180); none holds the end of a line, and lines end with LF. A field that a spreadsheet would
take for a formula has an apostrophe before it.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from pipeline.errors import InputError, in_words
from pipeline.files import descriptor_of
from pipeline.outbox.schema import CLAIMED, PROVED
from pipeline.outbox.traits import ALSO, TRUTH, WHOLE, WORD
from pipeline.outbox.traits import added_fields as added_fields  # noqa: PLC0414 - for the sinks
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid
from pipeline.solving import Count, about

LONGEST_LINE: Final = 1024 * 1024
R = TypeVar("R", bound=Struct)

_TITLE = "title"
_DIGITS = bytes(ord("0") + value for value in range(10)) + bytes(246)
_FORMULA = re.compile("'*[=+@-]")
"""How a field begins that gets an apostrophe before it, or one more."""


_COMPLETE = about("`true` if these are all there are, else `false`; empty if not asked")
_CERTIFICATE = about(
    "if these are all, how that is known: `exhaustion`, `lrat` (`drat` in earlier versions) or "
    "`claimed`, see *What is proved*"
)
_SOURCE = Annotated[str, about("the file it is in; of an archive, with the member's path"), WORD]


class PuzzleRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A puzzle of a collection: a row of `top.csv`."""

    index: Annotated[str, about("its number in the collection, from 1"), WHOLE]
    line: Annotated[str, about("the line on which it begins, from 1"), WHOLE]
    puzzle: Annotated[
        str,
        about(
            "what stands there, in one line; blanks are `.`, or 0 among numbers; a puzzle with "
            "rules stands as it was written; in unusual boxes, their height and width come first; "
            "empty if no notation has such boxes and marks"
        ),
    ]
    status: Annotated[str, about("its result, see *Statuses*"), WORD]
    solutions: Annotated[str, about("how many solutions are published"), WHOLE]
    complete: Annotated[str, _COMPLETE, TRUTH]
    certificate: Annotated[str, _CERTIFICATE, WORD]
    solution: Annotated[str, about("the first solution, as in `top_1.solution`")]
    message: Annotated[str, about("a message for people")]
    disagreement: Annotated[
        str, about("what is wrong with the solution that the file gives beside it, if any")
    ]
    title: Annotated[str, about("the title that the file gives it, if any")]


SourcedRow = msgspec.defstruct(
    "SourcedRow",
    [("source", _SOURCE), *((each.name, each.type) for each in msgspec.structs.fields(PuzzleRow))],
    namespace={"__doc__": "A row of what `solve --table` writes of several files or an archive."},
    frozen=True,
    array_like=True,
    forbid_unknown_fields=True,
)


class MemberRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A member of an archive: a row of `set.csv`."""

    member: Annotated[str, about("its path in the archive")]
    format: Annotated[str, about("the format that it was read as"), WORD]
    status: Annotated[str, about("its result, see *Statuses*"), WORD]
    solutions: Annotated[
        str, about("how many solutions are published; of a collection, how many were solved"), WHOLE
    ]
    complete: Annotated[str, _COMPLETE, TRUTH]
    certificate: Annotated[str, _CERTIFICATE, WORD]
    message: Annotated[str, about("a message for people")]


class CopyRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A puzzle that is equivalent to another: a row of what `dedupe` and `overlap` write."""

    source: _SOURCE
    line: Annotated[
        str, about("the line on which it begins; empty if the file is one puzzle"), WHOLE
    ]
    first_source: Annotated[
        str, about("the file of the first puzzle of its class; for `overlap` the first in A"), WORD
    ]
    first_line: Annotated[str, about("the line on which that puzzle begins; empty likewise"), WHOLE]


class GeneratedRow(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A new puzzle with its certificate: a row of what `generate` writes."""

    index: Annotated[Count, about("its number, and its line in the collection, from 1"), WHOLE]
    solution: Annotated[str, about("its only solution")]
    certificate: Annotated[
        str, about("how it is known to be the only one: `exhaustion`, see *What is proved*"), WORD
    ]
    nodes: Annotated[Count, about("how often the search that shows it branched"), WHOLE]


TABLES: Final = (PuzzleRow, SourcedRow, MemberRow, CopyRow, GeneratedRow)


def columns(kind: type[Struct], also: Iterable[str] = ()) -> list[str]:
    """The names of a table's columns, with those that these names in ALSO add."""
    return [*kind.__struct_fields__, *added_names(also)]


def added_names(also: Iterable[str]) -> list[str]:
    """The names of the columns that these names in ALSO stand for."""
    return [name for each in also for name in ALSO[each].__struct_fields__]


def column_types(kind: type[Struct], also: Iterable[str] = ()) -> dict[str, str]:
    """For each column of a table WHOLE, NUMBER, WORD or TRUTH, else `text`."""
    kinds = kind, *(ALSO[name] for name in also)
    declared = (field for each in kinds for field in msgspec.structs.fields(each))
    return {
        field.encode_name: next((x for x in field.type.__metadata__ if isinstance(x, str)), "text")
        for field in declared
    }


@cache
def with_columns(kind: type[R], also: tuple[str, ...]) -> type[R]:
    """The rows of a table with the columns of these names in ALSO, which are in that order."""
    added: list[Any] = [(name, str) for name in added_names(also)]
    made: Any = msgspec.defstruct(
        kind.__name__,
        added,
        bases=(kind,),
        frozen=True,
        array_like=True,
        forbid_unknown_fields=True,
    )
    return made if also else kind


def also_in(first: str, kind: type[Struct]) -> tuple[str, ...] | None:
    """The names in ALSO whose columns a table has, by its first line; None if it is no such table.

    Only tables of puzzles and of members have such columns. Those of earlier versions have no
    titles.
    """
    most = len(ALSO) if issubclass(kind, (PuzzleRow, SourcedRow, MemberRow)) else 0
    sets = (names for count in range(most + 1) for names in combinations(ALSO, count))
    named = [name for name in first.split(",") if name != _TITLE]
    matches = (
        names
        for names in sets
        if named == [name for name in columns(kind, names) if name != _TITLE]
    )
    found = next(matches, None)
    is_ours = found is not None and first == ",".join(columns(kind, found))
    return found if is_ours or _TITLE not in first.split(",") else None


def has_titles(first: str, kind: type[Struct]) -> bool:
    """Whether a table has titles where its rows now have them."""
    return (_TITLE in columns(kind)) == (_TITLE in first.split(","))


def with_title(line: str, added: int) -> str:
    """A row of an earlier version as it would be now; `added` columns are those of ALSO."""
    head, *tail = line.rsplit(",", added)
    return ",".join((head, "", *tail))


def header(kind: type[Struct], also: Iterable[str] = ()) -> bytes:
    """The first line of a table."""
    return (",".join(columns(kind, also)) + "\n").encode("ascii")


def csv_line(fields: Struct | Iterable[object]) -> bytes:
    """A row as a line of CSV."""
    values = astuple(fields) if isinstance(fields, Struct) else fields
    texts = (quoted("" if each is None else str(each)) for each in values)
    return (",".join(texts) + "\n").encode(errors="surrogateescape")


def quoted(text: str) -> str:
    """A field of CSV, which no spreadsheet takes for a formula."""
    if _FORMULA.match(text):
        text = f"'{text}"
    if any(sign in text for sign in ',"'):
        return '"' + text.replace('"', '""') + '"'
    return text


def one_line(values: Sequence[int], signs: str = "") -> str:
    """Write a grid of any size in one line: digits, signs of an alphabet, or spaced numbers."""
    if signs:
        return "".join([signs[value - 1] for value in values])
    if len(values) <= 81:
        return bytes(values).translate(_DIGITS).decode("ascii")
    return " ".join(map(str, values))


def grid_in(line: str, signs: str, geometry: Geometry) -> Grid | None:
    """The grid that `one_line` writes so, or with digits for numbers; None if it is invalid."""
    if not line.isascii():
        return None
    if signs:
        values = [signs.find(sign) + 1 for sign in line]
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
    """The form in a table; empty for None."""
    return "" if value is None else "true" if value else "false"


def unproved(complete: str | None, reason: str | None) -> str | None:
    """The part of a message about the reason in a certificate; None without a reason."""
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
    first = next(lines, "")
    also = also_in(first, kind)
    if also is None:
        raise InputError(f"{path.name}: the first line is not {','.join(columns(kind))!r}")
    whole, added = with_columns(kind, also), len(added_names(also))
    is_complete = has_titles(first, kind)
    for number, line in enumerate(lines, 2):
        try:
            yield row_of(line if is_complete else with_title(line, added), whole)
        except ValueError as error:
            raise InputError(f"{path.name}: line {number}: {error}") from error


def rows_with_solutions(
    folder: Path, stem: str, names: Iterable[str]
) -> Iterator[tuple[PuzzleRow, dict[str, str]]]:
    """The rows of a collection's table, each with its solutions in these files, by their names.

    Raises InputError.
    """
    files = {name: lines_of(folder / name) for name in names}
    for row in rows_in(folder / f"{stem}.csv", PuzzleRow):
        lines = {name: next(file, "") for name, file in files.items()}
        yield row, {name: line for name, line in lines.items() if line.strip(".")}


def row_of(line: str, kind: type[R]) -> R:
    """The row in a line. Raises ValueError if it is malformed."""
    fields = line.split(",")
    if '"' in line:
        try:
            (fields,) = csv.reader([line], strict=True)
        except csv.Error as error:
            raise ValueError(str(error)) from error
    if "'" in line:
        fields = [text[text[:1] == "'" and bool(_FORMULA.match(text)) :] for text in fields]
    return msgspec.convert(fields, kind, strict=False)
