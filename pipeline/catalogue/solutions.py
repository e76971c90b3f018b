"""Find certified solutions and redundant givens of batches of puzzles.

A given is redundant if the puzzle without this given has no solution with another value in the
cell.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.puzzle_arrays import Flags, MaskArray
from pipeline.certify import certify_lists
from pipeline.certify.many import Verdict, search_all_of_batch
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parsed_from
from pipeline.settings import Settings
from pipeline.solving.compiled import BatchSolutions, machine_code
from pipeline.solving.one import solve_problem
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers import Solvers

BATCH_CELLS = 1 << 20
"""Maximum total number of cells of the puzzles that are searched together for redundant givens."""

MAX_PUZZLE_SECONDS = 24 * 3600.0
"""The time limit for a puzzle if the batch has no time limit."""

MIN_PUZZLE_SECONDS = 5.0
"""The minimum time limit for a puzzle, which is enough to start PySAT. If the batch has less time
left, that is the limit."""


@dataclass(frozen=True, slots=True)
class CertifiedBatch:
    """Solutions of P puzzles, up to `max_solutions` each.

    | array | shape | contents |
    |---|---|---|
    | `counts` | (P,) | the number of solutions found |
    | `grids` | (max_solutions, P, n²) | the solutions |
    | `certified` | (P,) | whether the solutions were checked, see below |
    | `nodes` | (P,) | search nodes of the proof of completeness |

    If a puzzle has fewer than `max_solutions` solutions, `certified` also means that none is
    missing. If a puzzle is not certified, its elements of the other arrays have no meaning.
    """

    counts: NDArray[np.int64]
    grids: NDArray[np.uint8]
    certified: Flags
    nodes: NDArray[np.int64]

    @property
    def unique(self) -> Flags:
        """Flags (P,) of the puzzles with one solution. `max_solutions` must be 2 or more."""
        unique: Flags = self.certified & (self.counts == 1)
        return unique


def certified_solutions(
    geometry: Geometry, masks: MaskArray, max_solutions: int, seconds: float = inf
) -> CertifiedBatch:
    """Find up to `max_solutions` solutions of each puzzle (P, n²) and certify them.

    `seconds` limits the whole batch. Raises EnvironmentFailure if no solver works.
    """
    end = time.monotonic() + seconds
    solved = find_solutions(geometry, masks, max_solutions, seconds)
    certified, nodes = solved.decided.copy(), np.zeros(len(masks), np.int64)
    few = np.flatnonzero(certified & (solved.counts < max_solutions))
    if len(few):
        assertion = masks[few], solved.counts[few], solved.grids[:, few]
        left = max(0.0, end - time.monotonic())
        verdicts, nodes[few] = search_all_of_batch(geometry, *assertion, left)
        certified[few] = verdicts == Verdict.COMPLETE
    # the search has checked shorter lists
    counts_to_check = np.where(solved.counts < max_solutions, 0, solved.counts)
    certified &= certify_lists(geometry, masks, counts_to_check, solved.grids)
    return CertifiedBatch(solved.counts, solved.grids, certified, nodes)


def find_solutions(
    geometry: Geometry,
    masks: MaskArray,
    max_solutions: int,
    seconds: float = inf,
    solvers: Solvers | None = None,
) -> BatchSolutions:
    """Find up to `max_solutions` solutions of each puzzle (P, n²), without certifying them.

    9×9 puzzles are solved by the batch solver if its machine code is available. All other puzzles
    are solved by PySAT, which is started from `solvers`, or from new `Solvers` if that is None.
    `seconds` limits the whole batch.
    """
    search = machine_code(len(masks), at_once=True) if geometry == NINE_BY_NINE else None
    if search:
        return search(masks, max_solutions, Deadline.of(Limits(seconds)))
    deadline, count = Deadline.of(Limits(seconds)), len(masks)
    counts, decided = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    grids = np.zeros((max_solutions, *masks.shape), np.uint8)
    with nullcontext(solvers) if solvers else Solvers("pysat") as available:
        for index, cells in enumerate((masks & geometry.all_values).tolist()):
            left = min(MAX_PUZZLE_SECONDS, deadline.left())
            if left < 1e-3:
                break
            left = min(left, max(MIN_PUZZLE_SECONDS, left / (count - index)))
            problem = PuzzleProblem(parsed_from(Puzzle(geometry, tuple(cells))))
            settings = Settings(
                solver="pysat", max_solutions=max_solutions, timeout=left, trust_solver=True
            )
            result = solve_problem(problem, available, settings, Stopwatch(), explain=False)
            solutions = sorted(result.solutions)
            counts[index] = len(solutions)
            decided[index] = bool(result.complete) or len(solutions) == max_solutions
            for rank, grid in enumerate(solutions):
                grids[rank, index] = grid.values
    return BatchSolutions(counts, decided, grids)


@dataclass(frozen=True, slots=True)
class RedundantGivens:
    """Redundant givens, or redundant clues, of P puzzles.

    If a single one of them is removed, the puzzle still has one solution.

    | array | shape | contents |
    |---|---|---|
    | `cells` | (P, n²) | flags of the redundant cells |
    | `certified` | (P,) | whether all flags of the puzzle are certified |
    """

    cells: Flags
    certified: Flags


def redundant_givens(geometry: Geometry, masks: MaskArray, seconds: float = inf) -> RedundantGivens:
    """Return the redundant givens of puzzles with one solution, from their masks (P, n²).

    A given is a cell with a single candidate. It is redundant if the puzzle, with all candidates in
    this cell, still has one solution. A minimal puzzle has no redundant givens. `seconds` limits
    the whole batch.
    """
    return _find_redundant(geometry, masks, masks & (masks - np.uint8(1)) == 0, seconds)


def redundant_clues(geometry: Geometry, masks: MaskArray, seconds: float = inf) -> RedundantGivens:
    """Find redundant clues in the same way as `redundant_givens` finds redundant givens.

    A clue is a cell that lacks a candidate: a given or a marked cell.
    """
    return _find_redundant(geometry, masks, masks != geometry.all_values, seconds)


def _find_redundant(
    geometry: Geometry, masks: MaskArray, clues: Flags, seconds: float
) -> RedundantGivens:
    """Find out which of the cells flagged by `clues` (P, n²) are redundant."""
    end = time.monotonic() + seconds
    owners, cells = np.nonzero(clues)
    redundant = RedundantGivens(np.zeros(masks.shape, np.bool_), np.ones(len(masks), np.bool_))
    chunk_size = max(1, BATCH_CELLS // masks.shape[1])
    for start in range(0, len(owners), chunk_size):
        chunk = slice(start, start + chunk_size)
        weaker = masks[owners[chunk]]
        cell_indices = np.arange(len(weaker)), cells[chunk]
        weaker[cell_indices] ^= weaker.dtype.type(geometry.all_values)
        solved = certified_solutions(geometry, weaker, 1, max(0.0, end - time.monotonic()))
        redundant.cells[owners[chunk], cells[chunk]] = solved.counts == 0
        redundant.certified[owners[chunk][~solved.certified]] = False
    return redundant
