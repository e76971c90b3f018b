"""Models become grids."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import examples, geometries, solved_grids

from pipeline.cnf import Cnf
from pipeline.decode import decode_model
from pipeline.encode import Numbering, encode_puzzle
from pipeline.errors import SolverError
from pipeline.puzzle import Candidate, Geometry, Grid, Puzzle

TWO = Geometry(1, 2)
DENSE = Cnf(TWO, "made up", 8, (), Numbering(TWO))
PARTLY_FIXED = Cnf(
    TWO,
    "made up",
    4,
    (),
    {1: Candidate(1, 2, 2), 2: Candidate(2, 1, 2), 3: Candidate(2, 2, 1), 4: Candidate(1, 1, 2)},
    (Candidate(1, 1, 1),),
)
GRID = Grid(TWO, (1, 2, 2, 1))


@examples(40)
@given(geometries.flatmap(solved_grids))
def test_the_true_candidates_of_a_model_are_its_grid(grid):
    cnf = encode_puzzle(Puzzle.empty(grid.geometry), "textbook")
    n = grid.geometry.side
    chosen = {cell * n + value for cell, value in enumerate(grid.values)}
    model = {v if v in chosen else -v for v in range(1, n**3 + 1)}
    assert decode_model(model, cnf) == grid


def test_decided_candidates_join_those_of_the_model():
    assert decode_model({1, 2, 3, -4}, PARTLY_FIXED) == GRID


def test_variables_that_stand_for_no_candidate_are_passed_over():
    assert decode_model({1, 4, 6, 7, -2, 9, 1000}, DENSE) == GRID


@pytest.mark.parametrize(
    ("model", "cnf", "message"),
    [
        ({1, 4, 6}, DENSE, "the model leaves row 2, column 2 without a value"),
        (set(), DENSE, "the model leaves row 1, column 1 without a value"),
        ({1, 2, 4, 6, 7}, DENSE, "the model gives row 1, column 1 two values, "),
        ({1, 2, 3, 4}, PARTLY_FIXED, "the model gives row 1, column 1 two values, 1 and 2"),
    ],
)
def test_a_cell_without_a_value_or_with_two_is_the_solvers_error(model, cnf, message):
    with pytest.raises(SolverError) as caught:
        decode_model(model, cnf)
    assert str(caught.value).startswith(message)
