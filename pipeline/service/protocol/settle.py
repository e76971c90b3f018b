"""Whether a dropped file is complete: what is seen of it, and what that means.

Looking follows no link and never blocks. The decision does no I/O: sights and clock readings in,
a verdict out.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import math
import os
import signal
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.errors import is_environmental
from pipeline.files import F_SETSIG, SAFELY, is_left, is_temporary, kind_in_words, opened
from pipeline.outbox.names import DONE, FAILED
from pipeline.reading.archives import DEEPEST

EMPTY_SECONDS = 60.0
"""For this long after its mtime an empty file, or one that begins with NULs, may be written."""

_BLANK_BYTES = 4096
"""How many NULs at its beginning show that a file was given its size before its content."""

CLOCK_SECONDS = 3600.0
"""No clock is wrong by more: a time further in the future was made up."""

FOLDER_SECONDS = 5.0
"""For so long nothing in a dropped folder may have changed."""


class Fingerprint(NamedTuple):
    """Values that change when a file does, but not when it is renamed."""

    inode: int
    size: int
    modified_ns: int


UNSEEN = Fingerprint(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Observation:
    """A file as it was just seen.

    `writer`: some process has it open for writing; None if that is not known. `cut_off`: its
    content looks incomplete. `is_blank`: its first bytes are NULs. `data` are the bytes of
    a file that was read, and `content` is what they hold. A folder's fingerprint has a hash of its
    content instead of a time; `newest_ns` is the latest mtime in it. What has a `refusal` is
    neither a file nor a folder: it goes to `failed/` unread.
    """

    name: str
    fingerprint: Fingerprint
    writer: bool | None
    cut_off: bool = False
    is_folder: bool = False
    newest_ns: int = 0
    data: bytes | None = None
    content: Any = None
    is_blank: bool = False
    refusal: str = ""

    @property
    def modified(self) -> float:
        """Its mtime, seconds since 1970."""
        return (self.newest_ns if self.is_folder else self.fingerprint.modified_ns) / 1e9


def names_in(inbox: Path) -> tuple[list[str], dict[str, str]]:
    """The names to consider, in order; and those to leave where they are, with the reason."""
    taken: list[str] = []
    ignored: dict[str, str] = {}
    with os.scandir(inbox) as entries:
        for entry in entries:
            if entry.name in (DONE, FAILED):
                continue
            if not is_left(entry.name):
                taken.append(entry.name)
            elif not entry.name.startswith("."):
                is_fresh = is_temporary(entry.name)
                ignored[entry.name] = (
                    "a temporary name" if is_fresh else "belongs to another program"
                )
    return sorted(taken), ignored


def fingerprint_of(status: os.stat_result) -> Fingerprint:
    return Fingerprint(status.st_ino, status.st_size, status.st_mtime_ns)


def observe(
    path: Path, read: Callable[[bytes], tuple[Any, bool]] | None = None, most: int = 0
) -> Observation | None:
    """Look at a path; None if nothing is there.

    A file of up to `most` bytes without a writer is read: `read` returns what its bytes hold, and
    whether they look cut off.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return _observe_folder(path)
    if not stat.S_ISREG(status.st_mode):
        refusal = f"it is {kind_in_words(status.st_mode)}"
        return Observation(path.name, fingerprint_of(status), writer=False, refusal=refusal)
    try:
        descriptor = os.open(path, SAFELY)
    except OSError as error:
        return _observe_unopened(path, status, error)
    try:
        before = fingerprint_of(os.fstat(descriptor))
        writer = has_writer(descriptor)
        is_read = read is not None and before.size <= most
        wanted = 0 if writer else before.size if is_read else min(before.size, _BLANK_BYTES)
        data = _read(descriptor, wanted)
        is_blank = wanted > 0 and not data[:_BLANK_BYTES].strip(b"\0")
        content, cut_off = None, len(data) < wanted
        if read and is_read and data and not cut_off:
            content, cut_off = read(data)
        after = fingerprint_of(os.fstat(descriptor))
    finally:
        os.close(descriptor)
    cut_off = cut_off or before != after
    known = data if is_read and data and len(data) == wanted else None
    return Observation(
        path.name, after, writer, cut_off, data=known, content=content, is_blank=is_blank
    )


def _read(descriptor: int, wanted: int) -> bytes:
    """Read `wanted` bytes, or to the end of the file. On FUSE and NFS one read may return fewer."""
    data = os.read(descriptor, wanted) if wanted else b""
    while len(data) < wanted and (more := os.read(descriptor, wanted - len(data))):
        data += more
    return data


def _observe_folder(path: Path) -> Observation | None:
    """Look at a folder with all that is read of it; None if it is gone."""
    size, hashed, writer, newest = 0, sha256(), False, 0
    for inner, name, folder, status in walk_folder(path):
        writer = writer or (stat.S_ISREG(status.st_mode) and _is_written_in(folder, name))
        size += status.st_size
        newest = max(newest, status.st_mtime_ns)
        hashed.update(repr((inner, name, fingerprint_of(status))).encode())
    try:
        own = path.lstat()
    except FileNotFoundError:
        return None
    if not os.access(path, os.R_OK | os.X_OK):
        size += own.st_size  # nobody knows whether it is empty
    content = int.from_bytes(hashed.digest()[:7], "big")
    return Observation(
        path.name,
        Fingerprint(own.st_ino, size, content),
        writer or None,
        is_folder=True,
        newest_ns=max(newest, own.st_mtime_ns),
    )


def walk_folder(
    name: str | Path, parent: int | None = None, inner: str = ""
) -> Iterator[tuple[str, str, int, os.stat_result]]:
    """Everything in a folder, as deep as archives are read: where it lies, its name, and status.

    Each is named relative to its open folder, the third value: a whole path can be too long for
    the system. The sight must not depend on where the folder itself lies. Raises OSError
    if the environment is at fault.
    """
    with contextlib.ExitStack() as stack:
        try:
            folder = os.open(name, SAFELY | os.O_DIRECTORY, dir_fd=parent)
            stack.callback(os.close, folder)
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError as error:
            if is_environmental(error):
                raise
            return  # it may be gone
        for each in names:
            try:
                status = os.stat(each, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue
            yield inner, each, folder, status
            if stat.S_ISDIR(status.st_mode) and inner.count("/") < DEEPEST:
                yield from walk_folder(each, folder, f"{inner}{each}/")


def _is_written_in(folder: int, name: str) -> bool:
    """Whether a file in an open folder is known to have a writer."""
    try:
        with opened(name, folder=folder) as descriptor:
            return has_writer(descriptor) is True
    except OSError as error:
        if error.errno == errno.EAGAIN:  # it is leased for writing
            return True
        if is_environmental(error):
            raise
        return False


def _observe_unopened(path: Path, status: os.stat_result, error: OSError) -> Observation | None:
    """The sight of a file that cannot be opened; None if it was replaced just now."""
    if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENXIO):
        return None
    writers = {errno.EACCES: None, errno.EAGAIN: True}
    if error.errno not in writers:  # permission may be granted at the end of a copy,
        raise error  # and EAGAIN says that it is leased for writing
    return Observation(path.name, fingerprint_of(status), writers[error.errno])


def unchanged(path: Path, fingerprint: Fingerprint, data: bytes | None = None) -> bool:
    """Whether a file or folder is still as it was seen, and has no writer.

    The bytes are compared too, if they are given: times of files are some milliseconds coarse.
    """
    seen = (
        observe(path) if data is None else observe(path, lambda now: (None, now != data), len(data))
    )
    if seen is None or seen.writer or seen.cut_off:
        return False
    return seen.fingerprint == fingerprint


def is_written(path: Path) -> bool:
    """Whether a file, or one in a folder, is known to have a writer."""
    seen = observe(path)
    return seen is not None and seen.writer is True


def has_writer(descriptor: int) -> bool | None:
    """Whether any process has the file open for writing; None if leases do not tell.

    If another process opens it at this moment, the kernel sends us a signal: not SIGIO, which
    would kill us, but SIGURG, which is ignored.
    """
    try:
        fcntl.fcntl(descriptor, F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return True
    except (OSError, AttributeError):  # another's file, another filesystem, another system
        return None
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


@dataclass(frozen=True, slots=True)
class Settling:
    """Not yet complete: look again in `seconds`.

    `patience` is what is left of the settling time since the name was first seen, changed since
    or not. `held`: a writer has had it open without a change for longer than the settling time,
    so that it may take any time.
    """

    seconds: float
    reason: str
    patience: float
    held: bool = False


@dataclass(slots=True)
class History:
    """What was seen of a file, on a monotonic clock.

    When it was first seen, since when it is as it is, and when a writer was seen last.
    """

    first: float = math.nan
    fingerprint: Fingerprint | None = None
    since: float = math.nan
    written: float = -math.inf

    def judge(
        self, observation: Observation, settle: float, now: float, wall: float
    ) -> Settling | None:
        """None if the file is complete at `now` on the monotonic and `wall` on the wall clock."""
        if self.fingerprint is None:
            self.first = now
        if self.fingerprint != observation.fingerprint:
            self.fingerprint, self.since = observation.fingerprint, now
        settle = FOLDER_SECONDS if observation.is_folder else settle
        unchanged = now - self.since
        left = settle - unchanged
        patience = settle - (now - self.first)
        if observation.writer:
            self.written = now
            soon = max(left, settle / 4)
            return Settling(soon, "open for writing", patience, held=left <= 0)
        if observation.is_folder:
            left = max(left, self.written + settle - now)
        if observation.fingerprint.size == 0 or observation.is_blank:
            age = max(unchanged, wall - observation.modified)
            if age < EMPTY_SECONDS and observation.modified < wall + CLOCK_SECONDS:
                reason = "it begins with NULs" if observation.is_blank else "it is still empty"
                return Settling(EMPTY_SECONDS - age, reason, patience)
        if observation.writer is None and left > 0:
            return Settling(left, "it may still be written", patience)
        if observation.cut_off and left > 0:
            return Settling(left, "it looks cut off", patience)
        return None
