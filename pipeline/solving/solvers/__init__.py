"""The interface of SAT solvers, and the order in which they are asked.

To add a solver, add a module and an entry in `Solvers.chain`.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from pipeline.errors import EnvironmentFailure, SolverError, SolverMissing
from pipeline.limits import Limits
from pipeline.settings import SolverChoice

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clause
    from pipeline.solving.cnf import Answer, Cnf

MINISAT_MISSING = "minisat is not installed"
BATCH_FALLBACK_REASON = (
    "the batch solver needs compiled code, solves only 9×9 puzzles with up to 100 solutions each, "
    "and keeps no CNF"
)
"""Reasons why the preferred solver does not answer."""

_HOW_TO_INSTALL = "install it (apt-get install minisat, brew install minisat) or use --solver pysat"


class Closeable(ABC):
    """A resource that must be closed, by `close` or as a context manager."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Satisfiable(SolverError):
    """The engine reports a model of clauses that should have none.

    `model`: the model, not verified; empty if it was not requested.
    """

    def __init__(self, engine: str, model: Iterable[int]) -> None:
        super().__init__(f"{engine} found a model although there should be none")
        self.model = frozenset(model)


class Session(Protocol):
    """A CNF in a solver. It can be solved, extended by clauses, and solved again.

    Both methods raise SolverError if the solver crashes, or returns no answer or an invalid one.
    Models are not verified; the caller must check them.
    """

    def solve(self) -> Answer:
        """Solve the clauses added so far. Returns Unknown if a limit was reached."""
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
        """Context manager: load the clauses, and end the session on exit."""
        ...

    def warm(self, limits: Limits) -> None:
        """Start processes ahead of the next puzzle. Raises EnvironmentFailure or SolverError."""
        ...

    def close(self) -> None:
        """End the processes of the solver."""
        ...


_T = TypeVar("_T", bound=Closeable)


class Solvers(Closeable):
    """The solvers to ask, in order: each is the fallback of its predecessor.

    - `choice`: the setting `solver`.
    - `minisat`: the path of minisat; None to search for minisat in PATH.
    - `missing_solver`: a message that the preferred solver is not installed, or None.

    Raises SolverMissing if a solver that was chosen by name or path is not installed.
    """

    def __init__(self, choice: SolverChoice = "auto", minisat: str | None = None) -> None:
        self.missing_solver: str | None = None
        self._choice = choice
        self._shared: dict[Callable[[], Any], Any] = {}
        self._program = None if choice == "pysat" else shutil.which(minisat or "minisat")
        if self._program is None and choice != "pysat" and minisat:
            message = f"--minisat {minisat}: not a program that can be run; {_HOW_TO_INSTALL}"
            raise SolverMissing(message)
        if self._program is None and choice == "minisat":
            raise SolverMissing(f"{MINISAT_MISSING}; {_HOW_TO_INSTALL}")
        if self._program is None and choice == "auto":
            self.missing_solver = MINISAT_MISSING

    @cached_property
    def chain(self) -> tuple[Solver, ...]:
        """The solvers, in order."""
        from pipeline.solving.solvers.minisat import Minisat  # noqa: PLC0415 - not always needed
        from pipeline.solving.solvers.pysat import Pysat  # noqa: PLC0415

        return (Pysat(),) if self._program is None else (Minisat(self._program), Pysat())

    @property
    def fallback(self) -> str | None:
        """Why the first solver of `chain` is not the preferred one; None if it is."""
        return BATCH_FALLBACK_REASON if self._choice == "batch" else self.missing_solver

    @property
    def searches_first(self) -> bool:
        """Whether variants are searched before a solver is asked: unless a solver was named."""
        return self._choice == "auto"

    def successor(self, solver: Solver) -> Solver | None:
        """The solver that takes over after the first solutions of `solver`, or None.

        PySAT takes over from minisat, because PySAT needs no new process for each solution. If
        minisat was chosen by name, no solver takes over.
        """
        hands_over = self._choice in ("auto", "batch") and solver is not self.chain[-1]
        return self.chain[-1] if hands_over else None

    def for_many_puzzles(self) -> Solvers:
        """The solvers for many puzzles one after another. For `auto`, only PySAT is used.

        PySAT needs no new process for each puzzle.
        """
        return self.get_shared(_only_pysat) if self._choice == "auto" else self

    def get_shared(self, factory: Callable[[], _T]) -> _T:
        """The object that `factory` creates at the first call. `close` closes the object."""
        if factory not in self._shared:
            self._shared[factory] = factory()
        shared_object: _T = self._shared[factory]
        return shared_object

    def warm(self, limits: Limits) -> None:
        """Start the processes of the first solver ahead of time."""
        with suppress(SolverError, EnvironmentFailure):  # the first use raises the error again
            self.chain[0].warm(limits)

    def close(self) -> None:
        chain = vars(self).get("chain", ())  # does not create the chain
        for closeable in (*chain, *self._shared.values()):
            closeable.close()


def _only_pysat() -> Solvers:
    """Create solvers of which PySAT is the only one."""
    return Solvers("pysat")
