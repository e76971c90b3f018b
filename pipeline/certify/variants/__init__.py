"""Check that the listed solutions of a variant are complete, by an exhaustive search.

Rules consist of constraints. `simplify` reduces them to fewer kinds of constraints, and `arrays`
writes these to arrays. `search` branches and `propagation` eliminates values, in machine code or in
plain Python. The search uses no encoding, no clauses and no solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Any

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
from pipeline.certify.variants.simplify import NoSolution
from pipeline.certify.variants.value_tables import TooLarge
from pipeline.native import Program, ProgramLoader
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle

COMPILED_NODES, PLAIN_NODES = 200, 4
"""Number of branches between two checks of the clock, in machine code and in plain Python. These
branches take a few milliseconds."""

_PYTHON_SECONDS = 0.01
"""Seconds that the search of most puzzles takes in plain Python."""

SECONDS_BEFORE_LOADING, SECONDS_WITHOUT_CODE = 0.05, 0.2
"""A search starts in plain Python. After SECONDS_BEFORE_LOADING, it continues with machine code.
Without machine code, it stops after SECONDS_WITHOUT_CODE: then a proof by a solver is faster."""

_MODULES = (
    "search",
    "propagation",
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
) -> SearchResult:
    """Search a variant for up to `max_solutions` solutions that are not in `solutions`.

    The result is undecided

    - after `max_nodes` branches or `seconds`,
    - after SECONDS_WITHOUT_CODE if there is no machine code,
    - if the rules are too large,
    - if the search did not find every listed solution.

    Raises NotSolutions unless the listed grids are distinct solutions, and ValueError if
    `max_solutions` is below 1.
    """
    start = time.monotonic()
    end = start + seconds

    def search(compiled_search: Callable[..., int] | None, max_seconds: float) -> SearchResult:
        search_end = min(end, start + max_seconds)
        return run_search(compiled_search, puzzle, solutions, max_solutions, max_nodes, search_end)

    if compiled_search := loader.get(_PYTHON_SECONDS):
        return search(compiled_search, inf)
    result = search(None, SECONDS_BEFORE_LOADING)
    if result.undecided != OUT_OF_TIME or time.monotonic() > end:
        return result
    if compiled_search := loader.get(SECONDS_BEFORE_LOADING, at_once=True):
        return search(compiled_search, inf)
    result = search(None, SECONDS_WITHOUT_CODE)
    loader.add_seconds(SECONDS_WITHOUT_CODE)
    if result.undecided != OUT_OF_TIME or time.monotonic() > end:
        return result
    return SearchResult(result.missing, result.nodes, _CODE_MISSING)


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
    if max_solutions < 1:
        raise ValueError(f"max_solutions: expected at least 1, found {max_solutions}")
    listed = {*solutions}
    if len(listed) < len(solutions) or any(certify_grid(puzzle, grid) for grid in solutions):
        raise NotSolutions("the listed grids are not distinct solutions")
    if not listed and unit_without_matching(puzzle):
        return SearchResult((), 0)
    try:
        run = _VariantSearch(
            compiled_search, puzzle, build_search_arrays(puzzle, end), max_nodes, end
        )
    except NoSolution:
        return SearchResult((), 0, LISTED_NOT_FOUND if listed else None)
    except TooLarge as error:
        return SearchResult((), 0, str(error))
    missing, not_found = list[Grid](), {*listed}
    for grid in run.solutions():
        if grid in listed:
            not_found.discard(grid)
            continue
        missing.append(grid)
        if len(missing) == max_solutions:
            return SearchResult(tuple(missing), run.nodes)
    return SearchResult(
        tuple(missing), run.nodes, run.undecided or (LISTED_NOT_FOUND if not_found else None)
    )


class _VariantSearch:
    """A search with limits. `undecided` is the reason why it stopped early, or None."""

    def __init__(
        self,
        compiled_search: Callable[..., int] | None,
        puzzle: Puzzle,
        arrays: SearchArrays,
        max_nodes: float,
        end: float,
    ) -> None:
        self.undecided: str | None = None
        self._puzzle = puzzle
        self._run: Callable[..., int] = compiled_search or plain_search
        self._arrays: Sequence[Any] = (
            arrays if compiled_search else [array.tolist() for array in arrays]
        )
        self._nodes_per_call = COMPILED_NODES if compiled_search else PLAIN_NODES
        self._max_nodes = max_nodes
        self._end = end

    @property
    def nodes(self) -> int:
        """The number of branches so far."""
        return int(self._arrays[0][L.NODES])

    def solutions(self) -> Iterator[Grid]:
        """Yield each solution once."""
        while True:
            if time.monotonic() > self._end:
                self.undecided = OUT_OF_TIME
                return
            nodes = int(min(self._nodes_per_call, self._max_nodes - self.nodes))
            outcome = self._run(*self._arrays, nodes)
            if outcome == L.COMPLETE:
                return
            if outcome == L.SOLUTION:
                yield self._grid()
            elif self.nodes + 1 > self._max_nodes:
                self.undecided = f"the limit of {self._max_nodes:,.0f} search nodes was reached"
                return

    def _grid(self) -> Grid:
        """Return the current solution as a grid. Each cell has one candidate."""
        geometry = self._puzzle.geometry
        masks = self._arrays[0][L.DOMAINS : L.DOMAINS + geometry.size]
        offset = geometry.lowest - 1
        return Grid(geometry, tuple(int(mask).bit_length() + offset for mask in masks))


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
    )
    regions = Geometry(1, 2, free_grid=FreeGrid(2, 2, 1, (("CC", 4),)))
    for puzzle in (
        Puzzle.empty(Geometry(2, 2), classic_rules),
        Puzzle.empty(Geometry(2, 2), region_rules),
        Puzzle.empty(Geometry(2, 3), line_rules),
        Puzzle.empty(regions, (free.ChaosConstruction((4, 5, 6, 7), 2),)),
    ):
        result = run_search(compiled_search, puzzle, (), 100, inf, inf)
        if result != run_search(None, puzzle, (), 100, inf, inf):
            raise RuntimeError(
                "self-test of the compiled code failed: it differs from plain Python"
            )
