"""Puzzles get the same results in a batch as alone."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import lru_cache, partial
from itertools import count, product

import numpy as np
import pytest
from support.machine_code import put_in_place, replace_lanes
from support.needs import needs_minisat, needs_numba
from support.notations import KILLER
from support.oracle import is_solution, solutions
from support.puzzles import (
    EVEN_ODD,
    EVEN_ODD_SIX,
    NINE,
    NINE_SOLVED,
    NINE_TWO,
    NONE,
    PATIENCE,
    SIX,
    STUCK,
    TWO,
    UNIQUE,
    holed,
    pattern,
)
from support.solvers import MINISAT, at_hand

from pipeline.certify import clashing_givens
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats import parse_puzzle, parse_source, parsed_from
from pipeline.service.solving import solve_problems, solve_sources
from pipeline.settings import Settings
from pipeline.solving.cnf import clause_lines, decode_model
from pipeline.solving.encode import encode_puzzle
from pipeline.solving.many import MIN_PERSISTENT_PYSAT, Batch, masks_of, solve_batch
from pipeline.solving.one import MIN_BATCH as FEWEST
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers import Solvers

pytestmark = pytest.mark.usefixtures("unhurried")
EVERY = ["auto", "batch", "pysat", MINISAT]
every_solver = pytest.mark.parametrize("solver", EVERY)
CLASH = "1.1.\n....\n....\n....\n"
FOUR = Geometry(2, 2)
MIXED = {
    FOUR: [UNIQUE, TWO, SIX, NONE, CLASH, "." * 16],
    Geometry(2, 3): [
        holed(pattern(Geometry(2, 3)), 3),
        holed(pattern(Geometry(2, 3)), 2),
        "1" + "." * 35,
        "11" + "." * 34,
        "12345." + "." * 12 + ".....6" + "." * 12,
    ],
    Geometry(3, 3): [
        "." + NINE_SOLVED[1:-1] + ".",
        NINE_TWO,
        NINE,
        STUCK,
        "11" + "." * 79,
        NINE_SOLVED[:25] + "." * 37 + NINE_SOLVED[62:],
        EVEN_ODD,
        EVEN_ODD_SIX,
        EVEN_ODD.replace("2", "*").replace("9", "*"),
    ],
}
"""Puzzles of each geometry: one, two, several and many solutions, an obvious conflict, and none."""


def puzzle_of(what):
    return parse_puzzle(what) if isinstance(what, str) else what


def many(geometry, number):
    """`count` puzzles of all kinds."""
    kinds = [puzzle_of(what) for what in MIXED[geometry]]
    return [kinds[index % len(kinds)] for index in range(number)]


@lru_cache
def alone(puzzle, limit):
    return solve_problems(
        [PuzzleProblem(parsed_from(puzzle))],
        at_hand("pysat"),
        Settings(solver="pysat", max_solutions=limit),
    )[0]


def batch_of(found):
    problems = [PuzzleProblem(parsed_from(puzzle)) for puzzle in found]
    return Batch(found[0].geometry, masks_of(found), problems.__getitem__)


def solved(found, solvers=None, **options):
    settings = Settings(**{"max_solutions": 2, "prove": "never"} | options)
    solvers = solvers or at_hand(settings.solver, settings.minisat)
    answers = solve_batch(batch_of(found), solvers, settings, explain=False)
    return [answers.result(place) for place in range(len(found))]


def check(found, results, limit=2):
    """Compare results of a batch with those of puzzles alone, except explanations."""
    for puzzle, result in zip(found, results, strict=True):
        wanted = alone(puzzle, limit)
        clash = clashing_givens(puzzle)
        message = wanted.message if wanted.status != "unsolvable" else clash and clash.message
        got = (result.status, result.complete, result.message)
        assert got == (wanted.status, wanted.complete, message)
        check_grids(puzzle, result, wanted)


def check_grids(puzzle, result, wanted):
    """Equal solutions if they are complete; otherwise equally many."""
    grids = result.solutions
    if wanted.complete:
        assert grids == wanted.solutions
    assert len(set(grids)) == len(grids) == len(wanted.solutions)
    assert all(is_solution(puzzle, grid) for grid in grids)


def fallbacks(results):
    return {result.solver.fallback for result in results}


def names(results):
    return {result.solver.name for result in results}


@pytest.mark.parametrize("solver", EVERY[1:])
@pytest.mark.parametrize("geometry", MIXED, ids=lambda geometry: geometry.side)
@pytest.mark.parametrize("limit", [1, 3])
def test_every_kind_of_puzzle_gives_what_it_gives_alone(solver, geometry, limit):
    found = many(geometry, 20 if solver == "batch" else 10)
    check(found, solved(found, solver=solver, max_solutions=limit), limit)


@pytest.mark.parametrize(
    ("solver", "number"),
    [
        *product(["auto", "batch"], [1, 2, FEWEST - 1, FEWEST, FEWEST + 1]),
        *product(["pysat"], [1, 2, FEWEST]),
        *(pytest.param("minisat", number, marks=needs_minisat) for number in (1, 2)),
    ],
)
def test_any_number_of_puzzles_gives_as_many_results(solver, number):
    found = many(Geometry(3, 3), number)
    results = solved(found, solver=solver)
    check(found, results)
    if solver == "auto":
        assert ("batch" in names(results)) == (number >= FEWEST)


FRESH = """
import sys
from pipeline import solve_many
names = [result.solver.name for result in solve_many([sys.argv[1]] * int(sys.argv[2]))]
print(names.count("batch"), "numpy" in sys.modules)
"""


@needs_numba
@pytest.mark.parametrize(("number", "told"), [(5, "0 False"), (20, "19 True")])
def test_a_new_process_loads_machine_code_for_some_puzzles_and_not_even_numpy_for_five(
    number, told
):
    argv = [sys.executable, "-c", FRESH, NINE.strip(), str(number)]
    found = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert found.stdout.strip() == told


@pytest.mark.parametrize("solver", ["auto", "batch"])
def test_without_machine_code_and_for_other_sides_all_go_through_the_chain(solver, monkeypatch):
    some = many(Geometry(2, 3), MIN_PERSISTENT_PYSAT)
    results = solved(some, solver=solver)
    check(some, results)
    assert "batch" not in names(results)
    put_in_place(monkeypatch, None)
    some = many(Geometry(3, 3), MIN_PERSISTENT_PYSAT)
    results = solved(some, solver=solver)
    check(some, results)
    assert names(results) == {"pysat"} if solver == "auto" else "batch" not in names(results)


@needs_minisat
def test_variants_go_to_one_pysat_unless_minisat_is_named(monkeypatch):
    monkeypatch.setattr("pipeline.solving.cdcl.machine_code", lambda: None)
    problems = [PuzzleProblem(parsed_from(parse_puzzle(KILLER)))] * 3
    with Solvers() as solvers, Solvers("minisat") as named:
        results = solve_problems(problems, solvers, Settings())
        by_minisat = solve_problems(problems, named, Settings(solver="minisat"))
    assert (names(results), fallbacks(results)) == ({"pysat"}, {None})
    assert names(by_minisat) == {"minisat"}
    assert {result.solutions for result in results} == {by_minisat[0].solutions}


@every_solver
def test_no_puzzles_give_no_results(solver):
    batch = Batch(Geometry(3, 3), np.zeros((0, 81), np.uint64), {}.__getitem__)
    assert solve_batch(batch, at_hand(solver), Settings(solver=solver)).results == {}
    assert solve_sources([], at_hand(solver), Settings(solver=solver)) == []


@pytest.mark.parametrize("solver", ["batch", "pysat"])
def test_many_solutions_are_all_there_if_as_many_are_asked_for(solver):
    six, stuck = puzzle_of(EVEN_ODD_SIX), puzzle_of(STUCK)
    results = solved([six, stuck, six], solver=solver, max_solutions=6)
    assert results[0].solutions == tuple(solutions(six, 7))
    assert [len(result.solutions) for result in results] == [6, 0, 6]
    assert all(result.complete for result in results)


@pytest.mark.parametrize("number", [2, 64, 130])
def test_unique_puzzles_are_answered_together_and_none_alone(number):
    results = solved([puzzle_of(NINE)] * number, solver="batch")
    assert {result.status for result in results} == {"unique"}
    assert {result.problem for result in results} == {None}, "that was not needed"
    assert names(results) == {"batch"}


def lying(monkeypatch, **changes):
    """Have the batch solver return changed results."""
    replace_lanes(monkeypatch, lambda found: replace(found, **changes))


@pytest.mark.parametrize(
    ("solver", "changes", "why"),
    [
        (
            "auto",
            {"grids": np.ones((3, FEWEST, 81), np.uint8)},
            "a grid of batch is not a solution",
        ),
        (
            "batch",
            {"decided": np.zeros(FEWEST, bool)},
            "the batch solver left the puzzle undecided",
        ),
        ("auto", {"decided": np.zeros(FEWEST, bool)}, None),
    ],
)
def test_what_lanes_get_wrong_or_leave_undecided_goes_through_the_chain(
    solver, changes, why, monkeypatch
):
    lying(monkeypatch, **changes)
    found = [puzzle_of(NINE_TWO)] * FEWEST
    results = solved(found, at_hand("pysat"), solver=solver)
    check(found, results)
    assert (names(results), fallbacks(results)) == ({"pysat"}, {why})


@pytest.mark.parametrize("changed", [{"max_solutions": 10**9}, {"encoding": "textbook"}])
def test_what_cannot_be_done_together_is_done_one_by_one(changed):
    found = [puzzle_of(what) for what in (TWO, SIX)] * (FEWEST // 2)
    results = solved(found, **{"max_solutions": None} | changed)
    assert [len(result.solutions) for result in results] == [2, 6] * (FEWEST // 2)
    encodings = {result.cnf.encoding for result in results}
    assert encodings == {changed.get("encoding", "reduced")}


def test_lacking_minisat_is_told_of_every_batch():
    with Solvers("pysat") as solvers:
        solvers.missing_solver = "minisat is not installed"
        (used, _) = [result.solver for result in solved(many(FOUR, 2), solvers)]
    assert (used.name, used.fallback, used.warning) == ("pysat", "minisat is not installed", None)


def test_no_solver_can_change_the_puzzles_that_its_answers_are_checked_against(monkeypatch):
    def careless(masks, *_):
        masks[:] = 1

    put_in_place(monkeypatch, careless)
    with pytest.raises(ValueError, match="read-only"):
        solved([puzzle_of(NINE_TWO)] * FEWEST)


# Sources.

BAD = {"bad.txt": "nonsense", "empty.txt": "", "short.txt": "1...\n..2.\n"}
SOURCES = {
    "u.txt": UNIQUE,
    "line.txt": UNIQUE.replace("\n", ""),
    "two.txt": TWO,
    "bad.txt": BAD["bad.txt"],
    "nine.txt": NINE,
    "marks.txt": EVEN_ODD,
    "none.txt": NONE,
    "clash.txt": CLASH,
    "more.txt": SIX,
    "stuck.txt": STUCK,
    "thirty-six.txt": "6 6\n" + " ".join(map(str, pattern(Geometry(6, 6)).values)),
    "lone.txt": "1" + "." * 35,
} | BAD


def as_sources(texts, solver="pysat", **options):
    sources = [(f"{at}.txt", text.encode()) for at, text in enumerate(texts)]
    return solve_sources(sources, at_hand("pysat"), Settings(solver=solver, **options))


@pytest.mark.parametrize(("solver", "times"), [*((each, 1) for each in EVERY[:3]), ("auto", 17)])
def test_sources_of_all_kinds_give_what_each_gives_alone(solver, times):
    some = [*SOURCES.items()] if times == 1 else [*SOURCES.items()][:4]
    sources = [(name, text.encode()) for name, text in some * times]
    settings = Settings(solver=solver, max_solutions=3)
    results = solve_sources(sources, at_hand(solver), settings)
    for (name, data), result in zip(sources, results, strict=True):
        assert (result.status == "invalid") == (name in BAD)
        if name in BAD:
            assert result.message.startswith(f"{name}:")
            assert (result.problem, result.solutions, result.complete) == (None, (), None)
            continue
        parsed = parse_source(data, name)
        wanted = alone(parsed.puzzle, 3)
        assert result.problem == PuzzleProblem(parsed)
        for told in ("status", "complete", "message", "conflict", "certificate_label"):
            assert getattr(result, told) == getattr(wanted, told), told
        check_grids(parsed.puzzle, result, wanted)
        assert next(iter(result.seconds)) == "parse"
        assert result.solver is not None


@pytest.mark.parametrize("number", [2, 70])
def test_a_puzzle_solved_with_others_has_the_time_of_all_of_them_and_none_of_its_own(number):
    results = as_sources([NINE] * number, "batch")
    assert len({result.seconds["batch"] for result in results}) == 1
    for result in results:
        assert list(result.seconds) == ["parse", "batch", "total"]
        assert result.seconds["total"] >= result.seconds["parse"] + result.seconds["batch"]


STAGES = ["parse", "encode", "solve", "decode", "certify", "prove"]


def test_a_puzzle_that_went_alone_in_the_end_has_its_own_stages():
    for result in as_sources([UNIQUE] * 2, encoding="extended"):
        *stages, total = result.seconds
        assert (stages, total) == (STAGES, "total")
        assert sum(result.seconds[stage] for stage in stages) <= result.seconds["total"]


def test_the_time_that_a_puzzle_waits_for_others_is_not_its_own(monkeypatch):
    ticks = count()
    watch = partial(Stopwatch, lambda: float(next(ticks)))
    monkeypatch.setattr("pipeline.service.solving.Stopwatch", watch)
    results = as_sources([UNIQUE, "1" + "." * 35, NINE])
    assert sum(result.seconds["total"] for result in results) < next(ticks)


def test_kept_formulas_are_there_for_each_and_are_the_puzzles_own():
    texts = (UNIQUE, TWO, NONE)
    results = as_sources(texts, keep_cnf=True, encoding="extended")
    for puzzle, result in zip(map(puzzle_of, texts), results, strict=True):
        text, wanted = (
            "".join(part for family in cnf.families for part in clause_lines(family.clauses))
            for cnf in (result.cnf, encode_puzzle(puzzle, "extended"))
        )
        assert text == wanted
        for grid in result.solutions:
            side, values = grid.geometry.side, grid.values
            model = frozenset(
                variable if values[(row - 1) * side + column - 1] == value else -variable
                for variable, (row, column, value) in result.cnf.candidates.items()
            )
            assert decode_model(model, result.cnf) == grid
