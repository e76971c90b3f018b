"""The page as a file, whole or not at all; and kept up to date while jobs are finished."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from secrets import token_hex

from pipeline.dropbox.folders import write_new
from pipeline.dropbox.names import REPORT
from pipeline.errors import in_words
from pipeline.report.page import page_pieces

__all__ = ["REPORT", "Keeper", "write_report", "write_whole"]

SECONDS = 5.0
"""The least time between two reports that are kept up to date."""

_SHARE = 20
"""A report that takes long is written seldom: it may use one part in so many of the time."""

_ABANDONED = 3600.0
"""Seconds after which nobody writes any more what is not yet in its place."""


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a text beside its place, then put it there. Raises OSError, and leaves nothing."""
    fresh = path.with_name(f".{path.name}-{token_hex(4)}.tmp")
    try:
        write_new(fresh, (piece.encode(errors="backslashreplace") for piece in pieces))
        os.replace(fresh, path)  # noqa: PTH105 - as the dropbox does
    except OSError as error:
        _remove(fresh)
        if error.filename in (None, str(fresh)) and error.errno is not None:
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise
    except BaseException:
        _remove(fresh)
        raise


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def write_report(outbox: Path, inbox: Path, target: Path) -> None:
    """Write the page about an outbox. Raises OSError."""
    _clear_away(target)
    write_whole(target, page_pieces(outbox, inbox, target.parent))


def _clear_away(target: Path) -> None:
    """Remove what those left who were killed while they wrote; who is still writing is younger."""
    ours = re.compile(re.escape(f".{target.name}-") + r"[0-9a-f]{8}\.tmp")
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED:
                        _remove(Path(entry.path))


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
