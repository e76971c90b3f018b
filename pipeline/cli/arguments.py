"""Recognise arguments that are a puzzle or a link instead of a file name."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path, PosixPath
from typing import Self

LINK_PATTERN = re.compile(
    r"(?i:https?://|www\.)[^\n]+|(?:[a-z\d-]++\.)++[a-z]{2,}/\S*[0-9.*_-]{36}\S*"
    r"|(?:\S+/)?fpuz(?:zles)?N4\S+|N4Ig\S{16,}"
)
"""Matches an argument that is a link, or the encoded puzzle of a link."""

PUZZLE_PATTERN = re.compile(
    r"[0-9.*_-]{16,}|[0-9.*_-](?: [0-9.*_-]){15,}|[0-9A-Za-z.*_-]{256,}"
    r"|(?=[^/]{16})[ -~]+(?:\n[ -~]*)+"
    rf"|{LINK_PATTERN.pattern}|[0-9]{{1,2}}(?:x[0-9]{{1,2}}|j)[a-z0-9]*:[a-z0-9_,]+"
    r"|(?:\+?[1-9]|[.0]){81}|:[0-9A-Za-z-]*:[^:\n]*:[-+0-9.]{16,}:[^\n]*"
)
"""Matches an argument that is a puzzle.

Such an argument has at least 16 cells, perhaps with spaces between them, or 256 with letters, or
several lines; or it is a link, a game id of Solo, or a line of HoDoKu.
"""

FEW_CELLS_PATTERN = re.compile(r"(?=.*[0-9])(?:[0-9.*_-] ?){1,15}")
"""Matches an argument that looks like a puzzle but has too few cells."""


_DASHED_PUZZLE = re.compile(r"-(?=.*[0-9])[0-9.*_-]{15,}")
"""Matches an argument that is a puzzle and begins with a blank cell, `-`, like an option."""


def with_dashed_puzzles(args: list[str]) -> list[str]:
    """Move puzzles that begin with `-` to the end, after `--`, as they are no options."""
    puzzles = [argument for argument in args if _DASHED_PUZZLE.fullmatch(argument)]
    if not puzzles or "--" in args:
        return args
    return [*(argument for argument in args if argument not in puzzles), "--", *puzzles]


class LinkPath(PosixPath):
    """A path whose text is a link. Other paths of pathlib lose empty parts, as in `https://`."""

    written: str | None = None
    """The argument; None for a path derived from it, such as its parent."""

    def __new__(cls, text: str) -> Self:
        path = super().__new__(cls, text)
        path.written = text
        return path

    def __str__(self) -> str:
        return self.written or super().__str__()

    def with_segments(self, *segments: str | PathLike[str]) -> Path:
        """A derived path, such as the parent, is a plain Path. Called from Python 3.12 on."""
        return Path(*segments)


def path_of_argument(text: str) -> Path:
    """The path for an argument: a LinkPath for a link, so that its text is not changed."""
    return LinkPath(text) if LINK_PATTERN.fullmatch(text) else Path(text)
