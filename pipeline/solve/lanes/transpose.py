"""Planes to rows and back: a transposition of bits.

Plane p is bit p // k of word p % k of a lane's row, k = `row_words`: thus the bits of one word
lie far apart, and each of the six steps runs over long stretches. (H. S. Warren, Hacker's
Delight, 7-3.)
"""

from __future__ import annotations

import numpy as np

from pipeline.solve.lanes.layout import WORD, Bits

_STEPS = (32, 16, 8, 4, 2, 1)
_LOWER_HALVES = {
    step: np.uint64(sum(1 << bit for bit in range(WORD) if not bit & step)) for step in _STEPS
}


def rows_of(block: Bits, spare: Bits, row_words: int) -> Bits:
    """The rows (64 · words, k) of planes (64, k · words), which are used up as `spare` is."""
    _transpose(block, spare)
    words = block.shape[1] // row_words
    return block.reshape(WORD, row_words, words).transpose(2, 0, 1).reshape(-1, row_words)


def planes_of(rows: Bits, block: Bits, spare: Bits) -> None:
    """Fill `block` with the planes of at most 64 · words rows; the lanes left over are empty."""
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
