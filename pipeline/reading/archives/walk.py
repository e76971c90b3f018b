"""The kind of a file, and the walk through archives, folders and the archives inside them."""

from __future__ import annotations

import contextlib
import os
import stat
import tarfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Literal

from pipeline.errors import is_environmental
from pipeline.files import SAFELY, is_junk
from pipeline.reading.archives.limits import (
    DEEPEST,
    NO_NAME,
    ArchiveEntry,
    Budget,
    Room,
    TooMuch,
    UnpackError,
    refusal_of,
    resolved,
    shortened,
)
from pipeline.reading.archives.streams import (
    Compression,
    Meter,
    PeekableChunks,
    chunks_of,
    counted,
    opened_regular,
    spooled,
    stream_of,
    unpacked,
)
from pipeline.reading.archives.tars import BLOCK, tar_entries
from pipeline.reading.archives.zips import zip_entries

FileKind = Literal["zip", "tar", "gzip", "bzip2", "xz", "folder", "plain"]

_EMPTY_TAR = 20 * BLOCK
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b\x08"
_XZ = b"\xfd7zXZ\0"
_BZIP2 = (b"1AY&SY", b"\x17rE8P\x90")
"""How the first block of a bzip2 file begins, or its end, after `BZh` and a digit."""

_FOLDER = SAFELY | os.O_DIRECTORY
_TWICE = "it is compressed twice"
_TOO_DEEP = "it is an archive in an archive in an archive: no deeper than one in one is read"


@dataclass(frozen=True, slots=True)
class Layers:
    """How content is compressed, once or `twice`, and which archive it holds."""

    compression: Compression | None = None
    archive: Literal["zip", "tar"] | None = None
    twice: bool = False


def kind_of(path: Path) -> FileKind:
    """The kind of what lies at a path: `zip` and `tar` also if compressed as a whole.

    Raises OSError, also for a link and for anything that is neither a file nor a folder.
    """
    if stat.S_ISDIR(path.lstat().st_mode):
        return "folder"
    with opened_regular(path) as file:
        layers = layers_of(PeekableChunks(chunks_of(file)))
    return layers.archive or layers.compression or "plain"


def layers_of(content: PeekableChunks) -> Layers:
    """The layers of content, judged by its beginning; it may still prove to be broken."""
    compression = _compression_of(head := _beginning(content.ahead()))
    if compression is None:
        return Layers(archive=_archive_of(head))
    head = _beginning(unpacked(content.ahead(), compression, Budget()))
    return Layers(compression, _archive_of(head), twice=_compression_of(head) is not None)


def _beginning(chunks: Iterable[bytes]) -> bytes:
    """The first bytes, enough to recognise an empty tar, or as many as can be read."""
    head = b""
    with contextlib.suppress(UnpackError):
        for chunk in chunks:
            head += chunk
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


def _archive_of(head: bytes) -> Literal["zip", "tar"] | None:
    if head.startswith(_ZIP):
        return "zip"
    return "tar" if _begins_tar(head) else None


def _begins_tar(head: bytes) -> bool:
    """Whether it begins with a header with a valid checksum, or is an empty tar of zero blocks."""
    try:
        tarfile.TarInfo.frombuf(head[:BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        whole = 2 * BLOCK <= len(head) <= _EMPTY_TAR and len(head) % BLOCK == 0
        return whole and not head.strip(b"\0")
    return True


def is_packed(data: bytes) -> bool:
    """Whether this is an archive, or compressed."""
    return layers_of(PeekableChunks(iter([data]))) != Layers()


def opened(path: Path, room: Room, meter: Meter | None = None) -> BinaryIO:
    """Open a file; if it is compressed, its unpacked content, with limits. The caller closes it.

    Raises OSError if it cannot be read; reading the stream may raise UnpackError too.
    """
    with ExitStack() as stack:
        file = stack.enter_context(opened_regular(path, None, meter))
        content = PeekableChunks(chunks_of(file))
        layers = layers_of(content)
        if layers.twice:
            raise UnpackError(_TWICE)
        stack.pop_all()
    chunks = content.chunks()
    if layers.compression is not None:
        chunks = unpacked(chunks, layers.compression, Budget(room))
    return stream_of(chunks, file)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an archive or a folder.

    `name` is its path: safe, without `.` and doubled `/`; as found if it is refused; in a nested
    archive preceded by the archive's name. `refusal` says why it is not read, and then there is
    no `stream`. The stream is to be read once, before the next member is requested, which closes
    it; a member that is itself compressed is unpacked. It raises UnpackError after what could be
    read: `read1` gets all of that, `read` loses what does not fill its size. Only its end shows
    that the checksum is right.
    """

    name: str
    refusal: str | None
    stream: BinaryIO | None


@dataclass(frozen=True, slots=True)
class _Nested:
    """An archive in an archive; its members take its place. `file` holds it alone, if any does."""

    name: str
    content: PeekableChunks
    layers: Layers
    file: BinaryIO | None


def walk(path: Path, room: Room, meter: Meter | None = None) -> Generator[Member]:
    """The members of an archive or folder, with those of nested archives in their places.

    When something cannot be read any further, a refused member that gives the reason follows:
    named like the nested archive, or with an empty name for the whole. Raises OSError if the
    environment is at fault. The meter counts what is read.
    """
    budget = Budget(room)
    with _refusing_the_rest("") as broken:
        for found in _found_in(path, budget, meter):
            if isinstance(found, Member):
                yield found
            else:
                yield from _inside(found, budget)
    yield from broken


def check_readable(path: Path, room: Room) -> None:
    """Raise UnpackError if an archive breaks off before its first member. Raises OSError."""
    with closing(_found_in(path, Budget(room))) as found, contextlib.suppress(TooMuch):
        next(found, None)


@contextmanager
def _refusing_the_rest(name: str) -> Generator[list[Member]]:
    """If the members break off, list one of that name that says why."""
    broken: list[Member] = []
    try:
        yield broken
    except (UnpackError, OSError) as error:
        if isinstance(error, OSError) and is_environmental(error):
            raise
        broken.append(Member(name, str(error), None))


def _inside(nested: _Nested, budget: Budget) -> Generator[Member]:
    """The members of a nested archive; archives in it are not opened."""
    with _refusing_the_rest(nested.name) as broken:
        entries = _entries(nested.content, nested.layers, nested.file, budget)
        for found in _judged(entries, budget, nested.name):
            if isinstance(found, Member):
                yield found
            else:
                yield Member(found.name, _TOO_DEEP, None)
    yield from broken


def _found_in(
    path: Path, budget: Budget, meter: Meter | None = None
) -> Generator[Member | _Nested]:
    """The members of an archive or folder itself; raises UnpackError if it breaks off."""
    if kind_of(path) == "folder":
        yield from _judged(_below(os.open(path, _FOLDER), "", budget, meter), budget)
        return
    with opened_regular(path, None, meter) as file:
        content = PeekableChunks(chunks_of(file))
        yield from _judged(_entries(content, layers_of(content), file, budget), budget)


def _entries(
    content: PeekableChunks, layers: Layers, file: BinaryIO | None, budget: Budget
) -> Generator[ArchiveEntry]:
    """The entries of a zip or tar, compressed or not; `file` is the same if seekable."""
    chunks = content.chunks()
    if layers.compression is not None:
        chunks = unpacked(chunks, layers.compression, budget)
    match layers.archive:
        case "tar":
            if layers.compression is None:
                chunks = counted(chunks, budget)
            with stream_of(chunks) as source:
                yield from tar_entries(source)
        case "zip" if file is not None and layers.compression is None:
            yield from zip_entries(file, budget)
        case "zip":
            with spooled(chunks) as copy:
                yield from zip_entries(copy, budget)
        case None:
            raise UnpackError("it is no archive")


def _below(
    folder: int, prefix: str, budget: Budget, meter: Meter | None
) -> Generator[ArchiveEntry]:
    """The files below an open folder, which this closes, in the order of their names' bytes.

    `prefix` is its name, with a `/`. No link is followed, and unreadable files are refused.
    Raises OSError if the environment is at fault.
    """
    try:
        for name in _names(folder, budget):
            try:
                yield from _found(folder, name, prefix + name, budget, meter)
            except OSError as error:
                if is_environmental(error):
                    raise
                yield ArchiveEntry(prefix + name, f"it cannot be read: {error.strerror or error}")
    finally:
        os.close(folder)


def _names(folder: int, budget: Budget) -> list[str]:
    """The names in a folder in order, without junk."""
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not is_junk(entry.name):
                names.append(entry.name)
                budget.admit(len(names))
    return sorted(names, key=os.fsencode)


def _found(
    folder: int, name: str, path: str, budget: Budget, meter: Meter | None
) -> Generator[ArchiveEntry]:
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode):
        if path.count("/") < DEEPEST:
            yield from _below(os.open(name, _FOLDER, dir_fd=folder), path + "/", budget, meter)
        else:
            yield ArchiveEntry(path)
    elif refusal := refusal_of(mode):
        yield ArchiveEntry(path, refusal)
    else:
        with opened_regular(name, folder, meter) as file:
            yield ArchiveEntry(path, chunks=counted(chunks_of(file), budget), file=file)


def _judged(
    entries: Generator[ArchiveEntry], budget: Budget, outer: str = ""
) -> Generator[Member | _Nested]:
    """The entries as members, without junk; `outer` is the archive that holds them."""
    seen: set[int] = set()
    refusal: str | None
    with closing(entries):
        for entry in entries:
            budget.enter()
            parts = resolved(entry.name)
            if _is_passed_over(entry, parts):
                continue
            if isinstance(parts, str):
                name, refusal = shortened(entry.name), parts
            else:
                name = "/".join(parts)
                refusal = entry.refusal or _repeated(name, seen)
            whole = f"{outer}/{name}" if outer else name
            if refusal is None:
                yield from _looked_into(entry, whole, budget)
            else:
                yield Member(whole, refusal, None)


def _is_passed_over(entry: ArchiveEntry, parts: tuple[str, ...] | str) -> bool:
    """Whether it is a folder or junk; not if its name is at fault."""
    if isinstance(parts, str):
        return entry.folder and parts == NO_NAME
    return entry.folder or any(map(is_junk, parts))


def _repeated(name: str, seen: set[int]) -> str | None:
    """Why a repeated name is refused, else None; takes 8 bytes for each name."""
    digest = blake2b(os.fsencode(name), digest_size=8).digest()
    key = int.from_bytes(digest, "little")
    if key in seen:
        return "another member has the same name"
    seen.add(key)
    return None


def _looked_into(entry: ArchiveEntry, name: str, budget: Budget) -> Iterator[Member | _Nested]:
    """Turn an entry into a member or a nested archive; the stream is closed afterwards."""
    content = PeekableChunks(entry.chunks)
    layers = layers_of(content)
    if layers.twice:
        yield Member(name, _TWICE, None)
    elif layers.archive is not None:
        yield _Nested(name, content, layers, entry.file)
    elif isinstance(fault := resolved(name), str):
        yield Member(name, fault, None)
    else:
        chunks = content.chunks()
        if layers.compression is not None:
            chunks = unpacked(chunks, layers.compression, budget)
        with stream_of(chunks) as stream:
            yield Member(name, None, stream)
