"""Intake: claim the complete files of the inbox, and process them.

    name ─ Arrivals ─▶ Observation with its Source ─ claim ─▶ ClaimProcessor ─▶ EndedJob, LongRun, …

Each sweep observes every file once. Single puzzles and small collections are processed first; long
jobs take turns.
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
from pipeline.service.arrivals import Arrivals, Deferral
from pipeline.service.ending import KeptClaim, release_claim
from pipeline.service.jobs import EndedJob
from pipeline.service.jobs.puzzle import BATCH_SIZE
from pipeline.service.log import Display
from pipeline.service.processing import ClaimedFile, ClaimProcessor, SlowJob
from pipeline.service.protocol.claim import Claim, take_over_abandoned
from pipeline.service.protocol.claiming import Reservations, identity, is_in_work, make_claim
from pipeline.service.protocol.overview import LAST_SCAN, stamp_scan
from pipeline.service.protocol.publish import remove_orphans
from pipeline.service.protocol.settle import Observation, is_being_written
from pipeline.service.runs import LongJobs, LongRun
from pipeline.service.runtime import Runtime

MAX_SWEEP_SECONDS = 30.0
"""A sweep ends after this time, so that a thorough sweep can follow."""

_MAX_BATCH_BYTES = 16 * 1024 * 1024
"""Total size at which complete files are processed, even if they are fewer than a batch."""

_MAX_KEPT_BYTES = 64 * 1024
"""Maximum size of a puzzle that is kept in memory between being read and being processed."""

_MIN_BATCH = 16
"""Minimum number of quick files in a sweep for which they are claimed in batches."""

_RETRY_SECONDS = 0.1
"""Seconds after which a file that could not be claimed is observed again."""

_SCAN_INTERVAL = 0.25
"""Seconds between scans while a long job is running. Hints cause additional scans."""

_POSTPONE_SECONDS = 60.0
"""Seconds for which a file that could not be processed is skipped."""

_SPARE_DESCRIPTORS = 16
"""File descriptors that claims leave unused, in addition to half of the limit."""


@dataclass(slots=True)
class SweepSummary:
    """The results of a sweep.

    - `job_count`: number of finished jobs.
    - `is_bad`: whether some puzzle was invalid, unknown or failed.
    - `next_sweep_in`: seconds after which a sweep may find work; None if the usual interval
      suffices.
    - `unclaimed`: names of files that were not claimed.
    """

    job_count: int = 0
    is_bad: bool = False
    next_sweep_in: float | None = None
    unclaimed: list[str] = field(default_factory=list)

    def sweep_within(self, seconds: float) -> None:
        """Let the next sweep begin after at most `seconds`."""
        self.next_sweep_in = (
            seconds if self.next_sweep_in is None else min(seconds, self.next_sweep_in)
        )

    def add_unclaimed(self, name: str, deferral: Deferral) -> None:
        """Record a file that was not claimed, and when to observe it again."""
        self.unclaimed.append(name)
        if deferral.seconds is not None:
            self.sweep_within(deferral.seconds)


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
        on_ended: Callable[[EndedJob], object] = lambda _: None,
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
        self.long_jobs = LongJobs(runtime, display)
        self._arrivals = Arrivals(runtime, self.long_jobs, once=once)
        self._reservations = Reservations(runtime.folders)
        self._quick_count = 0
        """The number of files in this sweep that are not known to be slow."""
        self._returned_names: list[str] = []
        """Names that claimers did not process."""
        self._postponed: dict[Path, float] = {}
        """Path of each file or claim to skip → monotonic time until which it is skipped."""
        self.scan_at = 0.0
        """Monotonic time of the next scan while a long job is running."""
        self._next_stamp = 0.0
        self._single_mode_until = 0.0
        """Monotonic time until which files are claimed one at a time."""

    @property
    def has_postponed(self) -> bool:
        """Whether a file that could not be claimed or published still exists."""
        return any(os.path.lexists(path) for path in self._postponed)

    def sweep(self, *, thorough: bool = True) -> SweepSummary:
        """Process all complete files, and do one step of a long job.

        If `thorough`, first check the folders and take over abandoned claims, and finally list the
        outbox to remove orphaned files. Returns early at a stop signal. Raises EnvironmentFailure
        or Interrupted, without losing any file.
        """
        summary, folders = SweepSummary(), self._folders
        if thorough:
            folders.prepare()
            for claim in take_over_abandoned(folders):
                if self._stop.is_requested:
                    claim.close()
                    return summary
                if self._prepare_resume(claim):
                    self._process([(claim, None)], summary)
        try:
            if thorough or not self.long_jobs.runs or time.monotonic() >= self.scan_at:
                self._process_inbox(summary, thorough=thorough)
                self.scan_at = time.monotonic() + _SCAN_INTERVAL
            if self.long_jobs.runs and not self._stop.is_requested:
                self._advance(summary)
        finally:  # also after an error: if the disk is full, this frees space
            if thorough and not self._stop.is_requested:
                remove_orphans(folders)
        return summary

    def process_quick(self, names: Sequence[str]) -> list[str]:
        """Process the complete and quick files among `names`. Returns the remaining names.

        Raises the same exceptions as `sweep`.
        """
        summary = SweepSummary()
        self._quick_count = len(names)
        self._process_names(names, summary)
        while self.long_jobs.runs and not self._stop.is_requested:  # a quick file became a long job
            self._advance(summary)
        return summary.unclaimed

    def go_idle(self) -> None:
        """Clean up, and let the solver prepare for the next file. Called when there is no work.

        One spare claim and a mark file are kept for the next file.
        """
        self._claimers.close()
        self._remove_spares(1)
        self._runtime.local.warm()

    def close(self) -> None:
        """Pause the running jobs, so that the next run continues them, and clean up."""
        self._claimers.close()
        self._arrivals.close()
        self._remove_spares(0)
        self.long_jobs.pause()

    def _remove_spares(self, count: int) -> None:
        """Remove spare claims until `count` are left."""
        while len(self._runtime.spare_claims) > count:
            self._runtime.spare_claims.pop().remove()

    def _process_inbox(self, summary: SweepSummary, *, thorough: bool) -> None:
        """Process the complete files in the inbox; claimers may process some of the quick ones.

        Slow files come last, because only a few of them run at a time.
        """
        quick, slow = self._arrivals.names(thorough=thorough)
        self._stamp()  # `_process_names` does not stamp if the inbox is empty
        self._quick_count = len(quick)
        try:
            self._process_names(quick, summary, may_share=True)
            self._process_names(slow, summary)
        finally:
            self._wait_for_claimers(summary)
        left, self._returned_names = self._returned_names, []
        self._process_names(left, summary)

    def _process_names(
        self, names: Sequence[str], summary: SweepSummary, *, may_share: bool = False
    ) -> None:
        """Process the complete files among `names`; `summary.unclaimed` gets the remaining names.

        If `may_share`, claimers get a share of the names that are left after the first files were
        observed, provided that there are enough. Fewer names are enough if some of the first files
        are collections.
        """
        end, tuning = time.monotonic() + MAX_SWEEP_SECONDS, self._runtime.tuning
        max_claims = self.max_claims() if self._quick_count >= _MIN_BATCH else 1
        ready: list[Observation] = []
        waiting, self._arrivals.saw_collections = deque(names), False
        while waiting:
            if may_share and len(names) - len(waiting) == tuning.names_before_sharing:
                saw_collections, may_share = self._arrivals.saw_collections, False
                names_per_claimer = (
                    tuning.names_per_claimer if saw_collections else tuning.puzzles_per_claimer
                )
                waiting = deque(self._claimers.share([*waiting], names_per_claimer))
            self._stamp()
            self._receive_reports(summary)
            if self._stop.is_requested:
                return
            if time.monotonic() > end:
                summary.sweep_within(0.0)  # the next sweep may be thorough
                break
            name = waiting.popleft()
            observation = self._observe(name)
            if isinstance(observation, Deferral):
                summary.add_unclaimed(name, observation)
                continue
            ready.append(observation)
            if self._should_process(ready, 1 if self._is_single_mode else max_claims):
                self._claim_and_process(ready, summary)
                ready = []
        self._claim_and_process(ready, summary)

    @property
    def _is_single_mode(self) -> bool:
        return time.monotonic() < self._single_mode_until

    def _enter_single_mode(self, summary: SweepSummary) -> None:
        """Claim one file at a time for a while: this needs less disk space than a batch."""
        self._single_mode_until = time.monotonic() + _POSTPONE_SECONDS
        summary.sweep_within(0.0)

    def max_claims(self) -> int:
        """The maximum number of files that are claimed together.

        Each claim holds a file descriptor. More than half of the descriptors are left for solvers,
        workers and archives.
        """
        max_claims, limit = (
            BATCH_SIZE * self._runtime.batch_workers.batch_count,
            getrlimit(RLIMIT_NOFILE)[0],
        )
        if limit == RLIM_INFINITY:
            return max_claims
        room = limit // 2 - _SPARE_DESCRIPTORS
        return max(1, min(max_claims, room - room % BATCH_SIZE if room > BATCH_SIZE else room))

    def _observe(self, name: str) -> Observation | Deferral:
        """Observe a file. Raises OSError if the folders are at fault."""
        observation: Observation | Deferral = Deferral()
        with self._skipping_on_error(name), self._stop.computing():
            observation = self._arrivals.observe(name)
        is_skipped = (
            self._quick_only
            and isinstance(observation, Observation)
            and not self._arrivals.is_quick(observation)
        )
        return Deferral() if is_skipped else observation

    def _should_process(self, ready: Sequence[Observation], limit: int) -> bool:
        """Whether to process the files in `ready` now.

        True if they are numerous or large enough, or if the last file is not quick.
        """
        is_large = sum(file.fingerprint.size for file in ready) >= _MAX_BATCH_BYTES
        return len(ready) >= limit or is_large or not self._arrivals.is_quick(ready[-1])

    def _claim_and_process(self, ready: list[Observation], summary: SweepSummary) -> None:
        """Claim complete files and process them.

        If claiming fails after some files were claimed, the claimed files are processed, and the
        next sweep claims one file at a time. If no file was claimed, raises OSError if the folders
        are at fault.
        """
        if not ready:
            return
        claims: list[ClaimedFile] = []
        try:
            with self._reservations.locked():
                for observation in ready:
                    claimed = self._claim(observation)
                    if isinstance(claimed, Deferral):
                        summary.add_unclaimed(observation.name, claimed)
                    else:
                        claims.append(claimed)
        except OSError as error:
            if claims:
                self._enter_single_mode(summary)
            elif self._folders.is_environment_fault(error):
                raise
            else:
                for observation in ready:
                    self._mark_stuck(observation.name, error)
        self._process(claims, summary)

    def _claim(self, observation: Observation) -> ClaimedFile | Deferral:
        """Claim a complete file. The caller must hold the outbox lock.

        Returns the claim and the source, or a Deferral if claiming failed. Raises OSError if the
        folders are at fault.
        """
        claim: Claim | None = None
        with self._skipping_on_error(observation.name):
            keep_cnf, is_folder = self._settings.keep_cnf, observation.is_folder
            manifest = self._reservations.reserve(
                observation.name, observation.fingerprint, keep_cnf=keep_cnf, is_folder=is_folder
            )
            claim = make_claim(
                self._folders, manifest, observation.data, self._runtime.spare_claims
            )
            if claim is None:
                return self._deferral(observation.name)
        if claim is None:
            return Deferral()
        self._arrivals.forget_claimed(observation.name, claim)
        return claim, _small_source(observation)

    def _deferral(self, name: str) -> Deferral:
        """Decide when a file that could not be claimed is observed again."""
        is_gone = not os.path.lexists(self._folders.inbox / name)
        if is_gone or self._folders.work / claim_key(name) in self._postponed:
            return Deferral()  # the file is gone, or a claim of an earlier file is postponed
        busy = is_in_work(self._folders, name)  # if not, the file changed meanwhile
        return Deferral(max(_RETRY_SECONDS, self._settings.settle) if busy else _RETRY_SECONDS)

    @contextmanager
    def _skipping_on_error(self, name: str) -> Iterator[None]:
        """Log an exception that the `with` block raises, and skip the file for a while.

        If the folders are at fault, the exception is raised instead.
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

    def _process(self, claims: Sequence[ClaimedFile], summary: SweepSummary) -> None:
        """Process claims, and record their outcomes.

        If the environment fails while several claims are processed, their files are returned to the
        inbox, and the next sweep claims them one at a time. For a single claim, and in a claimer,
        EnvironmentFailure is raised.
        """
        try:
            seconds = self._runtime.puzzle_seconds(is_alone=self._quick_count < 2)
            for claim, outcome in ClaimProcessor(claims, self._runtime, seconds).process():
                match outcome:
                    case LongRun():
                        self.long_jobs.runs.append(outcome)
                        summary.sweep_within(0.0)
                    case SlowJob(job) if self._quick_only:
                        release_claim(claim, job, self._runtime)
                        summary.unclaimed.append(claim.manifest.source)
                    case SlowJob(job):
                        self.long_jobs.add_slow(job)
                        summary.sweep_within(0.0)
                    case _:
                        self._record_outcome(claim, outcome, summary)
        except EnvironmentFailure:
            if len(claims) < 2 or self._quick_only:
                raise
            self._enter_single_mode(summary)

    def _advance(self, summary: SweepSummary) -> None:
        """Do one step of a long job."""
        summary.sweep_within(0.0)
        for claim, outcome in self.long_jobs.advance():
            self._record_outcome(claim, outcome, summary)

    def _record_outcome(
        self, claim: Claim, outcome: EndedJob | KeptClaim, summary: SweepSummary
    ) -> None:
        """Count a finished job, or postpone a kept claim."""
        if isinstance(outcome, KeptClaim):
            self._postpone(claim.folder)
            return
        self._postponed.pop(claim.folder, None)
        self._count(outcome, summary)

    def _count(self, ended: EndedJob, summary: SweepSummary) -> None:
        """Count a finished job, and call `on_ended`."""
        summary.job_count += 1
        summary.is_bad = summary.is_bad or ended.is_bad
        self._on_ended(ended)

    def _postpone(self, path: Path, seconds: float = _POSTPONE_SECONDS) -> None:
        """Skip a file or claim for this time."""
        self._postponed[path] = time.monotonic() + seconds

    def _prepare_resume(self, claim: Claim) -> bool:
        """Prepare an abandoned claim to be processed. Returns whether it can be processed now.

        Otherwise, the claim is closed: its file has a writer, the claim is postponed, its results
        are partly published in another outbox, or an error occurred. Raises OSError if the folders
        are at fault.
        """
        manifest, now = claim.manifest, time.monotonic()
        why = None
        try:
            is_other_outbox = manifest.outbox not in ("", identity(self._folders.outbox.stat()))
            if self._postponed.get(claim.folder, 0.0) > now:
                pass
            elif is_being_written(claim.original):
                self._postpone(claim.folder, self._settings.settle)
            elif is_other_outbox and manifest.files:
                why = (
                    "its results are partly published in another outbox; run with that outbox again"
                )
            else:
                # New names are needed if the old ones are in another outbox or are lost.
                if is_other_outbox or not manifest.job:
                    is_folder, keep_cnf = claim.original.is_dir(), self._settings.keep_cnf
                    with self._reservations.locked():
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

    def _wait_for_claimers(self, summary: SweepSummary) -> None:
        """Wait until all claimers have finished or stopped.

        If a claimer reports that its environment failed, all claimers are stopped, and
        EnvironmentFailure is raised at the end.
        """
        failure: EnvironmentFailure | None = None
        while self._claimers.busy:
            self._stamp()
            if failure or self._stop.is_requested:
                self._claimers.stop()
            try:
                self._receive_reports(summary, _RETRY_SECONDS)
            except EnvironmentFailure as error:
                failure = error
        if failure:
            raise failure

    def _receive_reports(self, summary: SweepSummary, seconds: float = 0.0) -> None:
        """Log the events and count the jobs that claimers report.

        Raises EnvironmentFailure if a claimer's environment failed, and Interrupted.
        """
        if not self._claimers.busy:
            return
        with self._stop.computing():
            reports = [*self._claimers.reports(seconds)]
        for report in reports:
            for level, event, values in report.log:
                getattr(self._runtime.log, level)(event, **values)
            for ended in report.ended:
                self._count(ended, summary)
            self._returned_names += report.unclaimed
            if report.is_dead:
                summary.sweep_within(0.0)
        if failures := [report.failure for report in reports if report.failure]:
            raise EnvironmentFailure(failures[0])

    def _stamp(self) -> None:
        """Record in the inbox that a process scans it, at most once per `stamp_seconds`."""
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
    """The source of an observed file; None if it was not read or takes too much memory."""
    source: Source | None = observation.source
    if isinstance(source, OneProblem) and len(observation.data or b"") > _MAX_KEPT_BYTES:
        return None
    return source


def _stuck_reason(path: Path, error: Exception) -> str:
    """The reason why a file cannot be claimed, with a remedy for folders."""
    if isinstance(error, PermissionError) and path.is_dir():
        return f"{in_words(error)}; make the folder writable, so that it can be claimed"
    return in_words(error)
