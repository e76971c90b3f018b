"""Whether there are other solutions than those claimed: a search decides it, or a refuter.

A puzzle is searched through from the rules alone. Where that does not decide, and for formulas, a
refuter is asked. It is not trusted: its proofs and models are checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pipeline.certify import certify_grid, certify_model
from pipeline.certify.exhaustion import TOO_SHORT, exhausted
from pipeline.certify.formula import MAX_REFUTED, Formula, core_of, proof_formula
from pipeline.certify.proof import REFUTED, lrat_of
from pipeline.errors import PipelineError
from pipeline.limits import Deadline
from pipeline.outbox.audit.sets import Report, Terms
from pipeline.outbox.tables import one_line
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.reading.formats.formula import Model, ParsedFormula, proof_clauses

SEARCH_SHARE = 0.5
"""The part of the seconds that the search gets if there is a refuter."""

_SHOWN = 12
_NO_REFUTER = "it takes a solver, which `sudoku-pipeline audit` has"


class Undecided(PipelineError):
    """Whether a claim is true is not known."""


def remedy(end: float) -> str:
    """What to do, if the time is over, about what was not checked."""
    return "; --timeout gives it longer" if time.monotonic() > end else ""


def has_solution(puzzle: Puzzle, terms: Terms, end: float) -> bool:
    """Whether a puzzle has a solution. Raises PipelineError if that is not found out."""
    found = exhausted(puzzle, (), seconds=end - time.monotonic())
    if found.is_complete:
        return False
    if found.missing:
        grid = found.missing[0]
    elif puzzle.is_plain:
        raise Undecided(found.undecided or "")
    else:
        model = model_of(lambda: proof_formula(puzzle, ()), found.undecided or "", terms, end)
        if model is None:
            return False
        grid = _grid_of(model, puzzle.geometry)
    for violation in certify_grid(puzzle, grid):
        raise Undecided(f"the grid that was found breaks the rules: {violation}")
    return True


def model_of(make: Callable[[], Formula], why: str, terms: Terms, end: float) -> Model | None:
    """A model of the formula, which is not certified; None if a proof shows that it has none.

    `why` says why nobody knows without a refuter. Raises PipelineError.
    """
    if terms.refuter is None and time.monotonic() > end:
        raise Undecided(why)
    deadline = Deadline(end, TOO_SHORT)
    core = core_of(make(), deadline)
    text = REFUTED
    if not core.is_refuted:
        if terms.refuter is None:
            raise Undecided(why)
        found = terms.refuter(core, end - time.monotonic())
        if not isinstance(found, str):
            return core.model(found)
        text = found
    terms.confirm(core.formula.text(), lrat_of(core, text, deadline)[0], deadline)
    return None


def _grid_of(model: Model, geometry: Geometry) -> Grid:
    """The grid that a model stands for. Raises Undecided if there is no such grid."""
    side, size = geometry.side, geometry.size
    chosen = [divmod(literal - 1, side) for literal in model if 0 < literal <= side * size]
    if [cell for cell, _ in chosen] != [*range(size)]:
        raise Undecided("the model that was found is no grid")
    return Grid(geometry, tuple(value + 1 for _, value in chosen))


def audit_complete(puzzle: Puzzle, grids: Sequence[Grid], terms: Terms, report: Report) -> None:
    """Check that a puzzle has no solution but these, which are different solutions of it."""
    end = time.monotonic() + terms.seconds
    share = SEARCH_SHARE if terms.refuter else 1.0
    found = exhausted(puzzle, grids, seconds=terms.seconds * share)
    if found.is_complete:
        return
    try:
        if found.missing:
            grid: Grid | None = found.missing[0]
        else:
            why = found.undecided or ""
            model = model_of(lambda: proof_formula(puzzle, grids), why, terms, end)
            grid = None if model is None else _grid_of(model, puzzle.geometry)
        if grid is None:
            return
        if fault := _fault_of(grid, puzzle, grids):
            raise Undecided(fault)
    except PipelineError as error:
        report.gap(_unchecked("solution", error, end))
    else:
        there_is = "there is another solution" if grids else "there is a solution"
        report.bad(f"{there_is}: {one_line(grid.values)}")


def audit_another(puzzle: Puzzle, grids: Sequence[Grid], terms: Terms, report: Report) -> None:
    """Check that a puzzle has another solution than these, which are different solutions of it."""
    end = time.monotonic() + terms.seconds
    found = exhausted(puzzle, grids, seconds=terms.seconds)
    why: str | None = found.undecided
    try:
        if found.missing:
            why = _fault_of(found.missing[0], puzzle, grids)
        elif found.is_complete or not _has_another(puzzle, grids, why or "", terms, end):
            report.bad("there are no more solutions, where more are claimed")
            return
        else:
            why = None
    except PipelineError as error:
        why = str(error)
    if why:
        report.gap(f"that there are more solutions was not checked: {why}{remedy(end)}")


def _has_another(puzzle: Puzzle, grids: Sequence[Grid], why: str, terms: Terms, end: float) -> bool:
    """Whether there is another solution. Raises PipelineError."""
    model = model_of(lambda: proof_formula(puzzle, grids), why, terms, end)
    if model is None:
        return False
    if fault := _fault_of(_grid_of(model, puzzle.geometry), puzzle, grids):
        raise Undecided(fault)
    return True


def _fault_of(grid: Grid, puzzle: Puzzle, grids: Sequence[Grid]) -> str | None:
    """Why this grid is not a further solution; None if it is one."""
    for violation in certify_grid(puzzle, grid):
        return f"the grid that was found breaks the rules: {violation}"
    return "the grid that was found is published" if grid in grids else None


def audit_models(
    parsed: ParsedFormula, models: Sequence[Model], terms: Terms, report: Report
) -> None:
    """Check that a formula has no model but these."""
    end = time.monotonic() + terms.seconds
    try:
        if (clauses := len(parsed.clauses)) > MAX_REFUTED:
            most = f"the {MAX_REFUTED:,} that a proof is made for"
            raise Undecided(f"{clauses:,} clauses are more than {most}")
        model = model_of(lambda: Formula(*proof_clauses(parsed, models)), _NO_REFUTER, terms, end)
        if model is None:
            return
        if (index := certify_model(parsed.written, model)) is not None:
            raise Undecided(f"the model that was found does not satisfy clause {index + 1}")
        if model in models:
            raise Undecided("the model that was found is published")
    except PipelineError as error:
        report.gap(_unchecked("model", error, end))
    else:
        more = " …" if len(model) > _SHOWN else ""
        there_is = "there is another model" if models else "there is a model"
        report.bad(f"{there_is}: {' '.join(map(str, model[:_SHOWN]))}{more}")


def _unchecked(noun: str, error: PipelineError, end: float) -> str:
    return f"that there is no other {noun} was not checked: {error}{remedy(end)}"
