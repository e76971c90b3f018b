"""Ledger: the first solutions of each puzzle, and which lanes can no longer matter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.solve.lanes.layout import Rows
from pipeline.solve.lanes.rows import Columns


class Ledger:
    """Of each puzzle at most `most` solved rows, those with the first paths.

    A puzzle that has so many is *full*; lanes after its last solution are idle.
    """

    def __init__(self, columns: Columns, puzzles: int, most: int) -> None:
        self._columns, self._most = columns, most
        self.counts = np.zeros(puzzles, np.intp)
        self.rows = np.empty((puzzles, most, columns.width), np.uint64)

    def add(self, rows: Rows) -> None:
        """Enter solved rows."""
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
        """Whether each puzzle is."""
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
    """How many equal values stand before each."""
    ranks: NDArray[np.intp] = np.arange(len(sorted_values))
    return ranks - np.searchsorted(sorted_values, sorted_values)


def _before(paths: Rows, others: Rows) -> NDArray[np.bool_]:
    """Whether each path comes before the other. Two are the same only if they are too long."""
    before = np.zeros(len(paths), np.bool_)
    for column in range(paths.shape[1] - 1, -1, -1):
        mine, theirs = paths[:, column], others[:, column]
        before = (mine < theirs) | ((mine == theirs) & before)
    return before
