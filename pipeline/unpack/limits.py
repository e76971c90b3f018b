"""What may be unpacked: how much, under which names, and which types of files.

InputError
└── UnpackError    broken, cut off, or of a make that is not read
    └── TooMuch    more than there is room for
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from pipeline.errors import InputError
from pipeline.files import LONGEST_NAME

PIECE = 2**16
"""How many bytes are read, unpacked and handed on at a time."""

HARMLESS = 64 * 2**20
"""Up to so many unpacked bytes nobody asks how small they were packed."""

LONGEST_PATH = 2048
"""In bytes, for the whole path: with the outbox before it, it has to stay below 4096."""

DEEPEST = 64
"""How many parts a path may have; deeper ones break what walks a tree by recursion."""

NO_NAME = "it has no name"
_SEPARATORS = re.compile(r"[/\\]")
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:(?:[/\\]|$)")
_SHOWN = 200


class UnpackError(InputError):
    """An archive or a compressed file that is broken, cut off, or of a make that is not read.

    The message goes on from a name: `set.zip: its checksum is wrong: it is damaged`.
    """


class TooMuch(UnpackError):
    """More than there is room for; the message names the limit and what to do."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much an archive may hold, the archives inside it included.

    `total_bytes` when unpacked; `members` of any kind; `ratio`: how many times its packed size
    one compressed stream may be, once it is more than `HARMLESS`. A million copies of one
    puzzle are packed 300:1 by deflate, which cannot do better than 1032:1.
    """

    total_bytes: int = 16 * 2**30
    members: int = 1_000_000
    ratio: int = 1000


class Budget:
    """What an archive and those inside it have used of their room."""

    def __init__(self, room: Room | None = None) -> None:
        self._room = room or Room()
        self._entered = 0
        self._unpacked = 0

    def enter(self) -> None:
        """Count one more member; raises TooMuch, also when the bytes are used up already."""
        self.unpack(0)
        self._entered += 1
        self.admit(self._entered)

    def admit(self, members: int) -> None:
        """Raise TooMuch if so many members are too many."""
        if members > self._room.members:
            raise TooMuch(
                f"it has more than {self._room.members} members; split it, or drop its "
                "puzzles as one file with a puzzle a line"
            )

    def unpack(self, size: int) -> None:
        """Count bytes that are about to be handed out; raises TooMuch instead of the last."""
        self._unpacked += size
        if self._unpacked > self._room.total_bytes:
            raise TooMuch(
                f"unpacked it has more than {self._room.total_bytes} bytes; "
                "--max-total-bytes allows more"
            )

    def weigh(self, packed: int, unpacked: int) -> None:
        """Raise TooMuch if what came of `packed` bytes of one stream looks like a bomb."""
        if unpacked > HARMLESS and unpacked > self._room.ratio * packed:
            raise TooMuch(
                f"it unpacks to more than {self._room.ratio} times its size, as bombs do; "
                "if it is none, drop it unpacked"
            )


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an archive or folder as it was found, unjudged.

    `name` is separated by `/`. `refusal` says why its content is not read. `chunks` is the
    content, to be read before the next entry is asked for, or not at all; `file` is the same
    where it lies in a file of its own.
    """

    name: str
    refusal: str | None = None
    folder: bool = False
    chunks: Iterator[bytes] = field(default_factory=lambda: iter(()))
    file: BinaryIO | None = None


def refusal_of(mode: int) -> str | None:
    """Why something with this file type is not read; None for files, folders and no type."""
    if stat.S_ISLNK(mode):
        return "it is a link"
    if stat.S_ISFIFO(mode):
        return "it is a named pipe"
    if stat.S_ISSOCK(mode):
        return "it is a socket"
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return "it is a device"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "it is a special file"
    return None


def resolved(name: str) -> tuple[str, ...] | str:
    """The parts of a path that cannot lead out of the folder it begins in, else what is wrong.

    None of the parts is empty, `.` or `..`, or holds a `/` or a NUL. A backslash counts as a
    separator where that makes the name worse.
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


def shortened(name: str) -> str:
    """The name, or the beginning of one that is far too long to be shown."""
    return name if len(name) <= LONGEST_PATH else name[:_SHOWN] + "…"
