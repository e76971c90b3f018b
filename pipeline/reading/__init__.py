"""From bytes to puzzles: a source holds one problem, a collection, or an archive.

`read.py` finds out which. Loading this module loads no parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.reading.archives.walk import FileKind
    from pipeline.reading.formats import Detected, What
    from pipeline.reading.formats.formula import ParsedFormula


@dataclass(frozen=True, slots=True)
class Source:
    """What is needed to read any piece of a collection; picklable.

    `cells` is how many dots stand for a puzzle whose size is not known.
    """

    name: str
    detected: Detected
    cells: int


@dataclass(frozen=True, slots=True)
class Single:
    """A source of one problem: its bytes, or why it is not read; `size` if it is a file.

    `what` is what the first look found, which took `seconds`: the puzzle itself, if it was parsed.
    """

    name: str
    data: bytes | None
    refusal: str | None = None
    size: int | None = None
    what: What | ParsedFormula | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Collection:
    """Many puzzles in one file, which may be compressed."""

    source: Source
    kind: FileKind


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive or a folder."""

    kind: FileKind


Contents = Single | Collection | Archive
