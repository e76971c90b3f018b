"""OpenSudoku: the XML of that app, of one game.

    <?xml version="1.0" encoding="UTF-8"?>
    <opensudoku>
      <name>…</name>
      <game data="000340…" />
    </opensudoku>

`data` is 81 digits, 0 for a blank. What the app itself exports says `version: N` there and has
fields for each cell; of these the values that the player cannot change are the givens.

An XML file can be made so that reading it takes the memory, or other files, of who reads it. So
document types and entities are refused (by defusedxml), and so are tokens without end, elements
nested without end, and names without number; no tree is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import DIGITS, check_characters, puzzle_of, written_cells
from pipeline.parse.text import Line, Text, quote
from pipeline.puzzle import Geometry, Puzzle
from pipeline.settings import Reading

_GEOMETRY = Geometry(3, 3)
_ROOT = "opensudoku"
_EXPECTED_GAME = '<game data="…"> with 81 digits'
_LONGEST_TOKEN = 1 << 20
_DEEPEST = 64
_MOST_NAMES = 256
_CUT_OFF = frozenset((3, 5, 6, 20))
"""Expat's codes for a document, a token, a character and a CDATA section that are not all there."""

_BEGINS = re.compile(r"\s*<(?s:.*)<(?:[\w.-]+:)?opensudoku\b|\s*<(?:[\w.-]+:)?opensudoku\b")
_VERSION = re.compile(r"version: ([1-5])\s")
_FIELDS = {"1": 3, "2": 3, "3": 3, "4": 4, "5": 5}
"""How many fields a cell has; the first is its value, the last whether the player may change it."""


class _Game(NamedTuple):
    line: int
    column: int
    data: str


def _games(texts: Iterable[str], fail: Callable[..., InvalidPuzzle]) -> Iterator[_Game]:
    """Each game in the XML that comes in pieces; `fail` makes the error for what is wrong."""
    from defusedxml.ElementTree import XMLParser  # noqa: PLC0415 - few files are XML

    target = _Target()
    parser = XMLParser(target=target, forbid_dtd=True)
    target.expat = parser.parser
    for text in chain(texts, [""]):
        failure = _feed(parser, target, text, fail)
        yield from target.games
        target.games.clear()
        if failure:
            raise failure


def _feed(
    parser: Any, target: _Target, text: str, fail: Callable[..., InvalidPuzzle]
) -> InvalidPuzzle | None:
    """Read one piece, "" being the end, and say what is wrong with it."""
    from defusedxml.common import DefusedXmlException  # noqa: PLC0415
    from defusedxml.ElementTree import ParseError  # noqa: PLC0415

    try:
        if not text:
            parser.close()
            return None
        target.feed(parser, text)
    except ParseError as error:
        line, column = error.position
        said = str(error).partition(":")[0]
        return fail(line, column + 1, "XML", said, truncated=error.code in _CUT_OFF)
    except DefusedXmlException:
        expected, found = "XML without a document type or entities", "a declaration of one"
        return fail(*target.place(), expected, found)
    except _RefusedError as error:
        return fail(*error.args)
    return None


class _RefusedError(Exception):
    """Line, column, what was expected and what was found there instead."""


class _Target:
    """What the XML parser tells, of which the games are kept."""

    expat: Any

    def __init__(self) -> None:
        self.games: list[_Game] = []
        self._waiting = 0
        self._depth = 0
        self._names: set[str] = set()

    def feed(self, parser: Any, text: str) -> None:
        """Let the parser read on, unless it has told of nothing for too long."""
        self._waiting += len(text)
        parser.feed(text)
        if self._waiting > _LONGEST_TOKEN:
            raise self._refused(f"tags of at most {_LONGEST_TOKEN} characters", "a longer one")

    def place(self) -> tuple[int, int]:
        """Line and column of what is being read, from 1."""
        return self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber + 1

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._waiting = 0
        name = tag.rpartition("}")[2]
        if not self._depth and not name.startswith(_ROOT):
            raise self._refused(f"<{_ROOT}>", f"<{quote(name)[1:-1]}>")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._refused(f"at most {_DEEPEST} elements in each other", "another")
        self._names.update((tag, *attributes))
        if len(self._names) > _MOST_NAMES:
            raise self._refused(f"at most {_MOST_NAMES} names", "another")
        if name == "game":
            self.games.append(_Game(*self.place(), _givens(attributes.get("data", ""))))

    def end(self, _tag: str) -> None:
        self._waiting = 0
        self._depth -= 1

    def data(self, _text: str) -> None:
        self._waiting = 0

    def close(self) -> None:
        pass

    def _refused(self, expected: str, found: str) -> _RefusedError:
        return _RefusedError(*self.place(), expected, found)


def _givens(data: str) -> str:
    """The 81 digits in a game's data, what the player may change being 0."""
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


def parse_opensudoku(text: Text, reading: Reading) -> Found:
    found = _games(text.pieces(), text.error)
    game, another = next(found, None), next(found, None)
    if game is None:
        raise text.error(None, None, _EXPECTED_GAME, "no game")
    if another is not None:
        raise text.error(another.line, another.column, "a single game", "a second one")
    row = Line.of_text(game.line, game.data)
    try:
        check_characters(text, (row,))
        if len(row.cells) != 81:
            said = counted(len(row.cells), "cell")
            raise text.error(game.line, game.column, _EXPECTED_GAME, said)
        return puzzle_of(text, (row,), reading.variant)
    except InvalidPuzzle as error:
        raise replace(error, column=game.column, truncated=False) from None


def render_opensudoku(puzzle: Puzzle) -> str:
    """A file of one game; raises ValueError for other sides than 9."""
    if puzzle.geometry != _GEOMETRY:
        raise ValueError("OpenSudoku has 9 rows of 9 cells")
    data = "".join(written_cells(puzzle, DIGITS, "0"))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<{_ROOT}>\n  <name>Sudoku</name>\n  <game data="{data}" />\n</{_ROOT}>\n'
    )


OPENSUDOKU = Format(
    "opensudoku", recognise_opensudoku, parse_opensudoku, render_opensudoku, begins=_BEGINS
)
