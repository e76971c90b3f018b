"""Decide whether a source holds one problem, a collection, or an archive.

`formats.detect` tells what bytes are. `contents_in` looks at all bytes of a small file,
`contents_of` at any file, and `contents_of_member` at a member of an archive.
"""

from __future__ import annotations

import io
import stat
import time
from collections import deque
from dataclasses import replace
from pathlib import Path

from pipeline.errors import InvalidPuzzle, LimitReached, is_environmental, printable
from pipeline.files import kind_in_words
from pipeline.limits import Deadline, Limits
from pipeline.reading import Archive, Collection, Contents, Single, Source
from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.archives.walk import Member, check_readable, is_packed, kind_of, opened
from pipeline.reading.formats import (
    HEAD_BYTES,
    Detected,
    FormulaBegun,
    NotMany,
    Parsed,
    What,
    detect,
    oversize,
    parse_source,
)
from pipeline.reading.formats.formula import ParsedFormula, parse_formula
from pipeline.settings import Settings

PIECE_BYTES = 64 * 1024
"""Bytes of a collection to read at once."""

_MOST_CELLS = 100


def contents_in(data: bytes, name: str, settings: Settings) -> tuple[Contents | None, bool]:
    """Tell what all the bytes of a file hold, and whether they look cut off.

    None if only the file can tell: it is packed, or takes too long to parse.
    """
    if is_packed(data):
        return None, False
    head, most = data[:HEAD_BYTES], settings.max_bytes
    begun = time.perf_counter()
    parsed: Parsed | ParsedFormula
    try:
        match detect(head, len(data) <= HEAD_BYTES, name, settings.reading):
            case Detected() as found:
                source = Source(printable(name), found, _cells(head, name, found, settings))
                is_torn = not data.endswith(b"\n") and _ends_badly(data, found, settings)
                return Collection(source, "plain"), is_torn
            case _ if len(data) > most:
                return Single(name, None, str(oversize(name, most, f"{len(data)} bytes"))), False
            case FormulaBegun():
                deadline = Deadline.of(Limits(settings.timeout, settings.memory_limit))
                parsed = parse_formula(data, name, most, deadline)
            case Parsed() as parsed:
                pass
            case NotMany():
                parsed = parse_source(data, name, *settings.reading)
    except LimitReached:
        return None, False
    except InvalidPuzzle as error:
        spent = time.perf_counter() - begun
        return Single(name, data, str(error), len(data), seconds=spent), error.truncated
    spent = time.perf_counter() - begun
    return Single(name, data, None, len(data), parsed, spent), False


def contents_of(path: Path, name: str, settings: Settings) -> Contents:
    """Tell by its content what has been claimed. Raises OSError."""
    status = path.lstat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return _refused(name, "a file or a folder", kind_in_words(status.st_mode), None)
    try:
        return _contents(path, name, settings)
    except UnpackError as error:
        return Single(name, None, f"{printable(name)}: {error}", status.st_size)
    except PermissionError:
        found = "no permission to read it"
        return _refused(name, "a file that may be read", found, status.st_size)


def _refused(name: str, expected: str, found: str, size: int | None) -> Single:
    return Single(name, None, str(InvalidPuzzle(name, None, None, expected, found)), size)


def _contents(path: Path, name: str, settings: Settings) -> Contents:
    limits = UnpackLimits(settings.max_total_bytes)
    kind = kind_of(path)
    if kind in ("zip", "tar", "folder"):
        if kind != "folder":
            check_readable(path, limits)
        return Archive(kind)
    size = path.stat().st_size
    found = f"{size} bytes" if kind == "plain" else "more"
    with PeekableStream(opened(path, limits)) as stream:
        what = _one_or_many(stream, printable(name), settings, found)
    if isinstance(what, Source):
        return Collection(what, kind)
    return replace(what, name=name, size=size)


def contents_of_member(
    member: Member, settings: Settings
) -> Single | tuple[Source, PeekableStream]:
    """A member of an archive as one puzzle, or a collection's source with its stream.

    Raises OSError if the environment keeps it from being read.
    """
    if member.stream is None:
        return Single(member.name, None, member.refusal)
    try:
        stream = PeekableStream(member.stream)
        found = _one_or_many(stream, member.name, settings)
    except (UnpackError, OSError) as error:
        if isinstance(error, OSError) and is_environmental(error):
            raise
        return Single(member.name, None, str(error))
    return (found, stream) if isinstance(found, Source) else found


def _one_or_many(
    stream: PeekableStream, name: str, settings: Settings, size: str = "more"
) -> Single | Source:
    """The one puzzle in a stream of that size, or the source of a collection, not read yet."""
    what = what_in(stream, name, settings)
    if isinstance(what, Source):
        return what
    data = stream.whole(settings.max_bytes + 1)
    if len(data) > settings.max_bytes:
        return Single(name, None, str(oversize(name, settings.max_bytes, size)))
    return Single(name, data, what=what)


def what_in(stream: PeekableStream, name: str, settings: Settings) -> Source | What:
    """The source of the collection in a stream, or what `detect` finds in any other."""
    head = stream.head(HEAD_BYTES + 1)
    complete = len(head) <= HEAD_BYTES
    what = detect(head[:HEAD_BYTES], complete, name, settings.reading)
    if isinstance(what, Detected):
        return Source(name, what, _cells(head, name, what, settings))
    return what


def _cells(head: bytes, name: str, detected: Detected, settings: Settings) -> int:
    """The number of cells of the first puzzle, to stand for those whose size is not known."""
    pieces = detected.pieces(io.BytesIO(head), 1)
    for piece, _ in zip(pieces, range(_MOST_CELLS), strict=False):
        for entry in detected.entries(piece, name, settings.reading):
            if entry.plain:
                return 81
            if entry.puzzle is not None:
                return len(entry.puzzle.cells)
    return 81


def _ends_badly(data: bytes, detected: Detected, settings: Settings) -> bool:
    """Whether the last entry of a collection is invalid: the file may be cut off."""
    last = deque(detected.pieces(io.BytesIO(data), 1), maxlen=1)
    if not last:
        return False
    entries = detected.entries(last[0], "", settings.reading)
    return bool(entries) and entries[-1].error is not None
