"""What the readers of zips, tars and folders hand on: an entry as it was found, unjudged."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an archive, in the archive's order.

    `name` is as found, separated by `/`. `refusal` says why its content is not read. `chunks`
    is the content, to be read before the next entry is asked for, or not at all; `file` is the
    same where it lies in a file of its own.
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
