"""Build the arrays of the search for a variant; `layout` describes them."""

from __future__ import annotations

from itertools import chain
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
from pipeline.puzzle.puzzle import Puzzle

_MAX_CELLS = 1000
"""Maximum number of cells of a variant. TooLarge is raised if there are more."""


class SearchArrays(NamedTuple):
    """The arguments of `search`, before its first call."""

    state: Numbers
    problem: Numbers
    weights: NDArray[np.float64]


FIRST_RESTART = 1000
"""Number of failures before the first restart."""


def build_search_arrays(
    puzzle: Puzzle, end: float, first_restart: int = FIRST_RESTART
) -> SearchArrays:
    """Build the arrays of a search for all solutions.

    The search restarts after `first_restart` failures, then after twice as many, and so on. Raises
    NoSolution if the constraints contradict each other, and TooLarge if the arrays would be too
    large or are not finished at `end` on the monotonic clock.
    """
    geometry = puzzle.geometry
    if geometry.size > _MAX_CELLS:
        raise TooLarge(f"variants of more than {_MAX_CELLS:,} cells are not searched")
    simplified = SimplifiedConstraints(puzzle)
    constraints = [rule.constraints(geometry) for rule in puzzle.rules]
    constraints += joint_sums(constraints, units_of(geometry), simplified.values)
    for constraint in constraints:
        simplified.add(constraint)
    if not all(simplified.masks):
        raise NoSolution
    encoded = ConstraintNumbers(simplified, end)
    encoded.add_all()
    state, problem = _lay_out(encoded)
    state[L.RESTART] = first_restart
    return SearchArrays(state, problem, _weights(encoded))


def _lay_out(encoded: ConstraintNumbers) -> tuple[Numbers, Numbers]:
    """Build the arrays `state` and `problem`. RESTART remains 0."""
    size, count = len(encoded.source.masks), len(encoded.source.values)
    constraint_count = len(encoded.scheduled)
    set_words = -(-size // L.CELLS_PER_WORD)
    offsets, queues = np.array(encoded.scheduled, np.int64).T
    watcher_offsets, watchers = _watchers(encoded)
    areas = {
        L.CONSTRAINT_DATA: np.array(encoded.numbers, np.int64),
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
    }
    end = L.DOMAINS + size
    for name, length in lengths.items():
        problem[name] = end
        end += length
    for name, number in sizes.items():
        problem[name] = number
    state = np.zeros(end, np.int64)
    state[L.DOMAINS : L.DOMAINS + size] = encoded.source.masks
    return state, problem


def _peer_words(source: SimplifiedConstraints, words: int) -> Numbers:
    """Return the peers of each cell, as sets of cells that take `words` numbers each."""
    word = (1 << L.CELLS_PER_WORD) - 1
    shifts = [L.CELLS_PER_WORD * index for index in range(words)]
    peers = [cells >> shift & word for cells in source.peers for shift in shifts]
    return np.array(peers, np.int64)


def _watchers(encoded: ConstraintNumbers) -> tuple[Numbers, Numbers]:
    """Return the offsets of WATCHERS, relative to the list of constraints, and this list."""
    scopes = [encoded.scope(offset) for offset, _ in encoded.scheduled]
    is_late = np.array([queue == L.LATE for _, queue in encoded.scheduled])
    constraints = np.repeat(np.arange(len(scopes)), [*map(len, scopes)])
    keys = 2 * np.array([*chain.from_iterable(scopes)], np.int64) + is_late[constraints]
    order = np.argsort(keys, kind="stable")
    offsets = np.searchsorted(keys[order], np.arange(2 * len(encoded.source.masks) + 1))
    return offsets, constraints[order]


def _weights(encoded: ConstraintNumbers) -> NDArray[np.float64]:
    """Return the initial weights of the cells.

    A cell has a large weight if many constraints, or long ones, restrict it. Constraints on the
    whole grid do not count.
    """
    weights, count = (
        [1.0] * len(encoded.source.masks),
        len(encoded.source.values),
    )
    for offset, _ in encoded.scheduled:
        kind = encoded.numbers[offset + L.CONSTRAINT_KIND]
        length = encoded.numbers[offset + L.SCOPE_LENGTH]
        if kind in {L.SAME_VALUES, L.CONNECTED, L.DIFFERENT_PAIRS}:
            continue
        weight = 2 * length if kind == L.SAME_COUNTS else length
        if kind == L.TOTAL:
            weight = max(2 * count - length, count)
        for cell in encoded.scope(offset):
            weights[cell] += weight
    return np.array(weights)
