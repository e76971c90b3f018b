"""Unit propagation on the candidates of a puzzle, which are masks of values by cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from pipeline.puzzle.geometry import Geometry, units_of
from pipeline.puzzle.puzzle import Puzzle


@lru_cache(maxsize=16)
def _units_at(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    """The indices in `units_of` of each cell's units; in a single grid its row, column and box."""
    units_at: list[list[int]] = [[] for _ in range(geometry.size)]
    for index, unit in enumerate(units_of(geometry)):
        for cell in unit:
            units_at[cell].append(index)
    return tuple(map(tuple, units_at))


def reduce_candidates(puzzle: Puzzle, facts: Iterable[int] = ()) -> list[int] | None:
    """The masks of the remaining candidates by cell, or None if a group has none.

    Eliminates naked and hidden singles to a fixpoint, the same as for unit propagation on the
    `extended` formula; it does not depend on the order of the units. `facts` are true literals.
    """
    geometry = puzzle.geometry
    units, units_at = units_of(geometry), _units_at(geometry)
    cells = list(puzzle.cells)
    for literal in facts:
        cell, position = divmod(abs(literal) - 1, geometry.side)
        if cell < len(cells):
            cells[cell] &= 1 << position if literal > 0 else ~(1 << position)
    if 0 in cells:
        return None
    if geometry.free_grid:
        return cells
    if not geometry.grids and not _eliminate_givens(cells, units_at, len(units)):
        return None
    queue = dict.fromkeys(range(len(units)))
    while queue:
        index = next(iter(queue))
        del queue[index]
        changed = _propagate_unit(cells, units[index], geometry.all_values)
        if changed is None:
            return None
        for cell in changed:
            queue.update(dict.fromkeys(units_at[cell]))
    return cells


def _eliminate_givens(cells: list[int], units_at: Sequence[Sequence[int]], units: int) -> bool:
    """Eliminate givens from their row, column and box, in place; False for a conflict.

    `_propagate_unit` would do that too, in twice the time.
    """
    taken = [0] * units
    for mask, (row, column, box) in zip(cells, units_at, strict=True):
        if not mask & (mask - 1):
            taken[row] |= mask
            taken[column] |= mask
            taken[box] |= mask
    for cell, (row, column, box) in enumerate(units_at):
        mask = cells[cell]
        if mask & (mask - 1):
            cells[cell] = mask & ~(taken[row] | taken[column] | taken[box])
            if not cells[cell]:
                return False
    return True


def _propagate_unit(cells: list[int], unit: tuple[int, ...], full: int) -> list[int] | None:
    """Propagate within a unit, in place; return the changed cells, or None for a conflict."""
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
    if once != full:
        return None
    hidden = once & ~twice & ~fixed
    if not (hidden or undecided & fixed):
        return []
    changed = []
    for cell in unit:
        mask = cells[cell]
        if mask & (mask - 1):
            left = mask & hidden or mask & ~fixed
            if (left & (left - 1) and mask & hidden) or not left:
                return None
            if left != mask:
                cells[cell] = left
                changed.append(cell)
    return changed
