"""Singles, and trial and error over them, from their definitions: one candidate at a time.

A state is a set of candidates (cell, value); None is a contradiction. Nothing is shared with the
package but the geometry, whose units come from the oracle's peers.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from support.oracle import peers

from pipeline.puzzle.geometry import Geometry

State = frozenset[tuple[int, int]] | None


@lru_cache
def units(geometry: Geometry) -> list[list[int]]:
    n, height, width = geometry.side, geometry.height, geometry.width
    rows = [[n * row + column for column in range(n)] for row in range(n)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    boxes = [
        [n * (top + row) + left + column for row in range(height) for column in range(width)]
        for top in range(0, n, height)
        for left in range(0, n, width)
    ]
    return rows + columns + boxes


def state_of(masks) -> State:
    return frozenset((c, v) for c, mask in enumerate(masks) for v in range(16) if mask >> v & 1)


def masks_of(state: State, cells: int) -> list[int]:
    """0 in all cells of a contradiction."""
    found = [0] * cells
    for cell, value in state or ():
        found[cell] |= 1 << value
    return found


def singles(geometry: Geometry, state: State) -> State:
    while state is not None:
        struck = _struck(geometry, state)
        if struck is None or not struck:
            return state if struck is not None else None
        state = state - struck
    return None


def _struck(geometry: Geometry, state) -> set[tuple[int, int]] | None:
    """The candidates that singles strike; None for a contradiction."""
    n, struck = geometry.side, set()
    by_cell = {cell: [v for v in range(n) if (cell, v) in state] for cell in range(n * n)}
    for cell, values in by_cell.items():
        if not values:
            return None
        if len(values) == 1:
            struck |= {(peer, values[0]) for peer in peers(geometry)[cell]}
    for unit in units(geometry):
        for value in range(n):
            places = [cell for cell in unit if (cell, value) in state]
            if not places:
                return None
            if len(places) == 1:
                struck |= {(places[0], v) for v in range(n) if v != value}
    return struck & state


def tried(geometry: Geometry, state: State, depth: int) -> State:
    """What trial and error of that depth leaves."""
    state = singles(geometry, state)
    if depth == 0 or state is None:
        return state
    going = True
    while going and state is not None:
        going = False
        for cell, value in sorted(state):
            if state is None or sum(c == cell for c, _ in state) == 1:
                continue
            trial = frozenset((c, v) for c, v in state if c != cell or v == value)
            if tried(geometry, trial, depth - 1) is None:
                state = singles(geometry, state - {(cell, value)})
                going = True
    return state


def is_decided(geometry: Geometry, state: State) -> bool:
    return state is not None and len(state) == geometry.side**2


def depth_of(geometry: Geometry, masks, most: int = 2) -> int:
    state = state_of(masks)
    return next(d for d in range(most + 1) if is_decided(geometry, tried(geometry, state, d)))


def backdoor_of(geometry: Geometry, masks, solution, most: int = 3) -> int:
    cells = range(len(masks))
    for size in range(most + 1):
        for chosen in combinations(cells, size):
            given = [1 << solution[c] - 1 if c in chosen else masks[c] for c in cells]
            if is_decided(geometry, singles(geometry, state_of(given))):
                return size
    return -1
