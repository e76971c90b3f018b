"""Branch: where lanes stand still, the two halves of what is left of them.

A lane is split on a cell with the fewest candidates, as a rule two. Among those it takes one
whose candidates all have places in several boxes of their row and their column, if there is
one; and of them one whose candidates all occur in another such cell of the row or column.
Against any smallest cell this saves two fifths of the nodes on hard 9×9 puzzles; the number of
places in the groups, which costs more, saves less.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.solve.lanes.layout import Bits
from pipeline.solve.lanes.program import and_, or_, xor
from pipeline.solve.lanes.propagate import Chunk


def branch(chunk: Chunk, lanes: Bits) -> None:
    """Of these lanes choose a candidate: `alive` assumes it, `before` its contrary.

    Of the other lanes both are what `alive` was.
    """
    alive, before, of_cell, words = chunk.alive, chunk.before, chunk.hidden, chunk.words
    cells = _best_cells(chunk, lanes)
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


def _best_cells(chunk: Chunk, lanes: Bits) -> Bits:
    cells = _smallest_cells(chunk, lanes)
    theirs, temp = chunk.hidden, chunk.before
    and_(chunk.alive, cells[:, None], theirs)
    in_row, in_column = _in_several_boxes(chunk.alive)
    locked = _some_value(and_(theirs, ~in_row, temp)) | _some_value(and_(theirs, ~in_column, temp))
    with_row, with_column = _in_several_cells(theirs)
    and_(theirs, ~with_row, temp)
    lonely = _some_value(and_(temp, ~with_column, temp))
    return _without(_without(cells, locked), lonely)


def _without(cells: Bits, bad: Bits) -> Bits:
    """The cells without the bad ones, but in lanes where all are bad all of them."""
    good = cells & ~bad
    without = ~or_.reduce(good.reshape(-1, good.shape[-1]), 0)
    return good | (cells & without)


def _in_several_boxes(planes: Bits) -> tuple[Bits, Bits]:
    """For each value and row, and each value and column, whether two boxes have it there."""
    rows = or_.reduce(planes, 0)
    columns = or_.reduce(planes, 2)
    _, in_row = _count(list(np.moveaxis(rows, 2, 0)))
    _, in_column = _count(list(np.moveaxis(columns, 3, 0)))
    return in_row[None, :, :, None], in_column[:, :, None, :, None]


def _in_several_cells(planes: Bits) -> tuple[Bits, Bits]:
    """The same, whether two cells have it."""
    once, twice = _count(list(planes))
    _, in_row = _count(list(np.moveaxis(once, 2, 0)), list(np.moveaxis(twice, 2, 0)))
    once, twice = _count(list(np.moveaxis(planes, 2, 0)))
    _, in_column = _count(list(np.moveaxis(once, 3, 0)), list(np.moveaxis(twice, 3, 0)))
    return in_row[None, :, :, None], in_column[:, :, None, :, None]


def _count(once: Sequence[Bits], twice: Sequence[Bits] = ()) -> tuple[Bits, Bits]:
    """Where one of these is, and where two are, or one of those."""
    some, several = once[0], twice[0] if twice else np.zeros_like(once[0])
    for index in range(1, len(once)):
        several = several | (some & once[index])
        some = some | once[index]
        if twice:
            several |= twice[index]
    return some, several


def _some_value(planes: Bits) -> Bits:
    cells: Bits = or_.reduce(planes, 1)
    return cells


def _smallest_cells(chunk: Chunk, lanes: Bits) -> Bits:
    """Planes of the cells with the fewest candidates, not counting those that have one."""
    digits = _sum([chunk.alive[:, value] for value in range(chunk.layout.geometry.side)])
    cells = or_.reduce(digits[1:]) & lanes
    for digit in reversed(digits):
        cells = _without(cells, digit)
    return cells


def _sum(planes: list[Bits]) -> list[Bits]:
    """How many of these each lane has, in binary, the lowest digit first: carry-save addition."""
    digits = []
    while planes:
        carries = []
        while len(planes) > 1:
            one, other = planes.pop(), planes.pop()
            half, carry = one ^ other, one & other
            if planes:
                third = planes.pop()
                carry |= half & third
                half ^= third
            carries.append(carry)
            planes.insert(0, half)
        digits += planes
        planes = carries
    return digits
