"""A second solver takes over after the first solutions."""

from __future__ import annotations

import pytest
from support.oracle import solutions
from support.puzzles import SIX, UNIQUE
from support.solvers import Scripted

from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.reading.formats import parse_puzzle, parsed_from
from pipeline.settings import Settings
from pipeline.solving.cnf import Sat, Unknown, Unsat
from pipeline.solving.one import Search
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers.pysat import Pysat

SECONDS = 60.0
ALL_SIX = {*solutions(parse_puzzle(SIX), 10)}


@pytest.fixture
def first():
    with Pysat("cadical153") as solver:
        yield solver


@pytest.fixture
def then():
    with Pysat() as solver:
        yield solver


def found(text, first, then):
    """The distinct grids, the verdict, and the solver that was asked last."""
    problem = PuzzleProblem(parsed_from(parse_puzzle(text)))
    search = Search(problem, Settings(timeout=SECONDS), Stopwatch())
    *grids, ended = search.stream(first, then)
    assert len({*grids}) == len(grids)
    return {*grids}, ended, search.last_solver


def test_the_second_solver_goes_on_from_the_first_models(first, then):
    assert found(SIX, first, then) == (ALL_SIX, Unsat(), then)
    unasked = Scripted()
    grids, *rest = found(UNIQUE, first, unasked)
    assert (len(grids), *rest, unasked.limits) == (1, Unsat(), first, [])


@pytest.mark.parametrize(
    "fault",
    [SolverError("it died"), EnvironmentFailure("it cannot be started"), Sat(frozenset())],
    ids=["died", "cannot start", "lies"],
)
def test_the_first_solver_goes_on_where_the_second_one_fails_in_what_is_left_of_the_time(
    fault, first
):
    second = Scripted(fault)
    assert found(SIX, first, second) == (ALL_SIX, Unsat(), first)
    assert 0 < second.limits[0].spent < SECONDS
    assert found(SIX, first, Scripted(Unknown("no time")))[1] == Unknown("no time")


def test_no_model_comes_twice_where_the_second_solver_fails_later(first, then):
    class Failing(Scripted):
        """Return the first answer of the real solver, then fail."""

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

    second = Failing()
    assert found(SIX, first, second) == (ALL_SIX, Unsat(), first)
    assert second.asked == 2
