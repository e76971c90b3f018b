"""Exhaustive search for solutions that are not listed, from the rules alone.

It uses no encoding, no clauses and no solver. All candidates are one integer with a plane of n²
bits per value: bit v·n² + c is set if cell c may hold the value v + 1. So one shift moves all cells
of all planes. A segment is the part of a row or column inside one box. A group is a set of
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

OUT_OF_TIME = "time ran out"
_NOT_PLAIN = "only rows, columns and boxes of a single grid are searched"
LISTED_NOT_FOUND = "the search did not find a listed solution"

_FIRST_RUN, _RUN_GROWTH = 200, 1.3
"""Failures before the first restart, and the factor by which this limit grows."""


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
    """Search a puzzle for up to `max_solutions` solutions that are not in `solutions`.

    The result is undecided after `max_nodes` branchings or `seconds`, and if the search did not
    find every listed solution. Sides above MAX_SEARCHED_SIDE and puzzles with further rules are not
    searched: they are undecided, unless the cells of some unit cannot all differ. Raises
    NotSolutions if the listed grids are not distinct solutions, and ValueError for `max_solutions`
    below 1.

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
    if puzzle.geometry.side > (limit := MAX_SEARCHED_SIDE):
        return SearchResult((), 0, f"grids larger than {limit}×{limit} are not searched")
    return _find_missing(
        _PlaneSearch(puzzle, max_nodes, end), puzzle.geometry, listed, max_solutions
    )


def _find_missing(
    search: _PlaneSearch, geometry: Geometry, listed: set[int | None], max_solutions: int
) -> SearchResult:
    """Run a search until it has found `max_solutions` solutions that are not listed."""
    missing: dict[int, None] = {}
    not_found = {*listed}
    for chosen in search.solutions():
        if chosen in listed:
            not_found.discard(chosen)
            continue
        missing[chosen] = None
        if len(missing) >= max_solutions:
            break
    grids = tuple(_grid_of(geometry, chosen) for chosen in missing)
    undecided = search.undecided or (LISTED_NOT_FOUND if not_found else None)
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
    cell_of: dict[int, int] = {}

    def assign(cell: int, tried: set[int]) -> bool:
        for value in values_of(puzzle.cells[cell]):
            if value not in tried:
                tried.add(value)
                if value not in cell_of or assign(cell_of[value], tried):
                    cell_of[value] = cell
                    return True
        return False

    full = puzzle.geometry.all_values
    return all(puzzle.cells[cell] == full or assign(cell, set()) for cell in unit)


class _Repeats(NamedTuple):
    """A set of bits `first`, and its copies, shifted by `shifts`.

    `bits * spread` adds the copies of any bits of `first`.
    """

    first: int
    shifts: tuple[int, ...]
    spread: int


class _Planes(NamedTuple):
    """The bit masks of a geometry.

    - `cells`: the number of cells, n².
    - `values`: the plane of the first value; its copies are the other planes.
    - `directions`: for rows, then for columns, the first cell of each segment, the first segment of
      each line, and the first segment of each box; their copies are the other cells and segments.
    - `groups`: the candidates of each cell, then those of each value in each unit.
    """

    cells: int
    values: _Repeats
    directions: tuple[tuple[_Repeats, _Repeats, _Repeats], ...]
    groups: tuple[int, ...]


@lru_cache(maxsize=2)
def _planes(geometry: Geometry) -> _Planes:
    n, height, width = geometry.side, geometry.height, geometry.width
    cells = n * n

    def repeats(first: int, step: int, count: int) -> _Repeats:
        """The bits `first`, repeated `count` times at a distance of `step`."""
        shifts = range(step, step * count, step)
        return _Repeats(first, tuple(shifts), sum(1 << shift for shift in (0, *shifts)))

    values = repeats((1 << cells) - 1, cells, n)

    def lattice(rows: int, columns: int) -> int:
        """The candidates of the cells in every `rows`-th row and `columns`-th column."""
        chosen = sum(1 << r * n + c for r in range(0, n, rows) for c in range(0, n, columns))
        return chosen * values.spread

    box = lattice(height, width)
    across = repeats(lattice(1, n), width, height), repeats(box, n, height)
    down = repeats(lattice(n, 1), n * height, width), repeats(box, 1, width)
    directions = (
        (repeats(lattice(1, width), 1, width), *across),
        (repeats(lattice(height, 1), n, height), *down),
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
    """A depth-first search with restarts. `undecided`: why it stopped early, or None."""

    def __init__(self, puzzle: Puzzle, max_nodes: float, end: float) -> None:
        self.nodes = 0
        self.undecided: str | None = None
        self._max_nodes = max_nodes
        self._end = end
        self._planes = _planes(puzzle.geometry)
        self._weights: dict[int, int] = {}
        self._root = self._planes.values.first * self._planes.values.spread
        for cell, mask in enumerate(puzzle.cells):
            for value in range(puzzle.geometry.side):
                if not mask >> value & 1:
                    self._root &= ~(1 << value * self._planes.cells + cell)

    def solutions(self) -> Iterator[int]:
        """Yield the candidates of each solution. Restarts may repeat one."""
        run = float(_FIRST_RUN)
        failures, stack = 0, [self._root]
        while stack:
            if time.monotonic() > self._end:
                self.undecided = OUT_OF_TIME
                return
            left, state = _propagate(self._planes, stack.pop())
            if state == _OPEN:
                if self.nodes >= self._max_nodes:
                    self.undecided = f"the limit of {self._max_nodes:,.0f} search nodes was reached"
                    return
                self.nodes += 1
                stack += self._branches(left)
                continue
            if state == _FULL:
                yield left
            elif state == _DEAD:
                self._add_failure(left)
            failures += 1
            if failures > run and stack:
                run, failures, stack = run * _RUN_GROWTH, 0, [self._root]

    def _add_failure(self, left: int) -> None:
        """Raise the weight of the first group without candidates. Weights begin at 1."""
        for index, group in enumerate(self._planes.groups):
            if not left & group:
                self._weights[index] = self._weights.get(index, 1) + 1
                return

    def _branches(self, left: int) -> tuple[int, int]:
        """The two branches on a candidate of the best group: without it, and with it alone."""
        groups, weights = self._planes.groups, self._weights
        pair = _first_bivalue_cell(self._planes, left)
        indices = range(len(groups)) if pair is None else sorted({pair, *weights})
        minimum, best = inf, 0
        for index in indices:
            held, weight = left & groups[index], weights.get(index, 1)
            count = held.bit_count()
            if count > 1 and count < minimum * weight:
                minimum, best = count / weight, held
        one = best & -best
        return left & ~one, left & ~best | one


def _first_bivalue_cell(planes: _Planes, left: int) -> int | None:
    """The first cell with two candidates, or None. No group of weight 1 is a better choice."""
    plane, shifts, _ = planes.values
    one, two, three = left & plane, 0, 0
    for shift in shifts:
        copy = left >> shift & plane
        three |= two & copy
        two |= one & copy
        one |= copy
    pairs = two & ~three
    return (pairs & -pairs).bit_length() - 1 if pairs else None


_OPEN, _FULL, _DEAD, _CONFLICT = range(4)
"""Outcomes of propagation: some cell has several candidates, every cell has one, a group has none,
or two candidates that are both needed exclude each other."""


def _propagate(planes: _Planes, left: int) -> tuple[int, int]:
    """Propagate to a fixpoint; return the remaining candidates and the outcome.

    A segment must hold a value if one of its cells has no other candidate, or if no other segment
    of its row, column or box can hold it. The value is then eliminated from those other segments.
    If a row's segment and a column's segment both must hold a value, it is in their common cell.
    """
    plane, _, copies = planes.values
    while True:
        one, repeated = _count_to_two(left, planes.values)
        if one != plane:
            return left, _DEAD
        before, single = left, left & ~(repeated * copies)
        crossings = left
        for segments, *groups_of_segments in planes.directions:
            may, must = _occupied_segments(left, segments), _occupied_segments(single, segments)
            for units in groups_of_segments:
                one, more = _count_to_two(may, units)
                if one != units.first:
                    return left, _DEAD
                must |= may & (one & ~more) * units.spread
            for units in groups_of_segments:
                one, more = _count_to_two(must, units)
                if more:
                    return left, _CONFLICT
                may &= must | ~(one * units.spread)
            left &= may * segments.spread
            crossings &= must * segments.spread
        held, twice = _count_to_two(crossings, planes.values)
        if twice:
            return left, _CONFLICT
        left &= crossings | ~(held * copies)
        if left == before:
            return left, _OPEN if repeated else _FULL


def _count_to_two(bits: int, repeats: _Repeats) -> tuple[int, int]:
    """The bits that are set in at least one copy of `first`, and those set in at least two."""
    first, shifts, _ = repeats
    one, repeated = bits & first, 0
    for shift in shifts:
        copy = bits >> shift & first
        repeated |= one & copy
        one |= copy
    return one, repeated


def _occupied_segments(candidates: int, segments: _Repeats) -> int:
    """The first bit of each segment that has candidates."""
    occupied = candidates
    for shift in segments.shifts:
        occupied |= candidates >> shift
    return occupied & segments.first
