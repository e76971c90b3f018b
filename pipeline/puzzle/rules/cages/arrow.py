"""Arrows: a shaft that sums to its circle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.places import at
from pipeline.puzzle.shapes import Line, Ring

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Arrow(Rule):
    """The shaft sums to the circle; a circle of two or three cells is a number in reading order.

    Values above 9 count as they are: 1 and 12 make 22.
    """

    name: ClassVar[str] = "arrow"

    circle: tuple[int, ...]
    shaft: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(f"{self.name}: its circle", self.circle, once=True)
        check_cells(f"{self.name}: its shaft", self.shaft)
        if len(self.circle) > 3:
            raise ValueError(f"{self.name}: at most 3 cells in the circle, not {len(self.circle)}")

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return tuple(dict.fromkeys((*self.circle, *self.shaft)))

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        number = 0
        for cell in sorted(self.circle):
            number = 10 * number + values[cell]
        return number == sum(values[cell] for cell in self.shaft)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        weights = (-100, -10, -1)[-len(self.circle) :]
        circle = zip(sorted(self.circle), weights, strict=True)
        clauses.total([*circle, *((cell, 1) for cell in self.shaft)], [0])

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        circle = tuple(geometry.place(cell) for cell in sorted(self.circle))
        shaft = tuple(map(geometry.place, self.shaft))
        (row, column) = shaft[0]
        start = min(circle, key=lambda place: abs(place[0] - row) + abs(place[1] - column))
        yield Ring(circle, "arrow")
        yield Line((start, *shaft), "arrow", head=True)

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {at(geometry, min(self.circle))}"
