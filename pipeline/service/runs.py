"""Long jobs, which advance by one step for each reply of the workers.

A `LongRun` computes and publishes a collection or an archive; `SlowPuzzles` does so with single
puzzles. `LongJobs` lets them take turns.
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
from pipeline.service.ending import KeptClaim, keep_claim, publish_and_finish, release_claim
from pipeline.service.jobs import EndedJob, LongJob
from pipeline.service.jobs.puzzle import PuzzleJob
from pipeline.service.log import Display, Progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.runtime import Runtime
from pipeline.service.signals import Interrupted
from pipeline.service.workers import Replies, Request
from pipeline.solving.result import Stopwatch

_MAX_RUNS = 4
"""Maximum number of long jobs that run at the same time. Each one keeps its source open."""


class LongJobs:
    """The running long jobs. The first job in `runs` has its turn; `display` shows its progress."""

    def __init__(self, runtime: Runtime, display: Display) -> None:
        self.runs: deque[LongRun | SlowPuzzles] = deque()
        self._slow = SlowPuzzles(runtime)
        self._display = display

    @property
    def is_full(self) -> bool:
        """Whether the maximum number of long jobs is running."""
        return len(self.runs) >= _MAX_RUNS

    def add_slow(self, job: PuzzleJob) -> None:
        """Let a worker solve a slow puzzle."""
        self._slow.add(job)
        if self._slow not in self.runs:
            self.runs.append(self._slow)

    def advance(self) -> list[tuple[Claim, EndedJob | KeptClaim]]:
        """Advance the first job by one step. Returns (finished claim, its outcome) pairs."""
        run = self.runs[0]
        run.others_wait = len(self.runs) > 1
        self._display.tick(run.name, run.progress())
        try:
            return run.advance()
        finally:
            if run.is_over:
                self.runs.remove(run)
                self._display.end()
            elif run.has_ended_turn:
                self.runs.rotate(-1)

    def pause(self) -> None:
        """Stop all jobs; the next run continues them."""
        self._display.end()
        for run in self.runs:
            run.pause()
        self.runs.clear()


class _TurnTaker(ABC):
    """A job whose requests workers compute, in turns with other jobs.

    - `others_wait`: whether other jobs are waiting, so that the length of a turn is limited.
    - `has_ended_turn`: whether the last turn is over, and the next one has not begun.
    """

    def __init__(self, runtime: Runtime) -> None:
        self.others_wait = False
        self.has_ended_turn = False
        self._runtime = runtime
        self._replies: Replies | None = None
        self._turn_end = 0.0

    @abstractmethod
    def _requests(self) -> Iterator[Request]:
        """Yield the requests of one turn."""

    def _next_reply(self) -> tuple[Request, Any] | None:
        """The next request and its reply; None if the reply is not ready or the turn is over."""
        if self._replies is None:
            self.has_ended_turn = False
            self._turn_end = time.monotonic() + self._runtime.tuning.turn_seconds
            self._replies = self._runtime.pool.replies(self._requests())
        try:
            return next(self._replies)
        except StopIteration:
            self._replies, self.has_ended_turn = None, True
            return None

    def _must_end_turn(self) -> bool:
        """Whether the turn must end because other jobs are waiting."""
        return self.others_wait and time.monotonic() >= self._turn_end

    def _stop_workers(self) -> None:
        """Discard the pending requests of this job."""
        if self._replies:
            self._replies.close()
            self._replies = None


class LongRun(_TurnTaker):
    """A running collection or archive. Call `advance` until `is_over`."""

    def __init__(self, job: LongJob, runtime: Runtime) -> None:
        super().__init__(runtime)
        self.job = job
        self.claim = job.claim
        self.name = job.claim.manifest.source
        self.is_over = False
        self._steps_written = job.steps_before
        self._is_checkpointed = True
        self._next_checkpoint = 0.0
        self._watch = Stopwatch()
        self._steps = self._counted_steps()
        self._all_requested = False
        if job.steps_before:
            puzzles = job.progress().puzzles
            runtime.log.info("job.continued", source=printable(self.name), puzzles=puzzles)

    @property
    def step(self) -> int:
        """The number of the current step, for which attempts are counted."""
        return self._steps_written + 1

    def progress(self) -> Progress:
        return self.job.progress()

    def compute_here(self) -> None:
        """Compute all steps in this process, without checkpoints."""
        with self._attempt(Interrupted):
            for reply in filter(None, self._runtime.local.replies(self.job.steps())):
                self.job.write(*reply)
        self._count_seconds()

    def advance(self) -> list[tuple[Claim, EndedJob | KeptClaim]]:
        """Write a reply of the workers if one is ready.

        Returns the claim with its outcome once all replies are written, else an empty list. Raises
        EnvironmentFailure or Interrupted, after releasing the claim.
        """
        try:
            outcome = self._outcome()
        except (EnvironmentFailure, Interrupted):
            self._stop()
            release_claim(self.claim, self.job, self._runtime)
            raise
        except BaseException:
            self._stop()
            self.claim.close()
            raise
        if outcome is None:
            return []
        self._stop()
        self.claim.close()
        return [(self.claim, outcome)]

    def _outcome(self) -> EndedJob | KeptClaim | None:
        """Do one step, or publish the job after its last step.

        Returns the outcome, or None while steps are left. Raises EnvironmentFailure or Interrupted.
        """
        try:
            if self._write_next():
                return None
            self._checkpoint()
            self._count_seconds()
            return publish_and_finish([self.job], self._runtime)[0]
        except Exception as error:  # noqa: BLE001 - a bug must end only this job
            if not self._has_filled_disk(error):
                return keep_claim(self.claim, error, self._runtime, self.step)
        try:
            return self._fail_for_full_disk()
        except Exception as error:  # noqa: BLE001 - the disk may be full again
            return keep_claim(self.claim, error, self._runtime, self.step)

    def pause(self) -> None:
        """Stop the job, so that the next run continues it."""
        self._stop()
        with suppress(OSError):  # the next run repeats the steps after the last checkpoint
            self._checkpoint()
        release_claim(self.claim, self.job, self._runtime)

    def _has_filled_disk(self, error: Exception) -> bool:
        """Whether the disk is full and this is a large archive, which is taken as the cause."""
        is_full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        is_large = self.job.progress().puzzles >= self._runtime.tuning.min_disk_filling_puzzles
        return is_full and is_large and self.job.status == ARCHIVE

    def _fail_for_full_disk(self) -> EndedJob:
        """Remove all files that the job has written, and publish its failure instead."""
        puzzles = self.job.progress().puzzles
        self.job.discard()
        message = (
            f"the disk was full after {puzzles} puzzles; free some space and retry the file, or "
            "drop its puzzles as one file with one puzzle per line"
        )
        job = PuzzleJob.failed(self.claim, message, self._runtime.settings)
        return publish_and_finish([job], self._runtime)[0]

    def _stop(self) -> None:
        """Mark the run as over, and discard its pending requests."""
        self.is_over = True
        self._stop_workers()

    def _write_next(self) -> bool:
        """Write the next reply if it is ready. Returns whether steps are left."""
        reply = self._next_reply()
        if self.has_ended_turn:
            return not self._all_requested
        if reply is None:
            self._checkpoint()
            return True
        with self._attempt():
            self.job.write(*reply)
            self._steps_written, self._is_checkpointed = self._steps_written + 1, False
            if time.monotonic() >= self._next_checkpoint:
                self._checkpoint()
        if self._is_checkpointed:
            self.claim.reset_attempts()
        return True

    def _requests(self) -> Iterator[Request]:
        """Yield the steps of one turn; after a failed attempt only one, to find the faulty step."""
        is_single = self._is_first_step and self.claim.attempts()
        for step in self._steps:
            yield step
            if is_single or self._must_end_turn():
                return
        self._all_requested = True

    def _counted_steps(self) -> Iterator[Request]:
        """Yield the steps of the job. Creating the first step of a run counts as an attempt."""
        steps = self.job.steps()
        while True:
            with self._attempt():
                step = next(steps, None)
            if step is None:
                return
            yield step

    def _checkpoint(self) -> None:
        """Write a checkpoint if anything was written since the last one. Raises OSError."""
        if not self._is_checkpointed:
            self._count_seconds()
            self.job.checkpoint(self._steps_written)
            self._is_checkpointed = True
            self._next_checkpoint = time.monotonic() + self._runtime.tuning.checkpoint_seconds

    def _count_seconds(self) -> None:
        """Update the total time of this job, including the time of earlier processes."""
        self.job.seconds = self.job.seconds_before + self._watch.seconds()["total"]

    def _attempt(self, *uncounted: type[BaseException]) -> AbstractContextManager[None]:
        """A context that counts an attempt at the current step if it is the first of this run.

        Attempts at later steps are not counted, to save a disk write per step: if a later step
        kills the process, it is the first step of the next run.
        """
        return self.claim.attempt(self.step, uncounted) if self._is_first_step else nullcontext()

    @property
    def _is_first_step(self) -> bool:
        """Whether this run has not finished a step yet."""
        return self._steps_written == self.job.steps_before


class SlowPuzzles(_TurnTaker):
    """Lets workers solve single puzzles, and publishes each puzzle when it is solved.

    The interface is the same as for LongRun.
    """

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._waiting: deque[PuzzleJob] = deque()
        self._requested: list[tuple[Request, PuzzleJob]] = []

    def add(self, job: PuzzleJob) -> None:
        self._waiting.append(job)

    @property
    def is_over(self) -> bool:
        return not (self._waiting or self._requested)

    @property
    def name(self) -> str:
        return self._jobs[0].claim.manifest.source

    @property
    def _jobs(self) -> list[PuzzleJob]:
        return [*(job for _, job in self._requested), *self._waiting]

    def progress(self) -> Progress:
        return Progress(0, 0, None)

    def advance(self) -> list[tuple[Claim, EndedJob | KeptClaim]]:
        """Publish a solved puzzle if one is ready. On an exception, all claims are released."""
        try:
            return self._publish_next()
        except BaseException:
            self.pause()
            raise

    def pause(self) -> None:
        """Stop, and release all claims."""
        self._stop_workers()
        jobs, self._requested = self._jobs, []
        self._waiting.clear()
        for job in jobs:
            release_claim(job.claim, None, self._runtime)

    def _publish_next(self) -> list[tuple[Claim, EndedJob | KeptClaim]]:
        """Publish the puzzle of the next reply.

        Returns its claim with the outcome; an empty list if no reply is ready.
        """
        reply = self._next_reply()
        if reply is None:
            return []
        step, result = reply
        index = next(i for i, (request, _) in enumerate(self._requested) if request is step)
        job = self._requested[index][1]
        job.write(step, result)
        try:
            outcome: EndedJob | KeptClaim = publish_and_finish([job], self._runtime)[0]
        except Exception as error:  # noqa: BLE001 - a bug must end only this job
            outcome = keep_claim(job.claim, error, self._runtime)
        del self._requested[index]
        job.claim.close()
        return [(job.claim, outcome)]

    def _requests(self) -> Iterator[Request]:
        while self._waiting:
            job = self._waiting.popleft()
            for step in job.steps():
                self._requested.append((step, job))
                yield step
            if self._must_end_turn():
                return
