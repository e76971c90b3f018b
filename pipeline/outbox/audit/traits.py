"""Recompute the traits in tables and records.

Redundant givens are determined by exhaustive search, not by a solver. They, and the canonical forms
of puzzles with one solution, are recomputed for all rows; efforts, ratings, and the forms of other
puzzles for a sample.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from pipeline.catalogue.puzzle_arrays import Flags
from pipeline.catalogue.redundant import redundant_parts
from pipeline.catalogue.traits import (
    MAX_TRAITS_SIDE,
    NON_UNIQUE,
    RedundancyFinder,
    SolvedBatch,
    find_traits,
)
from pipeline.certify import certify_grid, certify_many
from pipeline.certify.many import Verdict, search_all_of_batch
from pipeline.certify.missing import find_missing
from pipeline.errors import InputError
from pipeline.outbox.audit.audited_rows import RowChunk
from pipeline.outbox.audit.conflicts import recorded_rule
from pipeline.outbox.audit.sets import Findings
from pipeline.outbox.schema import PuzzleRecord, or_none
from pipeline.outbox.tables import columns, grid_in
from pipeline.outbox.traits import TRAITS, record_fields, row_fields, traits_in_record
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving import Traits

SAMPLE_ROWS = 64
"""Rows of a chunk for which slow traits are recomputed; a chunk has a few thousand."""

_BATCH_GIVENS = 1 << 15
"""Givens per batch of searches; each search leaves out one."""


@dataclass(frozen=True, slots=True)
class TraitFields:
    """The fields of a puzzle for each trait, as comma-separated texts; `grid` is its solution."""

    puzzle: Puzzle
    status: str
    grid: Grid | None
    texts: dict[str, str]
    report: Findings


def audit_rows(chunk: RowChunk, trait_names: Sequence[str], report: Findings) -> None:
    """Check the trait columns of these rows."""
    rows = []
    for index, fields in enumerate(chunk.trait_fields):
        try:
            entry, row = chunk.entry(index), chunk.row(index)
        except InputError:  # reported with the other columns
            continue
        row_report = chunk.section(index, report)
        if fields is None:
            row_report.add_problem("the columns of --traits are missing")
        elif puzzle := entry.puzzle_read:
            solution = row.solution
            grid = grid_in(solution, entry.signs, puzzle.geometry) if solution else None
            rows.append(
                TraitFields(
                    puzzle, row.status, grid, _fields_by_trait(fields, trait_names), row_report
                )
            )
        elif any(fields):
            row_report.add_problem("--traits columns are filled, but the row has no puzzle")
    _audit_fields(rows, report.options.seconds)


def audit_record(
    record: PuzzleRecord, puzzle: Puzzle, grids: Sequence[Grid], report: Findings
) -> None:
    """Check the traits in a puzzle's record; `grids` are its published solutions."""
    trait_names = traits_in_record(record)
    place, givens = puzzle.geometry.place, puzzle.givens()
    values = {place(cell): value for cell, value in givens}
    for given in or_none(record.redundant) or ():
        if values.get(given.place) != given.value:
            report.add_problem(f"--traits minimal: the puzzle does not have the given {given}")
    for rule in or_none(record.redundant_rules) or ():
        recorded_rule(puzzle, rule, report.section("--traits minimal"))
    if (rating := or_none(record.rating)) and bool(rating.failed) != (rating.level is None):
        report.add_problem(
            "--traits rating: expected either a level or failed, not both or neither"
        )
    if trait_names:
        recorded, grid = (
            _fields_by_trait(record_fields(record, trait_names), trait_names),
            grids[0] if grids else None,
        )
        _audit_fields(
            [TraitFields(puzzle, record.status, grid, recorded, report)], report.options.seconds
        )


def _audit_fields(rows: Sequence[TraitFields], seconds: float) -> None:
    """Check the trait fields of puzzles; `seconds` limits the search for each puzzle."""
    groups = defaultdict[Geometry, list[TraitFields]](list)
    for row in rows:
        for name, text in row.texts.items():
            if not TRAITS[name].pattern.fullmatch(text):
                row.report.add_problem(
                    f"the columns of --traits {name} are malformed: {text[:100]!r}"
                )
        if row.puzzle.is_plain and row.puzzle.geometry.side <= MAX_TRAITS_SIDE:
            groups[row.puzzle.geometry].append(row)
        else:
            _audit_variant(row, seconds)
    for geometry, group in groups.items():
        _audit_batch(geometry, group, seconds)


def _audit_variant(row: TraitFields, seconds: float) -> None:
    """Recheck which parts of a variant are redundant, by exhaustive search."""
    recorded, puzzle, grid = row.texts, row.puzzle, row.grid
    is_small = puzzle.geometry.side <= MAX_TRAITS_SIDE
    is_expected = is_small and not puzzle.is_plain and row.status == "unique" and grid is not None
    if any(
        text.strip(",") for name, text in recorded.items() if name != "minimal" or not is_expected
    ):
        row.report.add_problem("--traits columns are filled that do not apply to this puzzle")
    if grid is None or not is_expected or not (here := recorded.get("minimal", ",").strip(",")):
        return  # the field is empty if the time ran out
    if certify_grid(puzzle, grid):
        return  # wrong solutions are reported elsewhere

    def is_unique(fewer: Puzzle, left: float) -> bool | None:
        searched = find_missing(fewer, [grid], seconds=left)
        return False if searched.missing else searched.is_complete or None

    if parts := redundant_parts(puzzle, is_unique, seconds):
        computed = Traits(("minimal",), redundant=parts.givens, redundant_rules=parts.rules)
        there = row_fields(computed, puzzle.geometry).strip(",")
        if here != there:
            row.report.add_problem(_difference("minimal", here, there))


def _fields_by_trait(fields: Sequence[str], trait_names: Sequence[str]) -> dict[str, str]:
    """The fields of a row by trait, each as a comma-separated text."""
    rest = iter(fields)
    return {name: ",".join(islice(rest, len(columns(TRAITS[name])))) for name in trait_names}


def _audit_batch(geometry: Geometry, rows: Sequence[TraitFields], seconds: float) -> None:
    """Recompute the traits of puzzles of one geometry and compare.

    Rows with a wrong solution are skipped, because they are reported elsewhere.
    """
    blank = (1,) * geometry.size
    statuses = np.array([row.status for row in rows])
    has_grid = np.array([row.grid is not None for row in rows])
    solved = SolvedBatch(
        geometry,
        np.array([row.puzzle.cells for row in rows], np.min_scalar_type(geometry.all_values)),
        (statuses == "unique") & has_grid,
        np.isin(statuses, NON_UNIQUE),
        np.array([row.grid.values if row.grid else blank for row in rows], np.uint8),
    )
    sound = np.flatnonzero(~has_grid | certify_many(geometry, solved.masks, solved.solutions))
    expected = _expected_fields(solved.take(sound), tuple(rows[0].texts), seconds)
    for name, texts in expected.items():
        for index, there in zip(sound.tolist(), texts, strict=True):
            row, here = rows[index], rows[index].texts[name]
            if there is not None and here != there:
                _report_difference(name, here, there, row)


def _report_difference(name: str, here: str, there: str, row: TraitFields) -> None:
    """Report that the recorded fields `here` are not the computed fields `there`."""
    report, message = row.report, _difference(name, here, there)
    if there.startswith("failed"):  # a step failed its check, which is a bug in this program
        report.add_gap(message)
    elif name == "minimal" and row.status == "unique" and "," in (here, there):
        report.add_note(f"{message}: time ran out for one of the two")
    elif report.is_ours or name == "minimal":
        report.add_problem(message)
    else:  # canonical forms and measures of difficulty depend on the version
        report.add_gap(f"{message}: a different version wrote it")


def _difference(name: str, recorded: str, computed: str) -> str:
    return f"--traits {name}: recorded {recorded[:200]!r}, computed {computed[:200]!r}"


def _expected_fields(
    solved: SolvedBatch, trait_names: tuple[str, ...], seconds: float
) -> dict[str, list[str | None]]:
    """The correct fields of each puzzle by trait; None where they were not computed."""
    nothing = {name: "," * (len(columns(TRAITS[name])) - 1) for name in trait_names}
    expected: dict[str, list[str | None]] = {}
    one, several = map(np.flatnonzero, (solved.unique, solved.non_unique))
    known_for = {"unique": (one,), "decided": (one, several)}
    for name in trait_names:
        texts: list[str | None] = [nothing[name]] * len(solved.masks)
        for indexes in known_for[TRAITS[name].known_for]:
            is_sampled = TRAITS[name].is_slow or indexes is not one
            sample = indexes[:: max(1, -(-len(indexes) // SAMPLE_ROWS))] if is_sampled else indexes
            for place in indexes.tolist():
                texts[place] = None
            computed = find_traits(solved.take(sample), (name,), _redundancy_finder(seconds))
            for place, traits in zip(sample.tolist(), computed, strict=True):
                texts[place] = row_fields(traits, solved.geometry)[1:]
        expected[name] = texts
    return expected


def _redundancy_finder(seconds: float) -> RedundancyFinder:
    """A finder of redundant givens that searches exhaustively, up to `seconds` per puzzle."""

    def find_redundant(solved: SolvedBatch) -> tuple[Flags, Flags]:
        masks, solutions = solved.masks, solved.solutions
        places, cells = np.nonzero(masks & (masks - 1) == 0)
        redundant, certain = np.zeros(masks.shape, np.bool_), np.ones(len(masks), np.bool_)
        for start in range(0, len(places), _BATCH_GIVENS):
            chosen, own = (
                places[start : start + _BATCH_GIVENS],
                cells[start : start + _BATCH_GIVENS],
            )
            asked = masks[chosen]
            asked[np.arange(len(chosen)), own] = solved.geometry.all_values
            claimed = np.ones(len(chosen), np.int64), solutions[None, chosen]
            verdicts, _ = search_all_of_batch(
                solved.geometry, asked, *claimed, seconds * len(chosen)
            )
            redundant[chosen, own] = verdicts == Verdict.COMPLETE
            certain[chosen[verdicts == Verdict.UNDECIDED]] = False
        return redundant, certain

    return find_redundant
