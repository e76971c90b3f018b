"""Zip: reads the list of members at its end, and their content in that order.

`zipfile` is not used, because it keeps half a kilobyte per member, rejects a whole archive for one
name, and does not detect bombs of overlapping members. The format: PKWARE, APPNOTE.TXT 6.3.10
(2022).
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
from pipeline.reading.archives.streams import CUT_OFF, Chunks, metered, unpacked

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")

_MAX_COMMENT_BYTES = 2**16 - 1
_IN_EXTRA_2, _IN_EXTRA_4 = 2**16 - 1, 2**32 - 1
"""The values of fields of 2 and 4 bytes if the number is in the zip64 extra field."""

_STORED, _DEFLATED, _BZIP2 = 0, 8, 12
_ENCRYPTED, _UTF8 = 0x2041, 0x800
_BACKSLASHED = frozenset((0, 6, 10, 14))
"""Codes of file systems whose zips may use backslashes: FAT, HPFS, NTFS, VFAT."""

_SPREADSHEET, _DOCUMENT = "it is a spreadsheet; save it as CSV", "it is a document; save it as text"
_OPENDOCUMENT = "mimetypeapplication/vnd.oasis.opendocument."
_OFFICE = {
    "xl/workbook.xml": _SPREADSHEET,
    "xl/workbook.bin": _SPREADSHEET,
    f"{_OPENDOCUMENT}spreadsheet": _SPREADSHEET,
    "word/document.xml": _DOCUMENT,
    "ppt/presentation.xml": _DOCUMENT,
    _OPENDOCUMENT: _DOCUMENT,
}
"""The reasons to refuse office files, by the name of a member, or by the first bytes."""

_MAX_MEMBERS_SEARCHED = 10_000
"""Maximum number of members that are searched for such a file."""


class _ZipMember(NamedTuple):
    """One member, as the list at the end describes it."""

    name: str
    folder: bool
    refusal: str | None
    method: int
    crc: int
    packed: int
    size: int
    header: int


class _Directory(NamedTuple):
    """The location of the list of members; `shift` is the number of bytes before the zip."""

    start: int
    size: int
    shift: int


def zip_entries(file: IO[bytes], budget: Budget) -> Generator[ArchiveEntry]:
    """The members of a zip in the order of its list; `file` must be seekable.

    Raises UnpackError if the list is broken, and for the files of office programs.
    """
    place = _find_list(file)
    _refuse_office(file, place)
    room = place.start
    for record in _records(file, place):
        refusal = record.refusal
        if refusal is None:
            needed = _LOCAL.size + record.packed
            if needed > room:
                refusal = "its data overlap another member's, as in a zip bomb"
            else:
                room -= needed
        yield ArchiveEntry(record.name, refusal, record.folder, _content(file, record, budget))


def _refuse_office(file: IO[bytes], place: _Directory) -> None:
    """Raise UnpackError for a spreadsheet or another document."""
    names: set[str] = set()
    with suppress(UnpackError):  # the names before the damage are used
        names.update(record.name for record in islice(_records(file, place), _MAX_MEMBERS_SEARCHED))
    start = b"".join(_slice(file, 0, min(place.start, BLOCK_BYTES)))[_LOCAL.size :]
    for part, refusal in _OFFICE.items():
        if part in names or start.startswith(part.encode()):
            raise UnpackError(refusal)


def _find_list(file: IO[bytes]) -> _Directory:
    """Find the list of members from the record at the very end, or from that of zip64."""
    length = file.seek(0, os.SEEK_END)
    tail_start = max(0, length - _END.size - _MAX_COMMENT_BYTES)
    tail = b"".join(_slice(file, tail_start, length - tail_start))
    position = tail.rfind(b"PK\5\6", 0, max(0, len(tail) - _END.size + 4))
    if position < 0:
        raise UnpackError("it is cut off: the list of members at its end is missing")
    _, disk, first_disk, _, _, size, offset, _ = _END.unpack_from(tail, position)
    end = tail_start + position
    wide = end - _LOCATOR.size - _END64.size
    if wide >= 0:
        block = b"".join(_slice(file, wide, _LOCATOR.size + _END64.size))
        if block[_END64.size :][:4] == b"PK\6\7" and block[:4] == b"PK\6\6":
            _, _, _, _, disk, first_disk, _, _, size, offset = _END64.unpack_from(block)
            end = wide
    shift = end - size - offset
    if shift < 0:
        raise UnpackError("it is damaged: the list of members is not at the recorded position")
    if disk or first_disk:
        raise UnpackError("it is one of several parts of a zip")
    return _Directory(end - size, size, shift)


def _records(file: IO[bytes], place: _Directory) -> Iterator[_ZipMember]:
    with BufferedReader(Chunks(_slice(file, place.start, place.size))) as source:
        while head := source.read(_CENTRAL.size):
            if len(head) < _CENTRAL.size or head[:4] != b"PK\1\2":
                raise UnpackError("the list of members is damaged")
            fields = _CENTRAL.unpack(head)
            lengths = fields[10:13]
            rest = source.read(sum(lengths))
            if len(rest) < sum(lengths):
                raise UnpackError("the list of members is damaged")
            name, extra = rest[: lengths[0]], rest[lengths[0] :][: lengths[1]]
            yield _record(fields, name, extra, place.shift)


def _record(fields: tuple[int, ...], raw: bytes, extra: bytes, shift: int) -> _ZipMember:
    """Parse a member's fixed fields, name and extra fields."""
    _, made, _, flags, method, _, _, crc, packed, size, _, _, _, disk, _, mode, header = fields
    name = _decode_name(raw, utf8=bool(flags & _UTF8))
    if made >> 8 in _BACKSLASHED:
        name = name.replace("\\", "/")
    refusal = refusal_of(mode >> 16)
    try:
        size, packed, header = _widen((size, packed, header), extra)
    except struct.error:
        refusal = "its size is missing: it is damaged"
    if flags & _ENCRYPTED:
        refusal = "it is encrypted"
    elif method not in (_STORED, _DEFLATED, _BZIP2):
        refusal = f"it is compressed by method {method}, not by deflate or bzip2"
    elif disk not in (0, _IN_EXTRA_2):
        refusal = "it is in another part of the zip"
    folder = name.endswith("/") or stat.S_ISDIR(mode >> 16)
    if folder and size:
        folder, refusal = False, refusal or "it has a folder's name, but also content"
    return _ZipMember(name, folder, refusal, method, crc, packed, size, header + shift)


def _decode_name(raw: bytes, *, utf8: bool) -> str:
    """Decode a name. Many zips use UTF-8 without declaring it; other encodings are rarely valid."""
    if utf8:
        return raw.decode(errors="surrogateescape")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp437")


def _widen(numbers: tuple[int, ...], extra: bytes) -> Iterable[int]:
    """Replace numbers that did not fit by those of the zip64 extra field. Raises struct.error."""
    position = 0
    while position + 4 <= len(extra):
        number, size = struct.unpack_from("<HH", extra, position)
        position += 4
        if number == 1:
            field, places = extra[position : position + size], count(0, 8)
            return [
                struct.unpack_from("<Q", field, next(places))[0]
                if number == _IN_EXTRA_4
                else number
                for number in numbers
            ]
        position += size
    return numbers


def _content(file: IO[bytes], record: _ZipMember, budget: Budget) -> Iterator[bytes]:
    """A member's content. Raises UnpackError, also at the end if size or checksum are wrong."""
    head = b"".join(_slice(file, record.header, _LOCAL.size))
    if head[:4] != b"PK\3\4":
        raise UnpackError("it is damaged: it is not at the recorded position")
    *_, name_length, extra_length = _LOCAL.unpack(head)
    start = record.header + _LOCAL.size + name_length + extra_length
    packed = _slice(file, start, record.packed)
    if record.method == _STORED:
        content = metered(packed, budget)
    else:
        content = unpacked(packed, "deflate" if record.method == _DEFLATED else "bzip2", budget)
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
    """Part of a file, in chunks, each after a seek. Raises UnpackError if the file ends early."""
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
