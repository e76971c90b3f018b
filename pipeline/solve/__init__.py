"""Cnf → Answer: which solvers are at hand, and which is asked first.

A new solver is one module and a place in the chain of Solvers.
"""

from __future__ import annotations

from types import TracebackType
from typing import Literal, Self

from pipeline.solve.base import LEAST_MEGABYTES, Deadline, Limits, Session, Solver
from pipeline.solve.enumerate import answers
from pipeline.solve.minisat import Minisat, find_minisat, missing_minisat
from pipeline.solve.pysat import Pysat

SolverName = Literal["auto", "minisat", "pysat"]

__all__ = [
    "LEAST_MEGABYTES",
    "Deadline",
    "Limits",
    "Session",
    "Solver",
    "SolverName",
    "Solvers",
    "answers",
]


class Solvers:
    """The solvers to ask, in order: each is the fallback of the one before.

    `lacking` says what the first choice lacks, if it is not there. Raises SolverMissing for a
    solver that is asked for by name, or by path, and not there.
    """

    def __init__(self, wanted: SolverName = "auto", minisat: str | None = None) -> None:
        self.lacking: str | None = None
        self.chain: tuple[Solver, ...] = (Pysat(),)
        if wanted == "pysat":
            return
        program = find_minisat(minisat)
        if program is not None:
            self.chain = (Minisat(program), *self.chain)
        elif wanted == "minisat":
            raise missing_minisat()
        else:
            self.lacking = "minisat is not installed"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for solver in self.chain:
            solver.close()
