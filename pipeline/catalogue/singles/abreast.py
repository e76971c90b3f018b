"""Singles in numpy: many states of one geometry side by side."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pipeline.puzzle.puzzle import Geometry

States = NDArray[np.uint16]

AT_ONCE = 1024
"""States that go through a round together: few enough for a core's cache."""

_ONE, _NONE = np.uint16(1), np.uint16(0)


def close_abreast(geometry: Geometry, states: States) -> None:
    """As `close_singles`, for any geometry of a side up to 16."""
    for start in range(0, states.shape[1], AT_ONCE):
        left = np.arange(start, min(start + AT_ONCE, states.shape[1]))
        cells = states[:, left]
        while len(left):
            before = cells.copy()
            dead = _round(geometry, cells)
            cells[:, dead] = 0
            states[:, left] = cells
            going = (before != cells).any(axis=0) & ~dead
            left, cells = left[going], np.ascontiguousarray(cells[:, going])


def _round(geometry: Geometry, cells: States) -> NDArray[np.bool_]:
    """Take the singles of all units once, in place; which states have a contradiction."""
    full = np.uint16(geometry.all_values)
    dead = np.zeros(cells.shape[1], np.bool_)
    for unit in _units(geometry, cells):
        once, taken = np.zeros_like(unit[0]), np.zeros_like(unit[0])
        twice, wrong = np.zeros_like(once), np.zeros_like(once)
        singles = [np.where(cell & (cell - _ONE), _NONE, cell) for cell in unit]
        for cell, single in zip(unit, singles, strict=True):
            twice |= once & cell
            once |= cell
            wrong |= taken & single
            taken |= single
        hidden = once & ~twice
        wrong |= once ^ full
        for cell, single in zip(unit, singles, strict=True):
            own = cell & hidden
            wrong |= np.where(own, own & (own - _ONE), _NONE)
            np.bitwise_and(cell, np.where(own, own, ~taken | single), out=cell)
        dead |= np.logical_or.reduce(wrong != 0, axis=tuple(range(wrong.ndim - 1)))
    dead |= (cells == 0).any(axis=0)
    return dead


def _units(geometry: Geometry, cells: States) -> Iterator[list[States]]:
    """Of all rows the first cells, the second and so on; then of all columns, of all boxes."""
    n, height, width = geometry.side, geometry.height, geometry.width
    lines = cells.reshape(n, n, -1)
    yield [lines[:, place] for place in range(n)]
    yield [lines[place] for place in range(n)]
    boxes = cells.reshape(width, height, height, width, -1)
    yield [boxes[:, row, :, column] for row in range(height) for column in range(width)]
