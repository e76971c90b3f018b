"""The chain on one screen: Problem → Cnf → Answer → solution → Result with its evidence.

Puzzles and formulas take the same chain. Every solution is certified, and each solver is the
fallback of the one before. A problem that no solver could answer is a Result too; only a failing
environment raises.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import Any, Generic, cast

from pipeline.certify import certify_grid, clashing_givens
from pipeline.errors import EnvironmentFailure, LimitReached, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.settings import Settings
from pipeline.solving import Encoding
from pipeline.solving.cnf import Answer, Cnf, Sat, Unknown, Unsat
from pipeline.solving.complete import (
    MOST_PROVED,
    Checked,
    check_complete,
    exhaustion_seconds,
    prove_complete,
    search_missing,
)
from pipeline.solving.problem import Problem, PuzzleProblem, S
from pipeline.solving.result import Certificate, Result, SolverUsed, Status, Stopwatch, limits_left
from pipeline.solving.solvers import Solver, Solvers

FEWEST_TOGETHER = 8
"""Puzzles of one geometry that are solved together, by machine code if it is there. Loading numpy
and that takes as long as solving so many one by one."""

EXPLAIN_SECONDS = 2.0
"""The longest that explaining why there is no solution may take."""

TRUSTED = Certificate("unverified", reason="--trust-solver")
UNSHARED = Certificate("unverified", reason="only the exhaustive search ended in time")

STATUSES: tuple[Status, ...] = ("unsolvable", "unique", "multiple")
"""The status of a problem with no, one and more solutions."""

LEAST_BYTES = 16
"""Memory of a clause of two literals; every solver takes at least that."""

VARIABLE_BYTES = 200
"""Memory of a variable in this process while a model is read and checked."""

SEARCH_SHARE = 0.25
"""The share of the time that is kept for a search through a puzzle with rules, if the solver gives
up."""

HANDED_OVER = 2
"""Solutions after which the second solver goes on: fewer show whether a puzzle is unique."""

_IS_WRONG = "the solution beside it is wrong"
_NOT_FOUND = "the solution beside it was not found"


def solve_problem(
    problem: Problem[S],
    solvers: Solvers,
    settings: Settings,
    watch: Stopwatch,
    on_solution: Callable[[S], None] | None = None,
    *,
    explain: bool = True,
) -> Result[S]:
    """Solve one problem: ask the solvers in turn until an answer stands up.

    `on_solution` is called with each solution as it is found. `explain` adds the conflict or
    the difference. Raises EnvironmentFailure if the last solver cannot work.
    """
    search = Search(problem, settings, watch, on_solution)
    result: Result[S] | None = None
    why, planned = solvers.fallback, True
    for solver in solvers.chain:
        try:
            solutions, ended = search.collect(solver, solvers.after(solver))
        except LimitReached as error:
            unknown = Result("unknown", (), False, str(error), problem, seconds=watch.seconds())
            return result or unknown
        except (SolverError, EnvironmentFailure) as error:
            if isinstance(error, EnvironmentFailure) and solver is solvers.chain[-1]:
                raise
            why, planned = str(error), False
            continue
        if why is None and search.by is not solver:
            why = f"{solver.name} found the first {HANDED_OVER} solutions"
        used = SolverUsed(search.by.name, search.by.version, why, planned and why is not None)
        found = search.result(solutions, ended, used)
        if isinstance(ended, Unknown):
            found = search.after(found, ended)
        result = with_evidence(found, search, solvers, explain=explain)
        if not found.complete or not result.is_doubted:
            return result
        why, planned = result.why_doubted, False  # another solver may do better
    if result is not None:
        return result
    kept, seconds = search.kept, watch.seconds()
    return Result("failed", (), None, why, problem, kept, encoding=search.encoding, seconds=seconds)


class Search(Generic[S]):
    """The search for one problem's solutions; all solvers that are asked share its time.

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
    def kept(self) -> Cnf | None:
        return self._cnf if self.problem.is_encoded else None

    @property
    def encoding(self) -> Encoding | None:
        """The size of what is `kept`."""
        return self.kept.told if self.kept else None

    def collect(
        self, solver: Solver, then: Solver | None = None
    ) -> tuple[list[S], Unsat | Unknown | None]:
        """Certified solutions, up to one more than are asked for, and what ended the search.

        None if there were enough of them. Raises as `stream` does.
        """
        wanted = self.problem.wanted(self.settings)
        solutions: list[S] = []
        with closing(self.stream(solver, then)) as stream:
            for each in stream:
                if isinstance(each, (Unsat, Unknown)):
                    return solutions, each
                solutions.append(each)
                self._show(each)
                if len(solutions) == wanted:
                    break
        return solutions, None

    def stream(
        self, solver: Solver, then: Solver | None = None
    ) -> Generator[S | Unsat | Unknown, None, None]:
        """Yield each solution when it is found and certified, then what ended the search.

        If there is a solver `then`, it goes on from the first solutions; if it fails, the other one
        does. Raises LimitReached if the CNF is too large, SolverError if a solver fails.
        """
        blocked: list[Clause] = []
        yield from self._solutions(solver, blocked, HANDED_OVER if then else None)
        if then is None or len(blocked) < HANDED_OVER:
            return
        try:
            yield from self._solutions(then, blocked)
        except (SolverError, EnvironmentFailure):
            yield from self._solutions(solver, blocked)

    def _solutions(
        self, solver: Solver, blocked: list[Clause], most: int | None = None
    ) -> Generator[S | Unsat | Unknown, None, None]:
        """As `stream`, of one solver; see `answers`."""
        self.by, cnf = solver, self._encoded()
        limits = limits_left(self.settings, self.watch)
        if self._is_of_rules:
            left = max(0.0, limits.seconds - limits.spent)
            kept = min(exhaustion_seconds(self.problem), SEARCH_SHARE * left)
            limits = replace(limits, spent=limits.spent + kept)
        with closing(answers(cnf, solver, limits, blocked, most)) as stream:
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
        """Derive status, order and message from how a search ended.

        A search that was cut short also gets what a check found missing before.
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
            case Unknown(reason):
                status = "multiple" if len(solutions) > 1 else "unknown"
                message = message if len(solutions) > limit else reason
        return Result(
            status,
            tuple(shown),
            complete,
            message,
            self.problem,
            self.kept,
            used,
            encoding=self.encoding,
            seconds=self.watch.seconds(),
        )

    @property
    def _is_of_rules(self) -> bool:
        return self.problem.is_encoded and self.problem.geometry_alone is None

    def after(self, result: Result[S], gave_up: Unknown) -> Result[S]:
        """The result of a solver that gave up, or of an exhaustive search for the rest.

        That there are no more solutions then rests on the search alone, even if it finds none that
        the solver missed, so `_certified` asks for a proof.
        """
        if not self._is_of_rules or result.status != "unknown":
            return result
        most = min(self.problem.wanted(self.settings), MOST_PROVED) - len(result.solutions)
        limits = limits_left(self.settings, self.watch)
        limits = limits.at_most(exhaustion_seconds(self.problem))
        with self.watch.timing("prove"):
            found = search_missing(self.problem, result.solutions, most, limits)
        missing = cast("tuple[S, ...]", found.missing if found else ())
        is_all = found is not None and found.undecided is None and len(missing) < most
        if not (is_all or missing):
            return result
        for solution in missing:
            self._show(solution)
        why = f"{_solver_of(result)} gave up: {gave_up.reason}"
        used = SolverUsed("exhaustive-search", None, why)
        if result.solver and result.solutions and not missing:
            used = result.solver
        ended = Unsat() if is_all else gave_up
        told = self.result([*result.solutions, *missing], ended, used)
        return replace(told, certificate=UNSHARED if is_all else None)

    def with_missing(self, result: Result[S], checked: Checked[S]) -> Result[S]:
        """The result with the solutions that the check has found."""
        why = f"{_solver_of(result)} missed a solution that the check found"
        used = SolverUsed("exhaustive-search", None, why)
        ended: Unsat | Unknown | None = None
        if checked.certificate.complete == "proved":
            ended = Unsat()
        elif checked.is_cut_short:
            ended = Unknown(checked.certificate.reason or "")
        self._missed |= dict.fromkeys([*result.solutions, *checked.missing])
        for solution in checked.missing:
            self._show(solution)
        found = self.result([*result.solutions, *checked.missing], ended, used)
        return replace(found, is_doubted=checked.is_cut_short)

    def _encoded(self) -> Cnf:
        if self._cnf is None:
            limits = limits_left(self.settings, self.watch)
            is_stage = self.problem.is_encoded
            with self.watch.timing("encode") if is_stage else nullcontext():
                self._cnf = self.problem.encode(self.settings.encoding, limits)
        return self._cnf

    def _show(self, solution: S) -> None:
        limit = self.problem.limit(self.settings)
        if self._on_solution and solution not in self._shown and len(self._shown) < limit:
            self._shown.add(solution)
            self._on_solution(solution)


def answers(
    cnf: Cnf,
    solver: Solver,
    limits: Limits,
    blocked: list[Clause] | None = None,
    most: int | None = None,
) -> Generator[Answer, None, None]:
    """Yield Sat for each model, each of a different grid, then Unsat or Unknown.

    `blocked` are the clauses that exclude earlier models; each further model adds one. Once there
    are `most` of them, it ends without a verdict. The limits hold for all calls together. Raises
    SolverError if the solver fails, gives a model that does not satisfy the clauses, or repeats an
    earlier grid.
    """
    deadline, blocked = Deadline.of(limits), [] if blocked is None else blocked
    try:
        limits.allow(max(cnf.size * LEAST_BYTES, cnf.variables * VARIABLE_BYTES))
        with solver.open(cnf, limits) as session:
            for clause in blocked:
                session.add(clause)
            while isinstance(answer := session.solve(), Sat):
                if not cnf.satisfied_by(answer.model, deadline):
                    raise SolverError(f"the model of {solver.name} does not satisfy the clauses")
                if any(map(answer.model.isdisjoint, deadline.watch(blocked))):
                    raise SolverError(f"{solver.name} found a model again that was blocked")
                yield answer
                blocked.append(cnf.blocking(answer.model))
                session.add(blocked[-1])
                if len(blocked) == most:
                    return
            yield answer
    except LimitReached as error:
        yield Unknown(str(error))


def more_than(limit: int, noun: str) -> str:
    return f"there are more {noun}s than the {limit} asked for"


def _solver_of(result: Result[Any]) -> str:
    return result.solver.name if result.solver else "a solver"


def with_evidence(
    result: Result[S], search: Search[S], solvers: Solvers, *, explain: bool = True
) -> Result[S]:
    """The result, once it is checked that no solution is missing, and explained.

    Solutions that the check finds missing become part of the result. A result that claims to be
    complete and proves not to be becomes `Result.doubted`.
    """
    problem, watch = search.problem, search.watch
    result = _certified(result, search, solvers)
    if isinstance(problem, PuzzleProblem):
        if result.status == "unsolvable" and explain:
            result = _with_conflict(result, problem.puzzle, solvers, search.settings, watch)
        elif result.status == "unsolvable":
            clash = clashing_givens(problem.puzzle)
            result = replace(result, message=clash.message) if clash else result
        elif explain and len(result.solutions) > 1 and result.status == "multiple":
            from pipeline.solving.explain import explain_difference  # noqa: PLC0415 - seldom needed

            with watch.timing("explain"):
                result = replace(result, difference=explain_difference(list[Any](result.solutions)))
    return replace(result, seconds=watch.seconds())


def _certified(result: Result[S], search: Search[S], solvers: Solvers) -> Result[S]:
    """The result with its certificate, and with what was missing."""
    settings, watch, problem = search.settings, search.watch, search.problem
    if not result.complete or settings.trust_solver:
        return replace(result, certificate=TRUSTED if result.complete else Certificate("no"))
    prove, checked = settings.is_to_prove(result.status), None
    if result.certificate and result.certificate != UNSHARED and not prove:
        return result
    if result.certificate != UNSHARED:
        most = problem.limit(settings) + 1 - len(result.solutions)
        limits = limits_left(settings, watch)
        with watch.timing("prove"):
            checked = check_complete(
                problem, result.solutions, solvers, limits, most=most, prove=prove
            )
        if checked.missing:
            result = search.with_missing(result, checked)
            if not result.complete:
                return replace(result, certificate=checked.certificate)
            checked = None
    if checked is None:  # nothing but the search says that these are all
        limits = limits_left(settings, watch)
        with watch.timing("prove"):
            proved, proof = prove_complete(problem, result.solutions, solvers, limits)
        checked = Checked(UNSHARED if proved.complete == "unverified" else proved, proof)
    if checked.certificate.complete == "no":
        why = f"{_solver_of(result)} found no more solutions, but no proof of that holds: "
        result = result.doubted(why + (checked.certificate.reason or ""))
    return replace(result, certificate=checked.certificate, proof=checked.proof)


def _with_conflict(
    result: Result[S], puzzle: Puzzle, solvers: Solvers, settings: Settings, watch: Stopwatch
) -> Result[S]:
    """Explain why there is no solution; a solver that is proved wrong makes the result unknown."""
    from pipeline.solving.explain import explain_conflict  # noqa: PLC0415 - seldom needed
    from pipeline.solving.solvers.pysat import Pysat  # noqa: PLC0415 - as above

    limits = limits_left(settings, watch).at_most(EXPLAIN_SECONDS)
    with watch.timing("explain"):
        try:
            conflict = explain_conflict(puzzle, solvers.shared(Pysat), limits)
        except SolverError as error:
            if result.told_certificate != "unverified":
                return result
            why = f"{_solver_of(result)} was wrong: {error}"
            return replace(result.doubted(why), certificate=Certificate("no", reason=why))
    return replace(result, conflict=conflict, message=conflict.message if conflict else None)


def compared(result: Result, puzzle: Puzzle, claimed: str | None, signs: str) -> Result:
    """Add what is wrong with the solution beside the puzzle, if there is one and anything is.

    `claimed` is one line: digits, numbers, or `signs` of the values 1, 2, ….
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
