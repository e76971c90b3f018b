"""Find the original of a record in `done`, `failed` or other folders."""

from __future__ import annotations

import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

from pipeline.files import digest_of, is_file_name
from pipeline.outbox import RECORD_SUFFIX, read_record
from pipeline.outbox.names import DONE, FAILED, shelves_in
from pipeline.outbox.schema import ARCHIVE, CollectionRecord, Record
from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.walk import kind_of, open_unpacked, walk

MAX_SMALL_BYTES: Final = 64 * 1024
"""Maximum size of an original that is read to draw its board. A grid of 25×25 cells takes about
4 KiB."""

_COMPRESSED_KINDS = ("gzip", "bzip2", "xz")
_SMALL_LIMITS = UnpackLimits(total_bytes=64 * 2**20, members=20_000)
"""The limits on unpacking originals that are read to draw their boards."""


@dataclass(frozen=True, slots=True)
class Originals:
    """Folders of originals, including their shelves (the numbered subfolders `2`, `3`, …)."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Iterable[Path]) -> Self:
        """Use these folders and their shelves, and for each `done` also the `failed` next to it.

        Raises OSError.
        """
        all_folders: list[Path] = []
        for folder in folders:
            failed = [folder.with_name(FAILED)] if folder.name == DONE else []
            for top in (folder, *failed):
                all_folders += (top, *shelves_in(top)) if top.is_dir() else ()
        return cls(tuple(dict.fromkeys(all_folders)))

    def names(self) -> set[str]:
        """The names of all originals. Raises OSError."""
        paths = (path for folder in self.folders for path in folder.iterdir())
        shelves = {*self.folders}
        return {path.name for path in paths if path not in shelves and path.name[0] != "."}

    def find(self, source: str) -> list[Path]:
        """Find the originals with the name of a source, the latest first."""
        paths = []
        for folder in self.folders if is_file_name(source) else ():
            with suppress(OSError):
                paths.append(((folder / source).lstat().st_ctime_ns, folder / source))
        return [path for _, path in sorted(paths, reverse=True)]

    def find_matching(self, record: Record, max_bytes: int, limits: UnpackLimits) -> Iterator[Path]:
        """Yield the originals with the name of a record and, if the record has a hash, that hash.

        Instead, the decompressed content may have that hash, if it has at most `max_bytes`.
        """
        for path in self.find(record.source):
            if record.sha256 is None or _has_hash(path, record.sha256, max_bytes, limits):
                yield path


@dataclass(frozen=True, slots=True)
class SmallOriginals:
    """Finds originals of puzzles that have at most MAX_SMALL_BYTES each.

    `budget`: an iterator that limits reading. One item is consumed for each archive member that is
    read, and reading stops when it is exhausted.
    """

    originals: Originals
    budget: Iterator[int]

    def content_of(self, record: Record) -> bytes | None:
        """Read the original of a record. Returns None if no small original has its hash."""
        for path in self.originals.find(record.source) if record.sha256 else ():
            with suppress(OSError, UnpackError):
                is_small = path.lstat().st_size <= MAX_SMALL_BYTES
                if is_small and _has_hash(
                    path, record.sha256 or "", MAX_SMALL_BYTES, _SMALL_LIMITS
                ):
                    with open_unpacked(path, _SMALL_LIMITS) as stream:
                        data = stream.read(MAX_SMALL_BYTES + 1)
                    return data if len(data) <= MAX_SMALL_BYTES else None
        return None

    def find_members(self, source: str, hashes: Collection[str]) -> dict[str, bytes]:
        """Find the members of an archive or folder that have these hashes. Maps hash to content."""
        contents: dict[str, bytes] = {}
        for path in self.originals.find(source) if hashes else ():
            with suppress(OSError, UnpackError, ValueError):
                for _, data in zip(self.budget, _small_members(path), strict=False):
                    hashed = sha256(data).hexdigest()
                    if hashed in hashes:
                        contents[hashed] = data
                    if len(contents) == len(hashes):
                        return contents
        return contents


def _has_hash(path: Path, digest: str, max_bytes: int, limits: UnpackLimits) -> bool:
    """Whether a file, or its decompressed content of at most `max_bytes`, has this hash."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        if digest_of(path) == digest:
            return True
        if kind_of(path) not in _COMPRESSED_KINDS:
            return False
        with open_unpacked(path, limits) as stream:
            return sha256(stream.read(max_bytes + 1)).hexdigest() == digest
    except (OSError, UnpackError):
        return False


def enclosing_archive(path: Path) -> tuple[Path, CollectionRecord] | None:
    """Find the record of the innermost archive that contains a member. `path`: the member's record.

    Returns the path of the archive's record, and the record; None if there is no such record.
    """
    for folder in path.absolute().parents:
        if folder.name:
            record = read_record(record_path := folder.with_name(folder.name + RECORD_SUFFIX))
            if isinstance(record, CollectionRecord) and record.status == ARCHIVE:
                return record_path, record
    return None


def _small_members(path: Path) -> Iterator[bytes]:
    """Yield the contents of all small members, including members of nested archives."""
    for member in walk(path, _SMALL_LIMITS):
        if member.stream is not None:
            with suppress(OSError, UnpackError):
                data = member.stream.read(MAX_SMALL_BYTES + 1)
                if len(data) <= MAX_SMALL_BYTES:
                    yield data
