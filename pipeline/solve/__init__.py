"""Cnf → Answer: which solvers are at hand, and which is asked first.

A new solver is one module and a place in the chain of Solvers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.limits import Limits
from pipeline.settings import SolverChoice
from pipeline.solve.base import Closeable, Session, Solver, answers
from pipeline.solve.minisat import Minisat, find_minisat, missing_minisat
from pipeline.solve.pysat import Pysat

__all__ = [
    "Session",
    "Solver",
    "Solvers",
    "answers",
    "surprise",
]


LACKING = "minisat is not installed"
ONLY_PUZZLES = "lanes solve nothing but Sudoku"
BEYOND_LANES = "lanes keep no CNF, take sides up to 25 and find up to 100 solutions"


T = TypeVar("T", bound=Closeable)


def surprise(fallback: str | None) -> str | None:
    """Why another solver than the first answered, unless that was known beforehand."""
    return None if fallback in (LACKING, ONLY_PUZZLES, BEYOND_LANES) else fallback


class Solvers(Closeable):
    """The solvers to ask for a Cnf, in order: each is the fallback of the one before.

    `lacking` says what the first choice lacks, if it is not there. Raises SolverMissing for a
    solver that is asked for by name, or by path, and not there. `lanes` take puzzles, not a Cnf
    (`batches` asks them); the chain is there for what they cannot do.
    """

    def __init__(self, wanted: SolverChoice = "auto", minisat: str | None = None) -> None:
        self.lacking: str | None = None
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

    def shared(self, factory: Callable[[], T]) -> T:
        """The object of this factory, made once and closed with the solvers."""
        if factory not in self._shared:
            self._shared[factory] = factory()
        made: T = self._shared[factory]
        return made

    def other_than(self, solver: Solver) -> Solver:
        """A solver that shares no code with this one, to check what it says."""
        others = (other for other in self.chain if other is not solver)
        return next(others, self._checker)

    def warm(self, limits: Limits) -> None:
        """Start what the first solver needs, while there is nothing else to do."""
        with contextlib.suppress(SolverError, EnvironmentFailure):  # whoever asks will see
            self.chain[0].warm(limits)

    def close(self) -> None:
        """End whatever was started."""
        for each in (*self.chain, self._checker, *self._shared.values()):
            each.close()
