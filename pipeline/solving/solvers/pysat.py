"""Run PySAT in a child process with limited time and memory, for answers, proofs and cores.

The child serves one puzzle after another. If it is killed, a new child replaces it.
"""

from __future__ import annotations

import errno
import gc
import os
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import chain, islice, takewhile
from multiprocessing.connection import Connection
from typing import Any, Literal, get_args

from pipeline.errors import EnvironmentFailure, SolverError, SolverMissing
from pipeline.limits import MIB, Deadline, Limits
from pipeline.puzzle.clauses import Clause, PackedClauses, clauses_of
from pipeline.solving.cnf import Answer, Cnf, Sat, Unknown, Unsat
from pipeline.solving.cores import CoreAnswer, CoreQuery, UnsatCore, shrinking_cores
from pipeline.solving.solvers import Closeable, Satisfiable
from pipeline.solving.solvers.child import Peer, limit_self

ENGINE = "glucose4"
"""The engine for answers. It reports exhausted memory as an error, while CaDiCaL aborts."""

Engine = Literal["glucose4", "cadical195", "cadical153"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
"""Engines for proofs, in the order in which they are tried.

glucose4 writes by far the shortest proofs. All of these engines write only RUP steps. These engines
of PySAT are not suitable for proofs: cadical300, maplecm, maplechrono, ergo.
"""

CORE_ENGINE = "minisat22"
"""The engine for cores. It respects a conflict budget, which glucose4 checks only on restarts."""

OUT_OF_MEMORY = errno.ENOMEM
"""The child's exit code when it is out of memory."""

CLAUSES_PER_REQUEST = 10_000
"""Maximum number of clauses in a request."""

PROOF_BYTES = 64 * MIB
"""Size limit of the engine's proof file. A longer proof is cut off without an error."""

_CUT_OFF_MARGIN = 64 * 1024
"""A proof longer than PROOF_BYTES minus this number of bytes may have been cut off."""

_MAX_UNSENT = 1 << 18
"""Maximum bytes of clauses that wait to be sent with the next request."""

_GRACE_SECONDS = 0.5
"""Seconds after the deadline in which a child may send its last core before it is killed."""

_CONFLICTS_PER_SLICE = 200
"""A query runs in slices of this number of conflicts. The deadline is checked between slices."""


class ProofLimitReached(SolverError):
    """The engine wrote no proof within its limits of time, memory and proof size."""


def check_pysat() -> None:
    """Raise SolverMissing if PySAT is not installed."""
    if find_spec("pysat") is None:
        raise SolverMissing("PySAT, which makes proofs, is not installed: pip install python-sat")


def engine_names() -> tuple[str, ...]:
    """The names of all engines of the installed PySAT. Raises SolverMissing."""
    check_pysat()
    from pysat.solvers import SolverNames  # noqa: PLC0415 - slow to load

    aliases = {name: value for name, value in vars(SolverNames).items() if isinstance(value, tuple)}
    if not find_spec("pycryptosat"):
        aliases.pop("cryptosat", None)
    return tuple(name if name in names else names[-1] for name, names in aliases.items())


class Pysat(Closeable):
    """A PySAT engine in a child process.

    `waits`: whether `open` waits until the child has loaded the clauses.
    """

    name = "pysat"

    def __init__(self, engine: str = ENGINE, *, waits: bool = False) -> None:
        self.engine = engine
        self._waits = waits
        self._peer: Peer | None = None
        self._unsent: list[tuple[object, ...]] = []
        self._unsent_size = 0

    @cached_property
    def version(self) -> str:
        from importlib.metadata import version  # noqa: PLC0415 - slow to load

        return f"{version('python-sat')} {self.engine}"

    @contextmanager
    def open(self, cnf: Cnf, limits: Limits) -> Iterator[PysatSession]:
        deadline = Deadline.of(limits)
        self._load((), self.engine, limits, deadline)
        for family in cnf.families:
            self._add(family.clauses, deadline)
        session = PysatSession(self, limits, deadline)
        if self._waits:
            session.wait()
        yield session

    def confirm(
        self, cnf: Cnf, solutions: Sequence[Sequence[int]], limits: Limits, max_conflicts: int
    ) -> bool | Unknown:
        """Whether these are the only solutions of the clauses, each given by its true candidates.

        Each must be satisfiable as assumptions. When clauses exclude all of them, the clauses must
        be unsatisfiable. `max_conflicts` limits the conflicts of all these queries together, so the
        answer does not depend on the speed of the machine. The engine checks it only on restarts.
        """
        deadline = Deadline.of(limits)
        numbers = array("i", chain.from_iterable((*literals, 0) for literals in solutions))
        with self.open(cnf, limits):
            answer = self.ask("confirm", limits, deadline, numbers.tobytes(), max_conflicts)
        match answer:
            case bool() | Unknown():
                return answer
            case "many conflicts":
                return Unknown(f"{self.engine} needs more than {max_conflicts:,} conflicts")
        raise SolverError(f"the PySAT process answered {answer!r}")

    def prove(self, clauses: Iterable[Clause], limits: Limits, engine: Engine = ENGINES[0]) -> str:
        """Let an engine prove that the clauses are unsatisfiable. Returns the proof in DRAT.

        The proof is not verified. Each line is a clause, and the last clause is empty. Deletions
        are left out, because RUP does not need them. Raises Satisfiable if the engine finds a
        model, ProofLimitReached if a limit was reached, and SolverError if the child died or wrote
        no proof.
        """
        deadline = Deadline.of(limits)
        self._load(clauses, engine, limits, deadline, with_proof=True)
        match self.ask("prove", limits, deadline):
            case Unknown(reason):
                raise ProofLimitReached(f"{engine}: {reason}")
            case "sat", [*model]:
                raise Satisfiable(engine, model)
            case "unsat", "too long":
                raise ProofLimitReached(f"{engine}: its proof is longer than {PROOF_BYTES:,} bytes")
            case "unsat", [*steps]:
                # some engines do not write the empty clause, so it is added
                nonempty = takewhile(lambda step: step != "0", steps)
                clauses_added = [step for step in nonempty if not step.startswith("d")]
                return "".join(f"{step}\n" for step in (*clauses_added, "0"))
        raise SolverError(f"{engine} has written no proof")

    def find_core(
        self, clauses: Iterable[Clause], assumptions: Sequence[int], limits: Limits
    ) -> UnsatCore | None:
        """Find the last core of `shrinking_cores` within the limits.

        Returns None if the limits are too low for any core. Raises Satisfiable if all assumptions
        can hold, EnvironmentFailure if the child cannot be started.
        """
        deadline = Deadline.of(limits)
        self._load(clauses, CORE_ENGINE, limits, deadline)
        if not deadline.left():  # clauses may be missing
            return None
        self.send("shrink", assumptions, deadline)
        best: UnsatCore | None = None
        with suppress(MemoryError, _ChildDied):
            while reply := self.receive(deadline.left() + _GRACE_SECONDS):
                match reply:
                    case "core", best:
                        continue
                    case "sat":
                        raise Satisfiable(CORE_ENGINE, ())
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
        """Load clauses into a new engine of the child. Stops when the deadline has passed."""
        if self._peer and self._peer.has_ended():
            self.close()
        self.send("open", engine, limits.megabytes, with_proof)
        self._add(clauses, deadline)

    def _add(self, clauses: Iterable[Clause], deadline: Deadline) -> None:
        """Add clauses to the engine. Stops when the deadline has passed."""
        if isinstance(clauses, PackedClauses):
            is_small = len(clauses.data) < _MAX_UNSENT
            for data in [clauses.data] if is_small else map(array.tobytes, clauses.chunks()):
                if deadline.left():
                    self.send("add", data)
            return
        remaining = iter(clauses)
        while deadline.left() and (chunk := [*islice(remaining, CLAUSES_PER_REQUEST)]):
            self.send("add", chunk)

    def warm(self, _limits: Limits) -> None:
        self._child()

    def _child(self) -> Peer:
        """The child, started by the first call. Raises EnvironmentFailure."""
        if self._peer is None:
            try:
                self._peer = Peer(__name__)
            except OSError as error:
                raise EnvironmentFailure(f"PySAT cannot be started: {error.strerror}") from error
        return self._peer

    def send(self, *request: object) -> None:
        """Send a request. A short list of clauses waits for the next request, to save messages."""
        child = self._child()
        self._unsent.append(request)
        clauses = request[1] if request[0] == "add" else b""
        self._unsent_size += len(clauses) if isinstance(clauses, bytes) else _MAX_UNSENT
        if request[0] not in ("open", "add") or self._unsent_size >= _MAX_UNSENT:
            child.send(self._unsent)
            self._unsent, self._unsent_size = [], 0

    def receive(self, seconds: float) -> Any:
        """Wait for the next reply of the child. After `seconds`, kills the child and returns None.

        Raises MemoryError if the child ran out of memory, SolverError if it died.
        """
        assert self._peer, "no request was sent"  # noqa: S101
        reply = None
        try:
            reply = self._peer.receive(seconds)
        except EOFError:
            if self._peer.exit_code() == OUT_OF_MEMORY:
                raise MemoryError from None
            raise _ChildDied("the PySAT process died") from None
        finally:
            if reply is None:
                self.close()
        return reply

    def ask(self, query: str, limits: Limits, deadline: Deadline, *arguments: object) -> Any:
        """Send a query about the loaded clauses. Returns Unknown if a limit was reached."""
        if not deadline.left():  # clauses may be missing
            return Unknown(limits.timeout_message)
        self.send(query, *arguments)
        try:
            reply = self.receive(deadline.left())
            return Unknown(limits.timeout_message) if reply is None else reply
        except MemoryError:
            return Unknown(limits.memory_message)

    def close(self) -> None:
        self._unsent, self._unsent_size = [], 0
        if self._peer:
            self._peer.close()
            self._peer = None


class _ChildDied(SolverError):
    """The child ended without a reply."""


class PysatSession:
    """A session whose clauses are loaded into the engine of the child."""

    def __init__(self, pysat: Pysat, limits: Limits, deadline: Deadline) -> None:
        self._pysat = pysat
        self._limits = limits
        self._deadline = deadline
        self._failure: Unknown | None = None

    def wait(self) -> None:
        """Wait until the clauses are loaded."""
        reply = self._pysat.ask("wait", self._limits, self._deadline)
        self._failure = reply if isinstance(reply, Unknown) else None

    def add(self, clause: Clause) -> None:
        if not self._failure:
            packed = array("i", (*clause, 0)).tobytes()  # bytes wait for the next request
            self._pysat.send("add", packed)

    def solve(self) -> Answer:
        match self._failure or self._pysat.ask("solve", self._limits, self._deadline):
            case Unknown() as unknown:
                self._failure = unknown
                return unknown
            case "unsat", _:
                return Unsat()
            case "sat", literals:
                return Sat(frozenset(literals))
            case reply:
                raise SolverError(f"the PySAT process answered {reply!r}")


def serve(descriptor: int) -> None:
    """The main function of the child. Serves requests until the other end of the pipe is closed."""
    with Connection(descriptor) as pipe:
        try:
            _serve(pipe)
        except EOFError:
            return
        except MemoryError:
            os._exit(OUT_OF_MEMORY)


def _serve(pipe: Connection) -> None:
    """Serve lists of requests: tuples of a command and arguments. Raises EOFError at the end."""
    from pysat.solvers import Solver  # noqa: PLC0415 - only the child needs it

    gc.disable()  # there are no cycles, and each collection would visit all clauses
    engine: Any = None
    requests: deque[tuple[Any, ...]] = deque()
    while True:
        requests.extend(() if requests else pipe.recv())
        request, *rest = requests.popleft()
        match request:
            case "open":
                if engine:
                    engine.delete()
                name, megabytes, with_proof = rest
                limit_self(megabytes, PROOF_BYTES)  # this also limits the proof file
                engine = Solver(name=name, with_proof=with_proof)
            case "add":
                deque(map(_adder(engine), _unpack(*rest)), maxlen=0)
            case "wait":
                pipe.send("loaded")
            case "solve":
                pipe.send(("sat", engine.get_model()) if engine.solve() else ("unsat", None))
            case "confirm":
                pipe.send(_confirm(engine, *rest))
            case "prove":
                is_sat = engine.solve()
                pipe.send(("sat", engine.get_model()) if is_sat else ("unsat", _proof_of(engine)))
            case "shrink":
                _send_cores(pipe, engine, *rest)


def _confirm(engine: Any, solutions: bytes, max_conflicts: int) -> bool | str:
    """The reply to `PysatSession.confirm`."""
    for literals in [*clauses_of(array("i", solutions)), None]:
        left = max_conflicts - engine.accum_stats()["conflicts"]
        engine.conf_budget(max(1, left))  # 0 would mean no limit
        holds: bool | None = engine.solve_limited(assumptions=literals or ())
        if holds is None:
            return "many conflicts"
        if literals is None:
            return not holds
        if not holds:
            return False
        engine.add_clause([-literal for literal in literals])
    raise AssertionError("unreachable")


def _send_cores(
    pipe: Connection, engine: Any, assumptions: Sequence[int], deadline: Deadline
) -> None:
    """Send smaller and smaller cores, then "no more". If all assumptions can hold, send "sat"."""
    try:
        for core in shrinking_cores(core_query(engine, deadline), assumptions):
            pipe.send(("core", core))
        pipe.send("no more")
    except Satisfiable:
        pipe.send("sat")


def core_query(engine: Any, deadline: Deadline) -> CoreQuery:
    """The function that answers the queries of `shrinking_cores`.

    `engine`: a solver of PySAT that has the clauses. Run it in a process that can be killed: the
    deadline is checked only between slices, of _CONFLICTS_PER_SLICE conflicts each.
    """

    def ask(assumptions: Sequence[int], slices: int) -> CoreAnswer:
        for _ in range(slices):
            deadline.check()
            engine.conf_budget(_CONFLICTS_PER_SLICE)
            holds = engine.solve_limited(assumptions=assumptions)
            if holds is not None:
                return "holds" if holds else {*(engine.get_core() or ())}
        return "hard"

    return ask


def _adder(engine: Any) -> Callable[[Clause], object]:
    """The function that adds a clause to an engine.

    For ENGINE it is the function of the extension module: a third of the time of loading would be
    spent in methods of PySAT around it.
    """
    with suppress(ImportError, AttributeError):
        import pysolvers  # noqa: PLC0415 - as `pysat.solvers`
        from pysat.solvers import Glucose4  # noqa: PLC0415 - as above

        if type(engine.solver) is Glucose4:
            return partial(pysolvers.glucose41_add_cl, engine.solver.glucose)
    add: Callable[[Clause], object] = engine.add_clause
    return add


def _unpack(clauses: Iterable[Clause] | bytes) -> Iterable[Clause]:
    """The clauses of a request. Bytes are the data of `PackedClauses`."""
    return clauses_of(array("i", clauses)) if isinstance(clauses, bytes) else clauses


def _proof_of(engine: Any) -> Any:
    """The steps of a proof, or "too long" if the proof file was cut off."""
    steps = engine.get_proof()
    size = sum(map(len, steps or ())) + len(steps or ())
    return "too long" if size > PROOF_BYTES - _CUT_OFF_MARGIN else steps
