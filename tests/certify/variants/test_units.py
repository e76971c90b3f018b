"""Free grids whose cells hold some of the values: the search finds all solutions, by units too."""

from __future__ import annotations

import random
from itertools import product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.needs import needs_numba

from pipeline.certify.variants import run_search
from pipeline.certify.variants.innies import innies
from pipeline.certify.variants.simplify import (
    NoSolution,
    SimplifiedConstraints,
    searched_values,
)
from pipeline.certify.variants.unit_numbers import Unit
from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    Allowed,
    AnyOf,
    AtLeast,
    Automaton,
    Constraint,
    OneOfSets,
    Pairs,
    ValueSwitch,
)
from pipeline.puzzle.geometry import FreeGrid, Geometry, bits_of
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.puzzle.sums import CountOfEqual, CountOfValues, SameTotals, SetTotal, Total

SQUARE = Geometry(1, 6, free_grid=FreeGrid(3, 3, 0))
"""Three rows of three cells, and the values 0 to 5."""

ROWS, COLUMNS = tuple(SQUARE.rows()), tuple(SQUARE.columns())
NINE_LINES = Geometry(1, 11, free_grid=FreeGrid(9, 9, 0))


class Formula(Rule):
    """A rule that is a constraint of the tests."""

    name = "formula"

    constraint: Constraint

    def constraints(self, geometry):
        return self.constraint


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)])
def compiled_search(request):
    """The search as machine code, or None for plain Python."""
    return None if request.param == "plain" else request.getfixturevalue("ruling")


def free_puzzle(masks, *constraints, geometry=SQUARE):
    return Puzzle(geometry, tuple(masks), tuple(map(Formula, constraints)))


def rising(before, value):
    """The step of an automaton that accepts rising values."""
    return value if value > before else None


def greater(u, v):
    return u > v


def random_constraint(chance):
    """A constraint of a kind that depends on the values."""
    a, b, c, *others = chance.sample(range(9), 9)
    value, total = chance.randrange(6), chance.randint(2, 12)
    switch = tuple(Total(((b, 1), (c, 1)), chance.randint(2, 8)) for _ in range(6))
    return chance.choice(
        (
            Pairs(((a, b), (b, c)), greater),
            Total(((a, 1), (b, 1), (c, 1)), total),
            Total(((a, 2), (b, -1), (c, 1)), chance.randint(-2, 6)),
            SetTotal((a, b), total, (0, 1, 2, 3, 5)),
            SameTotals(((a, b), (c, others[0]))),
            SameTotals(((a, b), (c, others[0])), value),
            AtLeast((a, b, c), value, 1),
            Allowed(a, (value, 3)),
            OneOfSets((a, b, c), ((1, 2, 3), (0, 2), (value, 5))),
            Automaton((a, b, c), -1, rising, frozenset(range(6))),
            CountOfEqual(a, b, ((c, others[0]), (others[1],)), 0, False),
            CountOfValues(a, (b, c, others[0])),
            ValueSwitch(a, switch, 0),
            AnyOf((AllDifferent((a, b, c)), Total(((a, 1), (b, 1)), total))),
        )
    )


def random_puzzle(chance):
    """Rows and columns of different values, in which most cells hold few values."""
    units = [AllDifferent(line) for line in chance.sample((*ROWS, *COLUMNS), chance.randint(1, 6))]
    low, masks = chance.randint(0, 3), []
    for _ in range(9):
        held = chance.sample(range(low, low + 3), chance.choice((1, 2, 2, 3)))
        masks.append(bits_of({*held, chance.choice((*held, chance.randrange(6)))}))
    return free_puzzle(
        masks, *units, *(random_constraint(chance) for _ in range(chance.randint(0, 2)))
    )


def expected_solutions(puzzle):
    """All solutions in ascending order, by brute force."""
    choices = [[value for value in range(6) if mask >> value & 1] for mask in puzzle.cells]
    constraint = AllOf(tuple(rule.constraints(SQUARE) for rule in puzzle.rules))
    return [values for values in product(*choices) if constraint.holds(values)]


def test_grids_of_few_of_the_values_have_the_solutions_of_brute_force(compiled_search):
    chance, counts = random.Random(4), []
    for _ in range(150 if compiled_search else 60):
        puzzle = random_puzzle(chance)
        found = run_search(compiled_search, puzzle, (), 100_000, inf, inf)
        assert found.undecided is None
        assert sorted(grid.values for grid in found.missing) == expected_solutions(puzzle), puzzle
        counts.append(len(found.missing))
    assert 0 < counts.count(0) < len(counts) * 3 / 4


@given(st.lists(st.integers(1, 63), min_size=9, max_size=9))
def test_the_searched_values_reach_from_the_lowest_to_the_highest_candidate(masks):
    held = [value for mask in masks for value in range(6) if mask >> value & 1]
    assert searched_values(free_puzzle(masks)) == range(min(held), max(held) + 1)


def test_units_of_a_geometry_hold_all_values():
    puzzle = Puzzle.of_values(Geometry(2, 2), [1] * 16)
    assert searched_values(puzzle) == range(1, 5)


def test_different_cells_with_as_many_values_are_a_unit():
    masks = [0b1110] * 3 + [0b110100] * 3 + [0b111100] * 3
    simplified = SimplifiedConstraints(free_puzzle(masks))
    assert simplified.values == range(1, 6)
    for row in ROWS:
        simplified.add(AllDifferent(row))
    assert simplified.all_units() == (Unit(ROWS[0], 0b111), Unit(ROWS[1], 0b11010))
    simplified.add(Allowed(6, (3, 4)))
    assert len(simplified.all_units()) == 2
    for cell in ROWS[2]:
        simplified.add(Allowed(cell, (2, 3, 5)))
    assert simplified.all_units()[2] == Unit(ROWS[2], 0b10110)
    simplified.add(Allowed(6, (3, 5)))
    simplified.add(Allowed(7, (3, 5)))
    simplified.add(Allowed(8, (3, 5)))
    with pytest.raises(NoSolution):
        simplified.all_units()


def test_adjacent_rows_of_a_free_grid_have_innies():
    """All but two cells of the first three rows are in cages, and so is most of the fourth."""
    masks = [0b1111111110] * 81
    simplified = SimplifiedConstraints(free_puzzle(masks, geometry=NINE_LINES))
    rows = [*NINE_LINES.rows()]
    for row in rows:
        simplified.add(AllDifferent(row))
    cages = [(*rows[0][:5], *rows[1][:4]), (*rows[0][5:], *rows[1][4:8]), rows[2][:4], rows[2][4:8]]
    for cage in cages:
        simplified.add(Total(tuple((cell, 1) for cell in cage), 30))
    found = {
        (frozenset(terms), total) for terms, total in innies(simplified, simplified.all_units())
    }
    assert (frozenset({(rows[1][8], 1), (rows[2][8], 1)}), 3 * 45 - 4 * 30) in found
