"""A row of a collection's table: checked against the entry of the original, with its grids."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.audit.findings import Report
from pipeline.audit.sets import Many, fault_in_status
from pipeline.certify import certify_grid, certify_many
from pipeline.errors import counted, printable
from pipeline.parse import Entry
from pipeline.published.tables import PuzzleRow
from pipeline.puzzle import Geometry, Grid, Puzzle

_NINE = Geometry(3, 3)
_MASKS = {str(value): 1 << (value - 1) for value in range(1, 10)} | dict.fromkeys(
    ".0", _NINE.all_values
)
_LARGEST_TOGETHER = 64
_LONGEST_TEXT = 500
_SHOWN = 3
_COMPLETE = {"true": True, "false": False, "": None}


@dataclass(frozen=True, slots=True)
class Read:
    """A row as found: the puzzle of the original, and its grid in each solution file.

    `disagrees`: the solution beside the puzzle is wrong, or not among all there are.
    """

    number: int
    puzzle: Puzzle | None
    complete: bool
    grids: Mapping[str, Grid]
    disagrees: bool


def read_row(
    number: int,
    entry: Entry,
    row: PuzzleRow,
    lines: Mapping[str, str],
    published: Many,
    report: Report,
) -> Read:
    """Compare a row, and its line in each solution file, with the original.

    Rows are numbered from 1.
    """
    report = report.within(f"{published.stem}.csv: row {number}")
    puzzle = _puzzle_of(entry)
    _compare(number, entry, row, report)
    if (puzzle is None) != (row.status == "invalid"):
        report.bad(f"the status is {row.status!r}, but the original holds {_what(puzzle)} there")
    if row.status == "solved":
        report.bad("the status 'solved' is that of a formula")
    _audit_claim(row, report)
    _audit_count(row, [*lines.values()], report)
    complete, grids = row.complete == "true", _grids(lines, entry, puzzle, report)
    disagrees = row.status != "failed" and is_denied(
        entry.claimed, entry.signs, puzzle, grids.values(), complete=complete
    )
    if bool(row.disagreement) != disagrees:
        said = "does not say" if disagrees else "says"
        report.bad(f"the row {said} that the solution beside the puzzle is wrong")
    return Read(number, puzzle, complete, grids, disagrees)


def is_denied(
    claimed: str | None,
    signs: str,
    puzzle: Puzzle | None,
    grids: Collection[Grid],
    *,
    complete: bool,
) -> bool:
    """Whether the solution beside a puzzle is wrong, or is missing although all are known.

    `claimed` is the solution that the original gives, if it does, in `signs` or digits.
    """
    if claimed is None or puzzle is None:
        return False
    grid = _grid_in(claimed, signs, puzzle)
    if grid is None or certify_grid(puzzle, grid):
        return True
    return complete and grid not in grids


def _compare(number: int, entry: Entry, row: PuzzleRow, report: Report) -> None:
    """Check that a row is about the entry of that number."""
    text = entry.text
    if not entry.plain:
        text = printable(text[: _LONGEST_TEXT if entry.puzzle is None else None])
    line = str(entry.line) if entry.line else row.line  # unknown for a broken source
    if (row.index, row.line, row.puzzle) == (str(number), line, text):
        return
    for what, here, there in (
        ("index", row.index, str(number)),
        ("line", row.line, line),
        ("puzzle", row.puzzle, text),
    ):
        if here != there:
            report.bad(f"the {what} is {here[:100]!r}, by the original {there[:100]!r}")


def _audit_count(row: PuzzleRow, lines: Sequence[str], report: Report) -> None:
    """Check that the solution files have as many grids as the row says, and the same first one."""
    filled = [line for line in lines if line.strip(".")]
    if row.solutions != str(len(filled)) or filled != [*lines[: len(filled)]]:
        report.bad(
            f"{row.solutions[:20]} solutions are told, "
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
        grid = _grid_in(text, entry.signs, puzzle)
        if grid is None:
            report.bad(f"{name}: {text[:100]!r} is no grid of the puzzle's size")
        else:
            grids[name] = grid
            if " " in text and (grid.geometry.side <= 9 or text != _in_numbers(grid)):
                report.bad(f"{name}: {text[:100]!r} is written otherwise")
    if len(set(grids.values())) < len(grids):
        report.bad("two of its solutions are the same grid")
    return grids


def _in_numbers(grid: Grid) -> str:
    return " ".join(map(str, grid.values))


def _what(puzzle: Puzzle | None) -> str:
    return "no puzzle" if puzzle is None else "a puzzle"


def _audit_claim(row: PuzzleRow, report: Report) -> None:
    """Check that status, number of solutions and completeness agree."""
    if not (row.solutions.isascii() and row.solutions.isdecimal() and len(row.solutions) < 10):
        report.bad(f"solutions: expected a number, found {row.solutions[:20]!r}")
    elif row.complete not in _COMPLETE:
        report.bad(f"complete: expected true or false, found {row.complete[:20]!r}")
    elif fault := fault_in_status(row.status, int(row.solutions), _COMPLETE[row.complete]):
        report.bad(fault)


def _puzzle_of(entry: Entry) -> Puzzle | None:
    if entry.plain:
        return Puzzle(_NINE, tuple(map(_MASKS.__getitem__, entry.text)))
    return entry.puzzle


def _grid_in(line: str, signs: str, puzzle: Puzzle | None) -> Grid | None:
    """The grid in a line of a solution file, written like the puzzle; None if it is invalid."""
    if puzzle is None or not line.isascii():
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
        return Grid(puzzle.geometry, tuple(values))
    except ValueError:
        return None


def certify_lines(rows: Sequence[Read], report: Report) -> None:
    """Check all grids of some rows against their puzzles; those of one geometry together."""
    groups: dict[Geometry, list[tuple[Read, Puzzle, str, Grid]]] = {}
    for row in rows:
        for name, grid in row.grids.items():
            if row.puzzle is not None:
                groups.setdefault(grid.geometry, []).append((row, row.puzzle, name, grid))
    for geometry, group in groups.items():
        if geometry.side <= _LARGEST_TOGETHER:
            masks = np.array([puzzle.cells for _, puzzle, _, _ in group], np.uint64)
            grids = np.array([grid.values for *_, grid in group], np.uint16)
            good = certify_many(geometry, masks, grids)
            doubtful = [group[at] for at in np.flatnonzero(~good)]
        else:
            doubtful = group
        for row, puzzle, name, grid in doubtful:
            violations = certify_grid(puzzle, grid)
            if not violations and geometry.side <= _LARGEST_TOGETHER:
                report.bad(f"{name}: line {row.number} is no solution")
            for violation in violations[:_SHOWN]:
                report.bad(f"{name}: line {row.number}: {violation}")
