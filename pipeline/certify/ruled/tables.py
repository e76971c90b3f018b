"""What many constraints share, as numbers for `d`: relations, automata, sets by their sum.

All of it is cached; arrays are not to be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.ruled.layout import CHUNK, DATA, HIGHEST, LOWEST, MODULUS, NUMBER

Numbers = NDArray[np.int64]

MOST_STEPS = 200_000
"""Steps in which an automaton is found."""

LARGEST_WITH_SETS = 12
"""The most values whose sets, 4095, are listed by their sums."""


class TooLarge(Exception):
    """Something is not searched: it would take too much time or memory. The text says why."""


class Related(NamedTuple):
    """A relation of two values: the mask of those that go with each.

    forwards, backwards: see `related` below. differ: no value goes with itself. equal: the mask of
    those that do. is_unequal: it says no more than that. is_trivial: everything goes with
    everything.
    """

    forwards: Numbers
    backwards: Numbers
    equal: int
    differ: bool
    is_unequal: bool
    is_trivial: bool


@lru_cache(maxsize=512)
def relation(holds: Callable[..., bool], numbers: tuple[Any, ...], values: range) -> Related:
    """The tables of a relation of two values."""
    masks = [sum(1 << j for j, v in enumerate(values) if holds(u, v, *numbers)) for u in values]
    count = len(values)
    full = (1 << count) - 1
    back = [sum(1 << i for i in range(count) if masks[i] >> j & 1) for j in range(count)]
    equal = sum(1 << i for i in range(count) if masks[i] >> i & 1)
    return Related(
        _related(masks),
        _related(back),
        equal,
        differ=not equal,
        is_unequal=all(mask == full ^ 1 << i for i, mask in enumerate(masks)),
        is_trivial=all(mask == full for mask in masks),
    )


def _related(masks: Sequence[int]) -> Numbers:
    """For each mask the values that go with one of its values; ten values at a time."""
    tables = []
    for start in range(0, len(masks), CHUNK):
        some = masks[start : start + CHUNK]
        table = np.zeros(1 << len(some), np.int64)
        for index, mask in enumerate(some):
            table[1 << index : 2 << index] = table[: 1 << index] | mask
        tables.append(table)
    return np.concatenate(tables)


@lru_cache(maxsize=16)
def sets_by_sum(values: int) -> tuple[Numbers, Numbers]:
    """Masks of values ordered by their number and the sum of their indices; where each begins.

    Those of `size` values with the sum `s` are from place size·(m + 2) + s of the second array to
    the place behind it, if m is the sum of all indices.
    """
    masks = np.arange(1 << values)
    bits = masks[:, None] >> np.arange(values) & 1
    sizes, sums = bits.sum(axis=1), bits @ np.arange(values)
    width = values * (values - 1) // 2 + 2
    keys = sizes * width + sums
    order = np.argsort(keys, kind="stable")
    begins = np.searchsorted(keys[order], np.arange((values + 1) * width))
    return masks[order], begins


class Layered(NamedTuple):
    """An automaton: its start, its step and what is accepted; see `formulas.Automaton`."""

    start: Hashable
    step: Callable[..., Hashable | None]
    accepted: frozenset[Hashable]
    numbers: tuple[Any, ...]


@lru_cache(maxsize=64)
def automaton(step: Layered, length: int, values: range) -> Numbers | None:
    """The layers of an automaton over so many cells, reduced; None if nothing is accepted.

    Raises TooLarge.
    """
    layers, last = _layers(step, length, values)
    accepted = {state: 0 for state in last if state in step.accepted}
    reduced: list[list[tuple[int, int, int]]] = []
    numbers: dict[Hashable, int] = accepted
    sizes = [1]
    for layer in reversed(layers):
        kinds: dict[tuple[tuple[int, int], ...], int] = {}
        names: dict[Hashable, int] = {}
        for state, following in layer.items():
            masks: dict[int, int] = {}
            for index, after in enumerate(following):
                if after is not None and (number := numbers.get(after)) is not None:
                    masks[number] = masks.get(number, 0) | 1 << index
            if masks:
                names[state] = kinds.setdefault(tuple(sorted(masks.items())), len(kinds))
        reduced.append(
            [(kind, after, mask) for some, kind in kinds.items() for after, mask in some]
        )
        sizes.append(len(kinds))
        numbers = names
    if step.start not in numbers:
        return None
    begins = [*accumulate(reversed(sizes), initial=0)]
    edges = [
        (begins[index] + state, begins[index + 1] + after, mask)
        for index, found in enumerate(reversed(reduced))
        for state, after, mask in found
    ]
    head = [begins[-1]]
    place = length + 2
    for some in reversed(reduced):
        head.append(place)
        place += 3 * len(some)
    return np.array([*head, place, *(number for edge in edges for number in edge)], np.int64)


def _layers(
    step: Layered, length: int, values: range
) -> tuple[list[dict[Hashable, list[Hashable | None]]], set[Hashable]]:
    """For each cell the states that are reached, with those after each value; and the last ones."""
    layers: list[dict[Hashable, list[Hashable | None]]] = []
    here, steps = {step.start}, 0
    for _ in range(length):
        steps += len(here) * len(values)
        if steps > MOST_STEPS:
            raise TooLarge("an automaton has too many states")
        layer = {state: [step.step(state, v, *step.numbers) for v in values] for state in here}
        layers.append(layer)
        here = {after for following in layer.values() for after in following if after is not None}
    return layers, here


@lru_cache(maxsize=1)
def bit_tables() -> Numbers:
    """The tables with which `d` begins, behind its numbers."""
    tables = np.zeros(DATA, np.int64)
    for bit in range(MODULUS - 1):
        tables[LOWEST + (1 << bit) % MODULUS] = bit
    for bits in range(1, 1 << CHUNK):
        tables[HIGHEST + bits] = bits.bit_length() - 1
        tables[NUMBER + bits] = bits.bit_count()
    return tables
