"""Rules of the whole grid beyond chess moves: values in squares, distances, flatmates, ranks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from operator import ne

from pipeline.puzzle.formulas import Allowed, Cells, Constraint, Either, Every, Pairs
from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules import Everywhere, check_one_grid, values_in


class AntiTaxicab(Everywhere):
    """No two cells with value v are v steps apart, across plus down, unless in the same line."""

    name = "anti-taxicab"

    def formula(self, geometry: Geometry) -> Constraint:
        places = [*map(geometry.place, range(geometry.inner))]
        apart: dict[int, list[tuple[int, int]]] = {value: [] for value in values_in(geometry)}
        for a, b in combinations(range(geometry.inner), 2):
            down, right = (abs(x - y) for x, y in zip(places[a], places[b], strict=True))
            if down and right and down + right in apart:
                apart[down + right].append((a, b))
        return Every(tuple(Pairs(tuple(some), _not_both, (v,)) for v, some in apart.items()))


class GlobalEntropy(Rule):
    """Each 2×2 square has a low, a middle and a high value (thirds of 1 … n)."""

    name = "global entropy"

    def formula(self, geometry: Geometry) -> Constraint:
        values = _divisible_by_3(self.name, geometry)
        third = len(values) // 3
        return _in_each_square(geometry, [values[at * third :][:third] for at in range(3)])


class GlobalModular(Rule):
    """Each 2×2 square has values of all three remainders modulo 3."""

    name = "global modular"

    def formula(self, geometry: Geometry) -> Constraint:
        values = _divisible_by_3(self.name, geometry)
        return _in_each_square(geometry, [values[at::3] for at in range(3)])


class Flatmates(Rule):
    """Above each middle value (5 in 9×9) is a 1, or below it is the largest value."""

    name = "Dutch flatmates"

    def formula(self, geometry: Geometry) -> Constraint:
        values = values_in(geometry)
        if len(values) % 2 == 0:
            raise ValueError(f"{self.name}: no value is in the middle of {len(values)}")
        middle = values[len(values) // 2]
        others = tuple(value for value in values if value != middle)
        parts: list[Constraint] = []
        for cell in range(geometry.inner):
            row, column = geometry.place(cell)
            mates = (row - 1, values[0]), (row + 1, values[-1])
            facts = [Allowed(cell, others)]
            for mate_row, value in mates:
                mate = geometry.cell_at(mate_row, column)  # an empty row is below the grid
                facts += [] if mate is None else [Allowed(mate, (value,))]
            parts.append(Either(tuple(facts)))
        return Every(tuple(parts))


class NoTiedLines(Rule):
    """No two rows or columns, read from either end, are equal; nor is one a palindrome."""

    name = "no tied lines"

    def formula(self, geometry: Geometry) -> Constraint:
        check_one_grid(self.name, geometry)
        return Every(tuple(map(_differ, *zip(*_pairs_of_lines(geometry), strict=True))))


def _pairs_of_lines(geometry: Geometry) -> Iterator[tuple[Cells, Cells]]:
    """Lines that are compared; their other ends give the same."""
    lines = (*geometry.rows(), *geometry.columns())
    for line in lines:
        yield line, line[::-1]
    for one, other in combinations(lines, 2):
        yield one, other
        yield one, other[::-1]


def _differ(one: Cells, other: Cells) -> Constraint:
    """Two lines differ in a cell; one and itself need be compared only up to its middle."""
    pairs = {(min(pair), max(pair)) for pair in zip(one, other, strict=True) if pair[0] != pair[1]}
    return Either(tuple(Pairs((pair,), ne) for pair in sorted(pairs)))


def _divisible_by_3(name: str, geometry: Geometry) -> range:
    """The values. Raises ValueError if they cannot be parted in three."""
    values = values_in(geometry)
    if len(values) % 3:
        raise ValueError(f"{name}: the side is {geometry.side}, which is not divisible by 3")
    return values


def _in_each_square(geometry: Geometry, parts: list[range]) -> Constraint:
    """Each square of four cells holds a value of each part."""
    found: list[Constraint] = []
    for cell in range(geometry.inner):
        row, column = geometry.place(cell)
        places = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
        square = [geometry.cell_at(*place) for place in places]
        if None not in square:
            cells = [each for each in square if each is not None]
            found += [Either(tuple(Allowed(each, part) for each in cells)) for part in parts]
    return Every(tuple(found))


def _not_both(u: int, v: int, value: int) -> bool:
    return not u == v == value
