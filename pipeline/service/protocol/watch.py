"""Hints that something was dropped. A scan decides what; a hint only wakes it.

Events get lost (inotify's queue overflows silently) and never come from network and container
mounts, so the callers also scan now and then.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver


class Alarm:
    """Something to wait for that threads and signal handlers can ring.

    `waited` are the seconds of all waits. Many threads may wait for `ear` to be readable beside
    other descriptors: it stays so until the next `wait`.
    """

    def __init__(self) -> None:
        self.waited = 0.0
        self.ear, self._bell = os.pipe()
        os.set_blocking(self.ear, False)
        os.set_blocking(self._bell, False)

    def ring(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it has rung often enough
            os.write(self._bell, b"!")

    def wait(self, seconds: float) -> bool:
        """Return when it has rung since the last wait, or after that time; whether it has."""
        poll = select.poll()
        poll.register(self.ear, select.POLLIN)
        begun = time.monotonic()
        rung = bool(poll.poll(math.ceil(seconds * 1000)))
        self.waited += time.monotonic() - begun
        with contextlib.suppress(BlockingIOError):
            while os.read(self.ear, 4096):
                pass
        return rung

    def close(self) -> None:
        os.close(self.ear)
        os.close(self._bell)


def _pair_no_moves() -> None:
    """Keep watchdog from delaying events by half a second.

    It waits that long for the other half of every move out of the folder, such as each claim, and
    holds back all later events. Either half is hint enough.
    """
    for module, name in (
        ("watchdog.observers.inotify_move_event_grouper", "InotifyMoveEventGrouper"),  # from 7 on
        ("watchdog.observers.inotify_buffer", "InotifyBuffer"),
    ):
        with contextlib.suppress(ImportError):
            getattr(import_module(module), name).delay = 0.0


class Watcher:
    """An observer of one folder that rings when a file may have been dropped in it."""

    def __init__(self, folder: Path, ring: Callable[[], None], *, poll: bool = False) -> None:
        self._folder = folder
        self._ring = ring
        self._poll = poll
        self._observer: BaseObserver | None = None
        self._watched: tuple[int, int] | None = None

    def start(self) -> None:
        """Begin to observe. Raises OSError if that is impossible."""
        import logging  # noqa: PLC0415 - `run` has no need of these

        from watchdog import events  # noqa: PLC0415
        from watchdog.observers import Observer  # noqa: PLC0415
        from watchdog.observers.polling import PollingObserver  # noqa: PLC0415

        logging.getLogger("watchdog").addHandler(logging.NullHandler())  # we have our own log
        hints: list[type[events.FileSystemEvent]] = [
            events.FileCreatedEvent,
            events.FileMovedEvent,
            events.FileClosedEvent,
            events.DirCreatedEvent,
            events.DirMovedEvent,
        ]
        if self._poll:
            hints.append(events.FileModifiedEvent)
        ring = self._ring

        class Handler(events.FileSystemEventHandler):
            def on_any_event(self, _event: events.FileSystemEvent) -> None:
                ring()

        _pair_no_moves()
        status = self._folder.stat()
        observer = PollingObserver() if self._poll else Observer()
        # The filter also keeps the observer from waking when we open files ourselves.
        observer.schedule(Handler(), str(self._folder), recursive=False, event_filter=hints)
        observer.start()
        self._observer, self._watched = observer, (status.st_dev, status.st_ino)

    def stop(self) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None

    def is_alive(self) -> bool:
        """Whether the folder that was watched is still there, and its events still arrive."""
        if self._observer is None:
            return False
        try:
            status = self._folder.stat()
        except OSError:
            return False
        same = (status.st_dev, status.st_ino) == self._watched
        emitters = self._observer.emitters
        return same and bool(emitters) and all(emitter.is_alive() for emitter in emitters)
