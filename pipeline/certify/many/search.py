"""A search for solutions that are not listed: LANES puzzles of 9×9 side by side.

Each lane is a depth-first search of its own. After a round of propagation, a lane with a
contradiction, or at a grid that is listed, goes back to its last branch; one that no longer moves
branches: a triad has a value, or it has not. So two branches have no grid in common, and each
listed grid is met once.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.many.sweep import CELLS, DEAD, LEFT, MAY, MOVED, OPEN, ROWS, sweep
from pipeline.native import compiled
from pipeline.native.vectors import Words, aligned

LANES = 32
"""Puzzles that are searched side by side: words of 16 bits in a vector."""

DEPTH = 64
"""Branches that a lane has open at the most; what needs more is undecided."""

NOBODY = -1
"""The puzzle of a lane that has none."""

NOWHERE = -1


class Verdict(IntEnum):
    """The verdict on a claim that some grids are all solutions of a puzzle.

    WRONG: they are not different solutions. INCOMPLETE: there is another one.
    """

    UNDECIDED = 0
    COMPLETE = 1
    INCOMPLETE = 2
    WRONG = 3


_UNDECIDED, _COMPLETE, _INCOMPLETE, _WRONG = map(int, Verdict)
_GIVEN_UP = -1
"""Undecided, and no longer searched."""

_ONE = np.uint16(1)
_NINE = 511
_DECIDED = 27
"""Candidates left in a chute in which each value has one triad of each line."""

_LOWEST = np.array([(bits & -bits).bit_length() - 1 for bits in range(512)])


class Searches(NamedTuple):
    """The state of LANES searches; `new_searches` makes one, in which none has begun.

    fields: (ROWS, LANES), what each of the cells may hold, and what follows from that; see below.
    puzzle: (LANES,) the puzzle of each. depth, met: (LANES,) open branches, and listed grids that
    were reached. saved: (LANES, DEPTH, CELLS) the cells before each branch. tried: (LANES, DEPTH)
    the choice there. seen: (27,) scratch for one grid. begun: (1,) the number of puzzles begun.
    """

    fields: Words
    puzzle: NDArray[np.int64]
    depth: NDArray[np.int64]
    met: NDArray[np.int64]
    saved: NDArray[np.uint16]
    tried: NDArray[np.int64]
    seen: NDArray[np.int64]
    begun: NDArray[np.int64]


def new_searches() -> Searches:
    return Searches(
        aligned(np.uint16, ROWS),
        np.full(LANES, NOBODY),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.empty((LANES, DEPTH, CELLS), np.uint16),
        np.empty((LANES, DEPTH), np.int64),
        np.zeros(27, np.int64),
        np.zeros(1, np.int64),
    )


@compiled(inline=True)
def _is_solution(masks, grids, puzzle, rank, seen):
    """Whether a grid that is listed is a solution, from the rules."""
    for unit in range(27):
        seen[unit] = 0
    for row in range(9):
        for column in range(9):
            cell = 9 * row + column
            value = np.int64(grids[rank, puzzle, cell])
            if value < 1 or value > 9 or not masks[puzzle, cell] >> (value - 1) & 1:
                return False
            bit = 1 << (value - 1)
            seen[row] |= bit
            seen[9 + column] |= bit
            seen[18 + row // 3 * 3 + column // 3] |= bit
    for unit in range(27):
        if seen[unit] != _NINE:
            return False
    return True


@compiled(inline=True)
def _are_different_solutions(masks, counts, grids, puzzle, seen):
    for rank in range(counts[puzzle]):
        if not _is_solution(masks, grids, puzzle, rank, seen):
            return False
        for earlier in range(rank):
            if _same(grids, puzzle, rank, earlier):
                return False
    return True


@compiled(inline=True)
def _same(grids, puzzle, one, other):
    for cell in range(CELLS):
        if grids[one, puzzle, cell] != grids[other, puzzle, cell]:
            return False
    return True


@compiled(inline=True)
def _is_listed(fields, lane, grids, puzzle, count):
    """Whether the one candidate of each cell is a grid that is listed."""
    for rank in range(count):
        is_same = True
        for cell in range(CELLS):
            value = np.int64(grids[rank, puzzle, cell])
            if fields[cell, lane] != _ONE << np.uint16(value - 1):
                is_same = False
                break
        if is_same:
            return True
    return False


@compiled(inline=True)
def _choice(fields, lane):
    """Where to branch: 81 · chute + 9 · triad + value, from 0; chutes 3 to 5 are the stacks.

    In the chute with least open, a value for which a line has a choice, preferably of two.
    NOWHERE if no line has a choice, which cannot be after a sweep.
    """
    least, chute = 1 << 30, 0
    for each in range(6):
        left = np.int64(fields[LEFT + each, lane])
        if _DECIDED < left < least:
            least, chute = left, each
    among, triad = 0, 0
    for line in range(9 * chute, 9 * chute + 9, 3):
        x = np.int64(fields[MAY + line, lane])
        y = np.int64(fields[MAY + line + 1, lane])
        z = np.int64(fields[MAY + line + 2, lane])
        three = x & y & z
        two = (x & y | z & (x | y)) & ~three
        if two:
            among, triad = two, line
            break
        if three and not among:
            among, triad = three, line
    if not among:
        return NOWHERE
    value = _LOWEST[among]
    while not fields[MAY + triad, lane] >> value & 1:
        triad += 1
    return 9 * triad + value


@compiled(inline=True)
def _assume(fields, lane, choice, has_it):
    """Strike what is wrong if a triad has, or has not, a value."""
    chute, triad, value = choice // 81, choice // 9 % 9, choice % 9
    line, box = triad // 3, triad % 3
    keep = ~(_ONE << np.uint16(value))
    for other in range(9):
        is_beside = (other // 3 == line) != (other % 3 == box)
        if is_beside if has_it else other == triad:
            at, step = 27 * chute + 9 * (other // 3) + 3 * (other % 3), 1
            if chute > 2:
                at, step = 3 * (chute - 3) + other // 3 + 27 * (other % 3), 9
            fields[at, lane] &= keep
            fields[at + step, lane] &= keep
            fields[at + 2 * step, lane] &= keep


@compiled(inline=True)
def _begin(lane, lanes, fields, masks, counts, grids, verdicts):
    """Begin the next puzzle whose listed grids are different solutions."""
    while lanes.begun[0] < len(masks):
        puzzle = lanes.begun[0]
        lanes.begun[0] += 1
        if _are_different_solutions(masks, counts, grids, puzzle, lanes.seen):
            lanes.puzzle[lane] = puzzle
            lanes.depth[lane] = lanes.met[lane] = 0
            for cell in range(CELLS):
                fields[cell, lane] = masks[puzzle, cell]
            return
        verdicts[puzzle] = _WRONG
    lanes.puzzle[lane] = NOBODY


@compiled(inline=True)
def _branch(lane, lanes, fields, choice):
    depth = lanes.depth[lane]
    for cell in range(CELLS):
        lanes.saved[lane, depth, cell] = fields[cell, lane]
    lanes.tried[lane, depth] = choice
    lanes.depth[lane] = depth + 1
    _assume(fields, lane, choice, True)


@compiled(inline=True)
def _go_back(lane, lanes, fields):
    depth = lanes.depth[lane] - 1
    lanes.depth[lane] = depth
    for cell in range(CELLS):
        fields[cell, lane] = lanes.saved[lane, depth, cell]
    _assume(fields, lane, lanes.tried[lane, depth], False)


@compiled(inline=True)
def _next(lane, lanes, fields, counts, grids, nodes, most):
    """Go on after a sweep: the verdict on the lane's puzzle, undecided while it is searched."""
    puzzle = lanes.puzzle[lane]
    if not fields[DEAD, lane]:
        if fields[OPEN, lane]:
            if fields[MOVED, lane]:
                return _UNDECIDED
            choice = _choice(fields, lane)
            if choice == NOWHERE or nodes[puzzle] >= most or lanes.depth[lane] == DEPTH:
                return _GIVEN_UP
            nodes[puzzle] += 1
            _branch(lane, lanes, fields, choice)
            return _UNDECIDED
        if not _is_listed(fields, lane, grids, puzzle, counts[puzzle]):
            return _UNDECIDED if fields[MOVED, lane] else _INCOMPLETE
        lanes.met[lane] += 1
    if lanes.depth[lane]:
        _go_back(lane, lanes, fields)
        return _UNDECIDED
    return _COMPLETE if lanes.met[lane] == counts[puzzle] else _GIVEN_UP


@compiled(inline=True)
def search(lanes, masks, counts, grids, verdicts, nodes, most, sweeps):
    """Go on for so many sweeps; whether all puzzles are done.

    Verdicts stay undecided where more than `most` nodes would be needed.
    """
    fields = lanes.fields
    for _ in range(sweeps):
        working = 0
        for lane in range(LANES):
            if lanes.puzzle[lane] == NOBODY and lanes.begun[0] < len(masks):
                _begin(lane, lanes, fields, masks, counts, grids, verdicts)
            working += lanes.puzzle[lane] != NOBODY
        if not working:
            return True
        sweep(fields)
        for lane in range(LANES):
            if lanes.puzzle[lane] != NOBODY:
                verdict = _next(lane, lanes, fields, counts, grids, nodes, most)
                if verdict != _UNDECIDED:
                    verdicts[lanes.puzzle[lane]] = max(verdict, _UNDECIDED)
                    lanes.puzzle[lane] = NOBODY
    return False
