"""A puzzle with rules as the arrays that `search` takes; `layout` says what is in them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.exhaustion import TOO_SHORT
from pipeline.certify.ruled import layout as L
from pipeline.certify.ruled.gathering import (
    Gathered,
    NoSolution,
    Terms,
    innies,
    members,
    set_of,
    weights_of,
)
from pipeline.certify.ruled.joint import joint_sums
from pipeline.certify.ruled.regions import MARKS_OF_CONNECTED
from pipeline.certify.ruled.tables import (
    LARGEST_WITH_SETS,
    Layered,
    Numbers,
    TooLarge,
    automaton,
    bit_tables,
    sets_by_sum,
)
from pipeline.puzzle.connected import Connected, DifferentPairs
from pipeline.puzzle.formulas import (
    AllDifferent,
    Allowed,
    AtLeast,
    Automaton,
    Cells,
    Constraint,
    OneOfSets,
    Pairs,
    Ranked,
)
from pipeline.puzzle.geometry import units_of
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.sums import CountOfEqual, SameTotals, Total

MOST_CELLS = 1000
MOST_NUMBERS = 2_000_000
MOST_SUM = 1 << 40
"""Limits; beyond them TooLarge is raised. Sides are 31 at most, so that a mask is one number."""

_PART = L.NOTHING
"""In place of a queue: the constraint is part of an alternative."""

_QUEUES = {L.PAIR: L.EARLY, L.TOTAL: L.SOON, L.ONE_SET: L.SOON}
"""The queues of kinds that take less time than others."""

_LONG = 9
"""Cells of a total: with more, units are looked for in it; with more values, sets of values are
listed only if it is one group."""

Group = tuple[int, list[int]]
"""A weight, and cells that have it and are different."""


class Stated(NamedTuple):
    """The arrays of a search that has not begun."""

    w: Numbers
    d: Numbers
    weights: NDArray[np.float64]


PATIENCE = 1000
"""Failures before a search first begins anew."""


def stated(puzzle: Puzzle, end: float, patience: int = PATIENCE) -> Stated:
    """The arrays of a search for all solutions, which are made by `end` of the monotonic clock.

    The search begins anew after `patience` failures, 1 or more, and then each time after twice as
    many. Raises TooLarge, also if the time is too short, and NoSolution.
    """
    geometry = puzzle.geometry
    if geometry.size > MOST_CELLS:
        raise TooLarge(f"with rules, more than {MOST_CELLS:,} cells are not searched")
    gathered = Gathered(puzzle)
    formulas = [rule.formula(geometry) for rule in puzzle.rules]
    for constraint in (*formulas, *joint_sums(formulas, units_of(geometry), geometry.values)):
        gathered.add(constraint)
    if not all(gathered.masks):
        raise NoSolution
    arrays = _Stating(gathered, end).arrays()
    arrays.w[L.RESTART] = patience
    return arrays


class _OfUnits(NamedTuple):
    """The numbers of units, and of parts of two of them that hold the same values.

    woken: the place and the queue of each. sets: the cells of each unit. Not to be changed.
    """

    numbers: list[int]
    woken: list[tuple[int, int]]
    sets: list[int]


_FEW_UNITS, _MOST_SHARED = 128, 200_000
"""Units of a puzzle whose numbers are kept for the next, and numbers of parts of two of them.

These parts follow from the units, so that a search without some of them is only slower. They grow
with the square of the units: 3,000 extra regions would take 44 million numbers.
"""


@lru_cache(maxsize=16)
def _of_few_units(units: tuple[Cells, ...]) -> _OfUnits:
    return _of_units(units, math.inf)


def _of_units(units: Sequence[Cells], end: float) -> _OfUnits:
    """The numbers of units, and of what two of them share, until `end` of the monotonic clock."""
    numbers: list[int] = []
    woken: list[tuple[int, int]] = []
    sets = [*map(set_of, units)]
    for unit in units:
        woken.append((len(numbers), L.SOON))
        numbers += L.UNIT, len(unit), *unit
    most = len(numbers) + _MOST_SHARED
    for place, one in enumerate(sets):
        if len(numbers) > most or time.monotonic() > end:
            break
        for other in sets[place + 1 :]:
            if (one & other).bit_count() > 1:
                rest, others = (*members(one & ~other),), (*members(other & ~one),)
                woken.append((len(numbers), L.LATE))
                numbers += L.SAME, len(rest) + len(others), *rest, *others, len(rest)
    return _OfUnits(numbers, woken, sets)


class _Stating:
    """The constraints of a puzzle, one after another, as numbers."""

    def __init__(self, gathered: Gathered, end: float) -> None:
        self._of = gathered
        self._end = end
        self._units = (*gathered.base.units, *gathered.units)
        is_few = len(self._units) <= _FEW_UNITS
        of_units = _of_few_units(self._units) if is_few else _of_units(self._units, end)
        self._unit_sets = of_units.sets
        self._blocks = [bit_tables()]
        self._block_at: dict[int, int] = {}
        self._free = L.DATA  # the place in `d` behind all blocks
        self._numbers = [*of_units.numbers]  # of all constraints
        self._woken = [*of_units.woken]  # the place and the queue of those that are woken
        self._totals: set[tuple[tuple[tuple[int, int], ...], int]] = set()
        self._sets = L.NOTHING
        self._most_marks = self._widest = 1

    def arrays(self) -> Stated:
        """The arrays that state everything. Raises NoSolution and TooLarge."""
        of = self._of
        for constraint in of.others:
            self._state(constraint, L.NORMAL)
        for terms, total in innies(of):
            self._add_sum(terms, total, L.LATE)
        for alternatives in of.choices:
            self._add_choice(alternatives)
        if not self._woken:  # of cells that are free, the first is enough
            self._add(L.ALLOWED, L.NORMAL, (0,), of.masks[0])
        return Stated(*self._packed(), self._weights())

    def _add(self, kind: int, queue: int, cells: Sequence[int], *numbers: int) -> int:
        """Add a constraint; its place."""
        place = len(self._numbers)
        self._numbers += (kind, len(cells), *cells, *numbers)
        if queue != _PART:
            self._woken.append((place, _QUEUES.get(kind, queue) if queue == L.NORMAL else queue))
        if len(self._numbers) > MOST_NUMBERS:
            raise TooLarge("the rules take too much memory")
        return place

    def _block(self, numbers: Numbers) -> int:
        """The place in `d` of numbers that constraints share."""
        place = self._block_at.get(id(numbers))
        if place is None:
            place = self._block_at[id(numbers)] = self._free
            self._blocks.append(numbers)
            self._free += len(numbers)
            if self._free > MOST_NUMBERS:
                raise TooLarge("the rules take too much memory")
        return place

    def _state(self, constraint: Constraint, queue: int) -> list[int]:
        """Add a constraint without alternatives; the places of its parts.

        Raises NoSolution if it can never hold, and TooLarge.
        """
        if time.monotonic() > self._end:
            raise TooLarge(TOO_SHORT)
        kind = type(constraint)
        if kind not in _ADD:
            raise TooLarge(f"{kind.__name__} is not searched")
        return _ADD[kind](self, constraint, queue)

    def add_allowed(self, constraint: Allowed, queue: int) -> list[int]:
        cell, mask = constraint.cell, self._of.mask(constraint.values)
        if not mask & self._of.masks[cell]:
            raise NoSolution
        return [self._add(L.ALLOWED, queue, (cell,), mask)]

    def add_different(self, constraint: AllDifferent, queue: int) -> list[int]:
        cells = constraint.cells
        if len({*cells}) < len(cells) or len(cells) > len(self._of.values):
            raise NoSolution
        return [self._add(L.DISTINCT, queue, cells)]

    def add_pairs(self, constraint: Pairs, queue: int) -> list[int]:
        related = self._of.relation(constraint)
        if related.is_trivial:
            return []
        tables = self._block(related.forwards), self._block(related.backwards)
        return [
            self._add(L.ALLOWED, queue, (a,), related.equal)
            if a == b
            else self._add(L.PAIR, queue, (a, b), *tables)
            for a, b in constraint.pairs
        ]

    def add_at_least(self, constraint: AtLeast, queue: int) -> list[int]:
        cells, bit = constraint.cells, self._of.mask((constraint.value,))
        if constraint.times <= 0:
            return []
        if not bit or constraint.times > len(cells):
            raise NoSolution
        return [self._add(L.AT_LEAST, queue, cells, bit, constraint.times)]

    def add_counts(self, constraint: SameTotals, queue: int) -> list[int]:
        parts, counted = constraint.parts, constraint.counted
        bits = 0 if counted is None else self._of.mask((counted,))
        if len(parts) < 2 or not bits:
            return []
        cells = [*chain.from_iterable(parts)]
        return [self._add(L.COUNTS, queue, cells, bits, len(parts), *map(len, parts))]

    def add_one_of_sets(self, constraint: OneOfSets, queue: int) -> list[int]:
        cells, sets = tuple(dict.fromkeys(constraint.cells)), constraint.sets
        if not cells and any(not each for each in sets):
            return []
        masks = [
            mask
            for each in sets
            if 0 < (mask := self._of.mask(each)).bit_count() == len({*each}) <= len(cells)
        ]
        if not masks:
            raise NoSolution
        begin = self._block(np.array(masks, np.int64))
        return [self._add(L.ONE_SET, queue, cells, begin, begin + len(masks), *self._beside(cells))]

    def add_automaton(self, constraint: Automaton, queue: int) -> list[int]:
        cells = constraint.cells
        step = Layered(constraint.start, constraint.step, constraint.accepted, constraint.numbers)
        layers = automaton(step, len(cells), self._of.values)
        if layers is None:
            raise NoSolution
        if not cells:
            return []
        self._most_marks = max(self._most_marks, int(layers[0]))
        return [self._add(L.PATHS, queue, cells, self._block(layers))]

    def add_connected(self, constraint: Connected, queue: int) -> list[int]:
        cells, size, inside = constraint.cells, constraint.size, self._of.mask(constraint.values)
        if not inside or (size is not None and not 0 < size <= len(cells)):
            raise NoSolution
        at = {cell: index for index, cell in enumerate(cells)}
        near = constraint.neighbours()
        begins = [*accumulate((len(near[cell]) for cell in cells), initial=len(cells) + 1)]
        listed = (at[other] for cell in cells for other in near[cell])
        self._most_marks = max(self._most_marks, MARKS_OF_CONNECTED * len(cells))
        return [self._add(L.CONNECTED, queue, cells, inside, size or 0, *begins, *listed)]

    def add_different_pairs(self, constraint: DifferentPairs, queue: int) -> list[int]:
        if len(constraint.pairs) > len(self._of.values) ** 2:
            raise NoSolution
        if len(constraint.pairs) < 2:
            return []
        return [self._add(L.DIFFERENT_PAIRS, queue, [*chain.from_iterable(constraint.pairs)])]

    def add_count_of_equal(self, constraint: CountOfEqual, queue: int) -> list[int]:
        cells, arms = [*constraint.scope()], constraint.arms
        counted = self._of.values[0] + constraint.offset
        self._most_marks = max(self._most_marks, len(cells))
        numbers = counted, constraint.unbroken, len(arms), *map(len, arms)
        return [self._add(L.COUNT_OF_EQUAL, queue, cells, *numbers)]

    def add_ranked(self, constraint: Ranked, queue: int) -> list[int]:
        bit, length = self._of.mask((constraint.first,)), len(constraint.line)
        if not bit or not 0 <= constraint.smaller <= len(constraint.others):
            raise NoSolution
        numbers = bit, constraint.smaller, constraint.tied, length
        return [self._add(L.RANKED, queue, [*constraint.scope()], *numbers)]

    def add_total(self, constraint: Total, queue: int) -> list[int]:
        return self._add_sum(weights_of(constraint), constraint.total, queue)

    def _add_sum(self, terms: Terms, total: int, queue: int) -> list[int]:
        """Add a weighted sum of values, as one of their indices."""
        terms = {cell: weight for cell, weight in sorted(terms.items()) if weight}
        if not terms:
            if total:
                raise NoSolution
            return []
        values, weights = self._of.values, terms.values()
        if max(abs(total), sum(map(abs, weights)) * max(map(abs, values))) > MOST_SUM:
            raise TooLarge("a sum has too large numbers")
        if queue != _PART:
            key = tuple(terms.items()), total
            if key in self._totals:
                return []
            self._totals.add(key)
        groups = self._groups(terms)
        numbers, beside = [total - values[0] * sum(weights), len(groups)], list[int]()
        for weight, cells in groups:
            has_sets = self._has_sets(len(cells), len(groups))
            numbers += len(cells), weight, has_sets
            beside += self._beside(cells) if has_sets else [0]
        numbers += beside
        return [self._add(L.TOTAL, queue, [cell for _, some in groups for cell in some], *numbers)]

    def _beside(self, cells: Sequence[int]) -> list[int]:
        """The number of units that hold all these cells; the length and the cells of each rest."""
        if len(cells) < 2:
            return [0]
        some = set_of(cells)
        rests = [unit & ~some for unit in self._unit_sets if not some & ~unit and unit != some]
        return [len(rests), *chain.from_iterable((r.bit_count(), *members(r)) for r in rests)]

    def _has_sets(self, length: int, groups: int) -> int:
        """Whether the sets that a group of cells may hold are worth a look; they are then there."""
        count = len(self._of.values)
        if length == 1 or count > (_LONG if groups > 1 else LARGEST_WITH_SETS):
            return 0
        if self._sets == L.NOTHING:
            masks, begins = sets_by_sum(count)
            self._sets = self._block(begins + self._block(masks))
        return 1

    def _groups(self, terms: Terms) -> list[Group]:
        """Groups of different cells with one weight, the greatest weights first."""
        apart, left = self._of.apart, dict(terms)
        groups: list[tuple[int, list[int], int]] = []  # and the cells that differ from all of it
        while len(left) > _LONG:
            alike = self._alike(left)
            weight, cells = max(alike, key=lambda group: len(group[1]), default=(0, []))
            if len(cells) < 2:
                break
            common = L.NOTHING
            for cell in cells:
                common &= apart[cell]
                del left[cell]
            groups.append((weight, cells, common))
        for cell, weight in left.items():
            for index, (by, cells, common) in enumerate(groups):
                if by == weight and common >> cell & 1:
                    groups[index] = by, [*cells, cell], common & apart[cell]
                    break
            else:
                groups.append((weight, [cell], apart[cell]))
        groups.sort(key=lambda group: -abs(group[0]))
        return [(weight, cells) for weight, cells, _ in groups]

    def _alike(self, terms: Terms) -> Iterator[Group]:
        """The cells of one unit that have one weight."""
        for unit in self._units:
            by_weight: dict[int, list[int]] = {}
            for cell in unit:
                if cell in terms:
                    by_weight.setdefault(terms[cell], []).append(cell)
            yield from by_weight.items()

    def _add_choice(self, alternatives: list[list[Constraint]]) -> None:
        """Add alternatives. Raises NoSolution if none can hold."""
        count, numbers = 0, list[int]()
        scope: dict[int, None] = {}
        for parts in alternatives:
            short_first = sorted(parts, key=lambda part: not isinstance(part, Allowed))
            try:
                places = [place for part in short_first for place in self._state(part, _PART)]
            except NoSolution:
                continue
            if not places:
                return  # this one always holds
            for place in places:
                scope |= dict.fromkeys(self._scope(place))
            count += 1
            numbers += len(places), *places
        if not count:
            raise NoSolution
        self._widest = max(self._widest, len(scope))
        self._add(L.EITHER, L.NORMAL, tuple(scope), count, *numbers)

    def _scope(self, place: int) -> list[int]:
        first = place + L.SCOPE
        return self._numbers[first : first + self._numbers[place + L.LENGTH]]

    def _packed(self) -> tuple[Numbers, Numbers]:
        """The arrays `w` and `d`."""
        size, count, constraints = len(self._of.masks), len(self._of.values), len(self._woken)
        words = -(-size // L.CELLS_IN_WORD)
        places, queues = np.array(self._woken, np.int64).T
        begins, woken = self._wakes()
        ends = self._free + len(self._numbers)
        pieces = {
            L.STATED: np.array(self._numbers, np.int64),
            L.PLACES: places + self._free,
            L.PRIORITIES: queues,
            L.APART: self._words_apart(words),
            L.WOKEN: begins + ends + 2 * constraints + size * words + len(begins),
        }
        d = np.concatenate([*self._blocks, *pieces.values(), woken])
        at = self._free
        for name, numbers in pieces.items():
            d[name] = at
            at += len(numbers)
        numbers_of = {
            L.SIZE: size,
            L.VALUES: count,
            L.CONSTRAINTS: constraints,
            L.UNITS: len(self._units),
            L.WORDS: words,
            L.WIDTH: count * (count - 1) // 2 + 2,
            L.SETS: self._sets,
        }
        lengths = {
            L.STACK: size,
            L.QUEUED: constraints,
            L.RINGS: L.QUEUES * constraints,
            L.SAVED: size * (size + 1),
            L.CHOSEN: 2 * (size + 1),
            L.MARKS: self._most_marks,
            L.KEPT: 2 * self._widest,
        }
        at = L.CELLS + size
        for name, length in lengths.items():
            d[name] = at
            at += length
        for name, number in numbers_of.items():
            d[name] = number
        w = np.zeros(at, np.int64)
        w[L.CELLS : L.CELLS + size] = self._of.masks
        return w, d

    def _words_apart(self, words: int) -> Numbers:
        """For each cell the set of those that hold another value, in so many words."""
        word = (1 << L.CELLS_IN_WORD) - 1
        shifts = [L.CELLS_IN_WORD * index for index in range(words)]
        apart = [cells >> shift & word for cells in self._of.apart for shift in shifts]
        return np.array(apart, np.int64)

    def _wakes(self) -> tuple[Numbers, Numbers]:
        """Where those that each cell wakes begin in a list, see `layout`; and this list."""
        scopes = [self._scope(place) for place, _ in self._woken]
        late = np.array([queue == L.LATE for _, queue in self._woken])
        constraints = np.repeat(np.arange(len(scopes)), [*map(len, scopes)])
        keys = 2 * np.array([*chain.from_iterable(scopes)], np.int64) + late[constraints]
        order = np.argsort(keys, kind="stable")
        begins = np.searchsorted(keys[order], np.arange(2 * len(self._of.masks) + 1))
        return begins, constraints[order]

    def _weights(self) -> NDArray[np.float64]:
        """How much each cell is preferred at first, by the constraints that it is in."""
        weights, count = [1.0] * len(self._of.masks), len(self._of.values)
        for place, _ in self._woken:
            kind, length = self._numbers[place + L.KIND], self._numbers[place + L.LENGTH]
            if kind in {L.SAME, L.CONNECTED, L.DIFFERENT_PAIRS}:  # about the whole grid
                continue
            weight = 2 * length if kind == L.COUNTS else length
            if kind == L.TOTAL:
                weight = max(2 * count - length, count)
            for cell in self._scope(place):
                weights[cell] += weight
        return np.array(weights)


_ADD: dict[type[Constraint], Callable[[_Stating, Any, int], list[int]]] = {
    Allowed: _Stating.add_allowed,
    AllDifferent: _Stating.add_different,
    Pairs: _Stating.add_pairs,
    AtLeast: _Stating.add_at_least,
    SameTotals: _Stating.add_counts,
    OneOfSets: _Stating.add_one_of_sets,
    Automaton: _Stating.add_automaton,
    Total: _Stating.add_total,
    Connected: _Stating.add_connected,
    DifferentPairs: _Stating.add_different_pairs,
    CountOfEqual: _Stating.add_count_of_equal,
    Ranked: _Stating.add_ranked,
}
