"""Batches of puzzles as arrays of values, of candidate masks or of text; symmetries of Sudoku.

Arrays of values are (P, n²); 0 is a blank. A symmetry permutes bands, rows within bands, stacks
and columns within stacks, may transpose, and relabels the values. It maps solutions to solutions.
There are 2 · 1296² · 9! symmetries of 9×9 grids.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry

ValueArray = NDArray[np.uint8]
"""Values of cells; 0 is a blank."""
MaskArray = NDArray[np.unsignedinteger]
"""Candidate masks of cells."""

Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

_CHARACTERS = np.frombuffer(b".123456789", np.uint8)
"""The character of each value."""

_VALUES = np.zeros(NINE_BY_NINE.all_values + 1, np.uint8)
"""Indexed by mask: the value of a mask with one candidate, and 0 for all other masks."""
_VALUES[1 << np.arange(9)] = np.arange(1, 10)


@dataclass(frozen=True)
class Symmetries:
    """S symmetries of one box size.

    | array | shape | contents |
    |---|---|---|
    | `transposed` | (S,) | whether rows and columns are exchanged first |
    | `rows`, `columns` | (S, n) | the line of the puzzle that becomes each line of the image |
    | `labels` | (S, n + 1) | the value that replaces each value; 0 stays 0 |
    """

    transposed: Flags
    rows: Indices
    columns: Indices
    labels: ValueArray

    def __len__(self) -> int:
        return len(self.transposed)

    @cached_property
    def sources(self) -> Indices:
        """Return the cell of the puzzle that is moved to each cell of the images (S, n²)."""
        side = self.rows.shape[1]
        cells = self.rows[:, :, None] * side + self.columns[:, None, :]
        transposed_cells = self.columns[:, None, :] * side + self.rows[:, :, None]
        sources: Indices = np.where(self.transposed[:, None, None], transposed_cells, cells)
        return sources.reshape(len(self), -1)

    def images(self, puzzles: ValueArray) -> ValueArray:
        """Return the images (S, n²) of S puzzles, one per symmetry, or of one puzzle under all."""
        moved = np.take_along_axis(np.broadcast_to(puzzles, self.sources.shape), self.sources, 1)
        return np.take_along_axis(self.labels, moved.astype(np.intp), 1)


@lru_cache
def line_orders(box: int) -> Indices:
    """Return all orders (b!^(b+1), b²) of rows that keep the rows of each band together.

    The orders of columns are the same. `box` is b.
    """
    within = list(permutations(range(box)))
    orders = [
        [box * group + line for group, order in zip(groups, own, strict=True) for line in order]
        for groups in within
        for own in product(within, repeat=box)
    ]
    return np.array(orders, np.intp)


def random_symmetries(box: int, count: int, seed: int) -> Symmetries:
    """Return random symmetries, which depend only on the seed.

    With a smaller `count`, the first of the same symmetries are returned.

    We use raw words of PCG64, because numpy's distributions may change between versions.
    """
    side, orders = box * box, line_orders(box)
    words = np.random.PCG64(seed).random_raw((count, 3 + side))
    labels = np.zeros((count, side + 1), np.uint8)
    labels[:, 1:] = np.argsort(words[:, 3:], axis=1, kind="stable") + 1
    transposed = words[:, 2] >> np.uint64(63) == 1
    rows, columns = orders[(words[:, :2] % np.uint64(len(orders))).astype(np.intp)].swapaxes(0, 1)
    return Symmetries(transposed, rows, columns, labels)


def masks_of_values(geometry: Geometry, puzzles: ValueArray) -> NDArray[np.uint32]:
    """Return the masks (P, n²) of puzzles, from their values (P, n²)."""
    given = np.left_shift(1, np.maximum(puzzles, 1) - 1, dtype=np.uint32)
    masks: NDArray[np.uint32] = np.where(puzzles > 0, given, np.uint32(geometry.all_values))
    return masks


def are_classic(masks: MaskArray) -> Flags:
    """Return flags (P,) of the 9×9 puzzles (P, 81) in which each cell is given or blank."""
    is_given = masks & (masks - np.uint8(1)) == 0
    classic: Flags = (is_given | (masks == NINE_BY_NINE.all_values)).all(axis=1)
    return classic


def values_of_masks(masks: MaskArray) -> ValueArray:
    """Return the values (P, 81) of classic 9×9 puzzles, from their masks (P, 81)."""
    return _VALUES[masks]


def text_lines(puzzles: ValueArray) -> bytes:
    """Return puzzles (P, 81) as lines of 81 characters; `.` is a blank."""
    lines = np.full((len(puzzles), puzzles.shape[1] + 1), ord("\n"), np.uint8)
    lines[:, :-1] = _CHARACTERS[puzzles]
    return lines.tobytes()
