"""Streams of bytes: read files in chunks, count and unpack the chunks, and inspect them."""

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
from typing import IO, TYPE_CHECKING, BinaryIO, Literal

from pipeline.errors import in_words, is_environmental
from pipeline.files import descriptor_of
from pipeline.reading.archives import BLOCK_BYTES, Budget, UnpackError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Compression = Literal["gzip", "bzip2", "xz"]

CUT_OFF = "it ends too early: it is cut off"
_MAX_IN_MEMORY = 8 * 2**20
"""Size up to which a spooled file stays in memory."""

_MAX_READ = 2**20
"""Maximum number of bytes that `PeekableStream.read` returns."""

_BEGINNING_BYTES = 2 * 2**20
"""Size of the beginning that can be inspected. It contains the first block of bzip2, which has up
to 900 kB and is only unpacked as a whole."""

_GZIP_WINDOW_BITS, _DEFLATE_WINDOW_BITS = 31, -15
"""The `wbits` of zlib for gzip, and for deflate without a header."""

_XZ_MEMORY = 160 * 2**20
"""Memory limit of the xz decoder. `xz -9` needs 65 MiB; a file can demand 4 GiB."""

_MAX_SMALL_STREAMS, _MIN_STREAM_BYTES = 1000, 1024
"""A file may have 1000 concatenated streams of any size. Further streams must unpack to 1 KiB each,
on average."""


@dataclass(slots=True)
class Meter:
    """The number of bytes of a source that have been read from disk."""

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


def open_regular(
    name: str | Path, folder: int | None = None, meter: Meter | None = None
) -> io.FileIO:
    """Open a file without a buffer, as `descriptor_of` does; `meter` counts the bytes read."""
    return _MeteredFile(descriptor_of(name, folder), meter or Meter())


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the rest of a file in chunks. Raises UnpackError if it cannot be read."""
    try:
        while chunk := file.read(BLOCK_BYTES):
            yield chunk
    except OSError as error:
        if is_environmental(error):
            raise
        raise UnpackError(f"it cannot be read: {in_words(error)}") from error


def counted_chunks(chunks: Iterable[bytes], budget: Budget) -> Iterator[bytes]:
    """Yield the chunks, and count their bytes in the budget. Raises ArchiveLimitExceeded."""
    for chunk in chunks:
        budget.count_bytes(len(chunk))
        yield chunk


class Chunks(io.RawIOBase):
    """A raw stream of chunks, which can be read once. Its beginning can be inspected first.

    If the chunks end in an error, the data before it can be read; then every read raises the error.
    Closing the stream also closes `files`.
    """

    def __init__(self, chunks: Iterator[bytes], *files: io.RawIOBase) -> None:
        super().__init__()
        self._chunks = chunks
        self._files_to_close = files
        self._beginning: list[bytes] = []
        self._rest = memoryview(b"")
        self._error: Exception | None = None

    def beginning(self) -> Iterator[bytes]:
        """Yield the beginning: 2 MiB or a little more, or everything up to the end or an error."""
        yield from self._beginning
        while sum(map(len, self._beginning)) < _BEGINNING_BYTES and (chunk := self._next()):
            self._beginning.append(chunk)
            yield chunk

    def remaining(self) -> Iterator[bytes]:
        """Yield the chunks that were not yielded here or read before, up to the end or an error."""
        while chunk := self._beginning.pop(0) if self._beginning else self._next():
            yield chunk

    def _next(self) -> bytes:
        if self._error is not None:
            raise self._error
        try:
            return next(self._chunks, b"")
        except (UnpackError, OSError) as error:
            self._error = error
            raise

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if not self._rest:
            self._rest = memoryview(next(self.remaining(), b""))
        size = min(len(view := memoryview(buffer)), len(self._rest))
        view[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def close(self) -> None:
        super().close()
        for file in self._files_to_close:
            file.close()


def spool(chunks: Iterable[bytes]) -> IO[bytes]:
    """Write chunks into an unnamed, seekable temporary file. A small file stays in memory."""
    file = tempfile.SpooledTemporaryFile(max_size=_MAX_IN_MEMORY)  # noqa: SIM115 - the caller closes it
    try:
        for chunk in chunks:
            try:
                file.write(chunk)
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                    raise UnpackError(
                        "there is no space for temporary files to unpack it"
                    ) from error
                raise
    except BaseException:
        file.close()
        raise
    return file


class PeekableStream(io.RawIOBase, BinaryIO):
    """A stream that hashes the bytes read. Its beginning can be inspected before it is read.

    If the stream breaks off, reading ends there, and `error` is set.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._head = b""
        self._hashed = sha256()
        self.size = 0
        self.error: UnpackError | None = None

    @property
    def digest(self) -> str:
        """The SHA-256 of the `size` bytes read so far."""
        return self._hashed.hexdigest()

    def head(self, max_bytes: int) -> bytes:
        """Return up to `max_bytes` bytes of the beginning. Must be called before `read`."""
        self._head = _read_fully(self._read_once, max_bytes)
        return self._head

    def _read_once(self, max_bytes: int) -> bytes:
        if self.error:
            return b""
        read: Callable[[int], bytes] = getattr(self._stream, "read1", self._stream.read)
        try:
            data = read(max_bytes)
        except UnpackError as error:
            self.error = error
            return b""
        self._hashed.update(data)
        self.size += len(data)
        return data

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Read up to `size` bytes. Only an empty result means the end."""
        if size is None or size < 0:
            size = sys.maxsize
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
            return data
        return self._read_once(min(size, _MAX_READ))

    def skip(self, size: int) -> None:
        """Read and discard up to `size` bytes."""
        while size and (part := self.read(size)):
            size -= len(part)

    def read_rest(self, max_bytes: int) -> bytes:
        """Read the rest, up to `max_bytes` bytes. Raises UnpackError if the stream breaks off."""
        data = _read_fully(self.read, max_bytes)
        if self.error:
            raise self.error
        return data

    def close(self) -> None:
        self._stream.close()
        super().close()


def drain(stream: BinaryIO | None) -> None:
    """Read the stream of a member to its end, or until it breaks off, so that limits count it."""
    try:
        while stream and stream.read(BLOCK_BYTES):
            pass
    except UnpackError:
        pass
    except OSError as error:  # other errors were raised by an earlier read
        if is_environmental(error):
            raise


def _read_fully(read: Callable[[int], bytes], max_bytes: int) -> bytes:
    """Call `read` until the end, or until there are `max_bytes` bytes."""
    chunks: list[bytes] = []
    while max_bytes and (chunk := read(max_bytes)):
        chunks.append(chunk)
        max_bytes -= len(chunk)
    return b"".join(chunks)


class _ZlibDecompressor:
    """A zlib decompressor with the interface of `bz2.BZ2Decompressor`."""

    def __init__(self, window_bits: int) -> None:
        self._zlib = zlib.decompressobj(window_bits)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        chunk = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self.needs_input = len(chunk) < max_length
        return chunk


_Decompressor = _ZlibDecompressor | bz2.BZ2Decompressor | lzma.LZMADecompressor
_DECOMPRESSORS: dict[Compression | Literal["deflate"], Callable[[], _Decompressor]] = {
    "gzip": lambda: _ZlibDecompressor(_GZIP_WINDOW_BITS),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
    "deflate": lambda: _ZlibDecompressor(_DEFLATE_WINDOW_BITS),
}


def unpack_chunks(
    chunks: Iterable[bytes], compression: Compression | Literal["deflate"], budget: Budget
) -> Iterator[bytes]:
    """Unpack concatenated compressed streams. Zeros between and after them are skipped.

    `deflate` means a single stream without a header. Raises ArchiveLimitExceeded. For a damaged
    stream, raises UnpackError after yielding the data that could be unpacked.
    """
    engine = _DECOMPRESSORS[compression]()
    streams = 1
    packed = size = 0
    for data in chunks:
        packed += len(data)
        needs_input = False
        while not needs_input:
            if engine.eof:
                data = data.lstrip(b"\0")  # noqa: PLW2901 - the rest of it
                if compression == "deflate" or not data:
                    break
                engine = _DECOMPRESSORS[compression]()
                streams += 1
                if (streams - _MAX_SMALL_STREAMS) * _MIN_STREAM_BYTES > size:
                    raise UnpackError("it consists of thousands of nearly empty streams")
            try:
                chunk = engine.decompress(data, BLOCK_BYTES)
            except (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError) as error:
                raise UnpackError(f"it is damaged: {error}") from error
            if chunk:
                size += len(chunk)
                budget.count_bytes(len(chunk))
                budget.check_ratio(packed, size)
                yield chunk
            needs_input = not engine.eof and (engine.needs_input or not (chunk or data))
            data = engine.unused_data if engine.eof else b""  # noqa: PLW2901 - as above
    if not engine.eof:
        raise UnpackError(CUT_OFF)
