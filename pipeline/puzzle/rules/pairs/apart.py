"""Chess moves: cells that a piece joins differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.pairs.everywhere import Everywhere
from pipeline.puzzle.rules.places import moves

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


class Apart(Everywhere):
    """Cells that a move joins differ."""

    __slots__ = ()

    steps: ClassVar[tuple[tuple[int, int], ...]]
    """Rows down and columns right; of two opposite moves one is enough."""

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return all(values[a] != values[b] for a, b in moves(geometry, self.steps))

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        for pair in moves(geometry, self.steps):
            clauses.distinct(pair)


@dataclass(frozen=True, slots=True)
class AntiKnight(Apart):
    """Cells a knight's move apart differ."""

    name: ClassVar[str] = "anti-knight"
    steps: ClassVar[tuple[tuple[int, int], ...]] = ((1, -2), (1, 2), (2, -1), (2, 1))


@dataclass(frozen=True, slots=True)
class AntiKing(Apart):
    """Cells that touch, even at a corner, differ."""

    name: ClassVar[str] = "anti-king"
    steps: ClassVar[tuple[tuple[int, int], ...]] = ((0, 1), (1, -1), (1, 0), (1, 1))
