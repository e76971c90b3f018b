"""Progress of a job of many puzzles: a bar on a terminal, else a log line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, TextIO

from pipeline.errors import printable
from pipeline.log import Log
from pipeline.run.sinks import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

HEARTBEAT_SECONDS = 30.0


class Display:
    """Shows one job at a time; `bar` asks for a bar if `stream`, standard error, is a terminal."""

    def __init__(
        self,
        log: Log,
        *,
        bar: bool,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log = log
        self._stream = stream or sys.stderr
        self._wants_bar = bar and self._stream.isatty()
        self._clock = clock
        self._source: str | None = None
        self._bar: tuple[Bar, TaskID] | None = None
        self._first = Progress(0, 0, None)
        self._begun = self._said = 0.0

    def begin(self, source: str, progress: Progress) -> None:
        """Start the rate of that source's job now, with what is done already.

        Does nothing if it has begun.
        """
        if source != self._source:
            self.end()
            now = self._clock()
            self._source, self._first, self._begun, self._said = source, progress, now, now

    def tick(self, source: str, progress: Progress) -> None:
        """Show the progress of that source's job."""
        self.begin(source, progress)
        now = self._clock()
        if self._wants_bar:
            self._show(source, progress, now)
        elif now - self._said >= HEARTBEAT_SECONDS:
            self._said = now
            self._say(source, progress, now)

    def _rate(self, progress: Progress, now: float) -> float:
        return (progress.puzzles - self._first.puzzles) / max(now - self._begun, 1e-9)

    def _left(self, progress: Progress, now: float) -> timedelta | None:
        """The time that the rest will take at the pace so far, if that is known."""
        done = progress.bytes_done - self._first.bytes_done
        rest = (progress.bytes_total or 0) - progress.bytes_done
        if done <= 0 or rest < 0:  # more may be done of a compressed source than it has bytes
            return None
        return timedelta(seconds=round(rest * (now - self._begun) / done))

    def _say(self, source: str, progress: Progress, now: float) -> None:
        share = progress.share
        self._log.info(
            "job.progress",
            source=printable(source),
            puzzles=progress.puzzles,
            per_second=round(self._rate(progress, now)),
            percent=None if share is None else round(100 * share, 1),
        )

    def _show(self, source: str, progress: Progress, now: float) -> None:
        bar, task = self._bar = self._bar or self._opened(source, progress)
        about = f"{progress.puzzles:,} puzzles, {self._rate(progress, now):,.0f}/s"
        left = self._left(progress, now)
        if left is not None:
            about += f", {left} left"
        bar.update(task, completed=progress.bytes_done, about=about, refresh=True)

    def _opened(self, source: str, progress: Progress) -> tuple[Bar, TaskID]:
        from rich.console import Console  # noqa: PLC0415 - slow to load
        from rich.markup import escape  # noqa: PLC0415
        from rich.progress import BarColumn, TextColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[about]}"),
        )
        console = Console(file=self._stream)
        bar = Bar(*columns, console=console, transient=True, auto_refresh=False)
        name = escape(printable(source))
        task = bar.add_task(name, total=progress.bytes_total, about="")
        bar.start()
        return bar, task

    def end(self) -> None:
        if self._bar is not None:
            self._bar[0].stop()
        self._bar = self._source = None
