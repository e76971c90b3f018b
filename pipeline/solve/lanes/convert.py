"""Convert: masks to rows, and the rows of solved lanes to grids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.solve.lanes.layout import WORD, Bits, Layout, Rows
from pipeline.solve.lanes.program import or_
from pipeline.solve.lanes.propagate import Chunk
from pipeline.solve.lanes.rows import Flags
from pipeline.solve.lanes.transpose import planes_of, rows_of

Masks = NDArray[np.uint64]


def flags_of(lanes: Bits, count: int) -> Flags:
    """The first `count` bits of one plane."""
    return np.unpackbits(lanes.view(np.uint8), count=count, bitorder="little").view(np.bool_)


def rows_of_masks(chunk: Chunk, masks: Masks) -> Rows:
    """The candidates (lanes, row_words) of masks (lanes, n²)."""
    layout = chunk.layout
    by_cell = np.zeros((layout.cells.size, chunk.words * WORD), _narrowest(layout))
    by_cell[:, : len(masks)] = masks.T[layout.cells]
    chunk.block[:] = 0
    for value in range(layout.geometry.side):
        allowed = by_cell & by_cell.dtype.type(1 << value) != 0
        planes = np.packbits(allowed, axis=1, bitorder="little").view(np.uint64)
        chunk.alive[:, value] = planes.reshape(chunk.once.shape)
    return rows_of(chunk.block, chunk.spare, layout.row_words)[: len(masks)]


def grids_of_rows(chunk: Chunk, candidates: Rows) -> NDArray[np.uint8]:
    """The values (lanes, n²) of rows with one candidate for each cell."""
    layout, lanes = chunk.layout, len(candidates)
    planes_of(candidates, chunk.block, chunk.spare)
    by_cell = np.zeros((layout.cells.size, chunk.words * WORD), np.uint8)
    for power in range(layout.geometry.side.bit_length()):
        values = [v for v in range(1, layout.geometry.side + 1) if v >> power & 1]
        planes = or_.reduce(chunk.alive[:, [value - 1 for value in values]], 1)
        bits = np.unpackbits(planes.reshape(-1).view(np.uint8), bitorder="little")
        by_cell |= bits.reshape(by_cell.shape) << np.uint8(power)
    grids = np.empty((lanes, layout.cells.size), np.uint8)
    grids[:, layout.cells] = by_cell[:, :lanes].T
    return grids


def _narrowest(layout: Layout) -> np.dtype[np.unsignedinteger]:
    return np.min_scalar_type(layout.geometry.all_values)
