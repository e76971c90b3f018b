"""The arguments of constraints, such as a number or the cells of a line: read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules import values_in
from pipeline.reading.formats.iss.phrases import Phrase, cell_word, line_word
from pipeline.reading.formats.ruled import RowColumn, cells_along

APART = "-"
"""Stands between the groups of an `EqualSum`."""


class Argument(NamedTuple):
    """A part of a phrase: how it is read, the words that it is written as, whether it is a tuple.

    If it is read as None, the phrase means nothing.
    """

    read: Callable[[Phrase], object]
    words: Callable[[Any, Geometry], Iterable[str]]
    is_tuple: bool = True


def cell_words(cells: Iterable[int], geometry: Geometry) -> list[str]:
    return [cell_word(geometry, cell) for cell in cells]


def number(least: int = 0, usual: int | None = None) -> Argument:
    """A number, which may be missing if there is a usual one."""

    def read(phrase: Phrase) -> int:
        return phrase.number(least) if usual is None or phrase.has_number() else usual

    return Argument(read, lambda value, _: [str(value)], is_tuple=False)


def line(least: int = 2) -> Argument:
    """The cells of a line; fewer mean nothing."""

    def read(phrase: Phrase) -> object:
        return cells if len(cells := phrase.cells()) >= least else None

    return Argument(read, cell_words)


def cells(least: int = 1, *, once: bool = False) -> Argument:
    return Argument(lambda phrase: phrase.cells(least, once=once), cell_words)


def word(expected: str, **meanings: object) -> Argument:
    """One of some words, such as a direction."""

    def read(phrase: Phrase) -> object:
        word = phrase.next(expected)
        if word.text.upper() not in meanings:
            raise phrase.wrong(word, expected)
        return meanings[word.text.upper()]

    return Argument(
        read,
        lambda value, _: [name for name in meanings if meanings[name] == value],
        is_tuple=False,
    )


def largest(phrase: Phrase) -> int:
    return values_in(phrase.geometry)[-1]


def check_nine(phrase: Phrase) -> None:
    if phrase.geometry.values != range(1, 10):
        raise phrase.wrong(phrase.type, "a grid of side 9, with the values 1 to 9,")


def _line_of_nine(phrase: Phrase) -> object:
    check_nine(phrase)
    return line().read(phrase)


line_of_nine = Argument(_line_of_nine, cell_words)


def _regions_of(phrase: Phrase) -> object:
    if not phrase.regions:
        raise phrase.wrong(phrase.type, "a grid with boxes, or a jigsaw without")
    return phrase.regions


regions_of = Argument(_regions_of, lambda *_: ())
row_or_column = Argument(Phrase.row_or_column, lambda cells, grid: [line_word(grid, cells)])


def _groups_apart(phrase: Phrase) -> tuple[tuple[int, ...], ...]:
    parts: list[list[int]] = [[]]
    for word in phrase.rest():
        if word.text == APART:
            parts.append([])
        else:
            parts[-1].append(phrase.cell_in(word))
    if len(parts) < 2 or not all(parts):
        expected = f"two groups of cells or more, '{APART}' between them"
        raise phrase.short(expected, len(phrase.words))
    return tuple(map(tuple, parts))


def parted(parts: Iterable[Sequence[int]], geometry: Geometry) -> list[str]:
    """The words of groups of cells, with a sign between them."""
    return [word for part in parts for word in (APART, *cell_words(part, geometry))][1:]


groups_apart = Argument(_groups_apart, parted)


def _groups_of_one_size(phrase: Phrase) -> tuple[tuple[int, ...], ...]:
    number = phrase.number(least=2, most=phrase.geometry.size)
    cells = phrase.cells()
    size, rest = divmod(len(cells), number)
    if rest:
        raise phrase.short(f"cells for {number} groups of one size", len(cells))
    return tuple(cells[at : at + size] for at in range(0, len(cells), size))


groups_of_one_size = Argument(
    _groups_of_one_size,
    lambda parts, geometry: [str(len(parts)), *cell_words(chain.from_iterable(parts), geometry)],
)


def _around(phrase: Phrase) -> tuple[int, ...]:
    """The four cells whose top left one is named."""
    corner = phrase.next("a cell, and values")
    geometry = phrase.geometry
    row, column = geometry.place(phrase.cell_in(corner))
    corners = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
    around = [cell for place in corners if (cell := geometry.cell_at(*place)) is not None]
    if len(around) < 4:
        raise phrase.wrong(corner, "the top left cell of four")
    return tuple(around)


around = Argument(_around, lambda cells, geometry: [cell_word(geometry, min(cells))])


def _values(phrase: Phrase) -> tuple[int, ...]:
    words = phrase.rest()
    if not words:
        raise phrase.short("a cell, and values")
    return tuple(map(phrase.value_in, words))


values = Argument(_values, lambda values, _: map(str, values))


def _diagonal(phrase: Phrase) -> tuple[int, ...]:
    """The diagonal from a cell at the edge: each edge has a direction, the upper corners one."""
    corner = phrase.next("1 cells or more")
    cell, (rows, columns) = phrase.cell_in(corner), phrase.lines
    row, column = phrase.geometry.place(cell)
    steps: list[tuple[bool, RowColumn]] = [
        (column == 1, (1, 1)),
        (row == 1, (1, -1)),
        (column == columns, (-1, -1)),
        (row == rows, (-1, 1)),
    ]
    diagonals = [cells_along(phrase.geometry, (row, column), step) for at, step in steps if at]
    is_lower_corner = row == rows and column in (1, columns)
    if not diagonals or is_lower_corner or cell >= phrase.geometry.inner:
        raise phrase.wrong(corner, "a cell at the edge of the grid, but no lower corner")
    return max(diagonals, key=len)


diagonal = Argument(_diagonal, lambda cells, geometry: [cell_word(geometry, cells[0])])
