"""Read untrusted archives as bounded streams. No file is written under the name of a member.

    path ─ kind_of ─▶ folder, zip, tar ─ walk ─▶ members, including members of nested archives
                 └──▶ gzip, bzip2, xz, plain ─ open_unpacked ─▶ a stream of bytes

The order of the members depends only on the content of the archive: the list of a zip, the order of
a tar, or the names in a folder, sorted as bytes. Empty folders, dotfiles, temporary names and
desktop clutter (`__MACOSX/`, `Thumbs.db`) are skipped silently; everything else is read or refused.

This module limits the unpacked size, the names and the file types. Its errors are:

    InputError
    └── UnpackError                    broken, cut off, or of an unsupported kind
        └── ArchiveLimitExceeded       larger than a limit allows
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

MIN_RATIO_BYTES = 64 * 2**20
"""Unpacked size up to which the compression ratio is not limited."""

MAX_PATH_BYTES = 2048
"""Maximum length of a path in an archive. Paths are appended to the path of the outbox, and Linux
allows 4096 bytes in all."""

MAX_DEPTH = 64
"""Maximum depth of a path. Much deeper trees make recursive programs fail."""

NO_NAME = "it has no name"
_NO_CHUNKS: Iterator[bytes] = iter(())
_SEPARATORS = re.compile(r"[/\\]")
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:(?:[/\\]|$)")
_REFUSALS_BY_TYPE = {
    **dict.fromkeys((0, stat.S_IFREG, stat.S_IFDIR)),
    stat.S_IFLNK: "it is a link",
    stat.S_IFIFO: "it is a named pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}


class UnpackError(InputError):
    """An archive or compressed file that is broken, cut off, or of an unsupported kind.

    The message completes a text that begins with a name, as in `set.zip: it is damaged: …`.
    """


class ArchiveLimitExceeded(UnpackError):
    """An archive exceeds a limit. The message names the limit, and says what to do."""


class TooManyMembers(ArchiveLimitExceeded):
    """An archive has too many members."""


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """The limits of an archive, including nested archives.

    - `total_bytes`: the unpacked size.
    - `members`: the number of members of any kind.
    - `ratio`: the ratio of unpacked to packed size of a compressed stream of more than
      MIN_RATIO_BYTES bytes. Deflate packs a million copies of a puzzle at 300:1; its maximum is
      1032:1.
    """

    total_bytes: int = 16 * 2**30
    members: int = 100_000
    ratio: int = 1000

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(settings.max_total_bytes, settings.max_members)


class Budget:
    """Counts what an archive and its nested archives have used of their limits.

    Every method raises ArchiveLimitExceeded if a limit is exceeded.
    """

    def __init__(self, limits: UnpackLimits | None = None) -> None:
        self._limits = limits or UnpackLimits()
        self._member_count = 0
        self._unpacked_bytes = 0

    def count_member(self) -> None:
        """Count one more member, and check all limits."""
        self.count_bytes(0)
        self._member_count += 1
        self.check_members(self._member_count)

    def check_members(self, members: int) -> None:
        """Check that an archive may have this number of members."""
        if members > self._limits.members:
            raise TooManyMembers(
                f"it has more than {self._limits.members} members; raise --max-members, or "
                "put its puzzles into one file, one per line"
            )

    def count_bytes(self, size: int) -> None:
        """Count `size` unpacked bytes; call it before the bytes are used."""
        self._unpacked_bytes += size
        if self._unpacked_bytes > (max_bytes := self._limits.total_bytes):
            raise ArchiveLimitExceeded(
                f"it unpacks to more than {max_bytes} bytes; raise --max-total-bytes to allow more"
            )

    def check_ratio(self, packed_size: int, unpacked_size: int) -> None:
        """Check that these sizes, in bytes, do not look like the sizes of a zip bomb."""
        if unpacked_size > MIN_RATIO_BYTES and unpacked_size > self._limits.ratio * packed_size:
            raise ArchiveLimitExceeded(
                f"it unpacks to more than {self._limits.ratio} times its size, "
                "like a zip bomb; if it is not one, unpack it and drop the files"
            )


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One entry of an archive or folder, before it is checked.

    - `name`: the path, separated by `/`.
    - `refusal`: why the content is not read, or None.
    - `is_folder`: the entry is a folder.
    - `chunks`: the content, which can be read until the next entry is requested.
    - `file`: the same content, if the entry is a file in a folder.
    """

    name: str
    refusal: str | None = None
    is_folder: bool = False
    chunks: Iterator[bytes] = _NO_CHUNKS
    file: BinaryIO | None = None


def refusal_of(mode: int) -> str | None:
    """Why a file with this mode is not read; None for files, folders and modes without a type."""
    return _REFUSALS_BY_TYPE.get(stat.S_IFMT(mode), "it is a special file")


def safe_parts(name: str) -> tuple[str, ...] | str:
    """Split the path of a member into its parts, or return why the path is refused.

    No part is empty, `.` or `..`, or contains a `/` or a NUL. A path is also refused if it is
    absolute or contains `..` when backslashes are read as separators.
    """
    if "\0" in name:
        return "its name contains a NUL"
    if _ABSOLUTE.match(name):
        return "its name is absolute"
    if ".." in _SEPARATORS.split(name):
        return "its name leads out of the archive by '..'"
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    return _length_fault(parts) or parts


def _length_fault(parts: tuple[str, ...]) -> str | None:
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
