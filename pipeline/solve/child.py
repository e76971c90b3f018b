"""Child processes that cannot outlive their welcome. The only module that starts any.

Each child leads a process group of its own, which is killed as a whole when the child has
ended, when its time is up, and when this process dies, but for the moment before it is tied.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import F_GETFL, F_SETFL, F_SETOWN, fcntl
from typing import BinaryIO

from pipeline.files import F_SETSIG

Child = subprocess.Popen[bytes]
_INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the kernel shall hold a child to.

    Bytes of address space and of any file, seconds of processor time.
    """

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
) -> Iterator[Child]:
    """Start a child within these bounds, and end it and its whole group on leaving.

    Its standard input is the descriptor `source`, or has nothing to read; its standard output
    and error go to the descriptor `output`, or nowhere; those in `pass_fds` it inherits, no
    others. Raises OSError where it cannot be started.
    """
    leash, held = os.pipe()
    process: Child | None = None
    try:
        with _undivided():
            process = subprocess.Popen(  # noqa: S603 - no shell, and argv is ours
                argv,
                stdin=leash if source is None else source,
                stdout=subprocess.DEVNULL if output is None else output,
                stderr=subprocess.STDOUT,
                process_group=0,
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
def _undivided() -> Iterator[None]:
    """Hold back the signals that interrupt: one of them must not come between fork and tie."""
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
    """Let the kernel kill the group when the other end of the pipe is closed.

    It is closed when this process ends, and unlike PR_SET_PDEATHSIG this needs no code between
    fork and exec, which would cost a millisecond for each child. One that we leave behind by
    dying in the very moment before this is ended by its own time limit.
    """
    with contextlib.suppress(OSError):  # elsewhere than on Linux
        fcntl(leash, F_SETOWN, -group)
        fcntl(leash, F_SETSIG, signal.SIGKILL)
        fcntl(leash, F_SETFL, fcntl(leash, F_GETFL) | os.O_ASYNC)


def bound(process: Child, bounds: Bounds) -> None:
    """Set the limits of a child and of its children, none above our own.

    Later calls may raise them again.
    """
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
        limit = most if soft == resource.RLIM_INFINITY else min(most, soft)
        limits.append((which, (limit, hard)))
    _limit(process.pid, limits)


def _limit(pid: int, limits: Sequence[tuple[int, tuple[int, int]]]) -> None:
    """Set limits, and those of children that were started before they could inherit them."""
    for which, limit in limits:
        with contextlib.suppress(OSError):  # it may have ended, or lowered its hard limit itself
            resource.prlimit(pid, which, limit)
    listed = f"/proc/{pid}/task/{pid}/children"
    # Path.read_text would take five times as long
    with contextlib.suppress(OSError), open(listed, "rb", buffering=0) as children:  # noqa: PTH123
        for started in children.read().split():
            _limit(int(started), limits)


def nameless_file() -> BinaryIO:
    """Open an empty file that is in no folder and gone with the last process that has it open.

    In memory where there are such files. Raises OSError.
    """
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("sudoku-pipeline"), "w+b", buffering=0)
    return tempfile.TemporaryFile()  # pragma: no cover


def _end(process: Child) -> None:
    """Kill the group; its leader is not reaped before, so the number is still theirs."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ended_within(process: Child, seconds: float) -> bool:
    """Wait until the child has ended, `seconds` at most; it is not reaped yet.

    Popen.wait would look again and again with growing pauses, for milliseconds too long.
    """
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
    """Write into a pipe, in `seconds` at most; whether that was time enough.

    It is, too, where the other end does not want all of it.
    """
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
