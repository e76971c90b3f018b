"""Seconds that solvers take for the same clauses, side by side, and whether their answers hold."""

from __future__ import annotations

import shutil
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from pipeline.errors import EnvironmentFailure, LimitReached, SolverError, SolverMissing, UsageError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.clauses import PackedClauses
from pipeline.settings import Settings
from pipeline.solving.cnf import Cnf, Family, Sat, Unsat
from pipeline.solving.items import Item
from pipeline.solving.one import LEAST_BYTES, VARIABLE_BYTES
from pipeline.solving.problem import Problem
from pipeline.solving.result import Status
from pipeline.solving.solvers import LACKING, Solver
from pipeline.solving.solvers.minisat import Minisat
from pipeline.solving.solvers.pysat import Pysat, engine_names

PROGRAM = "minisat"
"""The solver that is a program; all others are PySAT's."""

_TRIVIAL = Cnf(None, "none", 1, (Family("clauses", 1, ((1,),)),), {})
_READY_SECONDS = 10.0
"""More than a solver takes to be loaded, on top of its limit."""


@dataclass(frozen=True, slots=True)
class Timed:
    """The seconds that a solver took, or why its answer does not count.

    `found` solutions are certified. `is_ended`: it claims that there are no more, which is not
    checked.
    """

    solver: str
    seconds: float | None = None
    found: int = 0
    is_ended: bool = False
    failure: Literal["timeout", "memory", "failed", "wrong"] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Benched:
    """A problem of a source with the time of each solver, or the reason why it was not solved."""

    name: str
    line: int | None
    variables: int = 0
    clauses: int = 0
    runs: tuple[Timed, ...] = ()
    reason: str | None = None

    @property
    def where(self) -> str:
        return f"{self.name}:{self.line}" if self.line else self.name

    @property
    def status(self) -> Status:
        """The answer of the solvers together; `solved` if no other solution was looked for."""
        found = max((run.found for run in self.runs), default=0)
        is_ended = any(run.is_ended for run in self.runs)
        if found > 1:
            return "multiple"
        if found:
            return "unique" if is_ended else "solved"
        return "unsolvable" if is_ended else "unknown"


def solvers_named(names: Sequence[str], minisat: str | None = None) -> dict[str, Solver]:
    """The solvers by their names, of which none has been started yet.

    `minisat` is the program of that name. Raises UsageError for a name that there is not,
    SolverMissing if minisat is not installed.
    """
    found: dict[str, Solver] = {}
    for name in names:
        if name in found:
            raise UsageError(f"the solver {name} is named twice")
        if name == PROGRAM:
            program = shutil.which(minisat or PROGRAM)
            if program is None:
                raise SolverMissing(f"{LACKING}; leave it out, or name its program")
            found[name] = Minisat(program)
        elif name in (known := engine_names()):
            found[name] = Pysat(name, waits=True)
        else:
            expected = ", ".join((PROGRAM, *known))
            raise UsageError(f"there is no solver {name!r}; expected some of {expected}")
    if not found:
        raise UsageError("no solver is named")
    return found


def bench(
    items: Iterable[Item], solvers: dict[str, Solver], settings: Settings, *, unique: bool = False
) -> Iterator[Benched]:
    """Have each problem solved by each solver, as `api.bench` says; close them at the end."""
    with ExitStack() as stack:
        for solver in solvers.values():
            stack.enter_context(closing(solver))
        for item in items:
            if item.problem is None:
                yield Benched(item.name, item.line, reason=item.reason)
            else:
                yield _benched(item, item.problem, solvers, settings, unique=unique)


def _benched(
    item: Item, problem: Problem, solvers: dict[str, Solver], settings: Settings, *, unique: bool
) -> Benched:
    limits = Limits(settings.timeout, settings.memory_limit)
    try:
        cnf = _generated(problem.encode(settings.encoding, limits), limits)
    except (LimitReached, ValueError) as error:
        return Benched(item.name, item.line, reason=str(error))
    runs = [_timed(name, each, problem, cnf, limits, unique) for name, each in solvers.items()]
    variables = len(cnf.candidates) + cnf.auxiliary or cnf.variables
    return Benched(item.name, item.line, variables, cnf.size, _compared(runs))


def _generated(cnf: Cnf, limits: Limits) -> Cnf:
    """The CNF with its clauses in arrays: none is generated while a solver is timed."""
    limits.allow(max(cnf.size * LEAST_BYTES, cnf.variables * VARIABLE_BYTES))
    deadline, families = Deadline.of(limits), []
    for family in cnf.families:
        clauses = family.clauses
        if not isinstance(clauses, PackedClauses):
            numbers = chain.from_iterable((*clause, 0) for clause in deadline.watch(clauses))
            clauses = PackedClauses(array("i", numbers).tobytes())
        families.append(replace(family, clauses=clauses))
    return replace(cnf, families=tuple(families))


def _timed(
    name: str, solver: Solver, problem: Problem, cnf: Cnf, limits: Limits, unique: bool
) -> Timed:
    """Ask for a solution and, if `unique`, for another; measure from a question to its answer."""
    seconds, found = 0.0, list[object]()
    try:
        _make_ready(solver, limits)
        with solver.open(cnf, limits) as session:
            start = time.perf_counter()
            while isinstance(answer := session.solve(), Sat):
                seconds += time.perf_counter() - start
                solution, fault = _certified(answer, problem, cnf, name)
                if fault is None and solution in found:
                    fault = f"{name} found a solution again that was blocked"
                if fault:
                    return Timed(name, failure="wrong", reason=fault)
                found.append(solution)
                if len(found) == 1 + unique:
                    return Timed(name, seconds, len(found))
                start = time.perf_counter()
                session.add(cnf.blocking(answer.model))
            seconds += time.perf_counter() - start
    except (SolverError, EnvironmentFailure) as error:
        return Timed(name, found=len(found), failure="failed", reason=str(error))
    if isinstance(answer, Unsat):
        return Timed(name, seconds, len(found), is_ended=True)
    failure: Literal["timeout", "memory"]
    failure = "memory" if answer.reason == limits.out_of_memory else "timeout"
    return Timed(name, found=len(found), failure=failure, reason=answer.reason)


def _make_ready(solver: Solver, limits: Limits) -> None:
    """Start the solver, and have it answer once: that it had to be loaded is not measured."""
    solver.warm(limits)
    with solver.open(_TRIVIAL, replace(limits, spent=-_READY_SECONDS)) as session:
        session.solve()


def _certified(answer: Sat, problem: Problem, cnf: Cnf, name: str) -> tuple[object, str | None]:
    """The solution that a model stands for, and what is wrong with it, if anything is."""
    try:
        solution = problem.decode(answer.model, cnf)
    except SolverError as error:
        return None, str(error)
    return solution, problem.fault(solution, name)


def _compared(runs: Sequence[Timed]) -> tuple[Timed, ...]:
    """The same; a solver is wrong that claims there are no more, where another has found more."""
    best = max(runs, key=lambda run: run.found)
    return tuple(
        Timed(
            run.solver,
            failure="wrong",
            reason=f"{run.solver} found {run.found} and no more, but {best.solver} {best.found}",
        )
        if run.is_ended and run.found < best.found
        else run
        for run in runs
    )
