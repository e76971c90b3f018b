"""The check of `exhaustion.py` for many puzzles of one geometry side by side, in numpy.

It strikes what `exhaustion.py` strikes, and branches in a cell with few values. The bits of a word
are the values that a cell may hold.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.verdicts import Verdict
from pipeline.limits import Deadline
from pipeline.puzzle.puzzle import Geometry, units_of

ABREAST = 1024
"""Nodes of searches that are propagated together: few enough for a core's cache."""

Words = NDArray[np.unsignedinteger[Any]]


def check_abreast(
    geometry: Geometry,
    masks: Words,
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.uint8],
    most: int,
    deadline: Deadline,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The verdicts on puzzles, and their nodes; see `exhausted_many`."""
    search = _Search(geometry, masks, counts, grids, most)
    while deadline.left() and search.goes_on():
        pass
    return search.verdicts, search.nodes


class _Nodes(NamedTuple):
    """K nodes of searches: what their cells may hold, (n², K), and whose they are, (K,)."""

    cells: Words
    puzzle: NDArray[np.intp]

    def where(self, chosen: NDArray[np.bool_]) -> _Nodes:
        return _Nodes(self.cells.compress(chosen, axis=1), self.puzzle[chosen])


class _Search:
    """The searches of P puzzles.

    `open` (P,) are the nodes of each that are not done, `met` (P,) the listed grids it has come to.
    """

    def __init__(
        self,
        geometry: Geometry,
        masks: Words,
        counts: NDArray[np.integer[Any]],
        grids: NDArray[np.uint8],
        most: int,
    ) -> None:
        self.verdicts = np.zeros(len(masks), np.uint8)
        self.nodes = np.zeros(len(masks), np.int64)
        self._geometry = geometry
        self._counts = counts
        self._grids = grids
        self._most = most
        self._masks = (masks & geometry.all_values).astype(np.min_scalar_type(geometry.all_values))
        self._open = np.ones(len(masks), np.int64)
        self._met = np.zeros(len(masks), np.int64)
        good = _are_different_solutions(geometry, self._masks, counts, grids)
        self.verdicts[~good] = Verdict.WRONG
        self._fresh = np.flatnonzero(good)
        self._working = self._begun(0)
        self._waiting: list[_Nodes] = []

    def goes_on(self) -> bool:
        """Propagate once, and branch or end where nothing follows; whether anything is left."""
        self._fill_up()
        now = self._working
        if not len(now.puzzle):
            return False
        before = now.cells.copy()
        dead = _propagate(self._geometry, now.cells)
        stays = (before == now.cells).all(axis=0) & ~dead
        several = (now.cells & (now.cells - 1) != 0).any(axis=0)
        self._end(now.where(dead))
        self._meet(now.where(stays & ~several))
        self._branch(now.where(stays & several))
        wanted = self.verdicts[now.puzzle] == Verdict.UNDECIDED
        self._working = now.where(~dead & ~stays & wanted)
        return True

    def _fill_up(self) -> None:
        parts, count = [self._working], len(self._working.puzzle)
        while count < ABREAST and (self._waiting or len(self._fresh)):
            room = ABREAST - count
            some = self._waiting.pop() if self._waiting else self._begun(room)
            if len(some.puzzle) > room:
                self._waiting.append(_Nodes(some.cells[:, room:], some.puzzle[room:]))
                some = _Nodes(some.cells[:, :room], some.puzzle[:room])
            some = some.where(self.verdicts[some.puzzle] == Verdict.UNDECIDED)
            parts.append(some)
            count += len(some.puzzle)
        if len(parts) > 1:
            cells = np.concatenate([part.cells for part in parts], axis=1)
            self._working = _Nodes(cells, np.concatenate([part.puzzle for part in parts]))

    def _begun(self, count: int) -> _Nodes:
        some, self._fresh = self._fresh[:count], self._fresh[count:]
        return _Nodes(np.ascontiguousarray(self._masks[some].T), some)

    def _end(self, nodes: _Nodes) -> None:
        """Note that these are done: a puzzle without open nodes is searched through.

        Two branches have no grid in common; so each listed one is met once, or something is wrong.
        """
        np.subtract.at(self._open, nodes.puzzle, 1)
        ended = nodes.puzzle[self._open[nodes.puzzle] == 0]
        ended = ended[self._met[ended] == self._counts[ended]]
        self.verdicts[ended[self.verdicts[ended] == Verdict.UNDECIDED]] = Verdict.COMPLETE

    def _meet(self, nodes: _Nodes) -> None:
        """Look whether these grids are listed."""
        values = np.bitwise_count(nodes.cells - 1) + 1
        is_listed = np.zeros(len(nodes.puzzle), np.bool_)
        for rank, grids in enumerate(self._grids):
            is_same = (values == grids[nodes.puzzle].T).all(axis=0)
            is_listed |= is_same & (self._counts[nodes.puzzle] > rank)
        np.add.at(self._met, nodes.puzzle[is_listed], 1)
        self.verdicts[nodes.puzzle[~is_listed]] = Verdict.INCOMPLETE
        self._end(nodes)

    def _branch(self, nodes: _Nodes) -> None:
        """Set aside each node twice, with a value in a cell and without it.

        A puzzle with too many nodes is given up: the nodes that it has open are never done.
        """
        np.add.at(self.nodes, nodes.puzzle, 1)
        nodes = nodes.where(self.nodes[nodes.puzzle] <= self._most)
        np.add.at(self._open, nodes.puzzle, 1)
        count = len(nodes.puzzle)
        if not count:
            return
        left = np.bitwise_count(nodes.cells)
        cell = np.where(left > 1, left, self._geometry.side + 1).argmin(axis=0)
        every = np.arange(count)
        candidates = nodes.cells[cell, every]
        without = candidates & (candidates - 1)
        for kept in (without, candidates ^ without):
            cells = nodes.cells.copy()
            cells[cell, every] = kept
            self._waiting.append(_Nodes(cells, nodes.puzzle))


def _propagate(geometry: Geometry, cells: Words) -> NDArray[np.bool_]:
    """Strike candidates of (n², K) once; whether it is seen that there is no solution, (K,).

    A segment is the part of a row or column in one box. It must have a value if one of its cells
    has no other, or if it is the only one of its row, column or box that may have it: then the
    others of these have it not. The cell in which two such segments meet holds the value.
    """
    height, width, count = geometry.height, geometry.width, cells.shape[1]
    by_box = cells.reshape(width, height, height, width, count)  # band, row in it, stack, column
    sure = (cells * (cells & (cells - 1) == 0)).reshape(by_box.shape)
    met = np.full_like(by_box, geometry.all_values)
    dead: NDArray[np.bool_] = (cells == 0).any(axis=0)
    for cut, line, box in ((3, 2, 1), (1, 0, 2)):  # rows, then columns
        may, must = np.bitwise_or.reduce(by_box, axis=cut), np.bitwise_or.reduce(sure, axis=cut)
        for axis in (line, box):
            one, more = _counted(may, axis)
            dead |= (one != geometry.all_values).any(axis=(0, 1))
            must |= may & np.expand_dims(one & ~more, axis)
        for axis in (line, box):
            one, more = _counted(must, axis)
            dead |= (more != 0).any(axis=(0, 1))
            may &= must | ~np.expand_dims(one, axis)
        by_box &= np.expand_dims(may, cut)
        met &= np.expand_dims(must, cut)
    dead |= (met & (met - 1) != 0).any(axis=(0, 1, 2, 3))
    by_box &= met | (met == 0) * met.dtype.type(geometry.all_values)
    return dead


def _counted(words: Words, axis: int) -> tuple[Words, Words]:
    """The bits that are set once or more along an axis, and those that are set more often."""
    one = np.zeros_like(words.take(0, axis))
    more = np.zeros_like(one)
    for here in np.moveaxis(words, axis, 0):
        more |= one & here
        one |= here
    return one, more


def _are_different_solutions(
    geometry: Geometry, masks: Words, counts: NDArray[np.integer[Any]], grids: NDArray[np.uint8]
) -> NDArray[np.bool_]:
    """Whether the first `counts` grids of each puzzle are different solutions, (P,)."""
    good = np.ones(len(masks), np.bool_)
    for rank, values in enumerate(grids):
        fits = ((values >= 1) & (values <= geometry.side)).all(axis=1)
        shifts = np.where(values, values - 1, 0).astype(masks.dtype)
        bits = np.left_shift(masks.dtype.type(1), shifts, dtype=masks.dtype)
        fits &= (bits & masks != 0).all(axis=1)
        for unit in units_of(geometry):
            fits &= np.bitwise_or.reduce(bits[:, list(unit)], axis=1) == geometry.all_values
        for earlier in grids[:rank]:
            fits &= (earlier != values).any(axis=1)
        good &= fits | (counts <= rank)
    return good
