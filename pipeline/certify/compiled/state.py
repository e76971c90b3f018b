"""The state of the compiled check: LANES searches side by side, in arrays.

`search.py` compiles what works on it; here is only what can be had without numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LANES = 32
"""Puzzles that are searched side by side."""

FIELD = 16
"""Bits that each of them has for a cell's values: one for each value, and some to spare."""

CACHE_LINE = 64
CELLS, TRIADS, CHUTES = 81, 54, 6
DEPTH = 64
"""Branches that a lane has open at the most; what needs more is undecided."""

NOBODY = -1
"""The puzzle of a lane that has none."""


class Lanes(NamedTuple):
    """The state of LANES searches; `new_lanes` makes one, in which none has begun.

    fields: (ROWS, LANES), what each of the cells may hold, and what follows from that; see below.
    puzzle: (LANES,) what each searches. depth, met: (LANES,) branches that are open, and listed
    grids that it has come to. saved: (LANES, DEPTH, CELLS) the cells before each branch, and
    `tried` (LANES, DEPTH) what was tried there. seen: (27,) is for looking at one grid. begun:
    (1,) the puzzles that were begun.
    """

    fields: NDArray[np.uint16]
    puzzle: NDArray[np.int64]
    depth: NDArray[np.int64]
    met: NDArray[np.int64]
    saved: NDArray[np.uint16]
    tried: NDArray[np.int64]
    seen: NDArray[np.int64]
    begun: NDArray[np.int64]


MAY = CELLS
MUST = MAY + TRIADS
LEFT = MUST + TRIADS
DEAD, OPEN, MOVED, ROWS = range(LEFT + CHUTES, LEFT + CHUTES + 4)
"""The rows of `fields` behind the cells: what triads may and must have, how much the triads of a
chute may have, and what is not 0 in a lane with a contradiction, with a cell that has several
values, and that has changed in the last sweep."""


def new_lanes() -> Lanes:
    return Lanes(
        _aligned(ROWS),
        np.full(LANES, NOBODY),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.empty((LANES, DEPTH, CELLS), np.uint16),
        np.empty((LANES, DEPTH), np.int64),
        np.zeros(27, np.int64),
        np.zeros(1, np.int64),
    )


def _aligned(rows: int) -> NDArray[np.uint16]:
    """Zeros that begin where a cache line does."""
    space = np.zeros((rows + 1) * LANES, np.uint16)
    start = -space.ctypes.data % CACHE_LINE // space.itemsize
    return space[start : start + rows * LANES].reshape(rows, LANES)
