"""The state of the compiled search: LANES searches side by side, in arrays.

`kernel.py` compiles what works on it; here is only what can be had without numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WORD = 64
WORDS = 8
"""Machine words in a vector, one bit of which belongs to each lane."""
LANES = WORDS * WORD

ROW_WORDS = 12
"""Words of the candidates of one lane: nine bits a cell, row by row."""

VECTORS = 2896
"""In the planes; `deduction.py` says what they hold."""

MOST_HALVES = 81
"""That one lane sets aside: the other half of each decides a cell."""


class Lanes(NamedTuple):
    """The state of LANES searches; `new_lanes` makes one, in which all are idle.

    planes: VECTORS vectors. idle: (WORDS,) a bit for each idle lane. puzzle: (LANES,) what each
    searches. last: (LANES,) the last half that it has set aside, or -1. Of each half: its
    `candidates` (·, ROW_WORDS), its `owner`, a puzzle, and the `one_before` it of the same lane;
    those not in use are a list as well. numbers: see below.
    """

    planes: NDArray[np.uint64]
    idle: NDArray[np.uint64]
    puzzle: NDArray[np.int64]
    last: NDArray[np.int64]
    candidates: NDArray[np.uint64]
    owner: NDArray[np.int64]
    one_before: NDArray[np.int64]
    numbers: NDArray[np.int64]


BEGUN, WAITING, UNUSED, ASKED, SPLITS = range(5)
"""In `numbers`: puzzles begun, halves set aside, the first half not in use, the lane that was last
asked for one, and splits."""


def new_lanes() -> Lanes:
    halves = LANES * MOST_HALVES
    one_before = np.arange(1, halves + 1)
    one_before[-1] = -1
    return Lanes(
        _aligned(VECTORS * WORDS),
        np.full(WORDS, 2**WORD - 1, np.uint64),
        np.zeros(LANES, np.int64),
        np.full(LANES, -1, np.int64),
        np.empty((halves, ROW_WORDS), np.uint64),
        np.empty(halves, np.int64),
        one_before,
        np.zeros(5, np.int64),
    )


def _aligned(words: int) -> NDArray[np.uint64]:
    """Zeros that begin where a vector of the processor does."""
    space = np.zeros(words + WORDS, np.uint64)
    start = -space.ctypes.data // WORDS % WORDS
    return space[start : start + words]


def decided_in(lanes: Lanes, counts: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    """Whether each puzzle was searched to its end, or has as many solutions as are wanted."""
    ended: NDArray[np.bool_] = np.arange(len(counts)) < lanes.numbers[BEGUN]
    working = np.unpackbits(~lanes.idle.view(np.uint8), bitorder="little").astype(np.bool_)
    ended[lanes.puzzle[working]] = False
    halves = lanes.last[lanes.last >= 0]
    while len(halves):
        ended[lanes.owner[halves]] = False
        halves = lanes.one_before[halves]
        halves = halves[halves >= 0]
    ended |= counts == most
    return ended
