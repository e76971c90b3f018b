"""All records of an outbox → totals, charts of times, and the jobs to show."""

from __future__ import annotations

import heapq
import math
import os
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Final

from pipeline.errors import duration
from pipeline.outbox import ENDING
from pipeline.outbox.report.records import JobSummary, is_within, read_job

_BINS_PER_DECADE: Final = 3
_FASTEST = 1e-6
_DAY = 86_400.0
_WIDTHS = (1, 2, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400, 604_800, 2_592_000, 31_536_000)
_MOST_BARS = 40
_ROOM, _HEIGHT, _FLOOR, _WIDEST = 360, 96, 74, 36
_PER = ((1.0, "second"), (60.0, "minute"), (3600.0, "hour"), (_DAY, "day"))


@dataclass(frozen=True, slots=True)
class PageBounds:
    """How much of an outbox a page shows; its totals count everything.

    At most `boards` are drawn, up to `rows` of them from one collection. At most so many members
    of archives are `timed`, and so many `members` of their originals are read.
    """

    jobs: int = 1_000
    boards: int = 1_000
    rows: int = 200
    timed: int = 10_000
    members: int = 50_000


@dataclass(slots=True)
class Survey:
    """The sums of all jobs of an outbox, and some of the jobs: `jobs`, out of `count`.

    `totals` counts puzzles by status, `known` those whose solutions are proved, or claimed, to be
    all. `solve_times` counts them by third of a power of ten of
    seconds: bin k holds those from 10^(k/3) on. `finished` and `puzzles` have an entry for each
    job whose end is known: seconds since 1970, and its number of puzzles; `started` is when the
    first began. An end after `latest` is ignored. `is_cut`: not all members of archives were
    timed.
    """

    jobs: Sequence[JobSummary] = ()
    count: int = 0
    totals: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    solve_times: Counter[int] = field(default_factory=Counter)
    finished: array[float] = field(default_factory=lambda: array("d"))
    puzzles: array[float] = field(default_factory=lambda: array("d"))
    started: float = math.inf
    latest: float = math.inf
    is_cut: bool = False

    def add(self, job: JobSummary) -> None:
        self.count += 1
        self.totals.update(job.totals)
        self.known.update(job.known)
        self.time(job)
        if job.finished is not None and job.finished <= self.latest:
            self.finished.append(job.finished)
            self.puzzles.append(job.puzzles)
            self.started = min(self.started, job.finished if job.started is None else job.started)

    def time(self, job: JobSummary) -> None:
        if "solve" in job.seconds:
            seconds = max(job.seconds["solve"], _FASTEST)
            self.solve_times[math.floor(_BINS_PER_DECADE * math.log10(seconds))] += 1


Over = Callable[[Iterable[Path]], Iterable[Path]]
"""Goes through the files of an outbox, and may show how far it is."""


def survey(outbox: Path, bounds: PageBounds, over: Over = iter) -> Survey:
    """Read all records; keep the jobs to show: failures, then the latest.

    Raises OSError if the folder cannot be read.
    """
    found = Survey(latest=time.time() + _DAY)
    kept: list[JobSummary] = []
    for path in over(outbox.iterdir()):
        if is_record(path.name) and (job := read_job(path)):
            found.add(job)
            kept.append(job)
            if len(kept) == 2 * bounds.jobs:
                kept = heapq.nsmallest(bounds.jobs, kept, key=_rank)
    found.jobs = heapq.nsmallest(bounds.jobs, kept, key=_rank)
    archives = (job for job in found.jobs if job.status == "archive")
    members = (member for job in archives for member in _members(outbox, job.stem))
    for number, member in enumerate(members):
        if number == bounds.timed:
            found.is_cut = True
            break
        found.time(member)
    return found


def is_record(name: str) -> bool:
    """Whether a file of an outbox is named like a record."""
    return name.endswith(ENDING) and not name.startswith(".")


def _rank(job: JobSummary) -> tuple[bool, float, str]:
    return job.is_well, -(job.finished or 0.0), job.stem


def _members(outbox: Path, stem: str) -> Iterator[JobSummary]:
    if not is_within(outbox / stem, outbox):
        return
    for folder, inner, names in os.walk(outbox / stem):
        inner.sort()
        for name in sorted(names):
            job = read_job(Path(folder) / name) if name.endswith(ENDING) else None
            if job is not None:
                yield job


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart: its count, what it counts, and the label below it."""

    count: int
    said: str
    label: str = ""


def solve_time_bars(found: Survey) -> list[Bar]:
    counts = found.solve_times
    if not counts:
        return []
    lowest = min(counts) // _BINS_PER_DECADE * _BINS_PER_DECADE
    end = -(-(max(counts) + 1) // _BINS_PER_DECADE) * _BINS_PER_DECADE
    bars = []
    for at in range(lowest, end):
        low, high = (duration(10 ** (edge / _BINS_PER_DECADE)) for edge in (at, at + 1))
        said = f"{low} to {high}: {counts[at]:,}"
        bars.append(Bar(counts[at], said, low if at % _BINS_PER_DECADE == 0 else ""))
    return bars


def finished_bars(found: Survey) -> tuple[list[Bar], str]:
    """How many puzzles were finished when, and the time that each bar covers."""
    if not found.finished:
        return [], ""
    first, last = found.started, max(found.finished)
    width = next((w for w in _WIDTHS if (last - first) / w < _MOST_BARS - 1), _WIDTHS[-1])
    first = max(first // width, last // width - 10 * _MOST_BARS) * width
    counts: Counter[int] = Counter()
    for moment, puzzles in zip(found.finished, found.puzzles, strict=True):
        counts[max(0, int((moment - first) // width))] += int(puzzles)
    number = int((last - first) // width) + 1
    ends = {0: moment_said(first), number - 1: moment_said(last)} if number > 1 else {}
    bars = [
        Bar(counts[at], f"from {moment_said(first + at * width)}: {counts[at]:,}", ends.get(at, ""))
        for at in range(number)
    ]
    return bars, duration(width)


def rate(found: Survey) -> str:
    """How many puzzles were finished per unit of time, on average."""
    if not found.finished:
        return ""
    seconds, puzzles = max(found.finished) - found.started, sum(found.puzzles)
    if seconds <= 0 or not puzzles:
        return ""
    per_second = puzzles / seconds
    length, unit = next((each for each in _PER if per_second * each[0] >= 1), _PER[-1])
    number = per_second * length
    shown = f"{number:,.0f}" if number >= 10 else f"{number:.1f}"
    return f"{shown} a {unit}, {puzzles:,.0f} in {duration(seconds)}"


def bars_svg(bars: Sequence[Bar], title: str, key: str, *, centred: bool = False) -> str:
    """A bar chart as SVG whose ids begin with `key`; the largest bar shows its count.

    Labels stand at the left edges of bars, or below their middles if `centred`.
    """
    step = _ROOM / len(bars)
    width = min(step * 0.84, _WIDEST)
    most = max(bar.count for bar in bars)
    parts = []
    for at, bar in enumerate(bars):
        left, height = at * step, bar.count / most * (_FLOOR - 16)
        height = max(height, 1.5) if bar.count else 0
        parts.append(
            f'<rect class="bar" x="{left + (step - width) / 2:.1f}" y="{_FLOOR - height:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}"><title>{escape(bar.said)}</title>'
            f"</rect>"
        )
        if bar.label:
            is_last = at == len(bars) - 1 and at > 0
            x, anchor = (left + step, "end") if is_last else (left, "start")
            if centred:
                x, anchor = left + step / 2, "middle"
            parts.append(f'<text x="{x:.1f}" y="{_FLOOR + 15}" class="{anchor}">{bar.label}</text>')
    highest = max(range(len(bars)), key=lambda at: bars[at].count)
    middle = min(max((highest + 0.5) * step, 20), _ROOM - 20)
    parts.append(f'<text class="peak" x="{middle:.1f}" y="11">{most:,}</text>')
    said = "; ".join(bar.said for bar in bars if bar.count)
    return (
        f'<svg class="chart" viewBox="0 0 {_ROOM} {_HEIGHT}" role="img" '
        f'aria-labelledby="{key}t {key}d"><title id="{key}t">{escape(title)}</title>'
        f'<desc id="{key}d">{escape(said)}</desc>'
        f'<path class="floor" d="M0 {_FLOOR}h{_ROOM}"/>{"".join(parts)}</svg>'
    )


def moment_said(seconds: float) -> str:
    """The time in UTC, to the second."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"
