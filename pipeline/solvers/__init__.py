"""Cnf → Answer: which solvers are available, and in which order they are asked.

A new solver is one module and a place in the chain of Solvers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.limits import Limits
from pipeline.settings import SolverChoice
from pipeline.solvers.base import Closeable, Session, Solver, answers
from pipeline.solvers.minisat import Minisat, find_minisat, missing_minisat
from pipeline.solvers.pysat import Pysat

__all__ = [
    "Session",
    "Solver",
    "Solvers",
    "answers",
]


LACKING = "minisat is not installed"
NOT_FOR_LANES = (
    "lanes solve nothing but Sudoku up to 25×25, up to 100 solutions of each, and keep no CNF"
)

T = TypeVar("T", bound=Closeable)


class Solvers(Closeable):
    """The solvers to ask, in order: each is the fallback of the one before.

    `lacking` says what is missing if the preferred solver is not installed. `fallback` says why a
    solver in the chain answers instead of the wanted one: `lacking`, or that lanes, which `batch`
    runs, cannot take the problem. Raises SolverMissing for a named solver or path that is missing.
    """

    def __init__(self, wanted: SolverChoice = "auto", minisat: str | None = None) -> None:
        self.lacking: str | None = None
        self._wanted = wanted
        self._shared: dict[Callable[[], Any], Any] = {}
        self.chain: tuple[Solver, ...] = (Pysat(),)
        self._checker = Pysat("cadical153")
        if wanted == "pysat":
            return
        program = find_minisat(minisat)
        if program is not None:
            self.chain = (Minisat(program), *self.chain)
        elif wanted == "minisat":
            raise missing_minisat()
        elif wanted == "auto":
            self.lacking = LACKING

    @property
    def fallback(self) -> str | None:
        return NOT_FOR_LANES if self._wanted == "lanes" else self.lacking

    def shared(self, factory: Callable[[], T]) -> T:
        """The object that this factory makes, made once and closed with the solvers."""
        if factory not in self._shared:
            self._shared[factory] = factory()
        made: T = self._shared[factory]
        return made

    def other_than(self, name: str) -> Solver:
        """A solver that shares no code with the one of that name, to check its answers."""
        return next((other for other in self.chain if other.name != name), self._checker)

    def warm(self, limits: Limits) -> None:
        """Start what the first solver needs, while there is nothing else to do."""
        with contextlib.suppress(SolverError, EnvironmentFailure):  # the first use raises it again
            self.chain[0].warm(limits)

    def close(self) -> None:
        for each in (*self.chain, self._checker, *self._shared.values()):
            each.close()
