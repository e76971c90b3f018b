"""Intake: find the names in the inbox that are complete now, and claim them."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pipeline.errors import in_words, printable
from pipeline.outbox.names import key_of
from pipeline.outbox.write_record import timestamp
from pipeline.service.job import BATCH, Jobs
from pipeline.service.protocol.claim import Claim, Note, new_job_id
from pipeline.service.protocol.claiming import Reservations, Shelf, identity, is_in_work, make_claim
from pipeline.service.protocol.settle import (
    UNSEEN,
    Fingerprint,
    Refused,
    Settler,
    Settling,
    Sight,
    is_written,
    look,
)

if TYPE_CHECKING:
    from pipeline.reading.source import Glance

LARGEST_CUT_OFF = 1024 * 1024
"""Bytes: larger files are not read before they are claimed."""

_SOON = 0.1
_KEPT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class LookAgain:
    """Not to be claimed yet: look again in so many seconds, or at the next sweep if None."""

    seconds: float | None = None


class LeftAlone(dict[Path, float]):
    """Claims and files that could not be processed, with the time of the next attempt."""

    def add(self, path: Path, seconds: float = _KEPT_SECONDS) -> None:
        self[path] = time.monotonic() + seconds

    def is_due(self, path: Path) -> bool:
        return self.get(path, 0.0) <= time.monotonic()


class Intake:
    """Takes names of the inbox, and remembers what was seen of each.

    In one pass (`once`) what does not settle in the settling time is left.
    """

    def __init__(self, jobs: Jobs, *, once: bool = False) -> None:
        self.left_alone = LeftAlone()
        self._jobs = jobs
        self._folders = jobs.folders
        self._settings = jobs.settings
        self._once = once
        self._settler = Settler(jobs.settings.settle)
        self._reservations = Reservations(jobs.folders)
        self._shelf = Shelf(room=BATCH)
        self._holds_many: set[str] = set()
        self._walk_again: dict[str, float] = {}
        self._said: set[tuple[str, str]] = set()

    def close(self) -> None:
        self._shelf.close()

    def forget_all_but(self, names: Collection[str], ignored: Collection[str]) -> None:
        names = set(names)
        self._said = {each for each in self._said if each[0] in names or each[0] in ignored}
        self._settler.forget_all_but(names)
        self._holds_many &= names
        self._walk_again = {name: at for name, at in self._walk_again.items() if name in names}

    def may_hold_many(self, name: str) -> bool:
        return name in self._holds_many

    def take(self, name: str, *, busy: bool) -> Claim | LookAgain:
        """Claim a name if it is complete.

        While `busy` with a source of many puzzles another such source has to wait, and single ones
        overtake it. What is wrong with one file, or a crash of ours at it, must not hold up the
        others. Raises OSError if the folders are at fault.
        """
        path = self._folders.inbox / name
        if busy and self.may_hold_many(name):
            return LookAgain()
        try:
            with self._jobs.computing():
                seen = self._complete(name, busy=busy)
            if isinstance(seen, LookAgain):
                return seen
            with self._reserved(name, seen, is_folder=path.is_dir()) as note:
                claim = make_claim(self._folders, note, self._shelf)
        except Exception as error:
            if self._folders.blames(error):
                raise
            self._say_once("warning", "file.stuck", name, _why_stuck(path, error))
            self.left_alone.add(path)
            return LookAgain()
        if claim is not None:
            return claim
        if not os.path.lexists(path) or self._folders.work / key_of(name) in self.left_alone:
            return LookAgain()  # it is gone, or an earlier file of that name is in the way
        busy = is_in_work(self._folders, name)  # else it changed while being claimed
        return LookAgain(max(_SOON, self._settings.settle) if busy else _SOON)

    def _complete(self, name: str, *, busy: bool) -> Fingerprint | LookAgain:
        """The fingerprint of a name that may be claimed. Raises OSError."""
        if (left := self._walk_again.get(name, 0.0) - time.monotonic()) > 0:
            return LookAgain(left)
        seen, many = self._look(name)
        if many:
            self._holds_many.add(name)
        if seen is None:
            return LookAgain()
        if isinstance(seen, Refused):
            return seen.fingerprint
        wait = self._settling(seen)
        if wait is not None:
            return wait
        if seen.is_folder or seen.fingerprint.size > LARGEST_CUT_OFF:
            self._holds_many.add(name)
        if busy and name in self._holds_many:
            return LookAgain()
        return seen.fingerprint

    def _look(self, name: str) -> tuple[Sight | Refused | None, bool]:
        """What is at a name, and whether it is known to hold many puzzles."""
        glances: list[Glance] = []

        def looks_cut_off(data: bytes) -> bool:
            from pipeline.reading.read import glance  # noqa: PLC0415 - slow to load

            glances.append(glance(data, name, self._settings))
            return glances[-1].cut_off

        seen = look(self._folders.inbox / name, looks_cut_off, LARGEST_CUT_OFF)
        return seen, any(each.holds_many for each in glances)

    def _settling(self, seen: Sight) -> LookAgain | None:
        """What to do about a file that may not be complete; None if it is."""
        if seen.is_folder:  # walking through it takes a while
            self._walk_again[seen.name] = time.monotonic() + self._jobs.tuning.walk_seconds
        match self._settler.judge(seen, time.monotonic(), time.time()):
            case Settling(held=True, reason=reason):
                self._say_once("warning", "file.held", seen.name, reason)
            case Settling(seconds, reason, patience) if self._once:
                if patience > 0:
                    return self._waiting(seen, min(seconds, patience))
                self._say_once("info", "file.left", seen.name, reason)
            case Settling(seconds):
                return self._waiting(seen, seconds)
            case _:
                return None
        return LookAgain()

    def _waiting(self, seen: Sight, seconds: float) -> LookAgain:
        """Look again in so many seconds; say so of a folder."""
        if seen.is_folder and seconds >= 1:
            self._say_once("info", "file.waits", seen.name, f"for {seconds:.0f} s or more")
        return LookAgain(seconds)

    def may_resume(self, claim: Claim) -> bool:
        """Whether to continue an abandoned claim now; if so, its names are reserved.

        Not if its file has a writer, or it was left alone, or its set is half published in another
        outbox. Raises OSError.
        """
        if not self.left_alone.is_due(claim.folder):
            return False
        if is_written(claim.original):
            self.left_alone.add(claim.folder, self._settings.settle)
            return False
        moved = claim.note.outbox not in ("", identity(self._folders.outbox.stat()))
        if moved and claim.note.files:
            why = "its set is half published in another outbox; run with that one again"
            self.say_kept(claim, why)
            return False
        if moved or not claim.note.job:  # its names are reserved elsewhere, or its note is lost
            source, seen = claim.note.source, claim.note.fingerprint
            with self._reserved(source, seen, is_folder=claim.original.is_dir()) as note:
                claim.renew(note)
        return True

    def say_kept(self, claim: Claim, why: str) -> None:
        """Log why a claim cannot be continued, and leave it alone."""
        self._jobs.log.error("job.kept", source=printable(claim.note.source), reason=why)
        self.left_alone.add(claim.folder)

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

    def _say_once(
        self, level: Literal["info", "warning"], event: str, name: str, reason: str
    ) -> None:
        if (name, event) not in self._said:
            self._said.add((name, event))
            log = self._jobs.log.info if level == "info" else self._jobs.log.warning
            log(event, source=printable(name), reason=reason)


def _why_stuck(path: Path, error: Exception) -> str:
    if isinstance(error, PermissionError) and path.is_dir():
        return f"{in_words(error)}; a folder can be taken only by who may write in it"
    return in_words(error)
