"""Brute force: a solver that shares nothing with the package but its types.

It derives who sees whom from the rules, and knows no clause, no unit and no propagation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from pipeline.puzzle import Geometry, Grid, Puzzle


@lru_cache
def peers(geometry: Geometry) -> tuple[frozenset[int], ...]:
    """For each cell the others in its row, column or box."""
    height, width = geometry.height, geometry.width
    n = height * width
    units = [
        (("row", r), ("column", c), ("box", r // height, c // width))
        for r in range(n)
        for c in range(n)
    ]
    inside = defaultdict(set)
    for cell, its in enumerate(units):
        for unit in its:
            inside[unit].add(cell)
    return tuple(
        frozenset(set().union(*(inside[unit] for unit in its)) - {cell})
        for cell, its in enumerate(units)
    )


def is_solution(puzzle: Puzzle, grid: Grid) -> bool:
    """Whether the grid keeps to the puzzle's cells and no cell equals one that it sees."""
    values = grid.values
    return (
        puzzle.geometry == grid.geometry
        and all(mask & (1 << value - 1) for mask, value in zip(puzzle.cells, values, strict=True))
        and not any(
            values[cell] == values[other]
            for cell, seen in enumerate(peers(puzzle.geometry))
            for other in seen
        )
    )


def solutions(puzzle: Puzzle, limit: int) -> list[Grid]:
    """The solutions in ascending order; where there are more than `limit`, that many of them."""
    found = islice(_fill(list(puzzle.cells), {}, puzzle.geometry), limit)
    return sorted(Grid(puzzle.geometry, values) for values in found)


def _fill(
    masks: list[int], filled: dict[int, int], geometry: Geometry
) -> Iterator[tuple[int, ...]]:
    """Every way to fill what is open, beginning at the cell with the fewest candidates."""
    still_open = [cell for cell in range(len(masks)) if cell not in filled]
    if not still_open:
        yield tuple(value for _, value in sorted(filled.items()))
        return
    cell = min(still_open, key=lambda cell: masks[cell].bit_count())
    seen = peers(geometry)[cell]
    for value in range(1, geometry.side + 1):
        bit = 1 << value - 1
        if masks[cell] & bit:
            left = [mask & ~bit if other in seen else mask for other, mask in enumerate(masks)]
            yield from _fill(left, filled | {cell: value}, geometry)
