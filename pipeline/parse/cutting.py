"""A stream → pieces of whole records, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from pipeline.parse.base import Piece
from pipeline.parse.text import LINE_END, count_lines

LONGEST = 64 * 1024
"""Bytes of the longest record that is read; a longer one is an error, and is skipped."""

LOOK = 256
"""Bytes after a record's end that may be needed to recognise it as the end."""

Boundary = Callable[[bytes, int, int], int]
"""(data, limit, known) → the last end of a record in the first `limit` bytes; failing that the
first one after them, in the first `known` bytes; 0 if there is none. Data begins with a record."""

Digest = Callable[[bytes], bytes]
"""The beginning of a record → the part needed to find its end; fewer than LOOK bytes."""


def last_end(ends: Iterator[int], limit: int, known: int) -> int:
    """Compute a Boundary's answer from the ascending ends of the records."""
    last = 0
    for end in ends:
        if end > known:
            break
        if end > limit:
            return last or end
        last = end
    return last


def _line_boundary(data: bytes, limit: int, known: int) -> int:
    """Every line is a record; a lone CR ends one too."""
    end = data.rfind(b"\n", 0, limit) + 1
    return end or last_end((match.end() for match in LINE_END.finditer(data)), limit, known)


def cut_lines(stream: BinaryIO, _layout: Any, size: int) -> Iterator[Piece]:
    return cut_pieces(stream, size, _line_boundary)


class _Window:
    """The next bytes of a stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.data = b""
        self.is_last = False

    def fill(self, wanted: int) -> bool:
        """Read until `wanted` bytes are there, if the stream has them; whether any are there."""
        while len(self.data) < wanted and not self.is_last:
            more = self._stream.read(wanted - len(self.data))
            self.is_last = not more
            self.data += more
        return bool(self.data)

    @property
    def known(self) -> int:
        """The number of bytes in which the ends of records are certain."""
        return len(self.data) if self.is_last else len(self.data) - LOOK

    def end(self, size: int, boundary: Boundary) -> int:
        """Where a piece of that size that begins here ends; 0 if that cannot be seen."""
        rest = len(self.data)
        if self.is_last and rest <= size:
            return rest
        return boundary(self.data, size, self.known) or (rest if self.is_last else 0)

    def take(self, size: int) -> bytes:
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def skip(self, boundary: Boundary, digest: Digest) -> int:
        """Drop the record that begins here; return the number of line ends in it."""
        dropped = self.take(LONGEST)
        kept, lines = digest(dropped), count_lines(dropped)
        while True:
            self.fill(LONGEST + LOOK)
            end = boundary(kept + self.data, 0, len(kept) + self.known) - len(kept)
            is_split = dropped.endswith(b"\r") and self.data.startswith(b"\n")
            dropped = self.take(end if end > 0 else self.known)
            lines += count_lines(dropped) - is_split
            if end > 0 or self.is_last:
                return lines
            kept = digest(kept + dropped)


def cut_pieces(
    stream: BinaryIO, size: int, boundary: Boundary, digest: Digest = lambda _begun: b""
) -> Iterator[Piece]:
    """Cut pieces of at most `size` bytes, or of one record that is longer.

    A record longer than LONGEST becomes a piece of LONGEST + 1 bytes; the rest is skipped.
    """
    window, line = _Window(stream), 1
    most = max(size, LONGEST)
    while window.fill(size + LOOK):
        end = window.end(size, boundary)
        if not end:
            window.fill(most + LOOK)
            end = window.end(size, boundary)
        if end and end <= most:
            piece = Piece(line, window.take(end))
            line += count_lines(piece.data)
            yield piece
        else:
            yield Piece(line, window.data[: LONGEST + 1])
            line += window.skip(boundary, digest)
