"""Entropic and modular lines: neighbours of different kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.checks import check_at_least, check_cells
from pipeline.puzzle.rules.lines.along import AlongLine

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Entropic(AlongLine):
    """Any three cells in a row hold a low, a middle and a high value (thirds of 1 … n).

    On a line of two cells the values are of different thirds. If 3 does not divide n, there are as
    many low values as high ones, and one more or fewer in the middle.
    """

    name: ClassVar[str] = "entropic line"
    kind: ClassVar[str] = "entropic"

    line: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        n, least = geometry.side, (geometry.side + 1) // 3
        thirds = [(value > least) + (value > n - least) for value in self.held(values)]
        return _different_in_a_row(thirds, 3)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        third = round(geometry.side / 3)
        low, high = range(1, third + 1), range(geometry.side - third + 1, geometry.side + 1)

        def goes(u: int, v: int) -> bool:
            return (u in low, u in high) != (v in low, v in high)

        clauses.pairs(_near(self.line, 3), goes)


@dataclass(frozen=True, slots=True)
class Modular(AlongLine):
    """Any `modulus` cells in a row have different remainders modulo `modulus`.

    On a shorter line all remainders differ.
    """

    name: ClassVar[str] = "modular line"
    kind: ClassVar[str] = "modular"

    line: tuple[int, ...]
    modulus: int = 3

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)
        check_at_least(self.name, "the modulus", self.modulus, 2)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        remainders = [value % self.modulus for value in self.held(values)]
        return _different_in_a_row(remainders, self.modulus)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        near = _near(self.line, self.modulus)
        clauses.pairs(near, lambda u, v: u % self.modulus != v % self.modulus)


def _different_in_a_row(kinds: Sequence[int], length: int) -> bool:
    """Whether any so many in a row are different."""
    pieces = [kinds[end - length : end] for end in range(length, len(kinds) + 1)] or [kinds]
    return all(len({*piece}) == len(piece) for piece in pieces)


def _near(line: Sequence[int], reach: int) -> Iterator[tuple[int, int]]:
    """Pairs of cells of a line that lie among so many cells in a row."""
    for index, cell in enumerate(line):
        for other in line[index + 1 : index + reach]:
            yield cell, other
