"""All records of an outbox → totals, times, and the jobs that are shown."""

from __future__ import annotations

import heapq
import math
import os
import time
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Final

from pipeline.published import ENDING
from pipeline.report.records import Job, is_within, read_job

BINS_PER_DECADE: Final = 3
_FASTEST = 1e-6
MOST_TIMED = 10_000
_DAY = 86_400.0


@dataclass(slots=True)
class Survey:
    """What all jobs of an outbox come to, and some of them: `jobs`, of which there are `count`.

    `totals` counts puzzles per status. `solve_times` counts them per power of ten to a third of
    seconds: bin k holds those from 10^(k/3) on. `finished` and `puzzles` have an entry for each
    job whose end is known, seconds since 1970 and how many; `started` is when the first began.
    An end after `latest` is not believed. `is_cut`: not all members of archives were timed.
    """

    jobs: tuple[Job, ...] = ()
    count: int = 0
    totals: Counter[str] = field(default_factory=Counter)
    solve_times: Counter[int] = field(default_factory=Counter)
    finished: array[float] = field(default_factory=lambda: array("d"))
    puzzles: array[float] = field(default_factory=lambda: array("d"))
    started: float = math.inf
    latest: float = math.inf
    is_cut: bool = False

    def add(self, job: Job) -> None:
        self.count += 1
        self.totals.update(job.totals)
        self.time(job)
        if job.finished is not None and job.finished <= self.latest:
            self.finished.append(job.finished)
            self.puzzles.append(job.puzzles)
            self.started = min(self.started, job.finished if job.started is None else job.started)

    def time(self, job: Job) -> None:
        """Count how long it was solved."""
        if "solve" in job.seconds:
            seconds = max(job.seconds["solve"], _FASTEST)
            self.solve_times[math.floor(BINS_PER_DECADE * math.log10(seconds))] += 1


def survey(outbox: Path, most: int) -> Survey:
    """Read all records; keep the `most` jobs that matter: failures, then the latest.

    Raises OSError where the folder cannot be read.
    """
    found = Survey(latest=time.time() + _DAY)
    found.jobs = tuple(heapq.nsmallest(most, _jobs(outbox, found), key=_rank))
    archives = (job for job in found.jobs if job.status == "archive")
    members = chain.from_iterable(_members(outbox, job.stem) for job in archives)
    for member in islice(members, MOST_TIMED):
        found.time(member)
    found.is_cut = next(members, None) is not None
    return found


def _rank(job: Job) -> tuple[bool, float, str]:
    return job.is_well, -(job.finished or 0.0), job.stem


def _jobs(outbox: Path, found: Survey) -> Iterator[Job]:
    """The jobs whose records are in the folder itself, each counted."""
    with os.scandir(outbox) as entries:
        for entry in entries:
            if entry.name.endswith(ENDING) and not entry.name.startswith("."):
                job = read_job(Path(entry.path))
                if job is not None:
                    found.add(job)
                    yield job


def _members(outbox: Path, stem: str) -> Iterator[Job]:
    """The jobs whose records are in an archive's tree."""
    if not is_within(outbox / stem, outbox):
        return
    for folder, inner, names in os.walk(outbox / stem):
        inner.sort()
        for name in sorted(names):
            job = read_job(Path(folder) / name) if name.endswith(ENDING) else None
            if job is not None:
                yield job
