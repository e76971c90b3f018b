"""A notation for single puzzles and for collections, and the puzzles that are read in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple

from pipeline.puzzle.puzzle import NINE, Puzzle
from pipeline.reading.formats.text import Text, is_border, said_lines
from pipeline.settings import Reading

if TYPE_CHECKING:
    from pipeline.reading.formats.records import Reader

Variant = Literal["classic", "even-odd", "rules"]
Layout = Any
"""The findings of a notation for many puzzles, of a type of its own."""

MOST_LOOKED_AT = 600
"""Lines of a source that are examined to recognise a collection."""

_SAMPLE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Parsed:
    """A puzzle and how it was read: the format's name, why that format, the variant.

    `format` is what `render_puzzle` takes to write in the same notation: the format's name,
    followed by the notation's if the format has several. `Format.parse` leaves the reason empty and
    sets only the notation. `claimed` is the solution that stands
    beside the puzzle, unchecked: one line, or numbers with spaces. `unread` names what is left to
    people, such as rules in prose.
    """

    puzzle: Puzzle
    format: str = ""
    reason: str = ""
    variant: Variant = "classic"
    claimed: str | None = None
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write puzzles down.

    `recognise` says why a text is of this format, or None. `parse` reads it, or raises
    InvalidPuzzle. `render` writes a puzzle, or a filled one, so that `parse` gives it back, in
    the notation that `parse` named; "" leaves the notation to the text. It raises ValueError for
    a puzzle that the format cannot express. Without `render` the format is only read,
    and solutions are rows of values.
    `begins` matches the beginning of every text, even a damaged one, that has this format's own
    words or header; formats of mere rows have none. `many` is the same notation for many puzzles.
    """

    name: str
    recognise: Callable[[Text], str | None]
    parse: Callable[[Text, Reading], Parsed]
    render: Callable[[Puzzle, str], str] | None = None
    begins: re.Pattern[str] | None = None
    many: ManyFormat | None = None


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

    `line` is where it begins, from 1. `text` is the puzzle in one line: n² characters, blanks as
    `.`, or numbers with spaces between where the source has numbers; of an invalid one the
    beginning. A `plain` text is 81 characters of 1-9 and `.`; then `puzzle` is None, because many
    are converted faster together. Otherwise either `puzzle` or `error` is set. `claimed` is the
    solution that stands beside the puzzle, unchecked: for a plain one 81 characters of 1-9, else
    anything. `signs` are those of the values 1, 2, … if the puzzle is written in letters. `parsed`
    is how a puzzle with rules was read, or one whose cells do not say all; then `text` is all of
    its line.
    """

    line: int
    text: str
    puzzle: Puzzle | None
    error: str | None
    claimed: str | None
    plain: bool
    signs: str = ""
    parsed: Parsed | None = None

    @property
    def puzzle_read(self) -> Puzzle | None:
        """The puzzle, of a plain text too; None if there is an error."""
        if not self.plain:
            return self.puzzle
        return Puzzle.of_values(NINE, [int(sign) if sign != "." else 0 for sign in self.text])


@dataclass(frozen=True)
class Head:
    """The beginning of a source; `complete` if it is all of it.

    `declared` says that the user named the format: then only its layout is to be found out.
    `reads_as_one` tells whether a source is one puzzle, or plainly meant to be, `is_ruled` whether
    a line is a puzzle with rules. `least` is how many puzzles make a collection: 1 if the source is
    no single puzzle by itself.
    """

    data: bytes
    complete: bool
    declared: bool
    reads_as_one: Callable[[Head], bool]
    is_ruled: Callable[[str], bool]
    least: int = 2

    @cached_property
    def sample(self) -> bytes:
        """The whole lines of the first 256 KiB."""
        if self.complete and len(self.data) <= _SAMPLE_BYTES:
            return self.data
        cut = self.data[:_SAMPLE_BYTES]
        end = max(cut.rfind(b"\n"), cut.rfind(b"\r", 0, len(cut) - 1)) + 1
        return cut[:end]

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines that are neither empty nor comments nor borders."""
        text = self.sample.decode("utf-8-sig", errors="replace")
        rows = (line for line in said_lines(text) if not is_border(line))
        return tuple(islice(rows, MOST_LOOKED_AT))

    @property
    def is_whole(self) -> bool:
        """Whether `lines` are those of the whole source."""
        return self.complete and self.sample == self.data and len(self.lines) < MOST_LOOKED_AT

    @cached_property
    def is_single(self) -> bool:
        """Whether the source is to be read as one puzzle."""
        return not self.declared and self.reads_as_one(self)


def _none(_layout: Layout) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ManyFormat:
    """One notation for many puzzles; a `Layout` is what has to be found out to read a source in it.

    `recognise` gives that and the reason, or None; if the format is declared never None.
    `pieces` cuts a stream, in memory that does not grow with it; the size of a piece is in
    bytes, and where it ends depends on the input and that size alone. A piece's data is itself a
    source that can be cut further. `entries` reads a piece; a bad record is an entry with an
    error. `takes_plain_lines` tells whether a line of 81 cells and nothing else is a puzzle.
    `is_ruled`: its puzzles have rules, which take a while to solve.
    """

    name: str
    recognise: Callable[[Head], tuple[Layout, str] | None]
    pieces: Callable[[BinaryIO, Layout, int], Iterator[Piece]]
    entries: Callable[[Piece, Layout, Reader], list[Entry]]
    takes_plain_lines: Callable[[Layout], bool] = _none
    is_ruled: bool = False
