"""What a source holds: one puzzle, or a collection of them."""

from __future__ import annotations

import io
import sys
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import sha256
from typing import BinaryIO

from pipeline.errors import InvalidPuzzle
from pipeline.parse.collections import Detected, Piece, detect_collection
from pipeline.parse.formula import parse_formula
from pipeline.rows import Source
from pipeline.settings import Settings
from pipeline.stages import is_formula, parse_once
from pipeline.unpack import Layers, Tape, UnpackError, layers_of

HEAD_BYTES = 1024 * 1024
"""Of a source: enough to tell what it is."""

_MOST_CELLS = 100
_MOST_OF_ONE = 4096
"""Bytes: in larger sources collections are as likely."""


class Ahead(io.RawIOBase, BinaryIO):
    """A stream whose beginning can be looked at before it is read.

    It ends where it is broken; `error` then says what is wrong.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._head = b""
        self._hashed = sha256()
        self.size = 0
        self.error: UnpackError | None = None

    @property
    def digest(self) -> str:
        """The SHA-256 of all that was read of it, `size` bytes."""
        return self._hashed.hexdigest()

    def head(self, most: int) -> bytes:
        """At most the first `most` bytes; to be asked before anything is read."""
        parts: list[bytes] = []
        while most and (part := self._some(most)):
            parts.append(part)
            most -= len(part)
        self._head = b"".join(parts)
        return self._head

    def _some(self, most: int) -> bytes:
        if self.error:
            return b""
        read: Callable[[int], bytes] = getattr(self._stream, "read1", self._stream.read)
        try:
            data = read(most)
        except UnpackError as error:
            self.error = error
            return b""
        self._hashed.update(data)
        self.size += len(data)
        return data

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Up to `size` bytes, fewer even before the end."""
        if size is None or size < 0:
            size = sys.maxsize
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
            return data
        return self._some(size)

    def whole(self, most: int) -> bytes:
        """All that is left, `most` bytes of it at most. Raises UnpackError where it is broken."""
        parts: list[bytes] = []
        while most and (part := self.read(min(most, HEAD_BYTES))):
            parts.append(part)
            most -= len(part)
        if self.error:
            raise self.error
        return b"".join(parts)

    def close(self) -> None:
        self._stream.close()
        super().close()


def is_plain(data: bytes) -> bool:
    """Whether a source that begins so is neither an archive nor compressed."""
    return layers_of(Tape(iter([data]))) == Layers()


def is_one_puzzle(data: bytes, name: str, settings: Settings) -> bool:
    """Whether a whole source reads as a puzzle, and nobody says that it is something else.

    What does is no collection; to find that out first is quicker.
    """
    if is_formula(data, settings):
        return True
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
    return detect_collection(head, complete, None if declared == "auto" else declared)


def source_in(stream: Ahead, name: str, settings: Settings) -> Source | None:
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
