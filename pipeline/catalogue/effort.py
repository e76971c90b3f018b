"""Numbers that say how hard a puzzle with one solution is, and that no symmetry can change.

*Singles* are what `singles` takes: a cell with one candidate, a value with one place in a unit.

- depth: the depth of trial and error over singles. At depth 0 singles alone decide the puzzle. At
  depth d, each candidate is tried at depth d - 1, and struck if that leads to a contradiction; then
  all are tried again. The depth is the least at which all cells are decided. Reaching the
  solution in a trial does not count. (D. Berthier's T&E, 2008.)
- backdoor: the least number of cells that, given their values of the solution, let singles decide
  the rest. (R. Williams, C. Gomes and B. Selman, 2003.)
- splits: how often a search branches that takes singles, and branches on the first cell with the
  fewest candidates, until it has seen that there is no other solution. As the order of cells
  matters, it is the mean over 64 images of the canonical form, by fixed symmetries.
"""

from __future__ import annotations

from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.puzzles import (
    Flags,
    MaskArray,
    ValueArray,
    masks_of_values,
    random_symmetries,
)
from pipeline.catalogue.singles import States, close_singles
from pipeline.puzzle.puzzle import NINE

DEEPEST, WIDEST = 2, 3
"""Depths and backdoors are looked for up to these; one more stands for any beyond."""

IMAGES = 64
AT_ONCE = 8192
"""States that are closed together."""

_SEED = 20_240_229
"""Of the symmetries: another one would give other numbers of splits."""

_BITS = np.left_shift(1, np.arange(16, dtype=np.uint16), dtype=np.uint16)

Numbers = NDArray[np.int64]


class Splits(NamedTuple):
    """For each puzzle the mean over its images, and the standard deviation, (P,)."""

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]


def states_of(masks: MaskArray) -> States:
    """MaskArray (P, n²) as states (n², P)."""
    return np.array(masks.T, np.uint16, order="C")


def is_open(states: States) -> Flags:
    """Which cells (n², K) have several candidates."""
    several: Flags = states & (states - np.uint16(1)) != 0
    return several


def depths_of(masks: MaskArray, most: int = DEEPEST) -> Numbers:
    """The depth of each puzzle (P, n²) with one solution; `most` + 1 if it is more."""
    depths = np.full(len(masks), most + 1)
    states, left = states_of(masks), np.arange(len(masks))
    for depth in range(most + 1):
        if len(left):
            _close(states, depth)
            decided = ~is_open(states).any(axis=0)
            depths[left[decided]] = depth
            left, states = left[~decided], states.take(np.flatnonzero(~decided), axis=1)
    return depths


def _close(states: States, depth: int) -> None:
    """Strike all that trials of that depth refute, in place; 0 in all cells of a contradiction."""
    close_singles(states)
    going = np.flatnonzero(is_open(states).any(axis=0))
    if depth > 1:
        _close_some(states, going, depth - 1)
    while depth and len(going):
        at, cells, bits = _candidates(states[:, going])
        refuted = np.zeros(len(at), np.bool_)
        for start in range(0, len(at), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            trials = states.take(going[at[some]], axis=1)
            trials[cells[some], np.arange(trials.shape[1])] = bits[some]
            _close(trials, depth - 1)
            refuted[some] = trials[0] == 0
        struck = at[refuted]
        np.bitwise_and.at(states, (cells[refuted], going[struck]), ~bits[refuted])
        going = going[np.unique(struck)]
        _close_some(states, going, depth - 1)
        going = going[is_open(states[:, going]).any(axis=0)]


def _close_some(states: States, places: Numbers, depth: int) -> None:
    some = states.take(places, axis=1)
    _close(some, depth)
    states[:, places] = some


def _candidates(states: States) -> tuple[Numbers, Numbers, States]:
    """The candidates of open cells: of which state, in which cell, and their bits."""
    some = np.where(is_open(states), states, np.uint16(0))
    at, cells, values = np.nonzero((some[:, :, None] & _BITS).swapaxes(0, 1))
    return at, cells, _BITS[values]


def backdoors_of(masks: MaskArray, solutions: ValueArray, most: int = WIDEST) -> Numbers:
    """The least number of cells of the solution (P, n²); `most` + 1 if it is more."""
    states = states_of(masks)
    close_singles(states)
    given = _BITS[solutions.T - 1]
    found = [
        _backdoor(state, values, most) for state, values in zip(states.T, given.T, strict=True)
    ]
    return np.array(found, np.int64)


def _backdoor(state: States, given: States, most: int) -> int:
    cells = np.flatnonzero(is_open(state)).tolist()
    for size in range(most + 1):
        chosen = combinations(cells, size)
        while some := list(islice(chosen, AT_ONCE)):
            trials = np.repeat(state[:, None], len(some), axis=1)
            at = np.array(some, np.intp).reshape(len(some), size)
            trials[at, np.arange(len(some))[:, None]] = given[at]
            close_singles(trials)
            if not is_open(trials).any(axis=0).all():
                return size
    return most + 1


def splits_of(forms: ValueArray) -> Splits:
    """The splits of 9×9 puzzles with one solution, by their canonical forms (P, 81)."""
    symmetries = random_symmetries(3, IMAGES, _SEED)
    counts = np.zeros((len(forms), IMAGES), np.int64)
    for place, form in enumerate(forms):
        counts[place] = count_splits(masks_of_values(NINE, symmetries.of(form)))
    return Splits(counts.mean(axis=1), counts.std(axis=1))


def count_splits(masks: MaskArray) -> Numbers:
    """How often the search for all solutions of each puzzle (P, n²) branches."""
    counts = np.zeros(len(masks), np.int64)
    stack = [(np.arange(len(masks)), states_of(masks))]
    while stack:
        owners, states = stack.pop()
        if len(owners) > AT_ONCE:
            stack.append((owners[AT_ONCE:], states[:, AT_ONCE:]))
            owners, states = owners[:AT_ONCE], states[:, :AT_ONCE]
        states = np.ascontiguousarray(states)
        close_singles(states)
        going = is_open(states).any(axis=0)
        owners, states = owners[going], states[:, going]
        np.add.at(counts, owners, 1)
        if len(owners):
            at, halves = _branches(states)
            stack.append((owners[at], halves))
    return counts


def _branches(states: States) -> tuple[Numbers, States]:
    """The states in which the first cell with the fewest candidates is decided, and of which."""
    sizes = np.bitwise_count(states).astype(np.int16)
    sizes[sizes == 1] = 99
    cells = sizes.argmin(axis=0)
    fields = states[cells, np.arange(states.shape[1])]
    at, values = np.nonzero(fields[:, None] & _BITS)
    branches = states.take(at, axis=1)
    branches[cells[at], np.arange(len(at))] = _BITS[values]
    return at, branches
