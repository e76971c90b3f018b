"""Where the originals of finished jobs lie, and which one a record is about."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from pipeline.audit.files import digest_of
from pipeline.audit.records import Record
from pipeline.audit.terms import Terms
from pipeline.published.originals import DONE, FAILED
from pipeline.unpack import UnpackError, kind_of, opened

COMPRESSED = ("gzip", "bzip2", "xz")


@dataclass(frozen=True, slots=True)
class Original:
    """What was dropped, or what lies under its name: `fits` if it has the record's hash."""

    path: Path
    fits: bool


@dataclass(frozen=True, slots=True)
class Originals:
    """The folders `done` and `failed`, each with the shelves `2`, `3`, … for more of one name."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Iterable[Path]) -> Self:
        """Those folders with their shelves; beside a `done` goes the `failed` of its inbox."""
        found: list[Path] = []
        for folder in folders:
            beside = [folder.with_name(FAILED)] if folder.name == DONE else []
            for each in (folder, *beside):
                if each.is_dir():
                    found += (each, *_shelves(each))
        return cls(tuple(dict.fromkeys(found)))

    def names(self) -> set[str]:
        """The names of all originals. Raises OSError."""
        shelves = {*self.folders}
        return {
            path.name
            for folder in self.folders
            for path in folder.iterdir()
            if path not in shelves and not path.name.startswith(".")
        }

    def of_record(self, record: Record, terms: Terms) -> list[Original]:
        """What may be the original: those with its hash, else all of its name, the latest first."""
        found = self._named(record.source)
        if record.sha256 is None:
            return [Original(path, fits=True) for path in found]
        fitting = [path for path in found if _has_hash(path, record, terms)]
        return [Original(path, bool(fitting)) for path in fitting or found]

    def _named(self, source: str) -> list[Path]:
        """What bears the name of a source; the last that came there first."""
        found = []
        for folder in self.folders:
            with suppress(OSError):
                found.append(((folder / source).lstat().st_ctime_ns, folder / source))
        return [path for _, path in sorted(found, reverse=True)]


def _shelves(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        names = [e.name for e in entries if e.name.isdecimal() and e.is_dir(follow_symlinks=False)]
    return [folder / name for name in sorted(names, key=int)]


def _has_hash(path: Path, record: Record, terms: Terms) -> bool:
    """Whether a file, or what is in it where it is compressed, has the hash of the record."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        if digest_of(path) == record.sha256:
            return True
        return kind_of(path) in COMPRESSED and _digest_within(path, terms) == record.sha256
    except (OSError, UnpackError):
        return False


def _digest_within(path: Path, terms: Terms) -> str:
    with opened(path, terms.limits) as stream:
        return sha256(stream.read(terms.reading.max_bytes + 1)).hexdigest()
