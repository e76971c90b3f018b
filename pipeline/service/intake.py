"""Intake: claim what is complete in the inbox, and have it processed.

    name ─ Arrivals ─▶ Sight, with what the file holds ─ claim ─▶ Job ─▶ Ended

A file is looked at once. While a source of many puzzles is in work, another has to wait; single
files and small collections, which are quick, overtake it.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, takewhile
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.outbox.names import key_of
from pipeline.outbox.write_record import timestamp
from pipeline.reading import OneProblem, Source
from pipeline.service.arrivals import Arrivals, Complete
from pipeline.service.claimers import FEW
from pipeline.service.job import Job, Outcome, Shared, process
from pipeline.service.log import Display
from pipeline.service.protocol.claim import Claim, Note, abandoned, new_job_id, notes_in_work
from pipeline.service.protocol.claiming import Reservations, identity, is_in_work, make_claim
from pipeline.service.protocol.overview import LAST_SCAN, stamp_scan
from pipeline.service.protocol.publish import remove_orphans
from pipeline.service.protocol.settle import (
    Fingerprint,
    Refused,
    Sight,
    is_written,
    names_in,
)
from pipeline.service.sinks import BATCH, Ended

LONGEST_SWEEP = 30.0
"""Seconds after which a sweep ends early, so that a thorough one can follow."""

_LARGEST_BATCH = 16 * 1024 * 1024
"""Bytes of small collections, with which a batch is enough."""

_LARGEST_HELD = 64 * 1024
"""Bytes: larger puzzles are not held in memory beside others."""

_SOON = 0.1
_LEFT_SECONDS = 60.0
_STAMP_SECONDS = 1.0
_WORTH_A_BATCH = 16
_DESCRIPTORS = 16


@dataclass(slots=True)
class Swept:
    """The outcome of a sweep: how many jobs ended, and in how many seconds something may be ready.

    `bad`: some of them were, or held something, invalid, unknown or failed. `again_in` is None
    if nothing is settling except files that a writer holds open.
    """

    ended: int = 0
    bad: bool = False
    again_in: float | None = None

    def look_again_in(self, seconds: float) -> None:
        self.again_in = seconds if self.again_in is None else min(seconds, self.again_in)


class Intake:
    """Sweeps one inbox again and again; jobs of many puzzles advance by a step in each sweep.

    `on_ended` gets each job that has ended. In one pass (`once`) a file that does not settle in
    the settling time is left for the next. With `quick_only`, all that may take longer than one
    problem or a small collection is left to others.
    """

    def __init__(
        self,
        shared: Shared,
        stopping: Callable[[], bool],
        display: Display,
        on_ended: Callable[[Ended], object] = lambda _: None,
        *,
        once: bool = False,
        quick_only: bool = False,
    ) -> None:
        self._shared = shared
        self._folders = shared.folders
        self._settings = shared.settings
        self._stopping = stopping
        self._display = display
        self._on_ended = on_ended
        self._quick_only = quick_only
        self._claimers = shared.claimers
        self._arrivals = Arrivals(shared, lambda: self.busy, once=once)
        self._reservations = Reservations(shared.folders)
        self._running: list[Job] = []
        self._left_alone: dict[Path, float] = {}
        self._stamp_next = 0.0
        self._singly_until = 0.0

    @property
    def keeps(self) -> bool:
        """Whether something was left alone that could not be claimed or published."""
        return any(os.path.lexists(path) for path in self._left_alone)

    @property
    def busy(self) -> bool:
        """Whether a job of many puzzles is in work: then sweep again at once."""
        return bool(self._running)

    def sweep(self, *, thorough: bool = True) -> Swept:
        """Process all that is complete, until told to stop; do a step of a job of many puzzles.

        If `thorough`, first check the folders and take over abandoned claims, and at last remove
        orphaned files, for which a full outbox is listed. Raises EnvironmentFailure or Interrupted,
        with nothing lost.
        """
        swept, folders = Swept(), self._folders
        if thorough:
            folders.prepare()
            for claim in abandoned(folders):
                if self._stopping():
                    claim.close()
                    return swept
                if self._may_resume(claim):
                    self._process([Job(self._shared, claim)], swept)
            self._arrivals.gather()
        try:
            self._take_all(swept)
            if self._running and not self._stopping():
                self._advance(swept)
        finally:  # a full disk may need the room
            if thorough and not self._stopping():
                remove_orphans(folders, lambda: {note.job for note in notes_in_work(folders)})
        return swept

    def rest(self) -> None:
        """Clear up, and start the solver, while the inbox is empty.

        A claim and a mark are kept for the next single file.
        """
        self._claimers.close()
        self._remove_spares(1)
        self._shared.inline.warm()

    def close(self) -> None:
        """Pause the jobs in work: the next run continues them."""
        self._display.end()
        self._clear_up()
        for job in self._running:
            job.pause()
        self._running.clear()

    def _clear_up(self) -> None:
        """End and remove what is there only for the sake of speed."""
        self._claimers.close()
        self._arrivals.close()
        self._remove_spares(0)

    def _remove_spares(self, kept: int) -> None:
        while len(self._shared.spares) > kept:
            self._shared.spares.pop().remove()

    def take_quick(self, names: Sequence[str]) -> list[str]:
        """Process those names that are complete and quick; the others that are there.

        Raises as `sweep` does.
        """
        swept, left = Swept(), list[str]()
        self._take(names, len(names), swept, left)
        while self._running and not self._stopping():  # it took longer than it looked
            self._advance(swept)
        return left

    def _take_all(self, swept: Swept) -> None:
        """Claim what is complete, name by name, and process single files in batches.

        Those that hold many are last, as only one of them is in work; no other process looks at
        them again.
        """
        names, _ = names_in(self._folders.inbox)
        self._arrivals.forget_all_but({*names})
        self._stamp()  # even if there is nothing to take
        known = {*filter(self._arrivals.holds_many, names)}
        others = deque(name for name in names if name not in known)
        many = takewhile(lambda _: not self.busy, (name for name in names if name in known))
        try:
            self._take(chain(self._shared_names(others, swept), many), len(others), swept, [])
        finally:
            self._hear_the_rest(swept)

    def _take(self, names: Iterable[str | None], count: int, swept: Swept, left: list[str]) -> None:
        """Process what is complete of about so many names; `left` gets those that were not taken.

        None among the names says that nothing else is to be done for now.
        """
        end = time.monotonic() + LONGEST_SWEEP
        many = self.most_claims() if count >= _WORTH_A_BATCH else 1
        ready: list[Complete] = []
        for name in names:
            self._stamp()
            if self._stopping():
                return
            if time.monotonic() > end:
                swept.look_again_in(0.0)  # other processes may have died: take over theirs
                break
            found = None if name is None else self._looked_at(name)
            if isinstance(found, Sight | Refused):
                ready.append(found)
            elif name is not None:
                left.append(name)
                if found is not None:
                    swept.look_again_in(found)
            if name is None or self._is_enough(ready, 1 if self._takes_singly else many):
                self._take_ready(ready, swept, left)
                ready = []
        self._take_ready(ready, swept, left)

    def _is_enough(self, ready: Sequence[Complete], most: int) -> bool:
        """Whether to go on with these: they are many, or much, or the last may take a while."""
        if not ready:
            return False
        much = sum(each.fingerprint.size for each in ready) >= _LARGEST_BATCH
        return len(ready) >= most or much or not self._arrivals.is_quick(ready[-1])

    def _take_ready(self, ready: list[Complete], swept: Swept, left: list[str]) -> None:
        """Claim what is complete, and process that.

        Raises OSError if the folders are at fault; if that came while some were claimed already,
        the next sweep takes them singly.
        """
        if not ready:
            return
        jobs: list[Job] = []
        try:
            with self._reservations.held():
                for seen in ready:
                    job = self._claimed(seen)
                    if isinstance(job, Job):
                        jobs.append(job)
                        continue
                    left.append(seen.name)
                    if job is not None:
                        swept.look_again_in(job)
        except OSError as error:
            if jobs:
                self._take_singly(swept)
            elif self._folders.blames(error):
                raise
            else:
                for seen in ready:
                    self._stick(seen.name, error)
        self._process(jobs, swept)

    def _shared_names(self, names: deque[str], swept: Swept) -> Iterator[str | None]:
        """The names that are ours: all, unless they are so many that claimers get some.

        Claimers get fewer at once if the names before were not only of single puzzles. What they
        leave becomes ours too. None while only they have something to do.
        """
        ours, portion = deque[str](), 0
        while names or ours or self._claimers.are_busy:
            ours += self._heard(swept, 0.0 if names or ours else _SOON)
            if portion:
                self._claimers.give(names, portion)
            if not names and not ours:
                yield None
            self._arrivals.saw_many = False
            for _ in range(min(len(names), portion or FEW)):
                yield names.popleft()
            portion = FEW if self._arrivals.saw_many else BATCH
            while ours:
                yield ours.popleft()

    def _heard(self, swept: Swept, seconds: float) -> list[str]:
        """Settle what claimers have done since; the names that they have left.

        Raises EnvironmentFailure, and Interrupted.
        """
        left: list[str] = []
        with self._shared.computing():
            heard = [*self._claimers.hear(seconds)]
        for told in heard:
            if told is None:
                swept.look_again_in(0.0)
                continue
            for level, event, values in told.said:
                getattr(self._shared.log, level)(event, **values)
            for ended in told.ended:
                self._count(ended, swept)
            left += told.left or ()
        if failures := [told.failure for told in heard if told and told.failure]:
            raise EnvironmentFailure(failures[0])
        return left

    def _hear_the_rest(self, swept: Swept) -> None:
        """Wait until the claimers have done what they were given, or were told to stop."""
        while self._claimers.are_busy:
            self._stamp()
            if self._stopping():
                self._claimers.stop()
            self._heard(swept, _SOON)

    @property
    def _takes_singly(self) -> bool:
        return time.monotonic() < self._singly_until

    def _take_singly(self, swept: Swept) -> None:
        """Take one file at a time for a while, at once: that needs less room than a batch."""
        self._singly_until = time.monotonic() + _LEFT_SECONDS
        swept.look_again_in(0.0)

    def most_claims(self) -> int:
        """How many single files are claimed together: each claim holds a descriptor.

        Half of the descriptors, and some more, are left for solvers, workers and archives.
        """
        most, limit = BATCH * self._shared.together.batches, getrlimit(RLIMIT_NOFILE)[0]
        if limit == RLIM_INFINITY:
            return most
        room = limit // 2 - _DESCRIPTORS
        return max(1, min(most, room - room % BATCH if room > BATCH else room))

    def _stamp(self) -> None:
        """Record in the folders, every second, that this process scans."""
        now = time.monotonic()
        if now >= self._stamp_next:
            self._stamp_next = now + _STAMP_SECONDS
            try:
                stamp_scan(self._folders)
            except OSError as error:
                if self._folders.blames(error):
                    raise
                self._arrivals.say_stuck(self._folders.work / LAST_SCAN, error)

    def _looked_at(self, name: str) -> Complete | float | None:
        """What a name holds, if it is complete. Else as `_claimed`. Raises OSError as that does."""
        seen = None
        with self._one(name), self._shared.computing():
            seen = self._arrivals.look(name)
        return None if self._quick_only and not self._arrivals.is_quick(seen) else seen

    def _claimed(self, seen: Complete) -> Job | float | None:
        """Claim what is complete. Else the seconds after which to look again, if known.

        The lock of the outbox is held. Raises OSError if the folders are at fault.
        """
        name, data, contents, claim, is_stuck = seen.name, None, None, None, True
        if isinstance(seen, Sight):
            data, contents = seen.data, _worth_holding(seen)
        with self._one(name):
            is_folder = isinstance(seen, Sight) and seen.is_folder
            note = self._reserved(name, seen.fingerprint, is_folder)
            claim = make_claim(self._folders, note, data, self._shared.spares)
            is_stuck = False
        if claim is not None:
            self._arrivals.take(name, claim)
            return Job(self._shared, claim, contents)
        is_gone = not os.path.lexists(self._folders.inbox / name)
        if is_stuck or is_gone or self._folders.work / key_of(name) in self._left_alone:
            return None  # in the last case an earlier file of that name is in the way
        busy = is_in_work(self._folders, name)  # else it changed while being claimed
        return max(_SOON, self._settings.settle) if busy else _SOON

    @contextmanager
    def _one(self, name: str) -> Iterator[None]:
        """A fault of one file, or a crash of ours at it, must not hold up the others.

        Raises OSError if the folders are at fault.
        """
        try:
            yield
        except Exception as error:
            if self._folders.blames(error):
                raise
            self._stick(name, error)

    def _stick(self, name: str, error: Exception) -> None:
        """Say that a file cannot be taken, and leave it alone for a while."""
        path = self._folders.inbox / name
        self._arrivals.say_once("file.stuck", name, _why_stuck(path, error))
        self._leave_alone(path)

    def _may_resume(self, claim: Claim) -> bool:
        """Whether to continue an abandoned claim now; else it is closed. Raises OSError.

        Not if its file has a writer, or it was left alone, or its set is half published in another
        outbox.
        """
        note, now = claim.note, time.monotonic()
        why = None
        try:
            is_moved = note.outbox not in ("", identity(self._folders.outbox.stat()))
            if self._left_alone.get(claim.folder, 0.0) > now:
                pass
            elif is_written(claim.original):
                self._leave_alone(claim.folder, self._settings.settle)
            elif is_moved and note.files:
                why = "its set is half published in another outbox; run with that one again"
            else:
                if is_moved or not note.job:  # its names are reserved elsewhere, or unknown
                    is_folder = claim.original.is_dir()
                    with self._reservations.held():
                        claim.renew(self._reserved(note.source, note.fingerprint, is_folder))
                return True
        except Exception as error:
            claim.close()
            if self._folders.blames(error):
                raise
            why = in_words(error)
        if why:
            self._shared.log.error("job.kept", source=printable(note.source), reason=why)
            self._leave_alone(claim.folder)
        claim.close()
        return False

    def _reserved(self, source: str, seen: Fingerprint, is_folder: bool) -> Note:
        """A note for a new job, with names that are its own once the lock is given back."""
        now = datetime.now(UTC)
        keep = self._settings.keep_cnf
        stem, former = self._reservations.reserve(source, keep_cnf=keep, is_folder=is_folder)
        return Note(
            job=new_job_id(now),
            source=source,
            stem=stem,
            keep_cnf=keep,
            claimed=timestamp(now),
            fingerprint=seen,
            outbox=identity(self._folders.outbox.stat()),
            former=former,
        )

    def _process(self, jobs: list[Job], swept: Swept) -> None:
        """Process these jobs. Raises EnvironmentFailure if that fails for one alone.

        If it fails for several, they are back in the inbox, and the next sweep takes them singly.
        """
        try:
            for job, outcome in process(jobs, self._shared):
                if outcome == "going":
                    self._running.append(job)
                    swept.look_again_in(0.0)
                else:
                    self._settle(job, outcome, swept)
        except EnvironmentFailure:
            if len(jobs) < 2:
                raise
            self._take_singly(swept)

    def _advance(self, swept: Swept) -> None:
        """Do a step of the first job of many puzzles."""
        job = self._running[0]
        source, sink = job.claim.note.source, job.sink
        assert sink, "it is one of many puzzles"  # noqa: S101 - for mypy
        self._display.begin(source, sink.progress())
        swept.look_again_in(0.0)
        outcome: Outcome = "kept"
        try:
            outcome = job.advance()
        finally:
            if outcome != "going":
                self._running.remove(job)
                self._display.end()
        if outcome == "going":
            self._display.tick(source, sink.progress())
        else:
            self._settle(job, outcome, swept)

    def _settle(self, job: Job, outcome: Outcome, swept: Swept) -> None:
        """Count a job that has ended; leave one alone that is kept."""
        if not isinstance(outcome, Ended):
            self._leave_alone(job.claim.folder)
            return
        self._left_alone.pop(job.claim.folder, None)
        self._count(outcome, swept)

    def _count(self, ended: Ended, swept: Swept) -> None:
        """Count and tell a job that has ended."""
        swept.ended += 1
        swept.bad = swept.bad or ended.bad
        self._on_ended(ended)

    def _leave_alone(self, path: Path, seconds: float = _LEFT_SECONDS) -> None:
        self._left_alone[path] = time.monotonic() + seconds


def _worth_holding(seen: Sight) -> Source | None:
    """The contents of the file, unless they take much memory."""
    found: Source | None = seen.content
    if isinstance(found, OneProblem) and len(seen.data or b"") > _LARGEST_HELD:
        return None
    return found


def _why_stuck(path: Path, error: Exception) -> str:
    if isinstance(error, PermissionError) and path.is_dir():
        return f"{in_words(error)}; a folder can be taken only by who may write in it"
    return in_words(error)
