"""What clues outside the grid share: where they stand, and which line they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.places import place
from pipeline.puzzle.shapes import Label, Shape


def clue(geometry: Geometry, line: Sequence[int], text: str, kind: str) -> Iterator[Shape]:
    """A label just before the first cell of a line, which leads away from it."""
    (row, column), (down, right) = geometry.place(line[0]), step(geometry, line)
    yield Label((row - down, column - right), text, kind)


def step(geometry: Geometry, line: Sequence[int]) -> tuple[int, int]:
    """How many rows down and columns right a line leads from its first cell to its second.

    A single cell, which is that of a corner, is left for the nearest corner outside.
    """
    row, column = geometry.place(line[0])
    if len(line) > 1:
        next_row, next_column = geometry.place(line[1])
        return _sign(next_row - row), _sign(next_column - column)
    _, columns = geometry.extent
    return 1 if row == 1 else -1, 1 if column == columns else -1


def of_line(geometry: Geometry, line: Sequence[int]) -> str:
    """`of row 3`, `of column 3`, or, if it is neither, `from r1c1`."""
    rows, columns = zip(*map(geometry.place, line), strict=True)
    if len({*rows}) == 1:
        return f"of row {rows[0]}"
    if len({*columns}) == 1:
        return f"of column {columns[0]}"
    return f"from {place(geometry, line[0])}"


def from_side(geometry: Geometry, line: Sequence[int]) -> str:
    """`of row 3 from the left`: a line, and the side from which it is seen."""
    sides = {(0, 1): "left", (0, -1): "right", (1, 0): "top", (-1, 0): "bottom"}
    side = sides.get(step(geometry, line))
    return f"{of_line(geometry, line)}{f' from the {side}' if side else ''}"


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
