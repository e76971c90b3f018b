"""Rows: a lane's candidates in words, and after them whose it is and how the search got there.

The path of a lane has a bit for each branching above it, 0 where the candidate was assumed: the
lanes of a puzzle are in the order of their paths. So which of its solutions are the first does
not depend on what else is being solved; unless a path is longer than there is room for, which
no puzzle is known to need.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.solve.lanes.layout import WORD, Layout, Rows

Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


class Columns:
    """Where in a row things are, and what can be done with them."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.candidates = slice(0, layout.row_words)
        self.puzzle = layout.row_words
        self.depth = layout.row_words + 1
        self.path = slice(layout.row_words + 2, layout.row_words + 3 + layout.cells.size // WORD)
        self.width = self.path.stop

    def puzzles(self, rows: Rows) -> Indices:
        """The index of each row's puzzle."""
        return rows[:, self.puzzle].astype(np.intp)

    def in_order(self, rows: Rows) -> Indices:
        """The rows sorted by puzzle and path."""
        keys = [rows[:, column] for column in range(self.path.stop - 1, self.path.start - 1, -1)]
        order: Indices = np.lexsort((*keys, rows[:, self.puzzle]))
        return order

    def descend(self, rows: Rows, kept: Flags, split: Flags, cells: Indices) -> Rows:
        """The rows to go on with: those kept, and both halves of those among them to be split.

        These are split on a candidate of the cell with that index: assumed first, then denied.
        """
        times = kept.astype(np.intp) + split.astype(np.intp)
        origin = np.repeat(np.arange(len(rows)), times)
        below = rows.take(origin, 0)
        denied = np.flatnonzero(origin[1:] == origin[:-1]) + 1
        parents, every = below[denied, self.candidates], np.arange(len(denied))
        of_cell = parents & self._layout.cell_masks(cells[origin[denied]])
        word = (of_cell != 0).argmax(axis=1)
        candidate = of_cell[every, word] & -of_cell[every, word]
        below[denied - 1, self.candidates] ^= of_cell
        below[denied - 1, word] |= candidate
        below[denied, word] ^= candidate
        self._lengthen_paths(below, denied)
        return below

    def _lengthen_paths(self, rows: Rows, denied: Indices) -> None:
        """By one branching; before each row that denies is the one that assumes."""
        depth = rows[denied, self.depth]
        rows[denied, self.depth] = rows[denied - 1, self.depth] = depth + np.uint64(1)
        word, bit = np.divmod(depth.astype(np.intp), WORD)
        room = word < self.path.stop - self.path.start
        bits = np.left_shift(np.uint64(1), (WORD - 1 - bit[room]).astype(np.uint64))
        rows[denied[room], self.path.start + word[room]] |= bits
