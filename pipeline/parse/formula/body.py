"""Literals and zeros behind the header of a DIMACS text.

Blocks of lines that are right are read without a look at their words. In the first one that is
not, the words are looked at one by one, to tell which is wrong.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

from pipeline.errors import InvalidPuzzle, counted
from pipeline.limits import Deadline
from pipeline.parse.formula.words import Header, Word, last_word, words_of

_MOST_LITERAL = 2**31 - 1
_LONGEST_NUMBER = 10
_BLOCK = 1 << 18
"""Bytes: few enough to look at all their words, and for these to take some MB at most."""

_LITERAL = re.compile(rb"-?[1-9][0-9]*|0")
_COMMENT = re.compile(rb"(?m)^[ \t]*c.*")
_TRAILER = re.compile(rb"(?m)^[ \t]*%[ \t]*$")
_SPACE = re.compile(rb"[ \t\n]")
_SIGNS = b"0123456789- \t\n"
_KINDS = bytes.maketrans(b"23456789\t\n", b"11111111  ")
_IDLE_ZEROS = (b"-0", b" 00", b" 01")
"""What `_KINDS` leaves of zeros that no number has."""


class Body:
    """What stands behind the header; `literals` are those read so far, and the zeros."""

    def __init__(self, text: bytes, source: str, header: Header) -> None:
        self.literals = array("i")
        self._text = text
        self._source = source
        self._header = header
        self._size = f"{counted(header.clauses, 'clause')}, as the header says"
        self._clauses = 0
        self._last_block: int | None = None

    def read(self, deadline: Deadline) -> None:
        """Read all of it. Raises InvalidPuzzle and LimitReached."""
        begin, end = self._header.last.stop, len(self._text)
        trailer = _TRAILER.search(self._text, begin) if b"%" in self._text else None
        for start, stop in _blocks(self._text, begin, trailer.start() if trailer else end):
            before = len(self.literals)
            ended = self._append(start, stop, deadline)
            if ended is None or self._too_many(ended):
                raise self._fault(start)
            if len(self.literals) > before:
                self._clauses += ended
                self._last_block = start
        self._check_end(next(words_of(self._text, trailer.start())) if trailer else None)

    @property
    def _is_open(self) -> bool:
        """Whether a clause has begun and not ended."""
        return bool(self.literals) and self.literals[-1] != 0

    def _append(self, start: int, stop: int, deadline: Deadline) -> int | None:
        """Append the numbers of a block; how many clauses they end, None if they are wrong."""
        ended = 0
        for piece in _pieces(self._text, start, stop):
            deadline.check()
            numbers = _numbers(piece, self._header.variables)
            if numbers is None:
                return None
            self.literals += numbers
            ended += numbers.count(0)
        return ended

    def _too_many(self, ended: int) -> bool:
        """Whether there are more clauses than the header says, with those that have ended now."""
        room = self._header.clauses - self._clauses - ended
        return room < 0 or (room == 0 and self._is_open)

    def _fault(self, start: int) -> InvalidPuzzle:
        """The first thing that is wrong in the block that begins there, and is known to be so."""
        clauses, is_open = self._clauses, False  # only looked at when all clauses were ended
        for word in words_of(self._text, start):
            expected = _wanted(word.text, self._header.variables)
            if clauses == self._header.clauses and not is_open:
                expected = f"the end after {self._size}"
            if expected:
                found = "a second header" if word.text == b"p" else None
                begins = word.text == b"-" and word.stop == len(self._text)
                return word.error(self._source, expected, found, truncated=begins)
            is_open = word.text != b"0"
            clauses += not is_open
        raise AssertionError("nothing is wrong")

    def _check_end(self, percent: Word | None) -> None:
        """Raise InvalidPuzzle where clauses are missing, or more follows the line `%`."""
        if self._is_open:
            found = None if percent else "the end of the file"
            raise self._unfinished(percent, "0 to end the clause", found)
        if self._clauses < self._header.clauses:
            raise self._unfinished(percent, self._size, counted(self._clauses, "clause"))
        if percent:
            rest = words_of(self._text, percent.stop)
            for expected in (b"0", None):
                word = next(rest, None)
                if word and word.text != expected:
                    wanted = "0 behind the line '%'" if expected else "the end of the file"
                    raise word.error(self._source, wanted)

    def _unfinished(self, percent: Word | None, expected: str, found: str | None) -> InvalidPuzzle:
        """What is missing before the line `%`, or at the end of a file that may be cut off."""
        end = percent or self._header.last.behind()
        if percent is None and self._last_block is not None:
            end = last_word(self._text, self._last_block).behind()
        return end.error(self._source, expected, found, truncated=percent is None)


def _wanted(word: bytes, variables: int) -> str | None:
    """What should be there instead of the word; None if it is a literal or 0."""
    if not _LITERAL.fullmatch(word):
        return "a literal, or 0 to end the clause"
    digits = word.lstrip(b"-")
    if len(digits) > _LONGEST_NUMBER or int(digits) > _MOST_LITERAL:
        return f"a literal up to {_MOST_LITERAL}"
    if int(digits) > variables:
        return f"a variable up to {variables}, as the header says"
    return None


def _blocks(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """(start, stop) of whole lines between these offsets."""
    while start < end:
        newline = text.find(b"\n", start + _BLOCK, end)
        stop = end if newline < 0 else newline + 1
        yield start, stop
        start = stop


def _numbers(piece: bytes, variables: int) -> array[int] | None:
    """The literals and zeros between white space, if all of the words are such."""
    kinds = b" " + piece.translate(_KINDS)
    if piece.translate(None, _SIGNS) or any(zeros in kinds for zeros in _IDLE_ZEROS):
        return None
    try:
        numbers = array("i", map(int, piece.decode("ascii").split()))
    except (ValueError, OverflowError):
        return None
    inside = -variables <= min(numbers, default=0) and max(numbers, default=0) <= variables
    return numbers if inside else None


def _pieces(text: bytes, start: int, stop: int) -> Iterator[bytes]:
    """The lines between these offsets without comments, cut at white space where they are long."""
    if text.find(b"c", start, stop) >= 0:
        text = _COMMENT.sub(b"", text[start:stop])
        start, stop = 0, len(text)
    while start < stop:
        space = _SPACE.search(text, start + _BLOCK, stop)
        end = space.start() if space else stop
        yield text[start:end]
        start = end
