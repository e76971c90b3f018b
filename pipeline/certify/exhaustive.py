"""Checks that listed solutions are complete, by an exhaustive search that knows only the rules.

Nothing here knows an encoding, a clause or a solver. All candidates are one number, with a plane of
n² bits for each value: bit v·n² + c says that cell c can hold the value v + 1. So one shift moves
all cells of all values at once. A segment is the part of a row or of a column that lies in one box.

After propagation the search branches on a group, of which one candidate is right. It prefers groups
with few candidates that have failed often, since they mark the hard part (F. Boussemart et al.,
Boosting systematic search by weighting constraints, 2004), and restarts after ever more failures.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import NamedTuple

from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle, unit_name, units_of, values_of

MAX_SIDE = 49
"""The largest side that is searched, with 117,649 candidates."""

TOO_SHORT = "time was too short"
_NOT_PLAIN = "only rows, columns and boxes of a single grid are searched"
NOT_MET = "the search did not come to a listed solution"

_FIRST_RESTART, _RESTART_FACTOR = 200, 1.3
"""Failures before the first restart, and the factor for each later one."""


class NotSolutions(ValueError):
    """The listed grids are not distinct solutions of the puzzle."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Solutions that were not listed, and the number of branches.

    `undecided` says why the search stopped early. It is None if the search was complete, or found
    as many missing solutions as were asked for.
    """

    missing: tuple[Grid, ...]
    nodes: int
    undecided: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the listed solutions are all there are."""
        return not self.missing and self.undecided is None


def search_all(
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    *,
    max_solutions: int = 1,
    max_nodes: float = inf,
    seconds: float = inf,
) -> SearchResult:
    """Search for solutions of a puzzle that are not listed, at most `max_solutions` of them.

    Undecided after `max_nodes` or `seconds`, and if the search misses a listed solution. Sides
    above MAX_SIDE and variants are undecided, unless some unit cannot be filled. Raises
    NotSolutions unless the listed grids are distinct solutions, and ValueError if `max_solutions`
    is below 1.

        >>> from pipeline import parse_puzzle
        >>> search_all(parse_puzzle("11.............."), [])
        SearchResult(missing=(), nodes=0, undecided=None)
        >>> search_all(parse_puzzle("1.....2..3.....4"), []).missing[0].values[:4]
        (1, 2, 4, 3)
    """
    if max_solutions < 1:
        raise ValueError(f"{max_solutions} solutions are not looked for")
    end = time.monotonic() + seconds
    listed = {_chosen(puzzle, grid) for grid in solutions} if puzzle.is_plain else set()
    if puzzle.is_plain and (len(listed) < len(solutions) or None in listed):
        raise NotSolutions("the grids that are listed are not different solutions")
    if not solutions and unit_without_matching(puzzle):
        return SearchResult((), 0)
    if not puzzle.is_plain:
        return SearchResult((), 0, _NOT_PLAIN)
    if puzzle.geometry.side > MAX_SIDE:
        return SearchResult((), 0, f"sides above {MAX_SIDE} are not searched")
    return _missing_solutions(
        _PlaneSearch(puzzle, max_nodes, end), puzzle.geometry, listed, max_solutions
    )


def _missing_solutions(
    search: _PlaneSearch, geometry: Geometry, listed: set[int | None], max_solutions: int
) -> SearchResult:
    """The solutions of a search that are not listed, at most `max_solutions`."""
    missing: dict[int, None] = {}
    not_reached = {*listed}
    for chosen in search.solutions():
        if chosen in listed:
            not_reached.discard(chosen)
            continue
        missing[chosen] = None
        if len(missing) >= max_solutions:
            break
    grids = tuple(_grid(geometry, chosen) for chosen in missing)
    undecided = search.undecided or (NOT_MET if not_reached else None)
    return SearchResult(grids, search.nodes, None if len(grids) >= max_solutions else undecided)


def unit_without_matching(puzzle: Puzzle) -> str | None:
    """The first unit, such as `row 3`, whose cells cannot all hold different values, if any."""
    for index, unit in enumerate(units_of(puzzle.geometry)):
        if not _has_matching(unit, puzzle):
            return unit_name(puzzle.geometry, index)
    return None


def _has_matching(unit: Sequence[int], puzzle: Puzzle) -> bool:
    """Whether the cells of a unit can hold different values.

    A bipartite matching of cells and values, by augmenting paths. Blank cells take what is left.
    """
    holders: dict[int, int] = {}

    def place_cell(cell: int, visited: set[int]) -> bool:
        for value in values_of(puzzle.cells[cell]):
            if value not in visited:
                visited.add(value)
                if value not in holders or place_cell(holders[value], visited):
                    holders[value] = cell
                    return True
        return False

    full = puzzle.geometry.all_values
    return all(puzzle.cells[cell] == full or place_cell(cell, set()) for cell in unit)


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
        position = (chosen & -chosen).bit_length() - 1
        values[position % cells] = position // cells + 1
        chosen &= chosen - 1
    return Grid(geometry, tuple(values))


class _PlaneSearch:
    """A depth-first search, with restarts; `undecided` says why it ended early, if it did."""

    def __init__(self, puzzle: Puzzle, max_nodes: float, end: float) -> None:
        self.nodes = 0
        self.undecided: str | None = None
        self._max_nodes = max_nodes
        self._end = end
        self._board = _board(puzzle.geometry)
        self._weights: dict[int, int] = {}
        self._root = self._board.values.first * self._board.values.spread
        for cell, mask in enumerate(puzzle.cells):
            for value in values_of(puzzle.geometry.all_values & ~mask):
                self._root &= ~(1 << (value - 1) * self._board.cells + cell)

    def solutions(self) -> Iterator[int]:
        """The candidates of each solution; one may come again after a restart."""
        interval = float(_FIRST_RESTART)
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
                self._add_failure(left)
            failures += 1
            if failures > interval and stack:
                interval, failures, stack = interval * _RESTART_FACTOR, 0, [self._root]

    def _add_failure(self, left: int) -> None:
        """Note the failure of a group that has no candidate left; all others weigh 1."""
        for index, group in enumerate(self._board.groups):
            if not left & group:
                self._weights[index] = self._weights.get(index, 1) + 1
                return

    def _branches(self, left: int) -> tuple[int, int]:
        """The candidates without one of a group, and with no other of it."""
        groups, weights = self._board.groups, self._weights
        pair = _first_pair(self._board, left)
        indices = range(len(groups)) if pair is None else sorted({pair, *weights})
        lowest_score, candidates = inf, 0
        for index in indices:
            candidates_left, weight = left & groups[index], weights.get(index, 1)
            count = candidates_left.bit_count()
            if count > 1 and count < lowest_score * weight:
                lowest_score, candidates = count / weight, candidates_left
        chosen = candidates & -candidates
        return left & ~chosen, left & ~candidates | chosen


def _first_pair(board: _Planes, left: int) -> int | None:
    """The first cell with two candidates, if any: no group that weighs 1 has fewer to choose."""
    first_plane, shifts, _ = board.values
    once, twice, thrice = left & first_plane, 0, 0
    for shift in shifts:
        plane_of_value = left >> shift & first_plane
        thrice |= twice & plane_of_value
        twice |= once & plane_of_value
        once |= plane_of_value
    pairs = twice & ~thrice
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
        once, several = _counted(left, board.values)
        if once != plane:
            return left, _DEAD
        before, certain = left, left & ~(several * copies)
        meeting = left
        for segments, *kinds in board.directions:
            may, must = _folded(left, segments), _folded(certain, segments)
            for units in kinds:
                once, twice_in_unit = _counted(may, units)
                if once != units.first:
                    return left, _DEAD
                must |= may & (once & ~twice_in_unit) * units.spread
            for units in kinds:
                once, twice_in_unit = _counted(must, units)
                if twice_in_unit:
                    return left, _CLASH
                may &= must | ~(once * units.spread)
            left &= may * segments.spread
            meeting &= must * segments.spread
        held, twice = _counted(meeting, board.values)
        if twice:
            return left, _CLASH
        left &= meeting | ~(held * copies)
        if left == before:
            return left, _OPEN if several else _FULL


def _counted(bits: int, repeats: _Repeats) -> tuple[int, int]:
    """The first bits that are set at least once, and at least twice, there and behind."""
    first, shifts, _ = repeats
    once, several = bits & first, 0
    for shift in shifts:
        bits_here = bits >> shift & first
        several |= once & bits_here
        once |= bits_here
    return once, several


def _folded(candidates: int, segments: _Repeats) -> int:
    """The segments in which there are candidates."""
    folded = candidates
    for shift in segments.shifts:
        folded |= candidates >> shift
    return folded & segments.first
