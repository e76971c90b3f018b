"""Untrusted archives: read as streams, bounded, nothing written under their members' names.

    path ─ kind_of ─▶ folder, zip, tar ─ walk ─▶ Member, those of nested archives in their places
                 └──▶ gzip, bzip2, xz, plain ─ opened ─▶ a stream of bytes

The order of the members depends on the archive's content alone: a zip's own list, a tar's order,
a folder's names sorted as bytes. Empty folders, dotfiles, temporary names and what desktops leave
behind (`__MACOSX/`, `Thumbs.db`) are skipped silently; everything else is read or refused.

Here is what may be unpacked: how much, under which names, and which types of files.

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
from pipeline.files import LONGEST_NAME

if TYPE_CHECKING:
    from pipeline.settings import Settings

CHUNK_BYTES = 2**16
"""Bytes that are read, unpacked and passed on at a time."""

HARMLESS = 64 * 2**20
"""Bytes that may be unpacked whatever the compression ratio."""

LONGEST_PATH = 2048
"""In bytes, for the whole path: with the outbox before it, it has to stay below 4096."""

DEEPEST = 64
"""The most parts of a path; deeper ones break programs that walk a tree recursively."""

NO_NAME = "it has no name"
_NOTHING: Iterator[bytes] = iter(())
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
    """More than is allowed; the message names the limit and what to do."""


class TooManyMembers(TooMuch):
    """More members than are allowed."""


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """How much an archive, with the archives inside it, may hold.

    `total_bytes` when unpacked; `members` of any kind; `ratio`: how many times its packed size
    one compressed stream may unpack to, beyond `HARMLESS` bytes. Deflate packs a million copies
    of one puzzle 300:1; it cannot do better than 1032:1.
    """

    total_bytes: int = 16 * 2**30
    members: int = 100_000
    ratio: int = 1000

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(settings.max_total_bytes, settings.max_members)


class Budget:
    """How much of its limits an archive, with those inside it, has used.

    Each method raises TooMuch.
    """

    def __init__(self, limits: UnpackLimits | None = None) -> None:
        self._limits = limits or UnpackLimits()
        self._entered = 0
        self._unpacked = 0

    def enter(self) -> None:
        """Count one more member; fails also if the bytes are used up."""
        self.unpack(0)
        self._entered += 1
        self.admit(self._entered)

    def admit(self, members: int) -> None:
        """Check a number of members."""
        if members > self._limits.members:
            raise TooManyMembers(
                f"it has more than {self._limits.members} members; --max-members allows more; "
                "better drop its puzzles as one file with a puzzle a line"
            )

    def unpack(self, size: int) -> None:
        """Count bytes before they are passed on."""
        self._unpacked += size
        if self._unpacked > (max_bytes := self._limits.total_bytes):
            raise TooMuch(
                f"unpacked it has more than {max_bytes} bytes; --max-total-bytes allows more"
            )

    def weigh(self, packed: int, unpacked: int) -> None:
        """Check that unpacking `packed` bytes to `unpacked` does not look like a bomb."""
        if unpacked > HARMLESS and unpacked > self._limits.ratio * packed:
            raise TooMuch(
                f"it unpacks to more than {self._limits.ratio} times its size, as bombs do; "
                "drop it unpacked if it is not a bomb"
            )


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One entry of an archive or folder as it was found, before it is judged.

    `name` is separated by `/`. `refusal` says why its content is not read. `chunks` is the
    content, to be read before the next entry is requested, or not at all; `file` is the same
    content if it lies in a file of its own.
    """

    name: str
    refusal: str | None = None
    folder: bool = False
    chunks: Iterator[bytes] = _NOTHING
    file: BinaryIO | None = None


def refusal_of(mode: int) -> str | None:
    """Why a file of this type is not read; None for files, folders and no type."""
    return _REFUSALS.get(stat.S_IFMT(mode), "it is a special file")


def resolved(name: str) -> tuple[str, ...] | str:
    """The parts of a path that stays within its folder, or what is wrong with it.

    No part is empty, `.` or `..`, or holds a `/` or a NUL. A backslash counts as a separator in
    checks that refuse a name.
    """
    if "\0" in name:
        return "its name holds a NUL"
    if _ABSOLUTE.match(name):
        return "its name is absolute"
    if ".." in _SEPARATORS.split(name):
        return "its name leads out of the archive by '..'"
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    return _fault_in_size(parts) or parts


def _fault_in_size(parts: tuple[str, ...]) -> str | None:
    if not parts:
        return NO_NAME
    try:
        sizes = [len(os.fsencode(part)) for part in parts]
    except UnicodeEncodeError:
        return "its name cannot be written here"
    if len(sizes) > DEEPEST:
        return f"it lies more than {DEEPEST} folders deep"
    if max(sizes) > LONGEST_NAME or sum(sizes) + len(sizes) > LONGEST_PATH:
        return "its name is too long"
    return None
