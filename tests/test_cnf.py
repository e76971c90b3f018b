"""Clauses with the map of their variables."""

from __future__ import annotations

import pytest

from pipeline.cnf import MAX_VARIABLE, Cnf, Family, Generated
from pipeline.puzzle import Candidate, Geometry

CANDIDATES = {1: Candidate(1, 1, 1), 2: Candidate(1, 1, 2)}
ONE = Family("at least one", 1, [(1, 2)])
NOT_BOTH = Family("at most one", 2, [(-1, -2), (-1, 3)])


def cnf_of(*families: Family, variables: int = 3) -> Cnf:
    return Cnf(Geometry(1, 2), "made up", variables, families, CANDIDATES)


def test_clauses_come_in_the_order_of_their_families_and_are_counted():
    cnf = cnf_of(ONE, NOT_BOTH)
    assert list(cnf.clauses()) == [(1, 2), (-1, -2), (-1, 3)]
    assert cnf.size == 3


def test_generated_clauses_can_be_read_again():
    family = Generated(lambda: iter([(1,), (2,)]))
    assert list(family) == list(family) == [(1,), (2,)]


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
