"""OpenSudoku: XML with a `game` element for each puzzle.

    <opensudoku>
      <name>…</name>
      <game data="000340…" />
    </opensudoku>

`data` is 81 digits, 0 for a blank. In exports of the app, it begins with `version: N` and has
several fields for each cell; the givens are the values that the player cannot change. The other
values are the `GameProgress` of the puzzle.

Malicious XML can exhaust the memory of a reader, or make it read other files. Therefore document
types and entities are refused (by defusedxml), tokens, nesting and names are limited, and no tree
is built. In a collection, a record is a `<game …>` tag, which is read as a separate document. So
declarations in the file do not affect it, and each chunk can be read independently.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.around import add_remarks, chunk_may_name_rule
from pipeline.reading.formats.base import Format, ManyFormat, SourceHead
from pipeline.reading.formats.cells import classic_cells
from pipeline.reading.formats.frames import puzzle_of_81_cells
from pipeline.reading.formats.parsed import Entry, GameProgress, Parsed, TextChunk
from pipeline.reading.formats.records import (
    MAX_RECORD_BYTES,
    Reader,
    cut_chunks,
    decoded_text,
    is_plain,
    last_end,
    plain_entry,
)
from pipeline.reading.formats.text import DECODED_BYTES, NEWLINE, Text, TextLine, count_lines, quote
from pipeline.settings import Reading

_ROOT = "opensudoku"
_EXPECTED_GAME = '<game data="…"> with 81 digits'
_MAX_TOKEN_LENGTH = 1 << 20
_MAX_DEPTH = 64
_MAX_NAMES = 256
"""Limits of XML: characters of a tag, depth of nesting, and different names in the document."""

_CUT_OFF_CODES = frozenset((3, 5, 6, 20))
"""Expat's codes for a document, a token, a character and a CDATA section that are cut off."""

_XML_BEGINS = re.compile(r"\s*<(?s:.*)<(?:[\w.-]+:)?opensudoku\b|\s*<(?:[\w.-]+:)?opensudoku\b")
_VERSION = re.compile(r"version: ([1-5])\s")
_FIELDS = {"1": 3, "2": 3, "3": 3, "4": 4, "5": 5}
"""Version → number of fields per cell. The first field of a cell is its value. The last field is 1
if the player can change the cell, else 0."""


_DIGITS = "123456789"


class _Game(NamedTuple):
    """A `game` element: its position, its 81 digits, and the candidates (cell, value) placed."""

    line: int
    column: int
    data: str
    placed: tuple[tuple[int, int], ...]


def recognise_opensudoku(text: Text) -> str | None:
    return "it begins with '<'" if text.lines[0].text.lstrip().startswith("<") else None


def parse_opensudoku(text: Text, reading: Reading) -> Parsed:
    game = _find_game(text)
    try:
        parsed = puzzle_of_81_cells(
            text, TextLine.of_text(game.line, game.data), _EXPECTED_GAME, reading
        )
        return replace(parsed, progress=GameProgress(game.placed))
    except InvalidPuzzle as error:
        error.column = game.column
        raise


def _find_game(text: Text) -> _Game:
    """Parse the XML, and return its only game. Raises InvalidPuzzle."""
    from defusedxml.common import DefusedXmlException  # noqa: PLC0415 - few files are XML
    from defusedxml.ElementTree import ParseError, XMLParser  # noqa: PLC0415

    events = _GameParser(text)
    parser = XMLParser(target=events, forbid_dtd=True)
    events.expat = parser.parser
    chunks = (
        text.data[start : start + DECODED_BYTES]
        for start in range(0, len(text.data), DECODED_BYTES)
    )
    try:
        for part in codecs.iterdecode(chunks, "utf-8"):
            events.pending += len(part)
            parser.feed(part)
            if events.pending > _MAX_TOKEN_LENGTH:
                expected = f"tags of at most {_MAX_TOKEN_LENGTH} characters"
                raise events.error(expected, "a longer tag")
        parser.close()
    except ParseError as error:
        (line, column), message = error.position, str(error).partition(":")[0]
        fault = text.error(line, column + 1, "XML", message)
        fault.truncated = error.code in _CUT_OFF_CODES
        raise fault from None
    except DefusedXmlException:
        expected = "XML without a document type or entities"
        raise events.error(expected, "a declaration of a document type or entity") from None
    if events.game is None:
        raise text.error(None, None, _EXPECTED_GAME, "no game")
    return events.game


class _GameParser:
    """Receives the events of the XML parser, and stores the game.

    `pending` is the number of characters that were parsed since the last event.
    """

    expat: Any
    game: _Game | None = None
    pending = 0

    def __init__(self, text: Text) -> None:
        self._text = text
        self._depth = 0
        self._names: set[str] = set()

    def _position(self) -> tuple[int, int]:
        return self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber + 1

    def error(self, expected: str, found: str) -> InvalidPuzzle:
        """The error at the current position of the parser."""
        return self._text.error(*self._position(), expected, found)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.pending = 0
        name = tag.rpartition("}")[2]
        if not self._depth and not name.startswith(_ROOT):
            raise self.error(f"<{_ROOT}>", f"<{quote(name)[1:-1]}>")
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self.error(f"elements nested at most {_MAX_DEPTH} deep", "deeper nesting")
        self._names.update((tag, *attributes))
        if len(self._names) > _MAX_NAMES:
            raise self.error(f"at most {_MAX_NAMES} names of elements and attributes", "more names")
        if name == "game":
            if self.game is not None:
                raise self.error("a single game", "a second game")
            self.game = _Game(*self._position(), *_digits(attributes.get("data", "")))

    def end(self, _tag: str) -> None:
        self.pending = 0
        self._depth -= 1

    def data(self, _text: str) -> None:
        self.pending = 0

    def close(self) -> None:
        pass


def _digits(data: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The 81 digits in the data of a game, 0 for cells that the player can change.

    Then the candidates (cell, value) that the player has placed in these. Data of an unknown form
    is returned unchanged.
    """
    version = _VERSION.match(data)
    if not version:
        return data, ()
    fields = [field for field in data[version.end() :].strip().split("|") if field]
    count = _FIELDS[version[1]]
    values, changeable = fields[::count], fields[count - 1 :: count]
    if len(fields) != 81 * count or not {*changeable} <= {"0", "1"}:
        return data, ()
    pairs = [*zip(values, changeable, strict=True)]
    placed = tuple(
        (cell, int(value))
        for cell, (value, flag) in enumerate(pairs)
        if flag != "0" and value in _DIGITS
    )
    return "".join(value if flag == "0" else "0" for value, flag in pairs), placed


_GAME_OR_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)|<game(?=[\s/>])", re.DOTALL)
_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*<.*?<opensudoku\b|\s*<opensudoku\b", re.DOTALL)
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_TAG = re.compile(r"""<game(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(/?)>""")
_DATA = re.compile(r"""\sdata\s*=\s*["']([0-9.]{81})["']""")


def recognise_games(head: SourceHead) -> tuple[None, str] | None:
    """Recognise documents with two or more games.

    Documents that declare a type or entities are not recognised here, so `parse_opensudoku` reads
    and refuses them.
    """
    if not _HEAD.match(head.sample) or _DECLARATION.search(head.sample):
        return None
    games = sum(1 for _ in _game_offsets(head.sample))
    return (None, f"<opensudoku> with {games} games or more") if games > 1 else None


def _game_offsets(data: bytes) -> Iterator[int]:
    """The offsets of the `game` tags outside comments."""
    matches = _GAME_OR_COMMENT.finditer(data)
    return (match.start() for match in matches if not match[0].startswith(b"<!"))


def _boundary(data: bytes, limit: int, known: int) -> int:
    """The `Boundary` of games: a record ends before the `game` tag of the next."""
    starts = (start for start in _game_offsets(data) if start)
    if limit and not data.startswith(b"<game"):  # the head belongs to the first game
        next(starts, None)
    return last_end(starts, limit, known)


def _open_comment(beginning: bytes) -> bytes:
    """The `Digest` of games: `<!--` if the beginning of the record ends in a comment, else b""."""
    *_, last = (b"", *(match[0] for match in _GAME_OR_COMMENT.finditer(beginning)))
    return b"<!--" if last.startswith(b"<!") and not last.endswith(b"-->") else b""


def cut_games(stream: BinaryIO, _layout: None, size: int) -> Iterator[TextChunk]:
    return cut_chunks(stream, size, _boundary, _open_comment)


def entries_of_games(chunk: TextChunk, _layout: None, reader: Reader) -> list[Entry]:
    entries, line, position = [], chunk.first_line, 0
    for start, end in pairwise((*_game_offsets(chunk.data), len(chunk.data))):
        line, position = line + count_lines(chunk.data, position, start), start
        entries.append(_entry_of_game(chunk.data[start:end], line, reader))
    if chunk_may_name_rule(chunk.data):
        lines = enumerate(
            NEWLINE.split(decoded_text(chunk.data, chunk.first_line)), chunk.first_line
        )
        return add_remarks(entries, [numbered for numbered in lines if "<game" not in numbered[1]])
    return entries


def _entry_of_game(record: bytes, line: int, reader: Reader) -> Entry:
    text = record[: MAX_RECORD_BYTES + 1].decode(errors="surrogateescape")
    match = _TAG.match(text)
    if len(record) > MAX_RECORD_BYTES and (match is None or match.end() > MAX_RECORD_BYTES):
        return reader.too_long(line, text)
    tag = match[0] if match else text
    cells = _DATA.search(tag)
    if match and cells and tag.count("data") == 1 and is_plain(cells[1]) and reader.takes_plain:
        return plain_entry(line, cells[1])
    end = "" if match is None or match[1] else "</game>"
    lines = (line, *range(line, line + count_lines(record) + 1))
    return reader.read(f"<opensudoku>\n{tag}{end}</opensudoku>", lines, shift=None)


XML_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<opensudoku>
  <name>sudoku-pipeline</name>
"""
"""The beginning of a file. The app shows its games in a folder of this name."""

XML_END = "</opensudoku>\n"


def game_line(cells: str) -> str:
    """Write a `game` element, given the 81 digits and blanks of a puzzle."""
    return f'  <game data="{cells.replace(".", "0")}" />\n'


def render_opensudoku(puzzle: Puzzle, _notation: str) -> str:
    return f"{XML_HEAD}{game_line(classic_cells(puzzle))}{XML_END}"


GAMES = ManyFormat("opensudoku", recognise_games, cut_games, entries_of_games)
OPENSUDOKU = Format(
    "opensudoku",
    recognise_opensudoku,
    parse_opensudoku,
    render_opensudoku,
    begins=_XML_BEGINS,
    many=GAMES,
    has_other_text=True,
)
