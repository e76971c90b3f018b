"""What every solver of `solve/` must do; a new one is tested by its line in SOLVERS."""

from __future__ import annotations

import tempfile
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from needs import needs_linux, needs_minisat
from oracle import solutions
from solving import TWO, children, cnf_of, pigeons
from strategies import examples, puzzles

from pipeline.cnf import Cnf, Family, Generated, Sat, Unknown, Unsat, decode_model
from pipeline.encode import ENCODINGS, encode_puzzle
from pipeline.limits import Limits
from pipeline.parse import parse_puzzle
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.solve import Solver, answers
from pipeline.solve.lanes import Lanes
from pipeline.solve.minisat import Minisat
from pipeline.solve.pysat import Pysat

GENERAL = [
    pytest.param(lambda: Minisat("minisat"), id="minisat", marks=needs_minisat),
    pytest.param(Pysat, id="pysat"),
]
"""These take any formula, the others only those of puzzles."""

SOLVERS = [*GENERAL, pytest.param(Lanes, id="lanes")]
FOUR, SIX = Geometry(2, 2), Geometry(2, 3)
LIMITS = Limits(60.0, 1024)
SHORT = Limits(0.3, 1024)
TIGHT = Limits(60.0, 64)
EASY = encode_puzzle(Puzzle.empty(FOUR), "reduced")
HARD = pigeons(12)
LARGE = encode_puzzle(Puzzle.empty(Geometry(6, 6)), "extended")
"""Its clauses alone take more than the memory of TIGHT."""


@pytest.fixture(params=SOLVERS, scope="module")
def solver(request):
    """One for all tests: none may spoil it for the next."""
    made: Solver = request.param()
    yield made
    made.close()


@pytest.fixture(params=GENERAL, scope="module")
def general(request):
    """The same, of those that take any formula."""
    made: Solver = request.param()
    yield made
    made.close()


@pytest.fixture(params=GENERAL)
def fresh(request):
    """One that has no child yet."""
    made: Solver = request.param()
    yield made
    made.close()


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder that temporary folders are made in."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def ask(solver, cnf, limits=LIMITS):
    with solver.open(cnf, limits) as session:
        return session.solve()


def grids(solver, cnf, limit) -> tuple[list[Grid], bool]:
    """At most `limit` models as grids, and whether these are all."""
    found: list[Grid] = []
    for answer in answers(cnf, solver, LIMITS):
        if not isinstance(answer, Sat):
            assert answer == Unsat()
            return sorted(found), True
        found.append(decode_model(answer.model, cnf))
        if len(found) == limit:
            break
    return sorted(found), False


@pytest.mark.parametrize(
    "clauses",
    [
        [(1, 2), (-1, 2), (1, -2)],
        [(5,)],
        [(-3, 1), (3,)],
        [(literal,) for literal in range(-500, 0)],
        [tuple(range(1, 3000))],
    ],
    ids=["both", "gaps", "chain", "negative", "long"],
)
def test_a_model_satisfies_the_clauses(general, clauses):
    cnf = cnf_of(*clauses)
    answer = ask(general, cnf)
    assert isinstance(answer, Sat)
    assert cnf.satisfied_by(answer.model)


@pytest.mark.parametrize(
    ("clauses", "variables"),
    [
        ([(1,), (-1,)], 1),
        ([(1, 2), (1, -2), (-1, 2), (-1, -2)], 2),
        ([()], 0),
        ([()], 3),
        ([(1, 2), (), (3,)], 3),
    ],
    ids=["units", "pairs", "empty clause alone", "empty clause", "empty clause amid others"],
)
def test_what_has_no_model_is_unsat(general, clauses, variables):
    assert ask(general, cnf_of(*clauses, variables=variables)) == Unsat()


@pytest.mark.parametrize("variables", [0, 7])
def test_no_clauses_have_a_model_until_the_empty_one_is_added(general, variables):
    with general.open(cnf_of(variables=variables), LIMITS) as session:
        assert isinstance(session.solve(), Sat)
        session.add(())
        assert session.solve() == Unsat()
        assert session.solve() == Unsat()


def test_added_clauses_hold_for_the_questions_to_come(general):
    with general.open(cnf_of((1, 2, 3)), LIMITS) as session:
        session.add((-1,))
        session.add((-2, -3))
        first = session.solve()
        assert isinstance(first, Sat)
        assert -1 in first.model
        assert (2 in first.model) != (3 in first.model)
        session.add(tuple(-literal for literal in first.model))
        second = session.solve()
        assert isinstance(second, Sat)
        assert {2, 3} & second.model == {2, 3} - first.model
        session.add((-2,))
        session.add((-3,))
        assert session.solve() == Unsat()


def test_an_added_clause_may_have_a_variable_that_no_other_has(general):
    with general.open(cnf_of((1,), variables=1), LIMITS) as session:
        session.add((4, 5))
        session.add((-4,))
        answer = session.solve()
        assert isinstance(answer, Sat)
        assert {1, -4, 5} <= answer.model


def test_the_clauses_of_one_session_are_not_those_of_the_next(general):
    assert isinstance(ask(general, cnf_of((1,))), Sat)
    assert isinstance(ask(general, cnf_of((-1,))), Sat)
    assert ask(general, cnf_of((1,), (-1,))) == Unsat()
    assert isinstance(ask(general, cnf_of((1,))), Sat)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_empty_4x4_has_288_grids_in_every_encoding(solver, encoding):
    found, complete = grids(solver, encode_puzzle(Puzzle.empty(FOUR), encoding), 1000)
    assert complete
    assert len(set(found)) == len(found) == 288


@pytest.mark.parametrize("style", ["dense", "decimal"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_both_numberings_give_the_same_grids(solver, encoding, style):
    puzzle = parse_puzzle(TWO)
    found, complete = grids(solver, encode_puzzle(puzzle, encoding, style), 5)
    assert complete
    assert found == solutions(puzzle, 5)


@examples(10)
@given(puzzle=st.sampled_from([FOUR, SIX]).flatmap(puzzles), encoding=st.sampled_from([*ENCODINGS]))
def test_it_agrees_with_brute_force(solver, puzzle, encoding):
    limit = 20
    found, complete = grids(solver, encode_puzzle(puzzle, encoding), limit)
    expected = solutions(puzzle, limit)
    if complete:
        assert found == expected
    else:
        assert len(set(found)) == len(expected) == limit


@needs_linux
def test_a_timeout_is_unknown_and_leaves_no_child(fresh):
    others = children()
    with fresh.open(HARD, SHORT) as session:
        asked = children() - others
        assert session.solve() == Unknown("the time limit of 0.3 s was reached")
        assert asked
        assert not asked & children()
    fresh.close()
    assert children() == others


def test_all_questions_together_have_one_time_limit(solver):
    endless = encode_puzzle(Puzzle.empty(SIX), "reduced")
    *_, last = answers(endless, solver, SHORT)
    assert last == Unknown("the time limit of 0.3 s was reached")


def test_loading_takes_of_the_time_too(general):
    """The clauses of this formula have no end."""
    endless = Family("the same for ever", 1, Generated(lambda: repeat((1, 2))))
    cnf = Cnf(FOUR, "endless", 2, (endless,), {})
    assert ask(general, cnf, SHORT) == Unknown("the time limit of 0.3 s was reached")
    assert isinstance(ask(general, cnf_of((1, 2))), Sat)


def test_where_another_has_spent_the_time_none_is_left(solver):
    spent = Limits(7.0, 1024, spent=7.0)
    assert ask(solver, EASY, spent) == Unknown("the time limit of 7 s was reached")


@needs_linux
@pytest.mark.parametrize(
    ("cnf", "limits", "reason"),
    [(HARD, SHORT, SHORT.out_of_time), (LARGE, TIGHT, "the memory limit of 64 MB was reached")],
    ids=["time", "memory"],
)
def test_a_limit_is_unknown_and_the_next_question_is_answered(general, cnf, limits, reason):
    assert ask(general, cnf, limits) == Unknown(reason)
    assert ask(general, cnf_of((1,), (-1,))) == Unsat()
    assert isinstance(ask(general, cnf_of((1, 2))), Sat)


def test_a_session_leaves_no_temporary_folder(general, temporary):
    ask(general, cnf_of((1, 2)))
    ask(general, HARD, SHORT)
    assert list(temporary.iterdir()) == []


def test_a_session_that_is_broken_off_leaves_no_temporary_folder(solver, temporary):
    def break_off():
        with solver.open(EASY, LIMITS) as session:
            raise InterruptedError(session.solve())

    with pytest.raises(InterruptedError):
        break_off()
    assert list(temporary.iterdir()) == []


def test_a_search_that_is_given_up_leaves_no_temporary_folder(solver, temporary):
    stream = answers(EASY, solver, LIMITS)
    next(stream)
    stream.close()
    assert list(temporary.iterdir()) == []


@needs_linux
def test_a_closed_solver_has_no_child_and_can_be_opened_again(fresh):
    others = children()
    for _ in range(2):
        assert isinstance(ask(fresh, cnf_of((1,))), Sat)
        fresh.close()
        assert children() == others
    fresh.close()


def test_it_tells_its_name_and_perhaps_its_version(solver):
    assert solver.name in ("minisat", "pysat", "lanes")
    assert solver.version is None or solver.version
