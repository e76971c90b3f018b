"""Thermometer: values rise from the bulb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle import Geometry, Rule

if TYPE_CHECKING:
    from pipeline.clauses import Clauses
    from pipeline.shapes import Shape


@dataclass(frozen=True, slots=True)
class Thermometer(Rule):
    """Values rise along the line from its first cell; of a `slow` one they do not fall."""

    name: ClassVar[str] = "thermometer"

    line: tuple[int, ...]
    slow: bool = False

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
