"""gzip, bzip2, xz, and the bare deflate of zips: chunks in, unpacked chunks out, both small."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, Protocol

from pipeline.unpack.limits import PIECE, Budget, UnpackError

Compression = Literal["gzip", "bzip2", "xz"]

CUT_OFF = "it ends too early: it is cut off"
_GZIP, _BARE = 31, -15
"""How zlib is told which frame is around its data."""

_XZ_MEMORY = 160 * 2**20
"""xz -9 needs 65 MiB, half of what a dictionary of 128 MiB needs; 4 GiB can be asked for."""

_FREE_STREAMS, _LEAST_STREAM = 1000, 1024
"""So many streams behind each other may be small; after that they have 1 KiB on the average."""


class _Decompressor(Protocol):
    """What the standard library's decompressors have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Inflater:
    """zlib's decompressor in the manner of the others."""

    def __init__(self, frame: int) -> None:
        self._zlib = zlib.decompressobj(frame)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        piece = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self.needs_input = len(piece) < max_length
        return piece


_MAKERS: dict[Compression, Callable[[], _Decompressor]] = {
    "gzip": lambda: _Inflater(_GZIP),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
}


def unpacked(chunks: Iterable[bytes], compression: Compression, budget: Budget) -> Iterator[bytes]:
    """The content of compressed streams behind each other, with zeros between and after them.

    Raises UnpackError after what could be unpacked, and TooMuch.
    """
    return _Unpacking(_MAKERS[compression], budget).run(chunks)


def inflated(chunks: Iterable[bytes], budget: Budget) -> Iterator[bytes]:
    """The content of one stream of bare deflate, as `unpacked`; what follows it is not read."""
    return _Unpacking(lambda: _Inflater(_BARE), budget, single=True).run(chunks)


class _Unpacking:
    """One run of decompressors over chunks of packed bytes."""

    def __init__(
        self, make: Callable[[], _Decompressor], budget: Budget, *, single: bool = False
    ) -> None:
        self._make = make
        self._engine = make()
        self._budget = budget
        self._single = single
        self._streams = 1
        self._packed = 0
        self._unpacked = 0

    def run(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._packed += len(chunk)
            yield from self._pieces(chunk)
            if self._single and self._engine.eof:
                return
        if not self._engine.eof:
            raise UnpackError(CUT_OFF)

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        """All that can be unpacked with one more chunk of packed bytes."""
        while True:
            if self._engine.eof:
                data = data.lstrip(b"\0")
                if self._single or not data:
                    return
                self._begin()
            fed = bool(data)
            piece = self._decompressed(data)
            if piece:
                self._unpacked += len(piece)
                self._budget.unpack(len(piece))
                self._budget.weigh(self._packed, self._unpacked)
                yield piece
            if self._engine.eof:
                data = self._engine.unused_data
            elif self._engine.needs_input or not (piece or fed):
                return
            else:
                data = b""

    def _decompressed(self, data: bytes) -> bytes:
        try:
            return self._engine.decompress(data, PIECE)
        except (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError) as error:
            raise UnpackError(f"it is damaged: {error}") from error

    def _begin(self) -> None:
        """Start with the next stream."""
        self._streams += 1
        if (self._streams - _FREE_STREAMS) * _LEAST_STREAM > self._unpacked:
            raise UnpackError("it is made of thousands of streams with next to nothing in them")
        self._engine = self._make()
