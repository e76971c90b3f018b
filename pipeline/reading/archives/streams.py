"""Streams of bytes: files as chunks; chunks unpacked, counted, peeked at, and read again."""

from __future__ import annotations

import bz2
import errno
import io
import lzma
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Literal, Protocol

from pipeline.errors import in_words, is_environmental
from pipeline.files import descriptor_of
from pipeline.reading.archives.limits import PIECE, Budget, UnpackError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Compression = Literal["gzip", "bzip2", "xz"]

CUT_OFF = "it ends too early: it is cut off"
_IN_MEMORY = 8 * 2**20
_AT_ONCE = 2**20
_AHEAD = 2 * 2**20
"""A block of bzip2 has up to 900 kB, and is needed whole before any of it is unpacked."""

_GZIP, _BARE = 31, -15
"""zlib's codes for the format around its data."""

_XZ_MEMORY = 160 * 2**20
"""xz -9 needs 65 MiB, a dictionary of 128 MiB twice that; a file can demand 4 GiB."""

_FREE_STREAMS, _LEAST_STREAM = 1000, 1024
"""So many concatenated streams may be small; further ones need 1 KiB on average."""


@dataclass(slots=True)
class Meter:
    """How many bytes of a source have been read from the disk."""

    read: int = 0


class _MeteredFile(io.FileIO):
    """An unbuffered file that counts the bytes read from it."""

    def __init__(self, descriptor: int, meter: Meter) -> None:
        super().__init__(descriptor)
        self._meter = meter

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        self._meter.read += len(data)
        return data


def opened_regular(
    name: str | Path, folder: int | None = None, meter: Meter | None = None
) -> io.FileIO:
    """Open a file as `descriptor_of` does, unbuffered; the meter counts what is read."""
    return _MeteredFile(descriptor_of(name, folder), meter or Meter())


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    """The rest of a file; raises UnpackError if it cannot be read."""
    try:
        while chunk := file.read(PIECE):
            yield chunk
    except OSError as error:
        if is_environmental(error):
            raise
        raise UnpackError(f"it cannot be read: {in_words(error)}") from error


def counted(chunks: Iterable[bytes], budget: Budget) -> Iterator[bytes]:
    """Pass the chunks on, counted by the budget; raises TooMuch."""
    for chunk in chunks:
        budget.unpack(len(chunk))
        yield chunk


class _ChunkedFile(io.RawIOBase):
    """Chunks as a raw stream. An error is raised after all that was read before it, and again."""

    def __init__(self, chunks: Iterator[bytes], *owned: BinaryIO) -> None:
        super().__init__()
        self._chunks = chunks
        self._owned = owned
        self._rest = memoryview(b"")
        self._error: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if self._error is not None:
            raise self._error
        view = memoryview(buffer)
        try:
            while not self._rest:
                chunk = next(self._chunks, None)
                if chunk is None:
                    return 0
                self._rest = memoryview(chunk)
        except (UnpackError, OSError) as error:
            self._error = error
            raise
        size = min(len(view), len(self._rest))
        view[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def close(self) -> None:
        super().close()
        for file in self._owned:
            file.close()


def stream_of(chunks: Iterator[bytes], *owned: BinaryIO) -> io.BufferedReader:
    """Chunks as a stream to read once; closing it closes the `owned` files."""
    return io.BufferedReader(_ChunkedFile(chunks, *owned), PIECE)


def spooled(chunks: Iterable[bytes]) -> IO[bytes]:
    """The chunks in a nameless, seekable temporary file; a small one stays in memory."""
    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the caller closes it
    try:
        for chunk in chunks:
            _write(file, chunk)
    except BaseException:
        file.close()
        raise
    return file


def _write(file: IO[bytes], chunk: bytes) -> None:
    try:
        file.write(chunk)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise UnpackError("there is no room for temporary files to unpack it") from error
        raise


class PeekableChunks:
    """Chunks whose beginning can be inspected, any number of times, before they are read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._taken: list[bytes] = []
        self._error: UnpackError | None = None

    def ahead(self) -> Iterator[bytes]:
        """The beginning: at least 2 MiB, or everything before the end or an error."""
        yield from self._taken
        size = sum(map(len, self._taken))
        while size < _AHEAD and self._error is None:
            try:
                chunk = next(self._chunks, None)
            except UnpackError as error:
                self._error = error
                return
            if chunk is None:
                return
            self._taken.append(chunk)
            size += len(chunk)
            yield chunk

    def chunks(self) -> Iterator[bytes]:
        """Everything, once: from the beginning to the end or the error."""
        taken, self._taken = self._taken, []
        yield from taken
        del taken
        if self._error is not None:
            raise self._error
        yield from self._chunks


class PeekableStream(io.RawIOBase, BinaryIO):
    """A stream whose beginning can be inspected before it is read; it hashes what is read.

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
        """At most the first `most` bytes; to be called before anything is read."""
        self._head = _joined(self._some, most)
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
        return self._some(min(size, _AT_ONCE))

    def whole(self, most: int) -> bytes:
        """The rest, at most `most` bytes of it. Raises UnpackError if it is broken."""
        data = _joined(self.read, most)
        if self.error:
            raise self.error
        return data

    def close(self) -> None:
        self._stream.close()
        super().close()


def _joined(read: Callable[[int], bytes], most: int) -> bytes:
    """Everything that can be read, up to `most` bytes."""
    parts: list[bytes] = []
    while most and (part := read(most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Inflater:
    """zlib's decompressor with the interface of the others."""

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


_DECOMPRESSORS: dict[Compression | Literal["deflate"], Callable[[], _Decompressor]] = {
    "gzip": lambda: _Inflater(_GZIP),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
    "deflate": lambda: _Inflater(_BARE),
}


def unpacked(
    chunks: Iterable[bytes], compression: Compression | Literal["deflate"], budget: Budget
) -> Iterator[bytes]:
    """Unpack concatenated compressed streams, with zeros between and after them.

    For bare deflate only one stream is read. Raises UnpackError after what could be unpacked,
    and TooMuch.
    """
    run = _Unpacking(_DECOMPRESSORS[compression], budget)
    for chunk in chunks:
        yield from run.pieces(chunk, once=compression == "deflate")
        if run.is_at_end and compression == "deflate":
            return
    if not run.is_at_end:
        raise UnpackError(CUT_OFF)


class _Unpacking:
    """One run of decompressors over chunks of packed bytes."""

    def __init__(self, make: Callable[[], _Decompressor], budget: Budget) -> None:
        self._make = make
        self._engine = make()
        self._budget = budget
        self._streams = 1
        self._packed = 0
        self._unpacked = 0

    @property
    def is_at_end(self) -> bool:
        """Whether a stream has ended and no other has begun."""
        return self._engine.eof

    def pieces(self, data: bytes, *, once: bool) -> Iterator[bytes]:
        """Unpack one more chunk of packed bytes; only the first stream if `once`."""
        self._packed += len(data)
        while True:
            if self._engine.eof:
                data = data.lstrip(b"\0")
                if once or not data:
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
        self._streams += 1
        if (self._streams - _FREE_STREAMS) * _LEAST_STREAM > self._unpacked:
            raise UnpackError("it is made of thousands of streams with next to nothing in them")
        self._engine = self._make()
