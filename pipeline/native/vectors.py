"""Vectors of 512 bits: eight words of 64 bits, or 32 of 16, that are worked on at once.

An array holds vectors one after another, in one axis or two. These functions, and the operators
`& | ^ ~ + - << >>`, are plain numpy. In machine code `simd.py` makes them operations on registers:
one of AVX-512, two of AVX2, four of NEON. In place of `x |= y`, write `x = x | y`: in numpy the
former would change the values of other names too. In plain Python, vectors may also be longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.native import compiled

VECTOR_BYTES = 64

Words = NDArray[np.unsignedinteger[Any]]


def aligned(kind: type[np.unsignedinteger[Any]], rows: int) -> Words:
    """An array of so many vectors, all 0, that begins where a cache line does."""
    space = np.zeros((rows + 1) * VECTOR_BYTES, np.uint8)
    start = -space.ctypes.data % VECTOR_BYTES
    return space[start : start + rows * VECTOR_BYTES].view(kind).reshape(rows, -1)


def load(rows: Words, index: int) -> Words:
    """Vector number `index` of an array; a copy."""
    vector: Words = _vectors_in(rows)[index].copy()
    return vector


def store(rows: Words, index: int, vector: Words) -> None:
    """Make a vector number `index` of an array."""
    _vectors_in(rows)[index] = vector


def _vectors_in(rows: Words) -> Words:
    return rows if rows.ndim == 2 else rows.reshape(-1, VECTOR_BYTES // rows.itemsize)


def spread(word: np.unsignedinteger[Any]) -> Words:
    """The vector all of whose words are this one."""
    return np.array([word])


def filled(vector: Words) -> Words:
    """All bits of each word that has any."""
    bits: Words = -(vector != 0).astype(vector.dtype)
    return bits


@compiled(inline=True)
def without_lowest(vector):
    """Each word of 16 bits without the lowest that is set."""
    return vector & (vector - spread(np.uint16(1)))


def bits_set(word: Any) -> Any:
    """How many bits are set, in a word or in each word of a vector."""
    return np.bitwise_count(word).astype(word.dtype)


def lowest_bit(word: np.uint64) -> int:
    """The number of the lowest bit that is set in a word of 64 bits; undefined for 0."""
    bits = int(word)
    return (bits & -bits).bit_length() - 1
