"""`Pysat` with real engines in real children, and its state after failures."""

from __future__ import annotations

import os
import signal

import pytest
from support.cases import default_cases
from support.needs import needs_linux
from support.puzzles import children, cnf_of, has_ended, pigeons
from support.refutations import steps_of

from pipeline.certify import certify_model
from pipeline.certify.formula import Formula
from pipeline.errors import SolverError
from pipeline.limits import Limits
from pipeline.solving.cnf import Sat, Unknown, Unsat
from pipeline.solving.solvers import Satisfiable, child
from pipeline.solving.solvers.pysat import (
    ENGINES,
    ProofLimitReached,
    Pysat,
    engine_names,
)

pytestmark = pytest.mark.usefixtures("started_engines")

LIMITS = Limits(60)
PIGEONS = Formula(30, tuple(pigeons(5).clauses()))
CONTRADICTION = ((1,), (-1,))


@pytest.fixture(scope="module")
def prover():
    with Pysat() as made:
        yield made


def answers(prover):
    return prover.prove(CONTRADICTION, LIMITS) == "0\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_proof_is_clauses_alone_and_ends_with_the_empty_one(engine, prover):
    proof = prover.prove(PIGEONS.clauses, LIMITS, engine)
    lines = proof.splitlines()
    assert lines.index("0") == len(lines) - 1 > 10
    assert not any(line.startswith("d") for line in lines)
    assert steps_of(PIGEONS, proof)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("clauses", [CONTRADICTION, ((),), ((1, 2), (-1,), (-2,))], ids=str)
def test_what_propagation_refutes_has_a_proof_too(clauses, engine, prover):
    proof = prover.prove(clauses, LIMITS, engine)
    assert steps_of(Formula(2, clauses), proof)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("clauses", [(), ((1, 2),), PIGEONS.clauses[1:]], ids=len)
def test_there_is_no_proof_where_there_is_a_model(clauses, engine, prover):
    with pytest.raises(Satisfiable, match=f"{engine} found a model") as raised:
        prover.prove(clauses, LIMITS, engine)
    assert certify_model(clauses, raised.value.model) is None
    assert answers(prover)


@pytest.mark.parametrize("engine", ENGINES)
def test_time_that_is_up_is_an_error_and_the_next_question_is_answered(engine, prover):
    for seconds in (0, 0.3):
        with pytest.raises(SolverError, match=rf"{engine}: the time limit of {seconds} s"):
            prover.prove(pigeons(12).clauses(), Limits(seconds), engine)
    assert answers(prover)


@needs_linux
def test_memory_that_is_used_up_is_an_error_and_the_next_question_is_answered(prover):
    many = ((number, -number - 1, number + 2) for number in range(1, 2_000_000))
    with pytest.raises(SolverError, match="the memory limit of 64 MB"):
        prover.prove(many, Limits(60, 64))
    assert answers(prover)


def test_a_proof_that_was_cut_off_is_no_proof_and_no_doubt(monkeypatch):
    settings = "p.PROOF_BYTES, p._CUT_OFF_MARGIN = 4096, 0"
    limit = f"import pipeline.solving.solvers.pysat as p; {settings}; from"
    monkeypatch.setattr(
        "pipeline.solving.solvers.child._SERVE", child._SERVE.replace("from", limit, 1)
    )
    with Pysat() as prover:
        with pytest.raises(ProofLimitReached, match="its proof is longer than"):
            prover.prove(pigeons(6).clauses(), LIMITS)
        assert answers(prover)


@needs_linux
def test_a_child_that_is_killed_is_an_error_and_the_next_question_is_answered():
    before = children()
    with Pysat() as prover:
        assert answers(prover)
        (pid,) = children() - before
        assert answers(prover)
        assert children() - before == {pid}, "it is kept"
        prover.send("open", "glucose4", 64, True)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(SolverError, match="died"):
            prover.receive(60)
        assert answers(prover)
        (other,) = children() - before
        assert other != pid
    assert has_ended(other)
    assert children() == before


@pytest.mark.parametrize(
    "engine", default_cases(engine_names(), "cadical195", "glucose4", "lingeling", "minisat22")
)
def test_each_engine_that_is_named_answers_and_takes_more_clauses(engine):
    with Pysat(engine, waits=True) as solver, solver.open(cnf_of((1, 2), (-1,)), LIMITS) as session:
        answer = session.solve()
        assert isinstance(answer, Sat)
        assert {-1, 2} <= answer.model
        session.add((-2,))
        assert isinstance(session.solve(), Unsat)


@pytest.mark.trial
@needs_linux
def test_limits_that_are_reached_while_a_session_waits_for_its_clauses_are_its_answer():
    many = cnf_of(*((number, -number - 1, number + 2) for number in range(1, 1_000_000)))
    with Pysat(waits=True) as solver:
        for limits in (Limits(60, 64), Limits(0)):
            with solver.open(many, limits) as session:
                answer = session.solve()
            assert answer == Unknown(
                limits.timeout_message if not limits.seconds else limits.memory_message
            )
        with solver.open(cnf_of((1,)), LIMITS) as session:
            assert session.solve() == Sat(frozenset({1}))
