"""Kropki: dots for a difference or a ratio, and what no dot means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle import Geometry, Rule

if TYPE_CHECKING:
    from pipeline.clauses import Clauses
    from pipeline.shapes import Shape


@dataclass(frozen=True, slots=True)
class WhiteDot(Rule):
    """Two cells differ by `difference`."""

    name: ClassVar[str] = "white dot"

    a: int
    b: int
    difference: int = 1

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
class BlackDot(Rule):
    """One of two cells is `ratio` times the other."""

    name: ClassVar[str] = "black dot"

    a: int
    b: int
    ratio: int = 2

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
class NoDots(Rule):
    """Neighbours, but for the pairs spared, have none of these differences and ratios."""

    name: ClassVar[str] = "no other dots"

    differences: tuple[int, ...]
    ratios: tuple[int, ...]
    spared: tuple[tuple[int, int], ...]

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
