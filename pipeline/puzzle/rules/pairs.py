"""Rules about single cells and pairs of cells: chess moves, dots, signs, parity, indexers."""

from __future__ import annotations

from collections.abc import Iterable
from operator import gt, ne
from typing import ClassVar

from pipeline.puzzle.arguments import CellField, CellsField, NumbersField, PairsField
from pipeline.puzzle.constraints import (
    Allowed,
    CellPairs,
    Cells,
    Constraint,
    Pairs,
    Values,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import (
    BorderRule,
    GridRule,
    border_point,
    check_cells,
    check_one_grid,
    neighbours,
    pairs_at,
    pointer,
)
from pipeline.puzzle.shapes import Label, Outline, Shape, Tint

TOTAL_LETTERS = {5: "V", 10: "X"}
"""Total → its letter in drawings."""


class AntiKnight(GridRule):
    """Cells a knight's move apart hold different values."""

    name = "anti-knight"

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(pairs_at(geometry, ((1, -2), (1, 2), (2, -1), (2, 1)))), ne)


class AntiKing(GridRule):
    """Cells that touch, even diagonally, hold different values."""

    name = "anti-king"

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(pairs_at(geometry, ((0, 1), (1, -1), (1, 0), (1, 1)))), ne)


class NegativeRule:
    """Mixin: a rule about all pairs of orthogonally adjacent cells except the `exempt` ones.

    `exempt` is sorted when all its cells are numbers.
    """

    name: ClassVar[str]
    has_positions: ClassVar[bool]
    exempt: PairsField

    def check(self) -> None:
        for pair in self.exempt:
            check_cells(f"{self.name}: an exempt pair", pair, no_repeats=True)
        if not self.has_positions:
            pairs = {(min(pair), max(pair)) for pair in self.exempt}
            object.__setattr__(self, "exempt", tuple(sorted(pairs)))

    def pairs(self, geometry: Geometry) -> CellPairs:
        """The pairs of cells to which the rule applies."""
        exempt = {*self.exempt}
        return tuple(pair for pair in neighbours(geometry) if pair not in exempt)


class Nonconsecutive(NegativeRule, GridRule):
    """Adjacent cells do not hold consecutive values. Pairs with a dot are `exempt`."""

    name = "nonconsecutive"

    exempt: PairsField = ()  # type: ignore[assignment] # `Field` converts it

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(self.pairs(geometry), _has_no_dot, ((1,), ()))


class NegativeKropki(NegativeRule, GridRule):
    """Adjacent cells have none of the listed differences and ratios.

    The lists are `differences` and `ratios`. Pairs with a dot are `exempt`.
    """

    name = "no other dots"

    differences: NumbersField
    ratios: NumbersField
    exempt: PairsField

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(self.pairs(geometry), _has_no_dot, (self.differences, self.ratios))

    def caption(self) -> str:
        numbers = [f"difference {difference}" for difference in self.differences]
        numbers += [f"ratio {ratio}" for ratio in self.ratios]
        return f"{self.name} ({', '.join(numbers)})"


class NegativeXV(NegativeRule, GridRule):
    """Adjacent cells do not sum to `totals`. Pairs with a sign are `exempt`."""

    name = "no other XV"

    totals: NumbersField
    exempt: PairsField

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(self.pairs(geometry), _sums_to_none, self.totals)


class WhiteDot(BorderRule):
    """The values on both sides of the dot differ by `difference`."""

    name, style, bounded_field = "white dot", "white", ("difference", 0)

    difference: int = 1

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(((self.a, self.b),), _differs_by, (self.difference,))

    def text(self) -> str:
        return "" if self.difference == 1 else str(self.difference)


class BlackDot(BorderRule):
    """One of the values on both sides of the dot is `ratio` times the other."""

    name, style, bounded_field = "black dot", "black", ("ratio", 1)

    ratio: int = 2

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(((self.a, self.b),), _has_ratio, (self.ratio,))

    def text(self) -> str:
        return "" if self.ratio == 2 else str(self.ratio)


class XV(BorderRule):
    """The values on both sides of the sign sum to `total`: 10 for X, 5 for V."""

    name = "XV"

    total: int

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(((self.a, self.b),), _sums_to, (self.total,))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        text = TOTAL_LETTERS.get(self.total, str(self.total))
        return (Label(border_point(geometry, self.a, self.b), text, "xv"),)

    def title(self) -> str:
        return TOTAL_LETTERS.get(self.total, f"sum {self.total}")


class Greater(BorderRule):
    """The first cell holds the larger value; the sign opens towards it."""

    name = "greater than"

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(((self.a, self.b),), gt)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (_sign(geometry, self.a, self.b, "greater"),)

    def describe(self, geometry: Geometry) -> str:
        return f"{geometry.name_of(self.a)} {self.name} {geometry.name_of(self.b)}"


class Extreme(Rule):
    """The cell is smaller than its neighbours across a sign; a `maximum` is larger."""

    name, preposition = "minimum or maximum", "at"

    cell: CellField
    neighbours: CellsField
    maximum: bool

    def check(self) -> None:
        check_cells(self.name, (self.cell, *self.neighbours), no_repeats=True)

    def scope(self, geometry: Geometry) -> Cells:
        return self.cell, *self.neighbours

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(self._ordered_pairs(), gt)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        signs = (_sign(geometry, *pair, self.title()) for pair in self._ordered_pairs())
        return Tint((geometry.place(self.cell),), self.title()), *signs

    def title(self) -> str:
        return "maximum" if self.maximum else "minimum"

    def _ordered_pairs(self) -> CellPairs:
        """The pairs (cell with the larger value, cell with the smaller value)."""
        pairs = ((self.cell, other) for other in self.neighbours)
        return tuple(pairs if self.maximum else (pair[::-1] for pair in pairs))


class Parity(Rule):
    """A cell with a disc is odd; a cell with a square is even."""

    name, preposition = "even or odd", "at"

    cell: CellField
    odd: bool

    def constraints(self, geometry: Geometry) -> Constraint:
        allowed = (value for value in geometry.values if value % 2 == self.odd)
        return Allowed(self.cell, tuple(allowed))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Tint((geometry.place(self.cell),), self.title()),)

    def title(self) -> str:
        return "odd" if self.odd else "even"


class Among(Rule):
    """The cell holds one of the values.

    If a cell has two givens that contradict each other, the second becomes such a rule. The puzzle
    then has no solution.
    """

    name, preposition = "values", "at"

    cell: CellField
    allowed: NumbersField

    def check(self) -> None:
        if not self.allowed:
            raise ValueError(f"{self.name}: must have at least one value")

    def constraints(self, geometry: Geometry) -> Constraint:
        return Allowed(self.cell, self.allowed)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        text = " ".join(map(str, self.allowed))
        return (Outline((geometry.place(self.cell),), "sum", text),)

    def title(self) -> str:
        return " or ".join(map(str, self.allowed))


class Indexer(Rule):
    """Cell (r, c) holds v if and only if (r, v) holds c or, for a `row` indexer, (v, c) holds r."""

    name, preposition = "indexer", "at"

    cell: CellField
    row: bool

    def scope(self, geometry: Geometry) -> Cells:
        return tuple(dict.fromkeys((self.cell, *self._line(geometry))))

    def constraints(self, geometry: Geometry) -> Constraint:
        index = geometry.place(self.cell)[0 if self.row else 1]
        return pointer(self.cell, tuple(self._line(geometry)), index, geometry.values)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Tint((geometry.place(self.cell),), self.title().replace(" ", "-")),)

    def title(self) -> str:
        return f"{'row' if self.row else 'column'} {self.name}"

    def _line(self, geometry: Geometry) -> range:
        """The cells that the value may point at, in order: the row or, with `row`, the column."""
        if geometry.free_grid is None:
            check_one_grid(self.name, geometry)
        elif self.cell >= geometry.grid_size:
            raise ValueError(f"{self.name}: a cell outside the grid")
        n = geometry.free_grid.columns if geometry.free_grid else geometry.side
        if self.row:
            return range(self.cell % n, geometry.grid_size, n)
        first = self.cell - self.cell % n
        return range(first, first + n)


class BoxIndexer(Rule):
    """In reading order, cell p of the region holds v if and only if cell v in it holds p."""

    name, preposition = "box indexer", "at"

    cell: CellField
    region: CellsField

    def check(self) -> None:
        check_cells(self.name, self.region, no_repeats=True)
        if not self.has_positions and self.cell not in self.region:
            raise ValueError(f"{self.name}: its cell must be in its region")

    def constraints(self, geometry: Geometry) -> Constraint:
        region = tuple(sorted(self.region))
        if len(region) != geometry.side:
            n = geometry.side
            raise ValueError(f"{self.name}: its region must have {n} cells, not {len(region)}")
        if geometry.values != range(1, len(region) + 1):
            raise ValueError(f"{self.name}: the values of the grid must begin with 1")
        return pointer(self.cell, region, region.index(self.cell) + 1, geometry.values)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Tint((geometry.place(self.cell),), "box-indexer"),)


def marked_pairs(geometry: Geometry, rules: Iterable[Rule], *kinds: type[BorderRule]) -> CellPairs:
    """The pairs of adjacent cells that have a mark of these kinds, sorted as `exempt` requires."""
    marks = [(rule.a, rule.b) for rule in rules if isinstance(rule, kinds)]
    return tuple(sorted({(min(pair), max(pair)) for pair in marks} & {*neighbours(geometry)}))


def _differs_by(u: int, v: int, difference: int) -> bool:
    return abs(u - v) == difference


def _has_ratio(u: int, v: int, ratio: int) -> bool:
    return u == ratio * v or v == ratio * u


def _sums_to(u: int, v: int, total: int) -> bool:
    return u + v == total


def _sums_to_none(u: int, v: int, *totals: int) -> bool:
    return u + v not in totals


def _has_no_dot(u: int, v: int, differences: Values, ratios: Values) -> bool:
    has_ratio = any(_has_ratio(u, v, ratio) for ratio in ratios)
    return abs(u - v) not in differences and not has_ratio


def _sign(geometry: Geometry, more: int, less: int, style: str) -> Label:
    """The sign between two cells; it opens towards `more`, the cell with the larger value."""
    (row, column), (other_row, other_column) = geometry.place(more), geometry.place(less)
    if row == other_row:
        text = ">" if column < other_column else "<"
    else:
        text = "∨" if row < other_row else "∧"
    return Label(border_point(geometry, more, less), text, style)
