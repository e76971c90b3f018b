"""Recompute the traits in tables and records.

Redundant givens are determined by exhaustive search, without a solver. Canonical forms of puzzles
with one solution are recomputed for all rows. Other forms, efforts and ratings are recomputed for a
sample.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from pipeline.catalogue.puzzles import Flags
from pipeline.catalogue.redundant import redundant_parts
from pipeline.catalogue.traits import (
    MAX_TRAITS_SIDE,
    NON_UNIQUE,
    Redundancy,
    SolvedBatch,
    find_traits,
)
from pipeline.certify import certify_grid, certify_many
from pipeline.certify.many import Verdict, search_all_of_batch
from pipeline.certify.missing import find_missing
from pipeline.errors import InputError
from pipeline.outbox.audit.assertions import named_rule
from pipeline.outbox.audit.rows import RowChunk
from pipeline.outbox.audit.sets import Findings
from pipeline.outbox.schema import PuzzleRecord, or_none
from pipeline.outbox.tables import columns, grid_in
from pipeline.outbox.traits import TRAITS, added_fields, row_fields, traits_in_record
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving import Traits

SOME = 64
"""Sample size, out of a few thousand rows, for expensive rechecks."""

_TOGETHER = 1 << 15
"""Givens that are tested together."""


@dataclass(frozen=True, slots=True)
class AddedFields:
    """The fields of a puzzle by trait, each as a comma-separated text."""

    puzzle: Puzzle
    status: str
    grid: Grid | None
    told: dict[str, str]
    report: Findings


def audit_rows(chunk: RowChunk, trait_names: Sequence[str], report: Findings) -> None:
    """Check the columns of traits in these rows."""
    claims = []
    for index, fields in enumerate(chunk.added):
        try:
            entry, row = chunk.entry(index), chunk.row(index)
        except InputError:  # reported with the other columns
            continue
        about = chunk.about(index, report)
        if fields is None:
            about.bad("the fields that --traits adds are missing")
        elif puzzle := entry.puzzle_read:
            solution = row.solution
            grid = grid_in(solution, entry.signs, puzzle.geometry) if solution else None
            claims.append(
                AddedFields(puzzle, row.status, grid, _by_name(fields, trait_names), about)
            )
        elif any(fields):
            about.bad("there are fields of --traits, but no puzzle")
    _audit_claims(claims, report.terms.seconds)


def audit_record(
    record: PuzzleRecord, puzzle: Puzzle, grids: Sequence[Grid], report: Findings
) -> None:
    """Check the traits in a record of a puzzle with these solutions."""
    trait_names = traits_in_record(record)
    place, givens = puzzle.geometry.place, puzzle.givens()
    values = {place(cell): value for cell, value in givens}
    for given in or_none(record.redundant) or ():
        if values.get(given.place) != given.value:
            report.bad(f"--traits minimal: there is no given {given}")
    for rule in or_none(record.redundant_rules) or ():
        named_rule(puzzle, rule, report.within("--traits minimal"))
    if (rating := or_none(record.rating)) and bool(rating.failed) != (rating.level is None):
        report.bad("--traits rating: expected a level, or `failed` and no level")
    if trait_names:
        recorded, grid = (
            _by_name(added_fields(record, trait_names), trait_names),
            grids[0] if grids else None,
        )
        _audit_claims(
            [AddedFields(puzzle, record.status, grid, recorded, report)], report.terms.seconds
        )


def _audit_claims(claims: Sequence[AddedFields], seconds: float) -> None:
    """Check the added fields of puzzles."""
    groups = defaultdict[Geometry, list[AddedFields]](list)
    for claim in claims:
        for name, text in claim.told.items():
            if not TRAITS[name].pattern.fullmatch(text):
                claim.report.bad(f"what --traits {name} adds is not well-formed: {text[:100]!r}")
        if claim.puzzle.is_plain and claim.puzzle.geometry.side <= MAX_TRAITS_SIDE:
            groups[claim.puzzle.geometry].append(claim)
        else:
            _check_ruled(claim, seconds)
    for geometry, group in groups.items():
        _compare(geometry, group, seconds)


def _check_ruled(claim: AddedFields, seconds: float) -> None:
    """Recheck which parts of a variant are redundant, by exhaustive search."""
    recorded, puzzle, grid = claim.told, claim.puzzle, claim.grid
    is_small = puzzle.geometry.side <= MAX_TRAITS_SIDE
    is_told = is_small and not puzzle.is_plain and claim.status == "unique" and grid is not None
    if any(text.strip(",") for name, text in recorded.items() if name != "minimal" or not is_told):
        claim.report.bad("there are fields of --traits, but it has rules or is too large")
    if grid is None or not is_told or not (here := recorded.get("minimal", ",").strip(",")):
        return  # it may have run out of time
    if certify_grid(puzzle, grid):
        return  # reported elsewhere

    def is_unique(fewer: Puzzle, left: float) -> bool | None:
        searched = find_missing(fewer, [grid], seconds=left)
        return False if searched.missing else searched.is_complete or None

    if parts := redundant_parts(puzzle, is_unique, seconds):
        computed = Traits(("minimal",), redundant=parts.givens, redundant_rules=parts.rules)
        there = row_fields(computed, puzzle.geometry).strip(",")
        if here != there:
            claim.report.bad(f"--traits minimal: {here[:200]!r} is told, {there[:200]!r} is found")


def _by_name(fields: Sequence[str], trait_names: Sequence[str]) -> dict[str, str]:
    """The fields of a row by trait, each as a comma-separated text."""
    rest = iter(fields)
    return {name: ",".join(islice(rest, len(columns(TRAITS[name])))) for name in trait_names}


def _compare(geometry: Geometry, claims: Sequence[AddedFields], seconds: float) -> None:
    """Recompute the traits of puzzles of one geometry and compare.

    Rows with a wrong solution are skipped, because they are reported elsewhere.
    """
    blank = (1,) * geometry.size
    statuses = np.array([claim.status for claim in claims])
    has_grid = np.array([claim.grid is not None for claim in claims])
    solved = SolvedBatch(
        geometry,
        np.array([claim.puzzle.cells for claim in claims], np.min_scalar_type(geometry.all_values)),
        (statuses == "unique") & has_grid,
        np.isin(statuses, NON_UNIQUE),
        np.array([claim.grid.values if claim.grid else blank for claim in claims], np.uint8),
    )
    sound = np.flatnonzero(~has_grid | certify_many(geometry, solved.masks, solved.solutions))
    expected = _expected(solved.take(sound), tuple(claims[0].told), seconds)
    for name, texts in expected.items():
        for index, there in zip(sound.tolist(), texts, strict=True):
            claim, here = claims[index], claims[index].told[name]
            if there is not None and here != there:
                _tell_difference(name, here, there, claim)


def _tell_difference(name: str, here: str, there: str, claim: AddedFields) -> None:
    """Report that the fields `here` differ from those recomputed, `there`."""
    report, said = (
        claim.report,
        f"--traits {name}: {here[:200]!r} is told, {there[:200]!r} is found",
    )
    if there.startswith("failed"):  # a step failed its check here, a fault of this program
        report.gap(said)
    elif name == "minimal" and claim.status == "unique" and "," in (here, there):
        report.note(f"{said}: time ran out for one of them")
    elif report.is_ours or name == "minimal":
        report.bad(said)
    else:  # canonical forms and ratings may differ between versions
        report.gap(f"{said}: another version wrote it")


def _expected(
    solved: SolvedBatch, trait_names: tuple[str, ...], seconds: float
) -> dict[str, list[str | None]]:
    """The recomputed texts by trait; None where it was not computed."""
    nothing = {name: "," * (len(columns(TRAITS[name])) - 1) for name in trait_names}
    expected: dict[str, list[str | None]] = {}
    one, rest = np.flatnonzero(solved.unique), np.flatnonzero(solved.non_unique)
    for name in trait_names:
        texts: list[str | None] = [nothing[name]] * len(solved.masks)
        looked = [one, rest] if name == "canonical" else [one]
        for indexes in looked:
            is_sampled = TRAITS[name].is_slow or indexes is rest
            sample = indexes[:: max(1, -(-len(indexes) // SOME))] if is_sampled else indexes
            for place in indexes.tolist():
                texts[place] = None
            computed = find_traits(solved.take(sample), (name,), _leaving_out(seconds))
            for place, each in zip(sample.tolist(), computed, strict=True):
                texts[place] = row_fields(each, solved.geometry)[1:]
        expected[name] = texts
    return expected


def _leaving_out(seconds: float) -> Redundancy:
    """Find redundant givens, with `seconds` for each puzzle."""

    def redundancy(solved: SolvedBatch) -> tuple[Flags, Flags]:
        masks, solutions = solved.masks, solved.solutions
        places, cells = np.nonzero(masks & (masks - 1) == 0)
        redundant, certain = np.zeros(masks.shape, np.bool_), np.ones(len(masks), np.bool_)
        for start in range(0, len(places), _TOGETHER):
            chosen, own = places[start : start + _TOGETHER], cells[start : start + _TOGETHER]
            asked = masks[chosen]
            asked[np.arange(len(chosen)), own] = solved.geometry.all_values
            claimed = np.ones(len(chosen), np.int64), solutions[None, chosen]
            verdicts, _ = search_all_of_batch(
                solved.geometry, asked, *claimed, seconds * len(chosen)
            )
            redundant[chosen, own] = verdicts == Verdict.COMPLETE
            certain[chosen[verdicts == Verdict.UNDECIDED]] = False
        return redundant, certain

    return redundancy
