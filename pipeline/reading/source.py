"""What a source holds, by its content: one problem, a collection, or an archive.

`reading` finds it out. Loading this takes no parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.reading.archives.walk import Kind
    from pipeline.reading.formats import Detected, Parsed
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

    `parsed` is what the bytes hold, or `refusal` why they hold nothing, if they have been parsed,
    which took `seconds`. A copy in another process parses them again.
    """

    name: str
    data: bytes | None
    refusal: str | None = None
    size: int | None = None
    parsed: Parsed | ParsedFormula | None = None
    seconds: float = 0.0

    def __reduce__(self) -> tuple[type[Single], tuple[object, ...]]:
        return Single, (self.name, self.data, self.refusal, self.size)


@dataclass(frozen=True, slots=True)
class Collection:
    """Many puzzles in one file, which may be compressed."""

    source: Source
    kind: Kind


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive or a folder."""

    kind: Kind


Contents = Single | Collection | Archive
