"""What is read: a puzzle, and the parts and puzzles of a collection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from pipeline.errors import printable
from pipeline.puzzle.geometry import NINE
from pipeline.puzzle.puzzle import Puzzle

Variant = Literal["classic", "even-odd", "rules"]

Notes = tuple[tuple[str, str], ...]
"""Texts about a puzzle, such as its title, by name."""

LONGEST_TITLE = 200


def title_of(lines: Iterable[str]) -> str:
    """The title that lines make: printable, on one line, and not too long."""
    words = (" ".join(line[: 2 * LONGEST_TITLE].split()) for line in lines)
    whole = printable("; ".join(filter(None, words)))
    return whole if len(whole) <= LONGEST_TITLE else f"{whole[: LONGEST_TITLE - 1]}…"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A puzzle and how it was read: the format's name, why that format, the variant.

    `format` is what `render_puzzle` takes to write in the same notation: the format's name,
    followed by the notation's if the format has several. `Format.parse` leaves the reason empty and
    sets only the notation. `claimed` is the solution that stands
    beside the puzzle, unchecked: one line, or numbers with spaces. `unread` names what is left to
    people, such as rules in prose: `ruleset` and `solution` are those of f-puzzles, any other is a
    text that says where it stands, and quotes it.
    """

    puzzle: Puzzle
    format: str = ""
    reason: str = ""
    variant: Variant = "classic"
    claimed: str | None = None
    unread: tuple[str, ...] = ()
    notes: Notes = ()

    def with_text(self, title: str, unread: tuple[str, ...]) -> Parsed:
        """The same with a title, unless it has its own, and all that is not read of its text."""
        notes = (("title", title), *self.notes) if title and not self.title else self.notes
        return replace(self, notes=notes, unread=unread)

    @property
    def title(self) -> str:
        """The puzzle's title, of at most LONGEST_TITLE characters; empty if it has none."""
        return title_of([dict(self.notes).get("title", "")])


class Position(NamedTuple):
    """A place between two records of a collection: bytes from the start, and lines, from 1."""

    byte: int
    line: int


START = Position(0, 1)


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of a source that can be read by itself, in any process.

    `first_line` is the number of its first line, from 1; `data` are whole records, or the
    beginning of a single one that is too long to be read. What follows begins at `end`.
    """

    first_line: int
    data: bytes
    end: Position = START

    def moved(self, start: Position) -> TextChunk:
        """The chunk in the whole source, if its own source begins at `start`."""
        byte, line = self.end.byte + start.byte, self.end.line + start.line - 1
        return TextChunk(self.first_line + start.line - 1, self.data, Position(byte, line))


class Entry(NamedTuple):
    """One puzzle of a collection, or what stands where one should be.

    `line` is where it begins, from 1. `text` is the puzzle in one line: n² characters, blanks as
    `.`, or numbers with spaces between where the source has numbers; of an invalid one the
    beginning. A `plain` text is 81 characters of 1-9 and `.`; then `puzzle` is None, because many
    are converted faster together. Otherwise either `puzzle` or `error` is set. `claimed` is the
    solution given beside the puzzle, unchecked: for a plain one 81 characters of 1-9, else
    anything. `signs` are those of the values 1, 2, … if the puzzle is written in letters. `parsed`
    is how a puzzle with rules was read, or one whose cells do not say all; then `text` is all of
    its line, or for unusual boxes their height and width, then numbers. `title` and `unread` are as
    in `Parsed`.
    """

    line: int
    text: str
    puzzle: Puzzle | None
    error: str | None
    claimed: str | None
    plain: bool
    signs: str = ""
    parsed: Parsed | None = None
    title: str = ""
    unread: tuple[str, ...] = ()

    @property
    def puzzle_read(self) -> Puzzle | None:
        """The puzzle, of a plain text too; None if there is an error."""
        if not self.plain:
            return self.puzzle
        return Puzzle.of_values(NINE, [int(sign) if sign != "." else 0 for sign in self.text])
