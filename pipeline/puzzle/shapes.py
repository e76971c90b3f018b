"""The shapes that draw rules. Coordinates are in units of a cell.

A point is (row, column). Whole numbers, from 1, are centres of cells: (1.5, 1) is between the first
two cells of the first column, and (0, 3) is above the third column. `kind` is the name of a style,
a class in `report/shapes.css`. The drawing order is: tints, lines, the grid, outlines, rings, dots,
labels, values.
"""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]
"""Row and column of a point."""

Place = tuple[int, int]
"""Row and column of a cell."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points, with an optional bulb at the first point or arrowhead at the last.

    The line stops at the edge of a ring of the same rule.
    """

    points: tuple[Point, ...]
    kind: str
    has_bulb: bool = False
    has_arrowhead: bool = False


@dataclass(frozen=True, slots=True)
class Ring:
    """A circle around a cell, or a capsule around several cells in a line."""

    points: tuple[Point, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A small disc at a point, with an optional text; more than two words take two lines."""

    point: Point
    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A text at a point: a clue outside the grid, or a symbol between two cells."""

    point: Point
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Outline:
    """An outline around cells, with an optional text in the top left corner."""

    cells: tuple[Place, ...]
    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tint:
    """Shaded cells. `kind` decides whether the whole cell, a smaller square or a disc is shaded."""

    cells: tuple[Place, ...]
    kind: str


Shape = Line | Ring | Dot | Label | Outline | Tint
