"""Whether the solutions of a puzzle with rules that are listed are all there are.

`stating` turns the rules' formulas into constraints over masks of values, `propagation` strikes
values that these exclude, and `search` tries everything that is left: as machine code or, where
there is none, in plain Python. Nothing here knows an encoding, a clause or a solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Any

from pipeline.certify import certify_grid
from pipeline.certify.exhaustion import NOT_MET, TOO_SHORT, Exhausted, NotSolutions, crowded_unit
from pipeline.certify.ruled.gathering import NoSolution
from pipeline.certify.ruled.layout import CELLS, COMPLETE, FOUND, NODES
from pipeline.certify.ruled.search import search as plain_search
from pipeline.certify.ruled.stating import Stated, stated
from pipeline.certify.ruled.tables import TooLarge
from pipeline.native import Loaded, Program
from pipeline.puzzle.geometry import Free, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle

AT_ONCE, PLAIN_AT_ONCE = 200, 4
"""Branches between two looks at the clock: some milliseconds."""

OTHERWISE = 0.01
"""Seconds that plain Python takes for most puzzles."""

SHORT, PLAIN_SECONDS = 0.05, 0.2
"""The longest that plain Python searches before machine code is loaded, and if there is none: a
proof is quicker then."""

_MODULES = "search", "propagation", "regions", "sums", "cells", "layout"
PROGRAM = Program(
    "rules",
    "search",
    tuple(f"pipeline.certify.ruled.{name}" for name in _MODULES),
    "pipeline.certify.ruled.try_search",
)
loaded = Loaded(PROGRAM)

_NO_CODE = "there is no machine code for a longer search"


def exhausted_by_rules(
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    *,
    most: int = 1,
    nodes: float = inf,
    seconds: float = inf,
) -> Exhausted:
    """Search for solutions of a puzzle that are not listed, until there are `most` of them.

    It ends undecided after so many nodes or seconds, for rules that are too large, and if it has
    not come to all that are listed; without machine code, after PLAIN_SECONDS. Raises NotSolutions
    if those listed are not different solutions of the puzzle, and ValueError for a `most` below 1.
    """
    start = time.monotonic()
    end = start + seconds

    def search(step: Callable[..., int] | None, longest: float) -> Exhausted:
        return searched(step, puzzle, solutions, most, nodes, min(end, start + longest))

    if step := loaded.get(OTHERWISE):
        return search(step, inf)
    found = search(None, SHORT)
    if found.undecided != TOO_SHORT or time.monotonic() > end:
        return found
    if step := loaded.get(SHORT, at_once=True):
        return search(step, inf)
    found = search(None, PLAIN_SECONDS)
    loaded.count(PLAIN_SECONDS)
    if found.undecided != TOO_SHORT or time.monotonic() > end:
        return found
    return Exhausted(found.missing, found.nodes, _NO_CODE)


def searched(
    step: Callable[..., int] | None,
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    most: int,
    nodes: float,
    end: float,
) -> Exhausted:
    """As `exhausted_by_rules`, until a moment of the monotonic clock.

    `step` is the search as machine code; without it, plain Python does the same.
    """
    if most < 1:
        raise ValueError(f"{most} solutions are not looked for")
    listed = {*solutions}
    if len(listed) < len(solutions) or any(certify_grid(puzzle, each) for each in solutions):
        raise NotSolutions("the grids that are listed are not different solutions")
    if not listed and crowded_unit(puzzle):
        return Exhausted((), 0)
    try:
        run = _RuledSearch(step, puzzle, stated(puzzle, end), nodes, end)
    except NoSolution:
        return Exhausted((), 0, NOT_MET if listed else None)
    except TooLarge as error:
        return Exhausted((), 0, str(error))
    missing, unmet = list[Grid](), {*listed}
    for grid in run.solutions():
        if grid in listed:
            unmet.discard(grid)
            continue
        missing.append(grid)
        if len(missing) == most:
            return Exhausted(tuple(missing), run.nodes)
    return Exhausted(tuple(missing), run.nodes, run.undecided or (NOT_MET if unmet else None))


class _RuledSearch:
    """A search that can stop; `undecided` says why it ended early, if it did."""

    def __init__(
        self,
        step: Callable[..., int] | None,
        puzzle: Puzzle,
        arrays: Stated,
        most: float,
        end: float,
    ) -> None:
        self.undecided: str | None = None
        self._puzzle = puzzle
        self._run: Callable[..., int] = step or plain_search
        self._arrays: Sequence[Any] = arrays if step else [each.tolist() for each in arrays]
        self._at_once = AT_ONCE if step else PLAIN_AT_ONCE
        self._most = most
        self._end = end

    @property
    def nodes(self) -> int:
        return int(self._arrays[0][NODES])

    def solutions(self) -> Iterator[Grid]:
        """Each solution once."""
        while True:
            if time.monotonic() > self._end:
                self.undecided = TOO_SHORT
                return
            said = self._run(*self._arrays, int(min(self._at_once, self._most - self.nodes)))
            if said == COMPLETE:
                return
            if said == FOUND:
                yield self._grid()
            elif self.nodes + 1 > self._most:
                self.undecided = f"{self._most:,.0f} nodes were too few"
                return

    def _grid(self) -> Grid:
        """The grid that is found: each cell has one value."""
        geometry = self._puzzle.geometry
        masks = self._arrays[0][CELLS : CELLS + geometry.size]
        before = geometry.lowest - 1
        return Grid(geometry, tuple(int(mask).bit_length() + before for mask in masks))


def try_search(step: Callable[..., int]) -> None:
    """Search for all solutions of puzzles whose rules take most kinds of constraints.

    Raises RuntimeError if they, or the branches, are not those of plain Python.
    """
    from pipeline.puzzle.rules import cages, free, lines, outside  # noqa: PLC0415 - only for this

    usual = (
        cages.SameMultiset(((0, 2), (4, 6))),
        cages.Quadruple((5, 6, 9, 10), (1,)),
        lines.Between((0, 1, 3)),
        lines.Renban((1, 2)),
        outside.Skyscraper((4, 5, 6, 7), 2),
        outside.XSum((2, 6, 10, 14), 8),
    )
    of_regions = (
        free.ConnectedValues(tuple(range(16)), (1, 2, 3)),
        free.ChaosCount(0, (5, 2, 8, 15)),
        free.ChaosArrow(1, ((10, 1, 12), (10, 5, 4))),
        outside.FullRank((0, 1, 2, 3), 6),
    )
    regions = Geometry(1, 2, free=Free(2, 2, 1, (("CC", 4),)))
    for puzzle in (
        Puzzle.empty(Geometry(2, 2), usual),
        Puzzle.empty(Geometry(2, 2), of_regions),
        Puzzle.empty(regions, (free.ChaosConstruction((4, 5, 6, 7), 2),)),
    ):
        ours = searched(step, puzzle, (), 100, inf, inf)
        if ours != searched(None, puzzle, (), 100, inf, inf):
            raise RuntimeError("the machine code does not search")
