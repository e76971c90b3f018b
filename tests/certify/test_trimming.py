"""What the trimmer leaves of a proof is a proof; and whatever it says, no wrong one is accepted."""

from __future__ import annotations

import itertools
from contextlib import suppress
from ctypes import c_int64, memset
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.linking import Asked
from support.needs import needs_numba
from support.oracle import solutions
from support.solving import pigeons
from support.strategies import examples
from support.to_prove import HARD, TO_PROVE

from pipeline.certify import proof as proofs
from pipeline.certify.formula import Core, Formula, core_of, proof_formula
from pipeline.certify.proof import (
    REFUTED,
    ProofRejected,
    ProofTimeout,
    check_core,
    check_refutation,
    check_trimmed,
)
from pipeline.certify.trimming import LONG, Part, Trimmed, asking
from pipeline.certify.trimming.asking import Steps, trim, try_trim
from pipeline.certify.trimming.state import FAILED, PICKED
from pipeline.limits import Limits
from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.solving.solvers.pysat import ENGINES, Prover, Satisfiable

HOUR = 3600.0
PIGEONS = Formula(20, tuple(pigeons(4).clauses()))
EIGHT = tuple(itertools.product((1, -1), (2, -2), (3, -3)))
"""All clauses of three variables: no two lemmas refute them."""

LITERALS = st.integers(-9, 9).filter(bool)


@pytest.fixture(scope="module")
def prover():
    with Prover() as made:
        yield made


@pytest.fixture(autouse=True)
def asked(request, monkeypatch):
    """What is asked for in place of machine code: there is none, unless a test has some."""
    asked = Asked()
    monkeypatch.setattr(proofs, "loaded", asked)
    monkeypatch.setattr(proofs, "_native", lambda: None)
    return asked


@pytest.fixture
def trimming_now(asked, trimmer):
    """Have each proof trimmed."""
    asked.step = trimmer


def in_dimacs(clauses):
    return "".join(" ".join(map(str, (*clause, "0\n"))) for clause in clauses)


def added(proof):
    return [tuple(map(int, line.split()[:-1])) for line in proof.splitlines()]


def proof_of(prover, formula, engine=ENGINES[0]):
    core = core_of(formula)
    return REFUTED if core.is_refuted else prover.prove(core.remaining, Limits(), engine)


def trimmed(step, core, proof, **options):
    steps = Steps()
    for clause in added(proof):
        steps.add(clause)
    return trim(step, core, steps, lambda: None, **options)


def whole(formula):
    """A core that is the formula, of which nothing is propagated."""
    return Core(formula, formula.clauses, formula.clauses)


def is_satisfiable(clauses, variables):
    return any(
        all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        for values in itertools.product((False, True), repeat=variables)
    )


def killer():
    """A puzzle of 4×4 whose cages leave several solutions."""
    cages = ((0, 1), 5), ((2, 6, 7), 8), ((4, 8), 6)
    rules = tuple(Cage(cells, total) for cells, total in cages)
    return Puzzle(Geometry(2, 2), (15,) * 16, rules)


@needs_numba
@pytest.mark.usefixtures("trimming_now")
@pytest.mark.parametrize("made", [*TO_PROVE.values(), killer], ids=[*TO_PROVE, "killer"])
def test_what_is_left_of_a_proof_is_a_proof(made, prover):
    puzzle = made()
    formula = proof_formula(puzzle, solutions(puzzle, 1000))
    core = core_of(formula)
    for engine in ENGINES:
        proof = proof_of(prover, formula, engine)
        checked, shorter = check_trimmed(core, proof, HOUR)
        lines = iter(proof.splitlines())
        assert all(line in lines for line in shorter.splitlines()), "steps in their order"
        assert checked.steps == shorter.count("\n") <= proof.count("\n")
        assert (
            check_core(core, shorter, HOUR) == checked == check_refutation(formula, shorter, HOUR)
        )


@needs_numba
def test_what_is_checked_are_parts_of_few_clauses(trimmer, prover):
    formula = proof_formula(HARD, solutions(HARD, 1))
    core, proof = core_of(formula), proof_of(prover, formula)
    for most in (1, 3, 1000):
        for keep in (False, True):
            found = trimmed(trimmer, core, proof, keep=keep, most=most)
            steps = [part.steps for part in found.parts]
            assert sum(steps) == len(found.kept) == (proof.count("\n") if keep else sum(steps))
            assert keep or max(steps) <= most + 1
            assert (len(steps) == 1) == (most == 1000)
            clauses = core.clauses + tuple(added(proof)[place] for place in found.kept)
            start = len(core.clauses)
            for part in found.parts:
                assert len(part.clauses) < start, "not all are needed"
                assert max(part.clauses) < start
                few = tuple(clauses[number] for number in part.clauses)
                mine = clauses[start : start + part.steps]
                for place, step in enumerate(mine):
                    negated = tuple((-x,) for x in step)
                    shown = Formula(formula.variables, (*few, *mine[:place], *negated))
                    assert core_of(shown).is_refuted
                start += part.steps


@needs_numba
@pytest.mark.usefixtures("trimming_now")
@given(st.lists(st.lists(LITERALS, min_size=1, max_size=3, unique_by=abs), max_size=60))
@examples(60)
def test_proofs_of_formulas_at_random_are_trimmed(prover, clauses):
    formula = Formula(9, tuple(map(tuple, clauses)))
    core = core_of(formula)
    try:
        proof = proof_of(prover, formula)
    except Satisfiable:
        return
    checked, shorter = check_trimmed(core, proof, HOUR)
    assert check_core(core, shorter, HOUR).steps == checked.steps <= proof.count("\n")


@needs_numba
@pytest.mark.usefixtures("trimming_now")
@given(
    st.lists(st.lists(LITERALS, max_size=3), max_size=40),
    st.lists(st.lists(LITERALS, min_size=1, max_size=3), max_size=8),
)
@examples(100)
def test_clauses_that_repeat_literals_are_trimmed_or_left(clauses, steps):
    """And those that hold a literal and its negation, or nothing."""
    core = whole(Formula(9, tuple(map(tuple, clauses))))
    with suppress(ProofRejected):
        check_trimmed(core, in_dimacs((*steps, ())), HOUR)
        assert not is_satisfiable(clauses, 9)


@needs_numba
@pytest.mark.usefixtures("trimming_now")
@given(
    st.lists(st.lists(LITERALS, min_size=1, max_size=3, unique_by=abs), max_size=60),
    st.lists(st.lists(LITERALS, min_size=1, max_size=2, unique_by=abs), max_size=6),
)
@examples(100)
def test_a_published_proof_is_accepted_if_and_only_if_each_step_follows(clauses, steps):
    formula = Formula(9, tuple(map(tuple, clauses)))
    proof = in_dimacs((*steps, ()))
    told = []
    for check in (partial(check_core, core_of(formula)), partial(check_refutation, formula)):
        try:
            told.append(check(proof, HOUR))
        except ProofRejected as error:
            told.append(str(error))
    assert told[0] == told[1]


@needs_numba
@pytest.mark.usefixtures("trimming_now")
def test_a_step_that_does_not_follow_is_found_even_if_it_is_not_needed():
    formula = Formula(4, EIGHT)
    proof = "1 2 0\n1 0\n2 0\n0\n"
    assert check_refutation(formula, proof, HOUR).steps == 4
    with pytest.raises(ProofRejected, match="line 1: 4 0 does not follow"):
        check_refutation(formula, f"4 0\n{proof}", HOUR)
    _, shorter = check_trimmed(whole(formula), f"4 0\n{proof}", HOUR)
    assert shorter == "1 2 0\n1 0\n2 0\n0\n"


@needs_numba
@pytest.mark.usefixtures("trimming_now")
def test_deletions_stay_in_a_published_proof_and_not_in_a_trimmed_one():
    formula = Formula(3, EIGHT)
    proof = "1 2 0\nd 1 2 0\n1 0\nd 1 2 3 0\n2 0\n0\n"
    assert check_refutation(formula, proof, HOUR).steps == 4
    assert check_trimmed(whole(formula), proof, HOUR)[1] == "1 2 0\n1 0\n2 0\n0\n"


@needs_numba
@pytest.mark.usefixtures("trimming_now")
def test_a_proof_ends_where_it_has_refuted():
    formula = Formula(4, ((1, 2), (1, -2), (-1, 2), (-1, -2)))
    proof = "1 0\n2 0\n-2 0\n3 4 0\n0\n"
    assert check_trimmed(whole(formula), proof, HOUR)[1] == "1 0\n0\n"
    assert check_refutation(formula, proof, HOUR).steps == 5


@needs_numba
@pytest.mark.parametrize(
    ("clauses", "proof"),
    [
        ((), REFUTED),
        (((),), REFUTED),
        (((1,), (-1,)), REFUTED),
        (((1, 2),), "1 0\n0\n"),
        (((1,), (-1, 2), (-2,)), "3 0\n0\n"),
        (((1, 1), (-1, -1)), "1 0\n0\n"),
        (((1, -1),), REFUTED),
        (EIGHT, "1 2 0\n1 0\n"),
        (EIGHT, ""),
    ],
)
@pytest.mark.parametrize("keep", [False, True])
def test_the_trimmer_stands_formulas_that_are_hardly_any(trimmer, clauses, proof, keep):
    core = whole(Formula(3, clauses))
    found = trimmed(trimmer, core, proof, keep=keep)
    if found:
        assert sum(part.steps for part in found.parts) == len(found.kept)
        assert not is_satisfiable(clauses, 3)
    accepted = None
    with suppress(ProofRejected):
        accepted = check_core(core, proof, HOUR)
    assert accepted or not found


def test_literals_beyond_the_variables_never_reach_the_machine_code():
    core = whole(Formula(3, EIGHT))
    for clause in ((4,), (-4,), (0,), (-(2**31),)):
        steps = Steps()
        steps.add(clause)
        with pytest.raises(ValueError, match="literals of 3 variables"):
            trim(None, core, steps, None)


def test_a_formula_of_very_many_variables_is_not_trimmed():
    steps = Steps()
    steps.add(())
    assert trim(None, whole(Formula(2_000_000_000, ((1,),))), steps, None) is None


@needs_numba
def test_the_trimmer_looks_at_the_clock(trimmer, monkeypatch):
    monkeypatch.setattr(asking, "VISITS", 1)
    looks = itertools.count()
    steps = Steps()
    for clause in ((1, 2), (1,), (2,), ()):
        steps.add(clause)
    found = trim(trimmer, whole(Formula(3, EIGHT)), steps, lambda: next(looks))
    assert found.kept == (0, 1, 2, 3)
    assert next(looks) > 10

    def late():
        raise ProofTimeout

    with pytest.raises(ProofTimeout):
        trim(trimmer, whole(Formula(3, EIGHT)), steps, late)


@needs_numba
def test_what_would_take_much_memory_is_given_up(trimmer, monkeypatch):
    monkeypatch.setattr(asking, "MOST_PICKED", 3)
    proof = "1 2 0\n1 0\n2 0\n0\n"
    assert trimmed(trimmer, whole(Formula(3, EIGHT)), proof, most=1) is None


LIES = [
    Trimmed((), ()),
    Trimmed((3,), (Part(1, ()),)),
    Trimmed((3,), (Part(1, tuple(range(8))),)),
    Trimmed((3,), (Part(1, (8, 9, 10)),)),
    Trimmed((3,), (Part(1, (-1,)),)),
    Trimmed((1, 3), (Part(2, (0, 1, 8)),)),
    Trimmed((0, 1, 2, 3), (Part(4, (0,)),)),
    Trimmed((0, 1, 2, 3), (Part(0, (0,)), Part(0, ()))),
    Trimmed((0, 1, 2), (Part(3, tuple(range(8))),)),
    Trimmed((3, 2, 1, 0), (Part(4, tuple(range(8))),)),
    Trimmed((0, 1, 2, 3), (Part(99, (2**40,)),)),
]


@pytest.mark.parametrize("lie", LIES)
def test_whatever_the_trimmer_says_the_whole_is_checked_then(lie, asked, monkeypatch):
    asked.step = True
    monkeypatch.setattr(asking, "trim", lambda *_, **__: lie)
    proof = "1 2 0\n1 0\n2 0\n0\n"
    core, wrong = whole(Formula(3, EIGHT)), whole(Formula(3, EIGHT[1:]))
    checked, text = check_trimmed(core, proof, HOUR)
    assert (checked.steps, text) == (4, proof)
    assert check_refutation(core.formula, proof, HOUR).steps == 4
    for text in (proof, REFUTED, "1 2 0\n0\n", "1 2 0\n1 0\n2 0\n"):
        with pytest.raises(ProofRejected):
            check_trimmed(wrong, text, HOUR)
        with pytest.raises(ProofRejected):
            check_refutation(wrong.formula, text, HOUR)


@pytest.mark.parametrize(("length", "at_once"), [(LONG, True), (LONG - 10, False)])
def test_the_trimmer_is_worth_loading_at_once_for_a_long_proof(asked, length, at_once):
    proof = "d 1 2 0\n" * ((length - 2) // 8 + at_once) + REFUTED
    core = whole(Formula(2, ((1, 2), (1, -2), (-1, 2), (-1, -2))))
    with pytest.raises(ProofRejected):
        check_trimmed(core, proof, HOUR)
    assert asked.at_once == [at_once]


def test_without_machine_code_the_whole_is_checked_and_its_seconds_count(asked):
    core = whole(Formula(3, EIGHT))
    proof = "1 2 0\n1 0\n2 0\n0\n"
    assert check_trimmed(core, proof, HOUR)[1] == proof
    assert (asked.at_once, asked.counted) == ([False], 1)


@pytest.mark.parametrize("refuted", [((1,), (-1,)), ((),)])
def test_what_propagation_refutes_is_not_trimmed(asked, refuted):
    core = core_of(Formula(1, refuted))
    assert check_trimmed(core, REFUTED, HOUR)[1] == REFUTED
    assert asked.at_once == []


@needs_numba
@pytest.mark.parametrize("lie", ["all is needed", "nothing is needed", "nothing is picked", FAILED])
def test_code_that_does_not_trim_fails_its_trial(trimmer, lie):
    try_trim(trimmer)

    def step(*arguments):
        said = trimmer(*arguments)
        marked, numbers, clauses = arguments[3], arguments[15], arguments[17]
        if lie == "nothing is picked":
            (c_int64 * 6).from_address(numbers)[PICKED] = 0
        elif lie != FAILED:
            memset(marked, lie == "all is needed", clauses)
        return FAILED if lie == FAILED else said

    with pytest.raises(RuntimeError, match="does not trim"):
        try_trim(step)
