"""Rules about groups of cells and their sums: cages, arrows, quadruples, clones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import eq
from typing import ClassVar

from pipeline.puzzle.formulas import (
    AllDifferent,
    AtLeast,
    Cells,
    Constraint,
    Every,
    Pairs,
    SameTotals,
    SetTotal,
    Total,
)
from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules import check_cells, places, tinted
from pipeline.puzzle.rules.regions import Different
from pipeline.puzzle.shapes import Dot, Line, Outline, Ring, Shape

LARGEST_CIRCLE = 3
"""Cells of an arrow's circle, which are the digits of a number."""


class Cage(Different):
    """The cells hold different values that sum to `total`, if it has one."""

    name = "cage"

    total: int | None = None

    def formula(self, geometry: Geometry) -> Constraint:
        different = AllDifferent(self.group)
        if self.total is None or len(self.group) > geometry.side:
            return different
        return Every((different, SetTotal(self.group, self.total, geometry.values)))

    def title(self) -> str:
        return self.name if self.total is None else f"{self.name} {self.total}"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        text = "" if self.total is None else str(self.total)
        return (Outline(places(geometry, self.group), "cage", text),)


class Sum(Rule):
    """The values, each times its weight, sum to `total`; a cell may be named more than once."""

    name, where = "sum", "at"

    terms: tuple[tuple[int, int], ...]
    total: int

    def __post_init__(self) -> None:
        check_cells(self.name, [cell for cell, _ in self.terms])

    def formula(self, geometry: Geometry) -> Constraint:
        return Total(self.terms, self.total)

    def title(self) -> str:
        return f"{self.name} {self.total}"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Outline(places(geometry, self.cells(geometry)), "sum", str(self.total)),)


class Arrow(Rule):
    """The shaft sums to the circle; a circle of two or three cells is a number in reading order.

    Values above 9 count as they are: 1 and 12 make 22.
    """

    name, where = "arrow", "at"

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


class Quadruple(Rule):
    """The cells, four at most, hold these values, each at least as often as it is named."""

    name, where = "quadruple", "at"

    around: Cells
    wanted: Cells

    def __post_init__(self) -> None:
        check_cells(self.name, self.around, 2, once=True)
        if len(self.around) > 4:
            raise ValueError(f"{self.name}: at most 4 cells, not {len(self.around)}")
        if not self.wanted:
            raise ValueError(f"{self.name}: no values")

    def formula(self, geometry: Geometry) -> Constraint:
        cells, wanted = tuple(sorted(self.around)), Counter(self.wanted)
        return Every(tuple(AtLeast(cells, value, times) for value, times in wanted.items()))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        rows, columns = zip(*places(geometry, self.around), strict=True)
        middle = ((min(rows) + max(rows)) / 2, (min(columns) + max(columns)) / 2)
        return (Dot(middle, "quadruple", " ".join(map(str, self.wanted))),)


class Clone(Rule):
    """Each cell of `original` holds the same value as its counterpart in `copy`."""

    name, where = "clone", "at"

    original: Cells
    copy: Cells

    def __post_init__(self) -> None:
        check_cells(self.name, self.original)
        _check_parts(self.name, (self.original, self.copy), alike=True)

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(zip(self.original, self.copy, strict=True)), eq)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return tinted(geometry, (self.original, self.copy), "clone")


class EqualSums(Rule):
    """All parts have the same sum; a part may name a cell more than once."""

    name, where = "equal sums", "at"
    look: ClassVar[str] = "equal-sums"
    alike: ClassVar[bool] = False

    parts: tuple[Cells, ...]

    def __post_init__(self) -> None:
        _check_parts(self.name, self.parts, alike=self.alike)

    def formula(self, geometry: Geometry) -> Constraint:
        return SameTotals(self.parts)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return tinted(geometry, self.parts, self.look)


class SameMultiset(EqualSums):
    """All parts hold the same values, each equally often, in any order."""

    name, look, alike = "same values", "same-values", True

    def formula(self, geometry: Geometry) -> Constraint:
        values = geometry.values
        return Every(tuple(SameTotals(self.parts, counted=value) for value in values))


def _check_parts(name: str, parts: tuple[Cells, ...], *, alike: bool) -> None:
    """Raise ValueError for one part, one without cells, or unlike sizes if they must be alike."""
    if len(parts) < 2:
        raise ValueError(f"{name}: at least 2 parts, not {len(parts)}")
    for part in parts:
        check_cells(f"{name}: a part", part)
    if alike and len({*map(len, parts)}) > 1:
        raise ValueError(f"{name}: the parts have different numbers of cells")
