"""Rows: a lane's candidates in words, and after them whose it is and how the search got there.

The path of a lane has a bit for each branching above it, 0 where the candidate was assumed: the
lanes of a puzzle are in the order of their paths. So which of its solutions are the first does
not depend on what else is being solved; unless a path is longer than there is room for. Then
it is cut off, and all that is lost is that order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.solve.lanes.layout import WORD, Layout, Rows

CELLS_PER_WORD = 64
"""There is room in a path for as many branchings as there are cells, and more."""

Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


class Columns:
    """Where in a row things are, and what can be done with them."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.candidates = slice(0, layout.row_words)
        self.puzzle = layout.row_words
        self.depth = layout.row_words + 1
        path_words = 1 + layout.cells.size // CELLS_PER_WORD
        self.path = slice(self.depth + 1, self.depth + 1 + path_words)
        self.width = self.path.stop

    def puzzles(self, rows: Rows) -> Indices:
        """The index of each row's puzzle."""
        return rows[:, self.puzzle].astype(np.intp)

    def in_order(self, rows: Rows) -> Indices:
        """The rows sorted by puzzle and path."""
        keys = [rows[:, column] for column in range(self.path.stop - 1, self.path.start - 1, -1)]
        order: Indices = np.lexsort((*keys, rows[:, self.puzzle]))
        return order

    def split(self, rows: Rows, cells: Indices) -> Rows:
        """Assume, in place, a candidate of each row's cell; the rows that deny it instead."""
        denying, every = rows.copy(), np.arange(len(rows))
        of_cell = rows[:, self.candidates] & self._layout.cell_masks(cells)
        word = (of_cell != 0).argmax(axis=1)
        candidate = of_cell[every, word] & -of_cell[every, word]
        rows[:, self.candidates] ^= of_cell
        rows[every, word] |= candidate
        denying[every, word] ^= candidate
        rows[:, self.depth] += np.uint64(1)
        self._note_denial(denying)
        return denying

    def _note_denial(self, rows: Rows) -> None:
        word, bit = np.divmod(rows[:, self.depth].astype(np.intp), WORD)
        room = np.flatnonzero(word < self.path.stop - self.path.start)
        bits = np.left_shift(np.uint64(1), (WORD - 1 - bit[room]).astype(np.uint64))
        rows[room, self.path.start + word[room]] |= bits
        rows[:, self.depth] += np.uint64(1)
