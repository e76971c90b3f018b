"""Refutations checked for tests: through the package, and slowly, by other code."""

from __future__ import annotations

import itertools

from pipeline.certify.formula import core_of
from pipeline.certify.lrat import check_lrat
from pipeline.certify.proof import TRIVIAL_PROOF, lrat_of
from pipeline.limits import Limits
from pipeline.solving.solvers.pysat import ENGINES


def steps_of(formula, drat):
    """The number of steps used of a proof in DRAT; raises ProofRejected if it proves nothing."""
    return lrat_of(core_of(formula), drat)[1]


def stands(proof):
    """The number of steps of a result's proof; raises ProofRejected if it proves nothing."""
    assert steps_of(proof.formula(), proof.drat)
    return check_lrat(proof.formula(), proof.lrat)


def proof_of(prover, formula, engine=ENGINES[0]):
    """What an engine writes of a formula, in DRAT."""
    core = core_of(formula)
    return TRIVIAL_PROOF if core.is_refuted else prover.prove(core.remaining, Limits(), engine)


def in_drat(clauses):
    return "".join(" ".join(map(str, (*clause, "0\n"))) for clause in clauses)


def follows(clauses, clause):
    """Whether propagation, as simple as can be, refutes the clause's negation."""
    false = {*clause}
    while True:
        left = [[x for x in each if x not in false] for each in clauses]
        if [] in left:
            return True
        units = {each[0] for each in left if len({*each}) == 1}
        if any(-x in units for x in units):
            return True
        if not units - {-x for x in false}:
            return False
        false |= {-x for x in units}


def slowly_refuted(formula, drat):
    """Whether each step of a proof in DRAT follows, and the last one is empty."""
    known, clause = [*formula.clauses], None
    for line in drat.splitlines():
        clause = tuple(map(int, line.split()[:-1]))
        if not follows(known, clause):
            return False
        known.append(clause)
    return clause == ()


def is_satisfiable(clauses, variables):
    return any(
        all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        for values in itertools.product((False, True), repeat=variables)
    )
