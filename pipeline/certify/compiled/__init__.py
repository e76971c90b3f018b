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
from pipeline.puzzle import NINE

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
    """Check two claims, of which one is false. Raises RuntimeError if it does not say so."""
    values = [(row % 3 * 3 + row // 3 + column) % 9 + 1 for row in range(9) for column in range(9)]
    masks = np.array([[1 << value - 1 for value in values]] * 2, np.uint16)
    grids = np.array([[values] * 2], np.uint8)
    verdicts, _ = check(step, masks, np.array([1, 0]), grids, 1, NEVER)
    if verdicts.tolist() != [Verdict.COMPLETE, Verdict.INCOMPLETE]:
        raise RuntimeError("what was compiled does not check")
