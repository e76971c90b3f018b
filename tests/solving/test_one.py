"""Solving one problem: statuses, order and limit of solutions, and fallbacks."""

from __future__ import annotations

import tempfile

import pytest
from support.cases import for_each
from support.needs import needs_linux, needs_minisat
from support.oracle import solutions
from support.puzzles import (
    EVEN_ODD,
    EVEN_ODD_SIX,
    NONE,
    SIX,
    TIME_LIMITS,
    TWO,
    UNIQUE,
    children,
    digits,
    pattern,
    program,
)
from support.solvers import Scripted, both_solvers, chain_of, solve_at_hand

from pipeline import (
    Geometry,
    Puzzle,
    Settings,
    SolverMissing,
    parse_puzzle,
    solve_puzzle,
)
from pipeline.api import solve
from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.service.solving import solve_source
from pipeline.solving.cnf import Sat, Unknown, Unsat
from pipeline.solving.one import solve_problem
from pipeline.solving.problem import read_problem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.pysat import Pysat

pytestmark = pytest.mark.usefixtures("unhurried")
CLASH = "11..\n....\n....\n....\n"
NO_TIME = "the time limit of {:g} s was reached"


@pytest.fixture
def no_minisat(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))


@both_solvers
@for_each("encoding", ["textbook", "reduced"])
@for_each(
    ("text", "status", "number"),
    [
        (UNIQUE, "unique", 1),
        (TWO, "multiple", 2),
        (SIX, "multiple", 6),
        (NONE, "unsolvable", 0),
        (CLASH, "unsolvable", 0),
        (digits(pattern(Geometry(2, 2))), "unique", 1),
        (EVEN_ODD, "unique", 1),
        (EVEN_ODD_SIX, "multiple", 6),
    ],
)
def test_the_status_tells_how_many_solutions_there_are(solver, encoding, text, status, number):
    """Complete solutions are in lexicographic order."""
    result = solve_at_hand(text, solver=solver, encoding=encoding, prove="never")
    assert (result.status, result.complete) == (status, True)
    assert list(result.solutions) == solutions(parse_puzzle(text), 20)
    assert len(result.solutions) == number
    assert (result.solver.name, result.solver.fallback) == (solver, None)
    assert result.cnf.encoding == encoding


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"1...\n..x2\n.3y.\n...4\n", "dropped.txt:3:3: expected "),
        (b"12345\n", "dropped.txt:1:"),
        (b"", "dropped.txt: expected a puzzle, found an empty file"),
        (b"\xff1...", "dropped.txt:1:1: expected UTF-8 text, found the byte 0xff"),
    ],
)
def test_what_is_no_puzzle_is_an_invalid_result_that_says_where(data, message):
    with Solvers("pysat") as solvers:
        result = solve_source(data, "dropped.txt", solvers, Settings())
    assert (result.status, result.solutions, result.complete) == ("invalid", (), None)
    assert result.message.startswith(message)
    assert result.problem is result.cnf is result.solver is None
    assert list(result.seconds) == ["parse", "total"]


def test_a_result_knows_how_the_puzzle_was_read_and_how_long_each_stage_took():
    result = solve_at_hand(EVEN_ODD, solver="pysat")
    assert (result.format, result.problem.parsed.variant) == ("grid", "even-odd")
    assert list(result.seconds) == [
        "parse",
        "encode",
        "solve",
        "decode",
        "certify",
        "prove",
        "total",
    ]
    *stages, total = result.seconds.values()
    assert all(0 <= seconds <= total for seconds in stages)


@both_solvers
def test_a_limit_before_a_verdict_is_unknown(solver):
    puzzle = Puzzle.empty(Geometry(5, 5))
    result = solve_at_hand(puzzle, solver=solver, timeout=0.01, encoding="extended")
    assert (result.status, result.solutions, result.complete) == ("unknown", (), False)
    assert (result.message, result.solver.name) == (NO_TIME.format(0.01), solver)


@both_solvers
def test_a_limit_after_two_solutions_is_multiple_and_not_complete(solver):
    for seconds in TIME_LIMITS:
        puzzle = Puzzle.empty(Geometry(2, 3))
        result = solve_at_hand(puzzle, solver=solver, timeout=seconds, max_solutions=10**9)
        assert result.message == NO_TIME.format(seconds)
        if len(result.solutions) > 1:
            break
    assert (result.status, result.complete) == ("multiple", False)
    assert len(set(result.solutions)) == len(result.solutions) > 1


@both_solvers
@for_each(
    ("text", "limit", "number", "complete"),
    [
        (UNIQUE, 1, 1, True),
        (SIX, 1, 1, False),
        (SIX, 5, 5, False),
        (SIX, 6, 6, True),
        (SIX, 7, 6, True),
        ("p cnf 3 0", 2, 2, False),
        ("p cnf 3 0", 7, 7, False),
        ("p cnf 3 0", 8, 8, True),
        ("p cnf 3 0", 9, 8, True),
    ],
)
def test_one_more_question_tells_at_the_limit_whether_there_are_more(
    solver, text, limit, number, complete
):
    result = solve_at_hand(text, solver=solver, max_solutions=limit)
    assert (result.status, result.complete) == (
        "unique" if text == UNIQUE else "multiple",
        complete,
    )
    assert len({*result.solutions}) == len(result.solutions) == number
    noun = result.problem.noun
    more = None if complete else f"there are more {noun}s than the {limit} asked for"
    assert result.message == more


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (CLASH, "row 1 holds 1 twice: row 1, column 1 and row 1, column 2"),
        ("3...\n....\n....\n3...\n", "column 1 holds 3 twice: row 1, column 1 and row 4, column 1"),
        ("....\n....\n..2.\n...2\n", "box 4 holds 2 twice: row 3, column 3 and row 4, column 4"),
        (NONE, "3 givens have no solution together, although any 2 of them have one"),
    ],
)
@both_solvers
def test_the_message_names_the_cells_that_clash_or_a_smallest_set_of_givens(solver, text, where):
    result = solve_at_hand(text, solver=solver)
    assert result.status == "unsolvable"
    assert result.message.startswith(where)
    assert result.conflict.message == result.message
    assert result.conflict.minimal


@both_solvers
def test_each_solution_is_handed_over_as_it_is_found_and_none_beyond_the_limit(solver):
    shown = []
    settings = Settings(solver=solver, max_solutions=4)
    result = solve_puzzle(parse_puzzle(SIX), settings, on_grid=shown.append)
    assert len(shown) == len(set(shown)) == 4
    assert tuple(shown) == result.solutions


@needs_linux
def test_an_error_in_the_callback_ends_the_solver(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = children()

    def stop(_):
        raise InterruptedError

    for settings in (Settings(solver="pysat"), Settings()):
        with pytest.raises(InterruptedError):
            solve_puzzle(parse_puzzle(SIX), settings, on_grid=stop)
    assert children() == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_minisat")
@pytest.mark.parametrize("text", [TWO, "p cnf 2 1\n1 2 0"])
def test_auto_takes_pysat_and_says_so_where_there_is_no_minisat(text):
    result = solve(text, max_solutions=3)
    assert (result.solver.name, result.solver.fallback) == ("pysat", "minisat is not installed")
    assert (result.solver.warning, result.complete) == (None, True)
    assert result.solver.version


@pytest.mark.usefixtures("no_minisat")
def test_minisat_asked_for_and_not_there_is_an_error_that_says_how_to_install_it():
    with pytest.raises(SolverMissing, match=r"minisat is not installed; .*apt-get install minisat"):
        solve(TWO, solver="minisat")
    assert solve(TWO, solver="pysat", minisat="no-such-program").solver.fallback is None


@needs_minisat
def test_auto_takes_minisat_where_there_is_one_and_pysat_from_the_third_solution_on():
    used = solve(UNIQUE, minisat="minisat").solver
    assert (used.name, used.version) == ("minisat", None)
    result = solve(SIX, solver="auto")
    assert (result.solver.name, result.solver.fallback) == (
        "pysat",
        "minisat handed over to pysat after 2 solutions",
    )
    assert (result.solver.warning, result.complete) == (None, True)
    assert result.solutions == solve(SIX, solver="minisat").solutions
    assert solve(SIX, solver="minisat").solver.name == "minisat"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (TWO, {}),
        ("p cnf 2 1\n1 2 0", {}),
        ("6 6\n" + " ".join(map(str, pattern(Geometry(6, 6)).values)), {}),
        (TWO, {"keep_cnf": True}),
        (TWO, {"max_solutions": 101}),
    ],
    ids=["another side", "formula", "large", "kept", "many"],
)
def test_what_lanes_do_not_take_is_answered_by_others_as_was_to_be_expected(text, options):
    used = solve_at_hand(text, solver="batch", **options).solver
    assert used.name in ("minisat", "pysat")
    assert used.fallback.startswith("the batch solver needs compiled code, ")
    assert used.warning is None


# Solvers made up, asked for the models of a formula.

PAIR = "p cnf 2 1\n1 2 0"
ONE, OTHER = Sat(frozenset({1, -2})), Sat(frozenset({-1, 2}))
NO_PROOF = "found no more solutions, but this could not be proved: glucose4 found a model"


def asked(*chain, text=PAIR, **options):
    settings = Settings(**options)
    with chain_of(*chain) as solvers:
        problem = read_problem(text.encode(), "a", settings)
        return solve_problem(problem, solvers, settings, Stopwatch())


@pytest.mark.parametrize(
    ("script", "most", "status", "number"),
    [
        ([Unknown("enough")], 3, "unknown", 0),
        ([ONE, Unknown("enough")], 3, "unknown", 1),
        ([ONE, OTHER, Unknown("enough")], 3, "multiple", 2),
        ([ONE, OTHER, Unknown("enough")], 2, "multiple", 2),
    ],
)
def test_what_was_found_before_a_limit_is_kept(script, most, status, number):
    result = asked(Scripted(*script), max_solutions=most)
    assert (result.status, len(result.solutions), result.complete) == (status, number, False)
    assert result.message == "enough"


UNSATISFIED = "the model of liar does not satisfy the clauses"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ([Sat(frozenset({-1, -2}))], UNSATISFIED),
        ([Sat(frozenset())], UNSATISFIED),
        ([Sat(frozenset({1, -1, 2}))], UNSATISFIED),
        ([ONE, ONE], "liar repeated a model that was blocked"),
        ([SolverError("it crashed")], "it crashed"),
        ([EnvironmentFailure("no room")], "no room"),
        ([Unsat()], NO_PROOF),
        ([ONE, Unsat()], NO_PROOF),
    ],
)
def test_a_solver_that_fails_or_is_shown_to_be_wrong_is_followed_by_the_next(script, reason):
    with Pysat() as next_one:
        result = asked(Scripted(*script, name="liar"), next_one, max_solutions=3, prove="always")
    assert (result.status, len(result.solutions), result.complete) == ("multiple", 3, True)
    assert result.solver.name == "pysat"
    assert reason in result.solver.fallback
    assert "liar" in result.solver.fallback or isinstance(script[0], Exception)
    assert result.solver.warning == result.solver.fallback


@pytest.mark.parametrize("others", [[], [Scripted(SolverError("it crashed"))]])
def test_what_no_solver_is_right_about_is_unknown_and_says_so(others):
    result = asked(Scripted(Unsat()), *others)
    assert (result.status, result.complete, result.proof) == ("unknown", False, None)
    assert NO_PROOF in result.message
    assert result.solver.fallback == result.message


@pytest.mark.parametrize("text", [TWO, PAIR])
def test_no_solver_that_works_is_a_failed_result_that_says_why(text, tmp_path):
    """The only solver is a minisat that crashes."""
    with Solvers("minisat", program(tmp_path / "minisat", "exit 3")) as crashing:
        result = asked(crashing.chain[0], text=text)
    assert (result.status, result.solutions, result.solver) == ("failed", (), None)
    assert result.message == "minisat ended with exit code 3"


def test_only_where_the_last_solver_lacks_its_surroundings_is_that_an_error():
    broken = Scripted(*[EnvironmentFailure("no room")] * 2)
    with pytest.raises(EnvironmentFailure, match="no room"):
        asked(broken, broken)


@pytest.mark.parametrize("text", [NONE])
def test_what_one_solver_has_spent_the_next_one_lacks(text):
    fails = SolverError("it fails")
    chain = Scripted(fails, fails, name="first"), Scripted(fails), Scripted(Unsat(), name="last")
    result = asked(*chain, text=text, timeout=7.5, memory_limit=99, prove="never")
    assert (result.status, result.solver.fallback) == ("unsolvable", "it fails")
    given = [limits for solver in chain for limits in solver.limits]
    assert {(limits.seconds, limits.megabytes) for limits in given} == {(7.5, 99)}
    spent = [solver.limits[0].spent for solver in chain]
    assert spent == sorted(set(spent))
