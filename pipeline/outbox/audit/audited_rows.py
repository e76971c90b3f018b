"""Audit the rows of a collection's table one by one, with their lines in the solution files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path

from pipeline.errors import InputError, InvalidPuzzle, printable
from pipeline.outbox.audit.conflicts import is_wrong_solution
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.consistency import COMPLETE_VALUES, contradiction
from pipeline.outbox.tables import PuzzleRow, Table, lines_of, parse_grid_line, parse_row
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import Entry, parse_source
from pipeline.reading.formats.plain import ChunkContents
from pipeline.reading.unread import caveat

_MAX_CHUNK_CHARACTERS, _LINES_PER_CHECK = 16 * 1024 * 1024, 64
"""Approximate maximum number of characters in a chunk, and number of lines between two checks of
it."""

_MAX_TEXT_CHARACTERS = 500
"""Maximum number of characters that a row quotes of an invalid puzzle."""


@dataclass(frozen=True, slots=True)
class RowChunk:
    """Consecutive rows of a table, with their puzzles in the original and their solutions.

    - `names`: the names of the table and of the solution files.
    - `first`: the number of the first row, from 1.
    - `contents`: the chunk of the original that contains the puzzles of the rows, and maybe more.
    - `start`: the position of the first row's puzzle in `contents`.
    - `lines`: for each row, its lines in the files `names`. The line of the table lacks the trait
      columns.
    - `trait_fields`: for each row, the fields of the trait columns; None if some are missing.
    """

    names: Sequence[str]
    first: int
    contents: ChunkContents
    start: int
    lines: list[tuple[str, ...]]
    trait_fields: list[list[str] | None]

    def __len__(self) -> int:
        return len(self.lines)

    def entry(self, index: int) -> Entry:
        """The entry in the original for the row at this index."""
        return self.contents.entry(self.start + index)

    def row(self, index: int) -> PuzzleRow:
        """The row at this index. Raises InputError if it is malformed."""
        try:
            return parse_row(self.lines[index][0], PuzzleRow)
        except ValueError as error:
            number = self.first + index + 1  # the header is line 1
            raise InputError(f"{self.names[0]}: line {number}: {error}") from error

    def section(self, index: int, report: Findings) -> Findings:
        """The findings for messages about the row at this index."""
        return report.section(f"{self.names[0]}: row {self.first + index}")


def row_chunks(
    table: Table[PuzzleRow], paths: Sequence[Path], chunks: Iterable[ChunkContents]
) -> Iterator[RowChunk]:
    """Read a table and its solution files in parallel with the original.

    `paths`: the table and the solution files. `chunks`: the puzzles of the original. Raises
    InputError if a file cannot be read, or does not have one line for each puzzle. The rows before
    the fault are yielded first.
    """
    trait_count = len(table.trait_columns)
    names = [path.name for path in paths]
    rows = zip_longest(table, *map(lines_of, paths[1:]))
    first = 1
    for contents in chunks:
        start = 0
        while start < len(contents):
            lines, fault = _read_rows(rows, len(names), len(contents) - start)
            if not lines or None in lines[-1]:
                end = next((index for index, row in enumerate(lines) if None in row), 0)
                name = names[lines[end].index(None)] if lines else names[0]
                fault = fault or InputError(f"{name} ends too early, before row {first + end}")
                del lines[end:]
            fields: list[list[str] | None] = [None] * len(lines)
            for index, (line, *solutions) in enumerate(lines) if trait_count else ():
                head, *tail = line.rsplit(",", trait_count)
                if len(tail) == trait_count:
                    lines[index], fields[index] = (head, *solutions), tail
            yield RowChunk(names, first, contents, start, lines, fields)
            if fault:
                raise fault
            start += len(lines)
            first += len(lines)
    for row in rows:
        longer = next(name for name, line in zip(names, row, strict=True) if line is not None)
        raise InputError(f"{longer} continues after the last puzzle")


def _read_rows(
    rows: Iterator[tuple[str, ...]], files: int, max_rows: int
) -> tuple[list[tuple[str, ...]], InputError | None]:
    """Read up to `max_rows` rows, with about _MAX_CHUNK_CHARACTERS in total.

    Returns the rows, and the error that ended reading; None if there was no error.
    """
    read: list[tuple[str, ...]] = []
    batch_rows, room = max(1, _LINES_PER_CHECK // files), _MAX_CHUNK_CHARACTERS
    try:
        while room > 0 and (start := len(read)) < max_rows:
            read.extend(islice(rows, min(batch_rows, max_rows - start)))
            if len(read) == start:
                break
            room -= sum(map(len, filter(None, chain.from_iterable(read[start:]))))
    except InputError as error:
        return read, error
    return read, None


@dataclass(frozen=True, slots=True)
class AuditedRow:
    """A row of a table, its puzzle in the original, and its grids by solution file.

    - `are_grids_valid`: whether all grids could be read and are distinct.
    - `has_wrong_solution`: whether the solution in the original is wrong.
    """

    number: int
    puzzle: Puzzle | None
    row: PuzzleRow
    grids: Mapping[str, Grid]
    are_grids_valid: bool
    has_wrong_solution: bool


def read_row(chunk: RowChunk, index: int, report: Findings) -> AuditedRow:
    """Compare a row and its lines in the solution files with the original.

    The caller must check whether the grids are solutions, and whether there are others. Raises
    InputError for a malformed row.
    """
    entry, row, number = chunk.entry(index), chunk.row(index), chunk.first + index
    report = chunk.section(index, report)
    puzzle = entry.puzzle_read
    _compare_with_entry(number, entry, puzzle, row, report)
    if (puzzle is None) != (row.status == "invalid"):
        content = "a puzzle" if puzzle else "no puzzle"
        report.add_problem(f"the status is {row.status!r}, but the original has {content} there")
    if report.is_current_build and entry.title != row.title:
        report.add_problem(
            f"the title is {row.title[:100]!r} in the table, {entry.title[:100]!r} in the original"
        )
    if (
        report.is_current_build
        and (remark := caveat(row.status, entry.unread))
        and remark not in row.message
    ):
        report.add_problem(f"the message lacks: {remark}")
    if row.status == "solved":
        report.add_problem("status 'solved' is only for formulas")
    lines = chunk.lines[index][1:]
    _audit_row_fields(row, lines, report)
    grids = _read_grids(dict(zip(chunk.names[1:], lines, strict=True)), entry, puzzle, report)
    are_grids_valid = len({*grids.values()}) == sum(bool(line.strip(".")) for line in lines)
    complete = row.complete == "true"
    has_wrong_solution = row.status != "failed" and is_wrong_solution(
        entry.claimed, entry.symbols, puzzle, grids.values(), complete=complete
    )
    if bool(row.disagreement) != has_wrong_solution:
        verb = "does not say" if has_wrong_solution else "says"
        report.add_problem(f"the row {verb} that the solution in the original is wrong")
    return AuditedRow(number, puzzle, row, grids, are_grids_valid, has_wrong_solution)


def _compare_with_entry(
    number: int, entry: Entry, puzzle: Puzzle | None, row: PuzzleRow, report: Findings
) -> None:
    """Check that a row belongs to this entry of the original.

    Other versions may have written the puzzle differently.
    """
    text = entry.text
    if not entry.plain:
        text = printable(text[: _MAX_TEXT_CHARACTERS if entry.puzzle is None else None])
    line = str(entry.line) if entry.line else row.line  # 0 if the source could not be read
    for field, listed, expected in (
        ("index", row.index, str(number)),
        ("line", row.line, line),
        ("puzzle", row.puzzle, text),
    ):
        if listed != expected:
            may_differ = field == "puzzle" and puzzle and not report.is_current_build
            add_finding = (
                report.add_difference
                if may_differ and puzzle == parse_puzzle_field(listed)
                else report.add_problem
            )
            add_finding(
                f"the {field} is {listed[:100]!r} in the table, {expected[:100]!r} in the original"
            )


def parse_puzzle_field(text: str) -> Puzzle | None:
    """Parse the field `puzzle` of a row. Returns None if its notation cannot be detected."""
    with suppress(InvalidPuzzle):
        return parse_source(text.encode(errors="surrogateescape"), "the table").puzzle
    return None


def _audit_row_fields(row: PuzzleRow, lines: Sequence[str], report: Findings) -> None:
    """Check the fields of a row about its solutions against its lines in the solution files."""
    filled = [line for line in lines if line.strip(".")]
    if row.complete not in COMPLETE_VALUES:
        report.add_problem(f"complete: expected true or false, found {row.complete[:20]!r}")
    else:
        is_earlier_name = row.certificate == "drat" and not report.is_current_build
        certificate = "lrat" if is_earlier_name else row.certificate
        if fault := contradiction(
            row.status, len(filled), COMPLETE_VALUES[row.complete], certificate
        ):
            report.add_problem(fault)
    if row.solutions != str(len(filled)) or filled != [*lines[: len(filled)]]:
        report.add_problem(
            f"the table says {row.solutions[:20]} solutions, the solution files have {len(filled)}"
        )
    if row.solution != (lines[0] if filled else ""):
        report.add_problem("its solution is not the one in the first solution file")


def _read_grids(
    lines: Mapping[str, str], entry: Entry, puzzle: Puzzle | None, report: Findings
) -> dict[str, Grid]:
    """Read the grids in a row's lines of the solution files. Reports invalid and equal grids."""
    size = len(puzzle.cells) if puzzle else None
    grids: dict[str, Grid] = {}
    for name, text in lines.items():
        if text and not text.strip(".") and size in (None, len(text)):
            continue
        grid = parse_grid_line(text, entry.symbols, puzzle.geometry) if puzzle else None
        if grid is None:
            report.add_problem(f"{name}: {text[:100]!r} is not a grid of the puzzle's size")
        else:
            grids[name] = grid
    if len(set(grids.values())) < len(grids):
        report.add_problem("two of its solutions are the same grid")
    return grids
