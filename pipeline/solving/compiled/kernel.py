"""The search of `search.py` for 9×9 puzzles, compiled: LANES nodes of as many searches at once.

Each lane is a depth-first search of its own. A step propagates all of them for ROUNDS rounds; then
a lane that has failed, or found a solution, goes back to the last half that it has set aside, and
one that no longer moves sets one aside. A lane with nothing left begins the next puzzle, or takes
a half from another. Candidates lie in planes, as in `planes.py`, but in the order (row, column,
value): plane 81·r + 9·c + v. Both searches find the same solutions first.

`building.py` makes machine code of this.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from pipeline.solving.compiled.deduction import (
    BRANCH_BITS,
    CANDIDATES,
    DEAD,
    IN_LAST_WORD,
    MOVED,
    NONE,
    ONE,
    OPEN,
    choose,
    compiled,
    propagate,
    transpose,
)
from pipeline.solving.compiled.state import (
    ASKED,
    BEGUN,
    LANES,
    ROW_WORDS,
    SPLITS,
    UNUSED,
    WAITING,
    WORD,
    WORDS,
)
from pipeline.solving.compiled.vectors import bits_set, lowest_bit

_NEXT = WORD * WORDS
"""How far the words of a row are from one another."""


@compiled
def _begin(s, place, masks, puzzle):
    """Write the candidates of a puzzle, nine bits a cell, into a row."""
    word, shift = NONE, NONE
    for c in range(81):
        field = uint64(masks[puzzle, c])
        word |= field << shift
        shift += uint64(9)
        if shift >= WORD:
            s[place] = word
            place += _NEXT
            shift -= uint64(WORD)
            word = field >> (uint64(9) - shift)
    s[place] = word


@compiled
def _own_half(lane, last, one_before, owner, numbers, counts, most):
    """The last half that a lane has set aside and that is still wanted; -1 if there is none."""
    while last[lane] >= 0:
        half = last[lane]
        last[lane] = one_before[half]
        one_before[half] = numbers[UNUSED]
        numbers[UNUSED] = half
        numbers[WAITING] -= 1
        if counts[owner[half]] < most:
            return half
    return -1


@compiled
def _half_of_others(last, one_before, owner, numbers, counts, most, shared):
    """A half that is still wanted, of any lane; notes that its puzzle is shared now."""
    for _ in range(LANES):
        if not numbers[WAITING]:
            break
        numbers[ASKED] = (numbers[ASKED] + 1) % LANES
        half = _own_half(numbers[ASKED], last, one_before, owner, numbers, counts, most)
        if half >= 0:
            shared[owner[half]] = True
            return half
    return -1


@compiled
def _fill(lanes, masks, most, counts, shared):
    """Give idle lanes work: a half that was set aside, or the next puzzle. Gives how many work."""
    s, idle, puzzle, last, candidates, owner, one_before, numbers = lanes
    working, begun = 0, numbers[BEGUN]
    for w in range(WORDS):
        left, still = idle[w], NONE
        while left:
            bit = lowest_bit(left)
            left &= left - ONE
            lane, place = w * WORD + bit, bit * WORDS + w
            half = _own_half(lane, last, one_before, owner, numbers, counts, most)
            if half < 0 and begun == len(masks) and len(shared):
                half = _half_of_others(last, one_before, owner, numbers, counts, most, shared)
            if half >= 0:
                for k in range(ROW_WORDS):
                    s[place + k * _NEXT] = candidates[half, k]
                puzzle[lane] = owner[half]
            elif begun < len(masks):
                _begin(s, place, masks, begun)
                puzzle[lane] = begun
                begun += 1
            else:
                still |= ONE << uint64(bit)
                for k in range(ROW_WORDS):
                    s[place + k * _NEXT] = NONE
        idle[w] = still
        working += WORD - bits_set(still)
    numbers[BEGUN] = begun
    return working


@compiled
def _note(s, place, grids, puzzle, rank):
    """Write the values of a solved row, 1 to 9."""
    word, filled = s[place], WORD
    for c in range(81):
        if filled < 9:
            place += _NEXT
            field = word | s[place] << uint64(filled)
            word = s[place] >> uint64(9 - filled)
            filled += WORD - 9
        else:
            field = word
            word >>= uint64(9)
            filled -= 9
        grids[rank, puzzle, c] = lowest_bit(field) + 1


@compiled
def _split(s, place, candidates, half):
    """Assume the smallest candidate of the chosen cell; the half that denies it is set aside."""
    end = place + (ROW_WORDS - 1) * _NEXT
    c = np.int64(s[end] >> uint64(IN_LAST_WORD)) & ((1 << BRANCH_BITS) - 1)
    s[end] &= CANDIDATES
    for k in range(ROW_WORDS):
        candidates[half, k] = s[place + k * _NEXT]
    first, shift = c * 9 >> 6, uint64(c * 9 & 63)
    at = place + first * _NEXT
    field, beyond = s[at] >> shift, shift > 55
    if beyond:
        field |= s[at + _NEXT] << (uint64(WORD) - shift)
    field &= uint64(511)
    smallest = field & (~field + ONE)
    others = field ^ smallest
    s[at] &= ~(others << shift)
    candidates[half, first] &= ~(smallest << shift)
    if beyond:
        s[at + _NEXT] &= ~(others >> (uint64(WORD) - shift))
        candidates[half, first + 1] &= ~(smallest >> (uint64(WORD) - shift))


@compiled
def _settle(lanes, most, counts, grids):
    """After propagation: note solutions, split what no longer moves, free what has ended."""
    s, idle, puzzle, last, candidates, owner, one_before, numbers = lanes
    for w in range(WORDS):
        working, dead = ~idle[w], s[DEAD * WORDS + w]
        several, moved = s[OPEN * WORDS + w], s[MOVED * WORDS + w]
        ended, solved = working & (dead | ~several), working & ~dead & ~several
        stuck, moving = working & ~ended & ~moved, working & ~ended & moved
        while solved:
            bit = lowest_bit(solved)
            solved &= solved - ONE
            mine = puzzle[w * WORD + bit]
            if counts[mine] < most:
                _note(s, bit * WORDS + w, grids, mine, counts[mine])
                counts[mine] += 1
        while stuck:
            bit = lowest_bit(stuck)
            stuck &= stuck - ONE
            lane = w * WORD + bit
            if counts[puzzle[lane]] == most:
                ended |= ONE << uint64(bit)
                continue
            half = numbers[UNUSED]
            numbers[UNUSED] = one_before[half]
            one_before[half] = last[lane]
            last[lane] = half
            owner[half] = puzzle[lane]
            numbers[WAITING] += 1
            numbers[SPLITS] += 1
            _split(s, bit * WORDS + w, candidates, half)
        while moving:
            bit = lowest_bit(moving)
            moving &= moving - ONE
            s[((ROW_WORDS - 1) * WORD + bit) * WORDS + w] &= CANDIDATES
        idle[w] |= ended


@compiled
def search(lanes, masks, most, counts, grids, shared, steps):
    """Go on with the search for `most` solutions of each puzzle, by so many steps at most.

    `masks` (P, 81) may have any bits 0 to 8. `counts` (P,) and `grids` (most, P, 81) are written.
    Where `shared` (P,) is not empty, idle lanes take over halves of others, and it tells of which
    puzzles: those solutions are not found in order. Gives whether the search has ended.
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
