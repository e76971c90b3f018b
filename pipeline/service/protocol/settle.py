"""Decide whether a dropped file is complete, from repeated observations.

`observe` follows no links and never blocks. `History.judge` does no I/O: its arguments are an
observation and the time.
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
from pipeline.files import F_SETSIG, SAFE_FLAGS, is_ignored, is_temporary, kind_in_words, opened
from pipeline.outbox.names import DONE, FAILED
from pipeline.reading.archives import MAX_DEPTH

EMPTY_SECONDS = 60.0
"""Seconds without a change after which a file that is empty or begins with NULs is complete."""

_BLANK_BYTES = 4096
"""Number of bytes examined at the start of a file. If all are NULs, it is probably incomplete."""

MAX_CLOCK_SKEW = 3600.0
"""Seconds by which an mtime may be in the future; a later mtime is ignored."""

FOLDER_SECONDS = 5.0
"""Seconds without a change after which a dropped folder is complete."""


class Fingerprint(NamedTuple):
    """Properties of a file that change when it is modified, but not when it is renamed."""

    inode: int
    size: int
    modified_ns: int


UNKNOWN_FINGERPRINT = Fingerprint(0, 0, 0)
"""The fingerprint in the manifest of a file whose fingerprint is unknown."""


@dataclass(frozen=True, slots=True)
class Observation:
    """An observed file or folder.

    - `has_writer`: whether a process has it open for writing; None if unknown.
    - `is_cut_off`: whether its content looks truncated.
    - `newest_ns`: for a folder, the latest mtime in it. The fingerprint of a folder has a hash of
      its content instead of an mtime.
    - `data`, `source`: if the file was read, its bytes, and the source in these bytes.
    - `is_blank`: whether its first bytes are all NULs.
    - `refusal`: why it goes to `failed/` without being read, for example because it is a device;
      empty for other files.
    """

    name: str
    fingerprint: Fingerprint
    has_writer: bool | None
    is_cut_off: bool = False
    is_folder: bool = False
    newest_ns: int = 0
    data: bytes | None = None
    source: Any = None
    is_blank: bool = False
    refusal: str = ""

    @property
    def modified(self) -> float:
        """The mtime, in seconds since 1970."""
        return (self.newest_ns if self.is_folder else self.fingerprint.modified_ns) / 1e9


def names_in(inbox: Path) -> tuple[list[str], dict[str, str]]:
    """Return the sorted names to process in an inbox, and {ignored name: reason}."""
    names: list[str] = []
    ignored: dict[str, str] = {}
    with os.scandir(inbox) as entries:
        for entry in entries:
            if entry.name in (DONE, FAILED):
                continue
            if not is_ignored(entry.name):
                names.append(entry.name)
            elif not entry.name.startswith("."):
                is_incomplete = is_temporary(entry.name)
                ignored[entry.name] = (
                    "its name marks it as temporary"
                    if is_incomplete
                    else "a system file, not a puzzle"
                )
    return sorted(names), ignored


def fingerprint_of(status: os.stat_result) -> Fingerprint:
    return Fingerprint(status.st_ino, status.st_size, status.st_mtime_ns)


def observe(
    path: Path, parse: Callable[[bytes], tuple[Any, bool]] | None = None, max_bytes: int = 0
) -> Observation | None:
    """Observe a path; None if it does not exist.

    A file of up to `max_bytes` without a writer is read, and `parse` is called with its bytes.
    `parse` returns the source, and whether the bytes look truncated.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return _observe_folder(path)
    if not stat.S_ISREG(status.st_mode):
        refusal = f"it is {kind_in_words(status.st_mode)}"
        return Observation(path.name, fingerprint_of(status), has_writer=False, refusal=refusal)
    try:
        descriptor = os.open(path, SAFE_FLAGS)
    except OSError as error:
        return _observe_unopened(path, status, error)
    try:
        before = fingerprint_of(os.fstat(descriptor))
        writer = has_writer(descriptor)
        is_read = parse is not None and before.size <= max_bytes
        count = 0 if writer else before.size if is_read else min(before.size, _BLANK_BYTES)
        data = _read(descriptor, count)
        is_blank = count > 0 and not data[:_BLANK_BYTES].strip(b"\0")
        source, cut_off = None, len(data) < count
        if parse and is_read and data and not cut_off:
            source, cut_off = parse(data)
        after = fingerprint_of(os.fstat(descriptor))
    finally:
        os.close(descriptor)
    cut_off = cut_off or before != after
    known = data if is_read and data and len(data) == count else None
    return Observation(
        path.name, after, writer, cut_off, data=known, source=source, is_blank=is_blank
    )


def _read(descriptor: int, count: int) -> bytes:
    """Read `count` bytes, or up to the end. FUSE and NFS may need several reads."""
    data = os.read(descriptor, count) if count else b""
    while len(data) < count and (more := os.read(descriptor, count - len(data))):
        data += more
    return data


def _observe_folder(path: Path) -> Observation | None:
    """Observe a folder and its whole content; None if it is gone."""
    size, hashed, writer, newest = 0, sha256(), False, 0
    for inner, name, folder, status in walk_folder(path):
        writer = writer or (stat.S_ISREG(status.st_mode) and _is_being_written_in(folder, name))
        size += status.st_size
        newest = max(newest, status.st_mtime_ns)
        hashed.update(repr((inner, name, fingerprint_of(status))).encode())
    try:
        folder_status = path.lstat()
    except FileNotFoundError:
        return None
    if not os.access(path, os.R_OK | os.X_OK):
        size += folder_status.st_size  # an unreadable folder counts as not empty
    content = int.from_bytes(hashed.digest()[:7], "big")
    return Observation(
        path.name,
        Fingerprint(folder_status.st_ino, size, content),
        writer or None,
        is_folder=True,
        newest_ns=max(newest, folder_status.st_mtime_ns),
    )


def walk_folder(
    name: str | Path, parent: int | None = None, inner: str = ""
) -> Iterator[tuple[str, str, int, os.stat_result]]:
    """Walk a folder, as deep as archives are read.

    Yields (relative path of its folder, name, descriptor of its open folder, status) for each
    entry. Callers open entries relative to the descriptor, because whole paths can be too long. The
    relative paths do not depend on the path of the walked folder. Raises OSError if the environment
    is at fault.
    """
    with contextlib.ExitStack() as stack:
        try:
            folder = os.open(name, SAFE_FLAGS | os.O_DIRECTORY, dir_fd=parent)
            stack.callback(os.close, folder)
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError as error:
            if is_environmental(error):
                raise
            return  # the folder may be gone
        for entry_name in names:
            try:
                status = os.stat(entry_name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue
            yield inner, entry_name, folder, status
            if stat.S_ISDIR(status.st_mode) and inner.count("/") < MAX_DEPTH:
                yield from walk_folder(entry_name, folder, f"{inner}{entry_name}/")


def _is_being_written_in(folder: int, name: str) -> bool:
    """Whether the file `name` in an open folder certainly has a writer."""
    try:
        with opened(name, folder=folder) as descriptor:
            return has_writer(descriptor) is True
    except OSError as error:
        if error.errno == errno.EAGAIN:  # a process holds a write lease
            return True
        if is_environmental(error):
            raise
        return False


def _observe_unopened(path: Path, status: os.stat_result, error: OSError) -> Observation | None:
    """Observe a file that cannot be opened; None if it was just replaced."""
    if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENXIO):
        return None
    # EACCES: a copy may get its permissions at the end. EAGAIN: a process holds a write lease.
    writers = {errno.EACCES: None, errno.EAGAIN: True}
    if error.errno not in writers:
        raise error
    return Observation(path.name, fingerprint_of(status), writers[error.errno])


def is_unchanged(path: Path, fingerprint: Fingerprint, data: bytes | None = None) -> bool:
    """Whether a file or folder has not changed since it was observed, and has no writer.

    If `data` is given, it is compared with the file's bytes: mtimes change only every few
    milliseconds.
    """
    seen = (
        observe(path) if data is None else observe(path, lambda now: (None, now != data), len(data))
    )
    if seen is None or seen.has_writer or seen.is_cut_off:
        return False
    return seen.fingerprint == fingerprint


def is_being_written(path: Path) -> bool:
    """Whether a file, or a file in a folder, certainly has a writer."""
    seen = observe(path)
    return seen is not None and seen.has_writer is True


def has_writer(descriptor: int) -> bool | None:
    """Whether any process has the file open for writing; None if leases are unsupported.

    This takes a read lease, which fails if there is a writer. If another process opens the file
    during the lease, the kernel sends a signal: SIGURG, which is ignored by default, because SIGIO
    would kill this process.
    """
    try:
        fcntl.fcntl(descriptor, F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return True
    except (OSError, AttributeError):  # another user's file, or an unsupported filesystem or system
        return None
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


@dataclass(frozen=True, slots=True)
class SettlingVerdict:
    """The verdict on a file that is not complete: observe it again after `seconds`.

    - `reason`: why the file is not considered complete, for messages.
    - `patience`: settling time minus the time since the first observation, in seconds.
    - `is_held_open`: a writer has kept the file open without changing it for longer than the
      settling time.
    """

    seconds: float
    reason: str
    patience: float
    is_held_open: bool = False


@dataclass(slots=True)
class History:
    """The earlier observations of a file. Times are from a monotonic clock.

    - `first_observed`: time of the first observation.
    - `unchanged_since`: time of the first observation with the current fingerprint.
    - `last_writer`: time of the last observation of a writer.
    """

    first_observed: float = math.nan
    fingerprint: Fingerprint | None = None
    unchanged_since: float = math.nan
    last_writer: float = -math.inf

    def judge(
        self, observation: Observation, settle: float, now: float, wall_time: float
    ) -> SettlingVerdict | None:
        """Decide whether the file is complete. Returns None if it is complete.

        `settle` is the settling time in seconds, `now` the time on a monotonic clock, `wall_time`
        the time on the wall clock.
        """
        if self.fingerprint is None:
            self.first_observed = now
        if self.fingerprint != observation.fingerprint:
            self.fingerprint, self.unchanged_since = observation.fingerprint, now
        settle = FOLDER_SECONDS if observation.is_folder else settle
        unchanged = now - self.unchanged_since
        left = settle - unchanged
        patience = settle - (now - self.first_observed)
        if observation.has_writer:
            self.last_writer = now
            soon = max(left, settle / 4)
            return SettlingVerdict(
                soon, "a program has it open for writing", patience, is_held_open=left <= 0
            )
        if observation.is_folder:
            left = max(left, self.last_writer + settle - now)
        if observation.fingerprint.size == 0 or observation.is_blank:
            age = max(unchanged, wall_time - observation.modified)
            if age < EMPTY_SECONDS and observation.modified < wall_time + MAX_CLOCK_SKEW:
                reason = "it begins with NULs" if observation.is_blank else "it is still empty"
                return SettlingVerdict(EMPTY_SECONDS - age, reason, patience)
        if observation.has_writer is None and left > 0:
            return SettlingVerdict(left, "a program may still be writing it", patience)
        if observation.is_cut_off and left > 0:
            return SettlingVerdict(left, "its content looks cut off", patience)
        return None
