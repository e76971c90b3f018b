"""Stopping on SIGTERM and Ctrl-C, without losing or doubling anything."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from pipeline.exits import taking


class Interrupted(BaseException):
    """The time to stop has come while something was being computed."""


class Stop:
    """Whether to stop. After the first signal what is being computed has `grace` seconds.

    A second signal, or the end of the grace, raises Interrupted; but only inside `computing`,
    so that nothing which touches the folders is cut in two. `ring` is called at each signal.
    """

    def __init__(self, grace: float, ring: Callable[[], None] = lambda: None) -> None:
        self._grace = grace
        self._ring = ring
        self._computing = False
        self._now = False
        self.requested = False

    @contextmanager
    def handling_signals(self) -> Iterator[None]:
        """Take SIGTERM and SIGINT, where they are not ignored, and SIGALRM."""
        before = signal.signal(signal.SIGALRM, self._on_alarm)
        try:
            with taking(self._on_signal):
                yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @contextmanager
    def computing(self) -> Iterator[None]:
        """What may be interrupted. Raises Interrupted, at once if it is too late already."""
        outer, self._computing = self._computing, True
        try:
            if self._now:
                raise Interrupted
            yield
        finally:
            self._computing = outer

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            self._on_alarm(number, frame)
            return
        self.requested = True
        self._ring()
        signal.setitimer(signal.ITIMER_REAL, max(self._grace, 0.001))

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        self._now = True
        if self._computing:
            raise Interrupted
