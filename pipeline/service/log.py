"""The log, a sequence of named events with fields, and the display of progress.

structlog writes JSON logs to standard error; `cli.screen` contains the log for people. Progress is
a bar on a terminal, and an event every 30 seconds elsewhere.
"""

from __future__ import annotations

import locale
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol, TextIO, TypeVar, cast

from pipeline.errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


_T = TypeVar("_T")


class Log(Protocol):
    """A log of named events with fields, which are passed as keyword arguments."""

    def info(self, event: str, **values: Any) -> None: ...
    def warning(self, event: str, **values: Any) -> None: ...
    def error(self, event: str, **values: Any) -> None: ...


class _StandardError:
    """Writes to the current sys.stderr, which a progress bar replaces to keep lines above it."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


class LazyLog:
    """A log with one JSON object per line. Loads structlog when the first event is written.

    Loading structlog takes an eighth of a second, half the start-up time of a command.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._log: Any = None

    def info(self, event: str, **values: Any) -> None:
        if not self._quiet:
            self._emit("info", event, values)

    def warning(self, event: str, **values: Any) -> None:
        self._emit("warning", event, values)

    def error(self, event: str, **values: Any) -> None:
        self._emit("error", event, values)

    def _emit(self, level: str, event: str, values: dict[str, Any]) -> None:
        with suppress(OSError, ValueError):  # a full disk must not stop the work
            getattr(self._structlog(), level)(event, **values)

    def _structlog(self) -> Any:
        """The structlog logger, created on first use."""
        if self._log is None:
            import structlog  # noqa: PLC0415 - slow to load

            self._log = structlog.wrap_logger(
                structlog.PrintLogger(cast("TextIO", _StandardError())),
                processors=[
                    structlog.processors.add_log_level,
                    structlog.processors.TimeStamper(fmt="iso", utc=True),
                    structlog.processors.JSONRenderer(),
                ],
            )
        return self._log


HEARTBEAT_SECONDS = 30.0
"""Seconds between progress events if there is no bar."""

BAR_DELAY_SECONDS = 1.0
"""Seconds after which a bar is shown; most jobs finish earlier."""

REDRAW_SECONDS = 0.1
"""Minimum seconds between updates of the bar."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a job.

    - `puzzles`: number of puzzles, or other items, that are done.
    - `bytes_done`, `bytes_total`: number of bytes read, and the total number if known.
    - `noun`: the word for an item.
    - `is_count`: whether `bytes_done` and `bytes_total` count items instead of bytes.
    - `remark`: a text after the number of items, such as `500 tried`.
    """

    puzzles: int
    bytes_done: int
    bytes_total: int | None
    noun: str = "puzzle"
    is_count: bool = False
    remark: str = ""

    @property
    def fraction(self) -> float | None:
        """The fraction done, from 0 to 1; None if the total is unknown."""
        return min(1.0, self.bytes_done / self.bytes_total) if self.bytes_total else None


def can_encode(text: str, stream: TextIO) -> bool:
    """Whether both the locale and the stream can encode the text.

    In the C locale, Python's streams encode UTF-8, which the terminal may not display.
    """
    try:
        text.encode(locale.getencoding())
        text.encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def is_journal(stream: TextIO) -> bool:
    """Whether this stream goes to the systemd journal, according to $JOURNAL_STREAM."""
    with suppress(OSError, ValueError):
        status = os.fstat(stream.fileno())
        return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"
    return False


class Display:
    """Shows the progress of one job at a time.

    `bar` allows a bar if `stream`, by default standard error, is a terminal. Without a bar, an
    event is written to `log`, if given, every 30 seconds.
    """

    def __init__(
        self,
        log: Log | None,
        *,
        bar: bool,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log = log
        self._stream = stream or sys.stderr
        self.has_bar = bar and self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._clock = clock
        self._source: str | None = None
        self._bar: tuple[Bar, TaskID] | None = None
        self._start_progress = Progress(0, 0, None)
        self._started_at = self._logged_at = self._drawn_at = 0.0

    def begin(self, source: str, progress: Progress) -> None:
        """Start to measure the rate of a source's job, unless it is the current job.

        `progress` is the progress made before, for example by earlier runs.
        """
        if source != self._source:
            self.end()
            now = self._clock()
            self._source, self._start_progress = source, progress
            self._started_at = self._logged_at = now

    def tick(self, source: str, progress: Progress) -> None:
        """Show or log the progress of a source's job if it is due."""
        self.begin(source, progress)
        now = self._clock()
        if self.has_bar:
            is_due = now - self._drawn_at >= REDRAW_SECONDS
            if is_due and now - self._started_at >= BAR_DELAY_SECONDS:
                self._drawn_at = now
                self._show(source, progress, now)
        elif self._log and now - self._logged_at >= HEARTBEAT_SECONDS:
            self._logged_at = now
            self._log_progress(self._log, source, progress, now)

    def _rate(self, progress: Progress, now: float) -> float:
        return (progress.puzzles - self._start_progress.puzzles) / max(now - self._started_at, 1e-9)

    def _time_left(self, progress: Progress, now: float) -> timedelta | None:
        """The estimated time left; None if it cannot be estimated."""
        done = progress.bytes_done - self._start_progress.bytes_done
        rest = (progress.bytes_total or 0) - progress.bytes_done
        if done <= 0 or rest < 0:  # for a compressed source, bytes_done can exceed bytes_total
            return None
        return timedelta(seconds=round(rest * (now - self._started_at) / done))

    def _log_progress(self, log: Log, source: str, progress: Progress, now: float) -> None:
        """Log a progress event."""
        fraction = progress.fraction
        log.info(
            "job.progress",
            source=printable(source),
            puzzles=progress.puzzles,
            per_second=round(self._rate(progress, now)),
            percent=None if fraction is None else round(100 * fraction, 1),
        )

    def _show(self, source: str, progress: Progress, now: float) -> None:
        """Update the progress bar."""
        bar, task = self._bar = self._bar or self._open_bar(source, progress)
        done, total = progress.puzzles, progress.is_count and progress.bytes_total
        about = f"{done:,} of {total:,}" if total else f"{done:,}"
        about += f" {progress.noun}{'s' * ((total or done) != 1)}"
        about += f", {progress.remark}" if progress.remark else ""
        rate = self._rate(progress, now)
        if rate >= 1 or not total:  # with a few slow items, estimates would jump
            left = self._time_left(progress, now)
            about += f", {rate:,.0f}/s" + ("" if left is None else f", {left} left")
        bar.update(task, completed=progress.bytes_done, about=about, refresh=True)

    def _open_bar(self, source: str, progress: Progress) -> tuple[Bar, TaskID]:
        """Create a progress bar. Returns the bar and its task."""
        from rich.console import Console  # noqa: PLC0415 - slow to load
        from rich.markup import escape  # noqa: PLC0415
        from rich.progress import BarColumn, TextColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415

        ends = TextColumn("{task.description}"), TextColumn("{task.fields[about]}")
        columns = (ends[0], BarColumn(), ends[1]) if can_encode("━", self._stream) else ends
        console = Console(file=self._stream)
        bar = Bar(
            *columns,
            console=console,
            transient=True,
            auto_refresh=False,
            redirect_stdout=sys.stdout.isatty(),  # printed lines appear above the bar
        )
        name = escape(printable(source))
        task = bar.add_task(name, total=progress.bytes_total, about="")
        bar.start()
        return bar, task

    def with_progress(
        self, items: Iterable[_T], source: str, noun: str = "puzzle", total: int | None = None
    ) -> Iterator[_T]:
        """Yield the items, and show the numbers of processed items and, if given, of all items."""
        is_count = total is not None
        self.begin(source, Progress(0, 0, total, noun, is_count))
        try:
            for number, item in enumerate(items, 1):
                yield item
                self.tick(source, Progress(number, number, total, noun, is_count))
        finally:
            self.end()

    def end(self) -> None:
        """Remove the bar. The next job starts a new one."""
        if self._bar is not None:
            self._bar[0].stop()
        self._bar = self._source = None
