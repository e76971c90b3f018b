"""Exit codes, stopping signals, and the grace period.

A signal that is ignored when a command starts stays ignored. A shell ignores SIGINT for a command
that a script runs with `&`, and `nohup` ignores SIGHUP.
"""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType

TYPE_CHECKING = False  # typing is slow to load: see pipeline.cli

if TYPE_CHECKING:
    from typing import Never

SignalHandler = Callable[[int, FrameType | None], object] | int
"""A function, or a constant such as `signal.SIG_IGN`, that can handle a signal."""

EXIT_OK, EXIT_BAD_INPUT, EXIT_USAGE, EXIT_TEMPFAIL = 0, 1, 2, 75
"""The exit codes of every command."""

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that stop a command, called stopping signals below."""


class Stopped(KeyboardInterrupt):
    """A stopping signal has arrived.

    A plain KeyboardInterrupt cannot be used: after it has passed through an `exec`, as in
    dataclasses, CPython kills itself with SIGINT at exit, even if the exception was caught.
    """


class Interrupted(BaseException):
    """A computation was stopped at the end of the grace period."""


class TimeLimitExceeded(BaseException):
    """A computation exceeded its time limit."""


def code_when_stopped(command: str) -> int:
    """The exit code of a command that was ended by a stopping signal."""
    return EXIT_OK if command in ("watch", "serve") else EXIT_TEMPFAIL


def exit_when_stopped(code: int) -> None:
    """Make every stopping signal end the process with `code` at once.

    Used before the work starts and after it ends, when there is nothing to clean up.
    """

    def exit_at_once(_number: int, _frame: FrameType | None) -> Never:
        os._exit(code)

    def ignore() -> None:
        _install(dict.fromkeys(_current_handlers(), signal.SIG_IGN))

    _install(dict.fromkeys(_current_handlers(), exit_at_once))
    atexit.register(ignore)  # SIG_IGN persists while Python shuts down; handlers do not


@contextmanager
def signal_handler(handler: SignalHandler) -> Iterator[None]:
    """Install a handler for the stopping signals inside the `with` block."""
    before = _current_handlers()
    try:
        _install(dict.fromkeys(before, handler))
        yield
    finally:
        _install(before)


class Stop:
    """Handles stopping signals. After the first, computations have `grace` seconds left.

    A second signal, or the end of the grace period, raises Interrupted, but only inside
    `computing`, so that changes to the folders are never interrupted.

    - `ring`: a function that is called at the first signal.
    - `is_requested`: whether a signal has arrived.
    - `is_late`: whether the grace period is over, or a second signal has arrived.
    """

    def __init__(self, grace: float, ring: Callable[[], None] = lambda: None) -> None:
        self._grace = grace
        self._ring = ring
        self._computing = False
        self.is_requested = False
        self.is_late = False

    @contextmanager
    def handling_signals(self) -> Iterator[None]:
        """Handle SIGALRM and, unless ignored, the stopping signals inside the `with` block."""
        before = signal.signal(signal.SIGALRM, self._on_alarm)
        try:
            with signal_handler(self._on_signal):
                yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @contextmanager
    def computing(self, seconds: float | None = None) -> Iterator[None]:
        """Allow signals to raise Interrupted or TimeLimitExceeded inside the `with` block.

        Raises Interrupted at once if `is_late`. Raises TimeLimitExceeded after `seconds`, unless a
        stop was requested.
        """
        outer, self._computing = self._computing, True
        if seconds is not None and not self.is_requested:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            if self.is_late:
                raise Interrupted
            yield
        finally:
            self._computing = outer
            if seconds is not None and not self.is_requested:
                signal.setitimer(signal.ITIMER_REAL, 0)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.is_requested:
            self._on_alarm(number, frame)
            return
        self.is_requested = True
        self._ring()
        signal.setitimer(signal.ITIMER_REAL, max(self._grace, 0.001))

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        if not self.is_requested:  # the timer of `computing`
            if self._computing:
                raise TimeLimitExceeded
            return
        self.is_late = True
        if self._computing:
            raise Interrupted


@contextmanager
def raising_stopped() -> Iterator[None]:
    """Raise Stopped at the first stopping signal, and then restore the previous handlers.

    The first signal lets the command clean up; a second signal ends it at once.
    """
    before = _current_handlers()

    def interrupt(_number: int, _frame: FrameType | None) -> Never:
        _install(before)
        raise Stopped

    with signal_handler(interrupt):
        yield


@contextmanager
def blocking_signals() -> Iterator[None]:
    """Block stopping signals inside the `with` block; they are delivered at its end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _current_handlers() -> dict[signal.Signals, SignalHandler]:
    """Return {signal: handler} for the stopping signals that are not ignored."""
    handlers = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    return {
        number: handler
        for number, handler in handlers.items()
        if callable(handler) or handler == signal.SIG_DFL
    }


def _install(handlers: Mapping[signal.Signals, SignalHandler]) -> None:
    """Install the handler of each signal."""
    for number, handler in handlers.items():
        signal.signal(number, handler)
