"""Arrows: a shaft that sums to its circle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle import Geometry, Rule

if TYPE_CHECKING:
    from pipeline.clauses import Clauses
    from pipeline.shapes import Shape


@dataclass(frozen=True, slots=True)
class Arrow(Rule):
    """The shaft sums to the circle; one of several cells is a number in reading order."""

    name: ClassVar[str] = "arrow"

    circle: tuple[int, ...]
    shaft: tuple[int, ...]

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        raise NotImplementedError

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        raise NotImplementedError

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        raise NotImplementedError

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        raise NotImplementedError

    def told(self, geometry: Geometry) -> str:
        raise NotImplementedError
