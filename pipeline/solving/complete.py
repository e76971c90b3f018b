"""Verify that a list of solutions is complete, by an exhaustive search or by a proof.

For puzzles, the exhaustive search is tried first. Formulas, and puzzles that the search does not
decide in time, get a proof in LRAT, which is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, cast

from pipeline.certify.exhaustive import SearchResult
from pipeline.certify.formula import Formula
from pipeline.errors import LimitReached, PipelineError, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.solving import Encoder, Encoding
from pipeline.solving.problem import Problem, S
from pipeline.solving.result import Certificate, Proof
from pipeline.solving.solvers import Satisfiable, Solvers
from pipeline.version import __version__

if TYPE_CHECKING:
    from pipeline.certify.formula import Core, Refuter
    from pipeline.certify.variants import VariantSearch
    from pipeline.puzzle.puzzle import Grid, Puzzle

SEARCH_SECONDS, COMPILED_FACTOR = 5.0, 5
"""Time limit of an exhaustive search before a proof is tried, and the factor by which the limit is
longer for 9×9 puzzles and variants, whose search is compiled. It decides more than proofs do.
"""

SEARCH_TIME_SHARE = 0.5
"""Maximum share of the remaining time for an exhaustive search; the rest is for a proof."""

FIRST_CHECK_SECONDS, SOLVER_FACTOR, PROOF_FACTOR = 1.0, 10, 4
"""The first search of a variant in a check takes FIRST_CHECK_SECONDS, or SOLVER_FACTOR times the
seconds of the solver if that is more. The first attempt at a proof may take PROOF_FACTOR times as
long as that search.
"""

MAX_PROVED_SOLUTIONS = 1000
"""Maximum number of solutions of a problem for which a proof is tried without being requested."""

CLAUSE_BYTES, LITERAL_BYTES = 150, 60
"""Bytes of memory of a formula per clause and per literal, with the index that `core_of` builds."""

CLAUSE_SECONDS = 1e-6
"""Minimum seconds for making and indexing a clause. This work does not check the clock, so it is
not started if too little time is left.
"""

PROOF_CLAUSE_BYTES = 700
"""Bytes of memory per clause while a proof is checked."""

SEARCH_CERTIFICATE = Certificate("unverified", reason="only the exhaustive search ended in time")
"""The certificate if the exhaustive search found no other solutions, and nothing confirms that."""

TOO_LARGE_CERTIFICATE = Certificate(
    "unverified", reason="only the exhaustive search answered: the rules are too large for solvers"
)
"""The same certificate for a variant that is too large to be encoded."""

CHECKER = f"sudoku-pipeline {__version__}"
"""The name of the proof checker in certificates."""


@dataclass(frozen=True, slots=True)
class CompletenessCheck(Generic[S]):
    """The outcome of a check for completeness.

    - `certificate`: the certificate of the list extended by `missing`; its `complete` is `proved`
      if there are no other solutions.
    - `missing`: certified solutions that are not in the list.
    - `is_cut_short`: the search ended early with fewer missing solutions than requested, so there
      may be more.
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
    max_missing: int = 1,
    prove: bool = False,
) -> CompletenessCheck[S]:
    """Check that a problem has no other solutions, or find up to `max_missing` of them.

    `prove`: make a proof even if the exhaustive search finds no other solution.
    """
    deadline = Deadline.of(limits)
    search = problem.open_search(min(search_seconds(problem), deadline.left()))
    check = Check(problem, solutions, solvers, search, max_missing, prove)
    return check.run(limits.until(deadline))


@dataclass(frozen=True, slots=True)
class Check(Generic[S]):
    """A check for completeness: an exhaustive search, and a proof if that does not decide.

    `search`: the search of a variant, which the check continues; None for other problems. The
    other fields are the arguments of `check_complete`.
    """

    problem: Problem[S]
    solutions: Sequence[S]
    solvers: Solvers
    search: VariantSearch | None
    max_missing: int = 1
    prove: bool = False

    def run(self, limits: Limits, solver_seconds: float = 0.0) -> CompletenessCheck[S]:
        """Check within the limits. `solver_seconds`: the seconds that the solver took.

        The search of a variant is interrupted for a short attempt at a proof, which often succeeds
        if the solver was quick. Without it, 7 of 9 puzzles that needed a proof waited 17 to 41 s.
        """
        deadline = Deadline.of(limits)
        if not (self.prove or len(self.solutions) <= MAX_PROVED_SOLUTIONS):
            return self._run_once(limits, None)
        seconds = min(search_seconds(self.problem), deadline.left() * SEARCH_TIME_SHARE)
        first_seconds = max(FIRST_CHECK_SECONDS, SOLVER_FACTOR * solver_seconds)
        if self.search and first_seconds < seconds:
            proof_limits = limits.at_most(first_seconds * (1 + PROOF_FACTOR))
            checked = self._run_once(limits.at_most(first_seconds), proof_limits)
            outcome = checked.certificate.complete
            lacks_proof = self.prove and outcome == "proved" and not checked.proof
            is_open = (outcome == "unverified" or lacks_proof) and not checked.missing
            if not (is_open and deadline.left()):
                return checked
            limits = limits.until(deadline)
        return self._run_once(limits.at_most(seconds), limits)

    def _run_once(self, search_limits: Limits, proof_limits: Limits | None) -> CompletenessCheck[S]:
        """Search, then try a proof if the search is undecided or a proof is requested.

        All limits count from now. Without `proof_limits` no proof is tried.
        """
        problem, solutions = self.problem, self.solutions
        deadline = Deadline.of(proof_limits or search_limits)
        certificate, undecided = None, None
        result = search_missing(problem, solutions, self.max_missing, search_limits, self.search)
        if result:
            undecided = result.undecided
            if undecided is None and len(result.missing) < self.max_missing:
                certificate = Certificate("proved", "exhaustive-search", result.nodes)
            if result.missing:
                certificate = certificate or Certificate("no", reason=undecided)
                missing = cast("tuple[S, ...]", result.missing)
                return CompletenessCheck(
                    certificate, None, missing, is_cut_short=undecided is not None
                )
            if certificate and not self.prove:
                return CompletenessCheck(certificate)
        if proof_limits is None and result:
            return CompletenessCheck(certificate or Certificate("unverified", reason=undecided))
        limits = (proof_limits or search_limits).until(deadline)
        try:
            proved, proof = _prove(problem, solutions, self.solvers, limits)
        except Satisfiable as error:  # contradicts a search that found no other solution
            return CompletenessCheck(Certificate("no", reason=str(error)))
        if certificate and not proof:
            return CompletenessCheck(replace(certificate, reason=proved.reason))
        if self.search and undecided and proved.complete == "unverified":
            reason = f"exhaustive search: {undecided}; proof: {proved.reason}"
            proved = replace(proved, reason=reason)
        return CompletenessCheck(proved, proof)


def search_seconds(problem: Problem[S]) -> float:
    """The time limit, in seconds, of an exhaustive search for the solutions of this problem."""
    is_compiled = problem.plain_geometry in (None, NINE_BY_NINE)
    return SEARCH_SECONDS * (COMPILED_FACTOR if is_compiled else 1)


def search_missing(
    problem: Problem[S],
    solutions: Sequence[S],
    max_missing: int,
    limits: Limits,
    search: VariantSearch | None = None,
) -> SearchResult | None:
    """Search exhaustively for solutions that are not in the list `solutions`.

    `search`: the search of a variant to continue; by default a new one.

    If the search returns a wrong solution, or one of the list, the result is undecided. Returns
    None if the problem cannot be searched.
    """
    try:
        result = problem.search_all(solutions, max_missing, limits, search)
    except LimitReached as error:
        return SearchResult((), 0, str(error))
    known = {*solutions}
    for solution in cast("tuple[S, ...]", result.missing if result else ()):
        fault = problem.fault(solution, "exhaustive-search")
        if solution in known:
            fault = "the exhaustive search repeated a solution"
        if fault and result:
            return SearchResult((), result.nodes, fault)
        known.add(solution)
    return result


def prove_complete(
    problem: Problem[S], solutions: Sequence[S], solvers: Solvers, limits: Limits
) -> tuple[Certificate, Proof[S] | None]:
    """Prove that a problem has no other solutions, within the limits.

    Returns the certificate, and the proof or None. The certificate is `no` if an engine finds
    another solution, or if every proof is rejected.
    """
    try:
        return _prove(problem, solutions, solvers, limits)
    except Satisfiable as error:
        return Certificate("no", reason=str(error)), None


def _prove(
    problem: Problem[S], solutions: Sequence[S], solvers: Solvers, limits: Limits
) -> tuple[Certificate, Proof[S] | None]:
    """Do what `prove_complete` does, but raise Satisfiable if an engine finds another solution."""
    deadline = Deadline.of(limits)
    try:
        clauses, literals = problem.refutation_size(solutions)
        limits.check_memory(clauses * CLAUSE_BYTES + literals * LITERAL_BYTES)
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
    """Prove that a formula is unsatisfiable. Returns the certificate, and the LRAT text or None.

    Raises Satisfiable if an engine finds a model, EnvironmentFailure if no engine can be started.
    """
    from pipeline.certify.formula import core_of  # noqa: PLC0415 - hardly ever needed
    from pipeline.certify.lrat import ProofRejected  # noqa: PLC0415 - as above
    from pipeline.certify.proof import TRIVIAL_PROOF, lrat_of  # noqa: PLC0415
    from pipeline.solving.solvers.pysat import ENGINES, ProofLimitReached, Pysat  # noqa: PLC0415

    deadline = Deadline.of(limits)
    try:
        core = core_of(formula, deadline)
        limits.check_memory(len(core.indices) * PROOF_CLAUSE_BYTES)
    except LimitReached as error:
        return Certificate("unverified", reason=str(error)), None
    rejections: list[str] = []
    reason = ""
    for engine in ENGINES:
        try:
            name, text = "unit propagation", TRIVIAL_PROOF
            if not core.is_refuted:
                prover = solvers.get_shared(Pysat)
                name = engine
                text = prover.prove(core.remaining, limits.until(deadline), engine)
            text, steps = lrat_of(core, text, deadline)
            proved = Certificate("proved", "lrat", solver=name, checker=CHECKER, steps=steps)
        except Satisfiable:
            raise
        except (ProofLimitReached, LimitReached) as error:
            reason = str(error)
        except (ProofRejected, SolverError) as error:
            rejections.append(f"{engine}: {error}")
        else:
            return proved, text
        if not deadline.left():
            reason = limits.timeout_message
            break
    if reason:
        return Certificate("unverified", reason=reason), None
    return Certificate("no", reason="; ".join(rejections)), None


def make_encoder(megabytes: int) -> Encoder:
    """Make an `Encoder` for audits. `megabytes`: memory limit for each formula in MiB."""
    from pipeline.solving.cnf import cnf_texts  # noqa: PLC0415 - only an audit needs it
    from pipeline.solving.encode import encode_puzzle  # noqa: PLC0415 - as above

    def encode(
        puzzle: Puzzle, name: str, solutions: Sequence[Grid], seconds: float
    ) -> tuple[Encoding, Iterable[str], Iterable[str]]:
        limits = Limits(seconds, megabytes)
        cnf = encode_puzzle(puzzle, name, limits=limits)  # type: ignore[arg-type] # it checks the name
        return cnf.stats, *cnf_texts(cnf, solutions)

    return encode


def make_refuter(solvers: Solvers, megabytes: int) -> Refuter:
    """Make a `Refuter` that tries the engines in turn. `megabytes`: memory limit of each in MiB."""
    from pipeline.solving.solvers.pysat import ENGINES, Pysat  # noqa: PLC0415 - as above

    def refute(core: Core, seconds: float) -> str | frozenset[int]:
        limits = Limits(seconds, megabytes)
        deadline = Deadline.of(limits)
        failure: PipelineError = LimitReached(limits.timeout_message)
        for engine in ENGINES:
            if not deadline.left():
                break
            try:
                prover = solvers.get_shared(Pysat)
                return prover.prove(core.remaining, limits.until(deadline), engine)
            except Satisfiable as error:
                return error.model
            except SolverError as error:
                failure = error
        raise failure

    return refute
