"""Shapes: what rules are drawn with, in units of a cell.

A point is (row, column), from 1, at the centre of a cell: (1.5, 1) is between the first two cells
of the first column, (0, 3) is above the third column. `kind` names the look: it becomes a class
of the drawing's style.
"""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points, with a bulb at its first or a head at its last point."""

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
    """A small disc at a point, with a text in it."""

    point: Point
    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A text at a point; `kind` tells how large."""

    point: Point
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A line around cells, with a text in the corner of the first one."""

    cells: tuple[Place, ...]
    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tint:
    """Shaded cells: the whole square, a smaller one, or a disc, as `kind` says."""

    cells: tuple[Place, ...]
    kind: str


Shape = Line | Ring | Dot | Label | Outline | Tint
