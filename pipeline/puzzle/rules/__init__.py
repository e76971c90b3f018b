"""Rules of variants, one class each, with its data, constraints, drawing and name.

This module has the base classes of rules that are drawn and described in the same way, and helpers
for constraints, drawings and checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from pipeline.puzzle.constraints import Cell, CellPairs, Cells
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.shapes import Dot, Line, Point, Ring, Shape, Tint


class Everywhere(Rule):
    """A rule about all cells of the grid, which is not drawn."""

    def cells(self, geometry: Geometry) -> Cells:
        return tuple(range(geometry.grid_size))


class OnBorder(Rule):
    """A rule about two cells, drawn as a dot between them.

    `bounded_field` is the name of its number, if any, and the minimum of that number.
    """

    style: ClassVar[str]
    bounded_field: ClassVar[tuple[str, int] | None] = None

    a: Cell
    b: Cell

    def __post_init__(self) -> None:
        check_cells(self.name, (self.a, self.b), no_repeats=True)
        _check_bounded_field(self)

    def text(self) -> str:
        """The text in the dot."""
        return ""

    def title(self) -> str:
        return " ".join(filter(None, (self.name, self.text())))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Dot(border(geometry, self.a, self.b), self.style, self.text()),)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.title()} between {geometry.name_of(self.a)} and {geometry.name_of(self.b)}"


class Along(Rule):
    """A rule about the cells of a line, in order.

    - `min_cells`: the minimum length.
    - `no_repeats`: no cell may repeat.
    - `has_ends`: the line is drawn with rings at its ends.
    - `bounded_field`: the name of its number, which is not drawn, and the minimum of that number.
    """

    preposition = "from"
    style: ClassVar[str]
    min_cells: ClassVar[int] = 2
    no_repeats: ClassVar[bool] = False
    has_ends: ClassVar[bool] = False
    bounded_field: ClassVar[tuple[str, int] | None] = None

    line: Cells

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, self.min_cells, no_repeats=self.no_repeats)
        _check_bounded_field(self)

    def cells(self, geometry: Geometry) -> Cells:
        return tuple(dict.fromkeys(self.line))

    def title(self) -> str:
        if self.bounded_field:
            return f"{self.name} {getattr(self, self.bounded_field[0])}"
        return self.name

    def caption(self) -> str:
        return self.title()

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        line = places(geometry, self.line)
        ends = (line[:1], line[-1:]) if self.has_ends else ()
        return Line(line, self.style), *(Ring(end, self.style) for end in ends)


def places(geometry: Geometry, cells: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Row and column of each cell."""
    return tuple(map(geometry.place, cells))


def tints(geometry: Geometry, groups: Iterable[Cells], style: str) -> list[Shape]:
    """A tint for each group of cells."""
    return [Tint(places(geometry, dict.fromkeys(group)), style) for group in groups]


def border(geometry: Geometry, a: int, b: int) -> Point:
    """The point halfway between two cells; for neighbours the middle of their border."""
    (row, column), (other_row, other_column) = geometry.place(a), geometry.place(b)
    return (row + other_row) / 2, (column + other_column) / 2


def moves(geometry: Geometry, steps: CellPairs) -> Iterator[tuple[int, int]]:
    """Pairs of grid cells that differ by one of the steps (rows down, columns right)."""
    inner = geometry.grid_size
    for cell in range(inner):
        row, column = geometry.place(cell)
        for down, right in steps:
            other = geometry.cell_at(row + down, column + right)
            if other is not None and other < inner:
                yield cell, other


def neighbours(geometry: Geometry) -> Iterator[tuple[int, int]]:
    """All pairs of orthogonal neighbours, the smaller cell first."""
    return moves(geometry, ((0, 1), (1, 0)))


def directed_lines(geometry: Geometry) -> Iterator[Cells]:
    """All rows, then all columns, each in both directions."""
    for line in (*geometry.rows(), *geometry.columns()):
        yield line
        yield line[::-1]


def check_cells(
    name: str, cells: Sequence[int], min_cells: int = 1, *, no_repeats: bool = False
) -> None:
    """Raise ValueError for fewer than `min_cells` cells, or for a repeated one if `no_repeats`."""
    if len(cells) < min_cells:
        noun = "cell" if min_cells == 1 else "cells"
        raise ValueError(f"{name}: must have at least {min_cells} {noun}, not {len(cells)}")
    if no_repeats and len({*cells}) < len(cells):
        raise ValueError(f"{name}: a cell is listed twice")


def _check_bounded_field(rule: OnBorder | Along) -> None:
    """Raise ValueError if the number is below its minimum."""
    if not rule.bounded_field:
        return
    field, minimum = rule.bounded_field
    if (number := getattr(rule, field)) < minimum:
        raise ValueError(f"{rule.name}: the {field} must be at least {minimum}, not {number}")


def check_one_grid(name: str, geometry: Geometry) -> None:
    """Raise ValueError for several grids that share boxes, and for a free geometry."""
    if geometry.grids:
        raise ValueError(f"{name}: only a single grid can have this rule")
    if geometry.free:
        raise ValueError(f"{name}: only a grid with standard units can have this rule")
