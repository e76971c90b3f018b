"""Read all records of an outbox: totals, times, and the jobs to show."""

from __future__ import annotations

import heapq
import math
import os
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pipeline.outbox import RECORD_SUFFIX
from pipeline.outbox.report.published_jobs import PublishedJob, is_within, read_job

BINS_PER_DECADE: Final = 3
"""Number of bins of solve times per power of ten."""

_MIN_SOLVE_SECONDS = 1e-6
"""Shorter solve times are counted as this time, because 0 has no logarithm."""

_DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class PageBounds:
    """Limits on the content of a page, except for totals, which count all puzzles.

    - `jobs`: maximum number of listed jobs.
    - `boards`: maximum number of boards.
    - `boards_per_job`: maximum number of boards of one collection or archive.
    - `board_characters`: maximum number of characters of all boards.
    - `timed_members`: maximum number of archive members whose times are read.
    - `read_members`: maximum number of archive members that are read to find originals.
    """

    jobs: int = 1_000
    boards: int = 1_000
    boards_per_job: int = 200
    board_characters: int = 2_000_000
    timed_members: int = 10_000
    read_members: int = 50_000


@dataclass(slots=True)
class Survey:
    """Statistics of all jobs of an outbox, and the jobs to show. Times are in seconds since 1970.

    - `jobs`: the jobs to show.
    - `count`: the number of all jobs.
    - `totals`: numbers of puzzles by status.
    - `completeness_counts`: numbers of complete results, by PROVED and UNVERIFIED.
    - `solve_times`: numbers of puzzles by solve time; bin k begins at 10^(k/3) seconds.
    - `finished`, `puzzles`: for each job whose end is known, its end and its number of puzzles.
    - `started`: when the first job whose end is known started.
    - `latest`: a job with a later end counts as one whose end is unknown.
    - `lacks_times`: whether the times of some members of archives were not read.
    """

    jobs: Sequence[PublishedJob] = ()
    count: int = 0
    totals: Counter[str] = field(default_factory=Counter)
    completeness_counts: Counter[str] = field(default_factory=Counter)
    solve_times: Counter[int] = field(default_factory=Counter)
    finished: array[float] = field(default_factory=lambda: array("d"))
    puzzles: array[float] = field(default_factory=lambda: array("d"))
    started: float = math.inf
    latest: float = math.inf
    lacks_times: bool = False

    def add(self, job: PublishedJob) -> None:
        """Add a job to the statistics."""
        self.count += 1
        self.totals.update(job.totals)
        self.completeness_counts.update(job.record.completeness_counts)
        self.add_time(job)
        if job.finished is not None and job.finished <= self.latest:
            self.finished.append(job.finished)
            self.puzzles.append(job.puzzles)
            started = job.started
            self.started = min(self.started, job.finished if started is None else started)

    def add_time(self, job: PublishedJob) -> None:
        """Add the solve time of a job, or of a member of an archive, to the statistics."""
        if "solve" in job.seconds:
            seconds = max(job.seconds["solve"], _MIN_SOLVE_SECONDS)
            self.solve_times[math.floor(BINS_PER_DECADE * math.log10(seconds))] += 1


TrackRecords = Callable[[Sequence[Path]], Iterable[Path]]
"""A function that iterates over the paths of records, and may show progress meanwhile."""


def survey(outbox: Path, bounds: PageBounds, track: TrackRecords = iter) -> Survey:
    """Read all records, and choose the jobs to show: first failures, then the latest jobs.

    Raises OSError if the folder cannot be read.
    """
    result = Survey(latest=time.time() + _DAY_SECONDS)

    def jobs() -> Iterator[PublishedJob]:
        names = filter(is_record, os.listdir(outbox))  # noqa: PTH208 - there may be a million
        for path in track([outbox / name for name in names]):
            if job := read_job(path):
                result.add(job)
                yield job

    result.jobs = heapq.nsmallest(bounds.jobs, jobs(), key=_sort_key)
    archives = (job for job in result.jobs if job.status == "archive")
    members = (member for job in archives for member in _members(outbox, job.stem))
    for number, member in enumerate(members):
        if number == bounds.timed_members:
            result.lacks_times = True
            break
        result.add_time(member)
    return result


def is_record(name: str) -> bool:
    """Whether a file with this name in an outbox is a record."""
    return name.endswith(RECORD_SUFFIX) and not name.startswith(".")


def _sort_key(job: PublishedJob) -> tuple[bool, float, str]:
    """The sort key of jobs on the page: failures first, then the latest."""
    return job.has_no_failures, -(job.finished or 0.0), job.stem


def _members(outbox: Path, stem: str) -> Iterator[PublishedJob]:
    """Yield the jobs of the members of the archive with this stem."""
    if not is_within(outbox / stem, outbox):
        return
    for folder, subfolders, names in os.walk(outbox / stem):
        subfolders.sort()
        for name in sorted(names):
            job = read_job(Path(folder) / name) if name.endswith(RECORD_SUFFIX) else None
            if job is not None:
                yield job
