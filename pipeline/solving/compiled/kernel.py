"""The bit-sliced batch solver: LANES searches of 9×9 puzzles in parallel, each in one bit.

Each lane is a depth-first search (DPLL) of its own. A step propagates all lanes for ROUNDS rounds.
Then a lane that has a contradiction or a solution backtracks, and one that no longer changes
branches. A lane without work starts the next puzzle, or steals a branch from another lane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.native import compiled
from pipeline.native.vectors import Words, lowest_bit, popcount, zero_vectors
from pipeline.solving.compiled import layout as L
from pipeline.solving.compiled.deduction import choose, propagate, transpose

MAX_PENDING = 81
"""Maximum number of pending branches of a lane: each decides another cell."""

_WORD_STEP = L.WORD_BITS * L.VECTOR_WORDS
"""Distance between two words of a row."""

_LAST_WORD = (L.ROW_WORDS - 1) * _WORD_STEP
"""Distance from the first word of a row to the last."""


class Lanes(NamedTuple):
    """The state of LANES searches, with S slots for pending branches.

    The pending branches of a lane are a linked list, from `last_branch` back. So are the free
    slots, from the one in `numbers`.
    """

    planes: Words
    """(VECTORS · VECTOR_WORDS,): see `layout`."""
    idle: NDArray[np.uint64]
    """(VECTOR_WORDS,): one bit for each lane without work."""
    puzzle: NDArray[np.int64]
    """(LANES,): the puzzle of each lane."""
    last_branch: NDArray[np.int64]
    """(LANES,): the last pending branch of each lane, or -1."""
    branches: NDArray[np.uint64]
    """(S, ROW_WORDS): the candidates of each pending branch, as a row."""
    owner: NDArray[np.int64]
    """(S,): the puzzle of each pending branch."""
    previous: NDArray[np.int64]
    """(S,): the branch before it in the same list, or -1."""
    numbers: NDArray[np.int64]
    """(5,): see `layout`."""


def new_lanes() -> Lanes:
    """The state in which all lanes are idle."""
    slots = L.LANES * MAX_PENDING
    previous = np.arange(1, slots + 1)
    previous[-1] = -1
    return Lanes(
        zero_vectors(np.uint64, L.VECTORS).ravel(),
        np.full(L.VECTOR_WORDS, 2**L.WORD_BITS - 1, np.uint64),
        np.zeros(L.LANES, np.int64),
        np.full(L.LANES, -1, np.int64),
        np.empty((slots, L.ROW_WORDS), np.uint64),
        np.empty(slots, np.int64),
        previous,
        np.zeros(5, np.int64),
    )


def decided_puzzles(
    lanes: Lanes, counts: NDArray[np.int64], max_solutions: int
) -> NDArray[np.bool_]:
    """Whether each puzzle has been searched completely, or has `max_solutions` solutions."""
    decided: NDArray[np.bool_] = np.arange(len(counts)) < lanes.numbers[L.STARTED]
    working = np.unpackbits(~lanes.idle.view(np.uint8), bitorder="little").astype(np.bool_)
    decided[lanes.puzzle[working]] = False
    pending = lanes.last_branch[lanes.last_branch >= 0]
    while len(pending):
        decided[lanes.owner[pending]] = False
        pending = lanes.previous[pending]
        pending = pending[pending >= 0]
    decided |= counts == max_solutions
    return decided


@compiled()
def _load_puzzle(planes, first, masks, puzzle):
    """Write the candidates of a puzzle into a row."""
    word, shift = L.NONE, 0
    for c in range(81):
        field = np.uint64(masks[puzzle, c])
        word |= field << np.uint64(shift)
        shift += 9
        if shift >= L.WORD_BITS:
            planes[first] = word
            first += _WORD_STEP
            shift -= L.WORD_BITS
            word = field >> np.uint64(9 - shift)
    planes[first] = word


@compiled()
def _pop_branch(lane, last_branch, previous, owner, numbers, counts, max_solutions):
    """Remove the last branch of a lane whose puzzle still needs solutions, or return -1."""
    while last_branch[lane] >= 0:
        branch = last_branch[lane]
        last_branch[lane] = previous[branch]
        previous[branch] = numbers[L.FREE]
        numbers[L.FREE] = branch
        numbers[L.PENDING] -= 1
        if counts[owner[branch]] < max_solutions:
            return branch
    return -1


# Work stealing. Once all puzzles are started, a few hard ones would leave most lanes idle. The
# solutions of a shared puzzle are not found in the order of a single search. If it has more than
# `max_solutions`, a single search would find different ones: see `BatchSolver`.
@compiled()
def _steal_branch(last_branch, previous, owner, numbers, counts, max_solutions, is_shared):
    """A branch of any lane whose puzzle still needs solutions; marks that puzzle as shared."""
    for _ in range(L.LANES):
        if not numbers[L.PENDING]:
            break
        numbers[L.VICTIM] = (numbers[L.VICTIM] + 1) % L.LANES
        branch = _pop_branch(
            numbers[L.VICTIM], last_branch, previous, owner, numbers, counts, max_solutions
        )
        if branch >= 0:
            is_shared[owner[branch]] = True
            return branch
    return -1


@compiled()
def _assign_work(lanes, masks, max_solutions, counts, is_shared):
    """Give idle lanes a pending branch or the next puzzle; returns how many lanes work."""
    planes, idle, puzzle, last_branch, branches, owner, previous, numbers = lanes
    working, started = 0, numbers[L.STARTED]
    for w in range(L.VECTOR_WORDS):
        waiting, idle_bits = idle[w], L.NONE
        while waiting:
            bit = lowest_bit(waiting)
            waiting &= waiting - L.ONE
            lane, first = w * L.WORD_BITS + bit, bit * L.VECTOR_WORDS + w
            branch = _pop_branch(lane, last_branch, previous, owner, numbers, counts, max_solutions)
            if branch < 0 and started == len(masks) and len(is_shared):
                branch = _steal_branch(
                    last_branch, previous, owner, numbers, counts, max_solutions, is_shared
                )
            if branch >= 0:
                for k in range(L.ROW_WORDS):
                    planes[first + k * _WORD_STEP] = branches[branch, k]
                puzzle[lane] = owner[branch]
            elif started < len(masks):
                _load_puzzle(planes, first, masks, started)
                puzzle[lane] = started
                started += 1
            else:
                idle_bits |= L.ONE << np.uint64(bit)
                for k in range(L.ROW_WORDS):
                    planes[first + k * _WORD_STEP] = L.NONE
        idle[w] = idle_bits
        working += L.WORD_BITS - np.int64(popcount(idle_bits))
    numbers[L.STARTED] = started
    return working


@compiled()
def _write_solution(planes, first, grids, puzzle, rank):
    """Write the values, 1 to 9, of a solved row."""
    word, nonzero_mask = planes[first], L.WORD_BITS
    for c in range(81):
        if nonzero_mask < 9:
            first += _WORD_STEP
            field = word | planes[first] << np.uint64(nonzero_mask)
            word = planes[first] >> np.uint64(9 - nonzero_mask)
            nonzero_mask += L.WORD_BITS - 9
        else:
            field = word
            word >>= np.uint64(9)
            nonzero_mask -= 9
        grids[rank, puzzle, c] = lowest_bit(field) + 1


@compiled()
def _branch(planes, first, branches, branch):
    """Assume the smallest candidate of the chosen cell, and store the branch without it."""
    last_word = first + _LAST_WORD
    c = np.int64(planes[last_word] >> np.uint64(L.BRANCH_SHIFT)) & ((1 << L.BRANCH_BITS) - 1)
    planes[last_word] &= L.CANDIDATE_BITS
    for k in range(L.ROW_WORDS):
        branches[branch, k] = planes[first + k * _WORD_STEP]
    word_index, shift = c * 9 >> 6, np.uint64(c * 9 & 63)
    first_word = first + word_index * _WORD_STEP
    field, is_split = planes[first_word] >> shift, shift > 55
    if is_split:
        field |= planes[first_word + _WORD_STEP] << (np.uint64(L.WORD_BITS) - shift)
    field &= np.uint64(511)
    smallest = field & (~field + L.ONE)
    rest = field ^ smallest
    planes[first_word] &= ~(rest << shift)
    branches[branch, word_index] &= ~(smallest << shift)
    if is_split:
        planes[first_word + _WORD_STEP] &= ~(rest >> (np.uint64(L.WORD_BITS) - shift))
        branches[branch, word_index + 1] &= ~(smallest >> (np.uint64(L.WORD_BITS) - shift))


# Branches are binary: a cell holds its smallest candidate, or it does not. Each solution is in
# exactly one of the two, so it is found once.
@compiled()
def _advance(lanes, max_solutions, counts, grids):
    """After propagation: write solutions, branch where nothing changes, free lanes that ended."""
    planes, idle, puzzle, last_branch, branches, owner, previous, numbers = lanes
    for w in range(L.VECTOR_WORDS):
        working, dead = ~idle[w], planes[L.DEAD * L.VECTOR_WORDS + w]
        several = planes[L.OPEN * L.VECTOR_WORDS + w]
        changed = planes[L.CHANGED * L.VECTOR_WORDS + w]
        ended, solved = working & (dead | ~several), working & ~dead & ~several
        stuck, propagating = working & ~ended & ~changed, working & ~ended & changed
        while solved:
            bit = lowest_bit(solved)
            solved &= solved - L.ONE
            solved_puzzle = puzzle[w * L.WORD_BITS + bit]
            if counts[solved_puzzle] < max_solutions:
                first, rank = bit * L.VECTOR_WORDS + w, counts[solved_puzzle]
                _write_solution(planes, first, grids, solved_puzzle, rank)
                counts[solved_puzzle] += 1
        while stuck:
            bit = lowest_bit(stuck)
            stuck &= stuck - L.ONE
            lane = w * L.WORD_BITS + bit
            if counts[puzzle[lane]] == max_solutions:
                ended |= L.ONE << np.uint64(bit)
                continue
            branch = numbers[L.FREE]
            numbers[L.FREE] = previous[branch]
            previous[branch] = last_branch[lane]
            last_branch[lane] = branch
            owner[branch] = puzzle[lane]
            numbers[L.PENDING] += 1
            numbers[L.BRANCHES] += 1
            _branch(planes, bit * L.VECTOR_WORDS + w, branches, branch)
        while propagating:
            bit = lowest_bit(propagating)
            propagating &= propagating - L.ONE
            planes[_LAST_WORD + bit * L.VECTOR_WORDS + w] &= L.CANDIDATE_BITS
        idle[w] |= ended


@compiled()
def search(lanes, masks, max_solutions, counts, grids, is_shared, steps):
    """Search for `max_solutions` of each puzzle; returns whether the search ended within `steps`.

    | array | shape | contents |
    |---|---|---|
    | `masks` | (P, 81) | bits 0 to 8: the candidates of each cell |
    | `counts` | (P,) | output: the number of solutions |
    | `grids` | (max_solutions, P, 81) | output: the solutions |
    | `is_shared` | (P,) or (0,) | output: puzzles with stolen branches; if empty, none are stolen |
    """
    for _ in range(steps):
        if not _assign_work(lanes, masks, max_solutions, counts, is_shared):
            return True
        transpose(lanes.planes)
        propagate(lanes.planes)
        choose(lanes.planes)
        transpose(lanes.planes)
        _advance(lanes, max_solutions, counts, grids)
    return False
