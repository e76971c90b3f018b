"""The file of `--metrics`: what a monitor asks of `run` and `watch`.

The text is both OpenMetrics and the older format of Prometheus, which the textfile collector of the
node exporter reads if the file's name ends in `.prom`. Alarm if

    time() - sudoku_pipeline_last_scan_timestamp_seconds > 300   nothing scans, or every scan fails
    sudoku_pipeline_queue_oldest_age_seconds > 3600              a file waits, and is not taken

The text is written here, because no library writes what both formats allow: that of Prometheus'
Python client has types which one or the other parser refuses.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.errors import EnvironmentFailure, UsageError, in_words, printable
from pipeline.files import replacing
from pipeline.outbox.schema import REFUSED, STATUSES, WITH_TOTALS
from pipeline.service.jobs import Ended
from pipeline.service.log import Log
from pipeline.service.protocol.settle import names_in
from pipeline.version import __version__

_PAUSE = 1.0
_JOBS = [name for name in STATUSES if name not in (REFUSED, "other")]
_PUZZLES = [name for name in STATUSES if name not in WITH_TOTALS]


class Metrics:
    """Counts since the start, and the state of the inbox at the last scan.

    Raises UsageError if `path` cannot be that of the file.
    """

    def __init__(
        self, path: Path, inbox: Path, log: Log, clock: Callable[[], float] = time.time
    ) -> None:
        _check(path, inbox)
        self._path = path
        self._inbox = inbox
        self._log = log
        self._clock = clock
        self._started = clock()
        self._scanned = 0.0
        self._seconds = 0.0
        self._is_healthy = True
        self._has_failed = False
        self._jobs = dict.fromkeys(_JOBS, 0)
        self._puzzles = dict.fromkeys(_PUZZLES, 0)
        self._waiting: list[float] = []
        self._write_next = 0.0

    def count(self, ended: Ended) -> None:
        self._jobs[ended.status] += 1
        for status in _PUZZLES:
            self._puzzles[status] += ended.totals.get(status, 0)

    @contextmanager
    def scanning(self) -> Iterator[None]:
        """Count the time inside as that of a scan, which fails with an EnvironmentFailure."""
        begun = time.monotonic()
        try:
            yield
        except EnvironmentFailure:
            self._is_healthy = False
            raise
        else:
            self._is_healthy, self._scanned = True, self._clock()
        finally:
            self._seconds += time.monotonic() - begun

    def write(self, *, more_soon: bool = False) -> None:
        """Replace the file; if there will be more to write soon, once a second.

        If it cannot be written, that is logged once, and hinders nothing. Everybody may read it,
        whatever the umask: an exporter is another user, and no name of a file is in it.
        """
        if more_soon and time.monotonic() < self._write_next:
            return
        self._write_next = time.monotonic() + _PAUSE
        with suppress(OSError):  # the scan will have told
            self._waiting = [*_times_of(self._inbox)]
        try:
            with replacing(self._path) as file:
                os.fchmod(file.fileno(), 0o644)
                file.writelines(map(str.encode, self._lines()))
            self._has_failed = False
        except OSError as error:
            if not self._has_failed:
                self._log.warning("metrics.failed", reason=in_words(error))
            self._has_failed = True

    def _lines(self) -> Iterator[str]:
        """The text, as the parsers of OpenMetrics and of Prometheus both take it.

        The node exporter refuses the type `info`. Counters are untyped to it, as it looks for
        their type under their full name.
        """
        now = self._clock()
        oldest = max(0.0, now - min(self._waiting, default=now))
        for kind, name, meaning, values in (
            ("gauge", "build_info", "The version.", {f'{{version="{__version__}"}}': 1}),
            ("gauge", "start_time_seconds", "Time of the start.", self._started),
            (
                "gauge",
                "last_scan_timestamp_seconds",
                "Time of the last successful scan.",
                self._scanned,
            ),
            ("gauge", "healthy", "1, or 0 if the last scan failed.", int(self._is_healthy)),
            ("gauge", "queue_files", "Files waiting in the inbox.", len(self._waiting)),
            ("gauge", "queue_oldest_age_seconds", "Age of the oldest file in the inbox.", oldest),
            ("counter", "jobs", "Finished jobs.", _by_status(self._jobs)),
            ("counter", "puzzles", "Puzzles in finished jobs.", _by_status(self._puzzles)),
            ("counter", "scan_seconds", "Time spent in scans, processing included.", self._seconds),
        ):
            full = f"sudoku_pipeline_{name}"
            yield f"# TYPE {full} {kind}\n"
            if full.endswith("_seconds"):
                yield f"# UNIT {full} seconds\n"
            yield f"# HELP {full} {meaning}\n"
            suffix = "_total" if kind == "counter" else ""
            for labels, value in values.items() if isinstance(values, dict) else [("", values)]:
                yield f"{full}{suffix}{labels} {value}\n"
        yield "# EOF\n"


def _by_status(counts: dict[str, int]) -> dict[str, int]:
    return {f'{{status="{name}"}}': number for name, number in counts.items()}


def _times_of(inbox: Path) -> Iterator[float]:
    """When each name in the inbox came there: its ctime, which a rename sets. Raises OSError."""
    for name in names_in(inbox)[0]:
        with suppress(FileNotFoundError):
            yield (inbox / name).lstat().st_ctime


def _check(path: Path, inbox: Path) -> None:
    """Raise UsageError if the file may not be made there."""
    shown = f"--metrics {printable(str(path))}"
    if path.exists() and not path.is_file():
        raise UsageError(f"{shown}: expected the name of a file, found something else")
    if not path.parent.is_dir():
        raise UsageError(f"{shown}: no such folder; create it first")
    if inbox.is_dir() and path.parent.samefile(inbox):
        raise UsageError(f"{shown}: it would be processed as a dropped file; choose another folder")
