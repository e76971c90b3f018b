"""What rules about a line share: its cells, its drawing and its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.places import place
from pipeline.puzzle.shapes import Line, Ring, Shape


class AlongLine(Rule):
    """A rule about the cells of `line`, which its drawing passes in turn."""

    __slots__ = ()

    kind: ClassVar[str]
    """The look of the line, as drawings name it."""

    line: tuple[int, ...]

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self.line))

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield Line(tuple(map(geometry.place, self.line)), self.kind)

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} from {place(geometry, self.line[0])}"

    def held(self, values: Sequence[int]) -> list[int]:
        """The values along the line."""
        return [values[cell] for cell in self.line]


class BetweenEnds(AlongLine):
    """A rule that compares the cells of a line with its two ends, which are drawn as rings."""

    __slots__ = ()

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        places = tuple(map(geometry.place, self.line))
        yield Line(places, self.kind)
        yield Ring(places[:1], self.kind)
        yield Ring(places[-1:], self.kind)
