"""The state of the compiled check: LANES searches side by side, in arrays.

`search.py` compiles what works on it; here is
only what can be had without numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FIELD = 16
LANES = 32
"""A field of so many bits for each: a cell's values, one bit each."""

CACHE_LINE = 64
CELLS, TRIADS = 81, 54
DEPTH = 64
"""Branches that a lane has open at the most; what needs more is undecided."""

NOBODY = -1
"""The puzzle of a lane that has none."""


class Lanes(NamedTuple):
    """The state of LANES searches; `new_lanes` makes one, in which none has begun.

    fields: (ROWS, LANES), for each of the cells what it may hold, then for each triad of a row or
    column what it must hold, and DEAD, OPEN and MOVED. puzzle: (LANES,) what each searches.
    depth, met: (LANES,) branches that are open, and listed grids that it has come to. saved:
    (LANES, DEPTH, CELLS) the cells before each branch, and `tried` (LANES, DEPTH) what was tried
    there. begun: (1,) the puzzles that were begun.
    """

    fields: NDArray[np.uint16]
    puzzle: NDArray[np.int64]
    depth: NDArray[np.int64]
    met: NDArray[np.int64]
    saved: NDArray[np.uint16]
    tried: NDArray[np.int64]
    begun: NDArray[np.int64]


DEAD = CELLS + TRIADS
OPEN, MOVED = DEAD + 1, DEAD + 2
ROWS = MOVED + 1
"""In `fields`: where a lane has a contradiction, a cell with several values, and has changed."""


def new_lanes() -> Lanes:
    return Lanes(
        _aligned(ROWS),
        np.full(LANES, NOBODY),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.empty((LANES, DEPTH, CELLS), np.uint16),
        np.empty((LANES, DEPTH), np.int64),
        np.zeros(1, np.int64),
    )


def _aligned(rows: int) -> NDArray[np.uint16]:
    """Zeros that begin where a cache line does."""
    space = np.zeros((rows + 1) * LANES, np.uint16)
    start = -space.ctypes.data % CACHE_LINE // space.itemsize
    return space[start : start + rows * LANES].reshape(rows, LANES)
