"""Overview: what is where in the folders, without touching anything."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from itertools import islice

from pipeline.dropbox.folders import Folders
from pipeline.dropbox.recover import claims_seen
from pipeline.dropbox.scan import Refused, look, names_in
from pipeline.dropbox.settle import Settler, Settling
from pipeline.published import ENDING, PuzzleRecord, read_record
from pipeline.published.names import MOST_LIKELY, stems_for
from pipeline.published.originals import files_in

LAST_SCAN = ".last-scan"
LONG_AGO = 120.0
"""Seconds: four rescans. Nobody scans if the last one is longer ago than that."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file and what is to be said of it."""

    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of both folders; `scan_age` in seconds, None if nothing ever scanned."""

    waiting: list[Entry] = field(default_factory=list)
    settling: list[Entry] = field(default_factory=list)
    ignored: list[Entry] = field(default_factory=list)
    in_work: list[Entry] = field(default_factory=list)
    failed: list[Entry] = field(default_factory=list)
    done: int = 0
    scan_age: float | None = None

    @property
    def is_stuck(self) -> bool:
        """Whether files wait and nobody has looked for long."""
        looked = self.scan_age is not None and self.scan_age <= LONG_AGO
        return bool(self.waiting) and not looked


def stamp_scan(folders: Folders) -> None:
    """Note that somebody has just scanned."""
    stamp = folders.work / LAST_SCAN
    try:
        os.utime(stamp, follow_symlinks=False)
    except FileNotFoundError:
        stamp.touch()


def survey(folders: Folders, settle: float) -> Overview:
    """Look at both folders. Raises FileNotFoundError where there is no inbox."""
    names, ignored = names_in(folders.inbox)
    overview = Overview(
        ignored=[Entry(entry.name, entry.reason) for entry in ignored],
        in_work=[Entry(note.source, words) for note, words in claims_seen(folders)],
        failed=[Entry(path.name, _reason(folders, path.name)) for path in files_in(folders.failed)],
        done=sum(1 for _ in files_in(folders.done)),
        scan_age=_scan_age(folders),
    )
    settler = Settler(settle)
    for name in names:
        seen = look(folders.inbox / name, lambda _: False, 0)
        if seen is None:
            continue
        if isinstance(seen, Refused):
            overview.waiting.append(Entry(name, seen.reason))
            continue
        verdict = settler.judge(seen, time.monotonic(), time.time())
        age = time.time() - seen.modified
        if isinstance(verdict, Settling) and (seen.writer is not None or age < settle):
            overview.settling.append(Entry(name, verdict.reason))
        else:
            overview.waiting.append(Entry(name))
    return overview


def _scan_age(folders: Folders) -> float | None:
    try:
        age = time.time() - (folders.work / LAST_SCAN).lstat().st_mtime
    except FileNotFoundError:
        return None
    return age if age >= -LONG_AGO else None  # a clock was set back: who knows


def _reason(folders: Folders, source: str) -> str:
    """Why a file failed, as its record says."""
    for stem in islice(stems_for(source), MOST_LIKELY):
        record = read_record(folders.outbox / (stem + ENDING))
        if record is not None and record.source == source:
            if isinstance(record, PuzzleRecord) and record.status in ("invalid", "failed"):
                return record.message or record.status
            return f"another of its name came out as {record.status} since"
    return "its record is gone"
