"""The text of one record → its entry, by the formats of single puzzles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from pipeline.errors import InvalidPuzzle, printable
from pipeline.parse import parse_single
from pipeline.parse.cells import render_cells
from pipeline.parse.characters import signs_of
from pipeline.parse.collections.base import NEWLINE, Entry
from pipeline.parse.collections.cutting import LONGEST
from pipeline.parse.text import Line
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the records of one source; `source` names it in messages."""

    source: str
    reading: Reading

    @classmethod
    def of(cls, source: str, reading: Reading) -> Self:
        """A reader of records in any format."""
        return cls(source, reading._replace(format="auto"))

    @property
    def takes_plain(self) -> bool:
        """Whether `.` and `0` are blanks, and not marks of parity."""
        return self.reading.variant != "even-odd"

    def read(
        self,
        text: str,
        lines: Sequence[int],
        shift: int | None = 0,
        claimed: str | None = None,
    ) -> Entry:
        """The entry of a text; `lines` are the numbers of its lines, not empty.

        `shift` is the number of characters before it in its first line; None: no message
        names a column.
        """
        data = text.encode(errors="surrogateescape")
        try:
            parsed = parse_single(data, self.source, self.reading)
        except InvalidPuzzle as error:
            return self._refused(text, error, lines, shift)
        cells = _in_one_line(text, parsed.puzzle)
        signs = signs_of(parsed.format)
        return Entry(lines[0], cells, parsed.puzzle, None, claimed, plain=False, signs=signs)

    def refuse(self, line: int, column: int, expected: str, found: str, text: str) -> Entry:
        """The entry of what is no puzzle, for another reason than a parser's."""
        error = InvalidPuzzle(self.source, line, column, expected, found)
        return Entry(line, shortened(text), None, str(error), None, plain=False)

    def too_long(self, line: int, text: str) -> Entry:
        """The entry of a record that is too long to be read."""
        return self.refuse(line, 1, f"at most {LONGEST} bytes of a puzzle", "more", text)

    def _refused(
        self, text: str, error: InvalidPuzzle, lines: Sequence[int], shift: int | None
    ) -> Entry:
        index = 0 if error.line is None else min(error.line, len(lines)) - 1
        column = error.column
        if shift is None:
            column = None
        elif column is not None and index == 0:
            column += shift
        placed = replace(error, line=lines[index], column=column)
        shown = NEWLINE.split(text)
        return Entry(
            lines[0],
            shortened(shown[min(index, len(shown) - 1)]),
            None,
            str(placed),
            None,
            plain=False,
        )


def shortened(text: str) -> str:
    """The beginning of a text, without what cannot be shown."""
    return printable(text[:_SHOWN].strip()) + ("…" if len(text) > _SHOWN else "")


def _in_one_line(text: str, puzzle: Puzzle) -> str:
    """The cells as they are written, if they are characters; else as they can be."""
    lines = (Line.of_text(1, line) for line in text.split("\n"))
    cells = "".join(line.cells for line in lines if not line.is_border)
    if len(cells) == len(puzzle.cells):
        return cells
    try:
        return render_cells(puzzle)
    except ValueError:
        givens = dict(puzzle.givens())
        return " ".join(str(givens.get(cell, 0)) for cell in range(len(puzzle.cells)))
