"""Claim: a dropped file that is ours to process, and nobody else's.

A claim is a folder in `inbox/.work/`, named after its source so that there can be only one:

    .lock        locked (flock) while its owner lives; tells who that is, and how many
                 attempts at one step of this job were begun, one after the other, and did not end
    .claim.json  what was claimed, by which job; behind it, what is about to be published
    NAME         the dropped file, under its own name, which has no leading dot

It is prepared under a temporary name and renamed; then the file is renamed into it. Whoever
can take the lock of a claim finds it abandoned, and owns it. What is left of a finished claim
serves the next: some filesystems make files slowly where many were deleted just now.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from pipeline.dropbox.folders import Folders, return_to, sync_file, sync_folder, write_new
from pipeline.dropbox.note import NOTE, Note
from pipeline.dropbox.scan import unchanged
from pipeline.dropbox.steps import reached
from pipeline.files import descriptor_of
from pipeline.published.names import key_of

LOCK = ".lock"
NEW = ".new-"
PREPARING = ".preparing"
_ATTEMPTS = re.compile(rb"attempts at (.*): ([0-9]{1,9})(?: in step ([0-9]{1,9}))?\n")
_LARGEST_NOTE, LARGEST_LOCK = 16 * 1024, 4096
_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class _Attempts(NamedTuple):
    """How many attempts at which step were begun, one after the other, and did not end."""

    number: int
    step: int


_NONE = _Attempts(0, 0)


class Claim:
    """A claim that this process owns; `close` gives the lock up, `remove` the claim."""

    def __init__(self, folder: Path, lock: int, note: Note, shelf: Shelf | None = None) -> None:
        self.folder: Final = folder
        self.note = note
        self._lock = lock
        self._shelf = shelf

    @property
    def original(self) -> Path:
        return self.folder / self.note.source

    @property
    def is_held(self) -> bool:
        """Whether the lock has not been given up or handed on."""
        return self._lock >= 0

    def sign(self) -> None:
        """Write in the lock who holds it, for people to read."""
        self._write_lock(self._told())

    def attempts(self) -> int:
        """How many attempts, one after the other, at the same step were begun and never ended."""
        return self._told().number

    def _told(self) -> _Attempts:
        told = _ATTEMPTS.search(os.pread(self._lock, LARGEST_LOCK, 0))
        if told is None or (self.note.job and told[1].decode(errors="replace") != self.note.job):
            return _NONE
        return _Attempts(int(told[2]), int(told[3] or 0))

    def _write_lock(self, attempts: _Attempts) -> None:
        """Write over what the lock tells; where that is as long, no room is needed."""
        step = f" in step {attempts.step}" if attempts.step else ""
        signature = f"process {os.getpid()} on {os.uname().nodename}"
        data = f"attempts at {self.note.job}: {attempts.number}{step}\n{signature}\n".encode()
        os.pwrite(self._lock, data, 0)
        os.ftruncate(self._lock, len(data))

    @contextmanager
    def attempt(self, step: int = 0, free: tuple[type[BaseException], ...] = ()) -> Iterator[None]:
        """Count an attempt while it lasts, so that it stays counted if the process is killed.

        An exception ends it, as do those that are `free`: whoever catches one that is a crash of
        ours counts that.
        """
        ending: tuple[type[BaseException], ...] = (Exception, *free)
        before = self._told()
        try:
            self.count_attempt(step)
            reached("attempt.counted")
            yield
        except ending:
            self._write_lock(before)
            raise
        self._write_lock(before)
        reached("attempt.ended")

    def count_attempt(self, step: int = 0) -> None:
        """Count an attempt at a step, so that it lasts.

        Step 0 is reading the file, and solving it where it is one puzzle. Attempts at another
        step than the last one are counted from 1.
        """
        told = self._told()
        self._write_lock(_Attempts(1 + (told.number if told.step == step else 0), step))
        os.fdatasync(self._lock)

    def reset_attempts(self) -> None:
        """Forget all attempts: something was done that lasts."""
        if self.attempts():
            self._write_lock(_NONE)

    def save_files(self, names: Iterable[str]) -> None:
        """Save which files of the outbox may be there because of this source."""
        self.renew(replace(self.note, files=tuple(sorted({*self.note.files, *names}))))

    def renew(self, note: Note) -> None:
        """Put another note in place of the claim's, so that it lasts."""
        attempts = self._told()
        descriptor = descriptor_of(self.folder / NOTE, flags=_APPENDING)
        with os.fdopen(descriptor, "a", encoding="ascii") as file:
            file.write("\n" + note.text())
            file.flush()
            os.fsync(file.fileno())
        is_another, self.note = note.job != self.note.job, note
        if is_another:
            self._write_lock(attempts)

    def put_back(self, inbox: Path) -> bool:
        """Return the file to the inbox; whether it could be, without hiding a newer one."""
        if not return_to(self.original, inbox / self.note.source):
            return False
        sync_folder(inbox)
        self.remove()
        return True

    def is_put_back(self, inbox: Path) -> bool:
        """Whether putting it back was cut off when the file was in both places.

        Nothing is put back once its publishing has begun.
        """
        source = inbox / self.note.source
        return (
            not self.note.files
            and os.path.lexists(source)
            and os.path.samestat(source.lstat(), self.original.lstat())
        )

    def remove(self) -> None:
        """Remove the claim, whose original has gone elsewhere."""
        if not (self._shelf and self._shelf.keep(self)):
            self.discard()

    def moved(self, folder: Path) -> Claim:
        """The claim at another place; it takes the lock over."""
        lock, self._lock = self._lock, -1
        return Claim(folder, lock, self.note, self._shelf)

    def discard(self) -> None:
        """Remove the claim with all that is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.close()

    def close(self) -> None:
        """Give up the lock."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def locked(path: Path, flags: int = 0) -> int | None:
    """A descriptor that holds the lock of this file, or None if another holds it."""
    descriptor = descriptor_of(path, flags=os.O_RDWR | flags)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink:
            return descriptor
    except BlockingIOError:
        pass
    os.close(descriptor)
    return None


@contextmanager
def _preparing(folders: Folders) -> Iterator[None]:
    """Keep others from taking a claim that is not locked yet for an abandoned one."""
    descriptor = descriptor_of(folders.work / PREPARING, flags=os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


class Shelf:
    """Keeps what is left of finished claims, still locked, for the next ones."""

    def __init__(self, room: int = 1) -> None:
        self._room = room
        self._kept: list[Claim] = []

    def keep(self, claim: Claim) -> bool:
        """Put a finished claim on the shelf, if there is room; whether there was."""
        if len(self._kept) == self._room:
            return False
        folder = claim.folder.with_name(f"{NEW}{claim.note.job}")
        try:
            if (claim.folder / NOTE).stat().st_size > _LARGEST_NOTE or _holds_more(claim.folder):
                return False
            claim.folder.rename(folder)
        except OSError:
            return False
        self._kept.append(claim.moved(folder))
        return True

    def take(self, note: Note) -> Claim | None:
        """A claim that was kept, with that note; None if there is none of use."""
        if not self._kept:
            return None
        claim = self._kept.pop()
        try:
            claim.renew(note)
            claim.reset_attempts()  # they were the former job's
        except FileNotFoundError:  # the folder was replaced
            claim.close()
            return None
        except OSError:
            claim.discard()
            raise
        return claim

    def close(self) -> None:
        """Remove what is kept."""
        while self._kept:
            self._kept.pop().discard()


def _holds_more(folder: Path) -> bool:
    """Whether there is more in a claim's folder than every claim has."""
    return any(entry.name not in (LOCK, NOTE) for entry in folder.iterdir())


def make_claim(folders: Folders, note: Note, shelf: Shelf | None = None) -> Claim | None:
    """Claim `inbox/source`; None where another was faster, or the file is gone or changed."""
    if is_in_work(folders, note.source):
        return None
    claim = shelf.take(note) if shelf else None
    if claim is None:
        with _preparing(folders):
            claim = _prepare(folders, note, shelf)
    reached("claim.prepared")
    folder = folders.work / key_of(note.source)
    try:
        claim.folder.rename(folder)
    except OSError:
        claim.discard()
        if folder.exists():
            return None
        raise
    reached("claim.placed")
    return _fill(claim.moved(folder), folders.inbox / note.source)


def _prepare(folders: Folders, note: Note, shelf: Shelf | None) -> Claim:
    """A claim under a temporary name that is locked and lasts."""
    folder = folders.work / f"{NEW}{note.job}"
    folder.mkdir()
    try:
        lock = locked(folder / LOCK, os.O_CREAT | os.O_EXCL)
        assert lock is not None, "nobody knows this lock yet"  # noqa: S101
        claim = Claim(folder, lock, note, shelf)
    except OSError:
        folder.rmdir()
        raise
    try:
        claim.sign()
        os.fsync(lock)
        write_new(folder / NOTE, [note.text()])
        sync_file(folder / NOTE)
        sync_folder(folder)
    except OSError:
        claim.discard()
        raise
    return claim


def _fill(claim: Claim, source: Path) -> Claim | None:
    """Rename the file into its claim; back again if it is not what was seen."""
    try:
        source.rename(claim.original)
    except FileNotFoundError:
        claim.remove()
        return None
    except OSError:
        claim.remove()
        raise
    reached("claim.taken")
    try:
        if unchanged(claim.original, claim.note.fingerprint):
            return claim
        if not claim.put_back(source.parent):
            claim.close()  # a newer one is there: this is finished first, when it is complete
    except OSError:
        claim.close()
        raise
    return None


def is_in_work(folders: Folders, source: str) -> bool:
    """Whether there is a claim of that name."""
    return (folders.work / key_of(source)).exists()
