"""Cells that are equal, counts of values and regions: the search alone, against brute force."""

from __future__ import annotations

import random
from itertools import product
from math import inf
from operator import eq

import pytest
from support.needs import needs_numba

from pipeline.certify.variants import run_search
from pipeline.puzzle.connected import Connected, DifferentPairs, EqualToAny
from pipeline.puzzle.constraints import AllOf, AnyOf, Constraint, Pairs
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle, Rule
from pipeline.puzzle.rules import adjacent_pairs
from pipeline.puzzle.sums import CountOfValues

SHAPES = [
    Geometry(1, side, free_grid=FreeGrid(rows, columns, lowest))
    for rows, columns, side in ((2, 3, 3), (2, 4, 2), (1, 5, 4), (3, 3, 2))
    for lowest in (0, 1)
]


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)])
def step(request):
    return None if request.param == "plain" else request.getfixturevalue("ruling")


class Given(Rule):
    """A rule that is a constraint of the tests."""

    name = "given"

    constraint: Constraint

    def constraints(self, geometry):
        return self.constraint


def drawn_constraint(chance, geometry, kinds):
    """A constraint of one of these kinds, on cells that are drawn."""
    cells = chance.sample(range(geometry.size), chance.randint(2, geometry.size))
    kind = chance.choice(kinds)
    if kind is Pairs:
        return Pairs((tuple(cells[:2]),), eq)
    if kind is CountOfValues:
        repeated = chance.random() < 0.3
        return CountOfValues(cells[0], tuple(cells if repeated else cells[1:]))
    if kind is EqualToAny:
        return EqualToAny(cells[0], tuple(cells[1:]))
    if kind is DifferentPairs:
        half = min(len(cells) // 2, chance.randint(1, 3))
        return DifferentPairs(tuple(zip(cells[:half], cells[half : 2 * half], strict=True)))
    grid = tuple(range(geometry.size))
    size = chance.choice((None, chance.randint(1, geometry.size)))
    return Connected(grid, adjacent_pairs(geometry, grid), (chance.choice(geometry.values),), size)


def check_all(step, number, kinds, seed):
    """Search puzzles of some constraints each, some of them in an alternative."""
    chance, counts = random.Random(seed), []
    for _ in range(number):
        geometry = chance.choice(SHAPES)
        parts = [drawn_constraint(chance, geometry, kinds) for _ in range(chance.randint(1, 4))]
        if chance.random() < 0.3:
            parts = [*parts[1:], AnyOf((parts[0], drawn_constraint(chance, geometry, kinds)))]
        rule = AllOf(tuple(parts))
        known = [
            Grid(geometry, values)
            for values in product(geometry.values, repeat=geometry.size)
            if rule.holds(values)
        ]
        puzzle = Puzzle.empty(geometry, (Given(rule),))
        result = run_search(step, puzzle, (), 5000, inf, inf)
        assert (sorted(result.missing), result.undecided) == (known, None), rule
        counts.append(len(known))
    assert sum(map(bool, counts)) > number / 4


def test_the_number_of_values_is_bounded_soundly(step):
    check_all(step, 120 if step else 12, (CountOfValues, CountOfValues, Pairs), 1)


def test_a_cell_equals_any_of_others(step):
    check_all(step, 80 if step else 10, (EqualToAny, EqualToAny, DifferentPairs, Pairs), 2)


def test_equal_cells_join_a_region_together(step):
    check_all(step, 200 if step else 20, (Connected, Pairs, Pairs, DifferentPairs), 3)


def test_cells_differ_whose_partners_are_equal():
    """No two pairs are the same, so no branch is needed."""
    geometry = Geometry(1, 3, free_grid=FreeGrid(2, 3))
    labels = Pairs(((3, 4), (4, 5)), eq)
    rules = Given(DifferentPairs(((0, 3), (1, 4), (2, 5)))), Given(labels)
    puzzle = Puzzle.of_values(geometry, [1, 2, 0, 3, 0, 0], rules)
    result = run_search(None, puzzle, (), 9, inf, inf)
    assert ([grid.values for grid in result.missing], result.nodes) == ([(1, 2, 3, 3, 3, 3)], 0)
