"""Clones: cells that repeat others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import eq
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells, check_parts
from pipeline.puzzle.rules.places import at
from pipeline.puzzle.shapes import Tint

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Clone(Rule):
    """Each cell of `original` holds the same value as its counterpart in `copy`."""

    name: ClassVar[str] = "clone"

    original: tuple[int, ...]
    copy: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.original)
        _check_as_many(self.name, (self.original, self.copy))

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return tuple(dict.fromkeys((*self.original, *self.copy)))

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return [values[cell] for cell in self.original] == [values[cell] for cell in self.copy]

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        for a, b in zip(self.original, self.copy, strict=True):
            clauses.same(a, b)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        for part in (self.original, self.copy):
            yield Tint(tuple(map(geometry.place, part)), "clone")

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {at(geometry, self.original[0])}"


@dataclass(frozen=True, slots=True)
class SameValues(Rule):
    """All parts hold the same values, each equally often, in any order."""

    name: ClassVar[str] = "same values"

    parts: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        check_parts(self.name, self.parts)
        _check_as_many(self.name, self.parts)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return tuple(dict.fromkeys(cell for part in self.parts for cell in part))

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = [sorted(values[cell] for cell in part) for part in self.parts]
        return all(each == held[0] for each in held)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        for value in range(1, geometry.side + 1):
            clauses.equal(self.parts, partial(eq, value))

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        for part in self.parts:
            yield Tint(tuple(map(geometry.place, part)), "same-values")

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {at(geometry, self.parts[0][0])}"


def _check_as_many(name: str, parts: tuple[tuple[int, ...], ...]) -> None:
    if len({len(part) for part in parts}) > 1:
        raise ValueError(f"{name}: the parts have different numbers of cells")
