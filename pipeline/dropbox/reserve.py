"""Which stem a job writes under, so that no two sources write the same name.

Two sources may not hold names of the outbox that are the same file on some filesystem. Who
holds which is told by the records in the outbox and by the claims in work; deciding happens
under a lock of the outbox.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice

from pipeline.dropbox.folders import Folders
from pipeline.dropbox.note import notes_in_work
from pipeline.files import descriptor_of
from pipeline.published import ENDING, names_in, read_record
from pipeline.published.names import COUNT, MOST_LIKELY, PROOF, base_of, fold, outputs, stems_for

LOCK = ".lock"
_COUNTER_BYTES = 8
_PATIENCE, _PAUSE = 30.0, 0.002


@dataclass(frozen=True, slots=True)
class Held:
    """The source that holds some names, and those names, folded."""

    source: str
    names: frozenset[str]


def identity(status: os.stat_result) -> str:
    """What tells one file or folder from all others, whatever its name."""
    return f"{status.st_dev:x}.{status.st_ino:x}"


def _lock_patiently(descriptor: int) -> None:
    """Take the lock, which others hold for milliseconds. Raises BlockingIOError after 30 s."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
        else:
            return


class Reservations:
    """The stems of an outbox, listed again only when another process has reserved one."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._stems: dict[str, set[str]] = {}
        self._seen: tuple[str, int] | None = None

    @contextmanager
    def reserving(
        self, source: str, *, keep_cnf: bool, is_folder: bool = False
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Hold the outbox's lock; give the stem for a source, and others that it has used.

        The claim that holds the stem must be made before the lock is given up.
        """
        lock = self._folders.outbox / LOCK
        descriptor = descriptor_of(lock, flags=os.O_RDWR | os.O_CREAT)
        try:
            _lock_patiently(descriptor)
            where = identity(os.fstat(descriptor))
            counter = int.from_bytes(os.pread(descriptor, _COUNTER_BYTES, 0), "big")
            if (where, counter) != self._seen:
                self._list()
            os.pwrite(descriptor, (counter + 1).to_bytes(_COUNTER_BYTES, "big"), 0)
            self._seen = (where, counter + 1)
            stem, former = self._choose(source, keep_cnf=keep_cnf, is_folder=is_folder)
            for held in (stem, *former):
                self._remember(held)
            yield stem, former
        finally:
            os.close(descriptor)

    def _list(self) -> None:
        self._stems = {}
        with os.scandir(self._folders.outbox) as entries:
            for entry in entries:
                if entry.name.endswith(ENDING) and not entry.name.startswith("."):
                    self._remember(entry.name.removesuffix(ENDING))
        for note in notes_in_work(self._folders):
            for stem in (note.stem, *note.former):
                self._remember(stem)

    def _remember(self, stem: str) -> None:
        folded = fold(stem)
        for form in (folded, base_of(folded)):
            self._stems.setdefault(form, set()).add(stem)

    def _choose(
        self, source: str, *, keep_cnf: bool, is_folder: bool
    ) -> tuple[str, tuple[str, ...]]:
        """The stem that the source has already, else the first that is free."""
        used = [
            stem
            for stem in islice(stems_for(source), MOST_LIKELY)
            if any(held.source == source for held in self._holders(stem))
        ]
        choices = chain(used, stems_for(source, is_folder=is_folder))
        chosen = next(stem for stem in choices if self._is_free(stem, source, keep_cnf=keep_cnf))
        return chosen, tuple(stem for stem in used if stem != chosen)

    def _is_free(self, stem: str, source: str, *, keep_cnf: bool) -> bool:
        """Whether no other source holds a name that the stem would take."""
        wanted = outputs(stem, keep_cnf=keep_cnf)
        return not any(
            held.source != source and held.names & wanted
            for other in self._related(stem)
            for held in self._holders(other)
        )

    def _related(self, stem: str) -> Iterator[str]:
        """The known stems whose names may be the same as this one's."""
        folded = fold(stem)
        forms = {folded, base_of(folded)}
        for ending in (COUNT, PROOF):
            forms |= {folded + ending, folded.removesuffix(ending)}
        found = [self._stems.get(form, set()) for form in forms]
        yield from set().union(*found)

    def _holders(self, stem: str) -> Iterator[Held]:
        """Who holds the names of a stem now: jobs in work, and what is published."""
        if stem not in self._stems.get(fold(stem), ()):
            return
        for note in notes_in_work(self._folders):
            if note.stem == stem:
                yield Held(note.source, outputs(stem, keep_cnf=note.keep_cnf))
            elif stem in note.former:
                yield Held(note.source, outputs(stem, keep_cnf=True))
        record = read_record(self._folders.outbox / (stem + ENDING))
        if record is not None:
            kept = f"{stem}.cnf" in names_in(record)
            yield Held(record.source, outputs(stem, keep_cnf=kept))
