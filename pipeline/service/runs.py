"""Jobs that take long, in work: what their workers have computed is taken step by step.

A `LongRun` writes a collection or an archive, `SlowPuzzles` publish one puzzle after the other.
As `LongJobs` they take turns.
"""

from __future__ import annotations

import errno
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from pipeline.errors import EnvironmentFailure, printable
from pipeline.outbox.schema import ARCHIVE
from pipeline.service.ending import Kept, finished, give_back, kept
from pipeline.service.jobs import Ended, LongJob
from pipeline.service.jobs.puzzle import PuzzleJob
from pipeline.service.log import Display, Progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.runtime import Runtime
from pipeline.service.signals import Interrupted
from pipeline.service.workers import Replies, Request
from pipeline.solving.result import Stopwatch

_MOST = 4
"""Collections and archives in work at a time; each holds its place in its source."""


class LongJobs:
    """All long jobs in work, the one whose turn it is first; `display` shows that one."""

    def __init__(self, runtime: Runtime, display: Display) -> None:
        self.runs: deque[LongRun | SlowPuzzles] = deque()
        self._slow = SlowPuzzles(runtime)
        self._display = display

    @property
    def are_many(self) -> bool:
        """Whether no other is to begin."""
        return len(self.runs) >= _MOST

    def add_slow(self, job: PuzzleJob) -> None:
        self._slow.add(job)
        if self._slow not in self.runs:
            self.runs.append(self._slow)

    def advance(self) -> list[tuple[Claim, Ended | Kept]]:
        """Do a step of the job whose turn it is; the outcomes of what that has ended."""
        run = self.runs[0]
        run.gives_way = len(self.runs) > 1
        self._display.tick(run.name, run.progress())
        try:
            return run.advance()
        finally:
            if run.is_over:
                self.runs.remove(run)
                self._display.end()
            elif run.is_resting:
                self.runs.rotate(-1)

    def pause(self) -> None:
        """Stop them; the next run continues them."""
        self._display.end()
        for run in self.runs:
            run.pause()
        self.runs.clear()


class _InTurns(ABC):
    """Requests that workers compute in turns.

    It `is_resting` when its turn is over: it `gives_way` to others if there are any.
    """

    def __init__(self, runtime: Runtime) -> None:
        self.gives_way = False
        self.is_resting = False
        self._runtime = runtime
        self._replies: Replies | None = None
        self._turn_ends = 0.0

    @abstractmethod
    def _fed(self) -> Iterator[Request]:
        """The requests of one turn."""

    def _next(self) -> tuple[Request, Any] | None:
        """The next reply; None if there is none yet, or if the turn is over."""
        if self._replies is None:
            self.is_resting = False
            self._turn_ends = time.monotonic() + self._runtime.tuning.turn_seconds
            self._replies = self._runtime.pool.replies(self._fed())
        try:
            return next(self._replies)
        except StopIteration:
            self._replies, self.is_resting = None, True
            return None

    def _is_enough(self) -> bool:
        """Whether to end the turn, as others wait."""
        return self.gives_way and time.monotonic() >= self._turn_ends

    def _stop_workers(self) -> None:
        if self._replies:
            self._replies.close()
            self._replies = None


class LongRun(_InTurns):
    """A collection or an archive in work: `advance` until it is over."""

    def __init__(self, job: LongJob, runtime: Runtime) -> None:
        super().__init__(runtime)
        self.job = job
        self.claim = job.claim
        self.name = job.claim.manifest.source
        self.is_over = False
        self._written = job.steps_before
        self._is_noted = True
        self._note_at = 0.0
        self._watch = Stopwatch()
        self._steps = self._cut()
        self._are_cut = False
        if job.steps_before:
            puzzles = job.progress().puzzles
            runtime.log.info("job.continued", source=printable(self.name), puzzles=puzzles)

    @property
    def step(self) -> int:
        """The step in work, for which attempts are counted; see `Claim.count_attempt`."""
        return self._written + 1

    def progress(self) -> Progress:
        return self.job.progress()

    def compute_here(self) -> None:
        """Compute all of it in this process, as one step without checkpoints."""
        with self._attempt(Interrupted):
            for reply in filter(None, self._runtime.local.replies(self.job.steps())):
                self.job.write(*reply)
        self._count_seconds()

    def advance(self) -> list[tuple[Claim, Ended | Kept]]:
        """Write a reply of the workers, if there is one; the outcome once it is over.

        Raises EnvironmentFailure or Interrupted; then it is given back, and over.
        """
        try:
            outcome = self._advanced()
        except (EnvironmentFailure, Interrupted):
            self._end()
            give_back(self.claim, self.job, self._runtime)
            raise
        except BaseException:
            self._end()
            self.claim.close()
            raise
        if outcome is None:
            return []
        self._end()
        self.claim.close()
        return [(self.claim, outcome)]

    def _advanced(self) -> Ended | Kept | None:
        """The outcome once it is over. Raises EnvironmentFailure or Interrupted."""
        try:
            if self._has_advanced():
                return None
            self._checkpoint()
            self._count_seconds()
            return finished([self.job], self._runtime)[0]
        except Exception as error:  # noqa: BLE001 - a crash of ours ends one job
            if not self._fills_disk(error):
                return kept(self.claim, error, self._runtime, self.step)
        try:
            return self._without_room()
        except Exception as error:  # noqa: BLE001 - others may have taken the room
            return kept(self.claim, error, self._runtime, self.step)

    def pause(self) -> None:
        """Stop; the next run continues it."""
        self._end()
        with suppress(OSError):  # what is not noted is done again
            self._checkpoint()
        give_back(self.claim, self.job, self._runtime)

    def _fills_disk(self, error: Exception) -> bool:
        """Whether the disk is full of the sets of this archive: then it alone fails."""
        is_full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        many = self.job.progress().puzzles >= self._runtime.tuning.filling_puzzles
        return is_full and many and self.job.status == ARCHIVE

    def _without_room(self) -> Ended:
        """Remove what was written, and publish that there is no room for it."""
        puzzles = self.job.progress().puzzles
        self.job.discard()
        message = (
            f"the disk was full after {puzzles} puzzles; free some space and retry it, or "
            "drop its puzzles as one file, one puzzle per line"
        )
        job = PuzzleJob.failed(self.claim, message, self._runtime.settings)
        return finished([job], self._runtime)[0]

    def _end(self) -> None:
        self.is_over = True
        self._stop_workers()

    def _has_advanced(self) -> bool:
        """Take what is next of the workers; False if nothing is left to be computed."""
        reply = self._next()
        if self.is_resting:
            return not self._are_cut
        if reply is None:
            self._checkpoint()
            return True
        with self._attempt():
            self.job.write(*reply)
            self._written, self._is_noted = self._written + 1, False
            if time.monotonic() >= self._note_at:
                self._checkpoint()
        if self._is_noted:
            self.claim.reset_attempts()
        return True

    def _fed(self) -> Iterator[Request]:
        """The steps of one turn; after an attempt only one, so that further ones count for it."""
        is_wary = self._is_first and self.claim.attempts()
        for step in self._steps:
            yield step
            if is_wary or self._is_enough():
                return
        self._are_cut = True

    def _cut(self) -> Iterator[Request]:
        steps = self.job.steps()
        while True:
            with self._attempt():
                step = next(steps, None)
            if step is None:
                return
            yield step

    def _checkpoint(self) -> None:
        """Make durable what was written since the last time. Raises OSError."""
        if not self._is_noted:
            self._count_seconds()
            self.job.checkpoint(self._written)
            self._is_noted = True
            self._note_at = time.monotonic() + self._runtime.tuning.checkpoint_seconds

    def _count_seconds(self) -> None:
        """Tell how long it has been in work, in all runs; the time between them does not count."""
        self.job.seconds = self.job.seconds_before + self._watch.seconds()["total"]

    def _attempt(self, *uncounted: type[BaseException]) -> AbstractContextManager[None]:
        """Count an attempt while something is done here that may kill this process.

        Workers compute in their own processes, so a kill while we wait for them comes from
        outside. Once a step is done, counting is left to the next run, because it writes to the
        disk.
        """
        return self.claim.attempt(self.step, uncounted) if self._is_first else nullcontext()

    @property
    def _is_first(self) -> bool:
        """Whether this run has not done a step yet."""
        return self._written == self.job.steps_before


class SlowPuzzles(_InTurns):
    """Puzzles that workers solve, each of which is published when it is solved; as LongRun."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._waiting: deque[PuzzleJob] = deque()
        self._asked: list[tuple[Request, PuzzleJob]] = []

    def add(self, job: PuzzleJob) -> None:
        self._waiting.append(job)

    @property
    def is_over(self) -> bool:
        return not (self._waiting or self._asked)

    @property
    def name(self) -> str:
        return self._jobs[0].claim.manifest.source

    @property
    def _jobs(self) -> list[PuzzleJob]:
        return [*(job for _, job in self._asked), *self._waiting]

    def progress(self) -> Progress:
        return Progress(0, 0, None)

    def advance(self) -> list[tuple[Claim, Ended | Kept]]:
        """Publish a puzzle that was solved, if there is one.

        Whatever it raises, all are given back.
        """
        try:
            return self._advanced()
        except BaseException:
            self.pause()
            raise

    def pause(self) -> None:
        """Stop, and give all back."""
        self._stop_workers()
        jobs, self._asked = self._jobs, []
        self._waiting.clear()
        for job in jobs:
            give_back(job.claim, None, self._runtime)

    def _advanced(self) -> list[tuple[Claim, Ended | Kept]]:
        reply = self._next()
        if reply is None:
            return []
        step, result = reply
        place = next(place for place, (asked, _) in enumerate(self._asked) if asked is step)
        job = self._asked[place][1]
        job.write(step, result)
        try:
            outcome: Ended | Kept = finished([job], self._runtime)[0]
        except Exception as error:  # noqa: BLE001 - as above
            outcome = kept(job.claim, error, self._runtime)
        del self._asked[place]
        job.claim.close()
        return [(job.claim, outcome)]

    def _fed(self) -> Iterator[Request]:
        while self._waiting:
            job = self._waiting.popleft()
            for step in job.steps():
                self._asked.append((step, job))
                yield step
            if self._is_enough():
                return
