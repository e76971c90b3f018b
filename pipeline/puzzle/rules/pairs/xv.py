"""XV: neighbours that sum to ten or five, and what no sign means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.pairs.everywhere import Negative, Pairs
from pipeline.puzzle.rules.places import between, border
from pipeline.puzzle.shapes import Label

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape

SIGNS = {5: "V", 10: "X"}


@dataclass(frozen=True, slots=True)
class PairSum(Rule):
    """Two cells sum to `total`: 10 is drawn as X, 5 as V."""

    name: ClassVar[str] = "XV"

    a: int
    b: int
    total: int

    def __post_init__(self) -> None:
        check_cells(self.name, (self.a, self.b), once=True)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.a, self.b

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return values[self.a] + values[self.b] == self.total

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.pair(self.a, self.b, lambda u, v: v == self.total - u)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        text = SIGNS.get(self.total, str(self.total))
        yield Label(border(geometry, self.a, self.b), text, "xv")

    def told(self, geometry: Geometry) -> str:
        sign = SIGNS.get(self.total, f"sum {self.total}")
        return f"{sign} {between(geometry, self.a, self.b)}"


@dataclass(frozen=True, slots=True)
class NoXV(Negative):
    """Orthogonal neighbours, except the pairs `spared`, sum to none of these totals.

    The pairs spared are those with a sign.
    """

    name: ClassVar[str] = "no other XV"

    totals: tuple[int, ...]
    spared: Pairs

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return all(values[a] + values[b] not in self.totals for a, b in self.pairs(geometry))

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        totals = {*self.totals}
        clauses.pairs(self.pairs(geometry), lambda u, v: u + v not in totals)
