"""Lanes: many puzzles of one geometry solved at once, one bit for each in every machine word.

Unit propagation on all puzzles together, and a complete search (DPLL) over what that leaves open:
for 9×9 compiled by numba, if there is enough to do; else in numpy. Both find the same. numpy is
slow to load: a caller that may have only single puzzles imports this late.
"""

from __future__ import annotations

import time

from pipeline.limits import Deadline, Limits
from pipeline.puzzle.puzzle import NINE, Geometry
from pipeline.solving.compiled.loading import MANY, CompiledSearch, loaded
from pipeline.solving.compiled.planes import LARGEST_SIDE
from pipeline.solving.compiled.search import Found, Masks, search_planes

__all__ = ["Found", "solve_lanes"]


def solve_lanes(geometry: Geometry, masks: Masks, most: int, seconds: float) -> Found:
    """Find `most` solutions of each puzzle, or all if there are fewer.

    `masks` is (P, n²), bit v-1 of a mask allows value v. The result for a decided puzzle does
    not depend on the others, nor on which search found it. Raises ValueError for a side above
    LARGEST_SIDE, masks of another shape or a `most` below 1.
    """
    cells = geometry.side**2
    if geometry.side > LARGEST_SIDE:
        raise ValueError(f"lanes take sides up to {LARGEST_SIDE}, not {geometry.side}")
    if masks.ndim != 2 or masks.shape[1] != cells or most < 1:
        raise ValueError(f"masks of shape {masks.shape} for {cells} cells, {most} solutions")
    deadline = Deadline.of(Limits(seconds))
    if geometry == NINE and (step := loaded.get(at_once=len(masks) >= MANY)):
        return CompiledSearch(step)(masks, most, deadline)
    start = time.perf_counter()
    found = search_planes(geometry, masks, most, deadline)
    if geometry == NINE:
        loaded.count(time.perf_counter() - start)
    return found
