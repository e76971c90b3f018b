"""The chain for many puzzles of one geometry at once: arrays of masks in, arrays of answers out.

Lanes, or one formula for many puzzles, answer what they can; the other puzzles go through the
chain one by one. Every grid is certified either way.

A formula for many is their disjoint union. One question finds a solution of each. Another proves
that none has a second: each solution is blocked under a selector, and one clause says that some
selector holds. If that does not settle the puzzles, they are halved, down to single ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from pipeline.certify import certify_lists, certify_many
from pipeline.certify.many import Verdict, exhausted_many
from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.settings import ENCODING, Settings
from pipeline.solving.cnf import Sat, Unsat
from pipeline.solving.encode.together import Together, encode_together, propagate_many
from pipeline.solving.one import TRUSTED, Search, more_than, solve_problem, with_evidence
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Certificate, Result, SolverUsed, Status, Stopwatch
from pipeline.solving.solvers import Solver, Solvers

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST = 64
"""`auto` uses lanes for this many puzzles or more."""

TOGETHER = 64
"""Puzzles in one formula."""

_WORTH_GOING_ON = 4
"""One formula is asked again while less than a quarter of its puzzles have several solutions."""

MOST_TOGETHER = 100
"""Solutions asked for of each puzzle: with more, the puzzles are solved one by one."""

LONGEST_TOGETHER = 10.0
"""Seconds that puzzles may be solved together, and as many for checking the answers together.

Those left over are then solved, or checked, one by one."""

SHARE_TOGETHER = 0.5
"""Of the time that a puzzle has left, for either; the rest is for the same alone, or a proof."""

UNCHECKED = -1
"""In place of a number of nodes."""

UNDECIDED = "lanes left it undecided"

STATUSES: tuple[Status, ...] = ("unsolvable", "unique", "multiple")
"""The status of a puzzle with no, one and more solutions."""


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
        return None if nodes == UNCHECKED else Certificate("proved", "exhaustion", nodes)

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


def solve_batch(
    batch: Batch, solvers: Solvers, settings: Settings, *, explain: bool = True
) -> Answers:
    """Solve each puzzle. `explain`, as in `solve_problem`, gives each a result of its own.

    Raises EnvironmentFailure.
    """
    start = time.perf_counter()
    answers = _certified(batch, _ask(batch, solvers, settings), settings)
    seconds = time.perf_counter() - start
    work = _Work(batch, solvers, settings, explain)
    for place in work.to_do(answers):
        parse, spent = batch.parse[place] if batch.parse else None, float(answers.spent[place])
        if place in answers.left:
            watch = Stopwatch(parse=parse, together=spent)
            answers.results[place] = work.alone(place, answers.left[place], watch)
        else:
            watch = Stopwatch(parse=parse, together=spent, batch=seconds)
            answers.results[place] = work.checked(place, answers.result(place), watch)
    return answers


@dataclass(frozen=True, slots=True)
class _Work:
    """The work on single puzzles of a batch."""

    batch: Batch
    solvers: Solvers
    settings: Settings
    explain: bool

    def alone(self, place: int, why: str | None, watch: Stopwatch) -> Result[Grid]:
        """Solve it by the chain; `why` says what was wrong with the answer that it had."""
        problem = self.batch.problem(place)
        result = solve_problem(problem, self.solvers, self.settings, watch, explain=self.explain)
        return result.answered_after(why)

    def to_do(self, answers: Answers) -> list[int]:
        """The puzzles left, and those that are still to be checked, explained or proved."""
        count = len(answers.counts)
        if self.explain:
            return list(range(count))
        chosen = np.zeros(count, np.bool_)
        if answers.nodes is not None:
            chosen |= answers.nodes == UNCHECKED
        for found, status in enumerate(STATUSES):
            if status == "unsolvable" or self.settings.is_to_prove(status):
                chosen |= np.minimum(answers.counts, 2) == found
        chosen &= ~answers.more
        chosen[list(answers.left)] = True
        places: list[int] = np.flatnonzero(chosen).tolist()
        return places

    def checked(self, place: int, found: Result[Grid], watch: Stopwatch) -> Result[Grid]:
        """Check, explain and prove its result as the settings ask."""
        problem = self.batch.problem(place)
        search = Search(problem, self.settings, watch)
        result = replace(found, problem=problem)
        shown = with_evidence(result, search, self.solvers, explain=self.explain)
        if not found.complete or not shown.is_doubted:
            return shown
        return self.alone(place, shown.why_doubted, watch)


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
    by_lanes = settings.solver == "lanes"
    if settings.limit > MOST_TOGETHER or not (by_lanes or settings.encoding == ENCODING):
        return _nothing(batch, solvers, settings)
    if by_lanes or (settings.solver == "auto" and len(batch.masks) >= FEWEST):
        return _ask_lanes(batch, settings)
    return _ask_together(batch, solvers, settings)


def _nothing(batch: Batch, solvers: Solvers, settings: Settings) -> Answers:
    """The answers when no puzzle is solved together with others."""
    count, cells = batch.masks.shape
    return Answers(
        SolverUsed(solvers.chain[0].name, None),
        batch.geometry,
        settings.limit,
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        np.zeros((0, count, cells), np.uint8),
        dict.fromkeys(range(count)),
        np.zeros(count),
    )


def _seconds_together(settings: Settings, spent: float = 0.0) -> float:
    """Seconds for solving or checking puzzles together that have spent so many of their time.

    They are not capped if lanes are the chosen solver.
    """
    share = max(0.0, settings.timeout - spent) * SHARE_TOGETHER
    return share if settings.solver == "lanes" else min(share, LONGEST_TOGETHER)


def _ask_lanes(batch: Batch, settings: Settings) -> Answers:
    from pipeline.solving.compiled import solve_lanes  # noqa: PLC0415 - slow to load

    geometry, masks, most = batch.geometry, batch.masks, settings.limit
    start = time.perf_counter()
    found = solve_lanes(geometry, masks, most + 1, _seconds_together(settings))
    undecided = UNDECIDED if settings.solver == "lanes" else None
    return Answers(
        SolverUsed("lanes", f"numpy {np.__version__}"),
        geometry,
        most,
        np.minimum(found.counts, most),
        found.counts > most,
        found.grids,
        dict.fromkeys(np.flatnonzero(~found.decided).tolist(), undecided),
        np.full(len(masks), time.perf_counter() - start),
    )


def _ask_together(batch: Batch, solvers: Solvers, settings: Settings) -> Answers:
    solver = solvers.chain[0]
    limits = Limits(_seconds_together(settings), settings.memory_limit)
    unique, grids, seconds = solve_union(batch.geometry, batch.masks, solver, limits)
    return Answers(
        SolverUsed(solver.name, solver.version, solvers.fallback, planned=True),
        batch.geometry,
        settings.limit,
        unique.astype(np.int64),
        np.zeros_like(unique),
        grids[None],
        dict.fromkeys(np.flatnonzero(~unique).tolist()),
        seconds,
    )


def solve_union(
    geometry: Geometry, masks: NDArray[np.uint64], solver: Solver, limits: Limits
) -> tuple[NDArray[np.bool_], NDArray[np.uint8], NDArray[np.float64]]:
    """Which of P puzzles are shown to have exactly one solution, their grids, and their seconds.

    The grids are certified and have the shape (P, n²), zeros where nothing is shown. The limits
    hold for each TOGETHER puzzles and the halves of them; the seconds (P,) are what those took.
    Where the solver fails, nothing is shown.
    """
    cells, consistent = propagate_many(geometry, masks)
    union = _Union(geometry, masks, cells, solver, limits)
    sound = np.flatnonzero(consistent)
    seconds = np.zeros(len(masks))
    for start in range(0, len(sound), TOGETHER):
        part, begun = sound[start : start + TOGETHER], time.perf_counter()
        union.solve(part, Deadline.of(limits))
        seconds[part] = time.perf_counter() - begun
    return union.unique, union.grids, seconds


class _Union:
    """Puzzles, their candidates at the fixpoint of propagation, and what is shown of them."""

    def __init__(
        self,
        geometry: Geometry,
        masks: NDArray[np.uint64],
        cells: NDArray[np.uint64],
        solver: Solver,
        limits: Limits,
    ) -> None:
        self.unique = np.zeros(len(masks), np.bool_)
        self.grids = np.zeros(masks.shape, np.uint8)
        self._geometry = geometry
        self._masks = masks
        self._cells = cells
        self._solver = solver
        self._limits = limits

    def solve(self, part: NDArray[np.int64], deadline: Deadline) -> None:
        """Find which of these puzzles are unique, as far as the time allows."""
        if len(part) < 2 or not deadline.left():
            return
        try:
            settled = self._ask(part, self._limits.until(deadline))
        except EnvironmentFailure:
            return
        except SolverError:
            settled = False
        if not settled:
            middle = len(part) // 2
            self.solve(part[:middle], deadline)
            self.solve(part[middle:], deadline)

    def _ask(self, part: NDArray[np.int64], limits: Limits) -> bool:
        """Whether asking about fewer would gain nothing: False if some may have no solution."""
        together = encode_together(self._geometry, self._cells[part])
        with self._solver.open(together.cnf, limits) as session:
            answer = session.solve()
            if not isinstance(answer, Sat):
                return False
            chosen = together.chosen(answer.model)
            grids = together.grids(chosen)
            if not certify_many(self._geometry, self._masks[part], grids).all():
                raise SolverError(f"a grid of {self._solver.name} is no solution")
            for clause in _under_selectors(together, chosen, len(part)):
                session.add(clause)
            session.add(tuple(together.spare(place) for place in range(len(part))))
            multiple = np.zeros(len(part), np.bool_)
            while isinstance(answer := session.solve(), Sat):
                others = together.grids(together.chosen(answer.model))
                found = (others != grids).any(axis=1) & ~multiple
                multiple |= found
                if not found.any():
                    return False
                if multiple.sum() > len(part) // _WORTH_GOING_ON:
                    return True
                for place in np.flatnonzero(found).tolist():
                    session.add((-together.spare(place),))
            if not isinstance(answer, Unsat):
                return False
        self.unique[part] = ~multiple
        self.grids[part[~multiple]] = grids[~multiple]
        return True


def _under_selectors(
    together: Together, chosen: NDArray[np.int64], count: int
) -> Iterator[tuple[int, ...]]:
    """For each puzzle: its selector implies that one of its chosen candidates is false."""
    owners = together.owners[0][chosen]
    bounds = np.searchsorted(owners, np.arange(count + 1))
    literals = (-(chosen + 1)).tolist()
    for place in range(count):
        clause = literals[bounds[place] : bounds[place + 1]]
        yield (*clause, -together.spare(place))
