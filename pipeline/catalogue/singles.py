"""Closure under singles of 9×9 states, side by side.

A state is the mask of candidates of each cell. If a cell has one candidate, its peers lose it. If a
value has one place in a unit, that cell loses all others. The order does not matter, as in any unit
propagation. A cell without candidates or a value without a place is a contradiction. Machine code
does it, if it is there, else plain Python with longer vectors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pipeline.native import Loaded, Program, compiled
from pipeline.native.vectors import Words, aligned, filled, load, spread, store, without_lowest
from pipeline.puzzle.geometry import NINE

__all__ = ["States", "close_singles"]

CELLS = NINE.size
DEAD, MOVED, ROWS = CELLS, CELLS + 1, CELLS + 2
"""The vectors after the cells: not 0 in a state with a contradiction; in one that has changed."""

AT_ONCE = 1024
"""States in a vector of plain Python."""

OTHERWISE = 3e-4
"""Seconds that plain Python takes for a state."""

_NONE, _NINE = np.uint16(0), np.uint16(NINE.all_values)

PROGRAM = Program(
    "singles", "close", ("pipeline.catalogue.singles",), "pipeline.catalogue.singles.try_singles"
)
loaded = Loaded(PROGRAM)

States = NDArray[np.uint16]


def close_singles(states: States) -> None:
    """Take all singles of K states (81, K), in place; a contradiction becomes 0 in all cells.

    Raises ValueError for other arrays.
    """
    if states.shape[0] != CELLS or states.dtype != np.uint16 or not states.flags.c_contiguous:
        raise ValueError(f"states of shape {states.shape}, of {states.dtype}")
    if step := loaded.get(states.shape[1] * OTHERWISE):
        step(new_room(), states)
    else:
        close(np.zeros((ROWS, min(AT_ONCE, states.shape[1]) or 1), np.uint16), states)


def new_room() -> Words:
    """Room for a vector of states, and for what is known of them."""
    return aligned(np.uint16, ROWS)


@compiled()
def close(f, states):
    """Take all singles of the states (81, K), in place; 0 in all cells of a contradiction.

    `f` (ROWS, ·) is room for as many of them as it has columns.
    """
    count, width = states.shape[1], f.shape[1]
    for start in range(0, count, width):
        lanes = min(width, count - start)
        for lane in range(width):
            f[DEAD, lane] = lane >= lanes
        for cell in range(CELLS):
            f[cell, :lanes] = states[cell, start : start + lanes]
        _round(f)
        while _has_moved(f):
            _round(f)
        alive = ~filled(load(f, DEAD))
        for cell in range(CELLS):
            store(f, cell, load(f, cell) & alive)
            states[cell, start : start + lanes] = f[cell, :lanes]
    return True


@compiled(inline=True)
def _single(cell):
    """A cell's value if it has only one."""
    return cell & ~filled(without_lowest(cell))


@compiled()
def _unit(f, first, across, down):
    """Take the singles of a unit; what is wrong, and what was struck.

    Its cells are three times three, so far apart.
    """
    once, twice, taken, wrong = spread(_NONE), spread(_NONE), spread(_NONE), spread(_NONE)
    for row in range(3):
        for column in range(3):
            cell = load(f, first + row * down + column * across)
            single = _single(cell)
            twice = twice | once & cell
            once = once | cell
            wrong = wrong | taken & single
            taken = taken | single
    hidden, struck = once & ~twice, spread(_NONE)
    wrong = wrong | once ^ spread(_NINE)
    for row in range(3):
        for column in range(3):
            at = first + row * down + column * across
            cell = load(f, at)
            own = cell & hidden
            wrong = wrong | without_lowest(own)
            has_own = filled(own)
            new = cell & (own | ~has_own & (~taken | _single(cell)))
            store(f, at, new)
            struck = struck | cell ^ new
    return wrong, struck


@compiled()
def _round(f):
    """Take the singles of all units once."""
    dead, moved = load(f, DEAD), spread(_NONE)
    for n in range(9):
        wrong, struck = _unit(f, 9 * n, 1, 3)
        dead, moved = dead | wrong, moved | struck
    for n in range(9):
        wrong, struck = _unit(f, n, 9, 27)
        dead, moved = dead | wrong, moved | struck
    for n in range(9):
        wrong, struck = _unit(f, 27 * (n // 3) + 3 * (n % 3), 1, 9)
        dead, moved = dead | wrong, moved | struck
    for cell in range(CELLS):
        dead = dead | ~filled(load(f, cell))
    store(f, DEAD, dead)
    store(f, MOVED, moved & ~filled(dead))


@compiled(inline=True)
def _has_moved(f):
    for lane in range(f.shape[1]):  # noqa: SIM110 - numba knows no `any`
        if f[MOVED, lane]:
            return True
    return False


def try_singles(step: Callable[..., int]) -> None:
    """Give it two grids without their first row and column, one of which breaks the rules.

    Raises RuntimeError if it does not fill the one, and tell the other.
    """
    grid = np.array([[(3 * r + r // 3 + c) % 9 for c in range(9)] for r in range(9)], np.uint8)
    states = np.repeat(np.left_shift(1, grid, dtype=np.uint16).reshape(CELLS, 1), 2, axis=1)
    wanted = states.copy()
    states[:9], states[::9] = NINE.all_values, NINE.all_values
    states[80, 1], wanted[:, 1] = states[79, 1], 0
    step(new_room(), states)
    if not (states == wanted).all():
        raise RuntimeError("the machine code does not take singles")
