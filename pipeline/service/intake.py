"""Intake: find what is complete in the inbox, claim it, and have it processed.

    name ─ look ─▶ Sight, with what the file holds ─ settle ─ claim ─▶ Taken ─▶ jobs

A file is looked at once. While a source of many puzzles is in work, another has to wait, and
single files overtake it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
from typing import TYPE_CHECKING, NamedTuple

from pipeline.errors import in_words, printable
from pipeline.outbox.names import key_of
from pipeline.outbox.write_record import timestamp
from pipeline.reading.source import Collection, Single
from pipeline.service.job import BATCH, Job, Jobs, Kept, Outcome, Taken
from pipeline.service.log import Display
from pipeline.service.protocol.claim import Claim, Note, abandoned, new_job_id, notes_in_work
from pipeline.service.protocol.claiming import Reservations, identity, is_in_work, make_claim
from pipeline.service.protocol.overview import stamp_scan
from pipeline.service.protocol.publish import remove_orphans
from pipeline.service.protocol.settle import (
    UNSEEN,
    Fingerprint,
    Refused,
    Settler,
    Settling,
    Sight,
    is_written,
    look,
    names_in,
)
from pipeline.service.sinks.set import Ended

if TYPE_CHECKING:
    from pipeline.reading.source import Contents

LONGEST_SWEEP = 30.0
"""Seconds after which a sweep ends early, so that a thorough one can follow."""

LARGEST_READ = 1024 * 1024
"""Bytes: larger files are not read before they are claimed."""

_LARGEST_HELD = 64 * 1024
"""Bytes: larger puzzles are not held in memory beside others."""

_SOON = 0.1
_LEFT_SECONDS = 60.0
_STAMP_SECONDS = 1.0
_WORTH_A_BATCH = 16
_DESCRIPTORS = 16


class LookAgain(NamedTuple):
    """Not to be claimed yet: look again in so many seconds, or at the next sweep if None."""

    seconds: float | None = None


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


class Intake:
    """Sweeps one inbox again and again; jobs of many puzzles advance by a step in each sweep.

    `on_ended` gets each job that has ended. In one pass (`once`) a file that does not settle in
    the settling time is left for the next.
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
        self._folders = jobs.folders
        self._settings = jobs.settings
        self._stopping = stopping
        self._display = display
        self._on_ended = on_ended
        self._once = once
        self._settler = Settler(jobs.settings.settle)
        self._reservations = Reservations(jobs.folders)
        self._running: list[Job] = []
        self._waiting: list[Taken] = []
        self._holds_many: set[str] = set()
        self._walk_again: dict[str, float] = {}
        self._left_alone: dict[Path, float] = {}
        self._said: set[tuple[str, str]] = set()
        self._stamp_next = 0.0

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

        If `thorough`, first check the folders, take over abandoned claims and remove orphaned
        files. Raises EnvironmentFailure or Interrupted, with nothing lost.
        """
        swept, folders = Swept(), self._folders
        if thorough:
            folders.prepare()
            for claim in abandoned(folders):
                if self._stopping():
                    claim.close()
                    return swept
                if self._may_resume(claim):
                    self._process([Taken(claim)], swept)
            remove_orphans(folders, lambda: {note.job for note in notes_in_work(folders)})
        try:
            self._take_all(swept)
        finally:
            self._process_waiting(swept)
        if self._running and not self._stopping():
            self._advance(swept)
        return swept

    def rest(self) -> None:
        """Start the solver while the inbox is empty."""
        self._jobs.inline.warm()

    def close(self) -> None:
        """Pause the jobs in work: the next run continues them."""
        self._display.end()
        for job in self._running:
            self._jobs.pause(job)
        self._running.clear()

    def _take_all(self, swept: Swept) -> None:
        names, ignored = names_in(self._folders.inbox)
        self._forget_all_but({*names}, {*ignored})
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
            match self.take(name):
                case Taken() as taken:
                    self._waiting.append(taken)
                case LookAgain(seconds) if seconds is not None:
                    swept.look_again_in(seconds)
            if len(self._waiting) >= most:
                self._process_waiting(swept)

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
            stamp_scan(self._folders)
            self._stamp_next = now + _STAMP_SECONDS

    def _forget_all_but(self, names: set[str], ignored: set[str]) -> None:
        self._said = {each for each in self._said if each[0] in names | ignored}
        self._settler.forget_all_but(names)
        self._holds_many &= names
        self._walk_again = {name: at for name, at in self._walk_again.items() if name in names}

    def take(self, name: str) -> Taken | LookAgain:
        """Claim a name if it is complete.

        A fault of one file, or a crash of ours at it, must not hold up the others. Raises OSError
        if the folders are at fault.
        """
        path = self._folders.inbox / name
        try:
            with self._jobs.computing():
                seen = self._seen(name)
            if isinstance(seen, LookAgain):
                return seen
            data = seen.data if isinstance(seen, Sight) else None
            with self._reserved(name, seen.fingerprint, is_folder=path.is_dir()) as note:
                claim = make_claim(self._folders, note, data)
        except Exception as error:
            if self._folders.blames(error):
                raise
            self._say_once("file.stuck", name, _why_stuck(path, error))
            self._leave_alone(path)
            return LookAgain()
        if claim is not None:
            return Taken(claim, _worth_holding(seen))
        if not os.path.lexists(path) or self._folders.work / key_of(name) in self._left_alone:
            return LookAgain()  # it is gone, or an earlier file of that name is in the way
        busy = is_in_work(self._folders, name)  # else it changed while being claimed
        return LookAgain(max(_SOON, self._settings.settle) if busy else _SOON)

    def _seen(self, name: str) -> Sight | Refused | LookAgain:
        """Look at a name, which may be incomplete or have to wait. Raises OSError."""
        if self._must_wait(name):
            return LookAgain()
        if (left := self._walk_again.get(name, 0.0) - time.monotonic()) > 0:
            return LookAgain(left)

        def read(data: bytes) -> tuple[Contents | None, bool]:
            from pipeline.reading.read import contents_in  # noqa: PLC0415 - slow to load

            return contents_in(data, name, self._settings)

        seen = look(self._folders.inbox / name, read, LARGEST_READ)
        if seen is None:
            return LookAgain()
        if isinstance(seen, Refused):
            return seen
        if _may_hold_many(seen):
            self._holds_many.add(name)
        if wait := self._settling(seen):
            return wait
        return LookAgain() if self._must_wait(name) else seen

    def _must_wait(self, name: str) -> bool:
        """Whether a file of many puzzles has to wait for another."""
        return name in self._holds_many and (
            self.busy or any(each.claim.note.source in self._holds_many for each in self._waiting)
        )

    def _settling(self, seen: Sight) -> LookAgain | None:
        """What to do about a file that may not be complete; None if it is."""
        if seen.is_folder:  # walking through it takes a while
            self._walk_again[seen.name] = time.monotonic() + self._jobs.tuning.walk_seconds
        match self._settler.judge(seen, time.monotonic(), time.time()):
            case Settling(held=True, reason=reason):
                self._say_once("file.held", seen.name, reason)
                return LookAgain()
            case Settling(seconds, reason, patience):
                if self._once and patience <= 0:
                    self._say_once("file.left", seen.name, reason)
                    return LookAgain()
                seconds = min(seconds, patience) if self._once else seconds
                if seen.is_folder and seconds >= 1:
                    self._say_once("file.waits", seen.name, f"for {seconds:.0f} s or more")
                return LookAgain(seconds)
        return None

    def _may_resume(self, claim: Claim) -> bool:
        """Whether to continue an abandoned claim now; else it is closed. Raises OSError.

        Not if its file has a writer, or it was left alone, or its set is half published in another
        outbox.
        """
        ready = False
        try:
            ready = self._is_ready(claim)
        except Exception as error:
            if self._folders.blames(error):
                raise
            self._keep(claim, in_words(error))
        finally:
            if not ready:
                claim.close()
        return ready

    def _is_ready(self, claim: Claim) -> bool:
        """Whether to continue a claim; if so, its names are reserved. Raises OSError."""
        if self._left_alone.get(claim.folder, 0.0) > time.monotonic():
            return False
        if is_written(claim.original):
            self._leave_alone(claim.folder, self._settings.settle)
            return False
        moved = claim.note.outbox not in ("", identity(self._folders.outbox.stat()))
        if moved and claim.note.files:
            self._keep(
                claim, "its set is half published in another outbox; run with that one again"
            )
            return False
        if moved or not claim.note.job:  # its names are reserved elsewhere, or its note is lost
            source, seen = claim.note.source, claim.note.fingerprint
            with self._reserved(source, seen, is_folder=claim.original.is_dir()) as note:
                claim.renew(note)
        return True

    @contextmanager
    def _reserved(
        self, source: str, fingerprint: Fingerprint = UNSEEN, *, is_folder: bool
    ) -> Iterator[Note]:
        """A note for a new job, its names reserved while the claim is being made."""
        now = datetime.now(UTC)
        keep = self._settings.keep_cnf
        reserving = self._reservations.reserving(source, keep_cnf=keep, is_folder=is_folder)
        with reserving as (stem, former):
            yield Note(
                job=new_job_id(now),
                source=source,
                stem=stem,
                keep_cnf=keep,
                claimed=timestamp(now),
                fingerprint=fingerprint,
                outbox=identity(self._folders.outbox.stat()),
                former=former,
            )

    def _process_waiting(self, swept: Swept) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._process(waiting, swept)

    def _process(self, taken: list[Taken], swept: Swept) -> None:
        def tell(claim: Claim, outcome: Outcome) -> None:
            self._settle(claim, outcome, swept)

        self._jobs.process(taken, tell)

    def _advance(self, swept: Swept) -> None:
        """Do a step of the first job of many puzzles."""
        job = self._running.pop(0)
        source = job.claim.note.source
        self._display.begin(source, job.sink.progress())
        outcome: Outcome = Kept()
        try:
            outcome = self._jobs.advance(job)
        finally:
            if outcome is not job:
                self._display.end()
        swept.look_again_in(0.0)
        if outcome is job:
            self._running.insert(0, job)
            self._display.tick(source, job.sink.progress())
        else:
            self._settle(job.claim, outcome, swept)

    def _settle(self, claim: Claim, outcome: Outcome, swept: Swept) -> None:
        match outcome:
            case Job() as job:
                self._running.append(job)
                swept.look_again_in(0.0)
            case Ended() as ended:
                self._left_alone.pop(claim.folder, None)
                swept.count(ended)
                self._on_ended(ended)
            case Kept():
                self._leave_alone(claim.folder)

    def _leave_alone(self, path: Path, seconds: float = _LEFT_SECONDS) -> None:
        self._left_alone[path] = time.monotonic() + seconds

    def _keep(self, claim: Claim, why: str) -> None:
        """Log why a claim cannot be continued, and leave it alone."""
        self._jobs.log.error("job.kept", source=printable(claim.note.source), reason=why)
        self._leave_alone(claim.folder)

    def _say_once(self, event: str, name: str, reason: str) -> None:
        if (name, event) not in self._said:
            self._said.add((name, event))
            log = self._jobs.log
            say = log.warning if event in ("file.stuck", "file.held") else log.info
            say(event, source=printable(name), reason=reason)


def _may_hold_many(seen: Sight) -> bool:
    if seen.is_folder or seen.fingerprint.size > LARGEST_READ:
        return True
    return seen.data is not None and not isinstance(seen.content, Single)


def _worth_holding(seen: Sight | Refused) -> Contents | None:
    """The contents of the file, unless they take much memory."""
    if not isinstance(seen, Sight):
        return None
    match seen.content:
        case Collection() as found:
            return found
        case Single(data=bytes(data)) as found if len(data) <= _LARGEST_HELD:
            return found
    return None


def _why_stuck(path: Path, error: Exception) -> str:
    if isinstance(error, PermissionError) and path.is_dir():
        return f"{in_words(error)}; a folder can be taken only by who may write in it"
    return in_words(error)
