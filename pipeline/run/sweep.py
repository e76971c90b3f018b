"""One look at the inbox: take over what was abandoned, claim and process what is complete."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pipeline.dropbox.claim import Note, abandoned, make_claim, new_job_id, notes_in_work
from pipeline.dropbox.folders import Folders
from pipeline.dropbox.publish import remove_orphans
from pipeline.dropbox.reserve import Reservations
from pipeline.dropbox.scan import Refused, look, names_in
from pipeline.dropbox.settle import Ready, Settler, Settling
from pipeline.errors import InvalidPuzzle, printable
from pipeline.log import Log
from pipeline.parse import parse_source
from pipeline.record import timestamp
from pipeline.run.job import Jobs
from pipeline.settings import Settings


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
        self.again_in = min(seconds, self.again_in or seconds)


class Sweeper:
    """Sweeps one inbox again and again, and remembers what is settling."""

    def __init__(self, jobs: Jobs, stopping: Callable[[], bool]) -> None:
        self._jobs = jobs
        self._stopping = stopping
        self._settler = Settler(jobs.settings.settle)
        self._reservations = Reservations(jobs.folders)
        self._said: set[str] = set()

    @property
    def _folders(self) -> Folders:
        return self._jobs.folders

    @property
    def _settings(self) -> Settings:
        return self._jobs.settings

    @property
    def _log(self) -> Log:
        return self._jobs.log

    def sweep(self) -> Swept:
        """Process all that is complete, until told to stop.

        Raises EnvironmentFailure or Interrupted, with nothing lost.
        """
        self._folders.prepare()
        swept = Swept()
        for claim in abandoned(self._folders):
            if self._stopping():
                claim.close()
                return swept
            swept.count(self._jobs.process(claim))
        remove_orphans(self._folders, lambda: {note.job for note in notes_in_work(self._folders)})
        names, ignored = names_in(self._folders.inbox)
        for entry in ignored:
            self._say_once("file.ignored", entry.name, entry.reason)
        self._settler.forget_all_but(names)
        for name in names:
            if self._stopping():
                break
            self._take(name, swept)
        return swept

    def _take(self, name: str, swept: Swept) -> None:
        """Claim and process one name if it is complete."""
        seen = look(self._folders.inbox / name, self._looks_cut_off, self._settings.max_bytes)
        if seen is None:
            return
        if not isinstance(seen, Refused):
            match self._settler.judge(seen, time.monotonic(), time.time()):
                case Settling(seconds, reason, held):
                    if held:
                        self._say_once("file.held", name, reason)
                    else:
                        swept.wait(seconds)
                    return
                case Ready():
                    pass
        now = datetime.now(UTC)
        keep = self._settings.keep_cnf
        with self._reservations.reserving(name, keep_cnf=keep) as stem:
            note = Note(new_job_id(now), name, stem, keep, timestamp(now), seen.fingerprint)
            claim = make_claim(self._folders, note)
        if claim is None:
            return
        swept.count(self._jobs.process(claim))

    def _looks_cut_off(self, data: bytes) -> bool:
        try:
            parse_source(data, "", self._settings.variant, self._settings.max_bytes)
        except InvalidPuzzle as error:
            return error.truncated
        return False

    def _say_once(self, event: str, name: str, reason: str) -> None:
        if name not in self._said:
            self._said.add(name)
            self._log.warning(event, source=printable(name), reason=reason)
