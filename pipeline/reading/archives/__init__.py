"""Untrusted archives, read as bounded streams. No file is written with a member's name.

    path ─ kind_of ─▶ folder, zip, tar ─ walk ─▶ Member, nested archives in place
                 └──▶ gzip, bzip2, xz, plain ─ open_unpacked ─▶ a stream of bytes

The order of the members depends only on the archive's content: the list of a zip, the order of a
tar, or the names in a folder, sorted as bytes. Empty folders, dotfiles, temporary names and desktop
clutter (`__MACOSX/`, `Thumbs.db`) are skipped silently; everything else is read or refused.

This module limits the unpacked size, the names and the file types.

    InputError
    └── UnpackError            broken, cut off, or of an unsupported kind
        └── TooMuch            more than is allowed
            └── TooManyMembers
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Self

from pipeline.errors import InputError
from pipeline.files import MAX_NAME_BYTES

if TYPE_CHECKING:
    from pipeline.settings import Settings

BLOCK_BYTES = 2**16
"""Size of the chunks that are read and unpacked."""

FREE_BYTES = 64 * 2**20
"""Number of bytes that may be unpacked at any compression ratio."""

MAX_PATH_BYTES = 2048
"""Maximum length of a path; with the outbox prepended it must stay below 4096 bytes."""

MAX_DEPTH = 64
"""Maximum depth of a path; deeper trees break programs that recurse."""

NO_NAME = "it has no name"
_NO_CHUNKS: Iterator[bytes] = iter(())
_SEPARATORS = re.compile(r"[/\\]")
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:(?:[/\\]|$)")
_REFUSALS = {
    **dict.fromkeys((0, stat.S_IFREG, stat.S_IFDIR)),
    stat.S_IFLNK: "it is a link",
    stat.S_IFIFO: "it is a named pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}


class UnpackError(InputError):
    """An archive or compressed file that is broken, cut off, or of an unsupported kind.

    The message follows a name: `set.zip: its checksum is wrong: it is damaged`.
    """


class TooMuch(UnpackError):
    """A limit is exceeded; the message names it and gives advice."""


class TooManyMembers(TooMuch):
    """Too many members."""


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """The limits of an archive, including nested archives.

    - `total_bytes`: the unpacked size.
    - `members`: the number of members of any kind.
    - `ratio`: unpacked to packed size of a compressed stream, beyond `FREE_BYTES` bytes. Deflate
      packs a million copies of a puzzle at 300:1; its maximum is 1032:1.
    """

    total_bytes: int = 16 * 2**30
    members: int = 100_000
    ratio: int = 1000

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(settings.max_total_bytes, settings.max_members)


class Budget:
    """The part of its limits that an archive has used, including nested archives.

    Every method raises TooMuch.
    """

    def __init__(self, limits: UnpackLimits | None = None) -> None:
        self._limits = limits or UnpackLimits()
        self._entered = 0
        self._unpacked = 0

    def count_member(self) -> None:
        """Count one more member. Also raises if the byte limit is reached."""
        self.count_bytes(0)
        self._entered += 1
        self.check_members(self._entered)

    def check_members(self, members: int) -> None:
        """Check a number of members."""
        if members > self._limits.members:
            raise TooManyMembers(
                f"it has more than {self._limits.members} members; raise --max-members, or "
                "put its puzzles into one file, one per line"
            )

    def count_bytes(self, size: int) -> None:
        """Count bytes before they are passed on."""
        self._unpacked += size
        if self._unpacked > (max_bytes := self._limits.total_bytes):
            raise TooMuch(
                f"it unpacks to more than {max_bytes} bytes; raise --max-total-bytes to allow more"
            )

    def check_ratio(self, packed: int, unpacked: int) -> None:
        """Check that unpacking `packed` bytes to `unpacked` does not look like a zip bomb."""
        if unpacked > FREE_BYTES and unpacked > self._limits.ratio * packed:
            raise TooMuch(
                f"it unpacks to more than {self._limits.ratio} times its size, "
                "like a zip bomb; if it is not one, unpack it and drop the files"
            )


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One entry of an archive or folder, before it is checked.

    - `name`: the path, separated by `/`.
    - `refusal`: why the content is not read.
    - `chunks`: the content, to be read before the next entry is requested, or not at all.
    - `file`: the same content, if the entry is a file in a folder.
    """

    name: str
    refusal: str | None = None
    folder: bool = False
    chunks: Iterator[bytes] = _NO_CHUNKS
    file: BinaryIO | None = None


def refusal_of(mode: int) -> str | None:
    """Why a file of this type is not read; None for files, folders and unknown types."""
    return _REFUSALS.get(stat.S_IFMT(mode), "it is a special file")


def safe_parts(name: str) -> tuple[str, ...] | str:
    """Split the path of a member into its parts, or return why it is refused.

    No part is empty, `.` or `..`, or contains a `/` or a NUL. A backslash also counts as
    a separator in these checks.
    """
    if "\0" in name:
        return "its name contains a NUL"
    if _ABSOLUTE.match(name):
        return "its name is absolute"
    if ".." in _SEPARATORS.split(name):
        return "its name leads out of the archive by '..'"
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    return _size_fault(parts) or parts


def _size_fault(parts: tuple[str, ...]) -> str | None:
    if not parts:
        return NO_NAME
    try:
        sizes = [len(os.fsencode(part)) for part in parts]
    except UnicodeEncodeError:
        return "a file of this name cannot be created here"
    if len(sizes) > MAX_DEPTH:
        return f"it is more than {MAX_DEPTH} folders deep"
    if max(sizes) > MAX_NAME_BYTES or sum(sizes) + len(sizes) > MAX_PATH_BYTES:
        return "its name is too long"
    return None
