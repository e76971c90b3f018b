"""Constraints that count: how often cells hold a value, and how many values are visible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from pipeline.puzzle.constraints import AllOf, Automaton, Cells, Constraint, OneOfSets

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
        accepted, numbers = frozenset((self.times,)), (self.value, self.times, self.exactly)
        Automaton(self.cells, 0, _capped_count, accepted, numbers).encode(clauses)


class CountsItself(Constraint):
    """Each value v that the cells hold is in exactly v of them. The cells are distinct."""

    cells: Cells

    def holds(self, values: Sequence[int]) -> bool:
        counts = Counter(values[cell] for cell in self.cells)
        return all(value == count for value, count in counts.items())

    def encode(self, clauses: ClauseBuilder) -> None:
        """Encode the count of each value, and the sets of values that sum to the cell count."""
        cells, values = self.cells, clauses.values
        counts = [
            Automaton(cells, 0, _capped_count, frozenset((0, value)), (value, value, True))
            for value in values
        ]
        AllOf(tuple(counts)).encode(clauses)
        if len(values) <= _MAX_VALUES_ALL_SETS:
            sizes = range(len(values) + 1)
            subsets = (subset for size in sizes for subset in combinations(values, size))
            sets = tuple(subset for subset in subsets if sum(subset) == len(cells))
            OneOfSets(cells, sets).encode(clauses)


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
        self.automaton().encode(clauses)

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


def _capped_count(so_far: int, value: int, counted: int, times: int, exactly: bool) -> int | None:
    """The number of cells so far that hold the value `counted`.

    A number above `times` becomes None if `exactly`, else `times`.
    """
    if value != counted:
        return so_far
    return so_far + 1 if so_far < times else None if exactly else times
