"""Shapes: what rules are drawn with, in units of a cell.

A point is (row, column), from 1, at the centre of a cell: (1.5, 1) is between the first two cells
of the first column, (0, 3) is above the third column. `kind` names the look; all of them stand in
`report/shapes.css`. The order of drawing is: tints, lines, the grid, outlines, rings, dots, labels,
values.
"""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points, with a bulb at its first or a head at its last point.

    It begins and ends at the edge of a ring of the same rule.
    """

    points: tuple[Point, ...]
    kind: str
    bulb: bool = False
    head: bool = False


@dataclass(frozen=True, slots=True)
class Ring:
    """A circle around a cell, or one long shape around several in a row."""

    points: tuple[Point, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A small disc at a point, with a text in it; more than two words stand in two lines."""

    point: Point
    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A text at a point: a clue outside the grid, or a sign between two cells."""

    point: Point
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A line around cells, with a text in the corner of the top left one."""

    cells: tuple[Place, ...]
    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tint:
    """Shaded cells: the whole square, a smaller one, or a disc, as `kind` says."""

    cells: tuple[Place, ...]
    kind: str


Shape = Line | Ring | Dot | Label | Outline | Tint
