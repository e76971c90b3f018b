"""Sandwiches: the sum between the least and the greatest value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.outside.clue import clue, of_line

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Sandwich(Rule):
    """The line has each value once; the cells between 1 and n, if any, sum to `total`."""

    name: ClassVar[str] = "sandwich"

    line: tuple[int, ...]
    total: int

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2, once=True)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.line

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = [values[cell] for cell in self.line]
        if sorted(held) != list(range(1, geometry.side + 1)):
            return False
        first, last = sorted((held.index(1), held.index(geometry.side)))
        return sum(held[first + 1 : last]) == self.total

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        n = geometry.side
        if len(self.line) != n:
            clauses.add()
            return
        clauses.unit(self.line)
        sets: list[tuple[int, ...]] = []
        for size in range(n - 1):
            found = clauses.sets(range(2, n), size, self.total)
            sets = [] if found is None else sets + found
            if found is None or len(sets) > clauses.most.sets:
                self._state_by_sums(clauses)
                return
        self._state_by_sets(clauses, sets)

    def _state_by_sets(self, clauses: Clauses, sets: Sequence[tuple[int, ...]]) -> None:
        """One of the sets stands between, given that each value is there once."""
        n, line = clauses.side, self.line
        inside = {value: clauses.new() for value in range(2, n)}
        for index in range(1, n - 1):
            least, most = (clauses.holding(line[:index], end) for end in (1, n))
            for value, literal in inside.items():
                here = -clauses.at(line[index], value)
                clauses.add(here, least, most, -literal)
                clauses.add(here, -least, -most, -literal)
                clauses.add(here, least, -most, literal)
                clauses.add(here, -least, most, literal)
        for end in (0, n - 1):  # what is at an end is not inside
            for value, literal in inside.items():
                clauses.add(-clauses.at(line[end], value), -literal)
        clauses.chosen(inside, sets)
        sizes = {len(each) for each in sets}
        for a, b in permutations(range(n), 2):
            if abs(a - b) - 1 not in sizes:
                clauses.add(-clauses.at(line[a], 1), -clauses.at(line[b], n))

    def _state_by_sums(self, clauses: Clauses) -> None:
        """What is passed after the first end comes to the total at the second."""
        before, after, ends = -1, -2, (1, clauses.side)

        def step(_: int, passed: int, value: int) -> int | None:
            if passed == after or (passed == before and value not in ends):
                return passed
            if passed == before:
                return 0
            if value in ends:
                return after if passed == self.total else None
            return passed + value if passed + value <= self.total else None

        clauses.automaton(self.line, before, step, lambda passed: passed == after)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield from clue(geometry, self.line, str(self.total), "sandwich")

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {self.total} {of_line(geometry, self.line)}"
