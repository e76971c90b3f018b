"""Reading files that others made: no link is followed, nothing is waited for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

SAFELY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
"""How to open a file without following a link or waiting for a pipe's other end."""

TEMPORARY_SUFFIXES = (".tmp", ".part", ".partial", ".crdownload", ".filepart", ".swp", "~")
TEMPORARY_PREFIXES = (".", "~")
"""Of names that say that a file is not complete, or not for others."""

F_SETSIG = 10
"""Linux; the fcntl module of Python 3.11 does not name it."""


def read_regular(path: Path, most: int) -> bytes:
    """At most `most` + 1 bytes of a regular file.

    Raises OSError, also for what is not a regular file.
    """
    descriptor = os.open(path, SAFELY)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path.name} is no regular file")
        return file.read(most + 1)
