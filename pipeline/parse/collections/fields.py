"""Sources whose every line is a puzzle, perhaps among other fields: what lines and CSV share."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO

from pipeline.errors import counted
from pipeline.parse.collections.base import NEWLINE, Entry, Piece, is_border, text_of
from pipeline.parse.collections.cutting import LONGEST, cut_pieces, line_boundary
from pipeline.parse.collections.reading import Reader
from pipeline.parse.collections.shapes import (
    FULL,
    PLAIN,
    halves,
    is_full,
    is_text,
    plain_of,
    without_separators,
)
from pipeline.parse.text import COMMENTS, quote
from pipeline.settings import Reading

_WORD = re.compile(r"[^ \t,;|]+")


@dataclass(frozen=True, slots=True)
class Fields:
    """How the lines of a source are made up.

    `delimiter` separates the fields, in the manner of CSV; None stands for any of white space,
    `,`, `;` and `|`. `column` is the field of the puzzle, from 0; None: the whole line is it.
    `claim` is the field of the solution, or None. `header` is the number of the line that names
    the fields, 0 for none.
    """

    delimiter: str | None = None
    column: int | None = 0
    claim: int | None = None
    header: int = 0


class UnreadableError(Exception):
    """A line that is not a record of CSV; the message says what was found."""


def split(line: str, fields: Fields) -> list[tuple[int, str]]:
    """The fields of a line, each with the number of characters before it.

    Raises UnreadableError.
    """
    if fields.column is None:
        body = line.strip()
        return [(line.find(body), body)]
    if fields.delimiter is None:
        return [(match.start(), match[0]) for match in _WORD.finditer(line)]
    if '"' in line:
        return list(_quoted(line, fields.delimiter))
    return list(_placed(line, line.split(fields.delimiter)))


def _placed(line: str, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    end = 0
    for text in texts:
        body = text.strip()
        yield max(line.find(body, end), 0), body
        end += len(text) + 1


def _quoted(line: str, delimiter: str) -> Iterator[tuple[int, str]]:
    try:
        texts = next(csv.reader([line], delimiter=delimiter, strict=True, skipinitialspace=True))
    except csv.Error as error:
        is_open = str(error) == "unexpected end of data"
        found = "a quote that does not end in this line" if is_open else "text behind a quote"
        raise UnreadableError(found) from None
    end = 0
    for text in texts:
        body = text.strip()
        at = max(line.find(body, end), end)
        yield at, body
        end = at + len(body)


def pieces(stream: BinaryIO, _fields: Fields, size: int) -> Iterator[Piece]:
    return cut_pieces(stream, size, line_boundary)


def entries(piece: Piece, fields: Fields, source: str, reading: Reading) -> list[Entry]:
    text = text_of(piece.data, piece.first_line)
    reader = Reader.of(source, reading)
    lines = _Lines(fields, reader)
    if not reader.takes_plain or not _is_sound(text, piece.data):
        rows = [("", "", line) for line in NEWLINE.split(text)]
    else:
        rows = _pattern(fields).findall(text)
        if fields.column is not None and fields.claim is not None and fields.claim < fields.column:
            rows = [(plain, claimed, line) for claimed, plain, line in rows]
    found = [
        Entry(number, plain, None, None, claimed or None, True)
        if plain
        else lines.entry(line, number)
        if line
        else None
        for number, (plain, claimed, line) in enumerate(rows, piece.first_line)
    ]
    return [entry for entry in found if entry]


def _is_sound(text: str, data: bytes) -> bool:
    """Whether every line is text, and none is too long."""
    short = len(data) <= LONGEST or max(map(len, data.splitlines())) <= LONGEST
    return short and is_text(text)


@lru_cache(maxsize=16)
def _pattern(fields: Fields) -> re.Pattern[str]:
    """One line: the puzzle and the claim if these are plain, in their order; else all of it."""
    if fields.column is None:
        wanted = f"({PLAIN})()"
    elif fields.delimiter is None:
        wanted = _row(fields, r"[^ \t,;|\r\n]+", r"[ \t,;|]+") + r"(?:[ \t,;|][^\r\n]*)?"
    else:
        delimiter = re.escape(fields.delimiter)
        other = rf'[^"\r\n{delimiter}]*'
        wanted = _row(fields, other, delimiter) + rf'(?:{delimiter}[^"\r\n]*)?'
    comment = "" if fields.column == 0 else f"(?!{'|'.join(COMMENTS)})"
    return re.compile(rf"(?:{comment}{wanted}|([^\r\n]*))(?:\r\n?|\n|\Z)")


def _row(fields: Fields, other: str, delimiter: str) -> str:
    """The fields up to the last one that matters."""
    column, claim = fields.column or 0, fields.claim
    meant = [other] * (max(column, claim or 0) + 1)
    meant[column] = f"({PLAIN})" if claim is not None else f"({PLAIN})({FULL})?"
    if claim is not None:
        meant[claim] = f"({FULL})"
    return delimiter.join(meant)


class _Lines:
    """Reads the lines that are not plain at first sight."""

    def __init__(self, fields: Fields, reader: Reader) -> None:
        self._fields = fields
        self._reader = reader

    def entry(self, line: str, number: int) -> Entry | None:
        """The entry of a line; None if it does not say anything."""
        body = line.strip()
        if not body or body.startswith(COMMENTS) or is_border(body):
            return None
        if number == self._fields.header:
            return None
        if len(line.encode(errors="surrogateescape")) > LONGEST:
            return self._reader.too_long(number, line)
        if not is_text(line):
            return self._reader.read(line, (number,))
        try:
            fields = split(line, self._fields)
        except UnreadableError as error:
            return self._reader.refuse(number, 1, "a record of CSV", str(error), line)
        return self._record(line, number, fields)

    def _record(self, line: str, number: int, fields: Sequence[tuple[int, str]]) -> Entry:
        column, claim = self._fields.column or 0, self._fields.claim
        if column >= len(fields):
            expected = f"a puzzle in field {column + 1}"
            found = counted(len(fields), "field")
            return self._reader.refuse(number, len(line) + 1, expected, found, line)
        offset, text = fields[column]
        if not text:
            expected = f"a puzzle in field {column + 1}"
            return self._reader.refuse(number, offset + 1, expected, quote(text), line)
        cells, joined = halves(without_separators(text))
        claimed = joined
        if claim is not None and claim < len(fields):
            claimed = without_separators(fields[claim][1]) or None
        plain = plain_of(cells) if self._reader.takes_plain else None
        if plain and (not claimed or is_full(claimed)):
            return Entry(number, plain, None, None, claimed, plain=True)
        return self._reader.read(cells if joined else text, (number,), offset, claimed)
