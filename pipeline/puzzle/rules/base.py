"""Base classes of rules that are drawn and named alike; names of places; checks of data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.shapes import Line, Point, Ring, Shape, Tint

Cells = tuple[int, ...]
CellPairs = tuple[tuple[int, int], ...]


class Everywhere(Rule):
    """A rule about all cells, which nobody draws."""

    __slots__ = ()

    def cells(self, geometry: Geometry) -> Cells:
        return tuple(range(geometry.size))


class OnBorder(Rule):
    """A rule about two cells, drawn on the border between them."""

    __slots__ = ()

    a: int
    b: int

    def __post_init__(self) -> None:
        check_cells(self.name, (self.a, self.b), once=True)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} between {place(geometry, self.a)} and {place(geometry, self.b)}"


class Shaded(Rule):
    """A rule about some groups of cells, which are shaded."""

    __slots__ = ()

    look: ClassVar[str]

    def groups(self) -> tuple[Cells, ...]:
        """The cells of each group."""
        raise NotImplementedError

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return [Tint(places(geometry, dict.fromkeys(group)), self.look) for group in self.groups()]

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} at {place(geometry, self.groups()[0][0])}"


class Along(Rule):
    """A rule about the cells of a line; `has_ends`: its end cells are drawn as rings."""

    __slots__ = ()

    look: ClassVar[str]
    least: ClassVar[int] = 2
    once: ClassVar[bool] = False
    has_ends: ClassVar[bool] = False

    line: Cells

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, self.least, once=self.once)

    def cells(self, geometry: Geometry) -> Cells:
        return tuple(dict.fromkeys(self.line))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        line = places(geometry, self.line)
        ends = (line[:1], line[-1:]) if self.has_ends else ()
        return Line(line, self.look), *(Ring(end, self.look) for end in ends)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} from {place(geometry, self.line[0])}"


def place(geometry: Geometry, cell: int) -> str:
    """`r1c1`, as solvers write it."""
    row, column = geometry.place(cell)
    return f"r{row}c{column}"


def places(geometry: Geometry, cells: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Row and column of each cell."""
    return tuple(map(geometry.place, cells))


def border(geometry: Geometry, a: int, b: int) -> Point:
    """The middle between two cells: for neighbours the middle of their border."""
    (row, column), (other_row, other_column) = geometry.place(a), geometry.place(b)
    return (row + other_row) / 2, (column + other_column) / 2


def moves(geometry: Geometry, steps: CellPairs) -> Iterator[tuple[int, int]]:
    """Pairs of cells that are one of the steps (rows down, columns right) apart."""
    for cell in range(geometry.size):
        row, column = geometry.place(cell)
        for down, right in steps:
            other = geometry.cell_at(row + down, column + right)
            if other is not None:
                yield cell, other


def neighbours(geometry: Geometry) -> Iterator[tuple[int, int]]:
    """Pairs of orthogonal neighbours, each once, the smaller cell first."""
    return moves(geometry, ((0, 1), (1, 0)))


def check_cells(name: str, cells: Sequence[int], least: int = 1, *, once: bool = False) -> None:
    """Raise ValueError for too few cells, or for one that is named twice but may be only once."""
    if len(cells) < least:
        raise ValueError(
            f"{name}: at least {least} {'cell' if least == 1 else 'cells'}, not {len(cells)}"
        )
    if once and len({*cells}) < len(cells):
        raise ValueError(f"{name}: a cell is named twice")


def check_at_least(name: str, what: str, number: int, least: int) -> None:
    """Raise ValueError for a number, named `what`, that is too small."""
    if number < least:
        raise ValueError(f"{name}: {what} must be at least {least}, not {number}")


def check_one_grid(name: str, geometry: Geometry) -> None:
    """Raise ValueError for several grids that share boxes."""
    if geometry.grids:
        raise ValueError(f"{name}: there are several grids")
