"""Variants whose search goes first: what a SAT solver confirms, contradicts or leaves open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import inf

import pytest
from support.needs import needs_minisat
from support.oracle import is_solution, solutions

from pipeline.certify.exhaustive import OUT_OF_TIME, SearchResult
from pipeline.errors import EnvironmentFailure, LimitReached, SolverError
from pipeline.limits import Limits
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.lines import SumLine, Thermometer
from pipeline.reading.formats import parsed_from
from pipeline.settings import Settings
from pipeline.solving import cdcl, variants
from pipeline.solving import problem as problems
from pipeline.solving.cdcl import Cdcl, kernel
from pipeline.solving.cnf import Cnf, Family, Unknown
from pipeline.solving.complete import Check
from pipeline.solving.one import solve_problem
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.pysat import Pysat

FEW = Puzzle.empty(4).with_rules(Cage((0, 1), 3), Cage((5, 9, 13), 9), Thermometer((11, 10)))
"""A variant with 12 solutions."""
ONE = FEW.with_rules(Cage((0,), 1), Cage((2,), 3), Cage((4,), 3), Cage((8,), 2), Cage((11,), 1))
NONE = FEW.with_rules(Cage((2, 3), 3))
MANY = 30


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    with Solvers() as both:
        yield both


@pytest.fixture(autouse=True, params=[Cdcl, Pysat])
def confirmer(request, monkeypatch):
    """The class of the solver that confirms: the one in machine code, here in plain Python."""
    code = Cdcl(kernel.search) if request.param is Cdcl else None
    monkeypatch.setattr(cdcl, "machine_code", lambda: code)
    return request.param


def solved(puzzle: Puzzle, solvers: Solvers, **options) -> Result:
    settings = Settings(**{"max_solutions": MANY, "prove": "never", **options})
    problem = PuzzleProblem(parsed_from(puzzle))
    return solve_problem(problem, solvers, settings, Stopwatch())


def check_right(puzzle: Puzzle, result: Result) -> None:
    """All solutions are there, and two programs say so."""
    known = solutions(puzzle, MANY)
    assert list(result.solutions) == known
    assert result.status == ("unsolvable", "unique", "multiple")[min(len(known), 2)]
    assert (result.complete, result.certificate.complete) == (True, "proved")


def test_the_time_that_pysat_takes_leads_to_machine_code(confirmer, solvers, monkeypatch):
    seconds: list[float] = []
    monkeypatch.setattr(cdcl.loader, "add_seconds", seconds.append)
    solved(ONE, solvers)
    assert [second > 0 for second in seconds] == [True] * (confirmer is Pysat)


@pytest.mark.parametrize("puzzle", [FEW, ONE, NONE])
def test_the_search_answers_and_a_sat_solver_confirms(puzzle, confirmer, solvers):
    result = solved(puzzle, solvers)
    check_right(puzzle, result)
    assert (result.solver.name, result.solver.fallback) == (confirmer.name, None)
    assert result.certificate.by == "exhaustive-search"
    assert result.encoding is not None


def test_more_solutions_than_requested_need_no_solver(confirmer, solvers, monkeypatch):
    monkeypatch.setattr(confirmer, "confirm", raising(AssertionError))
    shown = []
    settings = Settings(max_solutions=3)
    problem = PuzzleProblem(parsed_from(FEW))
    result = solve_problem(problem, solvers, settings, Stopwatch(), shown.append)
    assert (result.status, result.complete) == ("multiple", False)
    assert (result.solver.name, result.solver.fallback) == ("exhaustive-search", None)
    assert list(result.solutions) == shown
    assert len({*shown}) == 3
    assert all(is_solution(FEW, grid) for grid in shown)


@needs_minisat
def test_a_solver_that_is_named_goes_first(solvers):
    with Solvers("minisat") as named:
        result = solved(FEW, named, solver="minisat")
    assert result.solver.name == "minisat"
    assert result.solutions == solved(FEW, solvers).solutions


@pytest.mark.parametrize("puzzle", [FEW, ONE, NONE])
@pytest.mark.parametrize("keep_cnf", [True, False])
def test_a_trusted_search_needs_no_solver(puzzle, keep_cnf, confirmer, solvers, monkeypatch):
    monkeypatch.setattr(confirmer, "confirm", raising(AssertionError))
    result = solved(puzzle, solvers, trust_solver=True, keep_cnf=keep_cnf)
    assert list(result.solutions) == solutions(puzzle, MANY)
    assert (result.solver.name, result.certificate_label) == ("exhaustive-search", "unverified")
    assert (result.cnf is not None) == keep_cnf


def raising(error):
    def fail(*_, **__):
        raise error

    return fail


def forgetful(number):
    """A replacement of `find_missing` that finds only the first `number` solutions."""
    find = problems.find_missing

    def find_some(puzzle, listed, **options):
        found = find(puzzle, (), **{**options, "max_solutions": MANY, "search": None}).missing
        return SearchResult(tuple(g for g in found[:number] if g not in listed), 1)

    return find_some


@pytest.mark.parametrize("number", [0, 1, 11])
def test_a_search_that_misses_solutions_is_contradicted(number, solvers, monkeypatch):
    """The SAT solver finds another; then the solvers answer, and a proof replaces the search."""
    monkeypatch.setattr(problems, "find_missing", forgetful(number))
    result = solved(FEW, solvers, prove="always")
    check_right(FEW, result)
    assert result.certificate.by == "lrat"


def test_a_search_that_finds_what_is_no_solution_is_not_believed(solvers, monkeypatch):
    wrong = solutions(Puzzle.empty(4), 1)[0]
    assert not is_solution(FEW, wrong)
    monkeypatch.setattr(problems, "find_missing", lambda *_, **__: SearchResult((wrong,), 1))
    result = solved(FEW, solvers)
    check_right(FEW, result)
    assert result.certificate.by == "lrat"


def test_an_encoder_that_forbids_a_solution_is_caught(solvers, monkeypatch):
    encode, second = problems.encode_puzzle, solutions(FEW, MANY)[1]

    def encode_less(*arguments, **options):
        cnf = encode(*arguments, **options)
        chosen = {(*second.geometry.place(c), v) for c, v in enumerate(second.values)}
        clause = tuple(-x for x, candidate in cnf.candidates.items() if candidate in chosen)
        family = Family("too much", 1, [clause])
        return replace(cnf, families=(*cnf.families, family))

    monkeypatch.setattr(problems, "encode_puzzle", encode_less)
    result = solved(FEW, solvers)
    check_right(FEW, result)
    assert result.solver.name == "exhaustive-search"
    assert "missed a solution" in result.solver.fallback


@pytest.mark.parametrize("answer", [True, False])
def test_a_wrong_confirmation_changes_nothing(answer, confirmer, solvers, monkeypatch):
    monkeypatch.setattr(confirmer, "confirm", lambda *_: answer)
    check_right(FEW, solved(FEW, solvers))


@needs_minisat
@pytest.mark.parametrize("confirmer", [Pysat], indirect=True)
@pytest.mark.parametrize("is_loaded", [True, False])
def test_the_solvers_answer_where_the_child_dies(is_loaded, monkeypatch):
    ask = Pysat.ask

    def ask_dying(pysat, query, limits, deadline, *arguments):
        if is_loaded:
            ask(pysat, "wait", limits, deadline)
        pysat._child().terminate()
        pysat._child().exit_code()
        return ask(pysat, query, limits, deadline, *arguments)

    with Solvers() as solvers:
        with monkeypatch.context() as patches:
            patches.setattr(Pysat, "ask", ask_dying)
            result = solved(FEW, solvers)
        check_right(FEW, result)
        assert result.solver.warning == "the PySAT process died"
        assert solved(FEW, solvers).solver.name == "pysat"  # by the next child


@needs_minisat
@pytest.mark.parametrize("confirmer", [Pysat], indirect=True)
def test_the_solvers_answer_where_pysat_cannot_be_started(monkeypatch):
    monkeypatch.setattr(Pysat, "_child", raising(EnvironmentFailure("no processes")))
    with Solvers() as solvers:
        result = solved(FEW, solvers)
    check_right(FEW, result)
    assert "no processes" in result.solver.warning


@pytest.mark.parametrize("puzzle", [FEW, NONE])
def test_an_unconfirmed_result_is_unverified_with_a_reason(puzzle, confirmer, solvers, monkeypatch):
    monkeypatch.setattr(confirmer, "confirm", lambda *_: Unknown("a limit"))
    for name in ("prove", "find_core"):
        monkeypatch.setattr(Pysat, name, raising(AssertionError))
    result = solved(puzzle, solvers, prove="unsolvable")
    assert list(result.solutions) == solutions(puzzle, MANY)
    assert (result.complete, result.certificate.complete) == (True, "unverified")
    assert result.certificate.reason == "only the exhaustive search ended: a limit"
    assert result.solver.name == "exhaustive-search"
    assert result.solver.warning == f"{confirmer.name} gave up: a limit"


def test_a_requested_proof_proves_an_unconfirmed_result(confirmer, solvers, monkeypatch):
    monkeypatch.setattr(confirmer, "confirm", lambda *_: Unknown("a limit"))
    result = solved(FEW, solvers, prove="always")
    check_right(FEW, result)
    assert result.certificate.by == "lrat"


def test_a_requested_proof_that_fails_leaves_a_result_unverified(confirmer, solvers, monkeypatch):
    monkeypatch.setattr(confirmer, "confirm", lambda *_: Unknown("a limit"))
    monkeypatch.setattr(Pysat, "prove", raising(LimitReached("no room")))
    result = solved(FEW, solvers, prove="always")
    assert (result.complete, result.certificate.complete) == (True, "unverified")


def pigeons(holes):
    """Clauses that put one pigeon more than there are holes, each alone in a hole."""
    places = [[p * holes + h + 1 for h in range(holes)] for p in range(holes + 1)]
    pairs = [(-a[h], -b[h]) for a, b in combinations(places, 2) for h in range(holes)]
    clauses = [*map(tuple, places), *pairs]
    family = Family("pigeons", len(clauses), clauses)
    return Cnf(None, "none", holes * (holes + 1), (family,), {})


@pytest.fixture
def confirm(confirmer, solvers):
    """`confirm` of the solver that confirms."""
    solver = solvers.get_shared(Pysat) if confirmer is Pysat else Cdcl(kernel.search)
    return solver.confirm


def test_conflicts_are_limited(confirm):
    answer = confirm(pigeons(9), [], Limits(), 100)
    assert isinstance(answer, Unknown)
    assert "needs more than 100 conflicts" in answer.reason
    assert confirm(pigeons(4), [], Limits(), 10_000) is True


@pytest.mark.parametrize(
    ("listed", "is_right"),
    [([[1], [2]], True), ([[2], [1]], True), ([[1]], False), ([[1, 2]], False), ([], False)],
)
def test_a_list_is_confirmed_if_it_is_complete_and_right(listed, is_right, confirm):
    family = Family("exactly one", 2, [(1, 2), (-1, -2)])
    cnf = Cnf(None, "none", 2, (family,), {})
    assert confirm(cnf, listed, Limits(), 100) is is_right


def test_a_limit_reached_while_loading_is_the_answer(confirm):
    answer = confirm(pigeons(3), [], Limits(0.0), 100)
    assert answer == Unknown(Limits(0.0).timeout_message)


def test_what_needs_more_memory_than_allowed_for_the_clauses_is_searched_alone(
    solvers, monkeypatch
):
    monkeypatch.setattr(variants, "check_memory", raising(LimitReached("no memory")))
    result = solved(FEW, solvers)
    assert result.certificate.reason == "only the exhaustive search ended: no memory"
    monkeypatch.setattr(problems, "encode_puzzle", raising(LimitReached("no memory")))
    result = solved(FEW, solvers)
    assert list(result.solutions) == solutions(FEW, MANY)
    assert "too large for solvers" in result.certificate.reason
    assert result.solver.fallback == "no memory"


def stopping(number):
    """A replacement of `find_missing` whose first `number` calls stop early."""
    find, calls = problems.find_missing, []

    def find_some(puzzle, listed, **options):
        calls.append(options)
        if len(calls) > number:
            return find(puzzle, listed, **options)
        search = options["search"]
        for _ in search.solutions():
            break
        missing = tuple(grid for grid in search.found if grid not in listed)
        return SearchResult(missing, search.nodes, OUT_OF_TIME)

    return find_some, calls


def test_a_search_without_an_end_gives_way_to_solvers_and_is_continued(solvers, monkeypatch):
    find_some, calls = stopping(1)
    monkeypatch.setattr(problems, "find_missing", find_some)
    result = solved(FEW, solvers)
    check_right(FEW, result)
    assert result.certificate.by == "exhaustive-search"
    first, second = (options["search"] for options in calls)
    assert first is second
    assert len(first.found) == len(result.solutions)


def test_a_proof_is_tried_between_two_parts_of_the_search(solvers, monkeypatch):
    find_some, calls = stopping(2)
    monkeypatch.setattr(problems, "find_missing", find_some)
    result = solved(FEW, solvers)
    check_right(FEW, result)
    assert (result.certificate.by, len(calls)) == ("lrat", 2)


@pytest.mark.parametrize("is_last", [True, False])
def test_a_search_goes_on_after_a_proof_that_failed(is_last, solvers, monkeypatch):
    find_some, calls = stopping(3 if is_last else 2)
    monkeypatch.setattr(problems, "find_missing", find_some)
    monkeypatch.setattr(Pysat, "prove", raising(LimitReached("no time")))
    result = solved(FEW, solvers)
    assert list(result.solutions) == solutions(FEW, MANY)
    assert len(calls) == 3
    assert len({id(options["search"]) for options in calls}) == 1
    if is_last:
        assert result.certificate_label == "unverified"
        assert result.certificate.reason == f"exhaustive search: {OUT_OF_TIME}; proof: no time"
    else:
        assert result.certificate.by == "exhaustive-search"


def test_the_first_check_takes_ten_times_as_long_as_the_solver(solvers, monkeypatch):
    limits = []

    def search_missing(_problem, _listed, _most, given, _search):
        limits.append(given.seconds - given.spent)
        return SearchResult((), 1, OUT_OF_TIME)

    monkeypatch.setattr("pipeline.solving.complete.search_missing", search_missing)
    monkeypatch.setattr(Pysat, "prove", raising(LimitReached("no time")))
    problem = PuzzleProblem(parsed_from(FEW))
    check = Check(problem, solutions(FEW, MANY), solvers, problem.open_search(1.0))
    for solver_seconds in (0.01, 0.3, 9.0):
        check.run(Limits(100.0), solver_seconds)
    assert [round(seconds, 1) for seconds in limits] == [1, 25, 3, 25, 25]


def test_what_a_search_found_is_kept_if_no_time_is_left_to_encode_it(solvers, monkeypatch):
    def out_of_time(_problem, _encoding, limits):
        monkeypatch.setattr(variants, "limits_left", lambda *_: Limits(1, spent=1))
        raise LimitReached(limits.timeout_message)

    monkeypatch.setattr(PuzzleProblem, "encode", out_of_time)
    result = solved(FEW, solvers)
    assert list(result.solutions) == solutions(FEW, MANY)
    assert (result.complete, result.certificate.complete) == (True, "unverified")
    assert result.certificate.reason.endswith("the time limit of 60 s was reached")


def test_a_first_search_ends_with_the_time_limit_however_slow_the_thread_is(monkeypatch):
    monkeypatch.setattr(variants.time, "thread_time", lambda: 0.0)
    passed = iter([0.0, 0.1, 0.4, 1.0])
    monkeypatch.setattr(variants.time, "monotonic", lambda: next(passed))
    clock = variants._cpu_clock(0.3, 1.0)
    assert [clock(), clock(), clock()] == [0.1, 0.1, inf]


def test_a_loop_of_one_cell_has_no_clause_that_is_always_true():
    rule = SumLine((0,), 3, loop=True)
    clauses = [*Puzzle.empty(4).with_rules(rule).clauses_of_rules()]
    assert clauses
    assert not [clause for clause in clauses if any(-literal in clause for literal in clause)]


def test_errors_of_a_confirmation_are_those_of_solvers(confirmer, solvers, monkeypatch):
    monkeypatch.setattr(confirmer, "confirm", raising(SolverError("odd reply")))
    result = solved(FEW, solvers)
    check_right(FEW, result)
    assert result.solver.warning == "odd reply"
