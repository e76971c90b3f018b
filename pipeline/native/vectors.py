"""Vectors of 512 bits: parallel operations on 8 words of 64 bits, or on 32 words of 16 bits.

Consecutive vectors fill an array with one or two axes. In plain Python, a vector is a numpy array
and may have more words; these functions and the operators `& | ^ ~ + - << >>` are numpy's. In
machine code, `simd.py` makes them operations on registers: a vector fills one register of AVX-512,
two of AVX2, or four of NEON. Write `x = x | y`: in numpy, `x |= y` changes the array that other
names may share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.native import compiled

VECTOR_BYTES = 64

Words = NDArray[np.unsignedinteger[Any]]
"""A vector, or an array of vectors."""


def zero_vectors(word_type: type[np.unsignedinteger[Any]], rows: int) -> Words:
    """An array of `rows` vectors, filled with 0, that starts at a cache line."""
    space = np.zeros((rows + 1) * VECTOR_BYTES, np.uint8)
    start = -space.ctypes.data % VECTOR_BYTES
    return space[start : start + rows * VECTOR_BYTES].view(word_type).reshape(rows, -1)


def load(rows: Words, index: int) -> Words:
    """A copy of vector number `index` of an array."""
    vector: Words = _vectors_in(rows)[index].copy()
    return vector


def store(rows: Words, index: int, vector: Words) -> None:
    """Replace vector number `index` of an array."""
    _vectors_in(rows)[index] = vector


def _vectors_in(rows: Words) -> Words:
    return rows if rows.ndim == 2 else rows.reshape(-1, VECTOR_BYTES // rows.itemsize)


def broadcast(word: np.unsignedinteger[Any]) -> Words:
    """A vector of copies of a word."""
    return np.array([word])


def nonzero_mask(vector: Words) -> Words:
    """A vector with all bits set in the words that are nonzero in `vector`, and 0 in the others."""
    bits: Words = -(vector != 0).astype(vector.dtype)
    return bits


@compiled(inline=True)
def clear_lowest_bit(vector):
    """A copy of a vector of 16-bit words without the lowest set bit of each word."""
    return vector & (vector - broadcast(np.uint16(1)))


def popcount(word: Any) -> Any:
    """The number of set bits of a word, or of each word of a vector."""
    return np.bitwise_count(word).astype(word.dtype)


def lowest_bit(word: np.uint64) -> int:
    """The index of the lowest set bit of a word of 64 bits; undefined for 0."""
    bits = int(word)
    return (bits & -bits).bit_length() - 1
