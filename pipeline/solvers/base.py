"""The interface of all solvers, and how all models of a Cnf are requested from one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from pipeline.cnf import Answer, Clause, Cnf, Sat, Unknown
from pipeline.errors import LimitReached, SolverError
from pipeline.limits import Deadline, Limits

LEAST_BYTES = 16
"""The least memory of a clause of two literals in any solver, so that no limit is hit in vain."""

VARIABLE_BYTES = 200
"""Memory of a variable in this process while a model is read and checked."""


class Closeable(ABC):
    """Something to close, also by leaving its context."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Session(Protocol):
    """A loaded Cnf: it can be solved, given more clauses, and solved again.

    Both methods raise SolverError if the solver crashes, loses its answer or returns nonsense.
    A model is the solver's claim: the caller checks it.
    """

    def solve(self) -> Answer:
        """Whether the clauses so far are satisfiable; Unknown if a limit was hit."""
        ...

    def add(self, clause: Clause) -> None:
        """Add a clause for the calls to come."""
        ...


class Solver(Protocol):
    """An available solver. `version` is None if it does not tell."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str | None: ...

    def open(self, cnf: Cnf, limits: Limits) -> AbstractContextManager[Session]:
        """Load the clauses; leaving the context ends what serves only this session."""
        ...

    def warm(self, limits: Limits) -> None:
        """Start what the next puzzle will need. Raises EnvironmentFailure or SolverError."""
        ...

    def close(self) -> None:
        """End what the solver keeps alive between sessions."""
        ...


def answers(cnf: Cnf, solver: Solver, limits: Limits) -> Generator[Answer, None, None]:
    """Yield Sat for each model, each of a different grid, then Unsat or Unknown.

    Each model found is blocked; the limits hold for all calls together. Raises SolverError if
    the solver fails, or a model does not satisfy the clauses or repeats an earlier grid.
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
        while isinstance(answer := session.solve(), Sat):
            if not cnf.satisfied_by(answer.model, deadline):
                raise SolverError(f"the model of {solver.name} does not satisfy the clauses")
            if any(answer.model.isdisjoint(clause) for clause in deadline.watch(blocked)):
                raise SolverError(f"{solver.name} found a model again that was blocked")
            yield answer
            blocked.append(cnf.blocking(answer.model))
            session.add(blocked[-1])
        yield answer
