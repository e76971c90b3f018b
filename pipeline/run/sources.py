"""What a source holds: one puzzle, or a collection of them."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import BinaryIO

from pipeline.parse.collections import Detected, Piece, detect_collection
from pipeline.rows import Source
from pipeline.settings import Settings

HEAD_BYTES = 1024 * 1024
"""Of a source: enough to tell what it is."""

_MOST_CELLS = 100


class Ahead(io.BufferedIOBase, BinaryIO):
    """A stream whose beginning can be looked at before it is read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._head = b""
        self._at = 0

    def head(self, most: int) -> bytes:
        """At most the first `most` bytes; to be asked before anything is read."""
        parts = []
        left = most
        while left and (part := self._stream.read(left)):
            parts.append(part)
            left -= len(part)
        self._head = b"".join(parts)
        return self._head

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        left = self._head[self._at :]
        if size is None or size < 0:
            self._head, self._at = b"", 0
            return left + self._stream.read()
        if left:
            self._at += min(size, len(left))
            return left[:size] if len(left) >= size else left + self._stream.read(size - len(left))
        return self._stream.read(size)

    def close(self) -> None:
        self._stream.close()
        super().close()


@lru_cache(maxsize=1)
def collection_in(head: bytes, *, complete: bool, declared: str) -> Detected | None:
    """What collection begins so; None for a single puzzle, and for what is neither.

    A file is looked at before it is claimed, and again afterwards.
    """
    return detect_collection(head, complete, None if declared == "auto" else declared)


def source_in(stream: Ahead, name: str, settings: Settings) -> Source | None:
    """What is to be known of the collection in a stream, if there is one."""
    head = stream.head(HEAD_BYTES + 1)
    complete = len(head) <= HEAD_BYTES
    detected = collection_in(head[:HEAD_BYTES], complete=complete, declared=settings.format)
    if detected is None:
        return None
    return Source(name, detected, _cells(head, name, detected, settings))


def _cells(head: bytes, name: str, detected: Detected, settings: Settings) -> int:
    """How many cells the first puzzle has, for those whose size is not known."""
    pieces = detected.format.pieces(io.BytesIO(head), detected.layout, 1)
    for piece, _ in zip(pieces, range(_MOST_CELLS), strict=False):
        for entry in detected.format.entries(piece, detected.layout, name, settings.reading):
            if entry.plain:
                return 81
            if entry.puzzle is not None:
                return len(entry.puzzle.cells)
    return 81


def ends_badly(data: bytes, detected: Detected, settings: Settings) -> bool:
    """Whether the last puzzle of a collection is none: the file may be cut off."""
    pieces: Iterator[Piece] = detected.format.pieces(io.BytesIO(data), detected.layout, 1)
    last = deque(pieces, maxlen=1)
    if not last:
        return False
    entries = detected.format.entries(last[0], detected.layout, "", settings.reading)
    return bool(entries) and entries[-1].error is not None
