"""All models of a Cnf, one after the other, by blocking each that was found."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from pipeline.cnf import Answer, Clause, Cnf, Sat, Unknown
from pipeline.errors import LimitReached, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.solve.base import Solver

LEAST_BYTES = 16
"""What any solver takes for a clause of two literals; so no limit is hit in vain."""

VARIABLE_BYTES = 200
"""What a variable takes here when a model is read and looked at."""


def answers(cnf: Cnf, solver: Solver, limits: Limits) -> Generator[Answer, None, None]:
    """Sat for each model, each with a grid of its own, then Unsat or Unknown.

    The limits hold for all questions together. Raises SolverError where the solver fails or a
    model does not satisfy the clauses or repeats an earlier one's grid.
    """
    try:
        limits.allow(max(cnf.size * LEAST_BYTES, cnf.variables * VARIABLE_BYTES))
        yield from _asked(cnf, solver, limits)
    except LimitReached as error:
        yield Unknown(str(error))


def _asked(cnf: Cnf, solver: Solver, limits: Limits) -> Iterator[Answer]:
    deadline = Deadline.of(limits)
    blocked: list[Clause] = []
    with solver.open(cnf, limits) as session:
        while True:
            answer = session.solve()
            if not isinstance(answer, Sat):
                yield answer
                return
            if not cnf.satisfied_by(answer.model, deadline):
                raise SolverError(f"the model of {solver.name} does not satisfy the clauses")
            if any(answer.model.isdisjoint(clause) for clause in deadline.watch(blocked)):
                raise SolverError(f"{solver.name} found a model again that was blocked")
            yield answer
            blocked.append(cnf.blocking(answer.model))
            session.add(blocked[-1])
