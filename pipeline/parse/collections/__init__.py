"""Bytes → many puzzles: sources that hold two or more, which may be larger than memory.

A collection is read in pieces, each by itself, in any process. Content decides which format a
source is in, as for single puzzles; a new format is one module and one entry in COLLECTIONS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pipeline.parse import FORMATS
from pipeline.parse.collections.base import (
    CollectionFormat,
    Entry,
    Head,
    Piece,
)
from pipeline.parse.collections.hodoku import HODOKU
from pipeline.parse.collections.lines import LINES
from pipeline.parse.collections.opensudoku import OPENSUDOKU
from pipeline.parse.collections.stacked import STACKED
from pipeline.parse.collections.table import CSV

COLLECTIONS: tuple[CollectionFormat[Any], ...] = (OPENSUDOKU, HODOKU, CSV, LINES, STACKED)
"""In the order in which they are asked."""

__all__ = [
    "COLLECTIONS",
    "CollectionFormat",
    "Detected",
    "Entry",
    "Head",
    "Piece",
    "detect_collection",
]


@dataclass(frozen=True, slots=True)
class Detected:
    """How a source is to be read: its format, what that found out of it, and the reason."""

    format: CollectionFormat[Any]
    layout: Any
    reason: str


def detect_collection(head: bytes, complete: bool, declared: str | None = None) -> Detected | None:
    """How a source that begins with `head` is to be read as a collection.

    Up to 1 MiB of it is enough; `complete` says that it is all. None for a single puzzle, for
    what may be one as well, and for what is neither. `declared` names a format: of the
    collections, then the source is read as that whatever is in it; of single puzzles, then it
    is no collection, but for those that have the same name (HoDoKu, OpenSudoku).
    """
    formats = COLLECTIONS
    if declared not in (None, "auto"):
        formats = tuple(known for known in COLLECTIONS if known.name == declared)
    forced = declared is not None and declared not in ("auto", *(known.name for known in FORMATS))
    view = Head(head, complete, forced)
    for candidate in formats:
        found = candidate.recognise(view)
        if found is not None:
            return Detected(candidate, *found)
    return None
