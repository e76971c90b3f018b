"""A DRAT proof is accepted only if each needed step follows."""

from __future__ import annotations

import time
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.oracle import solutions
from support.puzzles import EVEN_ODD_SIX, SIX, TWO, pigeons
from support.refutations import in_drat, is_satisfiable, proof_of, slowly_refuted, steps_of
from support.strategies import examples
from support.to_prove import HARD, TO_PROVE, thinned

from pipeline.certify.formula import Formula, core_of, proof_formula
from pipeline.certify.lrat import ProofRejected, check_lrat, drat_of
from pipeline.certify.proof import MAX_DRAT_CHARACTERS, TRIVIAL_PROOF, lrat_of
from pipeline.errors import LimitReached
from pipeline.limits import Deadline
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.solvers.pysat import Pysat

PIGEONS = Formula(20, tuple(pigeons(4).clauses()))
SATISFIABLE = Formula(2, ((-1, 2), (-2,)))


@pytest.fixture(scope="module")
def prover():
    with Pysat() as made:
        yield made


@pytest.mark.parametrize("made", TO_PROVE.values(), ids=TO_PROVE)
def test_a_proof_that_there_is_no_other_solution_holds(made, prover):
    puzzle = made()
    formula = proof_formula(puzzle, solutions(puzzle, 10))
    text, steps = lrat_of(core_of(formula), proof_of(prover, formula))
    assert check_lrat(formula, text) == steps == text.count("\n")
    assert steps_of(formula, drat_of(text)) == steps


@lru_cache
def hard_proof():
    with Pysat() as prover:
        return proof_of(prover, proof_formula(HARD, solutions(HARD, 1)))


def rejection(formula, proof):
    with pytest.raises(ProofRejected) as raised:
        steps_of(formula, proof)
    return str(raised.value)


def test_a_proof_that_is_cut_short_is_rejected_wherever_it_is_cut():
    formula = proof_formula(HARD, solutions(HARD, 1))
    lines = hard_proof().splitlines(keepends=True)
    assert len(lines) > 10
    for kept in (0, 1, 5, len(lines) - 1):
        assert "without the empty clause" in rejection(formula, "".join(lines[:kept]))
    assert "the last line does not end with a newline: '" in rejection(
        formula, "".join(lines[:5])[:-1]
    )
    assert "the last line does not end with a newline: '0'" in rejection(formula, hard_proof()[:-1])


def test_a_step_that_does_not_follow_is_rejected():
    formula = proof_formula(HARD, solutions(HARD, 1))
    lines = hard_proof().splitlines(keepends=True)
    literal = core_of(formula).remaining[0][0]
    for place in (0, 3):
        bogus = "".join((*lines[:place], f"{literal} 0\n", *lines[place:]))
        message = rejection(formula, bogus)
        assert message == f"line {place + 1}: {literal} 0 does not follow by unit propagation"
    assert "line 1: 0 does not follow" in rejection(formula, TRIVIAL_PROOF)
    long = f"{' '.join(map(str, range(3, 21)))} 0\n"
    shown = "line 1: 3 4 5 6 7 8 9 10 11 12 … does not follow"
    assert shown in rejection(Formula(20, tuple((-x,) for x in range(3, 21))), long + TRIVIAL_PROOF)


def test_a_proof_of_another_formula_is_rejected():
    assert "does not follow" in rejection(PIGEONS, TRIVIAL_PROOF)
    other = thinned(Geometry(3, 3), "classic", 52, 6)
    formula = proof_formula(other, solutions(other, 6))
    assert not core_of(formula).is_refuted
    assert "does not follow" in rejection(formula, hard_proof())


def test_no_other_solution_cannot_be_proved_where_one_was_left_out(prover):
    for text in (TWO, SIX, EVEN_ODD_SIX):
        puzzle = parse_puzzle(text)
        found = solutions(puzzle, 10)
        proof = proof_of(prover, proof_formula(puzzle, found))
        for left_out in found:
            published = [grid for grid in found if grid != left_out]
            with pytest.raises(ProofRejected, match="does not follow"):
                steps_of(proof_formula(puzzle, published), proof)


@for_each(
    ("proof", "fault"),
    [
        ("", "the proof ends"),
        ("garbage\n", "line 1: expected a step"),
        ("0", "the last line does not end with a newline: '0'"),
        ("c a comment\n0\n", "line 1: expected a step"),
        ("\n0\n", "line 1: expected a step"),
        ("1 0 2 0\n", "line 1: expected a step"),
        ("d 1 0\n 0\n", "line 2: expected a step"),
        ("d1 0\n", "line 1: expected a step"),
        ("1 2\n0\n", "line 1: expected a step"),
        ("+1 0\n", "line 1: expected a step"),
        ("1_0 0\n", "line 1: expected a step"),
        ("١ 0\n", "line 1: expected a step"),
        ("1 0\r\n", "line 1: expected a step"),
        ("-0 0\n", "line 1: expected a step"),
        ("\0\n", "line 1: expected a step"),
        (f"{'9' * 5000} 0\n", "line 1: expected a step"),
        ("9999999999 0\n", "line 1: variable 9999999999, but there are only 20"),
        ("1 -21 0\n", "line 1: variable 21, but there are only 20"),
        ("1 -1 0\n", "line 1: a variable is named twice"),
        ("7 7 0\n", "line 1: a variable is named twice"),
        ("d 1 2 0\nd 3 0\n", "the proof ends"),
    ],
)
def test_what_is_no_proof_is_rejected_with_its_line(proof, fault):
    assert rejection(PIGEONS, proof).startswith(fault)


@for_each("more", ["0\n", "1 0\n", "d 1 2 0\n", "d 1 0\n"])
def test_nothing_may_follow_the_empty_clause(more):
    formula = Formula(2, ((1,), (-1,)))
    assert steps_of(formula, TRIVIAL_PROOF) == 1
    assert rejection(formula, TRIVIAL_PROOF + more) == "line 2: a step after the empty clause"


def test_a_proof_beyond_all_bounds_is_not_even_read():
    assert "longer than 67,108,864" in rejection(PIGEONS, "x" * (MAX_DRAT_CHARACTERS + 1))


def test_deletions_are_passed_over(prover):
    proof = proof_of(prover, PIGEONS)
    deletions = "".join(f"d {' '.join(map(str, clause))} 0\n" for clause in PIGEONS.clauses)
    assert steps_of(PIGEONS, deletions + proof) == steps_of(PIGEONS, proof)


def test_a_deleted_reason_makes_no_refutation_of_what_is_satisfiable():
    proof = "d -1 2 0\n1 0\n0\n"
    assert rejection(SATISFIABLE, proof) == "line 2: 1 0 does not follow by unit propagation"


@given(
    st.lists(st.lists(st.integers(-5, 5).filter(bool), max_size=3, unique_by=abs), max_size=12),
    st.lists(st.lists(st.integers(-5, 5).filter(bool), max_size=2, unique_by=abs), max_size=6),
)
@examples(30)
def test_only_what_is_unsatisfiable_is_ever_accepted(clauses, steps):
    formula = Formula(5, tuple(map(tuple, clauses)))
    proof = in_drat((*filter(None, steps), ()))
    try:
        steps_of(formula, proof)
    except ProofRejected:
        assert not slowly_refuted(formula, proof)
        return
    assert not is_satisfiable(clauses, 5)


def test_a_proof_of_nothing_but_deletions_ends_with_the_time():
    core, proof = core_of(SATISFIABLE), "d 0\n" * 200_000
    with pytest.raises(LimitReached):
        lrat_of(core, proof, Deadline(time.monotonic() + 0.005))


def test_when_time_is_up_nothing_is_known():
    core = core_of(proof_formula(HARD, solutions(HARD, 1)))
    with pytest.raises(LimitReached, match="over"):
        lrat_of(core, hard_proof(), Deadline(time.monotonic() - 1, "over"))


def test_a_number_that_is_high_costs_no_memory():
    formula = Formula(2_000_000_000, ((1_999_999_999,), (-1_999_999_999, 2_000_000_000)))
    message = rejection(formula, "1999999999 0\n1234567890 0\n0\n")
    assert message == "line 3: 0 does not follow by unit propagation"
    high = Formula(9_999_999_999, ((9_999_999_999,), (-9_999_999_999,)))
    assert steps_of(high, TRIVIAL_PROOF) == 1
