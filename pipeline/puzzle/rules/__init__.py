"""Rules of variants: data, a formula, a drawing and a name each; a new one is a class.

Here are their shared frames: cells that are drawn and described alike, and checks of their data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from pipeline.puzzle.formulas import Cell, CellPairs, Cells
from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.shapes import Dot, Line, Point, Ring, Shape, Tint


class Everywhere(Rule):
    """A rule about all cells, which is not drawn."""

    def cells(self, geometry: Geometry) -> Cells:
        return tuple(range(geometry.inner))


class OnBorder(Rule):
    """A rule about two cells, with a dot on the border; `lowest` names a number and its limit."""

    look: ClassVar[str]
    lowest: ClassVar[tuple[str, int] | None] = None

    a: Cell
    b: Cell

    def __post_init__(self) -> None:
        check_cells(self.name, (self.a, self.b), once=True)
        _check_lowest(self)

    def text(self) -> str:
        """The text in the dot."""
        return ""

    def title(self) -> str:
        return " ".join(filter(None, (self.name, self.text())))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Dot(border(geometry, self.a, self.b), self.look, self.text()),)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.title()} between {place(geometry, self.a)} and {place(geometry, self.b)}"


class Along(Rule):
    """A rule about the cells of a line; `has_ends`: drawn with rings at its ends.

    `lowest` names its number, which is not drawn, and the limit of that.
    """

    where = "from"
    look: ClassVar[str]
    least: ClassVar[int] = 2
    once: ClassVar[bool] = False
    has_ends: ClassVar[bool] = False
    lowest: ClassVar[tuple[str, int] | None] = None

    line: Cells

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, self.least, once=self.once)
        _check_lowest(self)

    def cells(self, geometry: Geometry) -> Cells:
        return tuple(dict.fromkeys(self.line))

    def title(self) -> str:
        return f"{self.name} {getattr(self, self.lowest[0])}" if self.lowest else self.name

    def caption(self) -> str:
        return self.title()

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        line = places(geometry, self.line)
        ends = (line[:1], line[-1:]) if self.has_ends else ()
        return Line(line, self.look), *(Ring(end, self.look) for end in ends)


def values_in(geometry: Geometry) -> range:
    """The values that cells of the grid hold, ascending."""
    return geometry.values


def place(geometry: Geometry, cell: int) -> str:
    """`r1c1`, as solvers write it, or `VA3`."""
    return geometry.name_of(cell)


def places(geometry: Geometry, cells: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Row and column of each cell."""
    return tuple(map(geometry.place, cells))


def tinted(geometry: Geometry, groups: Iterable[Cells], look: str) -> list[Shape]:
    """Each group of cells, shaded."""
    return [Tint(places(geometry, dict.fromkeys(group)), look) for group in groups]


def border(geometry: Geometry, a: int, b: int) -> Point:
    """The middle between two cells: for neighbours the middle of their border."""
    (row, column), (other_row, other_column) = geometry.place(a), geometry.place(b)
    return (row + other_row) / 2, (column + other_column) / 2


def moves(geometry: Geometry, steps: CellPairs) -> Iterator[tuple[int, int]]:
    """Pairs of cells of the grid that are one of the steps (rows down, columns right) apart."""
    inner = geometry.inner
    for cell in range(inner):
        row, column = geometry.place(cell)
        for down, right in steps:
            other = geometry.cell_at(row + down, column + right)
            if other is not None and other < inner:
                yield cell, other


def neighbours(geometry: Geometry) -> Iterator[tuple[int, int]]:
    """Pairs of orthogonal neighbours, each once, the smaller cell first."""
    return moves(geometry, ((0, 1), (1, 0)))


def both_ways(geometry: Geometry) -> Iterator[Cells]:
    """All rows, then all columns, each from both ends."""
    for line in (*geometry.rows(), *geometry.columns()):
        yield line
        yield line[::-1]


def check_cells(name: str, cells: Sequence[int], least: int = 1, *, once: bool = False) -> None:
    """Raise ValueError for too few cells, or for one that is named twice but may be only once."""
    if len(cells) < least:
        raise ValueError(
            f"{name}: at least {least} {'cell' if least == 1 else 'cells'}, not {len(cells)}"
        )
    if once and len({*cells}) < len(cells):
        raise ValueError(f"{name}: a cell is named twice")


def _check_lowest(rule: OnBorder | Along) -> None:
    """Raise ValueError if its number is below the least that it may be."""
    if not rule.lowest:
        return
    field, least = rule.lowest
    if (number := getattr(rule, field)) < least:
        raise ValueError(f"{rule.name}: the {field} must be at least {least}, not {number}")


def check_one_grid(name: str, geometry: Geometry) -> None:
    """Raise ValueError for several grids that share boxes, and for one that is free."""
    if geometry.grids:
        raise ValueError(f"{name}: there are several grids")
    if geometry.free:
        raise ValueError(f"{name}: the grid has other rows, columns or values than usual")
