"""Lanes, the bit-sliced batch solver: many 9×9 puzzles at once, one bit for each in every word.

Unit propagation on all puzzles together, and a complete search (DPLL) of the rest, as machine code.
Its functions also run as plain Python, which finds the same, but is no faster than other solvers;
without machine code these solve collections. numpy is slow to load: callers that may have only
single puzzles import this late.
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
from pipeline.solving.compiled.kernel import decided_in, new_lanes

__all__ = ["PROGRAM", "BatchSolver", "Masks", "Solutions", "machine_code", "solve_lanes"]

OTHERWISE = 0.004
"""Seconds that another solver takes for a puzzle."""

STEPS = 64
"""Steps between two looks at the clock: some milliseconds of machine code."""

PROGRAM = Program(
    "lanes",
    "search",
    ("pipeline.solving.compiled.kernel", "pipeline.solving.compiled.deduction"),
    "pipeline.solving.compiled.try_search",
)
loaded = Loaded(PROGRAM)

Masks = NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class Solutions:
    """The solutions of each of P puzzles.

    counts: (P,) how many were found, at most `most`. decided: (P,) whether the search ended or
    found `most` of them before the time was up. grids: (most, P, 81) their values 1 to 9, distinct
    and in ascending order for each puzzle, 0 where there is no solution.
    """

    counts: NDArray[np.int64]
    decided: NDArray[np.bool_]
    grids: NDArray[np.uint8]


def machine_code(puzzles: int, *, at_once: bool = False) -> BatchSolver | None:
    """The search as machine code for so many puzzles, if it is there and worth loading."""
    step = loaded.get(puzzles * OTHERWISE, at_once=at_once)
    return BatchSolver(step) if step else None


def solve_lanes(masks: Masks, most: int, seconds: float) -> Solutions:
    """Find `most` solutions of each 9×9 puzzle, or all if there are fewer.

    `masks` is (P, 81), bit v-1 of a mask allows value v. The result for a decided puzzle does not
    depend on the others, nor on whether there is machine code. Raises ValueError for masks of
    another shape or a `most` below 1.
    """
    search = machine_code(len(masks)) or BatchSolver(kernel.search)
    return search(masks, most, Deadline.of(Limits(seconds)))


class BatchSolver:
    """The search by steps of machine code, or of plain Python; `branched` counts branchings."""

    def __init__(self, step: Callable[..., int]) -> None:
        self._step = step
        self._steps = 1 if step is kernel.search else STEPS
        self.branched = 0

    def __call__(self, masks: Masks, most: int, deadline: Deadline) -> Solutions:
        """See `solve_lanes`."""
        if masks.ndim != 2 or masks.shape[1] != NINE.size or most < 1:
            raise ValueError(f"masks of shape {masks.shape}, {most} solutions")
        narrow = np.array(masks & np.uint16(NINE.all_values), np.uint16, order="C")
        shared = np.zeros(len(masks), np.bool_)
        counts, decided, grids = self._searched(narrow, most, shared, deadline)
        again = np.flatnonzero(shared & (counts == most))
        if len(again):
            alone = np.zeros(0, np.bool_)
            ordered = self._searched(narrow[again], most, alone, deadline)
            counts[again], decided[again], grids[:, again] = ordered
        _sort(counts, grids)
        return Solutions(counts, decided, grids)

    def _searched(
        self, masks: NDArray[np.uint16], most: int, shared: NDArray[np.bool_], deadline: Deadline
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.uint8]]:
        counts = np.zeros(len(masks), np.int64)
        grids = np.zeros((most, *masks.shape), np.uint8)
        lanes = new_lanes()
        while deadline.left():
            if self._step(lanes, masks, most, counts, grids, shared, self._steps):
                break
        self.branched += int(lanes.numbers[kernel.BRANCHED])
        return counts, decided_in(lanes, counts, most), grids


def _sort(counts: NDArray[np.int64], grids: NDArray[np.uint8]) -> None:
    """Sort the solutions of every puzzle in ascending order, in place."""
    several = np.flatnonzero(counts > 1)
    for count in np.flatnonzero(np.bincount(counts[several])):
        puzzles = several[counts[several] == count]
        theirs = np.ascontiguousarray(grids[:count, puzzles].swapaxes(0, 1))
        as_text = theirs.view(f"S{theirs.shape[2]}")[:, :, 0]
        order = np.argsort(as_text, axis=1)
        sorted_ = np.take_along_axis(theirs, order[:, :, None], 1)
        grids[:count, puzzles] = sorted_.swapaxes(0, 1)


def try_search(step: Callable[..., int]) -> None:
    """Solve a blank grid with it. Raises RuntimeError if it does not find two solutions."""
    blank = np.full((1, NINE.size), NINE.all_values, np.uint16)
    if BatchSolver(step)(blank, 2, NEVER).counts.tolist() != [2]:
        raise RuntimeError("the machine code finds no solutions")
