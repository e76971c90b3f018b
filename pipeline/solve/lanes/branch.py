"""Branch: where lanes stand still, the two halves of what is left of them."""

from __future__ import annotations

import numpy as np

from pipeline.solve.lanes.layout import Bits
from pipeline.solve.lanes.program import and_, or_, xor
from pipeline.solve.lanes.propagate import Chunk


def branch(chunk: Chunk, lanes: Bits) -> None:
    """Of these lanes choose a candidate: `alive` assumes it, `before` its contrary.

    The candidate is one of a cell that has the fewest, two or more. Of the other lanes both
    are what `alive` was.
    """
    alive, before, of_cell, words = chunk.alive, chunk.before, chunk.hidden, chunk.words
    cells = _smallest_cells(chunk, lanes)
    first(cells.reshape(-1, words))
    and_(alive, cells[:, None], of_cell)
    by_value = or_.reduce(of_cell, 0).reshape(alive.shape[1], -1, words)
    values = first(or_.reduce(by_value, 1))
    and_(of_cell, values[:, None, None, None], before)
    xor(of_cell, before, of_cell)
    xor(alive, before, before)
    xor(alive, of_cell, alive)


def first(planes: Bits) -> Bits:
    """Leave to each lane one of its bits in planes (count, words), in place."""
    if len(planes) > 1:
        half = (len(planes) + 1) // 2
        left, right = planes[:half], planes[half:]
        some = left.copy()
        some[: len(right)] |= right
        first(some)
        left &= some
        right &= some[: len(right)]
        right &= ~left[: len(right)]
    return planes


def _smallest_cells(chunk: Chunk, lanes: Bits) -> Bits:
    """Planes of the cells with the fewest candidates, not counting those that have one."""
    found = np.zeros_like(chunk.once)
    wanted, size = lanes.copy(), 2
    while wanted.any():
        at_least = _sizes(chunk, size + 1)
        found |= at_least[size - 1] & ~at_least[size] & wanted
        wanted &= ~or_.reduce(found.reshape(-1, chunk.words), 0)
        size += 1
    return found


def _sizes(chunk: Chunk, most: int) -> list[Bits]:
    """Planes of the cells with at least 1, 2, … `most` candidates."""
    at_least = [np.zeros_like(chunk.once) for _ in range(most)]
    for value in range(chunk.layout.geometry.side):
        plane = chunk.alive[:, value]
        for size in range(most - 1, 0, -1):
            and_(at_least[size - 1], plane, chunk.temp)
            at_least[size] |= chunk.temp
        at_least[0] |= plane
    return at_least
