"""Certificates and proofs of results, and results without them."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest
from support.needs import needs_drat_trim, needs_numba
from support.puzzles import EVEN_ODD, EVEN_ODD_SIX, NINE_TWO, NONE, SIX, TWO, UNIQUE, pattern
from support.refutations import stands

from pipeline.certify.exhaustive import SearchResult
from pipeline.certify.formula import proof_formula
from pipeline.errors import LimitReached
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.lines import Thermometer
from pipeline.reading.formats import parse_puzzle, parse_source, parsed_from
from pipeline.service.solving import solve_problems, solve_source
from pipeline.settings import Settings
from pipeline.solving import complete, problem, variants
from pipeline.solving import one as chain
from pipeline.solving.cnf import Family, Unknown, Unsat
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.solvers.pysat import ProofLimitReached


def solved(puzzle, solvers, prove="always", **options):
    settings = Settings(solver="pysat", prove=prove, **options)
    return solve_problems([PuzzleProblem(parsed_from(puzzle))], solvers, settings)[0]


PUZZLES = {
    "none": (parse_puzzle(NONE), 0),
    "one": (parse_puzzle(UNIQUE), 1),
    "two": (parse_puzzle(TWO), 2),
    "six": (parse_puzzle(SIX), 6),
    "even/odd": (parse_puzzle(EVEN_ODD), 1),
    "even/odd six": (parse_puzzle(EVEN_ODD_SIX), 6),
    "2×3": (Puzzle.of_values(Geometry(2, 3), [1, *[0] * 35]), None),
    "16×16": (Puzzle.of_values(Geometry(4, 4), [0, *pattern(Geometry(4, 4)).values[1:]]), 1),
    "seventeen": (
        parse_puzzle(
            ".......1.4.........2...........5.4.7..8...3....1.9....3..4..2...5.1........8.6..."
        ),
        1,
    ),
    "two of nine": (parse_puzzle(NINE_TWO), 2),
}


@pytest.mark.parametrize("name", PUZZLES)
def test_whatever_is_complete_is_proved(name, solvers):
    puzzle, number = PUZZLES[name]
    result = solved(puzzle, solvers, max_solutions=20)
    assert number in (None, len(result.solutions))
    if number is None:
        assert (result.complete, result.certificate.complete, result.proof) == (False, "no", None)
        return
    assert result.complete
    assert result.certificate.complete == "proved"
    assert result.certificate.by == "lrat"
    assert result.certificate.checker.startswith("sudoku-pipeline ")
    assert stands(result.proof) == result.certificate.steps
    text = "".join(result.proof.formula().text())
    assert text == "".join(proof_formula(puzzle, result.solutions).text())


@pytest.mark.parametrize(
    ("prove", "text", "by"),
    [
        ("never", NONE, "exhaustive-search"),
        ("unsolvable", NONE, "lrat"),
        ("unsolvable", UNIQUE, "exhaustive-search"),
        ("always", UNIQUE, "lrat"),
        ("never", UNIQUE, "exhaustive-search"),
    ],
)
def test_what_has_a_proof_is_what_was_asked_for(prove, text, by, solvers):
    result = solved(parse_puzzle(text), solvers, prove)
    assert (result.certificate.complete, result.certificate.by) == ("proved", by)
    assert (result.proof is not None) == (by == "lrat")


@needs_drat_trim
@pytest.mark.parametrize("name", [name for name in PUZZLES if name != "2×3"])
def test_drat_trim_verifies_what_is_published(name, solvers, tmp_path):
    puzzle, _ = PUZZLES[name]
    proof = solved(puzzle, solvers, max_solutions=20).proof
    formula, text = tmp_path / "a.proof.cnf", tmp_path / "a.proof.drat"
    formula.write_text("".join(proof.formula().text()))
    text.write_text(proof.drat)
    checked = subprocess.run(
        ["drat-trim", formula, text], capture_output=True, text=True, check=False
    )
    assert "s VERIFIED" in checked.stdout.splitlines()
    assert "WARNING" not in checked.stdout


def encoding_with(change):
    """The extended encoding with modified clauses."""
    encode = problem.encode_puzzle

    def encoded(puzzle, _encoding, limits):
        cnf = encode(puzzle, "extended", limits=limits)
        clauses = tuple(change(list(cnf.clauses()), cnf))
        return replace(cnf, families=(Family("changed", len(clauses), clauses),))

    return encoded


@pytest.mark.parametrize("every", [2, 3, 40, 700])
def test_an_encoder_that_drops_clauses_gives_no_wrong_answer(every, monkeypatch, solvers):
    right = solved(parse_puzzle(NINE_TWO), solvers).solutions
    changed = encoding_with(lambda clauses, _: (c for at, c in enumerate(clauses) if at % every))
    monkeypatch.setattr(problem, "encode_puzzle", changed)
    result = solved(parse_puzzle(NINE_TWO), solvers)
    assert set(result.solutions) <= set(right)
    assert not result.complete or result.solutions == right


def test_an_encoder_that_forbids_too_much_is_caught(monkeypatch, solvers):
    puzzle = parse_puzzle(NINE_TWO)
    first, second = solved(puzzle, solvers).solutions
    cell = next(at for at in range(81) if first.values[at] != second.values[at])

    def forbidding(clauses, cnf):
        wanted = (*divmod(cell, 9), second.values[cell])
        place = tuple(index + 1 for index in wanted[:2])
        (variable,) = [v for v, c in cnf.candidates.items() if (*place, wanted[2]) == tuple(c)]
        return [*clauses, (-variable,)]

    monkeypatch.setattr(problem, "encode_puzzle", encoding_with(forbidding))
    trusting = solved(puzzle, solvers, "never", trust_solver=True)
    assert (trusting.status, trusting.complete) == ("unique", True)
    for prove in ("never", "always"):
        result = solved(puzzle, solvers, prove)
        assert (result.solutions, result.complete) == ((first, second), True)
        assert result.solver.name == "exhaustive-search"
        assert result.certificate.complete == "proved"


KILLER = Puzzle.empty(4).with_rules(Cage((0, 1), 3), Cage((5, 9, 13), 9), Thermometer((11, 10)))


def trusted(solvers, **options):
    settings = Settings(trust_solver=True, max_solutions=30, **options)
    return solve_problems([PuzzleProblem(parsed_from(KILLER))], solvers, settings)[0]


def test_without_a_check_the_solver_is_trusted(solvers):
    result = trusted(solvers)
    assert (result.status, result.solver.name) == ("multiple", "pysat")
    assert (result.certificate_label, result.certificate.reason) == ("unverified", "--trust-solver")


def stopping_after(number):
    """A solver that reports too early that there are no more solutions."""
    asked = chain.enumerate_models

    def enumerate_models(cnf, solver, limits, *_):
        stream = asked(cnf, solver, limits)
        for _ in range(number):
            yield next(stream)
        yield Unsat()

    return enumerate_models


def giving_up_after(number):
    """A replacement of `enumerate_models` that times out after some models."""
    asked = chain.enumerate_models

    def enumerate_models(cnf, solver, limits, *_):
        stream = asked(cnf, solver, limits)
        for _ in range(number):
            yield next(stream)
        yield Unknown("no time")

    return enumerate_models


RULED = {
    0: Puzzle.empty(Geometry(2, 2), (Thermometer((0, 1, 2, 3)), Cage((4, 8), 3))),
    1: Puzzle.of_values(
        Geometry(2, 2), [1, 2, 3, 4, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 1, 0], (Thermometer((4, 5)),)
    ),
    2: Puzzle.of_values(
        Geometry(2, 2), [1, 2, 3, 4, 3, 4, 1, 2, 2, 0, 0, 0, 4, 0, 0, 0], (Cage((8, 12), 6),)
    ),
}


@pytest.mark.parametrize("number", RULED)
def test_a_search_answers_where_the_solver_gave_up_and_a_proof_checks_that(
    number, monkeypatch, solvers
):
    expected = solved(RULED[number], solvers).solutions
    assert len(expected) == number
    monkeypatch.setattr(chain, "enumerate_models", giving_up_after(0))
    result = solved(RULED[number], solvers, prove="never")
    assert (result.status, result.solutions) == (chain.STATUSES[number], expected)
    assert (result.solver.name, result.solver.fallback) == (
        "exhaustive-search",
        "pysat gave up: no time",
    )
    assert (result.certificate.complete, result.certificate.by) == ("proved", "lrat")


@pytest.mark.parametrize("prove", ["never", "always"])
def test_what_a_search_alone_has_found_is_claimed_to_be_all(prove, monkeypatch, solvers):
    monkeypatch.setattr(chain, "enumerate_models", giving_up_after(0))
    monkeypatch.setattr("pipeline.solving.solvers.pysat.Pysat.prove", prove_nothing)
    result = solved(RULED[2], solvers, prove=prove)
    assert (result.status, result.complete) == ("multiple", True)
    assert result.certificate == chain.SEARCH_CERTIFICATE


CHAOS = ".Shape~14x14.NoBoxes.ChaosConstruction"
"""Regions of 14×14 cells to be found: too many clauses for a memory of 64 MB."""


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (f"{CHAOS}.~R1C1_1~R1C2_1", "unsolvable"),
        pytest.param(CHAOS, "multiple", marks=needs_numba),
    ],
)
def test_what_cannot_be_encoded_is_searched_alone_and_says_so(text, status, solvers):
    parsed = parse_source(text.encode(), "a.iss")
    settings = Settings(solver="pysat", max_solutions=2, memory_limit=64)
    (result,) = solve_problems([PuzzleProblem(parsed)], solvers, settings)
    assert (result.status, result.encoding, result.cnf) == (status, None, None)
    assert result.solver.name == "exhaustive-search"
    assert "memory" in result.solver.fallback
    if status == "unsolvable":
        assert (result.complete, result.certificate) == (True, chain.TOO_LARGE_CERTIFICATE)
    else:
        assert (len(result.solutions), result.certificate.complete) == (2, "no")


def test_what_cannot_be_encoded_nor_searched_in_time_is_unknown(solvers, monkeypatch):
    undecided = SearchResult((), 0, "no time")
    monkeypatch.setattr(problem, "find_missing", lambda *_, **__: undecided)
    parsed = parse_source(CHAOS.encode(), "a.iss")
    settings = Settings(solver="pysat", memory_limit=64)
    (result,) = solve_problems([PuzzleProblem(parsed)], solvers, settings)
    assert (result.status, result.solver, result.certificate) == ("unknown", None, None)
    assert "memory" in result.message


def prove_nothing(*_):
    raise ProofLimitReached("no room")


def test_that_a_solver_which_gave_up_found_the_only_solution_wants_a_proof(monkeypatch, solvers):
    monkeypatch.setattr(chain, "enumerate_models", giving_up_after(1))
    result = solved(RULED[1], solvers, prove="never")
    assert (result.status, result.solver.name) == ("unique", "pysat")
    assert (result.certificate.complete, result.certificate.by) == ("proved", "lrat")


@pytest.mark.parametrize("is_provable", [True, False])
def test_a_search_that_sees_nothing_proves_no_solution_to_be_the_only_one(
    is_provable, monkeypatch, solvers
):
    """The solver found one of two solutions and gave up."""
    monkeypatch.setattr(chain, "enumerate_models", giving_up_after(1))
    monkeypatch.setattr(variants, "search_missing", lambda *_: SearchResult((), 0, None))
    if not is_provable:
        monkeypatch.setattr("pipeline.solving.solvers.pysat.Pysat.prove", prove_nothing)
    result = solved(RULED[2], solvers, prove="never")
    assert result.certificate_label == ("" if is_provable else "unverified")
    assert result.status == ("unknown" if is_provable else "unique")


def test_a_search_that_ends_too_early_leaves_what_is_unknown(monkeypatch, solvers):
    monkeypatch.setattr(chain, "enumerate_models", giving_up_after(0))
    monkeypatch.setattr(complete, "SEARCH_SECONDS", 0.0)
    result = solved(RULED[1], solvers)
    assert (result.status, result.message, result.complete) == ("unknown", "no time", False)


@pytest.mark.parametrize(("text", "found"), [(SIX, 1), (SIX, 3), (UNIQUE, 0), (NINE_TWO, 1)])
def test_a_solver_that_stops_too_early_is_caught_by_the_proof_if_by_nothing_else(
    text, found, monkeypatch, solvers
):
    monkeypatch.setattr(chain, "enumerate_models", stopping_after(found))
    monkeypatch.setattr("pipeline.solving.complete.SEARCH_SECONDS", 0.0)
    result = solved(parse_puzzle(text), solvers)
    assert len(result.solutions) == found
    assert result.complete is False
    assert result.status == ("multiple" if found > 1 else "unknown")
    assert result.certificate.complete == "no"
    assert result.proof is None
    said = result.message
    assert (
        "has a solution" in said or "found no more solutions, but this could not be proved" in said
    )


def test_a_grid_too_large_for_its_formula_is_claimed_and_says_why(solvers):
    grid = Grid(Geometry(8, 8), pattern(Geometry(8, 8)).values)
    result = solved(Puzzle.of_values(grid.geometry, [0, *grid.values[1:]]), solvers)
    assert (result.status, result.certificate.complete) == ("unique", "unverified")
    assert "clauses" in result.certificate.reason


@pytest.mark.parametrize("error", [ProofLimitReached("no room"), LimitReached("no time")])
def test_what_no_engine_could_prove_in_its_limits_is_claimed(error, monkeypatch, solvers):
    def prove(*_):
        raise error

    monkeypatch.setattr("pipeline.solving.solvers.pysat.Pysat.prove", prove)
    checked = solved(parse_puzzle(SIX), solvers).certificate
    assert (checked.complete, checked.by, checked.reason) == (
        "proved",
        "exhaustive-search",
        str(error),
    )
    monkeypatch.setattr("pipeline.solving.complete.SEARCH_SECONDS", 0.0)
    result = solved(parse_puzzle(SIX), solvers)
    assert (result.status, result.complete, result.certificate.complete) == (
        "multiple",
        True,
        "unverified",
    )
    assert result.certificate.reason == str(error)


def test_a_formula_without_a_model_is_proved_to_have_none(solvers):
    settings = Settings(solver="pysat")
    result = solve_source(b"p cnf 2 4\n1 2 0 1 -2 0 -1 2 2 0 -1 -2 0\n", "a.cnf", solvers, settings)
    assert (result.status, result.certificate.complete) == ("unsolvable", "proved")
    assert "".join(result.proof.formula().text()).splitlines()[3] == "-1 2 0", "no literal twice"
    satisfiable = solve_source(b"p cnf 2 1\n1 2 0\n", "a.cnf", solvers, settings)
    assert (satisfiable.status, len(satisfiable.solutions)) == ("solved", 1)
