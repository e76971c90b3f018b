"""Archives made in memory, and what a walk through them finds."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.walk import walk

A, B = b"4.....8.5\n" * 9, b".2.......\n" * 9
PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def zip_of(*entries, method=zipfile.ZIP_DEFLATED):
    """A zip's bytes; an entry is a name and its content, or a ZipInfo and its content."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return file.getvalue()


def tar_of(*entries, form=tarfile.PAX_FORMAT):
    """A tar's bytes; an entry is a name and its content, or a TarInfo and its content."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for name, content in entries:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def zip_info(name, *, host=3, mode=0o644, flags=0):
    info = zipfile.ZipInfo("x")
    info.filename, info.create_system, info.external_attr = name, host, mode << 16
    info.flag_bits |= flags
    return info


def tar_info(name, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def deep_folder(top: Path, length: int, each: int = 199, file: str = "") -> Path:
    """Make `top` a folder in a folder and so on, so that the last one's path is about so long.

    The names have `each` so many bytes; in each folder is a `file.txt` of that content, if any.
    """
    top.mkdir(parents=True)
    names, rest = [], length - len(str(top))
    while rest > 1:
        names.append("d" * (min(rest, each + 1) - 1))
        rest -= len(names[-1]) + 1
    folder = os.open(top, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=folder)
        outer, folder = folder, os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(outer)
        if file:
            within = os.open("file.txt", os.O_WRONLY | os.O_CREAT, dir_fd=folder)
            os.write(within, file.encode())
            os.close(within)
    os.close(folder)
    return top


def dropped(folder: Path, content: bytes) -> Path:
    """A file whose name says nothing of what is in it."""
    path = folder / "dropped"
    path.write_bytes(content)
    return path


def walked(path, room=None) -> list[tuple[str, bytes | str]]:
    """The members with their contents, or why they are refused or cannot be read to the end."""
    return [(member.name, _content(member)) for member in walk(path, room or UnpackLimits())]


def _content(member) -> bytes | str:
    try:
        return member.refusal or member.stream.read()
    except UnpackError as error:
        return str(error)


def search_all(stream) -> tuple[int, UnpackError | None]:
    """How much can be read, and the error behind it, if any."""
    size = 0
    try:
        while data := stream.read1():
            size += len(data)
    except UnpackError as error:
        return size, error
    return size, None


@contextmanager
def in_little_memory(most: int = 12 * 2**20) -> Iterator[None]:
    """Check that the block takes far less memory than the unpacked data would."""
    import tracemalloc

    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()
