"""The compiled search: what `native` must know of it, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.limits import NEVER, Deadline
from pipeline.native import Loaded, Program
from pipeline.puzzle.puzzle import NINE
from pipeline.solving.compiled.search import Found, Masks
from pipeline.solving.compiled.state import SPLITS, Lanes, decided_in, new_lanes

MANY = 2000
"""Puzzles for which it is worth loading at once: even easy ones take numpy longer."""

STEPS = 64
"""Of the compiled search between two looks at the clock: some milliseconds."""

PROGRAM = Program(
    name="lanes",
    sources=tuple(
        Path(__file__).with_name(f"{name}.py")
        for name in ("building", "kernel", "deduction", "state", "vectors")
    ),
    compiler="pipeline.solving.compiled.building.object_code",
    trial="pipeline.solving.compiled.loading.try_search",
    arguments="P" * (len(Lanes._fields) + 1) + "qqPPPqq",
)
loaded = Loaded(PROGRAM)


class CompiledSearch:
    """As `search_planes`, for 9×9 puzzles, by steps of machine code; `splits` counts branchings."""

    def __init__(self, step: Callable[..., bool]) -> None:
        self._step = step
        self.splits = 0

    def __call__(self, masks: Masks, most: int, deadline: Deadline) -> Found:
        narrow = np.array(masks & np.uint16(NINE.all_values), np.uint16, order="C")
        shared = np.zeros(len(masks), np.bool_)
        counts, decided, grids = self._searched(narrow, most, shared, deadline)
        again = np.flatnonzero(shared & (counts == most))
        if len(again):
            alone = np.zeros(0, np.bool_)
            ordered = self._searched(narrow[again], most, alone, deadline)
            counts[again], decided[again], grids[:, again] = ordered
        return Found.in_order(counts, decided, grids)

    def _searched(
        self, masks: NDArray[np.uint16], most: int, shared: NDArray[np.bool_], deadline: Deadline
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.uint8]]:
        counts = np.zeros(len(masks), np.int64)
        grids = np.zeros((most, *masks.shape), np.uint8)
        lanes = new_lanes()
        at = [array.ctypes.data for array in (*lanes, masks, counts, grids, shared)]
        answers = *at[-3:], len(shared), STEPS
        while deadline.left():
            if self._step(*at[:-3], len(masks), most, *answers):
                break
        self.splits += int(lanes.numbers[SPLITS])
        return counts, decided_in(lanes, counts, most), grids


def try_search(step: Callable[..., bool]) -> None:
    """Search a blank grid with it. Raises RuntimeError if that does not find two solutions."""
    blank = np.full((1, NINE.side**2), NINE.all_values, np.uint16)
    if CompiledSearch(step)(blank, 2, NEVER).counts.tolist() != [2]:
        raise RuntimeError("what was compiled finds no solutions")
