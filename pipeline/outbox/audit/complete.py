"""Check for solutions that are not listed: by an exhaustive search, or by a refuter.

Puzzles are searched exhaustively, from the rules alone. A refuter is asked about formulas, and
about puzzles that the search leaves undecided. Its proofs and models are checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from pipeline.certify import certify_grid, certify_model
from pipeline.certify.exhaustive import OUT_OF_TIME
from pipeline.certify.formula import MAX_OTHER_CLAUSES, Formula, core_of, proof_formula
from pipeline.certify.missing import find_missing
from pipeline.certify.proof import TRIVIAL_PROOF, lrat_of
from pipeline.errors import PipelineError
from pipeline.limits import Deadline
from pipeline.outbox.audit.sets import AuditOptions, Findings
from pipeline.outbox.tables import one_line
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats.formula import Model, ParsedFormula, proof_clauses

SEARCH_SHARE = 0.5
"""Share of the time limit for the search if there is a refuter."""

_SHOWN = 12
_NO_REFUTER = "this needs a solver, which `sudoku-pipeline audit` has"


class Undecided(PipelineError):
    """An assertion was neither confirmed nor refuted."""


def remedy(end: float) -> str:
    """Advice if a check ran out of time."""
    return "; increase --timeout" if time.monotonic() > end else ""


def model_of(
    make: Callable[[], Formula], why: str, terms: AuditOptions, end: float
) -> Model | None:
    """A model of the formula, not certified; None if it is proved unsatisfiable.

    `why` is the reason to report if there is no refuter. Raises PipelineError.
    """
    if terms.refuter is None and time.monotonic() > end:
        raise Undecided(why)
    deadline = Deadline(end, OUT_OF_TIME)
    core = core_of(make(), deadline)
    text = TRIVIAL_PROOF
    if not core.is_refuted:
        if terms.refuter is None:
            raise Undecided(why)
        refutation = terms.refuter(core, end - time.monotonic())
        if not isinstance(refutation, str):
            return core.model(refutation)
        text = refutation
    terms.confirm(core.formula.text(), lrat_of(core, text, deadline)[0], deadline)
    return None


def grid_of(literals: Iterable[int], geometry: Geometry) -> Grid | None:
    """Decode the true literals to a grid; None if they do not encode one."""
    side, size = geometry.side, geometry.size
    chosen = [divmod(literal - 1, side) for literal in literals if 0 < literal <= side * size]
    if [cell for cell, _ in chosen] != [*range(size)]:
        return None
    return Grid(geometry, tuple(value + geometry.lowest for _, value in chosen))


def _another(
    puzzle: Puzzle, grids: Sequence[Grid], terms: AuditOptions, end: float, *, refuted: bool = True
) -> Grid | None:
    """A certified solution that is not among these, or None.

    If `refuted`, a refuter is asked if the search does not decide. Raises PipelineError if the
    question stays undecided.
    """
    share = SEARCH_SHARE if terms.refuter and refuted else 1.0
    searched = find_missing(puzzle, grids, seconds=(end - time.monotonic()) * share)
    if searched.is_complete:
        return None
    grid, why = searched.missing[0] if searched.missing else None, searched.undecided or ""
    if grid is None:
        if not refuted:
            raise Undecided(why)
        model = model_of(lambda: proof_formula(puzzle, grids), why, terms, end)
        if model is None:
            return None
        if (grid := grid_of(model, puzzle.geometry)) is None:
            raise Undecided("the model that was found is not a grid")
    for violation in certify_grid(puzzle, grid):
        raise Undecided(f"the grid that was found breaks the rules: {violation}")
    if grid in grids:
        raise Undecided("the grid that was found is published")
    return grid


def has_solution(puzzle: Puzzle, terms: AuditOptions, end: float) -> bool:
    """Whether a puzzle has a solution. Raises PipelineError if that stays undecided."""
    return _another(puzzle, (), terms, end, refuted=not puzzle.is_plain) is not None


def audit_others(
    puzzle: Puzzle, grids: Sequence[Grid], report: Findings, *, are_claimed: bool = False
) -> None:
    """Check that a puzzle has no solutions other than these, which are distinct solutions.

    With `are_claimed`, check instead that it has another one.
    """
    end = time.monotonic() + report.terms.seconds
    try:
        grid = _another(puzzle, grids, report.terms, end)
    except PipelineError as error:
        assertion = "there are more solutions" if are_claimed else "there is no other solution"
        report.gap(f"that {assertion} was not checked: {error}{remedy(end)}")
        return
    if are_claimed and grid is None:
        report.bad("there are no more solutions, where more are claimed")
    elif grid and not are_claimed:
        there_is = "there is another solution" if grids else "there is a solution"
        report.bad(f"{there_is}: {one_line(grid.values)}")


def audit_models(parsed: ParsedFormula, models: Sequence[Model], report: Findings) -> None:
    """Check that a formula has no other models than these."""
    end = time.monotonic() + report.terms.seconds
    try:
        if (clauses := len(parsed.clauses)) > MAX_OTHER_CLAUSES:
            limit = f"the limit of {MAX_OTHER_CLAUSES:,} for a proof"
            raise Undecided(f"{clauses:,} clauses are more than {limit}")
        blocked = Formula(*proof_clauses(parsed, models))
        model = model_of(lambda: blocked, _NO_REFUTER, report.terms, end)
        if model is None:
            return
        if (index := certify_model(parsed.written, model)) is not None:
            raise Undecided(f"the model that was found does not satisfy clause {index + 1}")
        if model in models:
            raise Undecided("the model that was found is published")
    except PipelineError as error:
        report.gap(f"that there is no other model was not checked: {error}{remedy(end)}")
    else:
        more = " …" if len(model) > _SHOWN else ""
        there_is = "there is another model" if models else "there is a model"
        report.bad(f"{there_is}: {' '.join(map(str, model[:_SHOWN]))}{more}")
