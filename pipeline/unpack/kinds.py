"""What a file is, by its content: its name has no say."""

from __future__ import annotations

import contextlib
import stat
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.unpack.compressed import Compression, unpacked
from pipeline.unpack.limits import Budget, UnpackError
from pipeline.unpack.streams import Tape, beginning, chunks_of, opened_regular

Archive = Literal["zip", "tar"]
Kind = Literal["zip", "tar", "gzip", "bzip2", "xz", "folder", "plain"]

BLOCK = 512
_EMPTY_TAR = 20 * BLOCK
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b\x08"
_XZ = b"\xfd7zXZ\0"
_BZIP2 = (b"1AY&SY", b"\x17rE8P\x90")
"""How the first block of a bzip2 file begins, or its end, behind `BZh` and a digit."""


@dataclass(frozen=True, slots=True)
class Layers:
    """What content is: compressed or not, and what archive that holds; `twice` compressed."""

    compression: Compression | None = None
    archive: Archive | None = None
    twice: bool = False


def kind_of(path: Path) -> Kind:
    """What lies at a path: `zip` and `tar` also where they are compressed as a whole.

    Raises OSError, also for a link and for what is neither a file nor a folder.
    """
    if stat.S_ISDIR(path.lstat().st_mode):
        return "folder"
    with opened_regular(path) as file:
        layers = layers_of(Tape(chunks_of(file)))
    return layers.archive or layers.compression or "plain"


def layers_of(tape: Tape) -> Layers:
    """What the content on a tape is, by its beginning; it may still prove to be broken."""
    compression = _compression_of(head := beginning(tape.ahead(), _EMPTY_TAR + 1))
    if compression is None:
        return Layers(archive=_archive_of(head))
    head = _unpacked_beginning(tape.ahead(), compression)
    return Layers(compression, _archive_of(head), twice=_compression_of(head) is not None)


def _unpacked_beginning(chunks: Iterable[bytes], compression: Compression) -> bytes:
    """The beginning of what is in compressed chunks, as far as they are not broken."""
    head = b""
    with contextlib.suppress(UnpackError):
        for piece in unpacked(chunks, compression, Budget()):
            head += piece
            if len(head) > _EMPTY_TAR:
                break
    return head[: _EMPTY_TAR + 1]


def _compression_of(head: bytes) -> Compression | None:
    if head.startswith(_GZIP):
        return "gzip"
    if head.startswith(_XZ):
        return "xz"
    if head.startswith(b"BZh") and head[3:4] in b"123456789" and head[4:10] in _BZIP2:
        return "bzip2"
    return None


def _archive_of(head: bytes) -> Archive | None:
    if head.startswith(_ZIP):
        return "zip"
    return "tar" if _begins_tar(head) else None


def _begins_tar(head: bytes) -> bool:
    """Whether there is a header with its checksum, or the two and more zero blocks of no member."""
    try:
        tarfile.TarInfo.frombuf(head[:BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        whole = 2 * BLOCK <= len(head) <= _EMPTY_TAR and len(head) % BLOCK == 0
        return whole and not head.strip(b"\0")
    return True
