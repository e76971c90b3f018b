"""The bit-sliced batch solver: LANES searches of 9×9 puzzles side by side, one bit for each.

Each lane is a depth-first search of its own. A step propagates all of them for ROUNDS rounds. Then
a lane that has failed, or found a solution, goes back to its last pending branch. One that no
longer moves branches. A lane with nothing left begins the next puzzle, or takes a pending branch
from another. Candidates lie in bit-planes, in the order (row, column, value): in plane 81·r + 9·c +
v, each lane has one bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.native import compiled
from pipeline.native.vectors import Words, aligned, bits_set, lowest_bit
from pipeline.solving.compiled import deduction as D
from pipeline.solving.compiled.deduction import choose, propagate, transpose

MOST_PENDING = 81
"""Pending branches of one lane: each decides a cell."""

_NEXT = D.WORD * D.WORDS
"""How far the words of a row are from one another, once planes are transposed."""

_LAST = (D.ROW_WORDS - 1) * _NEXT
"""How far the last word of a row is from the first."""

BEGUN, PENDING, UNUSED, ASKED, BRANCHED = range(5)
"""Places in `numbers`: puzzles begun, pending branches, the first unused place for a branch, the
lane last asked for a branch, and the number of branchings."""


class Lanes(NamedTuple):
    """The state of LANES searches; `new_lanes` makes one, in which all are idle.

    planes: (VECTORS · WORDS,), as in `deduction.py`. idle: (WORDS,) a bit for each idle lane.
    puzzle: (LANES,) the puzzle of each. last: (LANES,) its last pending branch, or -1. branches:
    (·, ROW_WORDS) the candidates of each pending branch. Its `owner` is a puzzle, and `before` the
    earlier branch of the same lane. Unused places are linked by `before` as well.
    """

    planes: Words
    idle: NDArray[np.uint64]
    puzzle: NDArray[np.int64]
    last: NDArray[np.int64]
    branches: NDArray[np.uint64]
    owner: NDArray[np.int64]
    before: NDArray[np.int64]
    numbers: NDArray[np.int64]


def new_lanes() -> Lanes:
    places = D.LANES * MOST_PENDING
    before = np.arange(1, places + 1)
    before[-1] = -1
    return Lanes(
        aligned(np.uint64, D.VECTORS).ravel(),
        np.full(D.WORDS, 2**D.WORD - 1, np.uint64),
        np.zeros(D.LANES, np.int64),
        np.full(D.LANES, -1, np.int64),
        np.empty((places, D.ROW_WORDS), np.uint64),
        np.empty(places, np.int64),
        before,
        np.zeros(5, np.int64),
    )


def decided_in(lanes: Lanes, counts: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    """Whether each puzzle was searched to its end, or has as many solutions as are wanted."""
    ended: NDArray[np.bool_] = np.arange(len(counts)) < lanes.numbers[BEGUN]
    working = np.unpackbits(~lanes.idle.view(np.uint8), bitorder="little").astype(np.bool_)
    ended[lanes.puzzle[working]] = False
    pending = lanes.last[lanes.last >= 0]
    while len(pending):
        ended[lanes.owner[pending]] = False
        pending = lanes.before[pending]
        pending = pending[pending >= 0]
    ended |= counts == most
    return ended


@compiled()
def _begin(s, place, masks, puzzle):
    """Write the candidates of a puzzle, nine bits a cell, into a row."""
    word, shift = D.NONE, 0
    for c in range(81):
        field = np.uint64(masks[puzzle, c])
        word |= field << np.uint64(shift)
        shift += 9
        if shift >= D.WORD:
            s[place] = word
            place += _NEXT
            shift -= D.WORD
            word = field >> np.uint64(9 - shift)
    s[place] = word


@compiled()
def _own_branch(lane, last, before, owner, numbers, counts, most):
    """The last branch of a lane whose puzzle still wants solutions, or -1."""
    while last[lane] >= 0:
        branch = last[lane]
        last[lane] = before[branch]
        before[branch] = numbers[UNUSED]
        numbers[UNUSED] = branch
        numbers[PENDING] -= 1
        if counts[owner[branch]] < most:
            return branch
    return -1


@compiled()
def _branch_of_others(last, before, owner, numbers, counts, most, shared):
    """A branch that is still wanted, of any lane; notes that its puzzle is shared now."""
    for _ in range(D.LANES):
        if not numbers[PENDING]:
            break
        numbers[ASKED] = (numbers[ASKED] + 1) % D.LANES
        branch = _own_branch(numbers[ASKED], last, before, owner, numbers, counts, most)
        if branch >= 0:
            shared[owner[branch]] = True
            return branch
    return -1


@compiled()
def _fill(lanes, masks, most, counts, shared):
    """Give idle lanes work: a branch that is pending, or the next puzzle. Gives how many work."""
    s, idle, puzzle, last, branches, owner, before, numbers = lanes
    working, begun = 0, numbers[BEGUN]
    for w in range(D.WORDS):
        left, still = idle[w], D.NONE
        while left:
            bit = lowest_bit(left)
            left &= left - D.ONE
            lane, place = w * D.WORD + bit, bit * D.WORDS + w
            branch = _own_branch(lane, last, before, owner, numbers, counts, most)
            if branch < 0 and begun == len(masks) and len(shared):
                branch = _branch_of_others(last, before, owner, numbers, counts, most, shared)
            if branch >= 0:
                for k in range(D.ROW_WORDS):
                    s[place + k * _NEXT] = branches[branch, k]
                puzzle[lane] = owner[branch]
            elif begun < len(masks):
                _begin(s, place, masks, begun)
                puzzle[lane] = begun
                begun += 1
            else:
                still |= D.ONE << np.uint64(bit)
                for k in range(D.ROW_WORDS):
                    s[place + k * _NEXT] = D.NONE
        idle[w] = still
        working += D.WORD - np.int64(bits_set(still))
    numbers[BEGUN] = begun
    return working


@compiled()
def _note(s, place, grids, puzzle, rank):
    """Write the values, 1 to 9, of a solved row."""
    word, filled = s[place], D.WORD
    for c in range(81):
        if filled < 9:
            place += _NEXT
            field = word | s[place] << np.uint64(filled)
            word = s[place] >> np.uint64(9 - filled)
            filled += D.WORD - 9
        else:
            field = word
            word >>= np.uint64(9)
            filled -= 9
        grids[rank, puzzle, c] = lowest_bit(field) + 1


@compiled()
def _branch(s, place, branches, branch):
    """Assume the smallest candidate of the chosen cell; note the branch that denies it."""
    last = place + _LAST
    c = np.int64(s[last] >> np.uint64(D.IN_LAST_WORD)) & ((1 << D.BRANCH_BITS) - 1)
    s[last] &= D.CANDIDATES
    for k in range(D.ROW_WORDS):
        branches[branch, k] = s[place + k * _NEXT]
    first, shift = c * 9 >> 6, np.uint64(c * 9 & 63)
    at = place + first * _NEXT
    field, is_split = s[at] >> shift, shift > 55
    if is_split:
        field |= s[at + _NEXT] << (np.uint64(D.WORD) - shift)
    field &= np.uint64(511)
    smallest = field & (~field + D.ONE)
    others = field ^ smallest
    s[at] &= ~(others << shift)
    branches[branch, first] &= ~(smallest << shift)
    if is_split:
        s[at + _NEXT] &= ~(others >> (np.uint64(D.WORD) - shift))
        branches[branch, first + 1] &= ~(smallest >> (np.uint64(D.WORD) - shift))


@compiled()
def _settle(lanes, most, counts, grids):
    """After propagation: note solutions, split what no longer moves, free what has ended."""
    s, idle, puzzle, last, branches, owner, before, numbers = lanes
    for w in range(D.WORDS):
        working, dead = ~idle[w], s[D.DEAD * D.WORDS + w]
        several, moved = s[D.OPEN * D.WORDS + w], s[D.MOVED * D.WORDS + w]
        ended, solved = working & (dead | ~several), working & ~dead & ~several
        stuck, moving = working & ~ended & ~moved, working & ~ended & moved
        while solved:
            bit = lowest_bit(solved)
            solved &= solved - D.ONE
            mine = puzzle[w * D.WORD + bit]
            if counts[mine] < most:
                _note(s, bit * D.WORDS + w, grids, mine, counts[mine])
                counts[mine] += 1
        while stuck:
            bit = lowest_bit(stuck)
            stuck &= stuck - D.ONE
            lane = w * D.WORD + bit
            if counts[puzzle[lane]] == most:
                ended |= D.ONE << np.uint64(bit)
                continue
            branch = numbers[UNUSED]
            numbers[UNUSED] = before[branch]
            before[branch] = last[lane]
            last[lane] = branch
            owner[branch] = puzzle[lane]
            numbers[PENDING] += 1
            numbers[BRANCHED] += 1
            _branch(s, bit * D.WORDS + w, branches, branch)
        while moving:
            bit = lowest_bit(moving)
            moving &= moving - D.ONE
            s[_LAST + bit * D.WORDS + w] &= D.CANDIDATES
        idle[w] |= ended


@compiled()
def search(lanes, masks, most, counts, grids, shared, steps):
    """Go on with the search for `most` solutions of each puzzle, by so many steps at most.

    `masks` (P, 81) may have any bits 0 to 8. `counts` (P,) and `grids` (most, P, 81) are written.
    If `shared` (P,) is not empty, idle lanes take over branches of others. It marks the puzzles of
    these branches, whose solutions are not found in order. Gives whether the search has ended.
    """
    for _ in range(steps):
        if not _fill(lanes, masks, most, counts, shared):
            return True
        transpose(lanes.planes)
        propagate(lanes.planes)
        choose(lanes.planes)
        transpose(lanes.planes)
        _settle(lanes, most, counts, grids)
    return False
