"""Read zips: the list of members at the end of the file, and their contents in that order.

`zipfile` is not used, because it stores half a kilobyte per member, rejects a whole archive for one
name, and does not detect zip bombs of overlapping members. The format is specified in PKWARE,
APPNOTE.TXT 6.3.10 (2022).
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from io import BufferedReader
from itertools import count, islice
from typing import IO, NamedTuple

from pipeline.reading.archives import BLOCK_BYTES, ArchiveEntry, Budget, UnpackError, refusal_of
from pipeline.reading.archives.streams import CUT_OFF, Chunks, counted_chunks, unpack_chunks

_END_RECORD = struct.Struct("<4s4H2LH")
_END_RECORD_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")

_MAX_COMMENT_BYTES = 2**16 - 1
_IN_ZIP64_2, _IN_ZIP64_4 = 2**16 - 1, 2**32 - 1
"""The values of 2-byte and 4-byte fields that mean: the number is in the zip64 extra field."""

_STORED, _DEFLATED, _BZIP2 = 0, 8, 12
_ENCRYPTED, _UTF8 = 0x2041, 0x800
_BACKSLASH_SYSTEMS = frozenset((0, 6, 10, 14))
"""Codes of file systems for which zips may have backslashes in names: FAT, HPFS, NTFS, VFAT."""

_SPREADSHEET, _DOCUMENT = "it is a spreadsheet; save it as CSV", "it is a document; save it as text"
_OPENDOCUMENT = "mimetypeapplication/vnd.oasis.opendocument."
_OFFICE_FILES = {
    "xl/workbook.xml": _SPREADSHEET,
    "xl/workbook.bin": _SPREADSHEET,
    f"{_OPENDOCUMENT}spreadsheet": _SPREADSHEET,
    "word/document.xml": _DOCUMENT,
    "ppt/presentation.xml": _DOCUMENT,
    _OPENDOCUMENT: _DOCUMENT,
}
"""Name of a member, or start of the first member (its name, then its content) → the refusal."""

_MAX_MEMBERS_SEARCHED = 10_000
"""Maximum number of members to search for a name in `_OFFICE_FILES`."""


class _ZipMember(NamedTuple):
    """A record of the list of members.

    `header_offset`: the offset in the file of the header before the member's content.
    """

    name: str
    is_folder: bool
    refusal: str | None
    method: int
    crc: int
    packed_size: int
    size: int
    header_offset: int


class _Directory(NamedTuple):
    """The position of the list of members. `shift`: the number of bytes before the zip."""

    start: int
    size: int
    shift: int


def zip_entries(file: IO[bytes], budget: Budget) -> Generator[ArchiveEntry]:
    """Yield the members of a zip in the order of its list. `file` must be seekable.

    Raises UnpackError if the list is broken, and for files of office programs.
    """
    directory = _find_directory(file)
    _check_not_office(file, directory)
    remaining = directory.start
    for record in _records(file, directory):
        refusal = record.refusal
        if refusal is None:
            needed = _LOCAL.size + record.packed_size
            if needed > remaining:
                refusal = "its data overlaps the data of another member, as in a zip bomb"
            else:
                remaining -= needed
        yield ArchiveEntry(record.name, refusal, record.is_folder, _content(file, record, budget))


def _check_not_office(file: IO[bytes], directory: _Directory) -> None:
    """Raise UnpackError for a spreadsheet or another document of an office program."""
    names: set[str] = set()
    with suppress(UnpackError):  # if the list is damaged, the names before the damage suffice
        records = islice(_records(file, directory), _MAX_MEMBERS_SEARCHED)
        names.update(record.name for record in records)
    start = b"".join(_slice(file, 0, min(directory.start, BLOCK_BYTES)))[_LOCAL.size :]
    for part, refusal in _OFFICE_FILES.items():
        if part in names or start.startswith(part.encode()):
            raise UnpackError(refusal)


def _find_directory(file: IO[bytes]) -> _Directory:
    """Find the list of members.

    The list ends where the end record begins or, in zip64, where the zip64 end record begins.
    """
    length = file.seek(0, os.SEEK_END)
    tail_start = max(0, length - _END_RECORD.size - _MAX_COMMENT_BYTES)
    tail = b"".join(_slice(file, tail_start, length - tail_start))
    position = tail.rfind(b"PK\5\6", 0, max(0, len(tail) - _END_RECORD.size + 4))
    if position < 0:
        raise UnpackError("it is cut off: the list of members at its end is missing")
    _, disk, first_disk, _, _, size, offset, _ = _END_RECORD.unpack_from(tail, position)
    end = tail_start + position
    end64 = end - _LOCATOR.size - _END_RECORD_64.size
    if end64 >= 0:
        block = b"".join(_slice(file, end64, _LOCATOR.size + _END_RECORD_64.size))
        if block[_END_RECORD_64.size :][:4] == b"PK\6\7" and block[:4] == b"PK\6\6":
            _, _, _, _, disk, first_disk, _, _, size, offset = _END_RECORD_64.unpack_from(block)
            end = end64
    shift = end - size - offset
    if shift < 0:
        raise UnpackError("it is damaged: the list of members is not at the recorded position")
    if disk or first_disk:
        raise UnpackError("it is one of several parts of a zip")
    return _Directory(end - size, size, shift)


def _records(file: IO[bytes], directory: _Directory) -> Iterator[_ZipMember]:
    """Yield the records of the list of members. Raises UnpackError if the list is damaged."""
    with BufferedReader(Chunks(_slice(file, directory.start, directory.size))) as source:
        while head := source.read(_CENTRAL.size):
            if len(head) < _CENTRAL.size or head[:4] != b"PK\1\2":
                raise UnpackError("the list of members is damaged")
            fields = _CENTRAL.unpack(head)
            lengths = fields[10:13]
            rest = source.read(sum(lengths))
            if len(rest) < sum(lengths):
                raise UnpackError("the list of members is damaged")
            name, extra = rest[: lengths[0]], rest[lengths[0] :][: lengths[1]]
            yield _parse_record(fields, name, extra, directory.shift)


def _parse_record(fields: tuple[int, ...], raw_name: bytes, extra: bytes, shift: int) -> _ZipMember:
    """Create a record from the fixed fields of a member, its name and its extra fields."""
    _, made, _, flags, method, _, _, crc, packed_size, size, _, _, _, disk, _, mode, offset = fields
    name = _decode_name(raw_name, is_utf8=bool(flags & _UTF8))
    if made >> 8 in _BACKSLASH_SYSTEMS:
        name = name.replace("\\", "/")
    refusal = refusal_of(mode >> 16)
    try:
        size, packed_size, offset = _apply_zip64((size, packed_size, offset), extra)
    except struct.error:
        refusal = "its size is missing: it is damaged"
    if flags & _ENCRYPTED:
        refusal = "it is encrypted"
    elif method not in (_STORED, _DEFLATED, _BZIP2):
        refusal = f"it is compressed by method {method}, not by deflate or bzip2"
    elif disk not in (0, _IN_ZIP64_2):
        refusal = "it is in another part of the zip"
    is_folder = name.endswith("/") or stat.S_ISDIR(mode >> 16)
    if is_folder and size:
        is_folder, refusal = False, refusal or "it has the name of a folder, but also content"
    return _ZipMember(name, is_folder, refusal, method, crc, packed_size, size, offset + shift)


def _decode_name(raw_name: bytes, *, is_utf8: bool) -> str:
    """Decode a name as UTF-8, even if that is not declared, or as CP437 if it is not UTF-8."""
    if is_utf8:
        return raw_name.decode(errors="surrogateescape")
    try:
        return raw_name.decode()
    except UnicodeDecodeError:
        return raw_name.decode("cp437")


def _apply_zip64(numbers: tuple[int, ...], extra: bytes) -> Iterable[int]:
    """Replace numbers that are in the zip64 extra field. Raises struct.error if one is missing."""
    position = 0
    while position + 4 <= len(extra):
        number, size = struct.unpack_from("<HH", extra, position)
        position += 4
        if number == 1:
            field, places = extra[position : position + size], count(0, 8)
            return [
                struct.unpack_from("<Q", field, next(places))[0]
                if number == _IN_ZIP64_4
                else number
                for number in numbers
            ]
        position += size
    return numbers


def _content(file: IO[bytes], record: _ZipMember, budget: Budget) -> Iterator[bytes]:
    """Yield the content of a member. Raises UnpackError, also if its size or checksum is wrong."""
    head = b"".join(_slice(file, record.header_offset, _LOCAL.size))
    if head[:4] != b"PK\3\4":
        raise UnpackError("it is damaged: it is not at the recorded position")
    *_, name_length, extra_length = _LOCAL.unpack(head)
    start = record.header_offset + _LOCAL.size + name_length + extra_length
    packed_chunks = _slice(file, start, record.packed_size)
    if record.method == _STORED:
        content = counted_chunks(packed_chunks, budget)
    else:
        content = unpack_chunks(
            packed_chunks, "deflate" if record.method == _DEFLATED else "bzip2", budget
        )
    crc = size = 0
    for chunk in content:
        size += len(chunk)
        if size > record.size:
            raise UnpackError("it is damaged: it is longer than recorded")
        crc = zlib.crc32(chunk, crc)
        yield chunk
    if size < record.size:
        raise UnpackError("it is damaged: it is shorter than recorded")
    if crc != record.crc:
        raise UnpackError("its checksum is wrong: it is damaged")


def _slice(file: IO[bytes], start: int, size: int) -> Iterator[bytes]:
    """Yield a part of a file in chunks. The caller may change the position between chunks.

    Raises UnpackError if the file ends early.
    """
    while size > 0:
        try:
            file.seek(start)
        except (OSError, OverflowError, ValueError) as error:
            raise UnpackError(CUT_OFF) from error
        chunk = file.read(min(size, BLOCK_BYTES))
        if not chunk:
            raise UnpackError(CUT_OFF)
        yield chunk
        start += len(chunk)
        size -= len(chunk)
