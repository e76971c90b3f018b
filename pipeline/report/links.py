"""The files of a job → links that lead to them from the page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from pipeline.published import ENDING
from pipeline.report.records import Job, shortened

_MOST = 6
_NAMES = {".json": "record", ".log": "log", ".csv": "table", ".proofs.xz": "proofs"}


@dataclass(frozen=True, slots=True)
class Link:
    """A file of the outbox, and where the page finds it."""

    href: str
    text: str


@dataclass(frozen=True, slots=True)
class Links:
    """Links to some files of a job; `more` files have none."""

    shown: tuple[Link, ...] = ()
    more: int = 0

    def __iter__(self) -> Iterator[Link]:
        return iter(self.shown)


def links_of(job: Job, folder: Path, prefix: str) -> Links:
    """Links to what a record lists and is still there, and to the record: log and record always."""
    last = [f"{job.stem}.log", f"{job.stem}{ENDING}"]
    listed = [name for name in job.files if name not in last]
    listed.sort(key=lambda name: (not name.endswith(".solution"), len(name), name))
    last = [name for name in last if name in job.files or name.endswith(ENDING)]
    names = [*listed[: _MOST - len(last)], *last]
    there = [name for name in names if _is_there(folder / name)]
    links = tuple(Link(prefix + encoded(name), _said(name, job.stem)) for name in there)
    return Links(links, len(listed) + len(last) - len(names))


def encoded(name: str) -> str:
    """A path as part of an address."""
    return quote(os.fsencode(name))


def _is_there(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def _said(name: str, stem: str) -> str:
    """What a link to a file of a set says."""
    ending = name.removeprefix(stem)
    if ending.startswith("_") and ending.endswith(".solution"):
        return shortened(f"solution {ending[1:-9]}", 30)
    return _NAMES.get(ending) or shortened(ending.lstrip("._"), 30)
