"""Brute force: a solver that shares nothing with the package but its types.

It derives who sees whom from rows, columns and boxes, and knows no clause, no unit and no
propagation. Rules beyond these are asked whether they hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle


@lru_cache
def peers(geometry: Geometry) -> tuple[frozenset[int], ...]:
    """For each cell the others in its row, column or box."""
    height, width = geometry.height, geometry.width
    n = height * width
    inside = defaultdict(set)
    for grid, (top, left) in enumerate(geometry.grids or ((0, 0),)):
        for r, c in product(range(n), range(n)):
            cell = geometry.cell_at(top + r + 1, left + c + 1)
            for unit in (("row", r), ("column", c), ("box", r // height, c // width)):
                inside[grid, unit].add(cell)
    seen: dict[int, set[int]] = defaultdict(set)
    for unit in inside.values():
        for cell in unit:
            seen[cell] |= unit - {cell}
    return tuple(frozenset(seen[cell]) for cell in range(geometry.size))


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
        and all(rule.holds(puzzle.geometry, values) for rule in puzzle.rules)
    )


def solutions(puzzle: Puzzle, limit: int) -> list[Grid]:
    """The solutions in ascending order; where there are more than `limit`, that many of them."""
    geometry = puzzle.geometry
    filled = _fill(list(puzzle.cells), {}, geometry)
    found = (each for each in filled if all(r.holds(geometry, each) for r in puzzle.rules))
    return sorted(Grid(geometry, values) for values in islice(found, limit))


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
