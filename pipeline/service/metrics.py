"""Metrics of `run` and `watch` for monitoring, in the file of `--metrics`.

The text is valid both as OpenMetrics and as the older Prometheus format, which the node exporter's
textfile collector reads from files named `*.prom`. Suggested alerts:

    time() - sudoku_pipeline_last_scan_timestamp_seconds > 300   no process scans, or all scans fail
    sudoku_pipeline_queue_oldest_age_seconds > 3600              a file is not processed

This module formats the text itself, because the Prometheus client for Python uses types that one
parser or the other rejects.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.errors import EnvironmentFailure, UsageError, in_words, printable
from pipeline.files import atomic_file
from pipeline.outbox.schema import REFUSED, STATUSES, WITH_TOTALS
from pipeline.service.jobs import EndedJob
from pipeline.service.log import Log
from pipeline.service.protocol.settle import names_in
from pipeline.version import __version__

_MIN_WRITE_INTERVAL = 1.0
"""Minimum seconds between writes of the file while a long job is running."""
_JOB_STATUSES = [name for name in STATUSES if name not in (REFUSED, "other")]
_PUZZLE_STATUSES = [name for name in STATUSES if name not in WITH_TOTALS]
"""The labels `status` of the counters of jobs and of puzzles."""


class Metrics:
    """Counters since the start, and the state of the inbox at the last scan.

    Raises UsageError if the file cannot be written at `path`.
    """

    def __init__(
        self, path: Path, inbox: Path, log: Log, clock: Callable[[], float] = time.time
    ) -> None:
        _check_path(path, inbox)
        self._path = path
        self._inbox = inbox
        self._log = log
        self._clock = clock
        self._start_time = clock()
        self._last_scan = 0.0
        self._scan_seconds = 0.0
        self._is_healthy = True
        self._has_failed = False
        self._jobs = dict.fromkeys(_JOB_STATUSES, 0)
        self._puzzles = dict.fromkeys(_PUZZLE_STATUSES, 0)
        self._arrival_times: list[float] = []
        self._next_write = 0.0

    def count(self, ended: EndedJob) -> None:
        """Count a finished job and its puzzles."""
        self._jobs[ended.status] += 1
        for status in _PUZZLE_STATUSES:
            self._puzzles[status] += ended.totals.get(status, 0)

    @contextmanager
    def scanning(self) -> Iterator[None]:
        """Measure the scan in the `with` block. It fails if it raises EnvironmentFailure."""
        started = time.monotonic()
        try:
            yield
        except EnvironmentFailure:
            self._is_healthy = False
            raise
        else:
            self._is_healthy, self._last_scan = True, self._clock()
        finally:
            self._scan_seconds += time.monotonic() - started

    def write(self, *, is_frequent: bool = False) -> None:
        """Write the file again; if `is_frequent`, at most once a second.

        A failure is logged once. All users can read the file, whatever the umask: exporters run as
        other users, and the file contains no file names.
        """
        if is_frequent and time.monotonic() < self._next_write:
            return
        self._next_write = time.monotonic() + _MIN_WRITE_INTERVAL
        with suppress(OSError):  # the scan reports this error
            self._arrival_times = [*_arrival_times(self._inbox)]
        try:
            with atomic_file(self._path) as file:
                os.fchmod(file.fileno(), 0o644)
                file.writelines(map(str.encode, self._lines()))
            self._has_failed = False
        except OSError as error:
            if not self._has_failed:
                self._log.warning("metrics.failed", reason=in_words(error))
            self._has_failed = True

    def _lines(self) -> Iterator[str]:
        """The lines of the file, valid as OpenMetrics and as Prometheus text.

        The node exporter rejects the type `info`, so `build_info` is a gauge. It treats counters as
        untyped, because it looks up types by the name with the suffix `_total`.
        """
        now = self._clock()
        oldest = max(0.0, now - min(self._arrival_times, default=now))
        for kind, name, meaning, values in (
            (
                "gauge",
                "build_info",
                "The version of this program.",
                {f'{{version="{__version__}"}}': 1},
            ),
            ("gauge", "start_time_seconds", "Time of the start.", self._start_time),
            (
                "gauge",
                "last_scan_timestamp_seconds",
                "Time of the last successful scan.",
                self._last_scan,
            ),
            ("gauge", "healthy", "1, or 0 if the last scan failed.", int(self._is_healthy)),
            ("gauge", "queue_files", "Files waiting in the inbox.", len(self._arrival_times)),
            ("gauge", "queue_oldest_age_seconds", "Age of the oldest file in the inbox.", oldest),
            ("counter", "jobs", "Finished jobs.", _by_status(self._jobs)),
            ("counter", "puzzles", "Puzzles in finished jobs.", _by_status(self._puzzles)),
            (
                "counter",
                "scan_seconds",
                "Time spent in scans and in processing files.",
                self._scan_seconds,
            ),
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


def _arrival_times(inbox: Path) -> Iterator[float]:
    """Yield the time when each file arrived in the inbox: its ctime, which a rename sets."""
    for name in names_in(inbox)[0]:
        with suppress(FileNotFoundError):
            yield (inbox / name).lstat().st_ctime


def _check_path(path: Path, inbox: Path) -> None:
    """Raise UsageError if the metrics file cannot be written at `path`."""
    shown = f"--metrics {printable(str(path))}"
    if path.exists() and not path.is_file():
        raise UsageError(f"{shown}: not a regular file; choose another file")
    if not path.parent.is_dir():
        raise UsageError(f"{shown}: its folder does not exist; create it first")
    if inbox.is_dir() and path.parent.samefile(inbox):
        raise UsageError(f"{shown}: it would be processed as a dropped file; choose another folder")
