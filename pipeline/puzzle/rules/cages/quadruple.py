"""Quadruples: values around a corner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.places import at
from pipeline.puzzle.shapes import Dot

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Quadruple(Rule):
    """The cells, four at most, hold these values, each at least as often as it is named."""

    name: ClassVar[str] = "quadruple"

    around: tuple[int, ...]
    wanted: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.around, 2, once=True)
        if len(self.around) > 4:
            raise ValueError(f"{self.name}: at most 4 cells, not {len(self.around)}")
        if not self.wanted:
            raise ValueError(f"{self.name}: no values")

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.around

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        left = [values[cell] for cell in self.around]
        for value in self.wanted:
            if value not in left:
                return False
            left.remove(value)
        return True

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        for value, times in Counter(self.wanted).items():
            if 1 <= value <= geometry.side:
                clauses.least(self.around, value, times)
            else:
                clauses.add()

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        rows, columns = zip(*map(geometry.place, self.around), strict=True)
        middle = ((min(rows) + max(rows)) / 2, (min(columns) + max(columns)) / 2)
        yield Dot(middle, "quadruple", " ".join(map(str, self.wanted)))

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {at(geometry, min(self.around))}"
