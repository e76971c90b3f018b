"""Whether the solutions of a problem are all: shown by exhaustion, or by a proof that is checked.

Exhaustion takes puzzles; what it does not decide in time, and formulas, are proved in LRAT.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, cast

from pipeline.certify.exhaustion import Exhausted
from pipeline.certify.formula import Formula
from pipeline.errors import LimitReached, PipelineError, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.solving import Encoder, Encoding
from pipeline.solving.problem import Problem, S
from pipeline.solving.result import Certificate, Proof
from pipeline.solving.solvers import Solvers
from pipeline.version import __version__

if TYPE_CHECKING:
    from pipeline.certify.formula import Core, Refuter
    from pipeline.puzzle.puzzle import Grid, Puzzle

EXHAUSTION_SECONDS = 5.0
RULED_LONGER = 5
"""The longest that a search through everything may take, before a proof is tried; puzzles with
rules have so many times as long, because the search decides more of them than a proof does."""

EXHAUSTION_SHARE = 0.5
"""The share of the remaining time; the rest is for a proof."""

MOST_PROVED = 1000
"""With more solutions than this, a proof that there are no others is not made unless asked for."""

CLAUSE_BYTES, LITERAL_BYTES = 150, 60
"""Memory of a formula, for each clause and literal, with the index that `core_of` makes."""

CLAUSE_SECONDS = 1e-6
"""The least time for stating and indexing a clause. This work does not check the clock, so it is
not begun if there is not enough time for it."""

CHECKED_BYTES = 700
"""Memory of each clause while a proof is checked."""

CHECKER = f"sudoku-pipeline {__version__}"


@dataclass(frozen=True, slots=True)
class Checked(Generic[S]):
    """The verdict on the claim that some solutions are all, and solutions that are missing.

    The missing ones are certified, and the certificate covers them too: `proved` if there are no
    more. `is_cut_short`: fewer were found than were asked for, and there may be more.
    """

    certificate: Certificate
    proof: Proof[S] | None = None
    missing: tuple[S, ...] = ()
    is_cut_short: bool = False


def check_complete(
    problem: Problem[S],
    solutions: Sequence[S],
    solvers: Solvers,
    limits: Limits,
    *,
    most: int = 1,
    prove: bool = False,
) -> Checked[S]:
    """Check that a problem has no solution but these, or find up to `most` that are missing.

    `prove` asks for a proof even if a search through everything has decided it.
    """
    deadline = Deadline.of(limits)
    seconds = deadline.left()
    is_provable = prove or len(solutions) <= MOST_PROVED
    if is_provable:
        seconds = min(exhaustion_seconds(problem), seconds * EXHAUSTION_SHARE)
    shown = None
    if found := search_missing(problem, solutions, most, limits.at_most(seconds)):
        if found.undecided is None and len(found.missing) < most:
            shown = Certificate("proved", "exhaustive-search", found.nodes)
        if found.missing:
            certificate = shown or Certificate("no", reason=found.undecided)
            missing = cast("tuple[S, ...]", found.missing)
            return Checked(certificate, None, missing, is_cut_short=found.undecided is not None)
        if shown and not prove:
            return Checked(shown)
        if not (shown or is_provable):
            return Checked(Certificate("unverified", reason=found.undecided))
    from pipeline.solving.solvers.pysat import Satisfiable  # noqa: PLC0415 - hardly ever needed

    try:
        proved, proof = _prove(problem, solutions, solvers, limits.until(deadline))
    except Satisfiable as error:  # whatever the search has shown
        return Checked(Certificate("no", reason=str(error)))
    if shown and not proof:
        return Checked(replace(shown, reason=proved.reason))
    return Checked(proved, proof)


def exhaustion_seconds(problem: Problem[S]) -> float:
    """The longest that a search through everything may take."""
    return EXHAUSTION_SECONDS * (1 if problem.geometry_alone else RULED_LONGER)


def search_missing(
    problem: Problem[S], solutions: Sequence[S], most: int, limits: Limits
) -> Exhausted | None:
    """Search through everything; nothing is known if it finds what is no other solution."""
    try:
        found = problem.exhausted(solutions, most, limits)
    except LimitReached as error:
        return Exhausted((), 0, str(error))
    known = {*solutions}
    for each in cast("tuple[S, ...]", found.missing if found else ()):
        fault = problem.fault(each, "exhaustive-search")
        if each in known:
            fault = "exhaustion has found a solution again"
        if fault and found:
            return Exhausted((), found.nodes, fault)
        known.add(each)
    return found


def prove_complete(
    problem: Problem[S], solutions: Sequence[S], solvers: Solvers, limits: Limits
) -> tuple[Certificate, Proof[S] | None]:
    """Prove that a problem has no solution but these, within the limits.

    The certificate says `no` if an engine finds another solution, or no proof holds.
    """
    from pipeline.solving.solvers.pysat import Satisfiable  # noqa: PLC0415 - hardly ever needed

    try:
        return _prove(problem, solutions, solvers, limits)
    except Satisfiable as error:
        return Certificate("no", reason=str(error)), None


def _prove(
    problem: Problem[S], solutions: Sequence[S], solvers: Solvers, limits: Limits
) -> tuple[Certificate, Proof[S] | None]:
    """As `prove_complete`. Raises Satisfiable if an engine finds another solution."""
    deadline = Deadline.of(limits)
    try:
        clauses, literals = problem.refutation_size(solutions)
        limits.allow(clauses * CLAUSE_BYTES + literals * LITERAL_BYTES)
        if deadline.left() < clauses * CLAUSE_SECONDS:
            return Certificate("unverified", reason=deadline.reason), None
        formula = problem.refutation(solutions)
    except LimitReached as error:
        return Certificate("unverified", reason=str(error)), None
    certificate, text = prove_formula(formula, solvers, limits.until(deadline))
    return certificate, None if text is None else Proof(problem, tuple(solutions), text)


def prove_formula(
    formula: Formula, solvers: Solvers, limits: Limits
) -> tuple[Certificate, str | None]:
    """Prove that a formula is unsatisfiable: the certificate, and the LRAT text if there is one.

    Raises Satisfiable if an engine finds a model, EnvironmentFailure if none can be started.
    """
    from pipeline.certify.formula import core_of  # noqa: PLC0415 - hardly ever needed
    from pipeline.certify.lrat import ProofRejected  # noqa: PLC0415 - as above
    from pipeline.certify.proof import REFUTED, lrat_of  # noqa: PLC0415
    from pipeline.solving.solvers.pysat import ENGINES, GaveUp, Pysat, Satisfiable  # noqa: PLC0415

    deadline = Deadline.of(limits)
    try:
        core = core_of(formula, deadline)
        limits.allow(len(core.indices) * CHECKED_BYTES)
    except LimitReached as error:
        return Certificate("unverified", reason=str(error)), None
    doubts: list[str] = []
    reason = ""
    for engine in ENGINES:
        try:
            name, text = "unit propagation", REFUTED
            if not core.is_refuted:
                prover, left = solvers.shared(Pysat), limits.until(deadline)
                name, text = engine, prover.prove(core.remaining, left, engine)
            text, steps = lrat_of(core, text, deadline)
            proved = Certificate("proved", "lrat", solver=name, checker=CHECKER, steps=steps)
        except Satisfiable:
            raise
        except (GaveUp, LimitReached) as error:
            reason = str(error)
        except (ProofRejected, SolverError) as error:
            doubts.append(f"{engine}: {error}")
        else:
            return proved, text
        if not deadline.left():
            reason = limits.out_of_time
            break
    if reason:
        return Certificate("unverified", reason=reason), None
    return Certificate("no", reason="; ".join(doubts)), None


def encoder(megabytes: int) -> Encoder:
    """What makes formulas again for an audit; each may take so much memory."""
    from pipeline.solving.cnf import cnf_texts  # noqa: PLC0415 - only an audit needs it
    from pipeline.solving.encode import encode_puzzle  # noqa: PLC0415 - as above

    def encode(
        puzzle: Puzzle, name: str, solutions: Sequence[Grid], seconds: float
    ) -> tuple[Encoding, Iterable[str], Iterable[str]]:
        limits = Limits(seconds, megabytes)
        cnf = encode_puzzle(puzzle, name, limits=limits)  # type: ignore[arg-type] # it checks that
        return cnf.told, *cnf_texts(cnf, solutions)

    return encode


def refuter(solvers: Solvers, megabytes: int) -> Refuter:
    """A refuter that asks the engines in turn; each may use so much memory."""
    from pipeline.solving.solvers.pysat import ENGINES, Pysat, Satisfiable  # noqa: PLC0415 - as above

    def refute(core: Core, seconds: float) -> str | frozenset[int]:
        limits = Limits(seconds, megabytes)
        deadline = Deadline.of(limits)
        reason: PipelineError = LimitReached(limits.out_of_time)
        for engine in ENGINES:
            if not deadline.left():
                break
            try:
                prover = solvers.shared(Pysat)
                return prover.prove(core.remaining, limits.until(deadline), engine)
            except Satisfiable as error:
                return error.model
            except SolverError as error:
                reason = error
        raise reason

    return refute
