"""Geometry, Rule, Puzzle and Grid: what a Sudoku is, whatever file it came from.

Cells are numbered from 0, row by row. The values a cell may hold are a bit mask: bit v-1
stands for value v. What people read (candidates, messages) counts from 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, dataclass_transform

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import ClauseBuilder
    from pipeline.puzzle.formulas import Constraint
    from pipeline.puzzle.shapes import Shape

MIN_SIDE, MAX_SIDE = 2, 256


class Candidate(NamedTuple):
    """`cell (row, column) holds value`; all three count from 1."""

    row: int
    column: int
    value: int


@dataclass(frozen=True, order=True)
class Geometry:
    """Boxes of height × width cells; the side n = height · width is 2 to 256.

    `grids` are the places (row, column), from 0, of the first cells of several grids of that side
    that share boxes, as in a samurai; without any there is one grid. Boxes of 1 × n are rows: that
    is a grid without boxes. Raises ValueError for a side out of that range.
    """

    height: int
    width: int
    grids: tuple[tuple[int, int], ...] = field(default=(), repr=False)

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
    def size(self) -> int:
        """The number of cells."""
        return len(self._places) if self.grids else self.side**2

    @property
    def has_boxes(self) -> bool:
        """Whether its boxes are not just its rows or columns."""
        return self.height > 1 and self.width > 1

    @cached_property
    def all_values(self) -> int:
        return (1 << self.side) - 1

    @cached_property
    def odd_values(self) -> int:
        return sum(1 << (value - 1) for value in range(1, self.side + 1, 2))

    @cached_property
    def even_values(self) -> int:
        return self.all_values & ~self.odd_values

    @cached_property
    def extent(self) -> tuple[int, int]:
        """The rows and columns of the whole, even where there are no cells."""
        n = self.side
        rows, columns = zip(*(self.grids or ((0, 0),)), strict=True)
        return max(rows) + n, max(columns) + n

    def rows(self) -> Iterator[tuple[int, ...]]:
        """The cells of each row, grid by grid."""
        return self._areas(1, self.side)

    def columns(self) -> Iterator[tuple[int, ...]]:
        """The cells of each column, grid by grid."""
        return self._areas(self.side, 1)

    def boxes(self) -> Iterator[tuple[int, ...]]:
        """The cells of each box, row by row; a box that several grids share only once."""
        return iter(dict.fromkeys(self._areas(self.height, self.width)))

    def _areas(self, height: int, width: int) -> Iterator[tuple[int, ...]]:
        """The rectangles of that size that make up each grid."""
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
        n, grids = self.side, self.grids or ((0, 0),)
        steps = product(range(1, n + 1), repeat=2)
        return tuple(sorted({(r + top, c + left) for r, c in steps for top, left in grids}))

    @cached_property
    def _cells(self) -> Mapping[tuple[int, int], int]:
        return {place: cell for cell, place in enumerate(self._places)}

    def units(self, kind: Literal["row", "column", "box"]) -> int:
        """The number of its rows, columns or boxes."""
        if not self.grids:
            return self.side
        return len({*self.boxes()}) if kind == "box" else self.side * len(self.grids)

    def place(self, cell: int) -> tuple[int, int]:
        """Row and column of a cell, counted from 1."""
        if self.grids:
            return self._places[cell]
        row, column = divmod(cell, self.side)
        return row + 1, column + 1

    def cell_at(self, row: int, column: int) -> int | None:
        """The cell at a row and column, counted from 1; None outside the grid."""
        if self.grids:
            return self._cells.get((row, column))
        if 1 <= row <= self.side and 1 <= column <= self.side:
            return (row - 1) * self.side + column - 1
        return None

    def box_of(self, cell: int) -> int:
        """The index of a cell's box, from 0, in the order of `boxes`; of a single grid."""
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
    """The cells of every row, then column, then box: 3n tuples of n cells for a single grid."""
    return (*geometry.rows(), *geometry.columns(), *geometry.boxes())


def unit_name(geometry: Geometry, index: int) -> str:
    """What people call the unit of that index in `units_of`: `row 3`, `column 3 of grid 2`."""
    n, grids = geometry.side, len(geometry.grids) or 1
    kind, place = divmod(index, n * grids)
    if kind >= 2:
        return f"box {index - 2 * n * grids + 1}"
    grid, number = divmod(place, n)
    return f"{('row', 'column')[kind]} {number + 1}{f' of grid {grid + 1}' if grids > 1 else ''}"


@dataclass_transform(frozen_default=True)
class Rule(ABC):
    """What a puzzle demands beyond its units: a cage, a thermometer, a knight's move.

    A rule is data (cells by number, and numbers), a formula, a drawing and a name, by which records
    call it. Its meaning and its clauses both come from the formula. Each subclass is made a frozen
    dataclass.
    """

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    name: ClassVar[str]
    where: ClassVar[str] = ""
    """The word between its title and its first cell; "" if no cell tells its place.

    Rules of the whole grid have none.
    """
    is_faint: ClassVar[bool] = False
    """Whether its shapes are drawn faintly, since they need not all hold."""

    @abstractmethod
    def formula(self, geometry: Geometry) -> Constraint:
        """The constraint that it is. Raises ValueError for a geometry that it does not fit."""

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        """Its cells, each once: all those whose values decide whether it holds."""
        return tuple(dict.fromkeys(self.formula(geometry).scope()))

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        """Whether a grid with these values, one for each cell, keeps the rule."""
        return self.formula(geometry).holds(values)

    def encode(self, geometry: Geometry, clauses: ClauseBuilder) -> None:
        """Add clauses that an assignment of `cells` satisfies exactly if the rule holds."""
        self.formula(geometry).encode(clauses)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        """The shapes it is drawn with; none if nobody draws it."""
        return ()

    def title(self) -> str:
        """Its name for people, perhaps with a number: `cage 15`."""
        return self.name

    def caption(self) -> str:
        """Its name in print, with the number that its drawing does not show: `whispers 5`."""
        return self.name

    def describe(self, geometry: Geometry) -> str:
        """Its title and its place: `cage 15 at r1c1`."""
        if not self.where:
            return self.title()
        row, column = geometry.place(self.cells(geometry)[0])
        return f"{self.title()} {self.where} r{row}c{column}"


_recent: dict[tuple[Geometry, tuple[Rule, ...]], ClauseBuilder] = {}
"""The clauses of the last few puzzles with rules, which are asked for several times."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A geometry, for each of its cells the mask of the values it may hold, and further rules.

    Raises ValueError for a wrong number of cells, a mask that is empty or too wide, and a rule
    about cells that there are not.
    """

    geometry: Geometry
    cells: tuple[int, ...]
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        n, full, size = self.geometry.side, self.geometry.all_values, self.geometry.size
        if len(self.cells) != size:
            raise ValueError(f"a puzzle of side {n} has {size} cells, not {len(self.cells)}")
        if not all(0 < mask <= full for mask in self.cells):
            raise ValueError("every cell must allow at least one value, and none above the side")
        for rule in self.rules:
            if not all(0 <= cell < size for cell in rule.cells(self.geometry)):
                raise ValueError(f"{rule.name}: a cell that is not in the grid")

    @property
    def is_plain(self) -> bool:
        """Whether it is one grid with no rule but its units, as collections mostly are."""
        return not self.rules and not self.geometry.grids

    @classmethod
    def empty(cls, geometry: Geometry, rules: tuple[Rule, ...] = ()) -> Puzzle:
        """The puzzle without any given."""
        return cls(geometry, (geometry.all_values,) * geometry.size, rules)

    @classmethod
    def of_values(
        cls, geometry: Geometry, values: Iterable[int], rules: tuple[Rule, ...] = ()
    ) -> Puzzle:
        """A puzzle of a value for each cell, 0 for a blank."""
        full = geometry.all_values
        return cls(geometry, tuple(1 << (v - 1) if v else full for v in values), rules)

    def clauses_of_rules(self, check: Callable[[int], None] | None = None) -> ClauseBuilder:
        """The clauses of its rules, cached; do not mutate. Variable c·n + v is "cell c holds v".

        Raises LimitReached, as `check` does, which is called now and then with the bytes needed;
        `Limits.checking` makes one.
        """
        from pipeline.puzzle.clauses import ClauseBuilder  # noqa: PLC0415 - few puzzles have rules

        key = self.geometry, self.rules
        clauses = _recent.pop(key, None)
        if clauses is None:
            clauses = ClauseBuilder(self.geometry.side, self.geometry.size, check=check)
            for rule in self.rules:
                rule.encode(self.geometry, clauses)
        _recent[key] = clauses
        while len(_recent) > 4:
            _recent.pop(next(iter(_recent)), None)
        return clauses

    def givens(self) -> Iterator[tuple[int, int]]:
        """(cell, value) of each cell that allows a single value."""
        return (
            (cell, mask.bit_length())
            for cell, mask in enumerate(self.cells)
            if mask & (mask - 1) == 0
        )


@dataclass(frozen=True, slots=True, order=True)
class Grid:
    """A value for each cell; they may break the rules, which `certify_grid` checks.

    Raises ValueError for a wrong number of values or one outside 1 … n.
    """

    geometry: Geometry
    values: tuple[int, ...]

    def __post_init__(self) -> None:
        n, size = self.geometry.side, self.geometry.size
        if len(self.values) != size:
            raise ValueError(f"a grid of side {n} has {size} values, not {len(self.values)}")
        if not all(1 <= value <= n for value in self.values):
            raise ValueError(f"the values of a grid of side {n} are 1 to {n}")

    def rows(self) -> Iterator[tuple[int, ...]]:
        """The rows of a single grid."""
        n = self.geometry.side
        return (self.values[start : start + n] for start in range(0, n * n, n))
