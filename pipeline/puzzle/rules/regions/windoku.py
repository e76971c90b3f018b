"""Windoku: four more boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_one_grid
from pipeline.puzzle.rules.regions.region import Regions
from pipeline.puzzle.shapes import Tint

if TYPE_CHECKING:
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Windoku(Regions):
    """In 9×9, rows and columns 2-4 and 6-8 form four more boxes."""

    name: ClassVar[str] = "windoku"

    def regions(self, geometry: Geometry) -> Sequence[tuple[int, ...]]:
        check_one_grid(self.name, geometry)
        if geometry.side != 9:
            raise ValueError(f"{self.name}: the side is {geometry.side}, not 9")
        return [
            tuple(row * 9 + column for row in rows for column in columns)
            for rows in (range(1, 4), range(5, 8))
            for columns in (range(1, 4), range(5, 8))
        ]

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        for window in self.regions(geometry):
            yield Tint(tuple(map(geometry.place, window)), "windoku")

    def told(self, geometry: Geometry) -> str:
        return self.name
