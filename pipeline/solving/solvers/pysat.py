"""PySAT in a child process, where its time and memory can be limited: answers, proofs and cores.

The child outlives a puzzle and serves the next; one that had to be stopped is replaced.
"""

from __future__ import annotations

import errno
import os
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.util import find_spec
from itertools import islice, takewhile
from multiprocessing.connection import Connection
from typing import Any, Literal, get_args

from pipeline.errors import EnvironmentFailure, LimitReached, SolverError, SolverMissing
from pipeline.limits import MIB, Deadline, Limits
from pipeline.puzzle.clauses import Clause, PackedClauses, clauses_of
from pipeline.solving.cnf import Answer, Cnf, Sat, Unknown, Unsat
from pipeline.solving.solvers import Closeable, Session
from pipeline.solving.solvers.child import Peer, limit_self

ENGINE = "glucose4"
"""Reports exhausted memory as an error, where CaDiCaL aborts."""

Engine = Literal["glucose4", "cadical195", "cadical153"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
"""Tried for proofs in this order: glucose4's are by far the shortest.

All of them write RUP only. Never use for proofs: cadical300, maplecm, maplechrono, ergo.
"""

CORE_ENGINE = "minisat22"
"""Respects a budget of conflicts; glucose4 checks it only when it restarts."""

OUT_OF_MEMORY = errno.ENOMEM
"""The child's exit code when it is out of memory."""

CHUNK = 10_000
"""Clauses in one request."""

PROOF_BYTES = 64 * MIB
"""The engine's file is silently cut off there."""

_BUFFERED = 64 * 1024

_GRACE = 0.5
"""Seconds after its deadline in which a child may send its last core, before it is killed."""

_CONFLICTS = 200
"""The engine checks the clock after each slice of so many conflicts."""

_FIRST_SLICES = 2
"""Slices for a question at first; four times as many whenever it comes up again."""

UnsatCore = tuple[list[int], bool]
"""Assumptions that cannot all hold, and whether each of them is needed."""


class Satisfiable(SolverError):
    """There is nothing to refute: the engine claims to have found this model."""

    def __init__(self, engine: str, model: Iterable[int]) -> None:
        super().__init__(f"{engine} has found a model where there should be none")
        self.model = frozenset(model)


class GaveUp(SolverError):
    """Time, memory or room for the proof was not enough: nothing is known."""


def check_installed() -> None:
    """Raise SolverMissing if PySAT is not there."""
    if find_spec("pysat") is None:
        raise SolverMissing("PySAT, which makes proofs, is not installed: pip install python-sat")


def engine_names() -> tuple[str, ...]:
    """The names of all engines that PySAT has here. Raises SolverMissing."""
    check_installed()
    from pysat.solvers import SolverNames  # noqa: PLC0415 - slow to load

    known = {name: value for name, value in vars(SolverNames).items() if isinstance(value, tuple)}
    if not find_spec("pycryptosat"):
        known.pop("cryptosat", None)
    return tuple(name if name in aliases else aliases[-1] for name, aliases in known.items())


class Pysat(Closeable):
    """A PySAT engine behind a pipe.

    If it `waits`, a session begins when all clauses are loaded, else meanwhile.
    """

    name = "pysat"

    def __init__(self, engine: str = ENGINE, *, waits: bool = False) -> None:
        self.engine = engine
        self._waits = waits
        self._peer: Peer | None = None

    @cached_property
    def version(self) -> str:
        from importlib.metadata import version  # noqa: PLC0415 - slow to load

        return f"{version('python-sat')} {self.engine}"

    @contextmanager
    def open(self, cnf: Cnf, limits: Limits) -> Iterator[Session]:
        deadline = Deadline.of(limits)
        self._load((), self.engine, limits, deadline)
        for family in cnf.families:
            self._add(family.clauses, deadline)
        session = PysatSession(self, limits, deadline)
        if self._waits:
            session.wait()
        yield session

    def prove(self, clauses: Iterable[Clause], limits: Limits, engine: Engine = ENGINES[0]) -> str:
        """The DRAT text of a proof that the clauses are unsatisfiable, as the engine found it.

        Another program has to check it. Givens must be among the clauses. Every line is a clause,
        the last one the empty one; deletions are left out, as no RUP proof needs them. Raises
        Satisfiable with a model if one was found, GaveUp if a limit was hit, and SolverError if
        the child died or no proof was written.
        """
        deadline = Deadline.of(limits)
        self._load(clauses, engine, limits, deadline, with_proof=True)
        match self.ask("prove", limits, deadline):
            case Unknown(reason):
                raise GaveUp(f"{engine}: {reason}")
            case "sat", [*model]:
                raise Satisfiable(engine, model)
            case "unsat", "too long":
                raise GaveUp(f"{engine}: its proof is longer than {PROOF_BYTES:,} bytes")
            case "unsat", [*steps]:
                before = takewhile(lambda step: step != "0", steps)  # engines may leave it out
                added = [step for step in before if not step.startswith("d")]
                return "".join(f"{step}\n" for step in (*added, "0"))
        raise SolverError(f"{engine} has written no proof")

    def core(
        self, clauses: Iterable[Clause], assumptions: Sequence[int], limits: Limits
    ) -> UnsatCore | None:
        """The last set that `shrinking_cores` finds within the limits; None if it finds none.

        Raises Satisfiable if all assumptions can hold, EnvironmentFailure if no child can be had.
        """
        deadline = Deadline.of(limits)
        self._load(clauses, CORE_ENGINE, limits, deadline)
        if not deadline.left():  # clauses may be missing
            return None
        self.send("shrink", assumptions, deadline)
        best: UnsatCore | None = None
        with suppress(MemoryError, _Died):
            while reply := self.receive(deadline.left() + _GRACE):
                match reply:
                    case "core", best:
                        continue
                    case "sat", model:
                        raise Satisfiable(CORE_ENGINE, model)
                break
        return best

    def _load(
        self,
        clauses: Iterable[Clause],
        engine: str,
        limits: Limits,
        deadline: Deadline,
        *,
        with_proof: bool = False,
    ) -> None:
        """Load the clauses in a new engine, or some of them if the time is up before."""
        if self._peer and self._peer.has_ended():
            self.close()
        self.send("open", engine, limits.megabytes, with_proof)
        self._add(clauses, deadline)

    def _add(self, clauses: Iterable[Clause], deadline: Deadline) -> None:
        if isinstance(clauses, PackedClauses):
            for numbers in clauses.chunks():
                if deadline.left():
                    self.send("add", numbers.tobytes())
            return
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
            raise _Died("the PySAT process died") from None
        finally:
            if reply is None:
                self.close()
        return reply

    def ask(self, question: str, limits: Limits, deadline: Deadline) -> Any:
        """The child's reply about the clauses loaded; Unknown if a limit was hit."""
        if not deadline.left():  # clauses may be missing
            return Unknown(limits.out_of_time)
        self.send(question)
        try:
            return self.receive(deadline.left()) or Unknown(limits.out_of_time)
        except MemoryError:
            return Unknown(limits.out_of_memory)

    def close(self) -> None:
        if self._peer:
            self._peer.close()
            self._peer = None


class _Died(SolverError):
    """The child ended without a reply."""


class PysatSession:
    """The clauses of one puzzle, loaded in the child's engine."""

    def __init__(self, owner: Pysat, limits: Limits, deadline: Deadline) -> None:
        self._owner = owner
        self._limits = limits
        self._deadline = deadline
        self._given_up: Unknown | None = None

    def wait(self) -> None:
        """Wait until the clauses are loaded."""
        reply = self._owner.ask("wait", self._limits, self._deadline)
        self._given_up = reply if isinstance(reply, Unknown) else None

    def add(self, clause: Clause) -> None:
        if not self._given_up:
            self._owner.send("add", [clause])

    def solve(self) -> Answer:
        match self._given_up or self._owner.ask("solve", self._limits, self._deadline):
            case Unknown() as unknown:
                self._given_up = unknown
                return unknown
            case "unsat", _:
                return Unsat()
            case "sat", literals:
                return Sat(frozenset(literals))
            case reply:
                raise SolverError(f"the PySAT process answered {reply!r}")


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
                limit_self(megabytes, PROOF_BYTES)  # no endless proof
                engine = Engine(name=name, with_proof=with_proof)
            case "add":
                engine.append_formula(_unpacked(*rest))
            case "wait":
                pipe.send("loaded")
            case "solve":
                pipe.send(("sat", engine.get_model()) if engine.solve() else ("unsat", None))
            case "prove":
                is_sat = engine.solve()
                pipe.send(("sat", engine.get_model()) if is_sat else ("unsat", _proof_of(engine)))
            case "shrink":
                _shrink(pipe, engine, *rest)


def _shrink(pipe: Connection, engine: Any, assumptions: Sequence[int], deadline: Deadline) -> None:
    """Send ever smaller cores as they are found, then what ended the search."""
    try:
        for core in shrinking_cores(engine, assumptions, deadline):
            pipe.send(("core", core))
        pipe.send("no more")
    except Satisfiable as error:
        pipe.send(("sat", error.model))


def _unpacked(clauses: Iterable[Clause] | bytes) -> Iterable[Clause]:
    """The clauses of a request; bytes are those of numbers, as in `PackedClauses`."""
    return clauses_of(array("i", clauses)) if isinstance(clauses, bytes) else clauses


def _proof_of(engine: Any) -> Any:
    """The steps of a proof, or "too long" if the file was cut off."""
    steps = engine.get_proof()
    written = sum(map(len, steps or ())) + len(steps or ())
    return "too long" if written > PROOF_BYTES - _BUFFERED else steps


def shrinking_cores(
    engine: Any, assumptions: Sequence[int], deadline: Deadline
) -> Iterator[UnsatCore]:
    """Yield ever fewer assumptions that cannot all hold; True marks a last, minimal set.

    The series stops early, or does not begin, when the deadline has passed; up to there it is the
    same at every run. Raises Satisfiable if all assumptions can hold. Run it in a process that
    can be killed: the deadline is not checked while the engine propagates.

    Deletion with clause-set refinement (J. Marques-Silva and I. Lynce, On improving MUS extraction
    algorithms, 2011): each assumption is left out in turn. If the others have a model, it is
    needed; if they have none, only the solver's core of them is kept. A hard question is put off:
    the smaller the core, the fewer of these are left.
    """
    with suppress(LimitReached):
        core = _core_of(engine, assumptions, sys.maxsize, deadline)
        if not isinstance(core, set):
            raise Satisfiable(CORE_ENGINE, engine.get_model())
        needed: list[int] = []
        untried = [literal for literal in assumptions if literal in core]
        hard: list[int] = []
        yield untried, False
        slices = _FIRST_SLICES
        while untried or hard:
            if not untried:
                untried, hard, slices = hard, [], slices * 4
            tried = untried.pop()
            core = _core_of(engine, [*needed, *hard, *untried], slices, deadline)
            if core == "holds":
                needed.append(tried)
            elif core == "hard":
                hard.append(tried)
            else:
                untried = [literal for literal in untried if literal in core]
                hard = [literal for literal in hard if literal in core]
                yield [*needed, *hard, *untried], False
        yield needed, True


def _core_of(
    engine: Any, assumed: Sequence[int], slices: int, deadline: Deadline
) -> set[int] | Literal["holds", "hard"]:
    """Assumptions that cannot all hold, if so; `hard` if that many slices were not enough."""
    for _ in range(slices):
        deadline.check()
        engine.conf_budget(_CONFLICTS)
        holds = engine.solve_limited(assumptions=assumed)
        if holds is not None:
            return "holds" if holds else set(engine.get_core() or ())
    return "hard"
