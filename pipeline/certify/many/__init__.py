"""Check by exhaustive search that the listed solutions of many puzzles are complete.

Machine code checks 9×9 puzzles in parallel if it can be loaded and loading pays. Plain Python
searches all other puzzles, and the puzzles that machine code leaves undecided, one by one. The
numbers of nodes depend on whether machine code is used, but the verdicts do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.exhaustive import NotSolutions, search_all
from pipeline.certify.many.search import Verdict, new_searches
from pipeline.limits import NEVER, Deadline, Limits
from pipeline.native import Program, ProgramLoader
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry, indices_of
from pipeline.puzzle.puzzle import Grid, Puzzle

__all__ = ["MAX_NODES", "Verdict", "check_puzzle", "compiled_check", "search_all_of_batch"]

PYTHON_SECONDS = 0.002
"""Seconds that plain Python takes for a puzzle."""

MAX_NODES = 100_000
"""Default limit on the search nodes of a puzzle. No known 9×9 puzzle needs a tenth of this
number."""

MIN_PARTS = 1000
"""Minimum number of parts of a single puzzle that is checked: many more than are searched in
parallel, because some parts need much longer than others."""

MAX_DIVIDED_SOLUTIONS = 10
"""Maximum number of listed solutions of a puzzle that is divided: each part has room for all. Plain
Python decides most puzzles with more.
"""

CALL_SWEEPS = 4096
"""Number of rounds of propagation per call of machine code, which take a few milliseconds. The
deadline is checked between calls."""

PROGRAM = Program(
    "check",
    "search",
    ("pipeline.certify.many.search", "pipeline.certify.many.sweep"),
    "pipeline.certify.many.try_check",
)
loader = ProgramLoader(PROGRAM)


def compiled_check(puzzles: int, *, at_once: bool = False) -> Callable[..., int] | None:
    """Return the search in machine code; None if it cannot be loaded, or for too few puzzles."""
    return loader.get(puzzles * PYTHON_SECONDS, at_once=at_once)


def search_all_of_batch(
    geometry: Geometry,
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    seconds: float,
    max_nodes: int = MAX_NODES,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Check the listed solutions of P puzzles. Returns verdicts (P,) and numbers of nodes (P,).

    | array | shape | contents |
    |---|---|---|
    | `masks` | (P, n²) | bit v-1 allows the value v; higher bits are ignored |
    | `counts` | (P,) | the number of listed solutions of each puzzle |
    | `grids` | (R, P, n²) | `grids[:counts[p], p]` are the listed solutions of puzzle p |

    A puzzle that needs more than `max_nodes` or more time is undecided. Otherwise its verdict does
    not depend on the other puzzles. The number of nodes does depend on them, because machine code
    is loaded only for many puzzles, and branches differently. Raises ValueError for other shapes
    and types.
    """
    cells = geometry.side**2
    if masks.shape[1:] != (cells,) or grids.shape[1:] != masks.shape or len(counts) != len(masks):
        found = f"masks of {masks.shape}, grids of {grids.shape}, counts of {counts.shape}"
        raise ValueError(f"expected arrays of matching shapes, found {found}")
    if len(counts) and not 0 <= counts.min() <= counts.max() <= len(grids):
        raise ValueError(f"counts: expected 0 to {len(grids)}, the number of grids")
    if grids.dtype != np.uint8 or counts.dtype.kind not in "iu" or masks.dtype.kind != "u":
        raise ValueError(
            f"expected arrays of integers, found masks of {masks.dtype}, counts of {counts.dtype}, "
            f"grids of {grids.dtype}"
        )
    deadline = Deadline.of(Limits(seconds))
    compiled_search = compiled_check(len(masks)) if geometry == NINE_BY_NINE else None
    if compiled_search:
        verdicts, nodes = check_in_parallel(
            compiled_search, masks, counts, grids, max_nodes, deadline
        )
    else:
        verdicts, nodes = np.zeros(len(masks), np.uint8), np.zeros(len(masks), np.int64)
    undecided = np.flatnonzero((verdicts == Verdict.UNDECIDED) & (nodes < max_nodes))
    if len(undecided):
        rest = masks[undecided], counts[undecided], grids[:, undecided]
        verdicts[undecided], nodes[undecided] = check_one_by_one(
            geometry, *rest, max_nodes, deadline
        )
    return verdicts, nodes


def check_puzzle(puzzle: Puzzle, solutions: Sequence[Grid], seconds: float) -> tuple[Verdict, int]:
    """Check the listed solutions of a plain 9×9 puzzle. Returns the verdict and number of nodes.

    The verdict is UNDECIDED without machine code, and after `seconds`.

    A single puzzle would use one lane of the machine code, so it is divided into parts, in which
    some cells have one candidate. Every solution is a solution of exactly one part.
    """
    compiled_search = compiled_check(1, at_once=True)
    if compiled_search is None:
        return Verdict.UNDECIDED, 0
    deadline = Deadline.of(Limits(seconds))
    is_divided = len(solutions) <= MAX_DIVIDED_SOLUTIONS
    masks = _divide(puzzle.cells) if is_divided else np.array([puzzle.cells], np.uint64)
    solutions_of_part: list[list[Grid]] = [[] for _ in masks]
    for grid in solutions:
        bits = np.array([1 << value - 1 for value in grid.values], np.uint64)
        parts = np.flatnonzero((masks & bits).all(axis=1))
        if len(parts) != 1:
            return Verdict.WRONG, 0
        solutions_of_part[parts[0]].append(grid)
    counts = np.array([*map(len, solutions_of_part)])
    grids = np.zeros((max(1, counts.max()), *masks.shape), np.uint8)
    for part in np.flatnonzero(counts):
        grids[: counts[part], part] = [grid.values for grid in solutions_of_part[part]]
    verdicts, nodes = check_in_parallel(
        compiled_search, masks, counts, grids, np.iinfo(np.int64).max, deadline
    )
    others = verdicts[verdicts != Verdict.COMPLETE]  # INCOMPLETE decides, UNDECIDED does not
    return Verdict(others.max() if len(others) else Verdict.COMPLETE), int(nodes.sum())


def _divide(cells: Sequence[int]) -> NDArray[np.uint64]:
    """Divide a puzzle into parts. Returns the candidates (P, n²) of each part.

    In each part, the first cells have one candidate, in order of the number of their candidates in
    the puzzle: as many as it takes for MIN_PARTS, or all.
    """
    masks = np.array([cells], np.uint64)
    for cell in sorted(range(len(cells)), key=lambda cell: cells[cell].bit_count()):
        if len(masks) >= MIN_PARTS:
            break
        candidates = np.array([1 << index for index in indices_of(cells[cell])], np.uint64)
        divided = np.repeat(masks, len(candidates), axis=0)
        divided[:, cell] = np.tile(candidates, len(masks))
        masks = divided
    return masks


def check_in_parallel(
    compiled_search: Callable[..., int],
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    max_nodes: int,
    deadline: Deadline,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Check 9×9 puzzles in machine code. Returns their verdicts and numbers of nodes."""
    masks_16 = np.array(masks & np.uint16(NINE_BY_NINE.all_values), np.uint16, order="C")
    verdicts, nodes = np.zeros(len(masks), np.uint8), np.zeros(len(masks), np.int64)
    arrays = masks_16, np.array(counts, np.int64), np.ascontiguousarray(grids, np.uint8)
    searches = new_searches()
    while deadline.left() and not compiled_search(
        searches, *arrays, verdicts, nodes, max_nodes, CALL_SWEEPS
    ):
        pass
    return verdicts, nodes


def check_one_by_one(
    geometry: Geometry,
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    max_nodes: int,
    deadline: Deadline,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Check puzzles in plain Python. Returns their verdicts and numbers of nodes.

    The remaining time is divided equally among the remaining puzzles, so a hard puzzle cannot use
    up the time of the others.
    """
    verdicts = np.zeros(len(masks), np.uint8)
    nodes = np.zeros(len(masks), np.int64)
    for index, mask in enumerate(masks.tolist()):
        if not deadline.left():
            break
        listed = grids[: counts[index], index].tolist()
        seconds = deadline.left() / (len(masks) - index)
        verdicts[index], nodes[index] = _verdict(geometry, mask, listed, max_nodes, seconds)
    return verdicts, nodes


def _verdict(
    geometry: Geometry, masks: list[int], listed: list[list[int]], max_nodes: int, seconds: float
) -> tuple[Verdict, int]:
    """Check one puzzle in plain Python. Returns its verdict and its number of nodes."""
    cells = tuple(mask & geometry.all_values for mask in masks)
    if not all(cells):
        return (Verdict.WRONG if listed else Verdict.COMPLETE), 0
    try:
        grids = [Grid(geometry, tuple(values)) for values in listed]
    except ValueError:  # a value out of range
        return Verdict.WRONG, 0
    puzzle = Puzzle(geometry, cells)
    try:
        result = search_all(puzzle, grids, max_nodes=max_nodes, seconds=seconds)
    except NotSolutions:
        return Verdict.WRONG, 0
    if result.missing:
        return Verdict.INCOMPLETE, result.nodes
    return (Verdict.COMPLETE if result.is_complete else Verdict.UNDECIDED), result.nodes


def try_check(compiled_search: Callable[..., int]) -> None:
    """Check a puzzle with two solutions three times: with none, one and both of them listed.

    This tests propagation and a branch. Raises RuntimeError if a verdict is wrong.
    """
    grid = np.array([[(3 * r + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], np.uint8)
    other = grid.copy()
    other[:2, ::3] = grid[1::-1, ::3]  # in these columns the first two rows are exchanged
    masks = np.left_shift(1, grid - 1, dtype=np.uint16)
    masks[:2, ::3] = NINE_BY_NINE.all_values
    grids = np.repeat([[grid.ravel()], [other.ravel()]], 3, axis=1)
    arrays = np.repeat([masks.ravel()], 3, axis=0), np.arange(3), grids
    verdicts, _ = check_in_parallel(compiled_search, *arrays, 1, NEVER)
    if verdicts.tolist() != [Verdict.INCOMPLETE, Verdict.INCOMPLETE, Verdict.COMPLETE]:
        raise RuntimeError("self-test of the compiled code failed: a verdict is wrong")
