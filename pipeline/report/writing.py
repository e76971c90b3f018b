"""The page as a file, whole or not at all; and kept up to date while jobs are finished."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from pipeline.dropbox.folders import write_new
from pipeline.dropbox.names import REPORT
from pipeline.errors import in_words
from pipeline.report.page import page_pieces

__all__ = ["REPORT", "Keeper", "write_report", "write_whole"]

SECONDS = 5.0
"""The least time between two reports that are kept up to date."""

_SHARE = 20
"""A report that takes long is written seldom: it may use one part in so many of the time."""


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a text beside its place, then put it there. Raises OSError, and leaves nothing."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        fresh.unlink(missing_ok=True)  # of a process that was killed and had our number
        write_new(fresh, (piece.encode(errors="backslashreplace") for piece in pieces))
        os.replace(fresh, path)  # noqa: PTH105 - as the dropbox does
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def write_report(outbox: Path, inbox: Path, target: Path) -> None:
    """Write the page about an outbox. Raises OSError."""
    write_whole(target, page_pieces(outbox, inbox, target.parent))


class Keeper:
    """Keeps the report of an outbox up to date; a report that fails is a warning."""

    def __init__(
        self,
        outbox: Path,
        inbox: Path,
        warn: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outbox = outbox
        self._inbox = inbox
        self._warn = warn
        self._clock = clock
        self._stale = False
        self._next = 0.0

    def after(self, finished: int) -> float | None:
        """Take note of so many jobs that have ended, and write the report if it is time to.

        The first time it is written whatever has ended.
        In how many seconds to be asked again, if something is still to be written.
        """
        self._stale = self._stale or finished > 0 or not self._next
        if not self._stale:
            return None
        left = self._next - self._clock()
        if left > 0:
            return left
        self.write()
        return None

    def close(self) -> None:
        """Write what is still to be written."""
        if self._stale:
            self.write()

    def write(self) -> None:
        """Write the report, whatever happens."""
        began = self._clock()
        self._stale = False
        try:
            write_report(self._outbox, self._inbox, self._outbox / REPORT)
        except OSError as error:
            self._warn(in_words(error))
        except Exception as error:  # noqa: BLE001 - whatever strangers sent: the jobs go on
            self._warn(f"{type(error).__name__}: {error}")
        ended = self._clock()
        self._next = ended + max(SECONDS, _SHARE * (ended - began))
