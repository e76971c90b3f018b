"""Enumerate the models of a CNF with one solver. Each model is checked."""

from __future__ import annotations

from collections.abc import Generator

from pipeline.errors import LimitReached, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.clauses import Clause
from pipeline.solving.cnf import Answer, Cnf, Sat, Unknown
from pipeline.solving.solvers import Solver

MIN_CLAUSE_BYTES = 16
"""Bytes of memory that a solver needs for a clause of two literals."""

VARIABLE_BYTES = 200
"""Bytes of memory of a variable in this process while a model is read and checked."""


def enumerate_models(
    cnf: Cnf,
    solver: Solver,
    limits: Limits,
    blocked: list[Clause] | None = None,
    max_models: int | None = None,
) -> Generator[Answer, None, None]:
    """Yield Sat for each model, then Unsat or Unknown. No two models have the same grid.

    - `limits`: the limits for all models together.
    - `blocked`: clauses that block earlier models. The clause of each new model is appended.
    - `max_models`: stop without a verdict when `blocked` has this number of clauses.

    Raises SolverError if the solver fails, and for a model that does not satisfy the clauses or
    repeats a grid.
    """
    deadline, blocked = Deadline.of(limits), [] if blocked is None else blocked
    try:
        check_memory(cnf, limits)
        with solver.open(cnf, limits) as session:
            for clause in blocked:
                session.add(clause)
            while isinstance(answer := session.solve(), Sat):
                if not cnf.satisfied_by(answer.model, deadline):
                    raise SolverError(f"the model of {solver.name} does not satisfy the clauses")
                if any(map(answer.model.isdisjoint, deadline.watch(blocked))):
                    raise SolverError(f"{solver.name} repeated a model that was blocked")
                yield answer
                blocked.append(cnf.blocking(answer.model))
                session.add(blocked[-1])
                if len(blocked) == max_models:
                    return
            yield answer
    except LimitReached as error:
        yield Unknown(str(error))


def check_memory(cnf: Cnf, limits: Limits) -> None:
    """Raise LimitReached if a solver could not hold the clauses in the memory limit."""
    limits.check_memory(max(cnf.size * MIN_CLAUSE_BYTES, cnf.variables * VARIABLE_BYTES))
