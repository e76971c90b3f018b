"""What rules share that hold everywhere, and that nobody draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.places import neighbours

if TYPE_CHECKING:
    from pipeline.puzzle.shapes import Shape

Pairs = tuple[tuple[int, int], ...]


class Everywhere(Rule):
    """A rule about all cells."""

    __slots__ = ()

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return tuple(range(geometry.size))

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        return iter(())

    def told(self, geometry: Geometry) -> str:
        return self.name


class Negative(Everywhere):
    """A rule about all orthogonal neighbours but those spared.

    Raises ValueError unless each pair spared is ascending, and they are sorted, each once.
    """

    __slots__ = ()

    spared: Pairs

    def __post_init__(self) -> None:
        if list(self.spared) != sorted({*self.spared}) or any(a >= b for a, b in self.spared):
            raise ValueError(f"{self.name}: the pairs spared are not ascending, sorted, each once")

    def pairs(self, geometry: Geometry) -> Iterator[tuple[int, int]]:
        """The pairs of cells that the rule is about, each once."""
        spared = {*self.spared}
        return (pair for pair in neighbours(geometry) if pair not in spared)
