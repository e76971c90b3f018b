"""The SAT solver in machine code: answers, models, added clauses, limits, and plain Python."""

from __future__ import annotations

from itertools import combinations, product
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.needs import needs_numba
from support.strategies import examples

from pipeline.errors import LimitReached
from pipeline.limits import NEVER, Deadline, Limits
from pipeline.puzzle.clauses import Clause, PackedClauses
from pipeline.solving import cdcl
from pipeline.solving.cdcl import CdclSession, kernel

VARIABLES = 6


def pigeonhole(holes: int) -> list[Clause]:
    """Clauses that put one pigeon more than there are holes, each alone in a hole."""
    places = [[p * holes + h + 1 for h in range(holes)] for p in range(holes + 1)]
    pairs = [(-a[h], -b[h]) for a, b in combinations(places, 2) for h in range(holes)]
    return [*map(tuple, places), *pairs]


def packed(clauses: list[Clause]) -> PackedClauses:
    numbers = [number for clause in clauses for number in (*clause, 0)]
    return PackedClauses(b"".join(n.to_bytes(4, "little", signed=True) for n in numbers))


def holds(clauses: list[Clause], assumptions: list[int]) -> bool:
    """Whether one of all assignments satisfies the clauses and the assumptions."""
    return any(
        all(any(signs[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        and all(signs[abs(x) - 1] == (x > 0) for x in assumptions)
        for signs in product((False, True), repeat=VARIABLES)
    )


literals = st.integers(1, VARIABLES).flatmap(lambda v: st.sampled_from((v, -v)))
clause_lists = st.lists(st.lists(literals, max_size=4).map(tuple), max_size=20)
queries = st.lists(st.tuples(clause_lists, st.lists(literals, max_size=3)), min_size=1, max_size=3)


@examples(50)
@given(clause_lists, queries)
def test_all_answers_are_those_of_all_assignments(clauses, queries):
    """Also with empty, unit and repeated clauses, repeated literals and contradictory ones."""
    session = CdclSession(kernel.search, [packed(clauses)], VARIABLES)
    for added, assumptions in queries:
        for clause in added:
            session.add(clause)
        clauses = clauses + added
        answer = session.solve(NEVER, inf, assumptions)
        assert answer == holds(clauses, assumptions)
        if answer:
            model = {*session.model()}
            assert {abs(literal) for literal in model} == {*range(1, VARIABLES + 1)}
            assert not any(map(model.isdisjoint, clauses))
            assert model >= {*assumptions}


def random_formula(variables: int, seed: int) -> list[Clause]:
    random = Random(seed)
    return [
        tuple(random.choice((v, -v)) for v in random.sample(range(1, variables + 1), 3))
        for _ in range(int(4.3 * variables))
    ]


@pytest.mark.parametrize("seed", range(4))
def test_removing_and_growing_change_no_answer(seed, monkeypatch):
    """Another solver gives the same answers, in which learned clauses are removed many times."""
    from pysat.solvers import Solver

    monkeypatch.setattr(kernel, "FIRST_REDUCTION", 20)
    monkeypatch.setattr(kernel, "REDUCTION_STEP", 5)
    monkeypatch.setattr(cdcl, "LEARNED_CLAUSES", 10)
    monkeypatch.setattr(cdcl, "LEARNED_LITERALS", 50)
    clauses = random_formula(60, seed)
    session = CdclSession(kernel.search, [clauses], 60)
    with Solver("minisat22", bootstrap_with=clauses) as other:
        for assumptions in ((), (1, 2), (-3,), (4, -5, 6)):
            assert session.solve(NEVER, inf, assumptions) == other.solve(assumptions)
            session.add((assumptions or (7,))[:1])
            other.add_clause((assumptions or (7,))[:1])
    assert session.conflicts > 20


@needs_numba
def test_machine_code_and_plain_python_do_the_same(learning):
    for seed in range(3):
        sessions = [
            CdclSession(search, [random_formula(80, seed)], 80)
            for search in (learning, kernel.search)
        ]
        answers = {(session.solve(NEVER), session.conflicts) for session in sessions}
        assert len(answers) == 1
        assert len({tuple(session.model()) for session in sessions}) == 1


def test_a_query_stops_at_its_limit_of_conflicts_and_resumes():
    session = CdclSession(kernel.search, [pigeonhole(6)], 42)
    assert session.solve(NEVER, 50) is None
    assert 50 <= session.conflicts < 60  # conflicts in a row are not interrupted
    assert session.solve(NEVER) is False
    assert session.solve(NEVER, 0, [1]) is False  # for ever


def test_time_and_memory_are_limited(monkeypatch):
    session = CdclSession(kernel.search, [pigeonhole(4)], 20)
    with pytest.raises(LimitReached, match="the time is up"):
        session.solve(Deadline(0.0))
    with pytest.raises(LimitReached, match="memory limit"):
        CdclSession(kernel.search, [[(1,)]], 2_000_000, Limits(megabytes=64))
    monkeypatch.setattr(cdcl, "LEARNED_LITERALS", 10)
    session = CdclSession(kernel.search, [pigeonhole(6)], 42, Limits(megabytes=64))
    session._limits = Limits(megabytes=0)
    with pytest.raises(LimitReached, match="memory limit"):
        session.solve(NEVER)


def test_literals_without_a_variable_are_refused():
    """Machine code would write outside its arrays."""
    with pytest.raises(ValueError, match="expected 2 variables, found 3"):
        CdclSession(kernel.search, [packed([(1, -3)])], 2)
    session = CdclSession(kernel.search, [[(1, 2)]], 2)
    with pytest.raises(ValueError, match="found 3"):
        session.add((1, -3))
    with pytest.raises(ValueError, match="found 0"):
        session.add((0,))
    with pytest.raises(ValueError, match="found 0"):
        session.solve(NEVER, inf, [1, 0])
    assert session.solve(NEVER, inf, [-1])


def test_repeated_assumptions_take_no_room():
    session = CdclSession(kernel.search, [[(-1, 2)]], 2)
    assert session.solve(NEVER, inf, [1] * 1000)
    assert not session.solve(NEVER, inf, [1, -2] * 1000)


def test_added_clauses_outlive_a_query_without_time():
    session = CdclSession(kernel.search, [[(1, 2)]], 2)
    session.add((-1,))
    with pytest.raises(LimitReached):
        session.solve(Deadline(0.0))
    assert not session.solve(NEVER, inf, [1])


def test_arrays_stay_small_enough_for_their_indices(monkeypatch):
    session = CdclSession(kernel.search, [pigeonhole(6)], 42)
    monkeypatch.setattr(cdcl, "MAX_ENTRIES", len(session._state.literals))
    with pytest.raises(LimitReached, match="more than 200,"):
        session._grow()
    with pytest.raises(LimitReached, match="more than 200,"):
        CdclSession(kernel.search, [pigeonhole(7)], 56)


def test_wrong_machine_code_is_refused():
    cdcl.check_cdcl(kernel.search)
    with pytest.raises(RuntimeError, match="pigeonhole"):
        cdcl.check_cdcl(lambda *_: kernel.SATISFIABLE)
