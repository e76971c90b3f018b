"""Plain puzzles on which plain Python takes too long: machine code continues."""

from __future__ import annotations

import pytest
from support.needs import needs_numba

from pipeline.certify import many, missing
from pipeline.certify.exhaustive import OUT_OF_TIME, search_all
from pipeline.certify.many import Verdict
from pipeline.certify.missing import find_missing
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_puzzle

UNIQUE = parse_puzzle(
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
)
NO_SOLUTION = parse_puzzle("55" + "." * 79)
BLANK = Puzzle.empty(9)


@pytest.fixture
def hurried(checking, monkeypatch):
    """Plain Python has no time at first."""
    monkeypatch.setattr(missing, "SECONDS_BEFORE_LOADING", 0.0)
    monkeypatch.setattr(many, "compiled_check", lambda *_, **__: checking)


@needs_numba
def test_machine_code_checks_that_no_solution_is_missing(hurried):
    listed = search_all(UNIQUE, []).missing
    found = find_missing(UNIQUE, listed)
    assert (found.missing, found.is_complete) == ((), True)
    assert find_missing(NO_SOLUTION, []).is_complete


@needs_numba
def test_plain_python_searches_for_what_machine_code_says_is_missing(hurried):
    assert find_missing(UNIQUE, []).missing == search_all(UNIQUE, []).missing
    two = find_missing(BLANK, [], max_solutions=2).missing
    assert len({*two}) == 2
    third = find_missing(BLANK, two).missing
    assert len({*two, *third}) == 3


@needs_numba
def test_without_time_the_result_is_undecided(hurried):
    assert find_missing(UNIQUE, [], seconds=0.0).undecided == OUT_OF_TIME


def test_without_machine_code_plain_python_goes_on(monkeypatch):
    monkeypatch.setattr(missing, "SECONDS_BEFORE_LOADING", 0.0)
    monkeypatch.setattr(many, "compiled_check", lambda *_, **__: None)
    assert many.check_puzzle(UNIQUE, [], 1.0) == (Verdict.UNDECIDED, 0)
    assert find_missing(UNIQUE, []).missing == search_all(UNIQUE, []).missing
