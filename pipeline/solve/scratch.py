"""A private temporary folder that is cleared away, at the latest by the next process."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = "sudoku-pipeline-"
_YOUNG_SECONDS = 10.0
_MEMORY, _ENOUGH = Path("/dev/shm"), 1024 * 1024 * 1024  # noqa: S108 - a private folder within


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for this process alone, locked while it lives; removed on leaving.

    What killed processes left is removed before. Raises OSError where there is no room.
    """
    base = _base()
    _clear_abandoned(base)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=base, ignore_cleanup_errors=True) as name:
        lock = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield Path(name)
        finally:
            os.close(lock)


def _base() -> Path:
    """Where temporary folders go; in memory, if no place was chosen and there is plenty.

    To make and remove a few files takes a quarter of the time there.
    """
    usual = Path(tempfile.gettempdir())
    try:
        room = os.statvfs(_MEMORY)
    except OSError:
        return usual
    plenty = room.f_bavail * room.f_frsize >= _ENOUGH and os.access(_MEMORY, os.W_OK)
    return _MEMORY if plenty and usual == Path("/tmp") else usual  # noqa: S108


def _clear_abandoned(base: Path) -> None:
    """Remove our own user's folders whose lock nobody holds, unless it may not be taken yet."""
    newest = time.time() - _YOUNG_SECONDS
    for folder in base.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if status.st_uid == os.geteuid() and status.st_mtime < newest:
                _remove_if_free(folder)


def _remove_if_free(folder: Path) -> None:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(lock)
