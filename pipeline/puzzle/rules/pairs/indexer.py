"""Indexers: cells that tell where a value stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.checks import check_one_grid
from pipeline.puzzle.rules.places import at
from pipeline.puzzle.shapes import Tint

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import Clauses
    from pipeline.puzzle.shapes import Shape


@dataclass(frozen=True, slots=True)
class Indexer(Rule):
    """The cell at (r, c) holds v exactly if (r, v) holds c; with `row`: if (v, c) holds r."""

    name: ClassVar[str] = "indexer"

    cell: int
    row: bool

    def cells(self, geometry: Geometry) -> tuple[int, ...]:
        check_one_grid(self.name, geometry)
        return tuple(dict.fromkeys((self.cell, *self._line(geometry))))

    def holds(self, geometry: Geometry, values: Sequence[int]) -> bool:
        row, column = geometry.place(self.cell)
        held = {geometry.place(cell): value for cell, value in enumerate(values)}
        here, each = held[row, column], range(1, geometry.side + 1)
        if self.row:
            return all((here == v) == (held[v, column] == row) for v in each)
        return all((here == v) == (held[row, v] == column) for v in each)

    def state(self, geometry: Geometry, clauses: Clauses) -> None:
        index = self._index(geometry)
        for value, there in enumerate(self._line(geometry), start=1):
            if there != self.cell:
                here, other = clauses.at(self.cell, value), clauses.at(there, index)
                clauses.add(-here, other)
                clauses.add(here, -other)

    def shapes(self, geometry: Geometry) -> Iterator[Shape]:
        yield Tint((geometry.place(self.cell),), f"{self._kind}-indexer")

    def told(self, geometry: Geometry) -> str:
        return f"{self._kind} {self.name} {at(geometry, self.cell)}"

    def _line(self, geometry: Geometry) -> range:
        """The cells, in turn, that its value may tell of: those of its row (`row`: column)."""
        n = geometry.side
        if self.row:
            return range(self.cell % n, n * n, n)
        first = self.cell - self.cell % n
        return range(first, first + n)

    def _index(self, geometry: Geometry) -> int:
        """The value whose place the cell tells."""
        row, column = geometry.place(self.cell)
        return row if self.row else column

    @property
    def _kind(self) -> str:
        return "row" if self.row else "column"
