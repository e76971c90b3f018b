"""An LRAT proof is accepted only if every step follows from its hints in order."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.lrat_check import Wrong, verify
from support.oracle import solutions
from support.puzzles import pigeons
from support.refutations import is_satisfiable, slowly_refuted
from support.strategies import examples
from support.to_prove import HARD

from pipeline.certify.formula import Formula, core_of, proof_formula
from pipeline.certify.lrat import ProofRejected, check_lrat, drat_of
from pipeline.certify.proof import lrat_of
from pipeline.errors import LimitReached
from pipeline.limits import Deadline, Limits
from pipeline.solving.solvers.pysat import Pysat

FOUR = Formula(3, ((1, 2), (1, -2), (-1, 3), (-1, -3)))
TRUE = "5 1 0 1 2 0\n6 0 5 3 4 0\n"
MUTATIONS = 3000


@pytest.fixture(scope="module")
def proved():
    """Pairs of a formula and its refutation in LRAT."""
    puzzle = proof_formula(HARD, solutions(HARD, 1))
    small = Formula(6, tuple(pigeons(2).clauses()))
    made = []
    with Pysat() as prover:
        limits = Limits()
        for formula in (small, Formula(12, tuple(pigeons(3).clauses())), puzzle):
            core = core_of(formula)
            made.append((formula, lrat_of(core, prover.prove(core.remaining, limits))[0]))
    return made


def rejection(formula, proof):
    with pytest.raises(ProofRejected) as raised:
        check_lrat(formula, proof)
    return str(raised.value)


def test_a_proof_holds_as_another_checker_finds_too(proved):
    for formula, proof in [*proved, (FOUR, TRUE)]:
        assert check_lrat(formula, proof) == proof.count("\n")
        verify("".join(formula.text()), proof)


@for_each(
    ("proof", "fault"),
    [
        ("", "the proof ends without the empty clause"),
        ("5 1 0 1 2 0\n", "the proof ends without the empty clause"),
        (TRUE[:-1], "the last line does not end with a newline: '6 0 5 3 4 0'"),
        ("garbage\n", "line 1: expected a step of a proof, found 'garbage'"),
        ("5 1 0 1 2\n", "line 1: expected a step"),
        ("5 1 0\n", "line 1: expected a step"),
        ("5 1 0 1 2 0 0\n", "line 1: expected a step"),
        ("5 1 0 1 +2 0\n", "line 1: expected a step"),
        ("5  1 0 1 2 0\n", "line 1: expected a step"),
        ("5 1 0 1 2 0\r\n", "line 1: expected a step"),
        ("5 1 0 1 2_0 0\n", "line 1: expected a step"),
        ("5 ١ 0 1 2 0\n", "line 1: expected a step"),
        ("05 1 0 1 2 0\n", "line 1: expected a step"),
        ("5 1 0 1 -2 0\n", "line 1: expected a step"),
        ("-5 1 0 1 2 0\n", "line 1: expected a step"),
        ("5 1 0 -1 2 0\n", "line 1: expected a step"),
        (f"5 1 0 1 {'9' * 5000} 0\n", "line 1: expected a step"),
        (f"{'9' * 13} 1 0 1 2 0\n", "line 1: expected a step"),
        ("5 1 0 999999999999 2 0\n", "line 1: there is no clause 999999999999"),
        ("5 1 0 1 5 0\n", "line 1: there is no clause 5"),
        ("5 1 0 1 6 0\n6 0 5 3 4 0\n", "line 1: there is no clause 6"),
        ("4 1 0 1 2 0\n", "line 1: clause number 4 is not above 4, the last one"),
        ("1 1 0 1 2 0\n", "line 1: clause number 1 is not above 4, the last one"),
        ("7 1 0 1 2 0\n6 0 7 3 4 0\n", "line 2: clause number 6 is not above 7, the last one"),
        ("5 1 0 1 2 0\n5 0 5 3 4 0\n", "line 2: clause number 5 is not above 5, the last one"),
        ("5 1 0 2 0\n", "line 1: the clause does not follow from its hints"),
        ("5 1 0 0\n", "line 1: the clause does not follow from its hints"),
        ("5 0 1 2 3 4 0\n", "line 1: hint 1 has 2 literals left, where 1 is expected"),
        ("5 1 0 3 1 2 0\n", "line 1: hint 3 has 2 literals left, where 1 is expected"),
        ("5 1 0 1 2 3 0\n", "line 1: hint 2 has 0 literals left, where 1 is expected"),
        ("5 1 0 1 1 2 0\n", "line 1: hint 1 is satisfied already"),
        ("5 1 4 0 1 2 0\n", "line 1: variable 4, but there are only 3"),
        ("5 1 9999999999 0 1 2 0\n", "line 1: variable 9999999999, but there are only 3"),
        ("5 1 1 0 1 2 0\n", "line 1: a variable is named twice"),
        ("5 1 -1 0 1 2 0\n", "line 1: "),
        ("5 d 9 0\n", "line 1: there is no clause 9"),
        ("5 d 1 1 0\n", "line 1: there is no clause 1"),
        ("5 d 1 0\n5 1 0 1 2 0\n", "line 2: there is no clause 1"),
        ("5 1 0 1 2 0\n5 d 5 0\n6 0 5 3 4 0\n", "line 3: there is no clause 5"),
        ("5 d -1 0\n", "line 1: expected a step"),
        (TRUE + "7 d 1 0\n", "line 3: expected nothing after the empty clause, found '7 d 1 0'"),
        (TRUE + "7 1 0 1 2 0\n", "line 3: expected nothing after the empty clause"),
    ],
)
def test_what_is_no_proof_is_rejected_with_its_line(proof, fault):
    assert rejection(FOUR, proof).startswith(fault)


def test_what_is_deleted_is_only_gone_from_then_on():
    assert check_lrat(FOUR, "5 1 0 1 2 0\n5 d 1 2 0\n5 d 0\n6 0 5 3 4 0\n") == 2


def test_a_step_that_only_rat_allows_is_rejected():
    satisfiable = Formula(3, ((1, 2),))
    for step in ("2 3 0 0\n", "2 3 0 -1 0\n", "2 3 0 1 0\n"):
        rejection(satisfiable, step)


def test_numbers_may_leave_gaps():
    assert check_lrat(FOUR, "500 1 0 1 2 0\n999999999999 0 500 3 4 0\n") == 2


def test_a_proof_of_another_formula_is_rejected(proved):
    for formula, proof in proved:
        for left_out in (0, len(formula.clauses) - 1):
            clauses = [*formula.clauses]
            del clauses[left_out]
            rejection(Formula(formula.variables, tuple(clauses)), proof)


def test_a_proof_that_is_cut_short_is_rejected_wherever_it_is_cut(proved):
    for formula, proof in proved:
        chance = random.Random(1)
        for end in {*range(20), *chance.sample(range(len(proof)), min(100, len(proof)))}:
            rejection(formula, proof[:end])


def test_a_proof_beyond_all_bounds_is_not_even_read():
    with pytest.raises(ProofRejected, match="longer than 10 characters"):
        check_lrat(FOUR, TRUE, max_characters=10)


def test_when_time_is_up_the_check_ends():
    with pytest.raises(LimitReached, match="over"):
        check_lrat(FOUR, TRUE, Deadline(time.monotonic() - 1, "over"))
    with pytest.raises(LimitReached):
        check_lrat(FOUR, "5 d 0\n" * 500_000, Deadline(time.monotonic() + 0.01))


def test_the_same_in_drat_is_its_clauses():
    assert drat_of(TRUE) == "1 0\n0\n"
    assert drat_of("5 d 1 2 0\n6 -1 20 0 1 0\n6 d 0\n7 0 0\n") == "-1 20 0\n0\n"


def mutated(proof, chance):
    """A proof with one or two changes of a number or a line."""
    lines = [line.split() for line in proof.splitlines()]
    for _ in range(chance.choice((1, 1, 1, 2))):
        line = chance.choice(lines)
        at, above = chance.randrange(len(line)), chance.randrange(len(lines))
        other, further = chance.choice(chance.choice(lines)), chance.choice((-1, 1, 2**31, 2**64))
        deletion = ["1", "d", str(chance.randrange(1, proof.count("\n") + 20)), "0"]
        new = int(line[at]) + further if line[at] != "d" else 0
        changes = {
            "line": [[*line[:at], other, *line[at + 1 :]]],
            "sign": [[*line[:at], str(further - new), *line[at + 1 :]]],
            "number": [[*line[:at], str(new), *line[at + 1 :]]],
            "shorter": [[*line[:at], *line[at + 1 :]]],
            "longer": [[*line[:at], other, *line[at:]]],
            "gone": [],
            "twice": [line, line],
        }
        place = lines.index(line)
        lines[place : place + 1] = chance.choice([*changes.values()])
        if chance.random() < 0.2:
            lines.insert(above, deletion)
        if not (lines and all(lines)):
            return ""
    return "".join(f"{' '.join(line)}\n" for line in lines)


@pytest.mark.parametrize("which", [0, 1])
def test_what_is_left_of_a_proof_once_it_is_changed_is_accepted_only_if_it_holds(proved, which):
    formula, proof = proved[which]
    chance, accepted = random.Random(which), 0
    for _ in range(MUTATIONS):
        text = mutated(proof, chance)
        try:
            check_lrat(formula, text)
        except ProofRejected:
            continue
        accepted += 1
        assert slowly_refuted(formula, drat_of(text))
        verify("".join(formula.text()), text)
    assert 0 < accepted < MUTATIONS / 2


NUMBERS = st.one_of(st.integers(1, 12), st.sampled_from((0, -1, 2**31, 2**63, 10**12)))
LITERALS = st.integers(-4, 4).filter(bool)
STEPS = st.tuples(st.integers(-1, 3), st.lists(LITERALS, max_size=2), st.lists(NUMBERS, max_size=5))
CLAUSES = st.lists(
    st.lists(LITERALS, min_size=1, max_size=2, unique_by=abs), min_size=4, max_size=12
)


@given(CLAUSES, st.lists(STEPS, max_size=5))
@examples(150)
def test_only_what_is_unsatisfiable_is_ever_accepted(clauses, steps):
    formula, text, number = Formula(4, tuple(map(tuple, clauses))), "", len(clauses)
    for further, literals, hints in steps:
        number += further
        text += f"{' '.join(map(str, (number, *literals, 0, *hints, 0)))}\n"
    try:
        check_lrat(formula, text)
    except ProofRejected:
        return
    assert not is_satisfiable(clauses, 4)


@given(st.text(alphabet="0123456789 d-\n", max_size=60))
@examples(150)
def test_no_text_at_all_refutes_what_is_satisfiable(text):
    rejection(Formula(3, ((1, 2), (-1, 3))), text)


def test_the_checker_of_the_tests_rejects_what_is_wrong():
    for proof in ("", "5 1 0 1 3 0\n", "5 0 1 2 0\n", "5 1 0 1 9 0\n"):
        with pytest.raises((Wrong, KeyError)):
            verify("".join(FOUR.text()), proof)
