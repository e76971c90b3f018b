"""The bit-sliced batch solver: LANES searches of 9×9 puzzles in parallel, each in its own bit.

Each lane is a depth-first search (DPLL). A step propagates all lanes for ROUNDS_PER_STEP rounds.
Then a lane with a contradiction or a solution backtracks, and a lane that the last round did not
change branches. A lane without work starts the next puzzle, or steals a branch from another lane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.native import compiled
from pipeline.native.vectors import Vectors, popcount, trailing_zeros, zero_vectors
from pipeline.solving.compiled import layout as L
from pipeline.solving.compiled.deduction import choose_cells, propagate_rounds, transpose

MAX_PENDING = 81
"""Maximum number of pending branches of a lane: each was made at a different cell."""

_WORD_STEP = L.WORD_BITS * L.VECTOR_WORDS
"""Distance between consecutive words of a record."""

_LAST_WORD = (L.RECORD_WORDS - 1) * _WORD_STEP
"""Distance from the first word of a record to the last."""


class Lanes(NamedTuple):
    """The state of LANES searches, with S slots for pending branches.

    The pending branches of a lane are a linked list that starts at `last_branch` and continues with
    `previous`. The free slots are another linked list, which starts at `numbers[FREE_SLOT]`.
    """

    planes: Vectors
    """(VECTORS · VECTOR_WORDS,): see `layout`."""
    idle: NDArray[np.uint64]
    """(VECTOR_WORDS,): one bit for each lane without work."""
    puzzle: NDArray[np.int64]
    """(LANES,): the puzzle of each lane."""
    last_branch: NDArray[np.int64]
    """(LANES,): the last pending branch of each lane, or -1."""
    branches: NDArray[np.uint64]
    """(S, RECORD_WORDS): the candidates of each pending branch, as a record."""
    owner: NDArray[np.int64]
    """(S,): the puzzle of each pending branch."""
    previous: NDArray[np.int64]
    """(S,): the next slot of the same list, or -1. After a pending branch comes the one made before
    it."""
    numbers: NDArray[np.int64]
    """(5,): see `layout`."""


def new_lanes() -> Lanes:
    """Create lanes that are all idle, with all slots free."""
    slots = L.LANES * MAX_PENDING
    previous = np.arange(1, slots + 1)
    previous[-1] = -1
    return Lanes(
        zero_vectors(np.uint64, L.VECTORS).ravel(),
        np.full(L.VECTOR_WORDS, 2**L.WORD_BITS - 1, np.uint64),
        np.zeros(L.LANES, np.int64),
        np.full(L.LANES, -1, np.int64),
        np.empty((slots, L.RECORD_WORDS), np.uint64),
        np.empty(slots, np.int64),
        previous,
        np.zeros(5, np.int64),
    )


def decided_puzzles(
    lanes: Lanes, counts: NDArray[np.int64], max_solutions: int
) -> NDArray[np.bool_]:
    """Returns, for each puzzle, whether its search ended or found `max_solutions` solutions."""
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
    """Write the candidates of a puzzle to the record that starts at word `first`."""
    word, shift = L.NO_BITS, 0
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
    """Remove branches of a lane, last first, until the puzzle of one still needs solutions.

    Returns the index of this branch, or -1 if no branch remains.
    """
    while last_branch[lane] >= 0:
        branch = last_branch[lane]
        last_branch[lane] = previous[branch]
        previous[branch] = numbers[L.FREE_SLOT]
        numbers[L.FREE_SLOT] = branch
        numbers[L.PENDING_BRANCHES] -= 1
        if counts[owner[branch]] < max_solutions:
            return branch
    return -1


# Work stealing. After all puzzles are started, a few hard puzzles would leave most lanes idle, so
# several lanes share a puzzle. They find its solutions in another order than a single lane would.
# So if the puzzle has more than `max_solutions`, they may find different solutions than a single
# lane would: see `BatchSolver.__call__`.
@compiled()
def _steal_branch(last_branch, previous, owner, numbers, counts, max_solutions, is_shared):
    """Remove a branch, of any lane, for a puzzle that still needs solutions; mark it as shared.

    Returns the index of this branch, or -1 if no branch remains.
    """
    for _ in range(L.LANES):
        if not numbers[L.PENDING_BRANCHES]:
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
    """Give idle lanes a pending branch or the next puzzle. Returns the number of working lanes."""
    planes, idle, puzzle, last_branch, branches, owner, previous, numbers = lanes
    working, started = 0, numbers[L.STARTED]
    for w in range(L.VECTOR_WORDS):
        waiting, idle_bits = idle[w], L.NO_BITS
        while waiting:
            bit = trailing_zeros(waiting)
            waiting &= waiting - L.ONE_BIT
            lane, first = w * L.WORD_BITS + bit, bit * L.VECTOR_WORDS + w
            branch = _pop_branch(lane, last_branch, previous, owner, numbers, counts, max_solutions)
            if branch < 0 and started == len(masks) and len(is_shared):
                branch = _steal_branch(
                    last_branch, previous, owner, numbers, counts, max_solutions, is_shared
                )
            if branch >= 0:
                for k in range(L.RECORD_WORDS):
                    planes[first + k * _WORD_STEP] = branches[branch, k]
                puzzle[lane] = owner[branch]
            elif started < len(masks):
                _load_puzzle(planes, first, masks, started)
                puzzle[lane] = started
                started += 1
            else:
                idle_bits |= L.ONE_BIT << np.uint64(bit)
                for k in range(L.RECORD_WORDS):
                    planes[first + k * _WORD_STEP] = L.NO_BITS
        idle[w] = idle_bits
        working += L.WORD_BITS - np.int64(popcount(idle_bits))
    numbers[L.STARTED] = started
    return working


@compiled()
def _write_solution(planes, first, grids, puzzle, rank):
    """Write the values, 1 to 9, of the solved record that starts at word `first` to `grids`."""
    word, remaining_bits = planes[first], L.WORD_BITS
    for c in range(81):
        if remaining_bits < 9:
            first += _WORD_STEP
            field = word | planes[first] << np.uint64(remaining_bits)
            word = planes[first] >> np.uint64(9 - remaining_bits)
            remaining_bits += L.WORD_BITS - 9
        else:
            field = word
            word >>= np.uint64(9)
            remaining_bits -= 9
        grids[rank, puzzle, c] = trailing_zeros(field) + 1


@compiled()
def _branch(planes, first, branches, branch):
    """Assume the smallest candidate of the chosen cell.

    Stores the other case, without this candidate, as the pending branch `branch`.
    """
    last_word = first + _LAST_WORD
    c = np.int64(planes[last_word] >> np.uint64(L.BRANCH_SHIFT)) & ((1 << L.BRANCH_BITS) - 1)
    planes[last_word] &= L.CANDIDATE_BITS
    for k in range(L.RECORD_WORDS):
        branches[branch, k] = planes[first + k * _WORD_STEP]
    word_index, shift = c * 9 >> 6, np.uint64(c * 9 & 63)
    first_word = first + word_index * _WORD_STEP
    field, is_split = planes[first_word] >> shift, shift > 55
    if is_split:
        field |= planes[first_word + _WORD_STEP] << (np.uint64(L.WORD_BITS) - shift)
    field &= np.uint64(511)
    smallest = field & (~field + L.ONE_BIT)
    other_candidates = field ^ smallest
    planes[first_word] &= ~(other_candidates << shift)
    branches[branch, word_index] &= ~(smallest << shift)
    if is_split:
        planes[first_word + _WORD_STEP] &= ~(other_candidates >> (np.uint64(L.WORD_BITS) - shift))
        branches[branch, word_index + 1] &= ~(smallest >> (np.uint64(L.WORD_BITS) - shift))


# Branching is binary: in one case a cell holds its smallest candidate, in the other it does not.
# Each solution is in exactly one of these cases, so it is found once.
@compiled()
def _advance(lanes, max_solutions, counts, grids):
    """Write solutions, branch in unchanged lanes, and mark ended lanes as idle."""
    planes, idle, puzzle, last_branch, branches, owner, previous, numbers = lanes
    for w in range(L.VECTOR_WORDS):
        working, dead = ~idle[w], planes[L.DEAD * L.VECTOR_WORDS + w]
        several = planes[L.HAS_OPEN_CELLS * L.VECTOR_WORDS + w]
        changed = planes[L.CHANGED * L.VECTOR_WORDS + w]
        ended, solved = working & (dead | ~several), working & ~dead & ~several
        stuck, propagating = working & ~ended & ~changed, working & ~ended & changed
        while solved:
            bit = trailing_zeros(solved)
            solved &= solved - L.ONE_BIT
            solved_puzzle = puzzle[w * L.WORD_BITS + bit]
            if counts[solved_puzzle] < max_solutions:
                first, rank = bit * L.VECTOR_WORDS + w, counts[solved_puzzle]
                _write_solution(planes, first, grids, solved_puzzle, rank)
                counts[solved_puzzle] += 1
        while stuck:
            bit = trailing_zeros(stuck)
            stuck &= stuck - L.ONE_BIT
            lane = w * L.WORD_BITS + bit
            if counts[puzzle[lane]] == max_solutions:
                ended |= L.ONE_BIT << np.uint64(bit)
                continue
            branch = numbers[L.FREE_SLOT]
            numbers[L.FREE_SLOT] = previous[branch]
            previous[branch] = last_branch[lane]
            last_branch[lane] = branch
            owner[branch] = puzzle[lane]
            numbers[L.PENDING_BRANCHES] += 1
            numbers[L.BRANCHES] += 1
            _branch(planes, bit * L.VECTOR_WORDS + w, branches, branch)
        while propagating:
            bit = trailing_zeros(propagating)
            propagating &= propagating - L.ONE_BIT
            planes[_LAST_WORD + bit * L.VECTOR_WORDS + w] &= L.CANDIDATE_BITS
        idle[w] |= ended


@compiled()
def search(lanes, masks, max_solutions, counts, grids, is_shared, steps):
    """Search for up to `max_solutions` solutions of each puzzle. Returns whether the search ended.

    The search pauses after `steps` steps, and the next call continues it.

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
        propagate_rounds(lanes.planes)
        choose_cells(lanes.planes)
        transpose(lanes.planes)
        _advance(lanes, max_solutions, counts, grids)
    return False
