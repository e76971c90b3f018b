"""PySAT in a child process, where its time and its memory can be limited.

The child outlives a puzzle and serves the next; one that had to be stopped is replaced.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pipeline.cnf import Answer, Clause, Cnf, Sat, Unknown, Unsat
from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.solve.base import Deadline, Limits, Session
from pipeline.solve.child import MIB, Child, child, ended_within

ENGINE = "glucose4"
"""Reports an exhausted memory as an error, where CaDiCaL aborts."""

OUT_OF_MEMORY = errno.ENOMEM
"""The exit code by which the child says so."""

_CHUNK = 10_000
_LONGEST_FAREWELL = 5.0
_SERVE = "import sys; sys.path[:] = {path!r}; from pipeline.solve.pysat import serve; serve({fd})"


class Pysat:
    """A PySAT engine behind a pipe."""

    name = "pysat"

    def __init__(self, engine: str = ENGINE) -> None:
        self.engine = engine
        self._pipe: Connection | None = None
        self._process: Child | None = None
        self._child = ExitStack()

    @property
    def version(self) -> str:
        from importlib.metadata import version  # noqa: PLC0415 - slow to load

        return f"{version('python-sat')} {self.engine}"

    @contextmanager
    def open(self, cnf: Cnf, limits: Limits) -> Iterator[Session]:
        yield _Session(self, cnf, limits)

    def warm(self, _limits: Limits) -> None:
        if self._pipe is None:
            self._start()

    def send(self, *request: object) -> None:
        """Hand a request to the child; start one if there is none."""
        pipe = self._pipe or self._start()
        with contextlib.suppress(ConnectionError):  # `receive` finds out why
            pipe.send(request)

    def receive(self, seconds: float) -> Any:
        """The child's reply, or None if none came in time: the child is stopped then.

        Raises MemoryError where the child ran out of its memory, SolverError where it died.
        """
        assert self._pipe, "nothing was asked"  # noqa: S101
        reply = None
        try:
            if self._pipe.poll(seconds):
                reply = self._pipe.recv()
        except (EOFError, OSError):
            if self._exit_code() == OUT_OF_MEMORY:
                raise MemoryError from None
            raise SolverError("the PySAT process died") from None
        finally:
            if reply is None:
                self.close()
        return reply

    def _exit_code(self) -> int | None:
        assert self._process, "none was started"  # noqa: S101
        return self._process.wait() if ended_within(self._process, _LONGEST_FAREWELL) else None

    def _start(self) -> Connection:
        try:
            ours, theirs = socket.socketpair()
            with theirs:
                code = _SERVE.format(path=sys.path, fd=theirs.fileno())
                pipe = self._child.enter_context(Connection(ours.detach()))
                argv = [sys.executable, "-c", code]
                self._process = self._child.enter_context(child(argv, pass_fds=[theirs.fileno()]))
        except OSError as error:
            self.close()
            raise EnvironmentFailure(f"PySAT cannot be started: {error.strerror}") from error
        self._pipe = pipe
        return pipe

    def close(self) -> None:
        self._pipe = None
        self._child.close()


class _Session:
    """The clauses of one puzzle in the child's engine."""

    def __init__(self, owner: Pysat, cnf: Cnf, limits: Limits) -> None:
        self._owner = owner
        self._limits = limits
        self._deadline = Deadline.of(limits)
        self._given_up: Unknown | None = None
        owner.send("open", owner.engine, limits.megabytes)
        clauses = cnf.clauses()
        while self._deadline.left() and (chunk := list(islice(clauses, _CHUNK))):
            owner.send("add", chunk)

    def add(self, clause: Clause) -> None:
        if self._given_up:
            return
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
            self._given_up = Unknown(self._limits.out_of_memory)
            return self._given_up
        match reply:
            case None:
                self._given_up = Unknown(self._limits.out_of_time)
                return self._given_up
            case "unsat", _:
                return Unsat()
            case "sat", literals:
                return Sat(frozenset(literals))
        raise SolverError(f"the PySAT process answered {reply!r}")


def serve(descriptor: int) -> None:
    """What the child does: take requests from the pipe until its other end is closed."""
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
                name, megabytes = rest
                _limit_memory(megabytes)
                engine = Engine(name=name)
            case "add":
                engine.append_formula(*rest)
            case "solve":
                pipe.send(("sat", engine.get_model()) if engine.solve() else ("unsat", None))


def _limit_memory(megabytes: int) -> None:
    """Let the process take that much more than it has now."""
    statm = Path("/proc/self/statm")
    pages = int(statm.read_text().split()[0]) if statm.exists() else 0
    limit = pages * resource.getpagesize() + megabytes * MIB
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
