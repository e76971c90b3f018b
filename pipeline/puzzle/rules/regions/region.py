"""Region: cells in which no value repeats, as those of a jigsaw."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.places import at, place
from pipeline.puzzle.shapes import Outline, Tint

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


class Regions(Rule):
    """No value repeats in any of some regions: those of n cells hold each value once.

    A region of more than n cells cannot be filled.
    """

    __slots__ = ()

    @abstractmethod
    def regions(self, geometry: Geometry) -> Sequence[tuple[int, ...]]:
        """The cells of each region; raises ValueError for a geometry that has none such."""

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(self.regions(geometry))))

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = ([values[cell] for cell in region] for region in self.regions(geometry))
        return all(len({*each}) == len(each) for each in held)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        for region in self.regions(geometry):
            if len(region) == geometry.side:
                clauses.unit(region)
            else:
                clauses.distinct(region)


@dataclass(frozen=True, slots=True)
class _OneRegion(Regions):
    """A rule about a single region."""

    region: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.region, once=True)

    def regions(self, geometry: Geometry) -> Sequence[tuple[int, ...]]:
        return (self.region,)


@dataclass(frozen=True, slots=True)
class Region(_OneRegion):
    """A region of n cells has each value once, as a box does."""

    name: ClassVar[str] = "jigsaw region"

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield Outline(tuple(map(geometry.place, self.region)), "region")

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} of {place(geometry, self.region[0])}"


@dataclass(frozen=True, slots=True)
class ExtraRegion(_OneRegion):
    """The cells hold different values; if they are n, each value once."""

    name: ClassVar[str] = "extra region"

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield Tint(tuple(map(geometry.place, self.region)), "extra-region")

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {at(geometry, self.region[0])}"
