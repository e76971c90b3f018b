"""Constraints that count: how often cells hold a value, and how many values are visible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from pipeline.puzzle.constraints import Automaton, Cells, Constraint
from pipeline.puzzle.group_sums import define_counts

if TYPE_CHECKING:
    from pipeline.puzzle.builder import ClauseBuilder

_MAX_VALUES_ALL_SETS = 9
"""Maximum number of values for which the clauses of `CountsItself` list all sets of values."""


class Occurrences(Constraint):
    """Exactly `times` of the cells hold the value; without `exactly`, at least as many.

    The cells are distinct.
    """

    cells: Cells
    value: int
    times: int
    exactly: bool

    def holds(self, values: Sequence[int]) -> bool:
        count = sum(values[cell] == self.value for cell in self.cells)
        return count == self.times if self.exactly else count >= self.times

    def encode(self, clauses: ClauseBuilder) -> None:
        if self.value not in clauses.values:
            if self.times > 0:
                clauses.add()
            return
        reached = define_counts(clauses, self.cells, self.value, self.times + 1)
        if self.times > len(reached):
            clauses.add()
        elif self.times > 0:
            clauses.add(reached[self.times - 1])
        if self.exactly and self.times < len(reached):
            clauses.add(-reached[self.times])


class CountsItself(Constraint):
    """Each value v that the cells hold is in exactly v of them. The cells are distinct."""

    cells: Cells

    def holds(self, values: Sequence[int]) -> bool:
        counts = Counter(values[cell] for cell in self.cells)
        return all(value == count for value, count in counts.items())

    def encode(self, clauses: ClauseBuilder) -> None:
        """Encode the count of each value, and the sets of values that sum to the cell count."""
        is_held: dict[int, int] = {}
        for value in clauses.values:
            reached = define_counts(clauses, self.cells, value, value + 1)
            if not 0 < value <= len(reached):
                for cell in self.cells:
                    clauses.add(-clauses.literal(cell, value))
                continue
            is_held[value] = reached[0]
            for count in reached[1:value]:
                clauses.add(-reached[0], count)
            for count in reached[value:]:
                clauses.add(-count)
        if len(is_held) <= _MAX_VALUES_ALL_SETS:
            sizes = range(len(is_held) + 1)
            subsets = (subset for size in sizes for subset in combinations(is_held, size))
            sets = [subset for subset in subsets if sum(subset) == len(self.cells)]
            clauses.require_one_of_sets(is_held, sets)


class Visible(Constraint):
    """Exactly `number` of the values are larger than all values before them in the cells.

    `highest`: the highest value of the grid. A first value of 0 is not visible.
    """

    cells: Cells
    number: int
    highest: int

    def holds(self, values: Sequence[int]) -> bool:
        return self.automaton().holds(values)

    def encode(self, clauses: ClauseBuilder) -> None:
        if not clauses.are_different(self.cells):
            self.automaton().encode(clauses)
            return
        length, lowest = len(self.cells), clauses.values[0]
        accepted = frozenset((high, self.number, length) for high in range(1, self.highest + 1))
        numbers = self.number, self.highest, lowest
        clauses.require_automaton(
            self.cells, (0, 0, 0), _count_visible_of_different, accepted, numbers
        )

    def automaton(self) -> Automaton:
        """The equivalent automaton: a state is the highest value and the number of visible ones."""
        accepted = frozenset((highest, self.number) for highest in range(1, self.highest + 1))
        numbers = self.number, self.highest
        return Automaton(self.cells, (0, 0), count_visible, accepted, numbers)


def count_visible(
    seen: tuple[int, int], value: int, number: int, top: int
) -> tuple[int, int] | None:
    """The highest value and the number of visible values; None if the clue cannot be met."""
    highest, count = seen
    if value <= highest:
        return seen
    is_possible = count < number <= count + 1 + top - value
    return (value, count + 1) if is_possible else None


def _count_visible_of_different(
    seen: tuple[int, int, int], value: int, number: int, top: int, lowest: int
) -> tuple[int, int, int] | None:
    """As `count_visible`, for different values. The state has the number of values, too.

    The highest of n different values is at least the n-th lowest one.
    """
    *before, length = seen
    after = count_visible((before[0], before[1]), value, number, top)
    return None if after is None or after[0] < lowest + length else (*after, length + 1)
