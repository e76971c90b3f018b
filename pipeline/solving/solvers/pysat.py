"""Run PySAT in a child process with limited time and memory: answers, proofs and cores.

The child serves one puzzle after another. A child that had to be killed is replaced.
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
"""It reports exhausted memory as an error, while CaDiCaL aborts."""

Engine = Literal["glucose4", "cadical195", "cadical153"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
"""Engines for proofs, in the order in which they are tried.

Proofs by glucose4 are by far the shortest. All write RUP steps only. Unsuitable for proofs:
cadical300, maplecm, maplechrono, ergo.
"""

CORE_ENGINE = "minisat22"
"""It respects a conflict budget. Glucose4 checks it only on restarts."""

OUT_OF_MEMORY = errno.ENOMEM
"""The child's exit code when it is out of memory."""

CLAUSES_PER_REQUEST = 10_000
"""Clauses in one request."""

PROOF_BYTES = 64 * MIB
"""Size limit of the engine's proof file, which is cut off there without an error."""

_CUT_OFF_MARGIN = 64 * 1024
"""A proof that comes this close to PROOF_BYTES may have been cut off."""

_GRACE = 0.5
"""Seconds after the deadline in which a child may send its last core before it is killed."""

_CONFLICTS = 200
"""A query is run in slices of this many conflicts. The deadline is checked between them."""

_FIRST_SLICES = 2
"""Slices for the first attempt at a query. Each further attempt gets four times as many."""

UnsatCore = tuple[list[int], bool]
"""Assumptions that cannot all hold, and whether each of them is needed."""


class Satisfiable(SolverError):
    """The clauses are not refuted: the engine reports this model, which is not verified."""

    def __init__(self, engine: str, model: Iterable[int]) -> None:
        super().__init__(f"{engine} found a model although there should be none")
        self.model = frozenset(model)


class GaveUp(SolverError):
    """Time, memory or space for the proof ran out."""


def check_installed() -> None:
    """Raise SolverMissing if PySAT is not installed."""
    if find_spec("pysat") is None:
        raise SolverMissing("PySAT, which makes proofs, is not installed: pip install python-sat")


def engine_names() -> tuple[str, ...]:
    """The names of all engines of the installed PySAT. Raises SolverMissing."""
    check_installed()
    from pysat.solvers import SolverNames  # noqa: PLC0415 - slow to load

    known = {name: value for name, value in vars(SolverNames).items() if isinstance(value, tuple)}
    if not find_spec("pycryptosat"):
        known.pop("cryptosat", None)
    return tuple(name if name in aliases else aliases[-1] for name, aliases in known.items())


class Pysat(Closeable):
    """A PySAT engine in a child process.

    `waits`: `open` returns after the child has loaded the clauses, not before.
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
        """A DRAT proof that the clauses are unsatisfiable, written by the engine.

        The proof is not verified. Each line is a clause, the last one is empty; deletions are left
        out, because RUP does not need them. There are no assumptions: givens are clauses. Raises
        Satisfiable if the engine finds a model, GaveUp if a limit was hit, and SolverError if the
        child died or wrote no proof.
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
                before = takewhile(
                    lambda step: step != "0", steps
                )  # some engines do not write the empty clause
                added = [step for step in before if not step.startswith("d")]
                return "".join(f"{step}\n" for step in (*added, "0"))
        raise SolverError(f"{engine} has written no proof")

    def core(
        self, clauses: Iterable[Clause], assumptions: Sequence[int], limits: Limits
    ) -> UnsatCore | None:
        """The smallest core that `shrinking_cores` finds within the limits; None if it finds none.

        Raises Satisfiable if all assumptions can hold, EnvironmentFailure if the child cannot be
        started.
        """
        deadline = Deadline.of(limits)
        self._load(clauses, CORE_ENGINE, limits, deadline)
        if not deadline.left():  # clauses may be missing
            return None
        self.send("shrink", assumptions, deadline)
        best: UnsatCore | None = None
        with suppress(MemoryError, _ChildDied):
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
        """Load the clauses into a new engine. Stops early if the time runs out."""
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
        while deadline.left() and (chunk := [*islice(rest, CLAUSES_PER_REQUEST)]):
            self.send("add", chunk)

    def warm(self, _limits: Limits) -> None:
        self._child()

    def _child(self) -> Peer:
        if self._peer is None:
            try:
                self._peer = Peer(__name__)
            except OSError as error:
                raise EnvironmentFailure(f"PySAT cannot be started: {error.strerror}") from error
        return self._peer

    def send(self, *request: object) -> None:
        self._child().send(request)

    def receive(self, seconds: float) -> Any:
        """The reply of the child. Without one in `seconds`, the child is killed; returns None.

        Raises MemoryError if the child ran out of memory, SolverError if it died.
        """
        assert self._peer, "nothing was asked"  # noqa: S101
        reply = None
        try:
            reply = self._peer.hear(seconds)
        except EOFError:
            if self._peer.exit_code() == OUT_OF_MEMORY:
                raise MemoryError from None
            raise _ChildDied("the PySAT process died") from None
        finally:
            if reply is None:
                self.close()
        return reply

    def ask(self, question: str, limits: Limits, deadline: Deadline) -> Any:
        """Send a query about the loaded clauses. Returns Unknown if a limit was hit."""
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


class _ChildDied(SolverError):
    """The child ended without a reply."""


class PysatSession:
    """The clauses of one puzzle, loaded into the engine of the child."""

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
    """The main function of the child: serve requests until the other end of the pipe is closed."""
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
                limit_self(megabytes, PROOF_BYTES)  # this also limits the proof file
                engine = Engine(name=name, with_proof=with_proof)
            case "add":
                engine.append_formula(_unpack(*rest))
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
    """Send ever smaller cores, then the reason for the end."""
    try:
        for core in shrinking_cores(engine, assumptions, deadline):
            pipe.send(("core", core))
        pipe.send("no more")
    except Satisfiable as error:
        pipe.send(("sat", error.model))


def _unpack(clauses: Iterable[Clause] | bytes) -> Iterable[Clause]:
    """The clauses of a request. Bytes are packed as in `PackedClauses`."""
    return clauses_of(array("i", clauses)) if isinstance(clauses, bytes) else clauses


def _proof_of(engine: Any) -> Any:
    """The steps of a proof, or "too long" if its file was cut off."""
    steps = engine.get_proof()
    written = sum(map(len, steps or ())) + len(steps or ())
    return "too long" if written > PROOF_BYTES - _CUT_OFF_MARGIN else steps


def shrinking_cores(
    engine: Any, assumptions: Sequence[int], deadline: Deadline
) -> Iterator[UnsatCore]:
    """Yield ever smaller cores: assumptions that cannot all hold. True marks a minimal core.

    The deadline may cut the sequence short, which is otherwise deterministic. Raises Satisfiable
    if all assumptions can hold. Run it in a process that can be killed, because the deadline is not
    checked while the engine propagates.

    Deletion with clause-set refinement (J. Marques-Silva and I. Lynce, On improving MUS extraction
    algorithms, 2011): each assumption is left out in turn. If the others have a model, it is
    needed. If they have none, only the solver's core of them is kept. Hard queries are
    postponed, because fewer of them remain once the core is smaller.
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
    """The core of these assumptions; "holds" if they can all hold, "hard" if `slices` ran out."""
    for _ in range(slices):
        deadline.check()
        engine.conf_budget(_CONFLICTS)
        holds = engine.solve_limited(assumptions=assumed)
        if holds is not None:
            return "holds" if holds else set(engine.get_core() or ())
    return "hard"
