"""Propagation of naked and hidden singles in batches of 9×9 states.

A state has a mask of candidates for each cell. If a cell has one candidate, its peers lose it
(naked single). If a value has one place in a unit, that cell loses all other values (hidden
single). The order does not matter, as in any unit propagation. A cell without candidates, or a
value without a place, is a contradiction. This runs as machine code, or in plain Python with longer
vectors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pipeline.native import Loaded, Program, compiled
from pipeline.native.vectors import (
    Words,
    aligned,
    broadcast,
    clear_lowest_bit,
    load,
    nonzero_mask,
    store,
)
from pipeline.puzzle.geometry import NINE

__all__ = ["States", "close_singles"]

CELLS = NINE.size
DEAD, CHANGED, ROWS = CELLS, CELLS + 1, CELLS + 2
"""Vectors after those of the cells: nonzero after a contradiction (DEAD) or a change (CHANGED).
ROWS is the number of all vectors."""

PYTHON_WIDTH = 1024
"""States per vector in plain Python."""

PYTHON_SECONDS = 3e-4
"""Seconds that plain Python takes for a state."""

_NO_VALUES, _ALL_VALUES = np.uint16(0), np.uint16(NINE.all_values)

PROGRAM = Program(
    "singles", "close", ("pipeline.catalogue.singles",), "pipeline.catalogue.singles.try_singles"
)
loaded = Loaded(PROGRAM)

States = NDArray[np.uint16]


def close_singles(states: States) -> None:
    """Propagate all singles in K states (81, K), in place; a contradiction becomes 0 in all cells.

    Raises ValueError for other arrays.
    """
    if states.shape[0] != CELLS or states.dtype != np.uint16 or not states.flags.c_contiguous:
        raise ValueError(
            f"expected states of shape ({CELLS}, …) of uint16, contiguous, found {states.shape} of "
            f"{states.dtype}"
        )
    if step := loaded.get(states.shape[1] * PYTHON_SECONDS):
        step(new_board(), states)
    else:
        close(np.zeros((ROWS, min(PYTHON_WIDTH, states.shape[1]) or 1), np.uint16), states)


def new_board() -> Words:
    """Working memory for machine code: as many states as a vector has."""
    return aligned(np.uint16, ROWS)


@compiled()
def close(board, states):
    """Propagate all singles in K states; a contradiction becomes 0 in all cells of its state.

    `states` (81, K) is changed in place. `board` (ROWS, ·) holds one state per column.
    """
    count, width = states.shape[1], board.shape[1]
    for start in range(0, count, width):
        used = min(width, count - start)
        for lane in range(width):
            board[DEAD, lane] = lane >= used
        for cell in range(CELLS):
            board[cell, :used] = states[cell, start : start + used]
        _propagate_units(board)
        while _has_changed(board):
            _propagate_units(board)
        alive = ~nonzero_mask(load(board, DEAD))
        for cell in range(CELLS):
            store(board, cell, load(board, cell) & alive)
            states[cell, start : start + used] = board[cell, :used]
    return True


@compiled(inline=True)
def _single(cell):
    """The value of a cell with one candidate, else 0."""
    return cell & ~nonzero_mask(clear_lowest_bit(cell))


# Two passes over nine cells, for all values together: the first collects values that occur once,
# twice and as a naked single; the second restricts the cells. Two cells fixed to the same value,
# and a cell that is the only place of two values, are contradictions.
@compiled()
def _propagate_unit(board, first, column_step, row_step):
    """Propagate the singles of a unit. Returns contradictions and eliminated values.

    Its cells are `first` + r · `row_step` + c · `column_step`, for r and c from 0 to 2.
    """
    none = broadcast(_NO_VALUES)
    once, twice, fixed, conflict = none, none, none, none
    for row in range(3):
        for column in range(3):
            cell = load(board, first + row * row_step + column * column_step)
            single = _single(cell)
            twice = twice | once & cell
            once = once | cell
            conflict = conflict | fixed & single
            fixed = fixed | single
    hidden, eliminated = once & ~twice, broadcast(_NO_VALUES)
    conflict = conflict | once ^ broadcast(_ALL_VALUES)
    for row in range(3):
        for column in range(3):
            cell_index = first + row * row_step + column * column_step
            cell = load(board, cell_index)
            hidden_here = cell & hidden
            conflict = conflict | clear_lowest_bit(hidden_here)
            has_hidden = nonzero_mask(hidden_here)
            after = cell & (hidden_here | ~has_hidden & (~fixed | _single(cell)))
            store(board, cell_index, after)
            eliminated = eliminated | cell ^ after
    return conflict, eliminated


@compiled()
def _propagate_units(board):
    """Propagate the singles of all units once."""
    dead, changed = load(board, DEAD), broadcast(_NO_VALUES)
    for unit in range(9):
        conflict, eliminated = _propagate_unit(board, 9 * unit, 1, 3)
        dead, changed = dead | conflict, changed | eliminated
    for unit in range(9):
        conflict, eliminated = _propagate_unit(board, unit, 9, 27)
        dead, changed = dead | conflict, changed | eliminated
    for unit in range(9):
        conflict, eliminated = _propagate_unit(board, 27 * (unit // 3) + 3 * (unit % 3), 1, 9)
        dead, changed = dead | conflict, changed | eliminated
    for cell in range(CELLS):
        dead = dead | ~nonzero_mask(load(board, cell))
    store(board, DEAD, dead)
    store(board, CHANGED, changed & ~nonzero_mask(dead))


@compiled(inline=True)
def _has_changed(board):
    for lane in range(board.shape[1]):  # noqa: SIM110 - numba knows no `any`
        if board[CHANGED, lane]:
            return True
    return False


def try_singles(step: Callable[..., int]) -> None:
    """Propagate singles in two grids without first row and column, one of which breaks the rules.

    Raises RuntimeError unless one is filled and the contradiction in the other is found.
    """
    grid = np.array([[(3 * r + r // 3 + c) % 9 for c in range(9)] for r in range(9)], np.uint8)
    states = np.repeat(np.left_shift(1, grid, dtype=np.uint16).reshape(CELLS, 1), 2, axis=1)
    expected = states.copy()
    states[:9], states[::9] = NINE.all_values, NINE.all_values
    states[80, 1], expected[:, 1] = states[79, 1], 0
    step(new_board(), states)
    if not (states == expected).all():
        raise RuntimeError("self-test of the compiled code failed: wrong singles")
