"""The chain for many puzzles: what is found for each is what is found for it alone."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from needs import needs_minisat
from oracle import is_solution, solutions
from solving import EVEN_ODD, EVEN_ODD_SIX, NONE, SIX, TWO, UNIQUE, holed, pattern, program
from solving import result_lines as says_sat
from strategies import examples, puzzles

from pipeline import batches
from pipeline.batches import FEWEST, masks_of, solve_batch, solve_sources
from pipeline.certify import clashing_givens
from pipeline.cnf import decode_model
from pipeline.dimacs import clause_lines
from pipeline.encode import encode_puzzle
from pipeline.errors import EnvironmentFailure
from pipeline.parse import made, parse_puzzle, parse_source
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.result import Stopwatch
from pipeline.settings import Settings
from pipeline.solve import Solvers
from pipeline.solve.lanes import solve_lanes
from pipeline.solve.pysat import Pysat
from pipeline.stages import is_chosen, solve_parsed

EVERY = [
    "auto",
    "lanes",
    "pysat",
    pytest.param("minisat", marks=needs_minisat),
]
every_solver = pytest.mark.parametrize("solver", EVERY)

CLASH = "1.1.\n....\n....\n....\n"
STUCK = "..9..............1.....234.....5......3...6....7.1...8.5...3....9...6...18......5"
FULL = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def without(text, *cells):
    return "".join("." if cell in cells else sign for cell, sign in enumerate(text))


MIXED = {
    Geometry(2, 2): [UNIQUE, TWO, SIX, NONE, CLASH, "." * 16],
    Geometry(2, 3): [
        holed(pattern(Geometry(2, 3)), 3),
        holed(pattern(Geometry(2, 3)), 2),
        "1" + "." * 35,
        "11" + "." * 34,
        "12345." + "." * 12 + ".....6" + "." * 12,
    ],
    Geometry(3, 3): [
        without(FULL, 0, 10, 20, 80),
        without(FULL, 32, 35, 41, 44),
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
        STUCK,
        "11" + "." * 79,
        without(FULL, *range(25, 62)),
        EVEN_ODD,
        EVEN_ODD_SIX,
        EVEN_ODD.replace("2", "*").replace("9", "*"),
    ],
}
"""Of each geometry: unique, two, some and many solutions, none at sight and none at all."""


def puzzle_of(what):
    return parse_puzzle(what) if isinstance(what, str) else what


def many(geometry, number):
    """So many puzzles of all kinds."""
    kinds = [puzzle_of(what) for what in MIXED[geometry]]
    return [kinds[index % len(kinds)] for index in range(number)]


HAND = {}
"""Solvers, whose processes live as long as this module's tests."""


def at_hand(solver, minisat=None):
    if (solver, minisat) not in HAND:
        HAND[solver, minisat] = Solvers(solver, minisat)
    return HAND[solver, minisat]


@pytest.fixture(autouse=True, scope="module")
def _ended():
    yield
    for solvers in HAND.values():
        with solvers:
            pass
    HAND.clear()


@lru_cache
def alone(puzzle, limit):
    settings = Settings(solver="pysat", max_solutions=limit)
    return solve_parsed(made(puzzle), at_hand("pysat"), settings, Stopwatch())


def said_of(puzzle, wanted):
    """What a batch says of a puzzle: of the unsolvable only which givens clash."""
    clash = clashing_givens(puzzle)
    return (clash and clash.message) if wanted.status == "unsolvable" else wanted.message


def solved(found, settings):
    solvers = at_hand(settings.solver, settings.minisat)
    return solve_batch(found[0].geometry, masks_of(found), solvers, settings)


def grids_of(answers, place, geometry):
    values = answers.grids[: answers.counts[place], place].tolist()
    return tuple(Grid(geometry, tuple(cells)) for cells in values)


def check(found, answers, limit):
    """What is known of each puzzle is what is known of it alone."""
    count = len(found)
    assert [len(answers.status), *answers.counts.shape] == [count, count]
    assert answers.grids.shape[:2] == (limit, count)
    for place, puzzle in enumerate(found):
        wanted = alone(puzzle, limit)
        message = answers.messages.get(place)
        got = (answers.status[place], bool(answers.complete[place]), message)
        assert got == (wanted.status, wanted.complete, said_of(puzzle, wanted))
        check_grids(puzzle, grids_of(answers, place, puzzle.geometry), wanted)
        assert not answers.grids[answers.counts[place] :, place].any()


def check_grids(puzzle, grids, wanted):
    """The same solutions in the same order, if these are all; else as many of them."""
    if wanted.complete:
        assert grids == wanted.solutions
    assert len(set(grids)) == len(grids) == len(wanted.solutions)
    assert all(is_solution(puzzle, grid) for grid in grids)


@pytest.mark.parametrize("solver", EVERY[1:])
@pytest.mark.parametrize("geometry", MIXED, ids=lambda geometry: geometry.side)
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_every_kind_of_puzzle_gives_what_it_gives_alone(solver, geometry, limit):
    found = many(geometry, 20 if solver == "lanes" else 10)
    settings = Settings(solver=solver, max_solutions=limit)
    check(found, solved(found, settings), limit)


@every_solver
@pytest.mark.parametrize("number", [1, 2, 63, 64, 65])
def test_any_number_of_puzzles_gives_as_many_answers(solver, number):
    found = many(Geometry(2, 2), number)
    check(found, solved(found, Settings(solver=solver, max_solutions=2)), 2)


@every_solver
def test_no_puzzles_give_no_answers(solver):
    with Solvers(solver) as solvers:
        masks = np.zeros((0, 81), np.uint64)
        answers = solve_batch(Geometry(3, 3), masks, solvers, Settings(solver=solver))
        assert solve_sources([], solvers, Settings(solver=solver)) == []
    assert (answers.status, answers.others, answers.messages) == ([], {}, {})


@pytest.mark.parametrize("solver", EVERY[1:])
@examples(8)
@given(data=st.data())
def test_any_puzzles_of_one_geometry_give_what_they_give_alone(solver, data):
    geometry = data.draw(st.sampled_from(list(MIXED)[:2]))
    variant = data.draw(st.sampled_from(["classic", "even-odd"]))
    found = data.draw(st.lists(puzzles(geometry, variant), min_size=2, max_size=6))
    check(found, solved(found, Settings(solver=solver, max_solutions=2)), 2)


@examples(3)
@given(data=st.data())
def test_sixty_four_with_marks_give_what_they_give_alone(data):
    kind = puzzles(Geometry(3, 3), "even-odd")
    found = many(Geometry(3, 3), FEWEST - 4) + data.draw(st.lists(kind, min_size=4, max_size=4))
    check(found, solved(found, Settings(max_solutions=2)), 2)


def test_many_solutions_are_all_there_if_as_many_are_asked_for():
    six, stuck = puzzle_of(SIX), puzzle_of(NONE)
    for solver in ("lanes", "pysat"):
        answers = solved([six, stuck, six], Settings(solver=solver, max_solutions=6))
        assert grids_of(answers, 0, six.geometry) == tuple(solutions(six, 7))
        assert answers.counts.tolist() == [6, 0, 6]
        assert answers.complete.all()


def test_auto_asks_lanes_from_64_puzzles_on():
    for number, lanes in ((63, False), (64, True)):
        answers = solved(many(Geometry(2, 2), number), Settings(max_solutions=2))
        assert (answers.used.name == "lanes") is lanes


@pytest.mark.parametrize("number", [2, 64, 130])
def test_unique_puzzles_are_answered_together_and_none_alone(number):
    found = [puzzle_of(UNIQUE), holed(pattern(Geometry(2, 2)), 5)] * (number // 2)
    for solver in ("lanes", "pysat"):
        answers = solved(found, Settings(solver=solver))
        assert (answers.others, set(answers.status)) == ({}, {"unique"})
        assert answers.used.name == solver


class Stub:
    """PySAT under the name of another solver, whose sessions are spoilt."""

    name, version = "stub", None

    def __init__(self, spoil):
        self.spoil = spoil
        self.asked = 0

    @contextmanager
    def open(self, cnf, limits):
        self.asked += 1
        with Pysat().open(cnf, limits) as session:
            yield self.spoil(session)

    def warm(self, limits):
        """Nothing."""

    def close(self):
        """Nothing."""


def spoilt(spoil):
    """Solvers of which the first is spoilt, and PySAT the second."""
    solvers = Solvers("pysat")
    solvers.chain = (Stub(spoil), *solvers.chain)
    return solvers


def test_a_solver_that_cannot_be_started_falls_back_as_it_does_alone():
    def spoil(session):
        raise EnvironmentFailure("no process can be started")

    found = many(Geometry(2, 2), 8)
    with spoilt(spoil) as solvers:
        settings = Settings(solver="pysat", max_solutions=2)
        answers = solve_batch(found[0].geometry, masks_of(found), solvers, settings)
    check(found, answers, 2)


@needs_minisat
@pytest.mark.parametrize(
    "lie",
    [
        says_sat(range(1, 3000)),
        says_sat(range(-1, -3000, -1)),
        "echo nonsense; exit 10",
        "exit 3",
        'head -c 400 /dev/urandom > "$out"; exit 10',
    ],
    ids=["all true", "all false", "no result", "crash", "garbage"],
)
@pytest.mark.parametrize("number", [2, 9])
def test_a_minisat_that_lies_or_crashes_is_found_out(tmp_path, lie, number):
    settings = Settings(solver="minisat", minisat=program(tmp_path / "liar", lie), max_solutions=2)
    found = [puzzle_of(what) for what in (TWO, SIX)] * (number // 2)
    answers = solved(found, settings)
    check(found, answers, 2)
    assert all(result.solver.name == "pysat" for result in answers.others.values())
    assert len(answers.others) == len(found)


SAYS_NONE = 'echo UNSAT > "$out"; exit 20'


@needs_minisat
def test_that_there_is_no_solution_is_checked_where_that_is_asked_for(tmp_path):
    liar = program(tmp_path / "liar", SAYS_NONE)
    found = [puzzle_of(what) for what in (TWO, SIX, NONE)]
    trusting = solved(found, Settings(solver="minisat", minisat=liar, max_solutions=2))
    assert trusting.status == ["unsolvable"] * 3
    settings = Settings(solver="minisat", minisat=liar, max_solutions=2, cross_check=1)
    answers = solved(found, settings)
    check(found, answers, 2)
    said = answers.others[0].solver.fallback
    assert "missed a solution" in said


@pytest.mark.parametrize("solver", ["lanes", "pysat"])
def test_cross_check_asks_a_second_solver_for_every_puzzle(solver, monkeypatch):
    checked = []
    asked = Solvers.other_than
    monkeypatch.setattr(
        Solvers, "other_than", lambda self, one: checked.append(one) or asked(self, one)
    )
    found = many(Geometry(2, 2), FEWEST)
    settings = Settings(solver=solver, max_solutions=2, cross_check=1)
    check(found, solved(found, settings), 2)
    assert len(checked) == len(found)


def test_cross_check_takes_the_share_that_it_takes_alone(monkeypatch):
    checked = []
    asked = batches.solve_parsed
    monkeypatch.setattr(
        batches,
        "solve_parsed",
        lambda parsed, *rest, **how: checked.append(parsed) or asked(parsed, *rest, **how),
    )
    found = [holed(pattern(Geometry(2, 3)), every) for every in range(5, 36)]
    settings = Settings(solver="lanes", cross_check=0.4)
    answers = solved(found, settings)
    wanted = [puzzle for puzzle in found if is_chosen(puzzle, 0.4)]
    assert 0 < len(wanted) < len(found)
    assert [parsed.puzzle for parsed in checked] == wanted
    assert answers.others == {}, "they agree"


def lying(**changes):
    """Lanes that see to it that all of what they found is wrong in some way."""

    def solve(*arguments):
        return replace(solve_lanes(*arguments), **changes)

    return solve


def test_what_lanes_say_without_proof_is_checked_where_that_is_asked_for(monkeypatch):
    none = np.zeros(FEWEST, np.int64)
    monkeypatch.setattr("pipeline.solve.lanes.solve_lanes", lying(counts=none))
    found = [puzzle_of(TWO)] * FEWEST
    trusting = solved(found, Settings(max_solutions=2))
    assert set(trusting.status) == {"unsolvable"}
    answers = solved(found, Settings(max_solutions=2, cross_check=1))
    check(found, answers, 2)
    said = {result.solver.fallback for result in answers.others.values()}
    first = at_hand("auto").chain[0].name
    assert said == {f"lanes missed a solution that {first} found"}


@pytest.mark.parametrize("prove", ["never", "always"])
def test_where_lanes_find_no_solution_and_there_is_one_the_next_solver_is_asked(prove, monkeypatch):
    none = np.zeros(FEWEST, np.int64)
    monkeypatch.setattr("pipeline.solve.lanes.solve_lanes", lying(counts=none))
    sources = [(f"{at}.txt", TWO.encode()) for at in range(FEWEST)]
    for result in solve_sources(sources, at_hand("auto"), Settings(prove=prove)):
        assert (result.status, len(result.solutions), result.complete) == ("multiple", 2, True)
        assert "lanes was wrong" in result.solver.fallback


def test_a_wrong_grid_of_lanes_is_found_out_and_told(monkeypatch):
    wrong = np.ones((3, FEWEST, 16), np.uint8)
    monkeypatch.setattr("pipeline.solve.lanes.solve_lanes", lying(grids=wrong))
    found = [puzzle_of(TWO)] * FEWEST
    answers = solved(found, Settings(max_solutions=2))
    check(found, answers, 2)
    said = {result.solver.fallback for result in answers.others.values()}
    assert said == {"a grid of lanes is no solution"}


@pytest.mark.parametrize("changed", [{"max_solutions": 10**9}, {"encoding": "textbook"}])
def test_what_cannot_be_done_together_is_done_one_by_one(changed):
    found = [puzzle_of(what) for what in (TWO, SIX)] * FEWEST
    answers = solved(found, Settings(**changed))
    assert len(answers.others) == len(found)
    assert [len(result.solutions) for result in answers.others.values()] == [2, 6] * FEWEST
    names = {result.cnf.encoding for result in answers.others.values()}
    assert names == {changed.get("encoding", "reduced")}


SOURCES = [
    ("u.txt", UNIQUE),
    ("line.txt", UNIQUE.replace("\n", "")),
    ("bad.txt", "nonsense"),
    ("two.txt", TWO),
    ("nine.txt", MIXED[Geometry(3, 3)][2]),
    ("marks.txt", EVEN_ODD),
    ("none.txt", NONE),
    ("clash.txt", CLASH),
    ("empty.txt", ""),
    ("more.txt", SIX),
    ("short.txt", "1...\n..2.\n"),
    ("stuck.txt", STUCK),
    ("thirty-six.txt", "6 6\n" + "".join(
        " ".join(map(str, row)) + "\n" for row in pattern(Geometry(6, 6)).rows()
    )),
    ("lone.txt", "1" + "." * 35),
]  # fmt: skip


@every_solver
@pytest.mark.parametrize("times", [1, 33])
def test_sources_of_all_kinds_give_what_each_gives_alone(solver, times):
    some = SOURCES if times == 1 else SOURCES[:4]
    sources = [(name, text.encode()) for name, text in some * times]
    settings = Settings(solver=solver, max_solutions=3)
    results = solve_sources(sources, at_hand(solver), settings)
    assert len(results) == len(sources)
    for (name, data), result in zip(sources, results, strict=True):
        if result.status == "invalid":
            assert name in ("bad.txt", "empty.txt", "short.txt")
            assert result.message.startswith(f"{name}:")
            assert (result.parsed, result.solutions, result.complete) == (None, (), None)
            continue
        parsed = parse_source(data, name)
        wanted = alone(parsed.puzzle, 3)
        assert result.parsed == parsed
        assert result.conflict == wanted.conflict
        assert result.certificate == wanted.certificate
        assert (result.status, result.complete, result.message) == (
            wanted.status,
            wanted.complete,
            wanted.message,
        )
        check_grids(parsed.puzzle, result.solutions, wanted)
        assert result.solver is not None
        assert "total" in result.seconds


def test_the_time_for_parsing_is_told_whether_a_puzzle_is_alone_or_not():
    settings = Settings(solver="pysat")
    for number in (1, 2, 70):
        sources = [("a", UNIQUE.encode())] * number
        for result in solve_sources(sources, at_hand("pysat"), settings):
            assert "parse" in result.seconds


@pytest.mark.parametrize("number", [2, 70])
def test_a_puzzle_solved_with_others_has_the_time_of_all_of_them_and_none_of_its_own(number):
    settings = Settings(solver="auto")
    sources = [("a", UNIQUE.encode())] * number
    results = solve_sources(sources, at_hand("pysat"), settings)
    assert len({result.seconds["batch"] for result in results}) == 1
    for result in results:
        assert list(result.seconds) == ["parse", "batch", "total"]
        assert result.seconds["total"] == result.seconds["parse"] + result.seconds["batch"]


def test_a_puzzle_that_went_alone_in_the_end_has_its_own_stages():
    settings = Settings(solver="pysat", encoding="extended")
    for result in solve_sources([("a", UNIQUE.encode())] * 2, at_hand("pysat"), settings):
        assert {"parse", "solve", "certify", "total"} < result.seconds.keys()
        assert "batch" not in result.seconds
        parts = sum(spent for stage, spent in result.seconds.items() if stage != "total")
        assert parts <= result.seconds["total"]


def test_the_time_that_a_puzzle_waits_for_others_is_not_its_own(monkeypatch):
    ticks = count()
    watch = partial(Stopwatch, lambda: float(next(ticks)))
    monkeypatch.setattr("pipeline.batches.Stopwatch", watch)
    texts = [UNIQUE, "1" + "." * 35, MIXED[Geometry(3, 3)][2]]
    sources = [(str(at), text.encode()) for at, text in enumerate(texts)]
    results = solve_sources(sources, at_hand("pysat"), Settings(solver="pysat"))
    assert sum(result.seconds["total"] for result in results) < next(ticks)


def test_kept_formulas_are_there_for_each_and_are_the_puzzles_own():
    found = [puzzle_of(what) for what in (UNIQUE, TWO, NONE)]
    settings = Settings(solver="pysat", keep_cnf=True, encoding="extended")
    sources = [(str(n), text.encode()) for n, text in enumerate((UNIQUE, TWO, NONE))]
    results = solve_sources(sources, at_hand("pysat"), settings)
    for puzzle, result in zip(found, results, strict=True):
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


def test_lacking_minisat_is_told_of_every_batch():
    found = many(Geometry(2, 2), 2)
    solvers = Solvers("pysat")
    solvers.lacking = "minisat is not installed"
    with solvers:
        answers = solve_batch(
            found[0].geometry, masks_of(found), solvers, Settings(max_solutions=2)
        )
    assert answers.used == replace(answers.used, name="pysat", fallback="minisat is not installed")


def test_the_masks_of_puzzles_are_theirs():
    found = [Puzzle(Geometry(1, 2), (1, 2, 2, 3)), Puzzle(Geometry(1, 2), (3, 3, 3, 3))]
    assert masks_of(found).tolist() == [[1, 2, 2, 3], [3, 3, 3, 3]]
