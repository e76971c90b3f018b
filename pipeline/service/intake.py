"""Intake: claim the complete files of the inbox, and process them.

    name ─ Arrivals ─▶ Observation with its Source ─ claim ─▶ Claims ─▶ Ended, LongRun, …

Each sweep observes every file once. Single puzzles and small collections are processed before the
large jobs, which take turns.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.outbox.names import claim_key
from pipeline.reading import OneProblem, Source
from pipeline.service.arrivals import Arrivals, Later
from pipeline.service.ending import Kept, release
from pipeline.service.jobs import Ended
from pipeline.service.jobs.puzzle import BATCH
from pipeline.service.log import Display
from pipeline.service.processing import ClaimedFile, Claims, Slow
from pipeline.service.protocol.claim import Claim, take_over_abandoned
from pipeline.service.protocol.claiming import Reservations, identity, is_in_work, make_claim
from pipeline.service.protocol.overview import LAST_SCAN, stamp_scan
from pipeline.service.protocol.publish import remove_orphans
from pipeline.service.protocol.settle import Observation, is_written
from pipeline.service.runs import LongJobs, LongRun
from pipeline.service.runtime import Runtime

MAX_SWEEP_SECONDS = 30.0
"""A sweep ends after this time, so that a thorough one can follow."""

_MAX_BATCH_BYTES = 16 * 1024 * 1024
"""Complete files are processed when their total size reaches this, even if they are few."""

_MAX_HELD_BYTES = 64 * 1024
"""Larger puzzles are not kept in memory while others are claimed, but read again."""

_MIN_BATCH = 16
"""If a sweep has fewer quick files, each is claimed and processed alone."""

_RETRY_SECONDS = 0.1
"""When to look again at a file that could not be claimed."""

_SCAN_INTERVAL = 0.25
"""Seconds between scans while a long job is running. Hints cause additional scans."""

_POSTPONE_SECONDS = 60.0
"""How long a file that cannot be processed is skipped."""

_SPARE_DESCRIPTORS = 16
"""File descriptors that are not used for claims, in addition to half of all."""


@dataclass(slots=True)
class SweepOutcome:
    """The outcome of a sweep: the number of jobs that ended, and when to sweep again.

    `bad`: some puzzle was invalid, unknown or failed. `again_in`: seconds until the next sweep may
    find work; None if it need not happen soon. `left`: names of files that were not claimed.
    """

    ended: int = 0
    bad: bool = False
    again_in: float | None = None
    left: list[str] = field(default_factory=list)

    def look_again_in(self, seconds: float) -> None:
        self.again_in = seconds if self.again_in is None else min(seconds, self.again_in)

    def leave(self, name: str, later: Later) -> None:
        """Record a file that was not claimed, and when to look at it again."""
        self.left.append(name)
        if later.seconds is not None:
            self.look_again_in(later.seconds)


class Intake:
    """Sweeps an inbox repeatedly; each sweep advances a long job by one step.

    `on_ended` is called with each finished job. In a single pass (`once`), a file that does not
    settle within the settling time is left for the next pass. With `quick_only`, only single
    problems and small collections are processed, and slow puzzles are returned to the inbox.
    """

    def __init__(
        self,
        runtime: Runtime,
        display: Display,
        on_ended: Callable[[Ended], object] = lambda _: None,
        *,
        once: bool = False,
        quick_only: bool = False,
    ) -> None:
        self._runtime = runtime
        self._folders = runtime.folders
        self._settings = runtime.settings
        self._stop = runtime.stop
        self._on_ended = on_ended
        self._quick_only = quick_only
        self._claimers = runtime.claimers
        self.long = LongJobs(runtime, display)
        self._arrivals = Arrivals(runtime, self.long, once=once)
        self._reservations = Reservations(runtime.folders)
        self._quick_count = 0
        """The number of files in this sweep that are not known to be slow."""
        self._returned: list[str] = []
        """Names that claimers did not process."""
        self._postponed: dict[Path, float] = {}
        """Files and claims to be skipped, and until when."""
        self.scan_at = 0.0
        """When to scan the inbox again while a long job is running."""
        self._next_stamp = 0.0
        self._single_mode_until = 0.0
        """Until then, files are claimed one at a time."""

    @property
    def has_postponed(self) -> bool:
        """Whether a file that could not be claimed or published is still there."""
        return any(os.path.lexists(path) for path in self._postponed)

    def sweep(self, *, thorough: bool = True) -> SweepOutcome:
        """Process all complete files, until asked to stop, and do one step of a long job.

        If `thorough`, first check the folders and take over abandoned claims; at the end remove
        orphaned files, which requires listing the outbox. Raises EnvironmentFailure or Interrupted,
        without losing any file.
        """
        swept, folders = SweepOutcome(), self._folders
        if thorough:
            folders.prepare()
            for claim in take_over_abandoned(folders):
                if self._stop.is_requested:
                    claim.close()
                    return swept
                if self._prepare_resume(claim):
                    self._process([(claim, None)], swept)
        try:
            if thorough or not self.long.runs or time.monotonic() >= self.scan_at:
                self._process_inbox(swept, thorough=thorough)
                self.scan_at = time.monotonic() + _SCAN_INTERVAL
            if self.long.runs and not self._stop.is_requested:
                self._advance(swept)
        finally:  # after an error as well, because the disk may be full
            if thorough and not self._stop.is_requested:
                remove_orphans(folders)
        return swept

    def take_quick(self, names: Sequence[str]) -> list[str]:
        """Process the complete and quick files among `names`; returns the other names.

        Raises the same exceptions as `sweep`.
        """
        swept = SweepOutcome()
        self._quick_count = len(names)
        self._process_names(names, swept)
        while self.long.runs and not self._stop.is_requested:  # a file took longer than expected
            self._advance(swept)
        return swept.left

    def rest(self) -> None:
        """Clean up, and let the solver prepare for the next file. Call it when there is no work.

        One spare claim and a mark file are kept.
        """
        self._claimers.close()
        self._remove_spares(1)
        self._runtime.local.warm()

    def close(self) -> None:
        """Pause the running jobs, which the next run continues, and clean up."""
        self._claimers.close()
        self._arrivals.close()
        self._remove_spares(0)
        self.long.pause()

    def _remove_spares(self, count: int) -> None:
        while len(self._runtime.spares) > count:
            self._runtime.spares.pop().remove()

    def _process_inbox(self, swept: SweepOutcome, *, thorough: bool) -> None:
        """Process the complete files in the inbox; claimers may process some of the quick ones.

        Slow files come last, because only a few of them run at a time.
        """
        quick, slow = self._arrivals.names(thorough=thorough)
        self._stamp()  # needed here if the inbox is empty
        self._quick_count = len(quick)
        try:
            self._process_names(quick, swept, is_shared=True)
            self._process_names(slow, swept)
        finally:
            self._wait_for_claimers(swept)
        left, self._returned = self._returned, []
        self._process_names(left, swept)

    def _process_names(
        self, names: Sequence[str], swept: SweepOutcome, *, is_shared: bool = False
    ) -> None:
        """Process the complete files among `names`; names of the others go to `swept.left`.

        If `is_shared` and there are many names, claimers process a share of them. If collections
        are among the first files, fewer names are enough for that.
        """
        end, tuning = time.monotonic() + MAX_SWEEP_SECONDS, self._runtime.tuning
        max_claims = self.max_claims() if self._quick_count >= _MIN_BATCH else 1
        ready: list[Observation] = []
        waiting, self._arrivals.saw_collections = deque(names), False
        while waiting:
            if is_shared and len(names) - len(waiting) == tuning.first_names:
                saw_collections, is_shared = self._arrivals.saw_collections, False
                minimum = tuning.min_shared if saw_collections else tuning.min_shared_puzzles
                waiting = deque(self._claimers.share([*waiting], minimum))
            self._stamp()
            self._receive_reports(swept)
            if self._stop.is_requested:
                return
            if time.monotonic() > end:
                swept.look_again_in(0.0)  # the next sweep may be thorough
                break
            name = waiting.popleft()
            observation = self._observe(name)
            if isinstance(observation, Later):
                swept.leave(name, observation)
                continue
            ready.append(observation)
            if self._is_enough(ready, 1 if self._is_single_mode else max_claims):
                self._claim_and_process(ready, swept)
                ready = []
        self._claim_and_process(ready, swept)

    @property
    def _is_single_mode(self) -> bool:
        return time.monotonic() < self._single_mode_until

    def _enter_single_mode(self, swept: SweepOutcome) -> None:
        """Claim one file at a time for a while, which needs less disk space than a batch."""
        self._single_mode_until = time.monotonic() + _POSTPONE_SECONDS
        swept.look_again_in(0.0)

    def max_claims(self) -> int:
        """The number of files to claim together; each claim holds a file descriptor.

        More than half of the descriptors are left for solvers, workers and archives.
        """
        max_claims, limit = BATCH * self._runtime.batches.batches, getrlimit(RLIMIT_NOFILE)[0]
        if limit == RLIM_INFINITY:
            return max_claims
        room = limit // 2 - _SPARE_DESCRIPTORS
        return max(1, min(max_claims, room - room % BATCH if room > BATCH else room))

    def _observe(self, name: str) -> Observation | Later:
        """Observe a file. Raises OSError if the folders are at fault."""
        observation: Observation | Later = Later()
        with self._isolating(name), self._stop.computing():
            observation = self._arrivals.observe(name)
        is_left = (
            self._quick_only
            and isinstance(observation, Observation)
            and not self._arrivals.is_quick(observation)
        )
        return Later() if is_left else observation

    def _is_enough(self, ready: Sequence[Observation], limit: int) -> bool:
        """Whether to process `ready` now: it is large enough, or its last file is not quick."""
        is_large = sum(file.fingerprint.size for file in ready) >= _MAX_BATCH_BYTES
        return len(ready) >= limit or is_large or not self._arrivals.is_quick(ready[-1])

    def _claim_and_process(self, ready: list[Observation], swept: SweepOutcome) -> None:
        """Claim complete files and process them.

        If claiming fails after some files were claimed, these are processed, and the next sweep
        claims one file at a time. Otherwise raises OSError if the folders are at fault.
        """
        if not ready:
            return
        claims: list[ClaimedFile] = []
        try:
            with self._reservations.held():
                for observation in ready:
                    claimed = self._claim(observation)
                    if isinstance(claimed, Later):
                        swept.leave(observation.name, claimed)
                    else:
                        claims.append(claimed)
        except OSError as error:
            if claims:
                self._enter_single_mode(swept)
            elif self._folders.is_environment_fault(error):
                raise
            else:
                for observation in ready:
                    self._mark_stuck(observation.name, error)
        self._process(claims, swept)

    def _claim(self, observation: Observation) -> ClaimedFile | Later:
        """Claim a complete file. Raises OSError if the folders are at fault.

        The outbox lock must be held.
        """
        claim: Claim | None = None
        with self._isolating(observation.name):
            keep_cnf, is_folder = self._settings.keep_cnf, observation.is_folder
            manifest = self._reservations.reserve(
                observation.name, observation.fingerprint, keep_cnf=keep_cnf, is_folder=is_folder
            )
            claim = make_claim(self._folders, manifest, observation.data, self._runtime.spares)
            if claim is None:
                return self._when_to_retry(observation.name)
        if claim is None:
            return Later()
        self._arrivals.forget_claimed(observation.name, claim)
        return claim, _small_source(observation)

    def _when_to_retry(self, name: str) -> Later:
        """When to look again at a file that could not be claimed."""
        is_gone = not os.path.lexists(self._folders.inbox / name)
        if is_gone or self._folders.work / claim_key(name) in self._postponed:
            return Later()  # the file is gone, or the claim of an earlier one is postponed
        busy = is_in_work(self._folders, name)  # otherwise it changed while being claimed
        return Later(max(_RETRY_SECONDS, self._settings.settle) if busy else _RETRY_SECONDS)

    @contextmanager
    def _isolating(self, name: str) -> Iterator[None]:
        """On an exception in the `with` block, even a bug of ours, log it and skip the file.

        Raises OSError if the folders are at fault.
        """
        try:
            yield
        except Exception as error:
            if self._folders.is_environment_fault(error):
                raise
            self._mark_stuck(name, error)

    def _mark_stuck(self, name: str, error: Exception) -> None:
        """Log that a file cannot be claimed, and skip it for a while."""
        path = self._folders.inbox / name
        self._arrivals.log_once("file.stuck", name, _stuck_reason(path, error))
        self._postpone(path)

    def _process(self, claims: Sequence[ClaimedFile], swept: SweepOutcome) -> None:
        """Process claims. Raises EnvironmentFailure if there is only one claim.

        If it is raised with several, they go back to the inbox, and the next sweep claims them one
        at a time.
        """
        try:
            seconds = self._runtime.puzzle_seconds(is_alone=self._quick_count < 2)
            for claim, outcome in Claims(claims, self._runtime, seconds).process():
                match outcome:
                    case LongRun():
                        self.long.runs.append(outcome)
                        swept.look_again_in(0.0)
                    case Slow(job) if self._quick_only:
                        release(claim, job, self._runtime)
                        swept.left.append(claim.manifest.source)
                    case Slow(job):
                        self.long.add_slow(job)
                        swept.look_again_in(0.0)
                    case _:
                        self._record_outcome(claim, outcome, swept)
        except EnvironmentFailure:
            if len(claims) < 2 or self._quick_only:
                raise
            self._enter_single_mode(swept)

    def _advance(self, swept: SweepOutcome) -> None:
        """Do one step of a long job."""
        swept.look_again_in(0.0)
        for claim, outcome in self.long.advance():
            self._record_outcome(claim, outcome, swept)

    def _record_outcome(self, claim: Claim, outcome: Ended | Kept, swept: SweepOutcome) -> None:
        """Count a job that has ended; postpone a claim that is kept."""
        if isinstance(outcome, Kept):
            self._postpone(claim.folder)
            return
        self._postponed.pop(claim.folder, None)
        self._count(outcome, swept)

    def _count(self, ended: Ended, swept: SweepOutcome) -> None:
        """Count and report a job that has ended."""
        swept.ended += 1
        swept.bad = swept.bad or ended.bad
        self._on_ended(ended)

    def _postpone(self, path: Path, seconds: float = _POSTPONE_SECONDS) -> None:
        self._postponed[path] = time.monotonic() + seconds

    def _prepare_resume(self, claim: Claim) -> bool:
        """Prepare an abandoned claim to be processed now; returns whether it can be.

        Otherwise closes it: its file has a writer, it is postponed, or its set is partly published
        in another outbox. Raises OSError if the folders are at fault.
        """
        manifest, now = claim.manifest, time.monotonic()
        why = None
        try:
            is_moved = manifest.outbox not in ("", identity(self._folders.outbox.stat()))
            if self._postponed.get(claim.folder, 0.0) > now:
                pass
            elif is_written(claim.original):
                self._postpone(claim.folder, self._settings.settle)
            elif is_moved and manifest.files:
                why = "it is partly published in another outbox; run with that outbox again"
            else:
                if is_moved or not manifest.job:  # reserved in another outbox, or manifest lost
                    is_folder, keep_cnf = claim.original.is_dir(), self._settings.keep_cnf
                    with self._reservations.held():
                        renewed = self._reservations.reserve(
                            manifest.source,
                            manifest.fingerprint,
                            keep_cnf=keep_cnf,
                            is_folder=is_folder,
                        )
                        claim.renew(renewed)
                return True
        except Exception as error:
            claim.close()
            if self._folders.is_environment_fault(error):
                raise
            why = in_words(error)
        if why:
            self._runtime.log.error("job.kept", source=printable(manifest.source), reason=why)
            self._postpone(claim.folder)
        claim.close()
        return False

    def _wait_for_claimers(self, swept: SweepOutcome) -> None:
        """Wait until the claimers have finished or stopped.

        If one reports that its environment failed, the others are stopped, and EnvironmentFailure
        is raised at the end.
        """
        failure: EnvironmentFailure | None = None
        while self._claimers.busy:
            self._stamp()
            if failure or self._stop.is_requested:
                self._claimers.stop()
            try:
                self._receive_reports(swept, _RETRY_SECONDS)
            except EnvironmentFailure as error:
                failure = error
        if failure:
            raise failure

    def _receive_reports(self, swept: SweepOutcome, seconds: float = 0.0) -> None:
        """Log and count what claimers report. Raises EnvironmentFailure and Interrupted."""
        if not self._claimers.busy:
            return
        with self._stop.computing():
            reports = [*self._claimers.reports(seconds)]
        for report in reports:
            for level, event, values in report.log:
                getattr(self._runtime.log, level)(event, **values)
            for ended in report.ended:
                self._count(ended, swept)
            self._returned += report.left
            if report.is_dead:
                swept.look_again_in(0.0)
        if failures := [report.failure for report in reports if report.failure]:
            raise EnvironmentFailure(failures[0])

    def _stamp(self) -> None:
        """Record now and then, in the inbox, that this process is scanning."""
        now = time.monotonic()
        if now >= self._next_stamp:
            self._next_stamp = now + self._runtime.tuning.stamp_seconds
            try:
                stamp_scan(self._folders)
            except OSError as error:
                if self._folders.is_environment_fault(error):
                    raise
                self._arrivals.log_stuck(self._folders.work / LAST_SCAN, error)


def _small_source(observation: Observation) -> Source | None:
    """The source that was read, or None if it takes too much memory."""
    source: Source | None = observation.content
    if isinstance(source, OneProblem) and len(observation.data or b"") > _MAX_HELD_BYTES:
        return None
    return source


def _stuck_reason(path: Path, error: Exception) -> str:
    if isinstance(error, PermissionError) and path.is_dir():
        return f"{in_words(error)}; a folder can only be claimed if it is writable"
    return in_words(error)
