"""Little killers: the sum of a diagonal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.outside.clue import clue, step
from pipeline.puzzle.rules.places import place
from pipeline.puzzle.shapes import Line

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class LittleKiller(Rule):
    """The cells of the diagonal, from the clue on, sum to `total`; values may repeat."""

    name: ClassVar[str] = "little killer"

    diagonal: tuple[int, ...]
    total: int

    def __post_init__(self) -> None:
        check_cells(self.name, self.diagonal, once=True)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.diagonal

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return sum(values[cell] for cell in self.diagonal) == self.total

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.total([(cell, 1) for cell in self.diagonal], [self.total])

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield from clue(geometry, self.diagonal, str(self.total), "little-killer")
        row, column = geometry.place(self.diagonal[0])
        down, right = step(geometry, self.diagonal)
        points = ((row - by * down, column - by * right) for by in (0.68, 0.42))
        yield Line(tuple(points), "little-killer", head=True)

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {self.total} from {place(geometry, self.diagonal[0])}"
