"""Greater than: one cell above another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_cells
from pipeline.puzzle.rules.places import border, place
from pipeline.puzzle.shapes import Label

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Greater(Rule):
    """The value of `more` is greater than that of `less`."""

    name: ClassVar[str] = "greater than"

    more: int
    less: int

    def __post_init__(self) -> None:
        check_cells(self.name, (self.more, self.less), once=True)

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        return self.more, self.less

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        return values[self.more] > values[self.less]

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        clauses.pair(self.more, self.less, lambda u, v: u > v)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield sign(geometry, self.more, self.less, "greater")

    def told(self, geometry: Geometry) -> str:
        return f"{place(geometry, self.more)} {self.name} {place(geometry, self.less)}"


def sign(geometry: Geometry, more: int, less: int, kind: str) -> Label:
    """The sign on the border of two cells that opens towards the greater one."""
    (row, column), (other_row, other_column) = geometry.place(more), geometry.place(less)
    if row == other_row:
        text = ">" if column < other_column else "<"
    else:
        text = "∨" if row < other_row else "∧"
    return Label(border(geometry, more, less), text, kind)
