"""The batch solver: solves many 9×9 puzzles in parallel, each in one bit of every word.

It propagates all puzzles together, and then searches completely (DPLL), in machine code. In plain
Python it has the same results but is no faster than other solvers, so collections then use those.
numpy is slow to load: callers that may have only single puzzles import this module late.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.limits import NEVER, Deadline, Limits
from pipeline.native import Loaded, Program
from pipeline.puzzle.geometry import NINE
from pipeline.solving.compiled import kernel
from pipeline.solving.compiled import layout as L
from pipeline.solving.compiled.kernel import decided_puzzles, new_lanes

__all__ = ["PROGRAM", "BatchSolutions", "BatchSolver", "Masks", "machine_code", "solve_masks"]

PYTHON_SECONDS = 0.004
"""Seconds that another solver takes for a puzzle."""

CLOCK_STEPS = 64
"""Steps between two checks of the clock: some milliseconds of machine code."""

PROGRAM = Program(
    "batch",
    "search",
    tuple(f"pipeline.solving.compiled.{name}" for name in ("kernel", "deduction", "layout")),
    "pipeline.solving.compiled.try_search",
)
loaded = Loaded(PROGRAM)

Masks = NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class BatchSolutions:
    """The solutions of P puzzles, at most `max_solutions` of each.

    | array | shape | contents |
    |---|---|---|
    | `counts` | (P,) | the number of solutions found |
    | `decided` | (P,) | whether the search was complete, or found `max_solutions`, in time |
    | `grids` | (max_solutions, P, 81) | values 1 to 9, distinct and ascending; 0 for no solution |
    """

    counts: NDArray[np.int64]
    decided: NDArray[np.bool_]
    grids: NDArray[np.uint8]


def machine_code(puzzles: int, *, at_once: bool = False) -> BatchSolver | None:
    """The batch solver in machine code, if it can be loaded and pays for this number of puzzles."""
    compiled_search = loaded.get(puzzles * PYTHON_SECONDS, at_once=at_once)
    return BatchSolver(compiled_search) if compiled_search else None


def solve_masks(masks: Masks, max_solutions: int, seconds: float) -> BatchSolutions:
    """Find at most `max_solutions` of each 9×9 puzzle.

    `masks` is (P, 81); bit v-1 of a mask allows the value v. The result for a decided puzzle
    depends neither on other puzzles nor on machine code. Raises ValueError for masks of another
    shape and if `max_solutions` is below 1.
    """
    search = machine_code(len(masks)) or BatchSolver(kernel.search)
    return search(masks, max_solutions, Deadline.of(Limits(seconds)))


class BatchSolver:
    """The search in machine code or plain Python; `branches` counts the branches of all calls."""

    def __init__(self, compiled_search: Callable[..., int]) -> None:
        self._step = compiled_search
        self._steps = 1 if compiled_search is kernel.search else CLOCK_STEPS
        self.branches = 0

    def __call__(self, masks: Masks, max_solutions: int, deadline: Deadline) -> BatchSolutions:
        """See `solve_masks`."""
        if masks.ndim != 2 or masks.shape[1] != NINE.size or max_solutions < 1:
            raise ValueError(
                f"expected masks of shape (P, {NINE.size}) and max_solutions of at least 1, found "
                f"{masks.shape} and {max_solutions}"
            )
        masks_16 = np.array(masks & np.uint16(NINE.all_values), np.uint16, order="C")
        is_shared = np.zeros(len(masks), np.bool_)
        counts, decided, grids = self._search(masks_16, max_solutions, is_shared, deadline)
        to_sort = np.flatnonzero(is_shared & (counts == max_solutions))
        if len(to_sort):
            no_sharing = np.zeros(0, np.bool_)
            ordered = self._search(masks_16[to_sort], max_solutions, no_sharing, deadline)
            counts[to_sort], decided[to_sort], grids[:, to_sort] = ordered
        _sort(counts, grids)
        return BatchSolutions(counts, decided, grids)

    def _search(
        self,
        masks: NDArray[np.uint16],
        max_solutions: int,
        is_shared: NDArray[np.bool_],
        deadline: Deadline,
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.uint8]]:
        counts = np.zeros(len(masks), np.int64)
        grids = np.zeros((max_solutions, *masks.shape), np.uint8)
        lanes = new_lanes()
        while deadline.left():
            if self._step(lanes, masks, max_solutions, counts, grids, is_shared, self._steps):
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


def try_search(compiled_search: Callable[..., int]) -> None:
    """Solve a blank grid. Raises RuntimeError unless two solutions are found."""
    blank = np.full((1, NINE.size), NINE.all_values, np.uint16)
    if BatchSolver(compiled_search)(blank, 2, NEVER).counts.tolist() != [2]:
        raise RuntimeError("the machine code finds no solutions")
