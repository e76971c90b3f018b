"""Completeness is decided by exhaustive search, or by a proof if that fails or is requested."""

from __future__ import annotations

import pytest
from support.oracle import solutions
from support.puzzles import EVEN_ODD_SIX, NONE, SIX, STUCK, TWO, UNIQUE, pattern
from support.refutations import stands

from pipeline.certify.exhaustive import SearchResult
from pipeline.limits import Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_puzzle, parsed_from
from pipeline.settings import Settings
from pipeline.solving import complete as completeness
from pipeline.solving.complete import check_complete
from pipeline.solving.problem import PuzzleProblem, read_problem

TEXTS = {"none": NONE, "one": UNIQUE, "two": TWO, "six": SIX, "six of 9x9": EVEN_ODD_SIX}
every_puzzle = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


@pytest.fixture
def no_exhaustion(monkeypatch):
    """No time for the exhaustive search."""
    monkeypatch.setattr(completeness, "SEARCH_SECONDS", 0.0)


def problem_of(puzzle):
    return PuzzleProblem(parsed_from(puzzle))


def checked(text, solvers, *, without=0, **how):
    """Check a puzzle whose first `without` solutions are not listed."""
    puzzle = parse_puzzle(text)
    listed = solutions(puzzle, 9)[without:]
    return check_complete(problem_of(puzzle), listed, solvers, Limits(), **how)


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize("text", [UNIQUE, TWO, SIX, EVEN_ODD_SIX], ids=[1, 2, 6, "6 of 9x9"])
def test_solutions_that_are_missing_are_given_as_many_as_were_asked_for(text, prove, solvers):
    known = solutions(parse_puzzle(text), 9)
    for without in range(1, len(known) + 1):
        for most in range(1, len(known) + 2):
            found = checked(text, solvers, without=without, max_missing=most, prove=prove)
            assert set(found.missing) <= set(known[:without])
            assert len(found.missing) == min(most, without)
            assert found.proof is None
            is_all = without < most
            assert found.certificate.complete == ("proved" if is_all else "no")
            assert found.certificate.by == ("exhaustive-search" if is_all else None)


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize("wrong", ["no solution", "a listed one", "one twice"])
def test_a_search_that_finds_what_is_no_other_solution_is_no_evidence(
    wrong, prove, solvers, monkeypatch
):
    known = solutions(parse_puzzle(SIX), 9)
    grids = {
        "no solution": (known[0], pattern(known[0].geometry)),
        "a listed one": (known[0], known[5]),
        "one twice": (known[0], known[0]),
    }[wrong]
    monkeypatch.setattr(
        "pipeline.solving.problem.find_missing", lambda *_, **__: SearchResult(grids, 3)
    )
    false = checked(SIX, solvers, without=1, max_missing=3, prove=prove)
    assert (false.certificate.complete, false.missing) == ("no", ())
    if wrong != "one twice":
        true = checked(SIX, solvers, prove=prove)
        assert (true.certificate.by, true.missing) == ("lrat", ())


def test_of_very_many_solutions_no_proof_is_made_unless_asked_for_and_the_search_has_all_the_time(
    solvers, no_exhaustion, monkeypatch
):
    monkeypatch.setattr(completeness, "MAX_PROVED_SOLUTIONS", 5)
    assert checked(SIX, solvers).certificate.by == "exhaustive-search"
    puzzle = parse_puzzle(SIX)
    known = solutions(puzzle, 9)
    found = check_complete(problem_of(puzzle), known, solvers, Limits(1e-9))
    assert (found.certificate.complete, found.proof) == ("unverified", None)
    assert found.certificate.reason == "time ran out"
    assert stands(checked(SIX, solvers, prove=True).proof)
    assert checked(TWO, solvers).certificate.by == "lrat"


def test_a_proof_that_is_out_of_reach_leaves_what_exhaustion_has_shown(solvers):
    puzzle = parse_puzzle(STUCK)
    limits = Limits(megabytes=1)
    found = check_complete(problem_of(puzzle), [], solvers, limits, prove=True)
    assert (found.certificate.complete, found.certificate.by) == ("proved", "exhaustive-search")
    assert "memory" in found.certificate.reason
    assert found.proof is None


@pytest.mark.parametrize(
    ("side", "limits", "reason"),
    [
        (50, Limits(), "the limit for a proof is 3,000,000"),
        (49, Limits(megabytes=64), "the memory limit of 64 MB"),
    ],
)
def test_what_is_too_large_for_a_search_and_a_proof_is_only_claimed(side, limits, reason, solvers):
    geometry = Geometry(1, side)
    grid = pattern(geometry)
    puzzle = Puzzle.of_values(geometry, (0, *grid.values[1:]))
    found = check_complete(problem_of(puzzle), [grid], solvers, limits)
    assert (found.certificate.complete, reason in found.certificate.reason) == ("unverified", True)
    if side == 49:
        found = check_complete(problem_of(puzzle), [grid], solvers, Limits())
        assert (found.certificate.complete, found.certificate.by) == ("proved", "exhaustive-search")


@every_puzzle
@pytest.mark.parametrize(
    ("seconds", "prove", "by"),
    [(5.0, False, "exhaustive-search"), (5.0, True, "lrat"), (0.0, False, "lrat")],
    ids=["searched", "asked for", "undecided"],
)
def test_a_search_shows_it_or_a_proof_if_asked_for_or_if_that_is_undecided(
    text, seconds, prove, by, solvers, monkeypatch
):
    monkeypatch.setattr(completeness, "SEARCH_SECONDS", seconds)
    found = checked(text, solvers, prove=prove)
    certificate = found.certificate
    assert (certificate.complete, certificate.by, certificate.reason) == ("proved", by, None)
    assert (certificate.nodes is None, certificate.solver is None) == (by == "lrat", by != "lrat")
    assert (found.proof is not None, found.missing) == (by == "lrat", ())
    assert found.proof is None or stands(found.proof)


@pytest.mark.parametrize("prove", [False, True])
def test_a_claim_that_cannot_be_searched_stands_or_falls_with_its_proof(
    prove, solvers, no_exhaustion
):
    formula = read_problem(b"p cnf 2 2\n1 2 0\n-1 -2 0\n", "two.cnf", Settings())
    puzzle = parse_puzzle(TWO)
    both = (formula, [(-1, 2), (1, -2)]), (problem_of(puzzle), solutions(puzzle, 9))
    for problem, all_of_them in both:
        for listed in (all_of_them, all_of_them[1:], []):
            found = check_complete(problem, listed, solvers, Limits(), prove=prove)
            assert found.missing == ()
            if listed == all_of_them:
                assert (found.certificate.complete, found.certificate.by) == ("proved", "lrat")
                assert stands(found.proof)
            else:
                assert (found.certificate.complete, found.proof) == ("no", None)
                assert found.certificate.reason
