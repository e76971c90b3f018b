"""Models become grids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, geometries, solved_grids

from pipeline.cnf import Cnf, blocking_clause, decode_model
from pipeline.encode import ENCODINGS, Numbering, encode_puzzle
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


def test_the_clause_that_blocks_a_grid_denies_its_candidates_that_have_a_variable():
    assert blocking_clause(GRID, DENSE) == (-1, -4, -6, -7)
    assert blocking_clause(GRID, PARTLY_FIXED) == (-1, -2, -3)


@examples(20)
@given(geometries.flatmap(solved_grids), st.sampled_from([*ENCODINGS]))
def test_a_blocked_grid_is_no_model_and_every_other_still_is(grid, encoding):
    cnf = encode_puzzle(Puzzle.empty(grid.geometry), encoding)
    clause = set(blocking_clause(grid, cnf))
    model = {v if -v in clause else -v for v in cnf.candidates}
    assert decode_model(model, cnf) == grid
    assert cnf.blocking(model) == tuple(sorted(clause, reverse=True))
    shifted = Grid(
        grid.geometry, grid.values[-grid.geometry.side :] + grid.values[: -grid.geometry.side]
    )
    assert not clause.issuperset(blocking_clause(shifted, cnf))


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
