"""Rules of variants, one class each, with data, constraints, a drawing and a name.

This module has base classes for rules that are drawn and described in the same way, and helpers for
constraints, drawings and checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from pipeline.puzzle.arguments import CellField, CellsField
from pipeline.puzzle.constraints import (
    AllOf,
    Allowed,
    AnyOf,
    Cell,
    CellPairs,
    Cells,
    Constraint,
    Equivalent,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.shapes import Dot, Line, Point, Ring, Shape, Tint


class GridRule(Rule):
    """A rule about all cells of the grid, which is not drawn."""

    def scope(self, geometry: Geometry) -> Cells:
        return tuple(range(geometry.grid_size))


class BorderRule(Rule):
    """A rule about two cells, drawn as a dot between them.

    `bounded_field`: the name and the minimum of the rule's number; None if it has no number.
    """

    style: ClassVar[str]
    bounded_field: ClassVar[tuple[str, int] | None] = None

    a: CellField
    b: CellField

    def check(self) -> None:
        check_cells(self.name, (self.a, self.b), no_repeats=True)
        _check_bounded_field(self)

    def text(self) -> str:
        """The text in the dot."""
        return ""

    def title(self) -> str:
        return " ".join(filter(None, (self.name, self.text())))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Dot(border_point(geometry, self.a, self.b), self.style, self.text()),)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.title()} between {geometry.name_of(self.a)} and {geometry.name_of(self.b)}"


class LineRule(Rule):
    """A rule about the cells of a line, in order.

    - `min_cells`: the minimum number of cells.
    - `no_repeats`: whether a cell may not repeat.
    - `has_end_rings`: whether the line is drawn with rings at its ends.
    - `bounded_field`: the name and the minimum of the rule's number, which is not drawn; None if it
      has no number.
    """

    preposition = "from"
    style: ClassVar[str]
    min_cells: ClassVar[int] = 2
    no_repeats: ClassVar[bool] = False
    has_end_rings: ClassVar[bool] = False
    bounded_field: ClassVar[tuple[str, int] | None] = None

    line: CellsField

    def check(self) -> None:
        check_cells(self.name, self.line, self.min_cells, no_repeats=self.no_repeats)
        _check_bounded_field(self)

    def scope(self, geometry: Geometry) -> Cells:
        return tuple(dict.fromkeys(self.line))

    def title(self) -> str:
        if self.bounded_field:
            return f"{self.name} {getattr(self, self.bounded_field[0])}"
        return self.name

    def caption(self) -> str:
        return self.title()

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        line = places(geometry, self.line)
        ends = (line[:1], line[-1:]) if self.has_end_rings else ()
        return Line(line, self.style), *(Ring(end, self.style) for end in ends)


def places(geometry: Geometry, cells: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """The row and column of each cell, counted from 1."""
    return tuple(map(geometry.place, cells))


def tints(geometry: Geometry, groups: Iterable[Cells], style: str) -> list[Shape]:
    """A tint for each list of cells."""
    return [Tint(places(geometry, dict.fromkeys(group)), style) for group in groups]


def border_point(geometry: Geometry, a: int, b: int) -> Point:
    """The point halfway between two cells; for adjacent cells the middle of their border."""
    (row, column), (other_row, other_column) = geometry.place(a), geometry.place(b)
    return (row + other_row) / 2, (column + other_column) / 2


def pairs_at(geometry: Geometry, steps: CellPairs) -> Iterator[tuple[int, int]]:
    """Yield the pairs of grid cells that are one of the steps (rows down, columns right) apart."""
    size = geometry.grid_size
    for cell in range(size):
        row, column = geometry.place(cell)
        for down, right in steps:
            other = geometry.cell_at(row + down, column + right)
            if other is not None and other < size:
                yield cell, other


def neighbours(geometry: Geometry) -> Iterator[tuple[int, int]]:
    """Yield all pairs of orthogonally adjacent cells, the smaller cell first."""
    return pairs_at(geometry, ((0, 1), (1, 0)))


def adjacent_pairs(geometry: Geometry, cells: Cells) -> CellPairs:
    """Pairs of these cells that share a side, in the grid or in a group of extra cells."""
    cell_of = dict(zip(places(geometry, cells), cells, strict=True))
    return tuple(
        (cell, cell_of[near])
        for (row, column), cell in cell_of.items()
        for near in ((row, column + 1), (row + 1, column))
        if near in cell_of
    )


def directed_lines(geometry: Geometry) -> Iterator[Cells]:
    """Yield all rows, then all columns, each in both directions."""
    for line in (*geometry.rows(), *geometry.columns()):
        yield line
        yield line[::-1]


def pointer(cell: Cell, line: Cells, value: int, values: range) -> Constraint:
    """If the cell holds k, the k-th cell of the line holds the value, and no other one does.

    `values`: the values of the grid. The cell cannot hold 0 or a number above the line's length.
    """
    if value not in values:
        return AnyOf(())
    targets = {k: target for k, target in enumerate(line, 1) if k in values}
    facts = [((cell, k), (target, value)) for k, target in targets.items()]
    parts: list[Constraint] = [Equivalent(tuple(pair for pair in facts if pair[0] != pair[1]))]
    if len(targets) < len(values):
        parts.append(Allowed(cell, tuple(targets)))
    other_values = tuple(other for other in values if other != value)
    parts += (Allowed(beyond, other_values) for beyond in line[values[-1] :])
    return AllOf(tuple(parts))


def check_cells(
    name: str, cells: Sequence[int], min_cells: int = 1, *, no_repeats: bool = False
) -> None:
    """Raise ValueError for fewer than `min_cells` cells, or, with `no_repeats`, a repeated cell."""
    if len(cells) < min_cells:
        noun = "cell" if min_cells == 1 else "cells"
        raise ValueError(f"{name}: must have at least {min_cells} {noun}, not {len(cells)}")
    if no_repeats and len({*cells}) < len(cells):
        raise ValueError(f"{name}: a cell is listed twice")


def _check_bounded_field(rule: BorderRule | LineRule) -> None:
    """Raise ValueError if the rule's number is below its minimum."""
    if not rule.bounded_field:
        return
    field, minimum = rule.bounded_field
    if (number := getattr(rule, field)) < minimum:
        raise ValueError(f"{rule.name}: the {field} must be at least {minimum}, not {number}")


def check_one_grid(name: str, geometry: Geometry) -> None:
    """Raise ValueError if the geometry is free or has several grids."""
    if geometry.grids:
        raise ValueError(f"{name}: only a single grid can have this rule")
    if geometry.free_grid:
        raise ValueError(f"{name}: only a grid with standard units can have this rule")


def square_side(name: str, geometry: Geometry) -> int:
    """The number of rows of the grid. Raises ValueError unless it is a single, square grid."""
    if geometry.free_grid is None:
        check_one_grid(name, geometry)
        return geometry.side
    if geometry.free_grid.rows != geometry.free_grid.columns:
        raise ValueError(f"{name}: the grid must be square")
    return geometry.free_grid.rows
