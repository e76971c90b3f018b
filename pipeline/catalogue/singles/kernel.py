"""Singles of 9×9, compiled: LANES states side by side, as in `abreast.py`.

`building.py` makes machine code of this.
"""

from __future__ import annotations

from numba import njit, uint16

from pipeline.catalogue.singles.state import CELLS, DEAD, LANES, MOVED
from pipeline.certify.compiled.fields import (
    filled,
    load,
    nine_values,
    no_value,
    store,
    without_lowest,
)

compiled = njit(nogil=True, error_model="numpy", boundscheck=False, forceinline=True)
apart = njit(nogil=True, error_model="numpy", boundscheck=False)


@compiled
def _single(cell):
    """A cell's value if it has only one."""
    return cell & ~filled(without_lowest(cell))


@apart
def _unit(f, first, across, down):
    """Take the singles of a unit; what is wrong, and what was struck.

    Its cells are three times three, so far apart.
    """
    once, twice, taken, wrong = no_value(), no_value(), no_value(), no_value()
    for row in range(3):
        for column in range(3):
            cell = load(f, first + row * down + column * across)
            single = _single(cell)
            twice = twice | once & cell
            once = once | cell
            wrong = wrong | taken & single
            taken = taken | single
    hidden, struck = once & ~twice, no_value()
    wrong = wrong | once ^ nine_values()
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


@apart
def _round(f):
    """Take the singles of all units once."""
    dead, moved = load(f, DEAD), no_value()
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


@compiled
def _has_moved(f):
    some = uint16(0)
    for lane in range(LANES):
        some |= f[MOVED, lane]
    return some != 0


@apart
def close(f, states):
    """Take all singles of the states (81, K), in place; 0 in all cells of a contradiction.

    `f` is room for LANES of them.
    """
    count = states.shape[1]
    for start in range(0, count, LANES):
        lanes = min(LANES, count - start)
        for lane in range(LANES):
            f[DEAD, lane] = lane >= lanes
        for cell in range(CELLS):
            for lane in range(lanes):
                f[cell, lane] = states[cell, start + lane]
        _round(f)
        while _has_moved(f):
            _round(f)
        for cell in range(CELLS):
            for lane in range(lanes):
                states[cell, start + lane] = 0 if f[DEAD, lane] else f[cell, lane]
    return True
