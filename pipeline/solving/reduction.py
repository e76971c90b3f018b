"""Unit propagation on the candidates of a puzzle: a mask of values for each cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from pipeline.puzzle.geometry import Geometry, units_of
from pipeline.puzzle.puzzle import Puzzle


@lru_cache(maxsize=16)
def _units_of_cells(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    """For each cell, the indices of its units in `units_of`."""
    units_of_cells: list[list[int]] = [[] for _ in range(geometry.size)]
    for index, unit in enumerate(units_of(geometry)):
        for cell in unit:
            units_of_cells[cell].append(index)
    return tuple(map(tuple, units_of_cells))


def reduce_candidates(puzzle: Puzzle, facts: Iterable[int] = ()) -> list[int] | None:
    """The mask of remaining candidates of each cell, or None after a contradiction.

    Propagates naked and hidden singles to a fixpoint, which does not depend on the order of the
    units. Unit propagation on the `extended` formula has the same fixpoint.

    `facts`: literals that the rules make true.
    """
    geometry = puzzle.geometry
    units, units_of_cells = units_of(geometry), _units_of_cells(geometry)
    cells = list(puzzle.cells)
    for literal in facts:
        cell, position = divmod(abs(literal) - 1, geometry.side)
        if cell < len(cells):
            cells[cell] &= 1 << position if literal > 0 else ~(1 << position)
    if 0 in cells:
        return None
    if geometry.free_grid:
        return cells
    if not geometry.grids and not _eliminate_givens(cells, units_of_cells, len(units)):
        return None
    queue = dict.fromkeys(range(len(units)))
    while queue:
        index = next(iter(queue))
        del queue[index]
        changed = _propagate_unit(cells, units[index], geometry.all_values)
        if changed is None:
            return None
        for cell in changed:
            queue.update(dict.fromkeys(units_of_cells[cell]))
    return cells


def _eliminate_givens(
    cells: list[int], units_of_cells: Sequence[Sequence[int]], unit_count: int
) -> bool:
    """Eliminate the givens from their rows, columns and boxes, in place.

    Returns False for a contradiction. `_propagate_unit` would give the same result in twice the
    time.
    """
    taken = [0] * unit_count
    for mask, (row, column, box) in zip(cells, units_of_cells, strict=True):
        if not mask & (mask - 1):
            taken[row] |= mask
            taken[column] |= mask
            taken[box] |= mask
    for cell, (row, column, box) in enumerate(units_of_cells):
        mask = cells[cell]
        if mask & (mask - 1):
            cells[cell] = mask & ~(taken[row] | taken[column] | taken[box])
            if not cells[cell]:
                return False
    return True


def _propagate_unit(cells: list[int], unit: tuple[int, ...], all_values: int) -> list[int] | None:
    """Propagate within a unit, in place. Returns the changed cells; None for a contradiction."""
    once = twice = fixed = undecided = 0
    for cell in unit:
        mask = cells[cell]
        twice |= once & mask
        once |= mask
        if mask & (mask - 1):
            undecided |= mask
        elif fixed & mask:
            return None
        else:
            fixed |= mask
    if once != all_values:
        return None
    hidden = once & ~twice & ~fixed
    if not (hidden or undecided & fixed):
        return []
    changed = []
    for cell in unit:
        mask = cells[cell]
        if mask & (mask - 1):
            remaining = mask & hidden or mask & ~fixed
            if (remaining & (remaining - 1) and mask & hidden) or not remaining:
                return None
            if remaining != mask:
                cells[cell] = remaining
                changed.append(cell)
    return changed
