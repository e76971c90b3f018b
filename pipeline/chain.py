"""The chain on one screen: Problem → Cnf → Answer → solution → Result with its evidence.

It is the same for puzzles and for formulas. Every solution is certified, and each solver is the
fallback of the one before. A problem that no solver could answer is a Result too; only a failing
environment raises.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, assert_never

from pipeline.certify import certify_grid, clashing_givens
from pipeline.certify.formula import Formula
from pipeline.cnf import Cnf, Sat, Unknown, Unsat
from pipeline.errors import EnvironmentFailure, LimitReached, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.problem import Problem, PuzzleProblem, S
from pipeline.puzzle import Grid, Puzzle
from pipeline.result import Certificate, Proof, Result, SolverUsed, Status, Stopwatch, limits_left
from pipeline.settings import Settings
from pipeline.solvers import Solvers
from pipeline.solvers.asking import HANDED_OVER, Relay, answers

if TYPE_CHECKING:
    from pipeline.certify.formula import Core
    from pipeline.solvers.pysat import Engine


EXPLAIN_SECONDS = 2.0
"""The longest that explaining why there is no solution may take."""

_IS_NONE = "the solution beside it is none"
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
    why, planned = solvers.fallback, True
    result: Result[S] | None = None
    for solver in solvers.chain:
        relay = solvers.relay(solver)
        try:
            answered = search.collect(relay)
        except LimitReached as error:
            return Result("unknown", (), False, str(error), problem, seconds=watch.seconds())
        except (SolverError, EnvironmentFailure) as error:
            if isinstance(error, EnvironmentFailure) and solver is solvers.chain[-1]:
                raise
            why, planned = str(error), False
            continue
        found = cross_checked(search.result(answered, _used(relay, why, planned)), search, solvers)
        result = with_evidence(found, solvers, settings, watch, explain=explain)
        if result.complete or not found.complete:
            return result
        why, planned = result.message, False  # another solver may do better
    return result or Result("failed", (), None, why, problem, search.kept, seconds=watch.seconds())


def _used(relay: Relay, why: str | None, planned: bool) -> SolverUsed:
    """The solver that answered; `why` says why it was asked at all."""
    if why is None and relay.by is not relay.first:
        why = f"{relay.first.name} found the first {HANDED_OVER} solutions"
    return SolverUsed(relay.by.name, relay.by.version, why, planned and why is not None)


class Search(Generic[S]):
    """The search for one problem's solutions; all solvers that are asked share its time."""

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
        self._cnf: Cnf | None = None

    @property
    def kept(self) -> Cnf | None:
        return self._cnf if self.problem.is_encoded else None

    def collect(self, relay: Relay) -> Found[S]:
        """Collect the solutions that are found, up to one more than are asked for.

        Raises LimitReached if the CNF is too large, SolverError for a model that is not a
        solution.
        """
        wanted = self.problem.wanted(self.settings)
        solutions: list[S] = []
        with closing(self.stream(relay)) as stream:
            for each in stream:
                if isinstance(each, (Unsat, Unknown)):
                    return Found(solutions, each)
                solutions.append(each)
                self._show(each)
                if len(solutions) == wanted:
                    break
        return Found(solutions, None)

    def stream(self, relay: Relay) -> Generator[S | Unsat | Unknown, None, None]:
        """Yield each solution when it is found and certified, then what ended the search."""
        cnf = self._encoded()
        limits = limits_left(self.settings, self.watch)
        with closing(answers(cnf, relay, limits)) as stream:
            while True:
                with self.watch.timing("solve"):
                    answer = next(stream)
                if not isinstance(answer, Sat):
                    yield answer
                    return
                with self.watch.timing("decode"):
                    solution = self.problem.decode(answer.model, cnf)
                with self.watch.timing("certify"):
                    fault = self.problem.fault(solution, relay.by.name)
                if fault:
                    raise SolverError(fault)
                yield solution

    def result(self, found: Found[S], used: SolverUsed) -> Result[S]:
        """Derive status, order and message from how a search ended."""
        limit, noun = self.problem.limit(self.settings), self.problem.noun
        shown = found.solutions[:limit]
        more = more_than(limit, noun)
        message: str | None = more
        status: Status = "multiple"
        complete: bool | None = False
        match found.ended:
            case None if self.problem.wanted(self.settings) == limit:
                status, complete, message = "solved", None, None
            case None:
                pass
            case Unsat() if len(found.solutions) > limit:
                pass
            case Unsat():
                shown, complete, message = sorted(shown), True, None
                status = "unsolvable" if not shown else "unique" if len(shown) == 1 else "multiple"
            case Unknown(reason):
                status = "multiple" if len(found.solutions) > 1 else "unknown"
                message = more if len(found.solutions) > limit else reason
            case _:
                assert_never(found.ended)
        return Result(
            status,
            tuple(shown),
            complete,
            message,
            self.problem,
            self.kept,
            used,
            seconds=self.watch.seconds(),
        )

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


@dataclass(frozen=True, slots=True)
class Found(Generic[S]):
    """The certified solutions of a search, and what ended it; None if there were enough."""

    solutions: Sequence[S]
    ended: Unsat | Unknown | None


def more_than(limit: int, noun: str) -> str:
    return f"there are more {noun}s than the {limit} asked for"


def is_chosen(puzzle: Puzzle, share: float) -> bool:
    """Whether a puzzle is in the share (0 to 1) that is cross-checked: always the same ones."""
    if not 0 < share < 1:
        return share >= 1
    return zlib.crc32(repr(puzzle.cells).encode()) < share * 2**32


def cross_checked(result: Result[S], search: Search[S], solvers: Solvers) -> Result[S]:
    """Ask a second solver too, if the puzzle is among those chosen, and merge what it finds.

    A certified grid beats a solver's claim that there is no other. If the second solver fails or
    gives up, nothing changes.
    """
    problem, used = search.problem, result.solver
    if not result.complete or used is None or not isinstance(problem, PuzzleProblem):
        return result
    if not is_chosen(problem.puzzle, search.settings.cross_check):
        return result
    other = solvers.other_than(used.name)
    try:
        second = search.collect(Relay(other))
    except (SolverError, EnvironmentFailure, LimitReached):
        return result
    known, found = set(result.solutions), set(second.solutions)
    missed = [solution for solution in second.solutions if solution not in known]
    if not missed:
        return result
    finder = other.name if other.name != used.name else f"{other.name} {other.version}"
    why = f"{used.name} missed a solution that {finder} found"
    ended = second.ended if known <= found else Unknown(why)
    return search.result(
        Found([*result.solutions, *missed], ended), SolverUsed(other.name, other.version, why)
    )


def with_evidence(
    result: Result[S],
    solvers: Solvers,
    settings: Settings,
    watch: Stopwatch,
    *,
    explain: bool = True,
) -> Result[S]:
    """The result with its certificate, and with why there is no solution, or several.

    A result that claims to be complete and proves not to be becomes `Result.doubted`.
    """
    problem = result.problem
    assert problem  # noqa: S101
    if isinstance(problem, PuzzleProblem):
        if result.status == "unsolvable" and explain:
            result = _with_conflict(result, problem.puzzle, solvers, settings, watch)
        elif result.status == "unsolvable":
            clash = clashing_givens(problem.puzzle)
            result = replace(result, message=clash.message) if clash else result
        elif explain and len(result.solutions) > 1 and result.status == "multiple":
            result = _with_difference(result, watch)
    certificate, proof = Certificate("claimed" if result.complete else "no"), None
    if result.complete and settings.is_to_prove(result.status):
        with watch.timing("prove"):
            limits = limits_left(settings, watch)
            certificate, proof = prove_complete(problem, result.solutions, solvers, limits)
    if result.complete and certificate.complete == "no":
        result = result.doubted(
            f"no proof that there are no more solutions holds: {certificate.reason}"
        )
    return replace(result, certificate=certificate, proof=proof, seconds=watch.seconds())


def _with_conflict(
    result: Result[S], puzzle: Puzzle, solvers: Solvers, settings: Settings, watch: Stopwatch
) -> Result[S]:
    """Explain why there is no solution; a solver that is proved wrong makes the result unknown."""
    from pipeline.explain import Explainer, explain_conflict  # noqa: PLC0415 - seldom needed

    limits = limits_left(settings, watch).at_most(EXPLAIN_SECONDS)
    with watch.timing("explain"):
        try:
            conflict = explain_conflict(puzzle, solvers.shared(Explainer), limits)
        except SolverError as error:
            why = f"{result.solver.name if result.solver else 'a solver'} was wrong: {error}"
            return replace(result, status="unknown", complete=False, message=why)
    return replace(result, conflict=conflict, message=conflict.message if conflict else None)


def _with_difference(result: Result[Any], watch: Stopwatch) -> Result[Any]:
    from pipeline.explain import explain_difference  # noqa: PLC0415 - seldom needed

    with watch.timing("explain"):
        return replace(result, difference=explain_difference(result.solutions))


CLAUSE_BYTES, LITERAL_BYTES = 150, 60
"""Memory of a formula, for each clause and literal, with the index that `core_of` makes."""

CLAUSE_SECONDS = 1e-6
"""The least time for stating and indexing a clause. This work does not check the clock, so it is
not begun if there is not enough time for it."""

CHECKED_BYTES = 700
"""Memory of each clause while a proof is checked."""


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
    from pipeline.certify.proof import ProofRejected, ProofTimeout  # noqa: PLC0415 - slow to load
    from pipeline.solvers.pysat import ENGINES, Exhausted, Satisfiable  # noqa: PLC0415

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
            return _proved(core, engine, solvers, limits.until(deadline))
        except Satisfiable as error:
            return Certificate("no", reason=str(error)), None
        except (Exhausted, ProofTimeout) as error:
            reason = str(error)
        except (ProofRejected, SolverError, EnvironmentFailure) as error:
            doubts.append(f"{engine}: {error}")
        if not deadline.left():
            reason = limits.out_of_time
            break
    if reason:
        return Certificate("claimed", reason=reason), None
    return Certificate("no", reason="; ".join(doubts)), None


def _proved(
    core: Core, engine: Engine, solvers: Solvers, limits: Limits
) -> tuple[Certificate, str]:
    """Have an engine refute a core, and its proof checked. Raises what either does."""
    from pipeline.certify.proof import REFUTED, check_core  # noqa: PLC0415 - as above
    from pipeline.solvers.pysat import Prover  # noqa: PLC0415

    deadline = Deadline.of(limits)
    name, text = "unit propagation", REFUTED
    if not core.is_refuted:
        name, text = engine, solvers.shared(Prover).prove(core.remaining, limits, engine)
    checked = check_core(core, text, deadline.left())
    return Certificate("proved", name, checked.checker, checked.steps), text


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
