"""Skyscrapers: how many are seen from the clue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.outside.clue import clue, from_side

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Skyscraper(Rule):
    """From the clue on, `count` of the cells exceed all cells before them."""

    name: ClassVar[str] = "skyscraper"

    line: tuple[int, ...]
    count: int

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2, once=True)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.line

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = [values[cell] for cell in self.line]
        return sum(value > max(held[:i], default=0) for i, value in enumerate(held)) == self.count

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        def step(_: int, seen: tuple[int, int], value: int) -> tuple[int, int] | None:
            highest, count = seen
            if value <= highest:
                return seen
            enough = count < self.count <= count + 1 + geometry.side - value
            return (value, count + 1) if enough else None

        clauses.automaton(self.line, (0, 0), step, lambda seen: seen[1] == self.count)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield from clue(geometry, self.line, str(self.count), "skyscraper")

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {self.count} {from_side(geometry, self.line)}"
