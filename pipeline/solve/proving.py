"""Proofs of unsatisfiability from a PySAT engine, made in a child process that is kept.

They are to be checked by somebody else before anyone is shown them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from typing import Literal, get_args

from pipeline.cnf import Clause
from pipeline.errors import SolverError
from pipeline.limits import Deadline, Limits
from pipeline.solve.base import Closing
from pipeline.solve.pysat import CHUNK, PROOF_BYTES, Pysat

Engine = Literal["glucose4", "cadical195", "cadical153"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
"""In the order in which to try them: glucose4's proofs are the shortest by far.

All of them write RUP only. Never for proofs: cadical300, maplecm, maplechrono, ergo.
"""


class Satisfiable(SolverError):
    """There is nothing to prove: the engine has found a model."""


class Exhausted(SolverError):
    """Time, memory or room for the proof was not enough: nothing is known."""


class Prover(Closing):
    """Engines that log what they learn, behind a pipe. Close it, or use it as a context."""

    def __init__(self) -> None:
        self._child = Pysat()

    def prove(self, clauses: Iterable[Clause], limits: Limits, engine: Engine = ENGINES[0]) -> str:
        """The DRAT text of a proof that the clauses are unsatisfiable, as the engine found it.

        Givens must be among the clauses. Every line is a clause, the last one the empty one;
        deletions are left out, which no RUP proof needs. Raises Satisfiable where a model was
        found, Exhausted where a limit was hit, and SolverError where the child died or no proof
        was written.
        """
        deadline = Deadline.of(limits)
        child = self._child
        child.send("open", engine, limits.megabytes, True)
        rest = iter(clauses)
        while deadline.left() and (chunk := [*islice(rest, CHUNK)]):
            child.send("add", chunk)
        if not deadline.left():  # clauses may be missing
            raise Exhausted(f"{engine}: {limits.out_of_time}")
        child.send("prove")
        try:
            reply = child.receive(deadline.left())
        except MemoryError:
            raise Exhausted(f"{engine}: {limits.out_of_memory}") from None
        match reply:
            case None:
                raise Exhausted(f"{engine}: {limits.out_of_time}")
            case "sat", _:
                raise Satisfiable(f"{engine} has found a model where there should be none")
            case "unsat", "too long":
                raise Exhausted(f"{engine}: its proof is longer than {PROOF_BYTES:,} bytes")
            case "unsat", [*steps]:
                return _trimmed(steps)
        raise SolverError(f"{engine} has written no proof")

    def close(self) -> None:
        """End the child process."""
        self._child.close()


def _trimmed(steps: Sequence[str]) -> str:
    """The clauses up to the empty one, which engines leave out where it is plain to see."""
    before = takewhile(lambda step: step != "0", steps)
    added = [step for step in before if not step.startswith("d")]
    return "".join(f"{step}\n" for step in (*added, "0"))
