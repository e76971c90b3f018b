"""Detect the kind of a file, and walk through archives, folders and nested archives."""

from __future__ import annotations

import contextlib
import os
import stat
import tarfile
from collections.abc import Generator, Iterable
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, replace
from hashlib import blake2b
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, Literal

from pipeline.errors import is_environmental
from pipeline.files import SAFE_FLAGS, is_junk
from pipeline.reading.archives import (
    BLOCK_BYTES,
    MAX_DEPTH,
    MAX_PATH_BYTES,
    NO_NAME,
    ArchiveEntry,
    ArchiveLimitExceeded,
    Budget,
    TooManyMembers,
    UnpackError,
    UnpackLimits,
    refusal_of,
    safe_parts,
)
from pipeline.reading.archives.streams import (
    Chunks,
    Compression,
    Meter,
    chunks_of,
    counted_chunks,
    open_regular,
    spool,
    unpack_chunks,
)
from pipeline.reading.archives.tars import BLOCK, tar_entries
from pipeline.reading.archives.zips import zip_entries

FileKind = Literal["zip", "tar", "gzip", "bzip2", "xz", "folder", "plain"]

_EMPTY_TAR = 20 * BLOCK
_ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b\x08"
_XZ = b"\xfd7zXZ\0"
_BZIP2 = (b"1AY&SY", b"\x17rE8P\x90")
"""The bytes after `BZh` and a digit: the beginning of a block, or of the end mark."""

_FOLDER = SAFE_FLAGS | os.O_DIRECTORY
_MAX_SHOWN = 200
"""Number of characters that messages show of a path that is too long."""

_COMPRESSED_TWICE = "it is compressed twice"
_TOO_DEEP = "it is nested too deep: only an archive directly inside an archive is read"


@dataclass(frozen=True, slots=True)
class DetectedLayers:
    """The compression of a content, and the kind of the archive in it.

    If the content is compressed twice, `compression` is the outer one.
    """

    compression: Compression | None = None
    archive: Literal["zip", "tar"] | None = None
    is_compressed_twice: bool = False


def kind_of(path: Path) -> FileKind:
    """The kind of the file or folder at a path; a compressed zip or tar is `zip` or `tar`.

    Raises OSError, for example if the path is neither a file nor a folder, such as a link.
    """
    if stat.S_ISDIR(path.lstat().st_mode):
        return "folder"
    with open_regular(path) as file:
        layers = detect_layers(Chunks(chunks_of(file)))
    return layers.archive or layers.compression or "plain"


def detect_layers(content: Chunks) -> DetectedLayers:
    """Detect compression and archive from the beginning of a content.

    The rest of the content may be broken.
    """
    compression = _compression_of(head := _beginning(content.beginning()))
    if compression is None:
        return DetectedLayers(archive=_archive_of(head))
    head = _beginning(unpack_chunks(content.beginning(), compression, Budget()))
    return DetectedLayers(
        compression, _archive_of(head), is_compressed_twice=_compression_of(head) is not None
    )


def is_packed(data: bytes) -> bool:
    """Whether data is compressed or an archive."""
    return detect_layers(Chunks(iter([data]))) != DetectedLayers()


def _beginning(chunks: Iterable[bytes]) -> bytes:
    """The first bytes, enough to recognise an empty tar. Fewer bytes if the chunks break off."""
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
    """Detect an archive. A tar begins with a valid header, or with zeros if it is empty."""
    if head.startswith(_ZIP_SIGNATURES):
        return "zip"
    try:
        tarfile.TarInfo.frombuf(head[:BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        has_blocks = 2 * BLOCK <= len(head) <= _EMPTY_TAR and len(head) % BLOCK == 0
        return "tar" if has_blocks and not head.strip(b"\0") else None
    return "tar"


def open_unpacked(path: Path, limits: UnpackLimits, meter: Meter | None = None) -> BinaryIO:
    """Open a file as a stream. A compressed file is unpacked within limits.

    The caller closes the stream. Raises OSError if the file cannot be read, and UnpackError if it
    is compressed twice. Reading the stream may also raise UnpackError.
    """
    with ExitStack() as stack:
        file = open_regular(path, None, meter)
        content = stack.enter_context(Chunks(chunks_of(file), file))
        layers = detect_layers(content)
        if layers.is_compressed_twice:
            raise UnpackError(_COMPRESSED_TWICE)
        stack.pop_all()
    return _stream(content, layers.compression, Budget(limits))


def _stream(content: Chunks, compression: Compression | None, budget: Budget) -> BufferedReader:
    """Open a content as a stream, unpacked if it is compressed. Closing it closes the content."""
    if compression is not None:
        content = Chunks(unpack_chunks(content.remaining(), compression, budget), content)
    return BufferedReader(content, BLOCK_BYTES)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an archive or a folder.

    - `name`: the path of the member, normalised unless it is refused. For a member of a nested
      archive, the path begins with the name of that archive.
    - `refusal`: why the member is not read, or None.
    - `stream`: the content, unpacked if the member is compressed; None if the member is refused.
      The stream can be read once, and is closed when the next member is requested.

    If a stream breaks off, it raises UnpackError after the readable data. `read1` returns all of
    that data; `read` loses a last part shorter than the requested size. The checksum is verified at
    the end of the stream.
    """

    name: str
    refusal: str | None
    stream: BinaryIO | None


def walk(path: Path, limits: UnpackLimits, meter: Meter | None = None) -> Generator[Member]:
    """Yield the members of an archive or folder. A nested archive is replaced by its members.

    If an archive breaks off, its last member is refused, with the reason. The name of that member
    is the name of the nested archive, or empty for the outermost archive. `meter` counts the bytes
    read. Raises OSError if the environment is at fault.
    """
    budget = Budget(limits)
    return _members_then_error("", _members(_entries_at(path, budget, meter), budget))


_MAX_COUNTING_BYTES = 256 * 2**20
"""Maximum number of bytes to unpack in order to count members; this takes about 2 s."""


def check_readable(path: Path, limits: UnpackLimits, *, counts_members: bool = True) -> None:
    """Raise UnpackError if an archive breaks off before its first member.

    With `counts_members`, also raise TooManyMembers. Counting stops after unpacking 256 MiB, and
    does not open nested archives; `walk` checks the rest. Raises OSError.
    """
    budget, has_files = Budget(replace(limits, total_bytes=_MAX_COUNTING_BYTES)), False
    try:
        with closing(_entries_at(path, budget)) as entries:
            for count, entry in enumerate(entries, 1):
                budget.check_members(count)
                has_files = has_files or not entry.is_folder
                if has_files and not counts_members:
                    return
    except TooManyMembers:
        raise
    except UnpackError as error:
        if not has_files and not isinstance(error, ArchiveLimitExceeded):
            raise


def _members_then_error(name: str, members: Generator[Member]) -> Generator[Member]:
    """Yield the members. If they break off, yield a refused member `name` with the reason."""
    try:
        yield from members
    except (UnpackError, OSError) as error:
        if isinstance(error, OSError) and is_environmental(error):
            raise
        refusal = str(error)
    else:
        return
    yield Member(name, refusal, None)


def _members(
    entries: Generator[ArchiveEntry], budget: Budget, archive_name: str = ""
) -> Generator[Member]:
    """Yield the entries as members, without folders and junk.

    `archive_name` is the name of a nested archive; empty for the outermost one.
    """
    seen: set[bytes] = set()
    prefix = f"{archive_name}/" if archive_name else ""
    with closing(entries):
        for entry in entries:
            budget.count_member()
            parts = safe_parts(entry.name)
            if isinstance(parts, str):
                if not (entry.is_folder and parts == NO_NAME):
                    shown = entry.name
                    if len(shown) > MAX_PATH_BYTES:
                        shown = shown[:_MAX_SHOWN] + "…"
                    yield Member(prefix + shown, parts, None)
                continue
            if entry.is_folder or any(map(is_junk, parts)):
                continue
            name = "/".join(parts)
            digest = blake2b(os.fsencode(name), digest_size=8).digest()
            if entry.refusal is not None:
                yield Member(prefix + name, entry.refusal, None)
            elif digest in seen:
                yield Member(prefix + name, "another member has the same name", None)
            else:
                seen.add(digest)
                yield from _members_of_entry(
                    entry, prefix + name, budget, is_nested=bool(archive_name)
                )


def _members_of_entry(
    entry: ArchiveEntry, name: str, budget: Budget, *, is_nested: bool
) -> Generator[Member]:
    """Yield an entry as a member or, if the entry is an archive, the members of that archive."""
    content = Chunks(entry.chunks)
    layers = detect_layers(content)
    if layers.is_compressed_twice:
        yield Member(name, _COMPRESSED_TWICE, None)
    elif layers.archive is not None and is_nested:
        yield Member(name, _TOO_DEEP, None)
    elif layers.archive is not None:
        inside = _entries_of_archive(content, layers, entry.file, budget)
        yield from _members_then_error(name, _members(inside, budget, name))
    elif isinstance(fault := safe_parts(name), str):
        yield Member(name, fault, None)
    else:
        with _stream(content, layers.compression, budget) as stream:
            yield Member(name, None, stream)


def _entries_at(path: Path, budget: Budget, meter: Meter | None = None) -> Generator[ArchiveEntry]:
    if stat.S_ISDIR(path.lstat().st_mode):
        yield from _folder_entries(os.open(path, _FOLDER), "", budget, meter)
        return
    with open_regular(path, None, meter) as file:
        content = Chunks(chunks_of(file))
        yield from _entries_of_archive(content, detect_layers(content), file, budget)


def _entries_of_archive(
    content: Chunks, layers: DetectedLayers, file: BinaryIO | None, budget: Budget
) -> Generator[ArchiveEntry]:
    """Yield the entries of a zip or tar. `file`: the same content, if it is a seekable file."""
    chunks = content.remaining()
    if layers.compression is not None:
        chunks, file = unpack_chunks(chunks, layers.compression, budget), None
    elif layers.archive == "tar":
        chunks = counted_chunks(chunks, budget)
    match layers.archive:
        case "tar":
            with BufferedReader(Chunks(chunks), BLOCK_BYTES) as source:
                yield from tar_entries(source)
        case "zip":
            with nullcontext(file) if file is not None else spool(chunks) as whole:
                yield from zip_entries(whole, budget)
        case None:
            raise UnpackError("it is not an archive")


def _folder_entries(
    folder: int, prefix: str, budget: Budget, meter: Meter | None
) -> Generator[ArchiveEntry]:
    """Yield the files in and below an open folder, sorted by the bytes of their names.

    The folder is closed at the end. `prefix` is its path with a final `/`, or empty. Links are not
    followed, and unreadable files are refused. Raises OSError if the environment is at fault.
    """
    try:
        names: list[str] = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if not is_junk(entry.name):
                    names.append(entry.name)
                    budget.check_members(len(names))
        for name in sorted(names, key=os.fsencode):
            try:
                yield from _entries_of_path(folder, name, prefix + name, budget, meter)
            except OSError as error:
                if is_environmental(error):
                    raise
                yield ArchiveEntry(prefix + name, f"it cannot be read: {error.strerror or error}")
    finally:
        os.close(folder)


def _entries_of_path(
    folder: int, name: str, path: str, budget: Budget, meter: Meter | None
) -> Generator[ArchiveEntry]:
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode):
        if path.count("/") < MAX_DEPTH:
            yield from _folder_entries(
                os.open(name, _FOLDER, dir_fd=folder), path + "/", budget, meter
            )
        else:
            yield ArchiveEntry(path)
    elif refusal := refusal_of(mode):
        yield ArchiveEntry(path, refusal)
    else:
        with open_regular(name, folder, meter) as file:
            yield ArchiveEntry(path, chunks=counted_chunks(chunks_of(file), budget), file=file)
