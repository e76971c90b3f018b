"""Bytes → the lines that matter, each with its number; and the words for what is wrong in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.errors import InvalidPuzzle

COMMENTS = ("#", "//")
_NEWLINE = re.compile(r"\r\n|\n|\r")
_SEPARATORS = " \t,|"
_WITHOUT_SEPARATORS = {ord(character): None for character in _SEPARATORS}
_BORDER = re.compile(r"(?=.*\+)[-+|*=]+|\*-+\*")
_LONGEST_QUOTE = 20


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is neither empty nor a comment; `number` counts from 1."""

    number: int
    text: str

    @property
    def cells(self) -> str:
        """The characters that are neither white space nor separators (`,` and `|`)."""
        return self.text.translate(_WITHOUT_SEPARATORS)

    @property
    def is_border(self) -> bool:
        """Whether the line only draws: `---+---+---`, `*-----------*`.

        A line of dashes alone is a row of blanks.
        """
        return _BORDER.fullmatch(self.text.replace(" ", "").replace("\t", "")) is not None

    def placed_cells(self) -> Iterator[tuple[int, str]]:
        """(column from 1, character) of each cell."""
        return (
            (column, character)
            for column, character in enumerate(self.text, 1)
            if character not in _SEPARATORS
        )


@dataclass(frozen=True, slots=True)
class Text:
    """A decoded source: its name, for messages, and its significant lines."""

    source: str
    lines: tuple[Line, ...]

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

    def at_end(self, expected: str, found: str) -> InvalidPuzzle:
        """What is missing behind the last significant line; the file may be cut off."""
        if not self.lines:
            return self.error(None, None, expected, found, truncated=True)
        last = self.lines[-1]
        return self.error(last.number, len(last.text) + 1, expected, found, truncated=True)


def quote(text: str) -> str:
    """The text in quotes, shortened, with everything unprintable escaped."""
    return ascii(text[:_LONGEST_QUOTE]) + ("…" if len(text) > _LONGEST_QUOTE else "")


def decode_text(data: bytes, source: str) -> Text:
    """The significant lines of a UTF-8 text; a byte order mark and CRLF are taken.

    Raises InvalidPuzzle where the bytes are no text, or none of its lines says anything.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        raise InvalidPuzzle(
            source, line, column, "UTF-8 text", f"the byte 0x{data[error.start]:02x}"
        ) from None
    if "\0" in text:
        start = text.index("\0")
        line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
        raise InvalidPuzzle(source, line, column, "text", "a NUL character")
    lines = tuple(
        Line(number, line)
        for number, line in enumerate(_NEWLINE.split(text), 1)
        if line.strip() and not line.lstrip().startswith(COMMENTS)
    )
    if not lines:
        found = "only comments and empty lines" if text.strip() else "an empty file"
        raise InvalidPuzzle(source, None, None, "a puzzle", found, truncated=True)
    return Text(source, lines)
