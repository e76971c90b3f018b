"""Exhaustive search for solutions that a list lacks, from the rules alone.

It uses no encoding, no clauses and no solver. All candidates are one integer with a plane of n²
bits per value: bit v·n² + c is set if cell c may hold the value v + 1, so one shift moves every
cell of every plane. A segment is the part of a row or column inside one box. A group is a set of
candidates of which exactly one is true.

After propagation the search branches on a group. It prefers groups with few candidates and many
past failures (dom/wdeg: F. Boussemart et al., Boosting systematic search by weighting constraints,
2004), and restarts after a growing number of failures.
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

MAX_SEARCHED_SIDE = 49
"""Largest side that is searched: 117,649 candidates."""

TOO_SHORT = "time was too short"
_NOT_PLAIN = "only rows, columns and boxes of a single grid are searched"
NOT_MET = "the search did not reach a listed solution"

_FIRST_RUN, _RUN_GROWTH = 200, 1.3
"""Failures before the first restart, and the growth factor of that limit."""


class NotSolutions(ValueError):
    """The listed grids are not distinct solutions of the puzzle."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of an exhaustive search.

    `missing` are solutions that were not listed, `nodes` is the number of branchings. `undecided`
    is the reason why the search stopped early; None if it finished, or found as many missing
    solutions as the caller asked for.
    """

    missing: tuple[Grid, ...]
    nodes: int
    undecided: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the list is known to have every solution."""
        return not self.missing and self.undecided is None


def search_all(
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    *,
    max_solutions: int = 1,
    max_nodes: float = inf,
    seconds: float = inf,
) -> SearchResult:
    """Search a puzzle for up to `max_solutions` solutions that `solutions` lacks.

    The result is undecided after `max_nodes` branchings or `seconds`, and if the search did not
    reach every listed solution. Sides above MAX_SEARCHED_SIDE and puzzles with further rules are
    undecided too, unless a unit alone has no solution. Raises NotSolutions if the listed grids are
    not distinct solutions, and ValueError for `max_solutions` below 1.

        >>> from pipeline import parse_puzzle
        >>> search_all(parse_puzzle("11.............."), [])
        SearchResult(missing=(), nodes=0, undecided=None)
        >>> search_all(parse_puzzle("1.....2..3.....4"), []).missing[0].values[:4]
        (1, 2, 4, 3)
    """
    if max_solutions < 1:
        raise ValueError(f"max_solutions: expected at least 1, found {max_solutions}")
    end = time.monotonic() + seconds
    listed = {_bits_of(puzzle, grid) for grid in solutions} if puzzle.is_plain else set()
    if puzzle.is_plain and (len(listed) < len(solutions) or None in listed):
        raise NotSolutions("the listed grids are not distinct solutions")
    if not solutions and unit_without_matching(puzzle):
        return SearchResult((), 0)
    if not puzzle.is_plain:
        return SearchResult((), 0, _NOT_PLAIN)
    if puzzle.geometry.side > MAX_SEARCHED_SIDE:
        return SearchResult((), 0, f"sides above {MAX_SEARCHED_SIDE} are not searched")
    return _missing_of(_PlaneSearch(puzzle, max_nodes, end), puzzle.geometry, listed, max_solutions)


def _missing_of(
    search: _PlaneSearch, geometry: Geometry, listed: set[int | None], max_solutions: int
) -> SearchResult:
    """Run a search until it has found `max_solutions` that are not listed."""
    missing: dict[int, None] = {}
    unmet = {*listed}
    for chosen in search.solutions():
        if chosen in listed:
            unmet.discard(chosen)
            continue
        missing[chosen] = None
        if len(missing) >= max_solutions:
            break
    grids = tuple(_grid_of(geometry, chosen) for chosen in missing)
    undecided = search.undecided or (NOT_MET if unmet else None)
    return SearchResult(grids, search.nodes, None if len(grids) >= max_solutions else undecided)


def unit_without_matching(puzzle: Puzzle) -> str | None:
    """The first unit, such as `row 3`, whose cells cannot all hold different values; else None."""
    for index, unit in enumerate(units_of(puzzle.geometry)):
        if not _can_differ(unit, puzzle):
            return unit_name(puzzle.geometry, index)
    return None


def _can_differ(unit: Sequence[int], puzzle: Puzzle) -> bool:
    """Whether the cells of a unit can hold different values.

    Matches cells to values by augmenting paths. Blank cells can take any value that is left, so
    only the others are matched.
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
    """Equally spaced bits: `first`, and its copies at `shifts`. `bit * spread` sets all copies."""

    first: int
    shifts: tuple[int, ...]
    spread: int


class _Planes(NamedTuple):
    """The bit masks of a geometry.

    `cells`: the number of cells, n². `values`: the plane of the first value, and the other planes.
    `directions`: for rows, then columns, three repeats: the first cell of each segment and its
    other cells, the first segment of each line and its other segments, the first segment of each
    box and its other segments. `groups`: the candidates of each cell, then those of each value in
    each unit.
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
        """`count` copies of the bits `first`, `step` apart."""
        shifts = range(step, step * count, step)
        return _Repeats(first, tuple(shifts), sum(1 << shift for shift in (0, *shifts)))

    values = repeats((1 << cells) - 1, cells, n)

    def first(rows: int, columns: int) -> int:
        """The candidates of the cells in every `rows`-th row and `columns`-th column."""
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


def _bits_of(puzzle: Puzzle, grid: Grid) -> int | None:
    """The candidates of a grid as bits; None if it is not a solution of the puzzle."""
    if grid.geometry != puzzle.geometry:
        return None
    if not all(mask >> v - 1 & 1 for mask, v in zip(puzzle.cells, grid.values, strict=True)):
        return None
    side = puzzle.geometry.side
    if any(len({grid.values[cell] for cell in unit}) < side for unit in units_of(puzzle.geometry)):
        return None
    cells = side * side
    return sum(1 << (value - 1) * cells + cell for cell, value in enumerate(grid.values))


def _grid_of(geometry: Geometry, chosen: int) -> Grid:
    cells = geometry.side**2
    values = [0] * cells
    while chosen:
        bit = (chosen & -chosen).bit_length() - 1
        values[bit % cells] = bit // cells + 1
        chosen &= chosen - 1
    return Grid(geometry, tuple(values))


class _PlaneSearch:
    """Depth-first search with restarts. `undecided` is the reason if it stopped early."""

    def __init__(self, puzzle: Puzzle, max_nodes: float, end: float) -> None:
        self.nodes = 0
        self.undecided: str | None = None
        self._max_nodes = max_nodes
        self._end = end
        self._board = _board(puzzle.geometry)
        self._weights: dict[int, int] = {}
        self._root = self._board.values.first * self._board.values.spread
        for cell, mask in enumerate(puzzle.cells):
            for value in range(puzzle.geometry.side):
                if not mask >> value & 1:
                    self._root &= ~(1 << value * self._board.cells + cell)

    def solutions(self) -> Iterator[int]:
        """Yield the candidates of each solution. Restarts may repeat one."""
        run = float(_FIRST_RUN)
        failures, stack = 0, [self._root]
        while stack:
            if time.monotonic() > self._end:
                self.undecided = TOO_SHORT
                return
            left, state = _propagate(self._board, stack.pop())
            if state == _OPEN:
                if self.nodes >= self._max_nodes:
                    self.undecided = f"{self._max_nodes:,.0f} nodes were too few"
                    return
                self.nodes += 1
                stack += self._branches(left)
                continue
            if state == _FULL:
                yield left
            elif state == _DEAD:
                self._blame(left)
            failures += 1
            if failures > run and stack:
                run, failures, stack = run * _RUN_GROWTH, 0, [self._root]

    def _blame(self, left: int) -> None:
        """Raise the weight of the first group without candidates. Weights begin at 1."""
        for index, group in enumerate(self._board.groups):
            if not left & group:
                self._weights[index] = self._weights.get(index, 1) + 1
                return

    def _branches(self, left: int) -> tuple[int, int]:
        """Both branches on one candidate of the best group: without it, and with it alone."""
        groups, weights = self._board.groups, self._weights
        pair = _first_pair(self._board, left)
        indices = range(len(groups)) if pair is None else sorted({pair, *weights})
        minimum, best = inf, 0
        for index in indices:
            held, weight = left & groups[index], weights.get(index, 1)
            count = held.bit_count()
            if count > 1 and count < minimum * weight:
                minimum, best = count / weight, held
        one = best & -best
        return left & ~one, left & ~best | one


def _first_pair(board: _Planes, left: int) -> int | None:
    """The first cell with two candidates, if any. No group of weight 1 is a better choice."""
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
"""Outcomes of propagation: a choice is left, every cell has one candidate, a group has none, or two
candidates exclude each other although both are needed."""


def _propagate(board: _Planes, left: int) -> tuple[int, int]:
    """Propagate to a fixpoint; return the remaining candidates and the outcome.

    A segment must hold a value if one of its cells has no other candidate, or if no other segment
    of its row, column or box can hold it. The value is then eliminated from those other segments.
    If a row's segment and a column's segment both must hold a value, it is in their common cell.
    """
    plane, _, copies = board.values
    while True:
        one, repeated = _counted(left, board.values)
        if one != plane:
            return left, _DEAD
        before, sure = left, left & ~(repeated * copies)
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
            return left, _OPEN if repeated else _FULL


def _counted(bits: int, repeats: _Repeats) -> tuple[int, int]:
    """The bits of `first` that are set in at least one copy, and in at least two."""
    first, shifts, _ = repeats
    one, repeated = bits & first, 0
    for shift in shifts:
        here = bits >> shift & first
        repeated |= one & here
        one |= here
    return one, repeated


def _folded(candidates: int, segments: _Repeats) -> int:
    """The segments that have candidates, as their first bits."""
    occupied = candidates
    for shift in segments.shifts:
        occupied |= candidates >> shift
    return occupied & segments.first
