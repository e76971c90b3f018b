"""Disjoint groups: the same place in all boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle import Geometry
from pipeline.rules.places import check_one_grid
from pipeline.rules.regions.region import Regions

if TYPE_CHECKING:
    from pipeline.shapes import Shape


@dataclass(frozen=True, slots=True)
class DisjointGroups(Regions):
    """The cells at the same place of all boxes hold each value once."""

    name: ClassVar[str] = "disjoint groups"

    def regions(self, geometry: Geometry) -> Sequence[tuple[int, ...]]:
        check_one_grid(self.name, geometry)
        if geometry.height == 1:
            raise ValueError(f"{self.name}: the grid has no boxes")
        return tuple(zip(*geometry.boxes(), strict=True))

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:  # noqa: ARG002
        return iter(())

    def told(self, geometry: Geometry) -> str:  # noqa: ARG002
        return self.name
