"""The chain: every status, the order and the limit of solutions, and which solver is asked."""

from __future__ import annotations

import tempfile

import pytest
from needs import needs_linux, needs_minisat
from oracle import is_solution, solutions
from solving import (
    EVEN_ODD,
    EVEN_ODD_SIX,
    NONE,
    SIX,
    TIME_LIMITS,
    TWO,
    UNIQUE,
    children,
    digits,
    holed,
    pattern,
    program,
)

import pipeline
from pipeline import (
    Geometry,
    Grid,
    Puzzle,
    Settings,
    SolverMissing,
    certifier,
    certify_grid,
    decode_model,
    encode_puzzle,
    parse_puzzle,
    solve_puzzle,
)
from pipeline.encode import ENCODINGS
from pipeline.result import Stopwatch
from pipeline.solve import Solvers
from pipeline.stages import solve_parsed, solve_source

both_solvers = pytest.mark.parametrize(
    "solver", [pytest.param("minisat", marks=needs_minisat), "pysat"]
)
every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)
PYSAT = Settings(solver="pysat")


def solve(text: str, **options):
    return solve_puzzle(parse_puzzle(text), Settings(**options))


def solve_bytes(data: bytes, settings: Settings = PYSAT):
    with Solvers(settings.solver, settings.minisat) as solvers:
        return solve_source(data, "dropped.txt", solvers, settings)


@pytest.fixture
def no_minisat(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))


@both_solvers
@every_encoding
@pytest.mark.parametrize(
    ("text", "status", "number"),
    [
        (UNIQUE, "unique", 1),
        (TWO, "multiple", 2),
        (SIX, "multiple", 6),
        (NONE, "unsolvable", 0),
        ("11..\n....\n....\n....\n", "unsolvable", 0),
        (digits(pattern(Geometry(2, 2))), "unique", 1),
    ],
    ids=["unique", "two", "six", "none", "clash", "filled"],
)
def test_the_status_tells_how_many_solutions_there_are(solver, encoding, text, status, number):
    result = solve(text, solver=solver, encoding=encoding)
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
        (b"\xff\xfe1...", "dropped.txt:1:1: expected UTF-8 text, found the byte 0xff"),
    ],
)
def test_what_is_no_puzzle_is_an_invalid_result_that_says_where(data, message):
    result = solve_bytes(data)
    assert (result.status, result.solutions, result.complete) == ("invalid", (), None)
    assert result.message.startswith(message)
    assert result.parsed is result.cnf is result.solver is None
    assert set(result.seconds) == {"parse", "total"}


def test_a_result_knows_how_the_puzzle_was_read_and_how_long_each_stage_took():
    result = solve_bytes(EVEN_ODD.encode())
    assert (result.parsed.format, result.parsed.variant) == ("grid", "even-odd")
    assert list(result.seconds) == ["parse", "encode", "solve", "decode", "certify", "total"]
    *stages, total = result.seconds.values()
    assert all(0 <= seconds <= total for seconds in stages)


def test_no_solver_that_works_is_a_failed_result_that_says_why(tmp_path):
    """Here the chain is only a minisat that crashes."""
    settings = Settings(minisat=program(tmp_path / "minisat", "exit 3"))
    parsed = pipeline.parse_source(TWO.encode(), "two.txt")
    with Solvers("minisat", settings.minisat) as solvers:
        solvers.chain = solvers.chain[:1]
        result = solve_parsed(parsed, solvers, settings, Stopwatch())
    assert (result.status, result.solutions, result.solver) == ("failed", (), None)
    assert result.message == "minisat ended with exit code 3"


@both_solvers
def test_a_limit_before_a_verdict_is_unknown(solver):
    puzzle = Puzzle.empty(Geometry(5, 5))
    result = solve_puzzle(puzzle, Settings(solver=solver, timeout=0.01, encoding="extended"))
    assert (result.status, result.solutions, result.complete) == ("unknown", (), False)
    assert result.message == "the time limit of 0.01 s was reached"
    assert result.solver.name == solver


@both_solvers
def test_a_limit_after_two_solutions_is_multiple_and_not_complete(solver):
    for seconds in TIME_LIMITS:
        settings = Settings(solver=solver, timeout=seconds, max_solutions=10**9)
        result = solve_puzzle(Puzzle.empty(Geometry(2, 3)), settings)
        assert result.message == f"the time limit of {seconds:g} s was reached"
        if len(result.solutions) > 1:
            break
    assert (result.status, result.complete) == ("multiple", False)
    assert len(set(result.solutions)) == len(result.solutions) > 1


@both_solvers
@pytest.mark.parametrize(
    ("limit", "number", "complete"), [(1, 1, False), (5, 5, False), (6, 6, True), (7, 6, True)]
)
def test_one_more_question_tells_at_the_limit_whether_there_are_more(
    solver, limit, number, complete
):
    result = solve(SIX, solver=solver, max_solutions=limit)
    assert (result.status, result.complete) == ("multiple", complete)
    assert len(set(result.solutions)) == number
    assert set(result.solutions) <= set(solutions(parse_puzzle(SIX), 9))
    more = None if complete else f"there are more solutions than the {limit} asked for"
    assert result.message == more


@both_solvers
def test_a_limit_of_one_tells_unique_from_multiple(solver):
    unique = solve(UNIQUE, solver=solver, max_solutions=1)
    assert (unique.status, len(unique.solutions), unique.complete) == ("unique", 1, True)
    multiple = solve(TWO, solver=solver, max_solutions=1)
    assert (multiple.status, len(multiple.solutions), multiple.complete) == ("multiple", 1, False)


@both_solvers
@every_encoding
def test_complete_sets_are_in_lexicographic_order(solver, encoding):
    result = solve(EVEN_ODD_SIX, solver=solver, encoding=encoding)
    assert (result.status, len(result.solutions), result.complete) == ("multiple", 6, True)
    assert [grid.values for grid in result.solutions] == sorted(
        {g.values for g in result.solutions}
    )
    assert all(is_solution(parse_puzzle(EVEN_ODD_SIX), grid) for grid in result.solutions)


@both_solvers
@every_encoding
def test_the_even_odd_puzzle_has_exactly_one_solution(solver, encoding):
    result = solve(EVEN_ODD, solver=solver, encoding=encoding)
    assert (result.status, result.complete) == ("unique", True)
    first, *_, last = digits(result.solutions[0]).split()
    assert (first, last) == ("238965471", "823651749")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("11..\n....\n....\n....\n", "row 1 holds 1 twice: row 1, column 1 and row 1, column 2"),
        ("3...\n....\n....\n3...\n", "column 1 holds 3 twice: row 1, column 1 and row 4, column 1"),
        ("....\n....\n..2.\n...2\n", "box 4 holds 2 twice: row 3, column 3 and row 4, column 4"),
    ],
)
@both_solvers
def test_the_message_names_the_two_cells_that_clash(solver, text, where):
    result = solve(text, solver=solver)
    assert (result.status, result.message) == ("unsolvable", where)
    assert result.conflict.message == where


def test_the_message_names_a_smallest_set_of_givens_where_no_two_are_equal():
    result = solve(NONE, solver="pysat")
    assert result.status == "unsolvable"
    assert result.message == result.conflict.message
    assert result.message.startswith("3 givens have no solution together, though any 2 of them do")
    assert result.conflict.minimal


@both_solvers
def test_each_solution_is_handed_over_as_it_is_found_and_none_beyond_the_limit(solver):
    shown: list[Grid] = []
    settings = Settings(solver=solver, max_solutions=4)
    result = solve_puzzle(parse_puzzle(SIX), settings, on_grid=shown.append)
    assert len(shown) == len(set(shown)) == 4
    assert tuple(shown) == result.solutions


@needs_linux
def test_an_error_in_the_callback_ends_the_solver(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = children()

    def stop(_: Grid) -> None:
        raise InterruptedError

    for settings in (PYSAT, Settings()):
        with pytest.raises(InterruptedError):
            solve_puzzle(parse_puzzle(SIX), settings, on_grid=stop)
    assert children() == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_minisat")
def test_auto_takes_pysat_and_says_so_where_there_is_no_minisat():
    result = solve(TWO)
    assert (result.solver.name, result.solver.fallback) == ("pysat", "minisat is not installed")
    assert result.solver.version
    assert len(result.solutions) == 2


@pytest.mark.usefixtures("no_minisat")
def test_minisat_asked_for_and_not_there_is_an_error_that_says_how_to_install_it():
    with pytest.raises(SolverMissing, match=r"minisat is not installed; .*apt-get install minisat"):
        solve(TWO, solver="minisat")


@pytest.mark.usefixtures("no_minisat")
def test_pysat_asked_for_is_no_fallback():
    assert solve(TWO, solver="pysat", minisat="no-such-program").solver.fallback is None


@needs_minisat
@pytest.mark.parametrize("minisat", [None, "minisat"])
def test_auto_takes_minisat_where_there_is_one(minisat):
    result = solve(TWO, minisat=minisat)
    assert (result.solver.name, result.solver.version) == ("minisat", None)


@pytest.mark.parametrize(
    "geometry",
    [
        Geometry(1, 5),
        Geometry(5, 1),
        Geometry(1, 2),
        Geometry(3, 4),
        Geometry(4, 4),
        Geometry(5, 5),
    ],
    ids=str,
)
@both_solvers
def test_grids_of_other_sizes_are_solved(solver, geometry):
    puzzle = holed(pattern(geometry), every=2)
    result = solve_puzzle(puzzle, Settings(solver=solver, max_solutions=3))
    assert result.solutions
    assert all(is_solution(puzzle, grid) for grid in result.solutions)


def test_the_library_has_the_parts_of_the_chain_by_name():
    assert sorted(pipeline.__all__) == list(pipeline.__all__)
    assert all(hasattr(pipeline, name) for name in pipeline.__all__)
    puzzle = parse_puzzle(UNIQUE)
    grid = solve_puzzle(puzzle, PYSAT).solutions[0]
    assert certifier(puzzle, grid)
    assert certify_grid(puzzle, grid) == ()
    cnf = encode_puzzle(puzzle, "extended")
    model = {
        variable
        for variable, (r, c, v) in cnf.candidates.items()
        if grid.values[r * 4 + c - 5] == v
    }
    assert decode_model(model, cnf) == grid
