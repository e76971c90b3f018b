"""The canonical form of `kernel.py` as a function of pointers, and the object file made of it.

Only compiling imports this.
"""

from __future__ import annotations

from numba import carray, types

from pipeline.catalogue.compiled.kernel import write_forms
from pipeline.catalogue.compiled.state import BOX, CELLS, MOST_TIED, PAIRS, SIDE, Room, Tables
from pipeline.native import building

_BYTES, _NUMBERS = types.CPointer(types.uint8), types.CPointer(types.int64)
_WORDS, _COUNT = types.CPointer(types.int32), types.int64
_TABLES = (_WORDS, _WORDS, _WORDS, _WORDS, _WORDS, _BYTES)
_ROOM = (_BYTES, _BYTES, _NUMBERS, _BYTES, _NUMBERS, _NUMBERS, _BYTES, _NUMBERS, _BYTES)
_SIGNATURE = types.boolean(*_TABLES, *_ROOM, _BYTES, _BYTES, _BYTES, _COUNT, _COUNT, _COUNT)


def object_code(name: str) -> bytes:
    """An object file for this machine that defines `write_forms` as a function of that name.

    Its arguments are those of `kernel.write_forms`, each array as a pointer: the six of `Tables`,
    the nine of `Room`, puzzles, solutions, forms; then the number of puzzles, keys and orders.
    Raises what `native.building.object_code` raises.
    """
    return building.object_code(_write_forms, _SIGNATURE, name)


def _write_forms(
    codes, ranks, starts, how_many, orders, lines,
    grids, columns, found, labels, rows, begins, best, tied, image,
    puzzles, solutions, forms, count, keys, leading,
):  # fmt: skip
    tables = Tables(
        carray(codes, (BOX, SIDE**BOX)),
        carray(ranks, keys),
        carray(starts, keys),
        carray(how_many, keys),
        carray(orders, leading),
        carray(lines, (1296, SIDE)),
    )
    room = Room(
        carray(grids, (2, CELLS)),
        carray(columns, (2, SIDE, SIDE + 1)),
        carray(found, PAIRS),
        carray(labels, SIDE + 1),
        carray(rows, SIDE),
        carray(begins, SIDE),
        carray(best, CELLS),
        carray(tied, (MOST_TIED, 4)),
        carray(image, CELLS),
    )
    return write_forms(
        tables,
        room,
        carray(puzzles, (count, CELLS)),
        carray(solutions, (count, CELLS)),
        carray(forms, (count, CELLS)),
    )
