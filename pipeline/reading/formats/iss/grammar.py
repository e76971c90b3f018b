"""The phrases of a constraint text: their types and arguments, each word at its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import NINE, Geometry
from pipeline.reading.formats.ruled import cells_along
from pipeline.reading.formats.text import Text, Word, quote

LONGEST = 1 << 18
"""Characters of a text, more than every cell in a hundred constraints."""

_COORDINATES = "123456789abcdefg"
_CELL = re.compile(r"r([1-9a-g])c([1-9a-g])", re.ASCII | re.IGNORECASE)
_LINE = re.compile(r"([rc])([1-9]\d?)", re.ASCII | re.IGNORECASE)
_SIGN = re.compile(r"[.~]|[^\s.~]+")
_LONGEST_NUMBER = 9

Cells = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A constraint of a text: its type and arguments; `is_last` if the text ends with it.

    `geometry` is the grid that it is about, `regions` are the boxes or pieces of that, if any.
    """

    text: Text
    type: Word
    words: tuple[Word, ...]
    is_last: bool
    geometry: Geometry = NINE
    regions: tuple[Cells, ...] = ()

    def wrong(self, word: Word, expected: str) -> InvalidPuzzle:
        """The error for a word, which the type is named with."""
        if word is not self.type and self.type.text:
            expected = f"{expected} in '.{self.type.text}'"
        return self.text.at_word(word, expected, truncated=self.is_last)

    def short(self, expected: str, skipped: int = 0) -> InvalidPuzzle:
        """The error for arguments that are missing at the end, behind those that are skipped."""
        last = self.words[-1] if self.words else self.type
        expected = f"{expected} in {quote('.' + self.type.text)}"
        found = str(len(self.words[skipped:]))
        return self.text.error(last.line, last.column, expected, found, truncated=self.is_last)

    def only(self, most: int) -> None:
        """Raise InvalidPuzzle for more arguments than so many."""
        if len(self.words) > most:
            raise self.wrong(self.words[most], "the end of the constraint")

    def number(self, at: int = 0, least: int = 0, most: int | None = None) -> int:
        """The argument at that index."""
        if len(self.words) <= at:
            raise self.short("a number")
        return self.number_of(self.words[at], least, most)

    def number_of(self, word: Word, least: int, most: int | None = None) -> int:
        ok = word.text.isascii() and word.text.isdigit() and len(word.text) <= _LONGEST_NUMBER
        number = int(word.text) if ok else -1
        if number < least or (most is not None and number > most):
            upper = "or more" if most is None else f"to {most}"
            raise self.wrong(word, f"a number, {least} {upper}")
        return number

    def cell(self, word: Word) -> int:
        match = _CELL.fullmatch(word.text)
        signs = match.groups() if match else ("", "")
        row, column = (f".{_COORDINATES}".index(sign.lower() or ".") for sign in signs)
        cell = self.geometry.cell_at(row, column)
        if cell is None:
            last = _COORDINATES[self.geometry.side - 1]
            raise self.wrong(word, f"a cell, 'R1C1' to 'R{last}C{last}'")
        return cell

    def cells(self, skipped: int = 0, least: int = 1) -> Cells:
        """The cells that follow the first arguments."""
        words = self.words[skipped:]
        if len(words) < least:
            raise self.short(f"{least} cells or more", skipped)
        return tuple(self.cell(word) for word in words)

    def different(self, cells: Cells, skipped: int = 0) -> Cells:
        """The same cells, none of which may be named twice."""
        for at, cell in enumerate(cells):
            if cell in cells[:at]:
                raise self.wrong(self.words[skipped + at], "different cells")
        return cells

    def row_or_column(self, at: int = 0) -> Cells:
        """The cells of the argument `R1` or `C10`, whose number is decimal."""
        geometry = self.geometry
        if len(self.words) <= at:
            raise self.short("a row or column, such as 'R1' or 'C1'")
        match = _LINE.fullmatch(self.words[at].text)
        number = int(match[2]) if match else 0
        if match is None or number > geometry.side:
            expected = "a row or column of the grid, such as 'R1' or 'C1'"
            raise self.wrong(self.words[at], expected)
        if match[1].lower() == "r":
            return cells_along(geometry, (number, 1), (0, 1))
        return cells_along(geometry, (1, number), (1, 0))


def phrases_of(text: Text) -> list[Phrase]:
    """The constraints of a text; those without a type and arguments are left out."""
    if sum(len(line.text) for line in text.lines) > LONGEST:
        raise text.error(None, None, f"at most {LONGEST} characters", "more")
    found: list[list[Word]] = []
    for sign in chain.from_iterable(line.words(_SIGN) for line in text.lines):
        if sign.text == ".":
            found.append([sign._replace(text="", column=sign.column + 1)])
        elif not found:
            raise text.at_word(sign, "'.' and the type of a constraint")
        elif sign.text == "~":
            found[-1].append(sign._replace(text="", column=sign.column + 1))
        else:
            last = found[-1][-1]
            found[-1][-1] = (last if last.text else sign)._replace(text=last.text + sign.text)
    return [
        Phrase(text, name, tuple(words), number == len(found))
        for number, (name, *words) in enumerate(found, 1)
        if name.text or words
    ]
