"""The trimmer writes hints that hold; whatever it writes, no wrong proof is accepted."""

from __future__ import annotations

import itertools
import random
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import default_cases, for_each
from support.lrat_check import verify
from support.machine_code import Asked
from support.needs import needs_numba
from support.oracle import solutions
from support.refutations import in_drat, is_satisfiable, proof_of, slowly_refuted
from support.strategies import examples
from support.to_prove import HARD, TO_PROVE

from pipeline.certify import proof as proofs
from pipeline.certify.formula import Core, Formula, core_of, proof_formula
from pipeline.certify.lrat import ProofRejected, check_lrat, drat_of
from pipeline.certify.proof import (
    LONG_PROOF_CHARACTERS,
    TRIVIAL_PROOF,
    NotTrimmed,
    lrat_of,
    trim_to_lrat,
    try_trim,
)
from pipeline.certify.trimming import OUTPUT_LENGTH, REJECTED, TRIMMED
from pipeline.errors import LimitReached
from pipeline.limits import Deadline
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.solving.solvers import Satisfiable
from pipeline.solving.solvers.pysat import ENGINES, Pysat

EIGHT = Formula(4, tuple(itertools.product((1, -1), (2, -2), (3, -3))))
"""All clauses of three variables: no two lemmas refute them."""

LITERALS = st.integers(-9, 9).filter(bool)
CLAUSES = st.lists(st.lists(LITERALS, min_size=1, max_size=3, unique_by=abs), max_size=60)


@pytest.fixture(scope="module")
def prover():
    with Pysat() as made:
        yield made


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """What is asked for in place of machine code: there is none, unless a test has some."""
    asked = Asked()
    monkeypatch.setattr(proofs, "loader", asked)
    return asked


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)])
def step(request):
    """The trimmer in either form; None is plain Python."""
    return request.getfixturevalue("trimmer") if request.param == "compiled" else None


def added(proof):
    return [tuple(map(int, line.split()[:-1])) for line in proof.splitlines()]


def whole(formula):
    """A core that is the formula, of which nothing is propagated."""
    return Core(formula, tuple(range(len(formula.clauses))), formula.clauses)


SLOW_TO_PROVE = ("4x4-classic-0", "4x4-classic-1", "4x4-even-odd-2", "hard")


def killer():
    """A puzzle of 4×4 whose cages leave several solutions."""
    cages = ((0, 1), 5), ((2, 6, 7), 8), ((4, 8), 6)
    rules = tuple(Cage(cells, total) for cells, total in cages)
    return Puzzle(Geometry(2, 2), (15,) * 16, rules)


@needs_numba
@pytest.mark.parametrize(
    "made",
    default_cases(
        [*TO_PROVE.values(), killer],
        killer,
        *(made for name, made in TO_PROVE.items() if name not in SLOW_TO_PROVE),
    ),
    ids=[*TO_PROVE, "killer"],
)
def test_both_forms_write_the_same_hints_and_these_hold(made, prover, trimmer):
    puzzle = made()
    formula = proof_formula(puzzle, solutions(puzzle, 1000))
    core = core_of(formula)
    for engine in ENGINES if puzzle.geometry.side < 16 else ENGINES[:1]:
        lemmas = added(proof_of(prover, formula, engine))
        text = trim_to_lrat(None, core, lemmas)
        assert text == trim_to_lrat(trimmer, core, lemmas)
        assert check_lrat(formula, text) == text.count("\n")
        verify("".join(formula.text()), text)


@pytest.mark.parametrize("core_from", [core_of, whole])
def test_steps_of_the_proof_are_kept_in_their_order_and_others_are_units(prover, step, core_from):
    formula = proof_formula(HARD, solutions(HARD, 1))
    lemmas = added(proof_of(prover, formula))
    steps = added(drat_of(trim_to_lrat(step, core_from(formula), lemmas)))
    rest = iter(lemmas)
    assert all(each in rest for each in steps if len(each) != 1)
    assert sum(len(each) != 1 for each in steps) < len(lemmas)


@given(CLAUSES)
@examples(100)
def test_proofs_of_formulas_at_random_get_hints(prover, clauses):
    formula = Formula(9, tuple(map(tuple, clauses)))
    try:
        proof = proof_of(prover, formula)
    except Satisfiable:
        return
    text, steps = lrat_of(core_of(formula), proof)
    assert check_lrat(formula, text) == steps
    verify("".join(formula.text()), text)
    assert slowly_refuted(formula, drat_of(text))


@needs_numba
@given(CLAUSES, st.lists(st.lists(LITERALS, max_size=2, unique_by=abs), max_size=6))
@examples(150)
def test_both_forms_agree_about_steps_that_may_not_follow(trimmer, clauses, steps):
    formula = Formula(9, tuple(map(tuple, clauses)))
    told = []
    for form in (None, trimmer):
        try:
            told.append(trim_to_lrat(form, whole(formula), [*map(tuple, steps), ()]))
            assert check_lrat(formula, told[-1])
        except NotTrimmed as error:
            told.append(error.lemma)
    assert told[0] == told[1]


@given(
    st.lists(st.lists(LITERALS, max_size=3), max_size=40),
    st.lists(st.lists(LITERALS, min_size=1, max_size=3), max_size=8),
)
@examples(100)
def test_clauses_that_repeat_literals_do_no_harm(clauses, steps):
    """And those that hold a literal and its negation, or nothing."""
    core = whole(Formula(9, tuple(map(tuple, clauses))))
    with suppress(ProofRejected):
        lrat_of(core, in_drat((*steps, ())))
        assert not is_satisfiable(clauses, 9)


def test_a_step_that_is_not_needed_need_not_follow(step):
    lemmas = [(4,), (1, 2), (1,), (2,), ()]
    text = trim_to_lrat(step, whole(EIGHT), lemmas)
    assert drat_of(text) == "1 2 0\n1 0\n2 0\n-3 0\n0\n"
    with pytest.raises(NotTrimmed) as raised:
        trim_to_lrat(step, whole(EIGHT), [(1, 4), *lemmas[2:]])
    assert raised.value.lemma == 1


def test_a_proof_ends_where_it_has_refuted(step):
    formula = Formula(4, ((1, 2), (1, -2), (-1, 2), (-1, -2)))
    text = trim_to_lrat(step, whole(formula), [(1,), (2,), (-2,), (3, 4), ()])
    assert drat_of(text) == "1 0\n-2 0\n0\n"
    assert check_lrat(formula, text) == 3


@for_each(
    ("clauses", "lemmas"),
    [
        ((), [()]),
        (((),), [()]),
        (((1,), (-1,)), [()]),
        (((1,), (1, 2)), [(2, 1), ()]),
        (((1, 2),), [(1,), ()]),
        (((1,), (-1, 2), (-2,)), [(3,), ()]),
        (((1, 1), (-1, -1)), [(1,), ()]),
        (((1, -1),), [()]),
        (EIGHT.clauses, [(1, 2), (1,)]),
        (EIGHT.clauses, [(1, -1), ()]),
        (EIGHT.clauses, []),
    ],
)
def test_formulas_that_are_hardly_any_do_no_harm(step, clauses, lemmas):
    with suppress(NotTrimmed, ProofRejected):
        check_lrat(Formula(3, clauses), trim_to_lrat(step, whole(Formula(3, clauses)), lemmas))
        assert not is_satisfiable(clauses, 3)


def test_literals_beyond_the_variables_never_reach_the_machine_code():
    for clause in ((5,), (-5,), (0,), (-(2**31),)):
        with pytest.raises((ValueError, OverflowError)):
            trim_to_lrat(lambda *_: pytest.fail("called"), whole(EIGHT), [clause])


def test_numbers_that_are_high_take_no_memory(step):
    high = 2_000_000_000
    formula = Formula(high, ((high,), (-high, high - 1), (1 - high,)))
    text = trim_to_lrat(step, whole(formula), [()])
    assert check_lrat(formula, text) == 1


def test_the_trimmer_looks_at_the_clock(step, monkeypatch):
    monkeypatch.setattr(proofs, "COMPILED_VISITS", 1)
    monkeypatch.setattr(proofs, "PLAIN_VISITS", 1)
    lemmas = [(1, 2), (1,), (2,), ()]
    assert trim_to_lrat(step, whole(EIGHT), lemmas).count("\n") == 5
    with pytest.raises(LimitReached, match="over"):
        trim_to_lrat(step, whole(EIGHT), lemmas, Deadline(time.monotonic() - 1, "over"))


@for_each("seed", range(40))
def test_whatever_machine_code_writes_plain_python_does_it_then(seed, asked):
    chance = random.Random(seed)

    def lying(state, *_):
        clauses = len(state.is_marked)
        count = chance.randrange(clauses + 3)
        for at in range(count):
            state.output[at] = chance.choice((clauses, chance.randrange(-9, clauses + 2)))
        state.numbers[OUTPUT_LENGTH] = count
        return chance.choice((TRIMMED, TRIMMED, REJECTED))

    asked.step = lying
    proof = "1 2 0\n1 0\n2 0\n0\n"
    assert lrat_of(whole(EIGHT), proof)[1] == 5
    wrong = Formula(3, EIGHT.clauses[1:])
    for text in (proof, TRIVIAL_PROOF, "1 2 0\n0\n", "1 2 0\n1 0\n2 0\n"):
        with pytest.raises(ProofRejected):
            lrat_of(whole(wrong), text)


@pytest.mark.parametrize(
    ("length", "at_once"), [(LONG_PROOF_CHARACTERS, True), (LONG_PROOF_CHARACTERS - 10, False)]
)
def test_machine_code_is_worth_loading_at_once_for_a_long_proof(asked, length, at_once):
    proof = "d 1 2 0\n" * ((length - 2) // 8 + at_once) + TRIVIAL_PROOF
    with pytest.raises(ProofRejected):
        lrat_of(whole(EIGHT), proof)
    assert asked.at_once == [at_once]


def test_without_machine_code_the_seconds_of_plain_python_count(asked):
    assert lrat_of(whole(EIGHT), "1 2 0\n1 0\n2 0\n0\n")[1] == 5
    assert (asked.at_once, asked.counted) == ([False], 1)


@needs_numba
@pytest.mark.parametrize("lie", ["nothing is written", REJECTED])
def test_code_that_does_not_trim_fails_its_trial(trimmer, lie):
    try_trim(trimmer)

    def step(state, *rest):
        said = trimmer(state, *rest)
        if lie != REJECTED:
            state.numbers[OUTPUT_LENGTH] = 0
        return REJECTED if lie == REJECTED else said

    with pytest.raises((RuntimeError, NotTrimmed)):
        try_trim(step)
