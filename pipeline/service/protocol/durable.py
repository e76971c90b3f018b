"""Writing that survives a power failure: a file, the names in a folder, or all of a filesystem."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

SYNCFS_SINCE = (5, 8)
"""The first version of Linux whose syncfs tells that something could not be written."""

_SYNCED_WHOLE = {0xEF53, 0x58465342, 0x9123683E, 0xF2F52010}
"""Ext4, XFS, Btrfs and F2FS, from <linux/magic.h>: their syncfs does all that fsync does."""


def sync(*paths: Path) -> None:
    """Make durable what files hold, or the names in folders, in this order."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            sync_open(descriptor)
        finally:
            os.close(descriptor)


def sync_open(descriptor: int) -> None:
    """Make an open file or folder durable.

    On macOS fsync leaves data in the cache of the drive, and F_FULLFSYNC does not.
    """
    if hasattr(fcntl, "F_FULLFSYNC"):
        with suppress(OSError):  # not every filesystem has it
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


class Disks:
    """The filesystems of some folders, which can be made durable as a whole.

    For many small files that is one wait instead of one for each, but waits for what other
    programs have written too. Errors are told for what was written since this was opened.
    """

    def __init__(self, descriptors: Sequence[int]) -> None:
        self._descriptors = descriptors

    @classmethod
    @contextmanager
    def of(cls, folders: Sequence[Path]) -> Iterator[Disks | None]:
        """The filesystems of these folders; None if one has to be synced file by file."""
        with ExitStack() as stack:
            opened = dict[int, int]()
            for folder in folders:
                descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
                stack.callback(os.close, descriptor)
                opened.setdefault(os.fstat(descriptor).st_dev, descriptor)
            yield cls([*opened.values()]) if all(map(_is_synced_whole, opened.values())) else None

    def sync(self) -> None:
        """Make durable all that was written there. Raises OSError."""
        for descriptor in self._descriptors:
            call("syncfs", descriptor)


def _is_synced_whole(descriptor: int) -> bool:
    """Whether a call for the filesystem of an open folder does what fsync does for each file."""
    if not sys.platform.startswith("linux") or not _syncfs_reports_errors():
        return False
    import ctypes  # noqa: PLC0415 - only for many files

    told = ctypes.create_string_buffer(256)  # struct statfs, which begins with the type
    try:
        call("fstatfs", descriptor, told)
    except (OSError, AttributeError):
        return False
    return ctypes.c_long.from_buffer(told).value in _SYNCED_WHOLE


@cache
def _syncfs_reports_errors() -> bool:
    version = os.uname().release.split(".")[:2]
    return all(part.isdigit() for part in version) and tuple(map(int, version)) >= SYNCFS_SINCE


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library that returns -1 if it fails, and sets errno.

    Raises OSError, and AttributeError if there is no such function.
    """
    import ctypes  # noqa: PLC0415 - as above

    told: int = getattr(_library(), name)(*arguments)
    if told < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return told


@cache
def _library() -> object:
    import ctypes  # noqa: PLC0415 - as above

    return ctypes.CDLL(None, use_errno=True)
