"""Rules about regions without repeats: jigsaw regions, diagonals, windoku, disjoint groups."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.puzzle.arguments import CellsField, GroupsField
from pipeline.puzzle.constraints import AllDifferent, AllOf, Cells, Constraint
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import check_cells, check_one_grid, places, square_side, tints
from pipeline.puzzle.shapes import Line, Outline, Shape


class AllDifferentRule(Rule):
    """A rule about cells that hold different values."""

    preposition = "at"

    cells: CellsField

    def check(self) -> None:
        check_cells(self.name, self.cells, no_repeats=True)

    def scope(self, geometry: Geometry) -> Cells:
        return self.cells

    def constraints(self, geometry: Geometry) -> Constraint:
        return AllDifferent(self.cells)


class Region(AllDifferentRule):
    """Each value appears exactly once in the region, as in a box."""

    name, preposition = "jigsaw region", "of"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Outline(places(geometry, self.cells), "region"),)


class ExtraRegion(AllDifferentRule):
    """Values in the region do not repeat; a region of n cells contains each value once."""

    name = "extra region"

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return tints(geometry, [self.cells], "extra-region")


class Diagonal(Rule):
    """Each value appears exactly once on the diagonal. A `rising` one starts at the lower left."""

    name, preposition = "diagonal", "from"

    rising: bool

    def constraints(self, geometry: Geometry) -> Constraint:
        n = square_side(self.name, geometry)
        rows = reversed(range(n)) if self.rising else range(n)
        return AllDifferent(tuple(row * n + column for column, row in enumerate(rows)))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        top, bottom = 0.5, square_side(self.name, geometry) + 0.5
        first, last = (bottom, top) if self.rising else (top, bottom)
        return (Line(((first, top), (last, bottom)), "diagonal"),)


class Windoku(Rule):
    """Each of four extra boxes (rows and columns 2-4 and 6-8 of 9×9) contains each value once.

    In a grid of more than nine values, no value repeats in them.
    """

    name = "windoku"

    def constraints(self, geometry: Geometry) -> Constraint:
        side = square_side(self.name, geometry)
        if side != 9:
            raise ValueError(f"{self.name}: the side of the grid must be 9, not {geometry.side}")
        return AllOf(tuple(map(AllDifferent, _WINDOWS)))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return tints(geometry, _WINDOWS, "windoku")


_WINDOWS = tuple(
    tuple(row * 9 + column for row in rows for column in columns)
    for rows in (range(1, 4), range(5, 8))
    for columns in (range(1, 4), range(5, 8))
)
"""The cells of each extra box of a windoku."""


class DisjointGroups(Rule):
    """Cells in the same position within their boxes hold different values.

    A free grid has no boxes of its own, so `boxes` lists them.
    """

    name = "disjoint groups"

    boxes: GroupsField = ()  # type: ignore[assignment] # `Field` converts it

    def check(self) -> None:
        cells = [cell for box in self.boxes for cell in box]
        check_cells(f"{self.name}: its boxes", cells, 0, no_repeats=True)
        if len({*map(len, self.boxes)}) > 1:
            raise ValueError(f"{self.name}: boxes of different sizes")

    def constraints(self, geometry: Geometry) -> Constraint:
        boxes = self.boxes or _boxes(self.name, geometry)
        return AllOf(tuple(map(AllDifferent, zip(*boxes, strict=True))))


def _boxes(name: str, geometry: Geometry) -> tuple[Cells, ...]:
    """The boxes of a single grid. Raises ValueError if it has none."""
    check_one_grid(name, geometry)
    if geometry.height == 1:
        raise ValueError(f"{name}: the grid must have boxes")
    return tuple(geometry.boxes())
