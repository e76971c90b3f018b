"""Limits of one puzzle: its time and memory, and the moment when its time is up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeVar

from pipeline.errors import LimitReached

MIB = 1024 * 1024
_AT_ONCE = 4096

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one puzzle may use: seconds for all the work on it, and memory.

    `megabytes` is at least 64 and holds for each step of the work, such as encoding or solving.
    `spent` are the seconds already used.
    """

    seconds: float = 60.0
    megabytes: int = 4096
    spent: float = 0.0

    @property
    def out_of_time(self) -> str:
        return f"the time limit of {self.seconds:g} s was reached"

    @property
    def out_of_memory(self) -> str:
        return f"the memory limit of {self.megabytes} MB was reached"

    def at_most(self, seconds: float) -> Limits:
        """These limits, with at most so many seconds left."""
        return replace(self, seconds=min(self.seconds, self.spent + seconds))

    def until(self, deadline: Deadline) -> Limits:
        """These limits, with the time that is left until the deadline."""
        left = deadline.left()
        return self if left == math.inf else replace(self, spent=self.seconds - left)

    def checking(self) -> Callable[[int], None]:
        """A function that raises LimitReached for too many bytes, or when the time is up."""
        deadline = Deadline.of(self)

        def check(needed: int) -> None:
            deadline.check()
            self.allow(needed)

        return check

    def allow(self, needed: int) -> None:
        """Raise LimitReached if so many bytes of memory are too many."""
        if needed > self.megabytes * MIB:
            raise LimitReached(self.out_of_memory)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock, and the message when it has passed."""

    at: float
    reason: str = "the time is up"

    @classmethod
    def of(cls, limits: Limits) -> Deadline:
        """The end of the limits' seconds, counted from now."""
        return cls(time.monotonic() + limits.seconds - limits.spent, limits.out_of_time)

    def left(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.at - time.monotonic())

    def check(self) -> None:
        """Raise LimitReached if no time is left."""
        if not self.left():
            raise LimitReached(self.reason)

    def watch(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items, checking the clock now and then. Raises LimitReached."""
        return chain.from_iterable(self._lots(items))

    def _lots(self, items: Iterable[T]) -> Iterator[list[T]]:
        remaining = iter(items)
        while some := [*islice(remaining, _AT_ONCE)]:
            self.check()
            yield some


UNHURRIED = Limits(math.inf)
"""No time limit, and the usual memory."""

NEVER = Deadline(math.inf)
