"""Audit batches of rows as arrays: check their solutions, and whether there are others."""

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
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.consistency import COMPLETE_VALUES, contradiction
from pipeline.outbox.tables import PuzzleRow, csv_field
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.plain import masks_of_plain

_MAX_BATCH_SIDE = 64
"""Side of the largest puzzles that are checked in batches."""
_MAX_VIOLATIONS = 3
"""Maximum number of reported violations of a grid."""
_CELLS = 81
_NO_SOLUTION = "." * _CELLS
"""The line of a solution file for a puzzle that has no solution in this file."""
_COUNT = re.compile("0|[1-9][0-9]{0,5}")


def asserted_verdict(row: PuzzleRow) -> Verdict:
    """The verdict on further solutions that a row asserts; UNDECIDED if it asserts none."""
    return _verdict(row.status, row.solutions, row.complete)


def _verdict(status: str, solutions: str, complete: str) -> Verdict:
    if complete == "true":
        return Verdict.COMPLETE
    is_single = status == "multiple" and solutions == "1"
    return Verdict.INCOMPLETE if is_single else Verdict.UNDECIDED


def find_correct_rows(chunk: RowChunk, seconds: float) -> dict[str, list[int]]:
    """Find rows of plain 9×9 puzzles that are entirely correct. Other rows need further checks.

    Returns a map from assertions to the indices of the rows in the chunk. An assertion is the text
    of the fields from `status` to `certificate`. `seconds` is the time limit of the search per row.
    """
    correct = {}
    for assertion, rows in _find_simple_rows(chunk).items():
        count, asserted = _parse_assertion(assertion)
        lines = [chunk.lines[index][file] for file in range(1, count + 1) for index in rows]
        grids = _characters(lines).reshape(count, len(rows), _CELLS) - np.uint8(ord("0"))
        valid = np.flatnonzero((grids - np.uint8(1) < 9).all(axis=(0, 2)))
        masks, counts = (
            masks_of_plain(_characters(rows.values())[valid]),
            np.full(len(valid), count),
        )
        time = seconds * len(valid)
        verdicts, _ = search_all_of_batch(NINE_BY_NINE, masks, counts, grids[:, valid], time)
        correct[assertion] = np.array([*rows])[valid[verdicts == asserted]].tolist()
    return correct


def _find_simple_rows(chunk: RowChunk) -> dict[str, dict[int, str]]:
    """Find the rows of plain puzzles that have no message, and whose lines are consistent.

    Returns a map from assertions to {index of the row: puzzle}.
    """
    contents = chunk.contents
    places = np.arange(chunk.start, chunk.start + len(chunk))
    numbers = contents.plain.numbers.tolist()
    text = contents.plain.cells.tobytes().decode("ascii")
    simple_rows = defaultdict[str, dict[int, str]](dict)
    blanks = [_NO_SOLUTION] * (len(chunk.names) - 1)
    for index, plain in enumerate(contents.lines_of(places).tolist()):
        row_line, *solutions = chunk.lines[index]
        first = claimed = solutions[0] if solutions and solutions[0] != _NO_SOLUTION else ""
        title = ""
        if plain >= 0:
            line, puzzle = numbers[plain], text[_CELLS * plain : _CELLS * (plain + 1)]
        else:
            entry = chunk.entry(index)
            line, puzzle, claimed = entry.line, entry.text, entry.claimed or first
            title = csv_field(entry.title)
            if not entry.plain or entry.unread:
                continue
        head, end = f"{chunk.first + index},{line},{puzzle},", f",{first},,,{title}"
        if not (row_line.startswith(head) and row_line.endswith(end) and claimed == first):
            continue
        assertion = row_line[len(head) : -len(end)]
        count, asserted = _parse_assertion(assertion)
        filled = solutions[:count]
        if (
            asserted
            and len(first) == (_CELLS if count else 0)
            and (count < 2 or {*map(len, filled)} == {_CELLS})
            and len(filled) == count
            and solutions[count:] == blanks[count:]
        ):
            simple_rows[assertion][index] = puzzle
    return simple_rows


@lru_cache(maxsize=1024)
def _parse_assertion(assertion: str) -> tuple[int, Verdict]:
    """The number of solutions in an assertion, and the verdict that it asserts.

    The verdict is UNDECIDED if the fields are malformed or contradict each other.
    """
    status, solutions, complete, certificate, *more = [*assertion.split(","), "", "", ""]
    is_well_formed = (
        more == ["", "", ""] and _COUNT.fullmatch(solutions) and complete in COMPLETE_VALUES
    )
    if not is_well_formed or contradiction(
        status, int(solutions), COMPLETE_VALUES[complete], certificate
    ):
        return 0, Verdict.UNDECIDED
    return int(solutions), _verdict(status, solutions, complete)


def _characters(lines: Iterable[str]) -> NDArray[np.uint8]:
    """The characters (Q, 81) of lines of 81 characters."""
    text = "".join(lines).encode("ascii", "replace")
    return np.frombuffer(text, np.uint8).reshape(-1, _CELLS)


def certify_lines(rows: Sequence[AuditedRow], report: Findings) -> set[int]:
    """Check the grids of rows against their puzzles, in one batch per geometry.

    Returns the numbers of the rows with a grid that is not a solution.
    """
    wrong = set()
    for geometry, group in _group_by_geometry(rows):
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
                wrong.add(row.number)
            if not violations and geometry:
                report.add_problem(f"{name}: line {row.number} is not a solution")
            for violation in violations[:_MAX_VIOLATIONS]:
                report.add_problem(f"{name}: line {row.number}: {violation}")
    return wrong


def find_correct_completeness(rows: Sequence[AuditedRow], seconds: float) -> set[int]:
    """The numbers of the rows whose assertion about further solutions is correct.

    Each geometry is searched as a batch, for up to `seconds` per row. Variants are skipped.
    """
    correct = set()
    for geometry, group in _group_by_geometry(rows):
        if geometry:
            counts = np.array([len(row.grids) for row, _ in group])
            kind = np.min_scalar_type(geometry.all_values)
            masks = np.array([puzzle.cells for _, puzzle in group], kind)
            grids = np.zeros((counts.max(), *masks.shape), np.uint8)
            for index, (row, _) in enumerate(group):
                for rank, grid in enumerate(row.grids.values()):
                    grids[rank, index] = grid.values
            verdicts, _ = search_all_of_batch(geometry, masks, counts, grids, seconds * len(group))
            results = zip(group, verdicts.tolist(), strict=True)
            correct |= {
                row.number for (row, _), verdict in results if verdict == asserted_verdict(row.row)
            }
    return correct


def _group_by_geometry(
    rows: Sequence[AuditedRow],
) -> Iterable[tuple[Geometry | None, list[tuple[AuditedRow, Puzzle]]]]:
    """Group the rows that have a puzzle by geometry; None for rows to be checked one by one."""
    groups = defaultdict[Geometry | None, list[tuple[AuditedRow, Puzzle]]](list)
    for row in rows:
        if puzzle := row.puzzle:
            is_batched = puzzle.is_plain and puzzle.geometry.side <= _MAX_BATCH_SIDE
            groups[puzzle.geometry if is_batched else None].append((row, puzzle))
    return groups.items()
