"""Rule, Puzzle and Grid: a Sudoku, independent of any file format.

The module `geometry` describes the numbering of cells and the masks of values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    dataclass_transform,
    overload,
)

from pipeline.errors import counted, shortened
from pipeline.puzzle.arguments import convert_fields, mapped_cells
from pipeline.puzzle.boards import board_text, value_of
from pipeline.puzzle.geometry import (
    NINE_BY_NINE,
    Geometry,
    default_geometry,
    units_of,
    values_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.puzzle.builder import ClauseBuilder
    from pipeline.puzzle.clauses import RuleClauses
    from pipeline.puzzle.constraints import Constraint
    from pipeline.puzzle.shapes import Shape
    from pipeline.settings import NotationChoice


class Candidate(NamedTuple):
    """The statement "cell (row, column) holds value". Rows and columns are counted from 1."""

    row: int
    column: int
    value: int


# Subclasses are frozen, but mypy 1.x forgets `Field.__get__` of inherited fields in frozen classes.
@dataclass_transform(eq_default=False)
class Rule(ABC):
    """A rule of a variant, such as a cage, a thermometer or an anti-knight rule.

    A rule has data (cells and numbers), constraints, a drawing, and the name that records use. The
    constraints both check grids and produce clauses. The docstring of the class describes the rule
    to users. Each subclass becomes a frozen dataclass.

    The arguments are checked when a rule is made. A cell is its number, from 0, or its position
    (row, column), from 1; a puzzle replaces positions by numbers.

        >>> from pipeline import Puzzle
        >>> from pipeline.rules import Cage
        >>> cage = Cage([(1, 1), (1, 10)], total=15)
        >>> Puzzle.empty(9).with_rules(cage)
        Traceback (most recent call last):
        ...
        ValueError: cage: cells: there is no cell at row 1, column 10 in a grid of 9×9 cells
    """

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, repr=False)(cls)

    name: ClassVar[str]
    preposition: ClassVar[str] = ""
    """The word between the title and the first cell, such as "at"; empty if no cell is named."""
    is_faint: ClassVar[bool] = False
    """Whether the shapes are drawn faintly, because only some of the rules that they show hold."""
    has_positions: ClassVar[bool] = False
    """Whether a cell of this rule is a position. Then only `resolved` may be called."""

    def __post_init__(self) -> None:
        if convert_fields(self, self.name):
            object.__setattr__(self, "has_positions", True)
        self.check()

    def check(self) -> None:  # noqa: B027 - not abstract: few rules override it
        """Raise ValueError if the arguments do not fit together."""

    def resolved(self, geometry: Geometry) -> Self:
        """The rule with positions replaced by numbers of cells.

        Raises ValueError if there is no cell at a position.
        """
        if not self.has_positions:
            return self
        rule: Any = self  # `__init_subclass__` makes it a dataclass
        changed: Self = replace(rule, **mapped_cells(self, self.name, geometry.cell_of))
        return changed

    def __repr__(self) -> str:
        rule: Any = self
        arguments = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(rule))
        return f"{type(self).__name__}({shortened(', '.join(arguments))})"

    @abstractmethod
    def constraints(self, geometry: Geometry) -> Constraint:
        """The rule as a constraint. Raises ValueError if the rule does not fit the geometry."""

    def scope(self, geometry: Geometry) -> tuple[int, ...]:
        """The cells on whose values the rule depends, without repeats."""
        return tuple(dict.fromkeys(self.constraints(geometry).scope()))

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        """Whether a grid with these values, one for each cell, satisfies the rule."""
        return self.constraints(geometry).holds(values)

    def encode(self, geometry: Geometry, clauses: ClauseBuilder) -> None:
        """Add clauses that an assignment of `cells` satisfies if and only if the rule holds."""
        self.constraints(geometry).encode(clauses)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        """The shapes that draw the rule; empty if it is not drawn."""
        return ()

    def title(self) -> str:
        """The name for users, with the number if the rule has one, such as `cage 15`."""
        return self.name

    def caption(self) -> str:
        """The name in print, such as `whispers 5`. A number that the drawing shows is left out."""
        return self.name

    def describe(self, geometry: Geometry) -> str:
        """The title and the location, such as `cage 15 at r1c1`."""
        if not self.preposition:
            return self.title()
        return f"{self.title()} {self.preposition} {geometry.name_of(self.scope(geometry)[0])}"


_MAX_INNIES = 10_000
"""Number of clauses after which no further innies and outies are added. Killers of 9×9 cells have
up to 4,000, killers of 25×25 cells would have a million.
"""

_last_constraints: list[tuple[Geometry, tuple[Rule, ...], tuple[Constraint, ...]]] = []
_last_clauses: list[tuple[Geometry, tuple[Rule, ...], RuleClauses]] = []
"""Caches of the last puzzle's constraints and clauses, which solving requests several times. Each
is a list of one entry, because hashing the rules takes longer than comparing them.
"""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle: a geometry, a mask of allowed values for each cell, and the rules of variants.

        >>> Puzzle.from_rows(["1...", "..2.", ".3..", "...4"])
        <Puzzle of 4×4 cells, 4 givens>

    Raises ValueError for a wrong number of cells, for a mask that is empty or contains values above
    the side, and for rules about cells outside the geometry.
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
            if not isinstance(rule, Rule):
                raise TypeError(f"expected a rule, found {rule!r}")
        is_tuple = isinstance(self.rules, tuple)
        if not is_tuple or any(rule.has_positions for rule in self.rules):
            object.__setattr__(
                self, "rules", tuple(rule.resolved(self.geometry) for rule in self.rules)
            )
        for rule in self.rules:
            for cell in rule.scope(self.geometry):
                if not 0 <= cell < size:
                    raise ValueError(
                        f"{rule.name}: there is no cell {cell}; the last is {size - 1}"
                    )

    @property
    def is_plain(self) -> bool:
        """Whether the puzzle is a single grid with standard units and no rules of variants."""
        return not (self.rules or self.geometry.grids or self.geometry.free_grid)

    @property
    def is_classic(self) -> bool:
        """Whether the puzzle is a 9×9 grid with 3×3 boxes and no rules of variants."""
        return self.is_plain and self.geometry == NINE_BY_NINE

    @classmethod
    def empty(cls, geometry: Geometry | int, rules: tuple[Rule, ...] = ()) -> Puzzle:
        """A puzzle without givens. `geometry` may be a side, which has the default boxes.

        The default boxes of side 9 have 3×3 cells, and boxes of side 6 have 2 rows and 3 columns. A
        prime side has no boxes.
        """
        if isinstance(geometry, int):
            geometry = default_geometry(geometry)
        if not isinstance(geometry, Geometry):
            raise TypeError(f"expected a side or a Geometry, found {geometry!r}")
        return cls(geometry, (geometry.all_values,) * geometry.size, rules)

    @classmethod
    def of_values(
        cls, geometry: Geometry, values: Iterable[int], rules: tuple[Rule, ...] = ()
    ) -> Puzzle:
        """Make a puzzle from the value of each cell. A number below the lowest value is a blank."""
        all_values, lowest = geometry.all_values, geometry.lowest
        masks = (1 << (v - lowest) if v >= lowest else all_values for v in values)
        return cls(geometry, tuple(masks), rules)

    @classmethod
    def from_rows(
        cls, rows: Iterable[Iterable[int | str | None]], geometry: Geometry | None = None
    ) -> Puzzle:
        """Make a puzzle of a single grid from rows: lists of values, or strings like `53..7....`.

        A blank is 0, None, an empty string, a space, or one of `. _ -`. Without a geometry, the
        boxes are the default ones. Raises ValueError for other cells, and for rows that do not fit.

        >>> print(Puzzle.from_rows([[1, 0, 0, 0], "..2.", ".3..", [0, 0, 0, 4]]))
        1 . . .
        . . 2 .
        . 3 . .
        . . . 4
        """
        values = [
            [value_of(cell, (row, column)) for column, cell in enumerate(cells, 1)]
            for row, cells in enumerate(rows, 1)
        ]
        if not values:
            raise ValueError("expected rows of values, found no row")
        geometry = geometry or default_geometry(len(values))
        n = geometry.side
        if geometry.grids or geometry.free_grid:
            raise ValueError("expected the geometry of a single grid with standard units")
        if len(values) != n:
            raise ValueError(
                f"expected {n} rows of {n} values, found {counted(len(values), 'row')}"
            )
        for row, line in enumerate(values, 1):
            if len(line) != n:
                found = counted(len(line), "value")
                raise ValueError(f"expected {n} rows of {n} values, found {found} in row {row}")
            if max(line) > n:
                where = f"row {row}, column {line.index(max(line)) + 1}"
                raise ValueError(f"{where}: expected a value up to {n}, found {max(line)}")
        return cls.of_values(geometry, [value for row in values for value in row])

    @classmethod
    def from_file(cls, path: str | Path) -> Puzzle:
        """Read a file in any format with one puzzle. For files with several puzzles, use `read`.

        >>> Puzzle.from_file("examples/killer.txt")
        <Puzzle of 9×9 cells, 0 givens, 32 rules>

        Raises InvalidPuzzle, and OSError if the file cannot be read.
        """
        from pipeline.reading.formats.targets import puzzle_in  # noqa: PLC0415 - knows all formats

        return puzzle_in(path)

    def _repr_html_(self) -> str | None:
        return picture_html(self)

    def __str__(self) -> str:
        """The grid, with `.` for blanks, then a line for each rule."""
        geometry = self.geometry
        blank, separator = geometry.all_values, "" if geometry.side <= 9 else "/"
        texts = [
            "." if mask == blank else separator.join(map(str, values_of(mask, geometry.lowest)))
            for mask in self.cells
        ]
        rules = (rule.describe(geometry) for rule in self.rules)
        return "\n".join((board_text(geometry, texts), *rules))

    def __repr__(self) -> str:
        rows, columns = self.geometry.extent
        parts = [f"{rows}×{columns} cells", counted(len([*self.givens()]), "given")]
        parts += [counted(len(self.rules), "rule")] if self.rules else []
        return f"<Puzzle of {', '.join(parts)}>"

    def with_rules(self, *rules: Rule) -> Puzzle:
        """The same puzzle with these rules added. Raises ValueError as `Puzzle` does.

        >>> from pipeline.rules import Cage, Thermometer
        >>> puzzle = Puzzle.empty(4)
        >>> puzzle = puzzle.with_rules(Cage([(1, 1), (1, 2)], 3), Thermometer([(2, 1), (3, 1)]))
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
        """The contents of a file with this puzzle, in one of the notations of `convert --to`.

        Returns bytes for `png` and `pdf`, else a string. With a solution, the file contains the
        solution instead of the puzzle; pictures, f-puzzles and CSV contain both. Text other than
        SVG is parsed again and compared with the puzzle before it is returned.

        >>> print(Puzzle.of_values(Geometry(2, 2), [1, *[0] * 14, 4]).to("iss"))
        .Shape~4x4.~R1C1_1~R4C4_4
        <BLANKLINE>

        Raises ValueError if the notation cannot express the puzzle, and UsageError for an unknown
        notation or if the extra [draw] is missing.
        """
        from pipeline.reading.formats.targets import PICTURES, file_text  # noqa: PLC0415 - knows all formats

        if notation in PICTURES:
            from pipeline.outbox.report.board import picture  # noqa: PLC0415 - slow to load

            data = picture(self, solution, notation)
            return data.decode() if notation == "svg" else data
        return file_text(self, notation, solution)

    def clauses_of_rules(self, check: Callable[[int], None] | None = None) -> RuleClauses:
        """The clauses of the rules, cached. Variable c·n + v is "cell c holds v".

        `check` is called regularly with the memory needed, in bytes; `Limits.checker` returns such
        a function. Raises LimitReached if there are too many clauses, or if `check` does.
        """
        from pipeline.puzzle.builder import ClauseBuilder  # noqa: PLC0415 - few puzzles have rules
        from pipeline.puzzle.constraints import AllDifferent, conjuncts  # noqa: PLC0415 - as above
        from pipeline.puzzle.joined_totals import joined_totals  # noqa: PLC0415 - as above
        from pipeline.puzzle.sums import Total  # noqa: PLC0415 - as above
        from pipeline.puzzle.unit_totals import unit_totals  # noqa: PLC0415 - as above

        for geometry, rules, clauses in _last_clauses:
            if geometry == self.geometry and rules == self.rules:
                return clauses
        _last_clauses.clear()
        n, size, lowest = self.geometry.side, self.geometry.size, self.geometry.lowest
        units, values = units_of(self.geometry), self.geometry.values
        constraints = constraints_of(self)
        parts = [*conjuncts(constraints)]
        builder = ClauseBuilder(n, size, check=check, lowest=lowest, units=units)
        builder.add_regions(part.cells for part in parts if isinstance(part, AllDifferent))
        for constraint in constraints:
            constraint.encode(builder)
        totals = [total for total in constraints if isinstance(total, Total)]
        for total in joined_totals(totals, builder.groups, values):
            if builder.has_room:
                total.encode(builder)
        max_clauses = len(builder) + _MAX_INNIES
        for innies in unit_totals(parts, builder.group_masks, values, builder.peers):
            if builder.has_room and len(builder) < max_clauses:
                innies.encode(builder)
        clauses = builder.build()
        _last_clauses[:] = [(self.geometry, self.rules, clauses)]
        return clauses

    def givens(self) -> Iterator[tuple[int, int]]:
        """Yield the givens as (cell, value): the cells that allow a single value."""
        offset = self.geometry.lowest - 1
        return (
            (cell, mask.bit_length() + offset)
            for cell, mask in enumerate(self.cells)
            if mask & (mask - 1) == 0
        )


def constraints_of(puzzle: Puzzle) -> tuple[Constraint, ...]:
    """The constraint of each rule, in order, cached for the last puzzle.

    Raises ValueError if a rule does not fit the geometry.
    """
    geometry, rules = puzzle.geometry, puzzle.rules
    for known_geometry, known_rules, constraints in _last_constraints:
        if known_rules is rules and known_geometry == geometry:  # equal rules are hardly ever asked
            return constraints
    constraints = tuple(rule.constraints(geometry) for rule in rules)
    _last_constraints[:] = [(geometry, rules, constraints)]
    return constraints


_MAX_REPR_CELLS = 81
"""Maximum number of cells of a grid whose `repr` has the values."""


@dataclass(frozen=True, slots=True, order=True)
class Grid:
    """A value for each cell. A grid may break the rules of a puzzle; `certify_grid` checks that.

    Rows and columns count from 1 in `grid[row, column]`. Iteration yields the rows.

        >>> from pipeline import solve
        >>> grid = solve("1.....2..3.....4").solution
        >>> grid[1, 2], list(grid)
        (2, [(1, 2, 4, 3), (3, 4, 2, 1), (4, 3, 1, 2), (2, 1, 3, 4)])
        >>> grid
        <Grid of 4×4 cells: 1243 3421 4312 2134>

    Raises ValueError for a wrong number of values, and for values outside the geometry's range.
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
            raise TypeError(
                f"expected a row and a column, as in grid[1, 2], found {place!r}"
            ) from None
        cell = self.geometry.cell_at(row, column)
        if cell is None:
            raise IndexError(f"there is no cell at row {row}, column {column}")
        return self.values[cell]

    def _repr_html_(self) -> str | None:
        return picture_html(None, self)

    def __str__(self) -> str:
        return board_text(self.geometry, [*map(str, self.values)])

    def __repr__(self) -> str:
        text = "Grid of {}×{} cells".format(*self.geometry.extent)
        if len(self.values) > _MAX_REPR_CELLS or self.geometry.values[-1] > 9:
            return f"<{text}>"
        return f"<{text}: {' '.join(''.join(map(str, row)) for row in self.rows())}>"

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Yield the rows, as `rows` does."""
        return self.rows()

    def rows(self) -> Iterator[tuple[int, ...]]:
        """Yield the rows of a single grid, then each group of extra cells of a free geometry.

        Raises ValueError for overlapping grids, such as a samurai.
        """
        n = self.geometry.side
        if self.geometry.grids:
            raise ValueError(f"{len(self.geometry.grids)} overlapping grids have no rows")
        if free := self.geometry.free_grid:
            return (self.values[cells.start : cells.stop] for _, cells in free.rows_and_groups())
        return (self.values[start : start + n] for start in range(0, n * n, n))


def picture_html(puzzle: Puzzle | None, grid: Grid | None = None) -> str | None:
    """HTML that draws a puzzle, a solution or both in a notebook; None if it is too large."""
    from pipeline.outbox.report.board import board_image  # noqa: PLC0415 - slow to load

    return board_image(puzzle, grid)
