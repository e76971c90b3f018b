"""A HoDoKu library: one line for each puzzle, `:0000:x:81 characters:…`.

Each is read as the format of a single one reads it: placed digits are not givens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from pipeline.parse.collections.base import (
    NEWLINE,
    CollectionFormat,
    Entry,
    Head,
    Piece,
    text_of,
)
from pipeline.parse.collections.cutting import LONGEST, cut_pieces, line_boundary
from pipeline.parse.collections.reading import Reader
from pipeline.parse.collections.shapes import PLAIN, is_text
from pipeline.parse.text import COMMENTS
from pipeline.settings import Reading

_LIBRARY_LINE = re.compile(r"\s*:[^:]*:[^:]*:[-+0-9.]{16,}:.*")
_PLAIN_LINE = re.compile(rf":[0-9A-Za-z-]*:[^:]*:({PLAIN}):")


def recognise_hodoku(head: Head) -> tuple[None, str] | None:
    library = sum(_LIBRARY_LINE.fullmatch(line) is not None for line in head.lines)
    if library >= 2 and library * 2 > len(head.lines):
        return None, "its lines are those of a HoDoKu library"
    return None


def _pieces(stream: BinaryIO, _layout: None, size: int) -> Iterator[Piece]:
    return cut_pieces(stream, size, line_boundary)


def _entries(piece: Piece, _layout: None, source: str, reading: Reading) -> list[Entry]:
    reader = Reader.of(source, reading)
    lines = NEWLINE.split(text_of(piece.data, piece.first_line))
    return [
        _entry(line, number, reader)
        for number, line in enumerate(lines, piece.first_line)
        if (body := line.strip()) and not body.startswith(COMMENTS)
    ]


def _entry(line: str, number: int, reader: Reader) -> Entry:
    if len(line.encode(errors="surrogateescape")) > LONGEST:
        return reader.too_long(number, line)
    plain = _PLAIN_LINE.match(line)
    if plain and reader.takes_plain and is_text(line):
        return Entry(number, plain[1], None, None, None, plain=True)
    return reader.read(line, (number,))


HODOKU = CollectionFormat("hodoku", recognise_hodoku, _pieces, _entries)
