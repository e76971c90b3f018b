"""Results of reading: a puzzle, and the chunks and entries of a collection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from pipeline.errors import RefusalCode, printable
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.puzzle.puzzle import Puzzle

Variant = Literal["classic", "even-odd", "rules"]

Notes = tuple[tuple[str, str], ...]
"""Pairs of name and text, such as `title` and the title of a puzzle."""

MAX_TITLE_LENGTH = 200


def title_of(lines: Iterable[str]) -> str:
    """Join lines to a printable title of at most MAX_TITLE_LENGTH characters."""
    words = (" ".join(line[: 2 * MAX_TITLE_LENGTH].split()) for line in lines)
    whole = printable("; ".join(filter(None, words)))
    return whole if len(whole) <= MAX_TITLE_LENGTH else f"{whole[: MAX_TITLE_LENGTH - 1]}…"


class GameProgress(NamedTuple):
    """What a player has done: candidates (cell, value), cells from 0, values from 1.

    - `placed`: the digits that the player has placed.
    - `eliminated`: the candidates that the player has eliminated.
    """

    placed: tuple[tuple[int, int], ...] = ()
    eliminated: tuple[tuple[int, int], ...] = ()


NO_PROGRESS = GameProgress()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A puzzle that was read, and how it was read.

    - `format`: the name of the format, followed by the notation if the format has several, so that
      `render_puzzle` can write the same notation. `Format.parse` sets only the notation.
    - `reason`: why this format was chosen; `Format.parse` leaves it empty.
    - `claimed`: the solution in the source, unchecked: characters, or numbers separated by spaces.
    - `unread`: the parts that were not read, such as rules in prose. Each is one of the codes
      `ruleset`, `drawings` and `solution` of f-puzzles, or a quoted text with its location.
    - `progress`: the state of a game in progress, unchecked; the puzzle is without it.
    """

    puzzle: Puzzle
    format: str = ""
    reason: str = ""
    variant: Variant = "classic"
    claimed: str | None = None
    unread: tuple[str, ...] = ()
    notes: Notes = ()
    progress: GameProgress = NO_PROGRESS

    def with_text(self, title: str, unread: tuple[str, ...]) -> Parsed:
        """A copy with these unread parts and, if the puzzle has no title, with this title."""
        notes = (("title", title), *self.notes) if title and not self.title else self.notes
        return replace(self, notes=notes, unread=unread)

    @property
    def title(self) -> str:
        """The puzzle's title, of at most MAX_TITLE_LENGTH characters; empty if it has none."""
        return title_of([dict(self.notes).get("title", "")])


class TextPosition(NamedTuple):
    """A position between two records of a collection: offset in bytes, and line, from 1."""

    byte: int
    line: int


START = TextPosition(0, 1)


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of a source that can be read independently, in any process.

    - `first_line`: the number of its first line in the source, from 1.
    - `data`: whole records, or the beginning of a single record that is too long.
    - `end`: the position in the source at which the next chunk begins.
    """

    first_line: int
    data: bytes
    end: TextPosition = START

    def shifted_by(self, start: TextPosition) -> TextChunk:
        """A copy for a larger source, in which the source of this chunk begins at `start`."""
        byte, line = self.end.byte + start.byte, self.end.line + start.line - 1
        return TextChunk(self.first_line + start.line - 1, self.data, TextPosition(byte, line))


class Entry(NamedTuple):
    """One record of a collection: a puzzle, or an invalid record.

    Exactly one of `plain`, `puzzle` and `error` is set.

    - `line`: the number of its first line, from 1.
    - `text`: the puzzle in one line: n² characters with blanks as `.`, or numbers separated by
      spaces if the source has numbers. For an invalid record, the beginning of the record.
    - `plain`: whether the text is 81 characters of 1-9 and `.`. Then `puzzle` is None, because
      plain texts are converted in batches.
    - `claimed`: the solution in the source, unchecked: 81 characters of 1-9 for a plain puzzle, any
      text for others.
    - `symbols`: the characters of the values 1, 2, …; empty for numbers.
    - `parsed`: set if the cells alone do not describe the puzzle, as for a variant. Then `text` is
      the whole line or, for unusual boxes, their height and width followed by the numbers.
    - `title`, `unread`: as in `Parsed`.
    - `code`: the kind of the error.
    """

    line: int
    text: str
    puzzle: Puzzle | None
    error: str | None
    claimed: str | None
    plain: bool
    symbols: str = ""
    parsed: Parsed | None = None
    title: str = ""
    unread: tuple[str, ...] = ()
    code: RefusalCode = "not-a-puzzle"

    @property
    def puzzle_read(self) -> Puzzle | None:
        """The puzzle of the record, even if it is plain; None for an invalid record."""
        if not self.plain:
            return self.puzzle
        return Puzzle.of_values(
            NINE_BY_NINE, [int(sign) if sign != "." else 0 for sign in self.text]
        )
