"""The interface of all solvers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, Self

from pipeline.limits import Limits

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clause
    from pipeline.solving.cnf import Answer, Cnf


class Closeable(ABC):
    """Something to close, also by leaving its context."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
