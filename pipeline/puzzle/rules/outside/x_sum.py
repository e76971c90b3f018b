"""X-sums: as many cells as the first one says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.outside.clue import clue, from_side

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class XSum(Rule):
    """The line has each value once; its first x cells sum to `total`, x being its first value."""

    name: ClassVar[str] = "X-sum"

    line: tuple[int, ...]
    total: int

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2, once=True)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.line

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = [values[cell] for cell in self.line]
        each_once = sorted(held) == list(range(1, geometry.side + 1))
        return each_once and sum(held[: held[0]]) == self.total

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        if len(self.line) != geometry.side:
            clauses.add()
            return
        clauses.unit(self.line)
        first, *_ = self.line
        values = range(1, geometry.side + 1)
        for x in values:
            with clauses.under(clauses.at(first, x)):
                rest, missing = self.line[1:x], self.total - x
                sets = clauses.sets((v for v in values if v != x), len(rest), missing)
                if sets is None:
                    clauses.total([(cell, 1) for cell in rest], [missing])
                else:
                    clauses.among(rest, sets)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield from clue(geometry, self.line, str(self.total), "x-sum")

    def told(self, geometry: Geometry) -> str:
        return f"{self.name} {self.total} {from_side(geometry, self.line)}"
