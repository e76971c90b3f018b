"""The cells in which the solutions of a puzzle differ, and a few that single out one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import comb
from operator import and_

from pipeline.puzzle.puzzle import Grid
from pipeline.solving.explain.conflict import Clue

_MOST_TRIED = 100
"""Grids for which decisive cells are sought."""

_MOST_SETS = 300_000
"""Combinations of values that are tried to find out whether fewer would do: some 0.1 s."""

Holders = dict[int, dict[int, int]]
"""For each cell in which grids differ: value → the set of grids (a bit each) with it there."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The cells in which grids differ, row by row, and values that leave only one of the grids.

    Row and column count from 1. If `exact`, no fewer values than those of `decisive` leave a
    single grid; else that is not known.
    """

    cells: tuple[tuple[int, int], ...]
    decisive: tuple[Clue, ...]
    exact: bool


def explain_difference(grids: Sequence[Grid]) -> Difference:
    """Find where these grids, of one geometry and all different, differ.

    Decisive cells are chosen greedily for each grid, and the smallest choice is reported. For G
    grids it has at most 1 + ln G times as many cells as that grid needs (V. Chvátal, 1979).
    Raises ValueError for fewer than two grids, for equal ones and for several geometries.
    """
    different = {(grid.geometry, grid.values) for grid in grids}
    if not 2 <= len(different) == len(grids) or len({grid.geometry for grid in grids}) > 1:
        raise ValueError("only two or more grids of one geometry, no two of them equal, differ")
    place = grids[0].geometry.place
    holders = _holders(grids)
    alike = {frozenset(held.values()): cell for cell, held in reversed(holders.items())}
    options = {cell: holders[cell] for cell in sorted(alike.values())}
    tried = range(min(len(grids), _MOST_TRIED))
    found = ((index, _decisive(index, grids, options)) for index in tried)
    chosen, cells = min(found, key=lambda each: len(each[1]))
    return Difference(
        tuple(map(place, holders)),
        tuple(Clue(*place(cell), grids[chosen].values[cell]) for cell in sorted(cells)),
        _are_fewest(len(cells), [held for at in options.values() for held in at.values()]),
    )


def _are_fewest(size: int, sets: Sequence[int]) -> bool:
    """Whether no fewer of these sets have a single grid in common; False if they are too many."""
    if comb(len(sets), size - 1) > _MOST_SETS:
        return False
    common = (reduce(and_, some, -1) for some in combinations(sets, size - 1))
    return not any(left > 0 and not left & (left - 1) for left in common)


def _holders(grids: Sequence[Grid]) -> Holders:
    found: Holders = {}
    for cell, column in enumerate(zip(*(grid.values for grid in reversed(grids)), strict=True)):
        if len(occurring := sorted(set(column))) > 1:
            held = bytes(value - 1 for value in column)
            found[cell] = {value: _places(held, value - 1) for value in occurring}
    return found


def _places(held: bytes, byte: int) -> int:
    """The places of that byte, as a bit each, the last place being bit 0."""
    digits = bytearray(b"0" * 256)
    digits[byte] = ord("1")
    return int(held.translate(digits), 2)


def _decisive(index: int, grids: Sequence[Grid], holders: Holders) -> list[int]:
    """Choose cells greedily, each of which excludes the most of the remaining other grids."""
    values = grids[index].values
    left = (1 << len(grids)) - 1 & ~(1 << index)
    cells: list[int] = []
    while left:
        cell = min(holders, key=lambda cell: (holders[cell][values[cell]] & left).bit_count())
        cells.append(cell)
        left &= holders[cell][values[cell]]
    return cells
