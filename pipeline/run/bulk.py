"""Bulk: a job of many puzzles, computed step by step by workers.

The steps of a source depend on its content alone. After each, what it came to is made to last
and noted; a job that was killed goes on behind the last one that was noted.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.growing import Growing, State
from pipeline.dropbox.publish import Publication
from pipeline.errors import EnvironmentFailure
from pipeline.result import Stopwatch
from pipeline.run.pool import Replies, Request, Workers
from pipeline.run.stop import Interrupted

NO_FAULT = (OSError, EnvironmentFailure, Interrupted)
"""What may end a computation through no fault of the puzzle's."""

STEPS_NOTED, BULK_STATE, SECONDS_NOTED = "steps", "bulk", "seconds"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: puzzles done, and the share of its bytes if that is known."""

    puzzles: int
    bytes_done: int
    bytes_total: int | None

    @property
    def share(self) -> float | None:
        """The part of it that is done, 0 to 1, if that is known."""
        return min(1.0, self.bytes_done / self.bytes_total) if self.bytes_total else None


@dataclass(frozen=True, slots=True)
class Single:
    """A claimed file that holds one puzzle: its bytes, or why it is invalid."""

    data: bytes | None
    size: int | None
    refusal: str | None = None


class Content(Protocol):
    """What is in a source of many puzzles, and how its answers are written."""

    def steps(self) -> Iterator[Request]:
        """What is to be computed, always the same for the same source."""
        ...

    def write(self, step: Request, reply: Any) -> None:
        """Append what a step came to."""
        ...

    def state(self) -> State:
        """What `write` must know to go on."""
        ...

    def resume(self, state: State) -> None:
        """Go on from such a state."""
        ...

    def progress(self) -> Progress: ...

    def publication(self, seconds: float) -> Publication:
        """The set, once all steps are written, which took so many seconds."""
        ...

    @property
    def totals(self) -> Counter[str]: ...

    @property
    def status(self) -> str: ...

    @property
    def format(self) -> str: ...

    @property
    def reason(self) -> str:
        """Why it is read so."""
        ...

    @property
    def declared(self) -> Mapping[str, str]:
        """What was declared of its notation."""
        ...


class Bulk:
    """A job in work. Each `step` computes and writes one step more."""

    def __init__(self, content: Content, growing: Growing, workers: Workers, claim: Claim) -> None:
        self.content = content
        self.claim = claim
        self._growing = growing
        self._done = self._found = int(growing.state.get(STEPS_NOTED, 0))
        if growing.state:
            content.resume(growing.state[BULK_STATE])
        self._workers = workers
        self._replies: Replies | None = None
        self._steps = self._each()
        self._before = float(growing.state.get(SECONDS_NOTED, 0.0))
        self._watch: Stopwatch | None = None

    @property
    def at(self) -> int:
        """The number of the first step that is not done."""
        return self._done + 1

    @property
    def seconds(self) -> float:
        """How long it has been in work, by whoever worked at it; a pause does not count."""
        return self._before + (self._watch.seconds()["total"] if self._watch else 0.0)

    def publication(self) -> Publication:
        """The set, once there are no more steps."""
        return self.content.publication(self.seconds)

    def step(self) -> bool:
        """Do one step, or wait a moment for one; whether it goes on.

        Raises EnvironmentFailure, Interrupted, OSError.
        """
        if next(self._steps, None) is not None:
            return True
        self._before, self._watch = self.seconds, None  # what is left is to publish it
        return False

    def _each(self) -> Generator[bool, None, None]:
        """Every step: whether it was done, or is only waited for.

        Attempts are counted until a step is done; that resets the count. After one that did not
        end the next step goes alone, so that it is what the next ones count for.
        """
        self._watch = Stopwatch()
        steps = self._cut()
        if self.claim.attempts():
            yield from self._computed(iter(list(islice(steps, 1))))
        yield from self._computed(steps)

    def _computed(self, steps: Iterator[Request]) -> Generator[bool, None, None]:
        """These steps, computed and written: whether one was done, or is only waited for."""
        self._replies = self._workers.replies(steps)
        for reply in self._replies:
            if reply is not None:
                with self._attempt():
                    self._write(*reply)
                self.claim.reset_attempts()
            yield reply is not None

    def _cut(self) -> Iterator[Request]:
        """The steps that are not done; those that are were cut before, and killed nobody."""
        steps = self.content.steps()
        for _ in islice(steps, self._done):
            pass
        while True:
            with self._attempt():
                step = next(steps, None)
            if step is None:
                return
            yield step

    def _attempt(self) -> AbstractContextManager[None]:
        """What counts an attempt while we cut a step or write its reply: that may kill us.

        What workers compute kills them, so a kill while we wait for them comes from outside.
        Where we have done a step the next attempts are left to the next run, as counting one
        takes as long as a file takes to be made to last.
        """
        return nullcontext() if self._done > self._found else self.claim.attempt(self.at)

    def _write(self, step: Request, reply: Any) -> None:
        self.content.write(step, reply)
        self._done += 1
        progress = self.content.progress()
        self._growing.note(
            {
                STEPS_NOTED: self._done,
                BULK_STATE: self.content.state(),
                SECONDS_NOTED: self.seconds,
                "puzzles": progress.puzzles,
                "share": progress.share,
            }
        )

    def close(self) -> None:
        """Stop computing; what is noted stays."""
        self._steps.close()
        if self._replies is not None:
            self._replies.close()
        self._growing.close()


def size_of(path: Path) -> int | None:
    """The bytes of a file; None for what is none, as a folder or a link."""
    status = path.lstat()
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def bytes_below(folder: Path) -> int:
    """The bytes of all files in a folder and below."""
    return sum(
        os.lstat(os.path.join(top, name)).st_size  # noqa: PTH118 - quicker
        for top, _, names in os.walk(folder)
        for name in names
    )
