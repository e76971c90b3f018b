"""Intake: claim what is complete in the inbox, and have it processed.

    name ─ Arrivals ─▶ Sight, with what the file holds ─ claim ─▶ Claims ─▶ Ended, or a run

A file is looked at once. Single files and small collections overtake the large ones, which take
turns.
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
from pipeline.outbox.names import key_of
from pipeline.reading import OneProblem, Source
from pipeline.service.arrivals import Arrivals, Later
from pipeline.service.ending import Kept, give_back
from pipeline.service.jobs import Ended
from pipeline.service.jobs.puzzle import BATCH
from pipeline.service.log import Display
from pipeline.service.processing import Claims, Slow, Taken
from pipeline.service.protocol.claim import Claim, abandoned
from pipeline.service.protocol.claiming import Reservations, identity, is_in_work, make_claim
from pipeline.service.protocol.overview import LAST_SCAN, stamp_scan
from pipeline.service.protocol.publish import remove_orphans
from pipeline.service.protocol.settle import Observation, is_written
from pipeline.service.runs import LongJobs, LongRun
from pipeline.service.runtime import Runtime

LONGEST_SWEEP = 30.0
"""Seconds after which a sweep ends early, so that a thorough one can follow."""

_LARGEST_BATCH = 16 * 1024 * 1024
"""Bytes of small collections, with which a batch is enough."""

_LARGEST_HELD = 64 * 1024
"""Bytes: larger puzzles are not held in memory beside others."""

_MIN_BATCH = 16
_SOON = 0.1
_SCAN_SECONDS = 0.25
"""While a long job is in work, the inbox is scanned so often, and at hints."""

_LEFT_SECONDS = 60.0
_STAMP_SECONDS = 1.0
_DESCRIPTORS = 16


@dataclass(slots=True)
class Swept:
    """The outcome of a sweep: how many jobs ended, and in how many seconds something may be ready.

    `bad`: some of them were, or held something, invalid, unknown or failed. `again_in` is None
    if nothing is settling except files that a writer holds open. `left` are names that were not
    taken.
    """

    ended: int = 0
    bad: bool = False
    again_in: float | None = None
    left: list[str] = field(default_factory=list)

    def look_again_in(self, seconds: float) -> None:
        self.again_in = seconds if self.again_in is None else min(seconds, self.again_in)

    def leave(self, name: str, later: Later) -> None:
        """Note a file that was not taken."""
        self.left.append(name)
        if later.seconds is not None:
            self.look_again_in(later.seconds)


class Intake:
    """Sweeps one inbox again and again; long jobs advance by a step in each sweep.

    `on_ended` gets each job that has ended. In one pass (`once`) a file that does not settle in
    the settling time is left for the next. With `quick_only`, all that may take longer than one
    problem or a small collection is left to others.
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
        self._in_sweep = 0
        """How many files, small as far as is known, are in the inbox in this sweep."""
        self._returned: list[str] = []
        """Names that claimers have left."""
        self._postponed: dict[Path, float] = {}
        self.scan_at = 0.0
        """When to scan the inbox again, although a long job is in work."""
        self._stamp_next = 0.0
        self._singly_until = 0.0

    @property
    def has_postponed(self) -> bool:
        """Whether something was left alone that could not be claimed or published."""
        return any(os.path.lexists(path) for path in self._postponed)

    def sweep(self, *, thorough: bool = True) -> Swept:
        """Process all that is complete, until told to stop; do a step of a long job.

        If `thorough`, first check the folders and take over abandoned claims, and at last remove
        orphaned files, for which a full outbox is listed. Raises EnvironmentFailure or Interrupted,
        with nothing lost.
        """
        swept, folders = Swept(), self._folders
        if thorough:
            folders.prepare()
            for claim in abandoned(folders):
                if self._stop.is_requested:
                    claim.close()
                    return swept
                if self._may_resume(claim):
                    self._process([(claim, None)], swept)
        try:
            if thorough or not self.long.runs or time.monotonic() >= self.scan_at:
                self._take_all(swept, thorough=thorough)
                self.scan_at = time.monotonic() + _SCAN_SECONDS
            if self.long.runs and not self._stop.is_requested:
                self._advance(swept)
        finally:  # a full disk may need the room
            if thorough and not self._stop.is_requested:
                remove_orphans(folders)
        return swept

    def take_quick(self, names: Sequence[str]) -> list[str]:
        """Process those names that are complete and quick; the others that are there.

        Raises as `sweep` does.
        """
        swept = Swept()
        self._in_sweep = len(names)
        self._take(names, swept)
        while self.long.runs and not self._stop.is_requested:  # it took longer than it looked
            self._advance(swept)
        return swept.left

    def rest(self) -> None:
        """Clear up, and start the solver, while the inbox is empty.

        A claim and a mark are kept for the next single file.
        """
        self._claimers.close()
        self._remove_spares(1)
        self._runtime.local.warm()

    def close(self) -> None:
        """Pause the jobs in work: the next run continues them."""
        self._claimers.close()
        self._arrivals.close()
        self._remove_spares(0)
        self.long.pause()

    def _remove_spares(self, kept: int) -> None:
        while len(self._runtime.spares) > kept:
            self._runtime.spares.pop().remove()

    def _take_all(self, swept: Swept, *, thorough: bool) -> None:
        """Claim what is complete, name by name, and process single files in batches.

        Large collections and archives are last, as few of them are in work at a time; no other
        process looks at them again.
        """
        small, large = self._arrivals.names(thorough=thorough)
        self._stamp()  # even if there is nothing to take
        self._in_sweep = len(small)
        try:
            self._take(small, swept, is_shared=True)
            self._take(large, swept)
        finally:
            self._wait_for_claimers(swept)
        left, self._returned = self._returned, []
        self._take(left, swept)

    def _take(self, names: Sequence[str], swept: Swept, *, is_shared: bool = False) -> None:
        """Process what is complete of these names; `swept.left` gets those that were not taken.

        If that `is_shared`, claimers get most of them if they are many: fewer are enough if the
        first were not only of single puzzles.
        """
        end, tuning = time.monotonic() + LONGEST_SWEEP, self._runtime.tuning
        most = self.max_claims() if self._in_sweep >= _MIN_BATCH else 1
        ready: list[Observation] = []
        waiting, self._arrivals.saw_collections = deque(names), False
        while waiting:
            if is_shared and len(names) - len(waiting) == tuning.first_names:
                saw_collections, is_shared = self._arrivals.saw_collections, False
                fewest = tuning.fewest_shared if saw_collections else tuning.fewest_singles
                waiting = deque(self._claimers.share([*waiting], fewest))
            self._stamp()
            self._take_reports(swept)
            if self._stop.is_requested:
                return
            if time.monotonic() > end:
                swept.look_again_in(0.0)  # other processes may have died: take over theirs
                break
            name = waiting.popleft()
            found = self._observe(name)
            if isinstance(found, Later):
                swept.leave(name, found)
                continue
            ready.append(found)
            if self._is_enough(ready, 1 if self._takes_singly else most):
                self._take_ready(ready, swept)
                ready = []
        self._take_ready(ready, swept)

    @property
    def _takes_singly(self) -> bool:
        return time.monotonic() < self._singly_until

    def _take_singly(self, swept: Swept) -> None:
        """Take one file at a time for a while, at once: that needs less room than a batch."""
        self._singly_until = time.monotonic() + _LEFT_SECONDS
        swept.look_again_in(0.0)

    def max_claims(self) -> int:
        """How many single files are claimed together: each claim holds a descriptor.

        Half of the descriptors, and some more, are left for solvers, workers and archives.
        """
        most, limit = BATCH * self._runtime.batches.batches, getrlimit(RLIMIT_NOFILE)[0]
        if limit == RLIM_INFINITY:
            return most
        room = limit // 2 - _DESCRIPTORS
        return max(1, min(most, room - room % BATCH if room > BATCH else room))

    def _observe(self, name: str) -> Observation | Later:
        """Look at a file. Raises OSError if the folders are at fault."""
        observation: Observation | Later = Later()
        with self._isolating(name), self._stop.computing():
            observation = self._arrivals.observe(name)
        is_left = (
            self._quick_only
            and isinstance(observation, Observation)
            and not self._arrivals.is_quick(observation)
        )
        return Later() if is_left else observation

    def _is_enough(self, ready: Sequence[Observation], most: int) -> bool:
        """Whether to go on with these: they are many, or much, or the last may take a while."""
        much = sum(each.fingerprint.size for each in ready) >= _LARGEST_BATCH
        return len(ready) >= most or much or not self._arrivals.is_quick(ready[-1])

    def _take_ready(self, ready: list[Observation], swept: Swept) -> None:
        """Claim what is complete, and process that.

        Raises OSError if the folders are at fault; if that came while some were claimed already,
        the next sweep takes them singly.
        """
        if not ready:
            return
        taken: list[Taken] = []
        try:
            with self._reservations.held():
                for observation in ready:
                    claimed = self._claimed(observation)
                    if isinstance(claimed, Later):
                        swept.leave(observation.name, claimed)
                    else:
                        taken.append(claimed)
        except OSError as error:
            if taken:
                self._take_singly(swept)
            elif self._folders.is_environment_fault(error):
                raise
            else:
                for observation in ready:
                    self._mark_stuck(observation.name, error)
        self._process(taken, swept)

    def _claimed(self, observation: Observation) -> Taken | Later:
        """Claim what is complete. Raises OSError if the folders are at fault.

        The lock of the outbox is held.
        """
        claim: Claim | None = None
        with self._isolating(observation.name):
            keep_cnf, is_folder = self._settings.keep_cnf, observation.is_folder
            manifest = self._reservations.reserve(
                observation.name, observation.fingerprint, keep_cnf=keep_cnf, is_folder=is_folder
            )
            claim = make_claim(self._folders, manifest, observation.data, self._runtime.spares)
            if claim is None:
                return self._not_claimed(observation.name)
        if claim is None:
            return Later()
        self._arrivals.take(observation.name, claim)
        return claim, _small_source(observation)

    def _not_claimed(self, name: str) -> Later:
        """When to look again at what could not be claimed."""
        is_gone = not os.path.lexists(self._folders.inbox / name)
        if is_gone or self._folders.work / key_of(name) in self._postponed:
            return Later()  # an earlier file of that name is in the way
        busy = is_in_work(self._folders, name)  # else it changed while being claimed
        return Later(max(_SOON, self._settings.settle) if busy else _SOON)

    @contextmanager
    def _isolating(self, name: str) -> Iterator[None]:
        """A fault of one file, or a crash of ours at it, must not hold up the others.

        Raises OSError if the folders are at fault.
        """
        try:
            yield
        except Exception as error:
            if self._folders.is_environment_fault(error):
                raise
            self._mark_stuck(name, error)

    def _mark_stuck(self, name: str, error: Exception) -> None:
        """Say that a file cannot be taken, and leave it alone for a while."""
        path = self._folders.inbox / name
        self._arrivals.log_once("file.stuck", name, _why_stuck(path, error))
        self._postpone(path)

    def _process(self, taken: Sequence[Taken], swept: Swept) -> None:
        """Process these claims. Raises EnvironmentFailure if that fails for one alone.

        If it fails for several, they are back in the inbox, and the next sweep takes them singly.
        """
        try:
            seconds = self._runtime.puzzle_seconds(is_alone=self._in_sweep < 2)
            for claim, outcome in Claims(taken, self._runtime, seconds).process():
                match outcome:
                    case LongRun():
                        self.long.runs.append(outcome)
                        swept.look_again_in(0.0)
                    case Slow(job) if self._quick_only:
                        give_back(claim, job, self._runtime)
                        swept.left.append(claim.manifest.source)
                    case Slow(job):
                        self.long.add_slow(job)
                        swept.look_again_in(0.0)
                    case _:
                        self._settle(claim, outcome, swept)
        except EnvironmentFailure:
            if len(taken) < 2 or self._quick_only:
                raise
            self._take_singly(swept)

    def _advance(self, swept: Swept) -> None:
        """Do a step of a long job."""
        swept.look_again_in(0.0)
        for claim, outcome in self.long.advance():
            self._settle(claim, outcome, swept)

    def _settle(self, claim: Claim, outcome: Ended | Kept, swept: Swept) -> None:
        """Count a job that has ended; leave one alone that is kept."""
        if isinstance(outcome, Kept):
            self._postpone(claim.folder)
            return
        self._postponed.pop(claim.folder, None)
        self._count(outcome, swept)

    def _count(self, ended: Ended, swept: Swept) -> None:
        """Count and tell a job that has ended."""
        swept.ended += 1
        swept.bad = swept.bad or ended.bad
        self._on_ended(ended)

    def _postpone(self, path: Path, seconds: float = _LEFT_SECONDS) -> None:
        self._postponed[path] = time.monotonic() + seconds

    def _may_resume(self, claim: Claim) -> bool:
        """Whether to continue an abandoned claim now; else it is closed. Raises OSError.

        Not if its file has a writer, or it was left alone, or its set is half published in another
        outbox.
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
                why = "its set is half published in another outbox; run with that one again"
            else:
                if is_moved or not manifest.job:  # its names are reserved elsewhere, or unknown
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

    def _wait_for_claimers(self, swept: Swept) -> None:
        """Wait until the claimers have done what they were given, or were told to stop.

        Raises EnvironmentFailure, after all have ended, if that of one has failed.
        """
        failure: EnvironmentFailure | None = None
        while self._claimers.busy:
            self._stamp()
            if failure or self._stop.is_requested:
                self._claimers.stop()
            try:
                self._take_reports(swept, _SOON)
            except EnvironmentFailure as error:
                failure = error
        if failure:
            raise failure

    def _take_reports(self, swept: Swept, seconds: float = 0.0) -> None:
        """Settle what claimers have done since. Raises EnvironmentFailure, and Interrupted."""
        if not self._claimers.busy:
            return
        with self._stop.computing():
            reports = [*self._claimers.hear(seconds)]
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
        """Record in the folders, every second, that this process scans."""
        now = time.monotonic()
        if now >= self._stamp_next:
            self._stamp_next = now + _STAMP_SECONDS
            try:
                stamp_scan(self._folders)
            except OSError as error:
                if self._folders.is_environment_fault(error):
                    raise
                self._arrivals.log_stuck(self._folders.work / LAST_SCAN, error)


def _small_source(observation: Observation) -> Source | None:
    """The contents of the file, unless they take much memory."""
    found: Source | None = observation.content
    if isinstance(found, OneProblem) and len(observation.data or b"") > _LARGEST_HELD:
        return None
    return found


def _why_stuck(path: Path, error: Exception) -> str:
    if isinstance(error, PermissionError) and path.is_dir():
        return f"{in_words(error)}; a folder can be taken only by who may write in it"
    return in_words(error)
