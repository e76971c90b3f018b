"""Rules about lines: thermometers, palindromes, renban, whispers, and lines with sums."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, groupby, pairwise, product
from operator import eq, le, lt

from pipeline.puzzle.formulas import (
    AllDifferent,
    Automaton,
    Beyond,
    ByValue,
    CellPairs,
    Cells,
    Constraint,
    Either,
    Every,
    OneOfSets,
    Pairs,
)
from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules import Along, check_cells, places, values_in
from pipeline.puzzle.shapes import Line, Outline, Ring, Shape
from pipeline.puzzle.sums import SameTotals, Total, TotalBetween


class Thermometer(Along):
    """Values rise along the line from its first cell. On a `slow` one they may stay the same.

    A line that returns to a cell cannot rise, so there is no solution.
    """

    name = look = "thermometer"

    slow: bool = False

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(pairwise(self.line)), le if self.slow else lt)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        look = "slow-thermometer" if self.slow else self.look
        return (Line(places(geometry, self.line), look, bulb=True),)

    def title(self) -> str:
        return f"slow {self.name}" if self.slow else self.name


class Palindrome(Along):
    """The values read the same from both ends."""

    name = look = "palindrome"

    def formula(self, geometry: Geometry) -> Constraint:
        half = len(self.line) // 2
        return Pairs(tuple(zip(self.line[:half], self.line[::-1], strict=False)), eq)


class Renban(Along):
    """The cells of the line have consecutive values, each once, in any order.

    A line with a repeated cell has no solution.
    """

    name = look = "renban"

    def formula(self, geometry: Geometry) -> Constraint:
        length = len(self.line)
        if len({*self.line}) < length:
            return Either(())
        starts = geometry.values[: max(geometry.side - length + 1, 0)]
        windows = tuple(range(start, start + length) for start in starts)
        return Every((AllDifferent(self.line), OneOfSets(self.line, windows)))


class Whispers(Along):
    """Neighbours on the line differ by at least `difference`. In 9×9, this is usually 5."""

    name = look = "whispers"
    lowest = ("difference", 1)

    difference: int

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(pairwise(self.line)), _far_apart, (self.difference,))


class Nabner(Along):
    """No two cells of the line have equal or consecutive values.

    A line that returns to a cell, such as a ring, contains it once.
    """

    name = look = "nabner"

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(tuple(combinations(self.cells(geometry), 2)), _far_apart, (2,))


class Entropic(Along):
    """Any three consecutive cells have a low, a middle and a high value (thirds of 1 … n).

    On a line of two cells, the values are from different thirds. If 3 does not divide n, there are
    as many low values as high ones, and one more or one fewer in the middle.
    """

    name, look = "entropic line", "entropic"

    def formula(self, geometry: Geometry) -> Constraint:
        _check_from_one(self.name, geometry)
        third = round(geometry.side / 3)
        return Pairs(_near(self.line, 3), _differ_in_third, (third, geometry.side - third))


class Modular(Along):
    """Any `modulus` consecutive cells have different remainders modulo `modulus`.

    On a shorter line all remainders differ.
    """

    name, look = "modular line", "modular"
    lowest = ("modulus", 2)

    modulus: int = 3

    def formula(self, geometry: Geometry) -> Constraint:
        return Pairs(_near(self.line, self.modulus), _differ_in_remainder, (self.modulus,))


class Between(Along):
    """The values inside the line are strictly between the values of its ends."""

    name, look = "between line", "between"
    least, has_ends = 3, True

    def formula(self, geometry: Geometry) -> Constraint:
        first, *inside, last = self.line
        above = [tuple((end, cell) for cell in inside) for end in (first, last)]
        below = [tuple((cell, end) for cell in inside) for end in (first, last)]
        return Either((Pairs(above[0] + below[1], lt), Pairs(above[1] + below[0], lt)))


class Lockout(Along):
    """The ends differ by at least `difference`; each other value is below both or above both."""

    name, look = "lockout line", "lockout"
    has_ends, lowest = True, ("difference", 1)

    difference: int = 4

    def formula(self, geometry: Geometry) -> Constraint:
        first, *inside, last = self.line

        def locked(low: int, high: int) -> Constraint:
            ends = Pairs(((low, high),), _rises_by, (self.difference,))
            return Every((ends, Beyond(tuple(inside), low, high)))

        return Either((locked(first, last), locked(last, first)))


class RegionSum(Along):
    """Each run of the line inside one of the regions, usually the boxes, has the same sum.

    Cells outside the regions are skipped, and do not end a run.
    """

    name, look = "region sum line", "region-sum"
    once = True

    regions: tuple[Cells, ...]

    def __post_init__(self) -> None:
        Along.__post_init__(self)
        in_regions = [cell for region in self.regions for cell in region]
        check_cells(f"{self.name}: its regions", in_regions, 0, once=True)

    def formula(self, geometry: Geometry) -> Constraint:
        region_of = {cell: index for index, each in enumerate(self.regions) for cell in each}
        inside = (cell for cell in self.line if cell in region_of)
        return SameTotals(tuple(tuple(run) for _, run in groupby(inside, region_of.__getitem__)))


class Zipper(Along):
    """Any two cells equally far from the middle have the same sum; it is in the middle cell."""

    name, look = "zipper line", "zipper"
    least, once = 3, True

    def formula(self, geometry: Geometry) -> Constraint:
        half, odd = divmod(len(self.line), 2)
        pairs = [(self.line[index], self.line[-1 - index]) for index in range(half)]
        return SameTotals((*pairs, *([(self.line[half],)] if odd else [])))


class DoubleArrow(Along):
    """The cells between the two end cells have the same sum as these two."""

    name, look = "double arrow", "double-arrow"
    least, once, has_ends = 3, True, True

    def formula(self, geometry: Geometry) -> Constraint:
        first, *inside, last = self.line
        return Total(((first, -1), (last, -1), *((cell, 1) for cell in inside)), 0)


def _check_from_one(name: str, geometry: Geometry) -> None:
    """Raise ValueError if there is a value 0."""
    if geometry.lowest == 0:
        raise ValueError(f"{name}: the values begin with 0")


class SumLine(Along):
    """The line can be divided into segments that each sum to `total`.

    On a `loop`, which continues from its last cell to its first, a segment may begin anywhere, and
    there is at least one.
    """

    name, look = "sum line", "segments"
    lowest, least = ("total", 1), 1

    total: int
    loop: bool = False

    def formula(self, geometry: Geometry) -> Constraint:
        line, whole = self.line, frozenset((0,))
        if not self.loop:
            return Automaton(line, 0, _piece, whole, (self.total,))
        # a piece ends among the first cells, as many as it has at most
        turns = len(line) if 0 in values_in(geometry) else min(len(line), self.total)
        turned = [line[at:] + line[:at] for at in range(turns)]
        begin, numbers = self.total, (self.total,)
        return Either(tuple(Automaton(each, begin, _piece, whole, numbers) for each in turned))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        line = self.line + self.line[:1] if self.loop else self.line
        return (Line(places(geometry, line), self.look),)

    def title(self) -> str:
        return f"{Along.title(self)}, a loop" if self.loop else Along.title(self)


class ValueIndexer(Along):
    """The second cell says which cell has the value of the first one; 1 is the third cell."""

    name, look = "value indexer", "value-indexer"
    least, once = 3, True

    def formula(self, geometry: Geometry) -> Constraint:
        value, counter, *counted = self.line
        # the k-th part is about the value k
        parts: list[Constraint] = [Either(())] * (1 - geometry.lowest)
        parts += (Pairs(((value, cell),), eq) for cell in counted)
        nowhere = [Either(())] * (geometry.side - len(parts))
        return ByValue(counter, (*parts, *nowhere)[: geometry.side], geometry.lowest)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        line = places(geometry, self.line)
        return Line(line, self.look, head=True), Ring(line[:1], self.look)


class Lunchbox(Along):
    """The cells differ; those between the smallest and the largest value sum to `total`."""

    name, look, once = "lunchbox", "lunchbox", True

    total: int

    def formula(self, geometry: Geometry) -> Constraint:
        if len(self.line) == geometry.side and geometry.lowest == 1:
            return TotalBetween(self.line, self.total)
        if len(self.line) > geometry.side:
            return AllDifferent(self.line)
        places = range(len(self.line))
        ends = [pair for pair in product(places, repeat=2) if pair[0] != pair[1]]
        return Every(
            (AllDifferent(self.line), Either(tuple(self._between(*pair) for pair in ends)))
        )

    def _between(self, least: int, most: int) -> Constraint:
        """The least and the greatest value are at these places, and the total between them."""
        low, high = self.line[least], self.line[most]
        others = [cell for cell in self.line if cell not in (low, high)]
        first, last = sorted((least, most))
        inside = tuple((cell, 1) for cell in self.line[first + 1 : last])
        order = (low, high), *((low, cell) for cell in others), *((cell, high) for cell in others)
        return Every((Pairs(order, lt), Total(inside, self.total)))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        cells = places(geometry, self.line)
        return Line(cells, self.look), Outline(cells, self.look, str(self.total))

    def title(self) -> str:
        return f"{self.name} {self.total}"


def _piece(so_far: int, value: int, total: int) -> int | None:
    """The sum of the piece so far, 0 behind a whole piece.

    `total` so far is that of a loop before its first piece, and stays so until a value above 0.
    """
    after = so_far % total + value
    if not value:
        return so_far
    return after % total if after <= total else None


def _far_apart(u: int, v: int, difference: int) -> bool:
    return abs(u - v) >= difference


def _rises_by(u: int, v: int, difference: int) -> bool:
    return v - u >= difference


def _differ_in_third(u: int, v: int, low: int, middle: int) -> bool:
    """Whether two values are of different thirds; `low` and `middle` end the first two."""
    return (u > low) + (u > middle) != (v > low) + (v > middle)


def _differ_in_remainder(u: int, v: int, modulus: int) -> bool:
    return (u - v) % modulus != 0


def _near(line: Cells, reach: int) -> CellPairs:
    """Pairs of cells of a line that lie among `reach` cells in a row."""
    return tuple(
        (cell, other)
        for index, cell in enumerate(line)
        for other in line[index + 1 : index + reach]
    )
