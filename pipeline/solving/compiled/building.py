"""The search of `kernel.py` as a function of pointers, and the object file made of it.

Only compiling imports this.
"""

from __future__ import annotations

from numba import carray, types

from pipeline.native import building
from pipeline.solving.compiled.kernel import search
from pipeline.solving.compiled.state import LANES, MOST_HALVES, ROW_WORDS, VECTORS, WORDS, Lanes

_HALVES = LANES * MOST_HALVES
_WORDS, _NUMBERS = types.CPointer(types.uint64), types.CPointer(types.int64)
_STATE = (_WORDS, _WORDS, _NUMBERS, _NUMBERS, _WORDS, _NUMBERS, _NUMBERS, _NUMBERS)
_MASKS, _FLAGS = types.CPointer(types.uint16), types.CPointer(types.boolean)
_BYTES, _COUNT = types.CPointer(types.uint8), types.int64
_ANSWERS = (_NUMBERS, _BYTES, _FLAGS, _COUNT, _COUNT)
_SIGNATURE = types.boolean(*_STATE, _MASKS, _COUNT, _COUNT, *_ANSWERS)


def object_code(name: str) -> bytes:
    """An object file for this machine that defines the search as a function of that name.

    Its arguments are those of `kernel.search`, each array as a pointer: the eight of `Lanes`,
    masks, the number of puzzles, most, counts, grids, shared, its length, steps.

    Raises what `native.building.object_code` raises.
    """
    return building.object_code(_search, _SIGNATURE, name)


def _search(
    planes, idle, puzzle, last, candidates, owner, one_before, numbers,
    masks, puzzles, most, counts, grids, shared, shares, steps,
):  # fmt: skip
    lanes = Lanes(
        carray(planes, VECTORS * WORDS),
        carray(idle, WORDS),
        carray(puzzle, LANES),
        carray(last, LANES),
        carray(candidates, (_HALVES, ROW_WORDS)),
        carray(owner, _HALVES),
        carray(one_before, _HALVES),
        carray(numbers, 5),
    )
    return search(
        lanes,
        carray(masks, (puzzles, 81)),
        most,
        carray(counts, puzzles),
        carray(grids, (most, puzzles, 81)),
        carray(shared, shares),
        steps,
    )
