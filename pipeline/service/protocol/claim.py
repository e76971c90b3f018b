"""Claims: each one gives a process the exclusive right to process a dropped file.

A claim is a folder in `inbox/.work/`. It is named after its source, so that a source can have only
one claim:

    .lock        Locked (flock) while the owner lives. Names the owner, and counts consecutive
                 unfinished attempts at one step of the job.
    .claim.json  The manifest: the file, its job, and later the files to be published.
    NAME         The dropped file under its own name, which has no leading dot.

The folder is prepared under a temporary name and renamed; then the file is renamed into it. A claim
whose lock nobody holds is abandoned: the next process that takes the lock owns it.

The manifest is made durable before the first checkpoint and before publication, which depend on it.
If a power failure destroys the manifest earlier, a new job starts.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from errno import ENOENT
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from pipeline.errors import is_environmental
from pipeline.files import (
    descriptor_of,
    is_file_name,
    opened,
    read_end,
    start_writeback,
    write_all,
)
from pipeline.service.protocol.durable import sync
from pipeline.service.protocol.folders import Folders, move_back
from pipeline.service.protocol.settle import UNKNOWN_FINGERPRINT, Fingerprint

LOCK, MANIFEST = ".lock", ".claim.json"
"""Names of the lock file and of the manifest file in a claim."""
NEW_PREFIX = ".new-"
"""Prefix of the temporary name of a claim."""
PREPARING = ".preparing"
"""File in `.work/` on which a process holds a shared lock while it prepares a claim."""
MAX_LOCK_BYTES = 4096
"""Maximum size of the content of a lock file."""
_MAX_MANIFEST_BYTES = 64 * 1024 * 1024
"""Bytes at the end of a manifest or checkpoint file that are searched for the last JSON object."""
_ATTEMPTS = re.compile(rb"attempts at (.*): ([0-9]{1,9})(?: in step ([0-9]{1,9}))?\n")
"""Matches the line of a lock file with the job, the number of attempts, and the step."""
APPEND_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT
"""Flags to append to a file, which is created if it is missing."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of .claim.json: the facts about a job that are needed after a crash.

    - `stem`: the beginning of the names of the job's files in the outbox.
    - `claimed`: when the file was claimed, in ISO 8601.
    - `former`: stems of earlier sets of this source, if its stem has changed.
    - `files`: names in the outbox of the files being published and of the earlier files that they
      replace; empty before publication. Names of folders end in `/`.
    - `outbox`: identifies the outbox in which the stem is reserved.
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
        """The manifest as one line of JSON."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__}) + "\n"

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> Self:
        """A manifest with these values. Raises ValueError if they are invalid."""
        manifest = msgspec.convert(values, cls)
        names = [
            manifest.source,
            *manifest.former,
            *(name.removesuffix("/") for name in manifest.files),
        ]
        names += filter(None, (manifest.job, manifest.stem, manifest.outbox))
        if not all(map(is_file_name, names)) or len(values) > len(fields(cls)):
            raise ValueError("the manifest contains an invalid file name or unknown fields")
        if manifest.claimed:
            datetime.fromisoformat(manifest.claimed)
        return manifest


def new_job_id(now: datetime) -> str:
    """A unique id of a job. Ids sort by the time of their creation."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(5)}"


def last_json_object(path: Path) -> dict[str, Any]:
    """The last complete JSON object in a file with one object per line; else an empty object.

    Raises OSError.
    """
    for line in reversed(read_end(path, _MAX_MANIFEST_BYTES).split(b"\n")):
        with contextlib.suppress(ValueError, RecursionError):
            if isinstance(value := json.loads(line), dict):
                return value
    return {}


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a claim.

    If it is lost or belongs to another file, the result contains only the name of the source.
    """
    manifest = None
    with contextlib.suppress(OSError, ValueError):
        manifest = Manifest.from_values(last_json_object(folder / MANIFEST))
        if manifest.fingerprint.inode in (
            (folder / manifest.source).lstat().st_ino,
            UNKNOWN_FINGERPRINT.inode,
        ):
            return manifest
    names = []
    with contextlib.suppress(FileNotFoundError):  # the claim was finished meanwhile
        names = [entry.name for entry in folder.iterdir() if entry.name[0] != "."]
    if manifest is not None and not names:  # the file is not in the claim yet, or was moved out
        return manifest
    source = names[0] if names else folder.name
    return Manifest("", source, "", keep_cnf=False, claimed="", fingerprint=UNKNOWN_FINGERPRINT)


def manifests_in_work(folders: Folders) -> list[Manifest]:
    """The manifests of the claims of all processes."""
    return [read_manifest(path.parent) for path in folders.work.glob(f"[!.]*/{MANIFEST}")]


@cache
def _host_name() -> str:
    return os.uname().nodename


class _Attempts(NamedTuple):
    """Consecutive unfinished attempts at one step."""

    number: int
    step: int


_NO_ATTEMPTS = _Attempts(0, 0)
"""The count of a job without unfinished attempts."""


class Claim:
    """A claim that this process owns.

    `close` releases the lock; `remove` also deletes the folder.
    """

    def __init__(self, folder: Path, lock: int, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self.original = folder / manifest.source
        """The dropped file."""
        self._lock = lock

    @property
    def is_held(self) -> bool:
        """Whether this process still holds the lock."""
        return self._lock >= 0

    def write_owner(self) -> None:
        """Write the owner to the lock file, so that `status` can show it."""
        self._write_lock(self._read_attempts())

    def attempts(self) -> int:
        """The number of consecutive unfinished attempts at the same step."""
        return self._read_attempts().number

    def _read_attempts(self) -> _Attempts:
        """Read the count of attempts of this job from the lock file."""
        match = _ATTEMPTS.search(os.pread(self._lock, MAX_LOCK_BYTES, 0))
        job = self.manifest.job
        if match is None or (job and match[1].decode(errors="replace") != job):
            return _NO_ATTEMPTS
        return _Attempts(int(match[2]), int(match[3] or 0))

    def _write_lock(self, attempts: _Attempts) -> None:
        """Overwrite the lock file. Needs no disk space if the length does not change."""
        step = f" in step {attempts.step}" if attempts.step else ""
        owner = f"process {os.getpid()} on {_host_name()}"
        data = f"attempts at {self.manifest.job}: {attempts.number}{step}\n{owner}\n".encode()
        os.pwrite(self._lock, data, 0)
        if os.fstat(self._lock).st_size > len(data):
            os.ftruncate(self._lock, len(data))

    @contextmanager
    def attempt(
        self, step: int = 0, uncounted: tuple[type[BaseException], ...] = ()
    ) -> Iterator[None]:
        """Count the `with` block as an attempt at a step while it runs.

        The earlier count is restored when the block ends, even with an Exception or one of
        `uncounted`, but not if the process is killed. A caller that treats an exception as a crash
        must call `count_attempt`.
        """
        uncounted_types: tuple[type[BaseException], ...] = (Exception, *uncounted)
        before = self._read_attempts()
        try:
            self.count_attempt(step)
            sys.audit("sudoku_pipeline.attempt.counted")
            yield
        except uncounted_types:
            self._write_lock(before)
            raise
        self._write_lock(before)
        sys.audit("sudoku_pipeline.attempt.ended")

    def count_attempt(self, step: int = 0) -> None:
        """Count an attempt at a step in the lock file, and start writing that to disk.

        Step 0 is reading the file, and solving it if it is one puzzle. If the last attempt was at
        another step, the count starts again at 1.
        """
        last = self._read_attempts()
        self._write_lock(_Attempts(1 + (last.number if last.step == step else 0), step))
        start_writeback(self._lock)

    def reset_attempts(self) -> None:
        """Reset the count of attempts. Called when progress was made durable."""
        if self.attempts():
            self._write_lock(_NO_ATTEMPTS)

    def save_files(self, files: Iterable[str], *, writeback: bool = True) -> None:
        """Add names of this source's current and future files in the outbox to the manifest."""
        known = tuple(sorted({*self.manifest.files, *files}))
        self._write_manifest(replace(self.manifest, files=known), writeback=writeback)

    def renew(self, manifest: Manifest) -> None:
        """Replace the manifest by the manifest of another job, and keep the count of attempts."""
        attempts = self._read_attempts()
        self._write_manifest(manifest)
        self._write_lock(attempts)

    def reuse(self, manifest: Manifest) -> None:
        """Overwrite the manifest and the lock file for another job. Raises OSError."""
        if not os.fstat(self._lock).st_nlink:
            raise FileNotFoundError(ENOENT, "the lock is gone", str(self.folder / LOCK))
        self.manifest, self.original = manifest, self.folder / manifest.source
        self._write_lock(_NO_ATTEMPTS)
        text = manifest.text().encode("ascii")
        with opened(self.folder / MANIFEST, os.O_WRONLY) as descriptor:
            write_all(descriptor, text)
            os.ftruncate(descriptor, len(text))

    def _write_manifest(self, manifest: Manifest, *, writeback: bool = True) -> None:
        """Append a manifest to the manifest file; the last one counts."""
        with opened(self.folder / MANIFEST, APPEND_FLAGS) as descriptor:
            write_all(descriptor, f"\n{manifest.text()}".encode("ascii"))
            if writeback:
                start_writeback(descriptor)
        self.manifest = manifest

    def sync(self) -> None:
        """Make the manifest durable."""
        sync(self.folder / MANIFEST, self.folder)

    def put_back(self, inbox: Path) -> bool:
        """Return the file to the inbox, and remove the claim.

        Returns False, without a change, if the inbox contains a newer file with its name.
        """
        if not move_back(self.original, inbox / self.manifest.source):
            return False
        sync(inbox)
        self.remove()
        return True

    def is_put_back(self, inbox: Path) -> bool:
        """Whether an interrupted `put_back` has left the file both in the inbox and in the claim.

        Files are never put back after publication has begun.
        """
        with contextlib.suppress(FileNotFoundError):
            source = (inbox / self.manifest.source).lstat()
            return not self.manifest.files and os.path.samestat(source, self.original.lstat())
        return False

    def move(self, folder: Path) -> None:
        """Rename the folder of the claim. Raises OSError."""
        self.folder.rename(folder)
        self.folder, self.original = folder, folder / self.manifest.source

    def make_spare(self) -> Claim | None:
        """Turn this finished claim into a spare claim, which `reuse` can give another job.

        Returns None if that fails, or if the folder contains other files, such as a checkpoint.
        """
        try:
            if {path.name for path in self.folder.iterdir()} != {LOCK, MANIFEST}:
                return None
            self.move(self.folder.with_name(f"{NEW_PREFIX}{self.manifest.job}"))
        except OSError:
            return None
        lock, self._lock = self._lock, -1
        return Claim(self.folder, lock, self.manifest)

    def remove(self) -> None:
        """Remove the folder of the claim, and release the lock."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.close()

    def close(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def try_lock(path: Path, flags: int = 0) -> int | None:
    """Lock a file. Returns the descriptor, or None if another process holds the lock."""
    descriptor = descriptor_of(path, flags=os.O_RDWR | flags)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink:
            return descriptor
    except BlockingIOError:
        pass
    os.close(descriptor)
    return None


def take_over_abandoned(folders: Folders) -> Iterator[Claim]:
    """Take over and yield the claims of dead processes; remove claims without a file."""
    for folder in sorted(_claim_folders(folders)):
        lock = None
        try:
            lock = try_lock(folder / LOCK, os.O_CREAT)
            if lock is None:
                continue
            claim = Claim(folder, lock, read_manifest(folder))
            has_file = os.path.lexists(claim.original) and not claim.is_put_back(folders.inbox)
        except OSError as error:
            if lock is not None:
                os.close(lock)
            if is_environmental(error):
                raise
            continue  # finished, another user's or damaged claim; `status` shows the last two kinds
        if has_file:
            with contextlib.suppress(OSError):  # if the disk is full, the former owner remains
                claim.write_owner()
            yield claim
        else:
            claim.remove()


def _claim_folders(folders: Folders) -> list[Path]:
    """The folders of all claims.

    Includes half-prepared claims, unless a process may be preparing them.
    """
    with os.scandir(folders.work) as entries:
        names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    unfinished = [folders.work / name for name in names if name.startswith(NEW_PREFIX)]
    claims = [folders.work / name for name in names if not name.startswith(".")]
    if unfinished and (lock := try_lock(folders.work / PREPARING, os.O_CREAT)) is not None:
        os.close(lock)  # a process that now prepares a claim creates another folder
        return claims + unfinished
    return claims
