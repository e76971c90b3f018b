"""What a source holds: one puzzle, or a collection of them."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator
from functools import lru_cache

from pipeline.errors import InvalidPuzzle
from pipeline.parse import Detected, Piece, detect_collection
from pipeline.parse.formula import parse_formula
from pipeline.problem import is_formula, parse_once
from pipeline.rows import Source
from pipeline.settings import Settings
from pipeline.unpack import Layers, PeekableChunks, PeekableStream, layers_of

HEAD_BYTES = 1024 * 1024
"""Of a source: enough to tell what it is."""

_MOST_CELLS = 100
_MOST_OF_ONE = 4096
"""Bytes: in larger sources collections are as likely."""


def is_plain(data: bytes) -> bool:
    """Whether a source that begins so is neither an archive nor compressed."""
    return layers_of(PeekableChunks(iter([data]))) == Layers()


def is_one_puzzle(data: bytes, name: str, settings: Settings) -> bool:
    """Whether a whole source reads as a puzzle, and nobody says that it is something else.

    What does is no collection; to find that out first is quicker.
    """
    if settings.format != "auto" or len(data) > _MOST_OF_ONE:
        return False
    try:
        parse_once(data, name, *settings.reading)
    except InvalidPuzzle:
        return False
    return True


def is_cut_off_formula(data: bytes, name: str) -> bool:
    """Whether a formula looks like the beginning of one."""
    try:
        parse_formula(data, name)
    except InvalidPuzzle as error:
        return error.truncated
    return False


@lru_cache(maxsize=1)
def collection_in(head: bytes, *, complete: bool, declared: str) -> Detected | None:
    """What collection begins so; None for a single puzzle, and for what is neither.

    A file is looked at before it is claimed, and again afterwards.
    """
    return detect_collection(head, complete, declared)


def source_in(stream: PeekableStream, name: str, settings: Settings) -> Source | None:
    """What is to be known of the collection in a stream, if there is one."""
    head = stream.head(HEAD_BYTES + 1)
    complete = len(head) <= HEAD_BYTES
    if is_formula(head, settings) or (complete and is_one_puzzle(head, name, settings)):
        return None
    detected = collection_in(head[:HEAD_BYTES], complete=complete, declared=settings.format)
    if detected is None:
        return None
    return Source(name, detected, _cells(head, name, detected, settings))


def _cells(head: bytes, name: str, detected: Detected, settings: Settings) -> int:
    """How many cells the first puzzle has, for those whose size is not known."""
    pieces = detected.pieces(io.BytesIO(head), 1)
    for piece, _ in zip(pieces, range(_MOST_CELLS), strict=False):
        for entry in detected.entries(piece, name, settings.reading):
            if entry.plain:
                return 81
            if entry.puzzle is not None:
                return len(entry.puzzle.cells)
    return 81


def ends_badly(data: bytes, detected: Detected, settings: Settings) -> bool:
    """Whether the last puzzle of a collection is none: the file may be cut off."""
    pieces: Iterator[Piece] = detected.pieces(io.BytesIO(data), 1)
    last = deque(pieces, maxlen=1)
    if not last:
        return False
    entries = detected.entries(last[0], "", settings.reading)
    return bool(entries) and entries[-1].error is not None
