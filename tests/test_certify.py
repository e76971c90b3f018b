"""Grids against puzzles, by the rules alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import is_solution, solutions
from strategies import examples, geometries, puzzles, solved_grids

from pipeline.certify import Violation, certifier, certify_grid, clashing_givens
from pipeline.puzzle import Geometry, Grid, Puzzle

FOUR = Geometry(2, 2)
SOLVED = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1)
EVEN, ODD, ALL = FOUR.even_values, FOUR.odd_values, FOUR.all_values


def puzzle_with(cells: dict[int, int]) -> Puzzle:
    return Puzzle(FOUR, tuple(cells.get(cell, ALL) for cell in range(16)))


def grid_with(values: dict[int, int]) -> Grid:
    return Grid(FOUR, tuple(values.get(cell, value) for cell, value in enumerate(SOLVED)))


def twice(kind: str, here: tuple[int, int], there: tuple[int, int]) -> tuple:
    """The violation by a 2 that stands twice in the first unit of a kind."""
    places = " and ".join(f"row {row}, column {column}" for row, column in (here, there))
    return kind, f"{kind} 1 holds 2 twice: {places}", (here, there)


@examples(40)
@given(geometries.flatmap(solved_grids))
def test_a_solved_grid_is_valid_for_the_empty_puzzle_and_for_itself(grid):
    assert certify_grid(Puzzle.empty(grid.geometry), grid) == ()
    assert certifier(Puzzle.of_values(grid.geometry, grid.values), grid)


@st.composite
def puzzles_with_a_grid(draw) -> tuple[Puzzle, Grid]:
    """A puzzle, and a grid that solves it, nearly solves it or has nothing to do with it."""
    geometry = draw(st.sampled_from([FOUR, Geometry(2, 3), Geometry(3, 1)]))
    puzzle = draw(puzzles(geometry, draw(st.sampled_from(["classic", "even-odd"]))))
    grid = next(iter(solutions(puzzle, 1)), None) or draw(solved_grids(geometry))
    values = list(grid.values)
    if draw(st.booleans()):
        values[draw(st.integers(0, len(values) - 1))] = draw(st.integers(1, geometry.side))
    return puzzle, Grid(geometry, tuple(values))


@examples(100)
@given(puzzles_with_a_grid())
def test_a_grid_is_accepted_exactly_if_it_is_a_solution_by_the_rules(case):
    puzzle, grid = case
    assert certifier(puzzle, grid) == is_solution(puzzle, grid)


@pytest.mark.parametrize(
    ("puzzle", "grid", "violations"),
    [
        (
            puzzle_with({}),
            grid_with({0: 2}),
            [
                twice("row", (1, 1), (1, 2)),
                twice("column", (1, 1), (3, 1)),
                twice("box", (1, 1), (1, 2)),
            ],
        ),
        (
            puzzle_with({5: 1 << 2}),
            grid_with({}),
            [("given", "row 2, column 2 holds 4, given as 3", ((2, 2),))],
        ),
        (
            puzzle_with({0: EVEN, 1: ODD, 2: ODD}),
            grid_with({}),
            [
                ("mark", "row 1, column 1 holds 1, marked even", ((1, 1),)),
                ("mark", "row 1, column 2 holds 2, marked odd", ((1, 2),)),
            ],
        ),
        (
            puzzle_with({0: 0b1100}),
            grid_with({}),
            [("mark", "row 1, column 1 holds 1, marked as 3 or 4", ((1, 1),))],
        ),
        (
            Puzzle.empty(Geometry(1, 4)),
            grid_with({}),
            [("geometry", "the puzzle has boxes of 1×4, the grid of 2×2", ())],
        ),
    ],
    ids=["repetition", "given", "marks", "other-mask", "geometry"],
)
def test_every_violation_is_named_with_its_cells(puzzle, grid, violations):
    found = certify_grid(puzzle, grid)
    assert found == tuple(Violation(*violation) for violation in violations)
    assert [str(violation) for violation in found] == [message for _, message, _ in violations]
    assert not certifier(puzzle, grid)


def test_a_value_that_stands_thrice_is_two_violations_against_the_first():
    rows = [v for v in certify_grid(puzzle_with({}), grid_with({1: 1, 2: 1})) if v.rule == "row"]
    assert [violation.cells for violation in rows] == [((1, 1), (1, 2)), ((1, 1), (1, 3))]


@pytest.mark.parametrize(
    ("givens", "cells"),
    [
        ({0: 3, 3: 3}, ((1, 1), (1, 4))),
        ({1: 3, 13: 3}, ((1, 2), (4, 2))),
        ({10: 3, 15: 3}, ((3, 3), (4, 4))),
        ({0: 3, 7: 3, 12: 3}, ((1, 1), (4, 1))),
        ({0: 3, 7: 3, 1: 2}, None),
        ({}, None),
    ],
)
def test_the_first_two_equal_givens_that_see_each_other_are_named(givens, cells):
    clash = clashing_givens(puzzle_with({cell: 1 << v - 1 for cell, v in givens.items()}))
    assert (clash and clash.cells) == cells


def test_marks_do_not_clash_as_givens_do():
    assert clashing_givens(puzzle_with(dict.fromkeys(range(16), EVEN))) is None
