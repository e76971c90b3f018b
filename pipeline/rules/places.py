"""What rules share: how places are told, and which cells are neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.puzzle import Geometry


def place(geometry: Geometry, cell: int) -> str:
    """`r1c1`, as solvers write it."""
    row, column = geometry.place(cell)
    return f"r{row}c{column}"


def at(geometry: Geometry, cell: int) -> str:
    """`at r1c1`."""
    return f"at {place(geometry, cell)}"


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
