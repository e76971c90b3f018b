"""What a sweep comes to, and who is told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pipeline.run.job import Ended

After = Callable[[int], float | None]
"""What is told as they end how many jobs have ended: in how many seconds to tell it again."""


def nothing(_ended: int) -> None:
    """What is done when jobs have ended where nothing is asked for."""


@dataclass(slots=True)
class Swept:
    """What a sweep came to: jobs per status, and in how many seconds something may be ready.

    `bad`: some of them were, or held something, invalid, unknown or failed. `again_in` is None
    where nothing is settling but what a writer holds open.
    """

    statuses: dict[str, int] = field(default_factory=dict)
    bad: bool = False
    again_in: float | None = None

    def count(self, ended: Ended) -> None:
        self.statuses[ended.status] = self.statuses.get(ended.status, 0) + 1
        self.bad = self.bad or ended.bad

    def wait(self, seconds: float) -> None:
        self.again_in = seconds if self.again_in is None else min(seconds, self.again_in)
