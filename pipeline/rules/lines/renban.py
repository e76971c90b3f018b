"""Renban lines: consecutive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle import Geometry
from pipeline.rules.checks import check_cells
from pipeline.rules.lines.along import AlongLine

if TYPE_CHECKING:
    from pipeline.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Renban(AlongLine):
    """The cells of the line hold consecutive values, each once, in any order.

    A line that comes back to a cell, as a ring does, has that cell once.
    """

    name: ClassVar[str] = "renban"
    kind: ClassVar[str] = "renban"

    line: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = sorted(values[cell] for cell in self.cells(geometry))
        return held == list(range(held[0], held[0] + len(held)))

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.window(self.cells(geometry))
