"""Solve one problem: Problem → Cnf → Answer → solution → Result with its evidence.

Puzzles and formulas take the same path. Every solution is certified, and each solver is the
fallback of the one before. A problem that no solver could answer is a Result too. Only a failing
environment raises.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import Any, Generic, cast

from pipeline.certify import certify_grid, clashing_givens
from pipeline.errors import EnvironmentFailure, LimitReached, SolverError
from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.settings import Settings
from pipeline.solving import Encoding
from pipeline.solving.cnf import Cnf, Sat, Unknown, Unsat
from pipeline.solving.complete import (
    MAX_PROVED_SOLUTIONS,
    Checked,
    check_complete,
    prove_complete,
    search_missing,
    search_seconds,
)
from pipeline.solving.enumeration import answers
from pipeline.solving.problem import Problem, PuzzleProblem, S
from pipeline.solving.result import Certificate, Result, SolverUsed, Status, Stopwatch, limits_left
from pipeline.solving.solvers import Solver, Solvers

MIN_BATCH = 8
"""Puzzles of one geometry from which they are solved together. Loading numpy and machine code takes
as long as solving this number one by one."""

EXPLAIN_SECONDS = 2.0
"""Time limit for explaining why there is no solution."""

TRUSTED = Certificate("unverified", reason="--trust-solver")
UNSHARED = Certificate("unverified", reason="only the exhaustive search ended in time")

STATUSES: tuple[Status, ...] = ("unsolvable", "unique", "multiple")
"""The statuses of problems with no, one and more solutions."""

RESERVED_SHARE = 0.25
"""Share of the time reserved for an exhaustive search of a variant, in case the solver gives up."""

HANDOVER_SOLUTIONS = 2
"""Solutions after which the second solver takes over. Uniqueness is decided before that."""

_IS_WRONG = "the solution in the file is wrong"
_NOT_FOUND = "the solution in the file was not found"


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

    `on_solution` is called with each solution as soon as it is certified. `explain` adds the
    conflict or the difference. Raises EnvironmentFailure if the last solver cannot run.
    """
    search = Search(problem, settings, watch, on_solution)
    result: Result[S] | None = None
    why, planned = solvers.fallback, True
    for solver in solvers.chain:
        try:
            solutions, ended = search.collect(solver, solvers.successor(solver))
        except LimitReached as error:
            unknown = Result("unknown", (), False, str(error), problem, seconds=watch.seconds())
            return result or unknown
        except (SolverError, EnvironmentFailure) as error:
            if isinstance(error, EnvironmentFailure) and solver is solvers.chain[-1]:
                raise
            why, planned = str(error), False
            continue
        if why is None and search.by is not solver:
            why = f"{solver.name} found the first {HANDOVER_SOLUTIONS} solutions"
        used = SolverUsed(search.by.name, search.by.version, why, planned and why is not None)
        candidate = search.result(solutions, ended, used)
        if isinstance(ended, Unknown):
            candidate = search.continue_result(candidate, ended)
        result = add_evidence(candidate, search, solvers, explain=explain)
        if not candidate.complete or not result.is_doubted:
            return result
        why, planned = result.why_doubted, False  # another solver may do better
    if result is not None:
        return result
    kept, seconds = search.kept_cnf, watch.seconds()
    return Result("failed", (), None, why, problem, kept, encoding=search.encoding, seconds=seconds)


class Search(Generic[S]):
    """The search for the solutions of one problem. All solvers share its time limit.

    `by` is the solver that was asked last.
    """

    by: Solver

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
        self._shown: set[S] = set()
        self._missed: dict[S, None] = {}
        self._cnf: Cnf | None = None

    @property
    def kept_cnf(self) -> Cnf | None:
        """The CNF of a puzzle, which results keep; None for a formula."""
        return self._cnf if self.problem.is_encoded else None

    @property
    def encoding(self) -> Encoding | None:
        """The size of `kept_cnf`."""
        return self.kept_cnf.stats if self.kept_cnf else None

    def collect(
        self, solver: Solver, successor: Solver | None = None
    ) -> tuple[list[S], Unsat | Unknown | None]:
        """Collect certified solutions, up to `Problem.wanted`.

        Returns them, and the verdict that ended the search, or None if there were enough. Raises
        as `stream` does.
        """
        wanted = self.problem.wanted(self.settings)
        solutions: list[S] = []
        with closing(self.stream(solver, successor)) as stream:
            for outcome in stream:
                if isinstance(outcome, (Unsat, Unknown)):
                    return solutions, outcome
                solutions.append(outcome)
                self._report(outcome)
                if len(solutions) == wanted:
                    break
        return solutions, None

    def stream(
        self, solver: Solver, successor: Solver | None = None
    ) -> Generator[S | Unsat | Unknown, None, None]:
        """Yield each solution once it is certified, then the verdict that ended the search.

        A solver `successor` takes over after HANDOVER_SOLUTIONS. If it fails, the first solver
        continues. Raises LimitReached if the CNF is too large, SolverError if a solver fails.
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
        """`stream` with a single solver; see `answers`."""
        self.by, cnf = solver, self._encode()
        limits = limits_left(self.settings, self.watch)
        if self._is_variant:
            left = max(0.0, limits.seconds - limits.spent)
            kept = min(search_seconds(self.problem), RESERVED_SHARE * left)
            limits = replace(limits, spent=limits.spent + kept)
        with closing(answers(cnf, solver, limits, blocked, max_models)) as stream:
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
        self, solutions: Sequence[S], ended: Unsat | Unknown | None, used: SolverUsed
    ) -> Result[S]:
        """Derive status, order and message from the end of a search.

        After an Unknown, solutions that an earlier check found missing are added.
        """
        limit = self.problem.limit(self.settings)
        if isinstance(ended, Unknown):
            solutions = [*dict.fromkeys([*solutions, *self._missed])]
        shown = solutions[:limit]
        message: str | None = more_than(limit, self.problem.noun)
        status: Status = "multiple"
        complete: bool | None = False
        match ended:
            case None if self.problem.wanted(self.settings) == limit:
                status, complete, message = "solved", None, None
            case Unsat() if len(solutions) <= limit:
                shown, complete, message = sorted(shown), True, None
                status = STATUSES[min(len(shown), 2)]
                if shown and self.problem.may_lack_clauses:
                    status, complete = "solved", False
            case Unknown(reason):
                status = "multiple" if len(solutions) > 1 else "unknown"
                message = message if len(solutions) > limit else reason
        return Result(
            status,
            tuple(shown),
            complete,
            message,
            self.problem,
            self.kept_cnf,
            used,
            encoding=self.encoding,
            seconds=self.watch.seconds(),
        )

    @property
    def _is_variant(self) -> bool:
        return self.problem.is_encoded and self.problem.geometry_alone is None

    def continue_result(self, result: Result[S], gave_up: Unknown) -> Result[S]:
        """Continue the result of a solver that gave up by an exhaustive search, for variants.

        Only that search then says that there are no other solutions, so `_certify` asks for a
        proof.
        """
        if not self._is_variant or result.status != "unknown":
            return result
        wanted = min(self.problem.wanted(self.settings), MAX_PROVED_SOLUTIONS)
        max_missing = wanted - len(result.solutions)
        limits = limits_left(self.settings, self.watch)
        limits = limits.at_most(search_seconds(self.problem))
        with self.watch.timing("prove"):
            checked = search_missing(self.problem, result.solutions, max_missing, limits)
        missing = cast("tuple[S, ...]", checked.missing if checked else ())
        is_all = checked is not None and checked.undecided is None and len(missing) < max_missing
        if not (is_all or missing):
            return result
        for solution in missing:
            self._report(solution)
        why = f"{_solver_name(result)} gave up: {gave_up.reason}"
        used = SolverUsed("exhaustive-search", None, why)
        if result.solver and result.solutions and not missing:
            used = result.solver
        ended = Unsat() if is_all else gave_up
        continued = self.result([*result.solutions, *missing], ended, used)
        return replace(continued, certificate=UNSHARED if is_all else None)

    def add_missing(self, result: Result[S], checked: Checked[S]) -> Result[S]:
        """The result with the solutions that the check found missing."""
        why = f"{_solver_name(result)} missed a solution that the check found"
        used = SolverUsed("exhaustive-search", None, why)
        ended: Unsat | Unknown | None = None
        if checked.certificate.complete == "proved":
            ended = Unsat()
        elif checked.is_cut_short:
            ended = Unknown(checked.certificate.reason or "")
        self._missed |= dict.fromkeys([*result.solutions, *checked.missing])
        for solution in checked.missing:
            self._report(solution)
        extended = self.result([*result.solutions, *checked.missing], ended, used)
        return replace(extended, is_doubted=checked.is_cut_short)

    def _encode(self) -> Cnf:
        if self._cnf is None:
            limits = limits_left(self.settings, self.watch)
            is_stage = self.problem.is_encoded
            with self.watch.timing("encode") if is_stage else nullcontext():
                self._cnf = self.problem.encode(self.settings.encoding, limits)
        return self._cnf

    def _report(self, solution: S) -> None:
        limit = self.problem.limit(self.settings)
        if self._on_solution and solution not in self._shown and len(self._shown) < limit:
            self._shown.add(solution)
            self._on_solution(solution)


def more_than(limit: int, noun: str) -> str:
    return f"there are more {noun}s than the {limit} asked for"


def _solver_name(result: Result[Any]) -> str:
    return result.solver.name if result.solver else "a solver"


def add_evidence(
    result: Result[S], search: Search[S], solvers: Solvers, *, explain: bool = True
) -> Result[S]:
    """Check that the result is complete, and explain it.

    Solutions that the check finds missing are added. If the result claims to be complete and no
    proof of that holds, `Result.as_doubted` is returned.
    """
    problem, watch = search.problem, search.watch
    result = _certify(result, search, solvers)
    if isinstance(problem, PuzzleProblem):
        if result.status == "unsolvable" and explain:
            result = _explain_conflict(result, problem.puzzle, solvers, search.settings, watch)
        elif result.status == "unsolvable":
            clash = clashing_givens(problem.puzzle)
            result = replace(result, message=clash.message) if clash else result
        elif explain and len(result.solutions) > 1 and result.status == "multiple":
            from pipeline.solving.explain import explain_difference  # noqa: PLC0415 - seldom needed

            with watch.timing("explain"):
                result = replace(result, difference=explain_difference(list[Any](result.solutions)))
    return replace(result, seconds=watch.seconds())


def _certify(result: Result[S], search: Search[S], solvers: Solvers) -> Result[S]:
    """The result with its certificate, and with solutions that were missing."""
    settings, watch, problem = search.settings, search.watch, search.problem
    if not result.complete or settings.trust_solver:
        return replace(result, certificate=TRUSTED if result.complete else Certificate("no"))
    prove, checked = settings.needs_proof(result.status), None
    if result.certificate and result.certificate != UNSHARED and not prove:
        return result
    if result.certificate != UNSHARED:
        max_missing = problem.limit(settings) + 1 - len(result.solutions)
        limits = limits_left(settings, watch)
        with watch.timing("prove"):
            checked = check_complete(
                problem, result.solutions, solvers, limits, max_missing=max_missing, prove=prove
            )
        if checked.missing:
            result = search.add_missing(result, checked)
            if not result.complete:
                return replace(result, certificate=checked.certificate)
            checked = None
    if checked is None:  # so far only the search says that these are all
        limits = limits_left(settings, watch)
        with watch.timing("prove"):
            proved, proof = prove_complete(problem, result.solutions, solvers, limits)
        checked = Checked(UNSHARED if proved.complete == "unverified" else proved, proof)
    if checked.certificate.complete == "no":
        why = f"{_solver_name(result)} found no more solutions, but this could not be proved: "
        result = result.as_doubted(why + (checked.certificate.reason or ""))
    return replace(result, certificate=checked.certificate, proof=checked.proof)


def _explain_conflict(
    result: Result[S], puzzle: Puzzle, solvers: Solvers, settings: Settings, watch: Stopwatch
) -> Result[S]:
    """Explain why there is no solution. If there is one after all, the result is doubted."""
    from pipeline.solving.explain import explain_conflict  # noqa: PLC0415 - seldom needed
    from pipeline.solving.solvers.pysat import Pysat  # noqa: PLC0415 - as above

    limits = limits_left(settings, watch).at_most(EXPLAIN_SECONDS)
    with watch.timing("explain"):
        try:
            conflict = explain_conflict(puzzle, solvers.shared(Pysat), limits)
        except SolverError as error:
            if result.certificate_label != "unverified":
                return result
            why = f"{_solver_name(result)} was wrong: {error}"
            return replace(result.as_doubted(why), certificate=Certificate("no", reason=why))
    return replace(result, conflict=conflict, message=conflict.message if conflict else None)


def compared(result: Result, puzzle: Puzzle, claimed: str | None, signs: str) -> Result:
    """Compare the result with the solution that the source gives beside the puzzle.

    `claimed` is that solution in one line: digits, numbers, or the letters `signs` of the values
    1, 2, …. The result gets a `disagreement` if it is wrong or was not found.
    """
    if claimed is None or result.status == "failed":
        return result
    why = _NOT_FOUND if result.complete else None
    try:
        if signs:
            values = [signs.find(sign) + 1 for sign in claimed]
        else:
            values = [int(word) for word in (claimed.split() if " " in claimed else claimed)]
        grid = Grid(puzzle.geometry, tuple(values))
        if grid in result.solutions:
            why = None
        elif certify_grid(puzzle, grid):
            why = _IS_WRONG
    except ValueError:
        why = _IS_WRONG
    return replace(result, disagreement=why) if why else result
