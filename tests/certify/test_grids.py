"""Certification of grids, one by one and in batches, and of models."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.oracle import is_solution as is_known_solution
from support.oracle import solutions
from support.puzzles import pattern
from support.strategies import examples, geometries, puzzles, solved_grids

from pipeline.certify import (
    Violation,
    certify_grid,
    certify_lists,
    certify_many,
    certify_model,
    clashing_givens,
    is_solution,
)
from pipeline.certify.grids import CHUNK_PUZZLES
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle

FOUR, NINE = Geometry(2, 2), Geometry(3, 3)
SOLVED = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1)
EVEN, ODD, ALL = FOUR.even_values, FOUR.odd_values, FOUR.all_values


def puzzle_with(cells: dict[int, int]) -> Puzzle:
    return Puzzle(FOUR, tuple(cells.get(cell, ALL) for cell in range(16)))


def grid_with(values: dict[int, int]) -> Grid:
    return Grid(FOUR, tuple(values.get(cell, value) for cell, value in enumerate(SOLVED)))


def twice(kind: str, here: tuple[int, int], there: tuple[int, int]) -> tuple:
    """The violation for two 2s in the first unit of a kind."""
    places = " and ".join(f"row {row}, column {column}" for row, column in (here, there))
    return kind, f"{kind} 1 holds 2 twice: {places}", (here, there)


@examples(10)
@given(geometries.flatmap(solved_grids))
def test_a_solved_grid_is_valid_for_the_empty_puzzle_and_for_itself(grid):
    assert certify_grid(Puzzle.empty(grid.geometry), grid) == ()
    assert is_solution(Puzzle.of_values(grid.geometry, grid.values), grid)


def arrays(pairs):
    masks = np.array([puzzle.cells for puzzle, _ in pairs], np.uint64)
    return masks, np.array([grid.values for _, grid in pairs], np.uint8)


GEOMETRIES = [FOUR, *(Geometry(*box) for box in ((1, 2), (2, 3), (3, 1), (1, 5), (3, 2)))]


@st.composite
def puzzles_with_grids(draw) -> list[tuple[Puzzle, Grid]]:
    """Pairs of a puzzle and a solution, a near miss or an unrelated grid."""
    geometry = draw(st.sampled_from(GEOMETRIES))
    variant = draw(st.sampled_from(["classic", "even-odd"]))
    pairs = []
    for _ in range(draw(st.integers(1, 4))):
        puzzle = draw(puzzles(geometry, variant) | st.just(Puzzle.empty(geometry)))
        grid = next(iter(solutions(puzzle, 1)), None) or draw(solved_grids(geometry))
        values = list(grid.values)
        if draw(st.booleans()):
            values[draw(st.integers(0, len(values) - 1))] = draw(st.integers(1, geometry.side))
        pairs.append((puzzle, Grid(geometry, tuple(values))))
    return pairs


@examples(20)
@given(puzzles_with_grids())
def test_a_grid_is_accepted_exactly_if_it_is_a_solution_by_the_rules(pairs):
    expected = [is_known_solution(puzzle, grid) for puzzle, grid in pairs]
    assert [is_solution(puzzle, grid) for puzzle, grid in pairs] == expected
    assert certify_many(pairs[0][0].geometry, *arrays(pairs)).tolist() == expected


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
            puzzle_with({0: EVEN, 1: ODD, 2: 0b0011, 5: 1 << 2, 6: ODD}),
            grid_with({}),
            [
                ("mark", "row 1, column 1 holds 1, marked even", ((1, 1),)),
                ("mark", "row 1, column 2 holds 2, marked odd", ((1, 2),)),
                ("mark", "row 1, column 3 holds 3, marked as 1 or 2", ((1, 3),)),
                ("given", "row 2, column 2 holds 4, given as 3", ((2, 2),)),
            ],
        ),
        (
            Puzzle.empty(Geometry(1, 4)),
            grid_with({}),
            [("geometry", "the puzzle has boxes of 1×4, the grid of 2×2", ())],
        ),
    ],
    ids=["repetition", "marks and givens", "geometry"],
)
def test_every_violation_is_named_with_its_cells(puzzle, grid, violations):
    found = certify_grid(puzzle, grid)
    assert found == tuple(Violation(*violation) for violation in violations)
    assert [str(violation) for violation in found] == [message for _, message, _ in violations]
    assert not is_solution(puzzle, grid)


def test_a_value_that_stands_thrice_is_two_violations_against_the_first():
    rows = [v for v in certify_grid(puzzle_with({}), grid_with({1: 1, 2: 1})) if v.rule == "row"]
    assert [violation.cells for violation in rows] == [((1, 1), (1, 2)), ((1, 1), (1, 3))]


@for_each(
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


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64])
def test_any_single_cell_spoils_a_grid(dtype):
    grid = np.array(pattern(NINE).values, dtype)
    grids = np.repeat(grid[None], 82, axis=0)
    grids[range(81), range(81)] = grid % 9 + 1
    masks = np.full((82, 81), NINE.all_values, np.uint64)
    assert certify_many(NINE, masks, grids).tolist() == [False] * 81 + [True]


def test_two_values_exchanged_all_over_still_solve_but_not_against_a_given():
    grid = np.array(pattern(NINE).values)
    exchanged = np.where(grid == 1, 2, np.where(grid == 2, 1, grid))
    masks = np.full((2, 81), NINE.all_values, np.uint64)
    masks[1, 0] = 1 << int(grid[0]) - 1
    assert certify_many(NINE, masks, np.array([exchanged] * 2)).tolist() == [True, False]


@for_each("value", [-1, 0, 10, 64, 65, 73])
def test_a_value_out_of_range_is_no_solution(value):
    grids = np.array([pattern(NINE).values])
    grids[0, 40] = value
    masks = np.full((1, 81), (1 << 64) - 1, np.uint64)
    assert certify_many(NINE, masks, grids).tolist() == [False]


def test_sides_up_to_64_are_certified():
    geometry = Geometry(8, 8)
    grids = np.array([pattern(geometry).values] * 2)
    masks = np.full(grids.shape, geometry.all_values, np.uint64)
    masks[1, 99] ^= np.uint64(1 << int(grids[1, 99]) - 1)
    assert certify_many(geometry, masks, grids).tolist() == [True, False]


@for_each("count", [0, 1, CHUNK_PUZZLES, CHUNK_PUZZLES + 1])
def test_any_number_of_grids_can_be_certified(count):
    geometry = Geometry(1, 2)
    grids = np.array([[1, 2, 2, 1], [1, 2, 1, 2]] * (count // 2 + 1))[:count].reshape(-1, 4)
    masks = np.full(grids.shape, 3, np.uint64)
    assert certify_many(geometry, masks, grids).tolist() == [i % 2 == 0 for i in range(count)]


def test_of_several_grids_each_is_a_solution_and_none_comes_twice():
    one, other, wrong = SOLVED, SOLVED[8:] + SOLVED[:8], (1,) * 16
    lists = {
        (): True,
        (one,): True,
        (one, other): True,
        (one, one): False,
        (one, other, one): False,
        (wrong,): False,
        (one, wrong): False,
    }
    counts = np.array([len(grids) for grids in lists])
    grids = np.array([[*each, *[wrong] * 3][:3] for each in lists]).swapaxes(0, 1)
    masks = np.full((len(lists), 16), ALL, np.uint64)
    assert certify_lists(FOUR, masks, counts, grids).tolist() == [*lists.values()]


@pytest.mark.parametrize(
    ("masks", "grids"), [((1, 81), (2, 81)), ((1, 80), (1, 80)), ((81,), (81,))]
)
def test_wrong_shapes_are_refused(masks, grids):
    with pytest.raises(ValueError, match="expected masks and grids of shape"):
        certify_many(NINE, np.ones(masks, np.uint64), np.ones(grids, np.uint8))


CLAUSES = [(1, -2), (2, 3), (-1, -3, 2)]
MODELS = {
    None: [(1, 2, 3), (1, 2, -3), (1, 2), (1, 2, 3, -3), (0, 1, 2)],
    0: [(-1, 2, 3), (), (2, 1, -1)],
    1: [(1, -2, -3), (1,)],
    2: [(1, -2, 3)],
}


@for_each(
    ("clauses", "model", "index"),
    [
        *((CLAUSES, model, index) for index, models in MODELS.items() for model in models),
        ([(1,), (), (2,)], (1, 2), 1),
        ([], (), None),
        ([()], (), 0),
        ([(1, -1), (2, 2, 2)], (-1, 2), None),
        ([(1, -1), (2, 2, 2)], (-1, -2), 1),
        ([(1,), (-1,)], (1, -1), 0),
        ([(0,)], (0,), 0),
    ],
)
def test_the_first_clause_that_is_not_satisfied_is_named(clauses, model, index):
    assert certify_model(clauses, model) == index
    assert certify_model(iter(clauses), iter(model)) == index


literals = st.integers(-5, 5).filter(bool)


@examples(25)
@given(st.lists(st.lists(literals, max_size=4)), st.sets(literals))
def test_what_is_certified_holds_however_the_model_is_completed(clauses, model):
    index = certify_model(clauses, model)
    sound = {literal for literal in model if -literal not in model}
    certified = clauses if index is None else clauses[:index]
    for signs in product([-1, 1], repeat=5):
        whole = {sign * v for v, sign in enumerate(signs, 1)}
        if not any(-literal in whole for literal in sound):
            assert all(whole.intersection(clause) for clause in certified)
    assert index is None or sound.isdisjoint(clauses[index])
