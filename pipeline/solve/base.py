"""Solver and Session: what every solver offers, whoever wrote it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from pipeline.cnf import Answer, Clause, Cnf
from pipeline.limits import Limits


class Closing(ABC):
    """Something to close, which is its own context."""

    @abstractmethod
    def close(self) -> None:
        """Give up what it holds."""

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
        """One clause more for the questions to come."""
        ...


class Solver(Protocol):
    """A solver that is at hand."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str | None:
        """None where the solver does not tell."""
        ...

    def open(self, cnf: Cnf, limits: Limits) -> AbstractContextManager[Session]:
        """Load the clauses; leaving the context ends whatever serves only this session."""
        ...

    def warm(self, limits: Limits) -> None:
        """Start what the next puzzle will need. Raises EnvironmentFailure or SolverError."""
        ...

    def close(self) -> None:
        """End whatever the solver keeps alive between sessions."""
        ...
