"""Enumeration of models. From the fifth on, an index of the clauses checks them."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.solvers import Scripted
from support.strategies import examples

from pipeline.errors import SolverError
from pipeline.limits import Limits
from pipeline.solving import enumeration
from pipeline.solving.cnf import Cnf, Family, Sat, Unsat
from pipeline.solving.enumeration import MODELS_BEFORE_INDEX, ModelIndex, enumerate_models

VARIABLES = 5
literals = st.integers(1, VARIABLES).flatmap(lambda v: st.sampled_from((v, -v)))
clause_lists = st.lists(st.lists(literals, max_size=3).map(tuple), max_size=12)
ALL_MODELS = [
    frozenset(v if sign else -v for v, sign in enumerate(signs, 1))
    for signs in product((True, False), repeat=VARIABLES)
]


def formula(*clauses: tuple[int, ...], variables: int = VARIABLES) -> Cnf:
    return Cnf(None, "made up", variables, (Family("clauses", len(clauses), clauses),), {})


@examples(100)
@given(clause_lists)
def test_the_index_agrees_with_the_clauses(clauses):
    """Also with empty, unit and repeated clauses, repeated literals and contradictory ones."""
    cnf = formula(*clauses)
    index = ModelIndex(cnf)
    for model in ALL_MODELS:
        assert index.satisfied_by(model) == cnf.satisfied_by(model)


@pytest.mark.parametrize(
    "model",
    [{1, 2, -3, 4}, {1, 2, 3, 4, -4}, {1, 2, 3, 4, 9}, {0, 1, 2, 3, 4}, {1, -1, 2, -2, 3}, set()],
    ids=str,
)
def test_the_index_takes_only_whole_models(model):
    assert not ModelIndex(formula((1, 2, 3))).satisfied_by(model)


def models_of(answers, *clauses, variables=VARIABLES):
    cnf = formula(*clauses, variables=variables)
    return [*enumerate_models(cnf, Scripted(*answers), Limits(60.0))]


@pytest.mark.parametrize("is_large", [False, True])
def test_each_model_is_checked_with_the_index_and_without(is_large, monkeypatch):
    if is_large:
        monkeypatch.setattr(enumeration, "MAX_INDEX_BITS", 0)
    good = [Sat(model) for model in ALL_MODELS if {-1, -2} & model]
    assert len(good) > MODELS_BEFORE_INDEX + 1
    assert models_of([*good, Unsat()], (-1, -2)) == [*good, Unsat()]
    for position in range(len(good)):
        lie = Sat(frozenset({1, 2, 3, 4, 5}))
        with pytest.raises(SolverError, match="does not satisfy"):
            models_of([*good[:position], lie], (-1, -2))


def test_a_model_may_leave_out_variables_without_a_clause():
    good = [Sat(frozenset(model - {5, -5})) for model in ALL_MODELS if 5 in model]
    partial = [Sat(answer.model | {6}) for answer in good]
    for answers in (good, partial):
        assert models_of([*answers, Unsat()], (1, -1), variables=6)[-1] == Unsat()
