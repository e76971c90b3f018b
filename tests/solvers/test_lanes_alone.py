"""`--solver lanes` for one puzzle: a batch of its own, and the chain for what lanes cannot do."""

from __future__ import annotations

import numpy as np
import pytest
from support.oracle import solutions
from support.solving import EVEN_ODD, NONE, SIX, TWO, holed, pattern

from pipeline.limits import Limits
from pipeline.parse import parse_puzzle
from pipeline.puzzle import Geometry
from pipeline.settings import Settings
from pipeline.solvers import NOT_FOR_LANES, Solvers
from pipeline.solvers.lanes import solve_lanes
from pipeline.solving import solve_puzzle


@pytest.mark.parametrize("prove", ["never", "always"])
@pytest.mark.parametrize("text", [NONE, SIX, TWO, EVEN_ODD])
def test_lanes_find_and_show_all_solutions_and_no_formula_is_made(text, prove):
    puzzle, shown = parse_puzzle(text), []
    result = solve_puzzle(puzzle, Settings(solver="lanes", prove=prove), shown.append)
    assert list(result.solutions) == shown == solutions(puzzle, 10)
    assert (result.complete, result.solver.name, result.solver.fallback) == (True, "lanes", None)
    assert result.told_certificate == ("lrat" if prove == "always" else "exhaustion")
    assert result.cnf is None
    assert {"batch", "total"} <= result.seconds.keys()


@pytest.mark.parametrize(
    ("puzzle", "settings"),
    [
        (parse_puzzle(TWO), Settings(solver="lanes", keep_cnf=True)),
        (parse_puzzle(TWO), Settings(solver="lanes", max_solutions=101)),
        (holed(pattern(Geometry(2, 13)), 3), Settings(solver="lanes", max_solutions=1)),
    ],
    ids=["CNF", "many solutions", "large"],
)
def test_what_lanes_cannot_do_the_others_do_and_that_is_no_surprise(puzzle, settings):
    result = solve_puzzle(puzzle, settings)
    assert result.solver.name in ("minisat", "pysat")
    assert (result.solver.fallback, result.solver.warning) == (NOT_FOR_LANES, None)
    assert result.cnf


def test_a_share_of_the_time_is_left_for_others_where_lanes_are_too_slow(monkeypatch):
    asked = []

    def slow(geometry, masks, most, seconds):
        asked.append(seconds)
        return solve_lanes(geometry, masks, most, 0.0)

    monkeypatch.setattr("pipeline.solvers.lanes.solve_lanes", slow)
    result = solve_puzzle(parse_puzzle(TWO), Settings(solver="lanes", timeout=40))
    assert asked == [20]
    assert (len(result.solutions), result.complete) == (2, True)
    assert result.solver.name != "lanes"


def test_a_lie_of_lanes_is_told_and_what_they_missed_is_found(monkeypatch):
    def lying(*question):
        found = solve_lanes(*question)
        found.counts[:] = np.minimum(found.counts, 1)
        return found

    monkeypatch.setattr("pipeline.solvers.lanes.solve_lanes", lying)
    result = solve_puzzle(parse_puzzle(TWO), Settings(solver="lanes", prove="always"))
    assert (result.status, len(result.solutions), result.complete) == ("multiple", 2, True)
    assert result.solver.name == "exhaustion"
    assert result.solver.fallback == "lanes missed a solution that the check found"


def test_the_chain_for_lanes_is_that_of_the_others():
    with Solvers("lanes") as solvers, Solvers("auto") as others:
        assert [each.name for each in solvers.chain] == [each.name for each in others.chain]
        solvers.warm(Limits())
