"""Diagonal: each value once from corner to corner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_one_grid
from pipeline.puzzle.rules.places import place
from pipeline.puzzle.rules.regions.region import Regions
from pipeline.puzzle.shapes import Line

if TYPE_CHECKING:
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Diagonal(Regions):
    """A diagonal of the grid has each value once; a `rising` one begins at the lower left."""

    name: ClassVar[str] = "diagonal"

    rising: bool

    def regions(self, geometry: Geometry) -> Sequence[tuple[int, ...]]:
        check_one_grid(self.name, geometry)
        n = geometry.side
        rows = reversed(range(n)) if self.rising else range(n)
        return (tuple(row * n + column for column, row in enumerate(rows)),)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        top, bottom = 0.5, geometry.side + 0.5
        first, last = (bottom, top) if self.rising else (top, bottom)
        yield Line(((first, top), (last, bottom)), "diagonal")

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} from {place(geometry, self.cells(geometry)[0])}"
