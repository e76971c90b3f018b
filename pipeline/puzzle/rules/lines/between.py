"""Between lines: between the values of the ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import lt
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.lines.along import BetweenEnds

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Between(BetweenEnds):
    """The values inside the line lie strictly between those of its two end cells."""

    name: ClassVar[str] = "between line"
    kind: ClassVar[str] = "between"

    line: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 3)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        first, *inside, last = self.held(values)
        return all(min(first, last) < value < max(first, last) for value in inside)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        first, *inside, last = self.line
        rising, falling = clauses.pick(2)
        for literal, low, high in ((rising, first, last), (falling, last, first)):
            with clauses.under(literal):
                clauses.pairs(((low, cell) for cell in inside), lt)
                clauses.pairs(((cell, high) for cell in inside), lt)
