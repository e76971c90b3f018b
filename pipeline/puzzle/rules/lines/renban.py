"""Renban lines: consecutive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.lines.along import AlongLine

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Renban(AlongLine):
    """The cells of the line hold consecutive values, each once, in any order.

    A line that names a cell twice cannot be filled.
    """

    name: ClassVar[str] = "renban"
    kind: ClassVar[str] = "renban"

    line: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = sorted(self.held(values))
        return held == list(range(held[0], held[0] + len(held)))

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        cells = self.cells(geometry)
        if len(cells) < len(self.line):
            clauses.add()
            return
        clauses.window(cells)
