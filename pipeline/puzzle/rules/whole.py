"""Rules about the whole grid: taxicab distances, 2×2 squares, flatmates and ties."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from operator import ne

from pipeline.puzzle.constraints import (
    AllOf,
    Allowed,
    AnyOf,
    Cells,
    Constraint,
    HoldsEachPart,
    Pairs,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import GridRule, square_side


class AntiTaxicab(GridRule):
    """Two cells at taxicab distance v, in different rows and columns, do not both hold v."""

    name = "anti-taxicab"

    def constraints(self, geometry: Geometry) -> Constraint:
        places = [*map(geometry.place, range(geometry.grid_size))]
        distant: dict[int, list[tuple[int, int]]] = {value: [] for value in geometry.values}
        for a, b in combinations(range(geometry.grid_size), 2):
            down, right = (abs(x - y) for x, y in zip(places[a], places[b], strict=True))
            if down and right and down + right in distant:
                distant[down + right].append((a, b))
        return AllOf(
            tuple(Pairs(tuple(pairs), _do_not_both_hold, (v,)) for v, pairs in distant.items())
        )


class GlobalEntropy(Rule):
    """Every 2×2 square contains a low, a middle and a high value (thirds of 1 … n)."""

    name = "global entropy"

    def constraints(self, geometry: Geometry) -> Constraint:
        values = _checked_values(self.name, geometry)
        third = len(values) // 3
        thirds = [values[start : start + third] for start in range(0, len(values), third)]
        return _all_parts_in_each_square(geometry, thirds)


class GlobalModular(Rule):
    """Every 2×2 square contains values of all three remainders modulo 3."""

    name = "global modular"

    def constraints(self, geometry: Geometry) -> Constraint:
        values = _checked_values(self.name, geometry)
        return _all_parts_in_each_square(geometry, [values[remainder::3] for remainder in range(3)])


class Flatmates(Rule):
    """Every middle value (5 in 9×9) has a 1 directly above or the largest value directly below."""

    name = "Dutch flatmates"

    def constraints(self, geometry: Geometry) -> Constraint:
        values = geometry.values
        if len(values) % 2 == 0:
            raise ValueError(f"{self.name}: {len(values)} values have no middle value")
        middle = values[len(values) // 2]
        not_middle = tuple(value for value in values if value != middle)
        parts: list[Constraint] = []
        for cell in range(geometry.grid_size):
            row, column = geometry.place(cell)
            neighbours = (row - 1, values[0]), (row + 1, values[-1])
            alternatives = [Allowed(cell, not_middle)]
            for neighbour_row, value in neighbours:
                neighbour = geometry.cell_at(neighbour_row, column)  # None outside the grid
                alternatives += [] if neighbour is None else [Allowed(neighbour, (value,))]
            parts.append(AnyOf(tuple(alternatives)))
        return AllOf(tuple(parts))


class NoTiedLines(Rule):
    """No two rows or columns are equal, read in either direction, and none is a palindrome."""

    name = "no tied lines"

    def constraints(self, geometry: Geometry) -> Constraint:
        square_side(self.name, geometry)
        return AllOf(tuple(map(_lines_differ, *zip(*_pairs_of_lines(geometry), strict=True))))


def _pairs_of_lines(geometry: Geometry) -> Iterator[tuple[Cells, Cells]]:
    """Yield each pair of lines once; pairs in other directions compare the same cells."""
    lines = (*geometry.rows(), *geometry.columns())
    for line in lines:
        yield line, line[::-1]
    for line, other_line in combinations(lines, 2):
        yield line, other_line
        yield line, other_line[::-1]


def _lines_differ(line: Cells, other_line: Cells) -> Constraint:
    """The constraint that two lines differ in some position."""
    pairs = {
        (min(pair), max(pair)) for pair in zip(line, other_line, strict=True) if pair[0] != pair[1]
    }
    return AnyOf(tuple(Pairs((pair,), ne) for pair in sorted(pairs)))


def _checked_values(name: str, geometry: Geometry) -> range:
    """The values of the geometry. Raises ValueError if their number is not divisible by 3."""
    values = geometry.values
    if len(values) % 3:
        raise ValueError(f"{name}: the side is {geometry.side}, which is not divisible by 3")
    return values


def _all_parts_in_each_square(geometry: Geometry, parts: list[range]) -> Constraint:
    """The constraint that each square of 2×2 cells contains a value of each part."""
    constraints: list[Constraint] = []
    for cell in range(geometry.grid_size):
        row, column = geometry.place(cell)
        places = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
        square = [geometry.cell_at(*place) for place in places]
        corners = [corner for corner in square if corner is not None]
        if len(corners) == len(square):
            constraints.append(HoldsEachPart(tuple(corners), tuple(parts)))
    return AllOf(tuple(constraints))


def _do_not_both_hold(u: int, v: int, value: int) -> bool:
    return not u == v == value
