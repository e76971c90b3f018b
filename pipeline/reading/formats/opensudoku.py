"""OpenSudoku: XML with a `game` element for each puzzle.

    <opensudoku>
      <name>…</name>
      <game data="000340…" />
    </opensudoku>

`data` is 81 digits, 0 for a blank. The app's own exports begin it with `version: N` and have fields
for each cell; the givens are the values that the player cannot change.

Malicious XML can exhaust the memory of a reader, or make it read other files. Therefore document
types and entities are refused (by defusedxml), and so are excessive tokens, nesting and names; no
tree is built. In a collection, a record is a `<game …>` tag, which is read as a document of its
own. So no declaration of the document affects it, and each chunk can be read independently.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.around import chunk_may_name_rule, with_remarks
from pipeline.reading.formats.base import Format, ManyFormat, SourceHead
from pipeline.reading.formats.cells import classic_cells
from pipeline.reading.formats.frames import nine_of
from pipeline.reading.formats.parsed import Entry, Parsed, TextChunk
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
_LONGEST_TOKEN = 1 << 20
_DEEPEST = 64
_MOST_NAMES = 256
_CUT_OFF = frozenset((3, 5, 6, 20))
"""Expat's codes for a document, a token, a character and a CDATA section that are cut off."""

_XML_BEGINS = re.compile(r"\s*<(?s:.*)<(?:[\w.-]+:)?opensudoku\b|\s*<(?:[\w.-]+:)?opensudoku\b")
_VERSION = re.compile(r"version: ([1-5])\s")
_FIELDS = {"1": 3, "2": 3, "3": 3, "4": 4, "5": 5}
"""Number of fields per cell; the first is the value, the last is whether the player can change
it."""


class _Game(NamedTuple):
    line: int
    column: int
    data: str


def recognise_opensudoku(text: Text) -> str | None:
    return "it begins with '<'" if text.lines[0].text.lstrip().startswith("<") else None


def parse_opensudoku(text: Text, reading: Reading) -> Parsed:
    game = _game_of(text)
    try:
        return nine_of(text, TextLine.of_text(game.line, game.data), _EXPECTED_GAME, reading)
    except InvalidPuzzle as error:
        error.column = game.column
        raise


def _game_of(text: Text) -> _Game:
    """The only game in the XML. Raises InvalidPuzzle."""
    from defusedxml.common import DefusedXmlException  # noqa: PLC0415 - few files are XML
    from defusedxml.ElementTree import ParseError, XMLParser  # noqa: PLC0415

    target = _Target(text)
    parser = XMLParser(target=target, forbid_dtd=True)
    target.expat = parser.parser
    chunks = (
        text.data[start : start + DECODED_BYTES]
        for start in range(0, len(text.data), DECODED_BYTES)
    )
    try:
        for part in codecs.iterdecode(chunks, "utf-8"):
            target.waiting += len(part)
            parser.feed(part)
            if target.waiting > _LONGEST_TOKEN:
                raise target.refused(f"tags of at most {_LONGEST_TOKEN} characters", "a longer tag")
        parser.close()
    except ParseError as error:
        (line, column), message = error.position, str(error).partition(":")[0]
        fault = text.error(line, column + 1, "XML", message)
        fault.truncated = error.code in _CUT_OFF
        raise fault from None
    except DefusedXmlException:
        expected = "XML without a document type or entities"
        raise target.refused(expected, "a declaration of a document type or entity") from None
    if target.game is None:
        raise text.error(None, None, _EXPECTED_GAME, "no game")
    return target.game


class _Target:
    """Receives the XML parser's events and keeps the game; `waiting` characters had no event."""

    expat: Any
    game: _Game | None = None
    waiting = 0

    def __init__(self, text: Text) -> None:
        self._text = text
        self._depth = 0
        self._names: set[str] = set()

    def _place(self) -> tuple[int, int]:
        return self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber + 1

    def refused(self, expected: str, found: str) -> InvalidPuzzle:
        return self._text.error(*self._place(), expected, found)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.waiting = 0
        name = tag.rpartition("}")[2]
        if not self._depth and not name.startswith(_ROOT):
            raise self.refused(f"<{_ROOT}>", f"<{quote(name)[1:-1]}>")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self.refused(f"elements nested at most {_DEEPEST} deep", "deeper nesting")
        self._names.update((tag, *attributes))
        if len(self._names) > _MOST_NAMES:
            raise self.refused(f"at most {_MOST_NAMES} names", "more names")
        if name == "game":
            if self.game is not None:
                raise self.refused("a single game", "a second game")
            self.game = _Game(*self._place(), _givens(attributes.get("data", "")))

    def end(self, _tag: str) -> None:
        self.waiting = 0
        self._depth -= 1

    def data(self, _text: str) -> None:
        self.waiting = 0

    def close(self) -> None:
        pass


def _givens(data: str) -> str:
    """The 81 digits in a game's data; cells that the player may change become 0."""
    version = _VERSION.match(data)
    if not version:
        return data
    fields = [field for field in data[version.end() :].strip().split("|") if field]
    count = _FIELDS[version[1]]
    values, changeable = fields[::count], fields[count - 1 :: count]
    if len(fields) != 81 * count or not {*changeable} <= {"0", "1"}:
        return data
    pairs = zip(values, changeable, strict=True)
    return "".join(value if kept == "0" else "0" for value, kept in pairs)


_GAME = re.compile(rb"<!--.*?(?:-->|\Z)|<game(?=[\s/>])", re.DOTALL)
_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*<.*?<opensudoku\b|\s*<opensudoku\b", re.DOTALL)
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_TAG = re.compile(r"""<game(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(/?)>""")
_DATA = re.compile(r"""\sdata\s*=\s*["']([0-9.]{81})["']""")


def recognise_games(head: SourceHead) -> tuple[None, str] | None:
    """Recognise two or more games, but not documents with a type or entities, which are refused."""
    if not _HEAD.match(head.sample) or _DECLARATION.search(head.sample):
        return None
    games = sum(1 for _ in _starts(head.sample))
    return (None, f"<opensudoku> with {games} games or more") if games > 1 else None


def _starts(data: bytes) -> Iterator[int]:
    return (match.start() for match in _GAME.finditer(data) if not match[0].startswith(b"<!"))


def _boundary(data: bytes, limit: int, known: int) -> int:
    starts = (start for start in _starts(data) if start)
    if limit and not data.startswith(b"<game"):  # the head belongs to the first game
        next(starts, None)
    return last_end(starts, limit, known)


def _comment_begun(begun: bytes) -> bytes:
    """The start of a comment if the beginning of a record ends within one, else empty."""
    *_, last = (b"", *(match[0] for match in _GAME.finditer(begun)))
    return b"<!--" if last.startswith(b"<!") and not last.endswith(b"-->") else b""


def cut_games(stream: BinaryIO, _layout: None, size: int) -> Iterator[TextChunk]:
    return cut_chunks(stream, size, _boundary, _comment_begun)


def entries_of_games(chunk: TextChunk, _layout: None, reader: Reader) -> list[Entry]:
    entries, line, position = [], chunk.first_line, 0
    for start, end in pairwise((*_starts(chunk.data), len(chunk.data))):
        line, position = line + count_lines(chunk.data, position, start), start
        entries.append(_entry_of_game(chunk.data[start:end], line, reader))
    if chunk_may_name_rule(chunk.data):
        lines = enumerate(
            NEWLINE.split(decoded_text(chunk.data, chunk.first_line)), chunk.first_line
        )
        return with_remarks(entries, [numbered for numbered in lines if "<game" not in numbered[1]])
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
"""The app uses the name for the folder of the games."""

XML_END = "</opensudoku>\n"


def game_line(cells: str) -> str:
    """The element for 81 digits and blanks."""
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
