"""Constraints on sums of parts of a line; their base class is in `constraints`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from operator import lt
from typing import TYPE_CHECKING

from pipeline.puzzle.constraints import (
    AllOf,
    AnyOf,
    Automaton,
    Cells,
    Constraint,
    Pairs,
)
from pipeline.puzzle.sums import SetTotal, Total

if TYPE_CHECKING:
    from pipeline.puzzle.builder import ClauseBuilder


class SegmentSums(Constraint):
    """The cells can be divided into consecutive segments that each sum to `total`, at least 1.

    If `is_loop`, the first cell follows the last one: segments may begin anywhere, and there is at
    least one. Cells may repeat.
    """

    cells: Cells
    total: int
    is_loop: bool = False

    def holds(self, values: Sequence[int]) -> bool:
        held = [values[cell] for cell in self.cells]
        if not self.is_loop:
            return self._sum_from(0, held) == 0
        # a loop may begin within a segment, with some partial sum
        return any(held) and any(self._sum_from(k, held) == k for k in range(self.total))

    def _sum_from(self, partial_sum: int, values: Sequence[int]) -> int | None:
        """The partial sum of a segment after the values; None if a segment exceeds the total."""
        for value in values:
            if partial_sum + value > self.total:
                return None
            partial_sum = (partial_sum + value) % self.total
        return partial_sum

    def by_starts(self, values: range) -> Constraint:
        """An equivalent constraint for cells with these values: automata.

        For a loop, they are alternatives, one for each cell with which a segment may begin.
        """
        line, accepted, numbers = self.cells, frozenset((0,)), (self.total,)
        if not self.is_loop:
            return Automaton(line, 0, _segment_sum, accepted, numbers)
        # Without the value 0, a segment has at most `total` cells, so a segment starts in one of
        # the first `total` cells.
        starts = len(line) if 0 in values else min(len(line), self.total)
        rotations = [line[start:] + line[:start] for start in range(starts)]
        return AnyOf(
            tuple(
                Automaton(rotation, self.total, _segment_sum, accepted, numbers)
                for rotation in rotations
            )
        )

    def encode(self, clauses: ClauseBuilder) -> None:
        if self.is_loop and len(self.cells) > 1:
            clauses.require_segment_loop(self.cells, self.total)
        else:
            self.by_starts(clauses.values).encode(clauses)


class SumBetweenExtremes(Constraint):
    """The values in the cells between the smallest and the largest value sum to `total`.

    The cells must be distinct and at least two, and another constraint must state that their values
    differ.
    """

    cells: Cells
    total: int

    def holds(self, values: Sequence[int]) -> bool:
        held = [values[cell] for cell in self.cells]
        first, last = sorted((held.index(min(held)), held.index(max(held))))
        return sum(held[first + 1 : last]) == self.total

    def by_ends(self) -> Constraint:
        """An equivalent constraint, with an alternative for each place of the extreme values."""
        ends = permutations(range(len(self.cells)), 2)
        return AnyOf(tuple(self._sum_between(*pair) for pair in ends))

    def _sum_between(self, smallest: int, largest: int) -> Constraint:
        """The extreme values are at these indices, and the values between them sum to `total`."""
        low, high = self.cells[smallest], self.cells[largest]
        other_cells = [cell for cell in self.cells if cell not in (low, high)]
        first, last = sorted((smallest, largest))
        inside = tuple((cell, 1) for cell in self.cells[first + 1 : last])
        above_low = ((low, cell) for cell in other_cells)
        below_high = ((cell, high) for cell in other_cells)
        order = (low, high), *above_low, *below_high
        return AllOf((Pairs(order, lt), Total(inside, self.total)))

    def encode(self, clauses: ClauseBuilder) -> None:
        """Encode the places of both extremes, and the sum between each two places.

        The alternatives of `by_ends` need three times the clauses, because they share neither the
        orders nor the sums, and solvers need several times the conflicts.
        """
        count = len(self.cells)
        smallest, largest = clauses.new_selectors(count), clauses.new_selectors(count)
        for literals in (smallest, largest, *zip(smallest, largest, strict=True)):
            for literal, other_literal in combinations(literals, 2):
                clauses.add(-literal, -other_literal)
        for cell, is_smallest, is_largest in zip(self.cells, smallest, largest, strict=True):
            other_cells = [other for other in self.cells if other != cell]
            with clauses.condition(is_smallest):
                Pairs(tuple((cell, other) for other in other_cells), lt).encode(clauses)
            with clauses.condition(is_largest):
                Pairs(tuple((other, cell) for other in other_cells), lt).encode(clauses)
        ends = [*combinations(range(count), 2)]
        for (first, last), are_ends in zip(ends, clauses.new_selectors(len(ends)), strict=True):
            clauses.add(-smallest[first], -largest[last], are_ends)
            clauses.add(-largest[first], -smallest[last], are_ends)
            for extremes in (smallest, largest):
                clauses.add(-are_ends, extremes[first], extremes[last])
            with clauses.condition(are_ends):
                self._sum_of(self.cells[first + 1 : last], clauses).encode(clauses)

    def _sum_of(self, inside: Cells, clauses: ClauseBuilder) -> Constraint:
        """The constraint that the cells between the extremes sum to `total`."""
        if len(inside) > _MAX_RUNNING_SUM and clauses.are_different(inside):
            return SetTotal(inside, self.total, clauses.values[1:-1])
        return Total(tuple((cell, 1) for cell in inside), self.total)


_MAX_RUNNING_SUM = 2
"""Maximum number of cells between the extremes whose sum is encoded as a running sum, although
their values differ."""


def _segment_sum(so_far: int, value: int, total: int) -> int | None:
    """The sum of the current segment; 0 after a complete segment, None above `total`.

    The automaton of a loop starts with `total`, and the value 0 keeps it. So a loop that contains
    only zeros is rejected.
    """
    reached = so_far % total + value
    if not value:
        return so_far
    return reached % total if reached <= total else None
