"""Disjoint groups: the same place in all boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_one_grid
from pipeline.puzzle.rules.regions.region import Regions

if TYPE_CHECKING:
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class DisjointGroups(Regions):
    """Cells at the same place in their boxes hold different values."""

    name: ClassVar[str] = "disjoint groups"

    def regions(self, geometry: Geometry) -> Sequence[tuple[int, ...]]:
        check_one_grid(self.name, geometry)
        if geometry.height == 1:
            raise ValueError(f"{self.name}: the grid has no boxes")
        return tuple(zip(*geometry.boxes(), strict=True))

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        return iter(())

    def told(self, geometry: Geometry) -> str:
        return self.name
