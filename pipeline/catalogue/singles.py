"""Propagation of naked and hidden singles in batches of 9×9 states.

A state has a mask of candidates for each cell. If a cell has one candidate, its peers lose it
(naked single). If a value is a candidate of only one cell in a unit, that cell loses all other
values (hidden single). As in any unit propagation, the order of these steps does not change
the result. A cell without candidates is a contradiction, and so is a unit without a cell for a
value. This runs as machine code, or in plain Python with longer vectors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pipeline.native import Program, ProgramLoader, compiled
from pipeline.native.vectors import (
    Vectors,
    broadcast,
    clear_lowest_bit,
    load,
    nonzero_mask,
    store,
    zero_vectors,
)
from pipeline.puzzle.geometry import NINE_BY_NINE

__all__ = ["States", "propagate_singles"]

_CELLS = NINE_BY_NINE.size
_DEAD, _CHANGED, _ROWS = _CELLS, _CELLS + 1, _CELLS + 2
"""A board has _ROWS vectors: one for each cell, then _DEAD and _CHANGED. A word of _DEAD is nonzero
after a contradiction, and a word of _CHANGED after a change."""

PYTHON_WIDTH = 1024
"""Number of states per vector in plain Python."""

_PYTHON_SECONDS = 3e-4
"""Seconds that plain Python takes for a state."""

_NO_VALUES, _ALL_VALUES = np.uint16(0), np.uint16(NINE_BY_NINE.all_values)

PROGRAM = Program(
    "singles",
    "propagate_states",
    ("pipeline.catalogue.singles",),
    "pipeline.catalogue.singles.try_singles",
)
loader = ProgramLoader(PROGRAM)

States = NDArray[np.uint16]
"""The candidate masks (81, K) of K states."""


def propagate_singles(states: States) -> None:
    """Propagate all singles in K states (81, K), in place.

    All masks of a state with a contradiction become 0. Raises ValueError for other arrays.
    """
    if states.shape[0] != _CELLS or states.dtype != np.uint16 or not states.flags.c_contiguous:
        raise ValueError(
            f"expected contiguous states of shape ({_CELLS}, …) of uint16, found {states.shape} "
            f"of {states.dtype}"
        )
    if propagate := loader.get(states.shape[1] * _PYTHON_SECONDS):
        propagate(new_board(), states)
    else:
        propagate_states(
            np.zeros((_ROWS, min(PYTHON_WIDTH, states.shape[1]) or 1), np.uint16), states
        )


def new_board() -> Vectors:
    """Return a board for machine code, which has one state per word of a vector."""
    return zero_vectors(np.uint16, _ROWS)


@compiled()
def propagate_states(board, states):
    """Propagate all singles in K states (81, K), in place.

    All masks of a state with a contradiction become 0. `board` (_ROWS, ·) has one state per column.
    """
    count, width = states.shape[1], board.shape[1]
    for start in range(0, count, width):
        used = min(width, count - start)
        for lane in range(width):
            board[_DEAD, lane] = lane >= used
        for cell in range(_CELLS):
            board[cell, :used] = states[cell, start : start + used]
        _propagate_units(board)
        while _has_changed(board):
            _propagate_units(board)
        alive = ~nonzero_mask(load(board, _DEAD))
        for cell in range(_CELLS):
            store(board, cell, load(board, cell) & alive)
            states[cell, start : start + used] = board[cell, :used]
    return True


@compiled(inline=True)
def _naked_singles(cell):
    """Return the vector with 0 in place of each mask that has several candidates."""
    return cell & ~nonzero_mask(clear_lowest_bit(cell))


# Two passes over the nine cells of a unit handle all values together. The first pass collects the
# values that are candidates of one cell, the values of two or more cells, and the naked singles.
# The second pass restricts the cells. This is sound: naked and hidden singles are unit propagation
# of "a unit has each value once". It is a contradiction if two cells are fixed to the same value,
# or if a cell is the only place of two values.
@compiled(inline=True)
def _propagate_unit(board, first, column_step, row_step):
    """Propagate the singles of a unit. Returns contradictions and eliminated values.

    The cells of the unit are `first` + r · `row_step` + c · `column_step`, for r and c from 0 to 2.
    """
    none = broadcast(_NO_VALUES)
    once, twice, fixed, conflict = none, none, none, none
    for row in range(3):
        for column in range(3):
            cell = load(board, first + row * row_step + column * column_step)
            single = _naked_singles(cell)
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
            after = cell & (hidden_here | ~has_hidden & (~fixed | _naked_singles(cell)))
            store(board, cell_index, after)
            eliminated = eliminated | cell ^ after
    return conflict, eliminated


@compiled()
def _propagate_units(board):
    """Propagate the singles of all units once."""
    dead, changed = load(board, _DEAD), broadcast(_NO_VALUES)
    for unit in range(9):
        conflict, eliminated = _propagate_unit(board, 9 * unit, 1, 3)
        dead, changed = dead | conflict, changed | eliminated
    for unit in range(9):
        conflict, eliminated = _propagate_unit(board, unit, 9, 27)
        dead, changed = dead | conflict, changed | eliminated
    for unit in range(9):
        conflict, eliminated = _propagate_unit(board, 27 * (unit // 3) + 3 * (unit % 3), 1, 9)
        dead, changed = dead | conflict, changed | eliminated
    for cell in range(_CELLS):
        dead = dead | ~nonzero_mask(load(board, cell))
    store(board, _DEAD, dead)
    store(board, _CHANGED, changed & ~nonzero_mask(dead))


@compiled(inline=True)
def _has_changed(board):
    for lane in range(board.shape[1]):  # noqa: SIM110 - numba does not support `any`
        if board[_CHANGED, lane]:
            return True
    return False


def try_singles(propagate: Callable[..., int]) -> None:
    """Propagate singles in two grids without their first row and column. One breaks the rules.

    Raises RuntimeError unless the valid grid is filled and the invalid grid becomes 0.
    """
    grid = np.array([[(3 * r + r // 3 + c) % 9 for c in range(9)] for r in range(9)], np.uint8)
    states = np.repeat(np.left_shift(1, grid, dtype=np.uint16).reshape(_CELLS, 1), 2, axis=1)
    expected = states.copy()
    states[:9], states[::9] = NINE_BY_NINE.all_values, NINE_BY_NINE.all_values
    states[80, 1], expected[:, 1] = states[79, 1], 0
    propagate(new_board(), states)
    if not (states == expected).all():
        raise RuntimeError("self-test of the compiled code failed: wrong singles")
