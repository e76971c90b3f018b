"""Geometry, Rule, Puzzle and Grid: what a Sudoku is, whatever file it came from.

Cells are numbered from 0, row by row. The values a cell may hold are a bit mask: bit v-1
stands for value v, in a free geometry whose values begin with 0 bit v. What people read
(candidates, messages) counts from 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from math import isqrt
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, dataclass_transform, overload

from pipeline.puzzle.boards import board, value_of

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.puzzle.clauses import ClauseBuilder, RuleClauses
    from pipeline.puzzle.formulas import Constraint
    from pipeline.puzzle.shapes import Shape
    from pipeline.settings import NotationChoice

MIN_SIDE, MAX_SIDE = 2, 256
MOST_EXTRA = 1024
"""Cells outside the grid that a free geometry may have."""


class Candidate(NamedTuple):
    """`cell (row, column) holds value`; all three count from 1."""

    row: int
    column: int
    value: int


@dataclass(frozen=True, order=True)
class Free:
    """A grid whose rows, columns and boxes are no units: what they demand, rules say.

    The grid has `rows` × `columns` cells; values begin with `lowest`, 0 or 1. `groups` are names
    and sizes of groups of extra cells. They come after the cells of the grid. Their places are
    below it: each group begins a row, as long as the grid's, after an empty one. Raises ValueError
    for anything else, and for more than 1024 extra cells.
    """

    rows: int
    columns: int
    lowest: int = 1
    groups: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        sizes = [size for _, size in self.groups]
        if min(self.rows, self.columns, *sizes) < 1 or max(self.rows, self.columns) > MAX_SIDE:
            raise ValueError(f"a grid of {self.rows}×{self.columns} cells, or a group without any")
        if self.lowest not in (0, 1):
            raise ValueError(f"the lowest value must be 0 or 1, not {self.lowest}")
        if sum(sizes) > MOST_EXTRA:
            raise ValueError(f"{sum(sizes)} extra cells are more than {MOST_EXTRA}")
        if len(dict(self.groups)) < len(self.groups):
            raise ValueError("two groups of extra cells have the same name")

    def places(self) -> Iterator[tuple[int, int]]:
        """Row and column of each cell, counted from 1."""
        yield from product(range(1, self.rows + 1), range(1, self.columns + 1))
        row = self.rows
        for _, size in self.groups:
            row += 2
            yield from ((row + at // self.columns, at % self.columns + 1) for at in range(size))
            row += (size - 1) // self.columns

    def lines(self) -> Iterator[tuple[str, range]]:
        """The rows of the grid and the groups: what each is called, and its cells."""
        for row in range(self.rows):
            yield f"row {row + 1}", range(row * self.columns, (row + 1) * self.columns)
        first = self.rows * self.columns
        for name, size in self.groups:
            yield name, range(first, first + size)
            first += size

    def group(self, name: str) -> range:
        """The cells of a group; those of the grid for no name. Raises KeyError."""
        return range(self.rows * self.columns) if not name else dict(self.lines())[name]


@dataclass(frozen=True, order=True)
class Geometry:
    """Boxes of height × width cells; the side n = height · width is 2 to 256.

    `grids` are the places (row, column), from 0, of the first cells of several grids of that side
    that share boxes, as in a samurai; without any there is one grid. Boxes of 1 × n are rows: that
    is a grid without boxes. If it is `free`, its side is only the number of values, and it has no
    units. Raises ValueError for a side out of that range, and for several grids that are free.
    """

    height: int
    width: int
    grids: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    free: Free | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.free and (self.grids or self.height > 1):
            raise ValueError("a free geometry has a single grid and no boxes")
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
        return len(self._places) if self._is_listed else self.side**2

    @cached_property
    def inner(self) -> int:
        """The number of cells in the grid: all but extra ones."""
        return self.free.rows * self.free.columns if self.free else self.size

    @cached_property
    def lowest(self) -> int:
        """The lowest value: 1, or 0 if it is free to begin with that."""
        return self.free.lowest if self.free else 1

    @cached_property
    def values(self) -> range:
        """The values, ascending: 1 … n, or 0 … n-1."""
        return range(self.lowest, self.lowest + self.side)

    @cached_property
    def _is_listed(self) -> bool:
        """Whether the places of cells are not computed, but listed."""
        return bool(self.grids or self.free)

    @property
    def has_boxes(self) -> bool:
        """Whether its boxes are not just its rows or columns."""
        return self.height > 1 and self.width > 1

    @cached_property
    def all_values(self) -> int:
        return (1 << self.side) - 1

    @cached_property
    def odd_values(self) -> int:
        return sum(1 << (value - self.lowest) for value in self.values if value % 2)

    @cached_property
    def even_values(self) -> int:
        return self.all_values & ~self.odd_values

    @cached_property
    def extent(self) -> tuple[int, int]:
        """The rows and columns of the whole, even where there are no cells."""
        n = self.side
        if self.free:
            return self._places[-1][0], self.free.columns
        rows, columns = zip(*(self.grids or ((0, 0),)), strict=True)
        return max(rows) + n, max(columns) + n

    def rows(self) -> Iterator[tuple[int, ...]]:
        """The cells of each row, grid by grid."""
        if self.free:
            width = self.free.columns
            return (tuple(range(at, at + width)) for at in range(0, self.inner, width))
        return self._areas(1, self.side)

    def columns(self) -> Iterator[tuple[int, ...]]:
        """The cells of each column, grid by grid."""
        if self.free:
            width = self.free.columns
            return (tuple(range(at, self.inner, width)) for at in range(width))
        return self._areas(self.side, 1)

    def boxes(self) -> Iterator[tuple[int, ...]]:
        """The cells of each box, row by row; a box that several grids share only once.

        A free geometry has none.
        """
        if self.free:
            return iter(())
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
        if self.free:
            return tuple(self.free.places())
        n, grids = self.side, self.grids or ((0, 0),)
        steps = product(range(1, n + 1), repeat=2)
        return tuple(sorted({(r + top, c + left) for r, c in steps for top, left in grids}))

    @cached_property
    def _cells(self) -> Mapping[tuple[int, int], int]:
        return {place: cell for cell, place in enumerate(self._places)}

    def units(self, kind: Literal["row", "column", "box"]) -> int:
        """The number of its rows, columns or boxes that are units."""
        if not self.grids:
            return 0 if self.free else self.side
        return len({*self.boxes()}) if kind == "box" else self.side * len(self.grids)

    def place(self, cell: int) -> tuple[int, int]:
        """Row and column of a cell, counted from 1."""
        if self._is_listed:
            return self._places[cell]
        row, column = divmod(cell, self.side)
        return row + 1, column + 1

    def name_of(self, cell: int) -> str:
        """`r1c1`, as solvers write it; an extra cell by its group and number: `VA3`."""
        if cell < self.inner or self.free is None:
            return "r{}c{}".format(*self.place(cell))
        group, cells = next(each for each in self.free.lines() if cell in each[1])
        return group if len(cells) == 1 else f"{group}{cell - cells.start + 1}"

    def cell_at(self, row: int, column: int) -> int | None:
        """The cell at a row and column, counted from 1; None outside the grid."""
        if self._is_listed:
            return self._cells.get((row, column))
        if 1 <= row <= self.side and 1 <= column <= self.side:
            return (row - 1) * self.side + column - 1
        return None

    def cells_at(self, *places: tuple[int, int]) -> tuple[int, ...]:
        """The cells at these rows and columns, counted from 1, as rules want them.

        Raises ValueError for a place outside the grid.
        """
        cells = list[int]()
        for row, column in places:
            cell = self.cell_at(row, column)
            if cell is None:
                raise ValueError(f"there is no cell at row {row}, column {column}")
            cells.append(cell)
        return tuple(cells)

    def group_of(self, cell: int) -> range:
        """The cells of the grid, or of the group of extra cells, that the cell is of."""
        if cell < self.inner or self.free is None:
            return range(self.inner)
        return next(cells for _, cells in self.free.lines() if cell in cells)

    def box_of(self, cell: int) -> int:
        """The index of a cell's box, from 0, in the order of `boxes`; of a single grid."""
        row, column = divmod(cell, self.side)
        return row // self.height * self.height + column // self.width


NINE = Geometry(3, 3)
"""The geometry of the usual puzzles."""


def usual_boxes(side: int) -> Geometry:
    """The boxes of a side that names none: the squarest, wider than high; rows of a prime one.

    Raises ValueError as `Geometry` does.
    """
    height = max((h for h in range(1, isqrt(max(side, 0)) + 1) if side % h == 0), default=1)
    return Geometry(height, side // height)


def values_of(mask: int, lowest: int = 1) -> Iterator[int]:
    """The values in a mask, ascending; `lowest` is that of the geometry."""
    while mask:
        first = mask & -mask
        yield first.bit_length() - 1 + lowest
        mask ^= first


@lru_cache(maxsize=16)
def units_of(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    """The cells of every row, then column, then box: 3n tuples of n cells for a single grid.

    A free geometry has none.
    """
    if geometry.free:
        return ()
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
        return f"{self.title()} {self.where} {geometry.name_of(self.cells(geometry)[0])}"


_last: dict[tuple[Geometry, tuple[Rule, ...]], RuleClauses] = {}
"""The clauses of the last puzzle, which are asked for several times: those of one at most."""


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
        if not 0 < min(self.cells) <= max(self.cells) <= full:
            raise ValueError("every cell must allow at least one value, and none above the side")
        for rule in self.rules:
            if not all(0 <= cell < size for cell in rule.cells(self.geometry)):
                raise ValueError(f"{rule.name}: a cell that is not in the grid")

    @property
    def is_plain(self) -> bool:
        """Whether it is one grid with no rule but its units, as collections mostly are."""
        return not (self.rules or self.geometry.grids or self.geometry.free)

    @classmethod
    def empty(cls, geometry: Geometry | int, rules: tuple[Rule, ...] = ()) -> Puzzle:
        """The puzzle without any given; a side stands for the usual boxes of that side.

        9 has boxes of 3×3, 6 those of 2 rows and 3 columns, a prime none.
        """
        if isinstance(geometry, int):
            geometry = usual_boxes(geometry)
        return cls(geometry, (geometry.all_values,) * geometry.size, rules)

    @classmethod
    def of_values(
        cls, geometry: Geometry, values: Iterable[int], rules: tuple[Rule, ...] = ()
    ) -> Puzzle:
        """A puzzle of a value for each cell; below the lowest, which mostly is 0, for a blank."""
        full, low = geometry.all_values, geometry.lowest
        return cls(geometry, tuple(1 << (v - low) if v >= low else full for v in values), rules)

    @classmethod
    def from_rows(
        cls, rows: Iterable[Iterable[int | str | None]], geometry: Geometry | None = None
    ) -> Puzzle:
        """A puzzle of a single grid from its rows: lists of values, or texts such as `53..7....`.

        A blank is 0, None, an empty text, or one of `. _ -` and a space. Without a geometry the
        boxes are the usual ones. Raises ValueError for anything else.

        >>> print(Puzzle.from_rows([[1, 0, 0, 0], "..2.", ".3..", [0, 0, 0, 4]]))
        1 . . .
        . . 2 .
        . 3 . .
        . . . 4
        """
        values = [[value_of(cell) for cell in row] for row in rows]
        chosen = geometry or usual_boxes(len(values))
        if {len(values), *map(len, values)} != {chosen.side} or chosen.grids or chosen.free:
            raise ValueError(f"expected {chosen.side} rows of {chosen.side} values")
        return cls.of_values(chosen, [value for row in values for value in row])

    @classmethod
    def from_file(cls, path: str | Path) -> Puzzle:
        """The puzzle in a file that holds one, of any format; `read` takes files of many.

        >>> Puzzle.from_file("examples/killer.txt")
        <Puzzle of 9×9 cells, 0 givens, 32 rules>

        Raises InvalidPuzzle, and OSError if the file cannot be read.
        """
        from pipeline.reading.formats.targets import puzzle_in  # noqa: PLC0415 - knows all formats

        return puzzle_in(path)

    def _repr_html_(self) -> str | None:
        return drawn(self)

    def __str__(self) -> str:
        """The grid, a blank as `.`, then a line for each rule."""
        geometry = self.geometry
        blank, between = geometry.all_values, "" if geometry.side <= 9 else "/"
        signs = [
            "." if mask == blank else between.join(map(str, values_of(mask, geometry.lowest)))
            for mask in self.cells
        ]
        told = (rule.describe(geometry) for rule in self.rules)
        return "\n".join((board(geometry, signs), *told))

    def __repr__(self) -> str:
        rows, columns = self.geometry.extent
        parts = [f"{rows}×{columns} cells", f"{len([*self.givens()])} givens"]
        parts += [f"{len(self.rules)} rules"] if self.rules else []
        return f"<Puzzle of {', '.join(parts)}>"

    def with_rules(self, *rules: Rule) -> Puzzle:
        """The same puzzle with these rules added. Raises ValueError as `Puzzle` does.

        >>> from pipeline.rules import Cage, Thermometer
        >>> puzzle = Puzzle.empty(4)
        >>> at = puzzle.geometry.cells_at
        >>> puzzle = puzzle.with_rules(Cage(at((1, 1), (1, 2)), 3), Thermometer(at((2, 1), (3, 1))))
        >>> [rule.describe(puzzle.geometry) for rule in puzzle.rules]
        ['cage 3 at r1c1', 'thermometer from r2c1']
        """
        return replace(self, rules=(*self.rules, *rules))

    @overload
    def to(self, notation: NotationChoice, solution: Grid | None = None) -> str: ...
    @overload
    def to(self, notation: Literal["png", "pdf"], solution: Grid | None = None) -> bytes: ...
    @overload
    def to(self, notation: str, solution: Grid | None = None) -> str | bytes: ...
    def to(self, notation: str, solution: Grid | None = None) -> str | bytes:
        """A file with this puzzle alone, in one of the notations of `convert --to`.

        It is a text, but of `png` and `pdf` bytes. With a solution it is the solution's; pictures,
        f-puzzles and CSV have both. What is written as text, except SVG, was read again, and says
        the same.

        >>> print(Puzzle.of_values(Geometry(2, 2), [1, *[0] * 14, 4]).to("iss"))
        .Shape~4x4.~R1C1_1~R4C4_4
        <BLANKLINE>

        Raises ValueError, which names what the notation cannot say, and UsageError for a
        notation that there is not, or if the extra [draw] is missing.
        """
        from pipeline.reading.formats.targets import PICTURES, file_text  # noqa: PLC0415 - knows all formats

        if notation in PICTURES:
            from pipeline.outbox.report.board import picture  # noqa: PLC0415 - slow to load

            data = picture(self, solution, notation)
            return data.decode() if notation == "svg" else data
        return file_text(self, notation, solution)

    def clauses_of_rules(self, check: Callable[[int], None] | None = None) -> RuleClauses:
        """The clauses of its rules, cached. Variable c·n + v is "cell c holds v".

        Raises LimitReached, as `check` does, which is called now and then with the bytes needed;
        `Limits.checking` makes one.
        """
        from pipeline.puzzle.clauses import ClauseBuilder  # noqa: PLC0415 - few puzzles have rules

        key = self.geometry, self.rules
        clauses = _last.get(key)
        if clauses is None:
            _last.clear()
            n, size, lowest = self.geometry.side, self.geometry.size, self.geometry.lowest
            units = units_of(self.geometry)
            builder = ClauseBuilder(n, size, check=check, lowest=lowest, units=units)
            for rule in self.rules:
                rule.encode(self.geometry, builder)
            _last[key] = clauses = builder.build()
        return clauses

    def givens(self) -> Iterator[tuple[int, int]]:
        """(cell, value) of each cell that allows a single value."""
        before = self.geometry.lowest - 1
        return (
            (cell, mask.bit_length() + before)
            for cell, mask in enumerate(self.cells)
            if mask & (mask - 1) == 0
        )


@dataclass(frozen=True, slots=True, order=True)
class Grid:
    """A value for each cell; they may break the rules, which `certify_grid` checks.

    Raises ValueError for a wrong number of values or one outside 1 … n (of a free geometry outside
    its values).
    """

    geometry: Geometry
    values: tuple[int, ...]

    def __post_init__(self) -> None:
        n, size = self.geometry.side, self.geometry.size
        if len(self.values) != size:
            raise ValueError(f"a grid of side {n} has {size} values, not {len(self.values)}")
        lowest, highest = self.geometry.lowest, self.geometry.values[-1]
        if not lowest <= min(self.values) <= max(self.values) <= highest:
            raise ValueError(f"the values of a grid of side {n} are {lowest} to {highest}")

    def __getitem__(self, place: tuple[int, int]) -> int:
        """The value at a row and column, counted from 1. Raises IndexError outside the grid."""
        try:
            row, column = place
        except (TypeError, ValueError):
            raise TypeError(f"expected a row and a column, as in grid[1, 2]: {place!r}") from None
        cell = self.geometry.cell_at(row, column)
        if cell is None:
            raise IndexError(f"there is no cell at row {row}, column {column}")
        return self.values[cell]

    def _repr_html_(self) -> str | None:
        return drawn(None, self)

    def __str__(self) -> str:
        return board(self.geometry, [*map(str, self.values)])

    def __repr__(self) -> str:
        return "<Grid of {}×{} cells>".format(*self.geometry.extent)

    def rows(self) -> Iterator[tuple[int, ...]]:
        """The rows of a single grid; then, if it is free, the groups of extra cells.

        Raises ValueError for several grids that share cells, such as a samurai.
        """
        n = self.geometry.side
        if self.geometry.grids:
            raise ValueError(f"{len(self.geometry.grids)} grids that share cells have no rows")
        if free := self.geometry.free:
            return (self.values[cells.start : cells.stop] for _, cells in free.lines())
        return (self.values[start : start + n] for start in range(0, n * n, n))


def drawn(puzzle: Puzzle | None, grid: Grid | None = None) -> str | None:
    """The image that notebooks show of a puzzle, a solution or both; None if it is too large."""
    from pipeline.outbox.report.board import board_image  # noqa: PLC0415 - slow to load

    return board_image(puzzle, grid)
