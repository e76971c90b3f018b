"""Room for the compiled singles: LANES states side by side, in fields as of the compiled check."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.compiled.state import CACHE_LINE, CELLS, LANES

__all__ = ["CELLS", "DEAD", "LANES", "MOVED", "ROWS", "new_room"]

DEAD, MOVED, ROWS = CELLS, CELLS + 1, CELLS + 2
"""The rows behind the cells: not 0 in a state with a contradiction, and in one that has changed."""


def new_room() -> NDArray[np.uint16]:
    """(ROWS, LANES) zeros that begin where a cache line does."""
    space = np.zeros((ROWS + 1) * LANES, np.uint16)
    start = -space.ctypes.data % CACHE_LINE // space.itemsize
    return space[start : start + ROWS * LANES].reshape(ROWS, LANES)
