"""Hints that a file may have been dropped; each hint causes a scan.

Events can get lost, because inotify's queue overflows silently, and network and container mounts
deliver none. So callers also scan at intervals.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.service.protocol.durable import call_library

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver

_WATCH_FLAGS = 0x100 | 0x80 | 0x8 | 0x01000000
"""The flags for watching a folder: IN_CREATE, IN_MOVED_TO, IN_CLOSE_WRITE and IN_ONLYDIR.

They are from <sys/inotify.h> of Linux.
"""

_IGNORED = 0x8000
"""IN_IGNORED: the folder is no longer watched."""
_EVENT_HEADER = struct.Struct("iIII")
"""The fields of an event before its name: watch, mask, cookie, and length of the name."""
_EVENT_BUFFER_BYTES = 64 * 1024
"""Maximum number of bytes of events that are read at a time."""


class Alarm:
    """A flag that threads and signal handlers set with `ring`, and `wait` resets.

    `waited_seconds`: total time of all waits. `descriptor` is readable while the flag is set, so
    that a thread can wait for it together with other descriptors.
    """

    def __init__(self) -> None:
        self.waited_seconds = 0.0
        self.descriptor, self._bell = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(self._bell, False)

    def ring(self) -> None:
        with contextlib.suppress(BlockingIOError):  # the pipe is full, so the flag is set already
            os.write(self._bell, b"!")

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds` for `ring`. Returns whether it was called since the last wait."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        started = time.monotonic()
        rung = bool(poll.poll(math.ceil(seconds * 1000)))
        self.waited_seconds += time.monotonic() - started
        with contextlib.suppress(BlockingIOError):
            while os.read(self.descriptor, 4096):
                pass
        return rung

    def close(self) -> None:
        os.close(self.descriptor)
        os.close(self._bell)


class _Events(threading.Thread):
    """Calls `ring` at each inotify event of a folder. On Linux, because watchdog delays events."""

    def __init__(self, folder: Path, ring: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._ring = ring
        self._descriptor = call_library("inotify_init1", os.O_CLOEXEC)
        try:
            name = os.fsencode(folder)
            self._watch = call_library("inotify_add_watch", self._descriptor, name, _WATCH_FLAGS)
        except OSError as error:
            os.close(self._descriptor)
            raise OSError(error.errno, error.strerror, str(folder)) from error

    def run(self) -> None:
        """Call `ring` at each event, until the folder is no longer watched."""
        while not any(
            mask & _IGNORED for mask in _masks(os.read(self._descriptor, _EVENT_BUFFER_BYTES))
        ):
            self._ring()

    def stop(self) -> None:
        """Stop watching the folder: this causes a last event, which ends the thread."""
        with contextlib.suppress(OSError):  # the folder is gone
            call_library("inotify_rm_watch", self._descriptor, self._watch)
        self.join()
        os.close(self._descriptor)


def _masks(events: bytes) -> Iterator[int]:
    """Yield the mask of each event. In `events`, a name follows each event's header."""
    offset = 0
    while offset < len(events):
        _watch, mask, _cookie, length = _EVENT_HEADER.unpack_from(events, offset)
        offset += _EVENT_HEADER.size + length
        yield mask


class Watcher:
    """Watches a folder, and calls `ring` when a file may have been dropped."""

    def __init__(self, folder: Path, ring: Callable[[], None], *, poll: bool = False) -> None:
        self._folder = folder
        self._ring = ring
        self._poll = poll
        self._observer: _Events | BaseObserver | None = None
        self._watched: tuple[int, int] | None = None

    def start(self) -> None:
        """Start watching. Raises OSError if that fails."""
        status = self._folder.stat()
        if sys.platform.startswith("linux") and not self._poll:
            observer: _Events | BaseObserver = _Events(self._folder, self._ring)
        else:
            observer = _observer(self._folder, self._ring, poll=self._poll)
        observer.start()
        self._observer, self._watched = observer, (status.st_dev, status.st_ino)

    def stop(self) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None

    def is_alive(self) -> bool:
        """Whether the watched folder still exists, and the thread for its events is alive."""
        if self._observer is None:
            return False
        try:
            status = self._folder.stat()
        except OSError:
            return False
        same = (status.st_dev, status.st_ino) == self._watched
        threads: Sequence[threading.Thread] = [self._observer]
        if not isinstance(self._observer, _Events):
            threads = [*self._observer.emitters]
        return same and bool(threads) and all(thread.is_alive() for thread in threads)


def _observer(folder: Path, ring: Callable[[], None], *, poll: bool) -> BaseObserver:
    """A watchdog observer, for systems other than Linux or for polling."""
    import logging  # noqa: PLC0415 - rarely needed

    from watchdog import events  # noqa: PLC0415 - slow to load
    from watchdog.observers import Observer  # noqa: PLC0415
    from watchdog.observers.polling import PollingObserver  # noqa: PLC0415

    logging.getLogger("watchdog").addHandler(logging.NullHandler())  # this program has its own log
    hints: list[type[events.FileSystemEvent]] = [
        events.FileCreatedEvent,
        events.FileMovedEvent,
        events.FileClosedEvent,
        events.DirCreatedEvent,
        events.DirMovedEvent,
    ]
    if poll:
        hints.append(events.FileModifiedEvent)

    class Handler(events.FileSystemEventHandler):
        def on_any_event(self, _event: events.FileSystemEvent) -> None:
            ring()

    observer = PollingObserver() if poll else Observer()
    # The filter also excludes events of files that this process opens.
    observer.schedule(Handler(), str(folder), recursive=False, event_filter=hints)
    return observer
