"""Claim: a dropped file that is ours to process, and nobody else's.

A claim is a folder in `inbox/.work/`, named after its source so that there can be only one:

    .lock        locked (flock) while its owner lives
    .claim.json  what was claimed, by which job; behind it, what is about to be published
    .attempt-N   there while, and after, a computation for the N-th time did not end
    NAME         the dropped file, under its own name, which has no leading dot

It is prepared under a temporary name and renamed; then the file is renamed into it. Whoever
can take the lock of a claim finds it abandoned, and owns it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from pipeline.dropbox.folders import Folders, return_to, sync_file, sync_folder, write_new
from pipeline.dropbox.names import key_of
from pipeline.dropbox.scan import unchanged
from pipeline.dropbox.settle import UNSEEN, Fingerprint
from pipeline.dropbox.steps import reached

LOCK, NOTE = ".lock", ".claim.json"
NEW = ".new-"
_ATTEMPT = ".attempt-"
PREPARING = ".preparing"


@dataclass(frozen=True, slots=True)
class Note:
    """The content of claim.json: what has to be known of a job after a crash.

    `former` are the stems of earlier sets of this source, if it now has another. `files` are
    those of the sets that this job's replaces and those it is about to publish; it is empty
    until then. `outbox` tells which folder the stem is reserved in.
    """

    job: str
    source: str
    stem: str
    keep_cnf: bool
    claimed: str
    fingerprint: Fingerprint
    former: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    outbox: str = ""

    def text(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def of_text(cls, text: str) -> Self:
        """The note in the last line that is whole: one may be torn.

        Raises ValueError, TypeError or KeyError where there is none.
        """
        values: dict[str, Any] = {}
        for line in text.splitlines():
            with contextlib.suppress(ValueError):
                values = json.loads(line)
        values["fingerprint"] = Fingerprint(*values["fingerprint"])
        values["former"] = tuple(values["former"])
        values["files"] = tuple(values["files"])
        return cls(**values)


def new_job_id(now: datetime) -> str:
    """An id that no other job has; ids sort by time."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(5)}"


class Claim:
    """A claim that this process owns; `close` gives the lock up, `remove` the claim."""

    def __init__(self, folder: Path, lock: int, note: Note) -> None:
        self.folder = folder
        self.note = note
        self._lock = lock

    @property
    def original(self) -> Path:
        return self.folder / self.note.source

    def sign(self) -> None:
        """Write in the lock who holds it, for people to read, if there is room for it."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"process {os.getpid()} on {os.uname().nodename}\n".encode(), 0)

    def attempts(self) -> int:
        """How many computations were begun and never ended."""
        return sum(1 for entry in self.folder.iterdir() if entry.name.startswith(_ATTEMPT))

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Count a computation, so that it lasts, before it begins; uncount it when it ends.

        An exception of ours leaves it counted, as being killed does.
        """
        self.count_attempt()
        reached("attempt.counted")
        yield
        self.forget_attempt()
        reached("attempt.ended")

    def count_attempt(self) -> None:
        """Count an attempt, so that it lasts."""
        (self.folder / f"{_ATTEMPT}{self.attempts() + 1}").touch()
        sync_folder(self.folder)

    def forget_attempt(self) -> None:
        """Forget the last attempt that was counted: it ended, or was not the puzzle's fault."""
        (self.folder / f"{_ATTEMPT}{self.attempts()}").unlink()

    def save_files(self, names: Iterable[str]) -> None:
        """Save which files of the outbox may be there because of this source."""
        self.renew(replace(self.note, files=tuple(sorted({*self.note.files, *names}))))

    def renew(self, note: Note) -> None:
        """Put another note in place of the claim's, so that it lasts."""
        with (self.folder / NOTE).open("a", encoding="ascii") as file:
            file.write("\n" + note.text())
            file.flush()
            os.fsync(file.fileno())
        self.note = note

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
        shutil.rmtree(self.folder, ignore_errors=True)
        self.close()

    def close(self) -> None:
        """Give up the lock."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def locked(path: Path, flags: int = 0) -> int | None:
    """A descriptor that holds the lock of this file, or None if another holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | flags, 0o666)
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
    descriptor = os.open(folders.work / PREPARING, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def make_claim(folders: Folders, note: Note) -> Claim | None:
    """Claim `inbox/source`; None where another was faster, or the file is gone or changed."""
    folder = folders.work / key_of(note.source)
    if is_in_work(folders, note.source):
        return None
    with _preparing(folders):
        fresh = folders.work / f"{NEW}{note.job}"
        fresh.mkdir()
        lock = locked(fresh / LOCK, os.O_CREAT | os.O_EXCL)
        assert lock is not None, "nobody knows this lock yet"  # noqa: S101
        claim = Claim(fresh, lock, note)
        try:
            write_new(fresh / NOTE, [note.text()])
            sync_file(fresh / NOTE)
            sync_folder(fresh)
            reached("claim.prepared")
            fresh.rename(folder)
        except OSError:
            claim.remove()
            if folder.exists():
                return None
            raise
        claim.folder = folder
        claim.sign()
    reached("claim.placed")
    return _fill(claim, folders.inbox / note.source)


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


def note_in(folder: Path) -> Note:
    """The note of a claim; where it is lost, one that knows the name of the file."""
    try:
        return Note.of_text((folder / NOTE).read_text(encoding="ascii"))
    except (OSError, ValueError, TypeError, KeyError):
        names = []
        with contextlib.suppress(FileNotFoundError):  # finished meanwhile
            names = [entry.name for entry in folder.iterdir() if entry.name[0] != "."]
        source = names[0] if names else folder.name
        return Note("", source, "", keep_cnf=False, claimed="", fingerprint=UNSEEN)


def notes_in_work(folders: Folders) -> list[Note]:
    """The notes of all claims there are, whoever owns them."""
    return [note_in(path.parent) for path in folders.work.glob(f"[!.]*/{NOTE}")]
