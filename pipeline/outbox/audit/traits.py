"""Compute the traits in tables and records again, and compare them.

Redundant givens are determined by exhaustive search, not by a solver. For all rows, redundant
givens are computed again, and the canonical forms of puzzles with one solution. For a sample of the
rows, efforts and ratings are computed again, and the canonical forms of other puzzles.
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
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.schema import PuzzleRecord, or_none
from pipeline.outbox.tables import columns, parse_grid_line
from pipeline.outbox.traits import (
    FORMER_RATING,
    TABLE_TRAITS,
    record_fields,
    row_fields,
    traits_in_record,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.settings import RATING_TIMEOUT
from pipeline.solving import RATING_VERSION, TIME_LIMIT, Traits

SAMPLE_ROWS = 64
"""Maximum number of rows of a chunk for which slow traits are computed again. Chunks have a few
thousand rows."""

_BATCH_SEARCHES = 1 << 15
"""Number of searches in a batch. Each is for a puzzle from which one given was removed."""


@dataclass(frozen=True, slots=True)
class TraitFields:
    """The recorded traits of a puzzle.

    - `grid`: the published solution of the puzzle; None if there is none.
    - `texts`: maps each trait to its fields in a row, joined by commas.
    - `report`: the findings for messages about the puzzle.
    """

    puzzle: Puzzle
    status: str
    grid: Grid | None
    texts: dict[str, str]
    report: Findings


def audit_row_traits(chunk: RowChunk, trait_names: Sequence[str], report: Findings) -> None:
    """Check the trait columns of the rows in a chunk."""
    rows = []
    for index, fields in enumerate(chunk.trait_fields):
        try:
            entry, row = chunk.entry(index), chunk.row(index)
        except InputError:  # `read_row` reports it
            continue
        row_report = chunk.section(index, report)
        if fields is None:
            row_report.add_problem("the columns of --traits are missing")
        elif puzzle := entry.puzzle_read:
            solution = row.solution
            grid = parse_grid_line(solution, entry.symbols, puzzle.geometry) if solution else None
            rows.append(
                TraitFields(
                    puzzle, row.status, grid, _group_by_trait(fields, trait_names), row_report
                )
            )
        elif any(fields):
            row_report.add_problem("--traits columns are filled, but the row has no puzzle")
    _audit_traits(rows, report.options.seconds)


def audit_record_traits(
    record: PuzzleRecord, puzzle: Puzzle, grids: Sequence[Grid], report: Findings
) -> None:
    """Check the traits in the record of a puzzle. `grids`: its published solutions."""
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
            "--traits rating: expected either a level or a failed step, not both or neither"
        )
    if rating and rating.version != RATING_VERSION:
        add_finding = report.add_problem if report.is_current_build else report.add_gap
        add_finding(
            f"--traits rating: not compared: it has version {rating.version} of the ratings, and "
            f"this program computes version {RATING_VERSION}"
        )
        trait_names = tuple(name for name in trait_names if name != "rating")
    if trait_names:
        recorded, grid = (
            _group_by_trait(record_fields(record, trait_names), trait_names),
            grids[0] if grids else None,
        )
        _audit_traits(
            [TraitFields(puzzle, record.status, grid, recorded, report)], report.options.seconds
        )


def _audit_traits(rows: Sequence[TraitFields], seconds: float) -> None:
    """Check the recorded traits of puzzles. `seconds`: the time limit of the search per puzzle."""
    batches = defaultdict[Geometry, list[TraitFields]](list)
    for row in rows:
        for name, text in row.texts.items():
            if not TABLE_TRAITS[name].pattern.fullmatch(text):
                row.report.add_problem(
                    f"the columns of --traits {name} are malformed: {text[:100]!r}"
                )
        if row.texts.get(FORMER_RATING, "").strip(","):
            row.report.add_gap("--traits rating: not compared: an earlier version rated the puzzle")
        if row.puzzle.is_plain and row.puzzle.geometry.side <= MAX_TRAITS_SIDE:
            batches[row.puzzle.geometry].append(row)
        else:
            _audit_variant(row, seconds)
    for geometry, batch in batches.items():
        _audit_batch(geometry, batch, seconds)


def _audit_variant(row: TraitFields, seconds: float) -> None:
    """Check the recorded traits of a variant, of which only `minimal` applies.

    An exhaustive search determines again which givens and rules are redundant.
    """
    recorded, puzzle, grid = row.texts, row.puzzle, row.grid
    is_small = puzzle.geometry.side <= MAX_TRAITS_SIDE
    is_expected = is_small and not puzzle.is_plain and row.status == "unique" and grid is not None
    if any(
        text.strip(",") for name, text in recorded.items() if name != "minimal" or not is_expected
    ):
        row.report.add_problem("columns of --traits are filled that do not apply to this puzzle")
    if grid is None or not is_expected or not (listed := recorded.get("minimal", ",").strip(",")):
        return  # an empty field means that the time ran out
    if certify_grid(puzzle, grid):
        return  # other checks report wrong solutions

    def is_unique(weaker: Puzzle, seconds_left: float) -> bool | None:
        searched = find_missing(weaker, [grid], seconds=seconds_left)
        return False if searched.missing else searched.is_complete or None

    if parts := redundant_parts(puzzle, is_unique, seconds):
        computed = Traits(("minimal",), redundant=parts.givens, redundant_rules=parts.rules)
        expected = row_fields(computed, puzzle.geometry).strip(",")
        if listed != expected:
            row.report.add_problem(_difference_message("minimal", listed, expected))


def _group_by_trait(fields: Sequence[str], trait_names: Sequence[str]) -> dict[str, str]:
    """Map each trait to its fields in a row, joined by commas."""
    remaining = iter(fields)
    return {
        name: ",".join(islice(remaining, len(columns(TABLE_TRAITS[name])))) for name in trait_names
    }


def _audit_batch(geometry: Geometry, rows: Sequence[TraitFields], seconds: float) -> None:
    """Compute the traits of puzzles of one geometry again, and compare them with `rows`.

    Rows with a wrong solution are skipped, because other checks report them.
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
    rows_to_check = np.flatnonzero(
        ~has_grid | certify_many(geometry, solved.masks, solved.solutions)
    )
    expected = _expected_fields(solved.take(rows_to_check), tuple(rows[0].texts), seconds)
    for name, texts in expected.items():
        for index, computed in zip(rows_to_check.tolist(), texts, strict=True):
            row, recorded = rows[index], rows[index].texts[name]
            if computed is not None and recorded != computed:
                _report_difference(name, recorded, computed, row)


def _report_difference(name: str, recorded: str, computed: str, row: TraitFields) -> None:
    """Report that the recorded fields of a trait differ from the computed fields."""
    report, message = row.report, _difference_message(name, recorded, computed)
    if computed.startswith("failed"):  # a step failed its check, which is a bug in this program
        report.add_gap(message)
    elif name == "rating" and _is_cut_short(recorded, computed):
        report.add_note(f"{message}: time ran out when one of the two ratings was computed")
    elif name == "minimal" and row.status == "unique" and "," in (recorded, computed):
        report.add_note(f"{message}: time ran out when one of the two values was computed")
    elif report.is_current_build or name == "minimal":
        report.add_problem(message)
    else:  # canonical forms and measures of difficulty depend on the version
        report.add_gap(f"{message}: a different version wrote it")


def _is_cut_short(recorded: str, computed: str) -> bool:
    """Whether a time limit explains the difference of two ratings.

    The limit must have ended the steps in Sudoku Explainer's order. The other columns must agree,
    or be cut short as well.
    """
    if TIME_LIMIT not in {recorded.rpartition(",")[2], computed.rpartition(",")[2]}:
        return False
    scores = [text.split(",")[:4] for text in (recorded, computed)]
    return scores[0] == scores[1] or any(score.startswith(">") for score, *_ in scores)


def _difference_message(name: str, recorded: str, computed: str) -> str:
    return f"--traits {name}: recorded {recorded[:200]!r}, computed {computed[:200]!r}"


def _expected_fields(
    solved: SolvedBatch, trait_names: tuple[str, ...], seconds: float
) -> dict[str, list[str | None]]:
    """Map each trait to the correct fields of each puzzle; None for a puzzle not in the sample."""
    empty_fields = {name: "," * (len(columns(TABLE_TRAITS[name])) - 1) for name in trait_names}
    expected: dict[str, list[str | None]] = {}
    unique, non_unique = map(np.flatnonzero, (solved.unique, solved.non_unique))
    known_for = {"unique": (unique,), "decided": (unique, non_unique)}
    for name in trait_names:
        if name == FORMER_RATING:
            continue
        texts: list[str | None] = [empty_fields[name]] * len(solved.masks)
        for indexes in known_for[TABLE_TRAITS[name].known_for]:
            is_sampled = TABLE_TRAITS[name].is_slow or indexes is not unique
            sample = indexes[:: max(1, -(-len(indexes) // SAMPLE_ROWS))] if is_sampled else indexes
            for index in indexes.tolist():
                texts[index] = None
            rating_seconds = min(seconds, RATING_TIMEOUT)
            computed = find_traits(
                solved.take(sample), (name,), _redundancy_finder(seconds), rating_seconds
            )
            for index, traits in zip(sample.tolist(), computed, strict=True):
                texts[index] = row_fields(traits, solved.geometry)[1:]
        expected[name] = texts
    return expected


def _redundancy_finder(seconds: float) -> RedundancyFinder:
    """Make a finder of redundant givens. It uses exhaustive searches of up to `seconds` each."""

    def find_redundant(solved: SolvedBatch) -> tuple[Flags, Flags]:
        masks, solutions = solved.masks, solved.solutions
        puzzle_indices, cells = np.nonzero(masks & (masks - 1) == 0)
        redundant, certain = np.zeros(masks.shape, np.bool_), np.ones(len(masks), np.bool_)
        for start in range(0, len(puzzle_indices), _BATCH_SEARCHES):
            batch = slice(start, start + _BATCH_SEARCHES)
            puzzles, emptied = puzzle_indices[batch], cells[batch]
            weaker = masks[puzzles]
            weaker[np.arange(len(puzzles)), emptied] = solved.geometry.all_values
            listed = np.ones(len(puzzles), np.int64), solutions[None, puzzles]
            verdicts, _ = search_all_of_batch(
                solved.geometry, weaker, *listed, seconds * len(puzzles)
            )
            redundant[puzzles, emptied] = verdicts == Verdict.COMPLETE
            certain[puzzles[verdicts == Verdict.UNDECIDED]] = False
        return redundant, certain

    return find_redundant
