"""One look at the inbox: take over what was abandoned, claim and process what is complete."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pipeline.dropbox.claim import Claim, Note, abandoned, new_job_id, notes_in_work
from pipeline.dropbox.claiming import Reservations, Shelf, identity, is_in_work, make_claim
from pipeline.dropbox.folders import Folders
from pipeline.dropbox.overview import stamp_scan
from pipeline.dropbox.publish import remove_orphans
from pipeline.dropbox.settle import UNSEEN, Fingerprint, is_written, names_in
from pipeline.errors import in_words, printable
from pipeline.log import Log
from pipeline.published.names import key_of
from pipeline.record import timestamp
from pipeline.run.bulk import Bulk
from pipeline.run.display import Display
from pipeline.run.job import Ended, Jobs
from pipeline.run.looking import Level, Looks
from pipeline.run.swept import After, Swept, nothing
from pipeline.run.together import BATCH, Together
from pipeline.settings import Settings

LONGEST_SWEEP = 30.0
"""Seconds after which a sweep makes way for a thorough one."""

_WORTH_A_BATCH = 16
_SOON = 0.1
_KEPT_SECONDS = 60.0
_STAMP_SECONDS = 1.0


class Sweeper:
    """Sweeps one inbox again and again, and remembers what is settling.

    In one pass (`once`) what is not complete in time is left for the next.
    """

    def __init__(
        self,
        jobs: Jobs,
        stopping: Callable[[], bool],
        display: Display,
        after: After = nothing,
        *,
        once: bool = False,
    ) -> None:
        self._jobs = jobs
        self._together = Together(jobs)
        self._stopping = stopping
        self._looks = Looks(jobs.folders, jobs.settings, self._say_once, once=once)
        self._reservations = Reservations(jobs.folders)
        self._shelf = Shelf(room=BATCH)
        self._display = display
        self._after = after
        self._bulk: list[Bulk] = []
        self._batch: list[Claim] = []
        self._said: set[str] = set()
        self._kept: dict[Path, float] = {}
        self._stamp_next = 0.0

    @property
    def _folders(self) -> Folders:
        return self._jobs.folders

    @property
    def _settings(self) -> Settings:
        return self._jobs.settings

    @property
    def _log(self) -> Log:
        return self._jobs.log

    @property
    def keeps(self) -> bool:
        """Whether something was left alone that could not be claimed or published."""
        return any(os.path.lexists(path) for path in self._kept)

    @property
    def busy(self) -> bool:
        """Whether a job of many puzzles is in work: sweep again at once."""
        return bool(self._bulk)

    def sweep(self, *, thorough: bool = True) -> Swept:
        """Process all that is complete, until told to stop; do a step of a job of many puzzles.

        If `thorough`, first make sure of the folders, take over what was abandoned and clear
        away litter. Raises EnvironmentFailure or Interrupted, with nothing lost.
        """
        swept = Swept()
        if thorough:
            self._folders.prepare()
            for claim in abandoned(self._folders):
                if self._stopping():
                    claim.close()
                    return swept
                self._resume(claim, swept)
            remove_orphans(self._folders, self._jobs_in_work)
        names, ignored = names_in(self._folders.inbox)
        self._said &= {*names, *ignored}
        self._looks.forget_all_but(set(names))
        try:
            self._take_all(names, swept)
        finally:
            self._process_batch(swept)
        if self._bulk and not self._stopping():
            self._go_on(swept)
        return swept

    def _take_all(self, names: list[str], swept: Swept) -> None:
        end = time.monotonic() + LONGEST_SWEEP
        most = BATCH * max(1, self._jobs.workers.batches)
        self._stamp()  # where there is nothing to take as well
        for name in names:
            self._stamp()
            if self._stopping():
                return
            if time.monotonic() > end:
                swept.wait(0.0)  # others may have died meanwhile: begin with them
                return
            self._take(name, swept)
            if len(self._batch) >= (most if len(names) >= _WORTH_A_BATCH else 1):
                self._process_batch(swept)

    def _process_batch(self, swept: Swept) -> None:
        """Process what was claimed, together if it is more than one."""
        batch, self._batch = self._batch, []
        if len(batch) == 1:
            self._process(batch[0], swept)
        elif batch:
            outcomes = self._together.process(batch)
            for claim, outcome in zip(batch, outcomes, strict=True):
                self._ended(claim, outcome, swept)

    def _go_on(self, swept: Swept) -> None:
        """Do a step of the first job of many puzzles."""
        bulk = self._bulk[0]
        source = bulk.claim.note.source
        self._display.begin(source, bulk.content.progress())
        try:
            outcome = self._jobs.go_on(bulk)
        except BaseException:
            self._bulk.pop(0)
            self._display.end()
            raise
        if outcome is True:
            self._display.tick(source, bulk.content.progress())
            swept.wait(0.0)
            return
        self._bulk.pop(0)
        self._display.end()
        self._ended(bulk.claim, outcome or None, swept)
        swept.wait(0.0)  # others were passed over meanwhile

    def rest(self) -> None:
        """Get ready for the next file while there is none."""
        self._jobs.warm()

    def close(self) -> None:
        """Give up what is in work: the next run continues it."""
        self._display.end()
        for bulk in self._bulk:
            self._jobs.give_up(bulk)
        self._bulk.clear()
        self._shelf.close()

    def _stamp(self) -> None:
        """Let the folders tell that somebody scans, every few seconds."""
        now = time.monotonic()
        if now >= self._stamp_next:
            stamp_scan(self._folders)
            self._stamp_next = now + _STAMP_SECONDS

    def _jobs_in_work(self) -> set[str]:
        return {note.job for note in notes_in_work(self._folders)}

    def _resume(self, claim: Claim, swept: Swept) -> None:
        """Process an abandoned claim, unless its file is still written, or has just failed."""
        try:
            ready = self._may_resume(claim)
        except OSError as error:
            claim.close()
            if self._folders.blames(error):
                raise
            self._say_kept(claim, in_words(error))
            return
        except BaseException:
            claim.close()
            raise
        if ready:
            self._process(claim, swept)
        else:
            claim.close()

    def _may_resume(self, claim: Claim) -> bool:
        if self._kept.get(claim.folder, 0.0) > time.monotonic():
            return False
        if is_written(claim.original):
            self._keep(claim.folder, self._settings.settle)
            return False
        moved = claim.note.outbox not in ("", identity(self._folders.outbox.stat()))
        if moved and claim.note.files:
            why = "its set is half published in another outbox; run with that one again"
            self._say_kept(claim, why)
            return False
        if moved or not claim.note.job:  # its names are reserved elsewhere, or its note is lost
            source, seen = claim.note.source, claim.note.fingerprint
            with self._reserved(source, seen, is_folder=claim.original.is_dir()) as note:
                claim.renew(note)
        return True

    def _say_kept(self, claim: Claim, why: str) -> None:
        self._log.error("job.kept", source=printable(claim.note.source), reason=why)
        self._keep(claim.folder, _KEPT_SECONDS)

    def _keep(self, folder: Path, seconds: float) -> None:
        """Leave a claim alone for that long."""
        self._kept[folder] = time.monotonic() + seconds

    def _process(self, claim: Claim, swept: Swept) -> None:
        self._ended(claim, self._jobs.process(claim), swept)

    def _ended(self, claim: Claim, outcome: Ended | Bulk | None, swept: Swept) -> None:
        match outcome:
            case Bulk():
                self._bulk.append(outcome)
                swept.wait(0.0)
            case Ended():
                self._kept.pop(claim.folder, None)
                swept.count(outcome)
                self._after(1)
            case None:
                self._keep(claim.folder, _KEPT_SECONDS)

    def _take(self, name: str, swept: Swept) -> None:
        """Claim and process one name if it is complete.

        What is wrong with this file alone must not keep the others waiting.
        """
        path = self._folders.inbox / name
        try:
            with self._jobs.computing():
                claimed = (claim.note.source for claim in self._batch)
                busy = self.busy or any(map(self._looks.may_hold_many, claimed))
                seen = self._looks.complete(name, swept.wait, busy=busy)
            if seen is None:
                return
            with self._reserved(name, seen, is_folder=path.is_dir()) as note:
                claim = make_claim(self._folders, note, self._shelf)
        except OSError as error:
            if self._folders.blames(error):
                raise
            self._say_once("warning", "file.stuck", name, _why_stuck(path, error))
            self._keep(path, _KEPT_SECONDS)
            return
        if claim is not None:
            self._batch.append(claim)
        elif os.path.lexists(path) and not self._is_kept(name):
            busy = is_in_work(self._folders, name)  # or it changed under our hands
            swept.wait(max(_SOON, self._settings.settle) if busy else _SOON)

    def _is_kept(self, name: str) -> bool:
        """Whether an earlier file of that name is kept by us."""
        return self._folders.work / key_of(name) in self._kept

    @contextmanager
    def _reserved(
        self, source: str, fingerprint: Fingerprint = UNSEEN, *, is_folder: bool
    ) -> Iterator[Note]:
        """A note for a new job, its names reserved while the claim is being made."""
        now = datetime.now(UTC)
        keep = self._settings.keep_cnf
        reserving = self._reservations.reserving(source, keep_cnf=keep, is_folder=is_folder)
        with reserving as (stem, former):
            where = identity(self._folders.outbox.stat())
            yield Note(
                job=new_job_id(now),
                source=source,
                stem=stem,
                keep_cnf=keep,
                claimed=timestamp(now),
                fingerprint=fingerprint,
                outbox=where,
                former=former,
            )

    def _say_once(self, level: Level, event: str, name: str, reason: str) -> None:
        if name not in self._said:
            self._said.add(name)
            log = self._log.info if level == "info" else self._log.warning
            log(event, source=printable(name), reason=reason)


def _why_stuck(path: Path, error: OSError) -> str:
    """Why a name cannot be claimed, and what to do."""
    if isinstance(error, PermissionError) and path.is_dir():
        return f"{in_words(error)}; a folder can be taken only by who may write in it"
    return in_words(error)
