"""Kropki: dots for a difference or a ratio, and what no dot means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_at_least, check_cells
from pipeline.puzzle.rules.pairs.everywhere import Negative, Pairs
from pipeline.puzzle.rules.places import between, border
from pipeline.puzzle.shapes import Dot

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class WhiteDot(Rule):
    """The values of two cells differ by `difference`."""

    name: ClassVar[str] = "white dot"

    a: int
    b: int
    difference: int = 1

    def __post_init__(self) -> None:
        check_cells(self.name, (self.a, self.b), once=True)
        check_at_least(self.name, "the difference", self.difference, 0)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.a, self.b

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return abs(values[self.a] - values[self.b]) == self.difference

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.pair(self.a, self.b, lambda u, v: self.difference in (u - v, v - u))

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield Dot(border(geometry, self.a, self.b), "white", unusual(self.difference, 1))

    def told(self, geometry: Geometry) -> str:
        words = (self.name, unusual(self.difference, 1), between(geometry, self.a, self.b))
        return " ".join(filter(None, words))


@dataclass(frozen=True, slots=True)
class BlackDot(Rule):
    """One of two cells holds `ratio` times the value of the other."""

    name: ClassVar[str] = "black dot"

    a: int
    b: int
    ratio: int = 2

    def __post_init__(self) -> None:
        check_cells(self.name, (self.a, self.b), once=True)
        check_at_least(self.name, "the ratio", self.ratio, 1)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.a, self.b

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        small, large = sorted((values[self.a], values[self.b]))
        return large == self.ratio * small

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        ratio = self.ratio
        clauses.pair(self.a, self.b, lambda u, v: u == ratio * v or v == ratio * u)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield Dot(border(geometry, self.a, self.b), "black", unusual(self.ratio, 2))

    def told(self, geometry: Geometry) -> str:
        words = (self.name, unusual(self.ratio, 2), between(geometry, self.a, self.b))
        return " ".join(filter(None, words))


def unusual(number: int, usual: int) -> str:
    """What stands in a dot: nothing, if its number is the usual one."""
    return "" if number == usual else str(number)


@dataclass(frozen=True, slots=True)
class NoDots(Negative):
    """Orthogonal neighbours, except the pairs `spared`, have none of these differences and ratios.

    The pairs spared are those with a dot.
    """

    name: ClassVar[str] = "no other dots"

    differences: tuple[int, ...]
    ratios: tuple[int, ...]
    spared: Pairs

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = (sorted((values[a], values[b])) for a, b in self.pairs(geometry))
        return not any(
            large - small in self.differences or large in [ratio * small for ratio in self.ratios]
            for small, large in held
        )

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        differences, ratios = {*self.differences}, {*self.ratios}

        def goes(u: int, v: int) -> bool:
            quotient, rest = divmod(max(u, v), min(u, v))
            return abs(u - v) not in differences and (rest > 0 or quotient not in ratios)

        clauses.pairs(self.pairs(geometry), goes)
