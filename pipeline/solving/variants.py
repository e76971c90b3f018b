"""Solve a variant by a short exhaustive search, and let a SAT solver confirm its result.

The search decides most variants in a few milliseconds, even some on which solvers spend minutes. To
confirm its outcome is less work for the solver: it takes each solution as assumptions, excludes it
by a clause, and must report at the end that the clauses are unsatisfiable. So two programs agree,
as when the search checks the answer of a solver. If the search stops because it has found enough
solutions, no solver is needed, because the list does not claim to be complete.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress
from math import inf
from typing import TYPE_CHECKING, cast

from pipeline.errors import LimitReached
from pipeline.limits import Limits
from pipeline.puzzle.puzzle import Grid
from pipeline.solving.cnf import Cnf, Unknown, Unsat
from pipeline.solving.complete import (
    MAX_PROVED_SOLUTIONS,
    SEARCH_CERTIFICATE,
    TOO_LARGE_CERTIFICATE,
    search_missing,
    search_seconds,
)
from pipeline.solving.enumeration import check_memory
from pipeline.solving.problem import S
from pipeline.solving.result import Certificate, Result, SolverUsed, limits_left
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.pysat import Pysat

if TYPE_CHECKING:
    from pipeline.solving.cdcl import Cdcl
    from pipeline.solving.one import Search

FIRST_SEARCH_SECONDS = 0.3
"""CPU seconds of the search before a solver is asked: enough for 152 of 167 published examples."""

WALL_SECONDS = 0.02
"""Wall time at the start of the search that counts as CPU time, in seconds."""

MAX_CONFLICTS = 1_000_000
"""Maximum number of conflicts in which the solver confirms the outcome of a search: some 20 seconds
for a 9×9 puzzle. Published examples need up to 320,000.
"""

# Tried and dropped: to refute the branches of the search one after another as assumptions, and to
# add their cores as clauses. Few puzzles got fewer conflicts; those with thousands of branches took
# up to 15 times as long (glucose4: 60 ms without, 932 ms with 30,000 branches).


def search_first(search: Search[S], solvers: Solvers) -> Result[S] | None:
    """Search a variant exhaustively for a short time, and let a SAT solver confirm the result.

    The solver is `cdcl` if it is compiled, else PySAT. If it cannot confirm within its limits, the
    certificate is `unverified`. With `trust_solver`, it is not asked.

    Returns None if the search did not end, or if the SAT solver contradicts it; then the solvers
    must answer. Raises LimitReached if the CNF is too large, and SolverError or EnvironmentFailure
    if PySAT fails.
    """
    problem, settings, watch = search.problem, search.settings, search.watch
    count = problem.solutions_to_find(settings)
    limits = limits_left(settings, watch)
    with watch.timing("prove"):
        search.exhaustive = exhaustive = problem.open_search(
            min(search_seconds(problem), (limits.seconds - limits.spent) / 2)
        )
        assert exhaustive  # noqa: S101 - the problem is a variant
        exhaustive.clock = _cpu_clock(FIRST_SEARCH_SECONDS, limits.seconds - limits.spent)
        checked = search_missing(
            problem, (), count, limits.at_most(FIRST_SEARCH_SECONDS), exhaustive
        )
        exhaustive.clock = time.monotonic
    if checked is None or checked.undecided:
        return None
    solutions = cast("tuple[S, ...]", checked.missing)
    is_complete = len(solutions) < count
    used = SolverUsed("exhaustive-search", None)
    certificate = None
    if settings.keep_cnf:
        search.encode()
    if is_complete and not settings.trust_solver:
        from pipeline.solving import cdcl  # noqa: PLC0415 - loads numpy

        confirmer, start = cdcl.machine_code() or solvers.get_shared(Pysat), time.monotonic()
        confirmed = _confirm(search, solutions, confirmer)
        if isinstance(confirmer, Pysat):  # after some seconds of it, machine code is compiled
            cdcl.loader.add_seconds(time.monotonic() - start)
        match confirmed:
            case True:
                used = SolverUsed(confirmer.name, confirmer.version)
            case False:
                return None
            case Unknown(reason):
                used = replace(used, fallback=f"{confirmer.name} gave up: {reason}")
                reason = f"only the exhaustive search ended: {reason}"
                certificate = Certificate("unverified", reason=reason)
    for solution in solutions:
        search.report(solution)
    result = search.result(solutions, Unsat() if is_complete else None, used)
    return replace(result, certificate=certificate)


def _cpu_clock(seconds: float, remaining: float) -> Callable[[], float]:
    """A clock that returns the CPU seconds of this thread, up to WALL_SECONDS fast.

    It returns wall time until WALL_SECONDS and `seconds` of it have passed, because the system call
    for CPU time may take milliseconds in sandboxes. After `remaining` seconds of wall time it
    returns infinity: the time limit is reached, however little CPU time this thread got.
    """
    begin = time.monotonic()
    ahead: float | None = None  # seconds by which this clock is ahead of CPU time

    def clock() -> float:
        nonlocal ahead
        passed = time.monotonic() - begin
        if passed >= remaining:
            return inf
        if ahead is None and passed >= WALL_SECONDS:
            ahead = passed - time.thread_time()
        return passed if passed < seconds or ahead is None else time.thread_time() + ahead

    return clock


def _confirm(search: Search[S], solutions: Sequence[S], confirmer: Cdcl | Pysat) -> bool | Unknown:
    """Whether a solver agrees that these are the only solutions.

    Models are not compared: each solution is certified, so a wrong `satisfiable` cannot add one.
    """
    try:
        cnf, limits = search.encode(), limits_left(search.settings, search.watch)
    except LimitReached as error:
        limits = limits_left(search.settings, search.watch)
        if limits.seconds > limits.spent:  # it is too large, whatever the time
            raise
        return Unknown(str(error))
    queries = list[list[int]]()
    for grid in cast("Sequence[Grid]", solutions):
        query = _candidates_of(grid, cnf)
        if query is None:
            return False
        queries.append(query)
    with search.watch.timing("solve"):
        try:
            check_memory(cnf, limits)
            return confirmer.confirm(cnf, queries, limits, MAX_CONFLICTS)
        except LimitReached as error:
            return Unknown(str(error))


def _candidates_of(grid: Grid, cnf: Cnf) -> list[int] | None:
    """The variables of the candidates of a grid; None if the CNF excludes one of them."""
    chosen = {(*grid.geometry.place(cell), value) for cell, value in enumerate(grid.values)}
    is_chosen = map(chosen.__contains__, cnf.candidates.values())
    variables = [*compress(cnf.candidates, is_chosen)]
    return variables if len(variables) + len(chosen & {*cnf.fixed}) == len(chosen) else None


def search_alone(search: Search[S], reason: str) -> Result[S] | None:
    """Search a variant that cannot be encoded. `reason`: why it cannot.

    Returns None if no time is left, or if the search is cut short and finds nothing.
    """
    limits = limits_left(search.settings, search.watch)
    if limits.seconds <= limits.spent:
        return None
    unknown: Result[S] = Result("unknown", (), False, reason, search.problem)
    result = _search(search, unknown, limits, reason, TOO_LARGE_CERTIFICATE)
    return None if result is unknown else result


def continue_result(search: Search[S], result: Result[S], reason: str) -> Result[S]:
    """Continue with the exhaustive search after a solver gave up. `reason`: why it did.

    If the search ends, nothing else confirms that there are no other solutions, so the certificate
    is SEARCH_CERTIFICATE, and a proof is tried.
    """
    limits = limits_left(search.settings, search.watch)
    limits = limits.at_most(search_seconds(search.problem))
    fallback = f"{result.solver_name} gave up: {reason}"
    return _search(search, result, limits, fallback, SEARCH_CERTIFICATE)


def _search(
    search: Search[S],
    result: Result[S],
    limits: Limits,
    fallback: str,
    certificate: Certificate,
) -> Result[S]:
    """Search exhaustively, and add the solutions that are found to a result.

    - `fallback`: why the search runs instead of a solver.
    - `certificate`: the certificate of the new result if the search ends.

    Returns `result` itself if the search is cut short and finds nothing.
    """
    problem = search.problem
    count = min(problem.solutions_to_find(search.settings), MAX_PROVED_SOLUTIONS)
    max_missing = count - len(result.solutions)
    with search.watch.timing("prove"):
        checked = search_missing(problem, result.solutions, max_missing, limits, search.exhaustive)
    missing = cast("tuple[S, ...]", checked.missing if checked else ())
    is_all = checked is not None and checked.undecided is None and len(missing) < max_missing
    if not (is_all or missing):
        return result
    for solution in missing:
        search.report(solution)
    used = SolverUsed("exhaustive-search", None, fallback)
    if result.solver and result.solutions and not missing:
        used = result.solver
    verdict = Unsat() if is_all else Unknown(result.message or "")
    continued = search.result([*result.solutions, *missing], verdict, used)
    return replace(continued, certificate=certificate if is_all else None)
