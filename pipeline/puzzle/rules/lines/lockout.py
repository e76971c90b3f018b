"""Lockout lines: outside the values of the ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_at_least, check_cells
from pipeline.puzzle.rules.lines.along import BetweenEnds

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Lockout(BetweenEnds):
    """The end cells differ by `difference` or more; each other value is below both, or above."""

    name: ClassVar[str] = "lockout line"
    kind: ClassVar[str] = "lockout"

    line: tuple[int, ...]
    difference: int = 4

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)
        check_at_least(self.name, "the difference", self.difference, 1)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        first, *inside, last = self.held(values)
        low, high = min(first, last), max(first, last)
        return high - low >= self.difference and not any(low <= v <= high for v in inside)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        first, *inside, last = self.line
        values = range(1, clauses.side + 1)
        rising, falling = clauses.pick(2)
        for literal, low, high in ((rising, first, last), (falling, last, first)):
            with clauses.under(literal):
                clauses.pair(low, high, lambda u, v: v - u >= self.difference)
                for cell in inside:
                    for value in values:
                        above = [clauses.at(low, v) for v in values if v > value]
                        below = [clauses.at(high, v) for v in values if v < value]
                        clauses.add(-clauses.at(cell, value), *above, *below)
