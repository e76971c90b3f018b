"""Tables in the array `problem`, which `layout` describes; several constraints may share a table.

There are tables for relations, automata, sets of values by sum, and bits.

The arrays are cached: do not change them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from itertools import accumulate, chain, combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.variants import layout as L
from pipeline.puzzle.constraints import NondeterministicAutomaton

Numbers = NDArray[np.int64]
"""A part of the array `problem`."""

MAX_STEPS = 200_000
"""Maximum number of transitions that are computed when a deterministic automaton is unrolled."""

_MAX_NONDETERMINISTIC_STEPS = 2_000_000
"""The same maximum for a nondeterministic automaton. Such an automaton is unrolled as it is: an
equivalent deterministic automaton may need many more states."""

MAX_VALUES_WITH_SETS = 12
"""Maximum number of values of a puzzle for which all sets of values are listed: 4,096 sets."""


class TooLarge(Exception):
    """A search would take too much time or memory. The message is the reason."""


class RelationTables(NamedTuple):
    """A relation of two values.

    - `forwards`: tables from values of the first cell to related values of the second (see
      `_union_tables`).
    - `backwards`: tables from values of the second cell to related values of the first.
    - `self_related`: mask of the values that are related to themselves.
    - `is_irreflexive`: whether no value is related to itself.
    - `is_inequality`: whether the relation is inequality.
    - `is_trivial`: whether all values are related.
    """

    forwards: Numbers
    backwards: Numbers
    self_related: int
    is_irreflexive: bool
    is_inequality: bool
    is_trivial: bool


@lru_cache(maxsize=512)
def relation_tables(
    holds: Callable[..., bool], numbers: tuple[Any, ...], values: range
) -> RelationTables:
    """Return the tables of the relation that `holds(u, v, *numbers)` defines on values u and v."""
    masks = [sum(1 << j for j, v in enumerate(values) if holds(u, v, *numbers)) for u in values]
    count = len(values)
    full = (1 << count) - 1
    transposed = [sum(1 << i for i in range(count) if masks[i] >> j & 1) for j in range(count)]
    self_related = sum(1 << i for i in range(count) if masks[i] >> i & 1)
    return RelationTables(
        _union_tables(masks),
        _union_tables(transposed),
        self_related,
        is_irreflexive=not self_related,
        is_inequality=all(mask == full ^ 1 << i for i, mask in enumerate(masks)),
        is_trivial=all(mask == full for mask in masks),
    )


def _union_tables(masks: Sequence[int]) -> Numbers:
    """Return tables that map each set of values to the union of their masks.

    `masks` has one mask per value. Each table is for CHUNK values; entry m is the union of the
    masks of the values whose bits are set in m.
    """
    tables = []
    for start in range(0, len(masks), L.CHUNK):
        chunk = masks[start : start + L.CHUNK]
        table = np.zeros(1 << len(chunk), np.int64)
        for index, mask in enumerate(chunk):
            table[1 << index : 2 << index] = table[: 1 << index] | mask
        tables.append(table)
    return np.concatenate(tables)


@lru_cache(maxsize=16)
def sets_by_sum(value_count: int) -> tuple[Numbers, Numbers]:
    """Return all sets of values, sorted by size and by the sum of their indices, and offsets.

    The sum of the indices of all values is m. In the list of sets, the sets of a given size and sum
    start at the offset number size · (m + 2) + sum, and end at the next offset.
    """
    masks = np.arange(1 << value_count)
    bits = masks[:, None] >> np.arange(value_count) & 1
    sizes, sums = bits.sum(axis=1), bits @ np.arange(value_count)
    stride = value_count * (value_count - 1) // 2 + 2
    keys = sizes * stride + sums
    order = np.argsort(keys, kind="stable")
    offsets = np.searchsorted(keys[order], np.arange((value_count + 1) * stride))
    return masks[order], offsets


@lru_cache(maxsize=64)
def unions_of_parts(
    parts: tuple[tuple[int, ...] | range, ...], values: range
) -> tuple[tuple[int, int], ...]:
    """Return for each union of disjoint parts the number of parts, and the mask of its values.

    A part without any of the values has the mask 0.
    """
    masks = [sum(1 << v - values[0] for v in part if v in values) for part in parts]
    sizes = range(1, len(parts) + 1)
    return tuple((size, sum(some)) for size in sizes for some in combinations(masks, size))


class AutomatonKey(NamedTuple):
    """An automaton without its cells (see `constraints.Automaton`), as a key of the cache."""

    start: Hashable
    step: Callable[..., Hashable | None]
    accepted: frozenset[Hashable]
    numbers: tuple[Any, ...]


# The unrolled automaton is a layered graph (G. Pesant, 2004). From the last layer to the first,
# states with the same transitions are merged, and states without a path to the end are removed. The
# result is minimal, like a reduced decision diagram (R. Bryant, Graph-based algorithms for Boolean
# function manipulation, 1986), and accepts the same values.
@lru_cache(maxsize=64)
def automaton_layers(key: AutomatonKey, length: int, values: range) -> Numbers | None:
    """Unroll an automaton over `length` cells, and reduce it to the format of `layout`.

    Returns None if the automaton accepts nothing. Raises TooLarge.
    """
    layers, last = _unreduced_layers(key, length, values)
    numbers: dict[Hashable, int] = {state: 0 for state in last if state in key.accepted}
    reduced: list[list[tuple[int, int, int]]] = []  # edges of each layer, the last layer first
    sizes = [1]
    for layer in reversed(layers):
        merged: dict[tuple[tuple[int, int], ...], int] = {}
        numbers_before: dict[Hashable, int] = {}
        for state, successors in layer.items():
            masks: dict[int, int] = {}
            for index, successor in enumerate(successors):
                if successor is not None and (number := numbers.get(successor)) is not None:
                    masks[number] = masks.get(number, 0) | 1 << index
            if masks:
                transitions = tuple(sorted(masks.items()))
                numbers_before[state] = merged.setdefault(transitions, len(merged))
        reduced.append(
            [(state, target, mask) for edges, state in merged.items() for target, mask in edges]
        )
        sizes.append(len(merged))
        numbers = numbers_before
    if key.start not in numbers:
        return None
    reduced.reverse()
    first_states = [*accumulate(reversed(sizes), initial=0)]
    edges = [
        (first_states[index] + state, first_states[index + 1] + successor, mask)
        for index, layer_edges in enumerate(reduced)
        for state, successor, mask in layer_edges
    ]
    offsets = accumulate((3 * len(layer_edges) for layer_edges in reduced), initial=length + 2)
    return np.array([first_states[-1], *offsets, *chain.from_iterable(edges)], np.int64)


@lru_cache(maxsize=16)
def nondeterministic_layers(constraint: NondeterministicAutomaton, values: range) -> Numbers | None:
    """Unroll a nondeterministic automaton over its cells, in the format of `layout`.

    States that no accepted sequence of values visits are omitted. Returns None if the automaton
    accepts nothing. Raises TooLarge.
    """
    reached, steps = [{*constraint.starts}], 0
    for _ in constraint.cells:
        targets = [constraint.moves[state][value] for state in reached[-1] for value in values]
        steps += sum(map(len, targets), len(targets))
        if steps > _MAX_NONDETERMINISTIC_STEPS:
            raise TooLarge("an automaton has too many states")
        reached.append({*chain.from_iterable(targets)})
    nodes = dict.fromkeys(reached.pop() & constraint.accepted, 0)
    layers: list[dict[tuple[int, int], int]] = []  # (state, next) → mask; the last layer first
    sizes = [1]
    for depth, states in reversed([*enumerate(reached)]):
        masks: dict[tuple[int, int], int] = {}
        before: dict[int, int] = {}
        for state in states:
            for index, value in enumerate(values):
                for target in constraint.moves[state][value]:
                    if target in nodes:
                        node = before.setdefault(state, len(before) if depth else 0)
                        edge = node, nodes[target]
                        masks[edge] = masks.get(edge, 0) | 1 << index
        layers.append(masks)
        nodes = before
        sizes.append(len(nodes) if depth else 1)
    if not nodes:
        return None
    first_nodes = [*accumulate(reversed(sizes), initial=0)]
    edges = [
        (first_nodes[index] + node, first_nodes[index + 1] + target, mask)
        for index, masks in enumerate(reversed(layers))
        for (node, target), mask in masks.items()
    ]
    counts = (3 * len(masks) for masks in reversed(layers))
    offsets = accumulate(counts, initial=len(constraint.cells) + 2)
    return np.array([first_nodes[-1], *offsets, *chain.from_iterable(edges)], np.int64)


def _unreduced_layers(
    key: AutomatonKey, length: int, values: range
) -> tuple[list[dict[Hashable, list[Hashable | None]]], set[Hashable]]:
    """Return the states that can be reached before each cell, and those after the last cell.

    The states before a cell are mapped to their successors, one per value. A successor is None if
    there is no transition.
    """
    layers: list[dict[Hashable, list[Hashable | None]]] = []
    states, steps = {key.start}, 0
    for _ in range(length):
        steps += len(states) * len(values)
        if steps > MAX_STEPS:
            raise TooLarge("an automaton has too many states")
        layer = {state: [key.step(state, v, *key.numbers) for v in values] for state in states}
        layers.append(layer)
        successors = chain.from_iterable(layer.values())
        states = {state for state in successors if state is not None}
    return layers, states


@lru_cache(maxsize=1)
def bit_tables() -> Numbers:
    """Return the start of `problem`: zeros for its sizes and offsets, then the bit tables."""
    tables = np.zeros(L.DATA, np.int64)
    for bit in range(L.MODULUS - 1):
        tables[L.LOWEST_BITS + (1 << bit) % L.MODULUS] = bit
    for bits in range(1, 1 << L.CHUNK):
        tables[L.HIGHEST_BITS + bits] = bits.bit_length() - 1
        tables[L.BIT_COUNTS + bits] = bits.bit_count()
    return tables
