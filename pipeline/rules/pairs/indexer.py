"""Indexers: cells that tell where a value stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle import Geometry, Rule

if TYPE_CHECKING:
    from pipeline.clauses import Clauses
    from pipeline.shapes import Shape


@dataclass(frozen=True, slots=True)
class Indexer(Rule):
    """The cell at (r, c) holds v exactly if (r, v) holds c; with `row`: if (v, c) holds r."""

    name: ClassVar[str] = "indexer"

    cell: int
    row: bool

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
