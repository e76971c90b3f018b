"""Rows of an archive's table: one for each puzzle of each member, in the order of the archive.

For a collection, the table repeats the rows of the collection's own table, after the name of the
member. Any other member has one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pipeline.errors import InputError, printable
from pipeline.outbox.schema import COLLECTION, SCHEMA, PuzzleRecord, or_none
from pipeline.outbox.tables import (
    ArchiveRow,
    MemberRow,
    PuzzleRow,
    Table,
    csv_field,
    one_line,
    split_first_field,
    unproved_reason,
    yes_or_no,
)
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.cells import has_default_boxes, line_with_box_size

UNREADABLE: Final = "unreadable"
"""The status of a row or a record that cannot be read."""

_FIRST_INDEX = "1"
"""The index of the first row of each member."""


def puzzle_text(puzzle: Puzzle, symbols: str) -> str:
    """Write a puzzle in one line, for a row.

    Variants and marks are written in ISS. Returns an empty text if ISS cannot express the puzzle.
    `symbols`: the characters of the values, if they are not digits or numbers.
    """
    values, blank = dict(puzzle.givens()), puzzle.geometry.all_values
    free = (mask for cell, mask in enumerate(puzzle.cells) if cell not in values)
    if not puzzle.is_plain or any(mask != blank for mask in free):
        with suppress(ValueError):
            return puzzle.to("iss").rstrip("\n")
        return ""
    if not has_default_boxes(puzzle.geometry):
        return line_with_box_size(puzzle)
    filled = [values.get(cell, 0) for cell in range(len(puzzle.cells))]
    if symbols:
        return "".join([f".{symbols}"[value] for value in filled])
    line = one_line(filled)
    return line if " " in line else line.replace("0", ".")


def row_of_record(record: PuzzleRecord, puzzle: str, solution: str) -> PuzzleRow:
    """Make the row of a member that is one puzzle or formula from its record.

    `puzzle` and `solution`: the puzzle and its first solution in one line each; empty without one.
    """
    certificate = or_none(record.certificate)
    unproved = unproved_reason(certificate.complete, certificate.reason) if certificate else None
    return PuzzleRow(
        index=_FIRST_INDEX,
        line="",
        puzzle=puzzle,
        status=record.status,
        solutions=str(record.solutions or 0),
        complete=yes_or_no(record.complete),
        certificate=record.certificate_label,
        solution=solution,
        message=printable("; ".join(filter(None, (record.message, unproved)))),
        disagreement=printable(or_none(record.disagreement) or ""),
        title=or_none(record.title) or "",
    )


def row_without_results(status: str, message: str) -> PuzzleRow:
    """Make the row of a member that has no results."""
    return PuzzleRow(_FIRST_INDEX, "", "", status, "0", "", "", "", printable(message), "", "")


def with_member(member: str, rows: bytes) -> bytes:
    """Put the name of a member before each of its rows, which are lines of CSV."""
    if not rows:
        return b""
    prefix = f"{csv_field(printable(member))},".encode(errors="surrogateescape")
    return prefix + rows[:-1].replace(b"\n", b"\n" + prefix) + b"\n"


def archive_table(path: Path, schema: int = SCHEMA, *, truncates: bool = False) -> Table[Any]:
    """Open the table of an archive: of ArchiveRow or, from an earlier version, of MemberRow.

    `schema` and `truncates` as for `Table`. Raises InputError.
    """
    try:
        return Table(path, ArchiveRow, schema, truncates=truncates)
    except InputError:
        with suppress(InputError):
            return Table(path, MemberRow, schema, truncates=truncates)
        raise


def member_summaries(table: Table[Any], lines: Iterable[str] | None = None) -> Iterator[MemberRow]:
    """Summarise each member of an archive in one row, in the order of the archive.

    The row of a collection has the status `collection`. A malformed line becomes a row with the
    status UNREADABLE. `lines`: the lines of the table, if the caller reads them itself. Raises
    InputError.
    """
    lines = table if lines is None else lines
    if issubclass(table.row_class, MemberRow):
        yield from (_summary(table, line, 1) for line in lines)
        return
    member, first_line, count = "", "", 0
    for line in lines:
        name, row = _split(line)
        if count and name == member and row.partition(",")[0] != _FIRST_INDEX:
            count += 1
            continue
        if count:
            yield _summary(table, first_line, count)
        member, first_line, count = name, line, 1
    if count:
        yield _summary(table, first_line, count)


def _split(line: str) -> tuple[str, str]:
    try:
        return split_first_field(line)
    except ValueError:
        return "", ""


def _summary(table: Table[Any], first_line: str, count: int) -> MemberRow:
    """Summarise a member from its first line and its number of lines."""
    if count > 1:
        return MemberRow(_split(first_line)[0], "", COLLECTION, "", "", "", "")
    try:
        row = table.row(first_line)
    except ValueError:
        return MemberRow("", "", UNREADABLE, "", "", "", "the row cannot be read")
    return MemberRow(
        row.member, "", row.status, row.solutions, row.complete, row.certificate, row.message
    )
