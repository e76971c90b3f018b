"""The jobs that finished since a time, from the records of an outbox, for `status --since`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pipeline.errors import counted
from pipeline.outbox import RECORD_SUFFIX, CollectionRecord, PuzzleRecord, Record, read_record
from pipeline.outbox.schema import (
    EXTRA_COUNTS,
    REFUSED,
    UNVERIFIED,
    or_none,
    recorded_time,
    status_counts,
)

_PROBLEMS = ("failed", "invalid", "unknown")
"""Statuses that need attention. `RecentJobs` has a field for each."""


@dataclass(frozen=True, slots=True)
class RecentJob:
    """The name of a dropped file, and a text about its result."""

    name: str
    note: str


@dataclass(frozen=True, slots=True)
class RecentJobs:
    """The jobs that finished since a time, latest first.

    A puzzle is listed in `failed`, `invalid`, `unknown` or `done`, by its status. A collection or
    archive is in `done`, and in the lists of statuses that its puzzles have. `unverified` lists the
    jobs with results whose completeness was not verified. `totals` counts puzzles by status.
    """

    since: str
    totals: dict[str, int]
    done: list[RecentJob] = field(default_factory=list)
    failed: list[RecentJob] = field(default_factory=list)
    invalid: list[RecentJob] = field(default_factory=list)
    unknown: list[RecentJob] = field(default_factory=list)
    unverified: list[RecentJob] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Add the job of a record to the lists to which it belongs."""
        name = record.source
        if isinstance(record, CollectionRecord):
            self.done.append(RecentJob(name, totals_text(record.totals)))
            for status in _PROBLEMS:
                number = record.totals.get(status, 0)
                number += record.totals.get(REFUSED, 0) if status == "invalid" else 0
                if number:
                    getattr(self, status).append(RecentJob(name, counted(number, "puzzle", ",")))
        elif record.status in _PROBLEMS:
            getattr(self, record.status).append(RecentJob(name, record.message or record.status))
        else:
            self.done.append(RecentJob(name, _result_text(record)))
        if number := record.completeness_counts.get(UNVERIFIED, 0):
            self.unverified.append(RecentJob(name, _unverified_text(record, number)))


def recent_jobs(outbox: Path, since: datetime) -> RecentJobs:
    """Read the records in an outbox of the jobs that finished at `since` or later.

    Only the latest job of each file has a record. Records that were last written before `since` are
    not read. An outbox that does not exist is empty.
    """
    records: list[tuple[datetime, Record]] = []
    if outbox.is_dir():
        with os.scandir(outbox) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(RECORD_SUFFIX)]
        for name in names:
            path = outbox / name
            try:
                if path.stat().st_mtime < since.timestamp():
                    continue
            except FileNotFoundError:
                continue
            record = read_record(path)
            if record and (finished := recorded_time(record.finished)) and finished >= since:
                records.append((finished, record))
    records.sort(key=lambda pair: pair[0], reverse=True)
    totals = Counter[str]()
    for _, record in records:
        totals.update({name: n for name, n in record.totals.items() if name not in EXTRA_COUNTS})
    begin = since.astimezone(UTC).isoformat(timespec="seconds")
    jobs = RecentJobs(begin, dict(totals.most_common()))
    for _, record in records:
        jobs.add(record)
    return jobs


def totals_text(totals: Mapping[str, int]) -> str:
    """The number of puzzles, and the counts by status, such as `3 puzzles: 2 unique, 1 failed`."""
    number = sum(n for name, n in totals.items() if name not in EXTRA_COUNTS)
    return ": ".join(
        filter(None, (counted(number, "puzzle", ","), ", ".join(status_counts(totals))))
    )


def _result_text(record: PuzzleRecord) -> str:
    """The status of a puzzle or formula, and the number of its solutions if it has several."""
    if record.status != "multiple":
        return record.status
    bound = "" if record.complete else "at least "
    return f"multiple: {bound}{counted(record.solutions or 0, 'solution')}"


def _unverified_text(record: Record, number: int) -> str:
    """Why the completeness of a result was not verified, or how many such results there are."""
    if isinstance(record, CollectionRecord):
        return counted(number, "puzzle", ",")
    certificate = or_none(record.certificate)
    return (certificate and certificate.reason) or record.status
