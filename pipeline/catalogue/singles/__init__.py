"""Singles: what follows from a state by them alone, for many at once.

A state is the mask of candidates of each cell. If a cell has one candidate, its peers lose that;
if a value has one place in a unit, that cell loses all others; until nothing changes. This is unit
propagation, so the order does not matter. It is a contradiction if a cell has no candidate or a
value no place.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pipeline.catalogue.singles.abreast import States, close_abreast
from pipeline.catalogue.singles.state import CELLS, new_room
from pipeline.native import Loaded, Program
from pipeline.puzzle.puzzle import NINE, Geometry

__all__ = ["LARGEST_SIDE", "States", "close_singles"]

LARGEST_SIDE = 16
MANY = 1000
"""States for which it is worth loading at once."""

_HERE = Path(__file__)
_CHECK = _HERE.parents[2] / "certify" / "compiled"
PROGRAM = Program(
    name="singles",
    sources=(
        *map(_HERE.with_name, ("building.py", "kernel.py", "state.py")),
        *map(_CHECK.joinpath, ("fields.py", "state.py")),
    ),
    compiler="pipeline.catalogue.singles.building.object_code",
    trial="pipeline.catalogue.singles.try_singles",
    arguments="PPq",
)
loaded = Loaded(PROGRAM)


def close_singles(geometry: Geometry, states: States) -> None:
    """Take all singles of K states (n², K), in place; a contradiction becomes 0 in all cells.

    Raises ValueError for a side above LARGEST_SIDE, and for other arrays.
    """
    if (
        geometry.side > LARGEST_SIDE
        or states.dtype != np.uint16
        or states.shape[0] != geometry.size
    ):
        raise ValueError(f"states of shape {states.shape}, of {states.dtype}, of {geometry}")
    if geometry == NINE and (step := loaded.get(at_once=states.shape[1] >= MANY)):
        close_compiled(step, states)
        return
    start = time.perf_counter()
    close_abreast(geometry, states)
    if geometry == NINE:
        loaded.count(time.perf_counter() - start)


def close_compiled(step: Callable[..., bool], states: States) -> None:
    """As `close_singles`, for 9×9; raises ValueError for states that are not contiguous."""
    if not states.flags.c_contiguous or states.shape[0] != CELLS or states.dtype != np.uint16:
        raise ValueError(f"states of shape {states.shape}, of {states.dtype}")
    room = new_room()  # it lives as long as its name
    step(room.ctypes.data, states.ctypes.data, states.shape[1])


def try_singles(step: Callable[..., bool]) -> None:
    """Give it two grids without their first row and column, of which one is none.

    Raises RuntimeError if it does not fill the one, and tell the other.
    """
    grid = np.array([[(3 * r + r // 3 + c) % 9 for c in range(9)] for r in range(9)], np.uint8)
    states = np.repeat(np.left_shift(1, grid, dtype=np.uint16).reshape(CELLS, 1), 2, axis=1)
    wanted = states.copy()
    states[:9], states[::9] = NINE.all_values, NINE.all_values
    states[80, 1], wanted[:, 1] = states[79, 1], 0
    close_compiled(step, states)
    if not (states == wanted).all():
        raise RuntimeError("what was compiled does not take singles")
