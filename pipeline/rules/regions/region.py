"""Region: cells in which no value repeats, as those of a jigsaw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle import Geometry, Rule

if TYPE_CHECKING:
    from pipeline.clauses import Clauses
    from pipeline.shapes import Shape


@dataclass(frozen=True, slots=True)
class Region(Rule):
    """A region of n cells has each value once, as a box does."""

    name: ClassVar[str] = "jigsaw region"

    region: tuple[int, ...]

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


@dataclass(frozen=True, slots=True)
class ExtraRegion(Rule):
    """The cells hold different values: n of them each value once."""

    name: ClassVar[str] = "extra region"

    region: tuple[int, ...]

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
