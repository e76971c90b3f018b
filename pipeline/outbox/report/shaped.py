"""The rules of a puzzle → what is drawn below and above the lines of its grid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import dist
from typing import Any, Final, NamedTuple

from pipeline.outbox.report.elements import Look, elements, path, radius
from pipeline.outbox.report.outlines import CELL, outline
from pipeline.outbox.report.styles import STYLES, ShapeKind
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Place, Point, Ring, Shape, Tint

_REGIONS: Final = (Look(Outline, "region", False), Look(Outline, "region", True))
_LOOKS: Final = [Look(shape, kind, broken) for shape, kind in STYLES for broken in (False, True)]

_CLUE = 8
"""How far a clue reaches from its point, in units."""

_MOST_OUTSIDE = 3
"""How many clues stand one beyond the other; further ones cover the last."""


class Margins(NamedTuple):
    """The room for clues around the grid, in units."""

    top: int = 0
    right: int = 0
    bottom: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class Shaped:
    """The shapes of a puzzle's rules by their looks; `extent` is that of the geometry."""

    extent: tuple[int, int]
    shapes: Mapping[Look, Sequence[Any]]

    @classmethod
    def of(cls, puzzle: Puzzle, in_conflict: Collection[int] = ()) -> Shaped:
        """The shapes of its rules; the rules with these indices are in conflict."""
        extent = puzzle.geometry.extent
        found: defaultdict[Look, list[Shape]] = defaultdict(list)
        taken = set[Point]()
        for index, rule in enumerate(puzzle.rules):
            shapes = _up_to_rings([*rule.draw(puzzle.geometry)])
            for shape in _apart(shapes, extent, taken):
                found[Look(type(shape), shape.kind, index in in_conflict)].append(shape)
        return cls(extent, found)

    @property
    def kinds(self) -> set[ShapeKind]:
        return {(look.shape, look.kind) for look in self.shapes}

    @property
    def regions(self) -> list[tuple[Place, ...]]:
        """The cells of the regions with borders like those of boxes."""
        return [each.cells for look in _REGIONS for each in self.shapes.get(look, ())]

    @property
    def margins(self) -> Margins:
        looks = (look for look in self.shapes if look.shape is Label)
        points = [each.point for look in looks for each in self.shapes[look]] or [(1, 1)]
        rows, columns = zip(*points, strict=True)
        height, width = self.extent
        beyond = (1 - min(rows), max(columns) - width, max(rows) - height, 1 - min(columns))
        return Margins(*map(_room, beyond))

    def below(self) -> Iterator[str]:
        """What is drawn before the lines of the grid."""
        broken = self.shapes.get(_REGIONS[True], ())
        if broken:
            yield path("tint broken", (outline(each.cells, 0) for each in broken))
        yield from self._drawn(Tint, Line)

    def above(self) -> Iterator[str]:
        """What is drawn after them."""
        yield from self._drawn(Outline, Ring, Dot, Label)

    def _drawn(self, *wanted: type[Shape]) -> Iterator[str]:
        for look in _LOOKS:
            if look in self.shapes and look.shape in wanted and look not in _REGIONS:
                yield from elements(look, self.shapes[look])


def _room(cells: float) -> int:
    """The room for clues whose points are so many cells beyond the first or the last ones."""
    return round((cells - 0.5) * CELL) + _CLUE if cells > 0.5 else 0


def _up_to_rings(shapes: Sequence[Shape]) -> Iterator[Shape]:
    """The shapes of a rule, with lines that end at its rings."""
    rings = {
        point: radius(each) / CELL
        for each in shapes
        if isinstance(each, Ring)
        for point in each.points
    }
    for shape in shapes:
        if rings and isinstance(shape, Line):
            turned = _begun_outside(shape.points, rings)[::-1]
            yield replace(shape, points=_begun_outside(turned, rings)[::-1])
        else:
            yield shape


def _begun_outside(points: tuple[Point, ...], rings: Mapping[Point, float]) -> tuple[Point, ...]:
    """The part of a line after the ring that it begins in."""
    while len(points) > 2 and points[0] in rings and points[1] in rings:
        points = points[1:]
    if len(points) < 2 or points[0] not in rings or points[0] == points[1]:
        return points
    (row, column), (next_row, next_column) = points[:2]
    part = rings[points[0]] / dist(*points[:2])
    return ((row + (next_row - row) * part, column + (next_column - column) * part), *points[1:])


def _apart(shapes: Iterable[Shape], extent: tuple[int, int], taken: set[Point]) -> Iterator[Shape]:
    """The shapes, with clues beyond those that are in the same place."""
    for shape in shapes:
        if isinstance(shape, Label):
            yield replace(shape, point=_free(shape.point, extent, taken))
        else:
            yield shape


def _free(point: Point, extent: tuple[int, int], taken: set[Point]) -> Point:
    """The point; if it is outside and taken, a free point beyond it."""
    down, right = (
        (at > length + 0.5) - (at < 0.5) for at, length in zip(point, extent, strict=True)
    )
    for _ in range(_MOST_OUTSIDE - 1):
        if not (down or right) or point not in taken:
            break
        point = (point[0] + down, point[1] + right)
    taken.add(point)
    return point
