"""The rows of a collection's table one by one, with their lines in each solution file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path

from pipeline.errors import InputError, InvalidPuzzle, counted, printable
from pipeline.outbox.audit.claims import fault_in_status, is_denied
from pipeline.outbox.audit.sets import Report
from pipeline.outbox.tables import PuzzleRow, grid_in, lines_of, row_of
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import Entry, parse_source
from pipeline.reading.formats.plain import PieceContents
from pipeline.reading.unread import caveat

_MOST_CHARACTERS, _AT_ONCE = 16 * 1024 * 1024, 64
"""Characters of a portion, and lines that are read before they are counted."""
_LONGEST_TEXT = 500
CERTIFICATES = {"true": ("exhaustion", "lrat", "claimed"), "false": ("",), "": ("",)}
"""The certificates that go with each value of `complete`."""
_EARLIER = "drat"
"""The certificate that earlier versions wrote for `lrat`."""
COMPLETE = {"true": True, "false": False, "": None}


@dataclass(frozen=True, slots=True)
class Portion:
    """Rows of consecutive puzzles: what the original holds, and their lines in each file.

    `names` are those of the table and of the solution files. `first` is the number of the first
    row, from 1, and `start` the place of its puzzle in the contents of its piece. `lines` are those
    of each row in these files, without the fields that `--traits` adds. `added` has these; None
    for a row that has fewer.
    """

    names: Sequence[str]
    first: int
    contents: PieceContents
    start: int
    lines: list[tuple[str, ...]]
    added: list[list[str] | None]

    def __len__(self) -> int:
        return len(self.lines)

    def entry(self, at: int) -> Entry:
        return self.contents.entry(self.start + at)

    def row(self, at: int) -> PuzzleRow:
        """The row at a place. Raises InputError if it is malformed."""
        try:
            return row_of(self.lines[at][0], PuzzleRow)
        except ValueError as error:
            number = self.first + at + 1  # behind the header
            raise InputError(f"{self.names[0]}: line {number}: {error}") from error

    def about(self, at: int, report: Report) -> Report:
        return report.within(f"{self.names[0]}: row {self.first + at}")


def portions(
    table: Iterator[str], paths: Sequence[Path], pieces: Iterable[PieceContents], added: int
) -> Iterator[Portion]:
    """Read the rows of a table, and its solution files, side by side with the original.

    `paths` are those of the table and of the solution files. `added` is how many columns `--traits`
    adds. Raises InputError, behind the rows before, where a file cannot be read or does not have as
    many lines as there are puzzles.
    """
    names = [path.name for path in paths]
    rows = zip_longest(table, *map(lines_of, paths[1:]))
    first = 1
    for contents in pieces:
        start = 0
        while start < len(contents):
            lines, fault = _taken(rows, len(names), len(contents) - start)
            if not lines or None in lines[-1]:
                end = next((at for at, row in enumerate(lines) if None in row), 0)
                name = names[lines[end].index(None)] if lines else names[0]
                fault = fault or InputError(f"{name} ends too early, before row {first + end}")
                del lines[end:]
            tails: list[list[str] | None] = [None] * len(lines)
            for at, (line, *others) in enumerate(lines) if added else ():
                head, *tail = line.rsplit(",", added)
                if len(tail) == added:
                    lines[at], tails[at] = (head, *others), tail
            yield Portion(names, first, contents, start, lines, tails)
            if fault:
                raise fault
            start += len(lines)
            first += len(lines)
    for row in rows:
        longer = next(name for name, line in zip(names, row, strict=True) if line is not None)
        raise InputError(f"{longer} goes on behind the last puzzle")


def _taken(
    rows: Iterator[tuple[str, ...]], files: int, most: int
) -> tuple[list[tuple[str, ...]], InputError | None]:
    """The next rows, at most so many and as many as fit in memory; and why there are no others."""
    taken: list[tuple[str, ...]] = []
    at_once, room = max(1, _AT_ONCE // files), _MOST_CHARACTERS
    try:
        while room > 0 and (begun := len(taken)) < most:
            taken.extend(islice(rows, min(at_once, most - begun)))
            if len(taken) == begun:
                break
            room -= sum(map(len, filter(None, chain.from_iterable(taken[begun:]))))
    except InputError as error:  # the rows before it are in the list
        return taken, error
    return taken, None


@dataclass(frozen=True, slots=True)
class AuditedRow:
    """A row as found: the puzzle of the original, and its grid in each solution file.

    `is_sound`: they are different grids. `disagrees`: the solution beside the puzzle is wrong, or
    not among all there are.
    """

    number: int
    puzzle: Puzzle | None
    row: PuzzleRow
    grids: Mapping[str, Grid]
    is_sound: bool
    disagrees: bool


def read_row(portion: Portion, at: int, report: Report) -> AuditedRow:
    """Compare a row, and its line in each solution file, with the original.

    Whether its grids are solutions, and all, is left to others. Raises InputError if it is no row.
    """
    entry, row, number = portion.entry(at), portion.row(at), portion.first + at
    report = portion.about(at, report)
    puzzle = entry.puzzle_read
    _compare(number, entry, puzzle, row, report)
    if (puzzle is None) != (row.status == "invalid"):
        what = "a puzzle" if puzzle else "no puzzle"
        report.bad(f"the status is {row.status!r}, but the original holds {what} there")
    if report.is_ours and entry.title != row.title:
        report.bad(f"the title is {row.title[:100]!r}, by the original {entry.title[:100]!r}")
    if report.is_ours and (told := caveat(row.status, entry.unread)) and told not in row.message:
        report.bad(f"the row does not say: {told}")
    if row.status == "solved":
        report.bad("the status 'solved' is that of a formula")
    lines = portion.lines[at][1:]
    _audit_count(row, lines, report)
    grids = _grids(dict(zip(portion.names[1:], lines, strict=True)), entry, puzzle, report)
    is_sound = len({*grids.values()}) == sum(bool(line.strip(".")) for line in lines)
    complete = row.complete == "true"
    disagrees = row.status != "failed" and is_denied(
        entry.claimed, entry.signs, puzzle, grids.values(), complete=complete
    )
    if bool(row.disagreement) != disagrees:
        said = "does not say" if disagrees else "says"
        report.bad(f"the row {said} that the solution beside the puzzle is wrong")
    return AuditedRow(number, puzzle, row, grids, is_sound, disagrees)


def _compare(
    number: int, entry: Entry, puzzle: Puzzle | None, row: PuzzleRow, report: Report
) -> None:
    """Check that a row is about the entry of that number.

    Another version may have written its puzzle otherwise.
    """
    text = entry.text
    if not entry.plain:
        text = printable(text[: _LONGEST_TEXT if entry.puzzle is None else None])
    line = str(entry.line) if entry.line else row.line  # unknown for a broken source
    for what, here, there in (
        ("index", row.index, str(number)),
        ("line", row.line, line),
        ("puzzle", row.puzzle, text),
    ):
        if here != there:
            may_differ = what == "puzzle" and puzzle and not report.is_ours
            tell = report.rewritten if may_differ and puzzle == _puzzle_in(here) else report.bad
            tell(f"the {what} is {here[:100]!r}, by the original {there[:100]!r}")


def _puzzle_in(text: str) -> Puzzle | None:
    """The puzzle that stands in a field; None if it is not legible without its file."""
    with suppress(InvalidPuzzle):
        return parse_source(text.encode(errors="surrogateescape"), "the table").puzzle
    return None


def _audit_count(row: PuzzleRow, lines: Sequence[str], report: Report) -> None:
    """Check that status and completeness fit the lines in the solution files, and the first one."""
    filled = [line for line in lines if line.strip(".")]
    if row.complete not in COMPLETE:
        report.bad(f"complete: expected true or false, found {row.complete[:20]!r}")
    else:
        if fault := fault_in_status(row.status, len(filled), COMPLETE[row.complete]):
            report.bad(fault)
        known = CERTIFICATES[row.complete]
        is_earlier = row.certificate == _EARLIER and known[1:] and not report.is_ours
        if row.certificate not in known and not is_earlier:
            said = f"the certificate {row.certificate[:20]!r} does not go with complete"
            report.bad(f"{said}: {row.complete or 'null'}")
    if row.solutions != str(len(filled)) or filled != [*lines[: len(filled)]]:
        report.bad(
            f"{row.solutions[:20]} solutions in the table, "
            f"the solution files have {counted(len(filled), 'line')} for it"
        )
    if row.solution != (lines[0] if filled else ""):
        report.bad("its solution is not that of the first solution file")


def _grids(
    lines: Mapping[str, str], entry: Entry, puzzle: Puzzle | None, report: Report
) -> dict[str, Grid]:
    """The grids in the lines of the solution files; invalid ones are reported."""
    size = len(puzzle.cells) if puzzle else None
    grids: dict[str, Grid] = {}
    for name, text in lines.items():
        if text and not text.strip(".") and size in (None, len(text)):
            continue
        grid = grid_in(text, entry.signs, puzzle.geometry) if puzzle else None
        if grid is None:
            report.bad(f"{name}: {text[:100]!r} is no grid of the puzzle's size")
        else:
            grids[name] = grid
    if len(set(grids.values())) < len(grids):
        report.bad("two of its solutions are the same grid")
    return grids
