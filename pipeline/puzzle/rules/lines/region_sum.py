"""Region sum lines: the same sum in every region."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.lines.along import AlongLine

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


@dataclass(frozen=True, slots=True)
class RegionSum(AlongLine):
    """Each run of the line inside one of the regions, usually the boxes, has the same sum.

    The line goes on with its run after cells outside the regions, which belong to none.
    """

    name: ClassVar[str] = "region sum line"
    kind: ClassVar[str] = "region-sum"

    line: tuple[int, ...]
    regions: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2, once=True)
        in_regions = [cell for region in self.regions for cell in region]
        check_cells(f"{self.name}: its regions", in_regions, 0, once=True)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        sums: list[int] = []
        before = None
        for cell in self.line:
            region = next((index for index, each in enumerate(self.regions) if cell in each), None)
            if region is None:
                continue
            if region == before:
                sums[-1] += values[cell]
            else:
                sums.append(values[cell])
            before = region
        return len({*sums}) <= 1

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        runs = list(self._runs())
        if len(runs) > 1:
            clauses.equal(runs)

    def _runs(self) -> Iterator[tuple[int, ...]]:
        """The longest pieces of the line that lie inside one region."""
        region_of = {cell: index for index, each in enumerate(self.regions) for cell in each}
        inside = (cell for cell in self.line if cell in region_of)
        for _, run in groupby(inside, region_of.__getitem__):
            yield tuple(run)
