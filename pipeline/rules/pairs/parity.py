"""Parity: even or odd cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle import Geometry, Rule
from pipeline.rules.places import at
from pipeline.shapes import Tint

if TYPE_CHECKING:
    from pipeline.clauses import Clauses
    from pipeline.shapes import Shape


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
