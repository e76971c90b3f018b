"""The constraints of units as numbers; `layout` describes them."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.simplify import cells_in, set_of
from pipeline.puzzle.constraints import Cells


class UnitNumbers(NamedTuple):
    """The constraints of units, shared by all puzzles that have these units: do not change them.

    numbers: the constraints, as in CONSTRAINT_DATA.
    scheduled: the offset and the queue of each.
    sets: the cells of each unit, as bits.
    """

    numbers: list[int]
    scheduled: list[tuple[int, int]]
    sets: list[int]


_MAX_CACHED_UNITS, _MAX_SAME_VALUES = 128, 200_000
"""Maximum number of units whose constraints are cached, and of numbers in SAME_VALUES constraints.

SAME_VALUES constraints follow from the units, so without some of them the search is only slower.
They grow with the square of the number of units: for 3,000 extra regions, to 44 million numbers.
"""


def unit_numbers(units: tuple[Cells, ...], end: float) -> UnitNumbers:
    """The constraints of units and of pairs of overlapping units.

    After `end` on the monotonic clock, the remaining pairs are left out.
    """
    return _cached(units) if len(units) <= _MAX_CACHED_UNITS else _until(units, end)


@lru_cache(maxsize=16)
def _cached(units: tuple[Cells, ...]) -> UnitNumbers:
    return _until(units, math.inf)


# Law of leftovers: two units hold the same values, and so do their remainders without the common
# cells. Jigsaw solvers apply it to several rows at once, this search to two units.
def _until(units: Sequence[Cells], end: float) -> UnitNumbers:
    numbers: list[int] = []
    scheduled: list[tuple[int, int]] = []
    sets = [*map(set_of, units)]
    for unit in units:
        scheduled.append((len(numbers), L.SOON))
        numbers += L.UNIT, len(unit), *unit
    max_numbers = len(numbers) + _MAX_SAME_VALUES
    for index, unit_set in enumerate(sets):
        if len(numbers) > max_numbers or time.monotonic() > end:
            break
        for other_set in sets[index + 1 :]:
            if (unit_set & other_set).bit_count() > 1:
                rest = [*cells_in(unit_set & ~other_set)]
                other_rest = [*cells_in(other_set & ~unit_set)]
                scheduled.append((len(numbers), L.LATE))
                numbers += L.SAME_VALUES, len(rest) + len(other_rest), *rest, *other_rest, len(rest)
    return UnitNumbers(numbers, scheduled, sets)
