"""All models of a Cnf, one after the other, by blocking each that was found."""

from __future__ import annotations

from collections.abc import Generator

from pipeline.cnf import Answer, Clause, Cnf, Sat, Unknown
from pipeline.errors import SolverError
from pipeline.solve.base import Limits, Solver
from pipeline.solve.child import MIB

LEAST_BYTES = 16
"""What any solver takes for a clause of two literals; so no limit is hit in vain."""


def answers(cnf: Cnf, solver: Solver, limits: Limits) -> Generator[Answer, None, None]:
    """Sat for each model, each with a grid of its own, then Unsat or Unknown.

    The limits hold for all questions together. Raises SolverError where the solver fails or a
    model does not satisfy the clauses or repeats an earlier one's grid.
    """
    if cnf.size * LEAST_BYTES > limits.megabytes * MIB:
        yield Unknown(limits.out_of_memory)
        return
    blocked: list[Clause] = []
    with solver.open(cnf, limits) as session:
        while True:
            answer = session.solve()
            if not isinstance(answer, Sat):
                yield answer
                return
            _check(cnf, blocked, answer, solver.name)
            yield answer
            blocked.append(cnf.blocking(answer.model))
            session.add(blocked[-1])


def _check(cnf: Cnf, blocked: list[Clause], answer: Sat, name: str) -> None:
    if not cnf.satisfied_by(answer.model):
        raise SolverError(f"the model of {name} does not satisfy the clauses")
    if any(answer.model.isdisjoint(clause) for clause in blocked):
        raise SolverError(f"{name} found a model again that was blocked")
