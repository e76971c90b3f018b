"""Start child processes that do not outlive this one, and Python children that serve requests.

All processes are started here, except the compiler, which `native` starts. Each child leads a
process group. The whole group is killed when the child ends, when its time is up, and when this
process dies.
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

_INTERRUPTING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
"""The signals whose handlers may raise an exception."""

EXIT_WAIT_SECONDS = 5.0
"""Seconds to wait for the exit of a child process."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Parameters of `mallopt`, from <malloc.h> of glibc."""

_SERVE = "import sys; sys.path[:] = {path!r}; from {module} import serve; serve({descriptor})"
"""The Python code that a peer runs."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits that the kernel enforces: address space, file size and CPU time."""

    memory_bytes: int
    file_bytes: int
    processor_seconds: int


@contextmanager
def start_child(
    argv: Sequence[str],
    bounds: Bounds | None = None,
    output: int | None = None,
    source: int | None = None,
    pass_fds: Sequence[int] = (),
    variables: Mapping[str, str] | None = None,
) -> Iterator[Child]:
    """Context manager: start a child process, and kill its process group on exit.

    - `bounds`: limits of the child.
    - `output`: the descriptor for standard output and standard error; by default they are
      discarded.
    - `source`: the descriptor of standard input; by default an empty pipe.
    - `pass_fds`: further descriptors that the child inherits.
    - `variables`: environment variables to add or replace.

    Raises OSError if the child cannot be started.
    """
    leash, other_end = os.pipe()
    process: Child | None = None
    try:
        with _defer_signals():
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
                limit_process(process, bounds)
            _tie_to_leash(leash, process.pid)
        yield process
    finally:
        if process is not None:
            _kill_group(process)
        os.close(leash)
        os.close(other_end)


@contextmanager
def _defer_signals() -> Iterator[None]:
    """Context manager: defer interrupting signals, so that none arrives before `_tie_to_leash`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    deferred: list[int] = []
    handlers = {
        number: handler
        for number in _INTERRUPTING_SIGNALS
        if callable(handler := signal.getsignal(number))
    }
    for interrupting in handlers:
        signal.signal(interrupting, lambda number, _frame: deferred.append(number))
    try:
        yield
    finally:
        for interrupting, handler in handlers.items():
            signal.signal(interrupting, handler)
        for number in deferred:
            signal.raise_signal(number)


def _tie_to_leash(leash: int, group: int) -> None:
    """Let the kernel kill a process group when the other end of the pipe `leash` is closed.

    This process holds the other end, so its exit closes it. PR_SET_PDEATHSIG would need code
    between fork and exec, which costs a millisecond for each child. If this process dies before
    this call, the child ends at its own time limit.
    """
    with contextlib.suppress(OSError):  # not on Linux
        fcntl(leash, F_SETOWN, -group)
        fcntl(leash, F_SETSIG, signal.SIGKILL)
        fcntl(leash, F_SETFL, fcntl(leash, F_GETFL) | os.O_ASYNC)


def limit_process(process: Child, bounds: Bounds) -> None:
    """Set the limits of a child and its children, but not above the limits of this process."""
    if not hasattr(resource, "prlimit"):
        return
    limits = []
    for kind, value in (
        (resource.RLIMIT_AS, bounds.memory_bytes),
        (resource.RLIMIT_FSIZE, bounds.file_bytes),
        (resource.RLIMIT_CPU, bounds.processor_seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        soft, hard = resource.getrlimit(kind)
        limits.append((kind, (value if soft == resource.RLIM_INFINITY else min(value, soft), hard)))
    pids = [process.pid]
    for pid in pids:
        for kind, limit in limits:
            with contextlib.suppress(OSError):  # it has ended, or lowered its hard limit
                resource.prlimit(pid, kind, limit)
        # it may have started children before its limits were set
        list_path = f"/proc/{pid}/task/{pid}/children"
        # Path.read_text would take five times as long
        with contextlib.suppress(OSError), open(list_path, "rb", buffering=0) as children:  # noqa: PTH123
            pids += map(int, children.read().split())


def open_unnamed_file() -> BinaryIO:
    """Create a file without a name, which disappears when the last process closes it.

    The file is in memory if the system supports that. Raises OSError.
    """
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("sudoku-pipeline"), "w+b", buffering=0)
    return tempfile.TemporaryFile()  # pragma: no cover


def _kill_group(process: Child) -> None:
    """Kill the process group of a child, then reap the child. Its id is not reused before."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ended_within(process: Child, seconds: float) -> bool:
    """Wait up to `seconds` for the end of a child, without reaping it. Returns whether it ended.

    Popen.wait would poll with growing pauses, and return milliseconds late.
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


def write_to_pipe(chunks: Iterable[bytes], pipe: int, seconds: float) -> bool:
    """Write chunks to a pipe for up to `seconds`. Returns False if the time was not enough.

    If the reader has closed the pipe, the rest is discarded.
    """
    end = time.monotonic() + seconds
    os.set_blocking(pipe, False)
    poll = select.poll()
    poll.register(pipe, select.POLLOUT)
    with contextlib.suppress(BrokenPipeError):
        for chunk in chunks:
            remaining = memoryview(chunk)
            while remaining:
                if not poll.poll(max(0, math.ceil((end - time.monotonic()) * 1000))):
                    return False
                with contextlib.suppress(BlockingIOError):
                    remaining = remaining[os.write(pipe, remaining) :]
    return True


class Peer:
    """A child that runs the function `serve` of a module, and exchanges pickles over a socket.

    `serve` is called with the descriptor of the child's end. Raises OSError if the child cannot be
    started.
    """

    def __init__(self, module: str) -> None:
        import socket  # noqa: PLC0415 - these are slow to load, and not every run has a peer
        from multiprocessing.connection import Connection  # noqa: PLC0415

        with ExitStack() as stack:
            own_end, child_end = socket.socketpair()
            self.pipe = stack.enter_context(Connection(own_end.detach()))
            with child_end:
                descriptor = child_end.fileno()
                code = _SERVE.format(path=sys.path, module=module, descriptor=descriptor)
                argv = [sys.executable, "-c", code]
                self._process: Child = stack.enter_context(start_child(argv, pass_fds=[descriptor]))
            self._stack = stack.pop_all()

    def send(self, request: object) -> None:
        """Send a request. If the peer has died, `receive` raises EOFError."""
        with contextlib.suppress(ConnectionError):
            self.pipe.send(request)

    def receive(self, seconds: float) -> Any:
        """Wait for the next reply; None after `seconds`. Raises EOFError if the peer died."""
        try:
            return self.pipe.recv() if self.pipe.poll(seconds) else None
        except OSError as error:
            raise EOFError from error

    def terminate(self) -> None:
        """Send SIGTERM to the peer."""
        self._process.terminate()

    def has_ended(self) -> bool:
        return ended_within(self._process, 0)

    def exit_code(self, seconds: float = EXIT_WAIT_SECONDS) -> int | None:
        """Wait for the exit code; None if the peer has not ended after `seconds`."""
        ended = ended_within(self._process, seconds)
        return self._process.wait() if ended else None

    def close(self) -> None:
        self._stack.close()


def keep_freed_memory() -> None:
    """Let glibc keep up to 64 MiB of freed memory.

    Without it, the batch solver spends a tenth of its time on allocation. Under Dask's nannies,
    which make glibc return freed memory at once, it spends a third.
    """
    import ctypes  # noqa: PLC0415 - only for workers

    with contextlib.suppress(AttributeError, OSError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_TRIM_THRESHOLD, 64 * MIB)
        libc.mallopt(_M_MMAP_THRESHOLD, 32 * MIB)


def limit_self(megabytes: int, file_bytes: int) -> None:
    """Limit the sizes of the files that this process, a peer, writes, and its memory growth."""
    statm = Path("/proc/self/statm")
    pages = int(statm.read_text().split()[0]) if statm.exists() else 0
    for kind, value in (
        (resource.RLIMIT_AS, pages * resource.getpagesize() + megabytes * MIB),
        (resource.RLIMIT_FSIZE, file_bytes),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(
            kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard)
        )
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
