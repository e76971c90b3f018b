"""Stacked: grids of n rows one below the other, with titles or empty lines between or without.

    Grid 01
    003020600
    900305001
    …

A grid is written as the format of a single one reads it. Titles are lines that begin with a
word, the same for all if most have one in common, or numbers. Where neither titles nor empty
lines tell where a grid begins, rows are counted, and a row too few spoils what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO

from pipeline.parse.collections.base import NEWLINE, Entry, Piece, is_border, text_of
from pipeline.parse.collections.cutting import (
    LONGEST,
    Boundary,
    cut_pieces,
    last_end,
)
from pipeline.parse.collections.reading import Reader
from pipeline.parse.collections.shapes import (
    is_damaged_row,
    is_plain,
    is_row,
    plain_of,
    without_separators,
)
from pipeline.parse.text import COMMENTS, count_lines
from pipeline.settings import Reading

BLANK_LINE = r"(?:\n|\r(?!\n))[ \t]{0,100}(?:\r\n?|\n)"
"""An empty line behind another line."""

_SPACES = "".join(
    chr(code) for code in range(0x3001) if chr(code).isspace() and code not in (10, 13)
)
_SPACE = b"(?:" + b"|".join(space.encode() for space in _SPACES) + b")*+"
_COMMENT = b"(?:" + "|".join(COMMENTS).encode() + rb")[^\r\n]*"
_DRAWN = rb"(?=[^\r\n]*\+)[-+|*= \t]+|\*[ \t]*-[- \t]*\*[ \t]*"
_SILENT = re.compile(
    rb"(?:\xef\xbb\xbf)?+(?:%b(?:%b|%b|)(?:\r\n?|\n))*+" % (_SPACE, _COMMENT, _DRAWN)
)
"""Lines that are neither rows nor titles, as `rows_of` drops them."""

_ROW = re.compile(rb"(?>%b[^\r\n]++(?:\r\n?|\n))" % _SILENT.pattern)
_LINE_BEGIN = 100

_REGULAR = re.compile(
    r"((?:[A-WYZa-wyz][^\r\n]*|[0-9]{1,6}[.):]?)(?:\r\n?|\n))?((?:[0-9.]{9}(?:\r\n?|\n)){8}[0-9.]{9})\s*"
)
"""A record as most are: perhaps a title, and nine lines of nine digits and blanks."""


@dataclass(frozen=True, slots=True)
class Stack:
    """How a source is made up: the side of its grids, and what stands between them.

    A grid's record begins at a line that begins with `title`, a regular expression; or it
    ends with an empty line (BLANK_LINE); or with its n-th row, if `title` is None.
    """

    side: int
    title: str | None


Rows = list[tuple[int, str]]
"""Lines with their numbers."""


def boundary_of(stack: Stack) -> Boundary:
    """Where the records end."""
    ends = _counted if stack.title is None else _matched
    return lambda data, limit, known: last_end(ends(data, stack), limit, known)


def _matched(data: bytes, stack: Stack) -> Iterator[int]:
    return (match.end() for match in _pattern(stack).finditer(data))


def _counted(data: bytes, stack: Stack) -> Iterator[int]:
    record, start = _pattern(stack), 0
    while match := record.match(data, start):
        start = match.end()
        yield start


def _rows_begun(begun: bytes) -> bytes:
    """A record's beginning in short: as many rows, and how the line begins that is cut."""
    count, end = 0, 0
    while match := _ROW.match(begun, end):
        count, end = count + 1, match.end()
    silent = _SILENT.match(begun, end)
    line = silent.end() if silent else end
    return b"x\n" * count + begun[line : line + _LINE_BEGIN]


@lru_cache(maxsize=16)
def _pattern(stack: Stack) -> re.Pattern[bytes]:
    if stack.title is None:
        return re.compile(rb"%b{%d}" % (_ROW.pattern, stack.side))
    if stack.title == BLANK_LINE:
        return re.compile(BLANK_LINE.encode())
    return re.compile(rb"(?:\n|\r(?!\n))(?=%b)" % stack.title.encode())


def pieces(stream: BinaryIO, stack: Stack, size: int) -> Iterator[Piece]:
    if stack.title is None:
        return cut_pieces(stream, size, boundary_of(stack), _rows_begun)
    return cut_pieces(stream, size, boundary_of(stack))


def entries(piece: Piece, stack: Stack, source: str, reading: Reading) -> list[Entry]:
    reader = Reader.of(source, reading)
    return [
        entry
        for first, record in records(piece, stack)
        for entry in _entries(record, first, stack, reader)
    ]


def records(piece: Piece, stack: Stack) -> Iterator[tuple[int, str]]:
    """The text of each record, and the number of its first line."""
    data, start, line = piece.data, 0, piece.first_line
    ends = _counted if stack.title is None else _matched
    for end in (*ends(data, stack), len(data)):
        record = data[start:end]
        yield line, text_of(record, line)
        line += count_lines(record)
        start = end


def rows_of(text: str, first: int, side: int) -> Rows:
    """The rows of a record, without its titles; or none, if it says nothing.

    Titles before the rows are dropped, and what is written behind them.
    """
    rows = [
        (number, line)
        for number, line in enumerate(NEWLINE.split(text), first)
        if (body := line.strip()) and not body.startswith(COMMENTS) and not is_border(line)
    ]
    start, end = 0, len(rows)
    while start < end and _is_beside(rows[start][1], side, end - start):
        start += 1
    while start < end and _is_beside(rows[end - 1][1], side, end - start):
        end -= 1
    return rows[start:end]


def _is_beside(line: str, side: int, count: int) -> bool:
    """Whether the first or last of so many lines is no row, and not a damaged one either."""
    return not is_row(line, side) and (count > side or not is_damaged_row(line, side))


def is_several(rows: Rows, side: int) -> bool:
    """Whether the rows are those of several grids, with nothing between these."""
    count, more = divmod(len(rows), side)
    return count > 1 and not more and all(is_row(line, side) for _, line in rows)


def _entries(text: str, first: int, stack: Stack, reader: Reader) -> list[Entry]:
    """The entry of a record; or several, if it has several grids."""
    side = stack.side
    if len(text) * 4 > LONGEST and len(text.encode(errors="surrogateescape")) > LONGEST:
        return [reader.too_long(first, text)]
    regular = _REGULAR.fullmatch(text) if side == 9 and reader.takes_plain else None
    if regular and is_plain(joined := NEWLINE.sub("", regular[2])):
        return [Entry(first + bool(regular[1]), joined, None, None, None, plain=True)]
    rows = rows_of(text, first, side)
    if is_several(rows, side):
        parts = (rows[start : start + side] for start in range(0, len(rows), side))
        return [_entry(part, side, reader) for part in parts]
    return [_entry(rows, side, reader)] if rows else []


def _entry(rows: Rows, side: int, reader: Reader) -> Entry:
    cells = [without_separators(line) for _, line in rows]
    if side == 9 and reader.takes_plain and [len(row) for row in cells] == [9] * 9:
        plain = plain_of("".join(cells))
        if plain:
            return Entry(rows[0][0], plain, None, None, None, plain=True)
    numbers, lines = zip(*rows, strict=True)
    return reader.read("\n".join(lines), numbers)
