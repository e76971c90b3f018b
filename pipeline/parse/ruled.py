"""What notations with rules share: boxes, the lines that a clue looks along, and the variant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt

from pipeline.parse.base import Variant
from pipeline.puzzle import Geometry, Rule

LEAST_SIDE, MOST_SIDE = 4, 16

Place = tuple[int, int]


def usual_boxes(side: int) -> Geometry:
    """The boxes of a side that names none: the squarest, wider than high; rows of a prime one."""
    height = max(height for height in range(1, isqrt(side) + 1) if side % height == 0)
    return Geometry(height, side // height)


def usual_difference(side: int) -> int:
    """What neighbours on a whispers line differ by if nothing else is said: half the side."""
    return (side + 1) // 2


def cells_along(geometry: Geometry, start: Place, step: Place) -> tuple[int, ...]:
    """The cells from a place on, as long as there are any; the place itself may be outside."""
    return tuple(_along(geometry, start, step))


def _along(geometry: Geometry, start: Place, step: Place) -> Iterator[int]:
    row, column = start
    if geometry.cell_at(row, column) is None:
        row, column = row + step[0], column + step[1]
    while (cell := geometry.cell_at(row, column)) is not None:
        yield cell
        row, column = row + step[0], column + step[1]


def variant_of(geometry: Geometry, cells: Sequence[int], rules: Sequence[Rule]) -> Variant:
    """The variant of a puzzle: masks are even-odd if they are marks, givens and blanks alone."""
    if rules:
        return "rules"
    marks = {geometry.even_values, geometry.odd_values}
    others = {mask for mask in cells if mask & (mask - 1)} - {geometry.all_values}
    return "even-odd" if others and others <= marks else "classic"
