"""Find the original of a record among finished files."""

from __future__ import annotations

import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

from pipeline.files import digest_of, is_file_name
from pipeline.outbox import ENDING, read_record
from pipeline.outbox.names import DONE, FAILED, shelves_in
from pipeline.outbox.schema import ARCHIVE, CollectionRecord, Record
from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.walk import kind_of, open_unpacked, walk

SMALL: Final = 64 * 1024
"""Bytes of the largest source that is drawn; 25×25 cells take some 4 KiB."""

_PACKED = ("gzip", "bzip2", "xz")
_SMALL_ROOM = UnpackLimits(total_bytes=64 * 2**20, members=20_000)


@dataclass(frozen=True, slots=True)
class Originals:
    """Folders of originals, each with its shelves."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Iterable[Path]) -> Self:
        """These folders with their shelves; a `done` also brings the `failed` beside it.

        Raises OSError.
        """
        searched: list[Path] = []
        for folder in folders:
            beside = [folder.with_name(FAILED)] if folder.name == DONE else []
            for shelf in (folder, *beside):
                searched += (shelf, *shelves_in(shelf)) if shelf.is_dir() else ()
        return cls(tuple(dict.fromkeys(searched)))

    def names(self) -> set[str]:
        """The names of all originals. Raises OSError."""
        paths = (path for folder in self.folders for path in folder.iterdir())
        shelves = {*self.folders}
        return {path.name for path in paths if path not in shelves and path.name[0] != "."}

    def named(self, source: str) -> list[Path]:
        """All originals with the name of a source, the latest first."""
        paths = []
        for folder in self.folders if is_file_name(source) else ():
            with suppress(OSError):
                paths.append(((folder / source).lstat().st_ctime_ns, folder / source))
        return [path for _, path in sorted(paths, reverse=True)]

    def fitting(self, record: Record, max_bytes: int, room: UnpackLimits) -> Iterator[Path]:
        """The originals with the name of a record's source, and with its hash if it has one.

        It may also be the hash of the unpacked content, of at most `max_bytes`.
        """
        for path in self.named(record.source):
            if record.sha256 is None or _has_hash(path, record.sha256, max_bytes, room):
                yield path


@dataclass(frozen=True, slots=True)
class SmallOriginals:
    """Finds the originals of single puzzles that are SMALL.

    `allowed` yields once for each member of an archive or folder that may still be read.
    """

    originals: Originals
    allowed: Iterator[int]

    def of_record(self, record: Record) -> bytes | None:
        """The content of the original; None if it is gone or larger than SMALL."""
        for path in self.originals.named(record.source) if record.sha256 else ():
            with suppress(OSError, UnpackError):
                is_small = path.lstat().st_size <= SMALL
                if is_small and _has_hash(path, record.sha256 or "", SMALL, _SMALL_ROOM):
                    with open_unpacked(path, _SMALL_ROOM) as stream:
                        data = stream.read(SMALL + 1)
                    return data if len(data) <= SMALL else None
        return None

    def in_archive(self, source: str, wanted: Collection[str]) -> dict[str, bytes]:
        """The members of an archive or folder that have these hashes, by their hash."""
        contents: dict[str, bytes] = {}
        for path in self.originals.named(source) if wanted else ():
            with suppress(OSError, UnpackError, ValueError):
                for _, data in zip(self.allowed, _small_members(path), strict=False):
                    hashed = sha256(data).hexdigest()
                    if hashed in wanted:
                        contents[hashed] = data
                    if len(contents) == len(wanted):
                        return contents
        return contents


def _has_hash(path: Path, hashed: str, max_bytes: int, room: UnpackLimits) -> bool:
    """Whether a file, or its unpacked content of at most `max_bytes`, has that hash."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        if digest_of(path) == hashed:
            return True
        if kind_of(path) not in _PACKED:
            return False
        with open_unpacked(path, room) as stream:
            return sha256(stream.read(max_bytes + 1)).hexdigest() == hashed
    except (OSError, UnpackError):
        return False


def archive_above(path: Path) -> tuple[Path, CollectionRecord] | None:
    """The path and the record of the archive whose tree contains this path, if any."""
    for folder in path.absolute().parents:
        if folder.name:
            above = read_record(record := folder.with_name(folder.name + ENDING))
            if isinstance(above, CollectionRecord) and above.status == ARCHIVE:
                return record, above
    return None


def _small_members(path: Path) -> Iterator[bytes]:
    """The bytes of each small member, including nested archives."""
    for member in walk(path, _SMALL_ROOM):
        if member.stream is not None:
            with suppress(OSError, UnpackError):
                data = member.stream.read(SMALL + 1)
                if len(data) <= SMALL:
                    yield data
