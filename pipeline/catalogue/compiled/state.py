"""What the compiled canonical form works with: tables, and room for one solution."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.openings import openings_of
from pipeline.catalogue.symmetries import line_orders

BOX, SIDE, CELLS = 3, 9, 81
PAIRS = 36
"""Ordered pairs of rows in a band, or of columns in a stack."""

MOST_TIED = PAIRS * 18
"""Symmetries that lead to the lowest form; no row has more than 18 orders to its lowest."""


class Tables(NamedTuple):
    """Those of `Openings`, and `lines`: (1296, 9) the orders of columns."""

    codes: NDArray[np.int32]
    ranks: NDArray[np.int32]
    starts: NDArray[np.int32]
    how_many: NDArray[np.int32]
    orders: NDArray[np.int32]
    lines: NDArray[np.uint8]


class Room(NamedTuple):
    """Room for the work on one puzzle.

    grids: (2, 81) its solution, and that transposed. columns: (2, 9, 10) of each row of them where
    a value is. keys: (PAIRS,) of the second rows. labels: (10,), rows: (9,) and begins: (9,) of the
    symmetry that is being tried. best: (81,) the lowest solution yet, and tied: (MOST_TIED, 4)
    which symmetries lead to it: transposed, two rows, and an order of columns. image: (81,).
    """

    grids: NDArray[np.uint8]
    columns: NDArray[np.uint8]
    keys: NDArray[np.int64]
    labels: NDArray[np.uint8]
    rows: NDArray[np.int64]
    begins: NDArray[np.int64]
    best: NDArray[np.uint8]
    tied: NDArray[np.int64]
    image: NDArray[np.uint8]


@lru_cache
def tables() -> Tables:
    made = openings_of(BOX)
    return Tables(
        made.codes,
        made.ranks,
        made.starts,
        made.how_many,
        made.orders,
        line_orders(BOX).astype(np.uint8),
    )


def new_room() -> Room:
    return Room(
        np.zeros((2, CELLS), np.uint8),
        np.zeros((2, SIDE, SIDE + 1), np.uint8),
        np.zeros(PAIRS, np.int64),
        np.zeros(SIDE + 1, np.uint8),
        np.zeros(SIDE, np.int64),
        np.zeros(SIDE, np.int64),
        np.zeros(CELLS, np.uint8),
        np.zeros((MOST_TIED, 4), np.int64),
        np.zeros(CELLS, np.uint8),
    )
