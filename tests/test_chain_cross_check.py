"""--cross-check: a second solver is asked for a share of the answers, and may know better."""

from __future__ import annotations

import pickle
import subprocess
import sys
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.needs import needs_minisat
from support.oracle import is_solution, solutions
from support.solvers import both_solvers, solve_at_hand
from support.solving import EVEN_ODD_SIX, NONE, SIX, TWO, UNIQUE, digits, holed, pattern, program
from support.strategies import examples, puzzles

from pipeline import Geometry, Puzzle, Settings, parse_puzzle, solve_puzzle
from pipeline.chain import is_chosen

pytestmark = pytest.mark.usefixtures("unhurried")
LIES = "echo UNSAT > $out; exit 20"
STOPS_EARLY = f"[ -e $0.asked ] && {{ {LIES}; }}; touch $0.asked; exec minisat $cnf $out"
CRASHES_AFTER = "[ -e $0.asked ] && exit 3; touch $0.asked; exec minisat $cnf $out"
MISSED = "minisat missed a solution that pysat found"
WRONG = "minisat was wrong: the puzzle that was found to have no solution has one"
FOUR = Geometry(2, 2)


def solve(text: str, share: float = 1, **options):
    return solve_puzzle(parse_puzzle(text), Settings(cross_check=share, **options))


def told(result) -> tuple:
    """All of a result that does not depend on the clock."""
    return result.status, result.solutions, result.complete, result.message, result.solver


@pytest.mark.parametrize("text", [UNIQUE, TWO, SIX, EVEN_ODD_SIX], ids=[1, 2, 6, "6 of 9x9"])
def test_unsat_of_a_puzzle_that_has_solutions_is_found_out(text, tmp_path):
    fake = program(tmp_path / "minisat", LIES)
    believed = solve(text, share=0, minisat=fake)
    assert (believed.solver.name, believed.solutions[:1]) != ("minisat", ())
    assert believed.solver.fallback == WRONG
    result = solve(text, minisat=fake)
    assert list(result.solutions) == solutions(parse_puzzle(text), 9)
    assert result.complete
    assert (result.solver.name, result.solver.fallback) == ("pysat", MISSED)


@needs_minisat
@pytest.mark.parametrize("text", [TWO, SIX], ids=[2, 6])
def test_a_search_that_ends_too_early_is_found_out(text, tmp_path):
    fake = program(tmp_path / "minisat", STOPS_EARLY)
    assert solve(text, share=0, minisat=fake).status == "unique"
    (tmp_path / "minisat.asked").unlink()
    result = solve(text, minisat=fake)
    assert (result.status, result.complete) == ("multiple", True)
    assert list(result.solutions) == solutions(parse_puzzle(text), 9)
    assert (result.solver.name, result.solver.fallback) == ("pysat", MISSED)


@needs_minisat
@pytest.mark.parametrize("most", [1, 2, 5, 6])
def test_the_number_of_solutions_asked_for_holds_for_both_searches_together(most, tmp_path):
    shown = []
    settings = Settings(
        minisat=program(tmp_path / "minisat", STOPS_EARLY), cross_check=1, max_solutions=most
    )
    result = solve_puzzle(parse_puzzle(SIX), settings, on_grid=shown.append)
    assert (result.status, result.complete) == ("multiple", most == 6)
    assert len(set(result.solutions)) == len(result.solutions) == most
    assert all(is_solution(parse_puzzle(SIX), grid) for grid in result.solutions)
    assert set(shown) == set(result.solutions)
    assert bool(result.message) == (most < 6)


def test_a_lie_found_out_at_the_limit_still_says_that_there_are_more(tmp_path):
    fake = program(tmp_path / "minisat", LIES)
    result = solve(SIX, minisat=fake, max_solutions=1)
    assert (result.status, len(result.solutions), result.complete) == ("multiple", 1, False)
    assert result.message == "there are more solutions than the 1 asked for"


@both_solvers
@pytest.mark.parametrize(
    ("text", "most"),
    [(UNIQUE, 1), (TWO, 100), (NONE, 1), (NONE, 100), (EVEN_ODD_SIX, 1), (EVEN_ODD_SIX, 100)],
)
def test_it_changes_nothing_for_honest_solvers(text, most, solver):
    options = {"solver": solver, "max_solutions": most}
    checked, unchecked = (solve_at_hand(text, cross_check=share, **options) for share in (1, 0))
    assert told(checked) == told(unchecked)


def test_it_changes_nothing_where_the_time_was_up(tmp_path):
    fake = program(tmp_path / "minisat", "sleep 1000")
    result = solve(TWO, minisat=fake, timeout=0.2)
    assert (result.status, result.solver.name) == ("unknown", "minisat")
    assert result.message == "the time limit of 0.2 s was reached"


@needs_minisat
def test_a_second_solver_that_fails_changes_nothing(tmp_path):
    """Minisat is killed midway and PySAT steps in: minisat, asked again, fails again."""
    result = solve(SIX, minisat=program(tmp_path / "minisat", CRASHES_AFTER))
    assert (result.status, len(result.solutions), result.complete) == ("multiple", 6, True)
    assert result.solver.fallback == "minisat ended with exit code 3"


def test_large_grids_are_cross_checked_too(tmp_path):
    puzzle = holed(pattern(Geometry(4, 4)), every=5)
    settings = Settings(minisat=program(tmp_path / "minisat", LIES), cross_check=1)
    result = solve_puzzle(puzzle, settings)
    assert result.solutions
    assert result.solver.fallback == MISSED


@examples(6)
@given(puzzles(FOUR), st.floats(0, 1), st.floats(0, 1))
def test_who_is_chosen_of_a_share_is_chosen_of_every_larger_one(puzzle, one, other):
    smaller, larger = sorted((one, other))
    assert is_chosen(puzzle, larger) or not is_chosen(puzzle, smaller)
    assert is_chosen(puzzle, 1)
    assert not is_chosen(puzzle, 0)


PAIRS = [Puzzle.of_values(FOUR, [*values, *[0] * 12]) for values in product(range(5), repeat=4)]
"""Some puzzles, no two alike."""


def test_the_share_is_about_what_was_asked_for():
    chosen = sum(is_chosen(puzzle, 0.3) for puzzle in PAIRS)
    assert 0.2 < chosen / len(PAIRS) < 0.4


def test_the_same_puzzles_are_chosen_in_every_process():
    code = (
        "import pickle, sys; from pipeline.chain import is_chosen\n"
        "for each in pickle.load(sys.stdin.buffer): print(int(is_chosen(each, 0.3)))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "1"},
        input=pickle.dumps(PAIRS),
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    assert [*map(int, told.split())] == [is_chosen(puzzle, 0.3) for puzzle in PAIRS]


def test_only_the_chosen_are_cross_checked(tmp_path):
    """That the liar lies of the others is found out when it is to be explained."""
    fake = program(tmp_path / "minisat", LIES)
    values = [int(cell) for row in digits(pattern(FOUR)).split() for cell in row]
    some = [Puzzle.of_values(FOUR, [*values[:cell], 0, *values[cell + 1 :]]) for cell in range(12)]
    tied = [puzzle for puzzle in some if is_chosen(puzzle, 0.5)]
    assert 0 < len(tied) < len(some)
    for puzzle in some:
        result = solve_at_hand(puzzle, minisat=fake, cross_check=0.5)
        assert result.status == "unique"
        assert result.solver.fallback == (MISSED if puzzle in tied else WRONG)
