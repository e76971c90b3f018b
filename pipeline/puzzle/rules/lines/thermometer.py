"""Thermometers: values that rise from the bulb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import le, lt
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.lines.along import AlongLine
from pipeline.puzzle.rules.places import place
from pipeline.puzzle.shapes import Line

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Thermometer(AlongLine):
    """Values rise along the line from its first cell; on a `slow` one they may stay the same.

    A line that comes back to a cell cannot rise: there is no solution.
    """

    name: ClassVar[str] = "thermometer"
    kind: ClassVar[str] = "thermometer"

    line: tuple[int, ...]
    slow: bool = False

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        steps = pairwise(self.held(values))
        return all(a <= b if self.slow else a < b for a, b in steps)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.pairs(pairwise(self.line), le if self.slow else lt)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        kind = "slow-thermometer" if self.slow else self.kind
        yield Line(tuple(map(geometry.place, self.line)), kind, bulb=True)

    def told(self, geometry: Geometry) -> str:
        return f"{'slow ' if self.slow else ''}{self.name} from {place(geometry, self.line[0])}"
