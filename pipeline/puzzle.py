"""Geometry, Puzzle and Grid: what a Sudoku is, whatever file it came from.

Cells are numbered 0 … n²-1, row by row. The values a cell may hold are a bit mask: bit v-1
stands for value v. What people read (candidates, messages) counts from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

MIN_SIDE, MAX_SIDE = 2, 256


class Candidate(NamedTuple):
    """`cell (row, column) holds value`; all three count from 1."""

    row: int
    column: int
    value: int


@dataclass(frozen=True, order=True)
class Geometry:
    """Boxes of height × width cells; the side n = height · width is 2 to 256.

    Raises ValueError for a side out of that range.
    """

    height: int
    width: int

    def __post_init__(self) -> None:
        if self.height < 1 or self.width < 1 or not MIN_SIDE <= self.side <= MAX_SIDE:
            raise ValueError(
                f"a box of {self.height}×{self.width} cells: height × width must be "
                f"{MIN_SIDE} to {MAX_SIDE}"
            )

    @cached_property
    def side(self) -> int:
        return self.height * self.width

    @cached_property
    def all_values(self) -> int:
        return (1 << self.side) - 1

    @cached_property
    def odd_values(self) -> int:
        return sum(1 << (value - 1) for value in range(1, self.side + 1, 2))

    @cached_property
    def even_values(self) -> int:
        return self.all_values & ~self.odd_values

    def rows(self) -> Iterator[range]:
        n = self.side
        return (range(row * n, row * n + n) for row in range(n))

    def columns(self) -> Iterator[range]:
        n = self.side
        return (range(column, n * n, n) for column in range(n))

    def boxes(self) -> Iterator[tuple[int, ...]]:
        """The cells of each box, box by box and row by row."""
        n, height, width = self.side, self.height, self.width
        for top in range(0, n, height):
            for left in range(0, n, width):
                yield tuple(
                    row * n + column
                    for row in range(top, top + height)
                    for column in range(left, left + width)
                )

    def place(self, cell: int) -> tuple[int, int]:
        """Row and column of a cell, counted from 1."""
        row, column = divmod(cell, self.side)
        return row + 1, column + 1

    def box_of(self, cell: int) -> int:
        """The index of a cell's box, from 0, in the order of `boxes`."""
        row, column = divmod(cell, self.side)
        return row // self.height * self.height + column // self.width


NINE = Geometry(3, 3)
"""The geometry of the usual puzzles."""


def values_of(mask: int) -> Iterator[int]:
    """The values in a mask, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length()
        mask ^= lowest


@lru_cache(maxsize=16)
def units_of(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    """The cells of every row, then column, then box: 3n tuples of n cells."""
    lines = (*geometry.rows(), *geometry.columns())
    return (*(tuple(line) for line in lines), *geometry.boxes())


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A geometry and, for each of its n² cells, the mask of the values it may hold.

    Raises ValueError for a wrong number of cells or a mask that is empty or too wide.
    """

    geometry: Geometry
    cells: tuple[int, ...]

    def __post_init__(self) -> None:
        n, full = self.geometry.side, self.geometry.all_values
        if len(self.cells) != n * n:
            raise ValueError(f"a puzzle of side {n} has {n * n} cells, not {len(self.cells)}")
        if not all(0 < mask <= full for mask in self.cells):
            raise ValueError("every cell must allow at least one value, and none above the side")

    @classmethod
    def empty(cls, geometry: Geometry) -> Puzzle:
        """The puzzle without any given."""
        return cls(geometry, (geometry.all_values,) * geometry.side**2)

    @classmethod
    def of_values(cls, geometry: Geometry, values: Iterable[int]) -> Puzzle:
        """A classic puzzle of n² values, 0 for a blank."""
        full = geometry.all_values
        return cls(geometry, tuple(1 << (v - 1) if v else full for v in values))

    def givens(self) -> Iterator[tuple[int, int]]:
        """(cell, value) of each cell that allows a single value."""
        return (
            (cell, mask.bit_length())
            for cell, mask in enumerate(self.cells)
            if mask & (mask - 1) == 0
        )


@dataclass(frozen=True, slots=True, order=True)
class Grid:
    """n² values, row by row; they may break the rules, which `certify_grid` checks.

    Raises ValueError for a wrong number of values or one outside 1 … n.
    """

    geometry: Geometry
    values: tuple[int, ...]

    def __post_init__(self) -> None:
        n = self.geometry.side
        if len(self.values) != n * n:
            raise ValueError(f"a grid of side {n} has {n * n} values, not {len(self.values)}")
        if not all(1 <= value <= n for value in self.values):
            raise ValueError(f"the values of a grid of side {n} are 1 to {n}")

    def rows(self) -> Iterator[tuple[int, ...]]:
        n = self.geometry.side
        return (self.values[start : start + n] for start in range(0, n * n, n))
