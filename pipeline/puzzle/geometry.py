"""Geometry: how many cells a grid has, where they are, and which of them form units.

Cells are numbered from 0, row by row. The candidates of a cell are a bit mask: bit v - 1 is value v
or, if the values begin with 0, bit v is value v. Rows and columns are counted from 1, as in
candidates and messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import product
from math import isqrt
from typing import Literal

MIN_SIDE, MAX_SIDE = 2, 256
"""Limits of the number of values, and of the rows and columns of a free grid."""

MAX_EXTRA_CELLS = 1024
"""Maximum number of extra cells of a free geometry."""


@dataclass(frozen=True, order=True)
class FreeGrid:
    """A grid without implicit units: rows, columns and boxes mean nothing unless a rule says so.

    - `rows`, `columns`: the size of the grid.
    - `lowest`: the lowest value, 0 or 1.
    - `groups`: the name and the size of each group of extra cells.
    - `widths`: the name and number of columns of each group that is not as wide as the grid.

    Extra cells are numbered after the cells of the grid. Each group lies below the grid and the
    previous group, after an empty row. Raises ValueError for sizes below 1 or above the limits, for
    a `lowest` other than 0 or 1, for repeated names, and for widths of unknown groups.
    """

    rows: int
    columns: int
    lowest: int = 1
    groups: tuple[tuple[str, int], ...] = ()
    widths: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        sizes = [size for _, size in self.groups]
        if min(self.rows, self.columns, *sizes) < 1 or max(self.rows, self.columns) > MAX_SIDE:
            raise ValueError(
                f"rows and columns must be 1 to {MAX_SIDE}, and groups must not be empty; "
                f"found {self.rows}×{self.columns} cells and groups of {sizes}"
            )
        if self.lowest not in (0, 1):
            raise ValueError(f"the lowest value must be 0 or 1, not {self.lowest}")
        if sum(sizes) > MAX_EXTRA_CELLS:
            raise ValueError(
                f"there may be at most {MAX_EXTRA_CELLS} extra cells, not {sum(sizes)}"
            )
        if len(dict(self.groups)) < len(self.groups):
            raise ValueError("two groups of extra cells have the same name")
        widths = dict(self.widths)
        if len(widths) < len(self.widths) or not widths.keys() <= dict(self.groups).keys():
            raise ValueError(
                "each width must name an existing group of extra cells, and no group twice"
            )
        if not all(1 <= width <= MAX_SIDE for width in widths.values()):
            raise ValueError(f"a group of extra cells must have 1 to {MAX_SIDE} columns")

    def width_of(self, name: str) -> int:
        """The number of columns of a group of extra cells."""
        return dict(self.widths).get(name, self.columns)

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield the row and column of each cell, counted from 1."""
        yield from product(range(1, self.rows + 1), range(1, self.columns + 1))
        row = self.rows
        for name, size in self.groups:
            row += 2
            width = self.width_of(name)
            offsets = (divmod(index, width) for index in range(size))
            yield from ((row + down, right + 1) for down, right in offsets)
            row += (size - 1) // width

    def rows_and_groups(self) -> Iterator[tuple[str, range]]:
        """Yield the name and cells of each row of the grid, then of each group of extra cells."""
        for row in range(self.rows):
            yield f"row {row + 1}", range(row * self.columns, (row + 1) * self.columns)
        first = self.rows * self.columns
        for name, size in self.groups:
            yield name, range(first, first + size)
            first += size

    def cells_of_group(self, name: str) -> range:
        """The cells of a group of extra cells, or of the grid if the name is empty.

        Raises KeyError for an unknown name.
        """
        return range(self.rows * self.columns) if not name else dict(self.rows_and_groups())[name]


@dataclass(frozen=True, order=True)
class Geometry:
    """The geometry of a grid whose boxes have height × width cells.

        >>> six = Geometry(2, 3)
        >>> six.cells_at((1, 1), (2, 1)), six.place(6), six.name_of(6)
        ((0, 6), (2, 1), 'r2c1')

    The side, n = height · width, is 2 to 256. A box of 1 × n cells is a row: the grid has no boxes.

    - `grids`: the positions (row, column), from 0, of the first cells of several overlapping grids,
      as in a samurai; empty for a single grid.
    - `free_grid`: the grid of a free geometry, which has no units; there, n is only the number of
      values.

    Raises ValueError for a side out of range, and for a free geometry with boxes or several grids.
    """

    height: int
    width: int
    grids: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    free_grid: FreeGrid | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.free_grid and (self.grids or self.height > 1):
            raise ValueError("a free geometry has a single grid and no boxes")
        if self.height < 1 or self.width < 1 or not MIN_SIDE <= self.side <= MAX_SIDE:
            raise ValueError(
                f"a box of {self.height}×{self.width} cells: height × width must be "
                f"{MIN_SIDE} to {MAX_SIDE}"
            )

    @cached_property
    def side(self) -> int:
        """The number of values, n."""
        return self.height * self.width

    @cached_property
    def size(self) -> int:
        """The number of cells."""
        return len(self._places) if self._has_place_list else self.side**2

    @cached_property
    def grid_size(self) -> int:
        """The number of cells in the grid, without extra cells."""
        return self.free_grid.rows * self.free_grid.columns if self.free_grid else self.size

    @cached_property
    def lowest(self) -> int:
        """The lowest value: 1, or 0 in some free geometries."""
        return self.free_grid.lowest if self.free_grid else 1

    @cached_property
    def values(self) -> range:
        """The values, ascending: 1 … n, or 0 … n-1."""
        return range(self.lowest, self.lowest + self.side)

    @cached_property
    def _has_place_list(self) -> bool:
        """Whether the positions of cells are stored in `_places` instead of being computed."""
        return bool(self.grids or self.free_grid)

    @property
    def has_boxes(self) -> bool:
        """Whether the boxes have several rows and several columns."""
        return self.height > 1 and self.width > 1

    @cached_property
    def all_values(self) -> int:
        """The mask of all values."""
        return (1 << self.side) - 1

    @cached_property
    def odd_values(self) -> int:
        """The mask of the odd values."""
        return sum(1 << (value - self.lowest) for value in self.values if value % 2)

    @cached_property
    def even_values(self) -> int:
        """The mask of the even values, 0 included."""
        return self.all_values & ~self.odd_values

    @cached_property
    def extent(self) -> tuple[int, int]:
        """The number of rows and the number of columns of the bounding rectangle."""
        n = self.side
        if self.free_grid:
            return self._places[-1][0], max(column for _, column in self._places)
        rows, columns = zip(*(self.grids or ((0, 0),)), strict=True)
        return max(rows) + n, max(columns) + n

    def rows(self) -> Iterator[tuple[int, ...]]:
        """Yield the cells of each row, grid by grid."""
        if self.free_grid:
            width = self.free_grid.columns
            return (tuple(range(first, first + width)) for first in range(0, self.grid_size, width))
        return self._areas(1, self.side)

    def columns(self) -> Iterator[tuple[int, ...]]:
        """Yield the cells of each column, grid by grid."""
        if self.free_grid:
            width = self.free_grid.columns
            return (tuple(range(first, self.grid_size, width)) for first in range(width))
        return self._areas(self.side, 1)

    def boxes(self) -> Iterator[tuple[int, ...]]:
        """Yield the cells of each box, grid by grid.

        A box that several grids share is yielded once. A free geometry has no boxes.
        """
        if self.free_grid:
            return iter(())
        return iter(dict.fromkeys(self._areas(self.height, self.width)))

    def _areas(self, height: int, width: int) -> Iterator[tuple[int, ...]]:
        """Yield the cells of each rectangle of height × width cells, grid by grid."""
        n, grids = self.side, self.grids
        for top, left in grids or ((0, 0),):
            for row, column in product(range(top, top + n, height), range(left, left + n, width)):
                inside = product(range(row, row + height), range(column, column + width))
                if grids:
                    yield tuple([self._cells[r + 1, c + 1] for r, c in inside])
                else:
                    yield tuple([r * n + c for r, c in inside])

    @cached_property
    def _places(self) -> tuple[tuple[int, int], ...]:
        """The row and column of each cell, counted from 1."""
        if self.free_grid:
            return tuple(self.free_grid.places())
        n, grids = self.side, self.grids or ((0, 0),)
        steps = product(range(1, n + 1), repeat=2)
        return tuple(sorted({(r + top, c + left) for r, c in steps for top, left in grids}))

    @cached_property
    def _cells(self) -> Mapping[tuple[int, int], int]:
        """Maps row and column, counted from 1, to the cell."""
        return {place: cell for cell, place in enumerate(self._places)}

    def unit_count(self, kind: Literal["row", "column", "box"]) -> int:
        """The number of units of a kind."""
        if not self.grids:
            return 0 if self.free_grid else self.side
        return len({*self.boxes()}) if kind == "box" else self.side * len(self.grids)

    def place(self, cell: int) -> tuple[int, int]:
        """The row and column of a cell, counted from 1."""
        if self._has_place_list:
            return self._places[cell]
        row, column = divmod(cell, self.side)
        return row + 1, column + 1

    def name_of(self, cell: int) -> str:
        """The name of a cell, such as `r1c1`.

        For an extra cell, its group and number, such as `VA3`, or only the group if it has a
        single cell.
        """
        if cell < self.grid_size or self.free_grid is None:
            return "r{}c{}".format(*self.place(cell))
        group, cells = next(line for line in self.free_grid.rows_and_groups() if cell in line[1])
        return group if len(cells) == 1 else f"{group}{cell - cells.start + 1}"

    def cell_at(self, row: int, column: int) -> int | None:
        """The cell at a row and column, counted from 1; None if there is no cell."""
        if self._has_place_list:
            return self._cells.get((row, column))
        if 1 <= row <= self.side and 1 <= column <= self.side:
            return (row - 1) * self.side + column - 1
        return None

    def cells_at(self, *places: tuple[int, int]) -> tuple[int, ...]:
        """The cells at positions (row, column), counted from 1.

        Raises ValueError for a position without a cell.
        """
        return tuple(map(self.cell_of, places))

    def cell_of(self, place: int | tuple[int, int]) -> int:
        """The cell at a position (row, column), counted from 1, or with this number.

        Raises ValueError for a position without a cell. Numbers are not checked.
        """
        if isinstance(place, int):
            return place
        cell = self.cell_at(*place)
        if cell is None:
            where, size = "row {}, column {}".format(*place), "{}×{}".format(*self.extent)
            raise ValueError(f"there is no cell at {where} in a grid of {size} cells")
        return cell

    def group_of(self, cell: int) -> range:
        """The cells of the cell's group: the grid, or a group of extra cells."""
        if cell < self.grid_size or self.free_grid is None:
            return range(self.grid_size)
        return next(cells for _, cells in self.free_grid.rows_and_groups() if cell in cells)

    def box_of(self, cell: int) -> int:
        """The index of a cell's box in the order of `boxes`, from 0. For a single grid only."""
        row, column = divmod(cell, self.side)
        return row // self.height * self.height + column // self.width


NINE_BY_NINE = Geometry(3, 3)
"""The geometry of classic puzzles: side 9, boxes of 3×3 cells."""


@cache
def default_geometry(side: int) -> Geometry:
    """The geometry of this side with the default boxes.

    The boxes are as square as possible, and not taller than wide. A prime side has no boxes. Raises
    ValueError if the side is out of range.
    """
    height = max((h for h in range(1, isqrt(max(side, 0)) + 1) if side % h == 0), default=1)
    return Geometry(height, side // height)


def bits_of(indices: Iterable[int]) -> int:
    """The set of these distinct indices of cells or values, as bits."""
    return sum([1 << index for index in indices])


def indices_of(bits: int) -> Iterator[int]:
    """Yield the indices in a set that is given as bits, in ascending order."""
    return values_of(bits, 0)


def values_of(mask: int, lowest: int = 1) -> Iterator[int]:
    """Yield the values in a mask in ascending order.

    `lowest`: the lowest value of the geometry.
    """
    while mask:
        first = mask & -mask
        yield first.bit_length() - 1 + lowest
        mask ^= first


@lru_cache(maxsize=16)
def units_of(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    """The cells of each row, then of each column, then of each box.

    A free geometry has no units.
    """
    if geometry.free_grid:
        return ()
    return (*geometry.rows(), *geometry.columns(), *geometry.boxes())


def unit_name(geometry: Geometry, index: int) -> str:
    """The name of the unit at an index of `units_of`, such as `row 3` or `column 3 of grid 2`."""
    n, grids = geometry.side, len(geometry.grids) or 1
    kind, remainder = divmod(index, n * grids)
    if kind >= 2:
        return f"box {index - 2 * n * grids + 1}"
    grid, number = divmod(remainder, n)
    return f"{('row', 'column')[kind]} {number + 1}{f' of grid {grid + 1}' if grids > 1 else ''}"
