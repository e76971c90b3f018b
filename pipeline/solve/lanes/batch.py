"""Masks → Found: the front of the search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.limits import Deadline, Limits
from pipeline.puzzle import Geometry
from pipeline.solve.lanes.chunks import chunks_of
from pipeline.solve.lanes.layout import LARGEST_SIDE, layout_of
from pipeline.solve.lanes.search import Search

BUFFER = 256
"""Elements in numpy's buffers. Stretches longer than that are not copied, so that operations on
strided planes take half the time. Conversions of types take longer."""


@dataclass(frozen=True, slots=True)
class Found:
    """The solutions of each of P puzzles.

    counts: (P,) how many were found, at most `most`. decided: (P,) whether the search ended or
    found `most` of them; otherwise the time was up. grids: (most, P, n²) their values 1 … n, 0
    where there is no solution; those of a puzzle are distinct and in ascending order.
    """

    counts: NDArray[np.int64]
    decided: NDArray[np.bool_]
    grids: NDArray[np.uint8]


def solve_lanes(geometry: Geometry, masks: NDArray[np.uint64], most: int, seconds: float) -> Found:
    """Find `most` solutions of each puzzle, or all if there are fewer.

    `masks` is (P, n²), bit v-1 of a mask allows value v. What is found for a puzzle that gets
    decided does not depend on the others. Raises ValueError for a side above LARGEST_SIDE, masks
    of another shape or a `most` below 1.
    """
    cells = geometry.side**2
    if geometry.side > LARGEST_SIDE:
        raise ValueError(f"lanes take sides up to {LARGEST_SIDE}, not {geometry.side}")
    if masks.ndim != 2 or masks.shape[1] != cells or most < 1:
        raise ValueError(f"masks of shape {masks.shape} for {cells} cells, {most} solutions")
    deadline = Deadline.of(Limits(seconds))
    layout = layout_of(geometry)
    with _little_buffered(), chunks_of(layout) as chunks:
        search = Search(layout, chunks, masks.astype(np.uint64, copy=False), most)
        search.run(deadline)
        grids = search.grids()
    _sort(grids, search.counts)
    return Found(search.counts, search.decided(), grids)


@contextmanager
def _little_buffered() -> Iterator[None]:
    before = np.setbufsize(BUFFER)
    try:
        yield
    finally:
        np.setbufsize(before)


def _sort(grids: NDArray[np.uint8], counts: NDArray[np.intp]) -> None:
    """Bring the solutions of every puzzle into ascending order, in place."""
    several = np.flatnonzero(counts > 1)
    for count in np.unique(counts[several]):
        puzzles = several[counts[several] == count]
        theirs = np.ascontiguousarray(grids[:count, puzzles].swapaxes(0, 1))
        as_text = theirs.view(f"S{theirs.shape[2]}")[:, :, 0]
        order = np.argsort(as_text, axis=1)
        grids[:count, puzzles] = np.take_along_axis(theirs, order[:, :, None], 1).swapaxes(0, 1)
