"""Benchmark SAT solvers: all get the same clauses, and their answers are certified."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Literal

from pipeline.errors import EnvironmentFailure, LimitReached, SolverError, SolverMissing, UsageError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.clauses import PackedClauses
from pipeline.settings import Settings
from pipeline.solving.cnf import Cnf, Family, Sat, Unsat
from pipeline.solving.enumeration import MIN_CLAUSE_BYTES, VARIABLE_BYTES
from pipeline.solving.items import Item
from pipeline.solving.problem import Problem
from pipeline.solving.result import Status
from pipeline.solving.solvers import MINISAT_MISSING, Solver
from pipeline.solving.solvers.minisat import Minisat
from pipeline.solving.solvers.pysat import Pysat, engine_names

MINISAT = "minisat"
"""The name of the only solver that is not a PySAT engine."""

_TRIVIAL_CNF = Cnf(None, "none", 1, (Family("clauses", 1, ((1,),)),), {})
"""A formula with one clause, which every solver solves before it is timed."""

_LOADING_SECONDS = 10.0
"""Seconds for loading a solver, in addition to its time limit."""


@dataclass(frozen=True, slots=True)
class SolverRun:
    """The time of one solver on one problem, or why the solver failed.

    - `solution_count`: the number of certified solutions.
    - `says_complete`: whether the solver reported that there are no more solutions. Nothing
      verifies this report.
    """

    solver: str
    seconds: float | None = None
    solution_count: int = 0
    says_complete: bool = False
    failure: Literal["timeout", "memory", "failed", "wrong"] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class BenchResult:
    """A problem, with a `SolverRun` for each solver or the reason why no solver was run."""

    name: str
    line: int | None
    variables: int = 0
    clauses: int = 0
    runs: tuple[SolverRun, ...] = ()
    reason: str | None = None

    @property
    def where(self) -> str:
        """The name of the source, with the line of a puzzle in a collection."""
        return f"{self.name}:{self.line}" if self.line else self.name

    @property
    def status(self) -> Status:
        """The combined answer of the solvers; `solved` if none searched for a second solution."""
        count = max((run.solution_count for run in self.runs), default=0)
        says_complete = any(run.says_complete for run in self.runs)
        if count > 1:
            return "multiple"
        if count:
            return "unique" if says_complete else "solved"
        return "unsolvable" if says_complete else "unknown"


def solvers_named(names: Sequence[str], minisat: str | None = None) -> dict[str, Solver]:
    """Create the solvers with these names, without starting them. Maps name to solver.

    `minisat` is the path of that program. Raises UsageError for an unknown or repeated name, and
    SolverMissing if minisat is not installed.
    """
    solvers: dict[str, Solver] = {}
    for name in names:
        if name in solvers:
            raise UsageError(f"the solver {name} is named twice")
        if name == MINISAT:
            program = shutil.which(minisat or MINISAT)
            if program is None:
                raise SolverMissing(f"{MINISAT_MISSING}; leave it out, or name its program")
            solvers[name] = Minisat(program)
        elif name in (engines := engine_names()):
            solvers[name] = Pysat(name, waits=True)
        else:
            expected = ", ".join((MINISAT, *engines))
            raise UsageError(f"--solvers: unknown solver {name!r}; expected one of {expected}")
    if not solvers:
        raise UsageError("no solver is named")
    return solvers


def bench(
    items: Iterable[Item], solvers: dict[str, Solver], settings: Settings, *, unique: bool = False
) -> Iterator[BenchResult]:
    """Solve each problem with each solver, as `api.bench` does. Closes the solvers at the end."""
    with ExitStack() as stack:
        for solver in solvers.values():
            stack.enter_context(closing(solver))
        for item in items:
            if item.problem is None:
                yield BenchResult(item.name, item.line, reason=item.reason)
            else:
                yield _run_solvers(item, item.problem, solvers, settings, unique=unique)


def _run_solvers(
    item: Item, problem: Problem, solvers: dict[str, Solver], settings: Settings, *, unique: bool
) -> BenchResult:
    """Run all solvers on the CNF of a problem."""
    limits = Limits(settings.timeout, settings.memory_limit)
    try:
        cnf = _pack(problem.encode(settings.encoding, limits), limits)
    except (LimitReached, ValueError) as error:
        return BenchResult(item.name, item.line, reason=str(error))
    runs = [
        _time_solver(name, solver, problem, cnf, limits, unique) for name, solver in solvers.items()
    ]
    variables = len(cnf.candidates) + cnf.auxiliary or cnf.variables
    return BenchResult(item.name, item.line, variables, cnf.size, _cross_check(runs))


def _pack(cnf: Cnf, limits: Limits) -> Cnf:
    """Pack the lazy clauses of a CNF, so that no clause is generated while a solver is timed."""
    limits.check_memory(max(cnf.size * MIN_CLAUSE_BYTES, cnf.variables * VARIABLE_BYTES))
    deadline, families = Deadline.of(limits), []
    for family in cnf.families:
        clauses = family.clauses
        if not isinstance(clauses, PackedClauses):
            clauses = PackedClauses.of(deadline.watch(clauses))
        families.append(replace(family, clauses=clauses))
    return replace(cnf, families=tuple(families))


def _time_solver(
    name: str, solver: Solver, problem: Problem, cnf: Cnf, limits: Limits, unique: bool
) -> SolverRun:
    """Time how a solver finds a solution and, if `unique`, searches for a second one.

    The time is the sum of all calls of `Session.solve`.
    """
    seconds, solutions = 0.0, list[object]()
    try:
        _load_solver(solver, limits)
        with solver.open(cnf, limits) as session:
            start = time.perf_counter()
            while isinstance(answer := session.solve(), Sat):
                seconds += time.perf_counter() - start
                solution, fault = _check_model(answer, problem, cnf, name)
                if fault is None and solution in solutions:
                    fault = f"{name} repeated a solution that was blocked"
                if fault:
                    return SolverRun(name, failure="wrong", reason=fault)
                solutions.append(solution)
                if len(solutions) == 1 + unique:
                    return SolverRun(name, seconds, len(solutions))
                start = time.perf_counter()
                session.add(cnf.blocking(answer.model))
            seconds += time.perf_counter() - start
    except (SolverError, EnvironmentFailure) as error:
        return SolverRun(name, solution_count=len(solutions), failure="failed", reason=str(error))
    if isinstance(answer, Unsat):
        return SolverRun(name, seconds, len(solutions), says_complete=True)
    failure: Literal["timeout", "memory"]
    failure = "memory" if answer.reason == limits.memory_message else "timeout"
    return SolverRun(name, solution_count=len(solutions), failure=failure, reason=answer.reason)


def _load_solver(solver: Solver, limits: Limits) -> None:
    """Start the solver and solve a trivial formula, so that loading time is not measured."""
    solver.warm(limits)
    with solver.open(_TRIVIAL_CNF, replace(limits, spent=-_LOADING_SECONDS)) as session:
        session.solve()


def _check_model(answer: Sat, problem: Problem, cnf: Cnf, name: str) -> tuple[object, str | None]:
    """Decode and check a model. Returns the solution, or None if decoding fails, and its fault."""
    try:
        solution = problem.decode(answer.model, cnf)
    except SolverError as error:
        return None, str(error)
    return solution, problem.fault(solution, name)


def _cross_check(runs: Sequence[SolverRun]) -> tuple[SolverRun, ...]:
    """Mark each run as wrong that reported no more solutions although another run found more."""
    best = max(runs, key=lambda run: run.solution_count)
    return tuple(
        SolverRun(
            run.solver,
            failure="wrong",
            reason=(
                f"{run.solver} found only {run.solution_count}, "
                f"but {best.solver} found {best.solution_count}"
            ),
        )
        if run.says_complete and run.solution_count < best.solution_count
        else run
        for run in runs
    )
