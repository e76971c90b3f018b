"""What is read along with a collection: its content, its table, its lines of solutions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pipeline.errors import InputError, in_words
from pipeline.unpack import PeekableStream
from pipeline.unpack.streams import opened_regular

HEAD_BYTES = 1024 * 1024
"""Of a source: so much is looked at to tell what it is."""

LONGEST_LINE = 1024 * 1024


class Content(PeekableStream):
    """A source with its beginning looked at; `is_whole` says that this is all of it."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        head = self.head(HEAD_BYTES + 1)
        self.is_whole = len(head) <= HEAD_BYTES
        self.beginning = head[:HEAD_BYTES]


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file, without their ends; a file that ends within one is at fault.

    Raises InputError.
    """
    try:
        with io.BufferedReader(opened_regular(path)) as file:
            while line := file.readline(LONGEST_LINE):
                if not line.endswith(b"\n"):
                    raise InputError(f"{path.name}: a line is too long, or has no end")
                if line.endswith(b"\r\n"):
                    raise InputError(f"{path.name}: a line ends with CR and LF, not with LF")
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
