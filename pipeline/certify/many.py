"""Whether the solutions of many puzzles that are listed are all, for each of them.

For 9×9 compiled by numba, if there is enough to do; else in numpy, or for a few one by one. All of
them find the same.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from pipeline.certify.abreast import check_abreast
from pipeline.certify.compiled import MANY, check, loaded
from pipeline.certify.exhaustion import exhausted
from pipeline.certify.verdicts import Verdict
from pipeline.limits import Deadline, Limits
from pipeline.puzzle import NINE, Geometry, Grid, Puzzle

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NODES", "Verdict", "exhausted_many"]

FEW = 32
"""Fewer puzzles are checked one by one."""

NODES = 100_000
"""The most nodes of a puzzle; one of 9×9 that needs a tenth of them has not been seen."""


def exhausted_many(
    geometry: Geometry,
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    seconds: float,
    most: int = NODES,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The verdict on each puzzle, (P,), and in how many nodes the search for it branched, (P,).

    `masks` is (P, n²), bit v-1 of a mask allows value v, bits above those do not count; the first
    `counts` (P,) of the grids (R, P, n²) are claimed to be all solutions of a puzzle. What takes
    more than `most` nodes is undecided, and so is what is not done when the seconds are over. A
    verdict does not depend on the other puzzles. Raises ValueError for other shapes.
    """
    cells = geometry.side**2
    if masks.shape[1:] != (cells,) or grids.shape[1:] != masks.shape or len(counts) != len(masks):
        raise ValueError(f"masks of shape {masks.shape} and grids of {grids.shape}")
    if len(counts) and not 0 <= counts.min() <= counts.max() <= len(grids):
        raise ValueError(f"more grids are counted than the {len(grids)} that there are")
    deadline = Deadline.of(Limits(seconds))
    if geometry == NINE and (step := loaded.get(at_once=len(masks) >= MANY)):
        return check(step, masks, counts, grids, most, deadline)
    start = time.perf_counter()
    decide = check_one_by_one if len(masks) < FEW else check_abreast
    verdicts, nodes = decide(geometry, masks, counts, grids, most, deadline)
    if geometry == NINE:
        loaded.count(time.perf_counter() - start)
    return verdicts, nodes


def check_one_by_one(
    geometry: Geometry,
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    most: int,
    deadline: Deadline,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The verdicts on puzzles, and their nodes, in plain Python."""
    verdicts = np.zeros(len(masks), np.uint8)
    nodes = np.zeros(len(masks), np.int64)
    for place, mask in enumerate(masks.tolist()):
        if not deadline.left():
            break
        listed = grids[: counts[place], place].tolist()
        verdicts[place], nodes[place] = _verdict(geometry, mask, listed, most, deadline)
    return verdicts, nodes


def _verdict(
    geometry: Geometry, masks: list[int], listed: list[list[int]], most: int, deadline: Deadline
) -> tuple[Verdict, int]:
    cells = tuple(mask & geometry.all_values for mask in masks)
    if not all(cells):
        return (Verdict.WRONG if listed else Verdict.COMPLETE), 0
    try:
        puzzle = Puzzle(geometry, cells)
        grids = [Grid(geometry, tuple(values)) for values in listed]
        found = exhausted(puzzle, grids, nodes=most, seconds=deadline.left())
    except ValueError:
        return Verdict.WRONG, 0
    if found.missing:
        return Verdict.INCOMPLETE, found.nodes
    return (Verdict.COMPLETE if found.is_complete else Verdict.UNDECIDED), found.nodes
