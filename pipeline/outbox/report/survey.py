"""All records of an outbox → totals, times, and the jobs to show."""

from __future__ import annotations

import math
import os
import re
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pipeline.outbox import ENDING
from pipeline.outbox.report.records import JobSummary, is_within, read_job
from pipeline.solving import LEVELS

BINS_PER_DECADE: Final = 3
DEEPEST, WIDEST = 2, 3
"""Beyond these the depth and the backdoor of a puzzle are not told."""
_FASTEST = 1e-6
_DAY = 86_400.0
_FORM = re.compile(r"[.1-9]{81}", re.ASCII)
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,6})?", re.ASCII)
_BLANKS = re.compile(r"[.0]")
_MOST = {"redundant": 81, "effort_depth": DEEPEST + 1, "effort_backdoor": WIDEST + 1}
"""The columns of `--also` that are counted as they stand, and the largest number in each."""


@dataclass(frozen=True, slots=True)
class PageBounds:
    """How much of an outbox a page shows; its totals count everything.

    At most `boards` are drawn, up to `rows` of them from one collection, until they take `drawn`
    characters. The search finds up to `searched` jobs that are not shown, until they take `packed`
    characters. At most so many members
    of archives are `timed`, and so many `members` of their originals are read.
    """

    jobs: int = 1_000
    boards: int = 1_000
    rows: int = 200
    drawn: int = 2_000_000
    searched: int = 500_000
    packed: int = 1_500_000
    timed: int = 10_000
    members: int = 50_000


@dataclass(slots=True)
class Survey:
    """The sums of all jobs of an outbox, and some of the jobs: `jobs`, out of `count`.

    `others` has a line for each other job, up to a bound.

    `totals` counts puzzles by status, `known` those whose solutions are proved, or claimed, to be
    all. `solve_times` counts them by third of a power of ten of
    seconds: bin k holds those from 10^(k/3) on. `finished` and `puzzles` have an entry for each
    job whose end is known: seconds since 1970, and its number of puzzles; `started` is when the
    first began. An end after `latest` is ignored. `is_cut`: not all members of archives were
    timed.
    """

    jobs: Sequence[JobSummary] = ()
    others: Sequence[str] = ()
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
            self.solve_times[math.floor(BINS_PER_DECADE * math.log10(seconds))] += 1


@dataclass(slots=True)
class Census:
    """The numbers that `--also` adds: for each column, how many puzzles have each number.

    Splits are counted by their power of two, rounded up; -1 stands for none. `forms` has a hash of
    each canonical form.
    """

    counts: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    forms: array[int] = field(default_factory=lambda: array("q"))

    def add(self, told: Mapping[str, str], puzzle: str = "") -> None:
        """Count a puzzle by its fields; malformed ones are left out."""
        form = told.get("canonical", "")
        if _FORM.fullmatch(form):
            self.forms.append(hash(form))
        else:
            form = puzzle
        if len(form) == 81 and any(told.values()):
            self.counts["givens"][81 - len(_BLANKS.findall(form))] += 1
        for column, most in _MOST.items():
            text = told.get(column, "")
            if _NUMBER.fullmatch(text) and text.isdecimal() and int(text) <= most:
                self.counts[column][int(text)] += 1
        if (level := told.get("level")) in LEVELS:
            self.counts["level"][LEVELS.index(level)] += 1
        if _NUMBER.fullmatch(text := told.get("effort_splits", "")):
            mean = float(text)
            power = math.ceil(math.log2(mean)) if mean > 1 else int(mean > 0) - 1
            self.counts["effort_splits"][power] += 1

    def add_line(self, line: bytes, names: Sequence[str]) -> None:
        """Count the puzzle of a row whose last columns have these names."""
        fields = line.decode("ascii", errors="replace").rstrip("\r\n").rsplit(",", len(names))
        if len(fields) == len(names) + 1:
            told = dict(zip(names, fields[1:], strict=True))
            self.add(told, fields[0].split(",", 3)[2] if fields[0].count(",") > 2 else "")


Over = Callable[[Sequence[Path]], Iterable[Path]]
"""Goes through the records of an outbox, and may show how far it is."""


def survey(
    outbox: Path, bounds: PageBounds, line_of: Callable[[JobSummary], str], over: Over = iter
) -> Survey:
    """Read all records; keep the jobs to show: failures, then the latest.

    Of the others a line is kept. Raises OSError if the folder cannot be read.
    """
    found = Survey(latest=time.time() + _DAY)
    kept: list[JobSummary] = []
    others: list[tuple[_Rank, str]] = []

    def trim() -> None:
        kept.sort(key=_rank)
        others.extend((_rank(job), line_of(job)) for job in kept[bounds.jobs :])
        del kept[bounds.jobs :]
        if len(others) >= 2 * bounds.searched:
            others.sort()
            del others[bounds.searched :]

    names = filter(is_record, os.listdir(outbox))  # noqa: PTH208 - there may be a million
    for path in over([outbox / name for name in names]):
        if job := read_job(path):
            found.add(job)
            kept.append(job)
            if len(kept) == 2 * bounds.jobs:
                trim()
    trim()
    others.sort()
    found.jobs, found.others = kept, [line for _, line in others[: bounds.searched]]
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


_Rank = tuple[bool, float, str]


def _rank(job: JobSummary) -> _Rank:
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
