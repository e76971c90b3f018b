"""Matrices: which entries of a permutation matrix may, and which must, be the ones.

`may[x, y]` and `must[x, y]` are groups of planes: of every row y (and of every column x) of the
matrix exactly one entry holds. Both are tightened in place.
"""

from __future__ import annotations

from pipeline.solve.lanes.layout import Bits
from pipeline.solve.lanes.program import Program, and_, copy, invert, or_


def permute(program: Program, may: Bits, must: Bits) -> None:
    """Strike what no permutation has, require what all have; dead is what has none."""
    if len(may) == 3:
        _permute_three(program, may, must)
        return
    ours, needed = program.new(may.shape), program.new(must.shape)
    program.do(copy, ours, may)
    program.do(copy, needed, must)
    _exactly_one(program, list(ours), list(needed))
    _exactly_one(program, list(ours.swapaxes(0, 1)), list(needed.swapaxes(0, 1)))
    program.do(copy, may, ours)
    program.do(copy, must, needed)


def _permute_three(program: Program, may: Bits, must: Bits) -> None:
    """All 3×3 matrices at once, by their minors: an entry needs one of two pairs beyond it.

    `wide` repeats the first rows and columns after the last, so that x+1 and x+2 are slices.
    """
    do = program.do
    wide = program.new((5, 5, *may.shape[2:]))
    ours, first, second = (program.new(may.shape) for _ in range(3))
    do(copy, ours, must)
    for column in range(3):
        do(or_, ours[column - 2], ours[column - 1], first[column])
    do(invert, first, first)
    do(copy, ours, may)
    do(and_, ours, first, wide[:3, :3])
    do(copy, wide[:3, 3:], wide[:3, :2])
    do(copy, wide[3:], wide[:2])
    do(and_, wide[1:4, 1:4], wide[2:5, 2:5], first)
    do(and_, wide[1:4, 2:5], wide[2:5, 1:4], second)
    do(or_, first, second, first)
    do(and_, wide[:3, :3], first, ours)
    once, twice, temp = first
    program.count(list(ours), once, twice, temp)
    do(invert, once[0], once[0])
    program.die(once[0])
    do(invert, twice, twice)
    do(copy, may, ours)
    do(and_, ours, twice, must)


def _exactly_one(program: Program, may: list[Bits], must: list[Bits]) -> None:
    """Of these groups one holds: it must if no other may, and if one must no other may."""
    do = program.do
    once, twice, temp = (program.new(may[0].shape) for _ in range(3))
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
