"""Whether the solutions of a puzzle that are listed are all there are, from the rules alone.

Nothing here knows an encoding, a clause or a solver. All candidates are one number, a plane of n²
bits for each value: bit v·n² + c says that cell c may hold the value v + 1. So a shift moves all
cells of all values at once. A segment is the part of a row or of a column that lies in one box.
After propagation the search branches in a group, of which one candidate is right. It prefers groups
with few candidates that have failed often, because the trouble is there (F. Boussemart et al.,
Boosting systematic search by weighting constraints, 2004). It begins anew after ever more failures.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import NamedTuple

from pipeline.puzzle.geometry import Geometry, unit_name, units_of, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle

LARGEST_SIDE = 49
"""The largest side that is searched: it has 117,649 candidates."""

TOO_SHORT = "time was too short"
_NOT_PLAIN = "only rows, columns and boxes of a single grid are searched"
NOT_MET = "the search did not come to a listed solution"

_FIRST_RUN, _LONGER = 200, 1.3
"""Failures before the search begins anew, and the factor for each time after."""


class NotSolutions(ValueError):
    """Grids are listed that are not different solutions of the puzzle."""


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The result of a search: solutions that were not listed, and its number of branchings.

    `undecided` says why it ended before it had seen everything; None if it has, or has found as
    many missing solutions as were asked for.
    """

    missing: tuple[Grid, ...]
    nodes: int
    undecided: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether there is no solution but those listed."""
        return not self.missing and self.undecided is None


def exhausted(
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    *,
    most: int = 1,
    nodes: float = inf,
    seconds: float = inf,
) -> Exhausted:
    """Search for solutions of a puzzle that are not listed, until there are `most` of them.

    It ends undecided after so many nodes or seconds, and if it has not come to all that are listed.
    Sides above LARGEST_SIDE and rules beyond the units are undecided, unless a unit is crowded.
    Raises NotSolutions if those listed are not different solutions of the puzzle, and ValueError
    for a `most` below 1.

        >>> from pipeline import parse_puzzle
        >>> exhausted(parse_puzzle("11.............."), [])
        Exhausted(missing=(), nodes=0, undecided=None)
        >>> exhausted(parse_puzzle("1.....2..3.....4"), []).missing[0].values[:4]
        (1, 2, 4, 3)
    """
    if most < 1:
        raise ValueError(f"{most} solutions are not looked for")
    end = time.monotonic() + seconds
    listed = {_chosen(puzzle, grid) for grid in solutions} if puzzle.is_plain else set()
    if puzzle.is_plain and (len(listed) < len(solutions) or None in listed):
        raise NotSolutions("the grids that are listed are not different solutions")
    if not solutions and crowded_unit(puzzle):
        return Exhausted((), 0)
    if not puzzle.is_plain:
        return Exhausted((), 0, _NOT_PLAIN)
    if puzzle.geometry.side > LARGEST_SIDE:
        return Exhausted((), 0, f"sides above {LARGEST_SIDE} are not searched")
    return _searched(_PlaneSearch(puzzle, nodes, end), puzzle.geometry, listed, most)


def _searched(
    search: _PlaneSearch, geometry: Geometry, listed: set[int | None], most: int
) -> Exhausted:
    """The solutions that a search finds, except those listed, until there are `most`."""
    missing: dict[int, None] = {}
    unmet = {*listed}
    for chosen in search.solutions():
        if chosen in listed:
            unmet.discard(chosen)
            continue
        missing[chosen] = None
        if len(missing) >= most:
            break
    grids = tuple(_grid(geometry, chosen) for chosen in missing)
    undecided = search.undecided or (NOT_MET if unmet else None)
    return Exhausted(grids, search.nodes, None if len(grids) >= most else undecided)


def crowded_unit(puzzle: Puzzle) -> str | None:
    """The first unit, such as `row 3`, whose cells cannot all hold different values, if any."""
    for index, unit in enumerate(units_of(puzzle.geometry)):
        if not _can_differ(unit, puzzle):
            return unit_name(puzzle.geometry, index)
    return None


def _can_differ(unit: Sequence[int], puzzle: Puzzle) -> bool:
    """Whether the cells of a unit can hold different values.

    A bipartite matching of those that are not blank, by augmenting paths.
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

    full = puzzle.geometry.all_values
    return all(puzzle.cells[cell] == full or settle(cell, set()) for cell in unit)


class _Repeats(NamedTuple):
    """The bits `first`, and others `shifts` behind each; times `spread`, a bit is copied to all."""

    first: int
    shifts: tuple[int, ...]
    spread: int


class _Planes(NamedTuple):
    """The rules on a geometry's candidates.

    `values`: the candidates of the first value, and those of the others behind. `directions`: for
    rows, then columns, the first cell of each segment with the others; and its first segment of
    each line, and of each box, with the others. Each of `groups` has exactly one right candidate:
    the values of a cell, or the cells of a unit for a value.
    """

    cells: int
    values: _Repeats
    directions: tuple[tuple[_Repeats, _Repeats, _Repeats], ...]
    groups: tuple[int, ...]


@lru_cache(maxsize=2)
def _board(geometry: Geometry) -> _Planes:
    n, height, width = geometry.side, geometry.height, geometry.width
    cells = n * n

    def repeats(first: int, step: int, count: int) -> _Repeats:
        """So many things, the first ones given, that are `step` apart."""
        shifts = range(step, step * count, step)
        return _Repeats(first, tuple(shifts), sum(1 << shift for shift in (0, *shifts)))

    values = repeats((1 << cells) - 1, cells, n)

    def first(rows: int, columns: int) -> int:
        """The candidates in the first of every `rows` rows and `columns` columns."""
        chosen = sum(1 << r * n + c for r in range(0, n, rows) for c in range(0, n, columns))
        return chosen * values.spread

    box = first(height, width)
    across = repeats(first(1, n), width, height), repeats(box, n, height)
    down = repeats(first(n, 1), n * height, width), repeats(box, 1, width)
    directions = (
        (repeats(first(1, width), 1, width), *across),
        (repeats(first(height, 1), n, height), *down),
    )
    groups = [values.spread << cell for cell in range(cells)]
    for unit in units_of(geometry):
        places = sum(1 << cell for cell in unit)
        groups += [places << value * cells for value in range(n)]
    return _Planes(cells, values, directions, tuple(groups))


def _chosen(puzzle: Puzzle, grid: Grid) -> int | None:
    """The candidates that a grid chooses; None if it is not a solution of the puzzle."""
    if grid.geometry != puzzle.geometry:
        return None
    if not all(mask >> v - 1 & 1 for mask, v in zip(puzzle.cells, grid.values, strict=True)):
        return None
    side = puzzle.geometry.side
    if any(len({grid.values[cell] for cell in unit}) < side for unit in units_of(puzzle.geometry)):
        return None
    cells = side * side
    return sum(1 << (value - 1) * cells + cell for cell, value in enumerate(grid.values))


def _grid(geometry: Geometry, chosen: int) -> Grid:
    cells = geometry.side**2
    values = [0] * cells
    while chosen:
        place = (chosen & -chosen).bit_length() - 1
        values[place % cells] = place // cells + 1
        chosen &= chosen - 1
    return Grid(geometry, tuple(values))


class _PlaneSearch:
    """A depth-first search, with restarts; `undecided` says why it ended early, if it did."""

    def __init__(self, puzzle: Puzzle, most: float, end: float) -> None:
        self.nodes = 0
        self.undecided: str | None = None
        self._most = most
        self._end = end
        self._board = _board(puzzle.geometry)
        self._weights: dict[int, int] = {}
        self._root = self._board.values.first * self._board.values.spread
        for cell, mask in enumerate(puzzle.cells):
            for value in values_of(puzzle.geometry.all_values & ~mask):
                self._root &= ~(1 << (value - 1) * self._board.cells + cell)

    def solutions(self) -> Iterator[int]:
        """The candidates of each solution; one may come again after a restart."""
        run = float(_FIRST_RUN)
        failures, waiting = 0, [self._root]
        while waiting:
            if time.monotonic() > self._end:
                self.undecided = TOO_SHORT
                return
            left, state = _propagate(self._board, waiting.pop())
            if state == _OPEN:
                if self.nodes >= self._most:
                    self.undecided = f"{self._most:,.0f} nodes were too few"
                    return
                self.nodes += 1
                waiting += self._branches(left)
                continue
            if state == _FULL:
                yield left
            elif state == _DEAD:
                self._blame(left)
            failures += 1
            if failures > run and waiting:
                run, failures, waiting = run * _LONGER, 0, [self._root]

    def _blame(self, left: int) -> None:
        """Note the failure of a group that has no candidate left; all others weigh 1."""
        for index, group in enumerate(self._board.groups):
            if not left & group:
                self._weights[index] = self._weights.get(index, 1) + 1
                return

    def _branches(self, left: int) -> tuple[int, int]:
        """The candidates without one of a group, and with no other of it."""
        groups, weights = self._board.groups, self._weights
        pair = _first_pair(self._board, left)
        some = range(len(groups)) if pair is None else sorted({pair, *weights})
        least, among = inf, 0
        for index in some:
            held, weight = left & groups[index], weights.get(index, 1)
            count = held.bit_count()
            if count > 1 and count < least * weight:
                least, among = count / weight, held
        one = among & -among
        return left & ~one, left & ~among | one


def _first_pair(board: _Planes, left: int) -> int | None:
    """The first cell with two candidates, if any: no group that weighs 1 has fewer to choose."""
    plane, shifts, _ = board.values
    one, two, three = left & plane, 0, 0
    for shift in shifts:
        here = left >> shift & plane
        three |= two & here
        two |= one & here
        one |= here
    pairs = two & ~three
    return (pairs & -pairs).bit_length() - 1 if pairs else None


_OPEN, _FULL, _DEAD, _CLASH = range(4)
"""What propagation ends with: something to choose, one candidate in each cell, a group without any,
two that must both be right but cannot."""


def _propagate(board: _Planes, left: int) -> tuple[int, int]:
    """The candidates that are left once nothing more follows, and what that means.

    A segment must have a value if one of its cells has no other, or if no other segment of its row,
    column or box may have it. Then these others cannot have it. The cell in which two such segments
    meet holds the value.
    """
    plane, _, copies = board.values
    while True:
        one, several = _counted(left, board.values)
        if one != plane:
            return left, _DEAD
        before, sure = left, left & ~(several * copies)
        met = left
        for segments, *kinds in board.directions:
            may, must = _folded(left, segments), _folded(sure, segments)
            for units in kinds:
                one, more = _counted(may, units)
                if one != units.first:
                    return left, _DEAD
                must |= may & (one & ~more) * units.spread
            for units in kinds:
                one, more = _counted(must, units)
                if more:
                    return left, _CLASH
                may &= must | ~(one * units.spread)
            left &= may * segments.spread
            met &= must * segments.spread
        held, twice = _counted(met, board.values)
        if twice:
            return left, _CLASH
        left &= met | ~(held * copies)
        if left == before:
            return left, _OPEN if several else _FULL


def _counted(bits: int, repeats: _Repeats) -> tuple[int, int]:
    """The first bits that are set at least once, and at least twice, there and behind."""
    first, shifts, _ = repeats
    one, several = bits & first, 0
    for shift in shifts:
        here = bits >> shift & first
        several |= one & here
        one |= here
    return one, several


def _folded(candidates: int, segments: _Repeats) -> int:
    """The segments in which there are candidates."""
    found = candidates
    for shift in segments.shifts:
        found |= candidates >> shift
    return found & segments.first
