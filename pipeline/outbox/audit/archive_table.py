"""Audit the table of an archive: compare its rows with the sets of the members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, astuple
from msgspec.structs import replace as with_fields

from pipeline.errors import InputError, InvalidPuzzle, LimitReached, UsageError, printable
from pipeline.outbox.archive_rows import (
    archive_table,
    puzzle_text,
    row_of_record,
    row_without_results,
)
from pipeline.outbox.audit.audited_rows import parse_puzzle_field
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.audit.single import read_grid
from pipeline.outbox.published import PublishedCollection, PublishedPuzzle
from pipeline.outbox.schema import PuzzleRecord
from pipeline.outbox.tables import (
    MemberRow,
    PuzzleRow,
    Table,
    extended_row,
    member_fields,
    parse_grid_line,
    parse_row,
    split_first_field,
    trait_columns,
)
from pipeline.outbox.traits import TABLE_TRAITS, record_fields, traits_in_record
from pipeline.reading import OneProblem, Unreadable
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.formats import Layout, Parsed, symbols_of
from pipeline.reading.read import parse_problem

_END = "\n", "\n"
"""The sentinel after the last row. No row contains a newline."""

_FIRST_INDEX = "1,"
"""The start of the first row of a member, after the member's name."""


class ArchiveTable:
    """The table of an archive, read member by member.

    - `trait_names`: the traits whose columns it has.
    - `is_of_members`: whether an earlier version wrote it, with one row per member.

    The constructor and all methods raise InputError if the table cannot be read.
    """

    def __init__(self, published: PublishedCollection) -> None:
        self._path = published.sibling(f"{published.stem}.csv")
        self._table: Table[Any] = archive_table(self._path, published.record.schema)
        self.is_of_members = issubclass(self._table.row_class, MemberRow)
        self.trait_names = self._table.trait_names
        self._lines: Iterator[str] = iter(self._table)
        self._number = 0
        self._next = _END
        self._advance()

    def _advance(self) -> None:
        """Read the next line: the name of its member, and the rest."""
        self._number += 1
        line = next(self._lines, None)
        try:
            self._next = _END if line is None else split_first_field(line)
        except ValueError as error:
            raise self._error(str(error)) from error

    def _error(self, why: str) -> InputError:
        return InputError(f"{self._path.name}: line {self._number + 1}: {why}")

    def check_end(self) -> None:
        """Raise InputError if there are more rows."""
        if self._next != _END:
            raise InputError(f"{self._path.name} continues after the last member")

    def take_row(self, member: str, report: Findings) -> PuzzleRow | MemberRow:
        """Read the only row of a member. Reports a row of another member."""
        if self._next == _END:
            raise InputError(f"{self._path.name} ends too early, before {member}")
        name, rest = self._next
        if name != printable(member):
            report.add_problem(
                f"row {self._number} of the table should be this member, found {name[:100]!r}"
            )
        row_class: type[PuzzleRow | MemberRow] = (
            self._table.row_class
            if self.is_of_members
            else extended_row(PuzzleRow, self.trait_names)
        )
        try:  # the name is checked above
            row = parse_row(f"-,{rest}" if self.is_of_members else rest, row_class)
        except ValueError as error:
            raise self._error(str(error)) from error
        self._advance()
        return row

    def compare_row(
        self,
        published: PublishedPuzzle | PublishedCollection,
        row: PuzzleRow | MemberRow,
        source: OneProblem | tuple[Layout, PeekableStream],
        report: Findings,
    ) -> None:
        """Compare the row of a member with the member's record and its content."""
        if isinstance(row, MemberRow):
            _compare_member_row(published, row, self.trait_names, report)
        elif isinstance(published, PublishedPuzzle):
            content = None if isinstance(source, tuple) else source
            _compare_puzzle_row(published, row, self.trait_names, content, report)

    def check_has_no_results(self, row: PuzzleRow | MemberRow, report: Findings) -> None:
        """Report a row that has results, although the member has no record."""
        has_results: bool
        if isinstance(row, MemberRow):
            has_results = row.solutions not in ("", "0") or bool(row.complete or row.certificate)
        else:
            expected = astuple(row_without_results(row.status, ""))
            trait_fields = [""] * len(trait_columns(self.trait_names))
            has_results = with_fields(row, message="") != type(row)(*expected, *trait_fields)
        if has_results:
            report.add_problem("its row in the table has results, but there is no record")

    def compare_collection(
        self, published: PublishedCollection, member: str, report: Findings
    ) -> None:
        """Compare the rows of a member that is a collection with the member's own table.

        Only the first difference is reported.
        """
        path, fault = published.sibling(f"{published.stem}.csv"), ""
        for number, line in enumerate(self._rows_of(path, report), 1):
            if not self._is_next_of(member):
                fault = fault or f"{self._path.name} lacks row {number} of {path.name}"
                break
            if not fault and self._next[1] != line:
                here = f"row {self._number} of {self._path.name}"
                fault = f"{here} differs from row {number} of {path.name}"
            self._advance()
        while self._is_next_of(member) and not self._next[1].startswith(_FIRST_INDEX):
            fault = fault or f"row {self._number} of {self._path.name} is not in {path.name}"
            self._advance()
        if fault:
            report.add_problem(fault)

    def _is_next_of(self, member: str) -> bool:
        return self._next != _END and self._next[0] == printable(member)

    def _rows_of(self, path: Path, report: Findings) -> Iterator[str]:
        """Yield the rows of a member's table. The audit of the member reports a faulty table."""
        with suppress(InputError):
            table = Table(path, PuzzleRow)
            if table.trait_names != self.trait_names:
                report.add_problem(f"{path.name} and {self._path.name} have different --traits")
            yield from table


def _compare_member_row(
    published: PublishedPuzzle | PublishedCollection,
    row: MemberRow,
    trait_names: Sequence[str],
    report: Findings,
) -> None:
    """Compare the row of a member in a table of an earlier version with the member's record."""
    record = published.record
    if isinstance(published, PublishedCollection):
        totals = published.record.totals
        solved = totals.get("unique", 0) + totals.get("multiple", 0)
        fields = [record.format or "", record.status, str(solved), "", "", row.message]
        fields += [""] * len(trait_columns(trait_names))
    else:
        _check_trait_names(published.record, trait_names, report)
        fields = member_fields(published.record, trait_names)
    _compare_fields(row, type(row)(row.member, *fields), report)


def _compare_puzzle_row(
    published: PublishedPuzzle,
    row: PuzzleRow,
    trait_names: Sequence[str],
    source: OneProblem | None,
    report: Findings,
) -> None:
    """Compare the row of a member that is one puzzle with the member's record and content.

    `source`: None if the member is a collection, which the audit of the member reports.
    """
    record = published.record
    _check_trait_names(record, trait_names, report)
    expected = row_of_record(record, row.puzzle, row.solution)
    trait_fields = record_fields(record, trait_names)
    _compare_fields(row, type(row)(*astuple(expected), *trait_fields), report)
    if source is None:
        return
    try:
        content = None if isinstance(source, Unreadable) else parse_problem(source, report.settings)
    except LimitReached:  # reported when the set was audited
        return
    except (InvalidPuzzle, UsageError):
        content = None
    if isinstance(content, Parsed):
        _compare_grids(published, row, content, report)
    elif row.puzzle or row.solution:
        report.add_problem("the table has a puzzle or a solution, but the original is no puzzle")


def _compare_grids(
    published: PublishedPuzzle, row: PuzzleRow, parsed: Parsed, report: Findings
) -> None:
    """Compare the puzzle of a row with the original, and its solution with the first file."""
    puzzle, symbols = parsed.puzzle, symbols_of(parsed.format)
    is_unread = published.record.format is None or row.status == "failed"
    expected = puzzle_text(puzzle, symbols)
    if row.puzzle != expected and (row.puzzle or not is_unread):
        is_same = not report.is_current_build and parse_puzzle_field(row.puzzle) == puzzle
        add_finding = report.add_difference if is_same else report.add_problem
        add_finding(
            f"the puzzle is {row.puzzle[:100]!r} in the table, {expected[:100]!r} in the original"
        )
    grid = parse_grid_line(row.solution, symbols, puzzle.geometry) if row.solution else None
    names = published.solution_files[:1]
    published_grids = [read_grid(published, name, puzzle, report.empty_copy()) for name in names]
    if bool(row.solution) != bool(names) or (names and [grid] != published_grids):
        report.add_problem("its solution in the table is not the one in the first solution file")


def _check_trait_names(record: PuzzleRecord, trait_names: Sequence[str], report: Findings) -> None:
    """Report a record that has other traits than the table."""
    in_record = [TABLE_TRAITS[name].field for name in traits_in_record(record)]
    if in_record and in_record != [TABLE_TRAITS[name].field for name in trait_names]:
        report.add_problem("the record and the table have different --traits")


def _compare_fields(row: Any, expected: Any, report: Findings) -> None:
    for name, recorded in asdict(expected).items():
        if (in_table := getattr(row, name)) != recorded:
            add_finding = report.add_difference if name == "message" else report.add_problem
            add_finding(
                f"{name} is {in_table[:60]!r} in the table, {recorded[:60]!r} in its record"
            )
