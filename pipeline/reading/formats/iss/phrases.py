"""Split an ISS constraint string into phrases, and read their arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.reading.formats.cells import number_of
from pipeline.reading.formats.iss.machines import MachineReader
from pipeline.reading.formats.text import Text, Word, quote
from pipeline.reading.formats.variants import RowColumn, cells_along

MAX_TEXT_CHARACTERS = 1 << 18
"""Maximum length of a constraint string; enough for every cell in a hundred constraints."""

_COORDINATES = "123456789abcdefg"
"""The characters of the rows and columns 1 to 16 in names of cells."""

_PLACES = {
    f"R{row}C{column}".upper(): (_COORDINATES.index(row) + 1, _COORDINATES.index(column) + 1)
    for row in _COORDINATES
    for column in _COORDINATES
}
"""The row and column, from 1, of the name of each cell, in capitals. A regular expression takes
twice as long.
"""

_EXTRA_CELL = re.compile(r"([a-z]+)([1-9]\d{0,3})?", re.ASCII | re.IGNORECASE)
_EXTRA_PREFIXES = ("V", "CC", "DG")
"""The names of groups of extra cells begin with one of these."""

_LINE = re.compile(r"([rc])([1-9]\d?)", re.ASCII | re.IGNORECASE)
_TOKEN = re.compile(r"[.~]|[^\s.~]+")
_MAX_NUMBER = 999_999_999
STEPS_PER_RULE, _STEPS_PER_ARGUMENT = 100, 10
"""Steps of work per phrase or rule, and per argument."""


def cell_word(geometry: Geometry, cell: int) -> str:
    """The name of a cell in constraint strings, such as `R1Ca`, or `VA3` for an extra cell."""
    if cell >= geometry.grid_size:
        return geometry.name_of(cell)
    row, column = geometry.place(cell)
    return f"R{_COORDINATES[row - 1]}C{_COORDINATES[column - 1]}"


def line_word(geometry: Geometry, line: Sequence[int]) -> str:
    """The name of the row or column with the cells of `line`, such as `R10`."""
    (row, column), (other, _) = geometry.place(line[0]), geometry.place(line[-1])
    return f"R{row}" if row == other else f"C{column}"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A constraint: its type and its arguments.

    `shift`: how many rows down and columns to the right its cells are moved.
    """

    text: Text
    type: Word
    words: tuple[Word, ...]
    shift: RowColumn = (0, 0)

    @property
    def name(self) -> str:
        return self.type.text

    def wrong(self, word: Word, expected: str) -> InvalidPuzzle:
        """The error for an invalid word; the message also names the type of the phrase."""
        if word is not self.type and self.name:
            expected = f"{expected} in '.{self.name}'"
        return self.text.at_word(word, expected)

    def short(self, expected: str, found: int = 0) -> InvalidPuzzle:
        """The error for missing arguments. `found`: how many there are."""
        last = self.words[-1] if self.words else self.type
        return self.text.at_word(last, f"{expected} in {quote('.' + self.name)}", str(found))

    def check_ended(self, read: int = 0) -> None:
        """Raise InvalidPuzzle if there are more than `read` arguments."""
        if read < len(self.words):
            raise self.wrong(self.words[read], "the end of the constraint")


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of a constraint string that the arguments of other phrases depend on.

    - `regions`: the cells of each box or jigsaw region.
    - `ties`: the argument of `.FullRankTies`; None where rules must not depend on it.
    - `machine_reader`: reads state machines, and limits the work of reading the constraint string.
    - `has_units`: whether rows and columns are units; false if the grid is raw.
    - `unread`: the line number of each argument without effect, and a text that shows it.
    """

    geometry: Geometry = NINE_BY_NINE
    regions: tuple[tuple[int, ...], ...] = ()
    ties: str | None = None
    machine_reader: MachineReader = field(default_factory=MachineReader)
    has_units: bool = True
    unread: dict[tuple[int, str], None] = field(default_factory=dict)

    @property
    def line_counts(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        free, n = self.geometry.free_grid, self.geometry.side
        return (free.rows, free.columns) if free else (n, n)

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """The name and size of each group of extra cells."""
        return self.geometry.free_grid.groups if self.geometry.free_grid else ()

    def cell(self, name: str) -> int | None:
        """The cell of this name, such as `R1C1` or `VA3`; None without such a cell."""
        if place := _PLACES.get(name.upper()):
            cell = self.geometry.cell_at(*place)
            return cell if cell is not None and cell < self.geometry.grid_size else None
        match, free = _EXTRA_CELL.fullmatch(name), self.geometry.free_grid
        if match is None or free is None or match[1].upper() not in dict(free.groups):
            return None
        cells = free.cells_of_group(match[1].upper())
        if (match[2] is None) != (len(cells) == 1) or int(match[2] or 1) > len(cells):
            return None
        return cells[int(match[2] or 1) - 1]

    def lacks(self, name: str) -> bool:
        """Whether a name denotes a cell, row or column that does not exist."""
        if match := _LINE.fullmatch(name):
            return int(match[2]) > self.line_counts[match[1].lower() == "c"]
        match = _EXTRA_CELL.fullmatch(name)
        is_extra = match and match[2] and match[1].upper().startswith(_EXTRA_PREFIXES)
        return bool(name.upper() in _PLACES or is_extra) and self.cell(name) is None


class Arguments:
    """Reads the arguments of a phrase in order."""

    def __init__(self, phrase: Phrase, context: Context) -> None:
        self.phrase, self.context, self.geometry = phrase, context, context.geometry
        self.type, self.wrong, self.short = phrase.type, phrase.wrong, phrase.short
        self._read = 0
        context.machine_reader.take(STEPS_PER_RULE + _STEPS_PER_ARGUMENT * len(phrase.words))

    def check_ended(self) -> None:
        """Raise InvalidPuzzle if an argument was not read."""
        self.phrase.check_ended(self._read)

    def add_unread(self, word: Word) -> None:
        """Report an argument that has no effect."""
        self.context.unread[word.line, f"{word.text} in .{self.phrase.name}"] = None

    def next(self, expected: str) -> Word:
        """The next argument."""
        if not self.has_more():
            raise self.short(expected)
        self._read += 1
        return self.phrase.words[self._read - 1]

    def rest(self, minimum: int = 0) -> tuple[Word, ...]:
        """All remaining arguments. Raises InvalidPuzzle if they are fewer than `minimum`."""
        rest = self.phrase.words[self._read :]
        self._read += len(rest)
        if len(rest) < minimum:
            raise self.short(f"at least {counted(minimum, 'cell')}", len(rest))
        return rest

    def parts(self, separator: str) -> list[list[Word]]:
        """All remaining arguments, divided at each word `separator`."""
        parts: list[list[Word]] = [[]]
        for word in self.rest():
            if word.text == separator:
                parts.append([])
            else:
                parts[-1].append(word)
        return parts

    def has_more(self) -> bool:
        """Whether an argument is left."""
        return self._read < len(self.phrase.words)

    def has_number(self) -> bool:
        """Whether the next argument is a number."""
        return self.has_more() and self.phrase.words[self._read].text.isdigit()

    def number(self, minimum: int = 0, maximum: int | None = None) -> int:
        return self.number_in(self.next("a number"), minimum, maximum)

    def number_in(self, word: Word, minimum: int, maximum: int | None = None) -> int:
        number = number_of(word.text, _MAX_NUMBER if maximum is None else maximum)
        if number is None or number < minimum:
            upper = "or more" if maximum is None else f"to {maximum}"
            raise self.wrong(word, f"a number, {minimum} {upper}")
        return number

    def value_in(self, word: Word) -> int:
        """A value of a cell."""
        values = self.geometry.values
        return self.number_in(word, values[0], values[-1])

    def values_in(self, word: Word) -> tuple[int, ...]:
        """The values in a word, where `_` separates them."""
        return tuple(self.value_in(word._replace(text=value)) for value in word.text.split("_"))

    def integer(self) -> int:
        """The next argument, a number that may be negative."""
        word = self.next("a number")
        sign, digits = (-1, word.text[1:]) if word.text[:1] == "-" else (1, word.text)
        return sign * self.number_in(word._replace(text=digits), 0)

    def cell(self) -> int:
        return self.cell_in(self.next("at least 1 cell"))

    def cell_in(self, word: Word) -> int:
        cell = self.context.cell(word.text)
        if cell is None:
            rows, columns = (_COORDINATES[number - 1] for number in self.context.line_counts)
            labels = (f", or one of '{name}'" for name, _ in self.context.groups)
            raise self.wrong(word, f"a cell, 'R1C1' to 'R{rows}C{columns}'{''.join(labels)}")
        down, right = self.phrase.shift
        if not down and not right:
            return cell
        row, column = self.geometry.place(cell)
        moved = self.geometry.cell_at(row + down, column + right)
        if moved is None or moved not in self.geometry.group_of(cell):
            shift = f"{counted(down, 'row')} down and {counted(right, 'column')} right"
            raise self.wrong(word, f"a cell that is still in the grid {shift}")
        return moved

    def cells(self, minimum: int = 1, *, once: bool = False) -> tuple[int, ...]:
        """The remaining cells; with `once`, all must be different."""
        words = self.rest(minimum)
        cells = tuple(map(self.cell_in, words))
        for index, cell in enumerate(cells if once else ()):
            if cell in cells[:index]:
                raise self.wrong(words[index], "different cells")
        return cells

    def row_or_column(self) -> tuple[int, ...]:
        """The cells of the row or column in the next argument, `R1` or `C10` (in decimal)."""
        word = self.next("a row or column, such as 'R1' or 'C1'")
        match = _LINE.fullmatch(word.text)
        number = int(match[2]) if match else 0
        is_row = match is not None and match[1].lower() == "r"
        if match is None or number > self.context.line_counts[0 if is_row else 1]:
            raise self.wrong(word, "a row or column of the grid, such as 'R1' or 'C1'")
        if is_row:
            return cells_along(self.geometry, (number, 1), (0, 1))
        return cells_along(self.geometry, (1, number), (1, 0))


def phrases_of(text: Text) -> list[Phrase]:
    """Split a constraint string into phrases; empty ones are skipped."""
    if sum(len(line.text) for line in text.lines) > MAX_TEXT_CHARACTERS:
        raise text.error(None, None, f"at most {MAX_TEXT_CHARACTERS} characters", "more")
    phrases: list[list[Word]] = []
    for token in chain.from_iterable(line.words(_TOKEN) for line in text.lines):
        if token.text == ".":
            phrases.append([Word(token.line, token.column + 1, "")])
        elif not phrases:
            raise text.at_word(token, "'.' and the type of a constraint")
        elif token.text == "~":
            phrases[-1].append(Word(token.line, token.column + 1, ""))
        else:
            last = phrases[-1][-1]
            start = last if last.text else token
            phrases[-1][-1] = Word(start.line, start.column, last.text + token.text)
    return [Phrase(text, name, tuple(words)) for name, *words in phrases if name.text or words]
