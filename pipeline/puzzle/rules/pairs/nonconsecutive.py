"""Nonconsecutive: neighbours are not consecutive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.pairs.everywhere import Negative, Pairs

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Nonconsecutive(Negative):
    """Orthogonal neighbours, except the pairs `spared`, do not hold consecutive values."""

    name: ClassVar[str] = "nonconsecutive"

    spared: Pairs = ()

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return all(abs(values[a] - values[b]) != 1 for a, b in self.pairs(geometry))

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.pairs(self.pairs(geometry), lambda u, v: u != v + 1 and v != u + 1)
