"""Joined totals follow from the totals, and solvers need them."""

from __future__ import annotations

import random

from pysat.solvers import Glucose4
from support.cases import for_each

from pipeline import encode_puzzle
from pipeline.puzzle.geometry import Geometry, units_of
from pipeline.puzzle.joined_totals import joined_totals
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules.outside import LittleKiller
from pipeline.puzzle.sums import Total

NINE = Geometry(3, 3)
UNITS = units_of(NINE)


def diagonal(row: int, column: int, down: int, right: int) -> tuple[int, ...]:
    """The cells from a place on, rows and columns counted from 0, up to the border."""
    cells = []
    while 0 <= row < 9 and 0 <= column < 9:
        cells.append(9 * row + column)
        row, column = row + down, column + right
    return tuple(cells)


RISING = [diagonal(8, column, -1, 1) for column in range(3)] + [diagonal(7, 0, -1, 1)]
FALLING = [diagonal(row, 0, 1, 1) for row in range(3)] + [diagonal(0, 2, 1, 1)]


def total_of(cells: tuple[int, ...], total: int) -> Total:
    return Total(tuple((cell, 1) for cell in cells), total)


def test_neighbouring_diagonals_are_joined():
    joined = [*joined_totals([total_of(cells, 49) for cells in RISING], UNITS, NINE.values)]
    assert {frozenset(total.weights()) for total in joined} >= {frozenset(sum(RISING, ()))}
    assert len({total.terms for total in joined}) == len(joined)


def test_joined_totals_are_sums_of_totals_with_distinct_cells():
    chance = random.Random(3)
    for _ in range(50):
        values = [chance.randrange(1, 10) for _ in range(81)]
        lines = chance.sample([*RISING, *FALLING, *UNITS], 9)
        totals = [total_of(line, sum(values[cell] for cell in line)) for line in lines]
        for joined in joined_totals(totals, UNITS, NINE.values):
            assert joined.holds(values)
            assert {*joined.weights().values()} == {1}


@for_each(
    "totals",
    [
        [],
        [total_of(cells, 49) for cells in RISING[:2]],
        [total_of(cells[:4], 20) for cells in RISING],
        [Total(tuple((cell, 2) for cell in cells), 98) for cells in RISING],
        [Total((*((cell, 1) for cell in cells), (cells[0], 1)), 49) for cells in RISING],
    ],
)
def test_few_short_or_weighted_totals_are_not_joined(totals):
    assert [*joined_totals(totals, UNITS, NINE.values)] == []


def test_a_solver_refutes_little_killers_without_a_solution():
    lines = [cells[::-1] for cells in RISING] + FALLING
    puzzle = Puzzle.empty(NINE, tuple(LittleKiller(line, 49) for line in lines))
    with Glucose4(bootstrap_with=encode_puzzle(puzzle).clauses()) as solver:
        solver.conf_budget(20_000)
        assert solver.solve_limited() is False
