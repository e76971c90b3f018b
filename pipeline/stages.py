"""The chain on one screen: bytes → Puzzle → Cnf → Answer → Grid → Result.

A bad puzzle is a Result, and so is a puzzle that no solver could answer. Only the surroundings
raise.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import assert_never

from pipeline.beside import compared
from pipeline.certify import certify_grid
from pipeline.cnf import Answer, Cnf, Sat, Unknown, Unsat, decode_model
from pipeline.encode import encode_puzzle
from pipeline.errors import EnvironmentFailure, InvalidPuzzle, LimitReached, SolverError
from pipeline.evidence import Certificate, doubt, prove_complete
from pipeline.formulas import is_formula, solve_clauses
from pipeline.parse import Parsed, made, parse_source
from pipeline.puzzle import Grid, Puzzle
from pipeline.result import Result, SolverUsed, Status, Stopwatch, limits_left, unproved
from pipeline.settings import Settings
from pipeline.solve import BEYOND_LANES, Solver, Solvers, answers

OnGrid = Callable[[Grid], None]

EXPLAIN_SECONDS = 2.0
"""What finding out why there is no solution may take at most."""


parse_once = lru_cache(maxsize=1)(parse_source)
"""A file is parsed to see whether it is all there, and again when it is claimed."""


@dataclass(frozen=True, slots=True)
class _Search:
    """The certified grids found, and what ended the search; None if it was cut."""

    grids: list[Grid]
    ended: Unsat | Unknown | None


def solve_source(data: bytes, source: str, solvers: Solvers, settings: Settings) -> Result:
    """The whole chain for the bytes of one file; `source` names it in messages.

    Raises EnvironmentFailure.
    """
    if is_formula(data, settings):
        return solve_clauses(data, source, solvers, settings)
    watch = Stopwatch()
    try:
        with watch.timing("parse"):
            parsed = parse_once(data, source, *settings.reading)
    except InvalidPuzzle as error:
        return Result("invalid", message=str(error), seconds=watch.seconds())
    return compared(solve_parsed(parsed, solvers, settings, watch))


def solve_puzzle(
    puzzle: Puzzle, settings: Settings | None = None, on_grid: OnGrid | None = None
) -> Result:
    """Solve a puzzle: its status and solutions, each certified.

    `on_grid` is called with each as it is found. Raises SolverMissing for a solver that is
    asked for and not installed, EnvironmentFailure where no solver could work.
    """
    chosen = settings or Settings()
    with Solvers(chosen.solver, chosen.minisat) as solvers:
        return solve_parsed(made(puzzle), solvers, chosen, Stopwatch(), on_grid)


def solve_parsed(
    parsed: Parsed,
    solvers: Solvers,
    settings: Settings,
    watch: Stopwatch,
    on_grid: OnGrid | None = None,
    *,
    explain: bool = True,
) -> Result:
    """The chain behind the parser, each solver being the fallback of the one before.

    `explain`: add what shows the result to be right, and what a person wants to know of it.
    Puzzles that are to be explained go to lanes first where these are chosen and can take them.
    """
    fallback = _why_not_lanes(parsed.puzzle, settings) or solvers.lacking
    if settings.solver == "lanes" and explain and not fallback:
        from pipeline.batches import solve_by_lanes  # noqa: PLC0415 - it imports this module

        return solve_by_lanes(parsed, solvers, settings, watch, on_grid)
    try:
        with watch.timing("encode"):
            limits = limits_left(settings, watch)
            cnf = encode_puzzle(parsed.puzzle, settings.encoding, limits=limits)
    except LimitReached as error:
        return Result("unknown", (), False, str(error), parsed, seconds=watch.seconds())
    chain = _Chain(parsed.puzzle, cnf, settings, watch, on_grid)
    for solver in solvers.chain:
        try:
            search = chain.search(solver)
        except (SolverError, EnvironmentFailure) as error:
            if isinstance(error, EnvironmentFailure) and solver is solvers.chain[-1]:
                raise
            fallback = str(error)
            continue
        used = SolverUsed(solver.name, solver.version, fallback)
        if is_chosen(parsed.puzzle, settings.cross_check):
            search, used = chain.cross_check(search, used, solvers.other_than(solver))
        result = _result(search, parsed, cnf, used, settings, watch)
        if not explain:
            return result
        shown = with_evidence(result, solvers, settings, watch)
        if not result.complete or shown.complete or solver is solvers.chain[-1]:
            return shown
        fallback = shown.message  # what it says is not true: somebody else may know better
    return Result("failed", (), None, fallback, parsed, cnf, seconds=watch.seconds())


def _why_not_lanes(puzzle: Puzzle, settings: Settings) -> str | None:
    """Why lanes, where they are chosen, are not asked for this puzzle."""
    if settings.solver != "lanes":
        return None
    from pipeline.batches import lanes_take  # noqa: PLC0415 - it imports this module

    return None if lanes_take(puzzle.geometry, settings) else BEYOND_LANES


def more_than(most: int) -> str:
    """What is said of a puzzle with more solutions than were asked for."""
    return f"there are more solutions than the {most} asked for"


def is_chosen(puzzle: Puzzle, share: float) -> bool:
    """Whether a puzzle is among the share (0 to 1) that is cross-checked: always the same ones."""
    if not 0 < share < 1:
        return share >= 1
    return zlib.crc32(repr(puzzle.cells).encode()) < share * 2**32


class _Chain:
    """The searches for one puzzle, which share what is left of its time."""

    def __init__(
        self,
        puzzle: Puzzle,
        cnf: Cnf,
        settings: Settings,
        watch: Stopwatch,
        on_grid: OnGrid | None,
    ) -> None:
        self._puzzle = puzzle
        self._cnf = cnf
        self._settings = settings
        self._watch = watch
        self._on_grid = on_grid
        self._shown: set[Grid] = set()

    def search(self, solver: Solver) -> _Search:
        """One solver's search, each model decoded and certified.

        It goes on to one grid more than asked for, to tell whether there are more. Raises
        SolverError for a model that is no solution.
        """
        grids: list[Grid] = []
        limits = limits_left(self._settings, self._watch)
        with closing(answers(self._cnf, solver, limits)) as stream:
            while len(grids) <= self._settings.limit:
                with self._watch.timing("solve"):
                    answer: Answer = next(stream)
                if not isinstance(answer, Sat):
                    return _Search(grids, answer)
                grids.append(self._certified(answer, solver))
                self._show(grids[-1])
        return _Search(grids, None)

    def cross_check(
        self, search: _Search, used: SolverUsed, other: Solver
    ) -> tuple[_Search, SolverUsed]:
        """What stands after another solver was asked the same.

        A certified grid beats the word of a solver that there is no other. One that fails or
        gives up itself changes nothing.
        """
        if not isinstance(search.ended, Unsat):
            return search, used
        try:
            second = self.search(other)
        except (SolverError, EnvironmentFailure):
            return search, used
        found = set(search.grids)
        missed = [grid for grid in second.grids if grid not in found]
        if not missed:
            return search, used
        finder = other.name if other.name != used.name else f"{other.name} {other.version}"
        why = f"{used.name} missed a solution that {finder} found"
        ended = second.ended if found <= set(second.grids) else Unknown(why)
        used = SolverUsed(other.name, other.version, why)
        return _Search([*search.grids, *missed], ended), used

    def _certified(self, answer: Sat, solver: Solver) -> Grid:
        with self._watch.timing("decode"):
            grid = decode_model(answer.model, self._cnf)
        with self._watch.timing("certify"):
            violations = certify_grid(self._puzzle, grid)
        if violations:
            raise SolverError(f"the grid of {solver.name} is no solution: {violations[0]}")
        return grid

    def _show(self, grid: Grid) -> None:
        if self._on_grid and grid not in self._shown and len(self._shown) < self._settings.limit:
            self._shown.add(grid)
            self._on_grid(grid)


def _result(
    search: _Search,
    parsed: Parsed,
    cnf: Cnf,
    used: SolverUsed,
    settings: Settings,
    watch: Stopwatch,
) -> Result:
    """Status, order and message from how a search ended."""
    found = search.grids[: settings.limit]
    more = more_than(len(found))
    message, complete = None, False
    status: Status = "multiple"
    match search.ended:
        case Unsat() if len(search.grids) > len(found):
            message = more
        case Unsat():
            found, complete = sorted(found), True
            status = "unsolvable" if not found else "unique" if len(found) == 1 else "multiple"
        case Unknown(reason):
            status = "multiple" if len(search.grids) > 1 else "unknown"
            message = reason if len(search.grids) == len(found) else more
        case None:
            message = more
        case _:
            assert_never(search.ended)
    return Result(
        status, tuple(found), complete, message, parsed, cnf, used, seconds=watch.seconds()
    )


def with_evidence(result: Result, solvers: Solvers, settings: Settings, watch: Stopwatch) -> Result:
    """The result with its certificate, and with why there is no solution, or several."""
    if result.parsed is None or result.status not in ("unique", "multiple", "unsolvable"):
        return replace(result, certificate=Certificate("no"))
    puzzle = result.parsed.puzzle
    if result.status == "unsolvable":
        result = _explained(result, puzzle, solvers, settings, watch)
    elif len(result.solutions) > 1:
        from pipeline.explain import explain_difference  # noqa: PLC0415 - seldom needed

        with watch.timing("explain"):
            result = replace(result, difference=explain_difference(result.solutions))
    certificate = Certificate("claimed" if result.complete else "no")
    proof = None
    if settings.is_to_prove(result.status) and result.complete:
        with watch.timing("prove"):
            limits = limits_left(settings, watch)
            certificate, proof = prove_complete(puzzle, result.solutions, solvers, limits)
    spent = watch.seconds()
    more: dict[str, float] = {
        stage: spent[stage] for stage in ("explain", "prove") if stage in spent
    }
    total = result.seconds.get("total", 0.0) + sum(more.values())
    seconds = {**result.seconds, **more, "total": total}
    result = replace(result, certificate=certificate, proof=proof, seconds=seconds)
    return _doubted(result) if result.complete and certificate.complete == "no" else result


def _explained(
    result: Result, puzzle: Puzzle, solvers: Solvers, settings: Settings, watch: Stopwatch
) -> Result:
    """Why there is no solution; a solver's word that there is none is not taken against that."""
    from pipeline.explain import Explainer, explain_conflict  # noqa: PLC0415 - seldom needed

    limits = limits_left(settings, watch).at_most(EXPLAIN_SECONDS)
    with watch.timing("explain"):
        try:
            conflict = explain_conflict(puzzle, solvers.shared(Explainer), limits)
        except SolverError as error:
            why = f"{result.solver.name if result.solver else 'a solver'} was wrong: {error}"
            return replace(result, status="unknown", complete=False, message=why)
    return replace(result, conflict=conflict, message=conflict.message if conflict else None)


def _doubted(result: Result) -> Result:
    """A result that claims to be complete and could not be proved so."""
    why = doubt(result.certificate) if result.certificate else ""
    solver = result.solver and replace(result.solver, fallback=why)
    status = unproved(result.status)
    return replace(result, status=status, complete=False, message=why, conflict=None, solver=solver)
