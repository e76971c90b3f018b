"""Rules about single cells and pairs of cells: chess moves, dots, signs, parity, indexers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import gt, ne

from pipeline.puzzle.formulas import Allowed, Constraint, Equivalent, Pairs
from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.base import (
    CellPairs,
    Cells,
    Everywhere,
    OnBorder,
    border,
    check_at_least,
    check_cells,
    check_one_grid,
    moves,
    neighbours,
    place,
)
from pipeline.puzzle.shapes import Dot, Label, Outline, Shape, Tint

SIGNS = {5: "V", 10: "X"}
"""The totals that have a letter."""


@dataclass(frozen=True, slots=True)
class AntiKnight(Everywhere):
    """Cells a knight's move apart differ."""

    name = "anti-knight"

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(moves(geometry, ((1, -2), (1, 2), (2, -1), (2, 1)))), ne)


@dataclass(frozen=True, slots=True)
class AntiKing(Everywhere):
    """Cells that touch, even at a corner, differ."""

    name = "anti-king"

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(moves(geometry, ((0, 1), (1, -1), (1, 0), (1, 1)))), ne)


class Negative(Everywhere):
    """A rule about all orthogonal neighbours except the pairs `spared`.

    Raises ValueError unless each of these pairs is ascending, and they are sorted, each once.
    """

    __slots__ = ()

    spared: CellPairs

    def __post_init__(self) -> None:
        if list(self.spared) != sorted({*self.spared}) or any(a >= b for a, b in self.spared):
            raise ValueError(f"{self.name}: the pairs spared are not ascending, sorted, each once")

    def pairs(self, geometry: Geometry) -> CellPairs:
        """The pairs of cells that the rule is about, each once."""
        spared = {*self.spared}
        return tuple(pair for pair in neighbours(geometry) if pair not in spared)


@dataclass(frozen=True, slots=True)
class Nonconsecutive(Negative):
    """Orthogonal neighbours, except the pairs `spared`, do not hold consecutive values."""

    name = "nonconsecutive"

    spared: CellPairs = ()

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(self.pairs(geometry), _has_no_dot, ((1,), ()))


@dataclass(frozen=True, slots=True)
class NegativeKropki(Negative):
    """Orthogonal neighbours, except the pairs `spared`, have none of these differences and ratios.

    The pairs spared are those with a dot.
    """

    name = "no other dots"

    differences: Cells
    ratios: Cells
    spared: CellPairs

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(self.pairs(geometry), _has_no_dot, (self.differences, self.ratios))


@dataclass(frozen=True, slots=True)
class NegativeXV(Negative):
    """Orthogonal neighbours, except the pairs `spared`, sum to none of these totals.

    The pairs spared are those with a sign.
    """

    name = "no other XV"

    totals: Cells
    spared: CellPairs

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(self.pairs(geometry), _sums_to_none, self.totals)


@dataclass(frozen=True, slots=True)
class WhiteDot(OnBorder):
    """The values of two cells differ by `difference`."""

    name = "white dot"

    a: int
    b: int
    difference: int = 1

    def __post_init__(self) -> None:
        OnBorder.__post_init__(self)
        check_at_least(self.name, "the difference", self.difference, 0)

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(((self.a, self.b),), _differs_by, (self.difference,))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Dot(border(geometry, self.a, self.b), "white", _unusual(self.difference, 1)),)

    def describe(self, geometry: Geometry) -> str:
        return _with_number(OnBorder.describe(self, geometry), _unusual(self.difference, 1))


@dataclass(frozen=True, slots=True)
class BlackDot(OnBorder):
    """One of two cells holds `ratio` times the value of the other."""

    name = "black dot"

    a: int
    b: int
    ratio: int = 2

    def __post_init__(self) -> None:
        OnBorder.__post_init__(self)
        check_at_least(self.name, "the ratio", self.ratio, 1)

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(((self.a, self.b),), _has_ratio, (self.ratio,))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Dot(border(geometry, self.a, self.b), "black", _unusual(self.ratio, 2)),)

    def describe(self, geometry: Geometry) -> str:
        return _with_number(OnBorder.describe(self, geometry), _unusual(self.ratio, 2))


@dataclass(frozen=True, slots=True)
class XV(OnBorder):
    """Two cells sum to `total`: 10 is drawn as X, 5 as V."""

    name = "XV"

    a: int
    b: int
    total: int

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(((self.a, self.b),), _sums_to, (self.total,))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        text = SIGNS.get(self.total, str(self.total))
        return (Label(border(geometry, self.a, self.b), text, "xv"),)

    def describe(self, geometry: Geometry) -> str:
        sign = SIGNS.get(self.total, f"sum {self.total}")
        return f"{sign} between {place(geometry, self.a)} and {place(geometry, self.b)}"


@dataclass(frozen=True, slots=True)
class Greater(Rule):
    """The value of `more` is greater than that of `less`."""

    name = "greater than"

    more: int
    less: int

    def __post_init__(self) -> None:
        check_cells(self.name, (self.more, self.less), once=True)

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(((self.more, self.less),), gt)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (_sign(geometry, self.more, self.less, "greater"),)

    def describe(self, geometry: Geometry) -> str:
        return f"{place(geometry, self.more)} {self.name} {place(geometry, self.less)}"


@dataclass(frozen=True, slots=True)
class Extreme(Rule):
    """A cell holds less (`maximum`: more) than each of its neighbours that are named."""

    name = "minimum or maximum"

    cell: int
    neighbours: Cells
    maximum: bool

    def __post_init__(self) -> None:
        check_cells(self.name, (self.cell, *self.neighbours), once=True)

    def cells(self, geometry: Geometry) -> Cells:
        return self.cell, *self.neighbours

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(self._unequal(), gt)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        signs = (_sign(geometry, *pair, self._kind) for pair in self._unequal())
        return Tint((geometry.place(self.cell),), self._kind), *signs

    def describe(self, geometry: Geometry) -> str:
        return f"{self._kind} at {place(geometry, self.cell)}"

    def _unequal(self) -> CellPairs:
        """Pairs of cells of which the first is greater."""
        pairs = ((self.cell, other) for other in self.neighbours)
        return tuple(pairs if self.maximum else (pair[::-1] for pair in pairs))

    @property
    def _kind(self) -> str:
        return "maximum" if self.maximum else "minimum"


@dataclass(frozen=True, slots=True)
class Parity(Rule):
    """A cell holds an odd value, or else an even one."""

    name = "even or odd"

    cell: int
    odd: bool

    def formula(self, geometry: Geometry) -> Constraint:
        return Allowed(self.cell, range(1 if self.odd else 2, geometry.side + 1, 2))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Tint((geometry.place(self.cell),), "odd" if self.odd else "even"),)

    def describe(self, geometry: Geometry) -> str:
        return f"{'odd' if self.odd else 'even'} at {place(geometry, self.cell)}"


@dataclass(frozen=True, slots=True)
class Among(Rule):
    """A cell holds one of the values, whatever else the puzzle gives it.

    Formats state givens of one cell that contradict each other with it: there is no solution.
    """

    name = "values"

    cell: int
    allowed: Cells

    def __post_init__(self) -> None:
        if not self.allowed:
            raise ValueError(f"{self.name}: at least one value")

    def formula(self, geometry: Geometry) -> Constraint:
        return Allowed(self.cell, self.allowed)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        text = " ".join(map(str, self.allowed))
        return (Outline((geometry.place(self.cell),), "sum", text),)

    def describe(self, geometry: Geometry) -> str:
        return f"{' or '.join(map(str, self.allowed))} at {place(geometry, self.cell)}"


@dataclass(frozen=True, slots=True)
class Indexer(Rule):
    """The cell at (r, c) holds v exactly if (r, v) holds c; with `row`: if (v, c) holds r."""

    name = "indexer"

    cell: int
    row: bool

    def cells(self, geometry: Geometry) -> Cells:
        check_one_grid(self.name, geometry)
        return tuple(dict.fromkeys((self.cell, *self._line(geometry))))

    def formula(self, geometry: Geometry) -> Constraint:
        own, index = self.cell, geometry.place(self.cell)[0 if self.row else 1]
        line = enumerate(self._line(geometry), start=1)
        return Equivalent(tuple(((own, v), (there, index)) for v, there in line if there != own))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Tint((geometry.place(self.cell),), f"{self._kind}-indexer"),)

    def describe(self, geometry: Geometry) -> str:
        return f"{self._kind} {self.name} at {place(geometry, self.cell)}"

    def _line(self, geometry: Geometry) -> range:
        """The cells, in turn, that its value may point at: its row (`row`: its column)."""
        n = geometry.side
        if self.row:
            return range(self.cell % n, n * n, n)
        first = self.cell - self.cell % n
        return range(first, first + n)

    @property
    def _kind(self) -> str:
        return "row" if self.row else "column"


def marked_pairs(geometry: Geometry, rules: Iterable[Rule], *kinds: type[OnBorder]) -> CellPairs:
    """The neighbours between which rules of these kinds stand, as `spared` wants them."""
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


def _has_no_dot(u: int, v: int, differences: Cells, ratios: Cells) -> bool:
    quotient, rest = divmod(max(u, v), min(u, v))
    return abs(u - v) not in differences and (rest > 0 or quotient not in ratios)


def _unusual(number: int, usual: int) -> str:
    """The text in a dot: none if its number is the usual one."""
    return "" if number == usual else str(number)


def _with_number(described: str, number: str) -> str:
    """`white dot between …` → `white dot 3 between …`."""
    name, _, between = described.partition(" between ")
    return f"{name}{number and f' {number}'} between {between}"


def _sign(geometry: Geometry, more: int, less: int, look: str) -> Label:
    """The sign on the border of two cells that opens towards the greater one."""
    (row, column), (other_row, other_column) = geometry.place(more), geometry.place(less)
    if row == other_row:
        text = ">" if column < other_column else "<"
    else:
        text = "∨" if row < other_row else "∧"
    return Label(border(geometry, more, less), text, look)
