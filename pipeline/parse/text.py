"""Bytes → the lines that matter, each with its number; and the words for what is wrong in them."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from pipeline.errors import InvalidPuzzle

_NEWLINE = re.compile(r"\r\n|\n|\r")
COMMENTS = ("#", "//")
MOST_LINES = 70_000
"""More than the largest puzzle has with one number a line: 256² and a header."""

_SEPARATORS = " \t,|"
_WITHOUT_SEPARATORS = {ord(character): None for character in _SEPARATORS}
_BORDER = re.compile(r"(?=.*\+)[-+|*=]+|\*-+\*")
_BORDER_SIGNS = frozenset("-+|*=")
_LONGEST_QUOTE = 20


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is neither empty nor a comment.

    `number` counts from 1; `cells` are the characters of `text` that are neither white space
    nor separators (`,` and `|`); `is_border` tells that the line only draws: `---+---+---`,
    `*-----------*`. A line of dashes alone is a row of blanks.
    """

    number: int
    text: str
    cells: str
    is_border: bool

    @classmethod
    def of_text(cls, number: int, text: str) -> Self:
        drawn = text.replace(" ", "").replace("\t", "")
        is_border = _BORDER_SIGNS.issuperset(drawn) and _BORDER.fullmatch(drawn) is not None
        return cls(number, text, text.translate(_WITHOUT_SEPARATORS), is_border)

    def placed_cells(self) -> Iterator[tuple[int, str]]:
        """(column from 1, character) of each cell."""
        return (
            (column, character)
            for column, character in enumerate(self.text, 1)
            if character not in _SEPARATORS
        )


@dataclass(frozen=True, slots=True)
class Text:
    """A decoded source: its name, for messages, its significant lines, and all of it."""

    source: str
    lines: tuple[Line, ...]
    whole: str

    def error(
        self,
        line: int | None,
        column: int | None,
        expected: str,
        found: str,
        *,
        truncated: bool = False,
    ) -> InvalidPuzzle:
        """An InvalidPuzzle at that place; `found` is taken as it is, see `quote`."""
        return InvalidPuzzle(self.source, line, column, expected, found, truncated)

    def at_line(
        self, line: Line, expected: str, found: str | None = None, *, may_go_on: bool = True
    ) -> InvalidPuzzle:
        """What is wrong with a whole line; the last one may be cut off, if it `may_go_on`."""
        column = len(line.text) - len(line.text.lstrip()) + 1
        said = quote(line.text.strip()) if found is None else found
        cut_off = may_go_on and line is self.lines[-1]
        return self.error(line.number, column, expected, said, truncated=cut_off)

    def at_end(self, expected: str, found: str) -> InvalidPuzzle:
        """What is missing behind the last significant line; the file may be cut off."""
        if not self.lines:
            return self.error(None, None, expected, found, truncated=True)
        last = self.lines[-1]
        return self.error(last.number, len(last.text) + 1, expected, found, truncated=True)


def either(choices: Iterable[object]) -> str:
    """`4, 6 or 9`."""
    *others, last = map(str, choices)
    return f"{', '.join(others)} or {last}" if others else last


def quote(text: str) -> str:
    """The text in quotes, shortened, with everything unprintable escaped."""
    return ascii(text[:_LONGEST_QUOTE]) + ("…" if len(text) > _LONGEST_QUOTE else "")


def _no_text(source: str, before: str, found: str, *, truncated: bool) -> InvalidPuzzle:
    """The error for what stands behind `before`."""
    lines = _NEWLINE.split(before)
    line, column = len(lines), len(lines[-1]) + 1
    return InvalidPuzzle(source, line, column, "UTF-8 text", found, truncated)


def _significant(text: str, source: str) -> Iterator[Line]:
    """The lines that are neither empty nor comments. Raises InvalidPuzzle for too many."""
    found = 0
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith(COMMENTS):
            continue
        found += 1
        if found > MOST_LINES:
            raise InvalidPuzzle(
                source, number, 1, f"at most {MOST_LINES} lines of a puzzle", "another"
            )
        yield Line.of_text(number, line.rstrip("\n"))


def decode_text(data: bytes, source: str) -> Text:
    """The significant lines of a UTF-8 text; a byte order mark and CRLF are taken.

    Raises InvalidPuzzle where the bytes are no text, or none of its lines says anything.
    """
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        cut_off = error.reason == "unexpected end of data"
        found = f"the byte 0x{body[error.start]:02x}"
        raise _no_text(source, body[: error.start].decode(), found, truncated=cut_off) from None
    if "\0" in text:
        raise _no_text(source, text[: text.index("\0")], "a NUL character", truncated=False)
    lines = tuple(_significant(text, source))
    if not lines:
        found = "only comments and empty lines" if text.strip() else "an empty file"
        raise InvalidPuzzle(source, None, None, "a puzzle", found, truncated=True)
    return Text(source, lines, text)
