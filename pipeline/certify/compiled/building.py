"""The check of `search.py` as a function of pointers, and the object file made of it.

Only compiling imports this.
"""

from __future__ import annotations

from numba import carray, types

from pipeline.certify.compiled.search import search
from pipeline.certify.compiled.state import CELLS, DEPTH, LANES, ROWS, Lanes
from pipeline.native import building

_SHORTS, _BYTES = types.CPointer(types.uint16), types.CPointer(types.uint8)
_NUMBERS, _COUNT = types.CPointer(types.int64), types.int64
_STATE = (_SHORTS, _NUMBERS, _NUMBERS, _NUMBERS, _SHORTS, _NUMBERS, _NUMBERS, _NUMBERS)
_PUZZLES = (_SHORTS, _NUMBERS, _BYTES, _BYTES, _NUMBERS, _COUNT, _COUNT)
_SIGNATURE = types.boolean(*_STATE, *_PUZZLES, _COUNT, _COUNT)


def object_code(name: str) -> bytes:
    """An object file for this machine that defines the check as a function of that name.

    Its arguments are those of `search.search`, each array as a pointer: the eight of `Lanes`,
    masks, counts, grids, verdicts, nodes, the number of puzzles and of grids that each has room
    for, most, sweeps. Raises what `native.building.object_code` raises.
    """
    return building.object_code(_search, _SIGNATURE, name)


def _search(
    fields, puzzle, depth, met, saved, tried, seen, begun,
    masks, counts, grids, verdicts, nodes, puzzles, ranks, most, sweeps,
):  # fmt: skip
    lanes = Lanes(
        carray(fields, (ROWS, LANES)),
        carray(puzzle, LANES),
        carray(depth, LANES),
        carray(met, LANES),
        carray(saved, (LANES, DEPTH, CELLS)),
        carray(tried, (LANES, DEPTH)),
        carray(seen, 27),
        carray(begun, 1),
    )
    return search(
        lanes,
        carray(masks, (puzzles, CELLS)),
        carray(counts, puzzles),
        carray(grids, (ranks, puzzles, CELLS)),
        carray(verdicts, puzzles),
        carray(nodes, puzzles),
        most,
        sweeps,
    )
