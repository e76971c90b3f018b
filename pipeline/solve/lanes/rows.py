"""Rows: a lane's candidates in words, and after them whose it is and how the search got there.

The path of a lane has a bit for each branching above it, 0 where the candidate was assumed: the
lanes of a puzzle are in the order of their paths. So which of its solutions are the first does
not depend on what else is being solved, as long as no path is longer than there is room for,
which is more than any puzzle is known to need.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.solve.lanes.layout import WORD, Layout, Rows


class Columns:
    """Where in a row things are."""

    def __init__(self, layout: Layout) -> None:
        self.candidates = slice(0, layout.row_words)
        self.puzzle = layout.row_words
        self.depth = layout.row_words + 1
        self.path = slice(layout.row_words + 2, layout.row_words + 3 + layout.cells.size // WORD)
        self.width = self.path.stop

    def puzzles(self, rows: Rows) -> NDArray[np.intp]:
        """The index of each row's puzzle."""
        return rows[:, self.puzzle].astype(np.intp)

    def deny(self, rows: Rows, denied: NDArray[np.intp]) -> None:
        """Of these rows, whose depth has grown, note that they go by the contrary."""
        word, bit = np.divmod(rows[denied, self.depth].astype(np.intp) - 1, WORD)
        there = word < self.path.stop - self.path.start
        bits = np.left_shift(np.uint64(1), (WORD - 1 - bit[there]).astype(np.uint64))
        rows[denied[there], self.path.start + word[there]] |= bits

    def in_order(self, rows: Rows) -> NDArray[np.intp]:
        """The rows sorted by puzzle and path."""
        keys = [rows[:, column] for column in range(self.path.stop - 1, self.path.start - 1, -1)]
        order: NDArray[np.intp] = np.lexsort((*keys, rows[:, self.puzzle]))
        return order
