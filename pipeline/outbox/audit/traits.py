"""What `--traits` adds to tables and records, found anew.

Givens are left out anew by the search that checks, not by a solver. Forms through a solution are
found anew of all rows; efforts, ratings, and forms of puzzles that have not one solution, of some.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from pipeline.catalogue.needless import needless_parts
from pipeline.catalogue.puzzles import Flags
from pipeline.catalogue.traits import (
    LARGEST_SIDE,
    OTHERS,
    Redundancy,
    Solved,
    find_traits,
)
from pipeline.certify import certify_grid, certify_many
from pipeline.certify.many import Verdict, search_all_of_batch
from pipeline.certify.missing import searched_through
from pipeline.errors import InputError
from pipeline.outbox.audit.claims import named_rule
from pipeline.outbox.audit.rows import Portion
from pipeline.outbox.audit.sets import Report, Terms
from pipeline.outbox.schema import PuzzleRecord, or_none
from pipeline.outbox.tables import columns, grid_in
from pipeline.outbox.traits import ALSO, added_fields, also_in_record, row_fields
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.solving import Traits

SOME = 64
"""Sample size, out of a few thousand rows, for expensive rechecks."""

_TOGETHER = 1 << 15
"""Givens that are left out together."""


@dataclass(frozen=True, slots=True)
class AddedFields:
    """The added fields of a puzzle: for each name in ALSO those of its columns, with commas."""

    puzzle: Puzzle
    status: str
    grid: Grid | None
    told: dict[str, str]
    report: Report


def audit_rows(portion: Portion, also: Sequence[str], terms: Terms, report: Report) -> None:
    """Check what the rows of a portion say in the columns that these names stand for."""
    claims = []
    for at, fields in enumerate(portion.added):
        try:
            entry, row = portion.entry(at), portion.row(at)
        except InputError:  # reported with the other columns
            continue
        about = portion.about(at, report)
        if fields is None:
            about.bad("the fields that --traits adds are missing")
        elif puzzle := entry.puzzle_read:
            solution = row.solution
            grid = grid_in(solution, entry.signs, puzzle.geometry) if solution else None
            claims.append(AddedFields(puzzle, row.status, grid, _by_name(fields, also), about))
        elif any(fields):
            about.bad("there are fields of --traits, but no puzzle")
    _audit_claims(claims, terms)


def audit_record(
    record: PuzzleRecord, puzzle: Puzzle, grids: Sequence[Grid], terms: Terms, report: Report
) -> None:
    """Check what a record says of a puzzle with these solutions."""
    also = also_in_record(record)
    place, givens = puzzle.geometry.place, puzzle.givens()
    values = {place(cell): value for cell, value in givens}
    for each in or_none(record.redundant) or ():
        if values.get(each.place) != each.value:
            report.bad(f"--traits minimal: there is no given {each}")
    for rule in or_none(record.redundant_rules) or ():
        named_rule(puzzle, rule, report.within("--traits minimal"))
    if (rating := or_none(record.rating)) and bool(rating.failed) != (rating.level is None):
        report.bad("--traits rating: a level goes with a rating, `failed` with none")
    if also:
        told, grid = _by_name(added_fields(record, also), also), grids[0] if grids else None
        _audit_claims([AddedFields(puzzle, record.status, grid, told, report)], terms)


def _audit_claims(claims: Sequence[AddedFields], terms: Terms) -> None:
    """Check the added fields of puzzles."""
    groups = defaultdict[Geometry, list[AddedFields]](list)
    for claim in claims:
        for name, text in claim.told.items():
            if not ALSO[name].pattern.fullmatch(text):
                claim.report.bad(f"what --traits {name} adds is not well-formed: {text[:100]!r}")
        if claim.puzzle.is_plain and claim.puzzle.geometry.side <= LARGEST_SIDE:
            groups[claim.puzzle.geometry].append(claim)
        else:
            _check_ruled(claim, terms.seconds)
    for geometry, some in groups.items():
        _compare(geometry, some, terms.seconds)


def _check_ruled(claim: AddedFields, seconds: float) -> None:
    """Leave out the parts of a puzzle with rules anew, by the search that checks."""
    told, puzzle, grid = claim.told, claim.puzzle, claim.grid
    is_small = puzzle.geometry.side <= LARGEST_SIDE
    is_told = is_small and not puzzle.is_plain and claim.status == "unique" and grid is not None
    if any(text.strip(",") for name, text in told.items() if name != "minimal" or not is_told):
        claim.report.bad("there are fields of --traits, but it has rules or is too large")
    if grid is None or not is_told or not (here := told.get("minimal", ",").strip(",")):
        return  # time may have been too short
    if certify_grid(puzzle, grid):
        return  # as is reported elsewhere

    def is_unique(fewer: Puzzle, left: float) -> bool | None:
        found = searched_through(fewer, [grid], seconds=left)
        return False if found.missing else found.is_complete or None

    if parts := needless_parts(puzzle, is_unique, seconds):
        found = Traits(("minimal",), redundant=parts.givens, redundant_rules=parts.rules)
        there = row_fields(found, puzzle.geometry).strip(",")
        if here != there:
            claim.report.bad(f"--traits minimal: {here[:200]!r} is told, {there[:200]!r} is found")


def _by_name(fields: Sequence[str], also: Sequence[str]) -> dict[str, str]:
    """The added fields of a row, for each name those of its columns with commas between."""
    rest = iter(fields)
    return {name: ",".join(islice(rest, len(columns(ALSO[name])))) for name in also}


def _compare(geometry: Geometry, claims: Sequence[AddedFields], seconds: float) -> None:
    """Compare the added fields of puzzles of one geometry with those found anew.

    Rows with a wrong solution are left out: they are reported elsewhere.
    """
    blank = (1,) * geometry.size
    statuses = np.array([claim.status for claim in claims])
    has_grid = np.array([claim.grid is not None for claim in claims])
    solved = Solved(
        geometry,
        np.array([claim.puzzle.cells for claim in claims], np.min_scalar_type(geometry.all_values)),
        (statuses == "unique") & has_grid,
        np.isin(statuses, OTHERS),
        np.array([claim.grid.values if claim.grid else blank for claim in claims], np.uint8),
    )
    sound = np.flatnonzero(~has_grid | certify_many(geometry, solved.masks, solved.solutions))
    expected = _expected(solved.among(sound), tuple(claims[0].told), seconds)
    for name, texts in expected.items():
        for at, there in zip(sound.tolist(), texts, strict=True):
            claim, here = claims[at], claims[at].told[name]
            if there is not None and here != there:
                _tell_difference(name, here, there, claim)


def _tell_difference(name: str, here: str, there: str, claim: AddedFields) -> None:
    """Report fields `here` that are not those found `there`."""
    report, said = (
        claim.report,
        f"--traits {name}: {here[:200]!r} is told, {there[:200]!r} is found",
    )
    if there.startswith("failed"):  # a step failed its check here, a fault of this program
        report.gap(said)
    elif name == "minimal" and claim.status == "unique" and "," in (here, there):
        report.note(f"{said}: time was too short for one of them")
    elif report.is_ours or name == "minimal":
        report.bad(said)
    else:  # which form stands for a class, and how hard a puzzle is, a version decides
        report.gap(f"{said}: another version wrote it")


def _expected(solved: Solved, also: tuple[str, ...], seconds: float) -> dict[str, list[str | None]]:
    """The right texts of each name's fields; None where it was not computed."""
    nothing = {name: "," * (len(columns(ALSO[name])) - 1) for name in also}
    expected: dict[str, list[str | None]] = {}
    one, others = np.flatnonzero(solved.unique), np.flatnonzero(solved.others)
    for name in also:
        texts: list[str | None] = [nothing[name]] * len(solved.masks)
        looked = [one, others] if name == "canonical" else [one]
        for at in looked:
            is_sampled = ALSO[name].is_slow or at is others
            some = at[:: max(1, -(-len(at) // SOME))] if is_sampled else at
            for place in at.tolist():
                texts[place] = None
            found = find_traits(solved.among(some), (name,), _leaving_out(seconds))
            for place, each in zip(some.tolist(), found, strict=True):
                texts[place] = row_fields(each, solved.geometry)[1:]
        expected[name] = texts
    return expected


def _leaving_out(seconds: float) -> Redundancy:
    """Finds what givens can be left out, so many seconds for each puzzle."""

    def redundancy(solved: Solved) -> tuple[Flags, Flags]:
        masks, solutions = solved.masks, solved.solutions
        places, cells = np.nonzero(masks & (masks - 1) == 0)
        redundant, certain = np.zeros(masks.shape, np.bool_), np.ones(len(masks), np.bool_)
        for start in range(0, len(places), _TOGETHER):
            at, own = places[start : start + _TOGETHER], cells[start : start + _TOGETHER]
            asked = masks[at]
            asked[np.arange(len(at)), own] = solved.geometry.all_values
            claimed = np.ones(len(at), np.int64), solutions[None, at]
            verdicts, _ = search_all_of_batch(solved.geometry, asked, *claimed, seconds * len(at))
            redundant[at, own] = verdicts == Verdict.COMPLETE
            certain[at[verdicts == Verdict.UNDECIDED]] = False
        return redundant, certain

    return redundancy
