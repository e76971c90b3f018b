"""One look at the inbox: take over what was abandoned, claim and process what is complete."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pipeline.dropbox.claim import (
    Claim,
    Note,
    Shelf,
    is_in_work,
    make_claim,
    new_job_id,
    notes_in_work,
)
from pipeline.dropbox.folders import Folders
from pipeline.dropbox.names import key_of
from pipeline.dropbox.overview import stamp_scan
from pipeline.dropbox.publish import remove_orphans
from pipeline.dropbox.recover import abandoned
from pipeline.dropbox.reserve import Reservations, identity
from pipeline.dropbox.scan import Refused, fingerprint_of, look, names_in, unchanged
from pipeline.dropbox.settle import UNSEEN, Fingerprint, Settler, Settling, Sight
from pipeline.errors import InvalidPuzzle, in_words, printable
from pipeline.log import Log
from pipeline.record import timestamp
from pipeline.run.job import KEPT, Jobs
from pipeline.settings import Settings
from pipeline.stages import parse_once

LARGEST_CUT_OFF = 1024 * 1024
"""Bytes: larger files are not looked into before they are claimed."""

LONGEST_SWEEP = 30.0
"""Seconds after which a sweep makes way for a thorough one."""

_SOON = 0.1
_KEPT_SECONDS = 60.0
_STAMP_SECONDS = 1.0


@dataclass(slots=True)
class Swept:
    """What a sweep came to: jobs per status, and in how many seconds something may be ready.

    `again_in` is None where nothing is settling but what a writer holds open.
    """

    statuses: dict[str, int] = field(default_factory=dict)
    again_in: float | None = None

    def count(self, status: str) -> None:
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def wait(self, seconds: float) -> None:
        self.again_in = seconds if self.again_in is None else min(seconds, self.again_in)


class Sweeper:
    """Sweeps one inbox again and again, and remembers what is settling."""

    def __init__(self, jobs: Jobs, stopping: Callable[[], bool]) -> None:
        self._jobs = jobs
        self._stopping = stopping
        self._settler = Settler(jobs.settings.settle)
        self._reservations = Reservations(jobs.folders)
        self._shelf = Shelf()
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

    def sweep(self, *, thorough: bool = True) -> Swept:
        """Process all that is complete, until told to stop.

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
                with closing(claim):
                    self._resume(claim, swept)
            remove_orphans(self._folders, self._jobs_in_work)
        names, ignored = names_in(self._folders.inbox)
        for entry in ignored:
            if entry.worth_saying:
                self._say_once("file.ignored", entry.name, entry.reason)
        self._said &= {*names, *(entry.name for entry in ignored)}
        self._settler.forget_all_but(names)
        end = time.monotonic() + LONGEST_SWEEP
        for name in ("", *names):
            self._stamp()
            if self._stopping():
                break
            if time.monotonic() > end:
                swept.wait(0.0)  # others may have died meanwhile: begin with them
                break
            if name:
                self._take(name, swept)
        return swept

    def rest(self) -> None:
        """Get ready for the next file while there is none."""
        self._jobs.warm()

    def close(self) -> None:
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
        if self._kept.get(claim.folder, 0.0) > time.monotonic():
            return
        if not unchanged(claim.original, fingerprint_of(claim.original.lstat())):
            self._keep(claim.folder, self._settings.settle)
            return
        moved = claim.note.outbox not in ("", identity(self._folders.outbox.stat()))
        if moved and claim.note.files:
            why = "its set is half published in another outbox; run with that one again"
            self._log.error("job.kept", source=printable(claim.note.source), reason=why)
            self._keep(claim.folder, _KEPT_SECONDS)
            return
        if moved or not claim.note.job:  # its names are reserved elsewhere, or its note is lost
            with self._reserved(claim.note.source, claim.note.fingerprint) as note:
                claim.renew(note)
        self._process(claim, swept)

    def _keep(self, folder: Path, seconds: float) -> None:
        """Leave a claim alone for that long."""
        self._kept[folder] = time.monotonic() + seconds

    def _process(self, claim: Claim, swept: Swept) -> None:
        folder = claim.folder
        status = self._jobs.process(claim)
        if status == KEPT:
            self._keep(folder, _KEPT_SECONDS)
        else:
            self._kept.pop(folder, None)
            swept.count(status)

    def _take(self, name: str, swept: Swept) -> None:
        """Claim and process one name if it is complete.

        What is wrong with this file alone must not keep the others waiting.
        """
        path = self._folders.inbox / name
        try:
            with self._jobs.computing():
                seen = look(path, partial(self._looks_cut_off, name), LARGEST_CUT_OFF)
            if seen is None or not self._is_complete(seen, swept):
                return
            with self._reserved(name, seen.fingerprint) as note:
                claim = make_claim(self._folders, note, self._shelf)
        except OSError as error:
            if self._folders.blames(error):
                raise
            self._say_once("file.stuck", name, in_words(error))
            self._keep(path, _KEPT_SECONDS)
            return
        if claim is not None:
            self._process(claim, swept)
        elif os.path.lexists(path) and not self._is_kept(name):
            busy = is_in_work(self._folders, name)  # or it changed under our hands
            swept.wait(max(_SOON, self._settings.settle) if busy else _SOON)

    def _is_kept(self, name: str) -> bool:
        """Whether an earlier file of that name is kept by us."""
        return self._folders.work / key_of(name) in self._kept

    def _is_complete(self, seen: Sight | Refused, swept: Swept) -> bool:
        if isinstance(seen, Refused):
            return True
        verdict = self._settler.judge(seen, time.monotonic(), time.time())
        if not isinstance(verdict, Settling):
            return True
        if verdict.held:
            self._say_once("file.held", seen.name, verdict.reason)
        else:
            swept.wait(verdict.seconds)
        return False

    @contextmanager
    def _reserved(self, source: str, fingerprint: Fingerprint = UNSEEN) -> Iterator[Note]:
        """A note for a new job, its names reserved while the claim is being made."""
        now = datetime.now(UTC)
        keep = self._settings.keep_cnf
        with self._reservations.reserving(source, keep_cnf=keep) as (stem, former):
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

    def _looks_cut_off(self, name: str, data: bytes) -> bool:
        try:
            parse_once(data, name, self._settings.variant, self._settings.max_bytes)
        except InvalidPuzzle as error:
            return error.truncated
        return False

    def _say_once(self, event: str, name: str, reason: str) -> None:
        if name not in self._said:
            self._said.add(name)
            self._log.warning(event, source=printable(name), reason=reason)
