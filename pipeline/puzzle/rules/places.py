"""What rules share: how places are told, and which cells are neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pipeline.puzzle.puzzle import Geometry

if TYPE_CHECKING:
    from pipeline.puzzle.shapes import Point


def place(geometry: Geometry, cell: int) -> str:
    """`r1c1`, as solvers write it."""
    row, column = geometry.place(cell)
    return f"r{row}c{column}"


def at(geometry: Geometry, cell: int) -> str:
    """`at r1c1`."""
    return f"at {place(geometry, cell)}"


def between(geometry: Geometry, a: int, b: int) -> str:
    """`between r1c1 and r1c2`."""
    return f"between {place(geometry, a)} and {place(geometry, b)}"


def border(geometry: Geometry, a: int, b: int) -> Point:
    """The middle between two cells: of neighbours that of their border."""
    (row, column), (other_row, other_column) = geometry.place(a), geometry.place(b)
    return (row + other_row) / 2, (column + other_column) / 2


def moves(geometry: Geometry, steps: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    """Pairs of cells that one of the steps (rows down, columns right) leads between."""
    for cell in range(geometry.size):
        row, column = geometry.place(cell)
        for down, right in steps:
            other = geometry.cell_at(row + down, column + right)
            if other is not None:
                yield cell, other


def neighbours(geometry: Geometry) -> Iterator[tuple[int, int]]:
    """Pairs of orthogonal neighbours, each once, the smaller cell first."""
    return moves(geometry, ((0, 1), (1, 0)))
