"""Clauses with the map of their variables, and models that become grids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples, geometries, solved_grids

from pipeline.errors import SolverError
from pipeline.puzzle.puzzle import Candidate, Geometry, Grid, Puzzle
from pipeline.solving.cnf import (
    MAX_VARIABLE,
    Cnf,
    Family,
    LazyClauses,
    blocking_clause,
    decode_model,
)
from pipeline.solving.encode import ENCODINGS, Numbering, encode_puzzle

CANDIDATES = {1: Candidate(1, 1, 1), 2: Candidate(1, 1, 2)}
ONE = Family("at least one", 1, [(1, 2)])
NOT_BOTH = Family("at most one", 2, [(-1, -2), (-1, 3)])


def cnf_of(*families: Family, variables: int = 3) -> Cnf:
    return Cnf(Geometry(1, 2), "made up", variables, families, CANDIDATES)


def test_clauses_come_in_order_are_counted_and_can_be_read_again():
    cnf = cnf_of(ONE, NOT_BOTH, Family("made anew", 1, LazyClauses(lambda: iter([(7,)]))))
    assert list(cnf.clauses()) == list(cnf.clauses()) == [(1, 2), (-1, -2), (-1, 3), (7,)]
    assert cnf.size == 4


@pytest.mark.parametrize(
    ("model", "satisfied"),
    [
        ({1, -2, 3}, True),
        ({2, -1}, True),
        ({1, -2, -3}, False),
        ({1, -2}, False),
        ({1, -1, 2, 3}, False),
        (set(), False),
    ],
)
def test_a_model_satisfies_by_holding_a_literal_of_every_clause_and_no_opposites(model, satisfied):
    assert cnf_of(ONE, NOT_BOTH).satisfied_by(model) is satisfied


def test_no_model_satisfies_the_empty_clause_and_any_model_satisfies_no_clauses():
    assert not cnf_of(Family("conflict", 1, [()])).satisfied_by({1, 2})
    assert cnf_of().satisfied_by(set())


def test_blocking_forbids_the_chosen_candidates_and_no_other_variable():
    assert cnf_of().blocking(frozenset({-1, 2, 3})) == (-2,)
    assert cnf_of().blocking(frozenset({2, 1, -3})) == (-1, -2)


def test_more_variables_than_a_solver_can_number_are_refused():
    assert cnf_of(variables=MAX_VARIABLE).variables == 2**31 - 1
    with pytest.raises(ValueError, match="solvers take at most 2147483647"):
        cnf_of(variables=MAX_VARIABLE + 1)


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


def test_the_clause_that_blocks_a_grid_denies_its_candidates_that_have_a_variable():
    assert blocking_clause(GRID, DENSE) == (-1, -4, -6, -7)
    assert blocking_clause(GRID, PARTLY_FIXED) == (-1, -2, -3)


@examples(8)
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


def test_decided_candidates_count_and_variables_without_a_candidate_do_not():
    assert decode_model({1, 2, 3, -4}, PARTLY_FIXED) == GRID
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
