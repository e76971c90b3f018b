"""The chain for many puzzles of one geometry at once.

Lanes, or one formula for many puzzles, answer what they can; the other puzzles go through the
chain one by one. Every grid is certified either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pipeline.certify import certify_many
from pipeline.chain import Search, cross_checked, more_than, solve_problem, with_evidence
from pipeline.limits import Limits
from pipeline.problem import PuzzleProblem
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.result import Result, SolverUsed, Status, Stopwatch
from pipeline.settings import ENCODING, Settings
from pipeline.solvers import Solvers
from pipeline.union import solve_union

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST = 64
"""`auto` uses lanes for this many puzzles or more."""

MOST_TOGETHER = 100
"""Solutions asked for of each puzzle: with more, the puzzles are solved one by one."""

LONGEST_TOGETHER = 10.0
"""Seconds that puzzles may be solved together; those left over are then solved one by one."""

SHARE_TOGETHER = 0.5
"""Share of a puzzle's time; the rest is left for solving it alone, or for a proof."""

UNDECIDED = "lanes left it undecided"


@dataclass(frozen=True, slots=True)
class Batch:
    """P puzzles of one geometry, whose side is at most 25.

    `masks` (P, n²) are the values that each cell may hold. `problem` builds the problem of the
    puzzle at an index, which is seldom needed. `parse` are the seconds that reading each took,
    if known.
    """

    geometry: Geometry
    masks: NDArray[np.uint64]
    problem: Callable[[int], PuzzleProblem]
    parse: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class _Answers:
    """What was found for P puzzles together.

    `grids` (R, P, n²) are certified solutions, of which the first `counts` (P,) are valid; `more`
    (P,) says that there is at least one more. `left` maps the index of each undecided puzzle to
    what was wrong with its answer, if it had one. `spent` (P,) are seconds.
    """

    used: SolverUsed
    geometry: Geometry
    counts: NDArray[np.int64]
    more: NDArray[np.bool_]
    grids: NDArray[np.uint8]
    left: Mapping[int, str | None]
    spent: NDArray[np.float64]


def masks_of(puzzles: Sequence[Puzzle]) -> NDArray[np.uint64]:
    """The masks of puzzles of one geometry, (P, n²)."""
    return np.array([puzzle.cells for puzzle in puzzles], np.uint64)


def solve_batch(
    batch: Batch, solvers: Solvers, settings: Settings, *, explain: bool = True
) -> list[Result[Grid]]:
    """Solve each puzzle. `explain` is as in `solve_problem`. Raises EnvironmentFailure.

    A result that did not need its problem has `problem=None`.
    """
    start = time.perf_counter()
    answers = _ask(batch, solvers, settings)
    seconds = time.perf_counter() - start
    ranks = int(answers.counts.max(initial=0))
    grids = [[tuple(values) for values in rank.tolist()] for rank in answers.grids[:ranks]]
    results = []
    for place in range(len(batch.masks)):
        earlier = {"parse": batch.parse[place]} if batch.parse else {}
        spent = sum(earlier.values()) + float(answers.spent[place])
        work = _Work(batch.problem, place, solvers, settings, explain)
        if place in answers.left:
            watch = Stopwatch(before=spent, earlier=earlier)
            results.append(work.alone(answers.left[place], watch))
        else:
            watch = Stopwatch(before=spent, earlier=earlier | {"batch": seconds})
            found = _result(answers, place, grids, settings.limit)
            results.append(work.checked(found, watch))
    return results


@dataclass(frozen=True, slots=True)
class _Work:
    """The work on the puzzle at one index."""

    problem: Callable[[int], PuzzleProblem]
    place: int
    solvers: Solvers
    settings: Settings
    explain: bool

    def alone(self, why: str | None, watch: Stopwatch) -> Result[Grid]:
        """Solve it by the chain; `why` says what was wrong with the answer that it had."""
        problem = self.problem(self.place)
        result = solve_problem(problem, self.solvers, self.settings, watch, explain=self.explain)
        return result.answered_after(why)

    def checked(self, found: Result[Grid], watch: Stopwatch) -> Result[Grid]:
        """Cross-check, explain and prove its result as the settings ask."""
        settings = self.settings
        to_check = found.complete and (settings.cross_check or settings.is_to_prove(found.status))
        if not (self.explain or to_check or found.status == "unsolvable"):
            return replace(found, seconds=watch.seconds())
        problem = self.problem(self.place)
        search = Search(problem, settings, watch)
        found = cross_checked(replace(found, problem=problem), search, self.solvers)
        shown = with_evidence(found, self.solvers, settings, watch, explain=self.explain)
        if not found.complete or shown.complete:
            return shown
        return self.alone(shown.message, watch)


def _result(
    answers: _Answers, place: int, grids: Sequence[Sequence[tuple[int, ...]]], limit: int
) -> Result[Grid]:
    """The result for one puzzle; `grids` has the values of every puzzle, rank by rank."""
    count, more = int(answers.counts[place]), bool(answers.more[place])
    names: tuple[Status, ...] = ("unsolvable", "unique", "multiple")
    return Result(
        "multiple" if more else names[min(count, 2)],
        tuple(Grid(answers.geometry, rank[place]) for rank in grids[:count]),
        not more,
        more_than(limit, "solution") if more else None,
        solver=answers.used,
    )


def _ask(batch: Batch, solvers: Solvers, settings: Settings) -> _Answers:
    if settings.limit > MOST_TOGETHER:
        return _nothing(batch, solvers)
    if settings.solver == "lanes":
        return _ask_lanes(batch, settings)
    if settings.encoding != ENCODING:
        return _nothing(batch, solvers)
    if settings.solver == "auto" and len(batch.masks) >= FEWEST:
        return _ask_lanes(batch, settings)
    return _ask_together(batch, solvers, settings)


def _nothing(batch: Batch, solvers: Solvers) -> _Answers:
    """The answers when no puzzle is solved together with others."""
    count, cells = batch.masks.shape
    return _Answers(
        SolverUsed(solvers.chain[0].name, None),
        batch.geometry,
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        np.zeros((0, count, cells), np.uint8),
        dict.fromkeys(range(count)),
        np.zeros(count),
    )


def _seconds_together(settings: Settings) -> float:
    """Seconds for solving puzzles together; not capped if lanes are the chosen solver."""
    share = settings.timeout * SHARE_TOGETHER
    return share if settings.solver == "lanes" else min(share, LONGEST_TOGETHER)


def _ask_lanes(batch: Batch, settings: Settings) -> _Answers:
    from pipeline.solvers.lanes import solve_lanes  # noqa: PLC0415 - slow to load

    geometry, masks, most = batch.geometry, batch.masks, settings.limit
    start = time.perf_counter()
    found = solve_lanes(geometry, masks, most + 1, _seconds_together(settings))
    certified = np.ones_like(found.decided)
    for rank in range(most + 1):
        here = np.flatnonzero(found.counts > rank)
        if not len(here):
            break
        certified[here] &= certify_many(geometry, masks[here], found.grids[rank, here])
    undecided = UNDECIDED if settings.solver == "lanes" else None
    left = {
        place: undecided if certified[place] else "a grid of lanes is no solution"
        for place in np.flatnonzero(~(found.decided & certified)).tolist()
    }
    return _Answers(
        SolverUsed("lanes", f"numpy {np.__version__}"),
        geometry,
        np.minimum(found.counts, most),
        found.counts > most,
        found.grids,
        left,
        np.full(len(masks), time.perf_counter() - start),
    )


def _ask_together(batch: Batch, solvers: Solvers, settings: Settings) -> _Answers:
    solver = solvers.chain[0]
    limits = Limits(_seconds_together(settings), settings.memory_limit)
    unique, grids, seconds = solve_union(batch.geometry, batch.masks, solver, limits)
    return _Answers(
        SolverUsed(solver.name, solver.version, solvers.fallback, planned=True),
        batch.geometry,
        unique.astype(np.int64),
        np.zeros_like(unique),
        grids[None],
        dict.fromkeys(np.flatnonzero(~unique).tolist()),
        seconds,
    )
