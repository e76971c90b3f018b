"""Search: from masks to solutions, depth first, in chunks of many lanes.

What is still to be searched lies on a stack. A step takes the uppermost lanes, enough to fill a
chunk, propagates them for some rounds, drops the dead, enters the solved, and splits in two
those that stand still. The halves that deny a candidate are put back first, and above them all
that is left: so puzzles with many solutions go straight down to one, while the others fill the
chunk with what they need to see anyway. New puzzles are begun only where the stack cannot fill
a chunk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.limits import Deadline
from pipeline.solve.lanes.branch import cells_to_split
from pipeline.solve.lanes.chunks import Chunks
from pipeline.solve.lanes.convert import Masks, flags_of, grids_of_rows, rows_of_masks
from pipeline.solve.lanes.found import Ledger, ranks
from pipeline.solve.lanes.layout import WORD, Layout, Rows
from pipeline.solve.lanes.rows import Columns, Flags
from pipeline.solve.lanes.transpose import planes_of, rows_of

ROUNDS = 4
"""In a step. More of them are lost on lanes that stand still, fewer cost more steps."""

STACK_BYTES = 64 * 1024 * 1024
LEVELS = 64
"""No step takes more lanes than there is room left on the stack for so many such steps; where
none is left, a single one. So the stack hardly grows any more, if at the cost of speed."""


class Search:
    """The search for the first `most` solutions of each puzzle of one geometry."""

    def __init__(self, layout: Layout, chunks: Chunks, masks: Masks, most: int) -> None:
        self._layout, self._chunks, self._masks = layout, chunks, masks
        self._columns = Columns(layout)
        self._stack: list[Rows] = []
        self._begun = 0
        self._ledger = Ledger(self._columns, len(masks), most)

    def run(self, deadline: Deadline) -> None:
        """Search until the end, or the deadline."""
        while (self._stack or self._begun < len(self._masks)) and deadline.left():
            rows = self._take()
            if len(rows):
                self._step(rows)

    @property
    def counts(self) -> NDArray[np.intp]:
        """The number of solutions of each puzzle so far."""
        return self._ledger.counts

    def decided(self) -> Flags:
        """Whether each puzzle has been searched to its end or has all solutions wanted."""
        decided = np.ones(len(self._masks), np.bool_)
        decided[self._begun :] = False
        for rows in self._stack:
            decided[self._columns.puzzles(rows)] = False
        return decided | self._ledger.full

    def grids(self) -> NDArray[np.uint8]:
        """The solutions as (most, puzzles, n²); 0 where there is none."""
        most, lanes = self._ledger.rows.shape[1], self._layout.words * WORD
        grids = np.zeros((most, len(self._masks), self._layout.cells.size), np.uint8)
        puzzles = np.repeat(np.arange(len(self._masks)), self.counts)
        places = ranks(puzzles)
        for start in range(0, len(puzzles), lanes):
            some, place = puzzles[start : start + lanes], places[start : start + lanes]
            candidates = self._ledger.rows[some, place, self._columns.candidates]
            grids[place, some] = grids_of_rows(self._chunks.for_lanes(len(some)), candidates)
        return grids

    def _take(self) -> Rows:
        free = STACK_BYTES - sum(rows.nbytes for rows in self._stack)
        room = free // (LEVELS * 8 * self._columns.width)
        room = max(1, min(room, self._layout.words * WORD))
        parts: list[Rows] = []
        while room and self._stack:
            rows = self._stack.pop()
            rows = rows[~self._ledger.idle(rows)]
            if len(rows) > room:
                self._stack.append(rows[room:])
            parts.append(rows[:room])
            room -= len(parts[-1])
        if room and self._begun < len(self._masks):
            parts.append(self._begin(room))
        return np.concatenate(parts)

    def _begin(self, room: int) -> Rows:
        """Rows of puzzles that were not begun yet, as many as there is room for."""
        masks = self._masks[self._begun : self._begun + room]
        rows = np.zeros((len(masks), self._columns.width), np.uint64)
        rows[:, self._columns.candidates] = rows_of_masks(self._chunks.for_lanes(len(masks)), masks)
        rows[:, self._columns.puzzle] = np.arange(self._begun, self._begun + len(masks))
        self._begun += len(masks)
        return rows

    def _step(self, rows: Rows) -> None:
        chunk, count = self._chunks.for_lanes(len(rows)), len(rows)
        planes_of(rows[:, self._columns.candidates], chunk.block, chunk.spare)
        chunk.propagate(ROUNDS)
        still = chunk.open & ~chunk.dead & ~chunk.moved
        cells = cells_to_split(chunk, still)
        rows[:, self._columns.candidates] = rows_of(
            chunk.block, chunk.spare, self._layout.row_words
        )[:count]
        dead, undecided, split = (
            flags_of(lanes, count) for lanes in (chunk.dead, chunk.open, still)
        )
        self._ledger.add(rows[~dead & ~undecided])
        assuming = rows[split]
        self._push(self._columns.split(assuming, cells[:count][split]))
        rows[split] = assuming
        self._push(rows[undecided & ~dead])

    def _push(self, rows: Rows) -> None:
        if len(rows):
            self._stack.append(rows)
