"""Rules about the values of a group of cells, and their sums: cages, arrows, quadruples, clones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb
from operator import eq
from typing import ClassVar

from pipeline.puzzle.arguments import CellField, CellsField, GroupsField, NumbersField, TermsField
from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    Allowed,
    AtLeast,
    Automaton,
    Cells,
    Constraint,
    OneOfSets,
    Pairs,
)
from pipeline.puzzle.counts import CountsItself, Occurrences
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import check_cells, places, tints
from pipeline.puzzle.rules.regions import AllDifferentRule
from pipeline.puzzle.shapes import Dot, Line, Outline, Ring, Shape
from pipeline.puzzle.sums import CountOfValues, SameTotals, SetTotal, Total

MAX_CIRCLE = 3
"""Maximum number of cells in the circle of an arrow, which are the digits of one number."""

_MAX_SETS = 1000
"""Maximum number of sets of values that a constraint lists; beyond it, an automaton is used."""

_MAX_TITLE_VALUES = 6
"""Maximum number of values in the title of a rule."""

_MAX_SIDE_ONE_SIZE = 16
"""Maximum side for which a constraint tries all sets of values of one size."""


class Cage(AllDifferentRule):
    """Values in the cage do not repeat; they sum to `total`, if it has one."""

    name = "cage"

    total: int | None = None

    def constraints(self, geometry: Geometry) -> Constraint:
        different = AllDifferent(self.cells)
        if self.total is None or len(self.cells) > geometry.side:
            return different
        return AllOf((different, SetTotal(self.cells, self.total, geometry.values)))

    def title(self) -> str:
        return self.name if self.total is None else f"{self.name} {self.total}"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        text = "" if self.total is None else str(self.total)
        return (Outline(places(geometry, self.cells), "cage", text),)


class DigitalRoot(Rule):
    """Values do not repeat; adding up the digits of their sum until one digit is left gives `root`.

    In a `repeating` group, values may repeat.
    """

    name, preposition = "digital root", "at"

    cells: CellsField
    root: int
    repeating: bool = False

    def check(self) -> None:
        check_cells(self.name, self.cells, no_repeats=True)
        if not 1 <= self.root <= 9:
            raise ValueError(f"{self.name}: the root must be 1 to 9, not {self.root}")

    def constraints(self, geometry: Geometry) -> Constraint:
        group, values = self.cells, geometry.values
        if not self.repeating and comb(len(values), len(group)) <= _MAX_SETS:
            subsets = combinations(values, len(group))
            sets = tuple(subset for subset in subsets if _digital_root(0, sum(subset)) == self.root)
            return AllOf((AllDifferent(group), OneOfSets(group, sets)))
        summed = Automaton(group, 0, _digital_root, frozenset((self.root,)))
        return summed if self.repeating else AllOf((AllDifferent(group), summed))

    def title(self) -> str:
        return f"{self.name} {self.root}"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        style = "sum" if self.repeating else "cage"
        return (Outline(places(geometry, self.cells), style, f"DR{self.root}"),)


class RellikCage(AllDifferentRule):
    """Values in the cage do not repeat; no value and no sum of several of them is `total`."""

    name = "rellik cage"

    total: int

    def scope(self, geometry: Geometry) -> Cells:
        _checked_values(self.name, geometry)
        return self.cells

    def constraints(self, geometry: Geometry) -> Constraint:
        sets = _sets_without(_checked_values(self.name, geometry), len(self.cells), self.total)
        return AllOf((AllDifferent(self.cells), OneOfSets(self.cells, sets)))

    def title(self) -> str:
        return f"{self.name} {self.total}"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Outline(places(geometry, self.cells), "rellik", f"≠{self.total}"),)


class EqualityCage(AllDifferentRule):
    """Values do not repeat; as many are even as odd, as many low as high, and none is the middle.

    Low values are the lower half of all values, high values the upper half. If the number of values
    is odd, the middle value is in neither half.
    """

    name = "equality cage"

    def check(self) -> None:
        AllDifferentRule.check(self)
        if len(self.cells) % 2:
            raise ValueError(
                f"{self.name}: must have an even number of cells, not {len(self.cells)}"
            )

    def scope(self, geometry: Geometry) -> Cells:
        _checked_values(self.name, geometry)
        return self.cells

    def constraints(self, geometry: Geometry) -> Constraint:
        sets = _balanced_sets(_checked_values(self.name, geometry), len(self.cells))
        return AllOf((AllDifferent(self.cells), OneOfSets(self.cells, sets)))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Outline(places(geometry, self.cells), "equality", "="),)


class Contains(Rule):
    """The cells contain these values, each at least as often as it is listed.

    With `exactly`, each value appears exactly as often as it is listed.
    """

    name, preposition = "contains", "at"

    cells: CellsField
    values: NumbersField
    exactly: bool = False

    def check(self) -> None:
        check_cells(self.name, self.cells, no_repeats=True)
        if not self.values:
            raise ValueError(f"{self.name}: must have at least one value")

    def constraints(self, geometry: Geometry) -> Constraint:
        cells, counts = self.cells, Counter(self.values)
        parts: list[Constraint] = []
        for value, times in counts.items():
            if self.exactly or (times > 2 and len(cells) > 4):
                parts.append(Occurrences(cells, value, times, self.exactly))
            else:
                parts.append(AtLeast(cells, value, times))
        if len(self.values) == len(cells):
            parts += [Allowed(cell, tuple(counts)) for cell in cells]
        return AllOf(tuple(parts))

    def title(self) -> str:
        exactly = " exactly" if self.exactly else ""
        values = " ".join(map(str, self.values[:_MAX_TITLE_VALUES]))
        ellipsis = " …" if len(self.values) > _MAX_TITLE_VALUES else ""
        return f"{self.name}{exactly} {values}{ellipsis}"

    def caption(self) -> str:
        return self.title()

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        text = " ".join(map(str, self.values))
        return (Outline(places(geometry, self.cells), "contains", text),)


class CountingCircles(Rule):
    """A value v in a circle appears in exactly v circles."""

    name, preposition = "counting circles", "from"

    circles: CellsField

    def check(self) -> None:
        check_cells(self.name, self.circles, no_repeats=True)

    def constraints(self, geometry: Geometry) -> Constraint:
        return CountsItself(self.circles)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return [Ring((place,), "counting") for place in places(geometry, self.circles)]


class CountOfDifferent(Rule):
    """The cell with a ring holds the number of different values in the outlined cells."""

    name, preposition = "number of different values", "at"

    counter: CellField
    counted: CellsField

    def check(self) -> None:
        check_cells(self.name, self.counted, no_repeats=True)

    def constraints(self, geometry: Geometry) -> Constraint:
        return CountOfValues(self.counter, self.counted)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        ring = Ring((geometry.place(self.counter),), "different")
        return ring, Outline(places(geometry, self.counted), "different")


class Sum(Rule):
    """The values, each multiplied by its weight, sum to `total`; a cell may be listed twice."""

    name, preposition = "sum", "at"

    terms: TermsField
    total: int

    def check(self) -> None:
        check_cells(self.name, [cell for cell, _ in self.terms])

    def constraints(self, geometry: Geometry) -> Constraint:
        return Total(self.terms, self.total)

    def title(self) -> str:
        return f"{self.name} {self.total}"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Outline(places(geometry, self.scope(geometry)), "sum", str(self.total)),)


class Arrow(Rule):
    """Values on the shaft sum to the circle; several cells in the circle form one number.

    The cells of the circle are its digits, in reading order. Values above 9 carry: 1 and 12 are 22.
    """

    name, preposition = "arrow", "at"

    circle: CellsField
    shaft: CellsField

    def check(self) -> None:
        check_cells(f"{self.name}: its circle", self.circle, no_repeats=True)
        check_cells(f"{self.name}: its shaft", self.shaft)
        if len(self.circle) > MAX_CIRCLE:
            raise ValueError(
                f"{self.name}: its circle: must have at most {MAX_CIRCLE} cells, "
                f"not {len(self.circle)}"
            )

    def constraints(self, geometry: Geometry) -> Constraint:
        weights = (-100, -10, -1)[-len(self.circle) :]
        circle = zip(sorted(self.circle), weights, strict=True)
        return Total((*circle, *((cell, 1) for cell in self.shaft)), 0)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        circle, shaft = places(geometry, sorted(self.circle)), places(geometry, self.shaft)
        (row, column) = shaft[0]
        start = min(circle, key=lambda place: abs(place[0] - row) + abs(place[1] - column))
        return Ring(circle, "arrow"), Line((start, *shaft), "arrow", has_arrowhead=True)


class Quadruple(Rule):
    """The cells around the circle contain these values, each at least as often as it is listed."""

    name, preposition = "quadruple", "at"

    cells: CellsField
    values: NumbersField

    def check(self) -> None:
        check_cells(self.name, self.cells, 2, no_repeats=True)
        if len(self.cells) > 4:
            raise ValueError(f"{self.name}: must have at most 4 cells, not {len(self.cells)}")
        if not self.values:
            raise ValueError(f"{self.name}: must have at least one value")

    def constraints(self, geometry: Geometry) -> Constraint:
        cells, counts = tuple(sorted(self.cells)), Counter(self.values)
        return AllOf(tuple(AtLeast(cells, value, times) for value, times in counts.items()))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        rows, columns = zip(*places(geometry, self.cells), strict=True)
        middle = ((min(rows) + max(rows)) / 2, (min(columns) + max(columns)) / 2)
        return (Dot(middle, "quadruple", " ".join(map(str, self.values))),)


class Clone(Rule):
    """Corresponding cells of `original` and `copy` hold the same value."""

    name, preposition = "clone", "at"

    original: CellsField
    copy: CellsField

    def check(self) -> None:
        check_cells(self.name, self.original)
        _check_parts(self.name, (self.original, self.copy), same_size=True)

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(zip(self.original, self.copy, strict=True)), eq)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return tints(geometry, (self.original, self.copy), "clone")


class EqualSums(Rule):
    """All parts have the same sum; a part may list a cell more than once."""

    name, preposition = "equal sums", "at"
    style: ClassVar[str] = "equal-sums"
    same_size: ClassVar[bool] = False

    parts: GroupsField

    def check(self) -> None:
        _check_parts(self.name, self.parts, same_size=self.same_size)

    def constraints(self, geometry: Geometry) -> Constraint:
        return SameTotals(self.parts)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return tints(geometry, self.parts, self.style)


class SameMultiset(EqualSums):
    """All parts contain the same values, each equally often, in any order."""

    name, style, same_size = "same values", "same-values", True

    def constraints(self, geometry: Geometry) -> Constraint:
        if len(self.parts[0]) == 1:
            cells = [part[0] for part in self.parts]
            return Pairs(tuple(pairwise(cells)), eq)
        values = geometry.values
        return AllOf(tuple(SameTotals(self.parts, counted_value=value) for value in values))


def _checked_values(name: str, geometry: Geometry) -> range:
    """The values of the geometry. Raises ValueError if they have too many subsets."""
    values = geometry.values
    if len(values) > _MAX_SIDE_ONE_SIZE:
        raise ValueError(
            f"{name}: the grid must have at most {_MAX_SIDE_ONE_SIZE} values, not {len(values)}"
        )
    return values


@lru_cache(maxsize=128)
def _sets_without(values: range, size: int, total: int) -> tuple[Cells, ...]:
    """The sets of `size` values that have no subset with that total."""
    return tuple(s for s in combinations(values, size) if not _has_subset_sum(s, total))


@lru_cache(maxsize=128)
def _balanced_sets(values: range, size: int) -> tuple[Cells, ...]:
    """The sets of `size` values: half of them odd, half of them low, and none the middle value."""
    half = len(values) // 2
    halves = {*values[:half]}, {*values[len(values) - half :]}
    return tuple(
        subset
        for subset in combinations(values, size)
        if 2 * sum(value % 2 for value in subset) == size
        and all(2 * len(part.intersection(subset)) == size for part in halves)
    )


def _has_subset_sum(values: Sequence[int], total: int) -> bool:
    """Whether a non-empty subset of the values has that total."""
    sums = {0}
    for value in values:
        if total - value in sums:
            return True
        sums |= {reached + value for reached in sums}
    return False


def _check_parts(name: str, parts: tuple[Cells, ...], *, same_size: bool) -> None:
    """Raise ValueError for fewer than two parts or an empty part.

    With `same_size`, also for parts of different sizes.
    """
    if len(parts) < 2:
        raise ValueError(f"{name}: must have at least 2 parts, not {len(parts)}")
    for part in parts:
        check_cells(f"{name}: a part", part)
    if same_size and len({*map(len, parts)}) > 1:
        raise ValueError(f"{name}: the parts have different numbers of cells")


def _digital_root(so_far: int, value: int) -> int:
    """The digital root of a sum. `so_far`: the digital root without the last value."""
    total = so_far + value
    return (total - 1) % 9 + 1 if total else 0
