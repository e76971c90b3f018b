"""Evidence: what shows that there is no other solution, beside a solver's word.

A PySAT engine that logs what it learns refutes the certifier's own formula, and dratify, which
shares no code with it, checks each step before anyone is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from pipeline.certify.formula import MAX_CLAUSES as MOST_OF_PUZZLE
from pipeline.certify.formula import Formula, formula_size, proof_formula
from pipeline.errors import EnvironmentFailure, LimitReached, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.parse.formula import Model, ParsedFormula, proof_clauses
from pipeline.puzzle import Grid, Puzzle

if TYPE_CHECKING:
    from pipeline.solve import Solvers

MAX_CLAUSES = 1_000_000
"""Of a formula, for which making and checking a proof takes a gigabyte."""

CLAUSE_BYTES, LITERAL_BYTES = 150, 60
"""What a formula takes here for each, with the index that `core_of` makes."""

CLAUSE_SECONDS = 1e-6
"""What stating and indexing a clause takes at least: what has no time for that is not begun, as
nobody looks at the clock meanwhile."""

CHECKED_BYTES = 700
"""What a clause takes of which a proof is checked."""

Completeness = Literal["proved", "claimed", "no"]


@dataclass(frozen=True, slots=True)
class Certificate:
    """How it is known that there are no solutions but those that were found.

    `proved`: a proof by `solver` was checked by `checker` in so many `steps`. `claimed`: a
    solver says so, and `reason`, if there is one, why there is no proof. `no`: it is not known.
    """

    complete: Completeness
    solver: str | None = None
    checker: str | None = None
    steps: int | None = None
    reason: str | None = None

    def as_record(self) -> dict[str, Any]:
        """The record's `certificate`; solutions are checked by the rules in any case."""
        return {"solutions": "checked"} | asdict(self)


@dataclass(frozen=True, slots=True)
class Proof:
    """DRAT text that refutes the formula of a puzzle with its solutions blocked."""

    puzzle: Puzzle
    grids: tuple[Grid, ...]
    text: str

    def formula(self) -> Iterator[str]:
        """The DIMACS text of what is refuted, in pieces."""
        return proof_formula(self.puzzle, self.grids).text()


@dataclass(frozen=True, slots=True)
class FormulaProof:
    """DRAT text that refutes a formula."""

    refuted: Formula
    text: str

    def formula(self) -> Iterator[str]:
        """The DIMACS text of what is refuted, in pieces."""
        return self.refuted.text()


def prove_complete(
    puzzle: Puzzle, grids: Sequence[Grid], solvers: Solvers, limits: Limits
) -> tuple[Certificate, Proof | None]:
    """Prove that a puzzle has no solution but these grids, within the limits.

    The certificate says `no` where an engine finds another solution, or no proof holds.
    """
    deadline = Deadline.of(limits)
    try:
        # proof_formula raises for larger ones.
        clauses = min(formula_size(puzzle.geometry), MOST_OF_PUZZLE)
        limits.allow(clauses * (CLAUSE_BYTES + 2 * LITERAL_BYTES))
        if deadline.left() < clauses * CLAUSE_SECONDS:
            return Certificate("claimed", reason=deadline.reason), None
        formula = proof_formula(puzzle, grids)
    except LimitReached as error:
        return Certificate("claimed", reason=str(error)), None
    certificate, text = prove_formula(formula, solvers, limits.until(deadline))
    return certificate, None if text is None else Proof(puzzle, tuple(grids), text)


def prove_no_model(
    parsed: ParsedFormula, models: Sequence[Model], solvers: Solvers, limits: Limits
) -> tuple[Certificate, FormulaProof | None]:
    """Prove that a formula has no model but these, as `prove_complete` does of grids."""
    if (clauses := len(parsed.clauses)) > MAX_CLAUSES:
        why = f"{clauses:,} clauses are more than the {MAX_CLAUSES:,} that a proof is made for"
        return Certificate("claimed", reason=why), None
    deadline = Deadline.of(limits)
    try:
        literals = len(parsed.clauses.literals) + len(models) * parsed.variables
        limits.allow(clauses * CLAUSE_BYTES + literals * LITERAL_BYTES)
    except LimitReached as error:
        return Certificate("claimed", reason=str(error)), None
    refuted = Formula(*proof_clauses(parsed, models))
    certificate, text = prove_formula(refuted, solvers, limits.until(deadline))
    return certificate, None if text is None else FormulaProof(refuted, text)


def prove_formula(
    formula: Formula, solvers: Solvers, limits: Limits
) -> tuple[Certificate, str | None]:
    """Prove that a formula is unsatisfiable: the certificate, and the DRAT text if there is one."""
    from pipeline.certify.formula import core_of  # noqa: PLC0415 - hardly ever needed
    from pipeline.certify.proof import (  # noqa: PLC0415 - dratify is slow to load
        REFUTED,
        ProofRejected,
        ProofTimeout,
        check_core,
    )
    from pipeline.solve.pysat import ENGINES, Exhausted, Prover, Satisfiable  # noqa: PLC0415

    deadline = Deadline.of(limits)
    try:
        core = core_of(formula, deadline)
        limits.allow(len(core.clauses) * CHECKED_BYTES)
    except LimitReached as error:
        return Certificate("claimed", reason=str(error)), None
    doubts: list[str] = []
    reason = ""
    for engine in ENGINES:
        try:
            if core.is_refuted:
                text = REFUTED
            else:
                left = limits.until(deadline)
                text = solvers.shared(Prover).prove(core.remaining, left, engine)
            checked = check_core(core, text, deadline.left())
        except Satisfiable as error:
            return Certificate("no", reason=str(error)), None
        except (Exhausted, ProofTimeout) as error:
            reason = str(error)
        except (ProofRejected, SolverError, EnvironmentFailure) as error:
            doubts.append(f"{engine}: {error}")
        else:
            name = "unit propagation" if core.is_refuted else engine
            return Certificate("proved", name, checked.checker, checked.steps), text
        if not deadline.left():
            reason = limits.out_of_time
            break
    if reason:
        return Certificate("claimed", reason=reason), None
    return Certificate("no", reason="; ".join(doubts)), None


def doubt(certificate: Certificate) -> str:
    """What is said of a result that could not be proved to be complete."""
    return f"no proof that there are no more solutions holds: {certificate.reason}"
