"""Convert bytes to puzzles. `read.py` decides what a source is.

Importing this module loads no parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.errors import RefusalCode

if TYPE_CHECKING:
    from pipeline.reading.archives.walk import FileKind
    from pipeline.reading.formats import Layout, Parsed
    from pipeline.reading.formats.dimacs import ParsedFormula


@dataclass(frozen=True, slots=True)
class SinglePuzzle:
    """A source of one puzzle: its bytes, and the size of its file.

    `parsed` is the puzzle, and `seconds` the time that reading took. `parsed` is None for a source
    that is large or slow to read, which the solving process reads.
    """

    name: str
    data: bytes
    size: int | None = None
    parsed: Parsed | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SingleFormula:
    """A source of one formula, with the same fields as SinglePuzzle."""

    name: str
    data: bytes
    size: int | None = None
    parsed: ParsedFormula | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Collection:
    """A file of many puzzles, which may be compressed."""

    layout: Layout
    kind: FileKind


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive or a folder."""

    kind: FileKind


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A source that is refused, and the reason.

    `data` is None if it could not be read. `place` is the line and the column of the error, from 1,
    if both are known. `code` and `read_as` are as in InvalidPuzzle.
    """

    name: str
    reason: str
    data: bytes | None = None
    size: int | None = None
    seconds: float = 0.0
    place: tuple[int, int] | None = None
    code: RefusalCode = "unreadable"
    read_as: str = ""


Readable = SinglePuzzle | SingleFormula

OneProblem = SinglePuzzle | SingleFormula | Unreadable
"""A source with one result."""

Source = OneProblem | Collection | Archive
