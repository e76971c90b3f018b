"""Rules about lines: thermometers, palindromes, renban, whispers and sum lines."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, groupby, pairwise
from operator import eq, le, lt

from pipeline.puzzle.arguments import GroupsField
from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    Allowed,
    AnyOf,
    CellPairs,
    Cells,
    Constraint,
    OneOfSets,
    OutsideRange,
    Pairs,
    ValueSwitch,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.line_sums import SegmentSums, SumBetweenExtremes
from pipeline.puzzle.rules import LineRule, check_cells, places
from pipeline.puzzle.shapes import Line, Outline, Ring, Shape
from pipeline.puzzle.sums import SameTotals, Total, TotalBetween


class Thermometer(LineRule):
    """Values increase along the thermometer from its bulb. On a `slow` one they may stay the same.

    A thermometer that visits a cell twice has no solution unless it is slow.
    """

    name = style = "thermometer"

    slow: bool = False

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(pairwise(self.line)), le if self.slow else lt)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        style = "slow-thermometer" if self.slow else self.style
        return (Line(places(geometry, self.line), style, has_bulb=True),)

    def title(self) -> str:
        return f"slow {self.name}" if self.slow else self.name


class Palindrome(LineRule):
    """Values read the same in both directions."""

    name = style = "palindrome"

    def constraints(self, geometry: Geometry) -> Constraint:
        half = len(self.line) // 2
        return Pairs(tuple(zip(self.line[:half], self.line[::-1], strict=False)), eq)


class Renban(LineRule):
    """Values on the line are consecutive, in any order, and do not repeat.

    A line that visits a cell twice has no solution.
    """

    name = style = "renban"

    def constraints(self, geometry: Geometry) -> Constraint:
        length = len(self.line)
        if len({*self.line}) < length:
            return AnyOf(())
        starts = geometry.values[: max(geometry.side - length + 1, 0)]
        windows = tuple(range(start, start + length) for start in starts)
        return AllOf((AllDifferent(self.line), OneOfSets(self.line, windows)))


class Whispers(LineRule):
    """Neighbours on the line differ by at least `difference`.

    In 9×9 puzzles, the difference is usually 5.
    """

    name = style = "whispers"
    bounded_field = ("difference", 1)

    difference: int

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(pairwise(self.line)), _is_far_apart, (self.difference,))


class Nabner(LineRule):
    """No two values on the line are equal or consecutive.

    A line may visit a cell again, as a ring does; the cell counts once.
    """

    name = style = "nabner"

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(combinations(self.scope(geometry), 2)), _is_far_apart, (2,))


class Entropic(LineRule):
    """Any three consecutive cells hold a low, a middle and a high value (thirds of 1 … n).

    On a line of two cells, the values are from different thirds. If n is not divisible by 3, there
    are as many low as high values, and the number of middle values differs by one.
    """

    name, style = "entropic line", "entropic"

    def constraints(self, geometry: Geometry) -> Constraint:
        _check_from_one(self.name, geometry)
        third = round(geometry.side / 3)
        return Pairs(_pairs_within(self.line, 3), _differ_in_third, (third, geometry.side - third))


class Modular(LineRule):
    """Any `modulus` consecutive cells have different remainders modulo `modulus`.

    On a line with fewer cells, all remainders differ.
    """

    name, style = "modular line", "modular"
    bounded_field = ("modulus", 2)

    modulus: int = 3

    def constraints(self, geometry: Geometry) -> Constraint:
        return Pairs(_pairs_within(self.line, self.modulus), _differ_in_remainder, (self.modulus,))


class Between(LineRule):
    """Values on the line lie strictly between the values of its two end cells."""

    name, style = "between line", "between"
    min_cells, has_end_rings = 3, True

    def constraints(self, geometry: Geometry) -> Constraint:
        first, *inside, last = self.line
        above = [tuple((end, cell) for cell in inside) for end in (first, last)]
        below = [tuple((cell, end) for cell in inside) for end in (first, last)]
        return AnyOf((Pairs(above[0] + below[1], lt), Pairs(above[1] + below[0], lt)))


class Lockout(LineRule):
    """The two ends differ by at least `difference`; other values are less or greater than both."""

    name, style = "lockout line", "lockout"
    has_end_rings, bounded_field = True, ("difference", 1)

    difference: int = 4

    def constraints(self, geometry: Geometry) -> Constraint:
        first, *inside, last = self.line

        def with_ends(low: int, high: int) -> Constraint:
            ends = Pairs(((low, high),), _rises_by_at_least, (self.difference,))
            return AllOf((ends, OutsideRange(tuple(inside), low, high)))

        return AnyOf((with_ends(first, last), with_ends(last, first)))


class RegionSum(LineRule):
    """Regions, usually boxes, divide the line into segments; all segments have the same sum.

    Cells of the line that are in no region are skipped. A cell counts as often as the line visits
    it.
    """

    name, style = "region sum line", "region-sum"

    regions: GroupsField

    def check(self) -> None:
        LineRule.check(self)
        in_regions = [cell for region in self.regions for cell in region]
        check_cells(f"{self.name}: its regions", in_regions, 0, no_repeats=True)

    def constraints(self, geometry: Geometry) -> Constraint:
        region_of = {cell: index for index, cells in enumerate(self.regions) for cell in cells}
        inside = (cell for cell in self.line if cell in region_of)
        segments = groupby(inside, region_of.__getitem__)
        return SameTotals(tuple(tuple(segment) for _, segment in segments))


class Zipper(LineRule):
    """All pairs of cells equally far from the centre have the same sum; a centre cell holds it.

    A line that returns to its first cell pairs this cell with itself.
    """

    name, style = "zipper line", "zipper"
    min_cells = 3

    def constraints(self, geometry: Geometry) -> Constraint:
        half, odd = divmod(len(self.line), 2)
        pairs = [(self.line[index], self.line[-1 - index]) for index in range(half)]
        return SameTotals((*pairs, *([(self.line[half],)] if odd else [])))


class DoubleArrow(LineRule):
    """The values between the two end cells have the same sum as the two end cells.

    A cell counts as often as the line visits it, also one that is both ends of a loop.
    """

    name, style = "double arrow", "double-arrow"
    min_cells, has_end_rings = 3, True

    def constraints(self, geometry: Geometry) -> Constraint:
        first, *inside, last = self.line
        return Total(((first, -1), (last, -1), *((cell, 1) for cell in inside)), 0)


def _check_from_one(name: str, geometry: Geometry) -> None:
    """Raise ValueError if the values begin with 0."""
    if geometry.lowest == 0:
        raise ValueError(f"{name}: the values begin with 0")


class SumLine(LineRule):
    """The line can be divided into segments that each sum to `total`.

    A `loop` continues from its last cell to its first. Its segments may begin anywhere, and there
    is at least one segment.
    """

    name, style = "sum line", "segments"
    bounded_field, min_cells = ("total", 1), 1

    total: int
    loop: bool = False

    def constraints(self, geometry: Geometry) -> Constraint:
        return SegmentSums(self.line, self.total, self.loop)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        line = self.line + self.line[:1] if self.loop else self.line
        return (Line(places(geometry, line), self.style),)

    def title(self) -> str:
        return f"{LineRule.title(self)}, a loop" if self.loop else LineRule.title(self)


class ValueIndexer(LineRule):
    """If the second cell holds k, the k-th cell after it holds the value of the first cell."""

    name, style, min_cells = "value indexer", "value-indexer", 3

    def constraints(self, geometry: Geometry) -> Constraint:
        _, counter, *counted = self.line
        # parts[k - geometry.lowest] holds if the second cell holds k
        parts: list[Constraint] = [AnyOf(())] * (1 - geometry.lowest)
        parts += (self._equal(cell, index) for index, cell in enumerate(counted, start=1))
        impossible = [AnyOf(())] * (geometry.side - len(parts))
        return ValueSwitch(counter, (*parts, *impossible)[: geometry.side], geometry.lowest)

    def _equal(self, cell: int, index: int) -> Constraint:
        """The cell holds the value of the first cell, given that the second one holds `index`."""
        value, counter, *_ = self.line
        if cell == value:
            return AllOf(())
        if counter in (cell, value):
            return Allowed(value if cell == counter else cell, (index,))
        return Pairs(((value, cell),), eq)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        line = places(geometry, self.line)
        return Line(line, self.style, has_arrowhead=True), Ring(line[:1], self.style)


class Lunchbox(LineRule):
    """Values do not repeat; the values between the smallest and the largest one sum to `total`."""

    name, style, no_repeats = "lunchbox", "lunchbox", True

    total: int

    def constraints(self, geometry: Geometry) -> Constraint:
        if len(self.line) == geometry.side and geometry.lowest == 1:
            return TotalBetween(self.line, self.total)
        if len(self.line) > geometry.side:
            return AllDifferent(self.line)
        between = SumBetweenExtremes(self.line, self.total)
        return AllOf((AllDifferent(self.line), between))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        cells = places(geometry, self.line)
        return Line(cells, self.style), Outline(cells, self.style, str(self.total))

    def title(self) -> str:
        return f"{self.name} {self.total}"


def _is_far_apart(u: int, v: int, difference: int) -> bool:
    return abs(u - v) >= difference


def _rises_by_at_least(u: int, v: int, difference: int) -> bool:
    return v - u >= difference


def _differ_in_third(u: int, v: int, low: int, middle: int) -> bool:
    """Whether two values are in different thirds.

    `low` and `middle` are the last values of the first and of the second third.
    """
    return (u > low) + (u > middle) != (v > low) + (v > middle)


def _differ_in_remainder(u: int, v: int, modulus: int) -> bool:
    return (u - v) % modulus != 0


def _pairs_within(line: Cells, reach: int) -> CellPairs:
    """The pairs of cells of a line that are within `reach` consecutive cells."""
    return tuple(
        (cell, other)
        for index, cell in enumerate(line)
        for other in line[index + 1 : index + reach]
    )
