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
    """A source of one puzzle.

    - `data`: the bytes of the source, unpacked.
    - `size`: the size of its file in bytes; None if it is not a file.
    - `parsed`: the puzzle; None if the source is large or slow to read. The process that solves the
      puzzle then reads it.
    - `seconds`: the time that reading took.
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

    - `data`: the bytes of the source; None if they could not be read.
    - `place`: the line and the column of the error, from 1; None unless both are known.
    - `code`, `read_as`: as in InvalidPuzzle.
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
"""A source of one puzzle or formula that may be valid."""

OneProblem = SinglePuzzle | SingleFormula | Unreadable
"""A source with one result."""

Source = OneProblem | Collection | Archive
