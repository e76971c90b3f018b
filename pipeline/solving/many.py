"""The chain for many puzzles of one geometry at once: arrays of masks in, arrays of answers out.

Lanes answer the 9×9 puzzles that they can, all at once. The others go through the chain one by one.
Every grid is certified either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from pipeline.certify import certify_lists
from pipeline.certify.many import Verdict, exhausted_many
from pipeline.certify.many import machine_code as compiled_check
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.puzzle import NINE, Geometry, Grid, Puzzle
from pipeline.settings import ENCODING, Settings
from pipeline.solving.one import (
    FEWEST_TOGETHER,
    STATUSES,
    TRUSTED,
    Search,
    more_than,
    solve_problem,
    with_evidence,
)
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Certificate, Result, SolverUsed, Status, Stopwatch
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_KEPT = 64
"""Without machine code, `auto` asks a PySAT that it keeps alive for this many or more."""

SLOWLY_TOGETHER = 64
"""Puzzles that are solved together while machine code is missing: half a second's work."""

MOST_TOGETHER = 100
"""Solutions of each puzzle; if more are asked for, the puzzles are solved one by one."""

LONGEST_TOGETHER = 10.0
"""Seconds for solving puzzles together, and for checking the answers together.

Those left over are then solved, or checked, one by one."""

SHARE_TOGETHER = 0.5
"""The share of a puzzle's time for either; the rest is for the same one by one, or a proof."""

UNCHECKED = -1
"""A number of nodes that stands for: not checked."""

UNDECIDED = "batch left it undecided"


@dataclass(frozen=True, slots=True)
class Batch:
    """P puzzles of one geometry, whose side is at most 25.

    `masks` (P, n²) are the values that each cell may hold; nobody can change them any more, as
    answers are checked by the same. `problem` builds the problem of the puzzle at an index, which
    is seldom needed. `parse` are the seconds that reading each took, if known.
    """

    geometry: Geometry
    masks: NDArray[np.unsignedinteger]
    problem: Callable[[int], PuzzleProblem]
    parse: Sequence[float] = ()

    def __post_init__(self) -> None:
        self.masks.flags.writeable = False


@dataclass(frozen=True, slots=True)
class Answers:
    """What is known of P puzzles of one geometry.

    `grids` (R, P, n²) are certified solutions, of which the first `counts` (P,) are valid; `more`
    (P,) says that there is at least one more than the `limit` asked for. `left` maps the index of
    each undecided puzzle to what was wrong with its answer, if it had one. `spent` (P,) are
    seconds. `nodes` (P,) are those of the search that has shown that there are no more, UNCHECKED
    where it has not; None if solvers are trusted. `results` has the results, by index, of those
    that were solved, checked or explained one by one; they hold in place of the arrays.
    """

    used: SolverUsed
    geometry: Geometry
    limit: int
    counts: NDArray[np.int64]
    more: NDArray[np.bool_]
    grids: NDArray[np.uint8]
    left: Mapping[int, str | None]
    spent: NDArray[np.float64]
    nodes: NDArray[np.int64] | None = None
    results: dict[int, Result[Grid]] = field(default_factory=dict)

    def status(self, place: int) -> Status:
        if self.more[place]:
            return "multiple"
        return STATUSES[min(int(self.counts[place]), 2)]

    def is_complete(self, place: int) -> bool:
        return not self.more[place]

    def message(self, place: int) -> str | None:
        return more_than(self.limit, "solution") if self.more[place] else None

    def certificate(self, place: int) -> Certificate | None:
        """How it is known that there are no more; None if it is not, or not yet."""
        if self.more[place] or place in self.left:
            return None
        if self.nodes is None:
            return TRUSTED
        nodes = int(self.nodes[place])
        return None if nodes == UNCHECKED else Certificate("proved", "exhaustive-search", nodes)

    def solutions(self, place: int) -> list[bytes]:
        """The solutions of a puzzle, each n² values."""
        return [self.grids[rank, place].tobytes() for rank in range(self.counts[place])]

    def result(self, place: int) -> Result[Grid]:
        """The result for one puzzle, without its problem if that was not needed."""
        return self.results.get(place) or Result(
            self.status(place),
            tuple(Grid(self.geometry, tuple(values)) for values in self.solutions(place)),
            self.is_complete(place),
            self.message(place),
            solver=self.used,
            certificate=self.certificate(place),
        )


def masks_of(puzzles: Sequence[Puzzle]) -> NDArray[np.uint64]:
    """The masks of puzzles of one geometry, (P, n²)."""
    return np.array([puzzle.cells for puzzle in puzzles], np.uint64)


def portions(
    geometry: Geometry, masks: NDArray[np.unsignedinteger], settings: Settings
) -> Iterator[slice]:
    """Which of many puzzles to solve together: all with machine code, until it is there only a few.

    So it takes over in the midst of them. The last portion has at least SLOWLY_TOGETHER puzzles.
    """
    begin, count = 0, len(masks)
    while geometry == NINE and count - begin >= 2 * SLOWLY_TOGETHER:
        if not _is_for_lanes(count - begin, settings) or _is_compiled(count - begin, settings):
            break
        yield slice(begin, begin + SLOWLY_TOGETHER)
        begin += SLOWLY_TOGETHER
    yield slice(begin, count)


def _is_compiled(count: int, settings: Settings) -> bool:
    """Whether machine code for so many puzzles is there; if not, all that is missing is made."""
    from pipeline.solving.compiled import machine_code  # noqa: PLC0415 - few ask for it

    search = machine_code(count, at_once=True)
    check = settings.trust_solver or compiled_check(count)
    return bool(search and check)


def solve_batch(
    batch: Batch, solvers: Solvers, settings: Settings, *, explain: bool = True
) -> Answers:
    """Solve each puzzle. `explain`, as in `solve_problem`, gives each a result of its own.

    Raises EnvironmentFailure.
    """
    start = time.perf_counter()
    answers = _certified(batch, _ask(batch, solvers, settings), settings)
    seconds = time.perf_counter() - start
    count = len(batch.masks)
    if answers.used.name != "batch" and count >= FEWEST_KEPT and _is_for_lanes(count, settings):
        solvers = solvers.for_many()
    for place in _to_do(answers, settings, explain=explain):
        problem = batch.problem(place)
        is_left, why = place in answers.left, answers.left.get(place)
        watch = Stopwatch(
            parse=batch.parse[place] if batch.parse else None,
            together=float(answers.spent[place]),
            batch=None if is_left else seconds,
        )
        if not is_left:
            found = replace(answers.result(place), problem=problem)
            search = Search(problem, settings, watch)
            result = with_evidence(found, search, solvers, explain=explain)
            is_left, why = bool(found.complete and result.is_doubted), result.why_doubted
        if is_left:
            result = solve_problem(problem, solvers, settings, watch, explain=explain)
            result = result.answered_after(why)
        answers.results[place] = result
    return answers


def _to_do(answers: Answers, settings: Settings, *, explain: bool) -> list[int]:
    """The puzzles left, and those that are still to be checked, explained or proved."""
    count = len(answers.counts)
    if explain:
        return list(range(count))
    chosen = np.zeros(count, np.bool_)
    if answers.nodes is not None:
        chosen |= answers.nodes == UNCHECKED
    for found, status in enumerate(STATUSES):
        if status == "unsolvable" or settings.is_to_prove(status):
            chosen |= np.minimum(answers.counts, 2) == found
    chosen &= ~answers.more
    chosen[list(answers.left)] = True
    places: list[int] = np.flatnonzero(chosen).tolist()
    return places


def _certified(batch: Batch, answers: Answers, settings: Settings) -> Answers:
    """The answers, those left out whose grids are no solutions, and checked to be complete.

    The check of completeness looks at the grids too; those that it has not judged are certified.
    """
    counts, more, spent = answers.counts, answers.more, answers.spent.copy()
    answered = np.ones(len(counts), np.bool_)
    answered[list(answers.left)] = False
    nodes = None if settings.trust_solver else np.full(len(counts), UNCHECKED)
    is_wrong = np.zeros(len(counts), np.bool_)
    claimed = answered & ~more
    if nodes is not None and claimed.any():
        at = np.flatnonzero(claimed)
        some = at if len(at) < len(counts) else slice(None)
        seconds = _seconds_together(settings, float(spent[at].max()))
        start = time.perf_counter()
        verdicts, needed = exhausted_many(
            batch.geometry, batch.masks[some], counts[some], answers.grids[:, some], seconds
        )
        spent[at] += time.perf_counter() - start
        nodes[at] = np.where(verdicts == Verdict.COMPLETE, needed, UNCHECKED)
        is_wrong[at] = verdicts == Verdict.WRONG
        answered &= more
        answered[at[verdicts == Verdict.UNDECIDED]] = True
    listed = np.where(answered, counts + more, 0)
    is_wrong |= ~certify_lists(batch.geometry, batch.masks, listed, answers.grids)
    wrong = f"a grid of {answers.used.name} is no solution"
    left = {**answers.left, **dict.fromkeys(np.flatnonzero(is_wrong).tolist(), wrong)}
    return replace(answers, left=left, nodes=nodes, spent=spent)


def _ask(batch: Batch, solvers: Solvers, settings: Settings) -> Answers:
    """Ask lanes; if they are not available, all puzzles are left."""
    count, cells = batch.masks.shape
    most, start = settings.limit, time.perf_counter()
    solver = None
    if batch.geometry == NINE and _is_for_lanes(count, settings):
        from pipeline.solving.compiled import machine_code  # noqa: PLC0415 - few ask for it

        solver = machine_code(count, at_once=True)
        if solver and not settings.trust_solver:
            compiled_check(0, at_once=True)  # cheap now that llvmlite is loaded
    if solver is None:
        return Answers(
            SolverUsed(solvers.chain[0].name, None),
            batch.geometry,
            most,
            np.zeros(count, np.int64),
            np.zeros(count, np.bool_),
            np.zeros((0, count, cells), np.uint8),
            dict.fromkeys(range(count)),
            np.zeros(count),
        )
    found = solver(batch.masks, most + 1, Deadline.of(Limits(_seconds_together(settings))))
    undecided = UNDECIDED if settings.solver == "batch" else None
    return Answers(
        SolverUsed("batch", f"numpy {np.__version__}"),
        batch.geometry,
        most,
        np.minimum(found.counts, most),
        found.counts > most,
        found.grids,
        dict.fromkeys(np.flatnonzero(~found.decided).tolist(), undecided),
        np.full(count, time.perf_counter() - start),
    )


def _is_for_lanes(count: int, settings: Settings) -> bool:
    """Whether the settings leave so many puzzles to lanes."""
    if settings.limit > MOST_TOGETHER or settings.solver not in ("auto", "batch"):
        return False
    is_many = count >= FEWEST_TOGETHER and settings.encoding == ENCODING
    return is_many or settings.solver == "batch"


def _seconds_together(settings: Settings, spent: float = 0.0) -> float:
    """Seconds for solving or checking puzzles together that have spent so many of their time.

    The seconds are not capped if lanes are the chosen solver.
    """
    share = max(0.0, settings.timeout - spent) * SHARE_TOGETHER
    return share if settings.solver == "batch" else min(share, LONGEST_TOGETHER)
