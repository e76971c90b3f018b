"""How all models of a Cnf are found: by one solver, or by a second one that takes over."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress

from pipeline.errors import EnvironmentFailure, LimitReached, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.clauses import Clause
from pipeline.solving.cnf import Answer, Cnf, Sat, Unknown
from pipeline.solving.solvers.base import Session, Solver

LEAST_BYTES = 16
"""The least memory of a clause of two literals in any solver, so that no limit is hit in vain."""

VARIABLE_BYTES = 200
"""Memory of a variable in this process while a model is read and checked."""

HANDED_OVER = 2
"""Models after which the second solver goes on: fewer tell whether a puzzle is unique."""


class Relay:
    """The solver to ask, and one that goes on from its first HANDED_OVER models if it can.

    `by` is the solver that answered last.
    """

    def __init__(self, first: Solver, then: Solver | None = None) -> None:
        self.first = self.by = first
        self.then = then


def answers(cnf: Cnf, relay: Relay, limits: Limits) -> Generator[Answer, None, None]:
    """Yield Sat for each model, each of a different grid, then Unsat or Unknown.

    Each model found is blocked; the limits hold for all calls together. If the second solver
    fails, the first one goes on. Raises SolverError if the first one fails: also if a model of
    it does not satisfy the clauses or repeats an earlier grid.
    """
    try:
        limits.allow(max(cnf.size * LEAST_BYTES, cnf.variables * VARIABLE_BYTES))
        yield from _asked(_Models(cnf, Deadline.of(limits)), relay, limits)
    except LimitReached as error:
        yield Unknown(str(error))


def _asked(models: _Models, relay: Relay, limits: Limits) -> Generator[Answer, None, None]:
    with relay.first.open(models.cnf, limits) as session:
        if relay.then:
            ended = yield from models.found_in(session, relay.first, HANDED_OVER)
            if ended:
                return
            with suppress(SolverError, EnvironmentFailure):
                yield from _handed_over(models, relay, relay.then, limits)
                return
            relay.by = relay.first
            for clause in models.blocked[HANDED_OVER:]:
                session.add(clause)
        yield from models.found_in(session, relay.first)


def _handed_over(
    models: _Models, relay: Relay, then: Solver, limits: Limits
) -> Generator[Answer, None, None]:
    with then.open(models.cnf, limits.until(models.deadline)) as session:
        for clause in models.blocked:
            session.add(clause)
        relay.by = then
        yield from models.found_in(session, then)


class _Models:
    """The clauses that block the models found so far."""

    def __init__(self, cnf: Cnf, deadline: Deadline) -> None:
        self.cnf = cnf
        self.deadline = deadline
        self.blocked: list[Clause] = []

    def found_in(
        self, session: Session, solver: Solver, most: int | None = None
    ) -> Generator[Answer, None, bool]:
        """Yield each model and block it; then yield what ended the search.

        Stop without that once `most` models are blocked. Return whether the search has ended.
        """
        while isinstance(answer := session.solve(), Sat):
            if not self.cnf.satisfied_by(answer.model, self.deadline):
                raise SolverError(f"the model of {solver.name} does not satisfy the clauses")
            if any(map(answer.model.isdisjoint, self.deadline.watch(self.blocked))):
                raise SolverError(f"{solver.name} found a model again that was blocked")
            yield answer
            self.blocked.append(self.cnf.blocking(answer.model))
            session.add(self.blocked[-1])
            if len(self.blocked) == most:
                return False
        yield answer
        return True
