"""Check whether a puzzle or formula has other solutions than the published ones.

Puzzles are searched exhaustively, based on the rules alone. A refuter, which is a SAT solver,
decides formulas, and the puzzles that the search leaves undecided. The refuter's proofs and models
are checked.
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
from pipeline.outbox.audit.findings import AuditOptions, Findings
from pipeline.outbox.tables import one_line
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats.dimacs import Model, ParsedFormula, proof_clauses

SEARCH_SHARE = 0.5
"""The share of the time limit that the search may use if there is a refuter."""

_MAX_LITERALS = 12
"""Maximum number of literals of a model in a message."""

_REFUTER_NEEDED = "this needs a solver; use sudoku-pipeline audit"
"""Why a formula is undecided if there is no refuter."""


class Undecided(PipelineError):
    """A check could not decide whether an assertion is true."""


def timeout_advice(end: float) -> str:
    """Advice to append to a message if the time limit `end` has passed; otherwise an empty text."""
    return "; raise --timeout" if time.monotonic() > end else ""


def find_model(
    make_formula: Callable[[], Formula], reason: str, options: AuditOptions, end: float
) -> Model | None:
    """Find a model of a formula. The caller must certify it.

    Returns None if a checked proof shows that the formula has no model. Raises Undecided with the
    message `reason` if a refuter is needed but missing, and other kinds of PipelineError if the
    refuter fails or its proof is wrong.
    """
    if options.refuter is None and time.monotonic() > end:
        raise Undecided(reason)
    deadline = Deadline(end, OUT_OF_TIME)
    core = core_of(make_formula(), deadline)
    text = TRIVIAL_PROOF
    if not core.is_refuted:
        if options.refuter is None:
            raise Undecided(reason)
        refutation = options.refuter(core, end - time.monotonic())
        if not isinstance(refutation, str):
            return core.model(refutation)
        text = refutation
    options.confirm(core.formula.text(), lrat_of(core, text, deadline)[0], deadline)
    return None


def grid_of_model(literals: Iterable[int], geometry: Geometry) -> Grid | None:
    """Decode the literals of a model to a grid. Returns None if they do not describe a grid."""
    side, size = geometry.side, geometry.size
    chosen = [divmod(literal - 1, side) for literal in literals if 0 < literal <= side * size]
    if [cell for cell, _ in chosen] != [*range(size)]:
        return None
    return Grid(geometry, tuple(value + geometry.lowest for _, value in chosen))


def _find_other_solution(
    puzzle: Puzzle,
    grids: Sequence[Grid],
    options: AuditOptions,
    end: float,
    *,
    uses_refuter: bool = True,
) -> Grid | None:
    """Find a certified solution that is not among `grids`. Returns None if no other exists.

    `uses_refuter`: if the search does not decide, ask the refuter. Raises PipelineError if neither
    decides.
    """
    share = SEARCH_SHARE if options.refuter and uses_refuter else 1.0
    searched = find_missing(puzzle, grids, seconds=(end - time.monotonic()) * share)
    if searched.is_complete:
        return None
    grid, reason = searched.missing[0] if searched.missing else None, searched.undecided or ""
    if grid is None:
        if not uses_refuter:
            raise Undecided(reason)
        model = find_model(lambda: proof_formula(puzzle, grids), reason, options, end)
        if model is None:
            return None
        if (grid := grid_of_model(model, puzzle.geometry)) is None:
            raise Undecided("the model found does not decode to a grid")
    for violation in certify_grid(puzzle, grid):
        raise Undecided(f"the solution found breaks the rules: {violation}")
    if grid in grids:
        raise Undecided("the solution found is already published")
    return grid


def has_solution(puzzle: Puzzle, options: AuditOptions, end: float) -> bool:
    """Whether a puzzle has a solution. Raises PipelineError if this cannot be decided."""
    uses_refuter = not puzzle.is_plain
    return _find_other_solution(puzzle, (), options, end, uses_refuter=uses_refuter) is not None


def audit_other_solutions(
    puzzle: Puzzle, grids: Sequence[Grid], report: Findings, *, expects_other: bool = False
) -> None:
    """Check that a puzzle has no solutions besides `grids`, which are distinct solutions.

    `expects_other`: check instead that the puzzle has another solution.
    """
    end = time.monotonic() + report.options.seconds
    try:
        grid = _find_other_solution(puzzle, grids, report.options, end)
    except PipelineError as error:
        report.add_gap(
            f"not checked whether there are other solutions: {error}{timeout_advice(end)}"
        )
        return
    if expects_other and grid is None:
        report.add_problem("the record says that there are more solutions, but there are none")
    elif grid and not expects_other:
        there_is = "there is another solution" if grids else "there is a solution"
        report.add_problem(f"{there_is}: {one_line(grid.values)}")


def audit_other_models(parsed: ParsedFormula, models: Sequence[Model], report: Findings) -> None:
    """Check that a formula has no models besides these."""
    end = time.monotonic() + report.options.seconds
    try:
        if (clauses := len(parsed.clauses)) > MAX_OTHER_CLAUSES:
            raise Undecided(
                f"{clauses:,} clauses, more than the {MAX_OTHER_CLAUSES:,} allowed for a proof"
            )
        blocked = Formula(*proof_clauses(parsed, models))
        model = find_model(lambda: blocked, _REFUTER_NEEDED, report.options, end)
        if model is None:
            return
        if (index := certify_model(parsed.written, model)) is not None:
            raise Undecided(f"the model found does not satisfy clause {index + 1}")
        if model in models:
            raise Undecided("the model found is already published")
    except PipelineError as error:
        report.add_gap(f"not checked whether there are other models: {error}{timeout_advice(end)}")
    else:
        more = " …" if len(model) > _MAX_LITERALS else ""
        there_is = "there is another model" if models else "there is a model"
        report.add_problem(f"{there_is}: {' '.join(map(str, model[:_MAX_LITERALS]))}{more}")
