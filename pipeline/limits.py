"""Time and memory limits of a puzzle, and deadlines."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeVar

from pipeline.errors import LimitReached

MIB = 1024 * 1024
"""Bytes of a mebibyte."""
_ITEMS_PER_CHECK = 4096
"""Number of items that `Deadline.watch` yields between checks of the clock."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one puzzle.

    `seconds` is the time for all work on the puzzle; `spent` seconds of it have been used.
    `megabytes`, at least 64, applies separately to each step, such as encoding or solving.
    """

    seconds: float = 60.0
    megabytes: int = 4096
    spent: float = 0.0

    @property
    def timeout_message(self) -> str:
        """The message of LimitReached when the time is up."""
        return f"the time limit of {self.seconds:g} s was reached"

    @property
    def memory_message(self) -> str:
        """The message of LimitReached when the memory limit is exceeded."""
        return f"the memory limit of {self.megabytes} MB was reached"

    def at_most(self, seconds: float) -> Limits:
        """A copy in which at most this many seconds are left."""
        return replace(self, seconds=min(self.seconds, self.spent + seconds))

    def until(self, deadline: Deadline) -> Limits:
        """A copy in which only the time until the deadline is left."""
        left = deadline.left()
        return self if left == math.inf else replace(self, spent=self.seconds - left)

    def checker(self) -> Callable[[int], None]:
        """Return a function that raises LimitReached for too many bytes, or when time is up."""
        deadline = Deadline.of(self)

        def check(needed: int) -> None:
            deadline.check()
            self.check_memory(needed)

        return check

    def check_memory(self, needed: int) -> None:
        """Raise LimitReached if this many bytes exceed the memory limit."""
        if needed > self.megabytes * MIB:
            raise LimitReached(self.memory_message)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A time on the monotonic clock, and the message of the LimitReached raised after it."""

    end: float
    reason: str = "the time is up"

    @classmethod
    def of(cls, limits: Limits) -> Deadline:
        """The deadline of these limits, counted from now."""
        return cls(time.monotonic() + limits.seconds - limits.spent, limits.timeout_message)

    def left(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.end - time.monotonic())

    def check(self) -> None:
        """Raise LimitReached if no time is left."""
        if not self.left():
            raise LimitReached(self.reason)

    def watch(self, items: Iterable[_T]) -> Iterator[_T]:
        """Yield the items, and raise LimitReached once no time is left."""
        return chain.from_iterable(self._batches(items))

    def _batches(self, items: Iterable[_T]) -> Iterator[list[_T]]:
        remaining = iter(items)
        while batch := [*islice(remaining, _ITEMS_PER_CHECK)]:
            self.check()
            yield batch


NO_TIME_LIMIT = Limits(math.inf)
"""No time limit, and the default memory limit."""

NEVER = Deadline(math.inf)
"""A deadline that never passes."""
