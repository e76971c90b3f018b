"""The compiled form of the check of many: what `native` must know of it, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.compiled.state import Lanes, new_lanes
from pipeline.certify.verdicts import Verdict
from pipeline.limits import NEVER, Deadline
from pipeline.native import Loaded, Program
from pipeline.puzzle.puzzle import NINE

MANY = 250
"""Puzzles for which it is worth loading at once: plain Python takes longer for them."""

SWEEPS = 4096
"""Of all lanes between two looks at the clock: some milliseconds."""

_SOURCES = "building.py", "fields.py", "search.py", "state.py", "sweep.py"
PROGRAM = Program(
    name="check",
    sources=(
        *map(Path(__file__).with_name, _SOURCES),
        Path(__file__).parents[1] / "verdicts.py",
    ),
    compiler="pipeline.certify.compiled.building.object_code",
    trial="pipeline.certify.compiled.try_check",
    arguments="P" * (len(Lanes._fields) + 5) + "qqqq",
)
loaded = Loaded(PROGRAM)


def check(
    step: Callable[..., bool],
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    most: int,
    deadline: Deadline,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The verdicts on 9×9 puzzles, and their nodes; see `exhausted_many`."""
    lanes = new_lanes()
    narrow = np.array(masks & np.uint16(NINE.all_values), np.uint16, order="C")
    listed = np.ascontiguousarray(grids, np.uint8)
    claimed = np.array(counts, np.int64)
    verdicts, nodes = np.zeros(len(masks), np.uint8), np.zeros(len(masks), np.int64)
    used = (*lanes, narrow, claimed, listed, verdicts, nodes)
    at = [array.ctypes.data for array in used]
    while deadline.left() and not step(*at, len(masks), len(listed), most, SWEEPS):
        pass
    return verdicts, nodes


def try_check(step: Callable[..., bool]) -> None:
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
        raise RuntimeError("what was compiled does not check")
