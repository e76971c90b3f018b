"""Check that the listed solutions of a variant are complete, by an exhaustive search.

Rules consist of constraints. `simplify` reduces them to fewer kinds of constraints, and `arrays`
writes these to arrays. `search` branches and `propagation` eliminates values, in machine code or in
plain Python. The search uses no encoding, no clauses and no solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import inf
from typing import Any

import numpy as np

from pipeline.certify import certify_grid
from pipeline.certify.exhaustive import (
    LISTED_NOT_FOUND,
    OUT_OF_TIME,
    NotSolutions,
    SearchResult,
    unit_without_matching,
)
from pipeline.certify.variants import layout as L
from pipeline.certify.variants.arrays import SearchArrays, build_search_arrays
from pipeline.certify.variants.search import search as plain_search
from pipeline.certify.variants.simplify import NoSolution, searched_values
from pipeline.certify.variants.value_tables import TooLarge
from pipeline.native import Program, ProgramLoader
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle

COMPILED_NODES, PLAIN_NODES = 200, 4
"""Number of branches between two checks of the clock, in machine code and in plain Python, for
TYPICAL_CANDIDATES; it is smaller for more candidates. These branches take a few milliseconds."""

TYPICAL_CANDIDATES, MAX_PLAIN_CANDIDATES = 729, 10_000
"""Number of candidates of a 9×9 grid, and the maximum in plain Python, where a single branch of a
larger grid may take seconds."""

_PYTHON_SECONDS = 0.01
"""Seconds that the search of most puzzles takes in plain Python."""

SECONDS_BEFORE_LOADING, SECONDS_WITHOUT_CODE = 0.05, 0.2
"""A search starts in plain Python. After SECONDS_BEFORE_LOADING, it continues with machine code.
Without machine code, it stops after SECONDS_WITHOUT_CODE: then a proof by a solver is faster."""

_MODULES = (
    "search",
    "propagation",
    "equality_propagators",
    "group_propagators",
    "line_propagators",
    "part_propagators",
    "rank_propagators",
    "region_propagators",
    "sum_propagators",
    "domains",
    "layout",
)
PROGRAM = Program(
    "variants",
    "search",
    tuple(f"pipeline.certify.variants.{name}" for name in _MODULES),
    "pipeline.certify.variants.check_variant_search",
)
loader = ProgramLoader(PROGRAM)

_CODE_MISSING = (
    "without compiled code, only short searches are made; `sudoku-pipeline doctor` says what is "
    "missing"
)
"""The reason why a search is undecided after SECONDS_WITHOUT_CODE."""


def search_all_of_variant(
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    *,
    max_solutions: int = 1,
    max_nodes: float = inf,
    seconds: float = inf,
    search: VariantSearch | None = None,
) -> SearchResult:
    """Search a variant for up to `max_solutions` solutions that are not in `solutions`.

    `search`: a search of this puzzle to continue, which may have found solutions; by default a new
    one. Its clock measures `seconds`. The result is undecided

    - after `max_nodes` branches or `seconds`,
    - after SECONDS_WITHOUT_CODE if there is no machine code,
    - if the rules are too large,
    - if the search did not find every listed solution.

    Raises NotSolutions unless the listed grids are distinct solutions, and ValueError if
    `max_solutions` is below 1.
    """
    search = search or VariantSearch(puzzle, time.monotonic() + seconds)
    found = continue_search(search, max_nodes, search.clock() + seconds)
    return _compare(puzzle, solutions, max_solutions, search, found)


def run_search(
    compiled_search: Callable[..., int] | None,
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    max_solutions: int,
    max_nodes: float,
    end: float,
) -> SearchResult:
    """Search like `search_all_of_variant`, until `end` on the monotonic clock.

    `compiled_search` is the machine code of `search`. If it is None, plain Python runs instead,
    with the same result.
    """
    search = VariantSearch(puzzle, end)
    if compiled_search:
        search.use(compiled_search)
    return _compare(puzzle, solutions, max_solutions, search, search.solutions(max_nodes, end))


def _compare(
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    max_solutions: int,
    search: VariantSearch,
    further: Iterator[Grid],
) -> SearchResult:
    """Compare the listed solutions with those that a search has found, and those it finds next."""
    if max_solutions < 1:
        raise ValueError(f"max_solutions: expected at least 1, found {max_solutions}")
    listed = {*solutions}
    if len(listed) < len(solutions) or any(certify_grid(puzzle, grid) for grid in solutions):
        raise NotSolutions("the listed grids are not distinct solutions")
    missing, not_found = list[Grid](), {*listed}
    for grid in chain(tuple(search.found), further):
        if grid in listed:
            not_found.discard(grid)
            continue
        missing.append(grid)
        if len(missing) == max_solutions:
            return SearchResult(tuple(missing), search.nodes)
    return SearchResult(
        tuple(missing), search.nodes, search.undecided or (LISTED_NOT_FOUND if not_found else None)
    )


def continue_search(search: VariantSearch, max_nodes: float, end: float) -> Iterator[Grid]:
    """Yield further solutions, in machine code once that is available and saves time.

    Without machine code, the search stops after SECONDS_WITHOUT_CODE.
    """
    start, is_large = search.clock(), search.candidates > MAX_PLAIN_CANDIDATES
    if compiled_search := loader.get(_PYTHON_SECONDS, at_once=is_large):
        search.use(compiled_search)
        yield from search.solutions(max_nodes, end)
        return
    if is_large:
        search.undecided = search.undecided or (None if search.is_complete else _CODE_MISSING)
        return
    yield from search.solutions(max_nodes, min(end, start + SECONDS_BEFORE_LOADING))
    if search.undecided != OUT_OF_TIME or search.clock() > end:
        return
    if compiled_search := loader.get(SECONDS_BEFORE_LOADING, at_once=True):
        search.use(compiled_search)
        yield from search.solutions(max_nodes, end)
        return
    yield from search.solutions(max_nodes, min(end, start + SECONDS_WITHOUT_CODE))
    loader.add_seconds(SECONDS_WITHOUT_CODE)
    if search.undecided == OUT_OF_TIME and search.clock() <= end:
        search.undecided = _CODE_MISSING


class VariantSearch:
    """A search for all solutions of a variant, which can stop and continue.

    - `found`: the solutions so far, in the order in which they were found.
    - `is_complete`: whether there are no others.
    - `undecided`: the reason why the search stopped early; None if it is complete, or if the caller
      stopped it after a solution.
    - `clock`: the clock, in seconds, that `end` of `solutions` refers to. It may be replaced.

    It begins in plain Python; `use` changes to machine code, at any time, with the same result.
    """

    def __init__(self, puzzle: Puzzle, end: float = inf) -> None:
        """Build the arrays. Undecided if that takes until `end` on the monotonic clock."""
        self.found: list[Grid] = []
        self.is_complete = False
        self.undecided: str | None = None
        self.clock: Callable[[], float] = time.monotonic
        self._puzzle = puzzle
        self._values = {1 << index: value for index, value in enumerate(searched_values(puzzle))}
        self._run: Callable[..., int] = plain_search
        self._nodes_per_call = self._nodes_in_a_call(PLAIN_NODES)
        self._arrays: Sequence[Any] = ()
        if unit_without_matching(puzzle):
            self.is_complete = True
            return
        try:
            arrays = build_search_arrays(puzzle, end)
        except NoSolution:
            self.is_complete = True
        except TooLarge as error:
            self.undecided = str(error)
        else:
            self._arrays = arrays

    def use(self, compiled_search: Callable[..., int]) -> None:
        """Continue with the machine code of `search`."""
        if self._run is plain_search and self._arrays:
            state, problem, weights = self._arrays
            self._arrays = np.asarray(state), np.asarray(problem), np.asarray(weights)
        self._run = compiled_search
        self._nodes_per_call = self._nodes_in_a_call(COMPILED_NODES)

    @property
    def candidates(self) -> int:
        """The number of candidates of an empty grid: cells × values."""
        return self._puzzle.geometry.size * len(self._values)

    def _nodes_in_a_call(self, nodes: int) -> int:
        """The number of branches between two checks of the clock, if it is `nodes` in 9×9 grids."""
        return max(1, min(nodes, nodes * TYPICAL_CANDIDATES // self.candidates))

    @property
    def nodes(self) -> int:
        """The number of branches so far."""
        return int(self._arrays[0][L.NODES]) if self._arrays else 0

    def solutions(self, max_nodes: float = inf, end: float = inf) -> Iterator[Grid]:
        """Continue the search, and yield each further solution.

        It stops when the search has made `max_nodes` branches in all, or at `end` on `clock`. The
        iterator may be closed after any solution.
        """
        if not self._arrays or self.is_complete:
            return
        if self._run is plain_search and isinstance(self._arrays, SearchArrays):
            self._arrays = [numbers.tolist() for numbers in self._arrays]
        self.undecided = None
        while True:
            if self.clock() > end:
                self.undecided = OUT_OF_TIME
                return
            outcome = self._run(
                *self._arrays, max(0, int(min(self._nodes_per_call, max_nodes - self.nodes)))
            )
            if outcome == L.COMPLETE:
                self.is_complete = True
                return
            if outcome == L.SOLUTION:
                self.found.append(self._grid())
                yield self.found[-1]
            elif self.nodes + 1 > max_nodes:
                self.undecided = f"the limit of {max_nodes:,.0f} search nodes was reached"
                return

    def _grid(self) -> Grid:
        """Return the current solution as a grid. Each cell has one candidate."""
        geometry = self._puzzle.geometry
        masks = np.asarray(self._arrays[0][L.DOMAINS : L.DOMAINS + geometry.size]).tolist()
        return Grid(geometry, tuple([self._values[mask] for mask in masks]))


def check_variant_search(compiled_search: Callable[..., int]) -> None:
    """Search for all solutions of puzzles that use most kinds of constraints.

    Raises RuntimeError if the solutions or the number of branches differ from plain Python.
    """
    from pipeline.puzzle.rules import cages, free, lines, outside, whole  # noqa: PLC0415 - only for this

    classic_rules = (
        cages.SameMultiset(((0, 2), (4, 6))),
        cages.Quadruple((5, 6, 9, 10), (1,)),
        lines.Between((0, 1, 3)),
        lines.Renban((1, 2)),
        outside.Skyscraper((4, 5, 6, 7), 2),
        outside.XSum((2, 6, 10, 14), 8),
    )
    line_rules = (
        lines.SumLine((0, 1, 7, 6), 16, loop=True),
        lines.SumLine((4, 5, 11, 10), 14, loop=True),
        lines.SumLine((20, 21, 22), 9),
        lines.Lunchbox((18, 24, 25, 26), 0),
        outside.Sandwich((0, 6, 12, 18, 24, 30), 12),
        outside.Sandwich((12, 13, 14, 15, 16, 17), 9),
        whole.GlobalModular(),
    )
    region_rules = (
        free.ConnectedValues(tuple(range(16)), (1, 2, 3)),
        free.ChaosCount(0, (5, 2, 8, 15)),
        free.ChaosArrow(1, ((10, 1, 12), (10, 5, 4))),
        outside.FullRank((0, 1, 2, 3), 6),
        outside.FullRank((0, 4, 8, 12), 7),
    )
    counting_rules = (
        cages.CountingCircles((2, 4, 6, 9, 11, 15)),
        cages.Contains((1, 2, 12, 13, 14, 15), (2, 4, 4), exactly=True),
    )
    regions = Geometry(1, 2, free_grid=FreeGrid(2, 2, 1, (("CC", 4),)))
    label_rules = (
        free.ChaosConstruction((4, 5, 6, 7), 2),
        cages.SameMultiset(((4,), (5,))),
        cages.CountOfDifferent(0, (1, 2)),
    )
    for puzzle in (
        Puzzle.empty(Geometry(2, 2), classic_rules),
        Puzzle.empty(Geometry(2, 2), region_rules),
        Puzzle.empty(Geometry(2, 2), counting_rules),
        Puzzle.empty(Geometry(2, 3), line_rules),
        Puzzle.empty(regions, label_rules[:1]),
        Puzzle.empty(regions, label_rules),
    ):
        result = run_search(compiled_search, puzzle, (), 100, inf, inf)
        if result != run_search(None, puzzle, (), 100, inf, inf):
            raise RuntimeError(
                "self-test of the compiled code failed: it differs from plain Python"
            )
