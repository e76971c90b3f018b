"""What solutions are held against: a proof that there is no other, and the one beside the puzzle.

A PySAT engine that logs its learnt clauses refutes the certifier's own formula, and dratify,
which shares no code with it, checks each step before the result is reported.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.certify import certify_grid
from pipeline.certify.formula import Formula
from pipeline.errors import EnvironmentFailure, LimitReached, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.problem import Problem, S
from pipeline.puzzle import Grid, Puzzle
from pipeline.result import Certificate, Proof, Result

if TYPE_CHECKING:
    from pipeline.solvers import Solvers

CLAUSE_BYTES, LITERAL_BYTES = 150, 60
"""Memory of a formula, for each clause and literal, with the index that `core_of` makes."""

CLAUSE_SECONDS = 1e-6
"""The least time for stating and indexing a clause. This work does not check the clock, so it is
not begun if there is not enough time for it."""

CHECKED_BYTES = 700
"""Memory of each clause while a proof is checked."""

_IS_NONE = "the solution beside it is none"
_NOT_FOUND = "the solution beside it was not found"


def prove_complete(
    problem: Problem[S], solutions: Sequence[S], solvers: Solvers, limits: Limits
) -> tuple[Certificate, Proof[S] | None]:
    """Prove that a problem has no solution but these, within the limits.

    The certificate says `no` if an engine finds another solution, or no proof holds.
    """
    deadline = Deadline.of(limits)
    try:
        clauses, literals = problem.refutation_size(solutions)
        limits.allow(clauses * CLAUSE_BYTES + literals * LITERAL_BYTES)
        if deadline.left() < clauses * CLAUSE_SECONDS:
            return Certificate("claimed", reason=deadline.reason), None
        formula = problem.refutation(solutions)
    except LimitReached as error:
        return Certificate("claimed", reason=str(error)), None
    certificate, text = prove_formula(formula, solvers, limits.until(deadline))
    return certificate, None if text is None else Proof(problem, tuple(solutions), text)


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
    from pipeline.solvers.pysat import ENGINES, Exhausted, Prover, Satisfiable  # noqa: PLC0415

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


def disagreement(
    claimed: str, puzzle: Puzzle, signs: str, found: Collection[Grid], *, complete: bool | None
) -> str | None:
    """What is wrong with the solution that a source gives beside a puzzle; None if nothing is.

    It is one line: digits, numbers, or `signs` of the values 1, 2, …. `complete` says that `found`
    are all there are.
    """
    try:
        if signs:
            values = [signs.find(sign) + 1 for sign in claimed]
        else:
            values = [int(word) for word in (claimed.split() if " " in claimed else claimed)]
        grid = Grid(puzzle.geometry, tuple(values))
    except ValueError:
        return _IS_NONE
    if grid in found:
        return None
    if certify_grid(puzzle, grid):
        return _IS_NONE
    return _NOT_FOUND if complete else None


def compared(result: Result, puzzle: Puzzle, claimed: str | None, signs: str) -> Result:
    """Add what is wrong with the solution beside the puzzle, if there is one and anything is."""
    if claimed is None or result.status == "failed":
        return result
    why = disagreement(claimed, puzzle, signs, result.solutions, complete=result.complete)
    return replace(result, disagreement=why) if why else result
