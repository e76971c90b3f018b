"""What the readers of collections share: the types that go in and out of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import BinaryIO, Generic, NamedTuple, TypeVar

from pipeline.errors import InvalidPuzzle
from pipeline.parse import parse_single
from pipeline.parse.spaces import recognise_spaces
from pipeline.parse.text import COMMENTS, Line, decode_text
from pipeline.puzzle import MAX_SIDE, Puzzle
from pipeline.settings import Reading

L = TypeVar("L")
NEWLINE = re.compile(r"\r\n?|\n")
_SAMPLE_BYTES = 256 * 1024
_MOST_LOOKED_AT = 600
_SIZES = re.compile(r"\s*([1-9]\d{0,2})\s+([1-9]\d{0,2})\s*", re.ASCII)
_SECTIONS = frozenset(("[puzzle]", "[state]"))
"""Headings in SadMan's files: what stands under them is not a puzzle each."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a source that can be read by itself, in any process.

    `first_line` is the number of its first line, from 1; `data` are whole records, or the
    beginning of a single one that is too long to be read.
    """

    first_line: int
    data: bytes


class Entry(NamedTuple):
    """One puzzle of a collection, or what stands where one should be.

    `line` is where it begins, from 1. `text` is the puzzle in one line: n² characters, or
    numbers with spaces between where the source has numbers; of what is no puzzle the
    beginning. Of a `plain` one the text is 81 characters of 1-9 and at most one kind of blank,
    `.` or `0`, and `puzzle` is None: whoever has many reads them all at once. Else either
    `puzzle` or `error` is there. `claimed` is the solution that stands beside the puzzle,
    unchecked: of a plain one 81 characters of 1-9, else it may be anything. `signs` are those
    of the values 1, 2, … where the puzzle is written in letters.
    """

    line: int
    text: str
    puzzle: Puzzle | None
    error: str | None
    claimed: str | None
    plain: bool
    signs: str = ""


@dataclass(frozen=True)
class Head:
    """The beginning of a source; `complete` if it is all of it.

    `declared` says that somebody named the format: then it is only to be found out how.
    """

    data: bytes
    complete: bool
    declared: bool = False

    @cached_property
    def sample(self) -> bytes:
        """Whole lines from the beginning."""
        if self.complete and len(self.data) <= _SAMPLE_BYTES:
            return self.data
        cut = self.data[:_SAMPLE_BYTES]
        end = max(cut.rfind(b"\n"), cut.rfind(b"\r", 0, len(cut) - 1)) + 1
        return cut[:end]

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines that say something: neither empty nor comments nor borders."""
        text = self.sample.decode("utf-8-sig", errors="replace")
        lines = (
            line
            for line in NEWLINE.split(text)
            if (body := line.strip()) and not body.startswith(COMMENTS) and not is_border(line)
        )
        return tuple(islice(lines, _MOST_LOOKED_AT))

    @property
    def is_whole(self) -> bool:
        """Whether `lines` are those of the whole source."""
        return self.complete and self.sample == self.data and len(self.lines) < _MOST_LOOKED_AT

    @cached_property
    def is_single(self) -> bool:
        """Whether the source is one puzzle, or plainly meant to be."""
        if self.declared:
            return False
        if len(self.lines) < 2 and self.complete:
            return True
        if any(line.strip().lower() in _SECTIONS for line in self.lines):
            return True
        return self._begins_with_sizes() or self._reads_as_one() or self._has_spaces_for_blanks()

    def _reads_as_one(self) -> bool:
        """Whether a single puzzle's format reads it. None takes more lines, but for sizes."""
        if not self.complete or len(self.lines) == _MOST_LOOKED_AT:
            return False
        try:
            parse_single(self.data, "", Reading())
        except InvalidPuzzle:
            return False
        return True

    def _has_spaces_for_blanks(self) -> bool:
        """Whether its rows are those of a grid in which a space is a blank, too few or too many."""
        if not self.is_whole or not any(" " in line for line in self.lines):
            return False
        try:
            return recognise_spaces(decode_text(self.data, "")) is not None
        except InvalidPuzzle:
            return False

    def _begins_with_sizes(self) -> bool:
        """Whether it begins with the size of a box, and about as many numbers follow."""
        body = [line for line in self.lines if not line.lstrip().startswith("c")]
        sizes = _SIZES.fullmatch(body[0]) if body else None
        if not sizes:
            return False
        side = int(sizes[1]) * int(sizes[2])
        numbers = sum(len(line.split()) for line in body[1:])
        whole = self.complete and len(self.lines) < _MOST_LOOKED_AT
        least = side * side // 2 if whole else 0
        return side <= MAX_SIDE and least <= numbers <= 2 * side * side


@dataclass(frozen=True, slots=True)
class CollectionFormat(Generic[L]):
    """One notation for many puzzles; L is what has to be found out to read a source in it.

    `recognise` gives that and the reason, or None; of a head that is declared never None.
    `pieces` cuts a stream, in memory that does not grow with it; the size of a piece is in
    bytes, and where it ends depends on the input and that size alone. A piece's data is a
    source of its own that can be cut further. `entries` reads a piece; a bad record is an
    entry with an error. Its third argument names the source in messages.
    """

    name: str
    recognise: Callable[[Head], tuple[L, str] | None]
    pieces: Callable[[BinaryIO, L, int], Iterator[Piece]]
    entries: Callable[[Piece, L, str, Reading], list[Entry]]


def is_border(line: str) -> bool:
    """Whether the line only draws."""
    return ("+" in line or "-*" in line) and Line.of_text(1, line).is_border


def text_of(data: bytes, line: int) -> str:
    """The text that begins in that line; bytes that are no text are kept as lone surrogates."""
    text = data.decode(errors="surrogateescape")
    return text.removeprefix("\ufeff") if line == 1 else text
