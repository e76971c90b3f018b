"""Marks: each records which file a process is reading, in case reading kills the process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from pipeline.outbox.names import claim_key
from pipeline.service.protocol.claim import try_lock

MARK_PREFIX = ".reading-"
"""Prefix of the names of mark files."""
_BLANK = b" " * len(claim_key(""))
"""The content of the mark file of a process that is not reading."""


class Marks:
    """Records files whose reading crashed in this process or killed another process.

    Each process has a locked mark file in `work` with the key of the name that it is reading.
    `on_stuck` is called with each mark that cannot be removed. A mark that a dead process left
    counts as one attempt at the file.
    """

    def __init__(self, work: Path, on_stuck: Callable[[Path, OSError], None]) -> None:
        self._work = work
        self._on_stuck = on_stuck
        self._own_mark: tuple[Path, int] | None = None
        self._crashes: dict[str, Path | None] = {}
        """Key of a file → the mark of a dead process, or None if this process crashed."""

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Mark a file while it is read. Raises OSError."""
        lock = self._lock()
        os.pwrite(lock, claim_key(name).encode("ascii"), 0)
        try:
            yield
        finally:
            os.pwrite(lock, _BLANK, 0)

    def _lock(self) -> int:
        """The descriptor of this process's mark file, which is created on demand."""
        while self._own_mark is None:
            path = self._work / f"{MARK_PREFIX}{os.getpid()}-{token_hex(4)}"
            lock = try_lock(path, os.O_CREAT | os.O_EXCL)
            if lock is not None:  # if None, another process removed the file before it was locked
                self._own_mark = path, lock
        return self._own_mark[1]

    def add_crash(self, name: str) -> None:
        """Record that reading this file crashed."""
        self._crashes.setdefault(claim_key(name), None)

    def has_crashed(self, name: str) -> bool:
        """Whether reading this file crashed before."""
        return bool(self._crashes) and claim_key(name) in self._crashes

    def unmark(self, name: str) -> bool:
        """Remove the crash mark of a file. Returns whether there was one."""
        if not self.has_crashed(name):
            return False
        if path := self._crashes.pop(claim_key(name)):
            self._remove(path)
        return True

    def take_over(self, names: Iterable[str]) -> None:
        """Take over the marks of dead processes, and remove marks of files that are gone."""
        paths = {*self._work.glob(f"{MARK_PREFIX}*")}
        if self._own_mark and self._own_mark[0] not in paths:  # the folder was replaced
            self.close()
        paths -= {self._own_mark[0] if self._own_mark else None}
        keys = {claim_key(name) for name in names} if paths else set()
        for path in paths:
            try:
                lock = try_lock(path)
            except OSError:  # not a mark, such as a folder
                self._remove(path)
                continue
            if lock is None:
                continue
            key = os.pread(lock, len(_BLANK), 0).decode("ascii", errors="replace")
            os.close(lock)
            if key in keys:
                self._crashes[key] = path
            else:
                self._remove(path)

    def _remove(self, path: Path) -> None:
        """Remove a mark, or call `on_stuck` if it is a folder or another user's file."""
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            self._on_stuck(path, error)

    def close(self) -> None:
        """Remove the mark file of this process."""
        if self._own_mark is not None:
            path, lock = self._own_mark
            self._own_mark = None
            self._remove(path)
            os.close(lock)
