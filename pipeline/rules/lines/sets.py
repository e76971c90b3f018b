"""Entropic and modular lines: neighbours of different kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle import Geometry
from pipeline.rules.lines.along import AlongLine
from pipeline.rules.sense import check_at_least, check_cells

if TYPE_CHECKING:
    from pipeline.clauses import Clauses


@dataclass(frozen=True, slots=True)
class Entropic(AlongLine):
    """Any three cells in a row hold a low, a middle and a high value (thirds of 1 … n).

    Of a line of two cells the values are of different thirds.
    """

    name: ClassVar[str] = "entropic line"
    kind: ClassVar[str] = "entropic"

    line: tuple[int, ...]

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        thirds = [3 * (value - 1) // geometry.side for value in self.held(values)]
        return _different_in_a_row(thirds, 3)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        third = [0, *(3 * before // geometry.side for before in range(geometry.side))]
        clauses.pairs(_near(self.line, 3), lambda u, v: third[u] != third[v])


@dataclass(frozen=True, slots=True)
class Modular(AlongLine):
    """Any `modulus` cells in a row have different remainders modulo `modulus`.

    So have those of a shorter line.
    """

    name: ClassVar[str] = "modular line"
    kind: ClassVar[str] = "modular"

    line: tuple[int, ...]
    modulus: int = 3

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, 2)
        check_at_least(self.name, "the modulus", self.modulus, 2)

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:  # noqa: ARG002
        remainders = [value % self.modulus for value in self.held(values)]
        return _different_in_a_row(remainders, self.modulus)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:  # noqa: ARG002
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
