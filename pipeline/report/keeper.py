"""The report of an outbox, kept up to date while jobs are finished."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pipeline.errors import in_words, printable
from pipeline.published.names import REPORT
from pipeline.report.writing import retire_report, write_report

SECONDS = 5.0
"""The least time between two reports."""

_SHARE, _LONGEST = 20, 300.0
"""A report that takes long is written seldom: it may use one part in so many of the time, but is
not put off for longer than these seconds."""

_SLOW = 1.0
"""A report that took so many seconds is next written by a process apart, which keeps no job
waiting; and not at all by who is told to stop: the next run writes it."""

_LOOK, _PATIENCE = 1.0, 2.0


class Keeper:
    """Keeps the report of an outbox up to date; a report that fails is a warning.

    Until the end the page renews itself where it is open.
    """

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
        self._stale = True
        self._renews = False
        self._began = self._next = clock()
        self._took = 0.0
        self._said = ""
        self._apart: subprocess.Popen[bytes] | None = None

    def after(self, finished: int) -> float | None:
        """Take note of so many jobs that have ended, and write the report if it is time to.

        The first time it is written whatever has ended.
        In how many seconds to be asked again, if something is still to be written.
        """
        self._stale = self._stale or finished > 0
        if self._apart is not None:
            status = self._apart.poll()
            if status is None:
                return _LOOK
            self._end_apart(self._apart, status)
        if not self._stale:
            return None
        left = self._next - self._clock()
        if left > 0:
            return left
        if self._took >= _SLOW:
            self._begin_apart()
        else:
            self.write()
        return max(self._next - self._clock(), _LOOK) if self._stale or self._apart else None

    def finish(self) -> None:
        """Write what is still to be written, however long that takes."""
        self._end(is_patient=True)

    def close(self) -> None:
        """Write what is still to be written, if that is done soon."""
        self._end(is_patient=False)

    def _end(self, *, is_patient: bool) -> None:
        self._stop_apart()
        if self._stale and (is_patient or self._took < _SLOW):
            self.write(is_kept=False)
        if self._renews:
            with contextlib.suppress(OSError):  # it renews itself in vain
                retire_report(self._outbox / REPORT)
            self._renews = False

    def write(self, *, is_kept: bool = True) -> None:
        """Write the report, whatever happens."""
        self._began = self._clock()
        why = ""
        try:
            write_report(self._outbox, self._inbox, self._outbox / REPORT, is_kept=is_kept)
        except OSError as error:
            why = in_words(error)
        except Exception as error:  # noqa: BLE001 - whatever strangers sent: the jobs go on
            why = f"{type(error).__name__}: {error}"
        else:
            self._renews = is_kept
        self._ended(why)

    def _ended(self, why: str) -> None:
        """Take note of a report that is written, or why it is not; the same is said once."""
        ended = self._clock()
        self._took = ended - self._began
        self._next = ended + min(max(SECONDS, _SHARE * self._took), _LONGEST)
        self._stale = bool(why)
        if why and why != self._said:
            self._warn(why)
        self._said = why

    def _begin_apart(self) -> None:
        """Have a process of its own write the report."""
        folders = (str(self._outbox.absolute()), str(self._inbox.absolute()))
        command = (sys.executable, "-m", "pipeline.report", *folders)
        null, pipe = subprocess.DEVNULL, subprocess.PIPE
        self._began = self._clock()
        try:
            self._apart = subprocess.Popen(command, stdin=null, stdout=null, stderr=pipe)  # noqa: S603
        except OSError as error:
            self._ended(in_words(error))
        else:
            self._renews = True
            self._stale = False  # what ends from now on is for the next

    def _end_apart(self, process: subprocess.Popen[bytes], status: int) -> None:
        stale, self._apart = self._stale, None
        said = process.communicate()[1].decode(errors="replace").strip()
        self._ended(printable(said[-500:] or f"exit code {status}") if status else "")
        self._stale = self._stale or stale

    def _stop_apart(self) -> None:
        """Interrupt the process that writes the report, so that it leaves nothing."""
        process, self._apart = self._apart, None
        if process is None:
            return
        if process.poll() is None:
            self._stale = True
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
            process.kill()
        process.communicate()
