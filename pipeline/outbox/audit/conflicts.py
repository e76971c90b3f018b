"""Check how a record explains its result: conflict, difference and disagreement."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from itertools import chain, combinations
from operator import and_
from typing import NamedTuple, TypeVar

from pipeline.certify import certify_grid
from pipeline.certify.exhaustive import OUT_OF_TIME, unit_without_matching
from pipeline.errors import PipelineError, counted
from pipeline.outbox.audit.completeness import Undecided, has_solution, timeout_advice
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.published import PublishedPuzzle
from pipeline.outbox.schema import (
    PuzzleRecord,
    RecordedCell,
    RecordedClue,
    RecordedDifference,
    RecordedRule,
    or_none,
)
from pipeline.outbox.tables import parse_grid_line
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle, Rule
from pipeline.reading.formats.dimacs import CNF_FORMAT

C = TypeVar("C", bound=RecordedCell)

NOT_PUZZLE_STATUSES = ("invalid", "other")
"""Statuses of sources that are not puzzles or formulas."""

_PUZZLE_FIELDS = ("variant", "box", "grids", "free", "rules")
"""Fields that only the records of puzzles have."""

_CLOCK_INTERVAL = 1000
"""Number of combinations that are tried between two checks of the clock."""


def audit_presence(published: PublishedPuzzle, report: Findings) -> None:
    """Check that a record has the optional fields that its status and kind of source require.

    It must have no others.
    """
    record = published.record
    is_puzzle = record.format != CNF_FORMAT and record.solutions is not None
    has_conflict = or_none(record.conflict) or or_none(record.conflict_rules)
    for name, is_present, is_expected in (
        (
            "conflict",
            bool(has_conflict) or _states_no_conflict(record),
            record.status == "unsolvable",
        ),
        ("difference", or_none(record.difference) is not None, len(published.solution_files) > 1),
    ):
        if is_present != (is_expected and is_puzzle):
            report.add_problem(f"{name}: {'not expected here' if is_present else 'missing'}")
    if (or_none(record.conflict) is None) != (or_none(record.conflict_minimal) is None):
        report.add_difference("conflict_minimal must be present if and only if conflict is present")
    for name in (
        (*_PUZZLE_FIELDS, "unread")
        if record.status in NOT_PUZZLE_STATUSES
        else _PUZZLE_FIELDS
        if record.format == CNF_FORMAT
        else ()
    ):
        if or_none(getattr(record, name)) is not None:
            report.add_problem(f"{name}: not allowed with status {record.status!r}")
    if record.status in NOT_PUZZLE_STATUSES and record.format is not None:
        report.add_problem(f"format: not allowed with status {record.status!r}")


def _states_no_conflict(record: PuzzleRecord) -> bool:
    """Whether the record says that no conflict was found."""
    return or_none(record.conflict) is None and record.conflict_minimal is None


def audit_conflict(
    record: PuzzleRecord, puzzle: Puzzle | None, geometry: Geometry, report: Findings
) -> None:
    """Check the conflict in a record: it is part of the puzzle, and it has no solution.

    If the record calls the conflict minimal, check that too. `puzzle` is None if the original is
    unknown.
    """
    report = report.section("conflict")
    if _states_no_conflict(record):
        report.add_note("none was found in time")
        if puzzle and (unit := unit_without_matching(puzzle)):
            report.add_problem(f"none is recorded, but the clues of {unit} contradict each other")
        return
    parts = _conflict_parts(record, puzzle, geometry, report)
    if not parts:
        return
    end = time.monotonic() + report.options.seconds
    try:
        if has_solution(_puzzle_of(parts, geometry), report.options, end):
            report.add_problem("its clues do not contradict each other: they have a solution")
            return
        for part in parts if record.conflict_minimal is not False else ():
            other_parts = [other for other in parts if other is not part]
            if not has_solution(_puzzle_of(other_parts, geometry), report.options, end):
                report.add_problem(f"not minimal: without {part.name} there is still no solution")
                return
    except PipelineError as error:
        report.add_gap(f"not checked: {error}{timeout_advice(end)}")


class _ConflictPart(NamedTuple):
    """A clue or a rule of a conflict.

    - `cell`, `mask`: the cell of a clue, and the mask of the values that the clue allows.
    - `rules`: the rule, if the part is one.
    """

    name: str
    cell: int = 0
    mask: int = -1
    rules: tuple[Rule, ...] = ()


def _puzzle_of(parts: Iterable[_ConflictPart], geometry: Geometry) -> Puzzle:
    """Make the puzzle that consists of these parts of a conflict."""
    cells = [geometry.all_values] * geometry.size
    for part in parts:
        cells[part.cell] &= part.mask
    rules = chain.from_iterable(part.rules for part in parts)
    return Puzzle(geometry, tuple(cells), tuple(rules))


def _conflict_parts(
    record: PuzzleRecord, puzzle: Puzzle | None, geometry: Geometry, report: Findings
) -> list[_ConflictPart]:
    """The parts of a conflict; empty if one of them is missing from the puzzle or unknown."""
    clues = _index_by_cell(or_none(record.conflict) or (), geometry, report)
    recorded = or_none(record.conflict_rules) or ()
    if clues is None or (recorded and puzzle is None):
        return []
    parts = []
    for cell, clue in clues.items():
        mask = _allowed_mask(clue, geometry)
        if not mask or (puzzle and puzzle.cells[cell] != mask):
            report.add_problem(f"the original does not have {clue}")
            return []
        parts.append(_ConflictPart(str(clue), cell, mask))
    for entry in recorded:
        rules = recorded_rule(puzzle, entry, report) if puzzle else ()
        if not rules:
            return []
        parts.append(_ConflictPart(entry.text, rules=rules))
    return parts


def recorded_rule(puzzle: Puzzle, recorded: RecordedRule, report: Findings) -> tuple[Rule, ...]:
    """Find the rule of a puzzle that a record names. Returns a tuple of that rule, or an empty one.

    A missing rule is reported. A rule whose description is not the recorded one is reported too,
    and is returned only if another build wrote the record, because builds may differ in wording.
    """
    rules = puzzle.rules[recorded.number - 1 : recorded.number]
    if [rule.describe(puzzle.geometry) for rule in rules] != [recorded.text]:
        add_finding = report.add_difference if rules else report.add_problem
        add_finding(f"the original does not have rule {recorded.number}, {recorded.text[:100]!r}")
        return () if report.is_current_build else rules
    return rules


def _index_by_cell(clues: Sequence[C], geometry: Geometry, report: Findings) -> dict[int, C] | None:
    """Map cells to clues. Returns None if a clue is outside the grid, or two are in one cell."""
    clues_by_cell: dict[int, C] = {}
    for clue in clues:
        cell = geometry.cell_at(clue.row, clue.column)
        if cell is None:
            report.add_problem(f"{clue} is not in the grid")
            return None
        if clues_by_cell.setdefault(cell, clue) is not clue:
            report.add_problem(f"row {clue.row}, column {clue.column} is named twice")
            return None
    return clues_by_cell


def _allowed_mask(clue: RecordedClue, geometry: Geometry) -> int:
    """The mask of the values that a clue allows; 0 if one of them is out of range."""
    content = clue.content
    if isinstance(content, str):
        return geometry.even_values if content == "even" else geometry.odd_values
    allowed = {content} if isinstance(content, int) else {*content}
    in_range = all(value in geometry.values for value in allowed)
    return sum(1 << value - geometry.lowest for value in allowed) if in_range else 0


def audit_difference(
    difference: RecordedDifference, grids: Sequence[Grid], report: Findings
) -> None:
    """Check that distinct grids differ in the recorded cells, and in no others.

    Also check that exactly one grid has the decisive values.
    """
    report = report.section("difference")
    geometry = grids[0].geometry
    recorded = _index_by_cell(difference.cells, geometry, report)
    decisive = _index_by_cell(difference.decisive, geometry, report)
    if recorded is None or decisive is None:
        return
    grids_by_value = _grids_by_value(grids)
    for cells, fault in (
        (
            recorded.keys() - grids_by_value.keys(),
            "is listed, but all solutions have the same value there",
        ),
        (grids_by_value.keys() - recorded.keys(), "is not listed, but the solutions differ there"),
    ):
        for cell in sorted(cells)[:1]:
            row, column = geometry.place(cell)
            report.add_problem(f"row {row}, column {column} {fault}")
    all_grids = (1 << len(grids)) - 1
    remaining = all_grids
    for cell, clue in decisive.items():
        by_value = grids_by_value.get(cell, {grids[0].values[cell]: all_grids})
        remaining &= by_value.get(clue.value, 0)
    if remaining.bit_count() != 1:
        number = counted(remaining.bit_count(), "solution")
        report.add_problem(f"the decisive values leave {number}, not one")
    elif difference.exact:
        masks = {mask for by_value in grids_by_value.values() for mask in by_value.values()}
        fewer, end = len(decisive) - 1, time.monotonic() + report.options.seconds
        try:
            if _can_single_out(all_grids, masks, fewer, end):
                report.add_problem(
                    f"exact is true, but {counted(fewer, 'value')} can leave one solution"
                )
        except Undecided as error:
            report.add_gap(
                f"not checked whether a smaller number suffices: {error}{timeout_advice(end)}"
            )


def _grids_by_value(grids: Sequence[Grid]) -> dict[int, dict[int, int]]:
    """Map each cell in which grids differ to {value: bit mask of the grids with this value}."""
    columns: dict[int, dict[int, int]] = {}
    for cell, column in enumerate(zip(*(grid.values for grid in grids), strict=True)):
        if len(values := {*column}) > 1:
            columns[cell] = {
                value: int("".join("01"[digit == value] for digit in column), 2) for value in values
            }
    return columns


def _can_single_out(all_grids: int, masks: Collection[int], size: int, end: float) -> bool:
    """Whether there are 1 to `size` masks of grids that have exactly one grid in common.

    Raises Undecided if the time runs out.
    """
    tried = chain.from_iterable(combinations(masks, count) for count in range(1, size + 1))
    for number, chosen in enumerate(tried):
        if number % _CLOCK_INTERVAL == 0 and time.monotonic() > end:
            raise Undecided(OUT_OF_TIME)
        if reduce(and_, chosen, all_grids).bit_count() == 1:
            return True
    return False


def is_wrong_solution(
    claimed: str | None,
    symbols: str,
    puzzle: Puzzle | None,
    grids: Collection[Grid],
    *,
    complete: bool,
) -> bool:
    """Whether the solution in an original breaks the rules, or is missing from a complete list.

    - `claimed`: the solution in the original; None if there is none.
    - `symbols`: the characters of the values; empty for digits.
    - `complete`: whether `grids` are all solutions.
    """
    if claimed is None or puzzle is None:
        return False
    grid = parse_grid_line(claimed, symbols, puzzle.geometry)
    if grid is None or certify_grid(puzzle, grid):
        return True
    return complete and grid not in grids
