"""What every solver of `solve/` must do; a new one is tested by its line in SOLVERS."""

from __future__ import annotations

import tempfile
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.needs import needs_linux, needs_minisat
from support.oracle import solutions
from support.puzzles import children, cnf_of, pigeons
from support.strategies import examples, puzzles

from pipeline.limits import Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.cnf import Cnf, Family, LazyClauses, Sat, Unknown, Unsat, decode_model
from pipeline.solving.encode import ENCODINGS, encode_puzzle
from pipeline.solving.enumeration import enumerate_models
from pipeline.solving.solvers import Solver
from pipeline.solving.solvers.minisat import Minisat
from pipeline.solving.solvers.pysat import Pysat

pytestmark = pytest.mark.usefixtures("started_engines")

SOLVERS = [
    pytest.param(lambda: Minisat("minisat"), id="minisat", marks=needs_minisat),
    pytest.param(Pysat, id="pysat"),
]
FOUR, SIX = Geometry(2, 2), Geometry(2, 3)
LIMITS = Limits(60.0, 1024)
SHORT = Limits(0.3, 1024)
TIGHT = Limits(60.0, 64)
EASY = encode_puzzle(Puzzle.empty(FOUR), "reduced")
HARD = pigeons(12)
LARGE = encode_puzzle(Puzzle.empty(Geometry(5, 6)), "extended")
"""Its clauses alone take more than the memory of TIGHT."""


@pytest.fixture(params=SOLVERS, scope="module")
def solver(request):
    """One for all tests: none may spoil it for the next."""
    made: Solver = request.param()
    yield made
    made.close()


@pytest.fixture(params=SOLVERS)
def fresh(request):
    """One that has no child yet."""
    made: Solver = request.param()
    yield made
    made.close()


def ask(solver, cnf, limits=LIMITS):
    with solver.open(cnf, limits) as session:
        return session.solve()


def grids(solver, cnf, limit) -> tuple[list[Grid], bool]:
    """At most `limit` models as grids, and whether these are all."""
    found: list[Grid] = []
    for answer in enumerate_models(cnf, solver, LIMITS):
        if not isinstance(answer, Sat):
            assert answer == Unsat()
            return sorted(found), True
        found.append(decode_model(answer.model, cnf))
        if len(found) == limit:
            break
    return sorted(found), False


@for_each(
    "clauses",
    [
        [(1, 2), (-1, 2), (1, -2)],
        [(5,)],
        [(-3, 1), (3,)],
        [(literal,) for literal in range(-500, 0)],
        [tuple(range(1, 3000))],
    ],
)
def test_a_model_satisfies_the_clauses(solver, clauses):
    cnf = cnf_of(*clauses)
    answer = ask(solver, cnf)
    assert isinstance(answer, Sat)
    assert cnf.satisfied_by(answer.model)


@for_each(
    ("clauses", "variables"),
    [
        ([(1,), (-1,)], 1),
        ([(1, 2), (1, -2), (-1, 2), (-1, -2)], 2),
        ([()], 0),
        ([()], 3),
        ([(1, 2), (), (3,)], 3),
    ],
)
def test_what_has_no_model_is_unsat(solver, clauses, variables):
    assert ask(solver, cnf_of(*clauses, variables=variables)) == Unsat()


@pytest.mark.parametrize("variables", [0, 7])
def test_no_clauses_have_a_model_until_the_empty_one_is_added(solver, variables):
    with solver.open(cnf_of(variables=variables), LIMITS) as session:
        assert isinstance(session.solve(), Sat)
        session.add(())
        assert session.solve() == Unsat()
        assert session.solve() == Unsat()


def test_added_clauses_hold_for_the_questions_to_come(solver):
    with solver.open(cnf_of((1, 2, 3)), LIMITS) as session:
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


def test_an_added_clause_may_have_a_variable_that_no_other_has(solver):
    with solver.open(cnf_of((1,), variables=1), LIMITS) as session:
        session.add((4, 5))
        session.add((-4,))
        answer = session.solve()
        assert isinstance(answer, Sat)
        assert {1, -4, 5} <= answer.model


def test_the_clauses_of_one_session_are_not_those_of_the_next(solver):
    assert isinstance(ask(solver, cnf_of((1,))), Sat)
    assert isinstance(ask(solver, cnf_of((-1,))), Sat)
    assert ask(solver, cnf_of((1,), (-1,))) == Unsat()
    assert isinstance(ask(solver, cnf_of((1,))), Sat)


def test_a_4x4_of_which_the_first_row_is_given_has_12_grids(solver):
    started = Puzzle.of_values(FOUR, [1, 2, 3, 4] + [0] * 12)
    found, complete = grids(solver, encode_puzzle(started, "reduced"), 1000)
    assert complete
    assert len(set(found)) == len(found) == 12


@examples(5)
@given(
    puzzle=st.sampled_from([FOUR, SIX]).flatmap(puzzles),
    encoding=st.sampled_from([*ENCODINGS]),
    style=st.sampled_from(["dense", "decimal"]),
)
def test_it_agrees_with_brute_force(solver, puzzle, encoding, style):
    limit = 20
    found, complete = grids(solver, encode_puzzle(puzzle, encoding, style), limit)
    expected = solutions(puzzle, limit)
    if complete:
        assert found == expected
    else:
        assert len(set(found)) == len(expected) == limit


def test_loading_takes_of_the_time_too(solver):
    """The clauses of this formula have no end."""
    endless = Family("the same for ever", 1, LazyClauses(lambda: repeat((1, 2))))
    cnf = Cnf(FOUR, "endless", 2, (endless,), {})
    assert ask(solver, cnf, SHORT) == Unknown(SHORT.timeout_message)
    assert isinstance(ask(solver, cnf_of((1, 2))), Sat)


@needs_linux
@pytest.mark.parametrize(
    ("cnf", "limits", "reason"),
    [(HARD, SHORT, SHORT.timeout_message), (LARGE, TIGHT, TIGHT.memory_message)],
    ids=["time", "memory"],
)
def test_a_limit_is_unknown_and_the_next_question_is_answered(solver, cnf, limits, reason):
    assert ask(solver, cnf, limits) == Unknown(reason)
    assert ask(solver, cnf_of((1,), (-1,))) == Unsat()
    assert isinstance(ask(solver, cnf_of((1, 2))), Sat)


def test_no_session_leaves_a_temporary_folder_however_it_ends(solver, tmp_path, monkeypatch):
    def break_off():
        with solver.open(EASY, LIMITS) as session:
            raise InterruptedError(session.solve())

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ask(solver, EASY)
    ask(solver, HARD, SHORT)
    with pytest.raises(InterruptedError):
        break_off()
    stream = enumerate_models(EASY, solver, LIMITS)
    next(stream)
    stream.close()
    assert list(tmp_path.iterdir()) == []


def test_all_questions_together_have_one_time_limit_and_what_others_have_spent_counts(solver):
    endless = encode_puzzle(Puzzle.empty(SIX), "reduced")
    *_, last = enumerate_models(endless, solver, SHORT)
    assert last == Unknown(SHORT.timeout_message)
    spent = Limits(7.0, 1024, spent=7.0)
    assert ask(solver, EASY, spent) == Unknown(spent.timeout_message)


@needs_linux
def test_no_child_is_left_by_a_timeout_or_a_closed_solver_which_can_be_opened_again(fresh):
    others = children()
    with fresh.open(HARD, SHORT) as session:
        asked = children() - others
        assert session.solve() == Unknown(SHORT.timeout_message)
        assert asked
        assert not asked & children()
    for _ in range(2):
        fresh.close()
        assert children() == others
        assert isinstance(ask(fresh, cnf_of((1,))), Sat)
    fresh.close()
    fresh.close()
    assert children() == others
