"""The symmetries of classic puzzles with square boxes, and how they act on many at once.

A symmetry permutes bands, rows in each band, stacks, columns in each stack, may transpose, and
relabels the values: 2 · 1296² · 9! of 9×9. It maps solutions to solutions. Puzzles are (P, n²)
values, 0 for a blank.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.uint8]
Lines = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Symmetries:
    """S symmetries of one box size.

    transposed: (S,) whether rows and columns are exchanged, first. rows, columns: (S, n), line i of
    the image was line rows[i]. labels: (S, n + 1), value v becomes labels[v], and 0 stays 0.
    """

    transposed: NDArray[np.bool_]
    rows: Lines
    columns: Lines
    labels: Cells

    def __len__(self) -> int:
        return len(self.transposed)

    @property
    def sources(self) -> Lines:
        """(S, n²) the cell from which each cell of the image comes."""
        side = self.rows.shape[1]
        upright = self.rows[:, :, None] * side + self.columns[:, None, :]
        lying = self.columns[:, None, :] * side + self.rows[:, :, None]
        sources: Lines = np.where(self.transposed[:, None, None], lying, upright)
        return sources.reshape(len(self), -1)

    def of(self, puzzles: Cells) -> Cells:
        """The image of each puzzle, (S, n²), by the symmetry in its place; one puzzle for all."""
        moved = np.take_along_axis(np.broadcast_to(puzzles, self.sources.shape), self.sources, 1)
        return np.take_along_axis(self.labels, moved.astype(np.intp), 1)


@lru_cache
def line_orders(box: int) -> Lines:
    """Every order of rows, or columns, that keeps those of a band together; (b!^(b+1), b²)."""
    within = list(permutations(range(box)))
    orders = [
        [box * group + line for group, order in zip(groups, own, strict=True) for line in order]
        for groups in within
        for own in product(within, repeat=box)
    ]
    return np.array(orders, np.intp)


def random_symmetries(box: int, count: int, seed: int) -> Symmetries:
    """So many symmetries, the same for a seed at all times; the first do not depend on `count`.

    PCG64's raw words, unlike what numpy makes of them, are the same in all its versions.
    """
    side, orders = box * box, line_orders(box)
    words = np.random.PCG64(seed).random_raw((count, 3 + side))
    labels = np.zeros((count, side + 1), np.uint8)
    labels[:, 1:] = np.argsort(words[:, 3:], axis=1, kind="stable") + 1
    transposed = words[:, 2] >> np.uint64(63) == 1
    rows, columns = orders[(words[:, :2] % np.uint64(len(orders))).astype(np.intp)].swapaxes(0, 1)
    return Symmetries(transposed, rows, columns, labels)
