"""Minisats that crash, lie, hang and litter: real programs, each of them wrong in one way."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
from collections.abc import Iterable

import pytest
from pysat.solvers import Minisat22
from support.cases import default_cases, for_each
from support.needs import needs_linux, needs_minisat
from support.oracle import solutions
from support.puzzles import PATIENCE, TIME_LIMITS, TWO, children, has_ended, program

from pipeline.errors import SolverError, SolverMissing
from pipeline.limits import MIB, Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_puzzle
from pipeline.service.solving import solve_puzzle, solve_source
from pipeline.settings import Settings
from pipeline.solving.encode import encode_puzzle
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.minisat import _verdict


def result_lines(model: Iterable[int]) -> str:
    """Shell that says SAT with that model, as minisat does."""
    return f"printf 'SAT\\n{' '.join(map(str, model))} 0\\n' > \"$out\"; exit 10"


PUZZLE = parse_puzzle(TWO)
SOLUTIONS = tuple(solutions(PUZZLE, 9))
with Minisat22(bootstrap_with=encode_puzzle(PUZZLE, "reduced").clauses()) as _engine:
    _engine.solve()
    MODEL = _engine.get_model()
WRONG = [-MODEL[0], *MODEL[1:]]
TORN = [*MODEL, -MODEL[0]]
EMPTY_HANDED = [-abs(literal) for literal in MODEL]

LARGE = Puzzle(Geometry(4, 4), (Geometry(4, 4).all_values,) * 256)

BAD = {
    "is killed": ("kill -KILL $$", "signal 9"),
    "cannot parse": ("exit 3", "exit code 3"),
    "says SAT into a full disk": (": > $out; exit 10", "found an empty result"),
    "says nothing at all": ("exit 0", "exit code 0 and without a result"),
    "writes much": ("yes | head -c 30000000 > $out; exit 10", "found 'y'"),
    "has a wrong model": (result_lines(WRONG), "does not satisfy the clauses"),
    "has a model of nothing": (result_lines(EMPTY_HANDED), "does not satisfy the clauses"),
    "has no literal in its model": (result_lines([]), "does not satisfy the clauses"),
    "has a model that contradicts itself": (result_lines(TORN), "contradiction"),
    "repeats its model": (result_lines(MODEL), "repeated a model that was blocked"),
    "overwrites its input": (": > $cnf; " + result_lines(WRONG), "does not satisfy"),
}


@for_each(
    ("code", "written", "why"),
    [
        (-signal.SIGSEGV, b"", "signal 11"),
        (1, b"", "exit code 1"),
        (21, b"UNSAT\n", "exit code 21"),
        (-signal.SIGTERM, b"UNSAT\n", "signal 15"),
        (10, b"", "exit code 10, but its result is invalid: expected SAT"),
        (20, b"", "found an empty result"),
        (10, b"SAT\n", "does not end with 0"),
        (10, b"SAT\n1 2", "does not end with 0"),
        (10, b"UNSAT\n", "exit code 10, and its result says UNSAT"),
        (20, b"SAT\n1 0\n", "exit code 20, and its result says SAT"),
        (10, b"INDET\n", "its result says UNKNOWN"),
        (20, b"INDET\n", "its result says UNKNOWN"),
        (0, b"SAT\n1 0\n", "its result says SAT"),
        (0, b"INDET\n", "exit code 0, and its result says UNKNOWN"),
        (0, b"", "exit code 0 and without a result"),
        (10, b"SAT\n1_0 0\n", "found '1_0'"),
        (10, b"SAT\na b 0\n", "found 'a'"),
        (10, b"SAT\n99999999999 0\n", "literal"),
        (10, b"SAT\nUNSAT\n", "a second verdict"),
        (10, b"hello\n", "found 'hello'"),
        (20, b"\0" * 9999, "expected SAT, UNSAT, INDET"),
    ],
)
def test_only_an_exit_code_and_a_result_that_agree_are_a_verdict(code, written, why):
    with pytest.raises(SolverError, match=why):
        _verdict(code, written, b"")


@pytest.fixture(autouse=True)
def _nothing_is_left(tmp_path, monkeypatch, started_engines):
    """No fake gets the pipeline to leave a temporary folder or a child behind."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    before = children()
    yield
    assert list(temporary.iterdir()) == []
    assert children() == before


def solve(tmp_path, body, **others):
    fake = program(tmp_path / "minisat", body)
    return solve_puzzle(PUZZLE, Settings(minisat=fake, **others))


@pytest.mark.parametrize(
    ("body", "why"),
    default_cases(
        BAD.values(),
        *(BAD[name] for name in ("cannot parse", "has a wrong model", "is killed", "writes much")),
    ),
    ids=BAD,
)
def test_pysat_solves_and_the_record_says_why_when_minisat(body, why, tmp_path):
    result = solve(tmp_path, body, solver="minisat")
    assert (result.status, result.complete, result.solutions) == ("multiple", True, SOLUTIONS)
    assert result.solver.name == "pysat"
    assert why in result.solver.fallback


@pytest.mark.parametrize("encoding", ["textbook", "minimal"])
def test_a_wrong_model_is_no_solution_in_any_encoding(encoding, tmp_path):
    result = solve(tmp_path, result_lines(range(1, 65)), encoding=encoding)
    assert result.solutions == SOLUTIONS
    assert "does not satisfy the clauses" in result.solver.fallback


@needs_minisat
def test_what_is_not_shown_by_a_liar_is_shown_once(tmp_path):
    """It answers rightly once, then lies: PySAT finds the first grid again."""
    shown = []
    body = "[ -e $0.asked ] && exit 3; touch $0.asked; exec minisat -verb=0 $cnf $out"
    fake = program(tmp_path / "fake", body)
    result = solve_puzzle(PUZZLE, Settings(minisat=fake), on_grid=shown.append)
    assert result.solver.name == "pysat"
    assert sorted(shown) == list(SOLUTIONS)


@needs_minisat
def test_much_talk_does_no_harm_beside_a_right_answer(tmp_path):
    body = "exec 2> /dev/null; yes | head -c 9999999; minisat -verb=0 $cnf $out > /dev/null"
    result = solve(tmp_path, body, solver="minisat")
    assert (result.solver.name, result.solver.fallback) == ("minisat", None)
    assert result.solutions == SOLUTIONS


@pytest.mark.parametrize(
    "body",
    ["sleep 1000", "trap '' TERM INT HUP; sleep 1000; sleep 1000", "while :; do :; done"],
    ids=["sleeps", "is deaf", "spins"],
)
def test_a_minisat_that_hangs_is_stopped_at_the_time_limit(body, tmp_path):
    result = solve(tmp_path, body, timeout=0.3)
    assert (result.status, result.solutions, result.complete) == ("unknown", (), False)
    assert "time limit" in result.message
    assert (result.solver.name, result.solver.fallback) == ("minisat", None)


@needs_minisat
def test_what_was_found_before_it_hangs_is_kept(tmp_path):
    body = "[ -e $0.asked ] && sleep 1000; touch $0.asked; exec minisat -verb=0 $cnf $out"
    for seconds in TIME_LIMITS:
        result = solve(tmp_path, body, timeout=seconds)
        if result.solutions:
            break
        (tmp_path / "minisat.asked").unlink(missing_ok=True)
    assert (result.status, len(result.solutions), result.complete) == ("unknown", 1, False)
    assert set(result.solutions) < set(SOLUTIONS)


@needs_linux
@pytest.mark.parametrize("ending", ["exit 3", "sleep 1000"], ids=["fails", "hangs"])
def test_children_that_heed_no_signal_end_with_a_minisat_that(ending, tmp_path):
    body = f"(trap '' TERM INT HUP; sleep 1000; :) & echo $! > $0.tmp; mv $0.tmp $0.pid; {ending}"
    pid = tmp_path / "minisat.pid"
    for seconds in TIME_LIMITS:
        solve(tmp_path, body, timeout=seconds)
        if pid.exists():
            break
    assert has_ended(int(pid.read_text()))


def test_a_child_that_holds_the_outputs_open_does_not_delay_the_answer(tmp_path):
    result = solve(tmp_path, "sleep 1000 & exit 3", timeout=PATIENCE)
    assert result.solutions == SOLUTIONS


@pytest.mark.parametrize("text", ["", "MZ\x90\0garbage", "#!/no/such/interpreter\n"])
def test_a_minisat_that_cannot_be_run_is_replaced_and_named(text, tmp_path):
    fake = tmp_path / "minisat"
    fake.write_text(text)
    fake.chmod(0o755)
    result = solve_puzzle(PUZZLE, Settings(minisat=str(fake)))
    assert (result.solver.name, result.solutions) == ("pysat", SOLUTIONS)
    assert f"{fake} cannot be run" in result.solver.fallback


def test_a_minisat_that_is_deinstalled_meanwhile_is_replaced(tmp_path):
    fake = program(tmp_path / "minisat", "exit 3")
    settings = Settings(minisat=fake)
    with Solvers("auto", fake) as solvers:
        (tmp_path / "minisat").unlink()
        result = solve_source(TWO.encode(), "two.txt", solvers, settings)
    assert (result.solver.name, result.solutions) == ("pysat", SOLUTIONS)
    assert "cannot be run: No such file or directory" in result.solver.fallback


@pytest.mark.parametrize("kind", ["missing", "folder", "plain file"])
def test_a_path_that_is_no_program_is_an_error_before_anything_is_solved(kind, tmp_path):
    path = tmp_path / "minisat"
    if kind == "folder":
        path.mkdir()
    elif kind == "plain file":
        path.touch(mode=0o644)
    with pytest.raises(SolverMissing, match=r"not a program.*apt-get install minisat"):
        solve_puzzle(PUZZLE, Settings(minisat=str(path)))


@needs_minisat
def test_one_bad_answer_does_not_spoil_the_next_puzzle(tmp_path):
    body = "[ -e $0.asked ] || { touch $0.asked; exit 3; }; exec minisat -verb=0 $cnf $out"
    fake = program(tmp_path / "fake", body)
    with Solvers("auto", fake) as solvers:
        settings = Settings(minisat=fake)
        results = [solve_source(TWO.encode(), "two.txt", solvers, settings) for _ in range(2)]
    assert [result.solver.planned for result in results] == [False, True]
    assert {result.solutions for result in results} == {SOLUTIONS}


BOUNDED = resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU
DEAF = "#!/bin/sh\n"


def deaf(path, body):
    """A program in place of minisat that never reads its question."""
    path.write_text(DEAF + body)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("body", "why"), [("exit 3", "exit code 3"), ("exec <&-; sleep 0.1; exit 3", "exit code 3")]
)
def test_one_that_ends_without_a_look_at_the_question_is_an_error(body, why, tmp_path):
    settings = Settings(minisat=deaf(tmp_path / "minisat", body), max_solutions=1)
    result = solve_puzzle(LARGE, settings)
    assert (result.status, result.solver.name) == ("multiple", "pysat")
    assert why in result.solver.fallback


def test_one_that_never_reads_its_question_is_out_of_time(tmp_path):
    """The question is longer than what a pipe holds."""
    fake = deaf(tmp_path / "minisat", "exec sleep 1000")
    result = solve_puzzle(LARGE, Settings(minisat=fake, timeout=0.5))
    assert (result.status, result.message) == ("unknown", "the time limit of 0.5 s was reached")


@needs_minisat
@needs_linux
def test_one_that_was_killed_while_it_waited_for_its_question_is_replaced():
    settings = Settings(solver="minisat")
    before = children()
    with Solvers("minisat") as solvers:
        solvers.warm(Limits(settings.timeout, settings.memory_limit))
        waiting = children() - before
        for pid in waiting:
            os.kill(pid, signal.SIGKILL)
        assert all(has_ended(pid) for pid in waiting)
        result = solve_source(TWO.encode(), "two.txt", solvers, settings)
    assert waiting
    assert (result.solver.name, result.solver.fallback) == ("minisat", None)
    assert result.solutions == SOLUTIONS


@needs_linux
def test_one_that_prints_for_ever_is_ended_before_it_is_asked(tmp_path):
    fake = deaf(tmp_path / "minisat", "head -c 99999999 /dev/zero || exit 3; exec sleep 1000")
    before = children()
    with Solvers("auto", fake) as solvers:
        solvers.warm(Limits())
        waiting = children() - before
        assert all(has_ended(pid) for pid in waiting)
        result = solve_source(TWO.encode(), "two.txt", solvers, Settings(minisat=fake))
    assert (result.solver.name, result.solutions) == ("pysat", SOLUTIONS)
    assert "minisat ended with signal 25" in result.solver.fallback


@needs_linux
def test_one_that_waits_has_little_time_and_room_and_the_memory_of_the_puzzle(tmp_path):
    fake = deaf(tmp_path / "minisat", "exec sleep 1000")
    before = children()
    with Solvers("auto", fake) as solvers:
        solvers.warm(Limits(seconds=1000, megabytes=100))
        for pid in children() - before:
            soft = [resource.prlimit(pid, which)[0] for which in BOUNDED]
            assert soft == [100 * MIB, 4 * MIB, 5]
