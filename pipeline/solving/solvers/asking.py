"""How all models of a Cnf are found: by one solver, or by a second one that takes over."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from functools import partial

from pipeline.errors import EnvironmentFailure, LimitReached, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.clauses import Clause
from pipeline.solving.cnf import Answer, Cnf, Sat, Unknown
from pipeline.solving.solvers import Session, Solver

LEAST_BYTES = 16
"""Memory of a clause of two literals; every solver takes at least that."""

VARIABLE_BYTES = 200
"""Memory of a variable in this process while a model is read and checked."""

HANDED_OVER = 2
"""Models after which the second solver goes on: fewer show whether a puzzle is unique."""


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
        yield from _asked(cnf, relay, limits)
    except LimitReached as error:
        yield Unknown(str(error))


def _asked(cnf: Cnf, relay: Relay, limits: Limits) -> Generator[Answer, None, None]:
    deadline, blocked = Deadline.of(limits), list[Clause]()
    models = partial(_models, cnf, deadline, blocked)
    with relay.first.open(cnf, limits) as session:
        if relay.then:
            if (yield from models(session, relay.first, HANDED_OVER)):
                return
            with (
                suppress(SolverError, EnvironmentFailure),
                relay.then.open(cnf, limits.until(deadline)) as other,
            ):
                for clause in blocked:
                    other.add(clause)
                relay.by = relay.then
                yield from models(other, relay.then)
                return
            relay.by = relay.first
            for clause in blocked[HANDED_OVER:]:
                session.add(clause)
        yield from models(session, relay.first)


def _models(
    cnf: Cnf,
    deadline: Deadline,
    blocked: list[Clause],
    session: Session,
    solver: Solver,
    most: int | None = None,
) -> Generator[Answer, None, bool]:
    """Yield each model and block it; then yield what ended the search.

    Stop without that once `most` models are blocked. Return whether the search has ended.
    """
    while isinstance(answer := session.solve(), Sat):
        if not cnf.satisfied_by(answer.model, deadline):
            raise SolverError(f"the model of {solver.name} does not satisfy the clauses")
        if any(map(answer.model.isdisjoint, deadline.watch(blocked))):
            raise SolverError(f"{solver.name} found a model again that was blocked")
        yield answer
        blocked.append(cnf.blocking(answer.model))
        session.add(blocked[-1])
        if len(blocked) == most:
            return False
    yield answer
    return True
