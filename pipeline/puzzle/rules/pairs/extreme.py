"""Minimum and maximum: a cell below or above its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.pairs.greater import sign
from pipeline.puzzle.rules.places import at
from pipeline.puzzle.shapes import Tint

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Extreme(Rule):
    """A cell holds less (`maximum`: more) than each of its neighbours that are named."""

    name: ClassVar[str] = "minimum or maximum"

    cell: int
    neighbours: tuple[int, ...]
    maximum: bool

    def __post_init__(self) -> None:
        check_cells(self.name, (self.cell, *self.neighbours), once=True)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.cell, *self.neighbours

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        own, around = values[self.cell], [values[cell] for cell in self.neighbours]
        return all(own > other if self.maximum else own < other for other in around)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        for more, less in self._unequal():
            clauses.pair(more, less, lambda u, v: u > v)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield Tint((geometry.place(self.cell),), self._kind)
        for more, less in self._unequal():
            yield sign(geometry, more, less, self._kind)

    def told(self, geometry: Geometry) -> str:
        return f"{self._kind} {at(geometry, self.cell)}"

    def _unequal(self) -> Iterator[tuple[int, int]]:
        """Pairs of cells of which the first is greater."""
        for other in self.neighbours:
            yield (self.cell, other) if self.maximum else (other, self.cell)

    @property
    def _kind(self) -> str:
        return "maximum" if self.maximum else "minimum"
