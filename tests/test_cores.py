from __future__ import annotations

import time
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipeline.solve.cores import Core, shrinking_cores
from strategies import examples

from pipeline.limits import Deadline

VARIABLES = range(1, 7)
literals = st.sampled_from([sign * variable for variable in VARIABLES for sign in (1, -1)])
formulas = st.lists(st.lists(literals, min_size=1, max_size=3).map(tuple), max_size=14)


def in_seconds(seconds: float) -> Deadline:
    return Deadline(time.monotonic() + seconds)


class Looks(Deadline):
    """A deadline that comes after it was looked at so many times."""

    def left(self) -> float:
        object.__setattr__(self, "at", self.at - 1)
        return max(0.0, self.at)


def can_hold(clauses, assumptions) -> bool:
    """By truth table."""
    return any(
        all(any(signs[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        and all(signs[abs(x) - 1] == (x > 0) for x in assumptions)
        for signs in product((True, False), repeat=len(VARIABLES))
    )


def crowd(birds: int, holes: int):
    """Clauses for pigeons that each have a hole if their assumption holds; the assumptions."""
    sits = [[bird * holes + hole for hole in range(1, holes + 1)] for bird in range(birds)]
    assumptions = [birds * holes + bird for bird in range(1, birds + 1)]
    at_least = [(-assumed, *places) for assumed, places in zip(assumptions, sits, strict=True)]
    at_most = [(-a, -b) for hole in zip(*sits, strict=True) for a, b in combinations(hole, 2)]
    return [*at_least, *at_most], assumptions


@examples(60)
@given(clauses=formulas, assumptions=st.lists(literals, unique=True, max_size=8))
def test_the_last_core_is_minimal_and_each_is_a_core(clauses, assumptions):
    if can_hold(clauses, assumptions):
        with pytest.raises(ValueError, match="all assumptions can hold"):
            list(shrinking_cores(clauses, assumptions, in_seconds(60)))
        return
    cores = list(shrinking_cores(clauses, assumptions, in_seconds(60)))
    for core in cores:
        assert set(core.literals) <= set(assumptions)
        assert not can_hold(clauses, core.literals)
    best = cores[-1].literals
    assert cores[-1].minimal
    assert all(can_hold(clauses, set(best) - {literal}) for literal in best)


def test_a_smaller_core_is_found_in_another_order():
    """The long chain is what deletion in the given order, from the last, comes to."""
    clauses = [(-1, -2, -3, -4), (-5, -6)]
    cores = [*shrinking_cores(clauses, [1, 2, 3, 4, 5, 6], in_seconds(60))]
    assert set(cores[-1].literals) == {5, 6}
    minimal = [len(core.literals) for core in cores if core.minimal]
    assert minimal == sorted(set(minimal), reverse=True)


def test_the_same_question_has_the_same_cores():
    clauses, assumptions = [*combinations(range(-9, 0), 2)], [*range(1, 10)]
    first, second = (list(shrinking_cores(clauses, assumptions, in_seconds(60))) for _ in range(2))
    assert first == second
    assert len(first[-1].literals) == 2


def test_clauses_that_contradict_each_other_need_no_assumption():
    *_, last = shrinking_cores([(1,), (-1,)], [2, 3], in_seconds(60))
    assert last == Core((), minimal=True)


def test_hard_questions_are_put_off_and_come_up_again():
    """That one pigeon of nine can be done without is more than a first slice shows."""
    clauses, assumptions = crowd(9, 7)
    *_, last = shrinking_cores(clauses, assumptions, in_seconds(100), orders=1)
    assert last.minimal
    assert len(last.literals) == 8


def test_without_time_there_is_no_core():
    assert list(shrinking_cores([(1,)], [-1], in_seconds(0))) == []


def test_time_cuts_a_hard_question_off():
    clauses, assumptions = crowd(14, 13)
    assert list(shrinking_cores(clauses, assumptions, in_seconds(0.3))) == []


@pytest.mark.parametrize("looks", range(2, 9))
def test_what_was_found_when_time_is_up_stands(looks):
    clauses = [(-1, -2, -3), (-4, -5), (-6, 1)]
    whole = list(shrinking_cores(clauses, [1, 2, 3, 4, 5, 6], in_seconds(60)))
    cut = list(shrinking_cores(clauses, [1, 2, 3, 4, 5, 6], Looks(looks)))
    assert cut == whole[: len(cut)]
    assert (len(cut) == 0) == (looks == 2)
