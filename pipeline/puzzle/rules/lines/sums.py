"""Zipper lines and double arrows: sums on the two sides of a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.lines.along import AlongLine, BetweenEnds

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Zipper(AlongLine):
    """All pairs of cells equally far from the middle have one sum; a middle cell holds it."""

    name: ClassVar[str] = "zipper line"
    kind: ClassVar[str] = "zipper"

    line: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 3, once=True)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = self.held(values)
        half, odd = divmod(len(held), 2)
        sums = {held[index] + held[-1 - index] for index in range(half)}
        return len(sums | {held[half]} if odd else sums) == 1

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        half, odd = divmod(len(self.line), 2)
        pairs = [(self.line[index], self.line[-1 - index]) for index in range(half)]
        clauses.equal([*pairs, *([(self.line[half],)] if odd else [])])


@dataclass(frozen=True, slots=True)
class DoubleArrow(BetweenEnds):
    """The cells between the two end cells have the same sum as these two."""

    name: ClassVar[str] = "double arrow"
    kind: ClassVar[str] = "double-arrow"

    line: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 3, once=True)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        first, *inside, last = self.held(values)
        return first + last == sum(inside)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        first, *inside, last = self.line
        clauses.total([(first, -1), (last, -1), *((cell, 1) for cell in inside)], [0])
