"""The types of the library: mypy checks this file, and the tests run it."""

from __future__ import annotations

import inspect
import re
import tomllib
from pathlib import Path
from types import FunctionType
from typing import Any, assert_type, get_overloads

import pytest

import pipeline
from pipeline import Grid, Puzzle, Result, generate, read, solutions, solve, solve_many
from pipeline.reading.formats.dimacs import Model
from pipeline.rules import AntiKnight, Cage, EqualSums, OneOf, Quadruple, WhiteDot
from pipeline.solving.problem import FormulaProblem, PuzzleProblem

ROOT = Path(__file__).parents[1]
TEXT = "1.....2..3.....4"
ROWS = [[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]]


def test_the_solutions_of_a_puzzle_are_grids() -> None:
    puzzle = Puzzle.from_rows(ROWS)
    assert_type(solve(puzzle), Result[Grid])
    assert_type(solve(ROWS), Result[Grid])
    assert_type(next(solve_many([puzzle])), Result[Grid])
    assert_type(next(solutions(puzzle)), Grid)
    assert_type(solve(puzzle).solutions[0], Grid)
    assert solve(puzzle).solutions[0][1, 1] == 1


def test_a_text_or_a_file_may_hold_a_formula_and_its_grids_are_asked_for() -> None:
    assert_type(solve(TEXT), Result[Grid | Model])
    assert_type(solve(ROOT / "examples" / "line.sdm"), Result[Grid | Model])
    assert_type(next(solve_many([TEXT])), Result[Grid | Model])
    assert_type(next(solutions(TEXT)), Grid | Model)
    assert_type(solve(TEXT).grids, tuple[Grid, ...])
    assert solve(TEXT).grids == solve(TEXT).solutions
    assert solve("p cnf 1 1\n1 0\n").grids == ()


def test_a_problem_that_was_read_says_which_it_is() -> None:
    for path in ("line.sdm", "colours.cnf"):
        (item,) = read(ROOT / "examples" / path)
        problem = item.problem
        if isinstance(problem, PuzzleProblem):
            assert_type(solve(problem), Result[Grid])
        elif isinstance(problem, FormulaProblem):
            assert_type(solve(problem), Result[Model])
    assert_type(next(generate()), Result[Grid])


def test_a_puzzle_is_written_as_text_or_as_bytes() -> None:
    puzzle = Puzzle.from_rows(ROWS)
    assert_type(puzzle.to("iss"), str)
    assert_type(puzzle.to("svg"), str)
    for notation in sorted(["json", "csv"]):
        assert_type(puzzle.to(notation), str | bytes)
    pytest.importorskip("typst")
    assert_type(puzzle.to("png"), bytes)
    assert_type(puzzle.to("pdf"), bytes)


def test_a_rule_takes_cells_in_any_form_and_keeps_numbers() -> None:
    cage = Cage([(1, 1), 1], total=3)
    puzzle = Puzzle.empty(4).with_rules(
        cage,
        WhiteDot((1, 3), (1, 4)),
        Quadruple([(1, 1), (1, 2)], [1, 2]),
        EqualSums([[(1, 1)], [(2, 2)]]),
        OneOf([AntiKnight(), [cage]]),
    )
    assert_type(cage.cells, tuple[int, ...])
    assert_type(cage.total, int | None)
    assert puzzle.rules[0] == Cage((0, 1), 3)


def test_the_only_solution_has_the_type_of_the_solutions() -> None:
    assert_type(solve(ROWS).raise_for_status(), Result[Grid])
    assert_type(solve(ROWS).solution, Grid)
    assert_type(solve(TEXT).solution, Grid | Model)
    assert_type(next(iter(solve(ROWS).solution)), tuple[int, ...])


PUBLIC = [getattr(pipeline, name) for name in pipeline.__all__]
FUNCTIONS = [each for each in PUBLIC if isinstance(each, FunctionType)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_no_public_function_has_any_where_a_grid_can_stand(function: FunctionType) -> None:
    overloads: Any = get_overloads(function)
    told = [str(inspect.signature(each)) for each in (function, *overloads)]
    assert not [each for each in told if re.search(r"\bAny\b|\bResult\b(?!\[)", each)]


def test_mypy_checks_this_file() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert "tests/test_types.py" in told["files"]
    assert told["strict"]
