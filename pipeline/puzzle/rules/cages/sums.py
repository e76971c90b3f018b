"""Sums with repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells, check_parts
from pipeline.puzzle.rules.places import at
from pipeline.puzzle.shapes import Outline, Tint

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Sum(Rule):
    """The values, each times its weight, sum to `total`; a cell may be named more than once."""

    name: ClassVar[str] = "sum"

    terms: tuple[tuple[int, int], ...]
    total: int

    def __post_init__(self) -> None:
        check_cells(self.name, [cell for cell, _ in self.terms])

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return tuple(dict.fromkeys(cell for cell, _ in self.terms))

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return sum(values[cell] * weight for cell, weight in self.terms) == self.total

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.total(self.terms, [self.total])

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield Outline(tuple(map(geometry.place, self.cells(geometry))), "sum", str(self.total))

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {self.total} {at(geometry, self.terms[0][0])}"


@dataclass(frozen=True, slots=True)
class EqualSums(Rule):
    """All parts have the same sum; a part may name a cell more than once."""

    name: ClassVar[str] = "equal sums"

    parts: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        check_parts(self.name, self.parts)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return tuple(dict.fromkeys(cell for part in self.parts for cell in part))

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return len({sum(values[cell] for cell in part) for part in self.parts}) == 1

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.equal(self.parts)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        for part in self.parts:
            places = tuple(geometry.place(cell) for cell in dict.fromkeys(part))
            yield Tint(places, "equal-sums")

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {at(geometry, self.parts[0][0])}"
