"""Make files, folders or whole filesystems durable, so that they survive a power failure."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

SYNCFS_SINCE = (5, 8)
"""First Linux version whose syncfs reports write errors."""

_SYNCFS_TYPES = {0xEF53, 0x58465342, 0x9123683E, 0xF2F52010}
"""Filesystem types whose syncfs implies fsync of each file: ext4, XFS, Btrfs, F2FS.

The numbers are from <linux/magic.h>.
"""


def sync(*paths: Path) -> None:
    """Make files durable, one after the other. Syncing a folder makes the names in it durable."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            sync_open(descriptor)
        finally:
            os.close(descriptor)


def sync_open(descriptor: int) -> None:
    """Make an open file or folder durable.

    On macOS, fsync leaves data in the drive's cache, so F_FULLFSYNC is used there.
    """
    if hasattr(fcntl, "F_FULLFSYNC"):
        with suppress(OSError):  # not supported by all filesystems
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


class Disks:
    """The filesystems of some folders, which are synced as a whole.

    For many small files, syncing a filesystem is one wait instead of one per file, although it also
    writes the data of other programs. `sync` reports the errors of all writes since the folders
    were opened.
    """

    def __init__(self, descriptors: Sequence[int]) -> None:
        self._descriptors = descriptors

    @classmethod
    @contextmanager
    def open(cls, folders: Sequence[Path]) -> Iterator[Disks | None]:
        """Open the filesystems of folders; None if one of them must be synced file by file."""
        with ExitStack() as stack:
            opened = dict[int, int]()
            for folder in folders:
                descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
                stack.callback(os.close, descriptor)
                opened.setdefault(os.fstat(descriptor).st_dev, descriptor)
            is_reliable = all(map(_has_reliable_syncfs, opened.values()))
            yield cls([*opened.values()]) if is_reliable else None

    def sync(self) -> None:
        """Sync the filesystems. Raises OSError."""
        for descriptor in self._descriptors:
            call_library("syncfs", descriptor)


def _has_reliable_syncfs(descriptor: int) -> bool:
    """Whether syncfs on an open folder implies fsync of all files, and reports errors."""
    if not sys.platform.startswith("linux") or not _syncfs_reports_errors():
        return False
    import ctypes  # noqa: PLC0415 - rarely needed

    buffer = ctypes.create_string_buffer(256)  # struct statfs; its first field is the type
    try:
        call_library("fstatfs", descriptor, buffer)
    except (OSError, AttributeError):
        return False
    return ctypes.c_long.from_buffer(buffer).value in _SYNCFS_TYPES


@cache
def _syncfs_reports_errors() -> bool:
    version = os.uname().release.split(".")[:2]
    return all(part.isdigit() for part in version) and tuple(map(int, version)) >= SYNCFS_SINCE


def call_library(name: str, *arguments: object) -> int:
    """Call a C library function that returns -1 and sets errno on failure.

    Raises OSError on failure, AttributeError if the library lacks the function.
    """
    import ctypes  # noqa: PLC0415 - slow to load

    result: int = getattr(_library(), name)(*arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


@cache
def _library() -> object:
    import ctypes  # noqa: PLC0415 - slow to load

    return ctypes.CDLL(None, use_errno=True)
