"""The words of a constraint text, each at its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Geometry
from pipeline.reading.formats.ruled import Place
from pipeline.reading.formats.text import Text, Word, quote

LONGEST = 1 << 18
"""Characters of a text, more than every cell in a hundred constraints."""

_COORDINATES = "123456789abcdefg"
_CELL = re.compile(r"r([1-9a-g])c([1-9a-g])", re.ASCII | re.IGNORECASE)
_LINE = re.compile(r"([rc])([1-9]\d?)", re.ASCII | re.IGNORECASE)
_LONGEST_NUMBER = 9


class Item(NamedTuple):
    """A constraint: its type and arguments; `is_last` if the text ends with it."""

    type: Word
    words: tuple[Word, ...]
    is_last: bool


def cell_name(row: int, column: int) -> str:
    """`R1C1`, with one digit each, from 1 to 16."""
    return f"R{_COORDINATES[row - 1]}C{_COORDINATES[column - 1]}"


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the errors for what is wrong in it; the last item may be cut off."""

    text: Text

    def items(self) -> Iterator[Item]:
        """The constraints; those without a type and arguments are left out."""
        if sum(len(line.text) for line in self.text.lines) > LONGEST:
            raise self.text.error(None, None, f"at most {LONGEST} characters", "more")
        items: list[list[Word]] = []
        for sign in chain.from_iterable(line.words(_SIGN) for line in self.text.lines):
            if sign.text == ".":
                items.append([sign._replace(text="", column=sign.column + 1)])
            elif not items:
                raise self.text.at_word(sign, "'.' and the type of a constraint")
            elif sign.text == "~":
                items[-1].append(sign._replace(text="", column=sign.column + 1))
            else:
                last = items[-1][-1]
                at = last if last.text else sign
                items[-1][-1] = at._replace(text=last.text + sign.text)
        for number, (name, *words) in enumerate(items, 1):
            if name.text or words:
                yield Item(name, tuple(words), number == len(items))

    def wrong(self, item: Item, word: Word, expected: str) -> InvalidPuzzle:
        """The error for a word, which the type is named with."""
        if word is not item.type and item.type.text:
            expected = f"{expected} in '.{item.type.text}'"
        return self.text.at_word(word, expected, truncated=item.is_last)

    def short(self, item: Item, expected: str, skipped: int = 0) -> InvalidPuzzle:
        """The error for arguments that are missing at the end, behind those that are skipped."""
        last = item.words[-1] if item.words else item.type
        told = f"{expected} in {quote('.' + item.type.text)}"
        found = str(len(item.words[skipped:]))
        return self.text.error(last.line, last.column, told, found, truncated=item.is_last)

    def cell(self, item: Item, word: Word, geometry: Geometry) -> int:
        match = _CELL.fullmatch(word.text)
        place = (
            tuple(_COORDINATES.index(each) + 1 for each in match[0].lower()[1::2])
            if match
            else (0, 0)
        )
        cell = geometry.cell_at(*place)
        if cell is None:
            last = cell_name(geometry.side, geometry.side)
            raise self.wrong(item, word, f"a cell, 'R1C1' to '{last}'")
        return cell

    def row_or_column(self, item: Item, word: Word, geometry: Geometry) -> tuple[Place, Place]:
        """The first cell of `R1` or `C10`, which are decimal, and the step to the next."""
        match = _LINE.fullmatch(word.text)
        number = int(match[2]) if match else 0
        if match is None or number > geometry.side:
            raise self.wrong(item, word, "a row or column of the grid, such as 'R1' or 'C1'")
        is_row = match[1].lower() == "r"
        return ((number, 1), (0, 1)) if is_row else ((1, number), (1, 0))

    def number(self, item: Item, word: Word, least: int, most: int | None = None) -> int:
        ok = word.text.isascii() and word.text.isdigit() and len(word.text) <= _LONGEST_NUMBER
        number = int(word.text) if ok else -1
        if number < least or (most is not None and number > most):
            upper = "or more" if most is None else f"to {most}"
            raise self.wrong(item, word, f"a number, {least} {upper}")
        return number


_SIGN = re.compile(r"[.~]|[^\s.~]+")
