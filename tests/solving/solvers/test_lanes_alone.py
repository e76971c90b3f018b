"""`--solver lanes` for one puzzle: a batch of one, with other solvers as fallback."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.cases import for_each
from support.machine_code import put_in_place, replace_lanes
from support.oracle import solutions
from support.puzzles import EVEN_ODD, EVEN_ODD_SIX, NINE_TWO, STUCK

from pipeline.limits import Deadline, Limits
from pipeline.reading.formats import parse_puzzle
from pipeline.service.solving import solve_puzzle
from pipeline.settings import Settings
from pipeline.solving.solvers import BATCH_FALLBACK_REASON


@for_each("prove", ["never", "always"])
@for_each("text", [STUCK, EVEN_ODD_SIX, NINE_TWO, EVEN_ODD])
def test_lanes_find_and_show_all_solutions_and_no_formula_is_made(text, prove):
    puzzle, shown = parse_puzzle(text), []
    result = solve_puzzle(puzzle, Settings(solver="batch", prove=prove), shown.append)
    assert list(result.solutions) == shown == solutions(puzzle, 10)
    assert (result.complete, result.solver.name, result.solver.fallback) == (True, "batch", None)
    assert result.certificate_label == ("lrat" if prove == "always" else "exhaustive-search")
    assert result.cnf is None
    assert {"batch", "total"} <= result.seconds.keys()


def test_a_share_of_the_time_is_left_for_others_where_lanes_are_too_slow(monkeypatch, lanes):
    asked = []

    def slow(masks, most, deadline):
        asked.append(deadline.left())
        return lanes(masks, most, Deadline.of(Limits(0.0)))

    put_in_place(monkeypatch, slow)
    result = solve_puzzle(parse_puzzle(NINE_TWO), Settings(solver="batch", timeout=40))
    assert asked == [pytest.approx(20, abs=0.5)]
    assert (len(result.solutions), result.complete) == (2, True)
    assert result.solver.name != "batch"


def test_a_lie_of_lanes_is_told_and_what_they_missed_is_found(monkeypatch):
    replace_lanes(monkeypatch, lambda found: replace(found, counts=np.minimum(found.counts, 1)))
    result = solve_puzzle(parse_puzzle(NINE_TWO), Settings(solver="batch", prove="always"))
    assert (result.status, len(result.solutions), result.complete) == ("multiple", 2, True)
    assert result.solver.name == "exhaustive-search"
    assert result.solver.fallback == "batch missed a solution that the check found"


def test_without_machine_code_the_others_answer(monkeypatch):
    put_in_place(monkeypatch, None)
    result = solve_puzzle(parse_puzzle(NINE_TWO), Settings(solver="batch"))
    assert (len(result.solutions), result.complete) == (2, True)
    assert (result.solver.fallback, result.solver.warning) == (BATCH_FALLBACK_REASON, None)
