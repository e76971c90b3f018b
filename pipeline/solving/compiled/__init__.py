"""The batch solver: solves many 9×9 puzzles in parallel by DPLL, each in its own bit of a vector.

It runs in machine code. In plain Python it gives the same results, but is no faster than other
solvers, which therefore solve collections if there is no machine code. Loading numpy is slow, so
callers that may have only single puzzles import this module inside functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.limits import NEVER, Deadline, Limits
from pipeline.native import Program, ProgramLoader
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.solving.compiled import kernel
from pipeline.solving.compiled import layout as L
from pipeline.solving.compiled.kernel import decided_puzzles, new_lanes

__all__ = ["PROGRAM", "BatchSolutions", "BatchSolver", "Masks", "machine_code", "solve_masks"]

SECONDS_PER_PUZZLE = 0.004
"""Estimate of the seconds that other solvers need for a puzzle."""

CLOCK_STEPS = 64
"""Steps between two checks of the clock. Machine code takes some milliseconds for them."""

PROGRAM = Program(
    "batch",
    "search",
    tuple(f"pipeline.solving.compiled.{name}" for name in ("kernel", "deduction", "layout")),
    "pipeline.solving.compiled.check_batch_search",
)
loader = ProgramLoader(PROGRAM)
"""Loads, or compiles, the machine code of `kernel.search`."""

Masks = NDArray[np.unsignedinteger]
"""The candidates of the cells of P puzzles, (P, 81): bit v - 1 of a mask allows the value v."""


@dataclass(frozen=True, slots=True)
class BatchSolutions:
    """The solutions of P puzzles, at most `max_solutions` of each.

    | array | shape | contents |
    |---|---|---|
    | `counts` | (P,) | the number of solutions found |
    | `decided` | (P,) | whether the search ended, or found `max_solutions`, before the deadline |
    | `grids` | (max_solutions, P, 81) | distinct solutions, ascending; 0 after the last one |
    """

    counts: NDArray[np.int64]
    decided: NDArray[np.bool_]
    grids: NDArray[np.uint8]


def machine_code(puzzles: int, *, at_once: bool = False) -> BatchSolver | None:
    """The batch solver in machine code, for this number of puzzles.

    Returns None if the machine code is not ready, or if loading it does not pay for so few puzzles.
    `at_once`: as in `ProgramLoader.get`.
    """
    compiled_search = loader.get(puzzles * SECONDS_PER_PUZZLE, at_once=at_once)
    return BatchSolver(compiled_search) if compiled_search else None


def solve_masks(masks: Masks, max_solutions: int, seconds: float) -> BatchSolutions:
    """Find at most `max_solutions` solutions of each 9×9 puzzle.

    The result for a decided puzzle depends neither on the other puzzles nor on whether machine code
    is used. Raises ValueError for masks of another shape than (P, 81), and if `max_solutions` is
    below 1.
    """
    search = machine_code(len(masks)) or BatchSolver(kernel.search)
    return search(masks, max_solutions, Deadline.of(Limits(seconds)))


class BatchSolver:
    """The batch solver in machine code or plain Python.

    `branches`: the number of branches of all calls together.
    """

    def __init__(self, compiled_search: Callable[..., int]) -> None:
        self._run_search = compiled_search
        self._steps_per_run = 1 if compiled_search is kernel.search else CLOCK_STEPS
        self.branches = 0

    def __call__(self, masks: Masks, max_solutions: int, deadline: Deadline) -> BatchSolutions:
        """As `solve_masks`, with a deadline instead of a number of seconds."""
        if masks.ndim != 2 or masks.shape[1] != NINE_BY_NINE.size or max_solutions < 1:
            raise ValueError(
                f"expected masks of shape (P, {NINE_BY_NINE.size}) and max_solutions of at least "
                f"1, found {masks.shape} and {max_solutions}"
            )
        masks_16 = np.array(masks & np.uint16(NINE_BY_NINE.all_values), np.uint16, order="C")
        is_shared = np.zeros(len(masks), np.bool_)
        counts, decided, grids = self._search(masks_16, max_solutions, is_shared, deadline)
        # Other puzzles affect which solutions of a shared puzzle are found. So shared puzzles with
        # enough solutions are searched again, unshared.
        repeated = np.flatnonzero(is_shared & (counts == max_solutions))
        if len(repeated):
            no_sharing = np.zeros(0, np.bool_)
            results = self._search(masks_16[repeated], max_solutions, no_sharing, deadline)
            counts[repeated], decided[repeated], grids[:, repeated] = results
        _sort(counts, grids)
        return BatchSolutions(counts, decided, grids)

    def _search(
        self,
        masks: NDArray[np.uint16],
        max_solutions: int,
        is_shared: NDArray[np.bool_],
        deadline: Deadline,
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.uint8]]:
        """Search until the deadline. Returns the arrays of `BatchSolutions`, unsorted.

        `is_shared`: as in `kernel.search`.
        """
        counts = np.zeros(len(masks), np.int64)
        grids = np.zeros((max_solutions, *masks.shape), np.uint8)
        lanes = new_lanes()
        while deadline.left():
            if self._run_search(
                lanes, masks, max_solutions, counts, grids, is_shared, self._steps_per_run
            ):
                break
        self.branches += int(lanes.numbers[L.BRANCHES])
        return counts, decided_puzzles(lanes, counts, max_solutions), grids


def _sort(counts: NDArray[np.int64], grids: NDArray[np.uint8]) -> None:
    """Sort the solutions of every puzzle in ascending order, in place."""
    multiple = np.flatnonzero(counts > 1)
    for count in np.flatnonzero(np.bincount(counts[multiple])):
        puzzles = multiple[counts[multiple] == count]
        solutions = np.ascontiguousarray(grids[:count, puzzles].swapaxes(0, 1))
        texts = solutions.view(f"S{solutions.shape[2]}")[:, :, 0]
        order = np.argsort(texts, axis=1)
        ordered = np.take_along_axis(solutions, order[:, :, None], 1)
        grids[:count, puzzles] = ordered.swapaxes(0, 1)


def check_batch_search(compiled_search: Callable[..., int]) -> None:
    """Test the compiled `kernel.search` on a blank grid.

    Raises RuntimeError unless it finds two solutions.
    """
    blank = np.full((1, NINE_BY_NINE.size), NINE_BY_NINE.all_values, np.uint16)
    if BatchSolver(compiled_search)(blank, 2, NEVER).counts.tolist() != [2]:
        raise RuntimeError("compiled code does not find two solutions of a blank grid")
