"""The trimming of `kernel.py` as a function of pointers, and the object file made of it.

Only compiling imports this.
"""

from __future__ import annotations

from inspect import isfunction

from numba import carray, types
from numba.extending import register_jitable

from pipeline.certify.trimming import kernel
from pipeline.certify.trimming.state import State
from pipeline.native import building

_SHORTS, _LONGS = types.CPointer(types.int32), types.CPointer(types.int64)
_FLAGS, _SIGNS = types.CPointer(types.uint8), types.CPointer(types.int8)
_CLAUSES = (_SHORTS, _LONGS, _SHORTS, _FLAGS, _FLAGS, _SHORTS)
_WATCHED = (_SHORTS, _SHORTS, _SHORTS)
_VARIABLES = (_SIGNS, _SHORTS, _SHORTS, _SHORTS, _FLAGS, _SHORTS)
_STATE = (*_CLAUSES, *_WATCHED, *_VARIABLES, _LONGS)
_COUNT = types.int64

for _function in filter(isfunction, vars(kernel).values()):
    register_jitable(_function)
_SIGNATURE = types.int64(*_STATE, *(_COUNT,) * 6)


def object_code(name: str) -> bytes:
    """An object file for this machine that defines the trimming as a function of that name.

    Its arguments are those of `kernel.trim`, each array as a pointer: the sixteen of `State`,
    then the number of literals, clauses and variables that these have room for; lemmas, most,
    visits. Raises what `native.building.object_code` raises.
    """
    return building.object_code(_trim, _SIGNATURE, name)


def _trim(
    literals, starts, before, marked, is_picked, picked, following, blockers, heads,
    values, trail, positions, reasons, seen, touched, numbers,
    length, clauses, variables, lemmas, most, visits,
):  # fmt: skip
    state = State(
        carray(literals, length),
        carray(starts, clauses + 1),
        carray(before, clauses),
        carray(marked, clauses),
        carray(is_picked, clauses),
        carray(picked, clauses + 2),
        carray(following, 2 * clauses),
        carray(blockers, 2 * clauses),
        carray(heads, 4 * variables),
        carray(values, 2 * variables),
        carray(trail, variables),
        carray(positions, variables),
        carray(reasons, variables),
        carray(seen, variables),
        carray(touched, variables),
        carray(numbers, 5),
    )
    return kernel.trim(state, lemmas, most, visits)
