"""Search: from masks to solutions, depth first, in chunks of many lanes.

Unfinished nodes lie on a stack. A step takes the uppermost lanes, enough to fill a chunk,
propagates them for some rounds, drops the dead, records the solved, and splits in two those that
no longer change. The halves that deny a candidate are pushed first, and all the rest above them:
so puzzles with many solutions go straight down to one, while the others fill the chunk with work
that they need in any case. New puzzles are begun only when the stack cannot fill a chunk.

On the stack a lane is a row: its candidates in words, then its puzzle and its path, a bit for each
branching above it, 0 where the candidate was assumed. The lanes of a puzzle are in the order of
their paths, so which of its solutions are the first does not depend on what else is being solved.
A path that is too long for its room is cut off; only that order is lost then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.limits import Deadline
from pipeline.puzzle.puzzle import Geometry
from pipeline.solving.compiled.planes import (
    WORD,
    Bits,
    Layout,
    Rows,
    layout_of,
    planes_of,
    rows_of,
)
from pipeline.solving.compiled.propagate import Chunk, cells_to_split, or_

Masks = NDArray[np.unsignedinteger]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

_idle: dict[Layout, Chunks] = {}


class Chunks:
    """A chunk for each of a few numbers of words: 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._made: dict[int, Chunk] = {}

    def for_lanes(self, lanes: int) -> Chunk:
        """The smallest chunk with room for so many lanes; its planes are undefined."""
        words = -(-lanes // WORD)
        power = 1 << (words - 1).bit_length()
        words = power * 3 // 4 if power >= 4 and words <= power * 3 // 4 else power
        if words not in self._made:
            self._made[words] = Chunk(self._layout, words)
        return self._made[words]


@contextmanager
def chunks_of(layout: Layout) -> Iterator[Chunks]:
    """Chunks for exclusive use; those of the last geometry are kept."""
    chunks = _idle.pop(layout, None) or Chunks(layout)
    try:
        yield chunks
    finally:
        _idle.clear()
        _idle[layout] = chunks


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


CELLS_PER_WORD = 64
"""A path has room for as many branchings as there are cells, and more."""


class Columns:
    """Where things lie in a row, and the operations on rows."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.candidates = slice(0, layout.row_words)
        self.puzzle = layout.row_words
        self.depth = layout.row_words + 1
        path_words = 1 + layout.cells.size // CELLS_PER_WORD
        self.path = slice(self.depth + 1, self.depth + 1 + path_words)
        self.width = self.path.stop

    def puzzles(self, rows: Rows) -> Indices:
        return rows[:, self.puzzle].astype(np.intp)

    def in_order(self, rows: Rows) -> Indices:
        keys = [rows[:, column] for column in range(self.path.stop - 1, self.path.start - 1, -1)]
        order: Indices = np.lexsort((*keys, rows[:, self.puzzle]))
        return order

    def split(self, rows: Rows, cells: Indices) -> Rows:
        """Assume, in place, the smallest value of each row's cell; return the rows that deny it."""
        layout, every = self._layout, np.arange(len(rows))
        denying, undone = rows.copy(), np.ones(len(rows), np.bool_)
        rows[:, self.candidates] &= ~layout.cell_masks(cells)
        for value in range(layout.geometry.side):
            word, bit = layout.bits(cells, value)
            first = undone & (denying[every, word] & bit != 0)
            rows[first, word[first]] |= bit[first]
            denying[first, word[first]] ^= bit[first]
            undone &= ~first
        rows[:, self.depth] += np.uint64(1)
        self._note_denial(denying)
        return denying

    def _note_denial(self, rows: Rows) -> None:
        word, bit = np.divmod(rows[:, self.depth].astype(np.intp), WORD)
        room = np.flatnonzero(word < self.path.stop - self.path.start)
        bits = np.left_shift(np.uint64(1), (WORD - 1 - bit[room]).astype(np.uint64))
        rows[room, self.path.start + word[room]] |= bits
        rows[:, self.depth] += np.uint64(1)


class Ledger:
    """At most `most` solved rows of each puzzle, those with the first paths.

    A puzzle that has so many is *full*; its lanes after its last solution are idle.
    """

    def __init__(self, columns: Columns, puzzles: int, most: int) -> None:
        self._columns, self._most = columns, most
        self.counts = np.zeros(puzzles, np.intp)
        self.rows = np.empty((puzzles, most, columns.width), np.uint64)

    def add(self, rows: Rows) -> None:
        """Record solved rows."""
        if not len(rows):
            return
        rows = rows[self._columns.in_order(rows)]
        puzzles = self._columns.puzzles(rows)
        places = self.counts[puzzles] + ranks(puzzles)
        fits = places < self._most
        self.rows[puzzles[fits], places[fits]] = rows[fits]
        np.add.at(self.counts, puzzles[fits], 1)
        full = np.unique(puzzles[self.counts[puzzles] == self._most])
        if len(full):
            self._keep_first(full, rows[~fits])

    @property
    def full(self) -> NDArray[np.bool_]:
        full: NDArray[np.bool_] = self.counts == self._most
        return full

    def idle(self, rows: Rows) -> NDArray[np.bool_]:
        """Whether each row's puzzle is full and all its solutions come before the row."""
        puzzles = self._columns.puzzles(rows)
        idle: NDArray[np.bool_] = self.counts[puzzles] == self._most
        if idle.any():
            last = self.rows[puzzles[idle], -1, self._columns.path]
            idle[idle] = ~_before(rows[idle, self._columns.path], last)
        return idle

    def _keep_first(self, full: NDArray[np.intp], more: Rows) -> None:
        rows = np.concatenate((self.rows[full].reshape(-1, more.shape[1]), more))
        rows = rows[self._columns.in_order(rows)]
        starts = np.searchsorted(self._columns.puzzles(rows), full)
        self.rows[full] = rows[starts[:, None] + np.arange(self._most)]


def ranks(sorted_values: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each value the number of equal values before it."""
    ranks: NDArray[np.intp] = np.arange(len(sorted_values))
    return ranks - np.searchsorted(sorted_values, sorted_values)


def _before(paths: Rows, others: Rows) -> NDArray[np.bool_]:
    """Whether each path comes before the other; only cut-off paths can be equal."""
    before = np.zeros(len(paths), np.bool_)
    for column in range(paths.shape[1] - 1, -1, -1):
        mine, theirs = paths[:, column], others[:, column]
        before = (mine < theirs) | ((mine == theirs) & before)
    return before


ROUNDS = 4
"""Rounds in a step. More are wasted on lanes that no longer change, fewer cost more steps."""

STACK_BYTES = 64 * 1024 * 1024
LEVELS = 64
"""A step takes at most so many lanes that the stack has room for LEVELS such steps, or a single
lane if there is no room. So the stack hardly grows beyond its limit, at the cost of speed."""


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
        return self._ledger.counts

    def decided(self) -> Flags:
        """Whether each puzzle has been searched to its end or has all the solutions wanted."""
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
        """Rows of puzzles not begun yet, as many as there is room for."""
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


BUFFER = 256
"""Elements in numpy's buffers. Longer stretches are not copied, so that operations on strided
planes take half the time. Type conversions take longer."""


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

    @classmethod
    def in_order(
        cls, counts: NDArray[np.int64], decided: NDArray[np.bool_], grids: NDArray[np.uint8]
    ) -> Found:
        """Sort the solutions of every puzzle in ascending order, in place."""
        several = np.flatnonzero(counts > 1)
        for count in np.flatnonzero(np.bincount(counts[several])):
            puzzles = several[counts[several] == count]
            theirs = np.ascontiguousarray(grids[:count, puzzles].swapaxes(0, 1))
            as_text = theirs.view(f"S{theirs.shape[2]}")[:, :, 0]
            order = np.argsort(as_text, axis=1)
            sorted_ = np.take_along_axis(theirs, order[:, :, None], 1)
            grids[:count, puzzles] = sorted_.swapaxes(0, 1)
        return cls(counts, decided, grids)


def search_planes(geometry: Geometry, masks: Masks, most: int, deadline: Deadline) -> Found:
    """As `solve_lanes`, for puzzles of any geometry, in numpy."""
    layout = layout_of(geometry)
    with _little_buffered(), chunks_of(layout) as chunks:
        search = Search(layout, chunks, masks.astype(np.uint64, copy=False), most)
        search.run(deadline)
        grids = search.grids()
    return Found.in_order(search.counts, search.decided(), grids)


@contextmanager
def _little_buffered() -> Iterator[None]:
    before = np.setbufsize(BUFFER)
    try:
        yield
    finally:
        np.setbufsize(before)
