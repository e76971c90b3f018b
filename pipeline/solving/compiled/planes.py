"""Planes: how the candidates of one geometry are laid out in planes, and planes in memory.

A *lane* is one node of one puzzle's search. A *plane* has one bit for each lane, 64 to the
word, and says in which of them a candidate is alive. A *row* is the transpose: the words of one
lane, with a bit for each candidate.

Candidates lie in the order (column in its box, value, row in its box, stack, band): so the
operations of `propagate` run over long stretches of memory, which numpy processes several times as
fast as short ones.

Planes become rows, and rows planes, by transposing bits (H. S. Warren, Hacker's Delight, 7-3).
Plane p is bit p // k of word p % k of a lane's row, k = `row_words`: so the bits of one word lie
far apart, and each of the six steps runs over long stretches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from pipeline.puzzle.puzzle import Geometry

Bits = NDArray[np.uint64]
Rows = NDArray[np.uint64]

WORD = 64
LARGEST_SIDE = 64
"""Masks are words too."""

PLANES_BYTES = 384 * 1024
"""Of all planes of a chunk: then they and temporary results stay in a core's cache."""

MOST_WORDS = 64

MOST_MASK_WORDS = 1 << 19
"""4 MiB: a table of all cells' candidates of up to that size is kept, for sides up to 32."""


@dataclass(frozen=True)
class Layout:
    """Everything that follows from the geometry alone."""

    geometry: Geometry

    @cached_property
    def shape(self) -> tuple[int, int, int, int, int]:
        """Columns in a box, values, rows in a box, stacks, bands."""
        height, width = self.geometry.height, self.geometry.width
        return (width, self.geometry.side, height, height, width)

    @cached_property
    def planes(self) -> int:
        return self.geometry.side**3

    @cached_property
    def row_words(self) -> int:
        """Words of one lane's candidates."""
        return -(-self.planes // WORD)

    @cached_property
    def words(self) -> int:
        """Words in each plane of a full chunk, a power of two."""
        fitting = max(1, PLANES_BYTES // (8 * self.planes))
        return min(MOST_WORDS, 1 << (fitting.bit_length() - 1))

    @cached_property
    def cells(self) -> NDArray[np.intp]:
        """The number of the cell at (column in box, row in box, stack, band), as a flat list."""
        height, width = self.geometry.height, self.geometry.width
        band_row_stack_column = np.arange(self.geometry.side**2).reshape(
            width, height, height, width
        )
        return np.ascontiguousarray(band_row_stack_column.transpose(3, 1, 2, 0)).reshape(-1)

    @cached_property
    def _cell_masks(self) -> Rows:
        """The candidates of every cell, in the order of the planes, as rows."""
        return self._masks_of(np.arange(self.cells.size))

    def cell_masks(self, cells: NDArray[np.intp]) -> Rows:
        """The candidates of these cells, as rows."""
        if self.cells.size * self.row_words <= MOST_MASK_WORDS:
            return self._cell_masks.take(cells, 0)
        return self._masks_of(cells)

    def _masks_of(self, cells: NDArray[np.intp]) -> Rows:
        masks, every = np.zeros((len(cells), self.row_words), np.uint64), np.arange(len(cells))
        for value in range(self.geometry.side):
            word, bit = self.bits(cells, value)
            masks[every, word] |= bit
        return masks

    def bits(self, cells: NDArray[np.intp], value: int) -> tuple[NDArray[np.intp], Rows]:
        """The word, and the bit in it, of one value of each of these cells."""
        columns, values = self.shape[:2]
        stretch = self.cells.size // columns
        column, rest = np.divmod(cells, stretch)
        bit, word = np.divmod((column * values + value) * stretch + rest, self.row_words)
        return word, np.left_shift(np.uint64(1), bit.astype(np.uint64))


@lru_cache(maxsize=8)
def layout_of(geometry: Geometry) -> Layout:
    return Layout(geometry)


_STEPS = (32, 16, 8, 4, 2, 1)
_LOWER_HALVES = {
    step: np.uint64(sum(1 << bit for bit in range(WORD) if not bit & step)) for step in _STEPS
}


def rows_of(block: Bits, spare: Bits, row_words: int) -> Bits:
    """The rows (64 · words, k) of planes (64, k · words); overwrites `block` and `spare`."""
    _transpose(block, spare)
    words = block.shape[1] // row_words
    return block.reshape(WORD, row_words, words).transpose(2, 0, 1).reshape(-1, row_words)


def planes_of(rows: Bits, block: Bits, spare: Bits) -> None:
    """Fill `block` with the planes of at most 64 · words rows; the remaining lanes are empty."""
    lanes, row_words = rows.shape
    words = block.shape[1] // row_words
    lying = block.reshape(WORD, row_words, words).transpose(2, 0, 1)
    whole, rest = divmod(lanes, WORD)
    lying[:whole] = rows[: whole * WORD].reshape(whole, WORD, row_words)
    lying[whole:] = 0
    if rest:
        lying[whole, :rest] = rows[whole * WORD :]
    _transpose(block, spare)


def _transpose(block: Bits, spare: Bits) -> None:
    """Transpose, in place, the 64×64 bits at block[:, x] for every x."""
    for step in _STEPS:
        halves = block.reshape(WORD // (2 * step), 2, -1)
        low, high = halves[:, 0], halves[:, 1]
        swap = spare[: block.size // 2].reshape(low.shape)
        np.right_shift(low, np.uint64(step), swap)
        np.bitwise_xor(swap, high, swap)
        np.bitwise_and(swap, _LOWER_HALVES[step], swap)
        np.bitwise_xor(high, swap, high)
        np.left_shift(swap, np.uint64(step), swap)
        np.bitwise_xor(low, swap, low)
