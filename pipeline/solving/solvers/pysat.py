"""PySAT in a child process, where its time and memory can be limited: answers and proofs.

The child outlives a puzzle and serves the next; one that had to be stopped is replaced.
"""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice, takewhile
from multiprocessing.connection import Connection
from typing import Any, Literal, get_args

from pipeline.errors import EnvironmentFailure, SolverError, SolverMissing
from pipeline.limits import MIB, Deadline, Limits
from pipeline.puzzle.clauses import Clause
from pipeline.solving.cnf import Answer, Cnf, Sat, Unknown, Unsat
from pipeline.solving.solvers.base import Closeable, Session
from pipeline.solving.solvers.child import Peer, limit_memory, lower

ENGINE = "glucose4"
"""Reports exhausted memory as an error, where CaDiCaL aborts."""

Engine = Literal["glucose4", "cadical195", "cadical153"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
"""In the order in which they are tried for proofs: glucose4's are by far the shortest.
All of them write RUP only. Never use for proofs: cadical300, maplecm, maplechrono, ergo.
"""

OUT_OF_MEMORY = errno.ENOMEM
"""The child's exit code when it is out of memory."""

CHUNK = 10_000
"""Clauses in one request."""

PROOF_BYTES = 64 * MIB
"""The engine's file is silently cut off there."""

_BUFFERED = 64 * 1024


class Pysat(Closeable):
    """A PySAT engine behind a pipe."""

    name = "pysat"

    def __init__(self, engine: str = ENGINE) -> None:
        self.engine = engine
        self._peer: Peer | None = None

    @property
    def version(self) -> str:
        from importlib.metadata import version  # noqa: PLC0415 - slow to load

        return f"{version('python-sat')} {self.engine}"

    @contextmanager
    def open(self, cnf: Cnf, limits: Limits) -> Iterator[Session]:
        deadline = Deadline.of(limits)
        self.load(cnf.clauses(), self.engine, limits, deadline)
        yield _Session(self, limits, deadline)

    def load(
        self,
        clauses: Iterable[Clause],
        engine: str,
        limits: Limits,
        deadline: Deadline,
        *,
        with_proof: bool = False,
    ) -> None:
        """Load the clauses in a new engine, or some of them if the time is up before."""
        self.send("open", engine, limits.megabytes, with_proof)
        rest = iter(clauses)
        while deadline.left() and (chunk := [*islice(rest, CHUNK)]):
            self.send("add", chunk)

    def warm(self, _limits: Limits) -> None:
        self._started()

    def _started(self) -> Peer:
        if self._peer is None:
            try:
                self._peer = Peer(__name__)
            except OSError as error:
                raise EnvironmentFailure(f"PySAT cannot be started: {error.strerror}") from error
        return self._peer

    def send(self, *request: object) -> None:
        self._started().send(request)

    def receive(self, seconds: float) -> Any:
        """The child's reply, or None if none came in time: the child is stopped then.

        Raises MemoryError if the child ran out of memory, SolverError if it died.
        """
        assert self._peer, "nothing was asked"  # noqa: S101
        reply = None
        try:
            reply = self._peer.hear(seconds)
        except EOFError:
            if self._peer.exit_code() == OUT_OF_MEMORY:
                raise MemoryError from None
            raise SolverError("the PySAT process died") from None
        finally:
            if reply is None:
                self.close()
        return reply

    def close(self) -> None:
        if self._peer:
            self._peer.close()
            self._peer = None


class _Session:
    """The clauses of one puzzle, loaded in the child's engine."""

    def __init__(self, owner: Pysat, limits: Limits, deadline: Deadline) -> None:
        self._owner = owner
        self._limits = limits
        self._deadline = deadline
        self._given_up: Unknown | None = None

    def add(self, clause: Clause) -> None:
        if not self._given_up:
            self._owner.send("add", [clause])

    def solve(self) -> Answer:
        if not self._deadline.left():  # clauses may be missing
            self._given_up = Unknown(self._limits.out_of_time)
        if self._given_up:
            return self._given_up
        self._owner.send("solve")
        try:
            reply = self._owner.receive(self._deadline.left())
        except MemoryError:
            reply = Unknown(self._limits.out_of_memory)
        match reply:
            case None | Unknown():
                self._given_up = reply or Unknown(self._limits.out_of_time)
                return self._given_up
            case "unsat", _:
                return Unsat()
            case "sat", literals:
                return Sat(frozenset(literals))
        raise SolverError(f"the PySAT process answered {reply!r}")


class Satisfiable(SolverError):
    """There is nothing to prove: the engine claims to have found this model."""

    def __init__(self, engine: str, model: Iterable[int]) -> None:
        super().__init__(f"{engine} has found a model where there should be none")
        self.model = frozenset(model)


class GaveUp(SolverError):
    """Time, memory or room for the proof was not enough: nothing is known."""


def check_installed() -> None:
    """Raise SolverMissing if PySAT is not there."""
    if find_spec("pysat") is None:
        raise SolverMissing("PySAT, which makes proofs, is not installed: pip install python-sat")


class Prover(Pysat):
    """Engines that log their learnt clauses. Another program has to check what they write."""

    def prove(self, clauses: Iterable[Clause], limits: Limits, engine: Engine = ENGINES[0]) -> str:
        """The DRAT text of a proof that the clauses are unsatisfiable, as the engine found it.

        Givens must be among the clauses. Every line is a clause, the last one the empty one;
        deletions are left out, as no RUP proof needs them. Raises Satisfiable with a model if one
        was found, GaveUp if a limit was hit, and SolverError if the child died or no proof was
        written.
        """
        deadline = Deadline.of(limits)
        self.load(clauses, engine, limits, deadline, with_proof=True)
        if not deadline.left():  # clauses may be missing
            raise GaveUp(f"{engine}: {limits.out_of_time}")
        self.send("prove")
        try:
            reply = self.receive(deadline.left())
        except MemoryError:
            raise GaveUp(f"{engine}: {limits.out_of_memory}") from None
        match reply:
            case None:
                raise GaveUp(f"{engine}: {limits.out_of_time}")
            case "sat", [*model]:
                raise Satisfiable(engine, model)
            case "unsat", "too long":
                raise GaveUp(f"{engine}: its proof is longer than {PROOF_BYTES:,} bytes")
            case "unsat", [*steps]:
                return _trimmed(steps)
        raise SolverError(f"{engine} has written no proof")


def _trimmed(steps: Sequence[str]) -> str:
    """The clauses up to the empty one, which engines leave out if it is obvious."""
    before = takewhile(lambda step: step != "0", steps)
    added = [step for step in before if not step.startswith("d")]
    return "".join(f"{step}\n" for step in (*added, "0"))


def serve(descriptor: int) -> None:
    """Run in the child: serve requests from the pipe until its other end is closed."""
    with Connection(descriptor) as pipe:
        try:
            _serve(pipe)
        except EOFError:
            return
        except MemoryError:
            os._exit(OUT_OF_MEMORY)


def _serve(pipe: Connection) -> None:
    from pysat.solvers import Solver as Engine  # noqa: PLC0415 - only the child needs it

    engine: Any = None
    while True:
        request, *rest = pipe.recv()
        match request:
            case "open":
                if engine:
                    engine.delete()
                name, megabytes, with_proof = rest
                limit_memory(megabytes)
                lower(resource.RLIMIT_FSIZE, PROOF_BYTES)  # no endless proof
                engine = Engine(name=name, with_proof=with_proof)
            case "add":
                engine.append_formula(*rest)
            case "solve":
                pipe.send(("sat", engine.get_model()) if engine.solve() else ("unsat", None))
            case "prove":
                is_sat = engine.solve()
                pipe.send(("sat", engine.get_model()) if is_sat else ("unsat", _proof_of(engine)))


def _proof_of(engine: Any) -> Any:
    """The steps of a proof, or "too long" if the file was cut off."""
    steps = engine.get_proof()
    written = sum(map(len, steps or ())) + len(steps or ())
    return "too long" if written > PROOF_BYTES - _BUFFERED else steps
