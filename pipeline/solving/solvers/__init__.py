"""The interface of SAT solvers, and the order in which they are asked.

To add a solver, add a module and an entry in `Solvers.chain`.
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
    "the batch solver needs compiled code, solves only 9×9 puzzles with up to 100 solutions each, "
    "and keeps no CNF"
)

_HOW_TO_INSTALL = "install it (apt-get install minisat, brew install minisat) or use --solver pysat"


class Closeable(ABC):
    """A resource that `close`, or leaving its context, releases."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Session(Protocol):
    """A loaded Cnf, which can be solved, extended by clauses, and solved again.

    Both methods raise SolverError if the solver crashes, loses its answer or returns nonsense.
    Models are not verified; the caller checks them.
    """

    def solve(self) -> Answer:
        """Solve the clauses so far. Returns Unknown if a limit was hit."""
        ...

    def add(self, clause: Clause) -> None:
        """Add a clause for later calls of `solve`."""
        ...


class Solver(Protocol):
    """An installed solver. `version` is None if the solver does not report it."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str | None: ...

    def open(self, cnf: Cnf, limits: Limits) -> AbstractContextManager[Session]:
        """Load the clauses. Leaving the context ends the session."""
        ...

    def warm(self, limits: Limits) -> None:
        """Start processes for the next puzzle. Raises EnvironmentFailure or SolverError."""
        ...

    def close(self) -> None:
        """End processes that serve several sessions."""
        ...


T = TypeVar("T", bound=Closeable)


class Solvers(Closeable):
    """The solvers to ask, in order: each is the fallback of the one before.

    `lacking` says which preferred solver is not installed. `fallback` is the reason why a solver of
    the chain answers instead of the wanted one: `lacking`, or that the batch solver cannot take the
    problem. Raises SolverMissing if a solver that was chosen by name or path is not installed.
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
        """The solvers. Their modules are imported on first use."""
        from pipeline.solving.solvers.minisat import Minisat  # noqa: PLC0415 - see above
        from pipeline.solving.solvers.pysat import Pysat  # noqa: PLC0415

        return (Pysat(),) if self._program is None else (Minisat(self._program), Pysat())

    @property
    def fallback(self) -> str | None:
        return NOT_FOR_BATCH if self._wanted == "batch" else self.lacking

    def successor(self, solver: Solver) -> Solver | None:
        """The solver that takes over after the first solutions of `solver`, or None.

        It is PySAT, which needs no new process per solution, unless minisat was chosen by name.
        """
        hands_over = self._wanted in ("auto", "batch") and solver is not self.chain[-1]
        return self.chain[-1] if hands_over else None

    def for_many(self) -> Solvers:
        """The solvers for many puzzles in turn: PySAT alone if the choice is `auto`.

        PySAT needs no new process per puzzle.
        """
        return self.shared(_pysat_alone) if self._wanted == "auto" else self

    def shared(self, factory: Callable[[], T]) -> T:
        """The object of a factory, made on first use and closed with the solvers."""
        if factory not in self._shared:
            self._shared[factory] = factory()
        made: T = self._shared[factory]
        return made

    def warm(self, limits: Limits) -> None:
        """Start the processes of the first solver ahead of time."""
        with suppress(SolverError, EnvironmentFailure):  # the first use raises it again
            self.chain[0].warm(limits)

    def close(self) -> None:
        chain = vars(self).get("chain", ())  # not created here if it was never used
        for closeable in (*chain, *self._shared.values()):
            closeable.close()


def _pysat_alone() -> Solvers:
    return Solvers("pysat")
