"""Who finds the models of a formula: one solver, and another that goes on from its first ones."""

from __future__ import annotations

import pytest
from support.oracle import solutions
from support.solvers import Scripted
from support.solving import SIX, UNIQUE

from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.limits import Limits
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.cnf import Sat, Unknown, Unsat, decode_model
from pipeline.solving.encode import encode_puzzle
from pipeline.solving.one import HANDED_OVER, answers
from pipeline.solving.solvers import Relay
from pipeline.solving.solvers.pysat import Pysat

LIMITS = Limits(60.0)
ALL_SIX = {*solutions(parse_puzzle(SIX), 10)}


@pytest.fixture
def first():
    with Pysat("cadical153") as solver:
        yield solver


@pytest.fixture
def then():
    with Pysat() as solver:
        yield solver


def found(text, relay):
    """The grids found, none of them twice, and what ended the search."""
    cnf = encode_puzzle(parse_puzzle(text))
    *models, ended = answers(cnf, relay, LIMITS)
    assert all(isinstance(model, Sat) for model in models)
    grids = [decode_model(model.model, cnf) for model in models]
    assert len({*grids}) == len(grids)
    return {*grids}, ended


def test_the_second_solver_goes_on_from_the_first_models(first, then):
    relay = Relay(first, then)
    assert found(SIX, relay) == (ALL_SIX, Unsat())
    assert relay.by is then
    unasked = Relay(first, Scripted())
    grids, ended = found(UNIQUE, unasked)
    assert (len(grids), ended, unasked.by, unasked.then.limits) == (1, Unsat(), first, [])


@pytest.mark.parametrize(
    "fault",
    [SolverError("it died"), EnvironmentFailure("it cannot be started"), Sat(frozenset())],
    ids=["died", "cannot start", "lies"],
)
def test_the_first_solver_goes_on_where_the_second_one_fails_in_what_is_left_of_the_time(
    fault, first
):
    relay = Relay(first, Scripted(fault))
    assert found(SIX, relay) == (ALL_SIX, Unsat())
    assert relay.by is first
    assert 0 < relay.then.limits[0].spent < LIMITS.seconds
    relay = Relay(first, Scripted(Unknown("the time is up")))
    assert found(SIX, relay)[1] == Unknown("the time is up")


def test_no_model_comes_twice_where_the_second_solver_fails_later(first, then):
    class Failing(Scripted):
        """The other one's first answer, and no more."""

        def open(self, cnf, limits):
            self.asked, self.opened = 0, then.open(cnf, limits)
            self.session = self.opened.__enter__()
            return super().open(cnf, limits)

        def add(self, clause):
            self.session.add(clause)

        def solve(self):
            self.asked += 1
            if self.asked > 1:
                raise SolverError("it died")
            return self.session.solve()

    relay = Relay(first, Failing())
    grids, ended = found(SIX, relay)
    assert relay.then.asked == HANDED_OVER
    assert grids == ALL_SIX
    assert (ended, relay.by) == (Unsat(), first)
