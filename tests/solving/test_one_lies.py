"""Solvers with wrong answers: no result is wrong, and the solver is named."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bad_solvers import (
    ALL,
    FOUR,
    LIES,
    Liar,
    at_random,
    check_found_out,
    check_true,
    cut_short,
    honest,
    solutions_of,
)
from support.cases import for_each
from support.needs import needs_minisat
from support.oracle import is_solution
from support.puzzles import (
    EVEN_ODD_SIX,
    NONE,
    SIX,
    TWO,
    UNIQUE,
    program,
)
from support.solvers import Scripted, both_solvers, chain_of, solve_at_hand
from support.strategies import examples

from pipeline import Settings, parse_puzzle, solve_puzzle
from pipeline.certify.exhaustive import OUT_OF_TIME, SearchResult
from pipeline.errors import LimitReached
from pipeline.reading.formats import parsed_from
from pipeline.service.solving import solve_one
from pipeline.solving.cnf import Unknown
from pipeline.solving.one import solve_problem
from pipeline.solving.problem import PuzzleProblem, read_problem
from pipeline.solving.result import Stopwatch

pytestmark = pytest.mark.usefixtures("unhurried")
LIES_AT_ONCE = "echo UNSAT > $out; exit 20"
STOPS_EARLY = f"[ -e $0.asked ] && {{ {LIES_AT_ONCE}; }}; touch $0.asked; exec minisat $cnf $out"
MISSED = "minisat missed a solution that the check found"


def in_answer(number, lie):
    """That lie once."""
    return lambda at: lie if at == number else None


def from_answer(number, lie):
    """That lie, and no answer after it but the same."""
    return lambda at: lie if at >= number else None


def told(result) -> tuple:
    """The parts of a result that do not depend on the clock."""
    return result.status, result.solutions, result.complete, result.message, result.solver


def by_liars(puzzle, *plans, **options):
    """Solve a puzzle with a lying solver for each plan, and an honest one last."""
    liars = [Liar(honest(), plan, f"liar {place}") for place, plan in enumerate(plans)]
    with chain_of(*liars, honest()) as solvers:
        settings, problem = Settings(**options), PuzzleProblem(parsed_from(puzzle))
        return solve_problem(problem, solvers, settings, Stopwatch(), explain=False)


def solve(text: str, **options):
    return solve_puzzle(parse_puzzle(text), Settings(**options))


@needs_minisat
@pytest.mark.parametrize(
    ("text", "lie"),
    [
        *((text, LIES_AT_ONCE) for text in (UNIQUE, TWO, SIX, EVEN_ODD_SIX)),
        *((text, STOPS_EARLY) for text in (TWO, SIX)),
    ],
)
def test_a_search_that_ends_too_early_is_found_out(text, lie, tmp_path):
    fake = program(tmp_path / "minisat", lie)
    result = solve(text, minisat=fake)
    check_found_out(parse_puzzle(text), result)
    assert (result.solver.name, result.solver.fallback) == ("exhaustive-search", MISSED)
    assert result.solver.warning == MISSED
    assert (result.certificate.complete, result.certificate.by) == ("proved", "lrat")


@needs_minisat
def test_a_solver_that_is_trusted_is_believed_and_every_claim_of_it_says_so(tmp_path):
    fake = program(tmp_path / "minisat", STOPS_EARLY)
    result = solve(SIX, minisat=fake, trust_solver=True)
    assert (result.status, result.complete) == ("unique", True)
    assert (result.solver.name, result.solver.fallback) == ("minisat", None)
    assert (result.certificate_label, result.certificate.reason) == ("unverified", "--trust-solver")
    assert result.proof is None


@for_each("number", [1, 2, 3, 6, 7])
@for_each("lie", LIES)
def test_a_lie_in_any_answer_does_no_harm(lie, number):
    for puzzle, limit, plan in product(FOUR, (1, 2, 9), (in_answer, from_answer)):
        result = by_liars(puzzle, plan(number, lie), max_solutions=limit)
        check_found_out(puzzle, result, limit)


@examples(60)
@given(
    seeds=st.lists(st.integers(0, 10**6), min_size=1, max_size=3),
    puzzle=st.sampled_from(ALL),
    limit=st.integers(1, 9),
    prove=st.sampled_from(["never", "unsolvable", "always"]),
)
def test_lies_at_random_of_one_solver_or_several_do_no_harm(seeds, puzzle, limit, prove):
    plans = [at_random(seed) for seed in seeds]
    result = by_liars(puzzle, *plans, max_solutions=limit, prove=prove)
    check_found_out(puzzle, result, limit)


@examples(30)
@given(seed=st.integers(0, 10**6), puzzle=st.sampled_from(ALL), limit=st.integers(1, 9))
def test_where_every_solver_lies_nothing_wrong_is_said(seed, puzzle, limit):
    liars = [Liar(honest(), at_random(seed + place), name) for place, name in enumerate("ab")]
    with chain_of(*liars) as solvers:
        settings = Settings(max_solutions=limit)
        problem = PuzzleProblem(parsed_from(puzzle))
        result = solve_one(problem, solvers, settings, Stopwatch())
    if result.status == "failed":
        assert (result.solutions, result.complete) == ((), None)
    else:
        check_true(puzzle, result, limit)


@pytest.mark.parametrize("lie", LIES)
def test_models_of_a_formula_that_are_left_out_are_found_out(lie):
    """Formulas are not searched: a proof exposes the lie, and the next solver is asked."""
    problem = read_problem(b"p cnf 2 2\n1 2 0\n-1 -2 0\n", "two.cnf", Settings())
    for number in (1, 2, 3):
        with chain_of(Liar(honest(), in_answer(number, lie)), honest()) as solvers:
            settings = Settings(max_solutions=9)
            result = solve_one(problem, solvers, settings, Stopwatch())
        assert (result.status, len(result.solutions), result.complete) == ("multiple", 2, True)
        assert result.certificate_label == "lrat"


@needs_minisat
@pytest.mark.parametrize("most", [1, 2, 5, 6])
def test_the_number_of_solutions_asked_for_holds_with_what_was_missing(most, tmp_path):
    shown = []
    settings = Settings(minisat=program(tmp_path / "minisat", STOPS_EARLY), max_solutions=most)
    result = solve_puzzle(parse_puzzle(SIX), settings, on_grid=shown.append)
    assert (result.status, result.complete) == ("multiple", most == 6)
    assert len(set(result.solutions)) == len(result.solutions) == most
    assert all(is_solution(parse_puzzle(SIX), grid) for grid in result.solutions)
    assert set(shown) == set(result.solutions)
    assert bool(result.message) == (most < 6)
    assert result.solver.fallback == MISSED


class Hasty(PuzzleProblem):
    """A puzzle whose search times out after its first solution."""

    def search_all(self, solutions, most, limits, search=None):
        found = super().search_all(solutions, 1, limits, search)
        return replace(found, undecided=OUT_OF_TIME) if found.missing else found


def test_the_next_solver_is_asked_because_of_the_lie_though_the_check_ran_out_of_time():
    problem = Hasty(parsed_from(parse_puzzle(SIX)))
    with chain_of(Liar(honest(), in_answer(1, "unsat")), honest()) as solvers:
        result = solve_problem(problem, solvers, Settings(max_solutions=9), Stopwatch())
    assert (result.status, len(result.solutions), result.complete) == ("multiple", 6, True)
    assert (result.solver.name, result.solver.fallback) == ("pysat", MISSED)


@both_solvers
@for_each(
    ("text", "most"),
    [(UNIQUE, 1), (TWO, 100), (NONE, 1), (NONE, 100), (EVEN_ODD_SIX, 1), (EVEN_ODD_SIX, 100)],
)
def test_the_check_changes_nothing_for_honest_solvers(text, most, solver):
    options = {"solver": solver, "max_solutions": most, "prove": "never"}
    checked, trusted = (
        solve_at_hand(text, trust_solver=trust, **options) for trust in (False, True)
    )
    assert told(checked) == told(trusted)
    assert trusted.certificate_label == ("unverified" if trusted.complete else "")
    assert checked.certificate_label == ("exhaustive-search" if checked.complete else "")


def test_a_proof_that_is_asked_for_is_of_all_solutions_with_what_was_missing(tmp_path):
    fake = program(tmp_path / "minisat", LIES_AT_ONCE)
    result = solve(SIX, minisat=fake, prove="always")
    assert (len(result.solutions), result.complete) == (6, True)
    assert (result.certificate.by, result.solver.fallback) == ("lrat", MISSED)
    assert result.proof.solutions == result.solutions


def test_where_the_check_is_cut_short_after_a_find_the_next_solver_is_asked(monkeypatch):
    monkeypatch.setattr("pipeline.solving.problem.find_missing", cut_short)
    alone = by_liars(parse_puzzle(SIX), in_answer(2, "unsat"))
    check_found_out(parse_puzzle(SIX), alone)
    assert alone.solver.fallback == "liar 0 missed a solution that the check found"


def test_what_the_check_found_is_published_where_nobody_finds_more(monkeypatch):
    def found_three(puzzle, known, **_options):
        others = [grid for grid in solutions_of(puzzle) if grid not in known]
        return SearchResult(tuple(others[:3]), 1, "time ran out")

    monkeypatch.setattr("pipeline.solving.problem.find_missing", found_three)
    liar = Liar(honest(), from_answer(1, "unsat"))
    for last in (Scripted(Unknown("it is too hard")), Scripted(LimitReached("too large"))):
        with chain_of(liar, last) as solvers:
            problem = PuzzleProblem(parsed_from(parse_puzzle(SIX)))
            settings = Settings(max_solutions=9)
            result = solve_problem(problem, solvers, settings, Stopwatch(), explain=False)
        assert (result.status, len(result.solutions), result.complete) == ("multiple", 3, False)
        check_true(parse_puzzle(SIX), result)


def test_a_search_that_a_model_contradicts_proves_nothing(monkeypatch, tmp_path):
    """A wrong exhaustive search is exposed by a requested proof; the next solver is asked."""
    monkeypatch.setattr(
        "pipeline.solving.problem.find_missing", lambda *_, **__: SearchResult((), 3)
    )
    fake = program(tmp_path / "minisat", LIES_AT_ONCE)
    check_found_out(parse_puzzle(TWO), solve(TWO, minisat=fake))
