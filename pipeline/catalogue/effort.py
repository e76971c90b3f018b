"""Measures of the difficulty of a puzzle with one solution, invariant under all symmetries.

*Singles* are naked singles (a cell with one candidate) and hidden singles (a value with one place
in a unit), see `singles`.

- depth: the depth of trial and error that is needed when singles are applied after each trial. At
  depth 0, singles alone solve the puzzle. At depth d, each candidate is tried at depth d - 1 and
  eliminated if the trial leads to a contradiction, until nothing changes. The depth is the smallest
  d at which eliminations decide all cells; a trial that reaches the solution decides nothing.
  (D. Berthier's T&E, 2008.)
- backdoor: the smallest number of cells whose solution values let singles decide all other cells.
  (R. Williams, C. Gomes and B. Selman, 2003.)
- splits: the number of branchings of an exhaustive search that propagates singles and branches on
  the first cell with the fewest candidates. This number depends on the order of cells, so `splits`
  is its mean over 64 images of the canonical form under fixed symmetries.
"""

from __future__ import annotations

from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.puzzle_arrays import (
    Flags,
    MaskArray,
    ValueArray,
    masks_of_values,
    random_symmetries,
)
from pipeline.catalogue.singles import States, propagate_singles
from pipeline.puzzle.geometry import NINE_BY_NINE

MAX_TRIAL_DEPTH, MAX_BACKDOOR = 2, 3
"""The largest depth and the largest backdoor that are searched for. A depth of 3 means 3 or more,
and a backdoor of 4 means 4 or more."""

IMAGES = 64
"""The number of images of a puzzle over which splits are averaged."""

BATCH_STATES = 8192
"""Maximum number of states that are propagated together."""

_SEED = 20_240_229
"""Seed of the symmetries: another seed would give other splits."""

_BITS = np.left_shift(1, np.arange(16, dtype=np.uint16), dtype=np.uint16)
"""The masks that contain one value each."""

Integers = NDArray[np.int64]
"""Counts or indices."""


class Splits(NamedTuple):
    """For each puzzle (P,), the mean and the standard deviation of the splits of its images."""

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]


def states_of(masks: MaskArray) -> States:
    """Return the states (n², P) that consist of these masks (P, n²)."""
    return np.array(masks.T, np.uint16, order="C")


def undecided_cells(states: States) -> Flags:
    """Return flags (n², K) of the cells with several candidates."""
    several: Flags = states & (states - np.uint16(1)) != 0
    return several


def depths_of(masks: MaskArray, max_depth: int = MAX_TRIAL_DEPTH) -> Integers:
    """Return the depth of each puzzle with one solution; `max_depth` + 1 if it is larger.

    `masks` is (P, n²).
    """
    depths = np.full(len(masks), max_depth + 1)
    states, indices = states_of(masks), np.arange(len(masks))
    for depth in range(max_depth + 1):
        if len(indices):
            _eliminate_refuted(states, depth)
            decided = ~undecided_cells(states).any(axis=0)
            depths[indices[decided]] = depth
            indices, states = indices[~decided], states.take(np.flatnonzero(~decided), axis=1)
    return depths


def _eliminate_refuted(states: States, depth: int) -> None:
    """Eliminate, in place, the candidates that trials of this depth refute.

    All masks of a state with a contradiction become 0.
    """
    propagate_singles(states)
    undecided = np.flatnonzero(undecided_cells(states).any(axis=0))
    if depth > 1:
        _eliminate_refuted_in_columns(states, undecided, depth - 1)
    while depth and len(undecided):
        owners, cells, bits = _candidates(states[:, undecided])
        refuted = np.zeros(len(owners), np.bool_)
        for start in range(0, len(owners), BATCH_STATES):
            chunk = slice(start, start + BATCH_STATES)
            trials = states.take(undecided[owners[chunk]], axis=1)
            trials[cells[chunk], np.arange(trials.shape[1])] = bits[chunk]
            _eliminate_refuted(trials, depth - 1)
            refuted[chunk] = trials[0] == 0
        changed = owners[refuted]
        np.bitwise_and.at(states, (cells[refuted], undecided[changed]), ~bits[refuted])
        undecided = undecided[np.unique(changed)]
        _eliminate_refuted_in_columns(states, undecided, depth - 1)
        undecided = undecided[undecided_cells(states[:, undecided]).any(axis=0)]


def _eliminate_refuted_in_columns(states: States, columns: Integers, depth: int) -> None:
    """Apply `_eliminate_refuted` to the states in these columns."""
    selected = states.take(columns, axis=1)
    _eliminate_refuted(selected, depth)
    states[:, columns] = selected


def _candidates(states: States) -> tuple[Integers, Integers, States]:
    """Return the C candidates of undecided cells: arrays (C,) of their states, cells and bits."""
    undecided = np.where(undecided_cells(states), states, np.uint16(0))
    owners, cells, values = np.nonzero((undecided[:, :, None] & _BITS).swapaxes(0, 1))
    return owners, cells, _BITS[values]


def backdoors_of(
    masks: MaskArray, solutions: ValueArray, max_cells: int = MAX_BACKDOOR
) -> Integers:
    """Return the size of the smallest backdoor of each puzzle; `max_cells` + 1 if it is larger.

    `masks` and `solutions` are (P, n²).
    """
    states = states_of(masks)
    propagate_singles(states)
    bits = _BITS[solutions.T - 1]
    sizes = [
        _backdoor(state, values, max_cells) for state, values in zip(states.T, bits.T, strict=True)
    ]
    return np.array(sizes, np.int64)


def _backdoor(state: States, bits: States, max_cells: int) -> int:
    """Return the size of the smallest backdoor of a state (n²,), whose solution is `bits` (n²,)."""
    cells = np.flatnonzero(undecided_cells(state)).tolist()
    for size in range(max_cells + 1):
        remaining = combinations(cells, size)
        while subsets := list(islice(remaining, BATCH_STATES)):
            trials = np.repeat(state[:, None], len(subsets), axis=1)
            cell_indices = np.array(subsets, np.intp).reshape(len(subsets), size)
            trials[cell_indices, np.arange(len(subsets))[:, None]] = bits[cell_indices]
            propagate_singles(trials)
            if not undecided_cells(trials).any(axis=0).all():
                return size
    return max_cells + 1


def splits_of(forms: ValueArray) -> Splits:
    """Return the splits of 9×9 puzzles with one solution, from their canonical forms (P, 81)."""
    symmetries = random_symmetries(3, IMAGES, _SEED)
    counts = np.zeros((len(forms), IMAGES), np.int64)
    for index, form in enumerate(forms):
        counts[index] = count_splits(masks_of_values(NINE_BY_NINE, symmetries.images(form)))
    return Splits(counts.mean(axis=1), counts.std(axis=1))


def count_splits(masks: MaskArray) -> Integers:
    """Return the number of branchings (P,) in a search for all solutions of each puzzle (P, n²)."""
    counts = np.zeros(len(masks), np.int64)
    stack = [(np.arange(len(masks)), states_of(masks))]
    while stack:
        owners, states = stack.pop()
        if len(owners) > BATCH_STATES:
            stack.append((owners[BATCH_STATES:], states[:, BATCH_STATES:]))
            owners, states = owners[:BATCH_STATES], states[:, :BATCH_STATES]
        states = np.ascontiguousarray(states)
        propagate_singles(states)
        undecided = undecided_cells(states).any(axis=0)
        owners, states = owners[undecided], states[:, undecided]
        np.add.at(counts, owners, 1)
        if len(owners):
            parents, branches = _branches(states)
            stack.append((owners[parents], branches))
    return counts


def _branches(states: States) -> tuple[Integers, States]:
    """Branch on the first cell with the fewest candidates.

    Returns the index (B,) of the parent state of each branch, and the branches (n², B).
    """
    sizes = np.bitwise_count(states).astype(np.int16)
    sizes[sizes == 1] = 99
    cells = sizes.argmin(axis=0)
    masks = states[cells, np.arange(states.shape[1])]
    parents, values = np.nonzero(masks[:, None] & _BITS)
    branches = states.take(parents, axis=1)
    branches[cells[parents], np.arange(len(parents))] = _BITS[values]
    return parents, branches
