"""All records of an outbox → totals, times, and the jobs that are shown."""

from __future__ import annotations

import heapq
import math
import os
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from pipeline.report.records import ENDING, Job, is_within, read_job

BINS_PER_DECADE: Final = 3
_FASTEST = 1e-6
_MOST_TIMED_MEMBERS = 5_000


@dataclass(slots=True)
class Survey:
    """What all jobs of an outbox come to, and some of them: `jobs`, of which there are `count`.

    `totals` counts puzzles per status. `solve_times` counts them per power of ten to a third of
    seconds: bin k holds those from 10^(k/3) on. `finished` and `puzzles` have an entry for each
    job whose end is known, seconds since 1970 and how many; `started` is when the first began.
    """

    jobs: tuple[Job, ...] = ()
    count: int = 0
    totals: Counter[str] = field(default_factory=Counter)
    solve_times: Counter[int] = field(default_factory=Counter)
    finished: array[float] = field(default_factory=lambda: array("d"))
    puzzles: array[float] = field(default_factory=lambda: array("d"))
    started: float = math.inf

    def add(self, job: Job) -> None:
        self.count += 1
        self.totals.update(job.totals)
        self.time(job)
        if job.finished is not None:
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
    found = Survey()
    found.jobs = tuple(heapq.nsmallest(most, _jobs(outbox, found), key=_rank))
    for job in found.jobs:
        if job.status == "archive" and is_within(outbox / job.stem, outbox):
            for member in islice(_members(outbox / job.stem), _MOST_TIMED_MEMBERS):
                found.time(member)
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


def _members(tree: Path) -> Iterator[Job]:
    """The jobs whose records are in an archive's tree."""
    for folder, inner, names in os.walk(tree):
        inner.sort()
        for name in sorted(names):
            job = read_job(Path(folder) / name) if name.endswith(ENDING) else None
            if job is not None:
                yield job
