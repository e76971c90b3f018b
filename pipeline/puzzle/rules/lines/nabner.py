"""Nabner lines: no two equal or consecutive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.lines.along import AlongLine

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Nabner(AlongLine):
    """No two cells of the line hold equal or consecutive values.

    A line that comes back to a cell, as a ring does, has that cell once.
    """

    name: ClassVar[str] = "nabner"
    kind: ClassVar[str] = "nabner"

    line: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = [values[cell] for cell in self.cells(geometry)]
        return all(abs(a - b) > 1 for a, b in combinations(held, 2))

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.pairs(combinations(self.cells(geometry), 2), lambda u, v: abs(u - v) > 1)
