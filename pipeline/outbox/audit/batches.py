"""Audit rows in batches: check their solutions, and whether there are other solutions."""

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
"""Maximum side of puzzles that are checked in batches."""

_MAX_VIOLATIONS = 3
"""Maximum number of violations that are reported for one grid."""

_CELL_COUNT = 81
"""Number of cells of a plain puzzle."""

_LINE_OF_DOTS = "." * _CELL_COUNT
"""The line of a solution file for a puzzle that has no solution in this file."""

_SOLUTION_COUNT = re.compile("0|[1-9][0-9]{0,5}")
"""Matches a valid field `solutions`."""


def asserted_verdict(row: PuzzleRow) -> Verdict:
    """What a row asserts: no further solutions (COMPLETE), some (INCOMPLETE), or UNDECIDED."""
    return _verdict_of_fields(row.status, row.solutions, row.complete)


def _verdict_of_fields(status: str, solutions: str, complete: str) -> Verdict:
    if complete == "true":
        return Verdict.COMPLETE
    has_unlisted = status == "multiple" and solutions == "1"
    return Verdict.INCOMPLETE if has_unlisted else Verdict.UNDECIDED


def find_correct_rows(chunk: RowChunk, seconds: float) -> dict[str, list[int]]:
    """Find the rows of plain 9×9 puzzles that are entirely correct. Other rows need further checks.

    Maps assertions to indices of rows in the chunk. An assertion is the text of the fields from
    `status` to `certificate`. `seconds`: the time limit of the search per row.
    """
    correct = {}
    for assertion, rows in _find_simple_rows(chunk).items():
        count, asserted = _parse_assertion(assertion)
        lines = [chunk.lines[index][file] for file in range(1, count + 1) for index in rows]
        grids = _ascii_array(lines).reshape(count, len(rows), _CELL_COUNT) - np.uint8(ord("0"))
        valid = np.flatnonzero((grids - np.uint8(1) < 9).all(axis=(0, 2)))
        masks = masks_of_plain(_ascii_array(rows.values())[valid])
        counts, time_limit = np.full(len(valid), count), seconds * len(valid)
        verdicts, _ = search_all_of_batch(NINE_BY_NINE, masks, counts, grids[:, valid], time_limit)
        correct[assertion] = np.array([*rows])[valid[verdicts == asserted]].tolist()
    return correct


def _find_simple_rows(chunk: RowChunk) -> dict[str, dict[int, str]]:
    """Find the rows of plain puzzles without a message that agree with the solution files.

    Maps assertions to {index of the row: puzzle}.
    """
    contents = chunk.contents
    positions = np.arange(chunk.start, chunk.start + len(chunk))
    numbers = contents.plain.numbers.tolist()
    text = contents.plain.cells.tobytes().decode("ascii")
    simple_rows = defaultdict[str, dict[int, str]](dict)
    blanks = [_LINE_OF_DOTS] * (len(chunk.names) - 1)
    for index, plain_index in enumerate(contents.lines_of(positions).tolist()):
        row_line, *solutions = chunk.lines[index]
        first = claimed = solutions[0] if solutions and solutions[0] != _LINE_OF_DOTS else ""
        title = ""
        if plain_index >= 0:
            start = _CELL_COUNT * plain_index
            line, puzzle = numbers[plain_index], text[start : start + _CELL_COUNT]
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
            and len(first) == (_CELL_COUNT if count else 0)
            and (count < 2 or {*map(len, filled)} == {_CELL_COUNT})
            and len(filled) == count
            and solutions[count:] == blanks[count:]
        ):
            simple_rows[assertion][index] = puzzle
    return simple_rows


@lru_cache(maxsize=1024)
def _parse_assertion(assertion: str) -> tuple[int, Verdict]:
    """Parse an assertion. Returns its number of solutions, and its verdict on further solutions.

    The verdict is UNDECIDED if the fields are malformed or contradict each other.
    """
    status, solutions, complete, certificate, *rest = [*assertion.split(","), "", "", ""]
    is_well_formed = (
        rest == ["", "", ""]
        and _SOLUTION_COUNT.fullmatch(solutions)
        and complete in COMPLETE_VALUES
    )
    if not is_well_formed or contradiction(
        status, int(solutions), COMPLETE_VALUES[complete], certificate
    ):
        return 0, Verdict.UNDECIDED
    return int(solutions), _verdict_of_fields(status, solutions, complete)


def _ascii_array(lines: Iterable[str]) -> NDArray[np.uint8]:
    """Convert Q lines of 81 characters to an array (Q, 81) of ASCII codes."""
    text = "".join(lines).encode("ascii", "replace")
    return np.frombuffer(text, np.uint8).reshape(-1, _CELL_COUNT)


def certify_grids_of_rows(rows: Sequence[AuditedRow], report: Findings) -> set[int]:
    """Check the grids of rows against their puzzles, in one batch per geometry.

    Returns the numbers of the rows with a grid that is not a solution.
    """
    wrong = set()
    for geometry, group in _group_by_geometry(rows):
        lines = [(row, puzzle, *item) for row, puzzle in group for item in row.grids.items()]
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
    """Find the rows whose assertion about further solutions is correct. Returns their numbers.

    The puzzles of each geometry are searched as a batch, for up to `seconds` per row. Variants are
    skipped.
    """
    correct = set()
    for geometry, group in _group_by_geometry(rows):
        if geometry:
            counts = np.array([len(row.grids) for row, _ in group])
            mask_type = np.min_scalar_type(geometry.all_values)
            masks = np.array([puzzle.cells for _, puzzle in group], mask_type)
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
    """Group the rows that have a puzzle by geometry. Rows to check one by one have the key None."""
    groups = defaultdict[Geometry | None, list[tuple[AuditedRow, Puzzle]]](list)
    for row in rows:
        if puzzle := row.puzzle:
            is_batched = puzzle.is_plain and puzzle.geometry.side <= _MAX_BATCH_SIDE
            groups[puzzle.geometry if is_batched else None].append((row, puzzle))
    return groups.items()
