"""Chunks of bytes as a stream, a file as chunks, a stream's beginning before it is read."""

from __future__ import annotations

import errno
import io
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

from pipeline.errors import in_words, is_environmental
from pipeline.files import descriptor_of
from pipeline.unpack.limits import PIECE, Budget, UnpackError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_IN_MEMORY = 8 * 2**20
_AHEAD = 2 * 2**20
"""A block of bzip2 has up to 900 kB, and must be there as a whole before any of it is unpacked."""


class _Chunked(io.RawIOBase):
    """Chunks as a raw stream. An error comes after all that was read before it, and stays."""

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
    """Chunks as a stream to read once; closing it closes what it owns."""
    return io.BufferedReader(_Chunked(chunks, *owned), PIECE)


@dataclass(slots=True)
class Meter:
    """How many bytes have been read of a source as it lies on the disk."""

    read: int = 0


class _Metered(io.FileIO):
    """An unbuffered file that counts what is read of it."""

    def __init__(self, descriptor: int, meter: Meter) -> None:
        super().__init__(descriptor)
        self._meter = meter

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        self._meter.read += len(data)
        return data

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        size = super().readinto(buffer) or 0
        self._meter.read += size
        return size


def opened_regular(
    name: str | Path, folder: int | None = None, meter: Meter | None = None
) -> io.FileIO:
    """A regular file, unbuffered: no link is followed, nothing is waited for.

    `name` is relative to the open folder, if one is given. Raises OSError, also for what is not
    a regular file.
    """
    return _Metered(descriptor_of(name, folder), meter or Meter())


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    """What is left of a file; raises UnpackError if it cannot be read."""
    try:
        while chunk := file.read(PIECE):
            yield chunk
    except OSError as error:
        if is_environmental(error):
            raise
        raise UnpackError(f"it cannot be read: {in_words(error)}") from error


def counted(chunks: Iterable[bytes], budget: Budget) -> Iterator[bytes]:
    """The same chunks, taken from the budget; raises TooMuch."""
    for chunk in chunks:
        budget.unpack(len(chunk))
        yield chunk


def spooled(chunks: Iterable[bytes]) -> IO[bytes]:
    """The chunks in a nameless temporary file, where one can seek; a small one stays in memory."""
    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
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


class Tape:
    """Chunks whose beginning can be looked at, any number of times, before they are read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._taken: list[bytes] = []
        self._error: UnpackError | None = None

    def ahead(self) -> Iterator[bytes]:
        """The beginning: at least 2 MiB, or all there is before the end or an error."""
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


def beginning(chunks: Iterable[bytes], size: int) -> bytes:
    """The first bytes: `size` of them, or fewer where there are no more."""
    found = b""
    for chunk in chunks:
        found += chunk
        if len(found) >= size:
            break
    return found[:size]
