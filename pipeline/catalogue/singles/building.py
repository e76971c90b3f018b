"""The singles of `kernel.py` as a function of pointers, and the object file made of it.

Only compiling imports this.
"""

from __future__ import annotations

from numba import carray, types

from pipeline.catalogue.singles.kernel import close
from pipeline.catalogue.singles.state import CELLS, LANES, ROWS
from pipeline.native import building

_SHORTS = types.CPointer(types.uint16)
_SIGNATURE = types.boolean(_SHORTS, _SHORTS, types.int64)


def object_code(name: str) -> bytes:
    """An object file for this machine that defines `close` as a function of that name.

    Its arguments are pointers to the room and the states, and the number of these. Raises what
    `native.building.object_code` raises.
    """
    return building.object_code(_close, _SIGNATURE, name)


def _close(room, states, count):
    return close(carray(room, (ROWS, LANES)), carray(states, (CELLS, count)))
