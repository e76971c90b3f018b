"""What was dropped: where it lies when its job is done, and what its members are."""

from __future__ import annotations

import stat
from collections.abc import Collection, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path

from pipeline.dropbox.folders import DONE, FAILED
from pipeline.files import is_file_name, read_regular
from pipeline.report.records import Job
from pipeline.unpack import Member, Room, UnpackError, kind_of, opened, walk

MOST_BYTES = 64 * 1024
"""Of a source that is drawn; 25×25 cells take no more than some 4 KiB."""

_PACKED = ("gzip", "bzip2", "xz")
_MOST_UNPACKED = Room(total_bytes=64 * 2**20, members=20_000)
_MOST_MEMBERS = 50_000


class Originals:
    """The folders `done` and `failed` of an inbox, with their shelves `2`, `3` and so on.

    Of all archives together so many members are looked at.
    """

    def __init__(self, inbox: Path, most_members: int = _MOST_MEMBERS) -> None:
        self._left = most_members
        self._folders = [*_with_shelves(inbox / DONE), *_with_shelves(inbox / FAILED)]

    def of(self, job: Job) -> bytes | None:
        """The bytes that a record is about; None where they are gone, or too many."""
        if job.sha256 is None:
            return None
        for path in self._named(job.source):
            for data in _contents(path):
                if sha256(data).hexdigest() == job.sha256:
                    return data
        return None

    def members_of(self, job: Job, wanted: Collection[str]) -> dict[str, bytes]:
        """Of the members of an archive or folder those with the hashes that are wanted."""
        found: dict[str, bytes] = {}
        for path in self._named(job.source) if wanted else ():
            try:
                for data in islice(_members_in(path), self._left):
                    self._left -= 1
                    hashed = sha256(data).hexdigest()
                    if hashed in wanted:
                        found[hashed] = data
                    if len(found) == len(wanted):
                        return found
            except (OSError, UnpackError, ValueError):
                continue
        return found

    def _named(self, source: str) -> Iterator[Path]:
        """What bears the name of a source."""
        if not is_file_name(source):
            return
        for folder in self._folders:
            try:
                mode = (folder / source).lstat().st_mode
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
                yield folder / source


def _with_shelves(folder: Path) -> list[Path]:
    try:
        shelves = [each for each in folder.iterdir() if each.name.isdecimal() and each.is_dir()]
    except OSError:
        return []
    return [folder, *sorted(shelves, key=lambda each: int(each.name))]


def _contents(path: Path) -> Iterator[bytes]:
    """A file's bytes, and what is in them where they are compressed; nothing of a large one."""
    try:
        data = read_regular(path, MOST_BYTES)
        if len(data) <= MOST_BYTES:
            yield data
        if kind_of(path) in _PACKED:
            with opened(path, _MOST_UNPACKED) as stream:
                yield stream.read(MOST_BYTES + 1)
    except (OSError, UnpackError):
        return


def _members_in(path: Path) -> Iterator[bytes]:
    """The bytes of each member that is small enough, those of nested archives too."""
    found = map(_small, walk(path, _MOST_UNPACKED))
    return (data for data in found if data is not None)


def _small(member: Member) -> bytes | None:
    if member.stream is None:
        return None
    try:
        data = member.stream.read(MOST_BYTES + 1)
    except (OSError, UnpackError):
        return None
    return data if len(data) <= MOST_BYTES else None
