"""Rules about groups of cells and their sums: cages, arrows, quadruples, clones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from operator import eq

from pipeline.puzzle.formulas import (
    AllDifferent,
    AtLeast,
    Constraint,
    Every,
    Pairs,
    SameTotals,
    SetTotal,
    Total,
)
from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.base import Cells, Shaded, check_cells, place, places
from pipeline.puzzle.shapes import Dot, Line, Outline, Ring, Shape

LARGEST_CIRCLE = 3
"""Cells of an arrow's circle, which are the digits of a number."""


@dataclass(frozen=True, slots=True)
class Cage(Rule):
    """The cells hold different values that sum to `total`, if it has one."""

    name = "cage"

    cage: Cells
    total: int | None = None

    def __post_init__(self) -> None:
        check_cells(self.name, self.cage, once=True)

    def formula(self, geometry: Geometry) -> Constraint:
        different = AllDifferent(self.cage)
        if self.total is None or len(self.cage) > geometry.side:
            return different
        values = range(1, geometry.side + 1)
        return Every((different, SetTotal(self.cage, self.total, values)))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        text = "" if self.total is None else str(self.total)
        return (Outline(places(geometry, self.cage), "cage", text),)

    def describe(self, geometry: Geometry) -> str:
        total = "" if self.total is None else f" {self.total}"
        return f"{self.name}{total} at {place(geometry, self.cage[0])}"


@dataclass(frozen=True, slots=True)
class Sum(Rule):
    """The values, each times its weight, sum to `total`; a cell may be named more than once."""

    name = "sum"

    terms: tuple[tuple[int, int], ...]
    total: int

    def __post_init__(self) -> None:
        check_cells(self.name, [cell for cell, _ in self.terms])

    def formula(self, geometry: Geometry) -> Constraint:
        return Total(self.terms, self.total)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Outline(places(geometry, self.cells(geometry)), "sum", str(self.total)),)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} {self.total} at {place(geometry, self.terms[0][0])}"


@dataclass(frozen=True, slots=True)
class Arrow(Rule):
    """The shaft sums to the circle; a circle of two or three cells is a number in reading order.

    Values above 9 count as they are: 1 and 12 make 22.
    """

    name = "arrow"

    circle: Cells
    shaft: Cells

    def __post_init__(self) -> None:
        check_cells(f"{self.name}: its circle", self.circle, once=True)
        check_cells(f"{self.name}: its shaft", self.shaft)
        if len(self.circle) > LARGEST_CIRCLE:
            raise ValueError(f"{self.name}: at most 3 cells in the circle, not {len(self.circle)}")

    def formula(self, geometry: Geometry) -> Constraint:
        weights = (-100, -10, -1)[-len(self.circle) :]
        circle = zip(sorted(self.circle), weights, strict=True)
        return Total((*circle, *((cell, 1) for cell in self.shaft)), 0)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        circle, shaft = places(geometry, sorted(self.circle)), places(geometry, self.shaft)
        (row, column) = shaft[0]
        start = min(circle, key=lambda place: abs(place[0] - row) + abs(place[1] - column))
        return Ring(circle, "arrow"), Line((start, *shaft), "arrow", head=True)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} at {place(geometry, min(self.circle))}"


@dataclass(frozen=True, slots=True)
class Quadruple(Rule):
    """The cells, four at most, hold these values, each at least as often as it is named."""

    name = "quadruple"

    around: Cells
    wanted: Cells

    def __post_init__(self) -> None:
        check_cells(self.name, self.around, 2, once=True)
        if len(self.around) > 4:
            raise ValueError(f"{self.name}: at most 4 cells, not {len(self.around)}")
        if not self.wanted:
            raise ValueError(f"{self.name}: no values")

    def formula(self, geometry: Geometry) -> Constraint:
        wanted = Counter(self.wanted).items()
        return Every(tuple(AtLeast(self.around, value, times) for value, times in wanted))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        rows, columns = zip(*places(geometry, self.around), strict=True)
        middle = ((min(rows) + max(rows)) / 2, (min(columns) + max(columns)) / 2)
        return (Dot(middle, "quadruple", " ".join(map(str, self.wanted))),)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} at {place(geometry, min(self.around))}"


@dataclass(frozen=True, slots=True)
class Clone(Shaded):
    """Each cell of `original` holds the same value as its counterpart in `copy`."""

    name, look = "clone", "clone"

    original: Cells
    copy: Cells

    def __post_init__(self) -> None:
        check_cells(self.name, self.original)
        _check_parts(self, alike=True)

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(zip(self.original, self.copy, strict=True)), eq)

    def groups(self) -> tuple[Cells, ...]:
        return self.original, self.copy


@dataclass(frozen=True, slots=True)
class SameMultiset(Shaded):
    """All parts hold the same values, each equally often, in any order."""

    name, look = "same values", "same-values"

    parts: tuple[Cells, ...]

    def __post_init__(self) -> None:
        _check_parts(self, alike=True)

    def formula(self, geometry: Geometry) -> Constraint:
        values = range(1, geometry.side + 1)
        return Every(tuple(SameTotals(self.parts, counted=value) for value in values))

    def groups(self) -> tuple[Cells, ...]:
        return self.parts


@dataclass(frozen=True, slots=True)
class EqualSums(Shaded):
    """All parts have the same sum; a part may name a cell more than once."""

    name, look = "equal sums", "equal-sums"

    parts: tuple[Cells, ...]

    def __post_init__(self) -> None:
        _check_parts(self)

    def formula(self, geometry: Geometry) -> Constraint:
        return SameTotals(self.parts)

    def groups(self) -> tuple[Cells, ...]:
        return self.parts


def _check_parts(rule: Shaded, *, alike: bool = False) -> None:
    """Raise ValueError for one part, one without cells, or unlike sizes if they must be alike."""
    parts = rule.groups()
    if len(parts) < 2:
        raise ValueError(f"{rule.name}: at least 2 parts, not {len(parts)}")
    for part in parts:
        check_cells(f"{rule.name}: a part", part)
    if alike and len({*map(len, parts)}) > 1:
        raise ValueError(f"{rule.name}: the parts have different numbers of cells")
