"""One sweep of the inbox: take over what was abandoned, claim and process what is complete."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit

from pipeline.errors import in_words
from pipeline.service.intake import Intake, LookAgain
from pipeline.service.job import BATCH, Job, Jobs, Kept, Outcome
from pipeline.service.log import Display
from pipeline.service.protocol.claim import Claim, abandoned, notes_in_work
from pipeline.service.protocol.overview import stamp_scan
from pipeline.service.protocol.publish import remove_orphans
from pipeline.service.protocol.settle import names_in
from pipeline.service.sinks.set import Ended

LONGEST_SWEEP = 30.0
"""Seconds after which a sweep ends early, so that a thorough one can follow."""

_WORTH_A_BATCH = 16
_DESCRIPTORS = 16
_STAMP_SECONDS = 1.0

OnFinished = Callable[[int], float | None]
"""Called with how many jobs have just ended; returns the seconds until it wants the next call."""


def no_hook(_ended: int) -> None:
    """Ignore that jobs have ended."""


@dataclass(slots=True)
class Swept:
    """The outcome of a sweep: jobs by status, and in how many seconds something may be ready.

    `bad`: some of them were, or held something, invalid, unknown or failed. `again_in` is None
    if nothing is settling except files that a writer holds open.
    """

    statuses: dict[str, int] = field(default_factory=dict)
    bad: bool = False
    again_in: float | None = None

    def count(self, ended: Ended) -> None:
        self.statuses[ended.status] = self.statuses.get(ended.status, 0) + 1
        self.bad = self.bad or ended.bad

    def look_again_in(self, seconds: float) -> None:
        self.again_in = seconds if self.again_in is None else min(seconds, self.again_in)


class Sweeper:
    """Sweeps one inbox again and again; jobs of many puzzles advance by a step in each sweep.

    `on_ended` is told of each job that has ended. In one pass (`once`) what is not complete in
    time is left for the next.
    """

    def __init__(
        self,
        jobs: Jobs,
        stopping: Callable[[], bool],
        display: Display,
        on_ended: Callable[[Ended], object] = lambda _: None,
        *,
        once: bool = False,
    ) -> None:
        self._jobs = jobs
        self._intake = Intake(jobs, once=once)
        self._stopping = stopping
        self._display = display
        self._on_ended = on_ended
        self._running: list[Job] = []
        self._batch: list[Claim] = []
        self._holds_many = False
        self._stamp_next = 0.0

    @property
    def keeps(self) -> bool:
        """Whether something was left alone that could not be claimed or published."""
        return any(os.path.lexists(path) for path in self._intake.left_alone)

    @property
    def busy(self) -> bool:
        """Whether a job of many puzzles is in work: then sweep again at once."""
        return bool(self._running)

    def sweep(self, *, thorough: bool = True) -> Swept:
        """Process all that is complete, until told to stop; do a step of a job of many puzzles.

        If `thorough`, first check the folders, take over abandoned claims and remove orphaned
        files. Raises EnvironmentFailure or Interrupted, with nothing lost.
        """
        swept, folders = Swept(), self._jobs.folders
        if thorough:
            folders.prepare()
            for claim in abandoned(folders):
                if self._stopping():
                    claim.close()
                    return swept
                self._resume(claim, swept)
            remove_orphans(folders, lambda: {note.job for note in notes_in_work(folders)})
        names, ignored = names_in(folders.inbox)
        self._intake.forget_all_but(names, ignored)
        try:
            self._take_all(names, swept)
        finally:
            self._process_batch(swept)
        if self._running and not self._stopping():
            self._advance(swept)
        return swept

    def rest(self) -> None:
        """Get ready for the next file while there is none."""
        self._jobs.inline.warm()

    def close(self) -> None:
        """Pause the jobs in work: the next run continues them."""
        self._display.end()
        for job in self._running:
            self._jobs.pause(job)
        self._running.clear()
        self._intake.close()

    def _resume(self, claim: Claim, swept: Swept) -> None:
        """Process an abandoned claim, if it may be resumed."""
        try:
            ready = self._intake.may_resume(claim)
        except Exception as error:
            claim.close()
            if self._jobs.folders.blames(error):
                raise
            self._intake.say_kept(claim, in_words(error))
            return
        except BaseException:
            claim.close()
            raise
        if ready:
            self._settle(claim, self._jobs.process(claim), swept)
        else:
            claim.close()

    def _take_all(self, names: list[str], swept: Swept) -> None:
        end = time.monotonic() + LONGEST_SWEEP
        most = self.most_claims() if len(names) >= _WORTH_A_BATCH else 1
        self._stamp()  # even if there is nothing to take
        for name in names:
            self._stamp()
            if self._stopping():
                return
            if time.monotonic() > end:
                swept.look_again_in(0.0)  # other processes may have died: first take over theirs
                return
            match self._intake.take(name, busy=self.busy or self._holds_many):
                case Claim() as claim:
                    self._batch.append(claim)
                    self._holds_many |= self._intake.may_hold_many(name)
                case LookAgain(seconds) if seconds is not None:
                    swept.look_again_in(seconds)
            if len(self._batch) >= most:
                self._process_batch(swept)

    def most_claims(self) -> int:
        """How many single files are claimed together: each claim holds a descriptor.

        Half of the descriptors, and some more, are left for solvers, workers and archives.
        """
        most, limit = BATCH * self._jobs.batches.batches, getrlimit(RLIMIT_NOFILE)[0]
        if limit == RLIM_INFINITY:
            return most
        room = limit // 2 - _DESCRIPTORS
        return max(1, min(most, room - room % BATCH if room > BATCH else room))

    def _stamp(self) -> None:
        """Record in the folders, every second, that this process scans."""
        now = time.monotonic()
        if now >= self._stamp_next:
            stamp_scan(self._jobs.folders)
            self._stamp_next = now + _STAMP_SECONDS

    def _process_batch(self, swept: Swept) -> None:
        batch, self._batch, self._holds_many = self._batch, [], False
        if len(batch) == 1:
            self._settle(batch[0], self._jobs.process(batch[0]), swept)
        elif batch:
            self._jobs.process_all(batch, partial(self._settle, swept=swept))

    def _advance(self, swept: Swept) -> None:
        """Do a step of the first job of many puzzles."""
        job = self._running.pop(0)
        source = job.claim.note.source
        self._display.begin(source, job.sink.progress())
        try:
            outcome = self._jobs.advance(job)
        except BaseException:
            self._display.end()
            raise
        swept.look_again_in(0.0)
        if outcome is job:
            self._running.insert(0, job)
            self._display.tick(source, job.sink.progress())
        else:
            self._display.end()
            self._settle(job.claim, outcome, swept)

    def _settle(self, claim: Claim, outcome: Outcome, swept: Swept) -> None:
        match outcome:
            case Job() as job:
                self._running.append(job)
                swept.look_again_in(0.0)
            case Ended() as ended:
                self._intake.left_alone.pop(claim.folder, None)
                swept.count(ended)
                self._on_ended(ended)
            case Kept():
                self._intake.left_alone.add(claim.folder)
