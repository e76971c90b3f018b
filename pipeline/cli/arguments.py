"""Arguments that name a file or are a puzzle."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path, PosixPath
from typing import Self

LINK = re.compile(
    r"(?i:https?://|www\.)[^\n]+|(?:[a-z\d-]++\.)++[a-z]{2,}/\S*[0-9.*_-]{36}\S*"
    r"|(?:\S+/)?fpuz(?:zles)?N4\S+|N4Ig\S{16,}"
)
"""A link as an argument, or the packed document of one."""

PUZZLE = re.compile(
    r"[0-9.*_-]{16,}|[0-9A-Za-z.*_-]{256,}|(?=[^/]{16})[ -~]+(?:\n[ -~]*)+"
    rf"|{LINK.pattern}|[0-9]{{1,2}}(?:x[0-9]{{1,2}}|j)[a-z0-9]*:[a-z0-9_,]+"
)
"""A puzzle as an argument: at least 16 cells, at least 256 with letters, several lines, a link, or
an id of Solo."""

FEW_CELLS = re.compile(r"(?=.*[0-9])[0-9.*_-]{1,15}")
"""An argument with too few cells for a puzzle."""


class LinkPath(PosixPath):
    """A path that is written as it was given: a path has no empty parts, but a link has `//`."""

    written: str | None = None
    """None for a path that is made from it, such as its parent."""

    def __new__(cls, text: str) -> Self:
        path = super().__new__(cls, text)
        path.written = text
        return path

    def __str__(self) -> str:
        return self.written or super().__str__()

    def with_segments(self, *segments: str | PathLike[str]) -> Path:
        """A path that is made from it, from Python 3.12 on."""
        return Path(*segments)


def path_of_argument(text: str) -> Path:
    """The path that an argument names; its text is the argument's, even if that is a link."""
    return LinkPath(text) if LINK.fullmatch(text) else Path(text)
