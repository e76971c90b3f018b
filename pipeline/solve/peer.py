"""A Python child process behind a pipe, that serves requests until the pipe is closed."""

from __future__ import annotations

import contextlib
import resource
import socket
import sys
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pipeline.limits import MIB
from pipeline.solve.child import Child, child, ended_within

_LONGEST_FAREWELL = 5.0
_SERVE = "import sys; sys.path[:] = {path!r}; from {module} import serve; serve({descriptor})"


class Peer:
    """The function `serve` of a module, at the other end of a pipe of pickles.

    It is called with the descriptor of its end. Raises OSError where it cannot be started.
    """

    def __init__(self, module: str) -> None:
        self._stack = ExitStack()
        with contextlib.ExitStack() as stack:
            ours, theirs = socket.socketpair()
            self.pipe = stack.enter_context(Connection(ours.detach()))
            with theirs:
                descriptor = theirs.fileno()
                code = _SERVE.format(path=sys.path, module=module, descriptor=descriptor)
                argv = [sys.executable, "-c", code]
                self._process: Child = stack.enter_context(child(argv, pass_fds=[descriptor]))
            self._stack = stack.pop_all()

    def send(self, request: object) -> None:
        """Hand a request over; that the peer has died is seen when it is heard."""
        with contextlib.suppress(ConnectionError):
            self.pipe.send(request)

    def hear(self, seconds: float) -> Any:
        """The next reply, or None if none came in time. Raises EOFError where the peer died."""
        try:
            return self.pipe.recv() if self.pipe.poll(seconds) else None
        except OSError as error:
            raise EOFError from error

    def has_ended(self) -> bool:
        """Whether the process is no more."""
        return ended_within(self._process, 0)

    def exit_code(self) -> int | None:
        """The exit code of a peer that has died."""
        ended = ended_within(self._process, _LONGEST_FAREWELL)
        return self._process.wait() if ended else None

    def close(self) -> None:
        """End the process."""
        self._stack.close()


def limit_memory(megabytes: int) -> None:
    """Let this process, a peer, take that much more memory than it has now, and leave no core."""
    statm = Path("/proc/self/statm")
    pages = int(statm.read_text().split()[0]) if statm.exists() else 0
    lower(resource.RLIMIT_AS, pages * resource.getpagesize() + megabytes * MIB)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def lower(which: int, limit: int) -> None:
    """Set a limit of this process, no higher than it may be."""
    _, hard = resource.getrlimit(which)
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(which, (soft, hard))
