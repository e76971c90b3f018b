"""Whether the solutions of a puzzle with rules that are listed are all there are.

The rules' formulas are stated as constraints over masks of values (`stating`), from which values
are struck (`propagation`) in a search through everything (`search`), as machine code or, where there
is none, in plain Python. Nothing here knows an encoding, a clause or a solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from pipeline.certify import certify_grid
from pipeline.certify.exhaustion import TOO_SHORT, Exhausted, NotSolutions
from pipeline.certify.ruled.layout import CELLS, FOUND, UNFINISHED
from pipeline.certify.ruled import layout
from pipeline.certify.ruled.search import search
from pipeline.certify.ruled.stating import NoSolution, Stated, TooLarge, stated
from pipeline.native import Loaded, Program
from pipeline.puzzle.puzzle import Grid, Puzzle

NODES, PLAIN_NODES = 200, 4
"""Branches between two looks at the clock: some milliseconds."""

PROGRAM = Program(
    "rules",
    "search",
    ("pipeline.certify.ruled.search", "pipeline.certify.ruled.propagation"),
    "pipeline.certify.ruled.try_search",
)
loaded = Loaded(PROGRAM)

_NOT_MET = "the search did not come to a listed solution"


def exhausted_by_rules(
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    *,
    most: int = 1,
    nodes: float = inf,
    seconds: float = inf,
    step: Callable[..., int] | None = None,
) -> Exhausted:
    """Search for solutions of a puzzle that are not listed, until there are `most` of them.

    `step` is the search as machine code; without it, plain Python does the same. It ends undecided
    after so many nodes or seconds, for rules that are too large, and if it has not come to all
    that are listed. Raises NotSolutions if those listed are not different solutions of the puzzle,
    and ValueError for a `most` below 1.
    """
    if most < 1:
        raise ValueError(f"{most} solutions are not looked for")
    end = time.monotonic() + seconds
    if len({*solutions}) < len(solutions) or any(certify_grid(puzzle, each) for each in solutions):
        raise NotSolutions("the grids that are listed are not different solutions")
    try:
        arrays = stated(puzzle)
    except NoSolution:
        return Exhausted((), 0, _NOT_MET if solutions else None)
    except TooLarge as error:
        return Exhausted((), 0, str(error))
    return _searched(puzzle, arrays, {*solutions}, most, nodes, end, step)


def _searched(
    puzzle: Puzzle,
    arrays: Stated,
    listed: set[Grid],
    most: int,
    nodes: float,
    end: float,
    step: Callable[..., int] | None,
) -> Exhausted:
    at_once = PLAIN_NODES if step is None else NODES
    state: Any = arrays
    if step is None:
        state = [array.tolist() for array in arrays]
    run, w = step or search, state[0]
    missing: list[Grid] = []
    unmet = {*listed}
    while True:
        left = nodes - w[layout.NODES]
        said = run(*state, int(min(left, at_once)))
        if said == FOUND:
            grid = _grid(puzzle, w)
            if grid in listed:
                unmet.discard(grid)
                continue
            missing.append(grid)
            if len(missing) == most:
                return Exhausted(tuple(missing), int(w[layout.NODES]))
        elif said == UNFINISHED:
            if w[layout.NODES] >= nodes:
                undecided = f"{nodes:,.0f} nodes were too few"
                return Exhausted(tuple(missing), int(w[layout.NODES]), undecided)
        else:
            return Exhausted(tuple(missing), int(w[layout.NODES]), _NOT_MET if unmet else None)
        if time.monotonic() > end:
            return Exhausted(tuple(missing), int(w[layout.NODES]), TOO_SHORT)


def _grid(puzzle: Puzzle, w: Sequence[int]) -> Grid:
    """The grid of a state in which each cell has one value."""
    masks = w[CELLS : CELLS + puzzle.geometry.size]
    return Grid(puzzle.geometry, tuple(int(mask).bit_length() for mask in masks))


def try_search(step: Callable[..., int]) -> None:
    """Trial."""
    from pipeline.puzzle.puzzle import Geometry
    from pipeline.puzzle.rules.cages import Cage
    puzzle = Puzzle.empty(Geometry(2, 2), (Cage((0, 1, 4), 6),))
    found = exhausted_by_rules(puzzle, (), most=1000, step=step)
    if len(found.missing) != len(exhausted_by_rules(puzzle, (), most=1000).missing):
        raise RuntimeError("the machine code does not search")
