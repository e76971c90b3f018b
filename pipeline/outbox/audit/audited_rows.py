"""Audit the rows of a collection's table one by one, with their lines in the solution files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path

from pipeline.errors import InputError, InvalidPuzzle, printable
from pipeline.outbox.audit.conflicts import is_wrong_solution
from pipeline.outbox.audit.sets import Findings
from pipeline.outbox.consistency import COMPLETE, contradiction
from pipeline.outbox.tables import PuzzleRow, Table, grid_in, lines_of, row_of
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import Entry, parse_source
from pipeline.reading.formats.plain import ChunkContents
from pipeline.reading.unread import caveat

_MAX_CHARACTERS, _BATCH_LINES = 16 * 1024 * 1024, 64
"""Characters of a chunk, and lines that are read before their characters are counted."""
_MAX_TEXT = 500


@dataclass(frozen=True, slots=True)
class RowChunk:
    """Consecutive puzzles of the original, with their lines in each published file.

    names: the names of the table and of the solution files.
    first: the number of the first row, from 1.
    contents: a chunk of the original, which may have more puzzles.
    start: the position of the first row's puzzle in `contents`.
    lines: for each row, its line in each of these files, without trait columns.
    trait_fields: for each row, the fields of its trait columns; None if some are missing.
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
        return self.contents.entry(self.start + index)

    def row(self, index: int) -> PuzzleRow:
        """The row at this index. Raises InputError if it is malformed."""
        try:
            return row_of(self.lines[index][0], PuzzleRow)
        except ValueError as error:
            number = self.first + index + 1  # the header is line 1
            raise InputError(f"{self.names[0]}: line {number}: {error}") from error

    def section(self, index: int, report: Findings) -> Findings:
        return report.section(f"{self.names[0]}: row {self.first + index}")


def row_chunks(
    table: Table[PuzzleRow], paths: Sequence[Path], chunks: Iterable[ChunkContents]
) -> Iterator[RowChunk]:
    """Read a table and its solution files in parallel with the original.

    `paths` are those of the table and of the solution files. Raises InputError if a file cannot be
    read or has another number of rows than there are puzzles, after the rows before that.
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
    """Read up to `max_rows` rows, within _MAX_CHARACTERS. Returns them and the error after them."""
    read: list[tuple[str, ...]] = []
    batch_rows, room = max(1, _BATCH_LINES // files), _MAX_CHARACTERS
    try:
        while room > 0 and (start := len(read)) < max_rows:
            read.extend(islice(rows, min(batch_rows, max_rows - start)))
            if len(read) == start:
                break
            room -= sum(map(len, filter(None, chain.from_iterable(read[start:]))))
    except InputError as error:  # the rows before it are kept
        return read, error
    return read, None


@dataclass(frozen=True, slots=True)
class AuditedRow:
    """A row of a table, its puzzle in the original, and its grids by solution file.

    `is_sound`: all grids could be read and are distinct. `disagrees`: the solution in the original
    is wrong.
    """

    number: int
    puzzle: Puzzle | None
    row: PuzzleRow
    grids: Mapping[str, Grid]
    is_sound: bool
    disagrees: bool


def read_row(chunk: RowChunk, index: int, report: Findings) -> AuditedRow:
    """Compare a row, and its lines in the solution files, with the original.

    Does not check that its grids are solutions, or that they are all. Raises InputError for a
    malformed row.
    """
    entry, row, number = chunk.entry(index), chunk.row(index), chunk.first + index
    report = chunk.section(index, report)
    puzzle = entry.puzzle_read
    _compare(number, entry, puzzle, row, report)
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
    _audit_count(row, lines, report)
    grids = _grids(dict(zip(chunk.names[1:], lines, strict=True)), entry, puzzle, report)
    is_sound = len({*grids.values()}) == sum(bool(line.strip(".")) for line in lines)
    complete = row.complete == "true"
    disagrees = row.status != "failed" and is_wrong_solution(
        entry.claimed, entry.signs, puzzle, grids.values(), complete=complete
    )
    if bool(row.disagreement) != disagrees:
        verb = "does not say" if disagrees else "says"
        report.add_problem(f"the row {verb} that the solution in the original is wrong")
    return AuditedRow(number, puzzle, row, grids, is_sound, disagrees)


def _compare(
    number: int, entry: Entry, puzzle: Puzzle | None, row: PuzzleRow, report: Findings
) -> None:
    """Check that a row is about this entry of the original.

    Another version may have written the puzzle differently.
    """
    text = entry.text
    if not entry.plain:
        text = printable(text[: _MAX_TEXT if entry.puzzle is None else None])
    line = str(entry.line) if entry.line else row.line  # unknown for a broken source
    for field, here, there in (
        ("index", row.index, str(number)),
        ("line", row.line, line),
        ("puzzle", row.puzzle, text),
    ):
        if here != there:
            may_differ = field == "puzzle" and puzzle and not report.is_current_build
            add_finding = (
                report.add_difference
                if may_differ and puzzle == _puzzle_in(here)
                else report.add_problem
            )
            add_finding(
                f"the {field} is {here[:100]!r} in the table, {there[:100]!r} in the original"
            )


def _puzzle_in(text: str) -> Puzzle | None:
    """The puzzle in a field of a table; None if its notation cannot be detected from the field."""
    with suppress(InvalidPuzzle):
        return parse_source(text.encode(errors="surrogateescape"), "the table").puzzle
    return None


def _audit_count(row: PuzzleRow, lines: Sequence[str], report: Findings) -> None:
    """Check a row's status, completeness and solution against its lines in the solution files."""
    filled = [line for line in lines if line.strip(".")]
    if row.complete not in COMPLETE:
        report.add_problem(f"complete: expected true or false, found {row.complete[:20]!r}")
    else:
        is_earlier = row.certificate == "drat" and not report.is_current_build
        certificate = "lrat" if is_earlier else row.certificate
        if fault := contradiction(row.status, len(filled), COMPLETE[row.complete], certificate):
            report.add_problem(fault)
    if row.solutions != str(len(filled)) or filled != [*lines[: len(filled)]]:
        report.add_problem(
            f"the table says {row.solutions[:20]} solutions, the solution files have {len(filled)}"
        )
    if row.solution != (lines[0] if filled else ""):
        report.add_problem("its solution is not the one in the first solution file")


def _grids(
    lines: Mapping[str, str], entry: Entry, puzzle: Puzzle | None, report: Findings
) -> dict[str, Grid]:
    """The grids in the lines of the solution files; invalid ones are reported."""
    size = len(puzzle.cells) if puzzle else None
    grids: dict[str, Grid] = {}
    for name, text in lines.items():
        if text and not text.strip(".") and size in (None, len(text)):
            continue
        grid = grid_in(text, entry.signs, puzzle.geometry) if puzzle else None
        if grid is None:
            report.add_problem(f"{name}: {text[:100]!r} is not a grid of the puzzle's size")
        else:
            grids[name] = grid
    if len(set(grids.values())) < len(grids):
        report.add_problem("two of its solutions are the same grid")
    return grids
