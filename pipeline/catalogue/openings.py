"""How low the second row of a solution can become: tables of the canonical form.

Let the first row of a solution be 1, 2, … n, after its columns were ordered and its values
relabelled. The second row is then a permutation of the columns: column c has the value that the
first row has in column p(c), which lies in another stack. Another order s of the columns makes
s⁻¹ps of it. So the lowest second row, and the orders that lead to it, are known for each p; of
9×9 there are 12,096, in 15 classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.symmetries import Lines, line_orders

NO_ROW = 2**30
"""The rank of what is no second row."""

_NO_PART = -(2**24)
"""Added to any keys, it makes them negative."""


@dataclass(frozen=True, slots=True)
class Openings:
    """For each second row how low it can become, and by which orders of the columns.

    codes: (b, nᵇ) for a stack, and the columns p(c) in it as digits to base n, a number. Their sum
    over the stacks is the row's key, which is negative if it is no second row. ranks: (keys,) the
    lower, the lower is the lowest row that can be reached. starts, how_many: (keys,) where the
    orders that lead to it stand in `orders`, as places in `line_orders`.
    """

    codes: NDArray[np.int32]
    ranks: NDArray[np.int32]
    starts: NDArray[np.int32]
    how_many: NDArray[np.int32]
    orders: NDArray[np.int32]

    def keys(self, rows: Lines) -> Lines:
        """The keys of second rows (R, n)."""
        box = len(self.codes)
        places = rows.reshape(-1, box, box) @ (box * box) ** np.arange(box - 1, -1, -1)
        keys: Lines = self.codes[np.arange(box), places].sum(axis=1, dtype=np.intp)
        return keys


@lru_cache
def openings_of(box: int) -> Openings:
    """The tables for boxes of 2×2 or 3×3."""
    codes, keys = _codes(box)
    ranks, starts, how_many = (np.full(keys, value, np.int32) for value in (NO_ROW, 0, 0))
    made = Openings(codes, ranks, starts, how_many, np.zeros(0, np.int32))
    found: list[tuple[list[int], Lines, Lines]] = []
    orders: list[Lines] = []
    rows = _second_rows(box)
    for row, key in zip(rows, made.keys(rows).tolist(), strict=True):
        if made.ranks[key] == NO_ROW:
            lowest, reached, leading = _class_of(row, box, made)
            made.ranks[reached] = 0
            found.append((lowest, reached, leading))
    start = 0
    for rank, (_, reached, leading) in enumerate(sorted(found, key=lambda each: each[0])):
        made.ranks[reached] = rank
        made.how_many[reached] = leading.shape[1]
        made.starts[reached] = start + np.arange(len(reached)) * leading.shape[1]
        start += leading.size
        orders.append(leading.ravel())
    return Openings(codes, ranks, starts, how_many, np.concatenate(orders).astype(np.int32))


def _codes(box: int) -> tuple[NDArray[np.int32], int]:
    """See `Openings`, and the number of keys.

    Of the last stack only the order counts: its columns are those that are left.
    """
    side, within = box * box, list(permutations(range(box)))
    codes = np.full((box, side**box), _NO_PART, np.int32)
    keys = 1
    for stack in range(box - 1, -1, -1):
        own = range(stack * box, stack * box + box)
        parts = [part for part in permutations(range(side), box) if set(part).isdisjoint(own)]
        ranks: list[int] = list(range(len(parts)))
        if stack == box - 1:
            ranks = [within.index(tuple(map(sorted(part).index, part))) for part in parts]
        digits = side ** np.arange(box - 1, -1, -1)
        codes[stack, np.array(parts) @ digits] = np.array(ranks) * keys
        keys *= max(ranks) + 1
    return codes, keys


def _second_rows(box: int) -> Lines:
    """All second rows: stack by stack what lies outside of it and was not yet taken."""
    side = box * box
    parts = np.array(list(permutations(range(side), box)), np.intp)
    bits = np.bitwise_or.reduce(1 << parts, axis=1)
    rows, taken = np.zeros((1, 0), np.intp), np.zeros(1, np.intp)
    for stack in range(box):
        outside = np.flatnonzero((parts // box != stack).all(axis=1))
        at, part = np.nonzero(taken[:, None] & bits[outside] == 0)
        rows = np.concatenate((rows[at], parts[outside[part]]), axis=1)
        taken = taken[at] | bits[outside[part]]
    return rows


def _class_of(row: Lines, box: int, made: Openings) -> tuple[list[int], Lines, Lines]:
    """The lowest row that this one can become, all that can, as keys, and their orders to it."""
    orders = line_orders(box)
    back = np.argsort(orders, axis=1)
    images = np.take_along_axis(back, row[orders], axis=1)
    lowest = images[np.lexsort(images.T[::-1])[0]]
    to_lowest = orders[(images == lowest).all(axis=1)]
    reached, first = np.unique(made.keys(images), return_index=True)
    leading = back[first][:, to_lowest]  # what comes after the order that led to the image
    return lowest.tolist(), reached, _places(leading, box)


def _places(orders: Lines, box: int) -> Lines:
    """Which of `line_orders` each is."""
    digits = (box * box) ** np.arange(box * box)
    known = line_orders(box) @ digits
    rising = np.argsort(known)
    return rising[np.searchsorted(known, orders @ digits, sorter=rising)]
