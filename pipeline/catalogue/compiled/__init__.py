"""The compiled canonical form: what `native` must know of it, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from pipeline.catalogue.compiled.state import CELLS, SIDE, Room, Tables, new_room, tables
from pipeline.catalogue.symmetries import Cells
from pipeline.native import Loaded, Program

MANY = 1000
"""Puzzles for which it is worth loading at once: numpy takes longer for them."""

AT_ONCE = 4096
"""Puzzles between two looks at signals: some milliseconds."""

_HERE = Path(__file__)
PROGRAM = Program(
    name="forms",
    sources=(
        *map(_HERE.with_name, ("building.py", "kernel.py", "state.py")),
        *map(_HERE.parents[1].joinpath, ("openings.py", "symmetries.py")),
    ),
    compiler="pipeline.catalogue.compiled.building.object_code",
    trial="pipeline.catalogue.compiled.try_forms",
    arguments="P" * (len(Tables._fields) + len(Room._fields) + 3) + "qqq",
)
loaded = Loaded(PROGRAM)


def compiled_forms(step: Callable[..., bool], puzzles: Cells, solutions: Cells) -> Cells:
    """The canonical forms (P, 81) of puzzles with these solutions; see `canonical`."""
    forms = np.zeros_like(puzzles, order="C")
    used = (*tables(), *new_room())
    at = [array.ctypes.data for array in used]
    sizes = len(tables().ranks), len(tables().orders)
    for start in range(0, len(puzzles), AT_ONCE):
        end = start + AT_ONCE
        some = [
            np.ascontiguousarray(each[start:end], np.uint8) for each in (puzzles, solutions, forms)
        ]
        step(*at, *(array.ctypes.data for array in some), len(some[0]), *sizes)
    return forms


def try_forms(step: Callable[..., bool]) -> None:
    """Give it a grid, turned by a quarter, and that without its first row.

    Raises RuntimeError if it does not give the grid back as it was: it is the lowest there is.
    """
    lowest = np.array(
        [[(3 * r + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], np.uint8
    )
    turned = np.rot90(lowest).reshape(1, CELLS)
    if compiled_forms(step, turned, turned).reshape(SIDE, SIDE).tolist() != lowest.tolist():
        raise RuntimeError("what was compiled finds no canonical form")
