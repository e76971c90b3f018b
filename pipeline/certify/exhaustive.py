"""Exhaustive search for solutions that are not listed, based on the rules alone.

The search uses no encoding, no clauses and no solver. One integer represents all candidates. It has
a plane of n² bits per value: bit v·n² + c is set if cell c may hold the value v + 1. A single shift
of this integer moves the cells of all planes. A segment is the part of a row or column inside one
box. A group is a set of candidates of which exactly one is true.

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
"""Largest side of a grid that is searched. A grid of this side has 117,649 candidates."""

OUT_OF_TIME = "time ran out"
LISTED_NOT_FOUND = "the search did not find a listed solution"
_NOT_PLAIN = "this search knows only rows, columns and boxes, in a single grid"
"""Reasons why a search is undecided."""

_FIRST_RUN_FAILURES, _RUN_GROWTH = 200, 1.3
"""Number of failures before the first restart, and the factor by which this number grows with each
restart."""


class NotSolutions(ValueError):
    """The listed grids are not distinct solutions of the puzzle."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of an exhaustive search.

    - `missing`: solutions that were not listed.
    - `nodes`: the number of branchings.
    - `undecided`: the reason why the search stopped early; None if it finished, or if it found as
      many missing solutions as the caller asked for.
    """

    missing: tuple[Grid, ...]
    nodes: int
    undecided: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the list is known to contain every solution."""
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
    find every listed solution. Puzzles with further rules or with a side above MAX_SEARCHED_SIDE
    are not searched. Their result is undecided, with one exception: if no solution is listed and
    the cells of some unit cannot all differ, the list is complete.

    Raises NotSolutions if the listed grids are not distinct solutions, and ValueError for
    `max_solutions` below 1.

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
    """Return the name of the first unit whose cells cannot all differ, such as `row 3`, or None."""
    for index, unit in enumerate(units_of(puzzle.geometry)):
        if not _can_differ(unit, puzzle):
            return unit_name(puzzle.geometry, index)
    return None


def _can_differ(unit: Sequence[int], puzzle: Puzzle) -> bool:
    """Whether the cells of a unit can hold different values.

    Matches cells to values by augmenting paths. Blank cells are not matched: they can take any
    remaining value.
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


class _RepeatedMask(NamedTuple):
    """A mask that is repeated at the distances `shifts`.

    If `bits` are bits of the mask, `bits * multiplier` has these bits in the mask and in each copy.
    """

    mask: int
    shifts: tuple[int, ...]
    multiplier: int


class _Planes(NamedTuple):
    """The bit masks of a geometry.

    - `cells`: the number of cells, n².
    - `plane`: the plane of the first value; its copies are the other planes.
    - `directions`: a tuple of three masks for rows, and another for columns. The masks are

      - the first cell of each segment; its copies are the other cells of the segments,
      - the first segment of each line; its copies are the other segments of the lines,
      - the first segment of each box; its copies are the other segments of the boxes.
    - `groups`: the candidates of each cell, then the candidates of each value in each unit.
    """

    cells: int
    plane: _RepeatedMask
    directions: tuple[tuple[_RepeatedMask, _RepeatedMask, _RepeatedMask], ...]
    groups: tuple[int, ...]


@lru_cache(maxsize=2)
def _planes_of(geometry: Geometry) -> _Planes:
    """Compute the bit masks of a geometry."""
    n, height, width = geometry.side, geometry.height, geometry.width
    cells = n * n

    def repeat(mask: int, step: int, count: int) -> _RepeatedMask:
        """Return a mask that occurs `count` times, at distances of `step`."""
        shifts = range(step, step * count, step)
        return _RepeatedMask(mask, tuple(shifts), sum(1 << shift for shift in (0, *shifts)))

    plane = repeat((1 << cells) - 1, cells, n)

    def spaced_candidates(rows: int, columns: int) -> int:
        """Return the candidates of the cells in every `rows`-th row and `columns`-th column."""
        chosen = sum(1 << r * n + c for r in range(0, n, rows) for c in range(0, n, columns))
        return chosen * plane.multiplier

    box = spaced_candidates(height, width)
    across = repeat(spaced_candidates(1, n), width, height), repeat(box, n, height)
    down = repeat(spaced_candidates(n, 1), n * height, width), repeat(box, 1, width)
    directions = (
        (repeat(spaced_candidates(1, width), 1, width), *across),
        (repeat(spaced_candidates(height, 1), n, height), *down),
    )
    groups = [plane.multiplier << cell for cell in range(cells)]
    for unit in units_of(geometry):
        places = sum(1 << cell for cell in unit)
        groups += [places << value * cells for value in range(n)]
    return _Planes(cells, plane, directions, tuple(groups))


def _bits_of(puzzle: Puzzle, grid: Grid) -> int | None:
    """Return the candidates of a grid as bits; None if the grid is not a solution of the puzzle."""
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
    """Return the grid with these candidates, one in each cell."""
    cells = geometry.side**2
    values = [0] * cells
    while chosen:
        bit = (chosen & -chosen).bit_length() - 1
        values[bit % cells] = bit // cells + 1
        chosen &= chosen - 1
    return Grid(geometry, tuple(values))


class _PlaneSearch:
    """A depth-first search with restarts. `undecided`: the reason why it stopped early, or None."""

    def __init__(self, puzzle: Puzzle, max_nodes: float, end: float) -> None:
        self.nodes = 0
        self.undecided: str | None = None
        self._max_nodes = max_nodes
        self._end = end
        self._planes = _planes_of(puzzle.geometry)
        self._weights: dict[int, int] = {}
        self._root = self._planes.plane.mask * self._planes.plane.multiplier
        for cell, mask in enumerate(puzzle.cells):
            for value in range(puzzle.geometry.side):
                if not mask >> value & 1:
                    self._root &= ~(1 << value * self._planes.cells + cell)

    def solutions(self) -> Iterator[int]:
        """Yield the candidates of each solution, as bits. Restarts may repeat a solution."""
        run = float(_FIRST_RUN_FAILURES)
        failures, stack = 0, [self._root]
        while stack:
            if time.monotonic() > self._end:
                self.undecided = OUT_OF_TIME
                return
            candidates, state = _propagate(self._planes, stack.pop())
            if state == _OPEN:
                if self.nodes >= self._max_nodes:
                    self.undecided = f"the limit of {self._max_nodes:,.0f} search nodes was reached"
                    return
                self.nodes += 1
                stack += self._branches(candidates)
                continue
            if state == _FULL:
                yield candidates
            elif state == _DEAD:
                self._add_failure(candidates)
            failures += 1
            if failures > run and stack:
                run, failures, stack = run * _RUN_GROWTH, 0, [self._root]

    def _add_failure(self, candidates: int) -> None:
        """Increase the weight of the first group without candidates. Initial weights are 1."""
        for index, group in enumerate(self._planes.groups):
            if not candidates & group:
                self._weights[index] = self._weights.get(index, 1) + 1
                return

    def _branches(self, candidates: int) -> tuple[int, int]:
        """Return the two branches on the first candidate of the best group.

        The first branch lacks this candidate. In the second branch, it is the only candidate of the
        group.
        """
        groups, weights = self._planes.groups, self._weights
        pair = _first_bivalue_cell(self._planes, candidates)
        indices = range(len(groups)) if pair is None else sorted({pair, *weights})
        minimum, best = inf, 0
        for index in indices:
            held, weight = candidates & groups[index], weights.get(index, 1)
            count = held.bit_count()
            if count > 1 and count < minimum * weight:
                minimum, best = count / weight, held
        one = best & -best
        return candidates & ~one, candidates & ~best | one


def _first_bivalue_cell(planes: _Planes, candidates: int) -> int | None:
    """Return the first cell with two candidates, or None.

    Other groups of weight 1 need not be compared with this cell: none has a lower score.
    """
    plane, shifts, _ = planes.plane
    one, two, three = candidates & plane, 0, 0
    for shift in shifts:
        copy = candidates >> shift & plane
        three |= two & copy
        two |= one & copy
        one |= copy
    pairs = two & ~three
    return (pairs & -pairs).bit_length() - 1 if pairs else None


_OPEN, _FULL, _DEAD, _CONFLICT = range(4)
"""Outcomes of propagation: `_OPEN` if some cell has several candidates, `_FULL` if every cell has
one, `_DEAD` if a group has none, `_CONFLICT` if two required candidates exclude each other."""


def _propagate(planes: _Planes, candidates: int) -> tuple[int, int]:
    """Propagate to a fixpoint. Returns the remaining candidates and the outcome.

    A segment must hold a value if one of its cells has no other candidate, or if no other segment
    of its line or box can hold the value. The value is then eliminated from the other segments of
    the line and of the box. If a segment of a row and a segment of a column both must hold a value,
    their common cell has this value.
    """
    plane, _, copies = planes.plane
    while True:
        one, repeated = _bits_in_one_and_two_copies(candidates, planes.plane)
        if one != plane:
            return candidates, _DEAD
        before, single = candidates, candidates & ~(repeated * copies)
        crossings = candidates
        for segments, *groups_of_segments in planes.directions:
            may, must = (
                _occupied_segments(candidates, segments),
                _occupied_segments(single, segments),
            )
            for units in groups_of_segments:
                one, more = _bits_in_one_and_two_copies(may, units)
                if one != units.mask:
                    return candidates, _DEAD
                must |= may & (one & ~more) * units.multiplier
            for units in groups_of_segments:
                one, more = _bits_in_one_and_two_copies(must, units)
                if more:
                    return candidates, _CONFLICT
                may &= must | ~(one * units.multiplier)
            candidates &= may * segments.multiplier
            crossings &= must * segments.multiplier
        held, twice = _bits_in_one_and_two_copies(crossings, planes.plane)
        if twice:
            return candidates, _CONFLICT
        candidates &= crossings | ~(held * copies)
        if candidates == before:
            return candidates, _OPEN if repeated else _FULL


def _bits_in_one_and_two_copies(bits: int, repeated_mask: _RepeatedMask) -> tuple[int, int]:
    """Return two masks: the bits set in at least one copy, and the bits set in at least two.

    The mask itself counts as a copy.
    """
    mask, shifts, _ = repeated_mask
    one, repeated = bits & mask, 0
    for shift in shifts:
        copy = bits >> shift & mask
        repeated |= one & copy
        one |= copy
    return one, repeated


def _occupied_segments(candidates: int, segments: _RepeatedMask) -> int:
    """Return the first bit of each segment that has candidates."""
    occupied = candidates
    for shift in segments.shifts:
        occupied |= candidates >> shift
    return occupied & segments.mask
