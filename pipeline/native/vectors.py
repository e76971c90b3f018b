"""Vectors of 512 bits: parallel operations on 8 words of 64 bits, or on 32 words of 16 bits.

Consecutive vectors fill an array with one or two axes. In plain Python, a vector is a numpy array
and may have more words. These functions and the operators `& | ^ ~ + - << >>` then call numpy. In
machine code, `simd.py` makes them operations on registers: a vector fills one register of AVX-512,
two of AVX2, or four of NEON. Write `x = x | y` instead of `x |= y`: in numpy, the latter changes an
array that may also have other names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.native import compiled

VECTOR_BYTES = 64
"""Size of a vector in machine code."""

Vectors = NDArray[np.unsignedinteger[Any]]
"""A vector, or an array of vectors."""


def zero_vectors(word_type: type[np.unsignedinteger[Any]], rows: int) -> Vectors:
    """Return an array of `rows` vectors, filled with 0, that starts at a cache line."""
    space = np.zeros((rows + 1) * VECTOR_BYTES, np.uint8)
    start = -space.ctypes.data % VECTOR_BYTES
    return space[start : start + rows * VECTOR_BYTES].view(word_type).reshape(rows, -1)


def load(rows: Vectors, index: int) -> Vectors:
    """Return a copy of vector number `index` of an array."""
    vector: Vectors = _vectors_in(rows)[index].copy()
    return vector


def store(rows: Vectors, index: int, vector: Vectors) -> None:
    """Replace vector number `index` of an array."""
    _vectors_in(rows)[index] = vector


def _vectors_in(rows: Vectors) -> Vectors:
    return rows if rows.ndim == 2 else rows.reshape(-1, VECTOR_BYTES // rows.itemsize)


def broadcast(word: np.unsignedinteger[Any]) -> Vectors:
    """Return a vector that consists of copies of a word."""
    return np.array([word])


def nonzero_mask(vector: Vectors) -> Vectors:
    """Return a vector with all bits set in each word that is nonzero in `vector`, else none."""
    bits: Vectors = -(vector != 0).astype(vector.dtype)
    return bits


@compiled(inline=True)
def clear_lowest_bit(vector):
    """Return a copy of a vector of 16-bit words without the lowest set bit of each word."""
    return vector & (vector - broadcast(np.uint16(1)))


def popcount(word: Any) -> Any:
    """Return the number of set bits of a word, or of each word of a vector."""
    return np.bitwise_count(word).astype(word.dtype)


def trailing_zeros(word: np.uint64) -> int:
    """Return the index of the lowest set bit of a word of 64 bits. Undefined for the word 0."""
    bits = int(word)
    return (bits & -bits).bit_length() - 1
