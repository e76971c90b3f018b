"""Looking at what lies in the inbox, without following a link or waiting for anything."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import stat
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pipeline.dropbox.settle import Fingerprint, Sight
from pipeline.files import F_SETSIG, SAFELY, is_junk, is_temporary
from pipeline.published.originals import DONE, FAILED


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that is no file: it goes to `failed/` unread."""

    name: str
    reason: str
    fingerprint: Fingerprint


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something that stays where it is, and why."""

    name: str
    reason: str


def names_in(inbox: Path) -> tuple[list[str], list[Ignored]]:
    """The names that are up for a look, in order, and those passed over."""
    taken: list[str] = []
    ignored: list[Ignored] = []
    with os.scandir(inbox) as entries:
        for entry in entries:
            if entry.name in (DONE, FAILED):
                continue
            if not is_junk(entry.name):
                taken.append(entry.name)
            elif not entry.name.startswith("."):
                reason = "a temporary name" if is_temporary(entry.name) else "left by a desktop"
                ignored.append(Ignored(entry.name, reason))
    return sorted(taken), ignored


def fingerprint_of(status: os.stat_result) -> Fingerprint:
    """The fingerprint in a file's status."""
    return Fingerprint(status.st_ino, status.st_size, status.st_mtime_ns)


def look(path: Path, cut_off: Callable[[bytes], bool], most: int) -> Sight | Refused | None:
    """What is at `path` now; None if it is gone.

    Of a file that nobody writes up to `most` bytes are read, for `cut_off` to say whether they
    look like the beginning of something.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return _look_at_folder(path)
    if not stat.S_ISREG(status.st_mode):
        return Refused(path.name, f"it is {kind_in_words(status.st_mode)}", fingerprint_of(status))
    try:
        descriptor = os.open(path, SAFELY)
    except OSError as error:
        return _unopened(path, status, error)
    try:
        before = fingerprint_of(os.fstat(descriptor))
        writer = has_writer(descriptor)
        beginning = (
            not writer and 0 < before.size <= most and cut_off(os.read(descriptor, before.size))
        )
        after = fingerprint_of(os.fstat(descriptor))
    finally:
        os.close(descriptor)
    return Sight(path.name, after, writer, cut_off=beginning or before != after)


def _look_at_folder(path: Path) -> Sight | None:
    """What is in a folder now, all that is below it included; None if it is gone."""
    size, hashed, writer, newest = 0, sha256(), False, 0
    for folder, folders, files in os.walk(path):
        folders.sort()
        for name in sorted((*files, *folders)):
            entry = Path(folder, name)
            try:
                status = entry.lstat()
            except OSError:  # it is gone, or lies too deep for a name
                continue
            writer = writer or (stat.S_ISREG(status.st_mode) and _is_written(entry))
            size += status.st_size
            newest = max(newest, status.st_mtime_ns)
            hashed.update(repr((folder[len(str(path)) :], name, fingerprint_of(status))).encode())
    try:
        own = path.lstat()
    except FileNotFoundError:
        return None
    content = int.from_bytes(hashed.digest()[:7], "big")
    return Sight(
        path.name,
        Fingerprint(own.st_ino, size, content),
        writer or None,
        is_folder=True,
        newest_ns=max(newest, own.st_mtime_ns),
    )


def _is_written(path: Path) -> bool:
    """Whether a file is known to be open for writing."""
    try:
        descriptor = os.open(path, SAFELY)
    except BlockingIOError:
        return True
    except OSError:
        return False
    try:
        return has_writer(descriptor) is True
    finally:
        os.close(descriptor)


def _unopened(path: Path, status: os.stat_result, error: OSError) -> Sight | None:
    """What can be said of a file that cannot be opened; None if it was exchanged just now."""
    match error.errno:
        case errno.ENOENT | errno.ELOOP | errno.ENXIO:
            return None
        case errno.EACCES:  # it may be permitted at the end of a copy
            return Sight(path.name, fingerprint_of(status), writer=None)
        case errno.EAGAIN:  # it is leased for writing
            return Sight(path.name, fingerprint_of(status), writer=True)
    raise error


def unchanged(path: Path, fingerprint: Fingerprint) -> bool:
    """Whether a file or folder is still what was seen, and nobody writes it."""
    status = path.lstat()
    if stat.S_ISDIR(status.st_mode):
        seen = _look_at_folder(path)
        return seen is not None and seen.fingerprint == fingerprint and not seen.writer
    if fingerprint_of(status) != fingerprint:
        return False
    if not stat.S_ISREG(status.st_mode):
        return True
    try:
        descriptor = os.open(path, SAFELY)
    except PermissionError:  # it will be refused
        return True
    except BlockingIOError:  # it is leased for writing
        return False
    try:
        return not has_writer(descriptor)
    finally:
        os.close(descriptor)


def is_written(path: Path) -> bool:
    """Whether somebody is known to write a file, or one in a folder."""
    if stat.S_ISDIR(path.lstat().st_mode):
        seen = _look_at_folder(path)
        return seen is not None and bool(seen.writer)
    return not unchanged(path, fingerprint_of(path.lstat()))


def has_writer(descriptor: int) -> bool | None:
    """Whether anybody has the file open for writing; None where leases do not tell.

    Who opens it just now makes the kernel send us a signal: not SIGIO, which would end us, but
    SIGURG, which nobody hears.
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


def kind_in_words(mode: int) -> str:
    """What something that is not a regular file is, in words."""
    if stat.S_ISLNK(mode):
        return "a link"
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    return "a special file"
