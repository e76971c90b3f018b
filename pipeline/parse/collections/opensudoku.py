"""OpenSudoku: XML with a `game` element for each puzzle.

A record is a `<game …>` tag; it is read as a document of its own, by the format of a single one.
So nothing that the document declares, entities above all, reaches its games, and a piece can be
read without those before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from pipeline.parse.collections.base import CollectionFormat, Entry, Head, Piece
from pipeline.parse.collections.cutting import LONGEST, cut_pieces, last_end
from pipeline.parse.collections.reading import Reader
from pipeline.parse.collections.shapes import is_plain
from pipeline.parse.text import count_lines
from pipeline.settings import Reading

_GAME = re.compile(rb"<!--.*?(?:-->|\Z)|<game(?=[\s/>])", re.DOTALL)
_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*<.*?<opensudoku\b|\s*<opensudoku\b", re.DOTALL)
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_TAG = re.compile(r"""<game(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(/?)>""")
_DATA = re.compile(r"""\sdata\s*=\s*["']([0-9.]{81})["']""")


def recognise_opensudoku(head: Head) -> tuple[None, str] | None:
    """Two games or more; a document with a type or entities is left to those who refuse it."""
    sample = head.sample
    if not _ROOT.match(sample) or _DECLARATION.search(sample):
        return None
    games = sum(1 for match in _GAME.finditer(sample) if not match[0].startswith(b"<!"))
    return (None, f"<opensudoku> with {games} games or more") if games > 1 else None


def _ends(data: bytes) -> Iterator[int]:
    """Where the games begin, but for a first one at the very beginning."""
    for match in _GAME.finditer(data):
        if match.start() and not match[0].startswith(b"<!"):
            yield match.start()


def _boundary(data: bytes, limit: int, known: int) -> int:
    return last_end(_ends(data), limit, known)


def _comment_begun(begun: bytes) -> bytes:
    """Whether a record's beginning ends within a comment."""
    *_, last = (b"", *(match[0] for match in _GAME.finditer(begun)))
    return b"<!--" if last.startswith(b"<!") and not last.endswith(b"-->") else b""


def _pieces(stream: BinaryIO, _layout: None, size: int) -> Iterator[Piece]:
    return cut_pieces(stream, size, _boundary, _comment_begun)


def _entries(piece: Piece, _layout: None, source: str, reading: Reading) -> list[Entry]:
    reader, found = Reader.of(source, reading), []
    start, line = 0, piece.first_line
    for end in (*_ends(piece.data), len(piece.data)):
        record = piece.data[start:end]
        if record.startswith(b"<game"):
            found.append(_entry(record, line, reader))
        line += count_lines(record)
        start = end
    return found


def _entry(record: bytes, line: int, reader: Reader) -> Entry:
    text = record[: LONGEST + 1].decode(errors="surrogateescape")
    match = _TAG.match(text)
    if len(record) > LONGEST and (match is None or match.end() > LONGEST):
        return reader.too_long(line, text)
    tag = match[0] if match else text
    cells = _DATA.search(tag)
    if match and cells and tag.count("data") == 1 and is_plain(cells[1]) and reader.takes_plain:
        return Entry(line, cells[1], None, None, None, plain=True)
    end = "" if match is None or match[1] else "</game>"
    lines = (line, *range(line, line + count_lines(record) + 1))
    return reader.read(f"<opensudoku>\n{tag}{end}</opensudoku>", lines, shift=None)


OPENSUDOKU = CollectionFormat("opensudoku", recognise_opensudoku, _pieces, _entries)
