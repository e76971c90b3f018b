"""Parity and values: cells that hold some values only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.places import at
from pipeline.puzzle.shapes import Outline, Tint

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Parity(Rule):
    """A cell holds an odd value, or else an even one."""

    name: ClassVar[str] = "even or odd"

    cell: int
    odd: bool

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return (self.cell,)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return values[self.cell] % 2 == int(self.odd)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.allow(self.cell, range(1 if self.odd else 2, geometry.side + 1, 2))

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield Tint((geometry.place(self.cell),), self._kind)

    def told(self, geometry: Geometry) -> str:
        return f"{self._kind} {at(geometry, self.cell)}"

    @property
    def _kind(self) -> str:
        return "odd" if self.odd else "even"


@dataclass(frozen=True, slots=True)
class Among(Rule):
    """A cell holds one of the values, whatever else the puzzle gives it.

    Formats state givens of one cell that contradict each other with it: there is no solution.
    """

    name: ClassVar[str] = "values"

    cell: int
    allowed: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.allowed:
            raise ValueError(f"{self.name}: at least one value")

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return (self.cell,)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return values[self.cell] in self.allowed

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.allow(self.cell, self.allowed)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        text = " ".join(map(str, self.allowed))
        yield Outline((geometry.place(self.cell),), "sum", text)

    def told(self, geometry: Geometry) -> str:
        return f"{' or '.join(map(str, self.allowed))} {at(geometry, self.cell)}"
