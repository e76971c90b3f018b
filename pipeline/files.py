"""Open untrusted files without following links or blocking; write files atomically."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from hashlib import file_digest, sha256
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

SAFE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
"""Flags to open a file without following links or waiting for the other end of a pipe."""

_TEMPORARY_SUFFIXES = (
    *(".tmp", ".temp", ".part", ".partial", ".filepart", ".swp", ".lock", "~"),
    *(".crdownload", ".opdownload", ".aria2", ".!ut", ".!qB"),  # browsers, download managers
)
_TEMPORARY_PREFIXES = (".", "~")
"""Endings and beginnings of the names of temporary files."""
_SYSTEM_NAMES = frozenset(("__macosx", "thumbs.db", "desktop.ini", "@eadir", "lost+found"))
"""Names, in lower case, of files and folders that desktops, servers and filesystems create."""

_VIM_TEST_FILE = "4913"
"""The file that Vim creates to test whether a folder is writable."""

_ABANDONED_SECONDS = 3600.0
"""Age in seconds after which a temporary file is considered abandoned."""

_BUFFER_BYTES = 64 * 1024
"""Number of bytes that are buffered before they are written."""

F_SETSIG = 10
"""Linux: set the signal of a lease. The fcntl module of Python 3.11 lacks this constant."""

MAX_NAME_BYTES = 255
"""Maximum bytes of a file name on common filesystems."""


def descriptor_of(name: str | Path, folder: int | None = None, flags: int = 0) -> int:
    """Open a regular file, by default for reading, and return its descriptor.

    `folder` is the descriptor of the folder to which `name` is relative; by default the current
    folder. Raises OSError if the file is not a regular file or cannot be opened.
    """
    descriptor = os.open(name, SAFE_FLAGS | flags, 0o666, dir_fd=folder)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(name))
        raise OSError(f"{os.path.basename(name)} is not a regular file")  # noqa: PTH119
    return descriptor


@contextlib.contextmanager
def opened(name: str | Path, flags: int = 0, folder: int | None = None) -> Iterator[int]:
    """Open a file as `descriptor_of` does, and close it at the end of the `with` block."""
    descriptor = descriptor_of(name, folder, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read_regular(path: Path, max_bytes: int) -> bytes:
    """Read at most `max_bytes` + 1 bytes of a file: one more shows that it is larger.

    Raises OSError if the file is not a regular file or cannot be read.
    """
    with os.fdopen(descriptor_of(path), "rb") as file:
        return file.read(max_bytes + 1)


def read_end(path: Path, max_bytes: int) -> bytes:
    """Read the last `max_bytes` bytes of a regular file. Raises OSError like `read_regular`."""
    with os.fdopen(descriptor_of(path), "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - max_bytes))
        return file.read(max_bytes)


def is_temporary(name: str) -> bool:
    """Whether a name marks a file or folder as incomplete or hidden."""
    is_emacs = len(name) > 1 and name[0] == name[-1] == "#"
    return is_emacs or name.startswith(_TEMPORARY_PREFIXES) or name.endswith(_TEMPORARY_SUFFIXES)


def is_junk(name: str) -> bool:
    """Whether a name belongs to a temporary file, or to one that a system or desktop creates."""
    return is_temporary(name) or name.lower() in _SYSTEM_NAMES


def is_ignored(name: str) -> bool:
    """Whether a file or folder with this name is ignored in an inbox.

    Vim's `4913` is ignored only in an inbox: in an archive it may be one of many numbered members.
    """
    return is_junk(name) or name == _VIM_TEST_FILE


def is_file_name(name: str) -> bool:
    """Whether a name is valid for a file in a folder, and does not lead out of the folder."""
    try:
        encoded = os.fsencode(name)
    except UnicodeEncodeError:
        return False
    leads_elsewhere = "/" in name or "\0" in name or name in ("", ".", "..")
    return len(encoded) <= MAX_NAME_BYTES and not leads_elsewhere


def numbered_paths(path: Path) -> Iterator[Path]:
    """Yield the path, then numbered alternatives: `a.txt`, `a-2.txt`, `a-3.txt`, …."""
    yield path
    yield from (path.with_stem(f"{path.stem}-{number}") for number in count(2))


def kind_in_words(mode: int) -> str:
    """Describe the type of a file that is neither a regular file nor a folder."""
    if stat.S_ISLNK(mode):
        return "a link"
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    return "a special file"


def digest_of(path: Path) -> str:
    """The SHA-256 of a regular file in hexadecimal. Raises OSError, for example for a link."""
    with os.fdopen(descriptor_of(path), "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def start_writeback(descriptor: int) -> None:
    """Ask the system to start writing a file to disk, so that a later sync takes less time."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def write_new(path: Path, chunks: Iterable[str | bytes], *, writeback: bool = True) -> str:
    """Write a new file and return its SHA-256. On failure, the file is removed.

    `writeback`: also call `start_writeback`. Raises FileExistsError if the file exists.
    """
    hashed, buffer = sha256(), bytearray()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        for chunk in chunks:
            buffer += chunk.encode() if isinstance(chunk, str) else chunk
            if len(buffer) >= _BUFFER_BYTES:
                hashed.update(buffer)
                write_all(descriptor, buffer)
                buffer.clear()
        hashed.update(buffer)
        write_all(descriptor, buffer)
        if writeback:
            start_writeback(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    finally:
        os.close(descriptor)
    return hashed.hexdigest()


def temporary_beside(target: Path) -> Path:
    """A random temporary path in the folder of `target`."""
    return target.with_name(f".{target.name}-{token_hex(4)}.tmp")


def write_all(descriptor: int, data: bytes | bytearray) -> None:
    """Write all data, even if the system accepts only part of it at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


@contextlib.contextmanager
def atomic_file(target: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `target` at the end; on failure, it is removed.

    The new file has the mode of the old `target`. An OSError names the target.
    """
    temporary = temporary_beside(target)
    try:
        with temporary.open("xb") as file:
            try:
                # Without a target, or without support for modes, the mode is not copied.
                with contextlib.suppress(OSError):
                    os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
                yield file
                file.flush()
                temporary.replace(target)
            except BaseException:
                with contextlib.suppress(OSError):
                    temporary.unlink()
                raise
    except OSError as error:
        if error.filename in (None, str(temporary)) and error.errno is not None:
            raise OSError(error.errno, os.strerror(error.errno), str(target)) from error
        raise


def remove_abandoned(target: Path) -> None:
    """Remove old temporary files of `target`, which killed processes left."""
    temporary_name = re.compile(re.escape(f".{target.name}-") + r"[0-9a-f]{8}\.tmp")
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if temporary_name.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    if (
                        time.time() - entry.stat(follow_symlinks=False).st_mtime
                        > _ABANDONED_SECONDS
                    ):
                        Path(entry.path).unlink()


def write_text_atomically(target: Path, chunks: Iterable[str]) -> None:
    """Write a text file atomically."""
    with atomic_file(target) as file:
        file.writelines(chunk.encode(errors="backslashreplace") for chunk in chunks)
