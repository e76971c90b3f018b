"""The limits of one puzzle hold for whatever is done for it, not for solving alone."""

from __future__ import annotations

from itertools import count, repeat

import pytest
from support.outboxes import made
from support.puzzles import NONE, UNIQUE, cnf_of, holed, pattern
from support.solvers import Scripted

from pipeline.api import solve
from pipeline.certify.formula import core_of, proof_formula
from pipeline.errors import LimitReached
from pipeline.limits import NEVER, NO_TIME_LIMIT, Deadline, Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_puzzle, parsed_from
from pipeline.reading.formats.dimacs import parse_formula
from pipeline.settings import Settings
from pipeline.solving.cnf import Cnf, Family, LazyClauses, Sat, Unknown
from pipeline.solving.complete import prove_complete
from pipeline.solving.encode import ENCODINGS, encode_puzzle
from pipeline.solving.enumeration import enumerate_models
from pipeline.solving.explain import explain_conflict
from pipeline.solving.one import Search, add_evidence, solve_problem
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.pysat import Pysat

LARGE, HUGE = Geometry(5, 5), Geometry(10, 10)
OVER = Deadline(0.0, "it is over")


def problem_of(text: str) -> PuzzleProblem:
    return PuzzleProblem(parsed_from(parse_puzzle(text)))


def spent(seconds: float) -> Stopwatch:
    """A watch by which so many seconds went into parsing, and none since."""
    ticks = iter([0.0, 0.0, seconds])
    watch = Stopwatch(lambda: next(ticks, seconds))
    with watch.timing("parse"):
        return watch


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"timeout": 0.05}, "the time limit of 0.05 s was reached"),
        ({"memory_limit": 64}, "the memory limit of 64 MB was reached"),
    ],
    ids=["time", "memory"],
)
def test_encoding_ends_at_the_limits(limits, reason):
    result = solve(Puzzle.empty(HUGE), solver="pysat", **limits)
    assert (result.status, result.complete, result.message) == ("unknown", False, reason)
    assert result.cnf is None


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_tightest_memory_suffices_to_encode_a_blank_grid_of_side_25(encoding):
    limits = Limits(60.0, 64)
    assert encode_puzzle(Puzzle.empty(LARGE), encoding, limits=limits).variables == 25**3


def test_parsing_takes_of_the_time():
    problem = problem_of(UNIQUE)
    with Solvers("pysat") as solvers:
        result = solve_problem(problem, solvers, Settings(timeout=7), spent(8))
        assert (result.status, result.message) == ("unknown", Limits(7.0).timeout_message)
        assert solve_problem(problem, solvers, Settings(timeout=60), spent(8)).status == "unique"


def test_looking_at_a_model_takes_of_the_time():
    """The clauses of this formula have no end."""
    endless = Family("the same for ever", 1, LazyClauses(lambda: repeat((1, 2))))
    cnf = Cnf(Geometry(1, 2), "endless", 2, (endless,), {})
    limits = Limits(0.1)
    found = [*enumerate_models(cnf, Scripted(Sat(frozenset((1, 2)))), limits)]
    assert found == [Unknown(limits.timeout_message)]


def test_more_variables_than_the_memory_can_hold_are_not_asked_for():
    limits = Limits(60.0, 64)
    answer = next(enumerate_models(cnf_of((1,), variables=10_000_000), Scripted(), limits))
    assert answer == Unknown(limits.memory_message)


class Told(Pysat):
    """An engine that notes its limits and finds nothing."""

    def find_core(self, clauses, assumptions, limits):
        self.limits = limits


@pytest.mark.parametrize(("timeout", "left"), [(30, 2), (10.5, 0.5)])
def test_an_explanation_gets_two_seconds_or_what_is_left_and_the_memory_of_the_puzzle(
    timeout, left
):
    settings = Settings(timeout=timeout, memory_limit=99, prove="never")
    with Solvers("pysat") as solvers:
        told = solvers._shared[Pysat] = Told()
        result = solve_problem(problem_of(NONE), solvers, settings, Stopwatch())
        search = Search(problem_of(NONE), settings, spent(10))
        add_evidence(result, search, solvers)
    assert told.limits.seconds - told.limits.spent == pytest.approx(left)
    assert told.limits.megabytes == 99


def test_where_no_time_is_left_nothing_is_explained():
    with Pysat() as engine:
        assert explain_conflict(parse_puzzle(NONE), engine, Limits(7.0, spent=7.0)) is None
        assert explain_conflict(parse_puzzle(NONE), engine, Limits(60.0))


@pytest.mark.parametrize(
    ("options", "before", "known", "reason"),
    [
        ({"timeout": 7}, 7, "unverified", Limits(7.0).timeout_message),
        ({"memory_limit": 64}, 0, "exhaustive-search", Limits(megabytes=64).memory_message),
    ],
    ids=["time", "memory"],
)
def test_what_has_no_proof_in_the_limits_of_the_puzzle_says_why(options, before, known, reason):
    puzzle = holed(pattern(LARGE), 25)
    with Solvers("pysat") as solvers:
        result = solve(puzzle, solver="pysat")
        settings = Settings(solver="pysat", prove="always", **options)
        search = Search(PuzzleProblem(parsed_from(puzzle)), settings, spent(before))
        shown = add_evidence(result, search, solvers)
    assert (shown.status, shown.complete, shown.proof) == ("unique", True, None)
    assert (shown.certificate_label, shown.certificate.reason) == (known, reason)


def test_a_core_is_not_sought_when_the_time_is_up():
    formula = proof_formula(parse_puzzle(UNIQUE), [])
    with pytest.raises(LimitReached, match="it is over"):
        core_of(formula, OVER)
    assert core_of(formula)


def test_what_is_watched_comes_out_as_it_is_until_the_time_is_up():
    assert [*NEVER.watch(range(10_000))] == [*range(10_000)]
    with pytest.raises(LimitReached, match="it is over"):
        next(OVER.watch(count()))


def test_limits_are_narrowed_and_counted_down():
    limits = Limits(10.0, 100, spent=3.0)
    assert limits.at_most(2.0) == Limits(5.0, 100, spent=3.0)
    assert limits.at_most(20.0) == limits
    assert limits.until(OVER).spent == 10.0
    assert NO_TIME_LIMIT.at_most(2.0).seconds == 2.0
    limits.check_memory(100 * 1024**2)
    with pytest.raises(LimitReached, match="the memory limit of 100 MB was reached"):
        limits.check_memory(100 * 1024**2 + 1)


MANY_CLAUSES = b"p cnf 2 100000\n" + b"1 -2 0\n" * 100_000


def test_a_formula_is_read_no_longer_than_there_is_time(tmp_path):
    with pytest.raises(LimitReached, match="it is over"):
        parse_formula(MANY_CLAUSES, "many.cnf", deadline=OVER)
    outbox = made(tmp_path, {"many.cnf": MANY_CLAUSES}, "--timeout", "0.001")
    record = outbox.record("many")
    assert (record["status"], record["complete"], record["format"]) == ("unknown", False, None)
    assert record["message"] == "the time limit of 0.001 s was reached"
    assert outbox.problems("many") == ()


def test_a_proof_is_not_begun_whose_formula_takes_longer_than_there_is_time():
    with Solvers("pysat") as solvers:
        problem = PuzzleProblem(parsed_from(Puzzle.empty(Geometry(5, 7))))
        certificate, proof = prove_complete(problem, (), solvers, Limits(1.0))
    assert (certificate.complete, proof) == ("unverified", None)
    assert certificate.reason == "the time limit of 1 s was reached"
