"""Whether a puzzle or a formula has a solution, decided by what audits: a search, or a refuter.

Nothing that a refuter says is trusted: its proof is checked, and so is its model, by the caller.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from pipeline.certify import certify_grid
from pipeline.certify.exhaustion import TOO_SHORT, exhausted
from pipeline.certify.formula import Formula, core_of, proof_formula
from pipeline.certify.proof import REFUTED, lrat_of
from pipeline.errors import PipelineError
from pipeline.limits import Deadline
from pipeline.outbox.audit.sets import Terms
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.reading.formats.formula import Model


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
        grid = grid_in(model, puzzle.geometry)
    for violation in certify_grid(puzzle, grid):
        raise Undecided(f"the grid that was found is none: {violation}")
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


def grid_in(model: Model, geometry: Geometry) -> Grid:
    """The grid that a model stands for. Raises Undecided if it is none."""
    side, size = geometry.side, geometry.size
    chosen = [divmod(literal - 1, side) for literal in model if 0 < literal <= side * size]
    if [cell for cell, _ in chosen] != [*range(size)]:
        raise Undecided("the model that was found is no grid")
    return Grid(geometry, tuple(value + 1 for _, value in chosen))
