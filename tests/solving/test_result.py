"""A result: its only solution, its errors, and how it is shown."""

from __future__ import annotations

import pickle
import traceback

import pytest
from support.puzzles import NONE, SIX, UNIQUE

from pipeline import Puzzle, solve, solve_many
from pipeline.errors import (
    InputError,
    InvalidPuzzle,
    LimitReached,
    MultipleSolutions,
    NoSolution,
    NotUnique,
    SolverError,
)
from pipeline.solving.result import Result

FORMULA = "p cnf 2 2\n1 2 0\n-1 0\n"


def test_the_only_solution_of_a_puzzle_and_the_model_of_a_formula():
    result = solve(UNIQUE)
    assert result.solution is result.solutions[0]
    assert result.puzzle == Puzzle.from_rows(UNIQUE.split())
    assert solve(FORMULA).solution == (-1, 2)
    assert solve(FORMULA).puzzle is None


@pytest.mark.parametrize(
    ("puzzle", "settings", "error", "message"),
    [
        (NONE, {}, NoSolution, "^3 givens have no solution together"),
        (SIX, {}, MultipleSolutions, "^there are 6 solutions$"),
        (SIX, {"max_solutions": 3}, MultipleSolutions, "^there are at least 3 solutions$"),
        (SIX, {"max_solutions": 1}, MultipleSolutions, "^there are at least 2 solutions$"),
        ("53..7", {}, InvalidPuzzle, "^puzzle:1:1: expected a row of"),
    ],
)
def test_there_is_no_only_solution(puzzle, settings, error, message):
    result = solve(puzzle, **settings)
    with pytest.raises(error, match=message):
        result.solution  # noqa: B018
    if issubclass(error, NotUnique):
        assert result.raise_for_status() is result


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (Result("invalid", message="why", code="empty"), InputError),
        (Result("other", message="why", code="empty"), InputError),
        (Result("unknown", message="why"), LimitReached),
        (Result("failed", message="why"), SolverError),
    ],
)
def test_a_status_without_an_answer_raises(result, error):
    with pytest.raises(error, match=r"^why$") as raised:
        result.raise_for_status()
    assert getattr(raised.value, "code", "empty") == "empty"


def test_an_error_keeps_its_fields_between_processes_and_no_frames():
    alone, other = (
        next(solve_many(["1...\n..2.\n.3q.\n...4\n"] * 2, workers=workers)) for workers in (1, 2)
    )
    assert (alone.error.line, alone.error.column, alone.error.code) == (3, 3, "wrong-cell")
    assert vars(alone.error) == vars(other.error)
    assert alone.error.__traceback__ is alone.error.__context__ is None
    assert pickle.loads(pickle.dumps(alone)) == alone


def test_the_same_error_is_raised_each_time():
    result = solve("53..7")
    lengths = []
    for _ in range(3):
        with pytest.raises(InvalidPuzzle) as raised:
            result.raise_for_status()
        lengths.append(len(traceback.extract_tb(raised.value.__traceback__)))
    assert len({*lengths}) == 1


@pytest.mark.parametrize(
    ("puzzle", "shown"),
    [
        (UNIQUE, "<Result unique, 1 solution, exhaustive-search>"),
        (SIX, "<Result multiple, 6 solutions, exhaustive-search>"),
        (
            "11..............",
            "<Result unsolvable, lrat, row 1 holds 1 twice: row 1, column 1 and row 1, column 2>",
        ),
        (
            "53..7",
            "<Result invalid, puzzle:1:1: expected a row of 4, 6, 8 or 9 cells, found 5 cells>",
        ),
        (FORMULA, "<Result solved, 1 solution>"),
    ],
)
def test_the_repr_of_a_result_is_one_line(puzzle, shown):
    assert repr(solve(puzzle)) == shown


def test_a_result_with_some_of_its_solutions_says_so():
    shown = repr(solve("................", max_solutions=3))
    assert shown.startswith("<Result multiple, at least 3 solutions, there are more solutions")


def test_a_long_message_is_cut_off():
    shown = repr(Result("invalid", message="why " * 100))
    assert shown.startswith("<Result invalid, why why")
    assert shown.endswith("…>")
    assert len(shown) < 200
