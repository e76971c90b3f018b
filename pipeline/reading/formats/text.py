"""The significant lines of a source, with their numbers, and errors that point at them."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self, TypedDict, Unpack

from pipeline.errors import InvalidPuzzle, RefusalCode, counted, listed
from pipeline.reading.formats.foreign import foreign_error, foreign_file

COMMENTS = ("#", "//")
NEWLINE = re.compile(r"\r\n?|\n")
LINE_END = re.compile(rb"\r\n?|\n")
MAX_LINES = 70_000
"""Maximum number of significant lines: the largest puzzle, with one number per line, has 256²."""

MAX_TEXT_BYTES = 4 * 1024 * 1024
"""Maximum size of all significant lines: 64 bytes per cell of the largest puzzle."""

DECODED_BYTES = 1 << 16
"""Number of bytes to decode at a time. In a longer text, empty lines are never rows of a grid."""

DELIMITER_LINE = re.compile(r"\s*sep=([,;\t|])\s*", re.IGNORECASE)
"""The line in which spreadsheets name the delimiter, above the table."""

END_OF_FILE = "\x1a"
"""Ctrl-Z, which programs for DOS write at the end of a text."""

AS_UTF_8 = "save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_IGNORED = re.compile(rb"(?:\s*+(?:#|//)[^\r\n]*+)*+\s*+")
_CONTINUATION = bytes(range(0x80, 0xC0))
"""The continuation bytes of UTF-8."""

_SEPARATORS = " \t,|"
_WITHOUT_SEPARATORS = {ord(character): None for character in _SEPARATORS}
_BORDER = re.compile(r"(?=.*\+)[-+|*=]+|\*-+\*|\|*(?:=\|*){3,}")
_BORDER_CHARACTERS = frozenset("-+|*=")
_WORD = re.compile(r"\S+")
_MAX_QUOTED = 20


class ErrorDetails(TypedDict, total=False):
    """Optional fields of InvalidPuzzle: a code for programs, and advice for users."""

    code: RefusalCode
    hint: str


class Word(NamedTuple):
    """A word at a line and column, both from 1."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a source.

    - `number`: the line number, from 1.
    - `cells`: the characters of `text` except white space and separators (`,` and `|`).
    - `is_border`: the line is a border, such as `---+---+---` or `*-----------*`. A line of only
      dashes is a row of blanks.
    """

    number: int
    text: str
    cells: str
    is_border: bool

    @classmethod
    def of_text(cls, number: int, text: str) -> Self:
        return cls(number, text, cells_of(text), is_border(text))

    def placed_cells(self) -> Iterator[Word]:
        """Yield each character of `cells` as a word with its column."""
        return (
            Word(self.number, column, character)
            for column, character in enumerate(self.text, 1)
            if character not in _SEPARATORS
        )

    def words(self, pattern: re.Pattern[str] = _WORD) -> Iterator[Word]:
        """Yield the matches of the pattern, by default the words between white space."""
        return (Word(self.number, m.start() + 1, m[0]) for m in pattern.finditer(self.text))


@dataclass(frozen=True, slots=True)
class Text:
    """A source: its name for messages, its significant lines, and all its bytes.

    The bytes are UTF-8 without a byte order mark, and include comments.
    """

    source: str
    lines: tuple[TextLine, ...]
    data: bytes

    @classmethod
    def of_line(cls, line: str) -> Self:
        """A text without a name that consists of this line."""
        return cls("", (TextLine.of_text(1, line),), line.encode(errors="replace"))

    @property
    def rows(self) -> tuple[TextLine, ...]:
        """The lines that are not borders."""
        return tuple(line for line in self.lines if not line.is_border)

    def uncommented_lines(self) -> list[TextLine]:
        """All lines except comments; no lines if the text is longer than DECODED_BYTES."""
        if len(self.data) > DECODED_BYTES:
            return []
        numbered = enumerate(io.StringIO(self.data.decode(), newline=None), 1)
        return [
            TextLine.of_text(number, line.removesuffix("\n"))
            for number, line in numbered
            if not line.strip().startswith(COMMENTS)
        ]

    def error(
        self,
        line: int | None,
        column: int | None,
        expected: str,
        found: str,
        **more: Unpack[ErrorDetails],
    ) -> InvalidPuzzle:
        """An InvalidPuzzle at a line and column; `found` must be quoted already (see `quote`)."""
        return InvalidPuzzle(self.source, line, column, expected, found, **more)

    def at_word(
        self, word: Word, expected: str, found: str | None = None, **more: Unpack[ErrorDetails]
    ) -> InvalidPuzzle:
        shown = quote(word.text) if found is None else found
        return self.error(word.line, word.column, expected, shown, **more)

    def at_line(
        self, line: TextLine, expected: str, found: str | None = None, **more: Unpack[ErrorDetails]
    ) -> InvalidPuzzle:
        body = line.text.strip()
        word = Word(line.number, line.text.find(body) + 1, body)
        return self.at_word(word, expected, found, **more)

    def after_line(
        self, line: TextLine, expected: str, found: str, **more: Unpack[ErrorDetails]
    ) -> InvalidPuzzle:
        """The error for something missing at the end of a line."""
        return self.error(line.number, len(line.text) + 1, expected, found, **more)

    def at_end(self, expected: str, found: str, **more: Unpack[ErrorDetails]) -> InvalidPuzzle:
        """The error for something missing after the last significant line."""
        return self.after_line(self.lines[-1], expected, found, **more)

    def single_line(self) -> TextLine:
        """The only line. Raises InvalidPuzzle if there are several."""
        first, *rest = self.lines
        if rest:
            found = counted(len(self.lines), "line")
            raise self.at_line(rest[0], "a single puzzle", found, code="several-puzzles")
        return first

    def without_comments(self) -> str:
        """The text up to the last significant line, with empty lines instead of comments."""
        texts = {line.number: line.text for line in self.lines}
        return "\n".join(texts.get(number, "") for number in range(1, self.lines[-1].number + 1))


def cells_of(text: str) -> str:
    """The characters of a line except white space and separators."""
    return text.translate(_WITHOUT_SEPARATORS)


def is_border(text: str) -> bool:
    """Whether a line is a border, such as `---+---+---`."""
    if "+" not in text and "*" not in text and "=" not in text:
        return False
    drawn = text.replace(" ", "").replace("\t", "")
    return _BORDER_CHARACTERS.issuperset(drawn) and _BORDER.fullmatch(drawn) is not None


def is_significant(line: str) -> bool:
    """Whether a line is neither empty nor a comment."""
    body = line.strip()
    return bool(body) and not body.startswith(COMMENTS) and body != END_OF_FILE


def has_no_significant_line(data: bytes) -> bool:
    """Whether all lines are empty or comments."""
    ignored = _IGNORED.match(data)
    return ignored is not None and ignored.end() == len(data)


def iterate_lines(text: str) -> Iterator[str]:
    """The lines of a text, like `NEWLINE.split` but lazily."""
    begin = 0
    for end in NEWLINE.finditer(text):
        yield text[begin : end.start()]
        begin = end.end()
    yield text[begin:]


def significant_lines(text: str) -> list[str]:
    """The lines that are neither empty nor comments."""
    return [line for line in NEWLINE.split(text) if is_significant(line)]


def join_with_or(choices: Iterable[object]) -> str:
    """List choices in words, such as `4, 6 or 9`."""
    return listed(choices, "or")


def quote(text: str) -> str:
    """Quote a text for a message: shorten it, and escape unprintable characters."""
    return ascii(text[:_MAX_QUOTED]) + ("…" if len(text) > _MAX_QUOTED else "")


def oversize_error(
    source: str, max_bytes: int, found: str, option: str = "--max-bytes"
) -> InvalidPuzzle:
    """The error for a source of more than `max_bytes` bytes, the limit that `option` sets."""
    expected = f"at most {max_bytes} bytes ({option})"
    return InvalidPuzzle(source, None, None, expected, found, code="too-large")


def count_lines(data: bytes, start: int = 0, stop: int | None = None) -> int:
    """Count the line ends (LF, CRLF and lone CR) between two offsets."""
    end = len(data) if stop is None else stop
    has_returns = data.find(b"\r", start, end) >= 0  # quicker than counting
    returns = data.count(b"\r", start, end) if has_returns else 0
    pairs = data.count(b"\r\n", start, end) if returns else 0
    return data.count(b"\n", start, end) + returns - pairs


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The line and the column, both from 1, of an offset in a text whose lines end in LF."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _check_text(body: bytes, source: str) -> None:
    """Raise InvalidPuzzle if the bytes are not UTF-8 or contain a NUL."""
    position, bad, found = 0, body.find(b"\0"), "a NUL character"
    is_cut_off = False
    while position < len(body) and not body.isascii():
        try:
            position += codecs.utf_8_decode(
                body[position : position + DECODED_BYTES],
                "strict",
                position + DECODED_BYTES >= len(body),
            )[1]
        except UnicodeDecodeError as error:
            bad, is_cut_off = position + error.start, error.reason == "unexpected end of data"
            found = f"the byte 0x{body[bad]:02x}"
            break
    if bad >= 0:
        begin = max(body.rfind(b"\n", 0, bad), body.rfind(b"\r", 0, bad)) + 1
        line = count_lines(body, 0, begin) + 1
        column = len(body[begin:bad].translate(None, _CONTINUATION)) + 1
        refusal = InvalidPuzzle(source, line, column, "UTF-8 text", found, is_cut_off, "not-text")
        refusal.hint = AS_UTF_8 if _is_unmarked_utf_16(body) else ""
        raise refusal


def _is_unmarked_utf_16(body: bytes) -> bool:
    """Whether ASCII characters alternate with NULs."""
    first, second = body[:200:2], body[1:200:2]
    pairs = (first, second), (second, first)
    return any(nuls and not nuls.strip(b"\0") and b"\0" not in letters for nuls, letters in pairs)


def _significant_lines(body: bytes, source: str) -> Iterator[TextLine]:
    """Yield the lines that are neither empty nor comments.

    In a text longer than DECODED_BYTES, only these lines are decoded. Raises InvalidPuzzle if it
    has too many of them, or if they are too long together.
    """
    if len(body) <= DECODED_BYTES:
        for number, line in enumerate(NEWLINE.split(body.decode()), 1):
            if is_significant(line):
                yield TextLine.of_text(number, line)
        return
    count = size = position = 0
    number = 1
    while (ignored := _IGNORED.match(body, position)) and (first := ignored.end()) < len(body):
        begin = max(
            position, body.rfind(b"\n", position, first) + 1, body.rfind(b"\r", position, first) + 1
        )
        number += count_lines(body, position, begin)
        match = LINE_END.search(body, first)
        end, position = match.span() if match else (len(body), len(body))
        size += end - begin
        if size > MAX_TEXT_BYTES:
            expected = f"a puzzle of at most {MAX_TEXT_BYTES} bytes"
            raise InvalidPuzzle(source, number, 1, expected, "more", code="too-large")
        line = body[begin:end].decode()
        if is_significant(line):
            count += 1
            if count > MAX_LINES:
                expected = f"a puzzle of at most {MAX_LINES} lines"
                raise InvalidPuzzle(source, number, 1, expected, "more", code="too-large")
            yield TextLine.of_text(number, line)
        number += match is not None


def is_utf_16(data: bytes) -> bool:
    return data.startswith(_UTF_16)


def without_utf_16(data: bytes, source: str) -> bytes:
    """Convert UTF-16 with a byte order mark to UTF-8; other data is returned unchanged.

    Raises InvalidPuzzle for invalid UTF-16.
    """
    if not is_utf_16(data):
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-16", errors="replace")
        line = len(NEWLINE.findall(before)) + 1
        column = len(NEWLINE.split(before)[-1]) + 1
        found, is_cut_off = f"the byte 0x{data[error.start]:02x}", error.end == len(data)
        expected = "valid UTF-16 text, because it has the byte order mark of UTF-16"
        raise InvalidPuzzle(source, line, column, expected, found, is_cut_off, "not-text") from None


def decode_text(data: bytes, source: str) -> Text:
    """Decode a UTF-8 text, which may have a byte order mark and any line ends.

    Raises InvalidPuzzle if the bytes are not text, if the text is larger than any puzzle, or if no
    line is significant. For a binary file of another program, the error names its kind.
    """
    if foreign := foreign_file(data):
        raise foreign_error(source, foreign)
    body = data.removeprefix(codecs.BOM_UTF8)
    if body.endswith(END_OF_FILE.encode()):
        body = body.rstrip(END_OF_FILE.encode())
    _check_text(body, source)
    lines = tuple(_significant_lines(body, source))
    if not lines:
        found = "an empty file" if not body or body.isspace() else "only comments and empty lines"
        raise InvalidPuzzle(source, None, None, "a puzzle", found, truncated=True, code="empty")
    return Text(source, lines, body)
