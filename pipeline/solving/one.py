"""Solve one problem: Problem → Cnf → Answer → solution → Result with its evidence.

Puzzles and formulas take the same path. Every solution is certified. If a solver fails, the next
one is asked. If no solver answers, the status of the result is `failed`; only a failing environment
raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic

from pipeline.certify import certify_grid, clashing_givens
from pipeline.errors import EnvironmentFailure, LimitReached, SolverError
from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.settings import Settings
from pipeline.solving import Encoding
from pipeline.solving.cnf import Cnf, Sat, Unknown, Unsat
from pipeline.solving.complete import (
    SEARCH_CERTIFICATE,
    TOO_LARGE_CERTIFICATE,
    Check,
    CompletenessCheck,
    prove_complete,
    search_seconds,
)
from pipeline.solving.enumeration import enumerate_models
from pipeline.solving.problem import Problem, PuzzleProblem, S
from pipeline.solving.result import Certificate, Result, SolverUsed, Status, Stopwatch, limits_left
from pipeline.solving.solvers import Solver, Solvers

if TYPE_CHECKING:
    from pipeline.certify.variants import VariantSearch
    from pipeline.solving.cdcl import Cdcl

MIN_BATCH = 8
"""Minimum number of puzzles of one geometry that are solved together. To load numpy and machine
code takes as long as to solve this number of puzzles one by one.
"""

EXPLAIN_SECONDS = 2.0
"""Time limit for explaining why there is no solution."""

TRUSTED_CERTIFICATE = Certificate("unverified", reason="--trust-solver")
"""The certificate of solutions with `--trust-solver`: that there are no others is not checked."""

STATUSES: tuple[Status, ...] = ("unsolvable", "unique", "multiple")
"""The statuses of problems with no solution, with one, and with two or more."""

RESERVED_SHARE = 0.25
"""Maximum share of the remaining time that is reserved for an exhaustive search of a variant, in
case the solver gives up.
"""

HANDOVER_SOLUTIONS = 2
"""Number of solutions after which the second solver takes over. Two solutions decide uniqueness."""

_WRONG_SOLUTION = "the solution in the file is wrong"
_SOLUTION_NOT_FOUND = "the solution in the file was not found"
"""What may be wrong with the solution that a source contains for a puzzle."""


def solve_problem(
    problem: Problem[S],
    solvers: Solvers,
    settings: Settings,
    watch: Stopwatch,
    on_solution: Callable[[S], None] | None = None,
    *,
    explain: bool = True,
) -> Result[S]:
    """Solve one problem: ask the solvers in turn until an answer passes its checks.

    - `on_solution`: called with each solution as soon as it is certified.
    - `explain`: add the conflict of an unsolvable puzzle, or the difference of several solutions.

    Raises EnvironmentFailure if the last solver cannot run.
    """
    search, failure = Search(problem, settings, watch, on_solution), None
    if solvers.searches_first and search.is_variant:
        from pipeline.solving.variants import search_first  # noqa: PLC0415 - few puzzles need it

        try:
            if first := search_first(search, solvers):
                result = add_evidence(first, search, solvers, explain=explain)
                if not (first.complete and result.is_doubted):
                    return result
                failure = result.doubt
        except LimitReached as error:
            return _search_alone(search, str(error), solvers, explain=explain)
        except (SolverError, EnvironmentFailure) as error:
            failure = str(error)
    return _ask_solvers(search, solvers, failure, explain=explain)


def _ask_solvers(
    search: Search[S], solvers: Solvers, failure: str | None, *, explain: bool
) -> Result[S]:
    """Ask the solvers in turn. `failure`: why another solver failed before; None if none did."""
    result: Result[S] | None = None
    fallback, is_planned = failure or solvers.fallback, failure is None
    for solver in solvers.chain:
        try:
            solutions, verdict = search.collect(solver, solvers.successor(solver))
        except LimitReached as error:
            return result or _search_alone(search, str(error), solvers, explain=explain)
        except (SolverError, EnvironmentFailure) as error:
            if isinstance(error, EnvironmentFailure) and solver is solvers.chain[-1]:
                raise
            fallback, is_planned = str(error), False
            continue
        last = search.last_solver
        if fallback is None and last is not solver:
            fallback = (
                f"{solver.name} handed over to {last.name} after {HANDOVER_SOLUTIONS} solutions"
            )
        used = SolverUsed(last.name, last.version, fallback, is_planned and fallback is not None)
        unchecked = search.result(solutions, verdict, used)
        if isinstance(verdict, Unknown) and search.is_variant and unchecked.status == "unknown":
            from pipeline.solving.variants import continue_result  # noqa: PLC0415 - as above

            unchecked = continue_result(search, unchecked, verdict.reason)
        result = add_evidence(unchecked, search, solvers, explain=explain)
        if not unchecked.complete or not result.is_doubted:
            return result
        fallback, is_planned = result.doubt, False  # the next solver may find all solutions
    if result is not None:
        return result
    return Result(
        "failed",
        (),
        None,
        fallback,
        search.problem,
        search.puzzle_cnf,
        encoding=search.encoding,
        seconds=search.watch.seconds(),
    )


def _search_alone(search: Search[S], reason: str, solvers: Solvers, *, explain: bool) -> Result[S]:
    """The result of a problem that cannot be encoded. `reason`: why it cannot.

    The status is `unknown`, unless the exhaustive search of a variant ends or finds solutions.
    """
    if search.is_variant:
        from pipeline.solving.variants import search_alone  # noqa: PLC0415 - as above

        if result := search_alone(search, reason):
            return add_evidence(result, search, solvers, explain=explain)
    seconds = search.watch.seconds()
    return Result("unknown", (), False, reason, search.problem, seconds=seconds)


class Search(Generic[S]):
    """The search for the solutions of one problem. All solvers share its time limit.

    - `last_solver`: the solver that was asked last.
    - `exhaustive`: the exhaustive search of a variant, which later checks continue; None before it
      begins.
    """

    last_solver: Solver
    exhaustive: VariantSearch | None = None

    def __init__(
        self,
        problem: Problem[S],
        settings: Settings,
        watch: Stopwatch,
        on_solution: Callable[[S], None] | None = None,
    ) -> None:
        self.problem = problem
        self.settings = settings
        self.watch = watch
        self._on_solution = on_solution
        self._reported: set[S] = set()
        self._checked_solutions: dict[S, None] = {}  # of earlier checks, an ordered set
        self._cnf: Cnf | None = None

    @property
    def puzzle_cnf(self) -> Cnf | None:
        """The CNF that `Result.cnf` gets; None for a formula, and before encoding."""
        return self._cnf if self.problem.is_encoded else None

    @property
    def encoding(self) -> Encoding | None:
        """The encoding and the size of `puzzle_cnf`."""
        return self.puzzle_cnf.stats if self.puzzle_cnf else None

    def collect(
        self, solver: Solver, successor: Solver | None = None
    ) -> tuple[list[S], Unsat | Unknown | None]:
        """Collect up to `Problem.solutions_to_find` certified solutions.

        Returns the solutions, and the verdict that ended the search; the verdict is None if the
        search stopped because it had found enough. Raises the errors of `stream`.
        """
        count = self.problem.solutions_to_find(self.settings)
        solutions: list[S] = []
        with closing(self.stream(solver, successor)) as stream:
            for outcome in stream:
                if isinstance(outcome, (Unsat, Unknown)):
                    return solutions, outcome
                solutions.append(outcome)
                self.report(outcome)
                if len(solutions) == count:
                    break
        return solutions, None

    def stream(
        self, solver: Solver, successor: Solver | None = None
    ) -> Generator[S | Unsat | Unknown, None, None]:
        """Yield each certified solution, then the verdict that ended the search.

        If `successor` is given, this solver takes over after HANDOVER_SOLUTIONS solutions; if it
        fails, `solver` continues. Raises LimitReached if the CNF is too large, and SolverError if
        `solver` fails.
        """
        blocked: list[Clause] = []
        yield from self._solutions(solver, blocked, HANDOVER_SOLUTIONS if successor else None)
        if successor is None or len(blocked) < HANDOVER_SOLUTIONS:
            return
        try:
            yield from self._solutions(successor, blocked)
        except (SolverError, EnvironmentFailure):
            yield from self._solutions(solver, blocked)

    def _solutions(
        self, solver: Solver, blocked: list[Clause], max_models: int | None = None
    ) -> Generator[S | Unsat | Unknown, None, None]:
        """As `stream`, with a single solver. `blocked`, `max_models`: see `enumerate_models`."""
        self.last_solver, cnf = solver, self.encode()
        limits = limits_left(self.settings, self.watch)
        if self.is_variant:
            remaining = max(0.0, limits.seconds - limits.spent)
            reserved = min(search_seconds(self.problem), RESERVED_SHARE * remaining)
            limits = replace(limits, spent=limits.spent + reserved)
        with closing(enumerate_models(cnf, solver, limits, blocked, max_models)) as stream:
            while True:
                with self.watch.timing("solve"):
                    answer = next(stream, None)
                if not isinstance(answer, Sat):
                    if answer:
                        yield answer
                    return
                with self.watch.timing("decode"):
                    solution = self.problem.decode(answer.model, cnf)
                with self.watch.timing("certify"):
                    fault = self.problem.fault(solution, solver.name)
                if fault:
                    raise SolverError(fault)
                yield solution

    def result(
        self, solutions: Sequence[S], verdict: Unsat | Unknown | None, used: SolverUsed
    ) -> Result[S]:
        """Make a Result of the solutions and the verdict that `collect` returned.

        If the verdict is Unknown, solutions that earlier checks found are added.
        """
        limit = self.problem.limit(self.settings)
        if isinstance(verdict, Unknown):
            solutions = [*dict.fromkeys([*solutions, *self._checked_solutions])]
        published = solutions[:limit]
        message: str | None = more_solutions_message(limit, self.problem.noun)
        status: Status = "multiple"
        complete: bool | None = False
        match verdict:
            case None if self.problem.solutions_to_find(self.settings) == limit:
                status, complete, message = "solved", None, None
            case Unsat() if len(solutions) <= limit:
                published, complete, message = sorted(published), True, None
                status = STATUSES[min(len(published), 2)]
                if published and self.problem.may_lack_clauses:
                    status, complete = "solved", False
            case Unknown(reason):
                status = "multiple" if len(solutions) > 1 else "unknown"
                message = message if len(solutions) > limit else reason
        return Result(
            status,
            tuple(published),
            complete,
            message,
            self.problem,
            self.puzzle_cnf,
            used,
            encoding=self.encoding,
            seconds=self.watch.seconds(),
        )

    @property
    def is_variant(self) -> bool:
        """Whether the problem is a puzzle that is not plain."""
        return self.problem.is_encoded and self.problem.plain_geometry is None

    def add_missing(self, result: Result[S], checked: CompletenessCheck[S]) -> Result[S]:
        """Add the missing solutions that a check found to the result."""
        fallback = f"{result.solver_name} missed a solution that the check found"
        used = SolverUsed("exhaustive-search", None, fallback)
        verdict: Unsat | Unknown | None = None
        if checked.certificate.complete == "proved":
            verdict = Unsat()
        elif checked.is_cut_short:
            verdict = Unknown(checked.certificate.reason or "")
        self._checked_solutions |= dict.fromkeys([*result.solutions, *checked.missing])
        for solution in checked.missing:
            self.report(solution)
        extended = self.result([*result.solutions, *checked.missing], verdict, used)
        return replace(extended, is_doubted=checked.is_cut_short)

    def encode(self) -> Cnf:
        """The CNF of the problem, encoded by the first call. Raises LimitReached."""
        if self._cnf is None:
            limits = limits_left(self.settings, self.watch)
            is_stage = self.problem.is_encoded
            with self.watch.timing("encode") if is_stage else nullcontext():
                self._cnf = self.problem.encode(self.settings.encoding, limits)
        return self._cnf

    def report(self, solution: S) -> None:
        """Call `on_solution` with a solution, once for each solution and at most `limit` times."""
        limit = self.problem.limit(self.settings)
        if self._on_solution and solution not in self._reported and len(self._reported) < limit:
            self._reported.add(solution)
            self._on_solution(solution)


def more_solutions_message(limit: int, noun: str) -> str:
    """The message for a problem with more than `limit` solutions, which are called `noun`s."""
    return f"there are more {noun}s than the {limit} asked for"


def add_evidence(
    result: Result[S], search: Search[S], solvers: Solvers, *, explain: bool = True
) -> Result[S]:
    """Check that the result is complete, and explain it.

    Missing solutions that the check finds are added. If the solver reported that there are no more
    solutions, and every proof of this is rejected, the result is doubted.
    """
    problem, watch = search.problem, search.watch
    result = _certify(result, search, solvers)
    if isinstance(problem, PuzzleProblem):
        is_search_alone = (
            result.solver_name == "exhaustive-search"
            and result.certificate_label == "unverified"
            and not search.settings.trust_solver
        )
        if result.status == "unsolvable" and explain and not is_search_alone:
            result = _explain_conflict(result, problem.puzzle, solvers, search.settings, watch)
        elif result.status == "unsolvable":
            conflict = clashing_givens(problem.puzzle)
            result = replace(result, message=conflict.message) if conflict else result
        elif explain and len(result.solutions) > 1 and result.status == "multiple":
            from pipeline.solving.explain import explain_difference  # noqa: PLC0415 - seldom needed

            with watch.timing("explain"):
                result = replace(result, difference=explain_difference(list[Any](result.solutions)))
    return replace(result, seconds=watch.seconds())


def _certify(result: Result[S], search: Search[S], solvers: Solvers) -> Result[S]:
    """Check that the result is complete. Adds a certificate, and the missing solutions if any."""
    settings, watch, problem = search.settings, search.watch, search.problem
    if result.certificate == TOO_LARGE_CERTIFICATE:
        return result
    if not result.complete or settings.trust_solver:
        return replace(
            result, certificate=TRUSTED_CERTIFICATE if result.complete else Certificate("no")
        )
    prove, checked = settings.needs_proof(result.status), None
    certificate = result.certificate
    is_unverified = certificate is not None and certificate.complete == "unverified"
    if is_unverified and certificate != SEARCH_CERTIFICATE:
        # PySAT gave up confirming the search, and a proof takes it longer
        prove = settings.prove == "always"
    if certificate and certificate != SEARCH_CERTIFICATE and not prove:
        return result
    if not is_unverified:
        max_missing = problem.limit(settings) + 1 - len(result.solutions)
        limits = limits_left(settings, watch)
        with watch.timing("prove"):
            solver_seconds = watch.seconds().get("solve", 0.0)
            remaining = max(0.0, limits.seconds - limits.spent)
            exhaustive = search.exhaustive or problem.open_search(
                min(search_seconds(problem), remaining)
            )
            checked = Check(problem, result.solutions, solvers, exhaustive, max_missing, prove).run(
                limits_left(settings, watch), solver_seconds
            )
        if checked.missing:
            result = search.add_missing(result, checked)
            if not result.complete:
                return replace(result, certificate=checked.certificate)
            checked = certificate = None
    if checked is None:  # nothing confirms the search, so ask for a proof
        limits = limits_left(settings, watch)
        with watch.timing("prove"):
            proved, proof = prove_complete(problem, result.solutions, solvers, limits)
        checked = CompletenessCheck(
            certificate or SEARCH_CERTIFICATE if proved.complete == "unverified" else proved, proof
        )
    if checked.certificate.complete == "no":
        doubt = f"{result.solver_name} found no more solutions, but this could not be proved: "
        result = result.as_doubted(doubt + (checked.certificate.reason or ""))
    return replace(result, certificate=checked.certificate, proof=checked.proof)


def _explain_conflict(
    result: Result[S], puzzle: Puzzle, solvers: Solvers, settings: Settings, watch: Stopwatch
) -> Result[S]:
    """Add the conflict to an unsolvable result, or doubt the result if there is a solution."""
    from pipeline.solving.explain import explain_conflict  # noqa: PLC0415 - seldom needed
    from pipeline.solving.solvers.pysat import Pysat  # noqa: PLC0415 - as above

    limits = limits_left(settings, watch).at_most(EXPLAIN_SECONDS)
    engine: Pysat | Cdcl | None = None
    if solvers.searches_first and not puzzle.is_plain:
        from pipeline.solving import cdcl  # noqa: PLC0415 - loads numpy

        engine = cdcl.machine_code()
    with watch.timing("explain"):
        try:
            conflict = explain_conflict(puzzle, engine or solvers.get_shared(Pysat), limits)
        except SolverError as error:
            if result.certificate_label != "unverified":
                return result
            doubt = f"{result.solver_name} was wrong: {error}"
            return replace(result.as_doubted(doubt), certificate=Certificate("no", reason=doubt))
    return replace(result, conflict=conflict, message=conflict.message if conflict else None)


def compare_solution(
    result: Result, puzzle: Puzzle, source_solution: str | None, symbols: str
) -> Result:
    """Compare the result with the solution that the source contains for the puzzle.

    - `source_solution`: the solution in the source, in one line of digits, numbers or letters; None
      if the source contains none.
    - `symbols`: the characters of the values 1, 2, …; empty for numbers.

    Returns the result, with a `disagreement` if the solution in the source is wrong or was not
    found.
    """
    if source_solution is None or result.status == "failed":
        return result
    disagreement = _SOLUTION_NOT_FOUND if result.complete else None
    try:
        if symbols:
            values = [symbols.find(symbol) + 1 for symbol in source_solution]
        else:
            words = source_solution.split() if " " in source_solution else source_solution
            values = [int(word) for word in words]
        grid = Grid(puzzle.geometry, tuple(values))
        if grid in result.solutions:
            disagreement = None
        elif certify_grid(puzzle, grid):
            disagreement = _WRONG_SOLUTION
    except ValueError:
        disagreement = _WRONG_SOLUTION
    return replace(result, disagreement=disagreement) if disagreement else result
