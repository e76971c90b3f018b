"""The rows of a collection's table one by one, with their lines in each solution file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.certify import certify_grid, certify_many
from pipeline.certify.many import Verdict, exhausted_many
from pipeline.errors import InputError, counted, printable
from pipeline.outbox.audit.claims import fault_in_status, is_denied
from pipeline.outbox.audit.lines import LineBlock
from pipeline.outbox.audit.sets import Report
from pipeline.outbox.tables import PuzzleRow, grid_in, row_of
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.reading.formats import Entry
from pipeline.reading.formats.plain import PieceContents

_LARGEST_TOGETHER = 64
_LONGEST_TEXT = 500
_SHOWN = 3
_CERTIFICATES = {"true": ("exhaustion", "drat", "lrat", "claimed"), "false": ("",), "": ("",)}
"""The certificates that go with each value of `complete`."""
_COMPLETE = {"true": True, "false": False, "": None}


@dataclass(frozen=True, slots=True)
class Portion:
    """Rows of consecutive puzzles: what the original holds, and their lines in each file.

    `names` are those of the table and of the solution files. `first` is the number of the first
    row, from 1, and `start` the place of its puzzle in the contents of its piece.
    """

    names: Sequence[str]
    first: int
    contents: PieceContents
    start: int
    lines: Sequence[LineBlock]

    def __len__(self) -> int:
        return len(self.lines[0])

    def entry(self, at: int) -> Entry:
        return self.contents.entry(self.start + at)

    def row(self, at: int) -> PuzzleRow:
        """The row at a place. Raises InputError if it is malformed."""
        try:
            return row_of(self.lines[0].text(at), PuzzleRow)
        except ValueError as error:
            number = self.first + at + 1  # behind the header
            raise InputError(f"{self.names[0]}: line {number}: {error}") from error

    def solutions(self, at: int) -> dict[str, str]:
        """Its line in each solution file."""
        pairs = zip(self.names[1:], self.lines[1:], strict=True)
        return {name: lines.text(at) for name, lines in pairs}


@dataclass(frozen=True, slots=True)
class Read:
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

    @property
    def complete(self) -> bool:
        """Whether the row claims that there are no other solutions."""
        return self.row.complete == "true"


def read_row(portion: Portion, at: int, report: Report) -> Read:
    """Compare a row, and its line in each solution file, with the original.

    Raises InputError if it is malformed.
    """
    number, entry, row, lines = (
        portion.first + at,
        portion.entry(at),
        portion.row(at),
        portion.solutions(at),
    )
    report = report.within(f"{portion.names[0]}: row {number}")
    puzzle = entry.puzzle_read
    _compare(number, entry, row, report)
    if (puzzle is None) != (row.status == "invalid"):
        what = "a puzzle" if puzzle else "no puzzle"
        report.bad(f"the status is {row.status!r}, but the original holds {what} there")
    if row.status == "solved":
        report.bad("the status 'solved' is that of a formula")
    _audit_count(row, [*lines.values()], report)
    grids = _grids(lines, entry, puzzle, report)
    is_sound = len({*grids.values()}) == sum(bool(line.strip(".")) for line in lines.values())
    complete = row.complete == "true"
    disagrees = row.status != "failed" and is_denied(
        entry.claimed, entry.signs, puzzle, grids.values(), complete=complete
    )
    if bool(row.disagreement) != disagrees:
        said = "does not say" if disagrees else "says"
        report.bad(f"the row {said} that the solution beside the puzzle is wrong")
    return Read(number, puzzle, row, grids, is_sound, disagrees)


def _compare(number: int, entry: Entry, row: PuzzleRow, report: Report) -> None:
    """Check that a row is about the entry of that number."""
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
            report.bad(f"the {what} is {here[:100]!r}, by the original {there[:100]!r}")


def _audit_count(row: PuzzleRow, lines: Sequence[str], report: Report) -> None:
    """Check that status and completeness fit the lines in the solution files, and the first one."""
    filled = [line for line in lines if line.strip(".")]
    if row.complete not in _COMPLETE:
        report.bad(f"complete: expected true or false, found {row.complete[:20]!r}")
    else:
        if fault := fault_in_status(row.status, len(filled), _COMPLETE[row.complete]):
            report.bad(fault)
        if row.certificate not in _CERTIFICATES[row.complete]:
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


def certify_lines(rows: Sequence[Read], report: Report) -> set[int]:
    """Check all grids of some rows against their puzzles; those of one geometry together.

    Return the numbers of the rows in which one is no solution.
    """
    unsound = set()
    groups: dict[Geometry | None, list[tuple[Read, Puzzle, str, Grid]]] = {}
    for row in rows:
        for name, grid in row.grids.items():
            if row.puzzle is not None:
                group = groups.setdefault(_together(row.puzzle), [])
                group.append((row, row.puzzle, name, grid))
    for geometry, group in groups.items():
        if geometry:
            masks = np.array([puzzle.cells for _, puzzle, _, _ in group], np.uint64)
            grids = np.array([grid.values for *_, grid in group], np.uint16)
            good = certify_many(geometry, masks, grids)
            doubtful = [group[at] for at in np.flatnonzero(~good)]
        else:
            doubtful = group
        for row, puzzle, name, grid in doubtful:
            violations = certify_grid(puzzle, grid)
            if violations or geometry:
                unsound.add(row.number)
            if not violations and geometry:
                report.bad(f"{name}: line {row.number} is no solution")
            for violation in violations[:_SHOWN]:
                report.bad(f"{name}: line {row.number}: {violation}")
    return unsound


def _together(puzzle: Puzzle) -> Geometry | None:
    """The geometry of a puzzle that may be checked together with others of it; else None."""
    geometry = puzzle.geometry
    return geometry if puzzle.is_plain and geometry.side <= _LARGEST_TOGETHER else None


def sought_in(row: PuzzleRow) -> Verdict:
    """The verdict that a row claims about more solutions; UNDECIDED if it claims nothing."""
    if row.complete == "true":
        return Verdict.COMPLETE
    alone = row.status == "multiple" and row.solutions == "1"
    return Verdict.INCOMPLETE if alone else Verdict.UNDECIDED


def rightly_said(rows: Sequence[Read], seconds: float) -> set[int]:
    """The numbers of rows that say rightly whether there are more solutions.

    Those of one geometry are searched together, so many seconds for each; not those with rules.
    """
    groups: dict[Geometry, list[tuple[Read, Puzzle]]] = {}
    for row in rows:
        if row.puzzle and (geometry := _together(row.puzzle)):
            groups.setdefault(geometry, []).append((row, row.puzzle))
    right = set()
    for geometry, group in groups.items():
        verdicts = _verdicts(geometry, group, seconds * len(group))
        for (row, _), verdict in zip(group, verdicts, strict=True):
            if verdict == sought_in(row.row):
                right.add(row.number)
    return right


def _verdicts(
    geometry: Geometry, group: Sequence[tuple[Read, Puzzle]], seconds: float
) -> list[int]:
    counts = np.array([len(row.grids) for row, _ in group], np.int64)
    masks = np.array([puzzle.cells for _, puzzle in group], np.min_scalar_type(geometry.all_values))
    grids = np.zeros((counts.max(initial=0), *masks.shape), np.uint8)
    for place, (row, _) in enumerate(group):
        for rank, grid in enumerate(row.grids.values()):
            grids[rank, place] = grid.values
    verdicts, _ = exhausted_many(geometry, masks, counts, grids, seconds)
    return [*map(int, verdicts)]
