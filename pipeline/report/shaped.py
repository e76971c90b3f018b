"""The shapes of rules as SVG: one element for each kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import dist
from typing import Any, Final, NamedTuple

from pipeline.errors import printable
from pipeline.puzzle import Puzzle
from pipeline.report.outlines import CELL, outline
from pipeline.report.styles import Kind, name_of
from pipeline.shapes import KINDS, Dot, Label, Line, Outline, Place, Point, Ring, Shape, Tint

_REGION: Final = (Outline, "region")
_ORDER: Final = [(shape, kind) for shape, kinds in KINDS.items() for kind in kinds]

_RADIUS, _DIAMOND, _BULB = 7.6, 9.2, 6.6
_INSETS: Final = (1.7, 3.2, 4.7)
"""Of outlines that share cells, so that none hides another."""

_DISCS: Final = {"white": 2.6, "black": 2.6, "quadruple": 5.4}
_WITH_TEXT = 3.8
_ODD = 7.5
_HEAD = 4.0
_SMALL_HEAD = 2.6
_SIGNS: Final = {"<": (-1, 0), ">": (1, 0), "∧": (0, -1), "∨": (0, 1)}
"""Where the sign points: x and y."""

_CLUE = 8
"""How far a clue reaches from its point."""

_MOST_OUTSIDE = 3
"""How many clues stand one beyond the other; further ones cover the last."""

_LONGEST = 12


class Margins(NamedTuple):
    """The room for clues around the grid, in units."""

    top: int = 0
    right: int = 0
    bottom: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class Shaped:
    """The shapes of a puzzle's rules by kind, and whether their rule is in conflict."""

    extent: tuple[int, int]
    shapes: Mapping[tuple[Kind, bool], Sequence[Any]]

    @classmethod
    def of(cls, puzzle: Puzzle, in_conflict: Collection[int] = ()) -> Shaped:
        """What its rules are drawn with; those of these indices are in conflict."""
        extent = puzzle.geometry.extent
        found: defaultdict[tuple[Kind, bool], list[Shape]] = defaultdict(list)
        taken = set[Point]()
        for index, rule in enumerate(puzzle.rules):
            for shape in _apart(rule.shapes(puzzle.geometry), extent, taken):
                found[(type(shape), shape.kind), index in in_conflict].append(shape)
        return cls(extent, found)

    @property
    def kinds(self) -> set[Kind]:
        return {kind for kind, _ in self.shapes}

    @property
    def regions(self) -> list[tuple[Place, ...]]:
        """The regions with borders like those of boxes."""
        return [each.cells for broken in (False, True) for each in self._of(_REGION, broken)]

    @property
    def margins(self) -> Margins:
        labels = [each for (kind, _), some in self.shapes.items() for each in some if kind[0] is Label]
        rows, columns = ([each.point[axis] for each in labels] or [1] for axis in (0, 1))
        height, width = self.extent
        beyond = (1 - min(rows), max(columns) - width, max(rows) - height, 1 - min(columns))
        return Margins(*(_room(cells) for cells in beyond))

    def below(self) -> Iterator[str]:
        """What is drawn before the lines of the grid."""
        if broken := self._of(_REGION, True):
            yield _path("tint broken", (outline(each.cells, 0) for each in broken))
        yield from self._drawn(Tint, Line)

    def above(self) -> Iterator[str]:
        """What is drawn after them."""
        yield from self._drawn(Outline, Ring, Dot, Label)

    def _of(self, kind: Kind, broken: bool) -> Sequence[Any]:
        return self.shapes.get((kind, broken), ())

    def _drawn(self, *wanted: type[Shape]) -> Iterator[str]:
        for kind in _ORDER:
            for broken in (False, True):
                shapes = self._of(kind, broken)
                if shapes and kind[0] in wanted and kind != _REGION:
                    name = f"{name_of(kind[0])} {name_of(*kind)}{' broken' if broken else ''}"
                    yield from _DRAWERS[kind[0]](shapes, name)


def _room(cells: float) -> int:
    """The room for clues whose points are that far beyond the first or last cells."""
    return round((cells - 0.5) * CELL) + _CLUE if cells > 0.5 else 0


def _apart(
    shapes: Iterable[Shape], extent: tuple[int, int], taken: set[Point]
) -> Iterator[Shape]:
    """The shapes of a rule, with lines up to its rings, and clues beyond those before them."""
    listed = [*shapes]
    rings = {
        point: _DIAMOND if each.kind == "lockout" else _RADIUS
        for each in listed
        if isinstance(each, Ring)
        for point in each.points
    }
    for shape in listed:
        if isinstance(shape, Line) and rings:
            ends = _shortened(_shortened(shape.points, rings)[::-1], rings)[::-1]
            yield replace(shape, points=ends)
        elif isinstance(shape, Label):
            yield replace(shape, point=_free(shape.point, extent, taken))
        else:
            yield shape


def _shortened(points: tuple[Point, ...], rings: Mapping[Point, float]) -> tuple[Point, ...]:
    """A line that begins at the edge of the ring in which it began."""
    while len(points) > 1 and points[0] in rings and points[1] in rings and len(points) > 2:
        points = points[1:]
    if len(points) < 2 or points[0] not in rings:
        return points
    (row, column), (next_row, next_column) = points[:2]
    length = dist(*points[:2]) * CELL
    part = rings[points[0]] / length if length else 0
    begin = (row + (next_row - row) * part, column + (next_column - column) * part)
    return (begin, *points[1:])


def _free(point: Point, extent: tuple[int, int], taken: set[Point]) -> Point:
    """That point, or if it is outside and taken one beyond it."""
    row, column = point
    down = (row > extent[0] + 0.5) - (row < 0.5)
    right = (column > extent[1] + 0.5) - (column < 0.5)
    for _ in range(_MOST_OUTSIDE - 1):
        if (down, right) == (0, 0) or point not in taken:
            break
        point = (point[0] + down, point[1] + right)
    taken.add(point)
    return point


def _tints(shapes: Sequence[Tint], name: str) -> Iterator[str]:
    kind = shapes[0].kind
    if kind == "odd":
        yield _path(name, (_disc(_at(place), _ODD) for each in shapes for place in each.cells))
        return
    inset = 3 if kind == "even" else 0
    if kind == "even":
        yield _path(name, (outline([place], 3) for each in shapes for place in each.cells))
        return
    yield _path(name, (outline(each.cells, inset) for each in shapes))


def _lines(shapes: Sequence[Line], name: str) -> Iterator[str]:
    drawn = _path(name, (_line(each) for each in shapes))
    bulbs = [_disc(_at(each.points[0]), _BULB) for each in shapes if each.bulb]
    if bulbs:
        bulb = "bulb broken" if name.endswith(" broken") else "bulb"
        drawn = f'<g class="bulbs">{drawn}{_path(bulb, bulbs)}</g>'
    yield drawn


def _line(line: Line) -> str:
    places = [_at(point) for point in line.points]
    drawn = f"M{_pair(places[0])}" + ("L" if len(places) > 1 else "h0")
    drawn += " ".join(map(_pair, places[1:]))
    if line.head and len(places) > 1:
        (x, y), (tip_x, tip_y) = places[-2:]
        size = _SMALL_HEAD if line.kind == "little-killer" else _HEAD
        length = dist(*places[-2:]) or 1
        back, aside = ((x - tip_x) / length * size, (y - tip_y) / length * size), 0.7
        wings = (
            (tip_x + back[0] - side * back[1], tip_y + back[1] + side * back[0])
            for side in (-aside, aside)
        )
        first, second = wings
        drawn += f"M{_pair(first)}L{_pair(places[-1])} {_pair(second)}"
    return drawn


def _outlines(shapes: Sequence[Outline], name: str) -> Iterator[str]:
    depths: defaultdict[Place, int] = defaultdict(int)
    corners: defaultdict[Place, list[str]] = defaultdict(list)
    drawn = []
    for each in shapes:
        depth = max((depths[place] for place in each.cells), default=0)
        drawn.append(outline(each.cells, _INSETS[min(depth, len(_INSETS) - 1)]))
        for place in each.cells:
            depths[place] = depth + 1
        if each.text and each.cells:
            corners[min(each.cells)].append(each.text)
    yield _path(name, drawn)
    places = ((column * CELL - 17.6, row * CELL - 13.9) for row, column in corners)
    mark = " broken" if name.endswith(" broken") else ""
    yield _texts(f"corner{mark}", zip(places, map("/".join, corners.values()), strict=True))


def _rings(shapes: Sequence[Ring], name: str) -> Iterator[str]:
    diamond = shapes[0].kind == "lockout"
    yield _path(name, (_diamond(each) if diamond else _pill(each) for each in shapes))


def _pill(ring: Ring) -> str:
    """A circle, or what a circle covers on its way from the first point to the last."""
    begin, end = _at(ring.points[0]), _at(ring.points[-1])
    length = dist(begin, end)
    if not length:
        return _disc(begin, _RADIUS)
    x, y = ((there - here) / length * _RADIUS for here, there in zip(begin, end, strict=True))
    arc = f"A{_RADIUS} {_RADIUS} 0 0 1 "
    corners = ((begin[0] - y, begin[1] + x), (begin[0] + y, begin[1] - x))
    ends = ((end[0] + y, end[1] - x), (end[0] - y, end[1] + x))
    first, second, third, fourth = map(_pair, (*corners, *ends))
    return f"M{first}{arc}{second}L{third}{arc}{fourth}z"


def _diamond(ring: Ring) -> str:
    x, y = _at(ring.points[0])
    size = f"{_DIAMOND:g}"
    return f"M{_pair((x - _DIAMOND, y))}l{size}-{size} {size} {size}-{size} {size}z"


def _dots(shapes: Sequence[Dot], name: str) -> Iterator[str]:
    kind = shapes[0].kind
    least = 0 if kind == "quadruple" else _WITH_TEXT
    sizes = (max(_DISCS[kind], least if each.text else 0) for each in shapes)
    places = [_at(each.point) for each in shapes]
    yield _path(name, map(_disc, places, sizes))
    texts = (
        ((x, y + down), line)
        for each, (x, y) in zip(shapes, places, strict=True)
        for line, down in _in_lines(each.text)
    )
    mark = " broken" if name.endswith(" broken") and kind == "quadruple" else ""
    yield _texts(f"inside in-{kind}{mark}", texts)


def _in_lines(text: str) -> Iterator[tuple[str, float]]:
    """The lines of a text in a disc, and how far they are below its middle."""
    words = text.split()
    if len(words) <= 2:
        yield from ((line, 1.8) for line in filter(None, [" ".join(words)]))
        return
    half = (len(words) + 1) // 2
    yield " ".join(words[:half]), -0.5
    yield " ".join(words[half:]), 4.2


def _labels(shapes: Sequence[Label], name: str) -> Iterator[str]:
    signs = [each for each in shapes if each.text in _SIGNS]
    if shapes[0].kind in ("greater", "minimum", "maximum"):
        large = shapes[0].kind == "greater"
        places = [(_at(each.point), _SIGNS.get(each.text, (0, 0))) for each in signs]
        if large:
            yield _path("gap", (_gap(*each) for each in places))
        yield _path(name, (_sign(*each, 3.4 if large else 2.2) for each in places))
        return
    below = 2.7 if shapes[0].kind == "xv" else 3.4
    kept = "" if shapes[0].kind == "xv" else " clue"
    places = ((x, y + below) for x, y in (_at(each.point) for each in shapes))
    yield _texts(name + kept, zip(places, (each.text for each in shapes), strict=True))


def _gap(at: Point, towards: tuple[int, int]) -> str:
    """A piece of the border that a sign interrupts."""
    x, y = at
    return f"M{_pair((x, y - 4))}v8" if towards[0] else f"M{_pair((x - 4, y))}h8"


def _sign(at: Point, towards: tuple[int, int], size: float) -> str:
    (x, y), (right, down) = at, towards
    deep = size * 0.55
    tip = (x + right * deep, y + down * deep)
    one, other = (
        (x - right * deep + side * down * size, y - down * deep + side * right * size)
        for side in (-1, 1)
    )
    return f"M{_pair(one)}L{_pair(tip)} {_pair(other)}"


_DRAWERS: Final[Mapping[type[Shape], Callable[[Any, str], Iterator[str]]]] = {
    Tint: _tints,
    Line: _lines,
    Outline: _outlines,
    Ring: _rings,
    Dot: _dots,
    Label: _labels,
}


def _at(point: Point) -> Point:
    """The x and y of a point, in units."""
    return (point[1] - 0.5) * CELL, (point[0] - 0.5) * CELL


def _pair(point: Point) -> str:
    x, y = (f"{round(each, 2):g}" for each in point)
    return f"{x} {y}"


def _disc(at: Point, radius: float) -> str:
    x, y = at
    size = f"{radius:g} {radius:g} 0 1 0 "
    return f"M{_pair((x - radius, y))}a{size}{2 * radius:g} 0a{size}-{2 * radius:g} 0z"


def _path(name: str, drawn: Iterable[str]) -> str:
    path = "".join(drawn)
    return f'<path class="{name}" d="{path}"/>' if path else ""


def _texts(name: str, texts: Iterable[tuple[Point, str]]) -> str:
    """Texts at their places as one element."""
    spans = []
    for (x, y), text in texts:
        said = printable(text)
        said = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
        spans.append(f'<tspan x="{round(x, 2):g}" y="{round(y, 2):g}">{escape(said)}</tspan>')
    return f'<text class="{name}">{"".join(spans)}</text>' if spans else ""
