"""The words of a DIMACS text, each with its place, and its header."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import count, islice, takewhile
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle
from pipeline.parse.text import quote

MOST_VARIABLES = 10_000_000
_MOST_CLAUSES = 2**31 - 1

_WORD = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(rb"0|[1-9][0-9]*")
_LONGEST_NUMBER = 10
_FOREIGN = re.compile(rb"[\x80-\xff]")
_HEADER = (
    "a header, 'p cnf VARIABLES CLAUSES'",
    "'cnf'",
    f"a number of variables, 0 to {MOST_VARIABLES}",
    f"a number of clauses, 0 to {_MOST_CLAUSES}",
    "the end of the header",
)


class Word(NamedTuple):
    """What stands between white space: line and column from 1, and the offset behind it."""

    line: int
    column: int
    stop: int
    text: bytes

    def error(
        self, source: str, expected: str, found: str | None = None, *, truncated: bool = False
    ) -> InvalidPuzzle:
        """What is wrong with the word; with a byte of it, where that is not ASCII."""
        column, foreign = self.column, _FOREIGN.search(self.text)
        if foreign:
            column, found = column + foreign.start(), f"the byte 0x{foreign[0][0]:02x}"
        said = found or quote(self.text.decode("latin-1"))
        return InvalidPuzzle(source, self.line, column, expected, said, truncated)

    def behind(self) -> Word:
        """The nothing that follows it."""
        return Word(self.line, self.column + len(self.text), self.stop, b"")


class Header(NamedTuple):
    """What the header says, and its last word."""

    variables: int
    clauses: int
    last: Word


def universal(data: bytes) -> bytes:
    """The text with newlines for all ends of lines, and without a byte order mark."""
    text = data.removeprefix(codecs.BOM_UTF8)
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def lines(text: bytes, start: int = 0) -> Iterator[tuple[int, int, bytes]]:
    """(number from 1, offset, line) of each line from the one that begins at that offset."""
    for number in count(text.count(b"\n", 0, start) + 1):
        stop = text.find(b"\n", start)
        if stop < 0:
            yield number, start, text[start:]
            return
        yield number, start, text[start:stop]
        start = stop + 1


def words_of(text: bytes, start: int = 0) -> Iterator[Word]:
    """All words but those of comments."""
    for number, offset, line in lines(text, start):
        if not line.lstrip(b" \t").startswith(b"c"):
            for match in _WORD.finditer(line):
                yield Word(number, match.start() + 1, offset + match.end(), match[0])


def last_word(text: bytes, start: int) -> Word:
    """The last word that `words_of` gives, of which there has to be one."""
    found = 0, 0, b""
    for number, offset, line in lines(text, start):
        if not line.lstrip(b" \t").startswith(b"c") and (body := line.rstrip(b" \t")):
            found = number, offset, body
    number, offset, body = found
    begin = max(body.rfind(b" "), body.rfind(b"\t")) + 1
    return Word(number, begin + 1, offset + len(body), body[begin:])


def read_header(text: bytes, source: str) -> Header:
    """The header: the first line that is neither empty nor a comment. Raises InvalidPuzzle."""
    words = words_of(text)
    first = next(words, None)
    if first is None:
        found = "only comments and empty lines" if text.strip() else "an empty file"
        raise InvalidPuzzle(source, None, None, _HEADER[0], found, truncated=True)
    others = takewhile(lambda word: word.line == first.line, words)
    header = [first, *islice(others, len(_HEADER) - 1)]
    for place, word in enumerate(header):
        if not _fits(place, word.text):
            begins = place == 1 and word.stop == len(text) and b"cnf".startswith(word.text)
            raise word.error(source, _HEADER[place], truncated=begins)
    last = header[-1]
    if len(header) < 4:
        expected, goes_on = _HEADER[len(header)], b"\n" not in text[last.stop :]
        raise last.behind().error(source, expected, "the end of the line", truncated=goes_on)
    return Header(int(header[2].text), int(last.text), last)


def _fits(place: int, word: bytes) -> bool:
    """Whether it may be the header's word at that place, from 0."""
    if place < 2:
        return word == (b"p", b"cnf")[place]
    if place > 3 or not _NUMBER.fullmatch(word) or len(word) > _LONGEST_NUMBER:
        return False
    return int(word) <= (MOST_VARIABLES, _MOST_CLAUSES)[place - 2]
