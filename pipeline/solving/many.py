"""Solve a batch of puzzles of one geometry: from arrays of masks to arrays of certified grids.

The batch solver solves 9×9 puzzles. Puzzles that it leaves undecided, and puzzles of other sizes,
are solved one by one. Every grid is certified, whichever solver found it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from pipeline.certify import certify_lists
from pipeline.certify.many import Verdict, compiled_check, search_all_of_batch
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.settings import ENCODING, Settings
from pipeline.solving.one import (
    MIN_BATCH,
    STATUSES,
    TRUSTED_CERTIFICATE,
    Search,
    add_evidence,
    more_solutions_message,
    solve_problem,
)
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Certificate, Result, SolverUsed, Status, Stopwatch
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIN_PERSISTENT_PYSAT = 64
"""Minimum number of puzzles for which `auto` prefers PySAT to minisat, without machine code."""

UNCOMPILED_BATCH = 64
"""Number of puzzles solved together while machine code is compiled; this takes half a second."""

MAX_BATCH_SOLUTIONS = 100
"""Maximum number of solutions of each puzzle for which puzzles are solved together."""

MAX_BATCH_SECONDS = 10.0
"""Time limit for solving a batch, and again for checking it. Puzzles that are undecided after that
are solved alone.
"""

BATCH_SHARE = 0.5
"""Maximum share of a puzzle's remaining time for solving a batch, and again for checking it. The
rest is reserved for solving the puzzle alone, and for a proof.
"""

NODES_UNKNOWN = -1
"""The entry in `nodes` of a puzzle that the search did not decide."""

UNDECIDED = "the batch solver left the puzzle undecided"
"""The reason for a fallback if the batch solver was chosen by name."""


@dataclass(frozen=True, slots=True)
class Batch:
    """P puzzles of one geometry, whose side is at most 25.

    - `masks` (P, n²): the values that each cell may hold. The array becomes read-only, because
      answers are checked against it.
    - `problem`: a function that makes the problem of the puzzle with an index.
    - `parse`: the seconds that reading each puzzle took; empty if unknown.
    """

    geometry: Geometry
    masks: NDArray[np.unsignedinteger]
    problem: Callable[[int], PuzzleProblem]
    parse: Sequence[float] = ()

    def __post_init__(self) -> None:
        self.masks.flags.writeable = False


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of a batch: certified solutions of P puzzles of one geometry.

    - `solver`: the solver that was used.
    - `limit`: the maximum number of solutions of each puzzle.
    - `counts` (P,): the number of solutions, at most `limit`.
    - `has_more` (P,): whether there are more solutions than `limit`.
    - `grids` (R, P, n²): the solutions of each puzzle; of its R grids, the first `counts` are
      valid.
    - `undecided`: maps the index of each undecided puzzle to the reason for a fallback, or None.
    - `spent` (P,): the seconds that count against the time limit of each puzzle.
    - `nodes` (P,): the number of nodes of the exhaustive search that found no other solutions, or
      NODES_UNKNOWN if the search did not decide the puzzle; None if solvers are trusted.
    - `results`: maps indices to the results of puzzles that were solved, checked or explained
      alone. They override the arrays.
    """

    solver: SolverUsed
    geometry: Geometry
    limit: int
    counts: NDArray[np.int64]
    has_more: NDArray[np.bool_]
    grids: NDArray[np.uint8]
    undecided: Mapping[int, str | None]
    spent: NDArray[np.float64]
    nodes: NDArray[np.int64] | None = None
    results: dict[int, Result[Grid]] = field(default_factory=dict)

    def status(self, index: int) -> Status:
        if self.has_more[index]:
            return "multiple"
        return STATUSES[min(int(self.counts[index]), 2)]

    def is_complete(self, index: int) -> bool:
        return not self.has_more[index]

    def message(self, index: int) -> str | None:
        return more_solutions_message(self.limit, "solution") if self.has_more[index] else None

    def certificate(self, index: int) -> Certificate | None:
        """The certificate that there are no other solutions; None if nothing has checked that."""
        if self.has_more[index] or index in self.undecided:
            return None
        if self.nodes is None:
            return TRUSTED_CERTIFICATE
        nodes = int(self.nodes[index])
        return None if nodes == NODES_UNKNOWN else Certificate("proved", "exhaustive-search", nodes)

    def solutions(self, index: int) -> list[bytes]:
        """The solutions of a puzzle, each as n² bytes."""
        return [self.grids[rank, index].tobytes() for rank in range(self.counts[index])]

    def result(self, index: int) -> Result[Grid]:
        """The result of one puzzle. Its `problem` is None unless the result is in `results`."""
        return self.results.get(index) or Result(
            self.status(index),
            tuple(Grid(self.geometry, tuple(values)) for values in self.solutions(index)),
            self.is_complete(index),
            self.message(index),
            solver=self.solver,
            certificate=self.certificate(index),
        )


def masks_of(puzzles: Sequence[Puzzle]) -> NDArray[np.uint64]:
    """The masks of P puzzles of one geometry, (P, n²)."""
    return np.array([puzzle.cells for puzzle in puzzles], np.uint64)


def batch_slices(
    geometry: Geometry, masks: NDArray[np.unsignedinteger], settings: Settings
) -> Iterator[slice]:
    """Yield the slices of batches: small ones until machine code is loaded, then one with the rest.

    `masks` is (P, n²). If there are several batches, the last one has at least UNCOMPILED_BATCH
    puzzles.
    """
    start, count = 0, len(masks)
    while geometry == NINE_BY_NINE and count - start >= 2 * UNCOMPILED_BATCH:
        remaining = count - start
        if not _is_for_batch_solver(remaining, settings) or _is_compiled(remaining, settings):
            break
        yield slice(start, start + UNCOMPILED_BATCH)
        start += UNCOMPILED_BATCH
    yield slice(start, count)


def _is_compiled(count: int, settings: Settings) -> bool:
    """Whether machine code is ready for `count` puzzles. If it is not, starts to compile it."""
    from pipeline.solving.compiled import machine_code  # noqa: PLC0415 - seldom needed

    search = machine_code(count, at_once=True)
    check = settings.trust_solver or compiled_check(count)
    return bool(search and check)


def solve_batch(
    batch: Batch, solvers: Solvers, settings: Settings, *, explain: bool = True
) -> BatchResult:
    """Solve each puzzle of a batch.

    `explain`: as in `solve_problem`; if true, every puzzle is in `results`. Raises
    EnvironmentFailure if the last solver cannot run.
    """
    start = time.perf_counter()
    solved = _certify(batch, _run_batch_solver(batch, solvers, settings), settings)
    seconds = time.perf_counter() - start
    count = len(batch.masks)
    if (
        solved.solver.name != "batch"
        and count >= MIN_PERSISTENT_PYSAT
        and _is_for_batch_solver(count, settings)
    ):
        solvers = solvers.for_many_puzzles()
    for index in _indices_to_solve_alone(solved, settings, explain=explain):
        problem = batch.problem(index)
        is_undecided, fallback = index in solved.undecided, solved.undecided.get(index)
        watch = Stopwatch(
            parse=batch.parse[index] if batch.parse else None,
            batch_share=float(solved.spent[index]),
            batch=None if is_undecided else seconds,
        )
        if not is_undecided:
            certified = replace(solved.result(index), problem=problem)
            search = Search(problem, settings, watch)
            result = add_evidence(certified, search, solvers, explain=explain)
            is_undecided = bool(certified.complete and result.is_doubted)
            fallback = result.doubt
        if is_undecided:
            result = solve_problem(problem, solvers, settings, watch, explain=explain)
            result = result.with_fallback(fallback)
        solved.results[index] = result
    return solved


def _indices_to_solve_alone(solved: BatchResult, settings: Settings, *, explain: bool) -> list[int]:
    """The indices of puzzles that are solved, checked, explained or proved one by one."""
    count = len(solved.counts)
    if explain:
        return list(range(count))
    chosen = np.zeros(count, np.bool_)
    if solved.nodes is not None:
        chosen |= solved.nodes == NODES_UNKNOWN
    for number, status in enumerate(STATUSES):
        if status == "unsolvable" or settings.needs_proof(status):
            chosen |= np.minimum(solved.counts, 2) == number
    chosen &= ~solved.has_more
    chosen[list(solved.undecided)] = True
    indices: list[int] = np.flatnonzero(chosen).tolist()
    return indices


def _certify(batch: Batch, solved: BatchResult, settings: Settings) -> BatchResult:
    """Certify the grids, and check that the lists of solutions are complete.

    Puzzles with a wrong grid are added to `undecided`. The exhaustive search also certifies grids,
    so `certify_lists` checks only the puzzles that the search did not decide.
    """
    counts, has_more, spent = solved.counts, solved.has_more, solved.spent.copy()
    to_certify = np.ones(len(counts), np.bool_)
    to_certify[list(solved.undecided)] = False
    nodes = None if settings.trust_solver else np.full(len(counts), NODES_UNKNOWN)
    is_wrong = np.zeros(len(counts), np.bool_)
    to_search = to_certify & ~has_more
    if nodes is not None and to_search.any():
        indices = np.flatnonzero(to_search)
        selected = indices if len(indices) < len(counts) else slice(None)
        seconds = _batch_seconds(settings, float(spent[indices].max()))
        start = time.perf_counter()
        verdicts, node_counts = search_all_of_batch(
            batch.geometry,
            batch.masks[selected],
            counts[selected],
            solved.grids[:, selected],
            seconds,
        )
        spent[indices] += time.perf_counter() - start
        nodes[indices] = np.where(verdicts == Verdict.COMPLETE, node_counts, NODES_UNKNOWN)
        is_wrong[indices] = verdicts == Verdict.WRONG
        to_certify &= has_more
        to_certify[indices[verdicts == Verdict.UNDECIDED]] = True
    list_lengths = np.where(to_certify, counts + has_more, 0)
    is_wrong |= ~certify_lists(batch.geometry, batch.masks, list_lengths, solved.grids)
    fault = f"a grid of {solved.solver.name} is not a solution"
    undecided = {**solved.undecided, **dict.fromkeys(np.flatnonzero(is_wrong).tolist(), fault)}
    return replace(solved, undecided=undecided, nodes=nodes, spent=spent)


def _run_batch_solver(batch: Batch, solvers: Solvers, settings: Settings) -> BatchResult:
    """Run the batch solver, if it is available. Otherwise all puzzles are undecided."""
    count, cells = batch.masks.shape
    max_solutions, start = settings.solution_limit, time.perf_counter()
    solver = None
    if batch.geometry == NINE_BY_NINE and _is_for_batch_solver(count, settings):
        from pipeline.solving.compiled import machine_code  # noqa: PLC0415 - seldom needed

        solver = machine_code(count, at_once=True)
        if solver and not settings.trust_solver:
            compiled_check(0, at_once=True)  # cheap now that llvmlite is loaded
    if solver is None:
        return BatchResult(
            SolverUsed(solvers.chain[0].name, None),
            batch.geometry,
            max_solutions,
            np.zeros(count, np.int64),
            np.zeros(count, np.bool_),
            np.zeros((0, count, cells), np.uint8),
            dict.fromkeys(range(count)),
            np.zeros(count),
        )
    deadline = Deadline.of(Limits(_batch_seconds(settings)))
    solutions = solver(batch.masks, max_solutions + 1, deadline)
    undecided = UNDECIDED if settings.solver == "batch" else None
    return BatchResult(
        SolverUsed("batch", f"numpy {np.__version__}"),
        batch.geometry,
        max_solutions,
        np.minimum(solutions.counts, max_solutions),
        solutions.counts > max_solutions,
        solutions.grids,
        dict.fromkeys(np.flatnonzero(~solutions.decided).tolist(), undecided),
        np.full(count, time.perf_counter() - start),
    )


def _is_for_batch_solver(count: int, settings: Settings) -> bool:
    """Whether the settings choose the batch solver for `count` puzzles."""
    if settings.solution_limit > MAX_BATCH_SOLUTIONS or settings.solver not in ("auto", "batch"):
        return False
    is_many = count >= MIN_BATCH and settings.encoding == ENCODING
    return is_many or settings.solver == "batch"


def _batch_seconds(settings: Settings, spent: float = 0.0) -> float:
    """The time limit for solving or checking a batch.

    `spent`: the seconds that each of its puzzles has spent so far.

    MAX_BATCH_SECONDS does not apply if the batch solver was chosen by name.
    """
    share = max(0.0, settings.timeout - spent) * BATCH_SHARE
    return share if settings.solver == "batch" else min(share, MAX_BATCH_SECONDS)
