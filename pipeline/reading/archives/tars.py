"""Tar: headers, each followed by a content, read once from beginning to end.

`tarfile` is used only to parse single headers, because it reads names of any length into memory,
stores every member, and accepts a missing end mark. The format is POSIX.1-2001 (pax), and GNU tar
for long names.
"""

from __future__ import annotations

import tarfile
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from io import BufferedReader

from pipeline.reading.archives import (
    BLOCK_BYTES,
    MAX_PATH_BYTES,
    ArchiveEntry,
    UnpackError,
)
from pipeline.reading.archives.streams import CUT_OFF, Chunks

BLOCK = 512
_MAX_PAX_BYTES = 2**20
"""Maximum size of a pax header."""

_MAX_EXTENSIONS = 16
"""Maximum number of headers before the header of a member. Usually there are at most two."""

_PAX_TYPES = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_SKIPPED_TYPES = (tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK, b"V")
_REGULAR_TYPES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_TYPES_WITHOUT_CONTENT = {
    tarfile.DIRTYPE: None,
    tarfile.SYMTYPE: "it is a link",
    tarfile.LNKTYPE: "it is a link",
    tarfile.CHRTYPE: "it is a device",
    tarfile.BLKTYPE: "it is a device",
    tarfile.FIFOTYPE: "it is a named pipe",
}
"""Type of a member without content → why it is refused, or None. Its recorded size is ignored."""


@dataclass(slots=True)
class _TarHeader:
    """The header of a member, combined with the extension headers before it."""

    name: str | None = None
    size: int | None = None
    is_sparse: bool = False
    type: bytes = tarfile.REGTYPE


def tar_entries(source: BufferedReader[Chunks]) -> Generator[ArchiveEntry]:
    """Yield the members of a tar in order. Raises UnpackError if the tar breaks off."""
    while (header := _next_header(source)) is not None:
        content = _TarContent(source, header.size or 0)
        is_folder = header.type == tarfile.DIRTYPE
        yield ArchiveEntry(header.name or "", _refusal(header), is_folder, content.chunks())
        content.skip()
    while source.read(BLOCK_BYTES):  # a checksum at the end may show that the tar is damaged
        pass


def _refusal(header: _TarHeader) -> str | None:
    if header.is_sparse:
        return "it is a sparse file"
    if header.type in _REGULAR_TYPES:
        return None
    return _TYPES_WITHOUT_CONTENT.get(header.type, f"its type is not supported: {header.type!r}")


class _TarContent:
    """The content after a header, which can be read or skipped."""

    def __init__(self, source: BufferedReader[Chunks], size: int) -> None:
        self._source = source
        self._remaining = size
        self._padding = -size % BLOCK

    def chunks(self) -> Iterator[bytes]:
        while self._remaining:
            yield self._read(min(self._remaining, BLOCK_BYTES))

    def skip(self) -> None:
        self._remaining += self._padding
        self._padding = 0
        for _ in self.chunks():
            pass

    def read_start(self, size: int) -> bytes:
        """Return the first `size` bytes, and skip the rest."""
        data = b""
        while self._remaining and len(data) < size:
            data += self._read(min(self._remaining, size - len(data)))
        self.skip()
        return data

    def _read(self, size: int) -> bytes:
        chunk = self._source.read1(size)  # `read` would lose the data before an error
        if not chunk:
            raise UnpackError(CUT_OFF)
        self._remaining -= len(chunk)
        return chunk


def _next_header(source: BufferedReader[Chunks]) -> _TarHeader | None:
    """Read the header of the next member; None at the end mark."""
    header = _TarHeader()
    for _ in range(_MAX_EXTENSIONS):
        block = source.read(BLOCK)
        if len(block) < BLOCK:
            raise UnpackError("it is cut off: its end mark is missing")
        if not block.strip(b"\0"):
            return None
        info = _parse_block(block)
        content = _TarContent(source, info.size)
        if info.type == tarfile.GNUTYPE_LONGNAME:
            raw = content.read_start(MAX_PATH_BYTES + 1)
            header.name = raw.partition(b"\0")[0].decode(errors="surrogateescape")
        elif info.type in _PAX_TYPES:
            if info.size > _MAX_PAX_BYTES:
                raise UnpackError("one of its headers is far too long")
            _apply_pax(header, content.read_start(info.size))
        elif info.type in _SKIPPED_TYPES:
            content.skip()
        else:
            return _complete_header(header, info, block, source)
    raise UnpackError("it has too many headers for one member: it is damaged")


def _parse_block(block: bytes) -> tarfile.TarInfo:
    try:
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise UnpackError(f"one of its headers is damaged: {error}") from error
    if info.size < 0:
        raise UnpackError("one of its headers is damaged: a negative size")
    return info


def _complete_header(
    header: _TarHeader, info: tarfile.TarInfo, block: bytes, source: BufferedReader[Chunks]
) -> _TarHeader:
    """Complete a header from the block of the member. Fields set by earlier headers stay."""
    if info.type == tarfile.GNUTYPE_SPARSE:
        header.is_sparse = True
        is_continued = block[482]
        while is_continued:
            block = source.read(BLOCK)
            if len(block) < BLOCK:
                raise UnpackError(CUT_OFF)
            is_continued = block[504]
    if header.name is None:
        header.name = info.name
    if header.size is None:
        header.size = info.size
    if info.type in _TYPES_WITHOUT_CONTENT:
        header.size = 0
    header.type = info.type
    return header


def _apply_pax(header: _TarHeader, records: bytes) -> None:
    """Apply a pax header: records such as `19 path=a/b/c.txt`, each followed by a line feed."""
    position = 0
    while position < len(records):
        length, _, rest = records[position : position + 20].partition(b" ")
        end = position + int(length) if length.isdigit() and rest else 0
        record = records[position + len(length) + 1 : end - 1]
        key, equals, value = record.partition(b"=")
        if not equals or records[end - 1 : end] != b"\n":
            raise UnpackError("one of its headers is damaged")
        if key == b"path":
            header.name = value.decode(errors="surrogateescape")
        elif key == b"size":
            if not value.isdigit() or len(value) > 20:
                raise UnpackError("one of its headers is damaged: its size is not a number")
            header.size = int(value)
        header.is_sparse |= key.startswith(b"GNU.sparse.")
        position = end
