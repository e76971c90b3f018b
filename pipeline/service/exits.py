"""How commands end: their exit codes, and what SIGTERM and SIGINT do to them.

A signal that is ignored when a command starts stays ignored: a script's `command &` starts with
SIGINT ignored, because Ctrl-C is meant for the foreground.
"""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Never

Handler = Callable[[int, FrameType | None], object] | int
Handlers = Mapping[signal.Signals, Handler]

ALL_WELL, SOME_BAD, USAGE, TRY_AGAIN = 0, 1, 2, 75
"""The exit codes of every command."""

STOPPING = (signal.SIGTERM, signal.SIGINT)


class Stopped(KeyboardInterrupt):
    """A stopping signal has come.

    KeyboardInterrupt itself would not do: if it passes through an `exec`, as in dataclasses,
    CPython remembers it, and at exit kills itself with SIGINT although it was caught.
    """


def when_stopped(command: str) -> int:
    """The exit code of a command that a stopping signal has ended."""
    return ALL_WELL if command == "watch" else TRY_AGAIN


def end_with(code: int) -> None:
    """Make stopping signals end this process at once with that code, until it is gone.

    For when there is nothing to clean up: before the work has begun, and after it.
    """

    def leave(_number: int, _frame: FrameType | None) -> Never:
        os._exit(code)

    def ignore() -> None:
        _install(dict.fromkeys(_installed(), signal.SIG_IGN))

    _install(dict.fromkeys(_installed(), leave))
    atexit.register(ignore)  # SIG_IGN outlives Python's own clean-up; a handler does not


@contextmanager
def taking(handler: Handler) -> Iterator[None]:
    """Have the stopping signals call that handler."""
    before = _installed()
    try:
        _install(dict.fromkeys(before, handler))
        yield
    finally:
        _install(before)


@contextmanager
def interruptible() -> Iterator[None]:
    """Have the first stopping signal raise Stopped; the next do what they did before.

    The first lets the command clean up; the second does not wait for that.
    """
    before = _installed()

    def interrupt(_number: int, _frame: FrameType | None) -> Never:
        _install(before)
        raise Stopped

    with taking(interrupt):
        yield


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let stopping signals wait until the block is done."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _installed() -> Handlers:
    """The handlers of the stopping signals that are not ignored."""
    known = {number: signal.getsignal(number) for number in STOPPING}
    return {
        number: handler
        for number, handler in known.items()
        if callable(handler) or handler == signal.SIG_DFL
    }


def _install(handlers: Handlers) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
