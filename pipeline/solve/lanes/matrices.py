"""Matrices: which entries of a permutation matrix may, and which must, be the ones.

`may[x, y]` and `must[x, y]` are groups of planes: of every row y (and of every column x) of the
matrix exactly one entry holds. Both are tightened in place.
"""

from __future__ import annotations

import numpy as np

from pipeline.solve.lanes.layout import Bits
from pipeline.solve.lanes.program import Program, and_, copy, invert, or_


def permute(program: Program, may: Bits, must: Bits) -> None:
    """Strike what no permutation has, require what all have; dead is what has none."""
    if len(may) == 3:
        _permute_three(program, may, must)
    else:
        _exactly_one(program, list(may), list(must))
        _exactly_one(program, list(may.swapaxes(0, 1)), list(must.swapaxes(0, 1)))


def _permute_three(program: Program, may: Bits, must: Bits) -> None:
    """All 3×3 matrices at once, by their minors: an entry needs one of two pairs beyond it.

    `wide` repeats the first rows and columns after the last, so that x+1 and x+2 are slices.
    """
    do = program.do
    wide = np.zeros((5, 5, *may.shape[2:]), np.uint64)
    others = np.zeros((5, *may.shape[1:]), np.uint64)
    first, second = np.zeros_like(may), np.zeros_like(may)
    do(copy, others[:3], must)
    do(copy, others[3:], must[:2])
    do(or_, others[1:4], others[2:5], first)
    do(invert, first, first)
    do(and_, may, first, wide[:3, :3])
    do(copy, wide[:3, 3:], wide[:3, :2])
    do(copy, wide[3:], wide[:2])
    do(and_, wide[1:4, 1:4], wide[2:5, 2:5], first)
    do(and_, wide[1:4, 2:5], wide[2:5, 1:4], second)
    do(or_, first, second, first)
    do(and_, wide[:3, :3], first, may)
    once, twice, temp = first[0], first[1], first[2]
    program.count(list(may), once, twice, temp)
    do(invert, once[0], once[0])
    program.die(once[0])
    do(invert, twice, twice)
    do(and_, may, twice, must)


def _exactly_one(program: Program, may: list[Bits], must: list[Bits]) -> None:
    """Of these groups one holds: it must if no other may, and if one must no other may."""
    do = program.do
    once, twice, temp = (np.zeros_like(may[0], order="C") for _ in range(3))
    program.count(may, once, twice, temp)
    do(invert, once, once)
    program.die(once)
    do(invert, twice, twice)
    for one, needed in zip(may, must, strict=True):
        do(and_, one, twice, temp)
        do(or_, needed, temp, needed)
    program.count(must, once, twice, temp)
    program.die(twice)
    do(invert, once, once)
    for one, needed in zip(may, must, strict=True):
        do(or_, needed, once, temp)
        do(and_, one, temp, one)
