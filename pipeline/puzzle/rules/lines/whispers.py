"""Whispers: neighbours that are far apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_at_least, check_cells
from pipeline.puzzle.rules.lines.along import AlongLine

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Whispers(AlongLine):
    """Neighbours on the line differ by `difference` or more, usually by 5 in 9×9."""

    name: ClassVar[str] = "whispers"
    kind: ClassVar[str] = "whispers"

    line: tuple[int, ...]
    difference: int

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)
        check_at_least(self.name, "the difference", self.difference, 1)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return all(abs(a - b) >= self.difference for a, b in pairwise(self.held(values)))

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.pairs(pairwise(self.line), lambda u, v: abs(u - v) >= self.difference)
