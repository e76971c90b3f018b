"""The proofs of a collection: found by their index, unpacked one after the other."""

from __future__ import annotations

import io
import lzma
import os
from pathlib import Path
from typing import Self

from pipeline.certify.proof import MAX_CHARACTERS
from pipeline.errors import InputError, in_words
from pipeline.files import descriptor_of
from pipeline.published.tables import ProofRow, rows_in

_MEMORY = 64 * 1024 * 1024
_PIECE = 64 * 1024
_LONGEST = 1024 * 1024 * 1024
"""Bytes of a stream, unpacked: those that we write hold a piece of a collection's proofs."""


class ProofsFile:
    """Proofs in the order of their puzzles. Close it, or use it as a context."""

    def __init__(self, packed: Path, index: Path) -> None:
        self._packed = packed
        self._name = index.name
        self._rows = rows_in(index, ProofRow)
        self._file: io.FileIO | None = None
        self._stream: XzStream | None = None
        self._is_covered = True
        self.next: ProofRow | None = None

    def __enter__(self) -> Self:
        try:
            self._file = io.FileIO(descriptor_of(self._packed))
        except OSError as error:
            message = f"{self._packed.name}: cannot be read: {in_words(error)}"
            raise InputError(message) from error
        self.advance()
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def advance(self) -> None:
        """Go on to the next line of the index. Raises InputError where it cannot be read."""
        last, self.next = self.next, next(self._rows, None)
        if last and self.next:
            is_later = last.index < self.next.index and last.offset <= self.next.offset
            if not is_later:
                raise InputError(f"{self._name}: row {self.next.index} follows row {last.index}")

    def take(self) -> str:
        """The text of the next proof. Raises InputError where it cannot be read."""
        place, file = self.next, self._file
        assert place is not None and file is not None  # noqa: PT018, S101
        if place.length > MAX_CHARACTERS:
            raise InputError(f"the proof is longer than {MAX_CHARACTERS:,} characters")
        if self._stream is None or self._stream.offset != place.offset:
            self._leave(place.offset)
            self._stream = XzStream(file, place.offset)
        try:
            self._is_covered &= self._stream.position == place.start
            data = self._stream.cut(place.start, place.length)
        except (lzma.LZMAError, EOFError, OSError) as error:
            self._stream = None
            raise InputError(f"{self._packed.name}: {error}") from error
        return data.decode("ascii", errors="backslashreplace")

    def end(self) -> None:
        """Raise InputError where the file holds anything but the proofs that were taken."""
        assert self._file is not None  # noqa: S101
        self._leave(os.fstat(self._file.fileno()).st_size)
        if not self._is_covered:
            raise InputError(f"{self._packed.name}: there is more in it than proofs of rows")

    def _leave(self, offset: int) -> None:
        """Take note whether the last proof goes as far as that offset in the file."""
        try:
            self._is_covered &= (self._stream.end() if self._stream else 0) == offset
        except (lzma.LZMAError, EOFError, OSError):
            self._is_covered = False


class XzStream:
    """One stream of xz, of which parts are cut out, each behind the one before.

    `position` is how far that has gone in what is unpacked.
    """

    def __init__(self, file: io.FileIO, offset: int) -> None:
        self.offset = offset
        self._file = file
        self._next = offset
        self._engine = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
        self._ahead = b""
        self.position = 0

    def cut(self, start: int, length: int) -> bytes:
        """The bytes from `start` on. Raises LZMAError, EOFError and OSError."""
        if start < self.position or start + length > _LONGEST:
            raise EOFError("a proof does not lie behind the one before it")
        while self.position < start:
            self.position += len(self._some(start - self.position))
        parts = []
        while self.position < start + length:
            parts.append(self._some(start + length - self.position))
            self.position += len(parts[-1])
        return b"".join(parts)

    def end(self) -> int:
        """Where it ends in the file. Raises EOFError where more can be cut, LZMAError, OSError."""
        while not self._ahead and not self._engine.eof:
            self._unpack()
        if self._ahead:
            raise EOFError("there is more in it")
        return self._next - len(self._engine.unused_data)

    def _some(self, most: int) -> bytes:
        while not self._ahead:
            if self._engine.eof:
                raise EOFError("its stream ends within a proof")
            self._unpack()
        some, self._ahead = self._ahead[:most], self._ahead[most:]
        return some

    def _unpack(self) -> None:
        """Unpack some more, or read what is needed for that."""
        packed = b""
        if self._engine.needs_input:
            self._file.seek(self._next)
            packed = self._file.read(_PIECE) or b""
            self._next += len(packed)
            if not packed:
                raise EOFError("it is cut off")
        self._ahead = self._engine.decompress(packed, _PIECE)
