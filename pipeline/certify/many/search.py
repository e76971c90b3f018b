"""Search LANE_COUNT 9×9 puzzles in parallel for solutions that are not listed.

Each lane is a separate depth-first search; all lanes share the rounds of propagation. After a
round, a lane backtracks if it has a contradiction or has reached a listed grid. When a round
changes nothing in a lane, the lane branches: in the first branch a triad (see `sweep`) has a
certain value, in the second it does not. The two branches have no grid in common, so each listed
grid is reached once.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.many.sweep import (
    BOARD_VECTORS,
    CHANGED_LANES,
    CHUTE_COUNTS,
    DEAD_LANES,
    GRID_CELLS,
    MAY_HAVE,
    OPEN_LANES,
    sweep,
)
from pipeline.native import compiled
from pipeline.native.vectors import Vectors, zero_vectors

LANE_COUNT = 32
"""Puzzles searched in parallel: the number of 16-bit words in a vector."""

MAX_OPEN_BRANCHES = 64
"""Maximum number of open branches of a lane. A puzzle that needs more branches stays undecided."""

NO_PUZZLE = -1
"""The puzzle of an idle lane."""

NO_BRANCH = -1
"""The result of `_choose_branch` if no branch is possible."""


class Verdict(IntEnum):
    """Whether the listed grids are all the solutions of a puzzle.

    WRONG: the listed grids are not distinct solutions. INCOMPLETE: the puzzle has another solution.
    """

    UNDECIDED = 0
    COMPLETE = 1
    INCOMPLETE = 2
    WRONG = 3


_UNDECIDED, _COMPLETE, _INCOMPLETE, _WRONG = map(int, Verdict)
_ABANDONED = -1
"""Returned by `_continue_lane` if the search ended without a verdict. As its result, `_UNDECIDED`
means that the search goes on. In the array `verdicts`, both are UNDECIDED."""

_ONE = np.uint16(1)
_ALL_VALUES = 0b111_111_111
_DECIDED_COUNT = 27
"""The count of a chute (CHUTE_COUNTS) in which each value has one triad per line."""

_LOWEST_BIT = np.array([(bits & -bits).bit_length() - 1 for bits in range(512)])
"""The index of the lowest set bit of each mask of values."""


class Searches(NamedTuple):
    """The state of LANE_COUNT searches."""

    board: Vectors
    """(BOARD_VECTORS, LANE_COUNT): candidates and triads, see `sweep`."""
    puzzle: NDArray[np.int64]
    """(LANE_COUNT,): the puzzle of each lane, or NO_PUZZLE."""
    depth: NDArray[np.int64]
    """(LANE_COUNT,): the number of open branches."""
    reached_counts: NDArray[np.int64]
    """(LANE_COUNT,): the number of listed grids that the search has reached."""
    saved_cells: NDArray[np.uint16]
    """(LANE_COUNT, MAX_OPEN_BRANCHES, GRID_CELLS): the candidates before each open branch."""
    choices: NDArray[np.int64]
    """(LANE_COUNT, MAX_OPEN_BRANCHES): the triad and value of each branch, see `_choose_branch`."""
    unit_masks: NDArray[np.int64]
    """(27,): working memory for the values in each unit of a grid."""
    started_count: NDArray[np.int64]
    """(1,): the number of puzzles that were started; puzzles are started in order."""


def new_searches() -> Searches:
    """Return the state of LANE_COUNT idle lanes."""
    return Searches(
        zero_vectors(np.uint16, BOARD_VECTORS),
        np.full(LANE_COUNT, NO_PUZZLE),
        np.zeros(LANE_COUNT, np.int64),
        np.zeros(LANE_COUNT, np.int64),
        np.empty((LANE_COUNT, MAX_OPEN_BRANCHES, GRID_CELLS), np.uint16),
        np.empty((LANE_COUNT, MAX_OPEN_BRANCHES), np.int64),
        np.zeros(27, np.int64),
        np.zeros(1, np.int64),
    )


@compiled(inline=True)
def _is_solution(masks, grids, puzzle, grid_index, unit_masks):
    """Whether a listed grid is a solution of its puzzle."""
    for unit in range(27):
        unit_masks[unit] = 0
    for row in range(9):
        for column in range(9):
            cell = 9 * row + column
            value = np.int64(grids[grid_index, puzzle, cell])
            if value < 1 or value > 9 or not masks[puzzle, cell] >> (value - 1) & 1:
                return False
            bit = 1 << (value - 1)
            unit_masks[row] |= bit
            unit_masks[9 + column] |= bit
            unit_masks[18 + row // 3 * 3 + column // 3] |= bit
    for unit in range(27):
        if unit_masks[unit] != _ALL_VALUES:
            return False
    return True


@compiled(inline=True)
def _are_distinct_solutions(masks, counts, grids, puzzle, unit_masks):
    """Whether the listed grids of a puzzle are distinct solutions."""
    for rank in range(counts[puzzle]):
        if not _is_solution(masks, grids, puzzle, rank, unit_masks):
            return False
        for earlier in range(rank):
            if _are_equal(grids, puzzle, rank, earlier):
                return False
    return True


@compiled(inline=True)
def _are_equal(grids, puzzle, a, b):
    for cell in range(GRID_CELLS):
        if grids[a, puzzle, cell] != grids[b, puzzle, cell]:
            return False
    return True


@compiled(inline=True)
def _is_listed(board, lane, grids, puzzle, count):
    """Whether the grid of a lane, whose cells have one candidate each, is listed."""
    for rank in range(count):
        is_same = True
        for cell in range(GRID_CELLS):
            value = np.int64(grids[rank, puzzle, cell])
            if board[cell, lane] != _ONE << np.uint16(value - 1):
                is_same = False
                break
        if is_same:
            return True
    return False


# Fail first (R. Haralick, G. Elliott, 1980): branch in the chute with the lowest count
# (CHUTE_COUNTS), in a line in which some value has two possible triads. If there is no such line,
# branch in a line in which a value has three. A branch on a triad decides several cells at once.
# Any choice is sound.
@compiled(inline=True)
def _choose_branch(board, lane):
    """Return a triad and a value to branch on, as 9 · triad + value.

    Values count from 0, and triads from the first triad of the grid: each chute has nine triads.

    Returns NO_BRANCH if each value has one triad in every line. This is impossible if a cell is
    open and the last sweep changed nothing.
    """
    smallest, chute = 1 << 30, 0
    for candidate_chute in range(6):
        count = np.int64(board[CHUTE_COUNTS + candidate_chute, lane])
        if _DECIDED_COUNT < count < smallest:
            smallest, chute = count, candidate_chute
    candidates, triad = 0, 0
    for line in range(9 * chute, 9 * chute + 9, 3):
        a = np.int64(board[MAY_HAVE + line, lane])
        b = np.int64(board[MAY_HAVE + line + 1, lane])
        c = np.int64(board[MAY_HAVE + line + 2, lane])
        in_three = a & b & c
        in_two = (a & b | c & (a | b)) & ~in_three
        if in_two:
            candidates, triad = in_two, line
            break
        if in_three and not candidates:
            candidates, triad = in_three, line
    if not candidates:
        return NO_BRANCH
    value = _LOWEST_BIT[candidates]
    while not board[MAY_HAVE + triad, lane] >> value & 1:
        triad += 1
    return 9 * triad + value


# If the triad has the value, the other triads of its line and its box do not have it. Otherwise its
# own three cells lose the value.
@compiled(inline=True)
def _assume(board, lane, choice, has_value):
    """Assume that a triad has a value if `has_value`, else that it does not have the value."""
    chute, triad, value = choice // 81, choice // 9 % 9, choice % 9
    line, box = triad // 3, triad % 3
    other_values = ~(_ONE << np.uint16(value))
    for other in range(9):
        is_crossing = (other // 3 == line) != (other % 3 == box)
        if is_crossing if has_value else other == triad:
            cell, gap = 27 * chute + 9 * (other // 3) + 3 * (other % 3), 1
            if chute > 2:
                cell, gap = 3 * (chute - 3) + other // 3 + 27 * (other % 3), 9
            board[cell, lane] &= other_values
            board[cell + gap, lane] &= other_values
            board[cell + 2 * gap, lane] &= other_values


@compiled(inline=True)
def _start_next_puzzle(lane, searches, board, masks, counts, grids, verdicts):
    """Start the next puzzle whose listed grids are distinct solutions."""
    while searches.started_count[0] < len(masks):
        puzzle = searches.started_count[0]
        searches.started_count[0] += 1
        if _are_distinct_solutions(masks, counts, grids, puzzle, searches.unit_masks):
            searches.puzzle[lane] = puzzle
            searches.depth[lane] = searches.reached_counts[lane] = 0
            for cell in range(GRID_CELLS):
                board[cell, lane] = masks[puzzle, cell]
            return
        verdicts[puzzle] = _WRONG
    searches.puzzle[lane] = NO_PUZZLE


@compiled(inline=True)
def _branch(lane, searches, board, choice):
    """Save the candidates of a lane, and assume that the chosen triad has the chosen value."""
    depth = searches.depth[lane]
    for cell in range(GRID_CELLS):
        searches.saved_cells[lane, depth, cell] = board[cell, lane]
    searches.choices[lane, depth] = choice
    searches.depth[lane] = depth + 1
    _assume(board, lane, choice, True)


@compiled(inline=True)
def _backtrack(lane, searches, board):
    """Undo the last branch of a lane, and assume that the triad does not have the value."""
    depth = searches.depth[lane] - 1
    searches.depth[lane] = depth
    for cell in range(GRID_CELLS):
        board[cell, lane] = searches.saved_cells[lane, depth, cell]
    _assume(board, lane, searches.choices[lane, depth], False)


# COMPLETE requires that every branch has ended and that every listed grid was reached. The second
# condition checks the search itself: a search that eliminates too much may lose listed grids, too.
@compiled(inline=True)
def _continue_lane(lane, searches, board, counts, grids, nodes, max_nodes):
    """Continue a lane after a sweep.

    Returns a verdict, _UNDECIDED while the search goes on, or _ABANDONED.
    """
    puzzle = searches.puzzle[lane]
    if not board[DEAD_LANES, lane]:
        if board[OPEN_LANES, lane]:
            if board[CHANGED_LANES, lane]:
                return _UNDECIDED
            choice = _choose_branch(board, lane)
            if (
                choice == NO_BRANCH
                or nodes[puzzle] >= max_nodes
                or searches.depth[lane] == MAX_OPEN_BRANCHES
            ):
                return _ABANDONED
            nodes[puzzle] += 1
            _branch(lane, searches, board, choice)
            return _UNDECIDED
        if not _is_listed(board, lane, grids, puzzle, counts[puzzle]):
            return _UNDECIDED if board[CHANGED_LANES, lane] else _INCOMPLETE
        searches.reached_counts[lane] += 1
    if searches.depth[lane]:
        _backtrack(lane, searches, board)
        return _UNDECIDED
    return _COMPLETE if searches.reached_counts[lane] == counts[puzzle] else _ABANDONED


@compiled(inline=True)
def search(searches, masks, counts, grids, verdicts, nodes, max_nodes, sweeps):
    """Search for `sweeps` rounds of propagation. Returns whether all puzzles have been searched.

    Writes `verdicts` and increases `nodes`. Puzzles that need more than `max_nodes` stay undecided.
    """
    board = searches.board
    for _ in range(sweeps):
        busy_lanes = 0
        for lane in range(LANE_COUNT):
            if searches.puzzle[lane] == NO_PUZZLE and searches.started_count[0] < len(masks):
                _start_next_puzzle(lane, searches, board, masks, counts, grids, verdicts)
            busy_lanes += searches.puzzle[lane] != NO_PUZZLE
        if not busy_lanes:
            return True
        sweep(board)
        for lane in range(LANE_COUNT):
            if searches.puzzle[lane] != NO_PUZZLE:
                verdict = _continue_lane(lane, searches, board, counts, grids, nodes, max_nodes)
                if verdict != _UNDECIDED:
                    verdicts[searches.puzzle[lane]] = max(verdict, _UNDECIDED)
                    searches.puzzle[lane] = NO_PUZZLE
    return False
