"""A proof is accepted only where every step holds and the empty clause is reached."""

from __future__ import annotations

import itertools
from contextlib import nullcontext
from functools import lru_cache
from types import SimpleNamespace

import dratify
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.oracle import solutions
from support.solving import EVEN_ODD_SIX, NONE, SIX, TWO, pigeons
from support.strategies import examples
from support.to_prove import HARD, TO_PROVE, thinned

from pipeline.certify import proof as proofs
from pipeline.certify.formula import Formula, core_of, proof_formula
from pipeline.certify.proof import (
    MAX_CHARACTERS,
    REFUTED,
    ProofRejected,
    ProofTimeout,
    check_core,
    check_refutation,
)
from pipeline.limits import Limits
from pipeline.puzzle.puzzle import Geometry
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.solvers.pysat import ENGINES, Prover

HOUR = 3600.0
PIGEONS = Formula(20, tuple(pigeons(4).clauses()))
SATISFIABLE = Formula(2, ((-1, 2), (-2,)))


@pytest.fixture(scope="module")
def prover():
    with Prover() as made:
        yield made


def proof_of(prover, formula, engine=ENGINES[0]):
    core = core_of(formula)
    return REFUTED if core.is_refuted else prover.prove(core.remaining, Limits(), engine)


@pytest.mark.parametrize("made", TO_PROVE.values(), ids=TO_PROVE)
def test_a_proof_that_there_is_no_other_solution_holds(made, prover):
    puzzle = made()
    found = solutions(puzzle, 10)
    proof = proof_of(prover, proof_formula(puzzle, found))
    checked = check_refutation(proof_formula(puzzle, found), proof, HOUR)
    assert checked.steps == proof.count("\n")
    assert checked.checker.startswith("dratify 0.")


@pytest.mark.parametrize(
    ("puzzle", "engine"),
    [*zip((HARD, *map(parse_puzzle, (EVEN_ODD_SIX, NONE))), ENGINES, strict=True)],
)
def test_a_proof_holds_of_all_clauses_as_others_check_it(puzzle, engine, prover):
    formula = proof_formula(puzzle, solutions(puzzle, 10))
    proof = prover.prove(core_of(formula).remaining, Limits(), engine)
    assert check_refutation(formula, proof, HOUR).steps == proof.count("\n")
    whole = dratify.parse_dimacs("".join(formula.text()), strict=True)
    for rat, deletions in ((True, True), (False, True), (False, False)):
        result = dratify.check_proof(whole, proof, rat, deletions, engine="python")
        assert result.reached_empty
        assert result.rat_steps == 0


@lru_cache
def hard_proof():
    with Prover() as prover:
        return proof_of(prover, proof_formula(HARD, solutions(HARD, 1)))


def rejection(formula, proof):
    with pytest.raises(ProofRejected) as raised:
        check_refutation(formula, proof, HOUR)
    return str(raised.value)


def test_a_proof_that_is_cut_short_is_rejected_wherever_it_is_cut():
    formula = proof_formula(HARD, solutions(HARD, 1))
    lines = hard_proof().splitlines(keepends=True)
    assert len(lines) > 10
    for kept in (0, 1, 5, len(lines) - 1):
        assert "without the empty clause" in rejection(formula, "".join(lines[:kept]))
    assert "1 step without" in rejection(formula, lines[0])
    assert "the last line has no end: '" in rejection(formula, "".join(lines[:5])[:-1])
    assert "the last line has no end: '0'" in rejection(formula, hard_proof()[:-1])


def test_a_step_that_does_not_follow_is_rejected():
    formula = proof_formula(HARD, solutions(HARD, 1))
    lines = hard_proof().splitlines(keepends=True)
    literal = core_of(formula).remaining[0][0]
    for place in (0, 3):
        bogus = "".join((*lines[:place], f"{literal} 0\n", *lines[place:]))
        message = rejection(formula, bogus)
        assert message == f"line {place + 1}: {literal} 0 does not follow by unit propagation"
    assert "line 1: 0 does not follow" in rejection(formula, REFUTED)
    long = f"{' '.join(map(str, range(3, 21)))} 0\n"
    shown = "line 1: 3 4 5 6 7 8 9 10 11 12 … does not follow"
    assert shown in rejection(Formula(20, ((1, 2),)), long)


def test_a_proof_of_another_formula_is_rejected():
    assert "does not follow" in rejection(PIGEONS, REFUTED)
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
                check_refutation(proof_formula(puzzle, published), proof, HOUR)


@pytest.mark.parametrize(
    ("proof", "fault"),
    [
        ("", "the proof ends after 0 steps without the empty clause"),
        ("garbage\n", "line 1: expected a step of a proof, found 'garbage'"),
        ("0", "the last line has no end: '0'"),
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
        ("9999999999 0\n", "line 1: variable 9999999999, where the formula has 20"),
        ("1 -21 0\n", "line 1: variable 21, where the formula has 20"),
        ("1 -1 0\n", "line 1: a variable is named twice"),
        ("7 7 0\n", "line 1: a variable is named twice"),
        ("d 1 2 0\nd 3 0\n", "the proof ends after 0 steps without the empty clause"),
    ],
)
def test_what_is_no_proof_is_rejected_with_its_line(proof, fault):
    assert rejection(PIGEONS, proof).startswith(fault)


@pytest.mark.parametrize("more", ["0\n", "1 0\n", "d 1 2 0\n", "d 1 0\n"])
def test_nothing_may_follow_the_empty_clause(more):
    formula = Formula(2, ((1,), (-1,)))
    assert check_refutation(formula, REFUTED, HOUR).steps == 1
    assert rejection(formula, REFUTED + more) == "line 2: a step after the empty clause"


def test_a_proof_beyond_all_bounds_is_not_even_read():
    assert "longer than 67,108,864" in rejection(PIGEONS, "x" * (MAX_CHARACTERS + 1))


def test_deletions_are_passed_over(prover):
    proof = proof_of(prover, PIGEONS)
    deletions = "".join(f"d {' '.join(map(str, clause))} 0\n" for clause in PIGEONS.clauses)
    assert check_refutation(PIGEONS, deletions + proof, HOUR).steps == proof.count("\n")


def test_a_deleted_reason_makes_no_refutation_of_what_is_satisfiable():
    proof = "d -1 2 0\n1 0\n0\n"
    whole = dratify.CNF(2)
    whole.clauses = [(1, 2), (3,)]
    assert dratify.check_proof(whole, proof, engine="python").ok, "mended: update the docstring"
    assert rejection(SATISFIABLE, proof) == "line 2: 1 0 does not follow by unit propagation"


@given(
    st.lists(st.lists(st.integers(-5, 5).filter(bool), max_size=3, unique_by=abs), max_size=12),
    st.lists(st.lists(st.integers(-5, 5).filter(bool), max_size=2, unique_by=abs), max_size=6),
)
@examples(30)
def test_only_what_is_unsatisfiable_is_ever_accepted(clauses, steps):
    formula = Formula(5, tuple(map(tuple, clauses)))
    proof = "".join(" ".join(map(str, (*step, "0\n"))) for step in (*filter(None, steps), ()))
    assignments = itertools.product((False, True), repeat=5)
    is_satisfiable = any(
        all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        for values in assignments
    )
    try:
        check_refutation(formula, proof, HOUR)
    except ProofRejected:
        return
    assert not is_satisfiable


@given(st.lists(st.lists(st.integers(-9, 9).filter(bool), max_size=3, unique_by=abs), max_size=20))
@examples(20)
def test_a_core_is_refuted_by_what_refutes_the_formula(clauses):
    formula, whole = Formula(9, tuple(map(tuple, clauses))), dratify.CNF(9)
    for clause in clauses:
        whole.add_dimacs(clause)
    for step in itertools.product((1, -1, 2), (3, -4)):
        proof = "{} {} 0\n0\n".format(*step)
        result = dratify.check_proof(whole, proof, check_rat=False, engine="python")
        with nullcontext() if result.reached_empty else pytest.raises(ProofRejected):
            check_refutation(formula, proof, HOUR)


def test_a_proof_of_nothing_but_deletions_ends_with_the_time():
    with pytest.raises(ProofTimeout):
        check_refutation(SATISFIABLE, "d 0\n" * 200_000, 0.005)


@pytest.mark.parametrize("looks", [0, 1, 2, 8])
def test_when_time_is_up_the_check_ends(looks, monkeypatch):
    core = core_of(proof_formula(HARD, solutions(HARD, 1)))
    proof = hard_proof()
    monkeypatch.setattr(proofs, "_native", lambda: None)
    monkeypatch.setattr(proofs, "time", SimpleNamespace(monotonic=itertools.count().__next__))
    with pytest.raises(ProofTimeout, match=f"not checked within {looks} s"):
        check_core(core, proof, looks)


def test_a_number_that_is_high_costs_no_memory():
    formula = Formula(2_000_000_000, ((1_999_999_999,), (-1_999_999_999, 2_000_000_000)))
    message = rejection(formula, "1999999999 0\n1234567890 0\n0\n")
    assert message == "line 2: 1234567890 0 does not follow by unit propagation"


def test_the_native_engine_gives_the_same_verdicts():
    pytest.importorskip("cdclkit_native")
    formula = proof_formula(HARD, solutions(HARD, 1))
    checked = check_refutation(formula, hard_proof(), HOUR)
    assert checked.checker.startswith(f"dratify {dratify.__version__} with cdclkit-native ")
    assert checked.steps == hard_proof().count("\n")
    assert "does not follow" in rejection(formula, REFUTED)


@pytest.mark.parametrize(
    "answer", [None, (), (False, "", 1, 0, 0, 0, 0, 0, 1, False), (True, "", *[0] * 7, False)]
)
def test_a_native_engine_that_does_not_accept_leaves_it_to_the_other(answer, monkeypatch):
    engine = SimpleNamespace(check_proof=lambda *_: answer)
    monkeypatch.setattr(dratify.proof, "_native_module", lambda: engine)
    monkeypatch.setattr(proofs, "_native", lambda: "made up 1")
    formula = proof_formula(HARD, solutions(HARD, 1))
    checked = check_refutation(formula, hard_proof(), HOUR)
    assert checked.checker == f"dratify {dratify.__version__}"
