"""Whether the listed solutions of many puzzles are all, for each puzzle.

Machine code checks 9×9 puzzles, if it is there and there is enough to do. Others, and puzzles that
it leaves undecided, are searched one by one in plain Python. So a verdict does not depend on the
machine code; the number of nodes does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.exhaustion import NotSolutions, exhausted
from pipeline.certify.many.search import Verdict, new_searches
from pipeline.limits import NEVER, Deadline, Limits
from pipeline.native import Loaded, Program
from pipeline.puzzle.geometry import NINE, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle

__all__ = ["NODES", "Verdict", "exhausted_many", "machine_code"]

OTHERWISE = 0.002
"""Seconds that plain Python takes for a puzzle."""

NODES = 100_000
"""The most nodes of a puzzle; one of 9×9 that needs a tenth of them has not been seen."""

SWEEPS = 4096
"""Rounds of all lanes between two looks at the clock: some milliseconds."""

PROGRAM = Program(
    "check",
    "search",
    ("pipeline.certify.many.search", "pipeline.certify.many.sweep"),
    "pipeline.certify.many.try_check",
)
loaded = Loaded(PROGRAM)


def machine_code(puzzles: int, *, at_once: bool = False) -> Callable[..., int] | None:
    """The check as machine code for so many 9×9 puzzles, if it is there and worth loading."""
    return loaded.get(puzzles * OTHERWISE, at_once=at_once)


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
    `counts` (P,) of the grids (R, P, n²) are claimed to be all solutions of a puzzle. A puzzle is
    undecided if it takes more than `most` nodes, or is not done in time. Otherwise its verdict does
    not depend on the other puzzles. Its nodes do, as the two searches branch in different places.
    Raises ValueError for other shapes and types.
    """
    cells = geometry.side**2
    if masks.shape[1:] != (cells,) or grids.shape[1:] != masks.shape or len(counts) != len(masks):
        raise ValueError(f"masks of shape {masks.shape} and grids of {grids.shape}")
    if len(counts) and not 0 <= counts.min() <= counts.max() <= len(grids):
        raise ValueError(f"more grids are counted than the {len(grids)} that there are")
    if grids.dtype != np.uint8 or counts.dtype.kind not in "iu" or masks.dtype.kind != "u":
        raise ValueError(
            f"masks of {masks.dtype}, counts of {counts.dtype}, grids of {grids.dtype}"
        )
    deadline = Deadline.of(Limits(seconds))
    step = machine_code(len(masks)) if geometry == NINE else None
    if step:
        verdicts, nodes = check_side_by_side(step, masks, counts, grids, most, deadline)
    else:
        verdicts, nodes = np.zeros(len(masks), np.uint8), np.zeros(len(masks), np.int64)
    left = np.flatnonzero((verdicts == Verdict.UNDECIDED) & (nodes < most))
    if len(left):
        alone = geometry, masks[left], counts[left], grids[:, left], most, deadline
        verdicts[left], nodes[left] = check_one_by_one(*alone)
    return verdicts, nodes


def check_side_by_side(
    step: Callable[..., int],
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    most: int,
    deadline: Deadline,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The verdicts on 9×9 puzzles, and their nodes, by machine code."""
    narrow = np.array(masks & np.uint16(NINE.all_values), np.uint16, order="C")
    verdicts, nodes = np.zeros(len(masks), np.uint8), np.zeros(len(masks), np.int64)
    claims = narrow, np.array(counts, np.int64), np.ascontiguousarray(grids, np.uint8)
    lanes = new_searches()
    while deadline.left() and not step(lanes, *claims, verdicts, nodes, most, SWEEPS):
        pass
    return verdicts, nodes


def check_one_by_one(
    geometry: Geometry,
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    most: int,
    deadline: Deadline,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The verdicts on puzzles, and their nodes, in plain Python.

    Each has an equal share of the time, so that a hard one leaves some to the others.
    """
    verdicts = np.zeros(len(masks), np.uint8)
    nodes = np.zeros(len(masks), np.int64)
    for place, mask in enumerate(masks.tolist()):
        if not deadline.left():
            break
        listed = grids[: counts[place], place].tolist()
        seconds = deadline.left() / (len(masks) - place)
        verdicts[place], nodes[place] = _verdict(geometry, mask, listed, most, seconds)
    return verdicts, nodes


def _verdict(
    geometry: Geometry, masks: list[int], listed: list[list[int]], most: int, seconds: float
) -> tuple[Verdict, int]:
    cells = tuple(mask & geometry.all_values for mask in masks)
    if not all(cells):
        return (Verdict.WRONG if listed else Verdict.COMPLETE), 0
    try:
        grids = [Grid(geometry, tuple(values)) for values in listed]
    except ValueError:  # a value that there is not
        return Verdict.WRONG, 0
    puzzle = Puzzle(geometry, cells)
    try:
        found = exhausted(puzzle, grids, nodes=most, seconds=seconds)
    except NotSolutions:
        return Verdict.WRONG, 0
    if found.missing:
        return Verdict.INCOMPLETE, found.nodes
    return (Verdict.COMPLETE if found.is_complete else Verdict.UNDECIDED), found.nodes


def try_check(step: Callable[..., int]) -> None:
    """Check three claims about a puzzle with two solutions, of which one, "both", is true.

    It takes propagation and a branch. Raises RuntimeError if the verdicts are wrong.
    """
    grid = np.array([[(3 * r + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], np.uint8)
    other = grid.copy()
    other[:2, ::3] = grid[1::-1, ::3]  # each of these columns has its two values the other way
    masks = np.left_shift(1, grid - 1, dtype=np.uint16)
    masks[:2, ::3] = NINE.all_values
    grids = np.repeat([[grid.ravel()], [other.ravel()]], 3, axis=1)
    claims = np.repeat([masks.ravel()], 3, axis=0), np.arange(3), grids
    verdicts, _ = check_side_by_side(step, *claims, 1, NEVER)
    if verdicts.tolist() != [Verdict.INCOMPLETE, Verdict.INCOMPLETE, Verdict.COMPLETE]:
        raise RuntimeError("the machine code does not check")
