"""Where the solutions of a puzzle differ, and which cells would tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.explain.clue import Clue
from pipeline.puzzle import Grid

STEPS = 100_000
"""Cells that the search may look at, which takes some 20 ms; less for more than 1000 grids."""

_MOST_GREEDY = 100
"""Grids that are tried in the greedy way."""

Option = tuple[int, int]
"""A cell, and the set of grids (a bit for each) that have the same value there as a certain one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The cells in which grids differ, row by row, and values that leave a single grid of them.

    Row and column count from 1. Where `exact`, no fewer values than those of `decisive` leave a
    single grid; else that would have taken too long to find out.
    """

    cells: tuple[tuple[int, int], ...]
    decisive: tuple[Clue, ...]
    exact: bool

    def as_record(self) -> dict[str, object]:
        """Both sets with their cells in the form of the record's `conflict`."""
        return {
            "cells": [{"row": row, "column": column} for row, column in self.cells],
            "decisive": [clue.as_record() for clue in self.decisive],
            "exact": self.exact,
        }


def explain_difference(grids: Sequence[Grid], steps: int = STEPS) -> Difference:
    """Where these grids, of one geometry and all different, differ.

    The decisive cells are the smallest of all grids' smallest sets: a hitting set of the cells
    in which the chosen grid differs from each of the others. If `steps` do not suffice to find
    one, a greedy set stands, which for G grids has at most 1 + ln G times as many cells as the
    chosen grid needs (V. Chvátal, 1979). Raises ValueError for fewer than two grids, for equal
    ones and for several geometries.
    """
    different = {(grid.geometry, grid.values) for grid in grids}
    if not 2 <= len(different) == len(grids) or len({grid.geometry for grid in grids}) > 1:
        raise ValueError("only two or more grids of one geometry, no two of them equal, differ")
    place = grids[0].geometry.place
    holders = _holders(grids)
    chosen, cells, exact = _Search(grids, holders, steps).smallest()
    values = grids[chosen].values
    return Difference(
        tuple(map(place, holders)),
        tuple(Clue(*place(cell), values[cell]) for cell in sorted(cells)),
        exact,
    )


def _holders(grids: Sequence[Grid]) -> dict[int, dict[int, int]]:
    """For each cell in which the grids differ: value → the set of grids that have it there."""
    found: dict[int, dict[int, int]] = {}
    for cell, column in enumerate(zip(*(grid.values for grid in reversed(grids)), strict=True)):
        if len(occurring := sorted(set(column))) > 1:
            held = bytes(value - 1 for value in column)
            found[cell] = {value: _places(held, value - 1) for value in occurring}
    return found


def _places(held: bytes, byte: int) -> int:
    """Where that byte stands, as a bit each, the last place being bit 0."""
    digits = bytearray(b"0" * 256)
    digits[byte] = ord("1")
    return int(held.translate(digits), 2)


class _OutOfSteps(Exception):
    """The search has taken all that it may."""


class _Search:
    """For a fewest cells whose values only one of the grids has."""

    def __init__(
        self, grids: Sequence[Grid], holders: dict[int, dict[int, int]], steps: int
    ) -> None:
        self._grids = grids
        self._steps = steps // (1 + len(grids) // 1000)
        parts = {frozenset(held.values()): cell for cell, held in reversed(holders.items())}
        self._holders = {cell: holders[cell] for cell in sorted(parts.values())}

    def smallest(self) -> tuple[int, list[int], bool]:
        """The index of a grid, its cells, and whether no grid needs fewer."""
        tried = range(min(len(self._grids), _MOST_GREEDY))
        chosen, cells = min(
            ((index, self._greedy(index)) for index in tried), key=lambda found: len(found[1])
        )
        try:
            for size in range(1, len(cells)):
                for index in range(len(self._grids)):
                    others, options = self._options(index)
                    if found := self._find(others, options, size):
                        return index, found, True
        except _OutOfSteps:
            return chosen, cells, False
        return chosen, cells, True

    def _options(self, index: int) -> tuple[int, list[Option]]:
        """The other grids, and those that each cell does not tell from this one."""
        values = self._grids[index].values
        others = (1 << len(self._grids)) - 1 & ~(1 << index)
        return others, [(c, held[values[c]] & others) for c, held in self._holders.items()]

    def _greedy(self, index: int) -> list[int]:
        """Cells, each of which excludes as many of the other grids that are left as one can."""
        left, options = self._options(index)
        cells: list[int] = []
        while left:
            cell, agreeing = min(options, key=lambda option: (option[1] & left).bit_count())
            cells.append(cell)
            left &= agreeing
        return cells

    def _find(self, left: int, options: Sequence[Option], size: int) -> list[int] | None:
        """So many cells that exclude all the grids that are left, or None if there are none."""
        self._steps -= len(options)
        if self._steps < 0:
            raise _OutOfSteps
        if size == 1:
            return next(([cell] for cell, agreeing in options if not agreeing & left), None)
        narrowed = [(cell, agreeing & left) for cell, agreeing in options]
        narrowed.sort(key=lambda option: option[1].bit_count())
        most = left.bit_count()
        for tried, (cell, agreeing) in enumerate(narrowed, 1):
            if (most - agreeing.bit_count()) * size < most:
                return None  # the cells to come exclude no more each
            if found := self._find(agreeing, narrowed[tried:], size - 1):
                return [cell, *found]
        return None
