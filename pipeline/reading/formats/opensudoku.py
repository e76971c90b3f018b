"""OpenSudoku: the XML of that app, with a `game` element for each puzzle.

    <?xml version="1.0" encoding="UTF-8"?>
    <opensudoku>
      <name>…</name>
      <game data="000340…" />
    </opensudoku>

`data` is 81 digits, 0 for a blank. The app's own exports say `version: N` there and have fields for
each cell; the values that the player cannot change are the givens.

XML can be made to exhaust the memory of a reader, or to make it read other files. So document types
and entities are refused (by defusedxml), and so are endless tokens, nesting and names; no tree is
built. In a collection, a record is a `<game …>` tag, which is read as a document of its own. So no
declaration of the document reaches it, and each piece can be read by itself.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any, BinaryIO, NamedTuple

from pipeline.errors import InvalidPuzzle
from pipeline.reading.formats.base import Entry, Format, Head, ManyFormat, Parsed, Piece
from pipeline.reading.formats.cells import nine_of
from pipeline.reading.formats.records import (
    LONGEST,
    Reader,
    cut_pieces,
    is_plain,
    last_end,
    plain_entry,
)
from pipeline.reading.formats.text import PIECE, Line, Text, count_lines, quote
from pipeline.settings import Reading

_ROOT = "opensudoku"
_EXPECTED_GAME = '<game data="…"> with 81 digits'
_LONGEST_TOKEN = 1 << 20
_DEEPEST = 64
_MOST_NAMES = 256
_CUT_OFF = frozenset((3, 5, 6, 20))
"""Expat's codes for a document, a token, a character and a CDATA section that are cut off."""

_BEGINS = re.compile(r"\s*<(?s:.*)<(?:[\w.-]+:)?opensudoku\b|\s*<(?:[\w.-]+:)?opensudoku\b")
_VERSION = re.compile(r"version: ([1-5])\s")
_FIELDS = {"1": 3, "2": 3, "3": 3, "4": 4, "5": 5}
"""How many fields a cell has; the first is its value, the last says if the player may change it."""


class _Game(NamedTuple):
    line: int
    column: int
    data: str


def _games(text: Text) -> Iterator[_Game]:
    """Yield each game in the XML. Raises InvalidPuzzle after the games before an error."""
    from defusedxml.common import DefusedXmlException  # noqa: PLC0415 - few files are XML
    from defusedxml.ElementTree import ParseError, XMLParser  # noqa: PLC0415

    target = _Target(text)
    parser = XMLParser(target=target, forbid_dtd=True)
    target.expat = parser.parser
    pieces = (text.data[at : at + PIECE] for at in range(0, len(text.data), PIECE))
    fault: InvalidPuzzle | None = None
    for part in chain(codecs.iterdecode(pieces, "utf-8"), [""]):
        try:
            target.read(parser, part)
        except ParseError as error:
            (line, column), said = error.position, str(error).partition(":")[0]
            cut_off = error.code in _CUT_OFF
            fault = text.error(line, column + 1, "XML", said, truncated=cut_off)
        except DefusedXmlException:
            expected = "XML without a document type or entities"
            fault = target.refused(expected, "a declaration of one")
        except InvalidPuzzle as error:
            fault = error
        yield from target.games
        target.games.clear()
        if fault:
            raise fault


class _Target:
    """Receives the XML parser's events and keeps the games."""

    expat: Any

    def __init__(self, text: Text) -> None:
        self.games: list[_Game] = []
        self._text = text
        self._waiting = 0
        self._depth = 0
        self._names: set[str] = set()

    def read(self, parser: Any, part: str) -> None:
        """Feed the parser ("" is the end); refuse a token that is too long."""
        if not part:
            parser.close()
            return
        self._waiting += len(part)
        parser.feed(part)
        if self._waiting > _LONGEST_TOKEN:
            raise self.refused(f"tags of at most {_LONGEST_TOKEN} characters", "a longer one")

    def refused(self, expected: str, found: str) -> InvalidPuzzle:
        return self._text.error(*self._place(), expected, found)

    def _place(self) -> tuple[int, int]:
        return self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber + 1

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._waiting = 0
        name = tag.rpartition("}")[2]
        if not self._depth and not name.startswith(_ROOT):
            raise self.refused(f"<{_ROOT}>", f"<{quote(name)[1:-1]}>")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self.refused(f"at most {_DEEPEST} elements in each other", "another")
        self._names.update((tag, *attributes))
        if len(self._names) > _MOST_NAMES:
            raise self.refused(f"at most {_MOST_NAMES} names", "another")
        if name == "game":
            self.games.append(_Game(*self._place(), _givens(attributes.get("data", ""))))

    def end(self, _tag: str) -> None:
        self._waiting = 0
        self._depth -= 1

    def data(self, _text: str) -> None:
        self._waiting = 0

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


def recognise_opensudoku(text: Text) -> str | None:
    return "it begins with '<'" if text.lines[0].text.lstrip().startswith("<") else None


def parse_opensudoku(text: Text, reading: Reading) -> Parsed:
    found = _games(text)
    game, another = next(found, None), next(found, None)
    if game is None:
        raise text.error(None, None, _EXPECTED_GAME, "no game")
    if another is not None:
        raise text.error(another.line, another.column, "a single game", "a second one")
    row = Line.of_text(game.line, game.data)
    try:
        return nine_of(text, row, _EXPECTED_GAME, reading.variant)
    except InvalidPuzzle as error:
        raise replace(error, column=game.column, truncated=False) from None


_GAME = re.compile(rb"<!--.*?(?:-->|\Z)|<game(?=[\s/>])", re.DOTALL)
_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*<.*?<opensudoku\b|\s*<opensudoku\b", re.DOTALL)
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_TAG = re.compile(r"""<game(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(/?)>""")
_DATA = re.compile(r"""\sdata\s*=\s*["']([0-9.]{81})["']""")


def recognise_games(head: Head) -> tuple[None, str] | None:
    """Recognise two or more games; a document with a type or entities is left to be refused."""
    if not _HEAD.match(head.sample) or _DECLARATION.search(head.sample):
        return None
    games = sum(1 for _ in _starts(head.sample))
    return (None, f"<opensudoku> with {games} games or more") if games > 1 else None


def _starts(data: bytes) -> Iterator[int]:
    return (match.start() for match in _GAME.finditer(data) if not match[0].startswith(b"<!"))


def _boundary(data: bytes, limit: int, known: int) -> int:
    return last_end((start for start in _starts(data) if start), limit, known)


def _comment_begun(begun: bytes) -> bytes:
    """A comment's start if a record's beginning ends within one, else nothing."""
    *_, last = (b"", *(match[0] for match in _GAME.finditer(begun)))
    return b"<!--" if last.startswith(b"<!") and not last.endswith(b"-->") else b""


def pieces(stream: BinaryIO, _layout: None, size: int) -> Iterator[Piece]:
    return cut_pieces(stream, size, _boundary, _comment_begun)


def entries(piece: Piece, _layout: None, reader: Reader) -> list[Entry]:
    found, line, at = [], piece.first_line, 0
    for start, end in pairwise((*_starts(piece.data), len(piece.data))):
        line, at = line + count_lines(piece.data, at, start), start
        found.append(_entry(piece.data[start:end], line, reader))
    return found


def _entry(record: bytes, line: int, reader: Reader) -> Entry:
    text = record[: LONGEST + 1].decode(errors="surrogateescape")
    match = _TAG.match(text)
    if len(record) > LONGEST and (match is None or match.end() > LONGEST):
        return reader.too_long(line, text)
    tag = match[0] if match else text
    cells = _DATA.search(tag)
    if match and cells and tag.count("data") == 1 and is_plain(cells[1]) and reader.takes_plain:
        return plain_entry(line, cells[1])
    end = "" if match is None or match[1] else "</game>"
    lines = (line, *range(line, line + count_lines(record) + 1))
    return reader.read(f"<opensudoku>\n{tag}{end}</opensudoku>", lines, shift=None)


GAMES = ManyFormat("opensudoku", recognise_games, pieces, entries)
OPENSUDOKU = Format(
    "opensudoku", recognise_opensudoku, parse_opensudoku, begins=_BEGINS, many=GAMES
)
