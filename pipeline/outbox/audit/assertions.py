"""Check assertions other than solutions: status, conflict, difference, disagreement."""

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
from pipeline.outbox.audit.complete import Undecided, has_solution, remedy
from pipeline.outbox.audit.sets import Findings
from pipeline.outbox.published import PublishedPuzzle
from pipeline.outbox.schema import (
    Cell,
    PuzzleRecord,
    RecordedClue,
    RecordedDifference,
    RecordedRule,
    or_none,
)
from pipeline.outbox.tables import grid_in
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle, Rule
from pipeline.reading.formats.formula import CNF_FORMAT

C = TypeVar("C", bound=Cell)
UNASKED = ("invalid", "other")
"""The statuses for which no solver was asked."""
_OF_PUZZLES = ("variant", "box", "grids", "free", "rules", "unread")
_BETWEEN_LOOKS = 1000
"""Combinations that are tried between two checks of the clock."""


def audit_presence(published: PublishedPuzzle, report: Findings) -> None:
    """Check that fields about puzzles are present if and only if the status requires them."""
    record = published.record
    is_puzzle = record.format != CNF_FORMAT and record.solutions is not None
    has_conflict = or_none(record.conflict) or or_none(record.conflict_rules)
    for name, is_told, is_wanted in (
        ("conflict", bool(has_conflict) or _is_not_found(record), record.status == "unsolvable"),
        ("difference", or_none(record.difference) is not None, len(published.numbered) > 1),
    ):
        if is_told != (is_wanted and is_puzzle):
            report.bad(f"{name}: {'unexpected' if is_told else 'missing'}")
    if (or_none(record.conflict) is None) != (or_none(record.conflict_minimal) is None):
        report.rewritten("conflict_minimal: it goes with a conflict")
    for name in _OF_PUZZLES if record.status in UNASKED or record.format == CNF_FORMAT else ():
        if or_none(getattr(record, name)) is not None:
            report.bad(f"{name}: unexpected")
    if record.status in UNASKED and record.format is not None:
        report.bad("format: unexpected")


def _is_not_found(record: PuzzleRecord) -> bool:
    return or_none(record.conflict) is None and record.conflict_minimal is None


def audit_conflict(
    record: PuzzleRecord, puzzle: Puzzle | None, geometry: Geometry, report: Findings
) -> None:
    """Check a conflict: its clues are in the puzzle, are contradictory, and minimal if recorded so.

    `puzzle` is None if it is not known.
    """
    report = report.within("conflict")
    if _is_not_found(record):
        report.note("none was found in time")
        if puzzle and (unit := unit_without_matching(puzzle)):
            report.bad(f"no conflict is named, but the clues of {unit} have no solution together")
        return
    demands = _demands(record, puzzle, geometry, report)
    if not demands:
        return
    end = time.monotonic() + report.terms.seconds
    try:
        if has_solution(_demanding(demands, geometry), report.terms, end):
            report.bad("there is a grid that has all of its clues")
            return
        for demand in demands if record.conflict_minimal is not False else ():
            rest = [other for other in demands if other is not demand]
            if not has_solution(_demanding(rest, geometry), report.terms, end):
                report.bad(f"it is not minimal: without {demand.told} there is no solution either")
                return
    except PipelineError as error:
        report.gap(f"it was not checked: {error}{remedy(end)}")


class _Demand(NamedTuple):
    """A part of a conflict: its name, and the mask of a cell or a rule."""

    told: str
    cell: int = 0
    mask: int = -1
    rules: tuple[Rule, ...] = ()


def _demanding(demands: Iterable[_Demand], geometry: Geometry) -> Puzzle:
    """The puzzle that consists of these parts of a conflict."""
    cells = [geometry.all_values] * geometry.size
    for demand in demands:
        cells[demand.cell] &= demand.mask
    rules = chain.from_iterable(demand.rules for demand in demands)
    return Puzzle(geometry, tuple(cells), tuple(rules))


def _demands(
    record: PuzzleRecord, puzzle: Puzzle | None, geometry: Geometry, report: Findings
) -> list[_Demand]:
    """The parts of a conflict; empty if they are not in the puzzle, or its rules are unknown."""
    clues = _by_cell(or_none(record.conflict) or (), geometry, report)
    recorded = or_none(record.conflict_rules) or ()
    if clues is None or (recorded and puzzle is None):
        return []
    demands = []
    for cell, clue in clues.items():
        mask = _mask(clue, geometry)
        if not mask or (puzzle and puzzle.cells[cell] != mask):
            report.bad(f"the original does not have {clue}")
            return []
        demands.append(_Demand(str(clue), cell, mask))
    for entry in recorded:
        rules = named_rule(puzzle, entry, report) if puzzle else ()
        if not rules:
            return []
        demands.append(_Demand(entry.text, rules=rules))
    return demands


def named_rule(puzzle: Puzzle, recorded: RecordedRule, report: Findings) -> tuple[Rule, ...]:
    """The rule of a puzzle that a record names; empty, and reported, if it has no such rule.

    Another version may have named it differently.
    """
    rules = puzzle.rules[recorded.number - 1 : recorded.number]
    if [rule.describe(puzzle.geometry) for rule in rules] != [recorded.text]:
        add_finding = report.rewritten if rules else report.bad
        add_finding(f"the original does not have rule {recorded.number}, {recorded.text[:100]!r}")
        return () if report.is_ours else rules
    return rules


def _by_cell(clues: Sequence[C], geometry: Geometry, report: Findings) -> dict[int, C] | None:
    """The clues by cell; None if one is outside the grid, or two share a cell."""
    matches: dict[int, C] = {}
    for clue in clues:
        cell = geometry.cell_at(clue.row, clue.column)
        if cell is None:
            report.bad(f"{clue} is no cell")
            return None
        if matches.setdefault(cell, clue) is not clue:
            report.bad(f"row {clue.row}, column {clue.column} is named twice")
            return None
    return matches


def _mask(clue: RecordedClue, geometry: Geometry) -> int:
    """The mask of the values that a clue allows; 0 if one of them is too large or too small."""
    held = clue.holds
    if isinstance(held, str):
        return geometry.even_values if held == "even" else geometry.odd_values
    allowed = {held} if isinstance(held, int) else {*held}
    fits = all(value in geometry.values for value in allowed)
    return sum(1 << value - geometry.lowest for value in allowed) if fits else 0


def audit_difference(
    difference: RecordedDifference, grids: Sequence[Grid], report: Findings
) -> None:
    """Check in which cells these distinct grids differ, and which values leave only one of them."""
    report = report.within("difference")
    geometry = grids[0].geometry
    recorded = _by_cell(difference.cells, geometry, report)
    decisive = _by_cell(difference.decisive, geometry, report)
    if recorded is None or decisive is None:
        return
    holders = _holders(grids)
    for cells, fault in (
        (
            recorded.keys() - holders.keys(),
            "is listed, but all solutions have the same value there",
        ),
        (holders.keys() - recorded.keys(), "is not listed, but the solutions differ there"),
    ):
        for cell in sorted(cells)[:1]:
            row, column = geometry.place(cell)
            report.bad(f"row {row}, column {column} {fault}")
    everything = (1 << len(grids)) - 1
    left = everything
    for cell, clue in decisive.items():
        left &= holders.get(cell, {grids[0].values[cell]: everything}).get(clue.value, 0)
    if left.bit_count() != 1:
        number = counted(left.bit_count(), "solution")
        report.bad(f"{number} with the values that should leave one")
    elif difference.exact:
        options = {held for values in holders.values() for held in values.values()}
        fewer, end = len(decisive) - 1, time.monotonic() + report.terms.seconds
        try:
            if _leaves_one(everything, options, fewer, end):
                report.bad(f"{counted(fewer, 'value')} would suffice to leave one solution")
        except Undecided as error:
            report.gap(f"whether it is exact was not checked: {error}{remedy(end)}")


def _holders(grids: Sequence[Grid]) -> dict[int, dict[int, int]]:
    """For each cell in which the grids differ, maps values to the grids with them, as bits."""
    columns: dict[int, dict[int, int]] = {}
    for cell, column in enumerate(zip(*(grid.values for grid in grids), strict=True)):
        if len(values := {*column}) > 1:
            columns[cell] = {
                value: int("".join("01"[digit == value] for digit in column), 2) for value in values
            }
    return columns


def _leaves_one(everything: int, options: Collection[int], size: int, end: float) -> bool:
    """Whether some `size` or fewer of these sets of grids have a single grid in common.

    Raises Undecided.
    """
    tried = chain.from_iterable(combinations(options, few) for few in range(1, size + 1))
    for number, chosen in enumerate(tried):
        if number % _BETWEEN_LOOKS == 0 and time.monotonic() > end:
            raise Undecided(OUT_OF_TIME)
        if reduce(and_, chosen, everything).bit_count() == 1:
            return True
    return False


def is_denied(
    claimed: str | None,
    signs: str,
    puzzle: Puzzle | None,
    grids: Collection[Grid],
    *,
    complete: bool,
) -> bool:
    """Whether the solution that the original gives is wrong, or missing from a complete list.

    `claimed` is that solution, in `signs` or digits, or None.
    """
    if claimed is None or puzzle is None:
        return False
    grid = grid_in(claimed, signs, puzzle.geometry)
    if grid is None or certify_grid(puzzle, grid):
        return True
    return complete and grid not in grids
