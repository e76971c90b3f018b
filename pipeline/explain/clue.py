"""Clue: what a puzzle says of one cell, as people read it."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.puzzle import Geometry, Puzzle, values_of


@dataclass(frozen=True, slots=True)
class Clue:
    """What a cell is to hold: a value, or a mark: `even`, `odd` or, of any other, `1 or 4`.

    Row and column count from 1.
    """

    row: int
    column: int
    holds: int | str

    @property
    def value(self) -> int | None:
        """The value, where one is given."""
        return self.holds if isinstance(self.holds, int) else None

    @property
    def mark(self) -> str | None:
        """The mark, where there is one."""
        return self.holds if isinstance(self.holds, str) else None

    @property
    def place(self) -> tuple[int, int]:
        return self.row, self.column

    def __str__(self) -> str:
        return f"{self.holds} in row {self.row}, column {self.column}"

    def as_record(self) -> dict[str, int | str]:
        """Its form in the record."""
        kind = "value" if isinstance(self.holds, int) else "mark"
        return {"row": self.row, "column": self.column, kind: self.holds}


def clue_at(puzzle: Puzzle, cell: int) -> Clue:
    """What the puzzle says of a cell, which is not a blank."""
    return Clue(*puzzle.geometry.place(cell), _said(puzzle.geometry, puzzle.cells[cell]))


def _said(geometry: Geometry, mask: int) -> int | str:
    if not mask & (mask - 1):
        return mask.bit_length()
    if mask == geometry.even_values:
        return "even"
    if mask == geometry.odd_values:
        return "odd"
    return " or ".join(map(str, values_of(mask)))
