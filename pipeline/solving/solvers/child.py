"""Child processes that do not outlive this one, and Python children that serve requests.

No other module starts processes, except `native`, which starts the compiler. Each child leads
its own process group, which is killed as a whole when the child has ended, when its time is up, and
when this process dies.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fcntl import F_GETFL, F_SETFL, F_SETOWN, fcntl
from pathlib import Path
from typing import Any, BinaryIO

from pipeline.files import F_SETSIG
from pipeline.limits import MIB

Child = subprocess.Popen[bytes]
_INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
EXIT_TIMEOUT = 5.0
"""Seconds to wait for a peer's exit code."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # from <malloc.h> of glibc
_SERVE = "import sys; sys.path[:] = {path!r}; from {module} import serve; serve({descriptor})"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits set in the kernel: address space, size of any file, processor time."""

    memory_bytes: int
    file_bytes: int
    processor_seconds: int


@contextmanager
def child(
    argv: Sequence[str],
    bounds: Bounds | None = None,
    output: int | None = None,
    source: int | None = None,
    pass_fds: Sequence[int] = (),
    variables: Mapping[str, str] | None = None,
) -> Iterator[Child]:
    """Start a child within these bounds, and kill its whole group on leaving.

    Its standard input is the descriptor `source`, or has nothing to read. Its standard output and
    error go to the descriptor `output`, or nowhere. It inherits only the descriptors in
    `pass_fds`. Its environment is ours, with these `variables`. Raises OSError if it cannot be
    started.
    """
    leash, held = os.pipe()
    process: Child | None = None
    try:
        with _signals_deferred():
            process = subprocess.Popen(  # noqa: S603 - no shell, and argv is ours
                argv,
                stdin=leash if source is None else source,
                stdout=subprocess.DEVNULL if output is None else output,
                stderr=subprocess.STDOUT,
                process_group=0,
                env=None if variables is None else os.environ | variables,
                pass_fds=(*pass_fds, leash),
            )
            if bounds:
                bound(process, bounds)
            _tie(leash, process.pid)
        yield process
    finally:
        if process is not None:
            _end(process)
        os.close(leash)
        os.close(held)


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Defer interrupting signals: none may come between fork and `_tie`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []
    before = {
        number: handler for number in _INTERRUPTING if callable(handler := signal.getsignal(number))
    }
    for interrupting in before:
        signal.signal(interrupting, lambda number, _frame: caught.append(number))
    try:
        yield
    finally:
        for interrupting, handler in before.items():
            signal.signal(interrupting, handler)
        for number in caught:
            signal.raise_signal(number)


def _tie(leash: int, group: int) -> None:
    """Have the kernel kill the group when the other end of the pipe is closed.

    The end of this process closes it. Unlike PR_SET_PDEATHSIG this needs no code between
    fork and exec, which would cost a millisecond for each child. A child that is missed because
    this process died just before ends at its own time limit.
    """
    with contextlib.suppress(OSError):  # not on Linux
        fcntl(leash, F_SETOWN, -group)
        fcntl(leash, F_SETSIG, signal.SIGKILL)
        fcntl(leash, F_SETFL, fcntl(leash, F_GETFL) | os.O_ASYNC)


def bound(process: Child, bounds: Bounds) -> None:
    """Set, or raise, the limits of a child and of its children, but none above our own."""
    if not hasattr(resource, "prlimit"):
        return
    limits = []
    for which, most in (
        (resource.RLIMIT_AS, bounds.memory_bytes),
        (resource.RLIMIT_FSIZE, bounds.file_bytes),
        (resource.RLIMIT_CPU, bounds.processor_seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        soft, hard = resource.getrlimit(which)
        limits.append((which, (most if soft == resource.RLIM_INFINITY else min(most, soft), hard)))
    pids = [process.pid]
    for pid in pids:
        for which, limit in limits:
            with contextlib.suppress(OSError):  # it may have ended, or lowered its hard limit
                resource.prlimit(pid, which, limit)
        listed = f"/proc/{pid}/task/{pid}/children"  # those started before they could inherit it
        # Path.read_text would take five times as long
        with contextlib.suppress(OSError), open(listed, "rb", buffering=0) as children:  # noqa: PTH123
            pids += map(int, children.read().split())


def nameless_file() -> BinaryIO:
    """Open an empty file without a name; it is gone when the last process closes it.

    In memory if the system supports that. Raises OSError.
    """
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("sudoku-pipeline"), "w+b", buffering=0)
    return tempfile.TemporaryFile()  # pragma: no cover


def _end(process: Child) -> None:
    """Kill the group; its leader is not reaped before, so the number is still in use."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ended_within(process: Child, seconds: float) -> bool:
    """Wait at most `seconds` until the child has ended; it is not reaped yet.

    Popen.wait polls with growing pauses, and so returns milliseconds too late.
    """
    if not seconds and hasattr(os, "waitid"):
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, process.pid, options) is not None
    if hasattr(os, "pidfd_open"):
        descriptor = os.pidfd_open(process.pid)
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            return bool(poll.poll(math.ceil(seconds * 1000)))
        finally:
            os.close(descriptor)
    try:  # pragma: no cover
        process.wait(seconds)
    except subprocess.TimeoutExpired:  # pragma: no cover
        return False
    return True  # pragma: no cover


def pour(pieces: Iterable[bytes], sink: int, seconds: float) -> bool:
    """Write into a pipe; False if the time did not suffice. A closed other end is no failure."""
    end = time.monotonic() + seconds
    os.set_blocking(sink, False)
    poll = select.poll()
    poll.register(sink, select.POLLOUT)
    with contextlib.suppress(BrokenPipeError):
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                if not poll.poll(max(0, math.ceil((end - time.monotonic()) * 1000))):
                    return False
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(sink, rest) :]
    return True


class Peer:
    """The function `serve` of a module, in a child at the other end of a pipe of pickles.

    `serve` gets the descriptor of its end. Raises OSError if the child cannot be started.
    """

    def __init__(self, module: str) -> None:
        import socket  # noqa: PLC0415 - these are slow to load, and not every run has a peer
        from multiprocessing.connection import Connection  # noqa: PLC0415

        with ExitStack() as stack:
            ours, theirs = socket.socketpair()
            self.pipe = stack.enter_context(Connection(ours.detach()))
            with theirs:
                descriptor = theirs.fileno()
                code = _SERVE.format(path=sys.path, module=module, descriptor=descriptor)
                argv = [sys.executable, "-c", code]
                self._process: Child = stack.enter_context(child(argv, pass_fds=[descriptor]))
            self._stack = stack.pop_all()

    def send(self, request: object) -> None:
        """Send a request; `hear` notices if the peer has died."""
        with contextlib.suppress(ConnectionError):
            self.pipe.send(request)

    def hear(self, seconds: float) -> Any:
        """The next reply, or None if none came in time. Raises EOFError if the peer died."""
        try:
            return self.pipe.recv() if self.pipe.poll(seconds) else None
        except OSError as error:
            raise EOFError from error

    def terminate(self) -> None:
        """Tell it to stop, by SIGTERM."""
        self._process.terminate()

    def has_ended(self) -> bool:
        return ended_within(self._process, 0)

    def exit_code(self, seconds: float = EXIT_TIMEOUT) -> int | None:
        """Its exit code, waiting so long for it; None if it has not ended then."""
        ended = ended_within(self._process, seconds)
        return self._process.wait() if ended else None

    def close(self) -> None:
        self._stack.close()


def keep_freed_memory() -> None:
    """Have glibc keep up to 64 MiB of freed memory.

    Getting it again takes lanes a tenth of their time; under Dask's nannies, which have all of it
    returned at once, a third.
    """
    import ctypes  # noqa: PLC0415 - only for workers

    with contextlib.suppress(AttributeError, OSError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_TRIM_THRESHOLD, 64 * MIB)
        libc.mallopt(_M_MMAP_THRESHOLD, 32 * MIB)


def limit_self(megabytes: int, file_bytes: int) -> None:
    """Limit the files of this process, a peer, and the memory that it takes from now on."""
    statm = Path("/proc/self/statm")
    pages = int(statm.read_text().split()[0]) if statm.exists() else 0
    for which, most in (
        (resource.RLIMIT_AS, pages * resource.getpagesize() + megabytes * MIB),
        (resource.RLIMIT_FSIZE, file_bytes),
    ):
        _, hard = resource.getrlimit(which)
        resource.setrlimit(
            which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
        )
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
