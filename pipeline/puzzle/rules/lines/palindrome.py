"""Palindromes: the same both ways."""

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
class Palindrome(AlongLine):
    """The values read the same from both ends."""

    name: ClassVar[str] = "palindrome"
    kind: ClassVar[str] = "palindrome"

    line: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        held = self.held(values)
        return held == held[::-1]

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        half = len(self.line) // 2
        for a, b in zip(self.line[:half], self.line[::-1], strict=False):
            clauses.same(a, b)
