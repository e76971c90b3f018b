"""Rules about groups of cells and their sums: cages, arrows, quadruples, clones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from operator import eq
from typing import ClassVar

from pipeline.puzzle.formulas import (
    AllDifferent,
    Allowed,
    AtLeast,
    Automaton,
    Cell,
    Cells,
    Constraint,
    Every,
    OneOfSets,
    Pairs,
    Values,
)
from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules import check_cells, places, tinted, values_in
from pipeline.puzzle.rules.regions import Different
from pipeline.puzzle.shapes import Dot, Line, Outline, Ring, Shape
from pipeline.puzzle.sums import CountOfValues, SameTotals, SetTotal, Total

LARGEST_CIRCLE = 3
"""Maximum number of cells in the circle of an arrow, the digits of a number."""

_MOST_SETS = 1000
"""Sets of values that are listed."""


_SHOWN = 6
"""Values that a title names."""

_MOST_LISTED, _MOST_IN_SETS = 9, 16
"""Values of which all sets are looked at, and those of one size."""


class Cage(Different):
    """The cells have different values, which sum to `total` if it is given."""

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


class DigitalRoot(Rule):
    """The values differ, and their sum has this digital root (the repeated sum of its digits).

    In a `repeating` one, values may repeat.
    """

    name, where = "digital root", "at"

    group: Cells
    root: int
    repeating: bool = False

    def __post_init__(self) -> None:
        check_cells(self.name, self.group, once=True)
        if not 1 <= self.root <= 9:
            raise ValueError(f"{self.name}: it must be 1 to 9, not {self.root}")

    def formula(self, geometry: Geometry) -> Constraint:
        group, values = self.group, geometry.values
        if not self.repeating and comb(len(values), len(group)) <= _MOST_SETS:
            some = combinations(values, len(group))
            sets = tuple(each for each in some if _digital_root(0, sum(each)) == self.root)
            return Every((AllDifferent(group), OneOfSets(group, sets)))
        summed = Automaton(group, 0, _digital_root, frozenset((self.root,)))
        return summed if self.repeating else Every((AllDifferent(group), summed))

    def title(self) -> str:
        return f"{self.name} {self.root}"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        look = "sum" if self.repeating else "cage"
        return (Outline(places(geometry, self.group), look, f"DR{self.root}"),)


class RellikCage(Different):
    """The cells have different values, and no single value or set of values sums to `total`."""

    name = "rellik cage"

    total: int

    def cells(self, geometry: Geometry) -> Cells:
        _few_values(self.name, geometry)
        return self.group

    def formula(self, geometry: Geometry) -> Constraint:
        sets = _sets_without(_few_values(self.name, geometry), len(self.group), self.total)
        return Every((AllDifferent(self.group), OneOfSets(self.group, sets)))

    def title(self) -> str:
        return f"{self.name} {self.total}"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Outline(places(geometry, self.group), "rellik", f"≠{self.total}"),)


class EqualityCage(Different):
    """Different values: as many even as odd ones, as many low as high ones, none in the middle.

    Low and high values are the lower and the upper half; with an odd number of values, one is in
    the middle.
    """

    name = "equality cage"

    def __post_init__(self) -> None:
        Different.__post_init__(self)
        if len(self.group) % 2:
            raise ValueError(f"{self.name}: an even number of cells, not {len(self.group)}")

    def cells(self, geometry: Geometry) -> Cells:
        _few_values(self.name, geometry)
        return self.group

    def formula(self, geometry: Geometry) -> Constraint:
        sets = _balanced_sets(_few_values(self.name, geometry), len(self.group))
        return Every((AllDifferent(self.group), OneOfSets(self.group, sets)))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Outline(places(geometry, self.group), "equality", "="),)


class Contains(Rule):
    """The cells contain these values, each at least as often as it is listed.

    In the strict form, each occurs `exactly` that often.
    """

    name, where = "contains", "at"

    group: Cells
    wanted: Values
    exactly: bool = False

    def __post_init__(self) -> None:
        check_cells(self.name, self.group, once=True)
        if not self.wanted:
            raise ValueError(f"{self.name}: no values")

    def formula(self, geometry: Geometry) -> Constraint:
        cells, wanted = self.group, Counter(self.wanted)
        parts: list[Constraint] = []
        for value, times in wanted.items():
            if self.exactly or (times > 2 and len(cells) > 4):
                number = frozenset((times,))
                parts.append(Automaton(cells, 0, _count, number, (value, times, self.exactly)))
            else:
                parts.append(AtLeast(cells, value, times))
        if len(self.wanted) == len(cells):
            parts += [Allowed(cell, tuple(wanted)) for cell in cells]
        return Every(tuple(parts))

    def title(self) -> str:
        exactly = " exactly" if self.exactly else ""
        return f"{self.name}{exactly} {' '.join(map(str, self.wanted[:_SHOWN]))}" + (
            " …" if len(self.wanted) > _SHOWN else ""
        )

    def caption(self) -> str:
        return self.title()

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        text = " ".join(map(str, self.wanted))
        return (Outline(places(geometry, self.group), "contains", text),)


class CountingCircles(Rule):
    """Each value in a circle is the number of circles that contain it."""

    name, where = "counting circles", "from"

    circles: Cells

    def __post_init__(self) -> None:
        check_cells(self.name, self.circles, once=True)

    def formula(self, geometry: Geometry) -> Constraint:
        cells, values = self.circles, values_in(geometry)
        counts = [
            Automaton(cells, 0, _count, frozenset((0, value)), (value, value, True))
            for value in values
        ]
        if len(values) > _MOST_LISTED:
            return Every(tuple(counts))
        sizes = range(len(values) + 1)
        sets = (each for size in sizes for each in combinations(values, size))
        full = tuple(each for each in sets if sum(each) == len(cells))
        return Every((*counts, OneOfSets(cells, full)))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return [Ring((place,), "counting") for place in places(geometry, self.circles)]


class CountOfDifferent(Rule):
    """The ringed cell, `counter`, contains the number of different values in the others."""

    name, where = "number of different values", "at"

    counter: Cell
    counted: Cells

    def __post_init__(self) -> None:
        check_cells(self.name, self.counted, once=True)

    def formula(self, geometry: Geometry) -> Constraint:
        return CountOfValues(self.counter, self.counted)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        ring = Ring((geometry.place(self.counter),), "different")
        return ring, Outline(places(geometry, self.counted), "different")


class Sum(Rule):
    """The weighted sum of the values is `total`; a cell may be listed more than once."""

    name, where = "sum", "at"

    terms: tuple[tuple[Cell, int], ...]
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

    Places are powers of ten even for values above 9: 1 and 12 make 22.
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
    """The cells, at most four, contain these values, each at least as often as it is listed."""

    name, where = "quadruple", "at"

    around: Cells
    wanted: Values

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
    """Each cell of `original` has the same value as its counterpart in `copy`."""

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
    """All parts have the same sum; a part may list a cell more than once."""

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
    """All parts contain the same values, each equally often, in any order."""

    name, look, alike = "same values", "same-values", True

    def formula(self, geometry: Geometry) -> Constraint:
        values = geometry.values
        return Every(tuple(SameTotals(self.parts, counted=value) for value in values))


def _few_values(name: str, geometry: Geometry) -> range:
    """The values. Raises ValueError if their sets are too many."""
    values = values_in(geometry)
    if len(values) > _MOST_IN_SETS:
        raise ValueError(f"{name}: at most {_MOST_IN_SETS} values, not {len(values)}")
    return values


@lru_cache(maxsize=128)
def _sets_without(values: range, size: int, total: int) -> tuple[Cells, ...]:
    """The sets of `size` of the values no part of which sums to the total."""
    return tuple(each for each in combinations(values, size) if not _has_part(each, total))


@lru_cache(maxsize=128)
def _balanced_sets(values: range, size: int) -> tuple[Cells, ...]:
    """The sets of `size` of the values that have as many odd as even ones, and low as high ones."""
    half = len(values) // 2
    halves = {*values[:half]}, {*values[len(values) - half :]}
    return tuple(
        each
        for each in combinations(values, size)
        if 2 * sum(value % 2 for value in each) == size
        and all(2 * len(part.intersection(each)) == size for part in halves)
    )


def _has_part(values: Sequence[int], total: int) -> bool:
    """Whether some of the values, at least one, sum to the total."""
    sums = {0}
    for value in values:
        if total - value in sums:
            return True
        sums |= {each + value for each in sums}
    return False


def _count(so_far: int, value: int, counted: int, most: int, exactly: bool) -> int | None:
    """How often the value was there; more than `most` is that, or a dead end."""
    if value != counted:
        return so_far
    return so_far + 1 if so_far < most else None if exactly else most


def _check_parts(name: str, parts: tuple[Cells, ...], *, alike: bool) -> None:
    """Raise ValueError for one part, one without cells, or unlike sizes if they must be alike."""
    if len(parts) < 2:
        raise ValueError(f"{name}: at least 2 parts, not {len(parts)}")
    for part in parts:
        check_cells(f"{name}: a part", part)
    if alike and len({*map(len, parts)}) > 1:
        raise ValueError(f"{name}: the parts have different numbers of cells")


def _digital_root(before: int, value: int) -> int:
    """The digital root of a sum, from that of the sum before a value was added."""
    total = before + value
    return (total - 1) % 9 + 1 if total else 0
