"""Build the arrays of the search for a variant; `layout` describes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.constraint_numbers import ConstraintNumbers
from pipeline.certify.variants.joint import joint_sums
from pipeline.certify.variants.rank_numbers import edge_numbers
from pipeline.certify.variants.simplify import NoSolution, SimplifiedConstraints
from pipeline.certify.variants.value_tables import Numbers, TooLarge
from pipeline.puzzle.geometry import units_of
from pipeline.puzzle.puzzle import Puzzle, constraints_of

_MAX_CELLS = 1000
"""Maximum number of cells of a variant. TooLarge is raised if there are more."""


class SearchArrays(NamedTuple):
    """The arguments of `search`, before its first call."""

    state: Numbers
    problem: Numbers
    weights: NDArray[np.float64]


def build_search_arrays(puzzle: Puzzle, end: float) -> SearchArrays:
    """Build the arrays of a search for all solutions.

    Raises NoSolution if the constraints contradict each other, and TooLarge if the arrays would be
    too large or are not finished at `end` on the monotonic clock.
    """
    geometry = puzzle.geometry
    if geometry.size > _MAX_CELLS:
        raise TooLarge(f"variants of more than {_MAX_CELLS:,} cells are not searched")
    simplified = SimplifiedConstraints(puzzle)
    constraints = constraints_of(puzzle)
    joints = joint_sums(constraints, units_of(geometry), simplified.values)
    for constraint in (*constraints, *joints):
        simplified.add(constraint)
    simplified.separate_pairs()
    if not all(simplified.masks):
        raise NoSolution
    encoded = ConstraintNumbers(simplified, end)
    encoded.add_all()
    return _lay_out(encoded)


def _lay_out(encoded: ConstraintNumbers) -> SearchArrays:
    """Build the arrays."""
    size, count = len(encoded.source.masks), len(encoded.source.values)
    constraint_count = len(encoded.scheduled)
    set_words = -(-size // L.CELLS_PER_WORD)
    numbers, scheduled = encoded.arrays()
    offsets, queues = scheduled.T
    scopes = _scopes(numbers, offsets)
    watcher_offsets, watchers = _watchers(scopes, queues, size)
    areas = {
        L.CONSTRAINT_DATA: numbers,
        L.OFFSETS: offsets + encoded.end_of_blocks,
        L.QUEUES_OF: queues,
        L.PEERS: _peer_words(encoded.source, set_words),
        L.EDGES: edge_numbers(encoded.edges),
    }
    watcher_list = encoded.end_of_blocks + sum(map(len, areas.values())) + len(watcher_offsets)
    areas[L.WATCHERS] = watcher_offsets + watcher_list
    problem = np.concatenate([*encoded.blocks, *areas.values(), watchers])
    end = encoded.end_of_blocks
    for name, area in areas.items():
        problem[name] = end
        end += len(area)
    sizes = {
        L.CELL_COUNT: size,
        L.VALUE_COUNT: count,
        L.CONSTRAINT_COUNT: constraint_count,
        L.UNIT_COUNT: len(encoded.units),
        L.WORDS_PER_SET: set_words,
        L.SETS_STRIDE: count * (count - 1) // 2 + 2,
        L.SETS_BY_SUM: encoded.sets_offset,
    }
    lengths = {
        L.FIXED_STACK: size,
        L.IS_QUEUED: constraint_count,
        L.QUEUE_RINGS: L.QUEUES * constraint_count,
        L.SAVED_CELLS: size * (size + 1),
        L.DECISIONS: 2 * (size + 1),
        L.SCRATCH: encoded.scratch,
        L.PROBE_MASKS: 2 * encoded.max_any_of_cells,
        L.MEMORY: encoded.memory,
    }
    end = L.DOMAINS + size
    for name, length in lengths.items():
        problem[name] = end
        end += length
    for name, number in sizes.items():
        problem[name] = number
    state = np.zeros(end, np.int64)
    state[L.DOMAINS : L.DOMAINS + size] = encoded.source.masks
    return SearchArrays(state, problem, _weights(scopes, size, count))


class _Scopes(NamedTuple):
    """The cells of all scheduled constraints, one after another.

    - `kinds`, `lengths`: the kind and the number of cells of each constraint.
    - `constraints`: for each entry of `cells`, the number of its constraint.
    """

    kinds: Numbers
    lengths: Numbers
    constraints: Numbers
    cells: Numbers


def _scopes(numbers: Numbers, offsets: Numbers) -> _Scopes:
    """Find the scopes of the constraints at these offsets in CONSTRAINT_DATA."""
    lengths = numbers[offsets + L.SCOPE_LENGTH]
    constraints = np.repeat(np.arange(len(offsets)), lengths)
    starts = offsets + L.SCOPE - (np.cumsum(lengths) - lengths)
    cells = numbers[np.arange(len(constraints)) + starts[constraints]]
    return _Scopes(numbers[offsets + L.CONSTRAINT_KIND], lengths, constraints, cells)


def _peer_words(source: SimplifiedConstraints, words: int) -> Numbers:
    """Return the peers of each cell, as sets of cells that take `words` numbers each."""
    word = (1 << L.CELLS_PER_WORD) - 1
    shifts = [L.CELLS_PER_WORD * index for index in range(words)]
    peers = [cells >> shift & word for cells in source.peers for shift in shifts]
    return np.array(peers, np.int64)


def _watchers(scopes: _Scopes, queues: Numbers, size: int) -> tuple[Numbers, Numbers]:
    """Return the offsets of WATCHERS, relative to the list of constraints, and this list."""
    is_late = queues == L.LATE
    keys = (2 * scopes.cells + is_late[scopes.constraints]).astype(np.int16)  # radix-sorted
    order = np.argsort(keys, kind="stable")
    offsets = np.zeros(2 * size + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=2 * size), out=offsets[1:])
    return offsets, scopes.constraints[order]


_ON_WHOLE_GRID = np.zeros(64, np.bool_)
_ON_WHOLE_GRID[[L.SAME_VALUES, L.CONNECTED, L.DIFFERENT_PAIRS]] = True
"""For each kind of constraint, whether `_weights` omits it."""


def _weights(scopes: _Scopes, size: int, value_count: int) -> NDArray[np.float64]:
    """Return the initial weights of the cells.

    A cell has a large weight if many constraints, or long ones, restrict it. Constraints on the
    whole grid do not count.
    """
    kinds, lengths = scopes.kinds, scopes.lengths
    added = np.where(kinds == L.SAME_COUNTS, 2 * lengths, lengths)
    of_totals = np.maximum(2 * value_count - lengths, value_count)
    added = np.where(kinds == L.TOTAL, of_totals, added)
    added[_ON_WHOLE_GRID[kinds]] = 0
    weights = np.ones(size)
    weights += np.bincount(scopes.cells, added[scopes.constraints], size)
    return weights
