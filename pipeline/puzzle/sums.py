"""Constraints that add values up, or count them; see `formulas`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, permutations
from typing import TYPE_CHECKING

from pipeline.puzzle.formulas import (
    AllDifferent,
    Allowed,
    Automaton,
    Cells,
    Constraint,
    OneOfSets,
)

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import ClauseBuilder


class Total(Constraint):
    """The values, each times its weight, sum to the total; a cell may have several weights."""

    terms: tuple[tuple[int, int], ...]
    total: int

    def scope(self) -> Iterable[int]:
        return (cell for cell, _ in self.terms)

    def holds(self, values: Sequence[int]) -> bool:
        return sum(values[cell] * weight for cell, weight in self.terms) == self.total

    def encode(self, clauses: ClauseBuilder) -> None:
        weights: dict[int, int] = {}
        for cell, weight in self.terms:
            weights[cell] = weights.get(cell, 0) + weight
        clauses.spend(len(weights) * clauses.side)
        groups = _different(weights, clauses.units if len(weights) > _FEW else ())
        # those of the greatest weight first: fewer sums are possible in between
        groups.sort(key=lambda cells: -abs(weights[cells[0]]))
        cells = [*chain.from_iterable(groups)]
        ends = [_ends_of(len(some), weights[some[0]], clauses.values) for some in groups]
        before, after = _so_far(ends), _so_far(reversed(ends))[::-1]
        total = self.total

        def step(index: int, so_far: int, value: int) -> int | None:
            reached = so_far + weights[cells[index]] * value
            least, most = before[index + 1]
            fewest, rest = after[index + 1]
            fits = least <= reached <= most and fewest <= total - reached <= rest
            return reached if fits else None

        clauses.automaton(cells, 0, step, total.__eq__)


class SameTotals(Constraint):
    """The sum of the values is the same in each part; with `counted`, how often that value occurs.

    A part may name a cell more than once.
    """

    parts: tuple[Cells, ...]
    counted: int | None = None

    def scope(self) -> Iterable[int]:
        return chain.from_iterable(self.parts)

    def _worth(self, value: int) -> int:
        return value if self.counted is None else int(value == self.counted)

    def holds(self, values: Sequence[int]) -> bool:
        return len({sum(self._worth(values[cell]) for cell in part) for part in self.parts}) <= 1

    def encode(self, clauses: ClauseBuilder) -> None:
        if len(self.parts) < 2:
            return
        worths = [*map(self._worth, clauses.values)]
        lowest = max(len(part) * min(worths) for part in self.parts)
        highest = min(len(part) * max(worths) for part in self.parts)
        clauses.spend(max(highest - lowest, 0))
        ends = {reached: clauses.new() for reached in range(lowest, highest + 1)}
        clauses.most_one(list(ends.values()))
        for part in self.parts:
            clauses.spend(len(part))
            step = _adding([worths] * len(part), lowest, highest, clauses.values[0])
            clauses.automaton(part, 0, step, ends.__contains__, ends)


class SetTotal(Constraint):
    """The cells, named once each, hold different values out of `values` that sum to the total."""

    cells: Cells
    total: int
    values: tuple[int, ...] | range

    def holds(self, values: Sequence[int]) -> bool:
        held = {values[cell] for cell in self.cells}
        is_set = len(held) == len(self.cells) and held.issubset(self.values)
        return is_set and sum(held) == self.total

    def encode(self, clauses: ClauseBuilder) -> None:
        if len(self.cells) == 2:
            self._encode_pair(clauses)
            return
        sets = clauses.sets(self.values, len(self.cells), self.total)
        if sets is not None:
            OneOfSets(self.cells, tuple(sets)).encode(clauses)
            return
        for cell in self.cells:
            Allowed(cell, self.values).encode(clauses)
        AllDifferent(self.cells).encode(clauses)
        Total(tuple((cell, 1) for cell in self.cells), self.total).encode(clauses)

    def _encode_pair(self, clauses: ClauseBuilder) -> None:
        """Either value follows from the other."""
        possible = {*self.values}.intersection(clauses.values)
        for one, other in permutations(self.cells):
            for value in clauses.values:
                rest = self.total - value
                fits = {value, rest} <= possible and value != rest
                follows = (clauses.at(other, rest),) if fits else ()
                clauses.add(-clauses.at(one, value), *follows)


class TotalBetween(Constraint):
    """The n cells hold each value once; those between 1 and n sum to the total."""

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
        n, sets = clauses.side, list[tuple[int, ...]]()
        for size in range(n - 1):
            found = clauses.sets(range(2, n), size, self.total)
            sets += found or ()
            if found is None or len(sets) > clauses.most.sets:
                ends = Automaton(self.cells, -1, between_ends, frozenset((-2,)), (n, self.total))
                ends.encode(clauses)
                return
        self._choose(clauses, sets)

    def _choose(self, clauses: ClauseBuilder, sets: Sequence[tuple[int, ...]]) -> None:
        """One of the sets stands between 1 and n, given that each value is there once."""
        n, cells = clauses.side, self.cells
        inside = {value: clauses.new() for value in range(2, n)}
        for index in range(1, n - 1):
            least, most = (clauses.holding(cells[:index], end) for end in (1, n))
            for value, literal in inside.items():
                here = -clauses.at(cells[index], value)
                clauses.add(here, least, most, -literal)
                clauses.add(here, -least, -most, -literal)
                clauses.add(here, least, -most, literal)
                clauses.add(here, -least, most, literal)
        for end in (0, n - 1):  # a value in an end cell is not inside
            for value, literal in inside.items():
                clauses.add(-clauses.at(cells[end], value), -literal)
        clauses.chosen(inside, sets)
        sizes = {len(each) for each in sets}
        for a, b in permutations(range(n), 2):
            if abs(a - b) - 1 not in sizes:
                clauses.add(-clauses.at(cells[a], 1), -clauses.at(cells[b], n))


class CountOfEqual(Constraint):
    """The counter holds, `offset` less, how many cells of the start and the arms are equal to it.

    If `unbroken`, of each arm only those before the first that is not. The start counts once.
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
        counted = [literal for arm in self.arms for literal in self._equal(clauses, arm)]
        reached = clauses.counted(counted, len(counted))
        for value in clauses.values:
            here, others = -clauses.at(self.counter, value), value + self.offset - 1
            if not 0 <= others <= len(counted):
                clauses.add(here)
                continue
            if others > 0:
                clauses.add(here, reached[others - 1])
            if others < len(counted):
                clauses.add(here, -reached[others])

    def _equal(self, clauses: ClauseBuilder, arm: Cells) -> Iterator[int]:
        """A literal for each cell: it counts."""
        before = 0
        for cell in arm:
            equal = clauses.same(self.start, cell)
            if self.unbroken and before:
                both = clauses.new()
                clauses.define(-both, before)
                clauses.define(-both, equal)
                clauses.define(both, -before, -equal)
                equal = both
            before = equal
            yield equal


class CountOfValues(Constraint):
    """The counter holds the number of different values that the cells hold."""

    counter: int
    cells: Cells

    def scope(self) -> Iterable[int]:
        return (self.counter, *self.cells)

    def holds(self, values: Sequence[int]) -> bool:
        return values[self.counter] == len({values[cell] for cell in self.cells})

    def encode(self, clauses: ClauseBuilder) -> None:
        held = [clauses.holding(self.cells, value) for value in clauses.values]
        reached = clauses.counted(held, len(held))
        for value in clauses.values:
            here = -clauses.at(self.counter, value)
            if value > len(held):
                clauses.add(here)
                continue
            if value > 0:
                clauses.add(here, reached[value - 1])
            if value < len(held):
                clauses.add(here, -reached[value])


_FEW = 4
"""Cells of a sum for which it is not worth looking which of them differ."""


def _different(weights: Mapping[int, int], units: Sequence[Sequence[int]]) -> list[list[int]]:
    """All cells, in groups of one unit and one weight, as large as they may be."""
    left, groups = dict(weights), list[list[int]]()
    while left:
        found = [next(iter(left))]
        for unit in units:
            alike: dict[int, list[int]] = {}
            for cell in unit:
                if cell in left:
                    alike.setdefault(left[cell], []).append(cell)
            found = max((found, *alike.values()), key=len)
        groups.append(found)
        for cell in found:
            del left[cell]
    return groups


def _ends_of(length: int, weight: int, values: range) -> list[tuple[int, int]]:
    """The least and the greatest sum of the first 1, 2, … of so many different cells."""
    low = [*accumulate(weight * value for value in values[:length])]
    high = [*accumulate(weight * value for value in values[::-1][:length])]
    return [(min(pair), max(pair)) for pair in zip(low, high, strict=True)]


def _so_far(ends: Iterable[Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The same of the first cells of all groups, from none on."""
    found, low, high = [(0, 0)], 0, 0
    for group in ends:
        found += ((low + least, high + most) for least, most in group)
        low, high = found[-1]
    return found


def _adding(
    worths: Sequence[Sequence[int]], lowest: int, highest: int, first: int
) -> Callable[[int, int, int], int | None]:
    """Steps of an automaton that sums up what values, from `first` on, are worth at each index.

    A sum that can no longer end from the lowest to the highest is a dead end.
    """
    least, most = _rests(map(min, worths)), _rests(map(max, worths))

    def step(index: int, so_far: int, value: int) -> int | None:
        after = so_far + worths[index][value - first]
        fits = after + least[index + 1] <= highest and after + most[index + 1] >= lowest
        return after if fits else None

    return step


def _rests(numbers: Iterator[int]) -> list[int]:
    """The sums of all numbers from each on."""
    return [*accumulate(reversed([*numbers]), initial=0)][::-1]


def between_ends(passed: int, value: int, side: int, total: int) -> int | None:
    """The sum passed since 1 or n: -1 before the first of them, -2 after the second."""
    if value in (1, side):
        return 0 if passed == -1 else -2 if passed == total else None
    return passed if passed < 0 else passed + value if passed + value <= total else None
