"""The rows of a collection's table one by one, with their lines in each solution file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path

from pipeline.errors import InputError, InvalidPuzzle, counted, printable
from pipeline.outbox.audit.conflicts import is_denied
from pipeline.outbox.audit.sets import Findings
from pipeline.outbox.fits import COMPLETE, misfit
from pipeline.outbox.tables import PuzzleRow, Table, grid_in, lines_of, row_of
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import Entry, parse_source
from pipeline.reading.formats.plain import ChunkContents
from pipeline.reading.unread import caveat

_MOST_CHARACTERS, _AT_ONCE = 16 * 1024 * 1024, 64
"""Maximum number of characters in a chunk, and of lines that are read before counting them."""
_LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class RowChunk:
    """Consecutive puzzles of the original, with their lines in each published file.

    - `names`: the names of the table and the solution files.
    - `first`: the number of the first row, from 1.
    - `start`: the index of its puzzle in `contents`.
    - `lines`: for each row its line in each of these files, without the columns of traits.
    - `added`: for each row its fields in these columns; None if some are missing.
    """

    names: Sequence[str]
    first: int
    contents: ChunkContents
    start: int
    lines: list[tuple[str, ...]]
    added: list[list[str] | None]

    def __len__(self) -> int:
        return len(self.lines)

    def entry(self, index: int) -> Entry:
        return self.contents.entry(self.start + index)

    def row(self, index: int) -> PuzzleRow:
        """The row at an index. Raises InputError if it is malformed."""
        try:
            return row_of(self.lines[index][0], PuzzleRow)
        except ValueError as error:
            number = self.first + index + 1  # after the header
            raise InputError(f"{self.names[0]}: line {number}: {error}") from error

    def about(self, index: int, report: Findings) -> Findings:
        return report.within(f"{self.names[0]}: row {self.first + index}")


def row_chunks(
    table: Table[PuzzleRow], paths: Sequence[Path], chunks: Iterable[ChunkContents]
) -> Iterator[RowChunk]:
    """Read a table and its solution files in parallel with the original.

    `paths` are the table and the solution files. Raises InputError, after the preceding rows, if a
    file cannot be read or has fewer or more lines than there are puzzles.
    """
    added = len(table.added)
    names = [path.name for path in paths]
    rows = zip_longest(table, *map(lines_of, paths[1:]))
    first = 1
    for contents in chunks:
        start = 0
        while start < len(contents):
            lines, fault = _taken(rows, len(names), len(contents) - start)
            if not lines or None in lines[-1]:
                end = next((index for index, row in enumerate(lines) if None in row), 0)
                name = names[lines[end].index(None)] if lines else names[0]
                fault = fault or InputError(f"{name} ends too early, before row {first + end}")
                del lines[end:]
            tails: list[list[str] | None] = [None] * len(lines)
            for index, (line, *solutions) in enumerate(lines) if added else ():
                head, *tail = line.rsplit(",", added)
                if len(tail) == added:
                    lines[index], tails[index] = (head, *solutions), tail
            yield RowChunk(names, first, contents, start, lines, tails)
            if fault:
                raise fault
            start += len(lines)
            first += len(lines)
    for row in rows:
        longer = next(name for name, line in zip(names, row, strict=True) if line is not None)
        raise InputError(f"{longer} continues after the last puzzle")


def _taken(
    rows: Iterator[tuple[str, ...]], files: int, max_rows: int
) -> tuple[list[tuple[str, ...]], InputError | None]:
    """The next rows, up to `max_rows` and the memory limit, and the error that follows, if any."""
    taken: list[tuple[str, ...]] = []
    at_once, room = max(1, _AT_ONCE // files), _MOST_CHARACTERS
    try:
        while room > 0 and (begun := len(taken)) < max_rows:
            taken.extend(islice(rows, min(at_once, max_rows - begun)))
            if len(taken) == begun:
                break
            room -= sum(map(len, filter(None, chain.from_iterable(taken[begun:]))))
    except InputError as error:  # the rows before it are in the list
        return taken, error
    return taken, None


@dataclass(frozen=True, slots=True)
class AuditedRow:
    """A row with the puzzle of the original, and its grid in each solution file.

    `is_sound`: the grids are distinct. `disagrees`: the solution that the original gives is wrong,
    or missing from a complete list.
    """

    number: int
    puzzle: Puzzle | None
    row: PuzzleRow
    grids: Mapping[str, Grid]
    is_sound: bool
    disagrees: bool


def read_row(chunk: RowChunk, index: int, report: Findings) -> AuditedRow:
    """Compare a row, and its line in each solution file, with the original.

    Does not check that the grids are solutions or complete. Raises InputError for a malformed row.
    """
    entry, row, number = chunk.entry(index), chunk.row(index), chunk.first + index
    report = chunk.about(index, report)
    puzzle = entry.puzzle_read
    _compare(number, entry, puzzle, row, report)
    if (puzzle is None) != (row.status == "invalid"):
        content = "a puzzle" if puzzle else "no puzzle"
        report.bad(f"the status is {row.status!r}, but the original holds {content} there")
    if report.is_ours and entry.title != row.title:
        report.bad(f"the title is {row.title[:100]!r}, the original has {entry.title[:100]!r}")
    if (
        report.is_ours
        and (remark := caveat(row.status, entry.unread))
        and remark not in row.message
    ):
        report.bad(f"the row does not mention: {remark}")
    if row.status == "solved":
        report.bad("the status 'solved' is only for formulas")
    lines = chunk.lines[index][1:]
    _audit_count(row, lines, report)
    grids = _grids(dict(zip(chunk.names[1:], lines, strict=True)), entry, puzzle, report)
    is_sound = len({*grids.values()}) == sum(bool(line.strip(".")) for line in lines)
    complete = row.complete == "true"
    disagrees = row.status != "failed" and is_denied(
        entry.claimed, entry.signs, puzzle, grids.values(), complete=complete
    )
    if bool(row.disagreement) != disagrees:
        verb = "does not say" if disagrees else "says"
        report.bad(f"the row {verb} that the solution beside the puzzle is wrong")
    return AuditedRow(number, puzzle, row, grids, is_sound, disagrees)


def _compare(
    number: int, entry: Entry, puzzle: Puzzle | None, row: PuzzleRow, report: Findings
) -> None:
    """Check that a row is about the entry of that number.

    Another version may have written the puzzle differently.
    """
    text = entry.text
    if not entry.plain:
        text = printable(text[: _LONGEST_TEXT if entry.puzzle is None else None])
    line = str(entry.line) if entry.line else row.line  # unknown for a broken source
    for field, here, there in (
        ("index", row.index, str(number)),
        ("line", row.line, line),
        ("puzzle", row.puzzle, text),
    ):
        if here != there:
            may_differ = field == "puzzle" and puzzle and not report.is_ours
            add_finding = (
                report.rewritten if may_differ and puzzle == _puzzle_in(here) else report.bad
            )
            add_finding(f"the {field} is {here[:100]!r}, the original has {there[:100]!r}")


def _puzzle_in(text: str) -> Puzzle | None:
    """The puzzle in a field; None if it cannot be read without the rest of its file."""
    with suppress(InvalidPuzzle):
        return parse_source(text.encode(errors="surrogateescape"), "the table").puzzle
    return None


def _audit_count(row: PuzzleRow, lines: Sequence[str], report: Findings) -> None:
    """Check the status, the completeness and the first solution against the solution files."""
    filled = [line for line in lines if line.strip(".")]
    if row.complete not in COMPLETE:
        report.bad(f"complete: expected true or false, found {row.complete[:20]!r}")
    else:
        is_earlier = row.certificate == "drat" and not report.is_ours
        certificate = "lrat" if is_earlier else row.certificate
        if fault := misfit(row.status, len(filled), COMPLETE[row.complete], certificate):
            report.bad(fault)
    if row.solutions != str(len(filled)) or filled != [*lines[: len(filled)]]:
        report.bad(
            f"{row.solutions[:20]} solutions in the table, "
            f"the solution files have {counted(len(filled), 'line')} for it"
        )
    if row.solution != (lines[0] if filled else ""):
        report.bad("its solution differs from the first solution file")


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
            report.bad(f"{name}: {text[:100]!r} is not a grid of the puzzle's size")
        else:
            grids[name] = grid
    if len(set(grids.values())) < len(grids):
        report.bad("two of its solutions are the same grid")
    return grids
