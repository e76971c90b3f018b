"""Killer cages: different values with a sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.places import at
from pipeline.puzzle.shapes import Outline

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Cage(Rule):
    """The cells hold different values that sum to `total`, if it has one."""

    name: ClassVar[str] = "cage"

    cage: tuple[int, ...]
    total: int | None = None

    def __post_init__(self) -> None:
        check_cells(self.name, self.cage, once=True)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.cage

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = [values[cell] for cell in self.cage]
        return len({*held}) == len(held) and self.total in (None, sum(held))

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        if self.total is None:
            clauses.distinct(self.cage)
        else:
            clauses.combo(self.cage, self.total)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        text = "" if self.total is None else str(self.total)
        yield Outline(tuple(map(geometry.place, self.cage)), "cage", text)

    def told(self, geometry: Geometry) -> str:
        return f"cage{'' if self.total is None else f' {self.total}'} {at(geometry, self.cage[0])}"
