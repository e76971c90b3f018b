"""What is read along with a collection: its content, its table, its lines of solutions."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pipeline.errors import InputError, in_words
from pipeline.unpack import UnpackError
from pipeline.unpack.streams import opened_regular

HEAD_BYTES = 1024 * 1024
"""Of a source: so much is looked at to tell what it is."""

LONGEST_LINE = 1024 * 1024


class Content(io.RawIOBase, BinaryIO):
    """A source that is read once, behind a look at its head. It ends where it is broken.

    `digest` and `size` tell of what was read so far, `error` why it ended too early.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._hashed = sha256()
        self.size = 0
        self.error: UnpackError | None = None
        self._head = b""
        while len(self._head) <= HEAD_BYTES and (some := self._some(HEAD_BYTES)):
            self._head += some
        self.is_whole = len(self._head) <= HEAD_BYTES
        self.head = self._head[:HEAD_BYTES]

    @property
    def digest(self) -> str:
        return self._hashed.hexdigest()

    def _some(self, most: int) -> bytes:
        if self.error:
            return b""
        try:
            data: bytes = getattr(self._stream, "read1", self._stream.read)(most)
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
        most = sys.maxsize if size is None or size < 0 else size
        if self._head:
            data, self._head = self._head[:most], self._head[most:]
            return data
        return self._some(min(most, HEAD_BYTES))

    def whole(self, most: int) -> bytes:
        """All of it, `most` bytes and one more at most. Raises UnpackError where it is broken."""
        parts: list[bytes] = []
        left = most + 1
        while left > 0 and (part := self.read(left)):
            parts.append(part)
            left -= len(part)
        if self.error:
            raise self.error
        return b"".join(parts)


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file, without their ends; a file that ends within one is at fault.

    Raises InputError.
    """
    try:
        with io.BufferedReader(opened_regular(path)) as file:
            while line := file.readline(LONGEST_LINE):
                if not line.endswith(b"\n"):
                    raise InputError(f"{path.name}: a line is too long, or has no end")
                yield line[:-1].decode(errors="surrogateescape")
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read: {in_words(error)}") from error


def table_of(path: Path, header: Sequence[str]) -> Iterator[list[str]]:
    """The rows of a table in CSV, each with as many fields as its header. Raises InputError."""
    rows = csv.reader(lines_of(path), strict=True)
    try:
        if next(rows, None) != list(header):
            raise InputError(f"{path.name}: the first line is not {','.join(header)!r}")
        for row in rows:
            if len(row) != len(header):
                where = f"{path.name}: line {rows.line_num}"
                raise InputError(f"{where} has {len(row)} fields, not {len(header)}")
            yield row
    except csv.Error as error:
        raise InputError(f"{path.name}: line {rows.line_num}: {error}") from error


COLUMNS = ("index", "line", "puzzle", "status", "solutions", "complete", "solution", "message")


class Row(NamedTuple):
    """A row of a collection's table, as it is written; `number` is its index."""

    number: str
    line: str
    puzzle: str
    status: str
    solutions: str
    complete: str
    solution: str
    message: str


class Beside:
    """The rows of a collection, each with the lines that the solution files have for it."""

    def __init__(self, table: Path, solutions: Sequence[Path]) -> None:
        self._table = table
        self._rows = table_of(table, COLUMNS)
        self._paths = solutions
        self._lines = [lines_of(path) for path in solutions]

    def next(self) -> tuple[Row, dict[str, str]]:
        """The next row with its line in each file. Raises InputError where there is none."""
        row = next(self._rows, None)
        if row is None:
            raise InputError(f"{self._table.name} ends too early")
        lines = {}
        for path, each in zip(self._paths, self._lines, strict=True):
            line = next(each, None)
            if line is None:
                raise InputError(f"{path.name} ends too early, before row {row[0]}")
            lines[path.name] = line
        return Row(*row), lines

    def end(self) -> None:
        """Raise InputError if anything is left."""
        for path, each in zip((self._table, *self._paths), (self._rows, *self._lines), strict=True):
            if next(iter(each), None) is not None:
                raise InputError(f"{path.name} goes on behind the last puzzle")
