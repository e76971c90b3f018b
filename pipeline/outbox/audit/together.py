"""Many rows audited together, as arrays: whether solutions are right, and all there are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.certify import certify_grid, certify_many
from pipeline.certify.many import Verdict, exhausted_many
from pipeline.outbox.audit.claims import fault_in_status
from pipeline.outbox.audit.rows import CERTIFICATES, COMPLETE, AuditedRow, Portion
from pipeline.outbox.audit.sets import Report
from pipeline.outbox.tables import PuzzleRow, columns
from pipeline.puzzle.puzzle import NINE, Geometry, Puzzle
from pipeline.reading.formats.plain import masks_of_plain

_LARGEST_TOGETHER = 64
_SHOWN = 3
_FIELDS = len(columns(PuzzleRow))
_BLANK, _GRID = "." * 81, re.compile("[1-9]{81}")


def sought_in(row: PuzzleRow) -> Verdict:
    """The verdict that a row claims about more solutions; UNDECIDED if it claims nothing."""
    if row.complete == "true":
        return Verdict.COMPLETE
    alone = row.status == "multiple" and row.solutions == "1"
    return Verdict.INCOMPLETE if alone else Verdict.UNDECIDED


def right_at_once(portion: Portion, seconds: float) -> dict[int, PuzzleRow]:
    """Rows of plain 9×9 puzzles that are right in all they say, by place; others may be so too.

    The search for other solutions has so many seconds for each.
    """
    told = {at: row for at in range(len(portion.entries)) if (row := _told_plainly(portion, at))}
    if not told:
        return {}
    counts = np.array([int(row.solutions) for row in told.values()])
    masks = masks_of_plain(_signs(portion.entries[at].text for at in told))
    grids = np.stack(
        [
            _signs(portion.lines[at][number] for at in told) - np.uint8(ord("0"))
            for number in range(1, 1 + counts.max(initial=1))
        ]
    )
    verdicts, _ = exhausted_many(NINE, masks, counts, grids, seconds * len(told))
    return {
        at: row
        for (at, row), verdict in zip(told.items(), verdicts.tolist(), strict=True)
        if verdict == sought_in(row)
    }


def _told_plainly(portion: Portion, at: int) -> PuzzleRow | None:
    """The row if it has only a plain puzzle, its status and the solutions in its files."""
    entry, (told, *lines) = portion.entries[at], portion.lines[at]
    fields = told.split(",")
    if not entry.plain or len(fields) != _FIELDS:
        return None
    row = PuzzleRow(*fields)
    filled = [line for line in lines if line != _BLANK]
    first = filled[0] if filled else ""
    expected = (str(portion.first + at), str(entry.line), entry.text, str(len(filled)), first)
    fits = (
        (row.index, row.line, row.puzzle, row.solutions, row.solution) == expected
        and not row.message
        and not row.disagreement
        and entry.claimed in (None, first)
        and lines[: len(filled)] == filled
        and row.certificate in CERTIFICATES.get(row.complete, ())
        and not fault_in_status(row.status, len(filled), COMPLETE[row.complete])
        and sought_in(row)
        and all(map(_GRID.fullmatch, filled))
    )
    return row if fits else None


def _signs(lines: Iterable[str]) -> NDArray[np.uint8]:
    """The characters of lines of 81, (q, 81)."""
    return np.frombuffer("".join(lines).encode("ascii"), np.uint8).reshape(-1, 81)


def certify_lines(rows: Sequence[AuditedRow], report: Report) -> set[int]:
    """Check all grids of some rows against their puzzles; those of one geometry together.

    Return the numbers of the rows in which one is no solution.
    """
    unsound = set()
    for geometry, group in _by_geometry(rows):
        lines = [(row, puzzle, *named) for row, puzzle in group for named in row.grids.items()]
        if geometry and lines:
            masks = np.array([puzzle.cells for _, puzzle, _, _ in lines], np.uint64)
            grids = np.array([grid.values for *_, grid in lines], np.uint16)
            lines = [lines[at] for at in np.flatnonzero(~certify_many(geometry, masks, grids))]
        for row, puzzle, name, grid in lines:
            violations = certify_grid(puzzle, grid)
            if violations or geometry:
                unsound.add(row.number)
            if not violations and geometry:
                report.bad(f"{name}: line {row.number} is no solution")
            for violation in violations[:_SHOWN]:
                report.bad(f"{name}: line {row.number}: {violation}")
    return unsound


def rightly_said(rows: Sequence[AuditedRow], seconds: float) -> set[int]:
    """The numbers of rows that say rightly whether there are more solutions.

    Those of one geometry are searched together, so many seconds for each; not those with rules.
    """
    right = set()
    for geometry, group in _by_geometry(rows):
        if geometry:
            counts = np.array([len(row.grids) for row, _ in group])
            kind = np.min_scalar_type(geometry.all_values)
            masks = np.array([puzzle.cells for _, puzzle in group], kind)
            grids = np.zeros((counts.max(), *masks.shape), np.uint8)
            for place, (row, _) in enumerate(group):
                for rank, grid in enumerate(row.grids.values()):
                    grids[rank, place] = grid.values
            verdicts, _ = exhausted_many(geometry, masks, counts, grids, seconds * len(group))
            said = zip(group, verdicts.tolist(), strict=True)
            right |= {row.number for (row, _), verdict in said if verdict == sought_in(row.row)}
    return right


def _by_geometry(
    rows: Sequence[AuditedRow],
) -> Iterable[tuple[Geometry | None, list[tuple[AuditedRow, Puzzle]]]]:
    """The rows with a puzzle, by the geometry of those that may be checked together; else None."""
    groups = defaultdict[Geometry | None, list[tuple[AuditedRow, Puzzle]]](list)
    for row in rows:
        if puzzle := row.puzzle:
            together = puzzle.is_plain and puzzle.geometry.side <= _LARGEST_TOGETHER
            groups[puzzle.geometry if together else None].append((row, puzzle))
    return groups.items()
