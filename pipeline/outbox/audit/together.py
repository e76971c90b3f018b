"""Audit batches of rows as arrays: whether their solutions are right and complete."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pipeline.certify import certify_grid, certify_many
from pipeline.certify.many import Verdict, search_all_of_batch
from pipeline.outbox.audit.audited_rows import AuditedRow, RowChunk
from pipeline.outbox.audit.sets import Findings
from pipeline.outbox.fits import COMPLETE, misfit
from pipeline.outbox.tables import PuzzleRow, quoted
from pipeline.puzzle.geometry import NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.plain import masks_of_plain

_LARGEST_TOGETHER = 64
_SHOWN = 3
_CELLS = 81
_BLANK = "." * _CELLS
_COUNT = re.compile("0|[1-9][0-9]{0,5}")


def sought_in(row: PuzzleRow) -> Verdict:
    """The verdict on completeness that a row asserts; UNDECIDED if it asserts none."""
    return _sought(row.status, row.solutions, row.complete)


def _sought(status: str, solutions: str, complete: str) -> Verdict:
    if complete == "true":
        return Verdict.COMPLETE
    alone = status == "multiple" and solutions == "1"
    return Verdict.INCOMPLETE if alone else Verdict.UNDECIDED


def right_at_once(chunk: RowChunk, seconds: float) -> dict[str, list[int]]:
    """Find rows of plain 9×9 puzzles that are entirely right; other rows may be right, too.

    Maps assertion texts (the fields from the status to the certificate) to the indices of rows.
    `seconds` limits the search for other solutions, per row.
    """
    right = {}
    for claim, rows_asserting in _told_plainly(chunk).items():
        count, sought = _claimed(claim)
        lines = [
            chunk.lines[row][number] for number in range(1, count + 1) for row in rows_asserting
        ]
        grids = _signs(lines).reshape(count, len(rows_asserting), _CELLS) - np.uint8(ord("0"))
        legible = np.flatnonzero((grids - np.uint8(1) < 9).all(axis=(0, 2)))
        masks, counts = (
            masks_of_plain(_signs(rows_asserting.values())[legible]),
            np.full(len(legible), count),
        )
        time = seconds * len(legible)
        verdicts, _ = search_all_of_batch(NINE, masks, counts, grids[:, legible], time)
        right[claim] = np.array([*rows_asserting])[legible[verdicts == sought]].tolist()
    return right


def _told_plainly(chunk: RowChunk) -> dict[str, dict[int, str]]:
    """The rows that have only a plain puzzle, and solutions that match the solution files.

    Maps assertion texts (the fields from the status to the certificate) to {index: puzzle}.
    """
    contents = chunk.contents
    places = np.arange(chunk.start, chunk.start + len(chunk))
    numbers = contents.plain.numbers.tolist()
    text = contents.plain.cells.tobytes().decode("ascii")
    told_plainly = defaultdict[str, dict[int, str]](dict)
    blanks = [_BLANK] * (len(chunk.names) - 1)
    for index, plain in enumerate(contents.lines_of(places).tolist()):
        row, *solutions = chunk.lines[index]
        first = claimed = solutions[0] if solutions and solutions[0] != _BLANK else ""
        title = ""
        if plain >= 0:
            line, puzzle = numbers[plain], text[_CELLS * plain : _CELLS * (plain + 1)]
        else:
            entry = chunk.entry(index)
            line, puzzle, claimed = entry.line, entry.text, entry.claimed or first
            title = quoted(entry.title)
            if not entry.plain or entry.unread:
                continue
        begun, end = f"{chunk.first + index},{line},{puzzle},", f",{first},,,{title}"
        if not (row.startswith(begun) and row.endswith(end) and claimed == first):
            continue
        claim = row[len(begun) : -len(end)]
        count, sought = _claimed(claim)
        filled = solutions[:count]
        if (
            sought
            and len(first) == (_CELLS if count else 0)
            and (count < 2 or {*map(len, filled)} == {_CELLS})
            and len(filled) == count
            and solutions[count:] == blanks[count:]
        ):
            told_plainly[claim][index] = puzzle
    return told_plainly


@lru_cache(maxsize=1024)
def _claimed(claim: str) -> tuple[int, Verdict]:
    """The number of solutions and the verdict in an assertion text; UNDECIDED if contradictory."""
    status, solutions, complete, certificate, *more = [*claim.split(","), "", "", ""]
    is_legible = more == ["", "", ""] and _COUNT.fullmatch(solutions) and complete in COMPLETE
    if not is_legible or misfit(status, int(solutions), COMPLETE[complete], certificate):
        return 0, Verdict.UNDECIDED
    return int(solutions), _sought(status, solutions, complete)


def _signs(lines: Iterable[str]) -> NDArray[np.uint8]:
    """The characters of q lines of 81, (q, 81)."""
    text = "".join(lines).encode("ascii", "replace")
    return np.frombuffer(text, np.uint8).reshape(-1, _CELLS)


def certify_lines(rows: Sequence[AuditedRow], report: Findings) -> set[int]:
    """Check the grids of rows against their puzzles, in one batch per geometry.

    Returns the numbers of the rows with a grid that is not a solution.
    """
    unsound = set()
    for geometry, group in _by_geometry(rows):
        lines = [(row, puzzle, *named) for row, puzzle in group for named in row.grids.items()]
        if geometry and lines:
            masks = np.array([puzzle.cells for _, puzzle, _, _ in lines], np.uint64)
            grids = np.array([grid.values for *_, grid in lines], np.uint16)
            lines = [
                lines[index] for index in np.flatnonzero(~certify_many(geometry, masks, grids))
            ]
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
    """The numbers of rows whose assertion about further solutions is right.

    Rows of one geometry are searched as a batch, with `seconds` per row. Variants are skipped.
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
            verdicts, _ = search_all_of_batch(geometry, masks, counts, grids, seconds * len(group))
            results = zip(group, verdicts.tolist(), strict=True)
            right |= {row.number for (row, _), verdict in results if verdict == sought_in(row.row)}
    return right


def _by_geometry(
    rows: Sequence[AuditedRow],
) -> Iterable[tuple[Geometry | None, list[tuple[AuditedRow, Puzzle]]]]:
    """The rows with a puzzle by geometry; None collects the rows that are checked one by one."""
    groups = defaultdict[Geometry | None, list[tuple[AuditedRow, Puzzle]]](list)
    for row in rows:
        if puzzle := row.puzzle:
            together = puzzle.is_plain and puzzle.geometry.side <= _LARGEST_TOGETHER
            groups[puzzle.geometry if together else None].append((row, puzzle))
    return groups.items()
