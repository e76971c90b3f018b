"""Many grids against their masks at once, from the rules alone.

Nothing here knows how a grid was found, nor how `rules` looks at a single one.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.puzzle import Geometry

AT_ONCE = 4096
"""Puzzles looked at together: few enough for a core's cache, enough to be fast."""


def certify_many(
    geometry: Geometry, masks: NDArray[np.uint64], grids: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """Whether each grid is a solution of the puzzle with the same index: (P,) of bool.

    `masks` and `grids` are (P, n²), sides go up to 64; bit v-1 of a mask allows the value v.
    Raises ValueError for other shapes.
    """
    cells = geometry.side**2
    if geometry.side > 64 or masks.shape != grids.shape or masks.shape[1:] != (cells,):
        raise ValueError(
            f"masks of shape {masks.shape} and grids of {grids.shape} for {cells} cells"
        )
    good = np.zeros(len(grids), np.bool_)
    for start in range(0, len(grids), AT_ONCE):
        stop = start + AT_ONCE
        good[start:stop] = _certify(geometry, masks[start:stop], grids[start:stop])
    return good


def _certify(
    geometry: Geometry, masks: NDArray[np.uint64], grids: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """Where n values make up all values between them, each stands once."""
    side = geometry.side
    word = np.min_scalar_type(geometry.all_values)
    bits = np.array([0, *(1 << shift for shift in range(side))], word)
    inside = (grids >= 1) & (grids <= side)
    chosen = bits[np.where(inside, grids, 0).T]
    good: NDArray[np.bool_] = (chosen & masks.T.astype(word) != 0).all(axis=0)
    for unit in chain(geometry.rows(), geometry.columns(), geometry.boxes()):
        good &= np.bitwise_or.reduce(chosen[list(unit)], axis=0) == bits.dtype.type(
            geometry.all_values
        )
    return good
