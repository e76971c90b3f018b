"""Many puzzles of one geometry as one CNF: their `reduced` encodings side by side.

The clauses are those of each puzzle, over its own variables, one puzzle after the other. Whole
arrays of puzzles are propagated and written at once, which is ten times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pipeline.puzzle.puzzle import Geometry, units_of
from pipeline.solving.cnf import Cnf, Family, Written

Masks = NDArray[np.uint64]
_ONE = np.uint64(1)


def propagate_many(geometry: Geometry, masks: Masks) -> tuple[Masks, NDArray[np.bool_]]:
    """The fixpoint of `propagate` for P puzzles, (P, n²), and which of them are consistent."""
    cells = masks.copy()
    units = np.array(units_of(geometry))
    moving = np.arange(len(cells))
    right = np.ones(len(cells), np.bool_)
    while len(moving):
        before = cells[moving]
        after = before.copy()
        parts = np.split(units, 3)  # rows, columns, boxes
        checks = [_tighten(after, part, geometry) for part in parts]
        checks.append(_consistent(after, units, geometry))
        good = np.stack(checks).min(axis=0)
        right[moving[~good]] = False
        cells[moving] = after
        moving = moving[good & (after != before).any(axis=1)]
    return cells, right


def _is_single(masks: Masks) -> NDArray[np.bool_]:
    single: NDArray[np.bool_] = (masks & (masks - _ONE)) == 0
    return single


def _tighten(cells: Masks, units: NDArray[np.int64], geometry: Geometry) -> NDArray[np.bool_]:
    """Propagate naked and hidden singles in disjoint units that cover all cells, in place.

    False for a puzzle in which a cell is the only place of two values.
    """
    inside = cells[:, units]
    single = np.where(_is_single(inside), inside, 0)
    fixed = np.bitwise_or.reduce(single, axis=2, keepdims=True)
    inside = np.where(single > 0, inside, inside & ~fixed)
    once = np.zeros_like(inside[:, :, 0])
    twice = np.zeros_like(once)
    for place in range(geometry.side):
        twice |= once & inside[:, :, place]
        once |= inside[:, :, place]
    hidden = (once & ~twice)[:, :, None] & inside
    cells[:, units] = np.where(hidden > 0, hidden, inside)
    twofold = ~_is_single(hidden).reshape(len(cells), -1)
    right: NDArray[np.bool_] = twofold.sum(axis=1) == 0
    return right


def _consistent(cells: Masks, units: NDArray[np.int64], geometry: Geometry) -> NDArray[np.bool_]:
    """Whether each unit still has a place for every value, and no value is fixed twice in it."""
    inside = cells[:, units]
    whole = np.bitwise_or.reduce(inside, axis=2) == np.uint64(geometry.all_values)
    single = np.where(_is_single(inside), inside, 0)
    count = (single > 0).sum(axis=2)
    distinct = np.bitwise_count(np.bitwise_or.reduce(single, axis=2)) == count
    result: NDArray[np.bool_] = (whole & distinct).all(axis=1) & (cells > 0).all(axis=1)
    return result


@dataclass(frozen=True, slots=True)
class Together:
    """One CNF for P consistent puzzles, with a spare variable for each after the others.

    `owners` are three arrays: puzzle, cell and value less 1 of every variable, in order.
    `fixed` are the values that propagation decided, (P, n²), 0 for an open cell.
    """

    cnf: Cnf
    owners: tuple[NDArray[np.intp], ...]
    fixed: NDArray[np.uint8]

    def spare(self, puzzle: int) -> int:
        """The variable that belongs to a puzzle and stands in no clause."""
        return len(self.owners[0]) + 1 + puzzle

    def chosen(self, model: frozenset[int]) -> NDArray[np.int64]:
        """The indices (variable less 1) of the candidates that a model makes true, ascending."""
        literals = np.fromiter(model, np.int64, len(model))
        return np.sort(literals[(literals > 0) & (literals <= len(self.owners[0]))]) - 1

    def grids(self, chosen: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The grid of each puzzle, (P, n²); a missing value is 0."""
        puzzles, cells, values = self.owners
        grids = self.fixed.copy()
        grids[puzzles[chosen], cells[chosen]] = values[chosen] + 1
        return grids


def encode_together(geometry: Geometry, masks: Masks) -> Together:
    """Encode puzzles that `propagate_many` found consistent, from its masks."""
    n = geometry.side
    bits = (masks[:, :, None] >> np.arange(n, dtype=np.uint64)) & _ONE
    is_open = ~_is_single(masks)
    alive = (bits > 0) & is_open[:, :, None]
    owners = np.nonzero(alive)
    variables = np.zeros(alive.shape, np.int64)
    variables[alive] = np.arange(1, len(owners[0]) + 1)
    by_unit = variables[:, np.array(units_of(geometry))].swapaxes(2, 3)
    groups = np.concatenate([variables.reshape(-1, n), by_unit.reshape(-1, n)])
    groups = groups[groups.any(axis=1)]
    text, size = _at_least_one(groups)
    pairs = _pairs(groups)
    text.append("-%d -%d 0\n" * len(pairs) % tuple(pairs.ravel().tolist()))
    size += len(pairs)
    fixed = np.where(is_open, 0, bits.argmax(axis=2) + 1).astype(np.uint8)
    family = Family("puzzles side by side", size, Written("".join(text)))
    spare = len(masks)
    cnf = Cnf(geometry, "together", len(owners[0]) + spare, (family,), {})
    return Together(cnf, owners, fixed)


def _at_least_one(groups: NDArray[np.int64]) -> tuple[list[str], int]:
    """The clauses as text, sorted by length, and their number."""
    text = []
    lengths = (groups > 0).sum(axis=1)
    for length in np.unique(lengths).tolist():
        same = groups[lengths == length]
        flat = same[same > 0].tolist()
        text.append(("%d " * length + "0\n") * len(same) % tuple(flat))
    return text, len(groups)


def _pairs(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs of variables of one group, (pairs, 2)."""
    found = []
    for a, b in combinations(range(groups.shape[1]), 2):
        pair = groups[:, (a, b)]
        found.append(pair[pair.all(axis=1)])
    return np.concatenate(found)
