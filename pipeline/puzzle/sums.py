"""Constraints on sums and counts of values; their base class is in `constraints`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, permutations
from typing import TYPE_CHECKING

from pipeline.puzzle.constraints import (
    AllDifferent,
    Allowed,
    Automaton,
    Cells,
    Constraint,
    OneOfSets,
)
from pipeline.puzzle.group_sums import (
    define_counts,
    define_sums,
    partition,
    possible_sums,
    require_total,
)

if TYPE_CHECKING:
    from pipeline.puzzle.builder import ClauseBuilder


class Total(Constraint):
    """The weighted sum of the values is `total`.

    `terms`: pairs (cell, weight); cells may repeat.
    """

    terms: tuple[tuple[int, int], ...]
    total: int

    def scope(self) -> Iterable[int]:
        return (cell for cell, _ in self.terms)

    def holds(self, values: Sequence[int]) -> bool:
        return sum(values[cell] * weight for cell, weight in self.terms) == self.total

    def weights(self) -> dict[int, int]:
        """The weight of each cell: the sum of its weights in all terms."""
        weights: dict[int, int] = {}
        for cell, weight in self.terms:
            weights[cell] = weights.get(cell, 0) + weight
        return weights

    def encode(self, clauses: ClauseBuilder) -> None:
        weights = {cell: weight for cell, weight in self.weights().items() if weight}
        total = self.total
        clauses.count_steps(len(weights) * clauses.side)
        if len(weights) > _SMALL_SUM:
            total -= _cancel_units(weights, clauses.groups, clauses.values)
            if sets := _sets_of_one_weight(clauses, weights, total):
                OneOfSets(tuple(weights), sets).encode(clauses)
                return
        is_small = len(weights) <= _SMALL_SUM
        groups = [[cell] for cell in weights] if is_small else _group_cells(clauses, weights)
        # with the largest weights first, there are fewer intermediate sums
        groups.sort(key=lambda cells: -abs(weights[cells[0]]))
        if max(map(len, groups), default=0) >= _MIN_GROUP:
            _encode_sum(clauses, groups, weights, (total,))
            return
        cells = [*chain.from_iterable(groups)]
        shape = tuple([(len(group), weights[group[0]]) for group in groups])
        clauses.require_sum(cells, *_summands_and_bounds(shape, total, clauses.values), (total,))


class SameTotals(Constraint):
    """All parts have the same sum or, with `counted_value`, contain that value equally often.

    A part may list a cell more than once.
    """

    parts: tuple[Cells, ...]
    counted_value: int | None = None

    def scope(self) -> Iterable[int]:
        return chain.from_iterable(self.parts)

    def _summand(self, value: int) -> int:
        return value if self.counted_value is None else int(value == self.counted_value)

    def holds(self, values: Sequence[int]) -> bool:
        return len({sum(self._summand(values[cell]) for cell in part) for part in self.parts}) <= 1

    def encode(self, clauses: ClauseBuilder) -> None:
        if len(self.parts) < 2:
            return
        if self.counted_value is not None and all(len({*p}) == len(p) for p in self.parts):
            self._encode_counts(clauses, self.counted_value)
            return
        summands = tuple(map(self._summand, clauses.values))
        lowest = max(len(part) * min(summands) for part in self.parts)
        highest = min(len(part) * max(summands) for part in self.parts)
        clauses.count_steps(max(highest - lowest, 0))
        totals = {total: clauses.new_variable() for total in range(lowest, highest + 1)}
        clauses.require_at_most_one(list(totals.values()))
        for part in self.parts:
            clauses.count_steps(len(part))
            weights = Counter(part if self.counted_value is None else ())
            groups = _group_cells(clauses, weights)
            if max(map(len, groups), default=0) >= _MIN_GROUP:
                _encode_sum(clauses, groups, weights, tuple(totals), [*totals.values()])
                continue
            after = [*reversed(range(len(part)))]  # the number of cells after each cell
            bounds = tuple(
                (lowest - max(summands) * count, highest - min(summands) * count) for count in after
            )
            clauses.require_sum(
                part, (summands,) * len(part), bounds, tuple(totals), [*totals.values()]
            )

    def _encode_counts(self, clauses: ClauseBuilder, value: int) -> None:
        """Encode that the cells of each part, which are distinct, hold the value equally often."""
        if value not in clauses.values:
            return
        maximum = min(len(partition(clauses, part)) for part in self.parts)
        counts = [define_counts(clauses, part, value, maximum + 1) for part in self.parts]
        for reached, other_reached in zip(counts, (*counts[1:], counts[0]), strict=True):
            for count, other_count in zip(reached[:maximum], other_reached[:maximum], strict=True):
                clauses.add(-count, other_count)
            for count in reached[maximum:]:
                clauses.add(-count)


class SetTotal(Constraint):
    """The cells hold different values, all from `values`, that sum to `total`.

    The cells must be distinct.
    """

    cells: Cells
    total: int
    values: tuple[int, ...] | range

    def holds(self, values: Sequence[int]) -> bool:
        held = {values[cell] for cell in self.cells}
        is_set = len(held) == len(self.cells) and held.issubset(self.values)
        return is_set and sum(held) == self.total

    def encode(self, clauses: ClauseBuilder) -> None:
        if len(self.cells) == 2:
            parameters = self.total, self.values
            clauses.encode_cached(_encode_pair_total, self.cells, parameters=parameters)
            return
        sets = clauses.sets_with_total(self.values, len(self.cells), self.total)
        if sets is not None:
            OneOfSets(self.cells, sets).encode(clauses)
            return
        for cell in self.cells:
            Allowed(cell, self.values).encode(clauses)
        AllDifferent(self.cells).encode(clauses)
        Total(tuple((cell, 1) for cell in self.cells), self.total).encode(clauses)


def _encode_pair_total(
    clauses: ClauseBuilder,
    cells: Cells,
    _literals: Sequence[int],
    total: int,
    values: tuple[int, ...] | range,
) -> None:
    """Encode a sum of two cells: each value of one cell determines the value of the other."""
    possible = {*values}.intersection(clauses.values)
    for cell, other_cell in permutations(cells):
        for value in clauses.values:
            other_value = total - value
            fits = {value, other_value} <= possible and value != other_value
            implied = (clauses.literal(other_cell, other_value),) if fits else ()
            clauses.add(-clauses.literal(cell, value), *implied)


class TotalBetween(Constraint):
    """The n cells hold each value once. The values between the ends 1 and n sum to `total`."""

    cells: Cells
    total: int

    def holds(self, values: Sequence[int]) -> bool:
        held = [values[cell] for cell in self.cells]
        n = len(held)
        if sorted(held) != list(range(1, n + 1)):
            return False
        first, last = sorted((held.index(1), held.index(n)))
        return sum(held[first + 1 : last]) == self.total

    def encode(self, clauses: ClauseBuilder) -> None:
        AllDifferent(self.cells).encode(clauses)
        clauses.encode_cached(_encode_total_between, self.cells, parameters=(self.total,))


def _encode_total_between(
    clauses: ClauseBuilder, cells: Cells, _literals: Sequence[int], total: int
) -> None:
    """Encode `TotalBetween` for cells that hold each value once."""
    n, sets = clauses.side, list[tuple[int, ...]]()
    for size in range(n - 1):
        sets_with_size = clauses.sets_with_total(range(2, n), size, total)
        sets += sets_with_size or ()
        if sets_with_size is None or len(sets) > clauses.limits.sets:
            ends = Automaton(cells, -1, sum_between_ends, frozenset((-2,)), (n, total))
            ends.encode(clauses)
            return
    inside = {value: clauses.new_variable() for value in range(2, n)}
    for index in range(1, n - 1):
        after_1, after_n = (clauses.define_any_cell(cells[:index], end) for end in (1, n))
        for value, literal in inside.items():
            not_held = -clauses.literal(cells[index], value)
            clauses.add(not_held, after_1, after_n, -literal)
            clauses.add(not_held, -after_1, -after_n, -literal)
            clauses.add(not_held, after_1, -after_n, literal)
            clauses.add(not_held, -after_1, after_n, literal)
    for end in (0, n - 1):  # a value in an end cell is not inside
        for value, literal in inside.items():
            clauses.add(-clauses.literal(cells[end], value), -literal)
    clauses.require_one_of_sets(inside, sets)
    sizes = {len(inner) for inner in sets}
    for a, b in permutations(range(n), 2):
        if abs(a - b) - 1 not in sizes:
            clauses.add(-clauses.literal(cells[a], 1), -clauses.literal(cells[b], n))


class CountOfEqual(Constraint):
    """The counter's value plus `offset` is the number of cells with the value of the start.

    The start counts once, and so does each equal cell of an arm. If `unbroken`, an arm ends before
    its first cell that differs from the start.
    """

    counter: int
    start: int
    arms: tuple[Cells, ...]
    offset: int
    unbroken: bool

    def scope(self) -> Iterable[int]:
        return chain((self.counter, self.start), *self.arms)

    def holds(self, values: Sequence[int]) -> bool:
        counted = 1
        for arm in self.arms:
            equal = [values[cell] == values[self.start] for cell in arm]
            counted += [*equal, False].index(False) if self.unbroken else sum(equal)
        return values[self.counter] + self.offset == counted

    def encode(self, clauses: ClauseBuilder) -> None:
        counted = [literal for arm in self.arms for literal in self._equal_literals(clauses, arm)]
        reached = clauses.define_counter(counted, len(counted))
        for value in clauses.values:
            not_value, in_arms = -clauses.literal(self.counter, value), value + self.offset - 1
            if not 0 <= in_arms <= len(counted):
                clauses.add(not_value)
                continue
            if in_arms > 0:
                clauses.add(not_value, reached[in_arms - 1])
            if in_arms < len(counted):
                clauses.add(not_value, -reached[in_arms])

    def _equal_literals(self, clauses: ClauseBuilder, arm: Cells) -> Iterator[int]:
        """Yield a literal for each cell of the arm, which is true if the cell counts."""
        previous = 0
        for cell in arm:
            equal = clauses.define_equal(self.start, cell)
            if self.unbroken and previous:
                unbroken_equal = clauses.new_variable()
                clauses.define(-unbroken_equal, previous)
                clauses.define(-unbroken_equal, equal)
                clauses.define(unbroken_equal, -previous, -equal)
                equal = unbroken_equal
            previous = equal
            yield equal


class CountOfValues(Constraint):
    """The counter holds the number of different values in the cells."""

    counter: int
    cells: Cells

    def scope(self) -> Iterable[int]:
        return (self.counter, *self.cells)

    def holds(self, values: Sequence[int]) -> bool:
        return values[self.counter] == len({values[cell] for cell in self.cells})

    def encode(self, clauses: ClauseBuilder) -> None:
        held = [clauses.define_any_cell(self.cells, value) for value in clauses.values]
        reached = clauses.define_counter(held, len(held))
        for value in clauses.values:
            not_value = -clauses.literal(self.counter, value)
            if value > len(held):
                clauses.add(not_value)
                continue
            if value > 0:
                clauses.add(not_value, reached[value - 1])
            if value < len(held):
                clauses.add(not_value, -reached[value])


_MAX_SETS = 20
"""Maximum number of sets that are listed for a sum of cells that differ and have one weight.

Sums in grids of 9 values have fewer; with their sets, little killers need 18 % fewer clauses and
conflicts than with sums of groups.
"""

_SMALL_SUM = 2
"""Maximum number of cells of a sum whose encoding ignores the units."""

_MIN_GROUP = 3
"""Minimum number of cells of a group whose sum has literals of its own.

With groups of two cells as well, solvers learn fewer clauses on most puzzles, but the 14 % more
clauses make them slower in all.
"""


def _sets_of_one_weight(
    clauses: ClauseBuilder, weights: Mapping[int, int], total: int
) -> tuple[tuple[int, ...], ...] | None:
    """The sets of values of different cells with one weight; None for other cells or many sets."""
    if len({*weights.values()}) != 1 or not clauses.are_different([*weights]):
        return None
    weight = next(iter(weights.values()))
    if total % weight or len(weights) <= _SMALL_SUM:
        return None
    sets = clauses.sets_with_total(clauses.values, len(weights), total // weight)
    return sets if sets is not None and len(sets) <= _MAX_SETS else None


def _cancel_units(weights: dict[int, int], units: Sequence[Sequence[int]], values: range) -> int:
    """Subtract multiples of units that hold each value once, so that fewer cells have a weight.

    Seven cells of a row are the row, whose sum is known, minus two cells. So long shafts of arrows
    need far fewer intermediate sums. Greedy: each step takes the unit and the weight
    that leave the fewest cells. Changes `weights`; returns the sum of what was subtracted.
    """
    if 2 * len(weights) <= len(values):
        return 0  # without a unit, as many cells would be left
    whole = [unit for unit in units if len(unit) == len(values)]
    subtracted = 0
    while True:
        options = [
            (count - sum(cell not in weights for cell in unit), index, weight)
            for index, unit in enumerate(whole)
            for weight, count in Counter(weights[c] for c in unit if c in weights).items()
        ]
        saved, index, weight = max(options, default=(0, 0, 0))
        if saved <= 0:
            return subtracted
        subtracted += weight * sum(values)
        for cell in whole[index]:
            weights[cell] = weights.get(cell, 0) - weight
            if not weights[cell]:
                del weights[cell]


def _group_cells(clauses: ClauseBuilder, weights: Mapping[int, int]) -> list[list[int]]:
    """Partition the cells greedily into large groups.

    The cells of a group have the same weight and are in the same unit, so their values differ.
    """
    with_weight: dict[int, list[int]] = {}
    for cell, weight in weights.items():
        with_weight.setdefault(weight, []).append(cell)
    return [part for cells in with_weight.values() for part in partition(clauses, cells)]


def _encode_sum(
    clauses: ClauseBuilder,
    groups: Iterable[Sequence[int]],
    weights: Mapping[int, int],
    totals: Sequence[int],
    total_literals: Sequence[int] = (),
) -> None:
    """Encode that the weighted sum of groups of cells is one of the totals.

    The cells of a group are in the same unit and have the same weight, which is not 0.
    """
    values, literals = clauses.values, list[int]()
    numbers, constant = list[tuple[int, ...]](), 0
    for cells in groups:
        weight = weights[cells[0]]
        if len(cells) == len(values):
            constant += weight * sum(values)
        elif len(cells) < _MIN_GROUP:
            numbers += [tuple(weight * value for value in values)] * len(cells)
            literals += (clauses.literal(cell, value) for cell in cells for value in values)
        else:
            group = frozenset(cells)
            if group not in clauses.sums:
                clauses.sums[group] = clauses.encode_cached(define_sums, cells)
            numbers.append(tuple(weight * total for total in possible_sums(len(cells), values)))
            literals += clauses.sums[group]
    required = tuple(total - constant for total in totals)
    parameters = tuple(numbers), required
    clauses.encode_cached(require_total, (), (*literals, *total_literals), parameters)


@lru_cache(maxsize=1024)
def _summands_and_bounds(
    groups: tuple[tuple[int, int], ...], total: int, values: range
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, int], ...]]:
    """The arguments `summands` and `bounds` of `require_sum` for groups of cells that differ.

    `groups`: the number of cells of each group, and their weight.
    """
    ranges = [_sum_ranges(length, weight, values) for length, weight in groups]
    prefix_ranges, suffix_ranges = (
        _prefix_ranges(ranges),
        _prefix_ranges(reversed(ranges))[::-1],
    )
    bounds = [
        (max(lowest, total - max_after), min(highest, total - min_after))
        for (lowest, highest), (min_after, max_after) in zip(
            prefix_ranges[1:], suffix_ranges[1:], strict=True
        )
    ]
    weights = chain.from_iterable([weight] * length for length, weight in groups)
    return tuple(tuple(weight * value for value in values) for weight in weights), tuple(bounds)


def _sum_ranges(length: int, weight: int, values: range) -> list[tuple[int, int]]:
    """The (minimum, maximum) sum of the first 1, 2, …, `length` cells of a group."""
    low = [*accumulate(weight * value for value in values[:length])]
    high = [*accumulate(weight * value for value in values[::-1][:length])]
    return [(min(pair), max(pair)) for pair in zip(low, high, strict=True)]


def _prefix_ranges(groups: Iterable[Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The (minimum, maximum) sum of the first 0, 1, 2, … cells of consecutive groups."""
    ranges, low, high = [(0, 0)], 0, 0
    for group in groups:
        ranges += ((low + minimum, high + maximum) for minimum, maximum in group)
        low, high = ranges[-1]
    return ranges


def sum_between_ends(so_far: int, value: int, side: int, total: int) -> int | None:
    """The step function of an automaton that adds the values between the values 1 and n of a line.

    States: -1 before the first of 1 and n; then the sum of the values since it; -2 after the second
    of them. Rejects the line (None) if the sum cannot be `total`.
    """
    if value in (1, side):
        return 0 if so_far == -1 else -2 if so_far == total else None
    return so_far if so_far < 0 else so_far + value if so_far + value <= total else None
