"""What a source holds: one puzzle, a collection, or an archive. Only here is that decided.

`glance` looks at a small file before it is claimed, `contents_of` at what has been claimed, and
`contents_of_member` at a member of an archive.
"""

from __future__ import annotations

import io
import stat
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pipeline.dropbox.settle import kind_in_words
from pipeline.errors import InvalidPuzzle, is_environmental, printable
from pipeline.parse import Detected, detect_collection, oversize
from pipeline.parse.formula import parse_formula
from pipeline.problem import is_formula, parse_once
from pipeline.rows import Source
from pipeline.run.requests import Item
from pipeline.settings import Settings
from pipeline.unpack import (
    Kind,
    Layers,
    Member,
    PeekableChunks,
    PeekableStream,
    Room,
    UnpackError,
    check_readable,
    kind_of,
    layers_of,
    opened,
)

HEAD_BYTES = 1024 * 1024
"""Of a source: enough to tell what it is."""

_MOST_CELLS = 100
_MOST_OF_ONE = 4096
"""Bytes: in larger sources collections are as likely."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Many puzzles in one file, which may be compressed."""

    source: Source
    kind: Kind


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive or a folder."""

    kind: Kind


Contents = Item | Collection | Archive
"""An Item is one puzzle."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What a look at a file tells: whether it holds many puzzles, and whether it looks cut off."""

    holds_many: bool = False
    cut_off: bool = False


def glance(data: bytes, name: str, settings: Settings) -> Glance:
    """Look at all bytes of a file before it is claimed."""
    if layers_of(PeekableChunks(iter([data]))) != Layers():
        return Glance(holds_many=True)
    try:
        if is_formula(data, settings):
            parse_formula(data, name)
        elif not _is_one_puzzle(data, name, settings):
            found = _collection_in(data, complete=True, declared=settings.format)
            if found is not None:
                torn = not data.endswith(b"\n") and _ends_badly(data, found, settings)
                return Glance(holds_many=True, cut_off=torn)
            parse_once(data, name, *settings.reading)
    except InvalidPuzzle as error:
        return Glance(cut_off=error.truncated)
    return Glance()


def contents_of(path: Path, name: str, settings: Settings) -> Contents:
    """What has been claimed, by its content alone. Raises OSError."""
    status = path.lstat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return _refused(name, "a file or a folder", kind_in_words(status.st_mode), None)
    try:
        return _contents(path, name, settings)
    except UnpackError as error:
        return Item(name, None, f"{printable(name)}: {error}", status.st_size)
    except PermissionError:
        found = "no permission to read it"
        return _refused(name, "a file that may be read", found, status.st_size)


def _refused(name: str, expected: str, found: str, size: int | None) -> Item:
    return Item(name, None, str(InvalidPuzzle(name, None, None, expected, found)), size)


def _contents(path: Path, name: str, settings: Settings) -> Contents:
    room = Room(settings.max_total_bytes)
    kind = kind_of(path)
    if kind in ("zip", "tar", "folder"):
        if kind != "folder":
            check_readable(path, room)
        return Archive(kind)
    size, most = path.stat().st_size, settings.max_bytes
    with PeekableStream(opened(path, room)) as stream:
        source = source_in(stream, printable(name), settings)
        if source is not None:
            return Collection(source, kind)
        if kind == "plain" and size > most:
            return Item(name, None, str(oversize(name, most, f"{size} bytes")), size)
        data = stream.whole(most + 1)
    if len(data) > most:
        return Item(name, None, str(oversize(name, most, "more")), size)
    return Item(name, data, size=size)


def contents_of_member(member: Member, settings: Settings) -> Item | tuple[Source, PeekableStream]:
    """A member of an archive as one puzzle, or what is known of a collection with its stream.

    Raises OSError where what keeps it from being read are the surroundings.
    """
    if member.stream is None:
        return Item(member.name, None, member.refusal)
    most = settings.max_bytes
    try:
        stream = PeekableStream(member.stream)
        source = source_in(stream, member.name, settings)
        if source is not None:
            return source, stream
        data = stream.whole(most + 1)
    except (UnpackError, OSError) as error:
        if isinstance(error, OSError) and is_environmental(error):
            raise
        return Item(member.name, None, str(error))
    if len(data) > most:
        return Item(member.name, None, str(oversize(member.name, most, "more")))
    return Item(member.name, data)


def source_in(stream: PeekableStream, name: str, settings: Settings) -> Source | None:
    """What is known of the collection in a stream, if there is one."""
    head = stream.head(HEAD_BYTES + 1)
    complete = len(head) <= HEAD_BYTES
    if is_formula(head, settings) or (complete and _is_one_puzzle(head, name, settings)):
        return None
    detected = _collection_in(head[:HEAD_BYTES], complete=complete, declared=settings.format)
    if detected is None:
        return None
    return Source(name, detected, _cells(head, name, detected, settings))


def _is_one_puzzle(data: bytes, name: str, settings: Settings) -> bool:
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


@lru_cache(maxsize=1)
def _collection_in(head: bytes, *, complete: bool, declared: str) -> Detected | None:
    """What collection begins so; None for a single puzzle, and for what is neither.

    A file is looked at before it is claimed, and again afterwards.
    """
    return detect_collection(head, complete, declared)


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


def _ends_badly(data: bytes, detected: Detected, settings: Settings) -> bool:
    """Whether the last puzzle of a collection is none: the file may be cut off."""
    last = deque(detected.pieces(io.BytesIO(data), 1), maxlen=1)
    if not last:
        return False
    entries = detected.entries(last[0], "", settings.reading)
    return bool(entries) and entries[-1].error is not None
