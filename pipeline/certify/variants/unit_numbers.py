"""Encode the constraints of units as numbers, which `layout` describes."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.value_tables import Numbers
from pipeline.puzzle.constraints import Cells
from pipeline.puzzle.geometry import bits_of, indices_of


class Unit(NamedTuple):
    """Cells, and the mask of the values that they hold: as many, each in one cell."""

    cells: Cells
    values: int


_MAX_CONTEXTS = 8192
"""Maximum number of contexts that are cached for the same units. A full cache is emptied."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitNumbers:
    """The encoded constraints of units. Puzzles with the same units share them: do not change them.

    - `numbers`: the constraints, as in CONSTRAINT_DATA.
    - `scheduled`: the offset and the queue of each constraint.
    - `units_of_cell`: for each cell that is in a unit, the cells of each of its units, as bits, and
      the mask of its values.
    - `arrays`: `numbers` and `scheduled` as arrays.
    """

    numbers: list[int]
    scheduled: list[tuple[int, int]]
    units_of_cell: dict[int, list[tuple[int, int]]]
    arrays: tuple[Numbers, Numbers]
    _contexts: dict[Cells, list[int]] = field(init=False, default_factory=dict)

    def context(self, cells: Cells) -> list[int]:
        """Return the context of a group of cells (see `layout`). Do not change the list."""
        if len(cells) < 2:
            return [0]
        context = self._contexts.get(cells)
        if context is None:
            group = bits_of(cells)
            rests = [
                (unit & ~group, values)
                for unit, values in self.units_of_cell.get(cells[0], ())
                if not group & ~unit and unit != group
            ]
            numbers = ((rest.bit_count(), values, *indices_of(rest)) for rest, values in rests)
            context = [len(rests), *chain.from_iterable(numbers)]
            if len(self._contexts) == _MAX_CONTEXTS:
                self._contexts.clear()
            self._contexts[cells] = context
        return context


_MAX_CACHED_UNITS, _MAX_SAME_VALUES = 128, 200_000
"""The constraints of a puzzle with more units than `_MAX_CACHED_UNITS` are not cached.
`_MAX_SAME_VALUES` is the maximum length of all SAME_VALUES constraints together.

SAME_VALUES constraints follow from the units, so omitting some of them only slows the search. Their
total length grows with the square of the number of units: it is 44 million numbers for 3,000 extra
regions.
"""


def encode_units(units: tuple[Unit, ...], deadline: float) -> UnitNumbers:
    """Encode the constraints of units, and of pairs of units that share two cells or more.

    After `deadline` on the monotonic clock, the remaining pairs are omitted. For up to
    _MAX_CACHED_UNITS units, the result is cached and there is no time limit.
    """
    return _encode_cached(units) if len(units) <= _MAX_CACHED_UNITS else _encode(units, deadline)


@lru_cache(maxsize=16)
def _encode_cached(units: tuple[Unit, ...]) -> UnitNumbers:
    """Encode units without a time limit, and cache the result."""
    return _encode(units, math.inf)


# Law of leftovers: two units that hold the same values also do so in the cells that they do not
# share. Human solvers apply this law to several rows of a jigsaw; here it is applied to pairs of
# units.
def _encode(units: Sequence[Unit], deadline: float) -> UnitNumbers:
    """Encode units as `encode_units` does, without a cache."""
    numbers: list[int] = []
    scheduled: list[tuple[int, int]] = []
    sets = [bits_of(unit.cells) for unit in units]
    for unit in units:
        scheduled.append((len(numbers), L.SOON))
        numbers += L.UNIT, len(unit.cells), *unit.cells, unit.values
    max_numbers = len(numbers) + _MAX_SAME_VALUES
    for index, unit_set in enumerate(sets):
        if len(numbers) > max_numbers or time.monotonic() > deadline:
            break
        for other, other_set in zip(units[index + 1 :], sets[index + 1 :], strict=True):
            has_same_values = other.values == units[index].values
            if has_same_values and (unit_set & other_set).bit_count() > 1:
                rest = [*indices_of(unit_set & ~other_set)]
                other_rest = [*indices_of(other_set & ~unit_set)]
                scheduled.append((len(numbers), L.LATE))
                numbers += L.SAME_VALUES, len(rest) + len(other_rest), *rest, *other_rest, len(rest)
    units_of_cell: dict[int, list[tuple[int, int]]] = {}
    for unit, unit_set in zip(units, sets, strict=True):
        for cell in unit.cells:
            units_of_cell.setdefault(cell, []).append((unit_set, unit.values))
    arrays = np.array(numbers, np.int64), np.array(scheduled, np.int64).reshape(-1, 2)
    return UnitNumbers(numbers, scheduled, units_of_cell, arrays)
