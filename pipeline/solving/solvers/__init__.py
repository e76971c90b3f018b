"""Cnf → Answer: the interface of all solvers, and the order in which they are asked.

A new solver is one module and a place in the chain of Solvers.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from pipeline.errors import EnvironmentFailure, SolverError, SolverMissing
from pipeline.limits import Limits
from pipeline.settings import SolverChoice

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clause
    from pipeline.solving.cnf import Answer, Cnf

LACKING = "minisat is not installed"
NOT_FOR_BATCH = (
    "the batch solver needs machine code, solves only 9×9, up to 100 solutions of each, and keeps "
    "no CNF"
)

_HOW_TO_INSTALL = "install it (apt-get install minisat, brew install minisat) or use --solver pysat"


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
        self._program = None if wanted == "pysat" else shutil.which(minisat or "minisat")
        if self._program is None and wanted != "pysat" and minisat:
            why = f"--minisat {minisat}: not a program that can be run; {_HOW_TO_INSTALL}"
            raise SolverMissing(why)
        if self._program is None and wanted == "minisat":
            raise SolverMissing(f"{LACKING}; {_HOW_TO_INSTALL}")
        if self._program is None and wanted == "auto":
            self.lacking = LACKING

    @cached_property
    def chain(self) -> tuple[Solver, ...]:
        """The solvers, which are loaded when the first of them is needed."""
        from pipeline.solving.solvers.minisat import Minisat  # noqa: PLC0415 - see above
        from pipeline.solving.solvers.pysat import Pysat  # noqa: PLC0415

        return (Pysat(),) if self._program is None else (Minisat(self._program), Pysat())

    @property
    def fallback(self) -> str | None:
        return NOT_FOR_BATCH if self._wanted == "batch" else self.lacking

    def after(self, solver: Solver) -> Solver | None:
        """The solver that goes on from the first solutions of this one, if any does.

        PySAT does, which starts no process for each, unless minisat was asked for by name.
        """
        hands_over = self._wanted in ("auto", "batch") and solver is not self.chain[-1]
        return self.chain[-1] if hands_over else None

    def for_many(self) -> Solvers:
        """Those for many puzzles, one by one: PySAT alone if the choice is free.

        It starts no process for each of them.
        """
        return self.shared(_kept_alive) if self._wanted == "auto" else self

    def shared(self, factory: Callable[[], T]) -> T:
        """The object that this factory makes, made once and closed with the solvers."""
        if factory not in self._shared:
            self._shared[factory] = factory()
        made: T = self._shared[factory]
        return made

    def warm(self, limits: Limits) -> None:
        """Start what the first solver needs, while there is nothing else to do."""
        with suppress(SolverError, EnvironmentFailure):  # the first use raises it again
            self.chain[0].warm(limits)

    def close(self) -> None:
        made = vars(self)  # what was never needed is not made now
        for each in (*made.get("chain", ()), *self._shared.values()):
            each.close()


def _kept_alive() -> Solvers:
    return Solvers("pysat")
