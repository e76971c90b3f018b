"""A stream with a look at its beginning, a hash of all that was read, and no error of its own."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from hashlib import sha256
from typing import BinaryIO

from pipeline.unpack.limits import UnpackError

_AT_ONCE = 1024 * 1024


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
        return self._some(min(size, _AT_ONCE))

    def whole(self, most: int) -> bytes:
        """All that is left, `most` bytes of it at most. Raises UnpackError where it is broken."""
        parts: list[bytes] = []
        while most and (part := self.read(min(most, _AT_ONCE))):
            parts.append(part)
            most -= len(part)
        if self.error:
            raise self.error
        return b"".join(parts)

    def close(self) -> None:
        self._stream.close()
        super().close()
