"""Models against clauses, by a check that knows neither parser nor solver."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from pipeline.certify import certify_model

CLAUSES = [(1, -2), (2, 3), (-1, -3, 2)]


@pytest.mark.parametrize(
    ("model", "index"),
    [
        ((1, 2, 3), None),
        ((1, 2, -3), None),
        ((-1, -2, 3), None),
        ((-1, 2, 3), 0),
        ((1, -2, -3), 1),
        ((1, -2, 3), 2),
        ((), 0),
        ((1, 2), None),
        ((1,), 1),
        ((2, 1, -1), 0),
        ((1, 2, 3, -3), None),
        ((0, 1, 2), None),
    ],
)
def test_the_first_clause_that_is_not_satisfied_is_named(model, index):
    assert certify_model(CLAUSES, model) == index
    assert certify_model(iter(CLAUSES), iter(model)) == index


def test_an_empty_clause_is_satisfied_by_nothing_and_no_clauses_are_by_anything():
    assert certify_model([(1,), (), (2,)], (1, 2)) == 1
    assert certify_model([], ()) is None
    assert certify_model([()], ()) == 0


def test_tautologies_and_duplicate_literals_as_they_are_written_change_nothing():
    assert certify_model([(1, -1), (2, 2, 2)], (-1, 2)) is None
    assert certify_model([(1, -1), (2, 2, 2)], (-1, -2)) == 1


def test_a_model_that_contradicts_itself_does_not_satisfy_by_that():
    assert certify_model([(1,), (-1,)], (1, -1)) == 0
    assert certify_model([(0,)], (0,)) == 0


literals = st.integers(-5, 5).filter(bool)


@examples(150)
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
