"""What every solver offers, whoever wrote it, and how all models of a Cnf are asked of one."""

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
"""What any solver takes for a clause of two literals; so no limit is hit in vain."""

VARIABLE_BYTES = 200
"""What a variable takes here when a model is read and looked at."""


class Closeable(ABC):
    """Something to close, also by leaving its context."""

    @abstractmethod
    def close(self) -> None:
        """Release what it holds."""

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
    """One Cnf, loaded: it can be asked, given more clauses, and asked again.

    Both methods raise SolverError where the solver crashes, loses its answer or talks
    nonsense. A model is the solver's word: whoever asks checks it.
    """

    def solve(self) -> Answer:
        """Whether the clauses so far are satisfiable; Unknown where a limit was hit."""
        ...

    def add(self, clause: Clause) -> None:
        """Add a clause for the questions to come."""
        ...


class Solver(Protocol):
    """A solver that is at hand. `version` is None where it does not tell."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str | None: ...

    def open(self, cnf: Cnf, limits: Limits) -> AbstractContextManager[Session]:
        """Load the clauses; leaving the context ends whatever serves only this session."""
        ...

    def warm(self, limits: Limits) -> None:
        """Start what the next puzzle will need. Raises EnvironmentFailure or SolverError."""
        ...

    def close(self) -> None:
        """End whatever the solver keeps alive between sessions."""
        ...


def answers(cnf: Cnf, solver: Solver, limits: Limits) -> Generator[Answer, None, None]:
    """Sat for each model, each with a grid of its own, then Unsat or Unknown.

    Each model found is blocked; the limits hold for all questions together. Raises SolverError
    where the solver fails or a model does not satisfy the clauses or repeats an earlier grid.
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
