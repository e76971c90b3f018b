"""The canonical form of puzzles with one solution, in numpy: many side by side.

Candidates are symmetries that may make the solution lowest. Those are taken that lead to the
lowest second row; then row by row only those stay that are the lowest yet. Few stay at last, mostly
one, and they are applied to the puzzle.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.openings import openings_of
from pipeline.catalogue.symmetries import Cells, Lines, Symmetries, line_orders

AT_ONCE = 1024
"""Puzzles side by side: few enough for a core's cache, enough to be fast."""


def forms_abreast(puzzles: Cells, solutions: Cells, box: int) -> Cells:
    """The canonical forms (P, n²) of puzzles with these solutions; see `canonical`."""
    forms = np.empty_like(puzzles)
    for start in range(0, len(puzzles), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        forms[some] = _forms(puzzles[some], solutions[some], box)
    return forms


def _forms(puzzles: Cells, solutions: Cells, box: int) -> Cells:
    left = _begun(solutions, box)
    for row in range(2, box * box):
        left = left.among(_lowest_of(left.puzzle, left.row(row)))
    images = left.symmetries().of(puzzles[left.puzzle])
    several = _lowest_images(left.puzzle, images, box)
    first = np.unique(left.puzzle[several], return_index=True)[1]
    return images[several][first]


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Symmetries of solutions, those of one after the other.

    puzzle: (C,) whose each is. grids: (C, n, n) the solution, transposed if the symmetry does so.
    rows, columns, labels: as in `Symmetries`.
    """

    puzzle: Lines
    transposed: NDArray[np.bool_]
    grids: Cells
    rows: Lines
    columns: Lines
    labels: Cells

    def row(self, number: int) -> Cells:
        """That row of each image."""
        each = np.arange(len(self.puzzle))
        values = self.grids[each[:, None], self.rows[:, number, None], self.columns]
        return self.labels[each[:, None], values]

    def among(self, kept: Lines) -> _Candidates:
        if len(kept) == len(self.puzzle):
            return self
        return _Candidates(
            self.puzzle[kept],
            self.transposed[kept],
            self.grids[kept],
            self.rows[kept],
            self.columns[kept],
            self.labels[kept],
        )

    def symmetries(self) -> Symmetries:
        return Symmetries(self.transposed, self.rows, self.columns, self.labels)


def _begun(solutions: Cells, box: int) -> _Candidates:
    """The symmetries that make the first row of each solution 1, 2, … and the second the lowest."""
    side, table = box * box, openings_of(box)
    upright = solutions.reshape(-1, 1, side, side)
    both = np.concatenate((upright, upright.swapaxes(2, 3)), axis=1)
    pairs = [(a, b) for a, b in permutations(range(side), 2) if a // box == b // box]
    first, second = np.array(pairs).T
    columns_of = np.argsort(both, axis=3)
    rows = np.take_along_axis(columns_of[:, :, first], both[:, :, second].astype(np.intp) - 1, 3)
    keys = table.keys(rows).reshape(len(solutions), -1)
    ranks = table.ranks[keys]
    puzzle, at = np.nonzero(ranks == ranks.min(axis=1, keepdims=True))
    key = keys[puzzle, at]
    how_many = table.how_many[key]
    each = np.repeat(np.arange(len(puzzle)), how_many)
    nth = np.arange(len(each)) - np.repeat(np.cumsum(how_many) - how_many, how_many)
    columns = line_orders(box)[table.orders[table.starts[key][each] + nth]]
    lying, pair = np.divmod(at[each], len(pairs))
    return _placed(puzzle[each], both, (lying, first[pair], second[pair]), columns)


def _placed(
    puzzle: Lines, both: Cells, chosen: tuple[Lines, Lines, Lines], columns: Lines
) -> _Candidates:
    """The candidates with the order of their rows and their labels."""
    lying, first, second = chosen
    grids = both[puzzle, lying]
    each, side = np.arange(len(puzzle)), both.shape[3]
    box = round(side**0.5)
    labels = np.zeros((len(each), side + 1), np.uint8)
    tops = grids[each[:, None], first[:, None], columns]
    labels[each[:, None], tops] = np.arange(1, side + 1)
    begins = labels[each[:, None], grids[each, :, columns[:, 0]]].astype(np.int16)
    begins[each, second] = -1
    begins[each, first] = -2
    bands = begins.reshape(-1, box, box).min(axis=2).repeat(box, axis=1)
    rows = np.argsort(2 * side * bands + begins, axis=1)
    return _Candidates(puzzle, lying == 1, grids, rows, columns, labels)


def _lowest_of(groups: Lines, rows: Cells) -> Lines:
    """The places of the lowest rows (C, n) in each group; equal groups are neighbours."""
    codes = rows @ (np.int64(rows.shape[1] + 1) ** np.arange(rows.shape[1] - 1, -1, -1))
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    lowest = np.minimum.reduceat(codes, starts)
    sizes = np.diff(starts, append=len(groups))
    return np.flatnonzero(codes == np.repeat(lowest, sizes))


def _lowest_images(groups: Lines, images: Cells, box: int) -> Lines:
    """The places of the lowest images (C, n²) in each group; equal groups are neighbours."""
    side, kept = box * box, np.arange(len(groups))
    for start in range(0, side * side, side):
        kept = kept[_lowest_of(groups[kept], images[kept, start : start + side])]
    return kept
