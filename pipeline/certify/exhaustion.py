"""Whether a puzzle has a solution at all, found by exhaustive search from the rules alone.

Nothing here knows an encoding, a clause or a solver. The search keeps groups, in each of which
exactly one candidate is right: for every cell the values it may hold, and for every value of a unit
the cells it may stand in. It tries the candidates of a group that has few of them and has failed
often, because the trouble is there (F. Boussemart et al., Boosting systematic search by weighting
constraints, 2004), and restarts after ever more failures.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.errors import PipelineError
from pipeline.puzzle import Geometry, Grid, Puzzle, units_of, values_of

LARGEST_SIDE = 36
"""The largest side that is searched: it has 46,656 candidates."""

TOO_SHORT = "time was too short"

_FIRST_RUN, _LONGER = 30, 1.3
"""Failures before the first restart, and the factor for each restart after."""


class Undecided(PipelineError):
    """Whether there is a solution is not known: the puzzle is too large, or time was up."""


def find_grid(puzzle: Puzzle, end: float) -> Grid | None:
    """A solution of the puzzle; None if there is none.

    If all clues lie in one unit this is decided at once, for any side: any assignment of
    different values to a unit is part of a solution, as values may be renamed. `end` is on the
    monotonic clock. Raises Undecided when it has passed, and for sides above LARGEST_SIDE.
    """
    clues = len(puzzle.cells) - puzzle.cells.count(puzzle.geometry.all_values)
    for unit in units_of(puzzle.geometry):
        _check_time(end)
        chosen = _different(unit, puzzle)
        if chosen is None:
            return None
        if len(chosen) == clues:
            return _grid_with(chosen, unit, puzzle.geometry)
    if puzzle.geometry.side > LARGEST_SIDE:
        raise Undecided(f"sides above {LARGEST_SIDE} are not searched")
    return _Search(puzzle, end).run()


def crowded_unit(puzzle: Puzzle) -> str | None:
    """The first unit, such as `row 3`, whose cells cannot all hold different values, if any."""
    n = puzzle.geometry.side
    for index, unit in enumerate(units_of(puzzle.geometry)):
        if _different(unit, puzzle) is None:
            return f"{('row', 'column', 'box')[index // n]} {index % n + 1}"
    return None


def _check_time(end: float) -> None:
    if time.monotonic() > end:
        raise Undecided(TOO_SHORT)


def _different(unit: Sequence[int], puzzle: Puzzle) -> dict[int, int] | None:
    """A value for each cell of a unit that is not blank, all different; None if impossible.

    A bipartite matching by augmenting paths.
    """
    holders: dict[int, int] = {}

    def settle(cell: int, tried: set[int]) -> bool:
        for value in values_of(puzzle.cells[cell]):
            if value not in tried:
                tried.add(value)
                if value not in holders or settle(holders[value], tried):
                    holders[value] = cell
                    return True
        return False

    for cell in unit:
        if puzzle.cells[cell] != puzzle.geometry.all_values and not settle(cell, set()):
            return None
    return {cell: value for value, cell in holders.items()}


def _grid_with(chosen: dict[int, int], unit: Sequence[int], geometry: Geometry) -> Grid:
    """A grid with these values in a unit: a regular one, with its values renamed."""
    n, height, width = geometry.side, geometry.height, geometry.width
    regular = [
        (row % height * width + row // height + column) % n
        for row in range(n)
        for column in range(n)
    ]
    others = iter(sorted({*range(1, n + 1)} - {*chosen.values()}))
    names = {regular[cell]: chosen.get(cell) or next(others) for cell in unit}
    return Grid(geometry, tuple(names[value] for value in regular))


class _Groups(NamedTuple):
    """The groups of each candidate, and the candidates of each group; by their indices.

    The candidate `cell · n + v - 1` says that the cell holds v. There are n² groups of cells,
    then n for each unit, one for each value.
    """

    of: Sequence[tuple[int, ...]]
    members: Sequence[tuple[int, ...]]


@lru_cache(maxsize=2)
def _groups(geometry: Geometry) -> _Groups:
    n = geometry.side
    members = [tuple(range(cell * n, cell * n + n)) for cell in range(n * n)]
    for unit in units_of(geometry):
        members += [tuple(cell * n + value for cell in unit) for value in range(n)]
    of: list[list[int]] = [[] for _ in range(n**3)]
    for group, candidates in enumerate(members):
        for candidate in candidates:
            of[candidate].append(group)
    return _Groups([tuple(groups) for groups in of], members)


class _Search:
    """The candidates that are left, and the steps by which others were struck."""

    def __init__(self, puzzle: Puzzle, end: float) -> None:
        self._geometry = puzzle.geometry
        self._end = end
        self._of, self._members = _groups(puzzle.geometry)
        self._is_left = bytearray(b"\1") * len(self._of)
        self._left = [puzzle.geometry.side] * len(self._members)
        self._failures = [1] * len(self._members)
        self._struck: list[int] = []
        self._single: list[int] = []
        self._tried: list[tuple[int, int]] = []
        n = puzzle.geometry.side
        self._forbidden = [
            cell * n + value - 1
            for cell, mask in enumerate(puzzle.cells)
            for value in values_of(puzzle.geometry.all_values & ~mask)
        ]

    def run(self) -> Grid | None:
        """A solution; None if there is none. Raises Undecided."""
        most, failed = float(_FIRST_RUN), 0
        holds = all(map(self._strike, self._forbidden)) and self._propagate()
        while True:
            _check_time(self._end)
            if not holds:
                failed += 1
                if not self._tried:
                    return None
                holds = self._refute()
            elif failed > most:
                most, failed = most * _LONGER, 0
                if self._tried:
                    self._undo(self._tried[0][1])
                    self._tried.clear()
            elif (candidate := self._choice()) is None:
                return self._grid()
            else:
                self._tried.append((candidate, len(self._struck)))
                holds = self._place(candidate) and self._propagate()

    def _refute(self) -> bool:
        """Strike the last candidate that was tried, which is wrong; False for a contradiction."""
        candidate, length = self._tried.pop()
        self._undo(length)
        return self._strike(candidate) and self._propagate()

    def _undo(self, length: int) -> None:
        self._single.clear()
        for candidate in self._struck[length:]:
            self._is_left[candidate] = 1
            for group in self._of[candidate]:
                self._left[group] += 1
        del self._struck[length:]

    def _strike(self, candidate: int) -> bool:
        """Rule a candidate out; False if a group has none left."""
        if not self._is_left[candidate]:
            return True
        self._is_left[candidate] = 0
        self._struck.append(candidate)
        holds = True
        for group in self._of[candidate]:
            left = self._left[group] = self._left[group] - 1
            if left == 1:
                self._single.append(group)
            elif not left:
                self._failures[group] += 1
                holds = False
        return holds

    def _place(self, candidate: int) -> bool:
        """Rule out all that a candidate excludes; False for a contradiction."""
        for group in self._of[candidate]:
            for other in self._members[group]:
                if self._is_left[other] and other != candidate and not self._strike(other):
                    return False
        return True

    def _propagate(self) -> bool:
        """Place candidates that are the last of their group; False for a contradiction."""
        while self._single:
            members = self._members[self._single.pop()]
            last = next(filter(self._is_left.__getitem__, members))
            if not self._place(last):
                return False
        return True

    def _choice(self) -> int | None:
        """The candidate to try next; None if each group has one left."""
        least, chosen = float("inf"), None
        for group, left in enumerate(self._left):
            if left > 1 and left < least * self._failures[group]:
                least, chosen = left / self._failures[group], group
        if chosen is None:
            return None
        return next(filter(self._is_left.__getitem__, self._members[chosen]))

    def _grid(self) -> Grid:
        n = self._geometry.side
        values = [self._is_left.index(1, cell * n) % n + 1 for cell in range(n * n)]
        return Grid(self._geometry, tuple(values))
