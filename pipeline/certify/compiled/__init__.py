"""The check of 9×9 puzzles side by side, as machine code: its declaration, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.compiled.search import Verdict, new_searches
from pipeline.limits import NEVER, Deadline
from pipeline.native import Loaded, Program
from pipeline.puzzle.puzzle import NINE

SWEEPS = 4096
"""Rounds of all lanes between two looks at the clock: some milliseconds."""

PROGRAM = Program(
    "check",
    "search",
    ("pipeline.certify.compiled.search", "pipeline.certify.compiled.sweep"),
    "pipeline.certify.compiled.try_check",
)
loaded = Loaded(PROGRAM)


def check(
    step: Callable[..., int],
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    most: int,
    deadline: Deadline,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The verdicts on 9×9 puzzles, and their nodes; see `exhausted_many`."""
    narrow = np.array(masks & np.uint16(NINE.all_values), np.uint16, order="C")
    verdicts, nodes = np.zeros(len(masks), np.uint8), np.zeros(len(masks), np.int64)
    claims = narrow, np.array(counts, np.int64), np.ascontiguousarray(grids, np.uint8)
    lanes = new_searches()
    while deadline.left() and not step(lanes, *claims, verdicts, nodes, most, SWEEPS):
        pass
    return verdicts, nodes


def try_check(step: Callable[..., int]) -> None:
    """Check three claims about a puzzle with two solutions, of which one, "both", is true.

    It takes propagation and a branch. Raises RuntimeError if the verdicts are wrong.
    """
    grid = np.array([[(3 * r + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], np.uint8)
    other = grid.copy()
    other[:2, ::3] = grid[1::-1, ::3]  # each of these columns has its two values the other way
    masks = np.left_shift(1, grid - 1, dtype=np.uint16)
    masks[:2, ::3] = NINE.all_values
    grids = np.repeat([[grid.ravel()], [other.ravel()]], 3, axis=1)
    claims = np.repeat([masks.ravel()], 3, axis=0), np.arange(3), grids
    verdicts, _ = check(step, *claims, 1, NEVER)
    if verdicts.tolist() != [Verdict.INCOMPLETE, Verdict.INCOMPLETE, Verdict.COMPLETE]:
        raise RuntimeError("the machine code does not check")
