"""How far a job of many puzzles is: a bar on a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from pipeline.errors import printable
from pipeline.log import Log
from pipeline.run.bulk import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

HEARTBEAT_SECONDS = 30.0


class Display:
    """Shows one job at a time; `bar` asks for a bar on standard error."""

    def __init__(self, log: Log, *, bar: bool) -> None:
        self._log = log
        self._wants_bar = bar and sys.stderr.isatty()
        self._source: str | None = None
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._first = Progress(0, 0, None)
        self._begun = self._said = 0.0

    def tick(self, source: str, progress: Progress) -> None:
        """Show how far the job of that source is."""
        now = time.monotonic()
        if source != self._source:
            self.end()
            self._source, self._first, self._begun, self._said = source, progress, now, now
            if self._wants_bar:
                self._open(source, progress)
        if self._bar is not None and self._task is not None:
            rate = self._rate(progress, now)
            about = f"{progress.puzzles:,} puzzles, {rate:,.0f}/s"
            self._bar.update(self._task, completed=progress.bytes_done, about=about)
        elif now - self._said >= HEARTBEAT_SECONDS:
            self._said = now
            self._say(progress, now)

    def _rate(self, progress: Progress, now: float) -> float:
        return (progress.puzzles - self._first.puzzles) / max(now - self._begun, 1e-9)

    def _say(self, progress: Progress, now: float) -> None:
        share = progress.share
        self._log.info(
            "job.progress",
            source=printable(self._source or ""),
            puzzles=progress.puzzles,
            per_second=round(self._rate(progress, now)),
            percent=None if share is None else round(100 * share, 1),
        )

    def _open(self, source: str, progress: Progress) -> None:
        from rich.console import Console  # noqa: PLC0415 - slow to load
        from rich.markup import escape  # noqa: PLC0415
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[about]}"),
            TimeRemainingColumn(),
        )
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        name = escape(printable(source))
        self._task = self._bar.add_task(name, total=progress.bytes_total, about="")
        self._bar.start()

    def end(self) -> None:
        """Show nothing more of the present job."""
        if self._bar is not None:
            self._bar.stop()
        self._bar = self._task = self._source = None
